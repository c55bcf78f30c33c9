"""`direct-dynamics` of a floating base: the accelerations of joints and base that torques cause.

    inertia     A [Vd0; qdd] = [0; tau] - H
    recursive   articulated bodies down to link 0, whose 6x6 inertia is solved there (Khalil 2010, section 7.3)

By default the one that costs fewer operations. As in inverse dynamics the recursion leaves gravity out and adds it to
the acceleration of the base.
"""

from __future__ import annotations

from symoro.errors import OptionError
from symoro.models.catalogue import form
from symoro.models.coordinates.couplings import coordinate_joints, own_entries
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.articulated import body_inertias, free_joints, mixed
from symoro.models.dynamic.direct import METHOD, cheaper, is_long, output_accelerations
from symoro.models.dynamic.floating.base import (
    APPLIES_TO,
    EXAMPLE,
    OF,
    ROTATION,
    base_gravity,
    floating_tree,
    has_floating_base,
)
from symoro.models.dynamic.floating.forces import FloatingForces
from symoro.models.dynamic.floating.inertia import FloatingInertia
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.inverse import EFFORT, chosen
from symoro.models.dynamic.setting import wrenches
from symoro.models.ports import Q0, QD, QDD, R0, TAU, V0, VD0, Q
from symoro.models.recursion import FREE_BASE, base_motion, local_frames
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints


@form(
    "direct-dynamics",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, TAU, V0, R0, Q0),
    outputs=(QDD, VD0),
    options=(METHOD, EFFORT, ROTATION),
    reference=NEWTON_EULER_2010.at("section 7.3, eq. (101) to (112)"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=r"\begin{bmatrix} {}^0\dot V_0 \\ \ddot q \end{bmatrix} = A^{-1} "
    r"\left( \begin{bmatrix} 0 \\ \Gamma \end{bmatrix} - H \right)",
    example=EXAMPLE,
)
def floating_direct_dynamics(
    robot: Robot, method: str = "auto", effort: str = "quick", rotation: str = "matrix"
) -> Program:
    """Accelerations from positions, velocities and torques."""
    is_coupled = len(moving_joints(robot)) != len(coordinate_joints(robot))
    if method == "recursive" and is_coupled:
        kind = "closed loops" if robot.B else "coupled joints"
        raise OptionError(f"method recursive does not treat {kind}", hint="use method='inertia'")
    if method == "recursive" or (method == "auto" and not is_coupled and is_long(robot)):
        return _by_recursion(robot, rotation)
    by_inertia = chosen(robot, effort, lambda f: _by_inertia(robot, f, rotation), "direct-dynamics, floating")
    if method == "inertia" or is_coupled:
        return by_inertia
    return cheaper(by_inertia, _by_recursion(robot, rotation))


def _by_recursion(robot: Robot, rotation: str) -> Program:
    builder = Builder(f"{robot.name}_direct_dynamics")
    motion = joint_motion(builder, robot, "qd")
    torques = own_entries(builder, robot, "tau")
    base = base_motion(builder, robot, acceleration=False)
    down = base_gravity(builder, robot, rotation)
    free = free_joints(builder, robot, motion, torques)
    tree = local_frames(builder, robot, motion.q)
    inertias = body_inertias(builder, robot, tree, free_base=True)
    loads = wrenches(builder, robot, with_base=True)
    found = mixed(builder, tree, motion.qd, free, base, down, inertias, loads, free_base=True)
    builder.output(QDD, [found.qdd[j] for j in torques])
    builder.output(VD0, [*found.base.v, *found.base.w])
    return builder.program()


def _by_inertia(robot: Robot, formulation: Formulation, rotation: str) -> Program:
    builder = Builder(f"{robot.name}_direct_dynamics")
    motion = joint_motion(builder, robot, "qd")
    tau = own_entries(builder, robot, "tau")
    base = base_motion(builder, robot, acceleration=False)
    down = base_gravity(builder, robot, rotation)
    forces = FloatingForces(builder, robot, formulation, motion.joints)
    bias = forces.given(base, [0, 0, 0], motion.qd, motion.qdd).rows()
    known = {**dict.fromkeys(FREE_BASE, 0), **tau}
    right = {k: x - h for (k, x), h in zip(known.items(), bias, strict=True)}
    factors = FloatingInertia(builder, robot, forces.tree, motion.joints).factors()
    found = list(factors.outward(factors.inward(right)).values())
    output_accelerations(builder, robot, motion, dict(zip(tau, found[6:], strict=True)))
    builder.output(VD0, [*(x + g for x, g in zip(found[:3], down, strict=True)), *found[3:6]])
    return builder.program()
