"""What is done with the solutions of an inverse geometric model: keep the valid ones, respect limits, choose, follow.

    found = function(T=T)                       q (K, n), status (K,), ... or with a batch axis in front
    valid(found)                                the rows that are solutions
    within_limits(robot, q), windings(robot, q) the joints' limits, and the turns of 2 pi that they leave
    nearest(found, posture, robot=robot)        the solution, with its turns, that is nearest to a posture
    follow(function, poses, posture)            one solution a pose, each the nearest to the one before
    distances(place, q, pose, given)            how far postures are from a pose, solutions or not

Positions are in the order of the model's q; limits that a robot does not tell are infinite.
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


@dataclass(frozen=True, eq=False)
class Nearest:
    """The solution nearest to a posture; for a batch, arrays with the batch axis in front.

    Attributes:
        q: its joint positions, nan where there is no solution.
        index: its row in the result, -1 where there is no solution.
        distance: from the posture, the root of the weighted sum of squares; inf where there is no solution.
    """

    q: Array
    index: Any
    distance: Any


@dataclass(frozen=True, eq=False)
class Track:
    """Postures along a path of poses.

    Attributes:
        q: one posture a pose, nan where the pose has no solution.
        index: row of the result that each posture is, -1 where there is none.
        missing: numbers of the poses without a solution; the path goes on from the last posture before.
        singular: numbers of the poses at which a joint was free and kept the value it had before.
        jumps: numbers of the poses that a joint reaches by more than the largest step allowed.
    """

    q: Array
    index: NDArray[np.int64]
    missing: tuple[int, ...]
    singular: tuple[int, ...]
    jumps: tuple[int, ...]


def valid(result: Solutions, *, singular: bool = False) -> Any:
    """The rows that are solutions: an array (m, n) for one pose, a list of such arrays for a batch.

    Arguments:
        singular: those too in which a joint is free, and has the value that q0 gave it.
    """
    q, held = _solutions(result, singular=singular)
    return q[held] if q.ndim == 2 else [rows[kept] for rows, kept in zip(q, held, strict=True)]


def within_limits(robot: RobotLike, q: ArrayLike) -> Any:
    """Whether postures, of shape (..., n), respect the limits of all joints, as they are (see `windings`)."""
    robot = as_robot(robot)
    positions = _postures(robot, q)
    lower, upper = _limits(robot)
    slack = limit_tolerance(_revolute(robot), lower, upper)
    return ((positions >= lower - slack) & (positions <= upper + slack)).all(axis=-1)


def windings(robot: RobotLike, q: ArrayLike) -> Array:
    """Every posture that is one of these but for turns of revolute joints by 2 pi, within the limits: (w, n).

    A joint that lacks a limit has no end of turns; it keeps the one nearest to the position that is given.
    """
    robot = as_robot(robot)
    positions = _postures(robot, q).reshape(-1, len(independent(robot)))
    positions = positions[np.isfinite(positions).all(axis=1)]  # nan stands for no solution
    first, last = _turns(robot, positions)
    endless = ~np.isfinite(last - first)
    nearest = np.clip(0.0, first, last)
    first, last = np.where(endless, nearest, first), np.where(endless, nearest, last)
    found = [
        row + TURN * np.array(turns)
        for row, low, high in zip(positions, first, last, strict=True)
        for turns in product(*(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)))
    ]
    return np.array(found).reshape(-1, positions.shape[1])


def nearest(
    result: Solutions,
    posture: ArrayLike | str,
    *,
    robot: RobotLike | None = None,
    weights: ArrayLike | None = None,
    limits: bool = True,
    singular: bool = True,
) -> Nearest:
    """The solution nearest to a posture, (n,), or to one posture a pose of a batch, (N, n).

    Arguments:
        posture: positions, or the name of one of the robot's postures.
        robot: tells which joints turn, so that each takes the turn nearest to the posture, and their limits; without
            it positions are compared as they are.
        weights: one a joint, 1 by default; a larger one makes a joint move less.
        limits: leave out solutions that no turn brings within the limits.
        singular: take also solutions in which a joint is free.
    """
    robot = None if robot is None else as_robot(robot)
    q, held = _solutions(result, singular=singular)
    aim = _numbers("posture", _named_posture(posture, robot), q.shape[-1:], q.shape[:-2] + q.shape[-1:])
    scale = _numbers("weights", np.ones(q.shape[-1]) if weights is None else weights, q.shape[-1:])
    aim = aim[..., None, :]
    if robot is not None:
        q, allowed = _turned(robot, q, aim, limits)
        held = held & allowed
    distances = np.where(held, np.sqrt((scale * (q - aim) ** 2).sum(axis=-1)), np.inf)
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
    """One posture a pose, each the solution nearest to the posture before.

    Arguments:
        function: of an inverse geometric model.
        poses: (N, 4, 4).
        posture: where the path starts from, positions or a name; it also gives the joints that the model takes from q0.
        robot, weights, limits: as for `nearest`; the robot is that of the function unless another one is given.
        largest_step: a joint that moves by more (radians or metres) from one pose to the next has jumped.
    """
    path = np.asarray(poses, dtype=float)
    if path.ndim != 3 or path.shape[1:] != (4, 4):
        raise ArgumentError(f"poses have shape {path.shape}, expected (N, 4, 4)")
    robot = function.robot if robot is None else as_robot(robot)
    here = np.asarray(_named_posture(posture, robot), dtype=float)
    results = function(T=path, q0=here)
    free = (results["status"] == SINGULAR).any(axis=-1)  # where q0 has a say
    found: list[Nearest] = []
    singular: list[int] = []
    jumps: list[int] = []
    for k, pose in enumerate(each(path, "following the path")):
        result = function(T=pose, q0=here) if free[k] else {name: rows[k] for name, rows in results.items()}
        best = nearest(result, here, robot=robot, weights=weights, limits=limits)
        found.append(best)
        if best.index < 0:
            continue
        if result["status"][best.index] == SINGULAR:
            singular.append(k)
        if np.abs(best.q - here).max() > largest_step:
            jumps.append(k)
        here = best.q
    index = np.array([best.index for best in found], dtype=np.int64)
    q = np.array([best.q for best in found]).reshape(len(path), len(here))
    missing = tuple(int(k) for k in np.flatnonzero(index < 0))
    return Track(q, index, missing, tuple(singular), tuple(jumps))


def distances(place: Function, q: ArrayLike, pose: ArrayLike, given: Given, size: ArrayLike = 1.0) -> Array:
    """How far postures (..., K, n) are from a pose (..., 4, 4): the largest entry of direct geometry less the pose.

    Arguments:
        place: the function of direct geometry, `fast-geometry`, between the frames of the pose.
        given: three rows of four flags: the entries of the pose that count.
        size: what entries of the position are divided by, as by `ranges.pose_size`.
    """
    postures, aim = np.asarray(q, dtype=float), np.asarray(pose, dtype=float)[..., None, :3, :]
    reached = place(q=postures.reshape(-1, postures.shape[-1]))["T"].reshape(*postures.shape[:-1], 4, 4)
    misses = reached[..., :3, :] - aim
    misses[..., 3] /= np.asarray(size, dtype=float)[..., None, None]
    return np.asarray(np.abs(misses[..., np.array(given)]).max(axis=-1))


def _solutions(result: Solutions, *, singular: bool) -> tuple[Array, NDArray[np.bool_]]:
    """q (..., K, n), and which of its rows are solutions."""
    if "q" not in result or "status" not in result:
        raise ArgumentError(
            "these are no solutions of an inverse geometric model",
            hint="pass the whole result of its function",
        )
    status = np.asarray(result["status"])
    held = (status == VALID) | (status == SINGULAR) if singular else status == VALID
    return np.asarray(result["q"], dtype=float), held


def _named_posture(posture: ArrayLike | str, robot: Robot | None) -> ArrayLike:
    if not isinstance(posture, str):
        return posture
    if robot is None:
        raise ArgumentError(f"posture '{posture}' needs the robot that has it", hint="give robot=...")
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
    """Lower and upper limits in the order of q."""
    found = [robot.frame(j).limits for j in independent(robot)]
    lower = [-np.inf if limit.lower is None else limit.lower for limit in found]
    upper = [np.inf if limit.upper is None else limit.upper for limit in found]
    return np.array(lower), np.array(upper)


def _revolute(robot: Robot) -> NDArray[np.bool_]:
    return np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in independent(robot)])


def _turns(robot: Robot, q: Array) -> tuple[Array, Array]:
    """The first and the last number of turns that bring each joint within its limits; none where first > last."""
    lower, upper = _limits(robot)
    turns = _revolute(robot)
    slack = limit_tolerance(turns, lower, upper)
    first, last = np.ceil((lower - slack - q) / TURN), np.floor((upper + slack - q) / TURN)
    outside = (q < lower - slack) | (q > upper + slack)
    return np.where(turns, first, np.where(outside, 1.0, 0.0)), np.where(turns, last, 0.0)


def _turned(robot: Robot, q: Array, aim: Array, limits: bool) -> tuple[Array, NDArray[np.bool_]]:
    """Each joint at its turn nearest to the aim, and which rows respect the limits (all, where they are not asked)."""
    wanted = np.where(_revolute(robot), np.round((aim - q) / TURN), 0.0)
    if not limits:
        return q + TURN * wanted, np.ones(q.shape[:-1], dtype=bool)
    first, last = _turns(robot, q)
    turned = q + TURN * np.clip(wanted, first, np.maximum(first, last))
    return turned, np.asarray((first <= last).all(axis=-1))
