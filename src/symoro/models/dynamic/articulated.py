"""Hybrid dynamics by recursion: acceleration-driven and force-driven joints, base given or free (Khalil, ICINCO 2010).

An acceleration-driven ("driven") joint has a known acceleration, a force-driven ("free") one a known torque. The motion
of the base is given, or no wrench acts on it. In direct dynamics all joints are free and the base is given. The paper
has four versions of the recursion; the equation numbers of each are listed here and in the comments:

                                       free joints    elastic and    base free,     base free,
                                       (section 3.3)  driven (6.3)   driven (7.2)   free (7.3)
    outward
    jgamma_j  acceleration at rest         (34)          (34)        (15), (89)       (101)
    jbeta_j   wrench at rest            (33), (35)       (35)           (90)          (102)
    inward
    H_j       inertia about joint j        (36)          (72)            -            (103)
    jK_j      inertia beyond joint j       (37)       (73), (75)        (95)          (104)
    tau_j     torque less friction         (44)          (69)            -            (106)
    jalpha_j  wrench beyond joint j        (38)       (74), (76)        (96)          (107)
    ibeta_i*  accumulated wrench           (39)          (77)           (96)          (108)
    iJ_i*     accumulated inertia          (40)          (78)           (95)          (105)
    outward
    0Vd_0     acceleration of the base    given         given           (97)          (109)
    qdd_j     of a free joint              (41)          (80)            -            (110)
    jf_j      wrench on link j             (42)          (79)           (99)          (111)
    jVd_j     acceleration of link j       (43)          (81)           (98)          (112)
    Gamma_j   of a driven joint             -            (82)          (100)            -

All equations follow from the equilibrium of link j, jJ_j jVd_j = jf_j + jbeta_j - sum kTj' kf_k (32) = (91). The wrench
on link j and all that it carries is jf_j = jJ_j* jVd_j - jbeta_j* (52) = (94); J* and beta* are those of the composite
link (J^c and beta^c in 7.2, eq. 92 to 96) if no joint beyond it is free. The same equations with full A and H are (68)
to (71) and (83) to (88).

- A driven joint adds zeta_j = gamma_j + qdd_j a_j (89). A free joint adds gamma_j alone; its K and alpha contain the
  effect of its torque.
- Gravity is an upward acceleration of the base: 0Vd_0 is the acceleration of the base minus gravity.
- H_j includes the rotor inertia, which (72) omits; the rotor of a driven joint affects the torque of this joint alone.
- The modes of a flexible link are a block of free coordinates between its root and its tip (`flexible/modes.py`).
- In (96) the paper has wrong signs; below (97), beta_0^c is -(H_1 + A_12 qdd).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.expr.linalg import Vector, add, cross, subtract
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.composite import inverse_inertia
from symoro.models.dynamic.flexible.beam import Beam
from symoro.models.dynamic.flexible.modes import accelerations, articulated_root, efforts
from symoro.models.dynamic.inertia import effective_inertias, link_inertias, regrouped
from symoro.models.recursion import (
    BaseMotion,
    JointFrame,
    Vectors,
    inward,
    name_vectors,
    outward,
    turned_with,
)
from symoro.models.spatial import AnyInertia, Inertia, Twist, Wrench, along, gathered
from symoro.program.builder import Builder
from symoro.robot.description import BaseKind, Robot


@dataclass(frozen=True)
class Driven:
    """Acceleration-driven joint: its acceleration is known, its torque is computed."""

    qdd: Scalar


@dataclass(frozen=True)
class Free:
    """Force-driven joint: its acceleration is computed.

    Attributes:
        tau: known torque or force, minus friction.
        ia: rotor inertia.
    """

    tau: Scalar
    ia: Scalar = 0


HELD = Driven(0)  # a frame that is fixed to its antecedent
TreeElement = JointFrame | Beam  # element of the tree: a frame, or the beam of a flexible link
Joints = Mapping[int, Driven | Free]


def _known(frame: JointFrame, joints: Joints) -> Driven | Free:
    return joints[frame.j] if frame.moving else HELD


@dataclass(frozen=True)
class ArticulatedBody:
    """Articulated inertia J* and bias wrench beta* of a link together with all links that it carries."""

    inertia: AnyInertia
    beta: Wrench


@dataclass(frozen=True)
class HybridSolution:
    """Result of the recursion of hybrid dynamics.

    Attributes:
        qdd: accelerations of the free joints.
        efforts: torques a_j' f_j of the driven joints, without rotor inertia and friction of their drives.
        base: acceleration of the base, without gravity.
        modes: per flexible link, the accelerations of free modes or the generalised forces on fixed modes.
        wrench: wrench on a free base whose motion is given.
    """

    qdd: dict[int, Scalar]
    efforts: dict[int, Scalar]
    base: Twist
    modes: dict[int, list[Scalar]]
    wrench: Wrench | None = None


def body_inertias(
    builder: Builder, robot: Robot, tree: Mapping[int, JointFrame], *, free_base: bool = False
) -> dict[int, Inertia]:
    """Return the regrouped inertias of the links, by link number.

    Args:
        tree: frames of the links.
        free_base: whether the base is free; link 0 is then included.
    """
    if free_base or robot.base.kind != BaseKind.FIXED:
        return regrouped(tree, link_inertias(builder, robot), {})
    return effective_inertias(builder, robot, tree, {})


def hybrid_dynamics(
    builder: Builder,
    tree: Mapping[int, TreeElement],
    qd: Mapping[int, Scalar],
    joints: Joints,
    base: BaseMotion,
    down: Vector,
    inertias: Mapping[int, Inertia],
    loads: Mapping[int, Vector],
    *,
    free_base: bool = False,
    held: bool = False,
) -> HybridSolution:
    """Compute the unknown accelerations and torques by three recursions over the tree.

    Args:
        tree: frames and beams by number, each after its antecedent.
        qd: joint velocities.
        joints: the known acceleration or torque of each moving joint.
        base: motion of the base; its acceleration is ignored if the base is free and not held.
        down: gravity in frame 0.
        inertias: inertias of the links, from `body_inertias`.
        loads: wrench of each link, and of a free base, on the environment.
        free_base: whether the base has six degrees of freedom (a floating base).
        held: if true, the modes of flexible links have zero acceleration and a free base has the acceleration in
            `base`; if false, the accelerations of modes and free base are computed.

    Raises:
        NotApplicableError: a free joint or a free base has zero inertia.
    """
    before, w = _spins(tree, base, qd)
    gamma = {j: _gamma(frame, before[j], w[frame.i], qd.get(j, 0)) for j, frame in tree.items()}
    bodies = {j: ArticulatedBody(inertias[j], _beta(inertias[j], w[j], loads.get(j))) for j in inertias}
    tips = {j for beam in tree.values() if isinstance(beam, Beam) for j in beam.bodies}
    for j in tree:
        if j not in tips:
            name_vectors(builder, {"W": w[j], "BF": bodies[j].beta.f, "BM": bodies[j].beta.m}, j)
    bodies = _carried(builder, tree, joints, w, gamma, bodies, free_base, held)
    wrench = None
    if not free_base:
        ground = Twist(subtract(base.vd, down), base.wd)
    elif held:
        ground = Twist(subtract(base.vd, down), base.wd)
        wrench = bodies[0].inertia @ ground - bodies[0].beta
    else:
        ground = bodies[0].inertia.solve(bodies[0].beta)  # 0Vd_0 = J_0*^-1 beta_0*    (97), (109)
    solution = HybridSolution({}, {}, Twist(add(ground.v, down), ground.w), {}, wrench)
    _accelerate(builder, tree, joints, w, gamma, bodies, ground, held, solution)
    return solution


# -- i) outward: accelerations and wrenches at zero joint accelerations


def _spins(
    tree: Mapping[int, TreeElement], base: BaseMotion, qd: Mapping[int, Scalar]
) -> tuple[Vectors, Vectors]:
    """Return, per body j, the angular velocities jw_i of its antecedent and jw_j of the body, in frame j.

    Args:
        base: motion of the base.
        qd: joint velocities.
    """

    def step(element: TreeElement, antecedent: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        if isinstance(element, Beam):
            tip = element.at_tip(antecedent[1])
            return tip, tip
        return turned_with(element, antecedent[1], qd)

    velocities = outward(tree, (base.w, base.w), step)
    return {j: before for j, (before, _) in velocities.items()}, {j: w for j, (_, w) in velocities.items()}


def _gamma(frame: TreeElement, before: Vector, w: Vector, qd: Scalar) -> Twist:
    """Return jgamma_j, the acceleration of frame j at zero accelerations of the joint and the antecedent.

    Args:
        before: angular velocity jw_i of the antecedent, in frame j.
        w: angular velocity iw_i of the antecedent, in its own frame.
        qd: velocity of joint j.
    """
    if isinstance(frame, Beam):
        return frame.gamma(w)
    linear = frame.to_child(cross(w, cross(w, frame.position)))  # (34), (101)
    angular: Vector = [0, 0, 0]
    x, y = before[0] * qd, before[1] * qd
    if frame.revolute:
        angular = [y, -x, 0]
    elif frame.prismatic:
        linear = [linear[0] + 2 * y, linear[1] - 2 * x, linear[2]]
    return Twist(linear, angular)


def _beta(inertia: Inertia, w: Vector, load: Vector | None) -> Wrench:
    """Return jbeta_j = -jf_ej - (w x (w x MS); w x (J w)), the wrench on link j at zero acceleration.

    Args:
        w: angular velocity of the link.
        load: wrench f_ej (force; moment) of the link on the environment.
        inertia: inertia of the link, with the first moments MS and the tensor J.
    """
    momentum = (inertia @ Twist([0, 0, 0], w)).m
    spin = Wrench(cross(w, cross(w, inertia.ms)), cross(w, momentum))  # (33), (35), (90), (102)
    return -spin if load is None else -(spin + Wrench(load[:3], load[3:]))


# -- ii) inward: articulated bodies and their projections on the joints


@dataclass(frozen=True)
class JointProjection:
    """Projection of an articulated body, with inertia J* and bias wrench beta*, on its joint axis a.

    Attributes:
        column: J* a, the wrench at unit acceleration about the axis.
        inverse: 1 / H, where H = a' J* a + Ia is the inertia about the axis, with the rotor inertia Ia.
        torque: tau + a' beta*, the joint torque plus the component of the bias wrench along the axis.
    """

    column: Wrench
    inverse: Scalar
    torque: Scalar


def _projection(builder: Builder, frame: JointFrame, body: ArticulatedBody, joint: Free) -> JointProjection:
    j, column = frame.j, body.inertia.column(frame)
    inverse = inverse_inertia(j, column.along(frame) + joint.ia)  # H_j = a' J* a + Ia    (36), (72), (103)
    torque = joint.tau + body.beta.along(frame)
    section = f"link {j}: articulated body"
    return JointProjection(
        column, builder.named(f"IH{j}", inverse, section), builder.named(f"u{j}", torque, section)
    )


def _carried(
    builder: Builder,
    tree: Mapping[int, TreeElement],
    joints: Joints,
    w: Vectors,
    gamma: Mapping[int, Twist],
    bodies: Mapping[int, ArticulatedBody],
    free_base: bool,
    held: bool,
) -> dict[int, ArticulatedBody]:
    """Return articulated inertia J* and bias wrench beta* of every body, of the base only if it is free.

    Args:
        joints: the known acceleration or torque of each moving joint.
        gamma: accelerations of the bodies at zero joint accelerations.
        bodies: inertia and bias wrench of each body alone.
        held: whether the modes of flexible links have zero acceleration.
        w: angular velocities of the bodies.
        free_base: whether the base is free.
    """

    def step(frame: TreeElement, body: ArticulatedBody, onto: ArticulatedBody) -> ArticulatedBody:
        if not frame.i and not free_base:
            return onto
        if isinstance(frame, Beam):
            root = (onto.inertia, onto.beta)
            return ArticulatedBody(
                *articulated_root(frame, w[frame.i], (body.inertia, body.beta), root, held=held)
            )
        joint, inertia, beta = _known(frame, joints), body.inertia, body.beta
        if isinstance(joint, Free):
            projection = _projection(builder, frame, body, joint)
            K: AnyInertia = inertia.articulated().freed(
                frame, joint.ia, projection.inverse
            )  # (37), (73), (104)
            pushed = projection.column.times(projection.inverse).times(projection.torque)
            alpha = K @ gamma[frame.j] + pushed - beta  # (38), (74), (107)
        else:
            K = inertia  # (75), (95)
            alpha = K @ (gamma[frame.j] + along(frame, joint.qdd)) - beta  # (76), (89), (96)
        beta_i = onto.beta - alpha.to_parent(frame)  # (39), (77), (96), (108)
        J_i = gathered(frame, K, onto.inertia)  # (40), (78), (95), (105)
        return ArticulatedBody(J_i, beta_i)

    return inward(tree, bodies, step)


# -- iii) outward: accelerations, and torques of the driven joints


def _accelerate(
    builder: Builder,
    tree: Mapping[int, TreeElement],
    joints: Joints,
    w: Vectors,
    gamma: Mapping[int, Twist],
    bodies: Mapping[int, ArticulatedBody],
    ground: Twist,
    held: bool,
    solution: HybridSolution,
) -> None:
    """Compute the accelerations of free joints and modes and the torques of driven joints; store them in `solution`.

    Of the wrench f on each link (eq. 42, 79, 99, 111) only the component along the joint axis a is computed, a' f = a'
    J* Vd - a' beta*, with the acceleration Vd of the link.

    Args:
        ground: acceleration of the base minus gravity.
        held: whether the modes of flexible links have zero acceleration; the generalised forces on the modes are then
            computed instead.
        joints: the known acceleration or torque of each moving joint.
        w: angular velocities of the bodies.
        gamma: accelerations of the bodies at zero joint accelerations.
        bodies: articulated inertia J* and bias wrench beta* of each body.
    """

    def bend(beam: Beam, root: Twist) -> Twist:
        tip = (bodies[beam.j].inertia, bodies[beam.j].beta)
        solution.modes[beam.i] = (efforts if held else accelerations)(beam, w[beam.i], tip, root)
        edd = [0] * beam.modes if held else solution.modes[beam.i]
        return beam.moved(root, w[beam.i], edd)

    def step(frame: TreeElement, antecedent: Twist) -> Twist:
        if isinstance(frame, Beam):
            return bend(frame, antecedent)
        j, body, joint = frame.j, bodies[frame.j], _known(frame, joints)
        at_rest = antecedent.to_child(frame) + gamma[j]
        if isinstance(joint, Free):
            projection = _projection(builder, frame, body, joint)
            qdd = projection.inverse * (
                -projection.column.dot(at_rest) + projection.torque
            )  # (41), (80), (110)
            solution.qdd[j] = qdd
        else:
            qdd = joint.qdd
        twist = at_rest + along(frame, qdd)  # (43), (81), (98), (112)
        name_vectors(builder, {"WP": twist.w, "VP": twist.v}, j)
        if isinstance(joint, Driven) and frame.moving:
            effort = body.inertia.column(frame).dot(twist) - body.beta.along(frame)  # (82), (99), (100)
            solution.efforts[j] = effort
        return twist

    outward(tree, ground, step)
