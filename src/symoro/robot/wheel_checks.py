"""Checks of the wheels of a description; each error is a sentence.

The directions of axles and steering axes are computed numerically at random joint positions and random values of the
symbols: a property that holds at these samples holds generically.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr.formula import Formula
from symoro.robot.records import ANGLES, GEOMETRIC
from symoro.robot.size import characteristic_length
from symoro.robot.topology import chain
from symoro.robot.wheels import Wheel, WheelKind

if TYPE_CHECKING:
    from symoro.robot.description import Robot

CLOSE = 1e-9
"""Tolerance in radians, or relative to the robot's size: smaller differences are round-off."""
TOUCHING = 1e-6
"""Tolerance relative to the robot's size for ground contact; files contain lengths with about six digits."""
SAMPLES = 3
TRIES = 20

Triplet = tuple[float, float, float]
WheelPose = tuple[tuple[Triplet, Triplet, Triplet], Triplet]  # rotation matrix by rows, position
SymbolValues = Mapping[str, float]
Sampled = list[tuple[dict[str, float], dict[int, float]]]  # values of the symbols, joint positions


def wheel_problems(robot: Robot) -> Iterator[str]:
    """Yield a sentence for each error in the description of the wheels.

    Frames, antecedents and joints must have been checked before.
    """
    if not robot.wheels:
        return
    if robot.base.kind != "wheeled":
        yield f"wheels require a wheeled base; the base of this robot is {robot.base.kind}"
        return
    errors = list(_entries(robot))
    yield from errors
    if not errors:
        yield from _motion_of_base(robot)
        yield from _geometry(robot)


def _label(k: int, wheel: Wheel) -> str:
    return f"wheel {k} (frame {wheel.frame})"


def _entries(robot: Robot) -> Iterator[str]:
    """Yield those errors of the wheels that can be detected without numerical evaluation."""
    frames: dict[int, int] = {}
    for k, wheel in enumerate(robot.wheels, 1):
        label = _label(k, wheel)
        if not 1 <= wheel.frame <= robot.NL:
            yield f"wheel {k}: frame {wheel.frame} does not exist (frames with links are 1 .. {robot.NL})"
            continue
        if wheel.frame in frames:
            yield f"wheels {frames[wheel.frame]} and {k} are both attached to frame {wheel.frame}"
        frames[wheel.frame] = k
        if robot.frame(wheel.frame).sigma != 0:
            yield f"{label}: the joint of a wheel must be revolute"
        radius = wheel.radius.number
        if radius is not None and not radius > 0:
            yield f"{label}: the radius is {wheel.radius}; expected a positive length"
        yield from _steering(robot, k, wheel)
        if wheel.kind != WheelKind.SWEDISH and not wheel.roller.is_zero:
            yield f"{label} is {wheel.kind} and has no rollers; 'roller' is only valid for a swedish wheel"
    yield from _followers(robot)


def _steering(robot: Robot, k: int, wheel: Wheel) -> Iterator[str]:
    label = _label(k, wheel)
    if not wheel.turns:
        if wheel.steering:
            yield (
                f"{label} is {wheel.kind} and cannot have 'steering'; use the kind steering or castor "
                "for a wheel with a steering joint"
            )
        return
    path = chain(robot, wheel.frame)[:-1]
    if not wheel.steering:
        yield f"{label} is {wheel.kind} and requires 'steering', the number of its vertical steering joint"
    elif wheel.steering not in path:
        shown = ", ".join(map(str, path)) or "none"
        yield f"{label}: joint {wheel.steering} is not between the base and this wheel; joints that are: {shown}"
    elif robot.frame(wheel.steering).sigma != 0:
        yield f"{label}: its steering joint {wheel.steering} must be revolute"


def _followers(robot: Robot) -> Iterator[str]:
    led = {w.steering for w in robot.wheels if w.kind == WheelKind.STEERING and not w.follows}
    for k, wheel in enumerate(robot.wheels, 1):
        if not wheel.follows:
            continue
        label = _label(k, wheel)
        if wheel.kind != WheelKind.STEERING:
            yield f"{label} is {wheel.kind}; only a steering wheel can follow another one by Ackermann's relation"
        elif wheel.follows not in led:
            shown = ", ".join(map(str, sorted(led))) or "none"
            yield (
                f"{label} follows joint {wheel.follows}; expected one of the steering joints that do "
                f"not follow another: {shown}"
            )
        elif robot.frame(wheel.steering).mu or robot.frame(wheel.steering).coupling:
            yield (
                f"{label} follows joint {wheel.follows}: the steering joint of this wheel must be "
                "passive and not coupled"
            )


def _motion_of_base(robot: Robot) -> Iterator[str]:
    base = robot.base
    if any(not f.is_zero for f in (*base.V0, *base.W0, *base.VP0, *base.WP0)):
        yield "the rolling wheels determine the motion of the base: its velocity and acceleration cannot be prescribed"


# -- numerical checks


def _geometry(robot: Robot) -> Iterator[str]:
    draw = random.Random(1996)
    samples = [sample for sample in (_values(robot, draw) for _ in range(SAMPLES)) if sample is not None]
    if not samples:
        yield (
            "the geometry of the wheels cannot be computed: a formula cannot be evaluated at ordinary "
            "values of its symbols"
        )
        return
    if not all(_upright(robot, values) for values, _ in samples):
        yield (
            "the z axis of a wheeled base must be vertical: the third row and column of Z must be "
            "those of a rotation about z"
        )
        return
    for k, wheel in enumerate(robot.wheels, 1):
        yield from _of_wheel(robot, k, wheel, samples)


def heights(robot: Robot) -> Iterator[tuple[str, str]]:
    """Yield (name of the wheel, warning) for wheels that do not touch the ground at the nominal values."""
    values, still = dict(robot.nominal), dict.fromkeys(range(1, robot.NL + 1), 0.0)
    length = characteristic_length(robot)
    for k, wheel in enumerate(robot.wheels, 1):
        label = f"wheel {k}"
        try:
            centre = robot.base.Z[11].value(values) + _height(robot, wheel, values, still)
            gap = centre - wheel.radius.value(values)
        except (ProgramError, ArithmeticError):
            continue
        if abs(gap) > TOUCHING * length:
            where = f"{abs(gap):.3g} m {'above' if gap > 0 else 'below'} the ground"
            yield label, f"{label}: its lowest point is {where} (plane z = 0 of the world)"


def _of_wheel(robot: Robot, k: int, wheel: Wheel, samples: Sampled) -> Iterator[str]:
    label = _label(k, wheel)
    tilt = max(abs(_pose(robot, wheel.frame, values, q)[0][2][2]) for values, q in samples)
    if tilt > CLOSE:
        by = math.asin(min(tilt, 1))
        yield f"{label}: its axle is not horizontal but inclined by {by:.3g} rad{_for_all_values(robot, wheel, ANGLES)}"
        return
    for values, _ in samples:
        levels = [_height(robot, wheel, values, q) for _, q in samples]
        if max(levels) - min(levels) > CLOSE * characteristic_length(robot, values):
            yield f"{label}: a joint between the base and the wheel changes the height of the wheel"
            return
    if wheel.kind == WheelKind.SWEDISH:
        angle = _number(wheel.roller, samples[0][0])
        if angle is not None and abs(math.cos(angle)) < CLOSE:
            yield f"{label}: rollers parallel to the axle (roller {wheel.roller}) do not permit rolling"
    if wheel.turns:
        yield from _turning(robot, wheel, label, samples)


def _turning(robot: Robot, wheel: Wheel, label: str, samples: Sampled) -> Iterator[str]:
    off, behind = 0.0, math.inf
    for values, q in samples:
        rotation, centre = _pose(robot, wheel.frame, values, q)
        axis, place = _pose(robot, wheel.steering, values, q)
        lean = math.hypot(axis[0][2], axis[1][2])
        if lean > CLOSE:
            by = f"it is inclined by {math.asin(min(lean, 1)):.3g} rad{_for_all_values(robot, wheel, ANGLES)}"
            yield f"{label}: its steering axis (joint {wheel.steering}) is not vertical, {by}"
            return
        x, y = centre[0] - place[0], centre[1] - place[1]
        length = characteristic_length(robot, values)
        off = max(off, math.hypot(x, y) / length)
        travel = abs(x * rotation[1][2] - y * rotation[0][2])  # in the direction of travel
        behind = min(behind, travel / length)
    only = _for_all_values(robot, wheel, GEOMETRIC)
    if wheel.kind == WheelKind.STEERING and off > CLOSE:
        yield (
            f"{label}: its steering axis (joint {wheel.steering}) passes its centre at a distance of "
            f"{off * length:.3g} m; "
            f"a steering wheel turns about its centre, a castor does not{only}"
        )
    if wheel.kind == WheelKind.CASTOR and behind <= CLOSE:
        yield (
            f"{label}: the centre of a castor must have a horizontal distance from its steering axis in "
            f"the rolling direction{only}"
        )


def _for_all_values(robot: Robot, wheel: Wheel, fields: tuple[str, ...]) -> str:
    """Return a note that a condition must be satisfied for all values of the symbols in it.

    The note is empty if the condition contains no symbols.

    Args:
        robot: the robot.
        wheel: the wheel.
        fields: geometric parameters that the condition involves.
    """
    named = _free_symbols(robot, wheel, fields)
    return f"; with symbols ({', '.join(named)}) it must hold for all their values" if named else ""


def _free_symbols(robot: Robot, wheel: Wheel, fields: tuple[str, ...]) -> list[str]:
    frames = [robot.frame(j) for j in chain(robot, wheel.frame)]
    return sorted({name for frame in frames for f in fields for name in getattr(frame, f).symbols})


def _values(robot: Robot, draw: random.Random) -> tuple[dict[str, float], dict[int, float]] | None:
    """Draw random values of the symbols and joint positions at which the poses of all wheels can be computed.

    Returns:
        The values by symbol name and the positions by joint number; None if all draws failed.
    """
    names = sorted({name for wheel in robot.wheels for name in _free_symbols(robot, wheel, GEOMETRIC)})
    names += sorted({name for w in robot.wheels for name in (*w.roller.symbols, *w.radius.symbols)})
    names += sorted({name for entry in robot.base.Z for name in entry.symbols})
    q = {j: draw.uniform(-1.5, 1.5) for j in range(1, robot.NL + 1)}
    for attempt in range(TRIES):
        values = {name: draw.uniform(0.3, 1.7) for name in names}
        if attempt >= TRIES // 2:
            values |= dict(robot.nominal)
        try:
            for wheel in robot.wheels:
                _pose(robot, wheel.frame, values, q)
        except (ProgramError, ArithmeticError):
            continue
        return values, q
    return None


def _number(value: Formula, values: SymbolValues) -> float | None:
    try:
        return value.value(values)
    except (ProgramError, ArithmeticError):
        return None


def _height(robot: Robot, wheel: Wheel, values: SymbolValues, q: Mapping[int, float]) -> float:
    return _pose(robot, wheel.frame, values, q)[1][2]


def _upright(robot: Robot, values: SymbolValues) -> bool:
    entries = [_number(robot.base.Z[k], values) for k in (2, 6, 8, 9, 10)]
    expected = (0, 0, 0, 0, 1)
    return all(z is not None and abs(z - w) <= CLOSE for z, w in zip(entries, expected, strict=True))


def _pose(robot: Robot, j: int, values: SymbolValues, q: Mapping[int, float]) -> WheelPose:
    """Return the pose 0Tj of frame j in frame 0 at given symbol values and joint positions."""
    rotation: tuple[Triplet, Triplet, Triplet] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    position: Triplet = (0, 0, 0)
    for i in chain(robot, j):
        frame = robot.frame(i)
        gamma, b, alpha, d, theta, r = (getattr(frame, name).value(values) for name in GEOMETRIC)
        theta, r = (theta + q[i] if frame.sigma == 0 else theta), (r + q[i] if frame.sigma == 1 else r)
        position = _moved(position, rotation, (0, 0, b))
        rotation = _about_x(_about_z(rotation, gamma), alpha)
        position = _moved(position, rotation, (d, 0, r))
        rotation = _about_z(rotation, theta)
    return rotation, position


def _moved(position: Triplet, rotation: tuple[Triplet, Triplet, Triplet], move: Triplet) -> Triplet:
    x, y, z = (
        p + sum(a * b for a, b in zip(row, move, strict=True))
        for p, row in zip(position, rotation, strict=True)
    )
    return x, y, z


def _about_z(rotation: tuple[Triplet, Triplet, Triplet], angle: float) -> tuple[Triplet, Triplet, Triplet]:
    s, c = math.sin(angle), math.cos(angle)
    first, second, third = ((x * c + y * s, y * c - x * s, z) for x, y, z in rotation)
    return first, second, third


def _about_x(rotation: tuple[Triplet, Triplet, Triplet], angle: float) -> tuple[Triplet, Triplet, Triplet]:
    s, c = math.sin(angle), math.cos(angle)
    first, second, third = ((x, y * c + z * s, z * c - y * s) for x, y, z in rotation)
    return first, second, third
