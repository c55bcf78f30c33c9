"""Linear dependence of numeric columns on the previous ones, with coefficients.

The columns are processed in order, so that the choice is unique. The first ones are *gauge* columns, functions that do
not affect any torque (M. Gautier, "Numerical calculation of the base inertial parameters of robots", J. of Robotic
Systems 8, 1991). Rows of double-precision numbers are orthogonalised column by column (Gram-Schmidt, twice); rows of
scaled integers are eliminated (Gauss-Jordan). A third of the rows is not used to choose the independent columns; on
these rows, too, the dependent columns must equal the combinations of independent ones.

The remainder of a column is the part that the previous columns do not explain. A choice is valid if the smallest
remainder of an independent column exceeds the largest of a dependent column by the factor GAP.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symoro.models.numeric.fixed_point import BITS, ONE, Array, Numbers, is_exact
from symoro.models.tolerances import DEPENDENT_COLUMN, ROUND_OFF

GAP = 1e4
EXTRA_ROWS = 40  # additional rows beyond the number of columns; half of them are for verification


@dataclass(frozen=True)
class Fit:
    """Division of the columns of a matrix into linearly independent and dependent ones.

    A column contains the sampled energy per unit of one parameter.

    Attributes:
        kept: positions of the independent columns.
        relations: by position of a dependent column, its coefficients by position of the kept columns.
        smallest: smallest remainder of an independent column after elimination of the previous ones, relative to the
            size of the column (for scaled integers relative to 1 if the size is below 1).
        largest: largest remainder of a dependent column, on all rows.
    """

    kept: list[int]
    relations: dict[int, dict[int, float]]
    smallest: float
    largest: float

    @property
    def clear(self) -> bool:
        """Whether a clear gap separates the independent columns from the dependent ones."""
        return self.smallest >= GAP * self.largest

    @property
    def plain(self) -> bool:
        """Whether all independent columns differ so much from the others that round-off cannot affect the result.

        The square of `smallest` is compared, because a nearly special geometry that makes the remainder of one column
        as small as e can make that of another column as small as e^2.
        """
        return self.smallest**2 >= 100 * self.largest and self.largest < ROUND_OFF


def rounded_coefficient(c: float, unit: float) -> float:
    """Return the product of the coefficient c and its unit, rounded to 11 digits, the precision of the fit.

    If the unit is 1, a coefficient very near a whole number becomes that number.
    """
    return round(c) if unit == 1 and abs(c - round(c)) < 1e-9 else float(f"{c * unit:.11g}")


def fitted(rows: Numbers, gauge: Numbers, tolerance: float) -> Fit:
    """Determine the linearly independent columns from two thirds of the rows, and verify them on the other rows.

    Args:
        rows: energy functions (states, columns), doubles or scaled integers.
        gauge: functions (states, g) that do not affect torques; a column is dependent if it is a combination of
            previous columns and of these functions.
        tolerance: smallest remainder of an independent column, for scaled integers.
    """
    cut = max(2 * len(rows) // 3, len(rows) - EXTRA_ROWS // 2)
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
    size[size < DEPENDENT_COLUMN * np.sqrt(len(rows))] = np.sqrt(len(rows))  # only round-off remains
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
    for _ in range(2):  # twice, because one pass of Gram-Schmidt loses orthogonality in floating point
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
    """Eliminate column k from all rows of the table except row r, by multiples of row r, in place.

    Args:
        table: matrix of scaled integers.
        r: pivot row; it is divided by its entry in column k.
        k: pivot column.
    """
    table[r, k:] = (table[r, k:] << BITS) // table[r, k]
    factors = table[:, k].copy()
    factors[r] = 0
    others = np.flatnonzero(factors != 0)
    table[others, k:] -= (factors[others, None] * table[r, k:][None]) >> BITS


def _relations(
    table: Numbers, sizes: Numbers, pivots: dict[int, int], first: int, none: float
) -> dict[int, dict[int, float]]:
    """Return the coefficients of the dependent columns in terms of the independent ones.

    Args:
        table: matrix after Gauss-Jordan elimination.
        sizes: original size of each column.
        pivots: pivot row of each independent column.
        first: number of gauge columns, which come first.
        none: coefficients with a magnitude below this value are set to zero.
    """
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
