"""Singular values of a small matrix, by rotations of its columns: no library is needed, as in a browser.

Pairs of columns are turned until all are orthogonal; their lengths are the singular values, and small ones are found as
well as large ones. Demmel and Veselic, "Jacobi's method is more accurate than QR", SIAM Journal on Matrix Analysis and
Applications 13(4), 1992.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

SWEEPS = 40  # far more than are needed; what is left then is round-off
ORTHOGONAL = 1e-15


def singular_values(matrix: Sequence[Sequence[float]]) -> list[float]:
    """The singular values in falling order, as many as the lesser of rows and columns; all entries are finite."""
    columns = [list(column) for column in zip(*matrix, strict=True)]
    if len(matrix) < len(columns):
        columns = [list(row) for row in matrix]
    scale = max((abs(x) for column in columns for x in column), default=0.0)
    if scale == 0.0:
        return [0.0] * len(columns)
    columns = [[x / scale for x in column] for column in columns]
    for _ in range(SWEEPS):
        turned = [_orthogonal(columns, p, q) for q in range(len(columns)) for p in range(q)]
        if not any(turned):
            break
    return sorted((math.hypot(*column) * scale for column in columns), reverse=True)


def _orthogonal(columns: list[list[float]], p: int, q: int) -> bool:
    """Turn two columns so that they are orthogonal; whether that was needed."""
    a, b = columns[p], columns[q]
    aa, bb, ab = (math.fsum(map(float.__mul__, x, y)) for x, y in ((a, a), (b, b), (a, b)))
    if abs(ab) <= ORTHOGONAL * math.sqrt(aa * bb):
        return False
    half = (bb - aa) / (2 * ab)
    t = math.copysign(1 / (abs(half) + math.hypot(half, 1)), half)
    c = 1 / math.hypot(t, 1)
    columns[p] = [c * (x - t * y) for x, y in zip(a, b, strict=True)]
    columns[q] = [c * (t * x + y) for x, y in zip(a, b, strict=True)]
    return True
