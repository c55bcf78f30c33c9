"""The constraints W x = b solved for some of the columns: joints one after the other, then the base by Cramer's rule.

A joint that a wheel turns or spins stands in few rows, mostly with a constant (the radius, the offset of a castor). So
each unknown joint takes one row, from which it is found when the rest is known, and is eliminated from the others. What
is left binds the base alone:

    A xi = b - (known columns),    xi = adj(A) (...) / det A          at most 3 x 3, no null space

Then the joints follow in the reverse order. The same steps serve velocities (b = 0) and accelerations (b = -Wdot x).

Where det A or a divisor that varies vanishes, against the size of the rows it comes from, the solution is not a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector, cross, dot
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Expr, Scalar, absolute, less, select
from symoro.models.kinematic.wheels.samples import PRESENT, Samples
from symoro.program.builder import Builder

TINY = 1e-12
"""Of the size of its terms: a determinant below is zero but for rounding."""

Row = dict[int, Expr]


@dataclass(frozen=True)
class Step:
    """One joint found from one row; `others` are the rows it was eliminated from, with the factors."""

    column: int
    row: int
    inverse: Scalar
    others: tuple[tuple[int, Scalar], ...]


@dataclass(frozen=True)
class Elimination:
    """Rows, solved for the joints of `steps` and, when `base` names three rows, for the base.

    Attributes:
        rows: after the eliminations.
        adjugate, inverse: of the rows that bind the base.
        determinant: what must not vanish; 1 where nothing is divided by.
    """

    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
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
        if self.base:
            rest = [b[i] - _sum(self.rows[i], x) for i in self.base]
            for k, row in enumerate(self.adjugate):
                x[k] = dot(row, rest) * self.inverse
        for step in reversed(self.steps):
            row = {k: entry for k, entry in self.rows[step.row].items() if k != step.column}
            x[step.column] = (b[step.row] - _sum(row, x)) * step.inverse
        return x


def _sum(row: Mapping[int, Scalar], x: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0
    for k, entry in row.items():
        if k in x:
            total = total + entry * x[k]
    return total


def eliminated(
    builder: Builder, rows: Sequence[Mapping[int, Scalar]], joints: Sequence[int], length: Scalar, *, base: bool
) -> Elimination:
    """The elimination of the joints (columns), and of the base where asked.

    Arguments:
        length: of the size of the robot, from its parameters alone; it makes the base's columns comparable.
    """
    work: list[Row] = [{k: builder.number(x) for k, x in row.items()} for row in rows]
    samples, left, waiting = Samples(builder), set(range(len(work))), list(joints)
    steps: list[Step] = []
    guards: list[Scalar] = []
    while waiting:
        column, row = _pivot(samples, work, left, waiting)
        pivot = work[row][column]
        inverse, guard = _inverse(builder, pivot, _size(work[row], length))
        if guard is not None:
            guards.append(guard)
        left.remove(row)
        waiting.remove(column)
        others = []
        for i in sorted(left):
            if column in work[i]:
                factor = work[i][column] * inverse
                work[i] = _less(work[i], factor, work[row], column)
                others.append((i, factor))
        steps.append(Step(column, row, inverse, tuple(others)))
    if not base:
        return Elimination(tuple(work), tuple(steps), (), [], 1, _product(guards))
    return _with_base(builder, work, steps, sorted(left), guards, length)


def _with_base(
    builder: Builder,
    work: list[Row],
    steps: list[Step],
    left: list[int],
    guards: list[Scalar],
    length: Scalar,
) -> Elimination:
    if len(left) != 3:
        raise NotApplicableError(f"the wheels leave {len(left)} rows for the three motions of the base")
    three = left
    a: Matrix = [[work[i].get(k, 0) for k in range(3)] for i in three]
    cofactors = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])]
    adjugate = [[cofactors[i][k] for i in range(3)] for k in range(3)]
    determinant = builder.named("det", dot(a[0], cofactors[0]))
    size: Scalar = length
    for i in three:
        size = size * _size(work[i], length)
    inverse, _ = _inverse(builder, determinant, size)
    whole = _product([*guards, determinant])
    return Elimination(tuple(work), tuple(steps), tuple(three), adjugate, inverse, whole)


def _product(guards: Sequence[Scalar]) -> Scalar:
    total: Scalar = 1
    for guard in guards:
        total = total * guard
    return total


def _pivot(samples: Samples, work: list[Row], left: set[int], waiting: list[int]) -> tuple[int, int]:
    """A joint and a row to find it from: a constant first, then the joint that stands in the fewest rows."""
    places = [(k, i) for k in waiting for i in sorted(left) if k in work[i]]
    values = samples.values([work[i][k] for k, i in places]) if places else []
    found = []
    for place, (k, i) in enumerate(places):
        if min(abs(sample[place]) for sample in values) <= PRESENT:
            continue
        varies = work[i][k].cls == VARIABLE
        unknown = sum(other in waiting for other in work[i])
        rows = sum(k in work[other] for other in left)
        found.append((varies, rows, unknown, k, i))
    if not found:
        raise NotApplicableError(f"no wheel determines the motion of column {waiting[0]}")
    *_, k, i = min(found)
    return k, i


def _less(row: Row, factor: Expr, pivot: Row, column: int) -> Row:
    found = dict(row)
    for k, entry in pivot.items():
        found[k] = found.get(k, 0 * entry) - factor * entry
    del found[column]
    return {k: entry for k, entry in found.items() if not entry.is_zero}


def _size(row: Row, length: Scalar) -> Scalar:
    """The magnitude of a row's entries of the base, the turn by a length."""
    total: Scalar = 0
    for k, entry in row.items():
        total = total + (absolute(entry) / length if k >= 2 else absolute(entry))
    return total


def _inverse(builder: Builder, value: Scalar, size: Scalar) -> tuple[Scalar, Scalar | None]:
    """1 / value, not a number where a value that varies is nothing against its size; and such a value itself."""
    expr = builder.number(value)
    if expr.cls != VARIABLE:
        return 1 / expr, None
    there = builder.number(less(TINY * builder.number(size), absolute(expr)))
    one, same = select(there, 1, 0), 1 - select(there, 0, builder.number(1))
    return same / (one * expr), expr
