"""Which columns of numbers depend on those before them, and how.

The columns are taken in order, so that the choice is unique. Before all of them come the *gauge* columns, which no
torque shows (M. Gautier, "Numerical calculation of the base inertial parameters of robots", J. of Robotic Systems 8,
1991). Rows of doubles are made orthogonal, column after column (Gram and Schmidt, twice); rows of scaled integers are
eliminated (Gauss and Jordan). Part of the rows is left out of the choice: there what depends must vanish too.

A choice counts when the weakest column kept stands out from the strongest one dropped by GAP.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symoro.models.numeric.fixed_point import BITS, ONE, Array, Numbers, is_exact
from symoro.models.tolerances import DEPENDENT_COLUMN, ROUND_OFF

GAP = 1e4
SPARE = 40  # rows more than columns; half of them verify


@dataclass(frozen=True)
class Fit:
    """Columns kept and dropped.

    Attributes:
        kept: positions of the independent columns.
        relations: position of a dependent column -> {position of a kept one: coefficient}.
        smallest: what was left of the weakest kept column, relative to its size (and to 1, where that is less).
        largest: the same of the strongest dependent one, on all rows.
    """

    kept: list[int]
    relations: dict[int, dict[int, float]]
    smallest: float
    largest: float

    @property
    def clear(self) -> bool:
        """Whether kept and dropped columns can be told apart."""
        return self.smallest >= GAP * self.largest

    @property
    def plain(self) -> bool:
        """Whether nothing can hide in the round-off: where a geometry that is almost special makes one function as
        small as e, it may make another as small as e^2."""
        return self.smallest**2 >= 100 * self.largest and self.largest < ROUND_OFF


def rounded_coefficient(c: float, unit: float) -> float:
    """Return c units without the digits beyond the precision of the fit; numbers without a unit may be whole."""
    return round(c) if unit == 1 and abs(c - round(c)) < 1e-9 else float(f"{c * unit:.11g}")


def fitted(rows: Numbers, gauge: Numbers, tolerance: float) -> Fit:
    """The choice on two thirds of the rows, verified on the others."""
    cut = max(2 * len(rows) // 3, len(rows) - SPARE // 2)
    return _eliminated(rows, gauge, cut, tolerance) if is_exact(rows) else _orthogonal(rows, gauge, cut)


# -- doubles


def _orthogonal(rows: Array, gauge: Array, cut: int) -> Fit:
    basis = np.zeros((cut, 0))
    for column in gauge[:cut].T:
        basis = _extended(basis, column)[0]
    kept: list[int] = []
    dependent: list[int] = []
    smallest, largest = 1.0, 0.0
    for k, column in enumerate(rows[:cut].T):
        norm = float(np.linalg.norm(column))
        if norm < DEPENDENT_COLUMN * np.sqrt(len(rows)):
            dependent.append(k)
            continue
        longer, left = _extended(basis, column)
        if left > DEPENDENT_COLUMN:
            kept.append(k)
            basis, smallest = longer, min(smallest, left)
        else:
            dependent.append(k)
            largest = max(largest, left)
    used = np.concatenate([gauge, rows[:, kept]], 1)
    scale = np.linalg.norm(used[:cut], axis=0)
    scale[scale == 0] = 1
    beta = np.linalg.lstsq(used[:cut] / scale, rows[:cut, dependent], rcond=None)[0] / scale[:, None]
    size = np.linalg.norm(rows[:, dependent], axis=0)
    size[size < DEPENDENT_COLUMN * np.sqrt(len(rows))] = np.sqrt(len(rows))  # nothing but round-off
    rest = np.linalg.norm(rows[cut:, dependent] - used[cut:] @ beta, axis=0) / size
    relations = {
        k: {kept[i]: float(c) for i, c in enumerate(beta[gauge.shape[1] :, m]) if abs(c) > 1e-9}
        for m, k in enumerate(dependent)
    }
    return Fit(kept, relations, smallest, max(largest, float(rest.max(initial=0))))


def _extended(basis: Array, column: Array) -> tuple[Array, float]:
    norm = float(np.linalg.norm(column))
    if norm == 0:
        return basis, 0.0
    u = column / norm
    for _ in range(2):  # once is not enough in floating point
        u = u - basis @ (basis.T @ u)
    left = float(np.linalg.norm(u))
    if left <= DEPENDENT_COLUMN:
        return basis, left
    return np.column_stack([basis, u / left]), left


# -- scaled integers


def _eliminated(rows: Numbers, gauge: Numbers, cut: int, tolerance: float) -> Fit:
    table = np.concatenate([gauge, rows], 1)
    first, limit = gauge.shape[1], int(tolerance * ONE)
    sizes = np.abs(table).max(0)
    waiting = np.arange(len(table))
    pivots: dict[int, int] = {}
    smallest, largest = ONE, 0
    for k in range(table.shape[1]):
        if sizes[k] <= limit:
            continue
        table[:, k] = (table[:, k] << BITS) // sizes[k]
        left = np.abs(table[waiting, k])
        candidates = left[waiting < cut]
        if candidates.max(initial=0) > limit:
            r = int(waiting[waiting < cut][candidates.argmax()])
            pivots[k] = r
            waiting = waiting[waiting != r]
            shown = candidates.max() * min(sizes[k], ONE) >> BITS
            smallest = min(smallest, shown) if k >= first else smallest
            _clear(table, r, k)
        else:
            largest = max(largest, left.max(initial=0))
    return Fit(
        [k - first for k in pivots if k >= first],
        _relations(table, sizes, pivots, first, GAP * max(limit, largest)),
        float(smallest / ONE),
        float(largest / ONE),
    )


def _clear(table: Numbers, r: int, k: int) -> None:
    """Take the multiple of row r that leaves nothing in column k from all other rows; the columns before are done."""
    table[r, k:] = (table[r, k:] << BITS) // table[r, k]
    factors = table[:, k].copy()
    factors[r] = 0
    others = np.flatnonzero(factors != 0)
    table[others, k:] -= (factors[others, None] * table[r, k:][None]) >> BITS


def _relations(
    table: Numbers, sizes: Numbers, pivots: dict[int, int], first: int, none: float
) -> dict[int, dict[int, float]]:
    """Coefficients of the dependent columns, from the rows of the pivots."""
    relations: dict[int, dict[int, float]] = {}
    for k in range(first, table.shape[1]):
        if k in pivots:
            continue
        relations[k - first] = {
            p - first: float(Fraction(int(table[r, k] * sizes[k]), int(ONE * sizes[p])))
            for p, r in pivots.items()
            if first <= p < k and abs(table[r, k]) > none
        }
    return relations
