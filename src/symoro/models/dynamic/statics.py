"""`static-torques`: joint torques that balance a wrench exerted at a frame, tau = (J G)' F (virtual work)."""

from __future__ import annotations

from typing import Any

from symoro.expr.linalg import dot, matvec, transpose
from symoro.models.dynamic.structures import FIXED, WHEELED, Structure, tree_model
from symoro.models.dynamic.system import Inputs
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.jacobian import (
    OPTIONS,
    assembled,
    candidates,
    checked_mid,
    cost,
    factors,
    joint_provider,
    needs_joints,
    tree_columns,
)
from symoro.models.kinematic.tool import with_tool
from symoro.models.ports import TAU, TAU_ACTIVE, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

F = Port(
    "F", "6", "wrench (force; moment) of frame `to` on the environment, at its origin, in the axes of `frame`"
)
VIRTUAL_WORK: dict[str, Any] = {
    "inputs": (Q, F),
    "reference": SYMORO_1997.at("section 4.1, eq. (4), (5), transposed"),
    "applies": needs_joints,
}
STRUCTURES: dict[Structure, dict[str, Any]] = {
    FIXED: {
        **VIRTUAL_WORK,
        "applies_to": "every robot with a moving joint",
        "equations": r"\Gamma = {}^rJ_n^T\, {}^rF_n",
    },
    WHEELED: {**VIRTUAL_WORK, "equations": r"\Gamma = G^T\, {}^rJ_n^T\, {}^rF_n"},
}


@tree_model(
    "static-torques",
    title="joint torques for a wrench that a frame exerts on the environment",
    read=Inputs(rates=False),
    outputs=lambda structure: (TAU_ACTIVE if structure.wheels else TAU,),
    options=OPTIONS,
    aliases=("statics", "static-forces"),
    structures=STRUCTURES,
)
def static_torques(
    robot: Robot, to: int | str | None = None, frame: int | str = 0, mid: int | str | None = None
) -> Program:
    """Return a program that computes the joint torques of a robot at rest that balance a wrench, without gravity.

    Args:
        to: frame that exerts the wrench; by default the tool frame or the last frame.
        frame: frame in whose axes the wrench is given.
        mid: intermediate frame of the Jacobian's factors; by default the one with the fewest operations.
    """
    expressed = resolve(robot, frame, 0)
    tree, end = with_tool(robot, resolve(robot, to, last_frame(robot)))
    chosen = checked_mid(tree, end, mid)
    if chosen is not None:
        return _program(tree, end, expressed, chosen)
    programs = [_program(tree, end, expressed, m) for m in candidates(tree, end, expressed)]
    if robot.wheels:
        return min((*programs, _program(tree, end, expressed, None)), key=cost)
    return min(programs, key=lambda program: count(program).total)


def _program(robot: Robot, end: int, frame: int | str, m: int | None) -> Program:
    """Return the program for one choice of the intermediate frame m of the Jacobian.

    If m is given, the torques are computed with the factors of the Jacobian. If m is None, the forces on the tree's
    coordinates are multiplied by G', where G maps the independent velocities to those of the tree.

    Args:
        end: frame that exerts the wrench.
        frame: frame in whose axes the wrench is given.
    """
    builder = Builder(f"{robot.name}_static_torques")
    provider = joint_provider(builder, robot)
    title = f"wrench of frame {end} in frame {frame}"
    wrench = builder.input(F, (6,), [f"F_{k}" for k in range(1, 7)], title)
    trig = Trigonometry(builder, robot)
    port = TAU_ACTIVE if robot.B or robot.wheels else TAU
    if m is None:
        columns = tree_columns(builder, robot, end, frame, provider, trig)
        forces = {c: dot(columns[c], wrench) if c in columns else 0 for c in provider.tree}
        builder.output(port, list(provider.project(forces).values()))
    else:
        f = factors(builder, robot, end, frame, m, provider, trig)
        builder.output(port, matvec(transpose(assembled(f)), wrench))
    return builder.program()
