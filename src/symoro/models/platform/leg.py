"""Legs of a parallel robot: an arm that carries the centre C of an end joint on the platform.

    end joint        arm                                                     working modes of the arm
    one revolute     R R, R P, P R in a plane                                two elbows, lengths or positions
                     R or P, then R and a parallelogram                      two angles or positions
    ball joint       R U, P U: motor, universal joint (rod of length l)      |C - B(q1)| = l: two angles or positions
                     U P: universal joint, P through its centre              the two solutions of the universal joint
                     R P, R R, P R in a plane with the normal n              n . (C - A) = 0 restricts the pose
    universal joint  U P with its axes in parallel pairs                     as above; it prevents one rotation

A parallelogram (rod, coupler, second rod) translates the coupler: both rods have equal angles, the coupler the opposite
one. A leg U P U has z4 parallel to z2, and z5 parallel to z1 while the platform does not rotate. It then prevents a
rotation about z4 x z5; three such legs permit a translation only. Other modes of these platforms are not supported.

J.-P. Merlet, Parallel robots, Springer, 2006, chapters 3 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.expr.linalg import (
    Matrix,
    Vector,
    dot,
    homogeneous,
    matmul,
    position_of,
    rotation_of,
    subtract,
)
from symoro.expr.scalar import Scalar, absolute, cos, sin
from symoro.models.geometric.fixed_placements import before_turn, between, drop_roundoff, is_roundoff, placed
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.program.builder import Builder
from symoro.robot.description import Frame, JointType, Robot
from symoro.robot.platform import ParallelRobot, PlatformLeg, plain_joint
from symoro.robot.size import characteristic_length

R, P = JointType.REVOLUTE, JointType.PRISMATIC
PLANAR = ((R, P), (P, R), (R, R))
WITH_UNIVERSAL_JOINT = ((R, R, R), (P, R, R), (R, R, P))
APPLIES_TO = (
    "parallel robots on a fixed base: legs UPS, RUS, PUS; planar legs with a ball joint (RPS, PRS, RRS); legs UPU of a "
    "platform that translates; legs RR, RP or PR in the plane; legs R or P with a revolute joint and a parallelogram"
)
RIGHT_ANGLES = {formula("pi/2").text: 1, formula("-pi/2").text: -1}  # their signs


@dataclass(frozen=True)
class Parallelogram:
    """Parallelogram of two rods and a coupler in a leg.

    Attributes:
        rod, coupler: joints of the first rod and of the coupler, on the path from the base to the platform.
        second: joint of the second rod.
        length: length of both rods.
        sign: sign of the right angle alpha of the rods.
        offset: offset of the end joint from the rod, along the axis of the joint that precedes the parallelogram.
    """

    rod: int
    coupler: int
    second: int
    length: Scalar
    sign: int
    offset: Scalar


@dataclass(frozen=True)
class Leg:
    """Geometry of a leg: its joints, and constant poses of their frames.

    C is the centre of the end joint.

    Attributes:
        arm: joints that move C, including the rod of a parallelogram.
        end: single-axis joints of the end joint; the last one is at the platform and is a cut joint except in leg 1.
        kinds: types of the joints of the arm.
        places: 4x4 poses of the arm's joint frames (without rods) relative to the previous link, including constant r
            or theta.
        tip: 4x4 pose of the first axis of the end joint relative to the arm's last link (or the coupler), at theta = 0.
        seat: 4x4 pose of the last axis of the end joint relative to the platform.
    """

    number: int
    arm: tuple[int, ...]
    end: tuple[int, ...]
    kinds: tuple[JointType, ...]
    places: tuple[Matrix, ...]
    tip: Matrix
    seat: Matrix
    parallelogram: Parallelogram | None = None

    @property
    def is_planar(self) -> bool:
        return len(self.arm) == 2

    @property
    def is_constrained(self) -> bool:
        """Return whether the leg has five joints, so that it removes one degree of freedom of a spatial platform."""
        return len(self.arm) + len(self.end) == 5

    @property
    def has_passive_mode(self) -> bool:
        """Return whether the two working modes of the leg differ in passive joints alone.

        This holds for a leg U P (universal, prismatic joint): its working modes are the two solutions of its universal
        joint, with equal positions of the active joints.
        """
        return self.kinds == (R, R, P)

    def length(self) -> Scalar:
        """Return a characteristic length of the leg: the sum of the magnitudes of its length parameters."""
        total: Scalar = absolute(self.parallelogram.length) if self.parallelogram else 0
        for place in (*self.places, self.tip, self.seat):
            for x in position_of(place):
                total = total + absolute(x)
        return total


def legs_of(builder: Builder, parallel: ParallelRobot) -> list[Leg]:
    """Return the geometry of all legs of a parallel robot.

    Raises:
        NotApplicableError: a leg has no closed-form solution; the message states the reason.
    """
    spatial = all(_ends_in_ball(parallel, leg) for leg in parallel.legs)
    legs = [(_spatial_leg if spatial else _chain_leg)(builder, parallel, leg) for leg in parallel.legs]
    pairs = [leg for leg in legs if len(leg.end) == 2]
    if pairs:
        _check_translation(builder, pairs)
    return legs


def joints_of(parallel: ParallelRobot, leg: PlatformLeg) -> list[int]:
    """Return the joints of a leg from the base to the platform."""
    return [*leg.links, parallel.body[0] if leg.loop is None else leg.loop.left]


def seat_of(parallel: ParallelRobot, leg: PlatformLeg) -> int:
    """Return the frame of the platform at which a leg ends."""
    return parallel.body[0] if leg.loop is None else leg.loop.right


def _reject(number: int, why: str) -> NoReturn:
    raise NotApplicableError(
        f"leg {number} is not supported in platform space: {why}",
        hint="supported are legs RUS, PUS, UPS; RPS, PRS, RRS with two joints in a plane; UPU with axes in parallel "
        "pairs; RRR, RPR, PRR in the plane x y; and R or P, R, parallelogram, R. The models in the coordinates of the "
        "joints (without the option 'space') support any leg",
    )


def _place(builder: Builder, frame: Frame) -> Matrix:
    """Return the pose of a joint's frame at joint variable zero, with constant theta (prismatic) or r (revolute)."""
    place = before_turn(builder, frame)
    if frame.sigma == P:
        theta = builder.formula(frame.theta)
        return matmul(place, homogeneous(about_z(cos(theta), sin(theta)), [0, 0, 0]))
    return matmul(place, homogeneous(about_z(1, 0), [0, 0, builder.formula(frame.r)]))


def about_z(cosine: Scalar, sine: Scalar) -> Matrix:
    """Return the rotation matrix about z for an angle with the given cosine and sine."""
    return [[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]


def _without_roundoff(matrix: Matrix, size: float) -> Matrix:
    return [[*drop_roundoff(row[:3]), *drop_roundoff(row[3:], size)] for row in matrix]


def _leg(
    builder: Builder,
    parallel: ParallelRobot,
    leg: PlatformLeg,
    arm: Sequence[int],
    end: Sequence[int],
    parallelogram: Parallelogram | None = None,
) -> Leg:
    """Return the geometry of a leg, after the checks that apply to all legs.

    Args:
        arm: joints that move the centre of the end joint.
        end: joints of the end joint.
        parallelogram: the parallelogram of the leg, if it has one.
    """
    robot, size = parallel.robot, characteristic_length(parallel.robot)
    for j in (*leg.members, end[-1]):
        if not plain_joint(robot, j):
            _reject(leg.number, f"joint {j} is elastic, coupled or has a prescribed motion")
    known = {*arm, *end, *((parallelogram.coupler, parallelogram.second) if parallelogram else ())}
    extra = [j for j in leg.members if j not in known]
    if extra:
        _reject(leg.number, f"it carries additional links ({', '.join(map(str, extra))})")
    serial = arm[:2] if parallelogram else arm
    places = [_place(builder, robot.frame(j)) for j in serial]
    first = robot.frame(end[0])
    tip = homogeneous(rotation_of(before_turn(builder, first)), position_of(placed(builder, first)))
    return Leg(
        leg.number,
        tuple(arm),
        tuple(end),
        tuple(robot.frame(j).sigma for j in arm),
        tuple(_without_roundoff(place, size) for place in places),
        _without_roundoff(tip, size),
        between(builder, robot, parallel.platform, seat_of(parallel, leg), parallel.body),
        parallelogram,
    )


# -- legs that end in a ball joint or a universal joint


def _end_size(robot: Robot, joints: Sequence[int]) -> int:
    """Return the number of single-axis joints that form the end joint of a leg.

    A leg of five joints that begins with a universal and a prismatic joint ends in a universal joint (two joints);
    other legs end in a ball joint (three).
    """
    return 2 if len(joints) == 5 and robot.frame(joints[2]).sigma == P else 3


def _ends_in_ball(parallel: ParallelRobot, leg: PlatformLeg) -> bool:
    """Return whether a leg ends in a ball joint or a universal joint, after two or three joints."""
    robot, joints = parallel.robot, joints_of(parallel, leg)
    if len(joints) not in (5, 6) or leg.inner:
        return False
    turns = [robot.frame(j) for j in joints[-_end_size(robot, joints) :]]
    intersect = all(x.is_zero for turn in turns[1:] for x in (turn.b, turn.d, turn.r))
    right = all(turn.alpha.text in RIGHT_ANGLES for turn in turns[1:])
    return intersect and right and all(turn.sigma == R for turn in turns)


def _spatial_leg(builder: Builder, parallel: ParallelRobot, leg: PlatformLeg) -> Leg:
    robot, joints, i = parallel.robot, joints_of(parallel, leg), leg.number
    count = len(joints) - _end_size(robot, joints)
    kinds = tuple(robot.frame(j).sigma for j in joints[:count])
    if kinds not in (*PLANAR, *WITH_UNIVERSAL_JOINT):
        _reject(i, f"the arm has the joints {''.join('RPF'[min(kind, 2)] for kind in kinds)}")
    result = _leg(builder, parallel, leg, joints[:count], joints[count:])
    if result.is_planar:
        _check_planar(result)
    else:
        _check_universal_joint(robot, result)
    if len(result.end) == 2:
        slide = placed(builder, robot.frame(result.arm[2]))
        axis = [row[2] for row in matmul(slide, before_turn(builder, robot.frame(result.end[0])))[:3]]
        if not (is_roundoff(axis[0]) and is_roundoff(axis[1])):
            _reject(
                i, "axis 2 of its universal joints, next to the prismatic joint, is not parallel to axis 3"
            )
    return result


def _check_planar(leg: Leg) -> None:
    axis = [row[2] for row in leg.places[1][:3]]
    if leg.kinds == (R, R):
        if not (is_roundoff(axis[0]) and is_roundoff(axis[1])):
            _reject(leg.number, "its two revolute axes are not parallel")
    elif not is_roundoff(axis[2]):
        _reject(leg.number, "its prismatic joint is not perpendicular to its revolute axis")


def _check_universal_joint(robot: Robot, leg: Leg) -> None:
    second = robot.frame(leg.arm[1] if leg.kinds[2] == P else leg.arm[2])
    if second.alpha.text not in RIGHT_ANGLES or not second.d.is_zero:
        _reject(leg.number, "the axes of its universal joint do not intersect at a right angle")
    if leg.kinds[2] == P:
        slide, (x, y, _) = robot.frame(leg.arm[2]), position_of(leg.tip)
        if not (
            second.r.is_zero and slide.b.is_zero and slide.d.is_zero and is_roundoff(x) and is_roundoff(y)
        ):
            _reject(
                leg.number,
                "its prismatic joint does not pass through the centres of universal joint and ball joint",
            )
        if slide.alpha.text not in RIGHT_ANGLES:
            _reject(
                leg.number,
                "its prismatic joint is not perpendicular to the second axis of its universal joint",
            )


def _check_translation(builder: Builder, legs: Sequence[Leg]) -> None:
    """Check that legs with universal, prismatic and universal joint (U P U) allow the platform to translate.

    This requires one orientation of the platform in which the last axis of every leg is parallel to its first axis.
    """
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
            legs[0].number, "the first axes of all legs are parallel, and the platform can rotate about them"
        )


# -- legs that end in one revolute joint


def _chain_leg(builder: Builder, parallel: ParallelRobot, leg: PlatformLeg) -> Leg:
    robot, i = parallel.robot, leg.number
    last = joints_of(parallel, leg)[-1]
    if any(not robot.frame(j).moving for j in leg.links):
        _reject(i, "it has a fixed frame between its joints")
    if robot.frame(last).sigma != R:
        _reject(i, f"joint {last} at the platform is not revolute")
    if len(leg.links) not in (2, 4) or len(leg.inner) != (len(leg.links) == 4):
        _reject(i, f"it has {len(leg.links)} joints and {len(leg.inner)} internal loops before the platform")
    parallelogram = _parallelogram(builder, robot, leg, robot.frame(last)) if leg.inner else None
    result = _leg(builder, parallel, leg, leg.links[: 3 if parallelogram else 2], (last,), parallelogram)
    kinds, axis = result.kinds[:2], [row[2] for row in result.places[1][:3]]
    if kinds == (P, P):
        _reject(i, "it has two prismatic joints")
    if parallelogram:
        if kinds[1] == P:
            _reject(i, "it has a prismatic joint before its parallelogram")
        if kinds[0] == R and not (is_roundoff(axis[0]) and is_roundoff(axis[1])):
            _reject(i, "its two revolute axes are not parallel")
        return result
    _check_planar(result)
    tip = [row[2] for row in result.tip[:3]]
    if kinds[1] == R and not (is_roundoff(tip[0]) and is_roundoff(tip[1])):
        _reject(
            i,
            "the axis of the revolute joint at the platform is not parallel to that of the revolute "
            "joint before it",
        )
    return result


def _parallelogram(builder: Builder, robot: Robot, leg: PlatformLeg, last: Frame) -> Parallelogram:
    """Return the parallelogram of a leg; reject geometric parameters that do not form a parallelogram.

    Args:
        last: frame of the joint at the platform.
    """
    i, (loop,) = leg.number, leg.inner
    _, before, rod, coupler = leg.links
    cut, pair = robot.frame(loop.left), robot.frame(loop.right)
    second = cut.ant
    if pair.ant != coupler or robot.frame(second).ant != before:
        _reject(i, "its internal loop is not a parallelogram of two rods and a coupler")
    one, other, across = robot.frame(rod), robot.frame(second), robot.frame(coupler)
    revolute = all(robot.frame(j).sigma == R for j in (rod, second, coupler, loop.left))
    zero = [one.gamma, one.d, one.r, other.gamma, other.d, other.r]
    zero += [across.gamma, across.b, across.alpha, across.r, cut.gamma, cut.b, cut.alpha, cut.r]
    if not revolute or not all(x.is_zero for x in zero):
        _reject(i, "the rods of its parallelogram have different orientations")
    if one.alpha.text not in RIGHT_ANGLES or one.alpha != other.alpha:
        _reject(
            i,
            "the joint axes of the rods of its parallelogram are not perpendicular to the revolute "
            "axis before it",
        )
    sign = RIGHT_ANGLES[one.alpha.text]
    width = builder.formula(other.b) - builder.formula(one.b)
    place, length = placed(builder, pair), builder.formula(across.d)
    gaps = [*subtract(position_of(place), [0, sign * width, 0]), length - builder.formula(cut.d)]
    size = characteristic_length(robot)
    if not all(is_roundoff(x, size) for x in gaps) or not (
        is_roundoff(place[0][2]) and is_roundoff(place[1][2])
    ):
        _reject(i, "its internal loop is not a parallelogram: opposite sides differ")
    x, y, z = position_of(placed(builder, last))
    axis: Vector = [row[2] for row in before_turn(builder, last)[:3]]
    if not all(is_roundoff(value, size) for value in (x, z)) or not (
        is_roundoff(axis[0]) and is_roundoff(axis[2])
    ):
        _reject(
            i,
            "the axis of the revolute joint after its parallelogram is not along the coupler of the "
            "parallelogram",
        )
    return Parallelogram(rod, coupler, second, length, sign, builder.formula(one.b) + sign * y)
