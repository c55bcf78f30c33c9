"""Legs that end in one turn: two joints in a plane (RR, RP, PR), or a joint, a turn and a parallelogram.

C is the point of the platform on the axis of the last turn, c the same in the axes of the leg's first frame. With e the
place of the second joint on the first link, t what follows it, in the plane:

    turn, turn     |c - Rot(theta1) e|^2 + zeta^2 = l^2:   x cos(theta1) + y sin(theta1) = D        fold: two elbows
    slide, turn    |w0 - r k|^2 = l^2                                                              fold: two slides
    turn, slide    |t + r d| = |c|                                                                 fold: two lengths

zeta is the part along the second axis that a parallelogram covers, l its length or |t|. The parallelogram (rod,
coupler, second rod) carries what follows without turning it: theta_coupler = -theta_rod, both rods alike; the third
unknown is the angle of its rods, between -pi/2 and pi/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    homogeneous,
    inverse_transform,
    matmul,
    matvec,
    position_of,
    rotation_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Scalar, absolute, atan2, cos, less, maximum, select, sin, sqrt
from symoro.models.dynamic.platform.pose import PlatformPose
from symoro.models.dynamic.platform.ups import RIGHT
from symoro.models.geometric.places import before_turn, between, placed, settled, tidy
from symoro.program.builder import Builder
from symoro.robot.description import Frame, JointType, Robot
from symoro.robot.platform import ParallelRobot, PlatformLeg, plain_joint
from symoro.robot.size import characteristic_length

TURNED = Tolerance(
    1e-12
)  # rad2: square of the angle by which a pose may deviate from those that the legs allow
STRETCHED = Tolerance(1e-13)  # of the terms of a root's argument: what round-off leaves of zero
OFF = Tolerance(
    1e-6
)  # of the leg's lengths: distance by which a pose may deviate from those that the legs allow


@dataclass(frozen=True)
class Rods:
    """A parallelogram: rod and coupler on the way to the platform, the second rod, its length, sign of alpha."""

    rod: int
    coupler: int
    second: int
    length: Scalar
    s3: int


@dataclass(frozen=True)
class ChainLeg:
    """What is constant of a leg.

    Attributes:
        first, second: its joints; `last` the turn at the platform, an opened joint but for leg 1.
        base: of the first joint before its own motion, in frame 0; `link` of the second on the first link.
        tip: the last turn's frame on the link before it, before its turn.
        seat: the same frame on the platform.
        offset: along the second axis, of what the parallelogram leaves.
    """

    number: int
    first: int
    second: int
    last: int
    kinds: tuple[JointType, JointType]
    base: Matrix
    link: Matrix
    tip: Matrix
    seat: Matrix
    rods: Rods | None
    offset: Scalar


def chain_legs(builder: Builder, parallel: ParallelRobot) -> list[ChainLeg]:
    """The legs.

    Raises:
        NotApplicableError: one of them is of no kind that is solved here.
    """
    return [_leg(builder, parallel, leg) for leg in parallel.legs]


def _refuse(number: int, why: str) -> NoReturn:
    raise NotApplicableError(
        f"leg {number} is of no kind that the platform's models know: {why}",
        hint="they know universal joint, slide and ball; RR, RP or PR in the plane; and R or P, a turn and a "
        "parallelogram. The models in the coordinates of the joints take any leg",
    )


def _leg(builder: Builder, parallel: ParallelRobot, leg: PlatformLeg) -> ChainLeg:
    robot, i = parallel.robot, leg.number
    last = parallel.body[0] if leg.loop is None else leg.loop.left
    frames = [robot.frame(j) for j in leg.links]
    if any(not frame.moving for frame in frames):
        _refuse(i, "it has a fixed frame between its joints")
    if robot.frame(last).sigma != JointType.REVOLUTE:
        _refuse(i, f"joint {last} at the platform is no turn")
    for j in (*leg.members, last):
        if not plain_joint(robot, j):
            _refuse(i, f"joint {j} is elastic, coupled or has a fixed motion")
    if len(leg.links) not in (2, 4) or len(leg.inner) != (len(leg.links) == 4):
        _refuse(
            i, f"it has {len(leg.links)} joints and {len(leg.inner)} loops of its own before the platform"
        )
    rods = _rods(builder, robot, leg) if leg.inner else None
    extra = [j for j in leg.members if j not in leg.links and (rods is None or j != rods.second)]
    if extra:
        _refuse(i, f"it carries more links ({', '.join(map(str, extra))})")
    first, second = frames[:2]
    seat = parallel.body[0] if leg.loop is None else leg.loop.right
    size = characteristic_length(robot)
    found = ChainLeg(
        i,
        leg.links[0],
        leg.links[1],
        last,
        (first.sigma, second.sigma),
        _tidy(_start(builder, first), size),
        _tidy(_start(builder, second), size),
        _tidy(_placed_before(builder, robot.frame(last)), size),
        between(builder, robot, parallel.platform, seat, parallel.body),
        rods,
        _offset(builder, robot, i, rods, robot.frame(last)) if rods else 0,
    )
    _check(found)
    return found


def _tidy(matrix: Matrix, size: float) -> Matrix:
    return [[*tidy(row[:3]), *tidy(row[3:], size)] for row in matrix]


def _start(builder: Builder, frame: Frame) -> Matrix:
    """The frame before its joint moves; the constant turn of a slide, and the constant shift of a turn, included."""
    place = before_turn(builder, frame)
    if frame.sigma == JointType.PRISMATIC:
        theta = builder.formula(frame.theta)
        return matmul(place, homogeneous(_about_z(cos(theta), sin(theta)), [0, 0, 0]))
    return matmul(place, homogeneous(_about_z(1, 0), [0, 0, builder.formula(frame.r)]))


def _placed_before(builder: Builder, frame: Frame) -> Matrix:
    """The last turn before it turns: its frame's origin, which does not depend on it, and its axes."""
    return homogeneous(rotation_of(before_turn(builder, frame)), position_of(placed(builder, frame)))


def _about_z(c: Scalar, s: Scalar) -> Matrix:
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def _rods(builder: Builder, robot: Robot, leg: PlatformLeg) -> Rods:
    """The parallelogram of a leg, proved from its parameters."""
    i, (loop,) = leg.number, leg.inner
    _, before, rod, coupler = leg.links
    opened, twin = robot.frame(loop.left), robot.frame(loop.right)
    second = opened.ant
    if twin.ant != coupler or robot.frame(second).ant != before:
        _refuse(i, "its own loop is no parallelogram of two rods and a coupler")
    one, other, across = robot.frame(rod), robot.frame(second), robot.frame(coupler)
    turns = all(robot.frame(j).sigma == JointType.REVOLUTE for j in (rod, second, coupler, loop.left))
    none = [
        one.gamma,
        one.d,
        one.r,
        other.gamma,
        other.d,
        other.r,
        across.gamma,
        across.b,
        across.alpha,
        across.r,
    ]
    none += [opened.gamma, opened.b, opened.alpha, opened.r]
    if not turns or not all(x.is_zero for x in none):
        _refuse(i, "the rods of its parallelogram are not placed alike")
    if one.alpha.text not in RIGHT or one.alpha != other.alpha:
        _refuse(i, "the rods of its parallelogram do not turn across the axis before them")
    s3 = RIGHT[one.alpha.text]
    width = builder.formula(other.b) - builder.formula(one.b)
    place = placed(builder, twin)
    wanted: Vector = [0, s3 * width, 0]
    length = builder.formula(across.d)
    gaps = [*subtract(position_of(place), wanted), length - builder.formula(opened.d)]
    size = characteristic_length(robot)
    if not all(settled(x, size) for x in gaps) or not (settled(place[0][2]) and settled(place[1][2])):
        _refuse(i, "its own loop is no parallelogram: opposite sides differ")
    return Rods(rod, coupler, second, length, s3)


def _offset(builder: Builder, robot: Robot, number: int, rods: Rods, last: Frame) -> Scalar:
    """What the last turn is off the middle of the second link, along the second axis."""
    tip = _placed_before(builder, last)
    x, y, z = position_of(tip)
    axis = [row[2] for row in tip[:3]]
    size = characteristic_length(robot)
    if not all(settled(value, size) for value in (x, z)) or not (settled(axis[0]) and settled(axis[2])):
        _refuse(number, "the turn after its parallelogram is not along the second axis")
    return builder.formula(robot.frame(rods.rod).b) + rods.s3 * y


def _check(leg: ChainLeg) -> None:
    axis = [row[2] for row in leg.link[:3]]
    turn = leg.kinds[0] == JointType.REVOLUTE
    upright = settled(axis[0]) and settled(axis[1])
    if leg.kinds == (JointType.PRISMATIC, JointType.PRISMATIC):
        _refuse(leg.number, "two slides")
    if leg.kinds[1] == JointType.PRISMATIC:
        if not settled(axis[2]):
            _refuse(leg.number, "its slide is not across the turn before it")
        if leg.rods:
            _refuse(leg.number, "a slide before a parallelogram")
    elif turn and not upright:
        _refuse(leg.number, "its turns are not parallel")
    if not leg.rods and leg.kinds[1] == JointType.REVOLUTE:
        tip = [row[2] for row in leg.tip[:3]]
        if not (settled(tip[0]) and settled(tip[1])):
            _refuse(leg.number, "the turn at the platform is not parallel to that before it")


@dataclass(frozen=True)
class ChainPosture:
    """A leg at a pose.

    Attributes:
        positions: of its joints, those of the parallelogram included; offsets taken off.
        axes: of first and second joint, rod and last turn, in frame 0: rotation and origin.
        conditions: under which the leg has these values.
        folded: 1 where it is not stretched, and its rates have values too.
    """

    leg: ChainLeg
    positions: dict[int, Scalar]
    axes: dict[int, Matrix]
    tip: Vector
    conditions: list[Scalar]
    folded: Scalar


def chain_posture(
    builder: Builder, robot: Robot, leg: ChainLeg, pose: PlatformPose, fold: int
) -> ChainPosture:
    """The joints of a leg, from the pose of the platform."""
    tip = add(pose.position, matvec(pose.rotation, position_of(leg.seat)))
    way = 1 if fold == 1 else -1
    c = position_of(matmul(inverse_transform(leg.base), homogeneous(_about_z(1, 0), tip)))
    conditions: list[Scalar] = []
    slid: Scalar = 0
    if leg.kinds[0] == JointType.PRISMATIC:
        value, folded = _slide_first(leg, c, way)
        slid = value
        first = homogeneous(_about_z(1, 0), [0, 0, value])
    else:
        if leg.kinds[1] == JointType.PRISMATIC:
            (cosine, sine), slid, folded = _turn_slide(leg, c, way)
        else:
            (cosine, sine), folded = _turn_turn(leg, c, way)
        value = atan2(sine, cosine)
        first = homogeneous(_about_z(cosine, sine), [0, 0, 0])
    one = matmul(leg.base, first)
    start = matmul(one, leg.link)
    angles: dict[int, Scalar] = {leg.first: value}
    axes = {leg.first: one}
    if leg.kinds[1] == JointType.PRISMATIC:
        angles[leg.second] = slid
        end = matmul(start, homogeneous(_about_z(1, 0), [0, 0, slid]))
    else:
        w = position_of(matmul(inverse_transform(start), homogeneous(_about_z(1, 0), tip)))
        end = _second(leg, w, start, angles, axes)
    axes[leg.second] = end
    before = _before_last(leg, end, axes)
    turn = matmul(transpose(rotation_of(before)), matmul(pose.rotation, rotation_of(leg.seat)))
    angles[leg.last] = atan2(turn[1][0], turn[0][0])
    axes[leg.last] = before
    conditions.append(less(turn[0][2] * turn[0][2] + turn[1][2] * turn[1][2], TURNED))
    conditions.append(less(0, turn[2][2]))
    gap = subtract(position_of(before), tip)
    size = absolute(tip[0]) + absolute(tip[1]) + absolute(tip[2]) + reach(leg)
    conditions.append(less(dot(gap, gap), (OFF * size) * (OFF * size)))
    offsets = {
        j: builder.formula(
            robot.frame(j).r if robot.frame(j).sigma == JointType.PRISMATIC else robot.frame(j).theta
        )
        for j in angles
    }
    return ChainPosture(leg, {j: angles[j] - offsets[j] for j in angles}, axes, tip, conditions, folded)


def reach(leg: ChainLeg) -> Scalar:
    """A length of the leg's own."""
    found: Scalar = 0
    for place in (leg.base, leg.link, leg.tip):
        for x in position_of(place):
            found = found + absolute(x)
    return found + absolute(leg.rods.length) if leg.rods else found


def _length_square(leg: ChainLeg) -> Scalar:
    """l^2."""
    if leg.rods:
        return leg.rods.length * leg.rods.length
    x, y, _ = position_of(leg.tip)
    return x * x + y * y


def root_of_difference(x: Scalar, scale: Scalar) -> tuple[Scalar, Scalar]:
    """Return the root of a difference, which is 0 where the difference is round-off, and 1 where it is more."""
    least = STRETCHED * scale
    return sqrt(select(less(-least, x), maximum(x, 0), x)), less(least, x)


def _turn_turn(leg: ChainLeg, c: Vector, way: int) -> tuple[tuple[Scalar, Scalar], Scalar]:
    px, py, pz = position_of(leg.link)
    up = leg.link[2][2]  # the second axis is along the first, or against it
    zeta: Scalar = up * (c[2] - pz) - leg.offset if leg.rods else 0
    d = (c[0] * c[0] + c[1] * c[1] + px * px + py * py + zeta * zeta - _length_square(leg)) / 2
    x, y = px * c[0] + py * c[1], px * c[1] - py * c[0]
    square = x * x + y * y
    root, folded = root_of_difference(square - d * d, square)
    h = way * root
    return ((x * d + y * h) / square, (y * d - x * h) / square), folded


def _slide_first(leg: ChainLeg, c: Vector, way: int) -> tuple[Scalar, Scalar]:
    """The slide is along z of the leg's first frame, in which everything else is constant."""
    axis = [row[2] for row in leg.link[:3]]
    start = add(position_of(leg.link), scale(leg.offset, axis)) if leg.rods else position_of(leg.link)
    w = subtract(c, start)
    if not leg.rods:  # in the plane
        off = dot(w, axis)
        w = subtract(w, scale(off, axis))
    square = _length_square(leg)
    root, folded = root_of_difference(square - w[0] * w[0] - w[1] * w[1], square)
    return w[2] + way * root, folded


def _turn_slide(leg: ChainLeg, c: Vector, way: int) -> tuple[tuple[Scalar, Scalar], Scalar, Scalar]:
    q0 = add(position_of(leg.link), matvec(rotation_of(leg.link), position_of(leg.tip)))[:2]
    d = [row[2] for row in leg.link[:2]]
    along = dot(q0, d)
    square = c[0] * c[0] + c[1] * c[1]
    root, folded = root_of_difference(along * along - dot(q0, q0) + square, square + dot(q0, q0))
    r = way * root - along
    x, y = add(q0, scale(r, d))
    return ((x * c[0] + y * c[1]) / square, (x * c[1] - y * c[0]) / square), r, folded


def _second(
    leg: ChainLeg, w: Vector, start: Matrix, angles: dict[int, Scalar], axes: dict[int, Matrix]
) -> Matrix:
    """The second turn, and the rods where there are some; w: the tip from the second joint, before its turn."""
    if leg.rods is None:
        x, y, _ = position_of(leg.tip)
        s, c = x * w[1] - y * w[0], x * w[0] + y * w[1]
        size = sqrt(s * s + c * c)
        angles[leg.second] = atan2(s, c)
        return matmul(start, homogeneous(_about_z(c / size, s / size), [0, 0, 0]))
    rods = leg.rods
    flat = sqrt(w[0] * w[0] + w[1] * w[1])
    angles[leg.second] = atan2(w[1], w[0])
    end = matmul(start, homogeneous(_about_z(w[0] / flat, w[1] / flat), [0, 0, 0]))
    rise = rods.s3 * (w[2] - leg.offset)
    lean = atan2(rise, flat)
    angles |= {rods.rod: lean, rods.second: lean, rods.coupler: -lean}
    tilt: Matrix = [[1, 0, 0], [0, 0, -rods.s3], [0, rods.s3, 0]]
    axes[rods.rod] = matmul(
        matmul(end, homogeneous(tilt, [0, 0, 0])),
        homogeneous(_about_z(flat / rods.length, rise / rods.length), [0, 0, 0]),
    )
    return end


def _before_last(leg: ChainLeg, end: Matrix, axes: dict[int, Matrix]) -> Matrix:
    """The last turn's frame before it turns."""
    if leg.rods is None:
        return matmul(end, leg.tip)
    rod, tilt = axes[leg.rods.rod], leg.rods.s3
    along = add(position_of(end), scale(leg.rods.length, [row[0] for row in rod[:3]]))
    along = add(along, scale(leg.offset, [row[2] for row in end[:3]]))
    coupler = matmul(rotation_of(end), [[1, 0, 0], [0, 0, -tilt], [0, tilt, 0]])
    return homogeneous(matmul(coupler, rotation_of(leg.tip)), along)


def tip_columns(at: ChainPosture) -> list[tuple[int, Vector]]:
    """The velocity of the tip at unit velocity of each joint, in frame 0: first, second, and the rods'."""
    leg, found = at.leg, []
    for j, kind in zip((leg.first, leg.second), leg.kinds, strict=True):
        axis = [row[2] for row in at.axes[j][:3]]
        arm = subtract(at.tip, position_of(at.axes[j]))
        found.append((j, axis if kind == JointType.PRISMATIC else cross(axis, arm)))
    if leg.rods:
        found.append((leg.rods.rod, scale(leg.rods.length, [row[1] for row in at.axes[leg.rods.rod][:3]])))
    return found
