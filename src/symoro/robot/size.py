"""Characteristic length of a robot, with which its other lengths are compared.

A length is small, or a displacement is round-off, only in comparison with the robot itself: the same robot in
micrometres, millimetres or metres leads to the same decisions. Tolerances for lengths are therefore fractions of
`characteristic_length`; those for angles are in radians. Tolerances for positions and velocities of joints are
multiplied by `joint_units`, one per joint.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr.formula import Formula
from symoro.robot.flexibility import flexible_links
from symoro.robot.records import JointType, Link

if TYPE_CHECKING:
    from symoro.robot.description import Robot

LENGTHS = ("b", "d", "r")
INERTIAS = ("XX", "YY", "ZZ")
ROUND_OFF = 1e-9  # relative to the levers of the masses: smaller lengths are rounding errors of a file


def characteristic_length(robot: Robot, values: Mapping[str, float] | None = None) -> float:
    """Return the largest length of a robot in metres.

    The lengths considered are those of the frames and the tool, radii of wheels, lengths of flexible links and the
    limits of prismatic joints. If all of them are zero, round-off or unknown, the distances of the centres of mass and
    the radii of gyration of the links are used. If these are zero or unknown too, the result is one metre.

    Args:
        robot: the robot.
        values: numbers for symbols; nominal values are used for symbols without an entry. Symbols without a number are
            ignored.
    """
    known = {**dict(robot.nominal), **(values or {})}
    largest, lever = (max(lengths(robot, known), default=0.0) for lengths in (_lengths, _levers))
    return (largest if largest > ROUND_OFF * lever else lever) or 1.0


def robot_reach(robot: Robot, values: Mapping[str, float]) -> float:
    """Return the sum of the lengths of all frames and the tool in metres.

    It is an upper bound of the reach, without the strokes of prismatic joints. Symbols without a number are ignored; if
    all lengths are zero or unknown, the result is one metre.
    """
    total = sum(_frame_lengths(robot, {**dict(robot.nominal), **values}))
    return total if 0 < total < math.inf else 1.0


def binary_length(length: float) -> float:
    """Return the power of two nearest to a length; division by it is exact in floating point."""
    return 2.0 ** round(math.log2(length))


def joint_units(robot: Robot, joints: Iterable[int], length: float) -> list[float]:
    """Return the scale of each joint position: 1 (radian) for revolute joints, `length` (m) for prismatic joints."""
    return [length if robot.frame(j).sigma == JointType.PRISMATIC else 1.0 for j in joints]


def _frame_lengths(robot: Robot, values: Mapping[str, float]) -> Iterator[float]:
    places = [*robot.frames, *([robot.tool.place] if robot.tool else [])]
    yield from (_size(getattr(place, name), values) for place in places for name in LENGTHS)


def _lengths(robot: Robot, values: Mapping[str, float]) -> Iterator[float]:
    yield from _frame_lengths(robot, values)
    formulas = [wheel.radius for wheel in robot.wheels]
    formulas += [beam.length for beam in flexible_links(robot).values()]
    yield from (_size(f, values) for f in formulas)
    for frame in robot.frames:
        if frame.sigma == JointType.PRISMATIC:
            yield from (abs(x) for x in (frame.limits.lower, frame.limits.upper) if x is not None)


def _levers(robot: Robot, values: Mapping[str, float]) -> Iterator[float]:
    """Yield the distances of the centres of mass from the origins of their frames, and the radii of gyration (m)."""
    for link in (robot.base.link, *robot.links):
        mass = _size(link.M, values)
        if mass:
            yield math.hypot(*(_size(getattr(link, name), values) for name in ("MX", "MY", "MZ"))) / mass
            yield math.sqrt(_gyration(link, values) / mass)


def _gyration(link: Link, values: Mapping[str, float]) -> float:
    return max(_size(getattr(link, name), values) for name in INERTIAS)


def _size(f: Formula, values: Mapping[str, float]) -> float:
    """Return the absolute value of a formula; zero if a symbol has no number."""
    try:
        magnitude = abs(f.value(values))
    except ProgramError:
        return 0.0
    return magnitude if math.isfinite(magnitude) else 0.0


def unit_of(robot: Robot, j: int) -> tuple[str, str]:
    """Return the units of the position and the effort of joint j as texts, ("rad", "N m") or ("m", "N")."""
    return ("m", "N") if robot.frame(j).sigma == JointType.PRISMATIC else ("rad", "N m")
