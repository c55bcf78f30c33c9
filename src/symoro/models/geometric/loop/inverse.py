"""Model `inverse-geometry` of an arm with closed loops: positions of all joints of the tree.

They include motors that are not on the path to the frame with the given pose.
"""

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
from symoro.models.geometric.loop.follow import given_joints, loop_closure, path_joints, with_loop_modes
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
    "largest error of direct geometry with respect to the pose, or of loop closure; lengths divided by the size",
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
    """Derive all joint positions of a robot with closed loops for a given pose, in all assembly modes.

    The path to the frame is solved first as a serial chain, then the loops.

    Args:
        method: method for the path: 'paul', 'pieper' or 'general'; 'auto' selects the first method that applies.
        frm: frame in which the pose is given.
        to: frame whose pose is given; by default the tool, the platform or the last link's frame.
        pose: given entries of the pose: 'full', 'position', 'axis', 'planar' or a list.
        locked: joints whose positions are given by q0, such as '7' or '3,5'.
        modes: 'parallelogram' (uncrossed parallelograms only, unless 'home' is crossed) or 'all'.
        tolerance: largest residual of a valid solution.
    """
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    given = given_joints(
        robot, path_joints(robot, attachment_frame(robot, start), attachment_frame(robot, end))
    )
    closing = partial(loop_closure, robot, given, every_mode=has_crossed_modes(robot, modes))
    problem = pose_problem(robot, start, end, pose, locked, closing=closing)
    result = solved(problem, method, tolerance)
    loops = with_loop_modes(problem, result.solutions, tolerance)
    result = replace(
        result,
        solutions=loops.solutions,
        choices=result.choices + loops.choices,
        derivation=result.derivation + loops.derivation,
    )
    idle = tuple(j for j in problem.idle if j not in given.tied)  # the loops determine the dependent ones
    return solution_program(replace(problem, idle=idle), result)
