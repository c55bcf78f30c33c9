"""`static-torques`: the torques that hold a wrench exerted at a frame, tau = J' F (virtual work)."""

from __future__ import annotations

from symoro.expr.linalg import matvec, transpose
from symoro.models.catalogue import model
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.jacobian import (
    OPTIONS,
    assembled,
    candidates,
    checked_mid,
    factors,
    needs_joints,
)
from symoro.models.kinematic.tool import with_tool
from symoro.models.ports import TAU, TAU_ACTIVE, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

F = Port("F", "6", "wrench (force; moment) by frame `to`, at its origin, in the axes of `frame`")


@model(
    "static-torques",
    menu="Dynamic",
    title="torques of a wrench that a frame exerts on the environment",
    inputs=(Q, F),
    outputs=(TAU,),
    options=OPTIONS,
    reference=SYMORO_1997.at("section 4.1, eq. (4), (5), transposed"),
    aliases=("statics",),
    applies=needs_joints,
    applies_to="every robot with a moving joint",
    equations=r"\Gamma = {}^rJ_n^T\, {}^rF_n",
)
def static_torques(
    robot: Robot, to: int | str | None = None, frame: int | str = 0, mid: int | str | None = None
) -> Program:
    """Torques of a wrench at rest, without weight."""
    expressed = resolve(robot, frame, 0)
    tree, end = with_tool(robot, resolve(robot, to, last_frame(robot)))
    chosen = checked_mid(tree, end, mid)
    mids = candidates(tree, end, expressed) if chosen is None else [chosen]
    return min((_program(tree, end, expressed, m) for m in mids), key=lambda program: count(program).total)


def _program(robot: Robot, end: int, frame: int | str, m: int) -> Program:
    builder = Builder(f"{robot.name}_static_torques")
    joints = coordinates(builder, robot)
    title = f"wrench of frame {end} in frame {frame}"
    wrench = builder.input(F, (6,), [f"F_{k}" for k in range(1, 7)], title)
    f = factors(builder, robot, end, frame, m, joints, Trigonometry(builder, robot))
    builder.output(TAU_ACTIVE if robot.B else TAU, matvec(transpose(assembled(f)), wrench))
    return builder.program()
