"""refine: approximate solutions of a serial chain are refined by Newton's method.

    K0 J1 K1 .. Jn Kn = T, in the entries of T that are given;    J = Rz(+-q) or Tz(+-q)

Inputs:
    placements (12 (n + 1)): the upper three rows of K0 .. Kn, each 3 x 4 by rows.
    target (12): the upper three rows of T.
    marks (14 + n): n, the tolerance, twelve flags that are 1 if an entry is given and 0 if not, and for each joint 1 if
        it is revolute, 2 if it is prismatic, negative if its direction is reversed.
    rows (K (n + 2)): candidates q1 .. qn, residual, status (0 valid, 1 out of reach, 2 singular, 3 empty).

Results (K (n + 2)): the same rows. A row that is exact (a thousandth of the tolerance), or far from any solution, is
not changed, at the cost of a comparison. For the others

    (J'J + damping) step = J' (T(q) - T),    J the derivatives of the given entries,

is repeated as long as the largest difference decreases. Close to a singular configuration two solutions almost
coincide, and the candidate may be between them, where the difference has a minimum along the direction v in which the
chain moves least. Newton's method is then started again on either side, as the fold x^2 = a requires:

    q +- 10 sqrt(residual) v

A row with a residual below the tolerance is valid, or empty if another valid row contains the same solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The following code is copied into emitted Python code.

REFINE_START = 1e-2  # candidates with a larger residual are ignored
REFINE_FINE = 1e-3  # relative to the tolerance: the row is exact
REFINE_STEPS = 15
REFINE_DAMPING = 1e-14
REFINE_SAME = 1e-5  # two rows with smaller differences are the same solution
REFINE_WEAK = (
    1e-3  # squared ratio of smallest to largest motion below which two solutions may almost coincide
)
REFINE_ASIDE = 10.0  # distance of the new start of Newton's method, relative to sqrt(residual)


def refine_chain_(chain: Array, kinds: Array, q: Array) -> tuple[Array, Array]:
    """Return end-effector frames (S, 3, 4) of S serial chains at q (S, n), and their derivatives (S, 3, 4, n).

    Args:
        chain: constant transforms (S, n + 1, 4, 4).
        kinds: 1 revolute, 2 prismatic, negative if reversed, (n,).
    """
    end = chain[:, 0]
    axes, points = [], []
    for i, kind in enumerate(kinds):
        axes.append(np.sign(kind) * end[:, :3, 2])
        points.append(end[:, :3, 3])
        joint = np.zeros((len(q), 4, 4))
        joint[:] = np.eye(4)
        if abs(kind) > 1.5:
            joint[:, 2, 3] = np.sign(kind) * q[:, i]
        else:
            joint[:, 0, 0] = joint[:, 1, 1] = np.cos(q[:, i])
            joint[:, 1, 0] = np.sign(kind) * np.sin(q[:, i])
            joint[:, 0, 1] = -joint[:, 1, 0]
        end = end @ joint @ chain[:, i + 1]
    slopes = np.zeros((len(q), 3, 4, len(kinds)))
    for i, kind in enumerate(kinds):
        if abs(kind) > 1.5:
            slopes[:, :, 3, i] = axes[i]
        else:
            relative = end[:, :3].copy()
            relative[:, :, 3] -= points[i]
            slopes[..., i] = np.cross(axes[i][:, :, None], relative, axis=1)
    return end[:, :3], slopes


def refine_solve_(slopes: Array, right: Array) -> Array:
    """Solve the damped normal equations (J'J + damping) x = right, with J (S, m, n) given as `slopes`."""
    normal = np.swapaxes(slopes, 1, 2) @ slopes
    top = np.max(np.diagonal(normal, axis1=1, axis2=2), 1)
    normal += REFINE_DAMPING * top[:, None, None] * np.eye(normal.shape[1])
    usable = np.isfinite(normal).all((1, 2)) & (top > 0)
    normal[~usable] = np.eye(normal.shape[1])
    return np.where(usable[:, None], np.linalg.solve(normal, right[..., None])[..., 0], np.nan)


def refine_rows_(chain: Array, goal: Array, kinds: Array, given: Array, q: Array) -> tuple[Array, Array]:
    """Return the best of Newton's iterates from each q (S, n), and its residual (S,).

    Args:
        goal: required end-effector frames (S, 3, 4).
        given: flags (3, 4) of the entries that are compared.
    """
    q = q.copy()
    end, slopes = refine_chain_(chain, kinds, q)
    miss, slopes = (end - goal)[:, given], slopes[:, given]
    least = np.abs(miss).max(1)
    going = np.arange(len(q))
    for _ in range(REFINE_STEPS):
        if not len(going):
            break
        x = q[going] - refine_solve_(slopes, (np.swapaxes(slopes, 1, 2) @ miss[..., None])[..., 0])
        end, slopes = refine_chain_(chain[going], kinds, x)
        miss, slopes = (end - goal[going])[:, given], slopes[:, given]
        size = np.abs(miss).max(1)
        better = size < least[going]
        q[going[better]], least[going[better]] = x[better], size[better]
        going, slopes, miss = going[better], slopes[better], miss[better]
    return q, least


def refine_weak_(chain: Array, kinds: Array, given: Array, q: Array) -> tuple[Array, Array]:
    """Return the joint direction (S, n) in which each chain moves least, by inverse iteration.

    The second result (S,) is whether this motion is so small that two solutions may almost coincide.
    """
    slopes = refine_chain_(chain, kinds, q)[1][:, given]
    direction = np.broadcast_to(1.0 + 0.1 * np.arange(len(kinds)), q.shape)
    for _ in range(3):
        direction = refine_solve_(slopes, direction)
        direction = direction / np.sqrt((direction * direction).sum(1, keepdims=True))
    moved = (slopes @ direction[..., None])[..., 0]
    return direction, (moved * moved).sum(1) < REFINE_WEAK * (slopes * slopes).sum(1).max(1)


def refine_again_(kinds: Array, table: Array, k: int, q: Array) -> Array:
    """Return whether a valid row other than k of tables (S, K, n + 2) contains the joint values q (S, n)."""
    apart = table[:, :, :-2] - q[:, None]
    apart = np.abs(np.where(np.abs(kinds) < 1.5, np.arctan2(np.sin(apart), np.cos(apart)), apart)).max(2)
    valid = (table[:, :, -1] == 0) | (table[:, :, -1] == 2)
    valid[:, k] = False
    return np.asarray((valid & (apart < REFINE_SAME)).any(1))


def refine_one_(
    chain: Array, goal: Array, kinds: Array, given: Array, tolerance: float, table: Array, k: int
) -> None:
    """Refine row k of the tables of solutions (S, K, n + 2), in place.

    If Newton's method stops between two solutions that almost coincide, or at one that another row contains, it is
    started again on both sides along the direction in which the chain moves least.
    """
    fine = REFINE_FINE * tolerance
    residual = table[:, k, -2].copy()
    q, least = refine_rows_(chain, goal, kinds, given, table[:, k, :-2])
    again = (least <= tolerance) & refine_again_(kinds, table, k, q)
    direction, weak = refine_weak_(chain, kinds, given, q)
    left = np.nonzero((again | ~(least <= fine)) & weak)[0]
    aside = REFINE_ASIDE * np.sqrt(np.where(least <= fine, residual, least))[:, None] * direction
    for side in (-1, 1):
        x, most = refine_rows_(chain[left], goal[left], kinds, given, q[left] + side * aside[left])
        good = (most <= fine) & ~refine_again_(kinds, table[left], k, x)
        q[left[good]], least[left[good]], again[left[good]] = x[good], most[good], False
        left = left[~good]
    table[again, k, -1] = 3
    improved = (least <= tolerance) & ~again
    table[improved, k, :-2] = np.where(np.abs(kinds) < 1.5, np.arctan2(np.sin(q), np.cos(q)), q)[improved]
    table[improved, k, -2] = least[improved]
    table[improved, k, -1] = np.where(table[improved, k, -1] == 2, 2, 0)


def refine_(placements: list[Array], target: list[Array], marks: list[Array], rows: list[Array]) -> Array:
    """Return the refined solutions of a serial chain as K rows, (..., K (n + 2)).

    Each entry of the inputs (see the module) is a number or an array over samples.
    """
    numbers = [float(np.ravel(x)[0]) for x in marks]
    n, tolerance, kinds = int(numbers[0]), numbers[1], np.array(numbers[14:])
    given = np.array(numbers[2:14]).reshape(3, 4) > 0.5
    entries = [*placements, *target, *rows]
    shape = np.broadcast_shapes(*(np.shape(x) for x in entries))
    whole = np.stack([np.broadcast_to(np.asarray(x, dtype=float), shape) for x in entries], -1)
    whole = whole.reshape(-1, len(entries))
    chain = np.zeros((len(whole), n + 1, 4, 4))
    chain[:, :, :3] = whole[:, : 12 * (n + 1)].reshape(-1, n + 1, 3, 4)
    chain[:, :, 3, 3] = 1
    goal = whole[:, 12 * (n + 1) : 12 * (n + 2)].reshape(-1, 3, 4)
    table = whole[:, 12 * (n + 2) :].reshape(len(whole), -1, n + 2).copy()
    with np.errstate(all="ignore"):
        for k in range(table.shape[1]):
            residual, status = table[:, k, n], table[:, k, n + 1]
            needed = (residual > REFINE_FINE * tolerance) | (status == 1)
            index = np.nonzero(needed & (residual < REFINE_START))[0]
            if len(index):
                refined = table[index]
                refine_one_(chain[index], goal[index], kinds, given, tolerance, refined, k)
                table[index] = refined
    return table.reshape(*shape, -1)
