"""Singular configurations of a robot, as readable conditions.

For a square Jacobian, each factor of the determinant that can vanish is one condition. With more or fewer than six
joints, the rank is lost where all largest minors of J vanish together. Their factors are combined into cases
(`splitting`); in each case, several expressions are zero. Conditions on a single sine or cosine are solved for the
joint position.
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

MAX_MINORS = 28  # number of largest minors for eight joints
LINE = 80  # characters per line
NOT_WRITTEN = "not analysed: a factor is too long for text; jacobian-determinant computes its values"
NOT_SPLIT = (
    "all minors of J must vanish together; they are not combined into cases, because the cases are "
    "too many or too long"
)


@dataclass(frozen=True)
class Condition:
    """Condition of a singularity.

    Attributes:
        expressions: expressions that are all zero in the singular configurations.
        solution: joint positions at which the expressions are zero, as text; empty if the expressions are not simple.
    """

    expressions: tuple[str, ...]
    solution: str = ""

    @property
    def expression(self) -> str:
        """All expressions of the condition as one text, to be followed by '= 0'."""
        return " = 0 and ".join(self.expressions)

    def __str__(self) -> str:
        return f"{self.expression} = 0" + (f"   at {self.solution}" if self.solution else "")


@dataclass(frozen=True)
class Singularities:
    """Conditions under which a Jacobian loses rank.

    Attributes:
        robot: name of the robot.
        meaning: matrix whose determinant was analysed.
        conditions: conditions; each is sufficient for loss of rank.
        always: whether the Jacobian is singular in every configuration.
        complete: whether the conditions include all singular configurations.
        notes: expressions that could not be written, factored or combined, with the reasons.
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
        """Return the conditions and notes as lines of text, one condition per line."""
        if self.always:
            return ["  zero in every configuration"]
        names = _short_names(self.conditions)
        shown = [
            Condition(tuple(names.get(e, e) for e in c.expressions), c.solution) for c in self.conditions
        ]
        lines = [f"  {c}" for c in shown]
        if not self.complete:
            lines.append("  incomplete: there may be other singular configurations")
        elif not lines:
            lines.append("  never zero")
        lines += [f"  with {name} = {text}" for text, name in names.items()]
        return [*lines, *(f"  note: {note}" for note in self.notes)]


def _short_names(conditions: Sequence[Condition]) -> dict[str, str]:
    """Return short names (E1, E2, ...) for expressions that are longer than a line of text, by expression."""
    long = dict.fromkeys(e for c in conditions for e in c.expressions if len(e) > LINE)
    return {text: f"E{k}" for k, text in enumerate(long, 1)}


def singularities(robot: Robot, to: int | str | None = None) -> Singularities:
    """Determine the singular configurations of the Jacobian of a frame.

    Args:
        to: frame whose Jacobian is analysed; by default the tool, the platform or the last link's frame.

    Raises:
        NotApplicableError: the robot is wheeled or has no moving joint.
    """
    reason = not_rolling(robot)
    if reason:
        raise NotApplicableError(
            f"the singularities of robot '{robot.name}' cannot be determined from the Jacobian with "
            f"respect to its joints: {reason}"
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
    """Return the singular cases as readable conditions.

    Args:
        meaning: description of the matrix that loses rank.
        cases: for each case, the expressions that vanish together.
        always: whether the matrix is singular in every configuration.
        notes: notes about the analysis; notes about expressions that are too long are added to them.
        complete: whether the cases include all singular configurations.
    """
    conditions: dict[Condition, None] = {}
    for case in cases:
        try:
            texts = tuple(sorted(map(text_of, case), key=len))
        except ProgramError:  # the expression is too long for text
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
    """Return the factors that depend on the configuration and can therefore vanish.

    Args:
        parts: factored expressions. An expression that could not be factored is its only factor.
        notes: notes about the analysis; the reasons why expressions could not be factored are added to them.
    """
    notes.update({part.why_not: None for part in parts if part.why_not})
    return [value for part in parts for value, _ in part.factors if value.cls == ops.VARIABLE]


def minors_together(builder: Builder, chosen: Chosen, notes: dict[str, None]) -> list[tuple[Expr, ...]]:
    """Return the cases in which all largest minors of a matrix vanish; in each case, all expressions are zero.

    Args:
        chosen: part of the Jacobian that contains the matrix.
        notes: notes about the analysis; the reasons of incomplete factoring are added to them.
    """
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
    """Return the joint positions at which all expressions of a case vanish, as text.

    The text is empty if an expression is not a sine or a cosine.
    """
    solutions = [_solution(value) for value in sorted(case, key=lambda value: len(text_of(value)))]
    return ", ".join(solutions) if all(solutions) else ""


def _solution(value: Expr) -> str:
    graph, i = value.graph, value.lit >> 1
    if graph.op[i] == ops.SIN:
        return f"{text_of(Expr(graph, graph.args[i][0]))} = 0 or pi"
    if graph.op[i] == ops.COS:
        return f"{text_of(Expr(graph, graph.args[i][0]))} = pi/2 or -pi/2"
    return ""
