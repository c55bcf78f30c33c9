"""`direct-dynamics`, `inertia-matrix` of a robot on wheels.

    A_c = G' A G,    A_c qdda = tau - H_c,    x = G qda,    Vd0 = d/dt [V0x V0y W0z] + W0z x V0

A_c is positive wherever the wheels let the active joints drive the robot, and is factored as L' D L.

G. Campion, G. Bastin, B. d'Andrea-Novel, IEEE Transactions on Robotics and Automation 12, 1996.
"""

from __future__ import annotations

from symoro.expr.linalg import add, matvec, transpose
from symoro.models.catalogue import form
from symoro.models.dynamic.formulation import Formulation, quick
from symoro.models.dynamic.inverse import EFFORT, chosen
from symoro.models.dynamic.wheels.forces import (
    APPLIES_TO,
    SURPLUS,
    rigid_on_wheels,
    solved,
    wheeled_forces,
)
from symoro.models.kinematic.wheels.contact import BASE
from symoro.models.kinematic.wheels.rolling import active_entries, classical
from symoro.models.kinematic.wheels.setting import EXAMPLE, OF, has_wheels
from symoro.models.ports import QDA, QDDA, TAU_ACTIVE, Q
from symoro.models.references import WHEELED_1996
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

A = Port("A", "na,na", "inertia matrix of the active joints, rotor inertias included")
V0 = Port("V0", "3", "velocity of the base: along x and y of frame 0, and turn")
VD0 = Port("Vd0", "3", "acceleration of the base, the classical one: along x and y of frame 0, and turn")
QD = Port("qd", "n", "velocities of all joints, passive ones included")
QDD = Port("qdd", "n", "accelerations of all joints, passive ones included")


@form(
    "inertia-matrix",
    of=OF,
    takes=has_wheels,
    inputs=(Q,),
    outputs=(A,),
    reference=WHEELED_1996.at("configuration dynamical model"),
    applies=rigid_on_wheels,
    applies_to=APPLIES_TO,
    equations=r"A_c = G^T A\,G",
    example=EXAMPLE,
)
def wheeled_inertia_matrix(robot: Robot) -> Program:
    """The inertia that the active joints feel."""
    builder = Builder(f"{robot.name}_inertia_matrix")
    builder.output(A, wheeled_forces(builder, robot, quick(robot)).inertia())
    return builder.program()


@form(
    "direct-dynamics",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA, TAU_ACTIVE),
    outputs=(QDDA, V0, VD0, QD, QDD),
    options=(EFFORT, SURPLUS),
    reference=WHEELED_1996.at("configuration dynamical model"),
    applies=rigid_on_wheels,
    applies_to=APPLIES_TO,
    equations=r"\ddot q_a = (G^T A\,G)^{-1} (\Gamma - H_c)",
    example=EXAMPLE,
)
def wheeled_direct_dynamics(robot: Robot, effort: str = "quick", surplus: str = "refuse") -> Program:
    """Accelerations from torques, and the motion of the base and of all joints."""
    share = surplus == "share"
    return chosen(robot, effort, lambda f: _program(robot, f, share), "direct-dynamics, on wheels")


def _program(robot: Robot, formulation: Formulation, share: bool) -> Program:
    builder = Builder(f"{robot.name}_direct_dynamics")
    forces = wheeled_forces(builder, robot, formulation, surplus=share)
    motion = forces.motion
    qda, given = (active_entries(builder, robot, motion, port) for port in (QDA, TAU_ACTIVE))
    tau = matvec(transpose(motion.of_drives()), given)
    x = motion.rates(qda)
    drift = motion.drift(x)
    right = [t - h for t, h in zip(tau, forces.of(x, drift), strict=True)]
    qdda = solved(forces.inertia(), right)
    builder.output(QDDA, qdda)
    builder.output(V0, x[:3])
    xd = add(matvec(motion.G, qdda), drift)
    builder.output(VD0, classical(x, xd))
    builder.output(QD, x[BASE:])
    builder.output(QDD, xd[BASE:])
    return builder.program()
