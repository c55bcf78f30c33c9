"""`inverse-geometry` of an arm with closed loops: every joint of the tree, motors off the way included."""

from __future__ import annotations

from dataclasses import replace

from symoro.errors import NotApplicableError
from symoro.models.catalogue import form
from symoro.models.geometric.inverse.chain.problem import Problem, pose_problem
from symoro.models.geometric.inverse.methods import solved
from symoro.models.geometric.inverse.model import (
    FRAMES,
    GIVEN_ENTRIES,
    LOCKED,
    METHOD,
    TOLERANCE,
    solution_program,
)
from symoro.models.geometric.loop.follow import KnownJoints, followed, given_joints, way_joints
from symoro.models.geometric.loop.model import EVERY_MODE
from symoro.models.geometric.platform import is_platform
from symoro.models.geometric.screws import last_frame, resolve, standing_frame
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
    """All solutions for a pose, in all assembly modes: the way as a serial chain, then the loops."""
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    given = given_joints(robot, way_joints(robot, standing_frame(robot, start), standing_frame(robot, end)))
    problem = _problem(robot, start, end, pose, locked, given)
    answer = solved(problem, method, tolerance)
    loops = followed(problem, given, answer.solutions, tolerance, every_mode=modes == "all")
    answer = replace(
        answer,
        solutions=loops.solutions,
        choices=answer.choices + loops.choices,
        derivation=answer.derivation + loops.derivation,
    )
    return solution_program(problem, answer)


def _problem(
    robot: Robot, start: int | str, end: int | str, pose: str, locked: str | None, given: KnownJoints
) -> Problem:
    try:
        return pose_problem(robot, start, end, pose, locked)
    except NotApplicableError as refusal:
        if not given.tied:
            raise
        tied = ", ".join(f"q{j}" for j in given.tied)
        raise NotApplicableError(
            f"{refusal.message}, as joints of a tree; the loops of the robot tie {tied} to the other joints on the "
            "way, which is not solved in closed form",
            hint="ask for a frame, or from a frame, whose way has no such joints (options frm and to), or lock them: "
            "rows at which q0 agrees with the loops are then solutions",
        ) from None
