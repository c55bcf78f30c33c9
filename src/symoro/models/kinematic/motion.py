"""`velocities`, `accelerations`, `jdot-qdot`: how the links move, from the base outward (1997 paper, 4.2 to 4.4).

    jWi = jAi iWi,   jWj = jWi + sb qd ja                                                   (6a), (6b)
    jVj = jAi (iVi + iWi x iPj) + s qd ja                                                   (6c)
    jWPj = jAi iWPi + sb (qdd ja + jWi x qd ja)                                             (8)
    jUj = hat(jWPj) + hat(jWj) hat(jWj)                                                     (9)
    jVPj = jAi (iVPi + iUi iPj) + s (qdd ja + 2 jWi x qd ja)                                (10)
    jdot-qdot: the acceleration at qdd = 0                                                  (section 4.4)

with s = sigma, sb = 1 - sigma, ja = (0, 0, 1). Twists are (linear; angular), in the link's own frame; the
acceleration is the classical one of the frame's origin, without gravity. The base's own motion is included.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.linalg import Vector, add, cross, matvec, rotation_of
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.tool import moving_frame
from symoro.models.ports import QD, QDD, VD, WD, Q, V, W
from symoro.models.recursion import BaseMotion, Local, base_motion, local_frames, name_vectors, outward
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

JDOT_QDOT = Port(
    "a", "6", "acceleration (linear; angular) of frame `to` at qdd = 0, expressed in frame `frame`"
)
OPTIONS = (
    Option(
        "to", "frame that moves; by default the tool, the platform or the last link's frame", "frame", None
    ),
    Option("frame", "frame of expression", "frame", 0),
)
EQUATIONS_V = (
    r"{}^j\omega_j = {}^jA_i\,{}^i\omega_i + \bar\sigma_j \dot q_j\,{}^ja_j, \qquad "
    r"{}^jV_j = {}^jA_i({}^iV_i + {}^i\omega_i \times {}^iP_j) + \sigma_j \dot q_j\,{}^ja_j"
)
EQUATIONS_A = (
    r"{}^j\dot\omega_j = {}^jA_i\,{}^i\dot\omega_i + \bar\sigma_j(\ddot q_j\,{}^ja_j + {}^j\omega_i \times "
    r"\dot q_j\,{}^ja_j), \qquad {}^j\dot V_j = {}^jA_i({}^i\dot V_i + {}^iU_i\,{}^iP_j) + "
    r"\sigma_j(\ddot q_j\,{}^ja_j + 2\,{}^j\omega_i \times \dot q_j\,{}^ja_j)"
)

Vectors = dict[int, Vector]


def angular_velocities(
    locals_: Mapping[int, Local], base: BaseMotion, qd: Mapping[int, Scalar]
) -> tuple[Vectors, Vectors]:
    """jWi and jWj, eq. (6a), (6b)."""

    def step(local: Local, antecedent: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        return turned_with(local, antecedent[1], qd)

    found = outward(locals_, (base.w, base.w), step)
    return {j: before for j, (before, _) in found.items()}, {j: w for j, (_, w) in found.items()}


def turned_with(local: Local, w: Vector, qd: Mapping[int, Scalar]) -> tuple[Vector, Vector]:
    """The angular velocity iWi of the antecedent in frame j, and jWj."""
    before = local.to_child(w)
    return before, add(before, [0, 0, qd[local.j]]) if local.revolute else before


def linear_velocities(
    locals_: Mapping[int, Local], base: BaseMotion, w: Vectors, qd: Mapping[int, Scalar]
) -> Vectors:
    """jVj, eq. (6c)."""

    def step(local: Local, v: Vector) -> Vector:
        moved = local.to_child(add(v, cross(w[local.i], local.position)))
        return add(moved, [0, 0, qd[local.j]]) if local.prismatic else moved

    return outward(locals_, base.v, step)


def apply_u(w: Vector, wd: Vector, p: Vector | tuple[Scalar, Scalar, Scalar]) -> Vector:
    """U p = wd x p + w x (w x p), eq. (9), without forming U."""
    return add(cross(wd, p), cross(w, cross(w, p)))


def link_accelerations(
    locals_: Mapping[int, Local],
    base: BaseMotion,
    before: Vectors,
    w: Vectors,
    qd: Mapping[int, Scalar],
    qdd: Mapping[int, Scalar],
) -> tuple[Vectors, Vectors]:
    """jWPj and jVPj, eq. (8) to (10)."""

    def step(local: Local, antecedent: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        j, (wd, vd) = local.j, antecedent
        turned = local.to_child(wd)
        moved = local.to_child(add(vd, apply_u(w[local.i], wd, local.position)))
        x, y = before[j][0], before[j][1]
        if local.revolute:
            turned = add(turned, [y * qd[j], -(x * qd[j]), qdd[j]])
        elif local.prismatic:
            moved = add(moved, [2 * (y * qd[j]), -(2 * (x * qd[j])), qdd[j]])
        return turned, moved

    found = outward(locals_, (base.wd, base.vd), step)
    return {j: wd for j, (wd, _) in found.items()}, {j: vd for j, (_, vd) in found.items()}


def _rows(vectors: Vectors) -> list[Vector]:
    """Those of the links, in the order of their numbers."""
    return [vectors[j] for j in sorted(vectors) if j]


@model(
    "velocities",
    menu="Kinematic",
    title="velocities of the links",
    inputs=(Q, QD),
    outputs=(V, W),
    reference=SYMORO_1997.at("section 4.2, eq. (6)"),
    aliases=("vel",),
    equations=EQUATIONS_V,
)
def velocities(robot: Robot) -> Program:
    """Velocities of all links."""
    builder = Builder(f"{robot.name}_velocities")
    joints = joint_motion(builder, robot, "qd")
    locals_ = local_frames(builder, robot, joints.q)
    base = base_motion(builder, robot, acceleration=False)
    _, w = angular_velocities(locals_, base, joints.qd)
    v = linear_velocities(locals_, base, w, joints.qd)
    for j in locals_:
        name_vectors(builder, {"W": w[j], "V": v[j]}, j)
    builder.output(V, _rows(v))
    builder.output(W, _rows(w))
    return builder.program()


@model(
    "accelerations",
    menu="Kinematic",
    title="accelerations of the links",
    inputs=(Q, QD, QDD),
    outputs=(V, W, VD, WD),
    reference=SYMORO_1997.at("section 4.3, eq. (8) to (10)"),
    aliases=("acc",),
    equations=EQUATIONS_A,
)
def accelerations(robot: Robot) -> Program:
    """Velocities and accelerations of all links."""
    builder = Builder(f"{robot.name}_accelerations")
    joints = joint_motion(builder, robot, "qd", "qdd")
    locals_ = local_frames(builder, robot, joints.q)
    base = base_motion(builder, robot)
    before, w = angular_velocities(locals_, base, joints.qd)
    v = linear_velocities(locals_, base, w, joints.qd)
    wd, vd = link_accelerations(locals_, base, before, w, joints.qd, joints.qdd)
    for j in locals_:
        name_vectors(builder, {"W": w[j], "V": v[j], "WP": wd[j], "VP": vd[j]}, j)
    for port, vectors in ((V, v), (W, w), (VD, vd), (WD, wd)):
        builder.output(port, _rows(vectors))
    return builder.program()


@model(
    "jdot-qdot",
    menu="Kinematic",
    title="acceleration of a frame at zero joint acceleration (Jdot qdot)",
    inputs=(Q, QD),
    outputs=(JDOT_QDOT,),
    options=OPTIONS,
    reference=SYMORO_1997.at("section 4.4"),
    aliases=("jpqp",),
    equations=r"\dot J \dot q = (\dot V_n, \dot\omega_n) \text{ at } \ddot q = 0",
)
def jdot_qdot(robot: Robot, to: int | str | None = None, frame: int | str = 0) -> Program:
    """The acceleration of a frame that the velocities alone cause."""
    return velocity_acceleration(robot, to, frame, with_base=True)


def velocity_acceleration(
    robot: Robot, to: int | str | None, frame: int | str, *, with_base: bool
) -> Program:
    """The acceleration of a frame at qdd = 0, with that of the base or without."""
    robot, end, expressed = moving_frame(robot, to, frame)
    builder = Builder(f"{robot.name}_jdot_qdot")
    joints = joint_motion(builder, robot, "qd")
    trig = Trigonometry(builder, robot)
    locals_ = local_frames(builder, robot, joints.q, trig)
    base = base_motion(builder, robot, acceleration=with_base)
    before, w = angular_velocities(locals_, base, joints.qd)
    wd, vd = link_accelerations(locals_, base, before, w, joints.qd, joints.qdd)
    for j in locals_:
        name_vectors(builder, {"W": w[j], "WP": wd[j], "VP": vd[j]}, j)
    rotation = rotation_of(placement_between(builder, robot, expressed, end, joints.q, trig))
    builder.output(JDOT_QDOT, matvec(rotation, vd[end]) + matvec(rotation, wd[end]))
    return builder.program()
