"""`energy`: kinetic and potential energy.

    E = sum of (w' J w + M v.v + 2 MS.(v x w)) / 2 + sum of Ia qd^2 / 2                   (1997 paper, eq. 49)
    U = - sum of g' (M 0Pj + 0Aj jMSj)                                             (eq. 50, the mass restored)
        + sum of k (q - rest)^2 / 2 over the elastic joints

U is zero where all mass would lie at the origin of frame 0 and no spring is strained. The motion of the
base counts in E.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.linalg import Vector, add, cross, dot, matvec, scale
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import model
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.inertia import link_inertias
from symoro.models.dynamic.setting import APPLIES_TO, fixed_tree, gravity, spring_energy
from symoro.models.kinematic.motion import angular_velocities, linear_velocities
from symoro.models.ports import QD, Q
from symoro.models.recursion import BaseMotion, Local, base_motion, inward, local_frames, name_vectors
from symoro.models.references import SYMORO_1997
from symoro.models.spatial import Inertia
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

E = Port("E", "", "kinetic energy")
U = Port("U", "", "potential energy of gravity and springs")

Moments = tuple[Scalar, Vector]  # mass, first moment


@model(
    "energy",
    menu="Dynamic",
    title="kinetic and potential energy",
    inputs=(Q, QD),
    outputs=(E, U),
    reference=SYMORO_1997.at("section 6.3, eq. (49), (50)"),
    applies=fixed_tree,
    applies_to=APPLIES_TO,
    equations=r"E = \tfrac12 \sum_j ({}^j\omega_j^T J_j\,{}^j\omega_j + M_j {}^jV_j^T {}^jV_j + "
    r"2\,{}^jMS_j^T ({}^jV_j \times {}^j\omega_j)) + \tfrac12 \sum_j I_{a,j} \dot q_j^2, \quad "
    r"U = -\sum_j {}^0g^T (M_j {}^0P_j + {}^0A_j {}^jMS_j) + \tfrac12 \sum_j k_j (q_j - q_{0,j})^2",
)
def energy(robot: Robot) -> Program:
    """Energies, by recursion over the links."""
    builder = Builder(f"{robot.name}_energy")
    joints = joint_motion(builder, robot, "qd")
    locals_ = local_frames(builder, robot, joints.q)
    base = base_motion(builder, robot, acceleration=False)
    inertias = {j: inertia for j, inertia in link_inertias(builder, robot).items() if j}
    builder.output(E, kinetic_energy(builder, robot, locals_, base, joints.qd, inertias))
    _, moment = whole_mass(locals_, inertias)
    weight = -dot(gravity(builder, robot), moment)
    builder.output(U, weight + spring_energy(builder, robot, joints.q))
    return builder.program()


def kinetic_energy(
    builder: Builder,
    robot: Robot,
    locals_: Mapping[int, Local],
    base: BaseMotion,
    qd: Mapping[int, Scalar],
    inertias: Mapping[int, Inertia],
) -> Scalar:
    """E of the links whose inertias are given, and of all rotors."""
    _, w = angular_velocities(locals_, base, qd)
    v = linear_velocities(locals_, base, w, qd)
    half = builder.number(1) / 2
    kinetic: Scalar = 0
    for j in inertias:
        name_vectors(builder, {"W": w[j], "V": v[j]}, j)
        xx, xy, xz, yy, yz, zz = inertias[j].tensor()
        momentum = matvec([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], w[j])
        ms, m = list(inertias[j].ms), inertias[j].m
        twice = dot(w[j], momentum) + m * dot(v[j], v[j]) + 2 * dot(ms, cross(v[j], w[j]))
        kinetic = kinetic + half * twice
    for j, rate in qd.items():
        kinetic = kinetic + half * builder.formula(robot.frame(j).IA) * (rate * rate)
    return kinetic


def whole_mass(locals_: Mapping[int, Local], inertias: Mapping[int, Inertia]) -> Moments:
    """Inward: mass and first moment about the origin of frame 0, of the links whose inertias are given."""
    nothing: Moments = (0, [0, 0, 0])
    own: dict[int, Moments] = {0: nothing} | {j: (body.m, list(body.ms)) for j, body in inertias.items()}
    return inward(locals_, own, _carried)[0]


def _carried(local: Local, body: Moments, onto: Moments) -> Moments:
    """Mass and first moment of a body, added to those of its antecedent."""
    mass, moment = body
    return onto[0] + mass, add(onto[1], add(local.to_parent(moment), scale(mass, local.position)))
