"""Legs of a Gough-Stewart platform (6-UPS: universal, prismatic, ball joint) from the pose of the platform.

With A the centre of the universal joint, C = P + rho that of the ball joint, rho = R b:

    L u = C - A      z1: first axis of the universal joint, fixed      z2 = -s2 s3 (z1 x u) / sin(theta2)

with s2, s3 the signs of alpha_2 and alpha_3 (right angles). The axes of the leg are e_z = u, e_y = s3 z2 and
e_x = e_y x e_z; in them z1 = (s2 sin(theta2), 0, z1.u). The working mode of a leg is the sign of sin(theta2): 1 for
theta2 between 0 and pi, 2 for theta2 between -pi and 0. Models that do not depend on the angles of a leg do not
compute them.

With z4, z5, z6 the axes of the ball joint, z5 perpendicular to the others, c = z4.z6, and w the platform's angular
velocity relative to the leg,

    q4' = d4.w,  q5' = z5.w,  q6' = d6.w,     d4 = (z4 - c z6) / (1 - c^2),   d6 = (z6 - c z4) / (1 - c^2)

The coordinates of the platform are its twist. The rows of the inverse Jacobian are (u_i; rho_i x u_i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matmul,
    matvec,
    position_of,
    rotation_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar, atan2, cos, less, sin, sqrt
from symoro.models.coordinates.blocks import Coordinate, Values
from symoro.models.geometric.fixed_placements import before_turn, between, drop_roundoff
from symoro.models.platform.coordinates import TWIST, PlatformActuation, TwistCoordinates
from symoro.models.platform.leg import RIGHT_ANGLES, P, R, joints_of, seat_of
from symoro.models.platform.pose import PlatformPose
from symoro.models.tolerances import ZERO_SQUARE
from symoro.program.builder import Builder
from symoro.robot.description import Frame, Robot
from symoro.robot.platform import ParallelRobot, PlatformLeg, plain_joint
from symoro.robot.size import characteristic_length


@dataclass(frozen=True)
class UpsLeg:
    """Geometry of a leg with universal, prismatic and ball joint.

    Attributes:
        joints: two of the universal joint, one prismatic, three of the ball joint; the last one may be a cut joint.
        base: pose of the leg's first joint frame at theta = 0, in frame 0.
        centre: centre A of the universal joint, in frame 0.
        b: centre of the ball joint, in the platform's frame.
        seat: rotation matrix of the last frame of the ball joint, relative to the platform.
        s2, s3: signs of the right angles alpha_2, alpha_3.
        spin: theta_3, a constant rotation of the prismatic joint about the leg.
    """

    number: int
    joints: tuple[int, ...]
    base: Matrix
    centre: Vector
    b: Vector
    seat: Matrix
    s2: int
    s3: int
    spin: Scalar

    @property
    def z1(self) -> Vector:
        return drop_roundoff([row[2] for row in self.base[:3]])


def ups_legs(builder: Builder, parallel: ParallelRobot) -> list[UpsLeg] | None:
    """Return the legs if each consists of a universal, an actuated prismatic and a ball joint; otherwise None."""
    if not all(_is_ups(parallel, leg) for leg in parallel.legs):
        return None
    return [_leg(builder, parallel, leg) for leg in parallel.legs]


def _is_ups(parallel: ParallelRobot, leg: PlatformLeg) -> bool:
    """Return whether a leg consists of universal joint U, actuated prismatic joint P and ball joint S.

    P must pass through the centre of U, and S must be at the end of P.
    """
    robot, joints = parallel.robot, joints_of(parallel, leg)
    frames = [robot.frame(j) for j in joints]
    if [frame.sigma for frame in frames] != [R, R, P, R, R, R] or set(leg.members) - set(joints):
        return False
    _, second, slide, *ball = frames
    right = all(frame.alpha.text in RIGHT_ANGLES for frame in (second, slide, *ball[1:]))
    zero = [second.gamma, second.d, second.r, slide.gamma, slide.d, slide.b]
    zero += [x for frame in ball for x in (frame.b, frame.d, frame.r)]
    plain = all(plain_joint(robot, j) and robot.frame(j).mu == (j == joints[2]) for j in joints)
    return right and plain and all(x.is_zero for x in zero)


def _leg(builder: Builder, parallel: ParallelRobot, leg: PlatformLeg) -> UpsLeg:
    robot, joints = parallel.robot, joints_of(parallel, leg)
    first, second, slide = (robot.frame(j) for j in joints[:3])
    base = before_turn(builder, first)
    up = builder.formula(first.r) + builder.formula(second.b)
    centre = add(position_of(base), scale(up, [row[2] for row in base[:3]]))
    place = between(builder, robot, parallel.platform, seat_of(parallel, leg), parallel.body)
    size = characteristic_length(robot)
    return UpsLeg(
        leg.number,
        tuple(joints),
        base,
        drop_roundoff(centre, size),
        drop_roundoff(position_of(place), size),
        rotation_of(place),
        RIGHT_ANGLES[second.alpha.text],
        RIGHT_ANGLES[slide.alpha.text],
        builder.formula(slide.theta),
    )


@dataclass(frozen=True)
class LegPosture:
    """Configuration of a UPS leg in frame 0: its direction and length.

    Attributes:
        rho: vector from the platform's origin to the centre of the ball joint.
        u, length, inverse: direction of the leg, its length L, and 1 / L.
        regular: 1 where the direction is defined (the length is not zero), otherwise 0.
    """

    leg: UpsLeg
    rho: Vector
    u: Vector
    length: Scalar
    inverse: Scalar
    regular: Scalar


def leg_posture(builder: Builder, leg: UpsLeg, pose: PlatformPose) -> LegPosture:
    """Return direction and length of a leg at a pose of the platform."""
    i = leg.number
    rho = builder.named_array(f"rho{i}_", matvec(pose.rotation, leg.b))
    reach = builder.named_array(f"d{i}_", add(subtract(pose.position, leg.centre), rho))
    square = builder.named(f"LL{i}", dot(reach, reach))
    length = builder.named(f"L{i}", sqrt(square))
    inverse = builder.named(f"iL{i}", 1 / length)
    u = builder.named_array(f"u{i}_", scale(inverse, reach))
    least = ZERO_SQUARE * (dot(leg.b, leg.b) + dot(leg.centre, leg.centre))
    return LegPosture(leg, list(rho), list(u), length, inverse, less(least, square))


@dataclass(frozen=True)
class LegAxes:
    """Axes of a leg in frame 0; its third axis is the direction u.

    Attributes:
        ex, ey: first and second axis.
        s2: sin(theta2) of the universal joint.
        along: z1.u, with the first axis z1 of the universal joint.
        regular: 1 where the axes are defined, otherwise 0.
    """

    ex: Vector
    ey: Vector
    s2: Scalar
    along: Scalar
    regular: Scalar


def leg_axes(builder: Builder, at: LegPosture, mode: int) -> LegAxes:
    """Return the axes of a leg; the universal joint determines its rotation about the direction u.

    Args:
        at: direction and length of the leg.
        mode: working mode, 1 or 2.
    """
    leg, i = at.leg, at.leg.number
    n = cross(leg.z1, at.u)
    square = builder.named(f"SS{i}", dot(n, n))
    s2 = builder.named(f"sin_zu{i}", sqrt(square)) * (1 if mode == 1 else -1)
    ey = builder.named_array(f"ey{i}_", scale(-leg.s2 / s2, n))
    ex = builder.named_array(f"ex{i}_", cross(ey, at.u))
    return LegAxes(
        list(ex), list(ey), s2, builder.named(f"zu{i}", dot(leg.z1, at.u)), less(ZERO_SQUARE, square)
    )


def leg_positions(
    builder: Builder, robot: Robot, pose: PlatformPose, at: LegPosture, axes: LegAxes
) -> dict[int, Scalar]:
    """Return the positions of a leg's six joints, by joint number.

    The middle angle theta_5 of the ball joint (joint variable plus offset) is between 0 and pi.

    Args:
        at: direction and length of the leg.
        axes: axes of the leg.
        pose: pose of the platform.
    """
    leg = at.leg
    x1, y1 = ([row[k] for row in leg.base[:3]] for k in range(2))
    side = leg.s3 / axes.s2
    angles: list[Scalar] = [
        atan2(side * dot(at.u, y1), side * dot(at.u, x1)),
        atan2(axes.s2, -leg.s2 * leg.s3 * axes.along),
    ]
    c, s = cos(leg.spin), sin(leg.spin)
    across = [add(scale(c, axes.ex), scale(s, axes.ey)), subtract(scale(c, axes.ey), scale(s, axes.ex)), at.u]
    last = matmul(pose.rotation, leg.seat)
    ball = _ball_angles(builder, [robot.frame(j) for j in leg.joints[3:]], matmul(across, last))
    positions: dict[int, Scalar] = {}
    for j, angle in zip((*leg.joints[:2], *leg.joints[3:]), (*angles, *ball), strict=True):
        positions[j] = angle - builder.formula(robot.frame(j).theta)
    positions[leg.joints[2]] = at.length - builder.formula(robot.frame(leg.joints[2]).r)
    return positions


def _ball_angles(builder: Builder, turns: list[Frame], n: Matrix) -> list[Scalar]:
    """Return the angles theta_4, theta_5, theta_6 of a ball joint with the rotation matrix n.

    n = A4 Rz(theta4) A5 Rz(theta5) A6 Rz(theta6); the constant rotations A5 and A6 are by right angles.

    Args:
        turns: the three frames of the ball joint.
        n: rotation matrix of the last frame of the ball joint.
    """
    first = rotation_of(before_turn(builder, turns[0]))
    n = matmul(transpose(first), n)
    s5, s6 = (RIGHT_ANGLES[turn.alpha.text] for turn in turns[1:])
    middle = sqrt(n[0][2] * n[0][2] + n[1][2] * n[1][2])
    a = atan2(s6 * n[1][2], s6 * n[0][2])
    b = atan2(middle, -s5 * s6 * n[2][2])
    c = atan2(-s5 * n[2][1], s5 * n[2][0])
    return [a - builder.formula(turns[1].gamma), b - builder.formula(turns[2].gamma), c]


class BallAxes:
    """Axes of a ball joint in the axes of the leg; they give its joint rates for a given angular velocity."""

    def __init__(
        self, builder: Builder, robot: Robot, pose: PlatformPose, at: LegPosture, axes: LegAxes
    ) -> None:
        first, second, third = (robot.frame(j) for j in at.leg.joints[3:])
        own = [row[2] for row in rotation_of(before_turn(builder, first))]
        c, s = cos(at.leg.spin), sin(at.leg.spin)
        self.z4: Vector = [c * own[0] - s * own[1], s * own[0] + c * own[1], own[2]]
        seat = matvec(pose.rotation, [row[2] for row in at.leg.seat])
        self.basis = (axes.ex, axes.ey, at.u)
        self.z6: Vector = [dot(e, seat) for e in self.basis]
        normal = cross(self.z4, self.z6)
        square = dot(normal, normal)
        sign = -RIGHT_ANGLES[second.alpha.text] * RIGHT_ANGLES[third.alpha.text]
        self.z5: Vector = scale(sign / sqrt(square), normal)
        along = dot(self.z4, self.z6)
        inverse = 1 / square
        self.directions = (
            scale(inverse, subtract(self.z4, scale(along, self.z6))),
            self.z5,
            scale(inverse, subtract(self.z6, scale(along, self.z4))),
        )
        self.regular = less(ZERO_SQUARE, square)

    def local(self, v: Vector) -> Vector:
        """Transform a vector v from frame 0 to the axes of the leg."""
        return [dot(e, v) for e in self.basis]

    def world(self, v: Vector) -> Vector:
        """Transform a vector v from the axes of the leg to frame 0."""
        ex, ey, u = self.basis
        return add(add(scale(v[0], ex), scale(v[1], ey)), scale(v[2], u))

    def rates(self, difference: Vector) -> Vector:
        """Return the three joint rates of the ball joint.

        Args:
            difference: angular velocity of the platform relative to the leg, in the leg's axes.
        """
        return [dot(d, difference) for d in self.directions]

    def bias(self, leg: Vector, rates: Vector) -> Vector:
        """Return the angular acceleration of the platform relative to the leg at zero accelerations of the ball joint.

        Args:
            leg: angular velocity of the leg, in its axes.
            rates: joint rates of the ball joint.
        """
        w = leg
        total: Vector = [0, 0, 0]
        for axis, rate in zip((self.z4, self.z5, self.z6), rates, strict=True):
            turned = scale(rate, axis)
            total = add(total, cross(w, turned))
            w = add(w, turned)
        return total


class LegCoordinates(TwistCoordinates):
    """Coordinates of a platform with six UPS legs, namely its twist; joint positions of the legs are not computed.

    Args:
        modes: working mode of each leg, 1 or 2.
    """

    is_constrained = False

    def __init__(
        self,
        builder: Builder,
        parallel: ParallelRobot,
        legs: Sequence[UpsLeg],
        pose: PlatformPose,
        modes: Sequence[int],
    ) -> None:
        self.builder, self.parallel, self.pose, self.modes = builder, parallel, pose, modes
        self.postures = [leg_posture(builder, leg, pose) for leg in legs]
        self.rows = [[*at.u, *cross(at.rho, at.u)] for at in self.postures]
        self.tree, self.own = (), TWIST
        self.positions: dict[int, Scalar] = {}

    def joint_positions(self) -> tuple[dict[int, Scalar], list[Scalar]]:
        positions: dict[int, Scalar] = {}
        conditions: list[Scalar] = []
        for at, mode in zip(self.postures, self.modes, strict=True):
            axes = leg_axes(self.builder, at, mode)
            positions |= leg_positions(self.builder, self.parallel.robot, self.pose, at, axes)
            conditions += [at.regular, axes.regular]
        return positions, conditions

    def regular(self) -> list[Scalar]:
        return [at.regular for at in self.postures]

    def allows_velocity(self, nu: Values) -> list[Scalar]:
        return []  # the legs permit every motion

    @property
    def actuation(self) -> PlatformActuation:
        drives = tuple(at.leg.joints[2] for at in self.postures)
        return PlatformActuation(drives, self.rows, builder=self.builder)

    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        return {}

    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        return {}

    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        return dict.fromkeys(self.own, 0)

    def matrix(self) -> Matrix:
        return []
