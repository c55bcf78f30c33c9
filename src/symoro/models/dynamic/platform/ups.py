"""Legs of a Gough-Stewart platform: universal joint, slide, ball (6-UPS), from the pose of the platform.

With A the centre of the universal joint, C = P + rho that of the ball, rho = R b:

    L u = C - A      z1: first axis of the universal joint, fixed      z2 = -s2 s3 (z1 x u) / sin(theta2)

with s2, s3 the signs of alpha_2 and alpha_3 (right angles). The leg's own axes are e_z = u, e_y = s3 z2 and
e_x = e_y x e_z; in them z1 = (s2 sin(theta2), 0, z1.u). The fold of a leg is the sign of sin(theta2): 1 for theta2
between 0 and pi, 2 for theta2 between -pi and 0. No angle of a leg is computed where none is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
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
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Scalar, atan2, cos, less, sin, sqrt
from symoro.models.dynamic.platform.pose import PlatformPose
from symoro.models.dynamic.setting import exerts
from symoro.models.geometric.places import before_turn, between, settled, tidy
from symoro.program.builder import Builder
from symoro.robot.description import INERTIAL, Frame, JointType, Link, Robot
from symoro.robot.platform import ParallelRobot, PlatformLeg, plain_joint
from symoro.robot.size import characteristic_length

RIGHT = {formula("pi/2").text: 1, formula("-pi/2").text: -1}
LEAST = Tolerance(1e-20)  # the square of a leg's length, or of sin(theta2), below which it has none


@dataclass(frozen=True)
class UpsLeg:
    """What is constant of a leg: its joints and places.

    Attributes:
        joints: cross, second turn, slide; then the turns of the ball, the last of which may be an opened joint.
        base: frame 1 before its turn, as 4x4; `centre` the point A.
        b: the ball's centre on the platform; `seat` the rotation of the ball's last frame on the platform.
        s2, s3: signs of the right angles alpha_2, alpha_3.
        spin: theta_3, a constant turn of the slide about the leg.
    """

    number: int
    joints: tuple[int, int, int, int, int, int]
    base: Matrix
    centre: Vector
    b: Vector
    seat: Matrix
    s2: int
    s3: int
    spin: Scalar

    @property
    def z1(self) -> Vector:
        return tidy([row[2] for row in self.base[:3]])


def ups_legs(builder: Builder, parallel: ParallelRobot) -> list[UpsLeg]:
    """The legs, if all are universal joint, slide and ball.

    Raises:
        NotApplicableError: with what is otherwise.
    """
    return [_leg(builder, parallel, leg) for leg in parallel.legs]


def is_ups(parallel: ParallelRobot) -> bool:
    """Whether the legs have the six joints of universal joint, slide and ball, whatever their places."""
    kinds = [[parallel.robot.frame(j).sigma for j in _six(parallel, leg)] for leg in parallel.legs]
    r, p = JointType.REVOLUTE, JointType.PRISMATIC
    return all(kind == [r, r, p, r, r, r] for kind in kinds)


def is_light_ups(parallel: ParallelRobot) -> bool:
    """Return whether the legs are UPS legs whose balls have no inertia, which their closed form leaves out."""
    links = [parallel.robot.link(j) for leg in parallel.legs for j in leg.links[3:]]
    return is_ups(parallel) and all(getattr(link, name).is_zero for link in links for name in INERTIAL)


def _six(parallel: ParallelRobot, leg: PlatformLeg) -> list[int]:
    return [*leg.links, parallel.body[0] if leg.loop is None else leg.loop.left]


def _leg(builder: Builder, parallel: ParallelRobot, leg: PlatformLeg) -> UpsLeg:
    robot, joints = parallel.robot, _six(parallel, leg)
    frames = [robot.frame(j) for j in joints]
    first, second, slide, *ball = frames

    def refuse(why: str) -> NotApplicableError:
        return NotApplicableError(
            f"leg {leg.number} is no universal joint, slide and ball as the platform's models know them: {why}",
            hint="the models of closed loops, in the coordinates of the joints, take any leg",
        )

    for frame, j in ((second, joints[1]), (slide, joints[2])):
        if frame.alpha.text not in RIGHT:
            raise refuse(f"alpha of frame {j} is no right angle")
        if not (frame.gamma.is_zero and frame.d.is_zero):
            raise refuse(f"frame {j} stands off the leg's axis")
    if not (second.r.is_zero and slide.b.is_zero):
        raise refuse(f"the slide {joints[2]} does not pass through the universal joint")
    for frame, j in zip(ball, joints[3:], strict=True):
        if not (frame.b.is_zero and frame.d.is_zero and frame.r.is_zero):
            raise refuse(f"the turns of its ball do not meet (frame {j})")
    for frame, j in zip(ball[1:], joints[4:], strict=True):
        if frame.alpha.text not in RIGHT:
            raise refuse(f"the axes {j - 1} and {j} of its ball are not at a right angle")
    _check_drives(parallel, leg, joints, refuse)
    base = before_turn(builder, first)
    up = builder.formula(first.r) + builder.formula(second.b)
    centre = add(position_of(base), scale(up, [row[2] for row in base[:3]]))
    seat = parallel.body[0] if leg.loop is None else leg.loop.right
    place = between(builder, robot, parallel.platform, seat, parallel.body)
    size = characteristic_length(robot)
    return UpsLeg(
        leg.number,
        (joints[0], joints[1], joints[2], joints[3], joints[4], joints[5]),
        base,
        tidy(centre, size),
        tidy(position_of(place), size),
        rotation_of(place),
        RIGHT[second.alpha.text],
        RIGHT[slide.alpha.text],
        builder.formula(slide.theta),
    )


def _check_drives(parallel: ParallelRobot, leg: PlatformLeg, joints: list[int], refuse: object) -> None:
    robot = parallel.robot
    assert callable(refuse)
    extra = [j for j in leg.members if j not in joints]
    if extra:
        raise refuse(f"it carries more links ({', '.join(map(str, extra))})")
    for j in joints:
        frame = robot.frame(j)
        if frame.mu != (j == joints[2]):
            raise refuse("its motor is to be the slide, and no other joint")
        if not plain_joint(robot, j):
            raise refuse(f"joint {j} is elastic, coupled or has a fixed motion")
    for j in joints[:5]:
        if exerts(robot.link(j)):
            raise refuse(f"link {j} exerts a wrench")
        if j in joints[3:] and any(not getattr(robot.link(j), name).is_zero for name in INERTIAL):
            raise refuse(f"link {j} of its ball has a mass")


@dataclass(frozen=True)
class LegPosture:
    """A leg in frame 0: rho = R b, its direction and length, 1 / L, and where that has a value."""

    leg: UpsLeg
    rho: Vector
    u: Vector
    length: Scalar
    inverse: Scalar
    regular: Scalar


def leg_posture(builder: Builder, leg: UpsLeg, pose: PlatformPose) -> LegPosture:
    """Where a leg stands."""
    i = leg.number
    rho = builder.named_array(f"rho{i}_", matvec(pose.rotation, leg.b))
    reach = builder.named_array(f"d{i}_", add(subtract(pose.position, leg.centre), rho))
    square = builder.named(f"LL{i}", dot(reach, reach))
    length = builder.named(f"L{i}", sqrt(square))
    inverse = builder.named(f"iL{i}", 1 / length)
    u = builder.named_array(f"u{i}_", scale(inverse, reach))
    least = LEAST * (dot(leg.b, leg.b) + dot(leg.centre, leg.centre))
    return LegPosture(leg, list(rho), list(u), length, inverse, less(least, square))


@dataclass(frozen=True)
class LegAxes:
    """The leg's own axes e_x, e_y in frame 0 (e_z = u), sin(theta2), z1 along u, and where the cross is regular."""

    ex: Vector
    ey: Vector
    s2: Scalar
    along: Scalar
    regular: Scalar


def leg_axes(builder: Builder, at: LegPosture, fold: int) -> LegAxes:
    """The turn of a leg about itself, which its universal joint gives."""
    leg, i = at.leg, at.leg.number
    n = cross(leg.z1, at.u)
    square = builder.named(f"SS{i}", dot(n, n))
    s2 = builder.named(f"sin_zu{i}", sqrt(square)) * (1 if fold == 1 else -1)
    ey = builder.named_array(f"ey{i}_", scale(-leg.s2 / s2, n))
    ex = builder.named_array(f"ex{i}_", cross(ey, at.u))
    return LegAxes(list(ex), list(ey), s2, builder.named(f"zu{i}", dot(leg.z1, at.u)), less(LEAST, square))


def leg_positions(
    builder: Builder, robot: Robot, pose: PlatformPose, at: LegPosture, axes: LegAxes
) -> dict[int, Scalar]:
    """The joint positions of a leg; the middle turn of the ball between 0 and pi, less its offset."""
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
    found: dict[int, Scalar] = {}
    for j, angle in zip((*leg.joints[:2], *leg.joints[3:]), (*angles, *ball), strict=True):
        found[j] = angle - builder.formula(robot.frame(j).theta)
    found[leg.joints[2]] = at.length - builder.formula(robot.frame(leg.joints[2]).r)
    return found


def _ball_angles(builder: Builder, turns: list[Frame], n: Matrix) -> list[Scalar]:
    """theta_4, theta_5, theta_6 with n = A4 Rz(theta4) A5 Rz(theta5) A6 Rz(theta6), A5 and A6 by right angles."""
    first = rotation_of(before_turn(builder, turns[0]))
    n = matmul(transpose(first), n)
    s5, s6 = (RIGHT[turn.alpha.text] for turn in turns[1:])
    middle = sqrt(n[0][2] * n[0][2] + n[1][2] * n[1][2])
    a = atan2(s6 * n[1][2], s6 * n[0][2])
    b = atan2(middle, -s5 * s6 * n[2][2])
    c = atan2(-s5 * n[2][1], s5 * n[2][0])
    return [a - builder.formula(turns[1].gamma), b - builder.formula(turns[2].gamma), c]


def in_leg_axes(builder: Builder, leg: UpsLeg, robot: Robot) -> tuple[LegInertia, LegInertia]:
    """The inertia of cylinder and rod in the leg's axes, about the origins of their frames."""
    cylinder, rod = (LegInertia.of(builder, robot.link(j)) for j in leg.joints[1:3])
    turn: Matrix = [[1, 0, 0], [0, 0, leg.s3], [0, -leg.s3, 0]]
    c, s = cos(leg.spin), sin(leg.spin)
    return cylinder.turned(turn), rod if settled(s) and c == 1 else rod.turned(
        [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    )


@dataclass(frozen=True)
class LegInertia:
    """Tensor, first moments and mass of a link."""

    tensor: Matrix
    ms: Vector
    m: Scalar

    @classmethod
    def of(cls, builder: Builder, link: Link) -> LegInertia:
        xx, xy, xz, yy, yz, zz, x, y, z, m = (builder.formula(getattr(link, name)) for name in INERTIAL)
        return cls([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], [x, y, z], m)

    def turned(self, rotation: Matrix) -> LegInertia:
        tensor = matmul(matmul(rotation, self.tensor), transpose(rotation))
        return LegInertia(tensor, matvec(rotation, self.ms), self.m)
