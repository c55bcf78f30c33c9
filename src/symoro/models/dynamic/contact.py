"""`contact-dynamics`: accelerations and contact forces of a robot with points fixed to the ground.

    A nud + J' f = forces - H         nu: base | joints, the independent ones
    J nud + a = 0                     acceleration of the contact points in the world

f are the forces of the robot on the ground, computed with the Schur complement J A^-1 J' (`SchurComplement`).
J = J_tree G and a = J_tree g + Jdot_tree nu_tree follow from the constraints nud_tree = G nud + g of couplings, closed
loops and wheels.

In some configurations the contact equations become dependent, for example the lateral ones of two planar legs in a
symmetric stance. Accelerations are unique there, and the forces are those of least norm. If the velocities violate a
dependent contact, no acceleration satisfies all contacts, and all outputs are NaN. Contacts that are dependent in every
configuration require damping eps: eps is added to the diagonal, the contact points accelerate by eps f, and
indeterminate forces have the least norm.

H contains the springs of elastic joints; no drive acts on such a joint of a tree.

R. Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 8.2, 8.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from symoro.errors import OptionError
from symoro.expr.formula import Formula
from symoro.expr.linalg import negate
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option
from symoro.models.coordinates.blocks import BASE, Coordinate
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.models import ROLLING_1996, direct_outputs, output_accelerations
from symoro.models.dynamic.structures import (
    FIXED,
    FLOATING,
    WHEELED,
    Structure,
    supported_friction,
    tree_model,
)
from symoro.models.dynamic.system import Inputs, system
from symoro.models.dynamic.tree_dynamics import NONE, Solution
from symoro.models.ports import Q0, QD, QDA, QMDD, R0, TAU, TAU_ACTIVE, V0, Q
from symoro.models.references import NEWTON_EULER_2010
from symoro.models.solvers import SchurComplement
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

FORCES = Port(
    "forces",
    "C,3",
    "force of the robot on the ground at each contact, in the axes of frame 0; least norm where not unique; all "
    "outputs are NaN where the velocities violate redundant contacts",
)
CONTACTS = Option(
    "contacts",
    "points fixed to the ground: a frame (the point at its origin) or (frame, (x, y, z)); a point contact transmits a "
    "force and no moment; by default the tool or the last link's frame",
    "points",
)
DAMPING = Option(
    "damping",
    "damping added to the diagonal of J A^-1 J' (1/kg), required if the contact forces are not "
    "unique; the contact points then accelerate slightly",
    "number",
)

CONSISTENT = "velocities that satisfy the contacts in configurations where the contacts are redundant"
REDUNDANT = (
    "where the contact equations are dependent, the forces are those of least norm; the outputs are NaN if the "
    "velocities violate a dependent contact"
)


def contact_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports: the outputs of direct dynamics without motors, and the contact forces."""
    return (*(port for port in direct_outputs(structure) if port is not QMDD), FORCES)


@tree_model(
    "contact-dynamics",
    aliases=("constrained-dynamics", "contact-forces"),
    title="contact dynamics: accelerations, and forces on the ground",
    read=Inputs(torques=True),
    outputs=contact_outputs,
    options=(CONTACTS, DAMPING, ROTATION),
    requirements=(supported_friction,),
    structures={
        FIXED: {
            "inputs": (Q, QD, TAU, QDA),
            "reference": NEWTON_EULER_2010.at("section 3.1, eq. (7), (8), with fixed contact points"),
            "equations": r"\begin{bmatrix} A & J^T \\ J & 0 \end{bmatrix} \begin{bmatrix} \ddot q \\ f "
            r"\end{bmatrix} = \begin{bmatrix} \Gamma - H \\ -\dot J \dot q \end{bmatrix}",
        },
        FLOATING: {
            "inputs": (Q, QD, TAU, V0, R0, Q0),
            "reference": NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), with fixed contact points"),
            "equations": r"\begin{bmatrix} A & J^T \\ J & 0 \end{bmatrix} "
            r"\begin{bmatrix} ({}^0\dot V_0; \ddot q) \\ f \end{bmatrix} = "
            r"\begin{bmatrix} (0; \Gamma) - H \\ -\dot J ({}^0V_0; \dot q) \end{bmatrix}",
        },
        WHEELED: {
            "inputs": (Q, QDA, TAU_ACTIVE),
            "reference": ROLLING_1996,
            "equations": r"\begin{bmatrix} G^T A\,G & G^T J^T \\ J\,G & 0 \end{bmatrix} "
            r"\begin{bmatrix} \ddot q_a \\ f \end{bmatrix} = "
            r"\begin{bmatrix} \Gamma - H_c \\ -J g - \dot J G\,\dot q_a \end{bmatrix}",
            "example": "mobile_manipulator",
        },
    },
)
def contact_dynamics(
    robot: Robot,
    contacts: Sequence[tuple[int | str, Sequence[Formula]]] | None = None,
    damping: float | None = None,
    rotation: str = "matrix",
) -> Program:
    """Return a program that computes accelerations and contact forces from positions, velocities and torques.

    Args:
        contacts: points on the ground, each with its frame and its coordinates in this frame.
        damping: number (1/kg) added to the diagonal of J A^-1 J', where J is the contact Jacobian and A the inertia
            matrix; required if the contact forces are not unique.
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
    """
    # Imported here because it loads NumPy, which the catalogue does not need.
    from symoro.models.dynamic.contact_points import contact_points, placed_points, require_full_rank

    robot, points = contact_points(robot, contacts)
    if damping is not None and not 0 < damping < math.inf:
        raise OptionError(
            f"damping must be a finite number above zero, got {damping}",
            hint="for no damping, omit this option",
        )
    if damping is None:
        require_full_rank(robot, points)
    s = system("contact_dynamics", Layout(robot), quick(robot), Inputs(torques=True), rotation=rotation)
    builder, dynamics, own = s.builder, s.tree, s.provider.own
    none: dict[Coordinate, Scalar] = dict.fromkeys(own, 0)
    falls = (
        BASE[0] in own
    )  # the acceleration of a free base contains gravity, so that gravity is zero in the recursion
    bias = dynamics.efforts(s.state, none, NONE if falls else None)
    factors = dynamics.factors(own)
    placed = placed_points(builder, dynamics.tree, points)
    rows = placed.jacobian(s.provider)
    drift = placed.accelerations(dynamics, s.state.rates, s.provider.accelerations(none, s.state.nu))
    if falls:
        drift = [a + dynamics.gravity[k % 3] for k, a in enumerate(drift)]
    right = {c: s.known.forces[c] - bias[c] for c in own}
    x, forces = SchurComplement(factors, rows, damping).solve(right, negate(drift))
    output_accelerations(s, Solution(dynamics.with_gravity(x) if falls else x, s.known.forces))
    builder.output(FORCES, [forces[3 * k : 3 * k + 3] for k in range(len(points))])
    program = builder.program()
    if damping is None:
        return replace(program, conditions=(CONSISTENT,), header=(("remark", REDUNDANT),))
    return replace(
        program, choices=(f"damped contact forces: the contacts accelerate by {damping:g} m/s2 per newton",)
    )
