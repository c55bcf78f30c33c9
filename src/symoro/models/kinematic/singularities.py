"""Where a robot is singular, as conditions that a person can read.

Each factor of the determinant that can vanish is one condition; a bare sine, cosine or joint position is solved.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr import ops
from symoro.expr.canonical import canonical
from symoro.expr.scalar import Expr
from symoro.models.coordinates import joint_positions
from symoro.models.kinematic.determinant import GRAM, determinant
from symoro.models.kinematic.jacobian import needs_joints
from symoro.models.kinematic.tool import moving_frame
from symoro.program.builder import Builder
from symoro.robot.description import Robot

MAX_LENGTH = 800  # characters that a person may still read
TOO_LONG = "a factor is too long to be read; jacobian-determinant gives its values"

SUM_OF_SQUARES = "det(J' J) is the sum of the squares of all minors of J: it vanishes where all of them do"


@dataclass(frozen=True)
class Condition:
    """The robot is singular where `expression` is zero; `solution` says where, when that is simple."""

    expression: str
    solution: str = ""

    def __str__(self) -> str:
        return f"{self.expression} = 0" + (f"   at {self.solution}" if self.solution else "")


@dataclass(frozen=True)
class Singularities:
    """The conditions under which a Jacobian loses rank.

    Attributes:
        meaning: what was taken the determinant of.
        always: whether it is singular in every posture.
        notes: why a part could not be factored, if so.
    """

    robot: str
    meaning: str
    conditions: tuple[Condition, ...]
    always: bool
    notes: tuple[str, ...]

    def __str__(self) -> str:
        head = f"{self.robot}: determinant of {self.meaning}"
        if self.always:
            return f"{head}\n  zero in every posture"
        lines = [f"  {c}" for c in self.conditions] or ([] if self.notes else ["  never zero"])
        return "\n".join([head, *lines, *(f"  note: {note}" for note in self.notes)])


def singularities(robot: Robot, to: int | str | None = None) -> Singularities:
    """The singular postures of the Jacobian of a frame."""
    reason = needs_joints(robot)
    if reason:
        raise NotApplicableError(f"robot '{robot.name}' has no singularities: {reason}")
    tree, end, _ = moving_frame(robot, to)
    builder = Builder("singularities")
    found = determinant(builder, tree, end, joint_positions(builder, tree))
    conditions: dict[str, Condition] = {}
    notes = {part.why_not: None for part in found.blocks if part.why_not}
    if found.meaning == GRAM and found.sign:
        notes[SUM_OF_SQUARES] = None
    for part in found.blocks:
        for value, _ in part.factors:
            if value.cls == ops.VARIABLE and not part.why_not:
                text = _text(value)
                if len(text) > MAX_LENGTH:
                    notes[TOO_LONG] = None
                else:
                    conditions.setdefault(text, Condition(text, _solution(value)))
    return Singularities(robot.name, found.meaning, tuple(conditions.values()), found.sign == 0, tuple(notes))


def _text(value: Expr) -> str:
    """The shorter to read of +value and -value, which vanish together."""
    try:
        text = canonical(value)
        return canonical(-value) if text.startswith("-") else text
    except ProgramError:  # longer than a description may be
        return "." * (MAX_LENGTH + 1)


def _solution(value: Expr) -> str:
    graph, i = value.graph, value.lit >> 1
    if graph.op[i] == ops.SIN:
        return f"{canonical(Expr(graph, graph.args[i][0]))} = 0 or pi"
    if graph.op[i] == ops.COS:
        return f"{canonical(Expr(graph, graph.args[i][0]))} = pi/2 or -pi/2"
    return ""
