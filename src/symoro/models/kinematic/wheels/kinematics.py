"""`wheel-kinematics`: rolling constraints of the wheels, and the motion as a function of the active joints.

    W [V0x V0y W0z qd]' = 0,    [V0x V0y W0z qd]' = G qda

W and G depend only on the angles about vertical axes, and for robots with closed loops also on the configuration of the
loops. The output `det` vanishes where the active joints cannot drive the robot (a rear-wheel-driven car with its
steering at a right angle); G is NaN there.

G. Campion, G. Bastin, B. d'Andrea-Novel, IEEE Transactions on Robotics and Automation 12, 1996.
"""

from __future__ import annotations

from symoro.models.catalogue import model
from symoro.models.coordinates.blocks import PLANAR_BASE, joint
from symoro.models.coordinates.layout import Layout, constraint_provider
from symoro.models.coordinates.provider import ChainedCoordinates
from symoro.models.kinematic.wheels.setting import APPLIES_TO, on_wheels
from symoro.models.ports import Q
from symoro.models.references import WHEELED_1996
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

W = Port("W", "m,3+n", "independent constraints of the wheels: W [V0x V0y W0z qd] = 0")
G = Port(
    "G",
    "3+n,na",
    "motion as a function of the active joints: [V0x V0y W0z qd] = G qda; NaN where det is zero",
)
DET = Port("det", "", "zero where the active joints cannot drive the robot")


@model(
    "wheel-kinematics",
    menu="Kinematic",
    title="rolling without slip: constraints of the wheels, and motion by the active joints",
    inputs=(Q,),
    outputs=(W, G, DET),
    reference=WHEELED_1996.at("constraints of conventional and Swedish wheels"),
    aliases=("wheels",),
    applies=on_wheels,
    applies_to=APPLIES_TO,
    equations=r"t^T v_C = 0, \quad z^T v_C = 0, \quad (\cos\gamma\, t + \sin\gamma\, z)^T v_C = 0; \qquad "
    r"W \begin{bmatrix} V_{0x} & V_{0y} & \omega_{0z} & \dot q^T \end{bmatrix}^T = 0, \quad "
    r"\begin{bmatrix} V_{0x} & V_{0y} & \omega_{0z} & \dot q^T \end{bmatrix}^T = G\,\dot q_a",
    example="diffdrive",
)
def wheel_kinematics(robot: Robot) -> Program:
    """Derive the rolling constraints W of the wheels, and the matrix G of the motion.

    G maps the velocities of the active joints to the velocities of base and joints.
    """
    from symoro.models.coordinates.wheels import WheelCoordinates  # imported here because it loads NumPy

    builder = Builder(f"{robot.name}_wheel_kinematics")
    provider = constraint_provider(builder, Layout(robot))
    wheels = provider.outer if isinstance(provider, ChainedCoordinates) else provider
    assert isinstance(wheels, WheelCoordinates)
    g = dict(zip(provider.tree, provider.matrix(), strict=True))
    builder.output(W, wheels.rolling.matrix())
    builder.output(G, [g[c] for c in (*PLANAR_BASE, *map(joint, independent(robot)))])
    builder.output(DET, wheels.rolling.elimination.determinant)
    return builder.program()
