"""`centroidal-momentum`: the momentum of the whole robot about its centre of mass.

    h = (p; L) = AG nu        nu = [V0; qd] of a floating base, qd of a fixed one, qda with loops or wheels

p is the linear momentum, L the angular one about the centre of mass c = MS / M, both in the axes of frame 0. The base
rows of the inertia matrix give the momentum about the origin of frame 0; the lever arm c transforms it to c:

    AG = [ 1        0 ] [ A11  A12 ] G
         [ -hat(c)  1 ]

Link 0 is included with the mass in the description. The prescribed motion of a base contributes to h but has no column
in AG. Rotors are not included: their inertia IA acts along their own joint alone. In the world's axes the time
derivative of h is the wrench of gravity, of the environment and on the base: for a floating base without loads R0 p and
R0 L are constant.

D.E. Orin, A. Goswami, S.-H. Lee: Centroidal dynamics of a humanoid robot. Autonomous Robots 35, 2013.
"""

from __future__ import annotations

from symoro.expr.linalg import Vector, cross, dot, skew, subtract, transpose
from symoro.models.coordinates.blocks import BASE, Coordinate, joint
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import at_rest
from symoro.models.dynamic.structures import FIXED, FLOATING, WHEELED, Structure, structure_of, tree_model
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.dynamic.tree_dynamics import TreeDynamics
from symoro.models.recursion import base_motion
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

H = Port("h", "6", "momentum (linear; angular about the centre of mass), in the axes of frame 0")
COM = Port("com", "3", "centre of mass in frame 0")
READ = Inputs(weight=False)
BASE_ROWS = NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), base rows")


def momentum_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports: the momentum, the centre of mass, and the centroidal momentum matrix.

    The matrix has a column per independent coordinate.
    """
    columns, rates = (
        ("na", "qda") if structure.wheels else ("6+n", "[V0; qd]") if structure.base else ("n", "qd")
    )
    return (H, COM, Port("AG", f"6,{columns}", f"centroidal momentum matrix: h = AG {rates}"))


@tree_model(
    "centroidal-momentum",
    aliases=("centroidal-momentum-matrix", "cmm"),
    title="centroidal momentum: momentum of the whole robot about its centre of mass",
    read=READ,
    outputs=momentum_outputs,
    structures={
        FIXED: {
            "reference": BASE_ROWS,
            "equations": r"h = A_G\,\dot q, \qquad A_G = \begin{bmatrix} 1 & 0 \\ -\hat c & 1 \end{bmatrix} A_{12}",
        },
        FLOATING: {
            "reference": BASE_ROWS,
            "equations": r"h = A_G \begin{bmatrix} {}^0V_0 \\ \dot q \end{bmatrix}, \qquad "
            r"A_G = \begin{bmatrix} 1 & 0 \\ -\hat c & 1 \end{bmatrix} "
            r"\begin{bmatrix} A_{11} & A_{12} \end{bmatrix}",
        },
        WHEELED: {
            "reference": BASE_ROWS,
            "equations": r"h = A_G\,\dot q_a, \qquad A_G = \begin{bmatrix} 1 & 0 \\ -\hat c & 1 \end{bmatrix} "
            r"\begin{bmatrix} A_{11} & A_{12} \end{bmatrix} G",
            "example": "mobile_manipulator",
        },
    },
)
def centroidal_momentum(robot: Robot) -> Program:
    """Return a program that computes the momentum, the centre of mass and the centroidal momentum matrix."""
    if robot.wheels:
        robot = at_rest(robot)  # external wrenches are no input of this model
    s = system("centroidal_momentum", Layout(robot), quick(robot), READ)
    columns, of_base, com = _momenta(s)
    matrix = transpose([columns[c] for c in s.provider.own])
    nu = [s.state.nu[c] for c in s.provider.own]
    h = [dot(row, nu) for row in matrix]
    if not s.tree.with_base:
        base = base_motion(s.builder, robot, acceleration=False)
        share = transpose([of_base[c] for c in BASE])
        h = [x + dot(row, [*base.v, *base.w]) for x, row in zip(h, share, strict=True)]
    s.builder.output(H, h)
    s.builder.output(COM, com)
    s.builder.output(momentum_outputs(structure_of(s.layout))[2], matrix)
    return s.builder.program()


def _momenta(s: System) -> tuple[dict[Coordinate, Vector], dict[Coordinate, Vector], Vector]:
    """Return the columns of the centroidal momentum matrix, those of the base twist, and the centre of mass.

    Returns:
        The columns (linear; angular momentum) by independent coordinate, the columns per unit of each component of the
        base
        twist V0, and the centre of mass in frame 0.
    """
    tree = s.tree
    if not tree.with_base:  # so that the inertia matrix has the rows of the base
        links = s.layout.robot.floating()
        tree = TreeDynamics(s.builder, links, s.provider, tree.elements, tree.formulation)
    whole, entries = tree.composites[0], tree.tree_inertia
    com, arms = whole.centre(), transpose(skew(whole.ms))
    linear = [[whole.m if r == c else 0 for c in range(3)] + arms[r] for r in range(3)]
    angular = [[0, 0, 0, *row] for row in whole.central()]
    of_base: dict[Coordinate, Vector] = dict(zip(BASE, transpose([*linear, *angular]), strict=True))
    moving = [c for c in s.provider.tree if c in BASE] if s.layout.robot.wheels else []
    of_tree = {c: [entries[r, c] for r in BASE] for c in (*moving, *map(joint, tree.joints))}
    columns = s.provider.columns(of_tree, 6)
    for c in s.joints:
        force = columns[c][:3]
        columns[c] = [*force, *subtract(columns[c][3:], cross(com, force))]
    return {**columns, **{c: of_base[c] for c in BASE if c in columns}}, of_base, com
