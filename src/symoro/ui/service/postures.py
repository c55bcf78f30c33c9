"""Solve for all configurations that reach a pose.

Each solution must be finite, and the direct geometric model must return the requested pose for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from symoro.errors import NotApplicableError
from symoro.model import Model, generate, numeric_inverse
from symoro.models.geometric.inverse.model import idle_joints
from symoro.models.geometric.inverse.redundancy import has_redundant_joint
from symoro.models.geometric.scene import all_frames
from symoro.models.geometric.screws import attachment_frame, last_frame
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import parallel_robot
from symoro.robot.topology import cut_joints, loops, path
from symoro.ui.failure import on_the_page
from symoro.ui.service.answer_types import InverseModules, PostureRow, SolvedPose
from symoro.ui.service.answers import javascript_module, model_of
from symoro.ui.service.payload import finite_numbers, item, robot_of

if TYPE_CHECKING:
    from symoro.runtime.function import Array

TOLERANCE = 1e-6  # rad, and relative to the robot's size: largest residual; models are accurate to 1e-9
RESTARTS = 20
WORKING_MODES = ("1", "2")  # of a leg
POSITION_ENTRIES = 3  # more joints are not determined by a position
WORDS: dict[int, Literal["valid", "singular"]] = {0: "valid", 2: "singular"}


def solve(payload: Mapping[str, Any]) -> SolvedPose:
    """Return the configurations for a pose of the end effector in frame 0: all in closed form, or one by iteration.

    Those of a redundant robot have the redundant joint at its position in q0, and are not all.

    Each solution contains the positions of the robot's coordinates (q) and of its cut joints (qc).
    """
    robot = robot_of(payload)
    options, values = item(payload, "options", dict, {}), item(payload, "values", dict, {})
    T = finite_numbers("pose", item(payload, "pose", list), (4, 4))
    own = independent(robot)
    start = finite_numbers("q0", item(payload, "q0", list, [0.0] * len(own)), (len(own),))
    method: Literal["closed form", "numeric"] = "closed form"
    redundant = False
    try:
        model = model_of({**payload, "model": "inverse-geometry"})
        given = {"T": T, "q0": start}
        taken = {name: array for name, array in given.items() if name in model.inputs}
        solutions = model.function(values, compiled=False)(**taken)
        redundant = has_redundant_joint(model.program)
    except NotApplicableError:
        if robot.B or options.get("method") or options.get("swivel"):
            raise
        method, solutions = "numeric", _by_iteration(robot, options, values, T, start)
    return SolvedPose(
        method=method,
        complete=method != "numeric" and not redundant,
        coordinates=own,
        opened=cut_joints(robot),
        solutions=_verified(robot, options, values, solutions, T),
    )


def inverse(payload: Mapping[str, Any]) -> InverseModules:
    """Return the inverse geometric model of the end effector as JavaScript, so that the page can follow a pose."""
    robot = robot_of(payload)
    legs = _legs(robot)
    try:
        modes = [{"working_mode": mode} for mode in WORKING_MODES] if legs else [{}]
        models = [generate(robot, "inverse-geometry", **options) for options in modes]
    except NotApplicableError as error:
        return InverseModules(
            modules=[], legs=[], pose="full", complete=False, why_not=on_the_page(error.message)
        )
    position = None if legs else _of_position(robot, models[0])
    if position:
        models = [position]
    return InverseModules(
        modules=[javascript_module(model) for model in models],
        legs=legs,
        pose="position" if position else "full",
        complete=not any(has_redundant_joint(model.program) for model in models),
        why_not=None,
    )


def _of_position(robot: Robot, full: Model) -> Model | None:
    """Return the inverse geometric model of the position of the end effector if it determines all joints.

    An arm with as many joints cannot choose the rotation of its end effector, and has more solutions at a position,
    such as the two elbows of a planar arm with two joints. The result is None for other arms.

    Args:
        full: the inverse geometric model of the full pose.
    """
    joints = path(robot, 0, attachment_frame(robot, last_frame(robot)))[1]
    if sum(robot.frame(j).moving for j in joints) > POSITION_ENTRIES:
        return None
    try:
        model = generate(robot, "inverse-geometry", pose="position")
    except NotApplicableError:
        return None
    determined = idle_joints(model.program) == idle_joints(full.program)
    return model if determined and not has_redundant_joint(model.program) else None


def _legs(robot: Robot) -> list[list[int]]:
    """Return the frames of each leg of a parallel robot, of leg 1 with those of the platform; [] for other robots."""
    if robot.platform is None:
        return []
    try:
        parallel = parallel_robot(robot)
    except NotApplicableError:
        return []
    first, *others = [list(leg.members) for leg in parallel.legs]
    return [[*first, *parallel.body], *others]


def _by_iteration(
    robot: Robot, options: Mapping[str, Any], values: Mapping[str, float], T: Array, start: Array
) -> dict[str, Any]:
    """Return one numerical solution of the inverse geometric model for the pose T.

    The result is a dictionary with the same keys as the outputs of the closed-form model.

    Args:
        options: options of the inverse geometric model.
        values: values of the robot's symbols.
        T: pose of the end effector (4, 4).
        start: joint positions at which the iteration starts.
    """
    import numpy as np

    solver = numeric_inverse(robot, values=values, compiled=False, restarts=RESTARTS, **options)
    solution = solver(T, start)
    return {
        "q": solution["q"][None],
        "status": np.array([solution["status"]]),
        "free": np.zeros((1, len(start))),
    }


def _verified(
    robot: Robot,
    options: Mapping[str, Any],
    values: Mapping[str, float],
    solutions: Mapping[str, Any],
    T: Array,
) -> list[PostureRow]:
    """Return the solutions that are finite, reach the pose T and close the loops.

    Args:
        options: options of the inverse geometric model.
        values: values of the robot's symbols.
        solutions: arrays q, qc, status and free with one row per solution.
        T: pose of the end effector (4, 4).
    """
    import numpy as np

    from symoro.models.geometric.inverse.chain.pose import given_entries
    from symoro.runtime.ranges import pose_size
    from symoro.runtime.solutions import distances

    ends = {name: options[name] for name in ("frm", "to") if name in options}
    place = generate(robot, "fast-geometry", **ends).function(values, compiled=False)
    size = pose_size(robot, values, T)
    away = distances(place, solutions["q"], T, given_entries(options.get("pose", "full")), size)
    close = _LoopClosure(robot, values, float(size)) if robot.B else None
    rows = []
    for k, status in enumerate(solutions["status"].astype(int)):
        q = solutions["q"][k]
        if status not in WORDS or not np.isfinite(q).all():
            continue
        qc, gap = close(q, solutions["qc"][k] if "qc" in solutions else None) if close else (np.empty(0), 0.0)
        residual = max(float(away[k]), gap)
        if residual <= TOLERANCE:
            flags = solutions["free"][k] if "free" in solutions else []
            free = [j for j, flag in zip(independent(robot), flags, strict=False) if flag]
            rows.append(
                PostureRow(q=q.tolist(), qc=qc.tolist(), status=WORDS[status], residual=residual, free=free)
            )
    return rows


class _LoopClosure:
    """Function that computes the cut joints of a robot in a posture, and checks that its loops are closed."""

    def __init__(self, robot: Robot, values: Mapping[str, float], size: float) -> None:
        import numpy as np

        from symoro.runtime.function import Function

        self.robot, self.cut = robot, cut_joints(robot)
        self.units = np.array([[1.0, 1.0, 1.0, size]] * 4)
        self.places = Function(all_frames(robot), {**dict(robot.nominal), **values}, compiled=False)

    def __call__(self, q: Array, qc: Array | None) -> tuple[Array, float]:
        """Return the positions of the cut joints, and the largest difference between the two frames of a cut.

        Lengths are divided by the size of the robot.

        Args:
            q: positions of the robot's coordinates.
            qc: positions of the cut joints; if None, they are computed.
        """
        import numpy as np

        if qc is None:
            qc = self._cut_positions(q)
        T = self._at(q, qc)
        gaps = [
            (np.abs(T[loop.left - 1] - T[loop.right - 1]) / self.units).max() for loop in loops(self.robot)
        ]
        return qc, float(np.max(gaps))

    def _at(self, q: Array, qc: Array) -> Array:
        poses: Array = self.places(q=q, **({"qc": qc} if self.cut else {}))["T"]
        return poses

    def _cut_positions(self, q: Array) -> Array:
        """Return the positions of the cut joints (rad or m) for the positions q of the robot's coordinates.

        They are computed from the poses of the two frames of each cut.
        """
        import numpy as np

        T = self._at(q, np.zeros(len(self.cut)))
        columns = []
        for j in self.cut:
            step = np.linalg.solve(T[j - 1], T[j + self.robot.B - 1])
            turns = self.robot.frame(j).sigma == JointType.REVOLUTE
            columns.append(np.arctan2(step[1, 0], step[0, 0]) if turns else step[2, 3])
        return np.array(columns)
