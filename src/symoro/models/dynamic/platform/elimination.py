"""Small linear systems: elimination with partial pivoting as straight-line code, with a test of singularity.

Rows change places by `select`, so that a pivot that is zero in a regular posture (a vertical leg) has no effect and the
code has no branch. The smallest pivot is compared with the largest entry: if it is below SINGULAR of it, the matrix
counts as singular and the results are NaN. Rows and columns with different units (linear and angular velocities, both
kinds of joints) have factors that make their entries comparable. Rows are multiplied by them, because the choice of a
pivot compares rows; columns need them in the test of singularity alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Scalar, absolute, less, maximum, minimum, select

SINGULAR = Tolerance(1e-10)  # of the largest entry: some digits above the round-off of the elimination


@dataclass(frozen=True)
class Solved:
    """The solutions, one a right-hand side, and 1 where the matrix is regular."""

    columns: list[Vector]
    regular: Scalar


def solved(
    a: Matrix,
    right: Sequence[Vector],
    *,
    row_factors: Sequence[Scalar] | None = None,
    column_factors: Sequence[Scalar] | None = None,
) -> Solved:
    """Return x with a x = b for each of some right-hand sides.

    Args:
        row_factors, column_factors: what makes the entries of `a` comparable; one unless given.
    """
    n = len(a)
    f, g = row_factors or [1] * n, column_factors or [1] * n
    a = [[f[i] * x for x in row] for i, row in enumerate(a)]
    rows = [[*row, *(f[i] * b[i] for b in right)] for i, row in enumerate(a)]
    largest = _most([g[k] * _most([absolute(row[k]) for row in a]) for k in range(n)])
    smallest: Scalar | None = None
    inverse: Vector = []
    for c in range(n):
        _pivot(rows, c)
        size = g[c] * absolute(rows[c][c])
        smallest = size if smallest is None else minimum(smallest, size)
        inverse.append(1 / rows[c][c])
        for r in range(c + 1, n):
            factor = rows[r][c] * inverse[c]
            for k in range(c + 1, len(rows[r])):
                rows[r][k] = rows[r][k] - factor * rows[c][k]
    regular = 0 if smallest is None else less(SINGULAR * largest, smallest)
    return Solved([_substituted(rows, inverse, n + k) for k in range(len(right))], regular)


def _pivot(rows: Matrix, c: int) -> None:
    """Bring the largest entry of a column, on the diagonal or below it, to the diagonal."""
    for r in range(c + 1, len(rows)):
        swap = less(absolute(rows[c][c]), absolute(rows[r][c]))
        for k in range(c, len(rows[c])):
            upper, lower = rows[c][k], rows[r][k]
            rows[c][k], rows[r][k] = select(swap, lower, upper), select(swap, upper, lower)


def _substituted(rows: Matrix, inverse: Vector, column: int) -> Vector:
    n = len(inverse)
    x: Vector = [0] * n
    for r in reversed(range(n)):
        total = rows[r][column]
        for k in range(r + 1, n):
            total = total - rows[r][k] * x[k]
        x[r] = total * inverse[r]
    return x


def _most(values: Sequence[Scalar]) -> Scalar:
    found = values[0]
    for value in values[1:]:
        found = maximum(found, value)
    return found
