"""Model `loop-geometry`: passive joints of a robot with closed loops from its active joints, in all assembly modes."""

from __future__ import annotations

from dataclasses import replace

from symoro.expr.scalar import Expr
from symoro.models.catalogue import Option, model
from symoro.models.geometric.inverse.branches import EMPTY, Solution
from symoro.models.geometric.inverse.finite import magnitude, where_finite
from symoro.models.geometric.loop.assemblies import assemblies
from symoro.models.geometric.loop.mechanism import START, START_OPENED, joint_inputs, reason_not_closed
from symoro.models.geometric.loop.newton import continued
from symoro.models.geometric.loop.relations import (
    LoopRelations,
    has_crossed_modes,
    loop_name,
    solved_loops,
    unsolved_error,
)
from symoro.models.ports import FREE, OPENED, QA, STATUS
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints

MODES = Port("q", "K,n", "all joints of the tree, one row per assembly mode")
OPEN = Port("residual", "K", "largest closure error of a loop, lengths divided by the size of the loops")

METHOD = Option(
    "method",
    "method: closed form, or Newton's method from q0",
    "choice",
    "auto",
    ("auto", "closed", "numeric"),
)
EVERY_MODE = Option(
    "modes",
    "modes of parallelograms: uncrossed only (unless 'home' is crossed), or also crossed",
    "choice",
    "parallelogram",
    ("parallelogram", "all"),
)
TOLERANCE = Option("tolerance", "largest residual of a valid mode", "number", 1e-9)
STEPS = Option("steps", "number of steps from q0 to qa with the method 'numeric'", "number", 10)


@model(
    "loop-geometry",
    menu="Geometric",
    title="geometry of closed loops: passive joints from the active ones, all assembly modes",
    inputs=(
        QA,
        START,
        START_OPENED,
    ),
    outputs=(
        MODES,
        OPENED,
        STATUS,
        OPEN,
        FREE,
    ),
    options=(
        METHOD,
        EVERY_MODE,
        TOLERANCE,
        STEPS,
    ),
    reference=SYMORO_1997.at("section 3.4, eq. (2)"),
    applies=reason_not_closed,
    applies_to="robots with closed loops",
    equations=r"{}^{k+B}T_{r}\,{}^{r}T_{k} = I_4, \qquad k = NL+1, \dots, NL+B",
    example="fourbar",
)
def loop_geometry(
    robot: Robot,
    method: str = "auto",
    modes: str = "parallelogram",
    tolerance: float = 1e-9,
    steps: float = 10,
) -> Program:
    """Derive the passive joints of closed loops from the active joints.

    The program computes all assembly modes in closed form, or one mode by Newton's method.

    Args:
        method: 'closed' (closed form), 'numeric' (Newton's method from q0), or 'auto' (closed form if there is one).
        modes: 'parallelogram' (uncrossed parallelograms only, unless 'home' is crossed) or 'all'.
        tolerance: largest closure error of a valid mode.
        steps: number of steps from q0 to qa with the method 'numeric'.
    """
    builder = Builder(f"{robot.name}_loop_geometry")
    active, start = joint_inputs(builder, robot)
    if method == "numeric":
        one = continued(builder, robot, active, start, int(steps), tolerance)
        return _program(builder, robot, [one], (numerically(steps, "as required by the option method"),))
    relations = solved_loops(builder, robot, active, start, every_mode=has_crossed_modes(robot, modes))
    if not relations.unsolved:
        solutions = assemblies(builder, relations, active, tolerance)
        stages = tuple(stage for one in relations.solved for stage in one.stages)
        return replace(_program(builder, robot, solutions, solution_notes(relations)), derivation=stages)
    if method == "closed":
        raise unsolved_error(robot, relations)
    one = continued(builder, robot, active, start, int(steps), tolerance)
    why = f"no closed form exists for loop {', '.join(map(loop_name, relations.unsolved))}"
    return _program(builder, robot, [one], (numerically(steps, why),))


def solution_notes(relations: LoopRelations) -> tuple[str, ...]:
    """Return sentences that describe how each loop was solved and how many assembly modes there are.

    Args:
        relations: closed-form solution of the loops.
    """
    lines = [one.sentence for one in relations.solved]
    modes = 1
    for one in relations.solved:
        modes *= one.modes
    if any(one.linear and one.modes == 1 for one in relations.solved):
        lines.append("modes='all' also returns the crossed assembly modes of parallelograms")
    return (
        *lines,
        f"{modes} assembly mode{'s' if modes > 1 else ''}; the branches of the last loop vary fastest",
    )


def numerically(steps: float, why: str) -> str:
    """Return the note that one assembly mode is computed by Newton's method.

    Args:
        steps: number of continuation steps from the initial configuration.
        why: reason for the use of Newton's method.
    """
    return (
        f"Newton's method, {why}: one assembly mode, continued from the configuration q0, qc0 in {int(steps)} "
        "steps; other modes require other initial configurations; status 1 means that the loops did not close"
    )


def size_given(builder: Builder) -> Expr:
    """Return the sum of the absolute values of all inputs: active joints qa, initial configuration q0 and qc0."""
    return magnitude(builder, [x for name in ("qa", "q0", "qc0") for x in builder.entries(name)])


def _program(builder: Builder, robot: Robot, solutions: list[Solution], words: tuple[str, ...]) -> Program:
    own, cut = independent(robot), cut_joints(robot)
    q, qc = ([[s.joints[j] for j in joints] for s in solutions] for joints in (own, cut))
    rows = [[*one, *other] for one, other in zip(q, qc, strict=True)]
    builder.output(MODES, q)
    if cut:
        builder.output(OPENED, qc)
    given, residuals = size_given(builder), [s.residual for s in solutions]
    builder.output(STATUS, where_finite(builder, given, rows, [s.status for s in solutions], EMPTY))
    builder.output(OPEN, where_finite(builder, given, rows, residuals, None))
    builder.output(FREE, [[s.free.get(j, 0) for j in own] for s in solutions])
    return replace(builder.program(), choices=words)
