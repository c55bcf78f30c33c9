"""Legs that end in a ball or a universal joint on the platform: an arm of two or three joints carries its centre C.

    arm         joints before the end joint                   fold
    R U, P U    motor, universal joint (rod of length l)      |C - B(q1)| = l: two angles, or two positions
    U P         universal joint, slide through it             the two angles of the universal joint
    R P, R R,   two joints in a plane with the normal n:      two lengths, elbows or positions
    P R         n . (C - A) = 0 restricts the pose

B is the centre of the arm's universal joint, phi and psi are its angles. With w the vector from B to C in the axes
before its first turn, t = (tx, ty, tz) the same in the axes of its second turn, and s = sin(alpha) = +-1 between both:

    w = Rz(phi) (x, -s tz, s y),   (x, y) = Rot(psi) (tx, ty):    y = s w_z,   x = sqrt(w_x^2 + w_y^2 - tz^2)

The ball's axes are z4, z5, z6 with z5 across both others, m = |z4 x z6|. An angular velocity w of the platform against
the arm gives the rates (w.z4 - c w.z6) / m^2, w.z5, (w.z6 - c w.z4) / m^2, c = z4.z6.

A leg U P U that ends in a universal joint has its axes in parallel pairs: z4 is along z2, and z5 along z1 while the
platform does not turn. It then prevents a turn about z4 x z5; three such legs leave a translation. Other modes of these
platforms are not supported.

J.-P. Merlet, Parallel robots, Springer, 2006, chapters 3 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    homogeneous,
    identity,
    inverse_transform,
    matmul,
    matvec,
    position_of,
    rotation_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar, absolute, atan2, cos, less, select, sin, sqrt
from symoro.models.dynamic.platform.chain_leg import OFF, TURNED, root_of_difference
from symoro.models.dynamic.platform.pose import PlatformPose
from symoro.models.dynamic.platform.ups import LEAST, RIGHT
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.places import before_turn, between, placed, settled
from symoro.program.builder import Builder
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import ParallelRobot, PlatformLeg, plain_joint

R, P = JointType.REVOLUTE, JointType.PRISMATIC
PLANAR = ((R, P), (P, R), (R, R))
WITH_CROSS = ((R, R, R), (P, R, R), (R, R, P))


@dataclass(frozen=True)
class SpatialLeg:
    """The constants of a leg.

    Attributes:
        arm, end: joints of the arm and of the end joint, the last one at the platform (opened but for leg 1).
        places: of each joint of the arm on the link before it, before its own motion.
        centre: of the end joint, in the axes of the arm's last link.
        seat: of the end joint's last frame on the platform.
    """

    number: int
    arm: tuple[int, ...]
    end: tuple[int, ...]
    kinds: tuple[JointType, ...]
    places: tuple[Matrix, ...]
    centre: Vector
    seat: Matrix

    @property
    def planar(self) -> bool:
        return len(self.arm) == 2

    @property
    def constrained(self) -> bool:
        """Whether the leg has five joints, so that it takes one freedom from the platform."""
        return len(self.arm) + len(self.end) == 5

    @property
    def flips(self) -> bool:
        """Whether the fold of the leg is the flip of a universal joint, which changes no motor."""
        return self.kinds == (R, R, P)

    def length(self) -> Scalar:
        """Return a length of the leg, from its parameters."""
        total: Scalar = 0
        for x in (
            *self.centre,
            *position_of(self.seat),
            *(y for place in self.places for y in position_of(place)),
        ):
            total = total + absolute(x)
        return total


def is_spatial(parallel: ParallelRobot) -> bool:
    """Return whether every leg ends with a ball or a universal joint, after two or three joints."""
    return all(_ends(parallel, leg) for leg in parallel.legs)


def _joints(parallel: ParallelRobot, leg: PlatformLeg) -> list[int]:
    return [*leg.links, parallel.body[0] if leg.loop is None else leg.loop.left]


def _turns(robot: Robot, joints: Sequence[int]) -> int:
    """Return the number of turns of the end joint: two after U P, otherwise three."""
    return 2 if len(joints) == 5 and robot.frame(joints[2]).sigma == P else 3


def _ends(parallel: ParallelRobot, leg: PlatformLeg) -> bool:
    robot, joints = parallel.robot, _joints(parallel, leg)
    if len(joints) not in (5, 6) or leg.inner:
        return False
    turns = [robot.frame(j) for j in joints[-_turns(robot, joints) :]]
    together = all(x.is_zero for turn in turns[1:] for x in (turn.b, turn.d, turn.r))
    right = all(turn.alpha.text in RIGHT for turn in turns[1:])
    return together and right and all(turn.sigma == R for turn in turns)


def spatial_legs(builder: Builder, parallel: ParallelRobot) -> list[SpatialLeg]:
    """Return the legs.

    Raises:
        NotApplicableError: the arm of one of them has no closed form here; the message states why.
    """
    legs = [_leg(builder, parallel, leg) for leg in parallel.legs]
    pairs = [leg for leg in legs if len(leg.end) == 2]
    if pairs:
        _check_translation(builder, pairs)
    return legs


def _check_translation(builder: Builder, legs: Sequence[SpatialLeg]) -> None:
    """Check that legs U P U leave a translation: in one orientation all last axes are along the first ones."""
    probes = Probes(builder)
    first = [[row[2] for row in leg.places[0][:3]] for leg in legs]
    last = [[row[2] for row in leg.seat[:3]] for leg in legs]
    parallel = True
    for i, j in combinations(range(len(legs)), 2):
        base, platform = dot(first[i], first[j]), dot(last[i], last[j])
        if not probes.vanishes(base * base - platform * platform):
            _reject(
                legs[j].number,
                "in no orientation of the platform are the last axes of this leg and of leg "
                f"{legs[i].number} parallel to their first axes, so that the platform does not translate",
            )
        parallel = parallel and probes.vanishes(base * base - 1)
    if parallel:
        _reject(
            legs[0].number, "the first axes of all legs are parallel, and the platform can turn about them"
        )


def _reject(number: int, why: str) -> NoReturn:
    raise NotApplicableError(
        f"leg {number} is not supported in platform space: {why}",
        hint="supported legs with a ball at the platform are RUS, PUS, UPS, and RPS, PRS, RRS with two joints in a "
        "plane; with a universal joint at the platform, UPU with axes in parallel pairs. The models in the "
        "coordinates of the joints (without the option space) support any leg",
    )


def _leg(builder: Builder, parallel: ParallelRobot, leg: PlatformLeg) -> SpatialLeg:
    robot, joints, i = parallel.robot, _joints(parallel, leg), leg.number
    count = len(joints) - _turns(robot, joints)
    arm, end = tuple(joints[:count]), tuple(joints[count:])
    kinds = tuple(robot.frame(j).sigma for j in arm)
    if kinds not in (*PLANAR, *WITH_CROSS):
        _reject(i, f"the arm has the joints {''.join('RPF'[min(kind, 2)] for kind in kinds)}")
    for j in (*leg.members, end[-1]):
        if not plain_joint(robot, j):
            _reject(i, f"joint {j} is elastic, coupled or has a fixed motion")
    extra = [j for j in leg.members if j not in joints]
    if extra:
        _reject(i, f"it carries more links ({', '.join(map(str, extra))})")
    seat = parallel.body[0] if leg.loop is None else leg.loop.right
    spatial_leg = SpatialLeg(
        i,
        arm,
        end,
        kinds,
        tuple(before_turn(builder, robot.frame(j)) for j in arm),
        position_of(placed(builder, robot.frame(end[0]))),
        between(builder, robot, parallel.platform, seat, parallel.body),
    )
    _check(robot, spatial_leg)
    if len(end) == 2:
        _check_pairs(builder, robot, spatial_leg)
    return spatial_leg


def _check(robot: Robot, leg: SpatialLeg) -> None:
    """Check that the arm has the geometry of its closed form, for all values of its symbols."""
    i = leg.number
    if leg.planar:
        across = [row[2] for row in leg.places[1][:3]]
        if leg.kinds == (R, R):
            if not (settled(across[0]) and settled(across[1])):
                _reject(i, "its two revolute axes are not parallel")
        elif not settled(across[2]):
            _reject(i, "its slide is not perpendicular to its revolute axis")
        return
    second = robot.frame(leg.arm[1] if leg.kinds[2] == P else leg.arm[2])
    if second.alpha.text not in RIGHT or not second.d.is_zero:
        _reject(i, "the axes of its universal joint do not intersect at a right angle")
    if leg.kinds[2] == P:
        slide, x, y = robot.frame(leg.arm[2]), *leg.centre[:2]
        if not (second.r.is_zero and slide.b.is_zero and slide.d.is_zero and settled(x) and settled(y)):
            _reject(i, "its slide does not pass through the centres of universal joint and ball")
        if slide.alpha.text not in RIGHT:
            _reject(i, "its slide is not perpendicular to the second axis of its universal joint")


def _check_pairs(builder: Builder, robot: Robot, leg: SpatialLeg) -> None:
    """Check that the axes of a leg U P U are in parallel pairs: the fourth is along the second."""
    slide = placed(builder, robot.frame(leg.arm[2]))
    axis = [row[2] for row in matmul(slide, before_turn(builder, robot.frame(leg.end[0])))[:3]]
    if not (settled(axis[0]) and settled(axis[1])):
        _reject(leg.number, "axis 2 of its universal joints, next to the slide, is not parallel to axis 3")


@dataclass(frozen=True)
class SpatialPosture:
    """A leg at a pose.

    Attributes:
        positions: of its joints, offsets subtracted.
        axes: z axis and origin of each joint of the arm, in frame 0; `turns`: z4, z5 (, z6) of the end joint.
        centre: C in frame 0.
        normal: n of the plane of a planar arm, in frame 0; else None.
        held: z4 x z5 of a leg U P U, about which the platform does not turn; else None.
        conditions: 1 where the leg has these values.
        moving: 1 where the rates of its arm have values too; `turning`: those of its end joint.
    """

    leg: SpatialLeg
    positions: dict[int, Scalar]
    axes: list[tuple[Vector, Vector]]
    turns: list[Vector]
    centre: Vector
    normal: Vector | None
    held: Vector | None
    conditions: list[Scalar]
    moving: list[Scalar]
    turning: list[Scalar]


def spatial_posture(
    builder: Builder, robot: Robot, leg: SpatialLeg, pose: PlatformPose, fold: int
) -> SpatialPosture:
    """Return the joints of a leg, from the pose of the platform."""
    return _Solution(builder, robot, leg, pose, 1 if fold == 1 else -1).posture()


class _Solution:
    """The closed form of one leg; `at` is the placement reached in frame 0, joint by joint."""

    def __init__(self, builder: Builder, robot: Robot, leg: SpatialLeg, pose: PlatformPose, way: int) -> None:
        self.builder, self.robot, self.leg, self.pose, self.way = builder, robot, leg, pose, way
        self.tip = add(pose.position, matvec(pose.rotation, position_of(leg.seat)))
        self.at: Matrix = identity(4)
        self.positions: dict[int, Scalar] = {}
        self.axes: list[tuple[Vector, Vector]] = []
        self.conditions: list[Scalar] = []
        self.moving: list[Scalar] = []
        self.turning: list[Scalar] = []

    def posture(self) -> SpatialPosture:
        leg = self.leg
        normal = None
        if leg.planar:
            normal = self._planar()
        elif leg.kinds[2] == P:
            self._cross_and_slide()
        else:
            self._motor()
            self._cross(leg.arm[1:], self._rod())
        turns = self._ball() if len(leg.end) == 3 else self._end_cross()
        held = None if len(leg.end) == 3 else cross(*turns)
        return SpatialPosture(
            leg,
            self.positions,
            self.axes,
            turns,
            self.tip,
            normal,
            held,
            self.conditions,
            self.moving,
            self.turning,
        )

    def _formula(self, j: int, name: str) -> Scalar:
        return self.builder.formula(getattr(self.robot.frame(j), name))

    def _before(self, index: int) -> Matrix:
        """Return the placement of a joint of the arm before its own motion."""
        return matmul(self.at, self.leg.places[index])

    def _seen(self, before: Matrix) -> Vector:
        """Return the centre of the ball in the axes of a placement."""
        return position_of(matmul(inverse_transform(before), homogeneous(identity(3), self.tip)))

    def _turn(self, index: int, before: Matrix, cosine: Scalar, sine: Scalar) -> None:
        """Move on by a turn; its constant shift r included."""
        j = self.leg.arm[index]
        self.positions[j] = atan2(sine, cosine) - self._formula(j, "theta")
        turn: Matrix = [[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]
        self.at = matmul(before, homogeneous(turn, [0, 0, self._formula(j, "r")]))
        self._arrived()

    def _slide(self, index: int, before: Matrix, length: Scalar) -> None:
        """Move on by a slide, whose constant turn is part of `before`."""
        j = self.leg.arm[index]
        self.positions[j] = length - self._formula(j, "r")
        self.at = matmul(before, homogeneous(identity(3), [0, 0, length]))
        self._arrived()

    def _arrived(self) -> None:
        self.axes.append(([row[2] for row in self.at[:3]], position_of(self.at)))

    def _turned(self, index: int) -> Matrix:
        """Return the placement of a slide with its constant turn theta."""
        theta = self._formula(self.leg.arm[index], "theta")
        c, s = cos(theta), sin(theta)
        return matmul(self._before(index), homogeneous([[c, -s, 0], [s, c, 0], [0, 0, 1]], [0, 0, 0]))

    def _root(self, x: Scalar, size: Scalar) -> Scalar:
        """Return the root of a difference, 0 where that is round-off; rates have values where it is more."""
        root, positive = root_of_difference(x, size)
        self.moving.append(positive)
        return root

    # -- arms with a universal joint

    def _rod(self) -> Vector:
        """From the centre of the universal joint to that of the ball, in the axes of the second turn."""
        x, y, z = self.leg.centre
        return [x, y, z + self._formula(self.leg.arm[2], "r")]

    def _knee(self) -> Vector:
        """Return the centre of the universal joint behind a motor, in the axes of the motor's link."""
        j, k = self.leg.arm[1:]
        along = self._formula(j, "r") + self._formula(k, "b")
        place = self.leg.places[1]
        return add(position_of(place), scale(along, [row[2] for row in place[:3]]))

    def _motor(self) -> None:
        """|C - B|^2 = l^2, with B on the motor's link."""
        leg, rod, p = self.leg, self._rod(), self._knee()
        if leg.kinds[0] == P:
            before = self._turned(0)
            w = subtract(self._seen(before), p)
            root = self._root(dot(rod, rod) - w[0] * w[0] - w[1] * w[1], dot(rod, rod))
            self._slide(0, before, w[2] + self.way * root)
            return
        before = self._before(0)
        c = self._seen(before)
        c = [c[0], c[1], c[2] - self._formula(leg.arm[0], "r")]
        # 2 (x cos + y sin) = |c|^2 + |p|^2 - l^2 - 2 c_z p_z
        x, y = p[0] * c[0] + p[1] * c[1], p[0] * c[1] - p[1] * c[0]
        half = (dot(c, c) + dot(p, p) - dot(rod, rod)) / 2 - c[2] * p[2]
        square = x * x + y * y
        h = self.way * self._root(square - half * half, square)
        self._turn(0, before, (x * half + y * h) / square, (y * half - x * h) / square)

    def _cross(self, joints: Sequence[int], t: Vector, flip: int = 1) -> None:
        """Set the two turns of a universal joint that bring the vector t of its second link to the ball."""
        index = self.leg.arm.index(joints[0])
        before = self._before(index)
        along = self._formula(joints[0], "r") + self._formula(joints[1], "b")
        seen = self._seen(before)
        w: Vector = [seen[0], seen[1], seen[2] - along]
        s = RIGHT[self.robot.frame(joints[1]).alpha.text]
        square = w[0] * w[0] + w[1] * w[1]
        self.moving.append(less(LEAST * dot(t, t), square))
        y: Scalar = s * w[2]
        side = square if settled(t[2]) else square - t[2] * t[2]
        x = flip * (sqrt(side) if settled(t[2]) else self._root(side, square))
        cosine = (x * w[0] - s * t[2] * w[1]) / square
        sine = (x * w[1] + s * t[2] * w[0]) / square
        gamma = self._formula(joints[1], "gamma")
        c, d = cos(gamma), sin(gamma)
        self._turn(index, before, cosine * c + sine * d, sine * c - cosine * d)
        flat = t[0] * t[0] + t[1] * t[1]
        second = ((x * t[0] + y * t[1]) / flat, (y * t[0] - x * t[1]) / flat)
        self._turn(index + 1, self._before(index + 1), *second)

    def _cross_and_slide(self) -> None:
        leg = self.leg
        first, second = leg.arm[:2]
        start = self._before(0)
        along = self._formula(first, "r") + self._formula(second, "b")
        centre = add(position_of(start), scale(along, [row[2] for row in start[:3]]))
        reach = subtract(self.tip, centre)
        length = self.builder.named(f"L{leg.number}", sqrt(dot(reach, reach)))
        axis = [row[2] for row in leg.places[2][:3]]
        self.moving.append(less(LEAST * leg.length() * leg.length(), length * length))
        self._cross((first, second), scale(length, axis), self.way)
        self._slide(2, self._turned(2), length - leg.centre[2])

    # -- planar arms

    def _planar(self) -> Vector:
        leg = self.leg
        if leg.kinds == (R, P):
            normal = self._turn_slide()
        elif leg.kinds == (P, R):
            normal = self._slide_turn()
        else:
            normal = self._turn_turn()
        reached = position_of(matmul(self.at, homogeneous(identity(3), leg.centre)))
        gap, size = subtract(reached, self.tip), leg.length()
        self.conditions.append(less(dot(gap, gap), (OFF * size) * (OFF * size)))
        return normal

    def _link(self) -> Matrix:
        """Return the second joint on the first link before its own motion, the shift r of a first turn included."""
        shift = self._formula(self.leg.arm[0], "r") if self.leg.kinds[0] == R else 0
        place = matmul(homogeneous(identity(3), [0, 0, shift]), self.leg.places[1])
        if self.leg.kinds[1] == P:
            theta = self._formula(self.leg.arm[1], "theta")
            c, s = cos(theta), sin(theta)
            place = matmul(place, homogeneous([[c, -s, 0], [s, c, 0], [0, 0, 1]], [0, 0, 0]))
        return place

    def _turn_slide(self) -> Vector:
        """|t + r d| = |c| in the plane."""
        before, link = self._before(0), self._link()
        c = self._seen(before)
        start = add(position_of(link), matvec(rotation_of(link), self.leg.centre))[:2]
        d = [row[2] for row in link[:2]]
        along = dot(start, d)
        square = c[0] * c[0] + c[1] * c[1]
        r = (
            self.way * self._root(along * along - dot(start, start) + square, square + dot(start, start))
            - along
        )
        x, y = add(start, scale(r, d))
        self._turn(0, before, (x * c[0] + y * c[1]) / square, (x * c[1] - y * c[0]) / square)
        self._slide(1, self._turned(1), r)
        return [row[2] for row in before[:3]]

    def _slide_turn(self) -> Vector:
        """|w - r z| = l across the axis of the turn."""
        before, place, t = self._turned(0), self.leg.places[1], self.leg.centre
        axis = [row[2] for row in place[:3]]
        w = subtract(self._seen(before), position_of(place))
        w = subtract(w, scale(dot(w, axis), axis))
        square = t[0] * t[0] + t[1] * t[1]
        across = dot(w, w) - w[2] * w[2]  # the slide's z is in the plane
        self._slide(0, before, w[2] + self.way * self._root(square - across, square))
        self._last_turn()
        return self.axes[1][0]

    def _turn_turn(self) -> Vector:
        """|c - Rot(theta) p| = l in the plane."""
        before, t = self._before(0), self.leg.centre
        c, p = self._seen(before)[:2], position_of(self._link())[:2]
        square_t = t[0] * t[0] + t[1] * t[1]
        x, y = dot(p, c), p[0] * c[1] - p[1] * c[0]
        half = (dot(c, c) + dot(p, p) - square_t) / 2
        square = x * x + y * y
        h = self.way * self._root(square - half * half, square)
        self._turn(0, before, (x * half + y * h) / square, (y * half - x * h) / square)
        self._last_turn()
        return [row[2] for row in before[:3]]

    def _last_turn(self) -> None:
        """Set the second turn of a planar arm, which points at the ball."""
        before, t = self._before(1), self.leg.centre
        w = self._seen(before)
        sine, cosine = t[0] * w[1] - t[1] * w[0], t[0] * w[0] + t[1] * w[1]
        size = sqrt(sine * sine + cosine * cosine)
        self._turn(1, before, cosine / size, sine / size)

    # -- the end joint

    def _end_cross(self) -> list[Vector]:
        """Set the angles of a universal joint at the platform, the last axis along the leg's first; return its axes."""
        first, second = (self.robot.frame(j) for j in self.leg.end)
        arm, last = rotation_of(self.at), matmul(self.pose.rotation, rotation_of(self.leg.seat))
        start = matmul(arm, rotation_of(before_turn(self.builder, first)))
        # n = Rz(a) Rx(alpha) Rz(b): its third column is s (sin a, -cos a, 0), its third row s (sin b, cos b, 0).
        n = matmul(transpose(start), last)
        s = RIGHT[second.alpha.text]
        angles = [atan2(s * n[0][2], -s * n[1][2]), atan2(s * n[2][0], s * n[2][1])]
        angles[0] = angles[0] - self.builder.formula(second.gamma)
        for j, angle in zip(self.leg.end, angles, strict=True):
            self.positions[j] = angle - self._formula(j, "theta")
        z1, z4, z5 = self.axes[0][0], [row[2] for row in start], [row[2] for row in last]
        apart = cross(z1, z5)
        self.conditions.append(less(dot(apart, apart), TURNED))
        return [z4, z5]

    def _ball(self) -> list[Vector]:
        """Set the angles of the ball, the middle one between 0 and pi, and return its axes.

        n = Rz(a) Rx(alpha5) Rz(b) Rx(alpha6) Rz(c). Where z4 and z6 are parallel, a is any angle: zero is taken. The
        last angle is what the others leave, so that all three together are right next to such a posture too.
        """
        frames = [self.robot.frame(j) for j in self.leg.end]
        arm, last = rotation_of(self.at), matmul(self.pose.rotation, rotation_of(self.leg.seat))
        start = matmul(arm, rotation_of(before_turn(self.builder, frames[0])))
        n = matmul(transpose(start), last)
        s5, s6 = (RIGHT[frame.alpha.text] for frame in frames[1:])
        square = n[0][2] * n[0][2] + n[1][2] * n[1][2]
        apart = less(LEAST, square)
        sine_b = sqrt(square)
        divisor = select(apart, sine_b, 1)
        cosine_a = select(apart, s6 * n[0][2] / divisor, 1)
        sine_a = select(apart, s6 * n[1][2] / divisor, 0)
        cosine_b = -s5 * s6 * n[2][2]
        x = [cosine_a * cosine_b, sine_a * cosine_b, s5 * sine_b]
        y = [s5 * s6 * sine_a, -s5 * s6 * cosine_a, 0]
        first = [row[0] for row in n]
        angles = [
            atan2(sine_a, cosine_a) - self.builder.formula(frames[1].gamma),
            atan2(sine_b, cosine_b) - self.builder.formula(frames[2].gamma),
            atan2(dot(y, first), dot(x, first)),
        ]
        for j, angle in zip(self.leg.end, angles, strict=True):
            self.positions[j] = angle - self._formula(j, "theta")
        self.turning.append(apart)
        z4, z6 = ([row[2] for row in matrix] for matrix in (start, last))
        middle = matvec(start, [s5 * sine_a, -s5 * cosine_a, 0])
        return [z4, middle, z6]
