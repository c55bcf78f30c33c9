"""Convex quadratic program with bounds, solved by an active-set method.

    min 1/2 l'G l + b'l,     lo <= l <= hi,     G symmetric and positive semidefinite

A face is the set of all l in which some entries are free and the others are at a bound. On a face the iteration moves
towards the minimiser of least norm, up to the first bound. Along a null direction of G with a nonzero gradient the
objective is unbounded below, so this direction is followed to a bound. When the minimiser of a face is reached, the
entry at a bound whose gradient has the most wrong sign is freed; it moves inward. The minimum decreases from face to
face, and there are 3^m faces for m entries, so the method terminates.

C.L. Lawson, R.J. Hanson, "Solving least squares problems", Prentice-Hall, 1974, chapter 23; P.B. Stark, R.L. Parker,
"Bounded-variable least-squares: an algorithm and applications", Computational Statistics 10, 1995.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.simulation.tolerances import GRADIENT, IMPLIED, RANK, ZERO_ROW

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
STEPS = 50  # iterations per entry; random problems need at most three


class InfeasibleError(ArithmeticError):
    """Error of a quadratic program without a minimiser, because its objective is unbounded below.

    In a simulation this means that hard constraints (stops) contradict each other.
    """


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """Minimiser of a quadratic program with bounds.

    Attributes:
        forces: the minimiser l, (m,).
        free: mask of the entries strictly between their bounds, (m,).
        lower: mask of the entries at their lower bound, (m,).
        gradient: the gradient G l + b at the minimiser, (m,).
    """

    forces: Array
    free: Mask
    lower: Mask
    gradient: Array


def solve_box(G: Array, b: Array, lo: Array, hi: Array, free: Mask) -> BoxSolution:
    """Return a minimiser of 1/2 l'G l + b'l subject to lo <= l <= hi.

    Args:
        G: symmetric positive semidefinite matrix (m, m), of any rank.
        b: linear term (m,).
        lo, hi: bounds (m,), which may be infinite.
        free: (m,), mask of the entries that are free (not at a bound) in the first iteration; the others start at a
            bound.

    Raises:
        InfeasibleError: there is no minimiser.
    """
    m = len(b)
    scale = _scale(G)
    least, most = lo, hi
    G_unit, b_unit, lo, hi = G / np.outer(scale, scale), b / scale, lo * scale, hi * scale
    at_bound = np.where(np.isfinite(lo) & (b > 0), lo, np.where(np.isfinite(hi), hi, lo))
    forces, free = np.clip(np.where(free, 0.0, at_bound), lo, hi), free.copy()
    terms = np.abs(b_unit).max(initial=0.0)
    for _ in range(STEPS * (m + 1)):
        noise = GRADIENT * (terms + (np.abs(G_unit) @ np.abs(forces)).max(initial=0.0))
        if free.any() and _advance(G_unit, b_unit, lo, hi, forces, free, noise):
            continue
        gradient = G_unit @ forces + b_unit
        lower = ~free & (forces <= lo)
        wrong = np.where(free | (lo == hi), 0.0, np.where(lower, -gradient, gradient))
        if not m or wrong.max() <= noise:
            forces = np.where(free, np.clip(forces / scale, least, most), np.where(lower, least, most))
            return BoxSolution(forces, free, lower, gradient * scale)
        free[int(wrong.argmax())] = True
    raise InfeasibleError("the active-set method for friction and stops did not converge")


def _scale(G: Array) -> Array:
    """Return the scale (m,) of each entry: the square root of the diagonal entry of G, or 1 where it is zero.

    Dividing the rows and columns of G by these scales makes its diagonal entries equal to one.
    """
    diagonal = np.diag(G)
    zero = diagonal <= ZERO_ROW * np.abs(G).max(initial=0.0)
    return np.sqrt(np.where(zero, 1.0, diagonal))


def _advance(G: Array, b: Array, lo: Array, hi: Array, forces: Array, free: Mask, noise: float) -> bool:
    """Perform one step of the active-set method; change `forces` and `free` in place.

    The step leads to the minimiser over the free entries, or to the first bound on the path to it.

    Args:
        G, b, lo, hi: data of the quadratic program min 1/2 l'G l + b'l, lo <= l <= hi.
        forces: present values of l, within their bounds.
        free: mask of the entries that are not at a bound.
        noise: gradients smaller than this are round-off.

    Returns:
        True if a bound was reached, False if the minimiser over the free entries was reached.
    """
    F = np.flatnonzero(free)
    right = -(b[F] + G[np.ix_(F, ~free)] @ forces[~free])
    values, vectors = np.linalg.eigh(G[np.ix_(F, F)])
    kept = values > RANK
    part = vectors.T @ right
    slope = vectors[:, ~kept] @ part[~kept]
    steepest = np.abs(slope).max(initial=0.0)
    endless = bool(steepest > noise)
    slope[np.abs(slope) <= RANK * steepest] = 0.0  # otherwise round-off would be followed to a bound
    step = slope if endless else vectors[:, kept] @ (part[kept] / values[kept]) - forces[F]
    ahead = np.where(step > 0, hi[F], lo[F]) - forces[F]
    room = np.full(len(F), np.inf)
    np.divide(ahead, step, out=room, where=step != 0)
    first = int(room.argmin())
    if not endless and room[first] >= 1.0:
        forces[F] += step
        return False
    if not np.isfinite(room[first]):
        raise InfeasibleError("hard constraints contradict each other")
    forces[F] += max(room[first], 0.0) * step
    forces[F[first]] = hi[F[first]] if step[first] > 0 else lo[F[first]]
    free[F[first]] = False
    return True


def implied_rows(G: Array, held: Mask) -> Mask:
    """Return the mask of the constraints that are linearly dependent on the active constraints.

    For a dependent constraint the Schur complement of G with respect to the active constraints is zero.

    Args:
        G: Gram matrix (m, m) of the constraints.
        held: mask of the active constraints, (m,).
    """
    scale = _scale(G)
    unit = G / np.outer(scale, scale)
    outside = np.diag(unit).copy()
    H = np.flatnonzero(held)
    if len(H):
        values, vectors = np.linalg.eigh(unit[np.ix_(H, H)])
        kept = values > RANK
        basis = vectors[:, kept] / np.sqrt(values[kept])
        outside = outside - ((unit[:, H] @ basis) ** 2).sum(axis=1)
    return np.asarray(outside <= IMPLIED)
