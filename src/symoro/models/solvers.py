"""Symbolic linear solvers: straight-line code for A x = b over expressions.

    TreeFactors      A = L' D L of a symmetric matrix with the zeros of a tree
    SchurComplement  (J A^-1 J') f = b, with the factors of A; dependent rows give the f of least norm
    PivotedFactors   P A = L U, rows exchanged by `select`
    BlockFactors     a square matrix in block triangular form, each diagonal block by cofactors or with pivoting
    SparseRows       sparse rows, one unknown eliminated after the other, the last ones by cofactors

Each matrix is factored once and then used for any number of right-hand sides. The code has no branches: rows are
exchanged by the expression `select(condition, x, y)`, and the solution is NaN in configurations where the system is
singular.

R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5 (TreeFactors) and 8.3 (SchurComplement).
I. S. Duff and J. K. Reid, "An implementation of Tarjan's algorithm for the block triangularization of a matrix", ACM
Transactions on Mathematical Software 4(2), 1978.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, MatrixLike, Vector, dot, transpose
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Expr, Scalar, absolute, less, less_equal, maximum, minimum, select, sqrt
from symoro.models.joints import is_zero
from symoro.models.tolerances import CONSISTENT_ROWS, DEPENDENT_ROWS, SINGULAR_PIVOT
from symoro.program.builder import Builder

MAX_COFACTORS = 3
"""Rows of the largest block that is solved by cofactors; elimination is cheaper for larger ones."""

Key = TypeVar("Key", bound=Hashable)


# -- symmetric matrices: A = L' D L


def reciprocal(key: Hashable, pivot: Scalar) -> Scalar:
    """Return 1 / pivot.

    Args:
        key: the unknown of the pivot, for the error message.

    Raises:
        NotApplicableError: the pivot is the number zero.
    """
    if is_zero(pivot):
        raise NotApplicableError(f"the matrix is singular: the pivot of unknown {key} is zero")
    return 1 / pivot


class TreeFactors(Generic[Key]):
    """Factors A = L' D L of a symmetric matrix whose unknowns form a tree, eliminated from the tips inward.

    Zeros A_ij = 0 for i and j on different branches of the tree remain zeros in L.

    Args:
        entries: matrix entries by (i, j), with i = j or i an ancestor of j.
        parents: the parent of each unknown, each unknown after its parent; the parent of a root is any value that is
            not an unknown (0, None).
        invert: function (unknown, pivot) that returns 1 / pivot and raises an error if the pivot is the number zero.

    Attributes:
        pivots, inverse: D and 1 / D.
    """

    def __init__(
        self,
        entries: Mapping[tuple[Key, Key], Scalar],
        parents: Mapping[Key, object],
        invert: Callable[[Key, Scalar], Scalar] = reciprocal,
    ) -> None:
        a = dict(entries)
        self.before = {k: ancestors(parents, k) for k in parents}
        self.lower: dict[tuple[Key, Key], Scalar] = {}
        self.pivots: dict[Key, Scalar] = {}
        self.inverse: dict[Key, Scalar] = {}
        for k in reversed(list(self.before)):
            self.pivots[k], self.inverse[k] = a[k, k], invert(k, a[k, k])
            for i in self.before[k]:
                factor = a[i, k] * self.inverse[k]
                for h in (i, *self.before[i]):
                    a[h, i] = a[h, i] - factor * a[h, k]
                self.lower[i, k] = factor

    def inward(self, right: Mapping[Key, Scalar]) -> dict[Key, Scalar]:
        """Return the solution y of L' y = right."""
        y = dict(right)
        for k in reversed(list(self.before)):
            for i in self.before[k]:
                y[i] = y[i] - self.lower[i, k] * y[k]
        return y

    def outward(self, y: Mapping[Key, Scalar]) -> dict[Key, Scalar]:
        """Return the solution x of D L x = y."""
        x = dict(y)
        for k, before in self.before.items():
            x[k] = x[k] * self.inverse[k]
            for i in before:
                x[k] = x[k] - self.lower[i, k] * x[i]
        return x

    def solve(self, right: Mapping[Key, Scalar]) -> dict[Key, Scalar]:
        """Return the solution x of A x = right."""
        return self.outward(self.inward(right))

    def solve_columns(self, columns: Sequence[Mapping[Key, Scalar]]) -> list[dict[Key, Scalar]]:
        """Return the solutions x of A x = b for several right-hand sides b that are zero on some branches of the tree.

        On a branch where b is zero, the unknowns x_k are linear functions of the unknowns x_i between the branch and
        the root, x_k = sum of R_ki x_i. R is computed once for all columns.
        """
        branches: dict[Key, dict[tuple[Key, Key], Scalar]] = {}
        solutions = []
        for column in columns:
            y = self.inward(column)
            tops: dict[Key, Key] = {}  # the first unknown of the zero branch with unknown k
            x: dict[Key, Scalar] = {}
            for k, before in self.before.items():
                if is_zero(y[k]):
                    tops[k] = tops.get(before[0], k) if before else k
                    x[k] = 0
                    rows = branches.setdefault(tops[k], {})
                    for i in self.before[tops[k]]:
                        x[k] = x[k] + self._reached(rows, k, tops[k], i) * x[i]
                else:
                    x[k] = y[k] * self.inverse[k]
                    for i in before:
                        x[k] = x[k] - self.lower[i, k] * x[i]
            solutions.append(x)
        return solutions

    def _reached(self, rows: dict[tuple[Key, Key], Scalar], k: Key, top: Key, i: Key) -> Scalar:
        """Return R_ki of `solve_columns` for an unknown k of the branch that begins at `top`; store it in `rows`."""
        if (k, i) not in rows:
            total = -self.lower[i, k]
            for h in self.before[k]:
                if h == top or top in self.before[h]:
                    total = total - self.lower[h, k] * self._reached(rows, h, top, i)
            rows[k, i] = total
        return rows[k, i]


def ancestors(parents: Mapping[Key, object], k: Key) -> list[Key]:
    """Return the ancestors of k in a tree, nearest first, including the root.

    Args:
        parents: the parent of each node; at a root any value that is not a node.
    """
    path: list[Key] = []
    parent = parents[k]
    while parent in parents:
        path.append(parent)  # type: ignore[arg-type]  # a parent that is a key
        parent = parents[parent]  # type: ignore[index]
    return path


def chain_parents(keys: Sequence[Key]) -> dict[Key, Key | None]:
    """Return the tree of unknowns for a full matrix: the parent of each key is the previous key."""
    return dict(zip(keys, (None, *keys[:-1]), strict=True))


def symmetric_factors(
    a: MatrixLike, invert: Callable[[int, Scalar], Scalar] = reciprocal
) -> TreeFactors[int]:
    """Return the factors a = L' D L of a full symmetric matrix; the last row is eliminated first.

    Args:
        invert: function of a row number and its pivot that returns 1 / pivot.
    """
    n = len(a)
    entries = {(i, k): a[i][k] for k in range(n) for i in range(k + 1)}
    return TreeFactors(entries, chain_parents(range(n)), invert)


def solve_symmetric(
    a: MatrixLike, right: Sequence[Scalar], invert: Callable[[int, Scalar], Scalar] = reciprocal
) -> Vector:
    """Return the solution x of a x = right for a full symmetric matrix.

    Args:
        invert: function of a row number and its pivot that returns 1 / pivot.
    """
    return list(symmetric_factors(a, invert).solve(dict(enumerate(right))).values())


class SchurComplement(Generic[Key]):
    """Schur complement J A^-1 J' = Y' D^-1 Y with Y = L'^-1 J', for the system A x + J' f = b, J x = c.

    Args:
        factors: the factors L and D of A.
        rows: the rows of J; each one contains its entries by unknown.
        damping: number added to the diagonal, so that dependent rows have a solution (that of least norm); None if
            there is no damping.
    """

    def __init__(
        self, factors: TreeFactors[Key], rows: Iterable[Mapping[Key, Scalar]], damping: Scalar | None = None
    ) -> None:
        self.factors, self.damped = factors, damping is not None
        self.rows = [factors.inward(row) for row in rows]
        self.scaled = [{k: x * factors.inverse[k] for k, x in row.items()} for row in self.rows]
        self.matrix = [[_product(one, other) for other in self.rows] for one in self.scaled]
        if damping is not None:
            for k, row in enumerate(self.matrix):
                row[k] = row[k] + damping

    def solve(self, b: Mapping[Key, Scalar], c: Sequence[Scalar]) -> tuple[dict[Key, Scalar], Vector]:
        """Return the solution x and f of A x + J' f = b, J x = c.

        Where the rows of J are dependent, x is unique and f is the solution of least norm. Without damping, x and f are
        NaN where dependent rows contradict each other.
        """
        y = self.factors.inward(b)
        right = [_product(row, y) - x for row, x in zip(self.scaled, c, strict=True)]
        if self.damped:
            forces = list(symmetric_factors(self.matrix).solve(dict(enumerate(right))).values())
        else:
            energy = dot(list(y.values()), [x * self.factors.inverse[k] for k, x in y.items()])
            trace = sum((row[k] for k, row in enumerate(self.matrix[1:], 1)), start=self.matrix[0][0])
            # By the Cauchy-Schwarz inequality a bound of the squared terms of the right-hand side.
            forces = least_norm_solution(self.matrix, right, trace * energy + dot(c, c))
        for row, force in zip(self.rows, forces, strict=True):
            y = {k: x - row[k] * force for k, x in y.items()}
        return self.factors.outward(y), forces


def least_norm_solution(matrix: MatrixLike, right: Sequence[Scalar], square: Scalar) -> Vector:
    """Return the solution of least norm of a symmetric positive semidefinite system.

    A row whose pivot vanishes relative to its diagonal entry is a combination of other rows (a dependent row). Its
    unknown is set to zero, and the components of the solution along the null space of the matrix are subtracted. All
    entries are NaN if the right-hand side of a dependent row contradicts the other equations.

    Args:
        right: the right-hand side.
        square: squared magnitude of the terms of the right-hand side, to decide whether a dependent row contradicts the
            other equations.
    """
    n = len(right)
    independent: dict[int, Scalar] = {}

    def invert(k: int, pivot: Scalar) -> Scalar:
        independent[k] = select(less(SINGULAR_PIVOT * matrix[k][k], pivot), 1, 0)
        return independent[k] / select(independent[k], pivot, 1)

    factors = symmetric_factors(matrix, invert)
    residuals = factors.inward(dict(enumerate(right)))
    contradictions: Scalar = 0
    for k, residual in residuals.items():
        consistent = less_equal(residual * residual, CONSISTENT_ROWS * square)
        contradictions = contradictions + select(independent[k], 0, select(consistent, 0, 1))
    x = list(factors.outward(residuals).values())
    orthogonal: list[
        tuple[Vector, Scalar]
    ] = []  # vectors of the null space, each with 1 / squared norm or zero
    for k in reversed(range(n)):
        vector: Vector = [*([0] * k), 1]
        for j in range(k + 1, n):
            vector.append(-dot([factors.lower[i, j] for i in range(k, j)], vector[k:j]))
        for other, weight in orthogonal:
            component = weight * dot(other, vector)
            vector = [a - component * b for a, b in zip(vector, other, strict=True)]
        orthogonal.append((vector, (1 - independent[k]) / dot(vector, vector)))
    for vector, weight in orthogonal:
        component = weight * dot(vector, x)
        x = [a - component * b for a, b in zip(x, vector, strict=True)]
    void = sqrt(-contradictions)  # NaN where a dependent row contradicts the others, else zero
    return [a + void for a in x]


def _product(one: Mapping[Key, Scalar], other: Mapping[Key, Scalar]) -> Scalar:
    return dot(list(one.values()), [other[k] for k in one])


# -- square matrices with partial pivoting


def largest(values: Iterable[Scalar]) -> Scalar:
    """Return the largest magnitude of the values."""
    return _maximum(absolute(x) for x in values)


def _maximum(sizes: Iterable[Scalar]) -> Scalar:
    """Return the largest of some nonnegative values."""
    most: Scalar = 0
    for x in dict.fromkeys(x for x in sizes if not is_zero(x)):
        most = x if is_zero(most) else maximum(most, x)
    return most


class PivotedFactors:
    """Factors P A = L U with partial pivoting; rows are exchanged by `select`, so that zero pivots are avoided.

    Args:
        row_factors, column_factors: lengths of the robot, or 1, that make entries of different units comparable.
        named: function (number of the pivot, 1 / pivot) that gives the reciprocal a name in the program and returns it.

    Attributes:
        pivots, inverse: the diagonal of U and its reciprocals.
        sizes: the pivots multiplied by the factors of their rows and columns, so that they are comparable.
        exchanges: one condition per possible exchange of two rows; it is 1 where the rows are exchanged.
    """

    def __init__(
        self,
        matrix: MatrixLike,
        row_factors: Sequence[Scalar] | None = None,
        column_factors: Sequence[Scalar] | None = None,
        named: Callable[[int, Scalar], Scalar] = lambda _, inverse: inverse,
    ) -> None:
        n = self.n = len(matrix)
        rows = self.upper = [list(row) for row in matrix]
        self._factors = list(row_factors or [1] * n)  # exchanged together with the rows
        columns = column_factors or [1] * n
        self._swaps: list[list[tuple[int, Scalar]]] = []
        self._lower: list[dict[int, Scalar]] = []
        self.pivots: Vector = []
        self.inverse: Vector = []
        self.sizes: Vector = []
        for c in range(n):
            self._swaps.append(self._bring_up(rows, c))
            self.pivots.append(rows[c][c])
            self.inverse.append(named(c, 1 / rows[c][c]))
            self.sizes.append(self._factors[c] * columns[c] * rows[c][c])
            lower: dict[int, Scalar] = {}
            for r in range(c + 1, n):
                if is_zero(rows[r][c]):
                    continue
                factor = lower[r] = rows[r][c] * self.inverse[c]
                for k in range(c + 1, n):
                    rows[r][k] = rows[r][k] - factor * rows[c][k]
                rows[r][c] = 0
            self._lower.append(lower)

    @property
    def exchanges(self) -> Vector:
        return [larger for swaps in self._swaps for _, larger in swaps]

    def _bring_up(self, rows: Matrix, c: int) -> list[tuple[int, Scalar]]:
        """Move the largest entry of column c, among those on or below the diagonal, to the diagonal.

        Returns:
            The rows r that may be exchanged with row c, each with the condition of the exchange.
        """
        f, swaps = self._factors, []
        for r in range(c + 1, self.n):
            if is_zero(rows[r][c]):
                continue
            upper_size, lower_size = absolute(rows[c][c]), absolute(rows[r][c])
            if f[c] != f[r]:
                upper_size, lower_size = upper_size * f[c], lower_size * f[r]
            larger: Scalar = 1 if is_zero(rows[c][c]) else less(upper_size, lower_size)
            swaps.append((r, larger))
            if f[c] != f[r]:
                _exchange(f, c, r, larger)
            pairs = list(zip(rows[c], rows[r], strict=True))
            rows[c] = [select(larger, y, x) for x, y in pairs]
            rows[r] = [select(larger, x, y) for x, y in pairs]
        return swaps

    def solve(self, right: Sequence[Scalar]) -> Vector:
        """Return the solution x of A x = right."""
        x = list(right)
        for c, (swaps, lower) in enumerate(zip(self._swaps, self._lower, strict=True)):
            for r, larger in swaps:
                _exchange(x, c, r, larger)
            for r, factor in lower.items():
                x[r] = x[r] - factor * x[c]
        for r in reversed(range(self.n)):
            for k in range(r + 1, self.n):
                x[r] = x[r] - self.upper[r][k] * x[k]
            x[r] = self.inverse[r] * x[r]
        return x

    def solve_transposed(self, right: Sequence[Scalar]) -> Vector:
        """Return the solution y of A' y = right."""
        y = list(right)
        for r in range(self.n):
            for k in range(r):
                y[r] = y[r] - self.upper[k][r] * y[k]
            y[r] = self.inverse[r] * y[r]
        for c in reversed(range(self.n)):
            for r, factor in self._lower[c].items():
                y[c] = y[c] - factor * y[r]
            for r, larger in reversed(self._swaps[c]):
                _exchange(y, c, r, larger)
        return y


def _exchange(x: Vector, c: int, r: int, larger: Scalar) -> None:
    x[c], x[r] = select(larger, x[r], x[c]), select(larger, x[c], x[r])


@dataclass(frozen=True)
class Solution:
    """Solutions of linear systems with one matrix.

    Attributes:
        columns: the solution for each right-hand side.
        regular: 1 where the matrix is regular, otherwise 0.
    """

    columns: list[Vector]
    regular: Scalar


def solve_pivoted(
    a: MatrixLike,
    right: Sequence[Sequence[Scalar]],
    *,
    row_factors: Sequence[Scalar] | None = None,
    column_factors: Sequence[Scalar] | None = None,
) -> Solution:
    """Return the solution x of a x = b for each right-hand side b, and whether `a` is regular.

    The matrix is regular if its smallest pivot is not negligible compared with its largest entry. If rows or columns
    have different units (linear and angular velocities, revolute and prismatic joints), `row_factors` and
    `column_factors` make their entries comparable.
    """
    n = len(a)
    f, g = row_factors or [1] * n, column_factors or [1] * n
    rows = [[f[i] * x for x in row] for i, row in enumerate(a)]
    most = _maximum(g[k] * largest(row[k] for row in rows) for k in range(n))
    factors = PivotedFactors(rows, column_factors=g)
    sizes = [g[k] * absolute(x) for k, x in enumerate(factors.pivots)]
    least = sizes[0]
    for size in sizes[1:]:
        least = minimum(least, size)
    columns = [factors.solve([f[i] * x for i, x in enumerate(b)]) for b in right]
    return Solution(columns, less(SINGULAR_PIVOT * most, least))


# -- square matrices block by block


@dataclass(frozen=True)
class Block:
    """Row and column numbers of one diagonal block of a matrix in block triangular form, in order of elimination."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


def diagonal_blocks(matrix: MatrixLike) -> list[Block] | None:
    """Return the diagonal blocks of a matrix that is permuted to block lower triangular form.

    Rows and columns are ordered by a perfect matching of the nonzero pattern and its strongly connected components:
    each block depends only on the columns of previous blocks. An arm with a spherical wrist has two 3x3 blocks
    instead of one 6x6 block.

    Returns:
        The blocks in order of elimination, or None if the matrix is structurally singular.
    """
    n = len(matrix)
    pattern = [[c for c in range(n) if not is_zero(row[c])] for row in matrix]
    match = _matching(pattern, n)
    if match is None:
        return None
    row_of = {c: r for r, c in enumerate(match)}
    after = [[row_of[c] for c in pattern[r] if row_of[c] != r] for r in range(n)]
    return [Block(tuple(sorted(part)), tuple(sorted(match[r] for r in part))) for part in _components(after)]


def _matching(pattern: Sequence[Sequence[int]], n: int) -> list[int] | None:
    """Assign to each row of a matrix a different column in which the row has a nonzero entry (augmenting paths).

    Args:
        pattern: the columns of the nonzero entries of each row.
        n: number of rows and columns.

    Returns:
        The column assigned to each row, or None if there is no such perfect matching.
    """
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
    """Return the strongly connected components of a directed graph in topological order (Tarjan's algorithm).

    A component comes after the components on which it depends.

    Args:
        after: for each node, the nodes on which it depends.
    """
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


def permutation_sign(order: Sequence[int]) -> int:
    """Return the sign of a permutation of 0 .. n - 1, +1 or -1."""
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


def block_sign(blocks: Sequence[Block]) -> int:
    """Return the ratio (+1 or -1) of det(A) and the product of the determinants of the diagonal blocks of A."""
    rows = [r for b in blocks for r in b.rows]
    columns = [c for b in blocks for c in b.columns]
    return permutation_sign(rows) * permutation_sign(columns)


def minor(matrix: MatrixLike, rows: Sequence[int], columns: Sequence[int]) -> Scalar:
    """Return the determinant of the submatrix with the given rows and columns.

    The determinant is expanded along rows; every smaller minor is computed once.
    """
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


def determinant(matrix: MatrixLike) -> Scalar:
    """Return the determinant of a square matrix, by cofactors."""
    return minor(matrix, range(len(matrix)), range(len(matrix)))


def adjugate(matrix: MatrixLike) -> Matrix:
    """Return the adjugate of a square matrix, which is its inverse times its determinant."""
    every = range(len(matrix))
    return [
        [
            (-1) ** (r + c) * minor(matrix, [i for i in every if i != r], [j for j in every if j != c])
            for r in every
        ]
        for c in every
    ]


@dataclass(frozen=True)
class SingularityTest:
    """Data of the test for singular blocks, which compares their pivots with the other entries of the rows and columns.

    Outputs are NaN in configurations where a pivot is negligible.

    Attributes:
        beside: function of a row number that returns further entries for the comparison. It is used if the pivot is the
            only entry of its row and column.
        rows, columns: factors of rows and columns that make the entries comparable: 1, or a length that depends on
            parameters alone.
    """

    beside: Callable[[int], Sequence[Scalar]]
    rows: Sequence[Scalar]
    columns: Sequence[Scalar]


class BlockFactors:
    """Factors of a square matrix A in block triangular form, for systems with A and with its transpose.

    A block of up to three rows is solved by cofactors with one division. A larger block is eliminated with pivoting if
    there is a singularity test; otherwise the numeric function `solve` is called for each right-hand side.

    Args:
        name: name of the reciprocals of determinants and pivots in the emitted code.
        test: data of the test for singular configurations; None if they are not tested.

    Raises:
        NotApplicableError: the matrix is structurally singular.
    """

    def __init__(
        self, builder: Builder, matrix: MatrixLike, name: str, test: SingularityTest | None = None
    ) -> None:
        self.builder, self.matrix, self.name, self.test = builder, [list(row) for row in matrix], name, test
        blocks = diagonal_blocks(matrix)
        if blocks is None:
            raise NotApplicableError(
                "the equations do not determine all unknowns: the matrix is structurally singular"
            )
        self.parts = [_BlockSolver(self, block, k) for k, block in enumerate(blocks, 1)]

    def solve(self, right: Sequence[Scalar]) -> Vector:
        """Return the solution x of A x = right."""
        x: dict[int, Scalar] = {}
        for part in self.parts:
            rest = []
            for r in part.block.rows:
                line = right[r]
                for c, known in x.items():
                    line = line - self.matrix[r][c] * known
                rest.append(line)
            x.update(zip(part.block.columns, part.solve(rest), strict=True))
        return [x[c] for c in range(len(right))]

    def solve_transposed(self, right: Sequence[Scalar]) -> Vector:
        """Return the solution y of A' y = right."""
        y: dict[int, Scalar] = {}
        for part in reversed(self.parts):
            rest = []
            for c in part.block.columns:
                line = right[c]
                for r, known in y.items():
                    line = line - self.matrix[r][c] * known
                rest.append(line)
            y.update(zip(part.block.rows, part.solve(rest, transposed=True), strict=True))
        return [y[r] for r in range(len(right))]

    def volumes(self) -> Vector:
        """Return dimensionless pivots and block determinants, whose product changes sign where det(A) changes sign.

        Each pivot or determinant is divided by the magnitude of the other entries in its rows and columns.
        """
        return [x for part in self.parts for x in part.volumes()]


class _BlockSolver:
    """Solver of one diagonal block of a matrix in block triangular form."""

    def __init__(self, whole: BlockFactors, block: Block, number: int) -> None:
        self.whole, self.block = whole, block
        self.name = f"{whole.name}{number}" if whole.test else whole.name
        self.small = [[whole.matrix[r][c] for c in block.columns] for r in block.rows]

    def solve(self, right: Sequence[Scalar], *, transposed: bool = False) -> Vector:
        if all(is_zero(x) for x in right):
            return [0] * len(right)
        if len(right) <= MAX_COFACTORS:
            inverse, rows = self._adjugate
            rows = transpose(rows) if transposed else rows
            return [inverse * dot(row, right) for row in rows]
        if self.whole.test is None:
            small = transpose(self.small) if transposed else self.small
            return list(self.whole.builder.call("solve", [x for row in small for x in row], right))
        return self._pivoted.solve_transposed(right) if transposed else self._pivoted.solve(right)

    def volumes(self) -> Vector:
        if len(self.small) <= MAX_COFACTORS:
            return [self._determinant / self._volume]
        sizes = [size / self.around for size in self._pivoted.sizes]
        for larger in self._pivoted.exchanges:
            sizes[0] = select(larger, -1, 1) * sizes[0]
        return sizes

    @cached_property
    def _units(self) -> tuple[Vector, Vector]:
        assert self.whole.test is not None
        rows, columns = self.whole.test.rows, self.whole.test.columns
        return [rows[r] for r in self.block.rows], [columns[c] for c in self.block.columns]

    @cached_property
    def around(self) -> Scalar:
        """Return the largest entry in the rows and columns of the block, in comparable units."""
        test, matrix, rows, columns = self.whole.test, self.whole.matrix, self.block.rows, self.block.columns
        assert test is not None
        places = [(r, c) for r in rows for c in range(len(matrix))]
        places += [(r, c) for r in range(len(matrix)) for c in columns]
        alone = sum(not is_zero(matrix[r][c]) for r, c in places) == 2  # once in its row, once in its column
        if alone:
            return largest([matrix[rows[0]][columns[0]], *test.beside(rows[0])])
        by_factor: dict[tuple[Scalar, Scalar], list[Scalar]] = {}
        for r, c in places:
            by_factor.setdefault((test.rows[r], test.columns[c]), []).append(matrix[r][c])
        return _maximum(f * g * largest(entries) for (f, g), entries in by_factor.items())

    @cached_property
    def _determinant(self) -> Expr:
        return self.whole.builder.number(determinant(self.small))

    @cached_property
    def _volume(self) -> Scalar:
        """Return a reference value for the determinant of the block: the product of the largest entries of its rows."""
        if len(self.small) == 1:
            return self.around
        columns = self._units[1]
        volume: Scalar = 1
        uniform = len(set(columns)) == 1
        for row in self.small:
            entries = row if uniform else [x * g for x, g in zip(row, columns, strict=True)]
            volume = volume * largest(entries)
        for g in () if uniform else columns:
            volume = volume / g
        return volume

    @cached_property
    def _adjugate(self) -> tuple[Scalar, Matrix]:
        """Return 1 / det and the adjugate of the block."""
        inverse = self.whole.builder.named(self.name, 1 / self._determinant)
        if self.whole.test:
            self._void(inverse, self._determinant, self._volume)
        return inverse, adjugate(self.small)

    @cached_property
    def _pivoted(self) -> PivotedFactors:
        builder, (rows, columns) = self.whole.builder, self._units

        def named(c: int, inverse: Scalar) -> Scalar:
            return builder.named(f"{self.name}_{c + 1}", builder.number(inverse))

        made = PivotedFactors(self.small, rows, columns, named)
        for inverse, size in zip(made.inverse, made.sizes, strict=True):
            self._void(builder.number(inverse), size, self.around)
        return made

    def _void(self, inverse: Expr, pivot: Scalar, scale: Scalar) -> None:
        regular = less(SINGULAR_PIVOT * scale, absolute(pivot))
        self.whole.builder.void_where(select(regular, 0, 1), inverse)


# -- sparse rows


SparseRow = dict[int, Expr]


@dataclass(frozen=True)
class Pivot:
    """Step of an elimination: one row is solved for the unknown of one column.

    Attributes:
        inverse: reciprocal of the entry in this row and column.
        others: the other rows that contained the unknown, each with the multiple of the pivot row that was subtracted.
    """

    column: int
    row: int
    inverse: Scalar
    others: tuple[tuple[int, Scalar], ...]


@dataclass(frozen=True)
class RowElimination:
    """Result of an elimination: unknowns in `pivots` are solved one by one, the remaining ones together by cofactors.

    Attributes:
        rows: the rows after the elimination.
        columns, together: the columns that are solved by cofactors, and their rows.
        adjugate, inverse: adjugate and reciprocal determinant of the matrix of these rows and columns.
        determinant: product of the divisors that depend on the configuration, 1 if there are none; the system is
            singular where it is zero.
    """

    rows: tuple[SparseRow, ...]
    pivots: tuple[Pivot, ...]
    columns: tuple[int, ...]
    together: tuple[int, ...]
    adjugate: Matrix
    inverse: Scalar
    determinant: Scalar

    def solve(self, known: Mapping[int, Scalar], right: Sequence[Scalar]) -> dict[int, Scalar]:
        """Return the values of the unknowns, by column, from known values and the right-hand side.

        Args:
            known: values of columns that are not solved for; columns that are neither solved nor known are zero.
        """
        b = list(right)
        for pivot in self.pivots:
            for i, factor in pivot.others:
                b[i] = b[i] - factor * b[pivot.row]
        x = dict(known)
        rest = [b[i] - _row_times(self.rows[i], x) for i in self.together]
        for k, row in zip(self.columns, self.adjugate, strict=True):
            x[k] = dot(row, rest) * self.inverse
        for pivot in reversed(self.pivots):
            others = {k: entry for k, entry in self.rows[pivot.row].items() if k != pivot.column}
            x[pivot.column] = (b[pivot.row] - _row_times(others, x)) * pivot.inverse
        return x


def _row_times(row: Mapping[int, Scalar], x: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0
    for k, entry in row.items():
        if k in x:
            total = total + entry * x[k]
    return total


class SparseRows:
    """Rows of a sparse matrix during an elimination.

    The solution is NaN where a divisor that depends on the configuration vanishes compared with the size of its rows.

    Args:
        rows: the entries of each row, by column.
        unit: function of a column that returns its unit: 1, or a length (of parameters alone) that makes entries
            comparable.

    Attributes:
        left: the rows that have not been used as pivot rows.
    """

    def __init__(
        self, builder: Builder, rows: Sequence[Mapping[int, Scalar]], unit: Callable[[int], Scalar]
    ) -> None:
        self.builder, self.unit = builder, unit
        self.rows: list[SparseRow] = [{k: builder.number(x) for k, x in row.items()} for row in rows]
        self.left = set(range(len(self.rows)))
        self.pivots: list[Pivot] = []
        self.divisors: list[Scalar] = []

    def take(self, column: int, row: int) -> None:
        """Solve one row for the unknown of a column, and eliminate this unknown from the remaining rows."""
        pivot = self.rows[row][column]
        inverse = self.builder.number(self._flag(pivot, self._size(row)) / pivot)
        self.left.remove(row)
        others = []
        for i in sorted(self.left):
            if column in self.rows[i]:
                factor = self.rows[i][column] * inverse
                self.rows[i] = _without(self.rows[i], factor, self.rows[row], column)
                others.append((i, factor))
        self.pivots.append(Pivot(column, row, inverse, tuple(others)))

    def finish(self, last: Sequence[int] = ()) -> RowElimination:
        """Solve the remaining rows for the unknowns of the columns `last`, and return the elimination.

        A row with a single unknown and a constant coefficient is solved directly; the remaining rows are solved
        together by cofactors.
        """
        columns, before = list(last), len(self.pivots)
        while single := self._single(columns):
            columns.remove(single[0])
            self.take(*single)
        if not last:
            return self._elimination(self.pivots, (), (), [], 1, 1)
        together = sorted(self.left)
        matrix = [[self.rows[i].get(k, 0) for k in columns] for i in together]
        value = self.builder.number(determinant(matrix))
        size: Scalar = 1
        for k in columns:
            size = size * self.unit(k)
        for i in together:
            size = size * self._size(i)
        flag = self._flag(
            value, size
        )  # also applied to the single pivots, because the rows contradict each other where the determinant vanishes
        pivots = [
            *self.pivots[:before],
            *(replace(p, inverse=p.inverse * flag) for p in self.pivots[before:]),
        ]
        return self._elimination(pivots, columns, together, adjugate(matrix), flag / value, value)

    def _elimination(
        self,
        pivots: Sequence[Pivot],
        columns: Sequence[int],
        together: Sequence[int],
        adjugate: Matrix,
        inverse: Scalar,
        determinant: Scalar,
    ) -> RowElimination:
        for k, divisor in enumerate(self.divisors):
            determinant = divisor if k == 0 else determinant * divisor
        rows, solved = tuple(self.rows), tuple(pivots)
        return RowElimination(rows, solved, tuple(columns), tuple(together), adjugate, inverse, determinant)

    def _single(self, columns: Sequence[int]) -> tuple[int, int] | None:
        """Return a column and a row in which the column's unknown is the only one, or None.

        The coefficient of the unknown must be constant.

        Args:
            columns: the columns of the unknowns.
        """
        for i in sorted(self.left):
            there = [k for k in columns if k in self.rows[i]]
            if len(there) == 1 and len(self.left) > 1 and self.rows[i][there[0]].cls != VARIABLE:
                return there[0], i
        return None

    def _size(self, row: int) -> Scalar:
        """Return the sum of the magnitudes of a row's entries, each divided by the unit of its column."""
        total: Scalar = 0
        for k, entry in self.rows[row].items():
            total = total + absolute(entry) / self.unit(k)
        return total

    def _flag(self, value: Expr, size: Scalar) -> Scalar:
        """Return 1, or NaN in configurations where the divisor `value` is negligible compared with `size`."""
        if value.cls != VARIABLE:
            return 1
        self.divisors.append(value)
        there = self.builder.number(less(DEPENDENT_ROWS * self.builder.number(size), absolute(value)))
        return (1 - select(there, 0, self.builder.number(1))) / select(there, 1, 0)


def _without(row: SparseRow, factor: Expr, pivot: SparseRow, column: int) -> SparseRow:
    rest = dict(row)
    for k, entry in pivot.items():
        rest[k] = rest.get(k, 0 * entry) - factor * entry
    del rest[column]
    return {k: entry for k, entry in rest.items() if not entry.is_zero}
