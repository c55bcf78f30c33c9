"""`inverse-dynamics`, `bias-torques`, `gravity-torques` of a floating base.

A [Vd0; qdd] + H = [wrench0; tau]

base free    wrench0 = 0: tau and Vd0 from q, qd, qdd (Khalil 2010, section 7.2)
base given   wrench0 and tau from q, qd, qdd and Vd0, as whole-body control asks
H            wrench0 and tau at Vd0 = 0, qdd = 0;    Q: the same at rest, of gravity alone
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symoro.errors import OptionError
from symoro.models.catalogue import Option, form
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.floating.base import (
    APPLIES_TO,
    EXAMPLE,
    OF,
    ROTATION,
    base_gravity,
    floating_tree,
    has_floating_base,
    is_rigid_and_floats,
)
from symoro.models.dynamic.floating.forces import FloatingForces
from symoro.models.dynamic.formulation import Formulation, plain, quick
from symoro.models.dynamic.inverse import EFFORT, REACTIONS_TOO, chosen
from symoro.models.dynamic.setting import at_rest
from symoro.models.ports import Q0, QD, QDD, R0, REACTIONS, TAU, V0, VD0, WRENCH0, Q
from symoro.models.recursion import BaseMotion, base_motion
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

BASE = Option(
    "base",
    "free: no wrench acts on the base, whose acceleration is found; given: its acceleration is an input",
    "choice",
    "free",
    ("free", "given"),
    flag="base_motion",
)
H = Port("H", "6+n", "wrench on the base and torques at Vd0 = 0, qdd = 0")
WEIGHT = Port("Q", "6+n", "wrench on the base and torques at rest, without friction and wrenches")
MOTION = (
    r"\begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix} "
    r"\begin{bmatrix} {}^0\dot V_0 \\ \ddot q \end{bmatrix} + \begin{bmatrix} H_1 \\ H_2 \end{bmatrix} = "
)
STILL = BaseMotion([0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0])


def base_is_given(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Whether the motion of a floating base is asked to be an input."""
    return options.get("base") == "given" and is_rigid_and_floats(robot, options)


@form(
    "inverse-dynamics",
    of=OF,
    takes=is_rigid_and_floats,
    inputs=(Q, QD, QDD, V0, R0, Q0),
    outputs=(TAU, VD0, REACTIONS),
    options=(EFFORT, BASE, ROTATION, REACTIONS_TOO),
    reference=NEWTON_EULER_2010.at("section 7.2, eq. (89) to (100)"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=MOTION + r"\begin{bmatrix} 0 \\ \Gamma \end{bmatrix}",
    example=EXAMPLE,
)
@form(
    "inverse-dynamics",
    of="a floating base that moves as given",
    takes=base_is_given,
    inputs=(Q, QD, QDD, V0, VD0, R0, Q0),
    outputs=(TAU, WRENCH0, REACTIONS),
    options=(EFFORT, BASE, ROTATION, REACTIONS_TOO),
    reference=NEWTON_EULER_2010.at("section 3.2, eq. (18) to (31), with link 0"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=MOTION + r"\begin{bmatrix} f_0 \\ \Gamma \end{bmatrix}",
    example=EXAMPLE,
)
def floating_inverse_dynamics(
    robot: Robot,
    effort: str = "quick",
    base: str = "free",
    rotation: str = "matrix",
    reactions: bool = False,
) -> Program:
    """Torques of a motion of the joints, and the acceleration of the base or the wrench on it."""
    if reactions and robot.B:
        raise OptionError(
            "reactions are not given for closed loops on a floating base", hint="leave them out"
        )
    if reactions:
        return _program(robot, plain(robot), base, rotation, reactions=True)
    name = f"inverse-dynamics, base {base}"
    return chosen(robot, effort, lambda f: _program(robot, f, base, rotation), name)


def _program(
    robot: Robot, formulation: Formulation, base: str, rotation: str, *, reactions: bool = False
) -> Program:
    builder = Builder(f"{robot.name}_inverse_dynamics")
    motion = joint_motion(builder, robot, "qd", "qdd")
    moved = base_motion(builder, robot, acceleration=base == "given")
    down = base_gravity(builder, robot, rotation)
    forces = FloatingForces(builder, robot, formulation, motion.joints)
    if base == "given":
        found = forces.given(moved, down, motion.qd, motion.qdd)
        builder.output(TAU, found.tau)
        builder.output(WRENCH0, [*found.wrench.f, *found.wrench.m])
    else:
        released = forces.released(moved, down, motion.qd, motion.qdd)
        builder.output(TAU, released.tau)
        builder.output(VD0, [*released.base.v, *released.base.w])
        moved = BaseMotion(moved.v, moved.w, released.base.v, released.base.w)
    if reactions:
        builder.output(REACTIONS, forces.reactions(moved, down, motion.qd, motion.qdd))
    return builder.program()


@form(
    "bias-torques",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, V0, R0, Q0),
    outputs=(H,),
    options=(EFFORT, ROTATION),
    reference=NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88)"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=r"H(q, \dot q, {}^0V_0) = (f_0; \Gamma) \text{ at } {}^0\dot V_0 = 0, \ddot q = 0",
    example=EXAMPLE,
)
def floating_bias_torques(robot: Robot, effort: str = "quick", rotation: str = "matrix") -> Program:
    """Wrench on the base and torques without acceleration."""

    def build(formulation: Formulation) -> Program:
        builder = Builder(f"{robot.name}_bias_torques")
        motion = joint_motion(builder, robot, "qd")
        moved = base_motion(builder, robot, acceleration=False)
        down = base_gravity(builder, robot, rotation)
        forces = FloatingForces(builder, robot, formulation, motion.joints)
        builder.output(H, forces.given(moved, down, motion.qd, motion.qdd).rows())
        return builder.program()

    return chosen(robot, effort, build, "bias-torques, floating")


@form(
    "gravity-torques",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, R0, Q0),
    outputs=(WEIGHT,),
    options=(ROTATION,),
    reference=NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), at rest"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=r"Q(q, R_0) = (f_0; \Gamma) \text{ at rest}",
    example=EXAMPLE,
)
def floating_gravity_torques(robot: Robot, rotation: str = "matrix") -> Program:
    """What holds the robot and its base still against their weight."""
    builder = Builder(f"{robot.name}_gravity_torques")
    motion = joint_motion(builder, robot)
    down = base_gravity(builder, robot, rotation)
    forces = FloatingForces(builder, at_rest(robot), quick(robot), motion.joints)
    builder.output(WEIGHT, forces.given(STILL, down, motion.qd, motion.qdd, friction=False).rows())
    return builder.program()
