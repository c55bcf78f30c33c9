"""`contact-dynamics` of a floating base: accelerations and forces of a robot some points of which rest on the ground.

    A x + J' f = S tau - H            x = [Vd0; qdd],  S tau = [0; tau]
    J x + a = 0                       the acceleration of the points in the world

f are the forces BY the robot ON the ground, by the Schur complement J A^-1 J' (`SchurComplement`). Where the contacts
become redundant in a posture, all outputs are NaN. With damping eps that is never so: eps is added to the diagonal, the
points then accelerate by eps f, and forces that no motion determines are the least ones.

Springs of elastic joints are in H, and no torque drives such a joint of a tree. Where loops close, x = [Vd0; qdda]: A,
H and J are those of the active joints, the other joints moving with them, and a has the drift of the loops in it.

R. Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 8.2, 8.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symoro.errors import OptionError
from symoro.expr.formula import Formula
from symoro.expr.linalg import negate, subtract
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.couplings import JointEntries, own_entries
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.floating.base import (
    APPLIES_TO,
    EXAMPLE,
    ROTATION,
    base_gravity,
    is_on_floating_base,
)
from symoro.models.dynamic.floating.forces import FloatingForces
from symoro.models.dynamic.floating.inertia import FloatingInertia
from symoro.models.dynamic.formulation import quick
from symoro.models.ports import Q0, QD, QDD, QDDA, R0, TAU, V0, VD0, Q
from symoro.models.recursion import FREE_BASE, base_motion
from symoro.models.references import NEWTON_EULER_2010
from symoro.models.solvers import SchurComplement
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

if TYPE_CHECKING:
    from symoro.models.dynamic.floating.points import ContactPoint

FORCES = Port("forces", "C,3", "force by the robot on the ground at each contact, in the axes of frame 0")
CONTACTS = Option(
    "contacts",
    "points on the ground: frames, or (frame, (x, y, z)); by default the tool or the last link's frame",
    "points",
)
DAMPING = Option(
    "damping",
    "added to the diagonal of J A^-1 J' (1/kg), for contacts that determine no forces: the points give way",
    "number",
)


@model(
    "contact-dynamics",
    menu="Dynamic",
    title="contact dynamics: accelerations, and forces on the ground",
    inputs=(Q, QD, TAU, V0, R0, Q0),
    outputs=(QDD, VD0, FORCES),
    options=(CONTACTS, DAMPING, ROTATION),
    reference=NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), with points held"),
    applies=is_on_floating_base,
    applies_to=APPLIES_TO,
    equations=r"\begin{bmatrix} A & J^T \\ J & 0 \end{bmatrix} \begin{bmatrix} ({}^0\dot V_0; \ddot q) \\ f "
    r"\end{bmatrix} = \begin{bmatrix} (0; \Gamma) - H \\ -\dot J ({}^0V_0; \dot q) \end{bmatrix}",
    example=EXAMPLE,
)
def contact_dynamics(
    robot: Robot,
    contacts: Sequence[tuple[int | str, Sequence[Formula]]] | None = None,
    damping: float | None = None,
    rotation: str = "matrix",
) -> Program:
    """Accelerations and contact forces from positions, velocities and torques."""
    # Here, since it loads NumPy, which the catalogue does without.
    from symoro.models.dynamic.floating.points import contact_points, determined

    robot, points = contact_points(robot, contacts)
    if damping is not None and not damping > 0:
        raise OptionError(f"damping must be more than zero, got {damping}", hint="leave it out for none")
    if damping is None:
        determined(robot, points)
    program = _program(robot, points, damping, rotation)
    if damping is None:
        return program
    return replace(program, choices=(f"forces damped: the contacts give way by {damping:g} m/s2 a newton",))


def _program(robot: Robot, points: Sequence[ContactPoint], damping: float | None, rotation: str) -> Program:
    builder = Builder(f"{robot.name}_contact_dynamics")
    motion = joint_motion(builder, robot, "qd")
    tau = own_entries(builder, robot, "tau")
    base = base_motion(builder, robot, acceleration=False)
    down = base_gravity(builder, robot, rotation)
    forces = FloatingForces(builder, robot, quick(robot), motion.joints)
    bias = forces.given(base, down, motion.qd, motion.qdd).rows()
    factors = FloatingInertia(builder, robot, forces.tree, motion.joints).factors()
    order = [*FREE_BASE, *tau]
    right = subtract([0] * 6 + list(tau.values()), bias)
    from symoro.models.dynamic.floating.points import Points

    held = Points(builder, forces.tree, motion.joints, points)
    rows = [dict(zip(order, row, strict=True)) for row in held.jacobian()]
    accelerations = negate(held.accelerations(base, motion))
    x, found = SchurComplement(factors, rows, damping).solve(
        dict(zip(order, right, strict=True)), accelerations
    )
    output_accelerations(builder, robot, motion, {j: x[j] for j in tau})
    builder.output(VD0, [x[k] for k in FREE_BASE])
    builder.output(FORCES, [found[3 * c : 3 * c + 3] for c in range(len(points))])
    return builder.program()


def output_accelerations(builder: Builder, robot: Robot, motion: JointMotion, own: JointEntries) -> None:
    """Declare qdd, and qdda before it where loops close, from the accelerations of the coordinates."""
    if robot.B:
        builder.output(QDDA, list(own.values()))
        every = motion.accelerated(own)
        own = {j: every[j] for j in independent(robot)}
    builder.output(QDD, list(own.values()))
