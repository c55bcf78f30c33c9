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

from symoro.expr.linalg import Matrix, Vector, cross, dot, skew, subtract, transpose
from symoro.models.catalogue import model
from symoro.models.coordinates.blocks import BASE, Coordinate, joint
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating.base import APPLIES_TO, EXAMPLE, is_on_floating_base
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.ports import QD, V0, Q
from symoro.models.references import NEWTON_EULER_2010
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
    read = Inputs(weight=False)
    s = system("centroidal_momentum", Layout(robot), quick(robot), read)
    matrix = momentum_matrix(s)
    nu = [s.state.nu[c] for c in s.provider.own]
    s.builder.output(H, [dot(row, nu) for row in matrix])
    s.builder.output(COM, s.tree.composites[0].centre())
    s.builder.output(AG, matrix)
    return s.builder.program()


def momentum_matrix(s: System) -> Matrix:
    """Return AG; a velocity of the base without rotation has no momentum about the centre of mass."""
    whole, entries = s.tree.composites[0], s.tree.tree_inertia
    com, m = whole.centre(), whole.m
    arms = transpose(skew(whole.ms))
    linear = [[m if r == c else 0 for c in range(3)] + arms[r] for r in range(3)]
    angular = [[0, 0, 0, *row] for row in whole.central()]
    of_joints: dict[Coordinate, Vector] = {
        joint(j): [entries[c, joint(j)] for c in BASE] for j in s.tree.joints
    }
    columns = s.provider.columns(of_joints, 6)
    for c in s.joints:
        force, moment = columns[c][:3], subtract(columns[c][3:], cross(com, columns[c][:3]))
        linear = [[*row, x] for row, x in zip(linear, force, strict=True)]
        angular = [[*row, x] for row, x in zip(angular, moment, strict=True)]
    return [*linear, *angular]
