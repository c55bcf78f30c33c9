"""`energy`: kinetic and potential energy.

    E = sum of (w' J w + M v.v + 2 MS.(v x w)) / 2 + sum of Ia qd^2 / 2                   (1997 paper, eq. 49)
    U = - sum of g' (M 0Pj + 0Aj jMSj)                                             (eq. 50, the mass restored)

Springs of the passive joints of loops count in U: k (q - rest)^2 / 2 each.

U is zero where all mass would lie at the origin of frame 0. The motion of the base counts in E.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.linalg import Vector, add, cross, dot, matvec, scale
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import model
from symoro.models.coordinates import joint_motion
from symoro.models.dynamic.inertia import link_inertias
from symoro.models.dynamic.setting import APPLIES_TO, gravity, rigid_fixed_tree, spring_energy
from symoro.models.kinematic.motion import angular_velocities, linear_velocities
from symoro.models.ports import QD, Q
from symoro.models.recursion import Local, base_motion, inward, local_frames, name_vectors
from symoro.models.references import SYMORO_1997
from symoro.models.spatial import Inertia
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

E = Port("E", "", "kinetic energy")
U = Port("U", "", "potential energy of gravity, and of springs of passive joints")

Moments = tuple[Scalar, Vector]  # mass, first moment


@model(
    "energy",
    menu="Dynamic",
    title="kinetic and potential energy",
    inputs=(Q, QD),
    outputs=(E, U),
    reference=SYMORO_1997.at("section 6.3, eq. (49), (50)"),
    applies=rigid_fixed_tree,
    applies_to=APPLIES_TO,
    equations=r"E = \tfrac12 \sum_j ({}^j\omega_j^T J_j\,{}^j\omega_j + M_j {}^jV_j^T {}^jV_j + "
    r"2\,{}^jMS_j^T ({}^jV_j \times {}^j\omega_j)) + \tfrac12 \sum_j I_{a,j} \dot q_j^2, \quad "
    r"U = -\sum_j {}^0g^T (M_j {}^0P_j + {}^0A_j {}^jMS_j)",
)
def energy(robot: Robot) -> Program:
    """Energies, by recursion over the links."""
    builder = Builder(f"{robot.name}_energy")
    joints = joint_motion(builder, robot, "qd")
    qd = joints.qd
    locals_ = local_frames(builder, robot, joints.q)
    base = base_motion(builder, robot, acceleration=False)
    _, w = angular_velocities(locals_, base, qd)
    v = linear_velocities(locals_, base, w, qd)
    inertias = link_inertias(builder, robot)
    half = builder.number(1) / 2
    kinetic: Scalar = 0
    for j in locals_:
        name_vectors(builder, {"W": w[j], "V": v[j]}, j)
        xx, xy, xz, yy, yz, zz = inertias[j].tensor()
        momentum = matvec([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], w[j])
        ms, m = list(inertias[j].ms), inertias[j].m
        twice = dot(w[j], momentum) + m * dot(v[j], v[j]) + 2 * dot(ms, cross(v[j], w[j]))
        kinetic = kinetic + half * twice
    for j, rate in qd.items():
        kinetic = kinetic + half * builder.formula(robot.frame(j).IA) * (rate * rate)
    builder.output(E, kinetic)
    potential = _potential(builder, robot, locals_, inertias)
    builder.output(U, potential + spring_energy(builder, robot, joints.q))
    return builder.program()


def _potential(
    builder: Builder, robot: Robot, locals_: Mapping[int, Local], inertias: Mapping[int, Inertia]
) -> Scalar:
    """Inward: the first moment of all mass about the origin of frame 0, against gravity."""
    nothing: Moments = (0, [0, 0, 0])
    own: dict[int, Moments] = {0: nothing} | {j: (inertias[j].m, list(inertias[j].ms)) for j in locals_}
    _, moment = inward(locals_, own, _carried)[0]
    return -dot(gravity(builder, robot), moment)


def _carried(local: Local, body: Moments, onto: Moments) -> Moments:
    """Mass and first moment of a body, added to those of its antecedent."""
    mass, moment = body
    return onto[0] + mass, add(onto[1], add(local.to_parent(moment), scale(mass, local.position)))
