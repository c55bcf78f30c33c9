"""`energy` of a floating base: that of link 0 counts, and U depends on where the base stands.

    E = [V0; qd]' A [V0; qd] / 2
    U = -G' (M P0 + R0 MS) + sum of k (q - rest)^2 / 2,      M, MS: mass and first moment of the whole robot in frame 0

E is summed over the links (1997 paper, eq. 49), with their mass regrouped: neither E nor M, MS change by it. U is zero
where all mass would lie at the origin of the world and no spring is strained.
"""

from __future__ import annotations

from symoro.expr.linalg import dot
from symoro.models.catalogue import form
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.energy import E, U, kinetic_energy, whole_mass
from symoro.models.dynamic.floating.base import (
    APPLIES_TO,
    EXAMPLE,
    OF,
    ROTATION,
    base_gravity,
    base_position,
    floating_tree,
    has_floating_base,
)
from symoro.models.dynamic.inertia import effective_inertias
from symoro.models.dynamic.setting import spring_energy
from symoro.models.ports import P0, Q0, QD, R0, V0, Q
from symoro.models.recursion import base_motion, local_frames
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot


@form(
    "energy",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, V0, P0, R0, Q0),
    outputs=(E, U),
    options=(ROTATION,),
    reference=SYMORO_1997.at("section 6.3, eq. (49), (50), with link 0"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=r"E = \tfrac12 \begin{bmatrix} {}^0V_0 \\ \dot q \end{bmatrix}^T A "
    r"\begin{bmatrix} {}^0V_0 \\ \dot q \end{bmatrix}, \quad U = -g^T (M P_0 + R_0\,{}^0MS) + "
    r"\tfrac12 \sum_j k_j (q_j - q_{0,j})^2",
    example=EXAMPLE,
)
def floating_energy(robot: Robot, rotation: str = "matrix") -> Program:
    """Energies of the robot and its base."""
    builder = Builder(f"{robot.name}_energy")
    joints = joint_motion(builder, robot, "qd")
    base = base_motion(builder, robot, acceleration=False)
    place = base_position(builder)
    down = base_gravity(builder, robot, rotation)
    tree = local_frames(builder, robot, joints.q)
    inertias = effective_inertias(builder, robot, tree, {})
    builder.output(E, kinetic_energy(builder, robot, tree, base, joints.qd, inertias))
    mass, moment = whole_mass(tree, inertias)
    world = [builder.formula(g) for g in robot.base.G]
    weight = -(mass * dot(world, place) + dot(down, moment))
    builder.output(U, weight + spring_energy(builder, robot, joints.q))
    return builder.program()
