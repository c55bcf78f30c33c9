"""The constraints W x = b solved for some of the columns: joints one after the other, then the base by Cramer's rule.

A joint that a wheel turns or spins stands in few rows, mostly with a constant (the radius, the offset of a castor). So
each unknown joint takes one row, from which it is found when the rest is known, and is eliminated from the others. What
is left binds the base alone. A row with one of its motions gives that motion, the others are left to

    A xi = b - (known columns),    xi = adj(A) (...) / det A          at most 3 x 3, no null space

Then the joints follow in the reverse order. The same steps serve velocities (b = 0) and accelerations (b = -Wdot x).

Where det A or a divisor that varies vanishes, against the size of the rows it comes from, the solution is not a number,
the motions of the base that have a row of their own included: the rows contradict each other there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, cross, dot, transpose
from symoro.expr.number import Tolerance
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Expr, Scalar, absolute, less, select
from symoro.models.kinematic.wheels.samples import PRESENT, WheelSamples
from symoro.program.builder import Builder

TINY = Tolerance(1e-9)
"""Of the size of its terms: below, a determinant is zero, or so small that rounding spoils what is divided by it."""

SparseRow = dict[int, Expr]


@dataclass(frozen=True)
class Pivot:
    """One column found from one row; `others` are the rows it was eliminated from, with the factors."""

    column: int
    row: int
    inverse: Scalar
    others: tuple[tuple[int, Scalar], ...]


@dataclass(frozen=True)
class RowElimination:
    """Rows, solved for the columns of `steps` and for those of the base that are left.

    Attributes:
        rows: after the eliminations.
        columns, base: the columns of the base that Cramer's rule finds, and their rows.
        adjugate, inverse: of their matrix.
        determinant: what must not vanish; 1 where nothing that varies is divided by.
    """

    rows: tuple[SparseRow, ...]
    steps: tuple[Pivot, ...]
    columns: tuple[int, ...]
    base: tuple[int, ...]
    adjugate: Matrix
    inverse: Scalar
    determinant: Scalar

    def solve(self, known: Mapping[int, Scalar], right: Sequence[Scalar]) -> dict[int, Scalar]:
        """x by column, from the known columns (others that are not solved for are zero) and the right side."""
        b = list(right)
        for step in self.steps:
            for i, factor in step.others:
                b[i] = b[i] - factor * b[step.row]
        x = dict(known)
        rest = [b[i] - _sum(self.rows[i], x) for i in self.base]
        for k, row in zip(self.columns, self.adjugate, strict=True):
            x[k] = dot(row, rest) * self.inverse
        for step in reversed(self.steps):
            others = {k: entry for k, entry in self.rows[step.row].items() if k != step.column}
            x[step.column] = (b[step.row] - _sum(others, x)) * step.inverse
        return x


def _sum(row: Mapping[int, Scalar], x: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0
    for k, entry in row.items():
        if k in x:
            total = total + entry * x[k]
    return total


class _WheelRows:
    """The rows on the way; `left` are those that no column has taken."""

    def __init__(self, builder: Builder, rows: Sequence[Mapping[int, Scalar]], length: Scalar) -> None:
        self.builder, self.length = builder, length
        self.rows: list[SparseRow] = [{k: builder.number(x) for k, x in row.items()} for row in rows]
        self.left = set(range(len(self.rows)))
        self.steps: list[Pivot] = []
        self.divisors: list[Scalar] = []

    def take(self, column: int, row: int) -> None:
        """Find a column from a row, and eliminate it from the others."""
        pivot = self.rows[row][column]
        flag = self.flag(pivot, self.size(row))
        inverse = self.builder.number(flag / pivot)
        self.left.remove(row)
        others = []
        for i in sorted(self.left):
            if column in self.rows[i]:
                factor = self.rows[i][column] * inverse
                self.rows[i] = _less(self.rows[i], factor, self.rows[row], column)
                others.append((i, factor))
        self.steps.append(Pivot(column, row, inverse, tuple(others)))

    def size(self, row: int) -> Scalar:
        """The magnitude of a row's entries, lengths by the robot's."""
        total: Scalar = 0
        for k, entry in self.rows[row].items():
            total = total + (absolute(entry) / self.length if k >= 2 else absolute(entry))
        return total

    def flag(self, value: Expr, size: Scalar) -> Scalar:
        """1, or not a number where a value that varies is nothing against its size."""
        if value.cls != VARIABLE:
            return 1
        self.divisors.append(value)
        there = self.builder.number(less(TINY * self.builder.number(size), absolute(value)))
        return (1 - select(there, 0, self.builder.number(1))) / select(there, 1, 0)


def eliminated(
    builder: Builder,
    rows: Sequence[Mapping[int, Scalar]],
    joints: Sequence[int],
    length: Scalar,
    *,
    base: bool,
) -> RowElimination:
    """The elimination of the joints (columns), and of the base where asked.

    Arguments:
        length: of the size of the robot, from its parameters alone; it makes the base's columns comparable.
    """
    work, waiting = _WheelRows(builder, rows, length), list(joints)
    samples = WheelSamples(builder)
    while waiting:
        column, row = _pivot(samples, work, waiting)
        waiting.remove(column)
        work.take(column, row)
    if base:
        return _with_base(work)
    return RowElimination(tuple(work.rows), tuple(work.steps), (), (), [], 1, _product(work.divisors))


def _with_base(work: _WheelRows) -> RowElimination:
    if len(work.left) != 3:
        raise NotApplicableError(f"the wheels leave {len(work.left)} rows for the three motions of the base")
    columns, joints = [0, 1, 2], len(work.steps)
    while found := _single(work, columns):
        columns.remove(found[0])
        work.take(*found)
    rows = sorted(work.left)
    adjugate, determinant = _adjugate([[work.rows[i].get(k, 0) for k in columns] for i in rows])
    value = work.builder.number(determinant)
    size: Scalar = work.length if 2 in columns else 1
    for i in rows:
        size = size * work.size(i)
    flag = work.flag(value, size)
    of_base = [replace(step, inverse=step.inverse * flag) for step in work.steps[joints:]]
    return RowElimination(
        tuple(work.rows),
        (*work.steps[:joints], *of_base),
        tuple(columns),
        tuple(rows),
        adjugate,
        flag / value,
        _product(work.divisors) if work.divisors else value,
    )


def _single(work: _WheelRows, columns: Sequence[int]) -> tuple[int, int] | None:
    """A motion of the base that has a row of its own, with a factor that does not vary, and the row."""
    for i in sorted(work.left):
        there = [k for k in columns if k in work.rows[i]]
        if len(there) == 1 and len(work.left) > 1 and work.rows[i][there[0]].cls != VARIABLE:
            return there[0], i
    return None


def _adjugate(a: Matrix) -> tuple[Matrix, Scalar]:
    """adj(a) and det(a), of one to three rows."""
    if len(a) == 1:
        return [[1]], a[0][0]
    if len(a) == 2:
        (p, q), (r, s) = a
        return [[s, -q], [-r, p]], p * s - q * r
    cofactors = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])]
    return transpose(cofactors), dot(a[0], cofactors[0])


def _product(divisors: Sequence[Scalar]) -> Scalar:
    total: Scalar = 1
    for divisor in divisors:
        total = total * divisor
    return total


def _pivot(samples: WheelSamples, work: _WheelRows, waiting: list[int]) -> tuple[int, int]:
    """A joint and a row to find it from: a constant first, then the joint that stands in the fewest rows."""
    rows, left = work.rows, work.left
    places = [(k, i) for k in waiting for i in sorted(left) if k in rows[i]]
    values = samples.values([*(rows[i][k] for k, i in places), work.length]) if places else []
    found = []
    for place, (k, i) in enumerate(places):
        if any(abs(sample[place]) <= PRESENT * abs(sample[-1]) for sample in values):  # lengths
            continue
        varies = rows[i][k].cls == VARIABLE
        unknown = sum(other in waiting for other in rows[i])
        held = sum(k in rows[other] for other in left)
        found.append((varies, held, unknown, k, i))
    if not found:
        raise NotApplicableError("the wheels do not determine the motion of every passive joint")
    *_, k, i = min(found)
    return k, i


def _less(row: SparseRow, factor: Expr, pivot: SparseRow, column: int) -> SparseRow:
    found = dict(row)
    for k, entry in pivot.items():
        found[k] = found.get(k, 0 * entry) - factor * entry
    del found[column]
    return {k: entry for k, entry in found.items() if not entry.is_zero}
