"""`energy` of a robot on wheels: kinetic, of base and joints as they roll, and potential.

    E = qda' A_c qda / 2,    U = - g' (first moment of all mass about the origin of frame 0)

U is zero where all mass would lie at the origin of frame 0, which stays on the ground.
"""

from __future__ import annotations

from symoro.expr.linalg import dot, matvec
from symoro.models.catalogue import form
from symoro.models.dynamic.energy import E, U
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.wheels.forces import APPLIES_TO, rigid_on_wheels, wheeled_forces
from symoro.models.kinematic.wheels.rolling import active_entries
from symoro.models.kinematic.wheels.setting import EXAMPLE, OF, has_wheels
from symoro.models.ports import QDA, Q
from symoro.models.references import WHEELED_1996
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot


@form(
    "energy",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA),
    outputs=(E, U),
    reference=WHEELED_1996.at("configuration dynamical model"),
    applies=rigid_on_wheels,
    applies_to=APPLIES_TO,
    equations=r"E = \tfrac12\, \dot q_a^T A_c\, \dot q_a, \quad U = -\sum_j {}^0g^T (M_j {}^0P_j + {}^0A_j {}^jMS_j)",
    example=EXAMPLE,
)
def wheeled_energy(robot: Robot) -> Program:
    """Energies of the rolling robot."""
    builder = Builder(f"{robot.name}_energy")
    forces = wheeled_forces(builder, robot, quick(robot))
    qda = active_entries(builder, robot, forces.motion, QDA)
    mass = forces.mass()
    half = builder.number(1) / 2
    builder.output(E, half * dot(qda, matvec(forces.inertia(mass), qda)))
    builder.output(U, -dot(forces.down, list(mass.whole.ms)))
    return builder.program()
