"""`inverse-geometry` of an arm with closed loops: every joint of the tree, motors off the way included."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from symoro.models.catalogue import form
from symoro.models.geometric.inverse.chain.problem import pose_problem
from symoro.models.geometric.inverse.methods import solved
from symoro.models.geometric.inverse.model import (
    FRAMES,
    GIVEN_ENTRIES,
    LOCKED,
    METHOD,
    TOLERANCE,
    solution_program,
)
from symoro.models.geometric.loop.follow import followed, given_joints, loop_closure, way_joints
from symoro.models.geometric.loop.model import EVERY_MODE
from symoro.models.geometric.loop.relations import has_crossed_modes
from symoro.models.geometric.platform import is_platform
from symoro.models.geometric.screws import attachment_frame, last_frame, resolve
from symoro.models.ports import FREE, GIVEN, OPENED, POSE, POSE_STATUS, SOLUTIONS
from symoro.models.references import SYMORO_1997
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

MISSES = Port(
    "residual",
    "K",
    "largest entry of direct geometry less the pose, or by which a loop stays open; lengths divided by the size",
)


@form(
    "inverse-geometry",
    of="closed loops",
    takes=lambda robot, options: robot.B > 0 and not is_platform(robot, options),
    inputs=(POSE, GIVEN),
    outputs=(SOLUTIONS, OPENED, POSE_STATUS, MISSES, FREE),
    options=(METHOD, *FRAMES, GIVEN_ENTRIES, LOCKED, EVERY_MODE, TOLERANCE),
    reference=SYMORO_1997.at("section 3.3, section 3.4"),
    applies_to="robots with closed loops",
    equations=r"{}^{0}T_{n}(q) = U_0, \qquad {}^{k+B}T_{r}\,{}^{r}T_{k} = I_4",
    example="sr400",
)
def loop_inverse_geometry(
    robot: Robot,
    method: str = "auto",
    frm: int | str = 0,
    to: int | str | None = None,
    pose: str = "full",
    locked: str | None = None,
    modes: str = "parallelogram",
    tolerance: float = 1e-9,
) -> Program:
    """Return all solutions for a pose, in all assembly modes: the way as a serial chain, then the loops."""
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    given = given_joints(
        robot, way_joints(robot, attachment_frame(robot, start), attachment_frame(robot, end))
    )
    closing = partial(loop_closure, robot, given, every_mode=has_crossed_modes(robot, modes))
    problem = pose_problem(robot, start, end, pose, locked, closing=closing)
    answer = solved(problem, method, tolerance)
    loops = followed(problem, answer.solutions, tolerance)
    answer = replace(
        answer,
        solutions=loops.solutions,
        choices=answer.choices + loops.choices,
        derivation=answer.derivation + loops.derivation,
    )
    idle = tuple(j for j in problem.idle if j not in given.tied)  # the loops determine the others
    return solution_program(replace(problem, idle=idle), answer)
