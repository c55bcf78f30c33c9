"""Numeric rank decisions with a required gap between nonzero and zero singular values.

A singular value s is compared with a reference value, `size`:

    present < s / size              nonzero
    absent <= s / size <= present   the rank is undecided (None)
    s / size < absent               zero up to round-off

The caller chooses the gap and the reference value, which is by default the largest singular value. Matrices are
sequences of rows, or arrays. If NumPy has been loaded, it computes the singular values; otherwise Jacobi rotations
compute them in plain Python. No function of this module loads NumPy except `independent_rows`.

Jacobi's method rotates pairs of columns until all are orthogonal; their lengths are the singular values, and small ones
are as accurate as large ones. Demmel and Veselic, "Jacobi's method is more accurate than QR", SIAM Journal on Matrix
Analysis and Applications 13(4), 1992.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from symoro.expr import ops
from symoro.expr.bounds import rounding_errors
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import MatrixLike
from symoro.models.tolerances import EVALUATED, ZERO_SINGULAR_VALUE, Gap
from symoro.program.builder import Builder

if TYPE_CHECKING:
    import numpy as np

    Rows = Sequence[Sequence[float]] | np.ndarray

BALANCING = 20  # passes; each one replaces the remaining ratio between rows and columns by its square root
SWEEPS = 40  # upper limit on Jacobi sweeps; convergence needs about ten
ORTHOGONAL = 1e-15  # cosine of the angle between columns that count as orthogonal


def threshold(least: float) -> Gap:
    """Return a pair of equal thresholds: relative singular values above `least` are nonzero, all others are zero."""
    return Gap(least, least)


def rank(matrix: Rows, gap: Gap = EVALUATED, size: float | None = None) -> int | None:
    """Return the rank of a matrix, or None if it is undecided.

    Args:
        gap: relative thresholds above which a singular value is nonzero, and below which it is zero.
        size: reference value for the singular values; by default the largest singular value.
    """
    return ranks([matrix], gap, None if size is None else [size])[0]


def ranks(
    matrices: Sequence[Rows] | np.ndarray, gap: Gap = EVALUATED, sizes: Sequence[float] | None = None
) -> list[int | None]:
    """Return the rank of each matrix, or None where it is undecided.

    Args:
        gap: relative thresholds above which a singular value is nonzero, and below which it is zero.
        sizes: one reference value per matrix for its singular values; by default the largest singular value of the
            matrix.
    """
    decided: list[int | None] = []
    for k, values in enumerate(spectra(matrices)):
        size = sizes[k] if sizes is not None else values[0] if values else 0.0
        count = sum(x > gap.present * size for x in values)
        clear = count == len(values) or values[count] <= gap.absent * size
        decided.append(count if clear else None)
    return decided


def generic_rank(matrices: Sequence[Rows]) -> int | None:
    """Return the largest rank of a matrix that depends on the configuration, from its values at several configurations.

    Args:
        matrices: the values of the matrix at several configurations. Their rows are scaled to length one.

    Returns:
        The rank r, or None if singular value r + 1 is not clearly zero in every sample.
    """
    unit = [[_scaled(row) for row in matrix] for matrix in matrices]
    values = spectra([matrix for matrix in unit if matrix and matrix[0]])
    largest = max((sum(x > EVALUATED.present for x in one) for one in values), default=0)
    clear = all(len(one) == largest or one[largest] <= EVALUATED.absent for one in values)
    return largest if clear else None


def _scaled(row: Sequence[float]) -> list[float]:
    length = math.hypot(*row)
    return [float(x) / length if length else 0.0 for x in row]


def spectra(matrices: Sequence[Rows] | np.ndarray) -> list[list[float]]:
    """Return the singular values of each matrix in decreasing order."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return [singular_values([list(row) for row in matrix]) for matrix in matrices]
    stacks = [matrices] if isinstance(matrices, numpy.ndarray) else [[matrix] for matrix in matrices]
    return [values for stack in stacks for values in numpy.linalg.svd(stack, compute_uv=False).tolist()]


def independent_rows(rows: np.ndarray, *thresholds: float) -> list[int]:
    """Return the indices of rows that are linearly independent at every sample; earlier rows are preferred.

    Args:
        rows: samples of a matrix, shape (samples, rows, columns).
        thresholds: minimum length of a row's component orthogonal to the rows already selected, relative to the largest
            length of this row over all samples. After all rows have been compared with the first threshold, the
            rejected rows are compared with the second one, and so on.
    """
    import numpy as np

    sizes = np.linalg.norm(rows, axis=2).max(0, initial=0)
    kept: list[int] = []
    basis: list[Any] = []  # (samples, columns) each
    waiting = [r for r in range(rows.shape[1]) if sizes[r] > EVALUATED.absent * sizes.max()]
    for least in thresholds:
        for r in waiting:
            rest = rows[:, r] / sizes[r]
            for _ in range(
                2
            ):  # twice, because one pass of Gram-Schmidt loses orthogonality in floating point
                for b in basis:
                    rest = rest - (rest * b).sum(1, keepdims=True) * b
            lengths = np.linalg.norm(rest, axis=1, keepdims=True)
            if lengths.min() > least:
                kept.append(r)
                basis.append(rest / lengths)
        waiting = [r for r in waiting if r not in kept]
    return kept


def balancing(matrix: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    """Return factors of the rows and of the columns of a matrix that make their largest entries one.

    The matrix multiplied by these factors has the same rank, and its singular values do not depend on the units of rows
    and columns. D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices", Rutherford
    Appleton Laboratory, RAL-TR-2001-034, 2001.
    """
    f, g = [1.0] * len(matrix), [1.0] * len(matrix[0])
    for _ in range(BALANCING):
        rows = [
            [abs(x) * r * c for x, c in zip(row, g, strict=True)] for row, r in zip(matrix, f, strict=True)
        ]
        f = [r / (math.sqrt(max(row)) or 1.0) for r, row in zip(f, rows, strict=True)]
        g = [
            c / (math.sqrt(max(column)) or 1.0) for c, column in zip(g, zip(*rows, strict=True), strict=True)
        ]
    return f, g


def singular_values(matrix: Sequence[Sequence[float]]) -> list[float]:
    """Return the min(rows, columns) singular values of a matrix in decreasing order; all entries must be finite."""
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
    """Rotate columns p and q in their common plane so that they become orthogonal; return whether this was needed."""
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


def always_singular(builder: Builder, matrix: MatrixLike) -> bool:
    """Return whether a matrix of expressions is singular in every configuration.

    The matrix is evaluated at random configurations. The pattern of zeros would not be sufficient: the Jacobian of four
    parallel axes has no zero rows or columns, but is singular. Rows and columns are scaled because lengths and angles
    have no common unit. An entry is treated as zero if it is not larger than its rounding errors.
    """
    graph = builder.graph
    lits = [builder.number(x).lit for row in matrix for x in row]
    columns = len(matrix[0])
    names = {graph.args[i] for i in graph.reachable(lits) if graph.op[i] == ops.SYMBOL}
    for seed in range(2):
        draw = Random(seed).uniform
        drawn = {key: draw(0.3, 1.3) for key in sorted(names)}
        values, variables = (
            {name: x for (name, cls), x in drawn.items() if cls == which}
            for which in (ops.PARAMETER, ops.VARIABLE)
        )
        results: dict[int, Any] = {}
        numbers = [float(x) for x in evaluate(graph, lits, values, variables, results)]
        if not all(map(math.isfinite, numbers)):
            return False
        errors = rounding_errors(graph, lits, results)
        numbers = [
            0.0 if abs(x) < ZERO_SINGULAR_VALUE * error else x
            for x, error in zip(numbers, errors, strict=True)
        ]
        rows, sizes = (
            [flat[k : k + columns] for k in range(0, len(flat), columns)] for flat in (numbers, errors)
        )
        f, g = balancing(rows)
        rows, sizes = (
            [[x * r * c for x, c in zip(row, g, strict=True)] for row, r in zip(table, f, strict=True)]
            for table in (rows, sizes)
        )
        if singular_values(rows)[-1] > ZERO_SINGULAR_VALUE * max(map(max, sizes)):
            return False
    return True
