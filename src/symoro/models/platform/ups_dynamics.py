"""Loads of a leg of a Gough-Stewart platform: forces at its ball and along its slide, and its inertia.

v and a are velocity and acceleration of the ball's centre in frame 0. The slide moves by rd = u.v. If a leg is a body
of revolution without inertia about its axis, its load does not depend on its rotation about itself:

    I = XX2 + XX3 + 2 MZ3 L + M3 L^2,   s = MZ3 + M3 L,   S = MZ2 + s,   ww = (v.v - rd^2) / L^2
    f = I/L^2 a - 2 rd (I - s L)/L^3 v - S/L g                  its part along u is included
    slide = M3 (rdd - g.u) - s ww,                              rdd = a.u + L ww

Any other leg is written in its own axes, with w = (-v_y / L, v_x / L, k w_x), k = z1.u / (s2 sin theta2):

    wd_z = k (wd_x + w_y w_z) + w_x w_y,
    m = J wd + w x (J w) + S3 x c - S x g,   c = (2 rd w_y, -2 rd w_x, rdd)        moment about the universal joint
    f_x = m_y / L,   f_y = -(m_x + k m_z) / L

with friction and rotors of the universal joint added. A force along u changes the unknown force of that leg alone:
`along` is the force of the motor besides it (Khalil 2010, eq. 66, leg by leg).

A torque t in a turn of the ball with direction d loads the platform with the moment t d and, since the leg rotates with
the velocity of its ball's centre, the ball with the force of equal power, -t (w_leg by v)' d.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector, add, cross, dot, matmul, matvec, scale, subtract, transpose
from symoro.expr.scalar import Scalar, cos, sign, sin
from symoro.models.joints import is_zero
from symoro.models.platform.body import AngularMotion
from symoro.models.platform.leg import about_z
from symoro.models.platform.pose import PlatformMotion, PlatformPose
from symoro.models.platform.ups import BallAxes, LegAxes, LegPosture, UpsLeg, leg_axes
from symoro.models.spatial import Symmetric
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, INERTIAL, Robot


@dataclass(frozen=True)
class LegBodies:
    """The inertia of a leg in its own axes: cylinder and rod rotate together, the rod slides.

    Attributes:
        tensor: XX XY XZ YY YZ ZZ of cylinder and rod at L = 0, about the universal joint and about the ball.
        ms: first moments of the cylinder; `rod`: those of the rod, about the ball; `m`: its mass.
        cross: ZZ, MX, MY of the first link of the universal joint about its axis.
        drives: IA, FV, FS, FO of the six joints.
    """

    tensor: Symmetric
    ms: Vector
    rod: Vector
    m: Scalar
    cross: Vector
    drives: list[Vector]

    @property
    def of_revolution(self) -> bool:
        """Whether the load does not depend on the rotation of the leg about itself."""
        xx, xy, xz, yy, yz, zz = self.tensor
        passive = [x for k, drive in enumerate(self.drives) if k != 2 for x in drive]
        zero = [xy, xz, yz, zz, *self.ms[:2], *self.rod[:2], *self.cross, *passive]
        return xx == yy and all(is_zero(x) for x in zero)

    @property
    def ball_drives(self) -> dict[int, Vector]:
        """The turns of the ball (0, 1, 2) with friction or a rotor."""
        return {k: x for k, x in enumerate(self.drives[3:]) if not all(is_zero(y) for y in x)}


def leg_bodies(builder: Builder, robot: Robot, leg: UpsLeg) -> LegBodies:
    """Return the inertia of a leg; sums of parameters are computed once."""

    def in_leg_axes(j: int, rotation: Matrix) -> tuple[Matrix, Vector]:
        link = robot.link(j)
        xx, xy, xz, yy, yz, zz, x, y, z = (builder.formula(getattr(link, name)) for name in INERTIAL[:9])
        tensor: Matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return matmul(matmul(rotation, tensor), transpose(rotation)), matvec(rotation, [x, y, z])

    cylinder, ms = in_leg_axes(leg.joints[1], [[1, 0, 0], [0, 0, leg.s3], [0, -leg.s3, 0]])
    rod, rod_ms = in_leg_axes(leg.joints[2], about_z(cos(leg.spin), sin(leg.spin)))
    cross_link = robot.link(leg.joints[0])
    xx, xy, xz, yy, yz, zz = (
        cylinder[r][c] + rod[r][c] for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    )
    return LegBodies(
        (xx, xy, xz, yy, yz, zz),
        ms,
        rod_ms,
        builder.formula(robot.link(leg.joints[2]).M),
        [builder.formula(x) for x in (cross_link.ZZ, cross_link.MX, cross_link.MY)],
        [[builder.formula(getattr(robot.frame(j), name)) for name in DRIVE] for j in leg.joints],
    )


def drive_force(drive: Vector, rate: Scalar, acceleration: Scalar) -> Scalar:
    """Return IA qdd + FV qd + FS sign(qd) + FO."""
    rotor, viscous, coulomb, offset = drive
    force = rotor * acceleration + viscous * rate + offset
    return force if is_zero(coulomb) else force + coulomb * sign(rate)


@dataclass(frozen=True)
class LegLoad:
    """Force at the ball and moment on the platform in frame 0, and the force of the motor besides the balance."""

    force: Vector
    along: Scalar
    moment: Vector | None = None


class UpsLegDynamics:
    """A leg at a pose of the platform."""

    def __init__(self, builder: Builder, robot: Robot, pose: PlatformPose, at: LegPosture, mode: int) -> None:
        self.builder, self.at = builder, at
        self.bodies = leg_bodies(builder, robot, at.leg)
        self.axes: LegAxes | None = None if self.bodies.of_revolution else leg_axes(builder, at, mode)
        self.ball: BallAxes | None = None
        if self.axes and self.bodies.ball_drives:
            self.ball = BallAxes(builder, robot, pose, at, self.axes)

    @property
    def regular(self) -> list[Scalar]:
        """Conditions: each is 1 where the leg has values."""
        return [part.regular for part in (self.at, self.axes, self.ball) if part is not None]

    def tip(self, motion: PlatformMotion, angular: AngularMotion) -> tuple[Vector, Vector]:
        """Return velocity and acceleration of the ball's centre."""
        i, rho = self.at.leg.number, self.at.rho
        v = self.builder.named_array(f"v{i}_", add(motion.v, cross(motion.w, rho)))
        a = self.builder.named_array(f"a{i}_", add(motion.vd, matvec(angular.u, rho)))
        return list(v), list(a)

    def load(self, motion: PlatformMotion, angular: AngularMotion, gravity: Vector) -> LegLoad:
        """Return the load of a motion of the platform."""
        v, a = self.tip(motion, angular)
        if self.axes is None:
            return self._revolution(v, a, gravity)
        return self._general(self.axes, v, a, gravity, motion)

    def _revolution(self, v: Vector, a: Vector, gravity: Vector) -> LegLoad:
        at, bodies, i = self.at, self.bodies, self.at.leg.number
        length, inverse, u = at.length, at.inverse, at.u
        plain = bodies.tensor[0] + bodies.rod[2] * length  # I - s L
        s = bodies.rod[2] + bodies.m * length
        rd = self.builder.named(f"rd{i}", dot(u, v))
        along = self.builder.named(f"au{i}", dot(u, a))
        ratio = inverse * inverse
        c1 = self.builder.named(f"ca{i}", (plain + s * length) * ratio)
        c2 = self.builder.named(f"cv{i}", -2 * rd * plain * ratio * inverse)
        c3 = self.builder.named(f"cg{i}", (bodies.ms[2] + s) * inverse)
        force: Vector = [c1 * x + c2 * y - c3 * z for x, y, z in zip(a, v, gravity, strict=True)]
        gu = dot(u, gravity)
        ww = (dot(v, v) - rd * rd) * ratio
        rdd = along + length * ww
        slide = _slide(bodies, rdd, rd) - bodies.m * gu - s * ww
        return LegLoad(force, slide - (c1 * along + c2 * rd - c3 * gu))

    def _general(
        self, axes: LegAxes, v: Vector, a: Vector, gravity: Vector, motion: PlatformMotion
    ) -> LegLoad:
        at, bodies, i = self.at, self.bodies, self.at.leg.number
        name, length, inverse = self.builder.named, at.length, at.inverse
        vx, vy, rd = (name(f"v{k}{i}", dot(e, v)) for k, e in (("x", axes.ex), ("y", axes.ey), ("r", at.u)))
        ax, ay, az = (name(f"a{k}{i}", dot(e, a)) for k, e in (("x", axes.ex), ("y", axes.ey), ("r", at.u)))
        g = [dot(e, gravity) for e in (axes.ex, axes.ey, at.u)]
        over = name(f"iz{i}", at.leg.s2 / axes.s2)  # 1 / z1x
        k = name(f"k{i}", axes.along * over)
        wx, wy = name(f"wx{i}", -vy * inverse), name(f"wy{i}", vx * inverse)
        wz = name(f"wz{i}", k * wx)
        turn = 2 * rd
        cx, cy = turn * wy, -turn * wx
        wdx = name(f"wdx{i}", wy * wz - (ay - cy) * inverse)
        wdy = name(f"wdy{i}", (ax - cx) * inverse - wx * wz)
        wdz = name(f"wdz{i}", k * (wy * wz + wdx) + wx * wy)
        rdd = name(f"rdd{i}", az + length * (wx * wx + wy * wy))
        sx, sy, s3 = bodies.rod
        s = s3 + bodies.m * length
        first = [sx + bodies.ms[0], sy + bodies.ms[1], s + bodies.ms[2]]
        angular = AngularMotion.of(self.builder, [wx, wy, wz], [wdx, wdy, wdz])
        m = angular.moment(self._tensor(length))
        c = [cx, cy, rdd]
        m = add(m, add(cross([sx, sy, s], c), cross(g, first)))
        x = m[0] + k * m[2] + self._cross(axes, over, wx, wy, wdx, g)
        drive = drive_force(self._second_drive(), wy, wdy)
        fx, fy = name(f"fx{i}", (m[1] + drive) * inverse), name(f"fy{i}", -x * inverse)
        moment: Vector | None = None
        if self.ball:
            more, moment = self._ball(self.ball, motion, k, [wx, wy, wz], [wdx, wdy, wdz])
            fx, fy = fx + more[0], fy + more[1]
        force = add(scale(fx, axes.ex), scale(fy, axes.ey))
        slide = _slide(bodies, rdd, rd) - bodies.m * g[2] + dot(angular.u[2], [sx, sy, s])
        return LegLoad(force, slide, moment)

    def _ball(
        self, ball: BallAxes, motion: PlatformMotion, k: Scalar, w: Vector, wd: Vector
    ) -> tuple[Vector, Vector]:
        """Return force (x, y) at the ball and moment on the platform, of friction and rotors in the ball."""
        rates = ball.rates(subtract(ball.local(motion.w), w))
        change = subtract(subtract(ball.local(motion.wd), wd), ball.bias(w, rates))
        accelerations = ball.rates(change)
        force: Vector = [0, 0]
        moment: Vector = [0, 0, 0]
        for turn, drive in self.bodies.ball_drives.items():
            torque = drive_force(drive, rates[turn], accelerations[turn])
            direction = ball.directions[turn]
            force = add(force, scale(torque, _at_ball(direction, k, self.at.inverse)))
            moment = add(moment, scale(torque, direction))
        return force, ball.world(moment)

    def ball_inertia(self) -> list[tuple[Scalar, Vector]]:
        """Return inertia of rotors in the ball, and the twist of the platform at their unit rates."""
        if self.ball is None or self.axes is None:
            return []
        k = self.axes.along * (self.at.leg.s2 / self.axes.s2)
        rotors = []
        for turn, drive in self.bodies.ball_drives.items():
            direction = self.ball.directions[turn]
            x, y = _at_ball(direction, k, self.at.inverse)
            force = add(scale(x, self.axes.ex), scale(y, self.axes.ey))
            twist = [*force, *add(cross(self.at.rho, force), self.ball.world(direction))]
            rotors.append((drive[0], twist))
        return rotors

    def _tensor(self, length: Scalar) -> Symmetric:
        """Return the tensor about the universal joint: the rod is at the distance L."""
        xx, xy, xz, yy, yz, zz = self.bodies.tensor
        x, y, z = self.bodies.rod
        far = length * (2 * z + self.bodies.m * length)
        return xx + far, xy, xz - length * x, yy + far, yz - length * y, zz

    def _second_drive(self) -> Vector:
        """Return the drive of the second joint about e_y = s3 z2: an offset changes its sign with the axis."""
        rotor, viscous, coulomb, offset = self.bodies.drives[1]
        return [rotor, viscous, coulomb, self.at.leg.s3 * offset]

    def _cross(self, axes: LegAxes, over: Scalar, wx: Scalar, wy: Scalar, wdx: Scalar, g: Vector) -> Scalar:
        """Return the torque of the first joint (its link, rotor, friction) as a moment about e_x: divided by z1x."""
        zz, mx, my = self.bodies.cross
        drive = self.bodies.drives[0]
        if all(is_zero(x) for x in (zz, mx, my, *drive)):
            return 0
        leg = self.at.leg
        rate = wx * over
        acceleration = (wdx + rate * wy * axes.along) * over
        z1x = leg.s2 * axes.s2
        turned = -leg.s2 * leg.s3
        gx, gy = turned * (axes.along * g[0] - z1x * g[2]), turned * g[1]
        torque = drive_force([drive[0] + zz, *drive[1:]], rate, acceleration) - (mx * gy - my * gx)
        return torque * over

    def inertia(self) -> Matrix:
        """Return the leg's inertia at its ball over (e_x, e_y, u); not for a body of revolution."""
        assert self.axes is not None
        at, bodies = self.at, self.bodies
        inverse, over = at.inverse, at.leg.s2 / self.axes.s2
        k = self.axes.along * over
        xx, xy, xz, yy, yz, zz = self._tensor(at.length)
        square = inverse * inverse
        turn = bodies.cross[0] + bodies.drives[0][0]
        a = (yy + bodies.drives[1][0]) * square
        b = -(xy + k * yz) * square
        d = (xx + 2 * k * xz + k * k * zz + turn * over * over) * square
        e, f = -bodies.rod[0] * inverse, -bodies.rod[1] * inverse
        return [[a, b, e], [b, d, f], [e, f, bodies.m + bodies.drives[2][0]]]

    def point_mass(self) -> tuple[Scalar, Scalar]:
        """Return, for a body of revolution, the inertia across the leg, and that along it less the same."""
        length, bodies = self.at.length, self.bodies
        across = self._tensor(length)[0] * self.at.inverse * self.at.inverse
        return across, bodies.m + bodies.drives[2][0] - across


def _slide(bodies: LegBodies, rdd: Scalar, rd: Scalar) -> Scalar:
    """Return the force of the rod's mass and of the drive of the slide."""
    rotor, *rest = bodies.drives[2]
    return drive_force([rotor + bodies.m, *rest], rd, rdd)


def _at_ball(direction: Vector, k: Scalar, inverse: Scalar) -> tuple[Scalar, Scalar]:
    """Return the force (x, y) at the ball per unit torque of a turn with this direction."""
    x, y, z = direction
    return -y * inverse, (x + k * z) * inverse
