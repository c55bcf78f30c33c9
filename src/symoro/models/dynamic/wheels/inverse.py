"""`inverse-dynamics`, `bias-torques`, `gravity-torques` of a robot on wheels: torques of the active joints.

    tau = G' [f0x f0y m0z tau_tree] of the motion x = G qda, xd = G qdda + g        H: the same at qdda = 0

G. Campion, G. Bastin, B. d'Andrea-Novel, IEEE Transactions on Robotics and Automation 12, 1996: the configuration
dynamical model, that is the equations of Lagrange with the multipliers eliminated.
"""

from __future__ import annotations

from symoro.expr.linalg import Vector
from symoro.models.catalogue import form
from symoro.models.dynamic.formulation import Formulation, quick
from symoro.models.dynamic.inverse import EFFORT, chosen
from symoro.models.dynamic.setting import at_rest
from symoro.models.dynamic.wheels.forces import APPLIES_TO, SURPLUS, rigid_on_wheels, wheeled_forces
from symoro.models.kinematic.wheels.rolling import active_entries
from symoro.models.kinematic.wheels.setting import EXAMPLE, OF, has_wheels
from symoro.models.ports import QDA, QDDA, TAU_ACTIVE, Q
from symoro.models.references import WHEELED_1996
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

H = Port("H", "na", "torques of the active joints at qdda = 0")
WEIGHT = Port("Q", "na", "torques of the active joints at rest, without friction and wrenches")
EQUATIONS = (
    r"\Gamma = G^T \left( A\,(G\,\ddot q_a + g) + H \right), \qquad "
    r"\begin{bmatrix} V_{0x} & V_{0y} & \omega_{0z} & \dot q^T \end{bmatrix}^T = G\,\dot q_a"
)


@form(
    "inverse-dynamics",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA, QDDA),
    outputs=(TAU_ACTIVE,),
    options=(EFFORT, SURPLUS),
    reference=WHEELED_1996.at("configuration dynamical model"),
    applies=rigid_on_wheels,
    applies_to=APPLIES_TO,
    equations=EQUATIONS,
    example=EXAMPLE,
)
def wheeled_inverse_dynamics(robot: Robot, effort: str = "quick", surplus: str = "refuse") -> Program:
    """Torques from positions, and velocities and accelerations of the active joints."""

    def build(formulation: Formulation) -> Program:
        builder = Builder(f"{robot.name}_inverse_dynamics")
        forces = wheeled_forces(builder, robot, formulation, surplus=surplus == "share")
        qda, qdda = (active_entries(builder, robot, forces.motion, port) for port in (QDA, QDDA))
        builder.output(TAU_ACTIVE, forces.shared(forces.torques(qda, qdda)))
        return builder.program()

    return chosen(robot, effort, build, "inverse-dynamics, on wheels")


@form(
    "bias-torques",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA),
    outputs=(H,),
    options=(EFFORT,),
    reference=WHEELED_1996.at("configuration dynamical model"),
    applies=rigid_on_wheels,
    applies_to=APPLIES_TO,
    equations=r"H = \Gamma \text{ at } \ddot q_a = 0",
    example=EXAMPLE,
)
def wheeled_bias_torques(robot: Robot, effort: str = "quick") -> Program:
    """Torques without acceleration of the active joints; the others may have one."""

    def build(formulation: Formulation) -> Program:
        builder = Builder(f"{robot.name}_bias_torques")
        forces = wheeled_forces(builder, robot, formulation)
        qda = active_entries(builder, robot, forces.motion, QDA)
        builder.output(H, forces.torques(qda, [0] * len(qda)))
        return builder.program()

    return chosen(robot, effort, build, "bias-torques, on wheels")


@form(
    "gravity-torques",
    of=OF,
    takes=has_wheels,
    inputs=(Q,),
    outputs=(WEIGHT,),
    reference=WHEELED_1996.at("configuration dynamical model, at rest"),
    applies=rigid_on_wheels,
    applies_to=APPLIES_TO,
    equations=r"Q = G^T \partial U / \partial x",
    example=EXAMPLE,
)
def wheeled_gravity_torques(robot: Robot) -> Program:
    """Torques that hold the robot still against its weight."""
    builder = Builder(f"{robot.name}_gravity_torques")
    forces = wheeled_forces(builder, at_rest(robot), quick(robot))
    still: Vector = [0] * forces.motion.size
    builder.output(WEIGHT, forces.of(still, still, friction=False))
    return builder.program()
