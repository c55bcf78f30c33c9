"""Closed loops as numbers: assembling them.

The unknowns are the positions of opened and of passive joints; Newton's method (`numeric.closure`) finds them from a
posture nearby. How postures of the same branch of assembly are reached from there is told in `branch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicableError
from symoro.models.numeric.closure import balanced_closure, closed, least_squares
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.home import shut
from symoro.models.numeric.tree import NumericTree
from symoro.models.rank import independent_rows
from symoro.models.tolerances import SINGULAR_ASSEMBLY

Posture = Mapping[int, float]  # by joint
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
    splits = [split(geometry, x) for x in q]
    most = max(len(at.bound) for at in splits)  # fewer only where the loops are in a singularity
    usual = [at for at in splits if len(at.bound) == most]
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
    bound = [order[k] for k in independent_rows(jacobian.T[None, order], SINGULAR_ASSEMBLY)]
    free = [k for k in range(len(q)) if k not in bound]
    values = np.linalg.svd(jacobian, compute_uv=False)
    condition = float(values[len(bound) - 1] / values[0]) if bound else 1.0
    return Assembly(q, free, sorted(bound), condition)


def loop_coordinates(geometry: NumericTree) -> list[int]:
    """Return the coordinates, by their places in q, that move frames of the loops."""
    frames = [j - 1 for loop in geometry.loops for j in loop.frames]
    moved = np.any(np.asarray(geometry.ratios[:, frames] != 0), axis=(0, 1))
    return [int(k) for k in np.flatnonzero(moved)]


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
    n = len(geometry.coordinates)
    rng, unit = np.random.default_rng(0), geometry.units
    if posture is None:
        return shut(geometry, np.concatenate([np.zeros((1, n)), rng.uniform(-2, 2, (_STARTS - 1, n)) * unit]))
    first = np.array([[posture.get(j, 0.0) for j in geometry.coordinates]])
    around = [first + away * rng.uniform(-1, 1, (5, n)) * unit for away in _AROUND]
    return shut(geometry, np.concatenate([first, *around]), posture)


def no_assembly(geometry: NumericTree) -> NotApplicableError:
    return NotApplicableError(
        f"the loops of robot '{geometry.robot.name}' could not be closed at its nominal values",
        hint="give a posture near an assembled one, or nominal values for its lengths",
    )
