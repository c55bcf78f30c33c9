"""`jacobian-determinant`: factored determinant of the Jacobian, whose zeros are the singular configurations.

The Jacobian J is a product of three factors (1997 paper, eq. 4). The determinant of a square J equals that of its third
factor, because the first two factors have determinant 1. The intermediate frame is chosen so that the third factor is
as simple as possible. Its determinant is the product of the determinants of its diagonal blocks, and each block is
factored if its size permits.

With more than six joints, the determinant is det(J J'). With fewer than six joints n, it is the determinant of

- the rows of J that are not identically zero, if there are n of them (a planar arm), or
- the linear rows of J that are not identically zero, if there are n of them (an arm that only positions);

if neither is the case, it is det(J' J).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symoro.errors import NotApplicableError
from symoro.expr import ops
from symoro.expr.linalg import Matrix, matmul, transpose
from symoro.expr.scalar import Expr, Scalar
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.provider import ConstraintProvider
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.kinematic.factoring import Factoring, factored
from symoro.models.kinematic.jacobian import assembled, factors, joint_provider, needs_joints
from symoro.models.kinematic.tool import moving_frame
from symoro.models.ports import Q
from symoro.models.rank import always_singular
from symoro.models.references import SYMORO_1997
from symoro.models.solvers import block_sign, diagonal_blocks, minor
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot
from symoro.robot.topology import chain

DET = Port(
    "det",
    "",
    "determinant of J (six joints), of J J' (more than six joints), or of a square part of J (fewer)",
)

GRAM = "J' J"
MAX_TRIED = 12  # intermediate frames that are tried; on longer paths some are skipped


@dataclass(frozen=True)
class Determinant:
    """Determinant of a Jacobian as the product of the determinants of its diagonal blocks.

    Attributes:
        meaning: matrix of which this is the determinant, such as 'J' or "J J'".
        blocks: for each block, the factors of its determinant, or the reason why it could not be factored.
        sign: +1, -1, or 0 if the determinant vanishes in every configuration.
    """

    meaning: str
    blocks: tuple[Factoring, ...]
    sign: int


@dataclass(frozen=True)
class Chosen:
    """Part of the Jacobian J that determines the singular configurations, in the frame in which it is simplest.

    Attributes:
        matrix: selected rows of J, with one column per joint that moves the frame.
        meaning: description of the matrix whose determinant is computed, such as "J J'".
    """

    matrix: Matrix
    meaning: str

    @property
    def is_square(self) -> bool:
        return len(self.matrix) == len(self.matrix[0])

    def square(self) -> Matrix:
        """Return the square matrix whose determinant is computed: J itself, J J' or J' J."""
        if self.is_square:
            return self.matrix
        transposed = transpose(self.matrix)
        return matmul(transposed, self.matrix) if self.meaning == GRAM else matmul(self.matrix, transposed)


def determinant(builder: Builder, chosen: Chosen) -> Determinant:
    """Return the factored determinant of the selected part of the Jacobian, block by block."""
    matrix, meaning = chosen.square(), chosen.meaning
    blocks = diagonal_blocks(matrix)
    if blocks is None or always_singular(builder, matrix):
        return Determinant(meaning, (), 0)
    parts = [factored(builder.number(minor(matrix, part.rows, part.columns))) for part in blocks]
    return Determinant(meaning, tuple(parts), block_sign(blocks))


def chosen_part(builder: Builder, robot: Robot, end: int, provider: ConstraintProvider) -> Chosen:
    """Return the part of the Jacobian of frame `end` that determines its singular configurations."""
    trig = Trigonometry(builder, robot)
    path = (0, *chain(robot, end))
    tried = path[:: 1 + len(path) // MAX_TRIED]
    made = [factors(builder, robot, end, m, m, provider, trig, named=False) for m in tried]
    thirds = [_moving(f.third) for f in made]
    if not thirds[0]:
        raise NotApplicableError(f"no joint moves frame {end} of robot '{robot.name}'")
    moving = len(thirds[0][0])
    if moving >= 6:
        return Chosen(min(thirds, key=_complexity), "J" if moving == 6 else "J J'")
    inside = [_moving(assembled(f)) for f in made]
    for rows, meaning in (
        (6, "the rows of J that are not zero"),
        (3, "the linear rows of J that are not zero"),
    ):
        nonzero = [[row for row in m[:rows] if not all(map(is_zero, row))] for m in inside]
        square = [m for m in nonzero if len(m) == moving and diagonal_blocks(m)]
        if square:
            return Chosen(min(square, key=_complexity), meaning)
    return Chosen(min(inside, key=_complexity), GRAM)


def _moving(matrix: Matrix) -> Matrix:
    """Return the Jacobian without its zero columns, which belong to joints that do not move the frame."""
    return transpose([c for c in transpose(matrix) if not all(map(is_zero, c))])


def _complexity(matrix: Matrix) -> tuple[int, int]:
    """Return a measure of the complexity of a matrix: size of its largest diagonal block, number of subexpressions."""
    blocks = diagonal_blocks(matrix) if len(matrix) == len(matrix[0]) else None
    largest = max((len(b.rows) for b in blocks), default=0) if blocks else len(matrix)
    lits = [x.lit for row in matrix for x in row if isinstance(x, Expr)]
    graph = next((x.graph for row in matrix for x in row if isinstance(x, Expr)), None)
    return largest, len(graph.reachable(lits)) if graph else 0


def not_rolling(robot: Robot) -> str | None:
    """Return the reason why the determinant is not available because the robot is wheeled; None for other robots."""
    if robot.wheels:
        return (
            "its base is wheeled, and J is infinite in singular configurations of the wheels; "
            "wheel-kinematics gives det"
        )
    return needs_joints(robot)


@model(
    "jacobian-determinant",
    menu="Kinematic",
    title="determinant of the Jacobian, factored",
    inputs=(Q,),
    outputs=(DET,),
    options=(Option("to", "frame whose Jacobian is used", "frame", None),),
    reference=SYMORO_1997.at("section 4.6"),
    aliases=("det", "jacobian-det"),
    applies=not_rolling,
    applies_to="every robot with a moving joint, except wheeled robots",
    equations=r"\det {}^rJ_n = \det {}^iJ_{n,j}",
)
def jacobian_determinant(robot: Robot, to: int | str | None = None) -> Program:
    """Derive the determinant of the Jacobian of frame `to`, with one variable per factor."""
    tree, end, _ = moving_frame(robot, to)
    builder = Builder(f"{robot.name}_jacobian_determinant")
    factorization = determinant(builder, chosen_part(builder, tree, end, joint_provider(builder, tree)))
    total: Scalar = builder.number(factorization.sign)
    number = 0
    notes = []
    for part in factorization.blocks:
        total = total * part.coefficient
        for value, power in part.factors:
            if builder.graph.op[value.lit >> 1] in (ops.ADD, ops.SUB, ops.MUL):
                number += 1
                builder.named(f"F{number}", value)
            for _ in range(power):
                total = total * value
        if part.why_not:
            notes.append(part.why_not)
    builder.output(DET, total, f"determinant of {factorization.meaning}")
    program = builder.program()
    notes = [f"determinant of {factorization.meaning}", *dict.fromkeys(notes)]
    return replace(program, header=(("note", "; ".join(notes)),))
