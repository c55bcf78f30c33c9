"""Sample the workspace of a robot for the scene: positions of the end effector, coloured by manipulability.

    open chain         positions of the joints in their ranges
    closed loops       positions of the active joints in their ranges, in the assembly mode of the displayed posture
    parallel robot     positions of the platform around the displayed one, with its orientation and working mode: the
                       constant-orientation workspace (J.-P. Merlet, "Parallel Robots", 2006, section 7.2)

Postures in which loops do not close, or a joint is beyond its limits, are left out.

The manipulability is the product of the singular values of the Jacobian of the position. With closed loops these are
unbounded near singularities of type 2, so that the inverse of the condition number is used there, which is zero at the
singularities of both types.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from symoro.errors import NotApplicableError
from symoro.model import generate
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.tolerances import DEPENDENT_JOINTS
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.postures import HOME
from symoro.robot.size import characteristic_length
from symoro.ui.service.answer_types import WorkspaceCloud
from symoro.ui.service.payload import finite_numbers, item, robot_of

if TYPE_CHECKING:
    from symoro.runtime.function import Array

COUNT = 4000
TRIALS = 4  # sampled positions of a platform per drawn one, because many are out of reach
MOST_REFINEMENTS = 10  # of the ranges of a platform: legs with a stroke of 0.1 % of their length
FEWEST_POINTS = (
    20  # a box about as many even points contains more than half of the extension in each direction
)


def cloud(payload: Mapping[str, Any]) -> WorkspaceCloud:
    """Return positions of the end effector that fill the workspace: evenly, if SciPy exists.

    Raises:
        NotApplicableError: the workspace is not bounded, no sampled posture is possible, or the loops have no closed
            form.
    """
    robot, values = robot_of(payload), item(payload, "values", dict, {})
    if robot.wheels:
        raise NotApplicableError(
            f"the workspace of robot '{robot.name}' is not drawn: its wheels carry it to any place",
            hint="remove the wheels in the table Wheels to see the workspace of the arm",
        )
    own = independent(robot)
    home = robot.postures.get(HOME) or [0.0] * len(own)
    q = finite_numbers("q", item(payload, "q", list, home), (len(own),))
    fixed: dict[str, float] = {name: value for name, value in values.items() if name in robot.symbols()}
    mode = None
    if robot.platform is not None:
        ranges, pose = _positions_of_platform(robot, values, q)
        mode, fixed = _mode(robot, "inverse-geometry", values, q), {**fixed, **pose}
    else:
        ranges = {f"q{j}": joint_range(robot, j, values) for j in active_joints(robot)}
        mode = _mode(robot, "loop-geometry", values, q) if robot.B else None
    count = item(payload, "count", int, COUNT)
    even = find_spec("scipy") is not None
    samples = count * (TRIALS if even and robot.platform is not None else 1)
    points, sigma = _sampled(robot, ranges, fixed, mode, samples)
    for _ in range(MOST_REFINEMENTS if robot.platform is not None else 0):
        if 4 * len(points) >= count:
            break
        ranges = _narrowed(ranges, points)
        points, sigma = _sampled(robot, ranges, fixed, mode, samples)
    _check_bounds(robot, len(points), samples)
    points, sigma = points[:count], sigma[:count]  # the first points of an even sequence are even too
    # A planar robot has no velocity normal to its plane: its manipulability is that in the plane.
    greatest = sigma.max(axis=0, initial=0.0)
    sigma = sigma[:, greatest > DEPENDENT_JOINTS * greatest.max(initial=0.0)]
    measure = sigma[:, -1] / sigma[:, 0] if robot.B and sigma.shape[1] > 1 else sigma.prod(axis=1)
    largest = float(measure.max(initial=0.0))
    return WorkspaceCloud(
        points=points.ravel().tolist(), manipulability=(measure / (largest or 1.0)).tolist()
    )


def _sampled(
    robot: Robot,
    ranges: Mapping[str, tuple[float, float]],
    fixed: Mapping[str, float],
    mode: int | None,
    count: int,
) -> tuple[Array, Array]:
    """Return the positions (N, 3) and the singular values (N, m) of those of the sampled postures that are possible.

    Args:
        robot: the robot.
        ranges: ranges of the joints, or of the coordinates of the platform.
        fixed: values of symbols, and of the other coordinates of the platform.
        mode: assembly or working mode.
        count: number of samples.
    """
    import numpy as np

    from symoro.study import sweep

    measures = ["singular-values"]
    if robot.platform is None:
        measures.append("position")
    if robot.B:
        measures.append("within-limits")
    result = sweep(
        robot,
        "jacobian",
        sample=ranges,
        count=count,
        at=fixed,
        measures=measures,
        task="position",
        sampling="sobol" if find_spec("scipy") else "random",
        mode=mode,
    )
    columns = result.numbers or {}
    points = np.column_stack(
        [columns[x] if x in columns else np.full(count, fixed[x]) for x in ("x", "y", "z")]
    )
    sigma = np.column_stack([values for name, values in columns.items() if name.startswith("sigma")])
    possible = np.isfinite(sigma).all(axis=1)
    if robot.B:
        possible &= columns["within_limits"] == 1
    return points[possible], sigma[possible]


def _narrowed(ranges: Mapping[str, tuple[float, float]], points: Array) -> dict[str, tuple[float, float]]:
    """Return narrower ranges of a platform of which few sampled positions are possible.

    They are the box about the possible positions, extended by half of its size to each side; if these are too few, half
    of the ranges, about the displayed position, in the directions in which this excludes none of them.
    """
    narrower = {}
    for x, (low, high) in ranges.items():
        column = points[:, "xyz".index(x)]
        if len(column) >= FEWEST_POINTS:
            first, last = float(column.min()), float(column.max())
            middle = (max(low, first - (last - first) / 2), min(high, last + (last - first) / 2))
        else:
            middle = ((3 * low + high) / 4, (low + 3 * high) / 4)
            if ((column < middle[0]) | (column > middle[1])).any():
                middle = (low, high)
        narrower[x] = middle
    return narrower


def _check_bounds(robot: Robot, possible: int, count: int) -> None:
    """Check that some of the sampled postures are possible, and not all positions of a platform.

    Raises:
        NotApplicableError: it is not so.
    """
    if possible == 0:
        where = (
            "around the displayed one" if robot.platform is not None else "within the ranges of the joints"
        )
        raise NotApplicableError(
            f"the workspace of robot '{robot.name}' is not drawn: none of {count} postures {where} is possible",
            hint="move the robot to a posture inside its workspace, or check the limits in the table Joints",
        )
    if robot.platform is not None and possible == count:
        raise NotApplicableError(
            f"the workspace of robot '{robot.name}' is not drawn: nothing bounds it, because its legs have no limits",
            hint="enter limits of the joints of the legs in the table Joints",
        )


def _positions_of_platform(
    robot: Robot, values: Mapping[str, float], q: Array
) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Return the ranges of the coordinates in which the platform can move, and the rest of its pose.

    The ranges extend by the length of the robot to both sides of the displayed position.
    """
    import numpy as np

    numbers = {**dict(robot.nominal), **values}
    T = generate(robot, "fast-geometry", to=robot.platform).function(numbers, compiled=False)(q=q)["T"]
    J = generate(robot, "jacobian", to=robot.platform).function(numbers, compiled=False)(q=q)["J"]
    speeds = np.linalg.norm(J[:3], axis=1)
    length = characteristic_length(robot, numbers)
    place = dict(zip("xyz", T[:3, 3].tolist(), strict=True))
    # Rz(yaw) Ry(pitch) Rx(roll)
    place["roll"] = math.atan2(T[2, 1], T[2, 2])
    place["pitch"] = math.atan2(-T[2, 0], math.hypot(T[2, 1], T[2, 2]))
    place["yaw"] = math.atan2(T[1, 0], T[0, 0])
    moving = [x for x, speed in zip("xyz", speeds, strict=True) if speed > DEPENDENT_JOINTS * speeds.max()]
    if not moving or not np.isfinite([*speeds, *T.ravel()]).all():
        raise NotApplicableError(
            f"the workspace of robot '{robot.name}' is not drawn: the displayed posture is singular or not closed",
            hint="move the robot to another posture",
        )
    ranges = {x: (place[x] - length, place[x] + length) for x in moving}
    return ranges, {name: value for name, value in place.items() if name not in ranges}


def _mode(robot: Robot, model: str, values: Mapping[str, float], q: Array) -> int:
    """Return the number of the mode of a posture: the solution of a model for its pose, or its active joints.

    Raises:
        NotApplicableError: the model does not exist in closed form.
    """
    import numpy as np

    numbers = {**dict(robot.nominal), **values}
    try:
        function = generate(robot, model).function(numbers, compiled=False)
    except NotApplicableError as error:
        raise NotApplicableError(
            f"the workspace of robot '{robot.name}' is not drawn: its loops have no closed form",
            hint="it is drawn for robots whose loops have a closed form; drag the end effector to explore the others",
        ) from error
    if model == "inverse-geometry":
        geometry = generate(robot, "fast-geometry", to=robot.platform).function(numbers, compiled=False)
        solutions = function(T=geometry(q=q)["T"])["q"]
    else:
        positions = dict(zip(independent(robot), q.tolist(), strict=True))
        solutions = function(qa=np.array([positions[j] for j in active_joints(robot)]))["q"]
    turns = np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in independent(robot)])
    length = characteristic_length(robot, numbers)
    # Chords of the angles, so that full turns do not count; displacements relative to the size of the robot.
    steps = np.where(turns, 2 * np.sin((solutions - q) / 2), (solutions - q) / length)
    distances = np.abs(steps).sum(axis=1)
    return int(np.where(np.isfinite(distances), distances, np.inf).argmin()) + 1


def joint_range(robot: Robot, j: int, values: Mapping[str, float]) -> tuple[float, float]:
    """Return the range of a joint: its limits; a full turn or the length of the robot where there are none."""
    limits = robot.frame(j).limits
    if robot.frame(j).sigma == JointType.REVOLUTE:
        low, high = -math.pi, math.pi
    else:
        low, high = 0.0, characteristic_length(robot, {**dict(robot.nominal), **values})
    return (low if limits.lower is None else limits.lower, high if limits.upper is None else limits.upper)
