"""Direct geometry of a parallel robot: the pose of the platform at given positions of the active joints.

Near a known pose it is computed by Newton's method on the inverse geometry of the legs, qa(T) = qa with dqa = Jinv V.
For a platform on six legs with ball joints all poses are computed (`models/numeric/assembly_modes.py`). Results are
verified by the inverse geometry of the legs.
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
LARGEST_STEP = 0.3  # largest step in radians, or relative to the size
HOME = "home"
MANY_POSES = 2000  # poses above which compiling takes less time than NumPy


@dataclass(frozen=True)
class PlatformPose:
    """Pose of a platform at given positions of the active joints, computed by Newton's method.

    Attributes:
        T: homogeneous transform (4, 4); NaN if the search did not converge.
        reached: whether the inverse geometry of the legs equals the positions of the active joints.
        residual: largest difference between these, rad or relative to the largest length.
        iterations: number of Newton steps.
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
    working_mode: str = "1",
) -> PlatformPose:
    """Return the platform pose at given positions of the active joints, near a known pose.

    Args:
        qa: positions of the active joints (rad or m).
        near: start of Newton's method, a pose (4, 4) or the name of a posture; the posture "home" by default.
        values: parameter -> number.
        to: frame whose pose is computed; the platform by default.
        working_mode: working mode of the legs.

    Raises:
        ArgumentError: qa or the pose has a wrong shape.
        NotApplicableError: the robot has no platform that the models support.
    """
    program = motors_at(robot, to, working_mode)
    legs = Function(program, dict(values), compiled=False)
    active = motors(robot)
    target = _motors(qa, len(active))
    turns = np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in active])
    pose = _start(robot, near, values, to)
    size = _size(robot, values, [*np.abs(pose[:3, 3]), *np.abs(target[~turns])])
    error, jacobian = _error(legs, pose, target, turns, size)
    worst = float(np.abs(error).max())
    steps = 0
    while steps < ITERATIONS:
        if worst < MOTORS_MET or not np.isfinite(worst):
            break
        step = np.asarray(np.linalg.lstsq(jacobian, -error, rcond=1e-12)[0], float)
        step *= min(1.0, LARGEST_STEP / max(np.abs(step).max(), 1e-300))
        pose, error, jacobian, worst, better = _shortened(
            legs, pose, step, target, turns, size, worst, error, jacobian
        )
        if not better:
            break
        steps += 1
    reached = bool(worst < 1e3 * MOTORS_MET)
    return PlatformPose(pose if reached else np.full((4, 4), np.nan), reached, worst, steps)


def _size(robot: Robot, values: Mapping[str, float], others: Sequence[float]) -> float:
    """Return the largest length (m) among the robot's geometric parameters and `others`; 1 if all are zero."""
    lengths = [abs(getattr(frame, name).value(values)) for frame in robot.frames for name in ("b", "d", "r")]
    return float(max([*lengths, *others])) or 1.0


def _shortened(
    legs: Function,
    pose: Array,
    step: Array,
    target: Array,
    turns: NDArray[np.bool_],
    size: float,
    worst: float,
    error: Array,
    jacobian: Array,
) -> tuple[Array, Array, Array, float, bool]:
    """Apply a Newton step to the pose; the step is halved until the largest error decreases.

    Returns:
        Pose, error, Jacobian and largest error after the step, and whether the error decreased.
    """
    for _ in range(12):
        trial = moved(pose, np.concatenate([step[:3] * size, step[3:]]))
        there, slopes = _error(legs, trial, target, turns, size)
        left = float(np.abs(there).max())
        if left < worst:
            return trial, there, slopes, left, True
        step = step / 2
    return pose, error, jacobian, worst, False


def _error(
    legs: Function, pose: Array, target: Array, turns: NDArray[np.bool_], size: float
) -> tuple[Array, Array]:
    """Return the position errors of the active joints at a pose, and their Jacobian.

    The errors are the positions minus the targets, in rad or, for prismatic joints, divided by `size`.
    """
    outputs = legs(T=pose)
    error = np.asarray(outputs["qa"]) - target
    error = np.where(turns, (error + np.pi) % (2 * np.pi) - np.pi, error / size)
    rows = np.asarray(outputs["Jinv"]) * np.array([size] * 3 + [1.0] * 3)
    return error, np.where(turns[:, None], rows, rows / size)


def joints_at(
    robot: Robot,
    T: ArrayLike,
    values: Mapping[str, float],
    to: int | str | None = None,
    working_mode: str = "1",
) -> Array:
    """Return the joint positions of a parallel robot at platform poses.

    Args:
        T: (N, 4, 4) or (4, 4) poses of the platform in frame 0.
        values: parameter -> number.
        to: frame whose pose is given; the platform by default.
        working_mode: working mode of the legs.

    Returns:
        The positions (N, n) or (n,) of the joints; NaN where the legs do not reach the pose or where it does not
        determine the angles of a leg.

    Raises:
        NotApplicableError: the robot has no platform that the models support.
    """
    options = {"space": "platform", "working_mode": working_mode, **({} if to is None else {"to": to})}
    _, program = build(robot, "inverse-geometry", options)
    poses = np.asarray(T, float)
    compiled = None if poses.ndim == 3 and len(poses) > MANY_POSES else False
    return np.asarray(Function(program, dict(values), compiled=compiled)(T=poses)["q"])[..., 0, :]


def assembly_modes(
    robot: Robot, qa: ArrayLike, values: Mapping[str, float], to: int | str | None = None
) -> AssemblyModes:
    """Return all platform poses at given positions of the active joints, for six legs with ball joints.

    Args:
        qa: positions of the six active joints (m).
        values: parameter -> number.
        to: frame whose pose is computed; the platform by default.

    Raises:
        NotApplicableError: the legs are of another kind.
    """
    points = Function(leg_points(robot, to), dict(values), compiled=False)()
    lengths = _motors(qa, 6) + np.asarray(points["offset"])
    if np.any(lengths <= 0):
        raise ArgumentError(
            "qa: the length of a leg is zero or negative",
            hint="the length of a leg is the position of its prismatic joint plus the offset",
        )
    return all_poses(np.asarray(points["a"]), np.asarray(points["b"]), lengths)


def _motors(qa: ArrayLike, count: int) -> Array:
    positions = np.asarray(qa, float)
    if positions.shape != (count,) or not np.all(np.isfinite(positions)):
        raise ArgumentError(
            f"qa: expected {count} finite numbers, one per active joint; got {positions.tolist()}"
        )
    return positions


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
    """Return the pose of the platform frame `to` at the posture q, by direct geometry of leg 1."""
    _, program = build(replace(robot.tree(), platform=None), "fast-geometry", {"to": to})
    return np.asarray(Function(program, dict(values), compiled=False)(q=q)["T"], float)
