"""Customised Newton-Euler recursion: joint torques of a tree with a small number of operations.

Outward, for j = 1 .. NL with i = a(j) (1997 paper, eq. 6, 8 to 10, 15, 16):

    jWj  = jAi iWi + sb qd ja,   jWPj = jAi iWPi + sb (qdd ja + jWi x qd ja)
    jUj  = hat(jWPj) + hat(jWj)^2
    jVPj = jAi (iVPi + iUi iPj) + s (qdd ja + 2 jWi x qd ja),   0VP0 = acceleration of the base - gravity
    jFj  = Mj jVPj + jUj jMSj,   jMj = (inertial moment) + jMSj x jVPj

Inward (eq. 17 to 20): jfj = jFj + fe + sum of the children's, jmj likewise with iPj x ifj; the torque is the
entry of f (prismatic) or m (revolute) along the axis, plus rotor inertia and friction.

The inertial moment is linear in the pseudo-inertia K, with D23 = U33 - U22, D31 = U11 - U33, D12 = U22 - U11:

    M1 = Kyy U32 - Kzz U23 + Kyz D23 + Kxy U31 - Kxz U21     and cyclic
or in the inertia tensor:  M1 = XX WP1 + (ZZ - YY) w2 w3 - XY U31 + XZ U21 - YZ D23     and cyclic.

`Choice` describes the formulations that save operations. U_j z_j = jAi U_i z_j is exact because qd_j and qdd_j cancel;
rotations about parallel axes are applied once, by the sum of the angles, to the vectors before the first of them.

`link_recursion` follows the 2010 paper line by line; tests compare both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symoro.expr.linalg import Matrix, Vector, add, cross, matadd, matmul, matvec, skew
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.formulation import Choice, Formulation
from symoro.models.dynamic.inertia import SECTION
from symoro.models.joints import Angle, Trigonometry, is_zero
from symoro.models.recursion import (
    BaseMotion,
    JointFrame,
    SinCos,
    inward,
    origin,
    outward,
    turn_back_x,
    turn_back_z,
    turn_x,
    turn_z,
)
from symoro.models.spatial import Inertia, Symmetric, turned_about_z
from symoro.program.builder import Builder
from symoro.robot.description import JointType


@dataclass
class LinkState:
    """Quantities of link j in the recursion, in the axes that `Choice.before` selects for the link."""

    j: int
    i: int
    sigma: JointType
    pre_rotation: SinCos  # rotation about z_i before alpha
    alpha: SinCos
    joint_rotation: SinCos  # rotation about z_j after alpha
    position: Vector  # iPj in the axes of body i
    residual: Angle | None = None  # rotation that is applied to the inertia and by the children
    group: Angle | None = None  # rotation since the first of a sequence of parallel axes
    parallel: bool = False  # whether the axis continues such a sequence
    run_w: Vector = field(default_factory=list)  # W of the antecedent and U z before this sequence
    run_u: Vector = field(default_factory=list)
    run_vd: Vector = field(default_factory=list)  # VP before this sequence, if no link rotates
    w: Vector = field(default_factory=list)
    wd: Vector = field(default_factory=list)
    u: Matrix = field(default_factory=list)
    d: Vector = field(default_factory=list)  # D23 D31 D12
    vd: Vector = field(default_factory=list)
    force: Vector = field(default_factory=list)
    moment: Vector = field(default_factory=list)
    deferred: list[tuple[Angle, Vector]] = field(default_factory=list)

    def before_joint(self, v: Vector) -> Vector:
        """Transform a vector from the axes of body i to the axes of body j before the joint rotation."""
        return turn_back_x(self.alpha, turn_back_z(self.pre_rotation, v))

    def to_body(self, v: Vector) -> Vector:
        return turn_back_z(self.joint_rotation, self.before_joint(v))

    def to_antecedent(self, v: Vector) -> Vector:
        return turn_z(self.pre_rotation, turn_x(self.alpha, turn_z(self.joint_rotation, v)))


class NewtonEuler:
    """Newton-Euler recursion over a robot's tree in a given formulation."""

    def __init__(
        self,
        builder: Builder,
        formulation: Formulation,
        frames: Mapping[int, JointFrame],
        trig: Trigonometry,
    ) -> None:
        self.builder, self.formulation, self.trig = builder, formulation, trig
        none = builder.number(0), builder.number(1)
        self.ground = LinkState(0, 0, JointType.FIXED, none, none, none, [0, 0, 0])
        self.ground.force, self.ground.moment = [0, 0, 0], [0, 0, 0]
        self.bodies = outward(frames, self.ground, self._placed)
        del self.bodies[0]
        self.efforts: dict[int, Scalar] = {}
        self.with_base = False

    # -- frames

    def _placed(self, frame: JointFrame, parent: LinkState) -> LinkState:
        """Return the geometry of a body in the axes that the formulation selects.

        If the antecedent is expressed before its joint rotation, this rotation is applied first.

        Args:
            frame: frame of the body.
            parent: the antecedent of the body.
        """
        transform, sincos = frame.transform, self.trig.sincos
        pre_rotation = parent.residual + transform.gamma if parent.residual else transform.gamma
        before = frame.revolute and self.formulation.of(frame.j).before
        flat = transform.alpha.value.is_zero
        turn = pre_rotation + transform.theta if flat else transform.theta
        none = Angle(self.builder.number(0))
        body = LinkState(
            frame.j,
            frame.i,
            frame.sigma,
            pre_rotation=sincos(none if flat else pre_rotation),
            alpha=frame.alpha,
            joint_rotation=sincos(none if before else turn),
            position=origin(sincos(pre_rotation), frame.alpha, transform.b, transform.d, transform.r),
            residual=turn if before else None,
        )
        if frame.revolute and not before:
            straight = flat and transform.gamma.value.is_zero and self.formulation.parallel_out
            body.parallel = bool(straight and parent.group)
            body.group = parent.group + transform.theta if straight and parent.group else turn
        return body

    # -- outward

    def move(
        self, base: BaseMotion, gravity: Vector, qd: Mapping[int, Scalar], qdd: Mapping[int, Scalar]
    ) -> None:
        """Compute velocities and accelerations of all bodies; gravity is treated as an upward base acceleration.

        Args:
            gravity: gravity in frame 0.
            qd, qdd: joint velocities and accelerations.
            base: motion of the base.
        """
        ground = self.ground
        ground.w, ground.wd = base.w, base.wd
        ground.u = _u_matrix(base.w, base.wd)
        *_, ground.d = _diagonal(base.w, None, False)
        ground.vd = [a - g for a, g in zip(base.vd, gravity, strict=True)]

        def step(body: LinkState, parent: LinkState) -> LinkState:
            j = body.j
            if body.sigma == JointType.REVOLUTE:
                self._turn(body, parent, qd[j], qdd[j], self.formulation.of(j))
            else:
                self._carry(body, parent)
            self._accelerate(body, parent, qd.get(j, 0), qdd.get(j, 0))
            self._name(body)
            return body

        outward(self.bodies, ground, step)

    def _turn(self, body: LinkState, parent: LinkState, qd: Scalar, qdd: Scalar, choice: Choice) -> None:
        """Compute angular velocity w, acceleration wd and U = hat(wd) + hat(w)^2 of a body on a revolute joint.

        Args:
            parent: the antecedent of the body.
            qd, qdd: velocity and acceleration of the joint.
            choice: choices of the formulation for this link.
        """
        sincos = self.trig.sincos(body.group) if body.parallel and body.group else body.joint_rotation
        axis = turn_z(body.pre_rotation, turn_x(body.alpha, [0, 0, 1]))
        if body.parallel:
            body.run_w, body.run_u = [*parent.run_w[:2], parent.w[2]], parent.run_u
        else:
            body.run_w = body.before_joint(parent.w)
        wx, wy, wz = turn_back_z(sincos, body.run_w)
        w1, w2, w3 = body.w = [wx, wy, wz + qd]
        t12, t13, t23 = w1 * w2, w1 * w3, w2 * w3
        if not body.run_u:
            body.run_u = body.before_joint(matvec(parent.u, axis))
        if choice.column:
            u13, u23, u33 = turn_back_z(sincos, body.run_u)
            wd3 = body.before_joint(parent.wd)[2] + qdd
            wd2, wd1 = u13 - t13, t23 - u23
            if choice.doubled:
                twice = 2 * w3
                u31, u32 = w1 * twice - u13, w2 * twice - u23
            else:
                u31, u32 = t13 - wd2, t23 + wd1
        else:
            x, y, z = body.to_body(parent.wd)
            wd1, wd2, wd3 = x + w2 * qd, y - w1 * qd, z + qdd
            u13, u31, u23, u32 = t13 + wd2, t13 - wd2, t23 - wd1, t23 + wd1
            u33 = body.run_u[2]
        body.wd = [wd1, wd2, wd3]
        u12, u21 = t12 - wd3, t12 + wd3
        u11, u22, u33, body.d = _diagonal(body.w, u33 if choice.third else None, choice.difference)
        body.u = [[u11, u12, u13], [u21, u22, u23], [u31, u32, u33]]

    def _carry(self, body: LinkState, parent: LinkState) -> None:
        """Compute w, wd and U = hat(wd) + hat(w)^2 of a body that does not rotate relative to its antecedent.

        For rotations by right angles the entries of U are only permuted.

        Args:
            parent: the antecedent of the body.
        """
        body.w, body.wd = body.to_body(parent.w), body.to_body(parent.wd)
        if _right_angles(body):
            columns = [body.to_body(row) for row in parent.u]
            body.u = [
                list(row)
                for row in zip(*(body.to_body(list(c)) for c in zip(*columns, strict=True)), strict=True)
            ]
        else:
            body.u = _u_matrix(body.w, body.wd)
        u = body.u
        body.d = [u[2][2] - u[1][1], u[0][0] - u[2][2], u[1][1] - u[0][0]]

    def _accelerate(self, body: LinkState, parent: LinkState, qd: Scalar, qdd: Scalar) -> None:
        if body.sigma == JointType.REVOLUTE and all(is_zero(x) for row in parent.u for x in row):
            # At rest VP is rotated only, once for a sequence of parallel axes.
            continued = body.parallel and bool(parent.run_vd)
            body.run_vd = parent.run_vd if continued else body.before_joint(parent.vd)
            sincos = self.trig.sincos(body.group) if continued and body.group else body.joint_rotation
            body.vd = turn_back_z(sincos, body.run_vd)
            return
        moved = body.to_body(add(parent.vd, matvec(parent.u, body.position)))
        if body.sigma == JointType.PRISMATIC:
            twice = 2 * qd
            moved = [moved[0] + body.w[1] * twice, moved[1] - body.w[0] * twice, moved[2] + qdd]
        body.vd = moved

    def _name(self, body: LinkState) -> None:
        j, section = body.j, f"link {body.j}: velocities and accelerations"
        for name, values in (("W", body.w), ("WP", body.wd), ("VP", body.vd)):
            for k, x in enumerate(values, 1):
                self.builder.named(f"{name}{k}{j}" if j < 10 else f"{name}{k}_{j}", x, section)
        for r, row in enumerate(body.u, 1):
            for c, x in enumerate(row, 1):
                self.builder.named(f"U{r}{c}{j}" if j < 10 else f"U{r}{c}_{j}", x, section)

    # -- forces of each body alone

    def load(
        self, inertias: Mapping[int, Inertia], wrenches: Mapping[int, Vector], *, with_base: bool = False
    ) -> None:
        """Compute inertial force and moment of every body, and add the wrench that it exerts on the environment.

        Args:
            inertias: inertia of each body.
            wrenches: wrench (force; moment) of bodies on the environment, in their frames.
            with_base: whether link 0 is included and accumulates the wrenches of the other links.
        """
        self.with_base = with_base
        for j, body in {**({0: self.ground} if self.with_base else {}), **self.bodies}.items():
            inertia, turn = inertias[j], self.trig.sincos(body.residual) if body.residual else None
            ms = turn_z(turn, list(inertia.ms)) if turn else list(inertia.ms)
            body.force = [inertia.m * a + b for a, b in zip(body.vd, matvec(body.u, ms), strict=True)]
            if not j or self.formulation.of(j).basis == "K" or turn:
                k = turned_about_z(turn, inertia.k) if turn else inertia.k
                moment = moment_k(k, body.u, body.d)
            else:
                for name, value in zip(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), inertia.tensor(), strict=True):
                    self.builder.named(f"{name}R{j}", value, SECTION)
                moment = _moment_j(inertia, body)
            body.moment = add(moment, cross(ms, body.vd))
            self._named_wrench("F", "N", body, "inertial force and moment")
            if j in wrenches:
                force, couple = wrenches[j][:3], wrenches[j][3:]
                if turn:
                    force, couple = turn_z(turn, force), turn_z(turn, couple)
                body.force, body.moment = add(body.force, force), add(body.moment, couple)

    # -- inward

    def gather(self) -> dict[int, Scalar]:
        """Sum the wrenches from the tips to the base and return the force or moment along each joint axis, by joint.

        Afterwards `bodies` contains the total wrench on each link.
        """

        def step(body: LinkState, _: LinkState, parent: LinkState) -> LinkState:
            self._named_wrench("E", "M", body, "total force and moment")
            self.efforts[body.j] = body.force[2] if body.sigma == JointType.PRISMATIC else body.moment[2]
            if body.i or self.with_base:
                self._hand_over(body, parent)
            return parent

        inward(self.bodies, {0: self.ground, **self.bodies}, step)
        return self.efforts

    def _hand_over(self, body: LinkState, parent: LinkState) -> None:
        force = body.to_antecedent(body.force)
        parent.force = add(parent.force, force)
        parent.moment = add(parent.moment, cross(body.position, force))
        if body.parallel and body.group and self.formulation.parallel_in:
            parent.deferred += [(body.group, body.moment), *body.deferred]
            parent.moment = add(parent.moment, [0, 0, body.moment[2]])
            return
        turned = turn_z(body.joint_rotation, body.moment)
        for angle, moment in body.deferred:
            x, y, _ = turn_z(self.trig.sincos(angle), moment)
            turned = [turned[0] + x, turned[1] + y, turned[2]]
        parent.moment = add(parent.moment, turn_z(body.pre_rotation, turn_x(body.alpha, turned)))

    def _named_wrench(self, force: str, moment: str, body: LinkState, phase: str) -> None:
        j = body.j
        for name, values in ((force, body.force), (moment, body.moment)):
            for k, x in enumerate(values, 1):
                self.builder.named(f"{name}{k}{j}" if j < 10 else f"{name}{k}_{j}", x, f"link {j}: {phase}")


def _u_matrix(w: Vector, wd: Vector) -> Matrix:
    hat = skew(w)
    return matadd(skew(wd), matmul(hat, hat))


def _diagonal(w: Vector, u33: Scalar | None, difference: bool) -> tuple[Scalar, Scalar, Scalar, Vector]:
    """Return the diagonal (U11, U22, U33) of U = hat(wd) + hat(w)^2, and its differences.

    The differences are D23 = U33 - U22, D31 = U11 - U33 and D12 = U22 - U11.

    Args:
        w: angular velocity.
        u33: U33 if it is known from the antecedent, otherwise None.
        difference: whether U11 is computed from U33 and D31.
    """
    s1, s3 = w[0] * w[0], w[2] * w[2]
    if u33 is not None and difference:
        d31 = s1 - s3
        u11, u22 = u33 + d31, -(s1 + s3)
        return u11, u22, u33, [u33 - u22, d31, u22 - u11]
    s2 = w[1] * w[1]
    if u33 is None:
        u33 = -(s1 + s2)
    return -(s2 + s3), -(s1 + s3), u33, [s3 - s2, s1 - s3, s2 - s1]


def moment_k(k: Symmetric, u: Matrix, d: Vector | None = None) -> Vector:
    """Return the inertial moment of a link from its pseudo-inertia k and the matrix U = hat(wd) + hat(w)^2.

    Args:
        d: the differences (D23, D31, D12) of the diagonal of U, if they are known.
        k: pseudo-inertia (Kxx Kyy Kzz Kxy Kxz Kyz).
        u: the matrix U.
    """
    xx, yy, zz, xy, xz, yz = k
    d23, d31, d12 = d or (u[2][2] - u[1][1], u[0][0] - u[2][2], u[1][1] - u[0][0])
    return [
        yy * u[2][1] - zz * u[1][2] + yz * d23 + xy * u[2][0] - xz * u[1][0],
        zz * u[0][2] - xx * u[2][0] + xz * d31 + yz * u[0][1] - xy * u[2][1],
        xx * u[1][0] - yy * u[0][1] + xy * d12 + xz * u[1][2] - yz * u[0][2],
    ]


def _moment_j(inertia: Inertia, body: LinkState) -> Vector:
    xx, xy, xz, yy, yz, zz = inertia.tensor()
    u, (d23, d31, d12), w, wd = body.u, body.d, body.w, body.wd
    return [
        xx * wd[0] + (zz - yy) * (w[1] * w[2]) - xy * u[2][0] + xz * u[1][0] - yz * d23,
        yy * wd[1] + (xx - zz) * (w[0] * w[2]) - xz * d31 - yz * u[0][1] + xy * u[2][1],
        zz * wd[2] + (yy - xx) * (w[0] * w[1]) - xy * d12 - xz * u[1][2] + yz * u[0][2],
    ]


def _right_angles(body: LinkState) -> bool:
    return all(
        x.number in (-1, 0, 1) for t in (body.pre_rotation, body.alpha, body.joint_rotation) for x in t
    )
