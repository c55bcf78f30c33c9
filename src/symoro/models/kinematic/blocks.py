"""Square matrices of expressions, block by block.

Rows and columns are ordered so that the matrix is block lower triangular (a perfect matching of its nonzero pattern,
then the strongly connected parts, as Dulmage and Mendelsohn do). Determinants and linear systems then only meet the
diagonal blocks: for an arm with a spherical wrist two of 3x3 in place of one of 6x6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from symoro.expr import ops
from symoro.expr.bounds import bounds_in_numbers
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import Matrix, MatrixLike
from symoro.expr.scalar import Scalar
from symoro.models.joints import is_zero
from symoro.models.kinematic.singular_values import balancing, singular_values
from symoro.program.builder import Builder

CLASSES = (ops.PARAMETER, ops.VARIABLE)


@dataclass(frozen=True)
class Block:
    """Rows and columns of one diagonal block, in order of elimination."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


def diagonal_blocks(matrix: MatrixLike) -> list[Block] | None:
    """The diagonal blocks, each depending only on columns of the ones before; None when structurally singular."""
    n = len(matrix)
    pattern = [[c for c in range(n) if not is_zero(row[c])] for row in matrix]
    match = _matching(pattern, n)
    if match is None:
        return None
    row_of = {c: r for r, c in enumerate(match)}
    after = [[row_of[c] for c in pattern[r] if row_of[c] != r] for r in range(n)]
    return [Block(tuple(sorted(part)), tuple(sorted(match[r] for r in part))) for part in _components(after)]


def _matching(pattern: Sequence[Sequence[int]], n: int) -> list[int] | None:
    """A column for each row, by augmenting paths."""
    row_of: dict[int, int] = {}

    def augment(r: int, seen: set[int]) -> bool:
        for c in pattern[r]:
            if c not in seen:
                seen.add(c)
                if c not in row_of or augment(row_of[c], seen):
                    row_of[c] = r
                    return True
        return False

    if not all(augment(r, set()) for r in range(n)):
        return None
    column = [0] * n
    for c, r in row_of.items():
        column[r] = c
    return column


def _components(after: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected parts, each after those it depends on (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    parts: list[list[int]] = []

    def visit(v: int) -> None:
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in after[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            parts.append(stack[at:])
            del stack[at:]

    for v in range(len(after)):
        if v not in index:
            visit(v)
    return parts


SINGULAR = 1e-13  # of the terms that the entries are sums of: some hundred times their round-off


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
            {name: x for (name, cls), x in drawn.items() if cls == which} for which in CLASSES
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


def permutation_sign(order: Sequence[int]) -> int:
    """+1 or -1."""
    sign, seen = 1, set()
    for start in range(len(order)):
        length, at = 0, start
        while at not in seen:
            seen.add(at)
            at = order[at]
            length += 1
        if length and length % 2 == 0:
            sign = -sign
    return sign


def minor(matrix: MatrixLike, rows: Sequence[int], columns: Sequence[int]) -> Scalar:
    """The determinant of a submatrix by expansion along rows; every smaller minor is formed once."""
    known: dict[tuple[int, ...], Scalar] = {(): 1}

    def of(chosen: tuple[int, ...]) -> Scalar:
        if chosen not in known:
            row = matrix[rows[len(rows) - len(chosen)]]
            total: Scalar = 0
            for k, c in enumerate(chosen):
                if not is_zero(row[c]):
                    term = row[c] * of(chosen[:k] + chosen[k + 1 :])
                    total = total - term if k % 2 else total + term
            known[chosen] = total
        return known[chosen]

    return of(tuple(columns))


def block_sign(blocks: Sequence[Block]) -> int:
    """The sign between the determinant and the product of the blocks' determinants."""
    rows = [r for b in blocks for r in b.rows]
    columns = [c for b in blocks for c in b.columns]
    return permutation_sign(rows) * permutation_sign(columns)


MAX_COFACTOR = 3  # beyond this elimination is cheaper than cofactors


def solve(builder: Builder, matrix: MatrixLike, right: MatrixLike) -> Matrix | None:
    """X with matrix X = right (rows of right may have several columns), or None when always singular."""
    blocks = diagonal_blocks(matrix)
    if blocks is None or always_singular(builder, matrix):
        return None
    width = len(right[0])
    found: dict[int, list[Scalar]] = {}
    for part in blocks:
        rest = []
        for r in part.rows:
            line = list(right[r])
            for c, known in found.items():
                if not is_zero(matrix[r][c]):
                    line = [x - matrix[r][c] * k for x, k in zip(line, known, strict=True)]
            rest.append(line)
        for c, line in zip(part.columns, _solve_block(builder, matrix, part, rest, width), strict=True):
            found[c] = line
    return [found[c] for c in range(len(matrix))]


def _solve_block(builder: Builder, matrix: MatrixLike, part: Block, rest: Matrix, width: int) -> Matrix:
    small = [[matrix[r][c] for c in part.columns] for r in part.rows]
    n = len(small)
    if n > MAX_COFACTOR:
        flat = [x for row in small for x in row]
        columns = [builder.call("solve", flat, [line[k] for line in rest]) for k in range(width)]
        return [[column[r] for column in columns] for r in range(n)]
    every = range(n)
    inverse_det = builder.named("IDET", builder.number(1) / minor(small, every, every))
    solution: Matrix = []
    for c in every:
        line: list[Scalar] = [0] * width
        for r in every:
            cofactor = minor(small, [i for i in every if i != r], [j for j in every if j != c])
            if not is_zero(cofactor):
                weight = -cofactor if (r + c) % 2 else cofactor
                line = [x + weight * y for x, y in zip(line, rest[r], strict=True)]
        solution.append([x * inverse_det for x in line])
    return solution
