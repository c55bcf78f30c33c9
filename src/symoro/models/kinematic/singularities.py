"""Where a robot is singular, as conditions that a person can read.

Of a square Jacobian each factor of the determinant that can vanish is one condition. With more joints than six, or
fewer, the rank is lost where all largest minors of J vanish together: their factors are combined to cases, in each of
which several expressions are zero at once (`splitting`). A bare sine, cosine or joint position is solved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import comb
from operator import mul

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr import ops
from symoro.expr.scalar import Expr
from symoro.models.kinematic.determinant import Chosen, chosen_part, determinant, not_rolling
from symoro.models.kinematic.factoring import Factoring, factored
from symoro.models.kinematic.jacobian import joint_provider
from symoro.models.kinematic.splitting import TooManyCases, common_zeros, text_of
from symoro.models.kinematic.tool import moving_frame
from symoro.models.rank import always_singular
from symoro.models.solvers import minor
from symoro.program.builder import Builder
from symoro.robot.description import Robot

MAX_MINORS = 28  # eight joints
LINE = 80  # characters
NOT_WRITTEN = "not analysed: a factor is too long to be written; jacobian-determinant gives its values"
NOT_SPLIT = "the minors of J vanish together; they are not combined to cases, which are too many or too long"


@dataclass(frozen=True)
class Condition:
    """The robot is singular where all `expressions` are zero; `solution` says where, when that is simple."""

    expressions: tuple[str, ...]
    solution: str = ""

    @property
    def expression(self) -> str:
        """The expressions as one text, to be followed by = 0."""
        return " = 0 and ".join(self.expressions)

    def __str__(self) -> str:
        return f"{self.expression} = 0" + (f"   at {self.solution}" if self.solution else "")


@dataclass(frozen=True)
class Singularities:
    """The conditions under which a Jacobian loses rank.

    Attributes:
        meaning: what was taken the determinant of.
        conditions: in each of them the Jacobian loses rank.
        always: whether it is singular in every posture.
        complete: whether there is no singular posture beside the conditions.
        notes: what could not be written, factored or combined, and why.
    """

    robot: str
    meaning: str
    conditions: tuple[Condition, ...]
    always: bool
    complete: bool
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.robot}: determinant of {self.meaning}", *self.lines()])

    def lines(self) -> list[str]:
        """The conditions, one a line."""
        if self.always:
            return ["  zero in every posture"]
        names = _short_names(self.conditions)
        shown = [
            Condition(tuple(names.get(e, e) for e in c.expressions), c.solution) for c in self.conditions
        ]
        lines = [f"  {c}" for c in shown]
        if not self.complete:
            lines.append("  incomplete: there may be other singular postures")
        elif not lines:
            lines.append("  never zero")
        lines += [f"  with {name} = {text}" for text, name in names.items()]
        return [*lines, *(f"  note: {note}" for note in self.notes)]


def _short_names(conditions: Sequence[Condition]) -> dict[str, str]:
    """Names for expressions that would fill a line or more."""
    long = dict.fromkeys(e for c in conditions for e in c.expressions if len(e) > LINE)
    return {text: f"E{k}" for k, text in enumerate(long, 1)}


def singularities(robot: Robot, to: int | str | None = None) -> Singularities:
    """The singular postures of the Jacobian of a frame."""
    reason = not_rolling(robot)
    if reason:
        raise NotApplicableError(
            f"no Jacobian by all joints of robot '{robot.name}' to be singular: {reason}"
        )
    tree, end, _ = moving_frame(robot, to)
    builder = Builder("singularities")
    chosen = chosen_part(builder, tree, end, joint_provider(builder, tree))
    notes: dict[str, None] = {}
    if chosen.is_square or _minors(chosen) > MAX_MINORS:
        det = determinant(builder, chosen)
        always = det.sign == 0
        cases: Iterator[tuple[Expr, ...]] = ((factor,) for factor in vanishing(det.blocks, notes))
    else:
        always = always_singular(builder, chosen.matrix)
        cases = iter(() if always else minors_together(builder, chosen, notes))
    return read(robot, chosen.meaning, cases, always, notes)


def read(
    robot: Robot,
    meaning: str,
    cases: Iterable[tuple[Expr, ...]],
    always: bool,
    notes: dict[str, None],
    *,
    complete: bool = True,
) -> Singularities:
    """The cases as conditions to be read.

    Arguments:
        complete: whether the cases are all there are, those apart that are too long to be written.
    """
    conditions: dict[Condition, None] = {}
    for case in cases:
        try:
            texts = tuple(sorted(map(text_of, case), key=len))
        except ProgramError:  # longer than a description may be
            notes[NOT_WRITTEN] = None
        else:
            conditions[Condition(texts, _solutions(case))] = None
    ordered = sorted(conditions, key=lambda c: len(c.expressions))
    complete = complete and NOT_WRITTEN not in notes
    return Singularities(robot.name, meaning, tuple(ordered), always, complete, tuple(notes))


def _minors(chosen: Chosen) -> int:
    rows, columns = len(chosen.matrix), len(chosen.matrix[0])
    return comb(max(rows, columns), min(rows, columns))


def vanishing(parts: Sequence[Factoring], notes: dict[str, None]) -> list[Expr]:
    """The factors that depend on the posture; what was not factored is its own only factor."""
    notes.update({part.why_not: None for part in parts if part.why_not})
    return [value for part in parts for value, _ in part.factors if value.cls == ops.VARIABLE]


def minors_together(builder: Builder, chosen: Chosen, notes: dict[str, None]) -> list[tuple[Expr, ...]]:
    """The cases in which all largest minors vanish."""
    matrix, size = chosen.matrix, min(len(chosen.matrix), len(chosen.matrix[0]))
    products: list[list[Expr]] = []
    for rows in combinations(range(len(matrix)), size):
        for columns in combinations(range(len(matrix[0])), size):
            parts = factored(builder.number(minor(matrix, rows, columns)))
            if any(factor.is_zero for factor, _ in parts.factors):
                continue
            zeros = vanishing([parts], notes)
            if not zeros:  # a minor that is never zero
                return []
            products.append(zeros)
    try:
        return common_zeros(products)
    except (TooManyCases, ProgramError):
        notes[NOT_SPLIT] = None
        return [tuple(reduce(mul, factors) for factors in products)]


def _solutions(case: Sequence[Expr]) -> str:
    """Where all expressions vanish, when each of them is a sine or a cosine."""
    solutions = [_solution(value) for value in sorted(case, key=lambda value: len(text_of(value)))]
    return ", ".join(solutions) if all(solutions) else ""


def _solution(value: Expr) -> str:
    graph, i = value.graph, value.lit >> 1
    if graph.op[i] == ops.SIN:
        return f"{text_of(Expr(graph, graph.args[i][0]))} = 0 or pi"
    if graph.op[i] == ops.COS:
        return f"{text_of(Expr(graph, graph.args[i][0]))} = pi/2 or -pi/2"
    return ""
