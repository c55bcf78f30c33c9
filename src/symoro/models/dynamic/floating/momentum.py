"""`centroidal-momentum` of a floating base: how the whole robot moves, about its centre of mass.

    h = (p; L) = AG [V0; qd]

p is the linear momentum, L the angular one about the centre of mass c = MS / M, both in the axes of frame 0. The base
rows of the inertia matrix give the momentum about the origin of frame 0; the lever arm c takes it to c:

    AG = [ 1        0 ] [ A11  A12 ]
         [ -hat(c)  1 ]

Rotors are outside: their inertia IA acts along their own joint alone. The rate of h is the wrench of gravity and of the
environment, in the world's axes: without them R0 p and R0 L are constant.

D.E. Orin, A. Goswami, S.-H. Lee: Centroidal dynamics of a humanoid robot. Autonomous Robots 35, 2013.
"""

from __future__ import annotations

from symoro.expr.linalg import Matrix, cross, dot, skew, subtract, transpose
from symoro.models.catalogue import model
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.floating.base import APPLIES_TO, EXAMPLE, is_on_floating_base
from symoro.models.dynamic.floating.inertia import FloatingInertia
from symoro.models.ports import QD, V0, Q
from symoro.models.recursion import base_motion, local_frames
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

H = Port("h", "6", "momentum (linear; angular about the centre of mass), in the axes of frame 0")
COM = Port("com", "3", "centre of mass in frame 0")
AG = Port("AG", "6,6+n", "centroidal momentum matrix: h = AG [V0; qd]")


@model(
    "centroidal-momentum",
    menu="Dynamic",
    title="centroidal momentum: that of the whole robot about its centre of mass",
    inputs=(Q, QD, V0),
    outputs=(H, COM, AG),
    reference=NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), base rows"),
    applies=is_on_floating_base,
    applies_to=APPLIES_TO,
    equations=r"h = A_G \begin{bmatrix} {}^0V_0 \\ \dot q \end{bmatrix}, \qquad "
    r"A_G = \begin{bmatrix} 1 & 0 \\ -\hat c & 1 \end{bmatrix} "
    r"\begin{bmatrix} A_{11} & A_{12} \end{bmatrix}",
    example=EXAMPLE,
)
def centroidal_momentum(robot: Robot) -> Program:
    """Momentum, centre of mass, and the matrix of the momentum."""
    builder = Builder(f"{robot.name}_centroidal_momentum")
    motion = joint_motion(builder, robot, "qd")
    base = base_motion(builder, robot, acceleration=False)
    inertia = FloatingInertia(builder, robot, local_frames(builder, robot, motion.q), motion.joints)
    com = inertia.whole.centre()
    matrix = momentum_matrix(inertia)
    rates = [*base.v, *base.w, *motion.own.values()]
    builder.output(H, [dot(row, rates) for row in matrix])
    builder.output(COM, com)
    builder.output(AG, matrix)
    return builder.program()


def momentum_matrix(inertia: FloatingInertia) -> Matrix:
    """AG; a velocity of the base without turn has no momentum about the centre of mass."""
    com, m = inertia.whole.centre(), inertia.whole.m
    arms = transpose(skew(inertia.whole.ms))
    linear = [[m if r == c else 0 for c in range(3)] + arms[r] for r in range(3)]
    angular = [[0, 0, 0, *row] for row in inertia.whole.central()]
    for column in transpose(inertia.to_base()):
        force, moment = column[:3], subtract(column[3:], cross(com, column[:3]))
        linear = [[*row, x] for row, x in zip(linear, force, strict=True)]
        angular = [[*row, x] for row, x in zip(angular, moment, strict=True)]
    return [*linear, *angular]
