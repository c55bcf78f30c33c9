"""Closed loops as numbers: assembling them.

The unknowns are the positions of opened and of passive joints; Newton's method (`numeric.closure`) finds them from a
posture nearby. How postures of the same branch of assembly are reached from there is told in `branch`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicableError, OptionError
from symoro.models.numeric.closure import around, balanced_closure, closed, least_squares
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import NumericTree
from symoro.robot.description import JointType
from symoro.robot.topology import moving_joints

Posture = Mapping[int, float] | Sequence[float]
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


def assembled(geometry: NumericTree, posture: Posture | None) -> list[Assembly]:
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


def split(geometry: NumericTree, q: Array) -> Assembly:
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


def rates(geometry: NumericTree, q: Array, at: Assembly) -> Array:
    """G: the coordinates' rates from the independent ones."""
    _, jacobian = balanced_closure(geometry, q)
    unit = geometry.units
    g = np.zeros((len(q), q.shape[1], len(at.free)))
    g[:, at.free, range(len(at.free))] = 1
    g[:, at.bound] = -least_squares(jacobian[:, :, at.bound], jacobian[:, :, at.free])
    return g * unit[:, None] / unit[at.free]


def starts(geometry: NumericTree, posture: Posture | None) -> Array:
    """Where to begin: the posture given and others around it, or the middle of the joints' range and random ones."""
    robot, n = geometry.robot, len(geometry.coordinates)
    rng, unit = np.random.default_rng(0), geometry.units
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


def _shut(geometry: NumericTree, q: Array, given: Mapping[int, float] | None = None) -> Array:
    """Opened joints, unless given, where their frame comes nearest to the other side of the cut."""
    for loop in geometry.loops:
        j = loop.left
        if j not in geometry.coordinates or j in (given or ()):
            continue
        k = geometry.coordinates.index(j)
        q[:, k] = 0
        at = around(geometry, loop, q)
        (rotation, position), other = at[j], at[loop.right]
        if geometry.robot.frame(j).sigma == JointType.PRISMATIC:
            q[:, k] = ((other.position - position) * rotation[:, :, 2]).sum(1)
        else:
            turn = rotation.transpose(0, 2, 1) @ other.rotation
            q[:, k] = np.arctan2(turn[:, 1, 0] - turn[:, 0, 1], turn[:, 0, 0] + turn[:, 1, 1])
    return q


def _by_joint(geometry: NumericTree, posture: Sequence[float]) -> dict[int, float]:
    joints = moving_joints(geometry.robot)
    if len(posture) != len(joints):
        raise OptionError(f"posture: {len(joints)} positions expected, got {len(posture)}")
    return dict(zip(joints, posture, strict=True))


def no_assembly(geometry: NumericTree) -> NotApplicableError:
    return NotApplicableError(
        f"the loops of robot '{geometry.robot.name}' could not be closed at its nominal values",
        hint="give a posture near an assembled one, or nominal values for its lengths",
    )
