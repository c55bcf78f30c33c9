"""States on one branch of assembly of closed loops, closed to all digits that there are.

From an assembled posture walkers go in small steps: along a tangent, a vector of the null space of the closure's
derivative J, then back by Newton's method. A step that comes near a singularity, where J loses rank, or that Newton's
method changes by more than a small part, is not taken, and the walker turns: so that it never jumps to another branch
(a parallelogram can also close crossed, and the two meet where its links lie in one line).

The states are then closed to all digits of `numeric.fixed_point` by steps with the derivative's inverse in doubles,

    q <- q - J+ e(q),        qd <- qd - J+ J qd,

each of which gives a dozen digits. What stays open where numbers of the description are rounded is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symoro.models.identification.base.assembly import Assembly, loop_coordinates, split
from symoro.models.identification.base.numeric import Geometry
from symoro.models.numeric.closure import (
    LAST,
    REFINEMENTS,
    Flags,
    balanced_closure,
    closed,
    closure,
    refined,
)
from symoro.models.numeric.fixed_point import Array, Numbers, doubles, exactly, times
from symoro.models.tolerances import ROUND_OFF

WALKERS = 64
STEPS = (
    0.1,
    0.02,
    0.004,
)  # of a radian, or of the largest length: smaller ones where most of them are not taken
STRIDE = 12  # steps between two postures that are kept
TAKEN = 0.4  # the share of steps that must be taken
NEAREST = 0.1  # to a singularity, relative to the best posture met
CORRECTIONS = 4  # of Newton's method
CHANGED = 0.25  # how much Newton's method may change of a step


def branch(geometry: Geometry, at: Assembly, count: int, rng: np.random.Generator) -> Array | None:
    """So many postures of a branch, joints outside the loops anywhere; None where no way leads from the posture."""
    walk = _Walk(geometry, len(at.bound))
    for step in STEPS:
        away, taken = walk.walked(at.q, step, STRIDE, 0.5 * at.condition, rng)
        if taken > TAKEN:
            break
    else:
        return None
    best = max((at, *(split(geometry, q) for q in away[::4])), key=lambda found: found.condition)
    kept, taken = walk.walked(best.q, step, STRIDE * -(-count // WALKERS), NEAREST * best.condition, rng)
    if taken < TAKEN:
        return None
    q = kept[rng.permutation(len(kept))[:count]]
    outside = [k for k in range(q.shape[1]) if k not in walk.inside]
    q[:, outside] = rng.uniform(-2.5, 2.5, (len(q), len(outside)))
    return q


@dataclass(frozen=True)
class _Tangents:
    """J at some postures: its null space, its inverse on the rest, smallest to largest singular value."""

    null: Array
    inverse: Array
    condition: Array


class _Walk:
    """Walkers on a branch where the derivative of the closure has a given rank."""

    def __init__(self, geometry: Geometry, rank: int) -> None:
        self.geometry, self.rank = geometry, rank
        self.inside = loop_coordinates(geometry)
        self.unit = geometry.units[self.inside]

    def tangents(self, q: Array) -> _Tangents:
        _, jacobian = balanced_closure(self.geometry, q)
        jacobian = jacobian[:, :, self.inside]
        turned = jacobian.transpose(0, 2, 1)
        squares, vectors = np.linalg.eigh(turned @ jacobian)
        free = len(self.inside) - self.rank
        used = vectors[:, :, free:]
        inverse = (used / squares[:, None, free:]) @ used.transpose(0, 2, 1) @ turned
        ratio = squares[:, free] / squares[:, -1] if self.rank else np.ones(len(q))
        return _Tangents(vectors[:, :, :free], inverse, np.sqrt(np.maximum(ratio, 0)))

    def walked(
        self, start: Array, step: float, steps: int, least: float, rng: np.random.Generator
    ) -> tuple[Array, float]:
        """Postures met every STRIDE steps, and the share of steps that were taken."""
        q = np.repeat(start[None], WALKERS, 0)
        at = self.tangents(q)
        kept, taken = [], 0
        way = rng.standard_normal((WALKERS, len(self.inside)))
        for number in range(1, steps + 1):
            way = (at.null @ (at.null.transpose(0, 2, 1) @ way[:, :, None]))[:, :, 0]
            way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
            move = step * way * rng.uniform(0.2, 1.0, (WALKERS, 1))
            trial, good = self._corrected(q, move)
            there = self.tangents(trial)
            good &= there.condition > least
            q[good] = trial[good]
            for old, new in zip(vars(at).values(), vars(there).values(), strict=True):
                old[good] = new[good]
            way[~good] = rng.standard_normal((int((~good).sum()), way.shape[1]))
            taken += int(good.sum())
            if number % STRIDE == 0:
                kept.append(q.copy())
        return np.concatenate(kept), taken / (steps * WALKERS)

    def _corrected(self, q: Array, move: Array) -> tuple[Array, Flags]:
        """The postures that a step leads to, and which of them closed nearby."""
        moved = q.copy()
        moved[:, self.inside] += move * self.unit
        found, good = closed(self.geometry, moved, self.inside, CORRECTIONS)
        change = (found - moved)[:, self.inside] / self.unit
        return found, good & (np.linalg.norm(change, axis=1) < CHANGED * np.linalg.norm(move, axis=1))

    def inverse(self, q: Array) -> Array:
        """J+ without units."""
        _, jacobian = closure(self.geometry, q)
        u, s, v = np.linalg.svd(jacobian[:, :, self.inside], full_matrices=False)
        r = self.rank
        return np.asarray((v[:, :r].transpose(0, 2, 1) / s[:, None, :r]) @ u[:, :, :r].transpose(0, 2, 1))


@dataclass(frozen=True)
class ClosedStates:
    """States in scaled integers: postures, rates, and by how much the loops stay open."""

    q: Numbers
    qd: Numbers
    open: float


def closed_states(
    exact: Geometry, geometry: Geometry, rank: int, q: Array, rng: np.random.Generator
) -> ClosedStates:
    """Postures of a branch closed to all digits, with random rates; those that do not close are left out."""
    walk = _Walk(geometry, rank)
    inside, back = walk.inside, exactly(walk.inverse(q))
    found, errors = refined(exact, exactly(q), inside, back)
    left = np.abs(doubles(errors)).max(1, initial=0)
    good = left < ROUND_OFF * max(1.0, geometry.size)
    found, back = found[good], back[good]
    _, jacobian = closure(exact, found)
    jacobian = jacobian[:, :, inside]
    qd = exactly(rng.standard_normal(found.shape) * geometry.units)
    moved = qd[:, inside, None]
    for _ in range(REFINEMENTS):
        change = times(back, times(jacobian, moved))
        moved = moved - change
        if np.abs(change).max(initial=0) < LAST:
            break
    qd[:, inside] = moved[:, :, 0]
    return ClosedStates(found, qd, float(left[good].max(initial=0)))
