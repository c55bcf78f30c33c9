"""Closed loops as numbers: assembling them.

A loop closes when its frames k and k + B coincide. The unknowns are the positions of the opened joint k and of
passive joints; Newton's method (least squares, as planar loops have dependent equations) finds them from a posture
nearby. How postures of the same branch of assembly are reached from there is told in `base_branch`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import NotApplicableError, OptionError
from symoro.models.identification.base_fixed import Numbers, cross, times
from symoro.models.identification.base_numeric import Array, Geometry, placed, still
from symoro.robot.description import JointType
from symoro.robot.topology import Loop, chain, moving_joints

Flags = NDArray[np.bool_]
Posture = Mapping[int, float] | Sequence[float]
_CLOSED = 1e-11
_SINGULAR = 1e-5
_STARTS = 48
_AROUND = (0.01, 0.05, 0.2)  # how far from a given posture others are tried: it may be singular


@dataclass(frozen=True)
class Assembly:
    """An assembled posture, with the coordinates split into independent and dependent ones (positions in q).

    Attributes:
        condition: smallest to largest singular value of the closure's derivative; zero at a singularity.
    """

    q: Array
    free: list[int]
    bound: list[int]
    condition: float


def closure(geometry: Geometry, q: Numbers) -> tuple[Numbers, Numbers]:
    """By how much the loops are open (twelve entries a loop), and the derivative by the coordinates."""
    at = _placed(geometry, q)
    return _errors(geometry, *at), _jacobian(geometry, *at)


def closure_error(geometry: Geometry, q: Numbers) -> Numbers:
    """By how much the loops are open."""
    return _errors(geometry, *_placed(geometry, q))


def _placed(geometry: Geometry, q: Numbers) -> tuple[dict[int, Numbers], dict[int, Numbers]]:
    robot = geometry.robot
    needed = {k for loop in geometry.loops for j in loop.frames for k in chain(robot, j)}
    return placed(geometry, still(q, q), needed)


def _errors(geometry: Geometry, rotation: Mapping[int, Numbers], position: Mapping[int, Numbers]) -> Numbers:
    count = len(position[0])
    errors = [np.zeros((count, 0), position[0].dtype)]
    for loop in geometry.loops:
        errors.append(position[loop.left] - position[loop.right])
        errors.append((rotation[loop.left] - rotation[loop.right]).reshape(count, 9))
    return np.concatenate(errors, 1)


def _jacobian(
    geometry: Geometry, rotation: Mapping[int, Numbers], position: Mapping[int, Numbers]
) -> Numbers:
    robot, count, kind = geometry.robot, len(position[0]), position[0].dtype
    blocks = [np.zeros((count, 0, len(geometry.coordinates)), kind)]
    for loop in geometry.loops:
        block = np.zeros((count, 12, robot.NF), kind)
        for end, sign, members in _sides(loop):
            for j in members:
                frame = robot.frame(j)
                axis = rotation[j][:, :, 2]
                if frame.sigma == JointType.PRISMATIC:
                    block[:, :3, j - 1] = sign * axis
                elif frame.sigma == JointType.REVOLUTE:
                    block[:, :3, j - 1] = sign * cross(axis, position[end] - position[j])
                    block[:, 3:, j - 1] = sign * cross(axis[:, :, None], rotation[end]).reshape(count, 9)
        moved = [j - 1 for j in loop.frames]
        blocks.append(times(block[:, :, moved], geometry.ratios[moved]))
    return np.concatenate(blocks, 1)


def _sides(loop: Loop) -> tuple[tuple[int, int, Sequence[int]], ...]:
    return (loop.left, 1, loop.left_chain), (loop.right, -1, loop.right_chain)


def balanced_closure(geometry: Geometry, q: Array) -> tuple[Array, Array]:
    """The same with lengths in units of the largest one, so that sizes can be compared."""
    error, jacobian = closure(geometry, q)
    rows = np.tile([1 / geometry.size] * 3 + [1.0] * 9, len(geometry.loops))
    return error * rows, jacobian * rows[:, None] * units(geometry)


def units(geometry: Geometry) -> Array:
    """Of the coordinates: a radian, or the largest length."""
    kinds = [geometry.robot.frame(j).sigma for j in geometry.coordinates]
    return np.array([geometry.size if kind == JointType.PRISMATIC else 1.0 for kind in kinds])


def closed(geometry: Geometry, q: Array, unknown: Sequence[int], rounds: int = 60) -> tuple[Array, Flags]:
    """Newton's method on many samples at once; returns them, and which closed."""
    q, columns, unit = q.copy(), list(unknown), units(geometry)
    left = np.full(len(q), np.inf)
    for _ in range(rounds):
        still_open = np.flatnonzero(left > _CLOSED)
        if not len(still_open):
            break
        error, jacobian = balanced_closure(geometry, q[still_open])
        left[still_open] = np.abs(error).max(1, initial=0)
        step = least_squares(jacobian[:, :, columns], error[:, :, None])[:, :, 0]
        q[still_open[:, None], columns] -= np.clip(step, -0.4, 0.4) * unit[columns]
    return q, left < _CLOSED


def least_squares(a: Array, b: Array) -> Array:
    """x of least |a x - b|, many at once; the damping only matters where columns of `a` depend on each other."""
    turned = a.transpose(0, 2, 1)
    damping = 1e-12 * np.eye(a.shape[2])
    return np.asarray(np.linalg.solve(turned @ a + damping, turned @ b), dtype=float)


def assembled(geometry: Geometry, posture: Posture | None) -> list[Assembly]:
    """Closed postures: nearest to the one given first, or farthest from a singularity; active joints are held where
    they were, if that can be."""
    begun = starts(geometry, posture)
    robot = geometry.robot
    passive = [k for k, j in enumerate(geometry.coordinates) if not robot.frame(j).mu]
    q, good = closed(geometry, begun, passive, rounds=40)
    if not good[0] if posture is not None else not good.any():
        q, good = closed(geometry, begun, range(len(geometry.coordinates)), rounds=150)
    if not good.any():
        return []
    q = q[good]
    found = [split(geometry, x) for x in q]
    most = max(len(at.bound) for at in found)  # fewer only where the loops are in a singularity
    usual = [at for at in found if len(at.bound) == most]
    if posture is None:
        return sorted(usual, key=lambda at: -at.condition)
    return sorted(usual, key=lambda at: float(np.linalg.norm(at.q - q[0])))


def split(geometry: Geometry, q: Array) -> Assembly:
    """Independent and dependent coordinates at a closed posture: opened joints and passive ones depend first."""
    robot = geometry.robot
    _, (jacobian,) = balanced_closure(geometry, q[None])
    order = sorted(
        range(len(q)),
        key=lambda k: (robot.frame(geometry.coordinates[k]).mu, -geometry.coordinates[k]),
    )
    basis = np.zeros((len(jacobian), 0))
    bound = []
    for k in order:
        u = jacobian[:, k]
        for _ in range(2):  # once is not enough in floating point
            u = u - basis @ (basis.T @ u)
        size = np.linalg.norm(u)
        if size > _SINGULAR:
            bound.append(k)
            basis = np.column_stack([basis, u / size])
    free = [k for k in range(len(q)) if k not in bound]
    values = np.linalg.svd(jacobian, compute_uv=False)
    condition = float(values[len(bound) - 1] / values[0]) if bound else 1.0
    return Assembly(q, free, sorted(bound), condition)


def rates(geometry: Geometry, q: Array, at: Assembly) -> Array:
    """G: the coordinates' rates from the independent ones."""
    _, jacobian = balanced_closure(geometry, q)
    unit = units(geometry)
    g = np.zeros((len(q), q.shape[1], len(at.free)))
    g[:, at.free, range(len(at.free))] = 1
    g[:, at.bound] = -least_squares(jacobian[:, :, at.bound], jacobian[:, :, at.free])
    return g * unit[:, None] / unit[at.free]


def starts(geometry: Geometry, posture: Posture | None) -> Array:
    """Where to begin: the posture given and others around it, or the middle of the joints' range and random ones."""
    robot, n = geometry.robot, len(geometry.coordinates)
    rng, unit = np.random.default_rng(0), units(geometry)
    if posture is None:
        return _shut(
            geometry, np.concatenate([np.zeros((1, n)), rng.uniform(-2, 2, (_STARTS - 1, n)) * unit])
        )
    given = dict(posture) if isinstance(posture, Mapping) else _by_joint(geometry, posture)
    for j in given:
        if not 1 <= j <= robot.NJ or not robot.frame(j).moving:
            raise OptionError(f"posture: joint {j} of robot '{robot.name}' does not exist or does not move")
    first = np.array([[float(given.get(j, 0.0)) for j in geometry.coordinates]])
    around = [first + away * rng.uniform(-1, 1, (5, n)) * unit for away in _AROUND]
    return _shut(geometry, np.concatenate([first, *around]), given)


def _shut(geometry: Geometry, q: Array, given: Mapping[int, float] | None = None) -> Array:
    """Opened joints, unless given, where their frame comes nearest to the other side of the cut."""
    for loop in geometry.loops:
        j = loop.left
        if j not in geometry.coordinates or j in (given or ()):
            continue
        k = geometry.coordinates.index(j)
        q[:, k] = 0
        rotation, position = _placed(geometry, q)
        if geometry.robot.frame(j).sigma == JointType.PRISMATIC:
            q[:, k] = ((position[loop.right] - position[j]) * rotation[j][:, :, 2]).sum(1)
        else:
            turn = rotation[j].transpose(0, 2, 1) @ rotation[loop.right]
            q[:, k] = np.arctan2(turn[:, 1, 0] - turn[:, 0, 1], turn[:, 0, 0] + turn[:, 1, 1])
    return q


def _by_joint(geometry: Geometry, posture: Sequence[float]) -> dict[int, float]:
    joints = moving_joints(geometry.robot)
    if len(posture) != len(joints):
        raise OptionError(f"posture: {len(joints)} positions expected, got {len(posture)}")
    return dict(zip(joints, posture, strict=True))


def no_assembly(geometry: Geometry) -> NotApplicableError:
    return NotApplicableError(
        f"the loops of robot '{geometry.robot.name}' could not be closed at its nominal values",
        hint="give a posture near an assembled one, or nominal values for its lengths",
    )
