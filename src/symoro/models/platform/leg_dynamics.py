"""Dynamics of a Gough-Stewart platform, treated as a free body on which the legs act as loads.

    A Vd + H = sum_i w_i tau_i,     w_i = (u_i; rho_i x u_i),     tau = J' (A Vd + H)

The columns w_i are the rows of the inverse Jacobian. A leg that is a body of revolution acts as a point mass I/L^2 at
its ball joint and a further mass along u. A force along a leg affects the drive of this leg alone and is computed
separately. The same models by the tree and its loops require about three times as many operations.

v and a are velocity and acceleration of the centre of the ball joint in frame 0. The prismatic joint has the rate rd =
u.v. If a leg is a body of revolution without inertia about its axis, its load does not depend on its rotation about
itself:

    I = XX2 + XX3 + 2 MZ3 L + M3 L^2,   s = MZ3 + M3 L,   S = MZ2 + s,   ww = (v.v - rd^2) / L^2
    f = I/L^2 a - 2 rd (I - s L)/L^3 v - S/L g                  its part along u is included
    slide = M3 (rdd - g.u) - s ww,                              rdd = a.u + L ww

Any other leg is described in the axes of the leg, with w = (-v_y / L, v_x / L, k w_x), k = z1.u / (s2 sin theta2):

    wd_z = k (wd_x + w_y w_z) + w_x w_y,
    m = J wd + w x (J w) + S3 x c - S x g,   c = (2 rd w_y, -2 rd w_x, rdd)        moment about the universal joint
    f_x = m_y / L,   f_y = -(m_x + k m_z) / L

with friction and rotors of the universal joint added. `along` is the force of the leg's drive that is not due to the
platform (Khalil 2010, eq. 66, leg by leg).

A torque t about an axis d of the ball joint loads the platform with the moment t d. The leg rotates with the velocity
of the centre of its ball joint, so that the torque also loads the ball joint with the force of equal power,
-t (dw_leg/dv)' d.

W. Khalil, ICINCO 2010, section 5, eq. (59) to (66); W. Khalil, S. Guegan, "Inverse and direct dynamic modeling of
Gough-Stewart robots", IEEE Transactions on Robotics and Automation 20(4), 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    cross,
    dot,
    matmul,
    matvec,
    scale,
    skew,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar, cos, sign, sin
from symoro.models.coordinates.blocks import Coordinate, Values
from symoro.models.dynamic.force_elements import stribeck
from symoro.models.dynamic.setting import gravity, has_wrench
from symoro.models.dynamic.tree_dynamics import Known, Method, Solution, State
from symoro.models.joints import is_zero
from symoro.models.platform.body import AngularMotion, platform_inertia, platform_wrench, tensor_in_frame_0
from symoro.models.platform.coordinates import TWIST, motion_of, require
from symoro.models.platform.leg import about_z
from symoro.models.platform.pose import PlatformMotion, PlatformPose
from symoro.models.platform.ups import (
    BallAxes,
    LegAxes,
    LegCoordinates,
    LegPosture,
    UpsLeg,
    leg_axes,
    ups_legs,
)
from symoro.models.spatial import ArticulatedInertia, Symmetric, Wrench, full_matrix
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, INERTIAL, Robot
from symoro.robot.platform import ParallelRobot


@dataclass(frozen=True)
class LegBodies:
    """Inertia and friction of a leg, in its axes; cylinder and rod rotate together, the rod also translates.

    Attributes:
        tensor: sum of the tensors XX XY XZ YY YZ ZZ of the cylinder about the universal joint and of the rod about the
            ball joint.
        ms: first moments of the cylinder.
        rod: first moments of the rod about the ball joint.
        m: mass of the rod.
        cross: inertia ZZ and first moments MX, MY of the first link of the universal joint, about its axis.
        drives: IA, FV, FS, FO, FB, VS of each of the six joints; models in platform coordinates have no FL.
    """

    tensor: Symmetric
    ms: Vector
    rod: Vector
    m: Scalar
    cross: Vector
    drives: list[Vector]

    @property
    def of_revolution(self) -> bool:
        """Return whether the leg is a body of revolution without inertia about its axis.

        Its load then does not depend on its rotation about this axis.
        """
        xx, xy, xz, yy, yz, zz = self.tensor
        passive = [x for k, drive in enumerate(self.drives) if k != 2 for x in drive]
        zero = [xy, xz, yz, zz, *self.ms[:2], *self.rod[:2], *self.cross, *passive]
        return xx == yy and all(is_zero(x) for x in zero)

    @property
    def ball_drives(self) -> dict[int, Vector]:
        """Return rotor inertia, friction and offset (IA, FV, FS, FO, FB, VS) of the ball joint by axis (0, 1, 2).

        Axes without rotor and friction are omitted.
        """
        return {k: x for k, x in enumerate(self.drives[3:]) if not all(is_zero(y) for y in x)}


def leg_bodies(builder: Builder, robot: Robot, leg: UpsLeg) -> LegBodies:
    """Return the inertia and friction of a leg, in the axes of the leg."""

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
        [
            [builder.formula(getattr(robot.frame(j), name)) for name in DRIVE if name != "FL"]
            for j in leg.joints
        ],
    )


def drive_force(drive: Vector, rate: Scalar, acceleration: Scalar) -> Scalar:
    """Return the force of rotor inertia and friction, IA qdd + FV qd + (FS + FB exp(-(qd/VS)^2)) sign(qd) + FO.

    Args:
        drive: IA, FV, FS, FO, FB, VS of the joint.
        rate, acceleration: qd and qdd of the joint.
    """
    rotor, viscous, coulomb, offset, low, velocity = drive
    force = rotor * acceleration + viscous * rate + offset
    if not is_zero(low):
        coulomb = coulomb + low * stribeck(rate, velocity)
    return force if is_zero(coulomb) else force + coulomb * sign(rate)


@dataclass(frozen=True)
class LegLoad:
    """Load of a leg on the platform, in frame 0.

    Attributes:
        force: force at the ball joint.
        along: force of the leg's drive that the motion and weight of the leg require, in addition to the force that the
            platform requires.
        moment: moment on the platform; None for zero.
    """

    force: Vector
    along: Scalar
    moment: Vector | None = None


class UpsLegDynamics:
    """Dynamics of a UPS leg at a pose of the platform.

    Args:
        at: direction and length of the leg.
        mode: working mode, 1 or 2.
    """

    def __init__(self, builder: Builder, robot: Robot, pose: PlatformPose, at: LegPosture, mode: int) -> None:
        self.builder, self.at = builder, at
        self.bodies = leg_bodies(builder, robot, at.leg)
        self.axes: LegAxes | None = None if self.bodies.of_revolution else leg_axes(builder, at, mode)
        self.ball: BallAxes | None = None
        if self.axes and self.bodies.ball_drives:
            self.ball = BallAxes(builder, robot, pose, at, self.axes)

    @property
    def regular(self) -> list[Scalar]:
        """Return conditions that equal 1 where the configuration of the leg is not singular."""
        return [part.regular for part in (self.at, self.axes, self.ball) if part is not None]

    def tip(self, motion: PlatformMotion, angular: AngularMotion) -> tuple[Vector, Vector]:
        """Return velocity and acceleration of the centre of the ball joint, in frame 0.

        Args:
            motion: motion of the platform.
            angular: angular motion of the platform.
        """
        i, rho = self.at.leg.number, self.at.rho
        v = self.builder.named_array(f"v{i}_", add(motion.v, cross(motion.w, rho)))
        a = self.builder.named_array(f"a{i}_", add(motion.vd, matvec(angular.u, rho)))
        return list(v), list(a)

    def load(self, motion: PlatformMotion, angular: AngularMotion, gravity: Vector) -> LegLoad:
        """Return the load of the leg on the platform during a motion of the platform.

        Args:
            angular: angular motion of the platform.
            gravity: gravity in frame 0.
            motion: motion of the platform.
        """
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
        """Return the load due to friction and rotors of the ball joint.

        Args:
            ball: axes of the ball joint.
            k: ratio w_z / w_x of the leg's angular velocity.
            w, wd: angular velocity and acceleration of the leg, in its axes.
            motion: motion of the platform.

        Returns:
            The force (x, y) at the ball joint in the leg's axes, and the moment on the platform in frame 0.
        """
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
        """Return the rotor inertias of the ball joint, each with the row r for which r V is the rate of the rotor.

        V is the twist of the platform (linear; angular).
        """
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
        """Return the inertia tensor of cylinder and rod about the universal joint, at the leg length L."""
        xx, xy, xz, yy, yz, zz = self.bodies.tensor
        x, y, z = self.bodies.rod
        far = length * (2 * z + self.bodies.m * length)
        return xx + far, xy, xz - length * x, yy + far, yz - length * y, zz

    def _second_drive(self) -> Vector:
        """Return IA, FV, FS, FO, FB, VS of the second joint of the leg, about the axis e_y of the leg.

        e_y is the joint axis z2 or its negative; the offset FO changes its sign accordingly.
        """
        rotor, viscous, coulomb, offset, *low = self.bodies.drives[1]
        return [rotor, viscous, coulomb, self.at.leg.s3 * offset, *low]

    def _cross(self, axes: LegAxes, over: Scalar, wx: Scalar, wy: Scalar, wdx: Scalar, g: Vector) -> Scalar:
        """Return the torque of the first joint due to its link, rotor and friction, divided by z1x.

        z1x is the component of the joint's axis along e_x.

        Args:
            axes: axes of the leg.
            wx, wy, wdx: components of the leg's angular velocity and acceleration.
            g: gravity in the leg's axes.
            over: 1 / z1x.
        """
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
        """Return the leg's 3x3 inertia matrix at its ball joint, in the axes (e_x, e_y, u) of the leg.

        For a body of revolution use `point_mass`.
        """
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
        """Return the inertia of a leg that is a body of revolution, reduced to its ball joint.

        Returns:
            The mass in the transverse directions, and the mass along the leg minus this mass.
        """
        length, bodies = self.at.length, self.bodies
        across = self._tensor(length)[0] * self.at.inverse * self.at.inverse
        return across, bodies.m + bodies.drives[2][0] - across


def _slide(bodies: LegBodies, rdd: Scalar, rd: Scalar) -> Scalar:
    """Return the force on the prismatic joint due to the rod's mass, and to rotor inertia and friction of its drive.

    Args:
        rdd, rd: acceleration and rate of the prismatic joint.
        bodies: inertia and friction of the leg.
    """
    rotor, *rest = bodies.drives[2]
    return drive_force([rotor + bodies.m, *rest], rd, rdd)


def _at_ball(direction: Vector, k: Scalar, inverse: Scalar) -> tuple[Scalar, Scalar]:
    """Return the components (x, y) of the force at the ball joint per unit torque about an axis.

    Args:
        direction: axis in the leg's axes.
        k: ratio w_z / w_x of the leg's angular velocity.
        inverse: 1 / L, with the leg length L.
    """
    x, y, z = direction
    return -y * inverse, (x + k * z) * inverse


def light_ups_legs(builder: Builder, parallel: ParallelRobot) -> list[UpsLeg] | None:
    """Return the six UPS legs of a platform with massless ball joints, or None.

    The result is None if the legs are of another type, or if an external wrench acts on a link.
    """
    robot = parallel.robot
    legs = ups_legs(builder, parallel)
    if legs is None or len(legs) != 6:
        return None
    balls = [robot.link(j) for leg in legs for j in leg.joints[3:5]]
    if any(not getattr(link, name).is_zero for link in balls for name in INERTIAL):
        return None
    links = [*robot.links, *([robot.payload] if robot.payload else [])]
    return None if any(has_wrench(link) for link in links) else legs


class LegDynamics:
    """Equations of motion of a platform with six UPS legs, with the interface of `TreeDynamics`."""

    def __init__(self, provider: LegCoordinates) -> None:
        self.provider, self.builder, self.parallel = provider, provider.builder, provider.parallel

    @cached_property
    def legs(self) -> list[UpsLegDynamics]:
        provider = self.provider
        return [
            UpsLegDynamics(self.builder, self.parallel.robot, provider.pose, at, mode)
            for at, mode in zip(provider.postures, provider.modes, strict=True)
        ]

    def _require_regular(self) -> None:
        require(self.builder, [condition for leg in self.legs for condition in leg.regular])

    def state(self, nu: Values) -> State:
        """Return the velocity nu of the platform as a `State`; the velocities of the leg joints are not computed."""
        return State(nu, {})

    def loads(self, motion: PlatformMotion) -> tuple[Wrench, list[LegLoad]]:
        """Return the wrench that the platform alone requires for a motion, and the load of each leg.

        The wrench includes the moments that the legs exert on the platform.
        """
        g = gravity(self.builder, self.parallel.robot)
        angular = AngularMotion.of(self.builder, motion.w, motion.wd, "U")
        inertia = platform_inertia(self.builder, self.parallel)
        wrench = platform_wrench(self.builder, inertia, self.provider.pose, motion, angular, g)
        loads = [leg.load(motion, angular, g) for leg in self.legs]
        for load in loads:
            if load.moment is not None:
                wrench = Wrench(wrench.f, add(wrench.m, load.moment))
        return wrench, loads

    def _total(self, wrench: Wrench, forces: Sequence[Vector]) -> Vector:
        """Return the sum (force; moment) of a wrench on the platform and of the forces at its ball joints.

        Args:
            wrench: wrench about the origin of the platform's frame.
            forces: force at the ball joint of each leg.
        """
        force, moment = wrench.f, wrench.m
        for at, f in zip(self.provider.postures, forces, strict=True):
            force = add(force, f)
            moment = add(moment, cross(at.rho, f))
        return [*force, *moment]

    def _efforts(self, motion: PlatformMotion) -> Vector:
        wrench, loads = self.loads(motion)
        directions = [at.u for at in self.provider.postures]
        forces = [add(load.force, scale(load.along, u)) for load, u in zip(loads, directions, strict=True)]
        return self._total(wrench, forces)

    def efforts(
        self, state: State, nud: Values, gravity: Vector | None = None, *, elements: bool = True
    ) -> dict[Coordinate, Scalar]:
        """Return the forces A Vd + H on the platform's coordinates (inertia matrix A, acceleration Vd, bias forces H).

        The arguments `gravity` and `elements` have no effect: gravity, drives and friction of the robot are always
        included.

        Args:
            nud: acceleration of the platform.
            state: velocity of the platform.
        """
        self._require_regular()
        return dict(zip(TWIST, self._efforts(motion_of(state.nu, nud)), strict=True))

    def inertia(self) -> Matrix:
        """Return the 6x6 inertia matrix A over the platform's twist."""
        parts = self._inertia()
        self._require_regular()
        return block([[full_matrix(parts.mass), transpose(parts.h)], [parts.h, full_matrix(parts.tensor)]])

    def methods(self, known: Known) -> list[Method]:
        """Return the algorithm that computes the forces on the platform, or its accelerations.

        Args:
            known: either all accelerations or all forces of the platform.
        """
        return [Method.PARTITION] if known.forces else [Method.WALK]

    def solve(self, state: State, known: Known, method: Method) -> Solution:
        """Return the accelerations of the platform and the forces on it.

        The forces along the legs are returned as forces of the drives, `Solution.at_drives`.

        Args:
            known: the known accelerations or forces.
            state: velocity of the platform.
            method: algorithm, one of those that `methods` returns.
        """
        if method is Method.WALK:
            wrench, loads = self.loads(motion_of(state.nu, known.accelerations))
            total = self.builder.named_array("F", self._total(wrench, [load.force for load in loads]))
            self._require_regular()
            forces = dict(zip(TWIST, total, strict=True))
            return Solution(known.accelerations, forces, tuple(load.along for load in loads))
        right = subtract(list(known.forces.values()), self._efforts(motion_of(state.nu, {})))
        twist = self._inertia().solve(Wrench(right[:3], right[3:]))
        self._require_regular()
        return Solution(dict(zip(TWIST, [*twist.v, *twist.w], strict=True)), known.forces)

    def _inertia(self) -> ArticulatedInertia:
        """Return the 6x6 inertia matrix A over the platform's twist (linear; angular), by its 3x3 blocks."""
        body = platform_inertia(self.builder, self.parallel)
        s, m = matvec(self.provider.pose.rotation, list(body.ms)), body.m
        tensor = tensor_in_frame_0(self.provider.pose.rotation, body)
        for leg in self.legs:
            if leg.axes is None:
                mass = leg.point_mass()[0]
                rho = leg.at.rho
                moved = scale(mass, rho)
                m, s = m + mass, add(s, moved)
                square = dot(rho, moved)
                for r in range(3):
                    for c in range(3):
                        tensor[r][c] = tensor[r][c] + (square if r == c else 0) - moved[r] * rho[c]
        rows: Matrix = [[m if r == c else 0 for c in range(3)] for r in range(3)]
        rows = [[*row, *mixed] for row, mixed in zip(rows, transpose(skew(s)), strict=True)]
        rows += [[*mixed, *row] for mixed, row in zip(skew(s), tensor, strict=True)]
        for leg, column in zip(self.legs, self.provider.rows, strict=True):
            _gain(rows, *self._directions(leg, column))
            for inertia, twist in leg.ball_inertia():
                _gain(rows, [twist], [[inertia]])
        return _articulated(rows)

    def _directions(self, leg: UpsLegDynamics, column: Vector) -> tuple[list[Vector], Matrix]:
        """Return twists W and a matrix M for which W M W' is the leg's part of the inertia matrix of the platform.

        Args:
            leg: the leg.
            column: (u; rho x u), with the direction u of the leg and the vector rho from the platform's origin to the
                ball joint.
        """
        if leg.axes is None:
            return [column], [[leg.point_mass()[1]]]
        rho = leg.at.rho
        across = [[*e, *cross(rho, e)] for e in (leg.axes.ex, leg.axes.ey)]
        return [*across, column], leg.inertia()


def _gain(rows: Matrix, directions: Sequence[Vector], inertia: Matrix) -> None:
    """Add W M W' to the upper triangle of a symmetric 6x6 matrix.

    Args:
        rows: the 6x6 matrix, which is changed in place.
        directions: the columns of W, each with six entries.
        inertia: the square matrix M.
    """
    weighted = [
        [
            sum((m * w[k] for m, w in zip(row[1:], directions[1:], strict=True)), row[0] * directions[0][k])
            for k in range(6)
        ]
        for row in inertia
    ]
    for r in range(6):
        for c in range(r, 6):
            for w, y in zip(directions, weighted, strict=True):
                rows[r][c] = rows[r][c] + w[r] * y[c]


def _articulated(rows: Matrix) -> ArticulatedInertia:
    def half(offset: int) -> Symmetric:
        xx, yy, zz, xy, xz, yz = (
            rows[offset + r][offset + c] for r, c in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        )
        return xx, yy, zz, xy, xz, yz

    h = [[rows[c][3 + r] for c in range(3)] for r in range(3)]
    return ArticulatedInertia(half(0), h, half(3))
