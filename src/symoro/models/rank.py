"""Singular values of a small matrix, by rotations of its columns: no library is needed, as in a browser.

Pairs of columns are turned until all are orthogonal; their lengths are the singular values, and small ones are found as
well as large ones. Demmel and Veselic, "Jacobi's method is more accurate than QR", SIAM Journal on Matrix Analysis and
Applications 13(4), 1992.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from symoro.expr import ops
from symoro.expr.bounds import bounds_in_numbers
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import MatrixLike
from symoro.program.builder import Builder

BALANCING = 20  # passes; each takes the root of what the sizes of rows and columns still differ by
SWEEPS = 40  # far more than are needed; what is left then is round-off
ORTHOGONAL = 1e-15
SINGULAR = 1e-13  # of the terms that the entries are sums of: some hundred times their round-off


def balancing(matrix: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    """Return factors of rows and columns that make their largest entries one.

    A matrix multiplied by them has the same rank, and singular values that do not depend on the units of rows and
    columns. D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices", Rutherford Appleton
    Laboratory, RAL-TR-2001-034, 2001.
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


def always_singular(builder: Builder, matrix: MatrixLike) -> bool:
    """Return whether a matrix has no inverse in any posture; evaluated at postures drawn at random.

    The pattern of zeros does not suffice: four parallel axes are singular because of their sines and cosines. Rows and
    columns are balanced, since rows of lengths and of angles, and columns of both kinds of joints, have no common unit;
    entries that are round-off of the terms they are sums of are zero.
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
        terms = [float(x) for x in bounds_in_numbers(graph, lits, results)]
        numbers = [0.0 if abs(x) < SINGULAR * size else x for x, size in zip(numbers, terms, strict=True)]
        rows, sizes = (
            [flat[k : k + columns] for k in range(0, len(flat), columns)] for flat in (numbers, terms)
        )
        f, g = balancing(rows)
        rows, sizes = (
            [[x * r * c for x, c in zip(row, g, strict=True)] for row, r in zip(table, f, strict=True)]
            for table in (rows, sizes)
        )
        if singular_values(rows)[-1] > SINGULAR * max(map(max, sizes)):
            return False
    return True
