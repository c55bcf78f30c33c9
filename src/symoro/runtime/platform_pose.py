"""Direct geometry of a platform: the pose at given positions of the motors.

Near a known pose by Newton's method on the legs' inverse geometry, qa(T) = qa with dqa = Jinv V; of a platform on six
legs with balls all poses (`models/numeric/assembly_modes.py`). What is returned has been put back into the inverse
geometry of the legs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.models.catalogue import build
from symoro.models.kinematic.platform import leg_points, motors_at
from symoro.models.numeric.assembly_modes import AssemblyModes, moved
from symoro.models.numeric.assembly_modes import assembly_modes as all_poses
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import motors, platform_frame
from symoro.runtime.function import Function
from symoro.runtime.tolerances import MOTORS_MET

Array = NDArray[np.float64]
ITERATIONS = 60
LARGEST_STEP = 0.3  # radians, or of the same, that a step may be
HOME = "home"


@dataclass(frozen=True)
class FoundPose:
    """A pose near the given one.

    Attributes:
        T: (4, 4); NaN where none was found.
        reached: whether the legs' inverse geometry gives the motors' positions back.
        residual: by how much it misses them.
        iterations: steps taken.
    """

    T: Array
    reached: bool
    residual: float
    iterations: int


def platform_pose(
    robot: Robot,
    qa: ArrayLike,
    near: ArrayLike | str | None,
    values: Mapping[str, float],
    to: int | str | None = None,
    fold: str = "1",
) -> FoundPose:
    """The pose at the motors' positions, starting from a pose (4, 4) or that of a posture, by default of home.

    Raises:
        ArgumentError: qa or the pose has a wrong shape.
        NotApplicableError: the robot has no platform that the models know.
    """
    program = motors_at(robot, to, fold)
    legs = Function(program, dict(values), compiled=False)
    active = motors(robot)
    wanted = _motors(qa, len(active))
    turns = np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in active])
    pose = _start(robot, near, values, to)
    size = _size(robot, values, [*np.abs(pose[:3, 3]), *np.abs(wanted[~turns])])
    error, jacobian = _error(legs, pose, wanted, turns, size)
    worst = float(np.abs(error).max())
    steps = 0
    while steps < ITERATIONS:
        if worst < MOTORS_MET or not np.isfinite(worst):
            break
        step = np.asarray(np.linalg.lstsq(jacobian, -error, rcond=1e-12)[0], float)
        step *= min(1.0, LARGEST_STEP / max(np.abs(step).max(), 1e-300))
        pose, error, jacobian, worst, better = _shortened(
            legs, pose, step, wanted, turns, size, worst, error, jacobian
        )
        if not better:
            break
        steps += 1
    reached = bool(worst < 1e3 * MOTORS_MET)
    return FoundPose(pose if reached else np.full((4, 4), np.nan), reached, worst, steps)


def _size(robot: Robot, values: Mapping[str, float], others: Sequence[float]) -> float:
    """The largest length."""
    lengths = [abs(getattr(frame, name).value(values)) for frame in robot.frames for name in ("b", "d", "r")]
    return float(max([*lengths, *others])) or 1.0


def _shortened(
    legs: Function,
    pose: Array,
    step: Array,
    wanted: Array,
    turns: NDArray[np.bool_],
    size: float,
    worst: float,
    error: Array,
    jacobian: Array,
) -> tuple[Array, Array, Array, float, bool]:
    """The pose after a step, halved until it helps."""
    for _ in range(12):
        trial = moved(pose, np.concatenate([step[:3] * size, step[3:]]))
        there, slopes = _error(legs, trial, wanted, turns, size)
        left = float(np.abs(there).max())
        if left < worst:
            return trial, there, slopes, left, True
        step = step / 2
    return pose, error, jacobian, worst, False


def _error(
    legs: Function, pose: Array, wanted: Array, turns: NDArray[np.bool_], size: float
) -> tuple[Array, Array]:
    """Motors less where they are to be, lengths in units of the size, and the derivative by the pose."""
    found = legs(T=pose)
    error = np.asarray(found["qa"]) - wanted
    error = np.where(turns, (error + np.pi) % (2 * np.pi) - np.pi, error / size)
    rows = np.asarray(found["Jinv"]) * np.array([size] * 3 + [1.0] * 3)
    return error, np.where(turns[:, None], rows, rows / size)


def assembly_modes(
    robot: Robot, qa: ArrayLike, values: Mapping[str, float], to: int | str | None = None
) -> AssemblyModes:
    """All poses of a platform on six legs with balls.

    Raises:
        NotApplicableError: its legs are others.
    """
    points = Function(leg_points(robot, to), dict(values), compiled=False)()
    lengths = _motors(qa, 6) + np.asarray(points["offset"])
    if np.any(lengths <= 0):
        raise ArgumentError(
            "qa: a leg has no length, or a negative one", hint="lengths are the slides plus their offsets"
        )
    return all_poses(np.asarray(points["a"]), np.asarray(points["b"]), lengths)


def _motors(qa: ArrayLike, count: int) -> Array:
    found = np.asarray(qa, float)
    if found.shape != (count,) or not np.all(np.isfinite(found)):
        raise ArgumentError(
            f"qa: expected {count} finite numbers, one per active joint; got {found.tolist()}"
        )
    return found


def _start(
    robot: Robot, near: ArrayLike | str | None, values: Mapping[str, float], to: int | str | None
) -> Array:
    if near is None or isinstance(near, str):
        if near is None and HOME not in robot.postures:
            raise ArgumentError(
                f"the start of Newton's method is missing: robot '{robot.name}' has no posture '{HOME}'",
                hint="give a pose near the solution, or the name of a posture, with the option 'near'",
            )
        posture = robot.postures[near or HOME]
        return _pose_of(robot, np.array(posture), values, platform_frame(robot, to))
    pose = np.asarray(near, float)
    if pose.shape != (4, 4) or not np.all(np.isfinite(pose)):
        raise ArgumentError("near: expected a pose (4, 4) of finite numbers, or the name of a posture")
    return pose


def _pose_of(robot: Robot, q: Array, values: Mapping[str, float], to: int) -> Array:
    """By leg 1, which carries the platform."""
    _, program = build(replace(robot.tree(), platform=None), "fast-geometry", {"to": to})
    return np.asarray(Function(program, dict(values), compiled=False)(q=q)["T"], float)
