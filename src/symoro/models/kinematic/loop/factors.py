"""A square matrix of expressions, factored once: systems with it and with its transpose, right side by right side.

The matrix is put in block triangular form (`kinematic.blocks`). A block of up to three rows is solved by Cramer's
rule with one division; a larger one by elimination that is written out, each column's largest entry brought to the
top by choices (`select`), so that it is safe whatever the posture. A kernel would have to be called for each right
side, or hand on its factors; of the mechanisms tried none has a block that is too long to be written out.

A block counts as singular where its pivot is below 1e-10 of the largest entry around it: the program has no value
there (`Builder.void_where`). Linear and angular equations, and both kinds of joints, have different units; entries are
multiplied by factors that make them comparable before they are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, MatrixLike, Vector, dot, transpose
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Expr, Scalar, absolute, less, maximum, select
from symoro.models.joints import is_zero
from symoro.models.kinematic.blocks import Block, diagonal_blocks, minor
from symoro.program.builder import Builder

SINGULAR = Tolerance(1e-10)  # of the largest entry around: some digits above the round-off of the elimination
CRAMER = 3  # the largest block that is solved by cofactors


def largest(values: Sequence[Scalar]) -> Scalar:
    """The largest of some sizes."""
    found: Scalar = 0
    for x in dict.fromkeys(absolute(x) for x in values if not is_zero(x)):
        found = x if is_zero(found) else maximum(found, x)
    return found


class LoopFactors:
    """A matrix that systems are solved with.

    Arguments:
        beside: further entries of a row, to compare a pivot with that stands alone in its row and column.
        rows, columns: factors that make the entries comparable: 1, or a length that depends on parameters alone.
    """

    def __init__(
        self,
        builder: Builder,
        matrix: MatrixLike,
        name: str,
        beside: Callable[[int], Sequence[Scalar]],
        rows: Sequence[Scalar],
        columns: Sequence[Scalar],
    ) -> None:
        self.builder, self.matrix, self.name = builder, [list(row) for row in matrix], name
        self.beside, self.rows, self.columns = beside, rows, columns
        blocks = diagonal_blocks(matrix)
        if blocks is None:
            raise NotApplicableError("the loops do not determine the passive joints")
        self.parts = [_DiagonalBlock(self, block, k) for k, block in enumerate(blocks, 1)]

    def solve(self, right: Sequence[Scalar]) -> Vector:
        """x with A x = right."""
        found: dict[int, Scalar] = {}
        for part in self.parts:
            rest = []
            for r in part.block.rows:
                line = right[r]
                for c, x in found.items():
                    line = line - self.matrix[r][c] * x
                rest.append(line)
            found.update(zip(part.block.columns, part.solve(rest), strict=True))
        return [found[c] for c in range(len(right))]

    def solve_transposed(self, right: Sequence[Scalar]) -> Vector:
        """y with A' y = right."""
        found: dict[int, Scalar] = {}
        for part in reversed(self.parts):
            rest = []
            for c in part.block.columns:
                line = right[c]
                for r, y in found.items():
                    line = line - self.matrix[r][c] * y
                rest.append(line)
            found.update(zip(part.block.rows, part.solve_transposed(rest), strict=True))
        return [found[r] for r in range(len(right))]

    def volumes(self) -> Vector:
        """Of each pivot its share of what it is compared with; their product changes its sign where det A does."""
        return [x for part in self.parts for x in part.volumes()]


class _DiagonalBlock:
    """A diagonal block."""

    def __init__(self, whole: LoopFactors, block: Block, number: int) -> None:
        self.whole, self.block, self.number = whole, block, number
        self.small = [[whole.matrix[r][c] for c in block.columns] for r in block.rows]
        self.rows = [whole.rows[r] for r in block.rows]
        self.columns = [whole.columns[c] for c in block.columns]

    def solve(self, right: Sequence[Scalar]) -> Vector:
        if all(is_zero(x) for x in right):
            return [0] * len(right)
        return self.inverse.times(right) if len(right) <= CRAMER else self.eliminated.solve(right)

    def solve_transposed(self, right: Sequence[Scalar]) -> Vector:
        if all(is_zero(x) for x in right):
            return [0] * len(right)
        return (
            self.inverse.times_transposed(right)
            if len(right) <= CRAMER
            else self.eliminated.solve_transposed(right)
        )

    def volumes(self) -> Vector:
        if len(self.small) <= CRAMER:
            det, scale = self._determinant
            return [det / scale]
        found = [size / self.around for size in self.eliminated.sizes]
        for _, _, larger in self.eliminated.swaps:
            found[0] = select(larger, -1, 1) * found[0]
        return found

    @cached_property
    def around(self) -> Scalar:
        """The largest entry in the rows and columns of the block, in units that are comparable."""
        matrix, rows, columns = self.whole.matrix, self.block.rows, self.block.columns
        places = [(r, c) for r in rows for c in range(len(matrix))]
        places += [(r, c) for r in range(len(matrix)) for c in columns]
        alone = sum(not is_zero(matrix[r][c]) for r, c in places) == 2  # once in its row, once in its column
        if alone:
            return largest([matrix[rows[0]][columns[0]], *self.whole.beside(rows[0])])
        by_factor: dict[tuple[Scalar, Scalar], list[Scalar]] = {}
        for r, c in places:
            by_factor.setdefault((self.whole.rows[r], self.whole.columns[c]), []).append(matrix[r][c])
        return largest([f * g * largest(entries) for (f, g), entries in by_factor.items()])

    @cached_property
    def _determinant(self) -> tuple[Expr, Scalar]:
        """The determinant of a small block, and the volume that rows of such a size can have."""
        every = range(len(self.small))
        scale = self.around
        if len(self.small) > 1:
            scale = 1
            uniform = len(set(self.columns)) == 1
            for row in self.small:
                entries = row if uniform else [x * g for x, g in zip(row, self.columns, strict=True)]
                scale = scale * largest(entries)
            for g in () if uniform else self.columns:
                scale = scale / g
        return self.whole.builder.number(minor(self.small, every, every)), scale

    @cached_property
    def inverse(self) -> _Cofactors:
        builder, every = self.whole.builder, range(len(self.small))
        det, scale = self._determinant
        inverse = builder.named(f"{self.whole.name}{self.number}", 1 / det)
        self._void(inverse, det, scale)
        cofactors: Matrix = [
            [
                (-1) ** (r + c)
                * minor(self.small, [i for i in every if i != r], [j for j in every if j != c])
                for c in every
            ]
            for r in every
        ]
        return _Cofactors(inverse, cofactors)

    @cached_property
    def eliminated(self) -> _Elimination:
        made = _Elimination(
            self.whole.builder, self.small, f"{self.whole.name}{self.number}", self.rows, self.columns
        )
        for (inverse, _), size in zip(made.pivots, made.sizes, strict=True):
            self._void(inverse, size, self.around)
        return made

    def _void(self, inverse: Expr, pivot: Scalar, scale: Scalar) -> None:
        regular = less(SINGULAR * scale, absolute(pivot))
        self.whole.builder.void_where(select(regular, 0, 1), inverse)


@dataclass(frozen=True)
class _Cofactors:
    """The inverse of a small block: cofactors and 1 / det."""

    inverse: Expr
    cofactors: Matrix

    def times(self, right: Sequence[Scalar]) -> Vector:
        return [self.inverse * dot(column, right) for column in transpose(self.cofactors)]

    def times_transposed(self, right: Sequence[Scalar]) -> Vector:
        return [self.inverse * dot(row, right) for row in self.cofactors]


class _Elimination:
    """P A = L U, the rows exchanged by choices: a swap is remembered by its condition.

    Attributes:
        pivots: each with its inverse; `sizes` are the same in units that are comparable.
    """

    def __init__(
        self,
        builder: Builder,
        matrix: MatrixLike,
        name: str,
        row_factors: Sequence[Scalar],
        column_factors: Sequence[Scalar],
    ) -> None:
        n = self.n = len(matrix)
        rows: list[list[Scalar]] = [list(row) for row in matrix]
        self.factors = list(row_factors)  # they change places with the rows
        self.sizes: Vector = []
        self.lower: Matrix = [[0] * n for _ in range(n)]
        self.swaps: list[tuple[int, int, Scalar]] = []
        self.pivots: list[tuple[Expr, Scalar]] = []
        for c in range(n):
            self._bring_up(rows, c)
            inverse = builder.named(f"{name}_{c + 1}", 1 / builder.number(rows[c][c]))
            self.pivots.append((inverse, rows[c][c]))
            self.sizes.append(self.factors[c] * column_factors[c] * rows[c][c])
            for r in range(c + 1, n):
                if is_zero(rows[r][c]):
                    continue
                factor = self.lower[r][c] = rows[r][c] * inverse
                for k in range(c + 1, n):
                    rows[r][k] = rows[r][k] - factor * rows[c][k]
                rows[r][c] = 0
        self.upper = rows

    def _bring_up(self, rows: list[list[Scalar]], c: int) -> None:
        """The largest entry of a column to the diagonal; with it the factors that the rows have already."""
        for r in range(c + 1, self.n):
            if is_zero(rows[r][c]):
                continue
            upper_size, lower_size = (absolute(rows[k][c]) * self.factors[k] for k in (c, r))
            if self.factors[c] == self.factors[r]:
                upper_size, lower_size = absolute(rows[c][c]), absolute(rows[r][c])
            larger: Scalar = 1 if is_zero(rows[c][c]) else less(upper_size, lower_size)
            self.swaps.append((c, r, larger))
            if self.factors[c] != self.factors[r]:
                one, other = self.factors[c], self.factors[r]
                self.factors[c], self.factors[r] = select(larger, other, one), select(larger, one, other)
            for table in (rows, self.lower):
                upper, lower = table[c], table[r]
                table[c] = [select(larger, y, x) for x, y in zip(upper, lower, strict=True)]
                table[r] = [select(larger, x, y) for x, y in zip(upper, lower, strict=True)]

    def solve(self, right: Sequence[Scalar]) -> Vector:
        x = list(right)
        for c, r, larger in self.swaps:
            x[c], x[r] = select(larger, x[r], x[c]), select(larger, x[c], x[r])
        for r in range(self.n):
            for k in range(r):
                x[r] = x[r] - self.lower[r][k] * x[k]
        for r in reversed(range(self.n)):
            for k in range(r + 1, self.n):
                x[r] = x[r] - self.upper[r][k] * x[k]
            x[r] = self.pivots[r][0] * x[r]
        return x

    def solve_transposed(self, right: Sequence[Scalar]) -> Vector:
        x = list(right)
        for r in range(self.n):
            for k in range(r):
                x[r] = x[r] - self.upper[k][r] * x[k]
            x[r] = self.pivots[r][0] * x[r]
        for r in reversed(range(self.n)):
            for k in range(r + 1, self.n):
                x[r] = x[r] - self.lower[k][r] * x[k]
        for c, r, larger in reversed(self.swaps):
            x[c], x[r] = select(larger, x[r], x[c]), select(larger, x[c], x[r])
        return x
