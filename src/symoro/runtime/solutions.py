"""Choice among the solutions of an inverse geometric model: validity, joint limits, nearest solution, paths.

    solutions = function(T=T)                   q (K, n), status (K,), ... or with a batch axis in front
    valid(solutions)                            the rows that are solutions
    within_limits(robot, q), windings(robot, q) joint limits, and the multiples of 2 pi that they admit
    nearest(solutions, posture, robot=robot)    the solution nearest to a configuration
    follow(function, poses, posture)            one configuration per pose, each the nearest to the previous one
    distances(place, q, pose, given)            pose errors of configurations

Positions are in the order of the model's q; limits that a robot does not have are infinite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.models.geometric.inverse.chain.pose import Given
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.runtime.function import Function
from symoro.runtime.ranges import limit_tolerance

Array = NDArray[np.float64]
Solutions = Mapping[str, Any]

VALID, OUT_OF_REACH, SINGULAR = range(3)
SOLVED = (VALID, SINGULAR)
TURN = 2 * np.pi
GIVEN_PORTS = ("T", "qa")


@dataclass(frozen=True, eq=False)
class Nearest:
    """The solution nearest to a configuration; for a batch, arrays with the batch axis in front.

    Attributes:
        q: joint positions (n,), nan if there is no solution.
        index: row in the result of the inverse model, -1 if there is no solution.
        distance: weighted Euclidean distance from the configuration; inf if there is no solution.
    """

    q: Array
    index: Any
    distance: Any


@dataclass(frozen=True, eq=False)
class Track:
    """Configurations along a path of poses.

    Attributes:
        q: one configuration per pose (N, n), nan if the pose has no solution.
        index: row of each configuration in the result of the inverse model, -1 if there is none.
        missing: numbers of the poses without a solution; the next pose continues from the last solution.
        singular: numbers of the poses at which a joint is undetermined and keeps its previous position.
        jumps: numbers of the poses at which a joint moves by more than the largest step.
    """

    q: Array
    index: NDArray[np.int64]
    missing: tuple[int, ...]
    singular: tuple[int, ...]
    jumps: tuple[int, ...]


def valid(result: Solutions, *, singular: bool = False) -> Any:
    """Return the valid solutions: an array (m, n) for one pose, a list of such arrays for a batch.

    Args:
        result: result of the function of an inverse geometric model.
        singular: include singular solutions, in which an undetermined joint has its value in q0.
    """
    q, is_solution = _solutions(result, singular=singular)
    return q[is_solution] if q.ndim == 2 else [rows[kept] for rows, kept in zip(q, is_solution, strict=True)]


def within_limits(robot: RobotLike, q: ArrayLike, *, turns: bool = False) -> Any:
    """Return whether configurations are within the limits of all joints.

    Args:
        q: configurations (..., n).
        turns: also accept configurations that are within the limits after multiples of 2 pi have been added to the
            positions of revolute joints (`windings` returns them).

    Returns:
        Booleans of shape (...,), False for configurations that contain nan.
    """
    robot = as_robot(robot)
    positions = _postures(robot, q)
    if turns:
        first, last = _turns(robot, positions)
        return np.asarray((first <= last).all(axis=-1))
    lower, upper = _limits(robot)
    tolerance = limit_tolerance(_revolute(robot), lower, upper)
    return ((positions >= lower - tolerance) & (positions <= upper + tolerance)).all(axis=-1)


def windings(robot: RobotLike, q: ArrayLike) -> Array:
    """Return all configurations within the joint limits that differ from q by multiples of 2 pi.

    A revolute joint without a lower or upper limit only gets the admissible position nearest to the given one.

    Args:
        q: configurations (..., n); those with nan are ignored.

    Returns:
        Configurations (w, n).
    """
    robot = as_robot(robot)
    positions = _postures(robot, q).reshape(-1, len(independent(robot)))
    positions = positions[np.isfinite(positions).all(axis=1)]  # nan marks a missing solution
    first, last = _turns(robot, positions)
    continuous = ~np.isfinite(last - first)
    nearest = np.clip(0.0, first, last)
    first, last = np.where(continuous, nearest, first), np.where(continuous, nearest, last)
    wound = [
        row + TURN * np.array(turns)
        for row, low, high in zip(positions, first, last, strict=True)
        for turns in product(*(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)))
    ]
    return np.array(wound).reshape(-1, positions.shape[1])


def nearest(
    result: Solutions,
    posture: ArrayLike | str,
    *,
    robot: RobotLike | None = None,
    weights: ArrayLike | None = None,
    limits: bool = True,
    singular: bool = True,
) -> Nearest:
    """Return the solution nearest to a configuration (n,), or to one configuration per pose of a batch (N, n).

        symoro.solutions.nearest(function(T=T), q_now, robot=robot).q

    Args:
        result: result of the function of an inverse geometric model.
        posture: joint positions, or the name of a posture of the robot.
        robot: provides the joint types, so that revolute joints are compared modulo 2 pi, and the joint limits; without
            it positions are compared directly.
        weights: one weight per joint, 1 by default; a larger weight reduces the motion of the joint.
        limits: leave out solutions that violate the limits for all multiples of 2 pi.
        singular: include singular solutions, in which a joint is undetermined.
    """
    robot = None if robot is None else as_robot(robot)
    q, is_solution = _solutions(result, singular=singular)
    aim = _numbers("posture", _named_posture(posture, robot), q.shape[-1:], q.shape[:-2] + q.shape[-1:])
    scale = _numbers("weights", np.ones(q.shape[-1]) if weights is None else weights, q.shape[-1:])
    aim = aim[..., None, :]
    if robot is not None:
        q, allowed = _turned(robot, q, aim, limits)
        is_solution = is_solution & allowed
    distances = np.where(is_solution, np.sqrt((scale * (q - aim) ** 2).sum(axis=-1)), np.inf)
    index = distances.argmin(axis=-1)
    distance = np.take_along_axis(distances, index[..., None], axis=-1)[..., 0]
    chosen = np.take_along_axis(q, index[..., None, None], axis=-2)[..., 0, :]
    there = np.isfinite(distance)
    return Nearest(np.where(there[..., None], chosen, np.nan), np.where(there, index, -1)[()], distance[()])


def follow(
    function: Function,
    poses: ArrayLike,
    posture: ArrayLike | str,
    *,
    robot: RobotLike | None = None,
    weights: ArrayLike | None = None,
    limits: bool = True,
    largest_step: float = 0.5,
) -> Track:
    """Return one configuration per pose of a path, each the solution nearest to the previous configuration.

    Args:
        function: function of the model inverse-geometry or loop-geometry.
        poses: homogeneous transforms (N, 4, 4); for loop-geometry the positions of the active joints (N, na).
        posture: configuration before the first pose: positions, or the name of a posture. It is also the initial q0 of
            the model (undetermined and locked joints).
        robot, weights, limits: as in `nearest`; by default the robot of the function.
        largest_step: joint motion (rad or m) between two poses above which the pose is listed in `jumps`.

    Raises:
        ArgumentError: an argument has a wrong shape.
    """
    path = np.asarray(poses, dtype=float)
    port = function.program.inputs[0]  # the pose T, or the active joints qa of closed loops
    outputs = {output.name for output in function.program.outputs}
    if port.name not in GIVEN_PORTS or not {"q", "status"} <= outputs:
        raise ArgumentError(
            f"function '{function.program.name}' does not compute configurations from poses",
            hint="generate the model inverse-geometry or loop-geometry of the robot and give its function",
        )
    if path.ndim != 1 + len(port.shape) or path.shape[1:] != port.shape:
        shape = ", ".join(map(str, ("N", *port.shape)))
        raise ArgumentError(f"poses have shape {path.shape}, expected ({shape}) for the input {port.name}")
    robot = function.robot if robot is None else as_robot(robot)
    here = np.asarray(_named_posture(posture, robot), dtype=float)
    start = any(other.name == "q0" for other in function.program.inputs)

    def solved(target: Array) -> dict[str, Any]:
        return function(**{port.name: target}, **({"q0": here} if start else {}))

    results = solved(path)
    free = (results["status"] == SINGULAR).any(axis=-1)  # poses whose solution depends on q0
    nearest_ones: list[Nearest] = []
    singular: list[int] = []
    jumps: list[int] = []
    for k, pose in enumerate(each(path, "following the path")):
        result = solved(pose) if free[k] else {name: rows[k] for name, rows in results.items()}
        best = nearest(result, here, robot=robot, weights=weights, limits=limits)
        nearest_ones.append(best)
        if best.index < 0:
            continue
        if result["status"][best.index] == SINGULAR:
            singular.append(k)
        if np.abs(best.q - here).max() > largest_step:
            jumps.append(k)
        here = best.q
    index = np.array([best.index for best in nearest_ones], dtype=np.int64)
    q = np.array([best.q for best in nearest_ones]).reshape(len(path), len(here))
    missing = tuple(int(k) for k in np.flatnonzero(index < 0))
    return Track(q, index, missing, tuple(singular), tuple(jumps))


def distances(place: Function, q: ArrayLike, pose: ArrayLike, given: Given, size: ArrayLike = 1.0) -> Array:
    """Return the pose errors (..., K) of configurations: the largest entry of |T(q) - pose|.

    Args:
        place: the function of direct geometry, `fast-geometry`, between the frames of the pose.
        q: configurations (..., K, n).
        pose: homogeneous transforms (..., 4, 4).
        given: three rows of four flags: the entries of the pose that are compared.
        size: length by which position entries are divided, as returned by `ranges.pose_size`.
    """
    postures, aim = np.asarray(q, dtype=float), np.asarray(pose, dtype=float)[..., None, :3, :]
    reached = place(q=postures.reshape(-1, postures.shape[-1]))["T"].reshape(*postures.shape[:-1], 4, 4)
    misses = reached[..., :3, :] - aim
    misses[..., 3] /= np.asarray(size, dtype=float)[..., None, None]
    return np.asarray(np.abs(misses[..., np.array(given)]).max(axis=-1))


def _solutions(result: Solutions, *, singular: bool) -> tuple[Array, NDArray[np.bool_]]:
    """Return the joint positions q (..., K, n) of a result, and which of the K rows are solutions (..., K)."""
    if "q" not in result or "status" not in result:
        raise ArgumentError(
            "the argument is not a result of an inverse geometric model: it has no q and status",
            hint="pass the dictionary that the function of the model returns",
        )
    status = np.asarray(result["status"])
    is_solution = (status == VALID) | (status == SINGULAR) if singular else status == VALID
    return np.asarray(result["q"], dtype=float), is_solution


def _named_posture(posture: ArrayLike | str, robot: Robot | None) -> ArrayLike:
    if not isinstance(posture, str):
        return posture
    if robot is None:
        raise ArgumentError(
            f"the posture '{posture}' is given by name, and no robot is given", hint="give robot=..."
        )
    return robot.postures[posture]


def _postures(robot: Robot, q: ArrayLike) -> Array:
    positions, n = np.asarray(q, dtype=float), len(independent(robot))
    if positions.ndim == 0 or positions.shape[-1] != n:
        raise ArgumentError(f"postures have shape {positions.shape}, expected (..., {n}) for '{robot.name}'")
    return positions


def _numbers(name: str, given: ArrayLike, *shapes: tuple[int, ...]) -> Array:
    array = np.asarray(given, dtype=float)
    if array.shape not in shapes:
        expected = " or ".join(dict.fromkeys(map(str, shapes)))
        raise ArgumentError(f"{name} of shape {array.shape}, expected {expected}")
    return array


def _limits(robot: Robot) -> tuple[Array, Array]:
    """Return the lower and upper joint limits in the order of q; infinite if there are none."""
    limits = [robot.frame(j).limits for j in independent(robot)]
    lower = [-np.inf if limit.lower is None else limit.lower for limit in limits]
    upper = [np.inf if limit.upper is None else limit.upper for limit in limits]
    return np.array(lower), np.array(upper)


def _revolute(robot: Robot) -> NDArray[np.bool_]:
    return np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in independent(robot)])


def _turns(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Return, per joint, the smallest and the largest k for which q + 2 pi k is within the limits.

    If the smallest exceeds the largest, there is no such k. For a prismatic joint only k = 0 is possible.
    """
    lower, upper = _limits(robot)
    turns = _revolute(robot)
    tolerance = limit_tolerance(turns, lower, upper)
    first, last = np.ceil((lower - tolerance - q) / TURN), np.floor((upper + tolerance - q) / TURN)
    outside = (q < lower - tolerance) | (q > upper + tolerance)
    return np.where(turns, first, np.where(outside, 1.0, 0.0)), np.where(turns, last, 0.0)


def _turned(robot: Robot, q: Array, aim: Array, limits: bool) -> tuple[Array, NDArray[np.bool_]]:
    """Return q plus multiples of 2 pi, as near as possible to `aim`, and which rows respect the limits.

    Args:
        q, aim: configurations (..., n).
        limits: restrict the multiples to the joint limits; otherwise all rows are accepted.
    """
    wanted = np.where(_revolute(robot), np.round((aim - q) / TURN), 0.0)
    if not limits:
        return q + TURN * wanted, np.ones(q.shape[:-1], dtype=bool)
    first, last = _turns(robot, q)
    turned = q + TURN * np.clip(wanted, first, np.maximum(first, last))
    return turned, np.asarray((first <= last).all(axis=-1))
