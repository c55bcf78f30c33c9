"""Models `fast-geometry` and `transform` of robots with loops: transforms from the active joints, per assembly mode.

The loops determine the passive joints on the path (as in `loop-geometry`); the transforms along the path are then
multiplied as for a tree. The sines and cosines of the loops' solution are used directly. A joint that a parallelogram
makes a linear function of other joints is included in the angle sums of parallel axes.

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, sections 3.1, 3.4.
"""

from __future__ import annotations

from dataclasses import replace

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, identity, inverse_transform, matmul
from symoro.expr.scalar import Expr, Scalar
from symoro.models.catalogue import Options, form
from symoro.models.coordinates.couplings import coordinates_at, coupled_positions
from symoro.models.geometric.inverse.branches import EMPTY, Solution
from symoro.models.geometric.inverse.finite import where_finite
from symoro.models.geometric.loop.assemblies import assemblies
from symoro.models.geometric.loop.mechanism import (
    START,
    START_OPENED,
    joint_inputs,
    path_between,
    reason_not_closed,
)
from symoro.models.geometric.loop.model import (
    EVERY_MODE,
    METHOD,
    OPEN,
    STEPS,
    TOLERANCE,
    numerically,
    size_given,
    solution_notes,
)
from symoro.models.geometric.loop.newton import continued
from symoro.models.geometric.loop.relations import (
    LoopRelations,
    has_crossed_modes,
    solved_loops,
    unsolved_error,
)
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.geometric.transform import ACTIVE, OPTIONS
from symoro.models.joints import Trigonometry
from symoro.models.ports import QA, STATUS
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

TRANSFORMS = Port("T", "K,4,4", "homogeneous transform of frame `to` in frame `frm`, one per assembly mode")
EQUATIONS = (
    r"{}^{k+B}T_{r}\,{}^{r}T_{k} = I_4, \qquad {}^{r}T_{j}(q_a) = \prod_{k} {}^{a(k)}T_{k}(q(q_a)), \qquad "
    r"k = NL+1, \dots, NL+B"
)


def uses_active_joints(robot: Robot, options: Options) -> bool:
    """Return whether the option `active` is set, so that the active joints are the input of the model."""
    return bool(options.get("active"))


@form(
    "fast-geometry",
    of="active joints of closed loops",
    takes=uses_active_joints,
    inputs=(QA, START, START_OPENED),
    outputs=(TRANSFORMS, STATUS, OPEN),
    options=(*OPTIONS, ACTIVE, METHOD, EVERY_MODE, TOLERANCE, STEPS),
    reference=SYMORO_1997.at("section 3.1, section 3.4"),
    applies=reason_not_closed,
    applies_to="robots with closed loops",
    equations=EQUATIONS,
    example="fivebar",
)
def active_geometry(
    robot: Robot,
    frm: int | str = 0,
    to: int | str | None = None,
    active: bool = True,
    method: str = "auto",
    modes: str = "parallelogram",
    tolerance: float = 1e-9,
    steps: float = 10,
) -> Program:
    """Derive the transform of frame `to` in frame `frm` from the active joints, with intermediate variables.

    The program computes every assembly mode in closed form, or one mode by Newton's method.

    Args:
        frm: frame in which the pose is computed.
        to: frame whose pose is computed; by default the tool, the platform or the last link's frame.
        active: not used here; it is always true, because the active joints are the input of this model.
        method: 'closed' (closed form), 'numeric' (Newton's method from q0), or 'auto' (closed form if there is one).
        modes: 'parallelogram' (uncrossed parallelograms only, unless 'home' is crossed) or 'all'.
        tolerance: largest closure error of a valid mode.
        steps: number of steps from q0 to qa with the method 'numeric'.
    """
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    builder = Builder(f"{robot.name}_fast_geometry")
    qa, q0 = joint_inputs(builder, robot)
    if method != "numeric":
        relations = solved_loops(builder, robot, qa, q0, every_mode=has_crossed_modes(robot, modes))
        if not relations.unsolved:
            placed = _transform(builder, robot, start, end, qa, relations)
            solutions = assemblies(builder, relations, qa, tolerance, [x for row in placed[:3] for x in row])
            return replace(_program(builder, solutions), choices=solution_notes(relations))
        if method == "closed":
            raise unsolved_error(robot, relations)
    why = "as required by the option method" if method == "numeric" else "no closed form exists"
    one = continued(builder, robot, qa, q0, int(steps), tolerance)
    q = {**one.joints, **coordinates_at(robot, one.joints, builder.formula).positions}
    here = placement_between(builder, robot, start, end, q, Trigonometry(builder, robot))
    more = tuple(builder.number(x) for row in here[:3] for x in row)
    return replace(_program(builder, [replace(one, more=more)]), choices=(numerically(steps, why),))


@form(
    "transform",
    of="active joints of closed loops",
    takes=uses_active_joints,
    inputs=(QA, START, START_OPENED),
    outputs=(TRANSFORMS, STATUS, OPEN),
    options=(*OPTIONS, ACTIVE),
    reference=SYMORO_1997.at("section 3.1, section 3.4"),
    applies=reason_not_closed,
    applies_to="robots whose loops are parallelograms",
    equations=EQUATIONS,
    example="sr400",
)
def active_transform(
    robot: Robot, frm: int | str = 0, to: int | str | None = None, active: bool = True
) -> Program:
    """Derive the transform of frame `to` in frame `frm` from the active joints, one expression per entry.

    This is possible for robots whose loops are parallelograms.
    """
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    builder = Builder(f"{robot.name}_transform")
    qa, q0 = joint_inputs(builder, robot)
    relations = solved_loops(builder, robot, qa, q0)
    nonlinear = [one.name for one in relations.solved if not one.linear]
    if relations.unsolved or nonlinear:
        raise NotApplicableError(
            f"robot '{robot.name}': some of its loops are not parallelograms, so that one expression per entry "
            "would be too long",
            hint="use fast-geometry with active=True, which has intermediate variables",
        )
    placed = _transform(builder, robot, start, end, qa, relations)
    solutions = assemblies(builder, relations, qa, TOLERANCE.default, [x for row in placed[:3] for x in row])
    return replace(_program(builder, solutions), choices=solution_notes(relations), expanded=True)


def _transform(
    builder: Builder,
    robot: Robot,
    start: int | str,
    end: int | str,
    active: dict[int, Expr],
    relations: LoopRelations,
) -> list[list[Expr]]:
    """Return the transform (4x4) of frame `end` in frame `start`.

    Its entries are expressions of the active joints and of the symbols in the solution of the loops.

    Args:
        active: input symbols of the active joints, by joint number.
        relations: closed-form solution of the loops.
    """
    known: dict[int, Scalar] = dict(active)
    for j, law in relations.linear.items():
        known[j] = law.value({**{i: u.length for i, u in relations.joints.items()}, **known})
    solved = {j: unknown for j, unknown in relations.joints.items() if j not in known}
    lengths = {j: unknown.length for j, unknown in solved.items()}
    known |= coupled_positions(robot, {**known, **lengths}, builder.formula)
    matrix = identity(4)
    for part in path_between(builder, robot, start, end, known, solved):
        matrix = matmul(matrix, part.matrix)
    if (start == "world") != (end == "world"):
        entries = [builder.formula(z) for z in robot.base.Z]
        z: Matrix = [list(entries[4 * r : 4 * r + 4]) for r in range(4)]
        matrix = matmul(z, matrix) if start == "world" else matmul(matrix, inverse_transform(z))
    return [[builder.number(x) for x in row] for row in matrix]


def _program(builder: Builder, solutions: list[Solution]) -> Program:
    rows = [list(one.more) for one in solutions]
    last: list[Scalar] = [0, 0, 0, 1]
    builder.output(TRANSFORMS, [[*(row[4 * r : 4 * r + 4] for r in range(3)), last] for row in rows])
    given, residuals = size_given(builder), [one.residual for one in solutions]
    builder.output(STATUS, where_finite(builder, given, rows, [one.status for one in solutions], EMPTY))
    builder.output(OPEN, where_finite(builder, given, rows, residuals, None))
    return builder.program()
