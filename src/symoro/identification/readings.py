"""Other readings of the same measurements: mistakes in units, conventions, axes and joints that are made often."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from symoro.identification.geometric_fit import Fitting
from symoro.models.calibration.columns import BASE, END
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, from_quaternion, quaternion
from symoro.robot.description import JointType


@dataclass(frozen=True)
class Reading:
    """Another reading: what it says, what to do, and how it is made.

    Attributes:
        unit: what the measured lengths are multiplied by; their misses shrink or grow with them.
    """

    says: str
    cure: str
    made: Callable[[Fitting], Fitting]
    unit: float = 1.0


def readings(work: Fitting, *, joints: bool) -> Iterator[list[Reading]]:
    """Those that say something of this robot and measure, alone, then those that go together most often.

    Arguments:
        joints: whether to doubt the joints' signs, zeros and order too.
    """
    alone = [*_units(work), *_axes(work), *(_of_joints(work) if joints else [])]
    if work.measured.measure != "plane":
        alone.append(METRES)  # last, since large lengths let much pass
    yield from ([reading] for reading in alone)
    often = [reading for reading in alone if reading in (MILLIMETRES, DEGREES, SLIDES, LAST_W)]
    yield from ([a, b] for a, b in combinations(often, 2))
    if len(often) > 2:
        yield often


def _units(work: Fitting) -> Iterator[Reading]:
    measure, kinds = work.measured.measure, {f.sigma for f in work.chain.frames}
    if measure != "plane":
        yield MILLIMETRES
    if measure in ("distance", "plane"):
        yield ALL_MILLIMETRES
    if JointType.REVOLUTE in kinds:
        yield DEGREES
        yield RADIANS
    if JointType.PRISMATIC in kinds:
        yield SLIDES
    if measure == "pose":
        yield LAST_W
        yield INVERSE
        yield INVERSE_TURNS
        if work.measured.vectors is not None:
            yield ROLL_FIRST
            yield YAW_FIRST


# -- units and conventions


def _scaled(factor: float, place: bool = False) -> Callable[[Fitting], Fitting]:
    """The measured lengths in other units; those of the point and the plane too, if so."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] *= factor
        measured = replace(work.measured, poses=poses, distances=factor * work.measured.distances)
        if not place:
            return replace(work, measured=measured)
        plane = np.array([*work.plane[:3], factor * work.plane[3]])
        return replace(work, measured=measured, point=factor * work.point, plane=plane)

    return made


def _joints(kind: JointType, factor: float) -> Callable[[Fitting], Fitting]:
    """The positions of one kind of joint in other units."""

    def made(work: Fitting) -> Fitting:
        own = {f.j for f in work.chain.frames if f.sigma == kind}
        factors = [factor if j in own else 1.0 for j in work.chain.coordinates]
        return replace(work, measured=replace(work.measured, q=work.measured.q * factors))

    return made


def _turned(change: Callable[[Fitting], Array]) -> Callable[[Fitting], Fitting]:
    """Other rotations of the poses."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, :3] = change(work)
        return replace(work, measured=replace(work.measured, poses=poses))

    return made


def _last_w(work: Fitting) -> Array:
    return from_quaternion(np.roll(quaternion(work.measured.poses[:, :3, :3]), 1, -1))


def _transposed(work: Fitting) -> Array:
    return work.measured.poses[:, :3, :3].transpose(0, 2, 1)


def _in_turn(order: Sequence[int]) -> Callable[[Fitting], Array]:
    """rx, ry, rz as angles about x, y and z, the rotations multiplied in an order."""

    def made(work: Fitting) -> Array:
        angles = work.measured.vectors
        assert angles is not None
        first, second, third = (exponential(angles[:, k, None] * np.eye(3)[k]) for k in order)
        return np.asarray(first @ second @ third)

    return made


def _inverse(work: Fitting) -> Fitting:
    poses = np.asarray(np.linalg.inv(work.measured.poses), float)
    return replace(work, measured=replace(work.measured, poses=poses))


MILLIMETRES = Reading("measured lengths are in millimetres", "divide them by 1000", _scaled(1e-3), 1e-3)
METRES = Reading(
    "the description's lengths are in millimetres",
    "describe the robot in metres",
    _scaled(1e3, place=True),
    1e3,
)
ALL_MILLIMETRES = Reading(
    "lengths, those of the point or plane too, are in millimetres",
    "divide them by 1000",
    _scaled(1e-3, place=True),
    1e-3,
)
DEGREES = Reading(
    "the joints' angles are in degrees",
    "read them with --degrees (degrees=True)",
    _joints(JointType.REVOLUTE, np.pi / 180),
)
RADIANS = Reading(
    "the joints' angles are in radians already",
    "read them without --degrees",
    _joints(JointType.REVOLUTE, 180 / np.pi),
)
SLIDES = Reading(
    "sliding joints are in millimetres", "divide them by 1000", _joints(JointType.PRISMATIC, 1e-3)
)
LAST_W = Reading(
    "quaternions are in the order x, y, z, w", "name their columns so: qx, qy, qz, qw", _turned(_last_w)
)
INVERSE = Reading("the poses are those of the base, seen from the end", "invert them", _inverse)
INVERSE_TURNS = Reading(
    "the rotations are those of the base, seen from the end",
    "invert them (a quaternion's qx, qy, qz with the other sign)",
    _turned(_transposed),
)
ROLL_FIRST = Reading(
    "rx, ry, rz are roll, pitch and yaw, about fixed axes x, y, z in turn",
    "write rotation vectors or quaternions",
    _turned(_in_turn((2, 1, 0))),
)
YAW_FIRST = Reading(
    "rx, ry, rz are angles about fixed axes z, y, x in turn",
    "write rotation vectors or quaternions",
    _turned(_in_turn((0, 1, 2))),
)

# -- axes of the world


def _axes(work: Fitting) -> Iterator[Reading]:
    """Axes that point the other way, and columns that are swapped."""
    measure = work.measured.measure
    if measure not in ("pose", "position"):
        return
    free = any(column.frame == BASE for column in work.chosen)
    tip = any(column.frame == END for column in work.chosen)
    if measure == "position" and free:
        yield Reading(LEFT_HANDED, HANDED_CURE, _mapped(MIRRORS["x"], turns=False))
        return
    if measure == "pose":
        for axis, mirror in MIRRORS.items():
            name = LEFT_HANDED if free and tip else f"axis {axis} of the world points the other way"
            yield Reading(name, HANDED_CURE, _mapped(mirror, turns=True))
            if free and tip:
                break  # the other two are this one, the base and the end turned
    for axis, mirror in MIRRORS.items():
        yield Reading(
            f"{axis} has the other sign", "change its sign in the table", _mapped(mirror, turns=False)
        )
    for names, order in ORDERS.items():
        cure = "give the columns their right names"
        yield Reading(f"columns x, y, z hold {names}", cure, _mapped(np.eye(3)[order], turns=False))


def _mapped(change: Array, *, turns: bool) -> Callable[[Fitting], Fitting]:
    """The measured places mapped, and the rotations too, if so."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] = poses[:, :3, 3] @ change.T
        if turns:
            poses[:, :3, :3] = change @ poses[:, :3, :3] @ change.T
        return replace(work, measured=replace(work.measured, poses=poses))

    return made


LEFT_HANDED = "the measured axes are left-handed (one points the other way, or two are swapped)"
HANDED_CURE = "change the sign of one of them, or swap the two"
MIRRORS = {"x": np.diag([-1.0, 1, 1]), "y": np.diag([1.0, -1, 1]), "z": np.diag([1.0, 1, -1])}
ORDERS = {  # what the columns hold: where x, y and z are found
    "y, x, z": [1, 0, 2],
    "x, z, y": [0, 2, 1],
    "z, y, x": [2, 1, 0],
    "y, z, x": [2, 0, 1],
    "z, x, y": [1, 2, 0],
}

# -- joints


def _of_joints(work: Fitting) -> Iterator[Reading]:
    """Joints that count the other way, from other zeros, or in another order."""
    own = work.chain.coordinates
    n = len(own)
    turning = {f.j for f in work.chain.frames if f.sigma == JointType.REVOLUTE}
    for k, j in enumerate(own):
        yield _counted([k], f"joint {j} counts the other way")
    for k, m in combinations(range(n), 2):
        order = list(range(n))
        order[k], order[m] = m, k
        yield _ordered(order, f"columns q{own[k]} and q{own[m]} are swapped")
    if n > 3:
        yield _ordered(range(n)[::-1], "the joints are in the order from the end to the base")
    for k, j in enumerate(own):
        if j in turning:
            for angle in (90, -90, 180):
                yield _shifted(k, f"the zero of joint {j} is off by {angle} degrees", np.radians(angle))
    if n > 2:
        yield _counted(range(n), "all joints count the other way")
    for k, m in combinations(range(n), 2):
        yield _counted([k, m], f"joints {own[k]} and {own[m]} count the other way")


def _counted(which: Sequence[int], says: str) -> Reading:
    def made(work: Fitting) -> Fitting:
        signs = np.ones(work.measured.q.shape[1])
        signs[list(which)] = -1.0
        return replace(work, measured=replace(work.measured, q=work.measured.q * signs))

    return Reading(says, "change the signs of the readings", made)


def _ordered(order: Sequence[int], says: str) -> Reading:
    def made(work: Fitting) -> Fitting:
        return replace(work, measured=replace(work.measured, q=work.measured.q[:, list(order)]))

    return Reading(says, "give the columns their right names", made)


def _shifted(which: int, says: str, angle: float) -> Reading:
    def made(work: Fitting) -> Fitting:
        q = work.measured.q.copy()
        q[:, which] += angle
        return replace(work, measured=replace(work.measured, q=q))

    return Reading(says, "add that to the readings, or describe the robot with that zero", made)
