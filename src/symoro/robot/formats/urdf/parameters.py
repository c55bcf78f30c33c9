"""Khalil-Kleinfinger parameters of a pose, and their exact texts.

    T = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)

has two solutions, (gamma, alpha, theta) and (gamma + pi, -alpha, theta + pi); the one with the smaller |gamma| is
selected. For parallel axes gamma and theta, and b and r, are redundant; then b = 0, and gamma is used only as far as
d requires it. Round-off is removed where it arises: an angle is replaced by the multiple of pi/12 that it approximates,
a length by zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from symoro.expr.formula import ZERO, Formula, formula
from symoro.robot.formats.urdf.rigid import (
    STEP,
    Pose,
    apply,
    difference,
    norm,
    sincos,
    transposed,
    turn_x,
    turn_z,
    twelfths,
)

ROUND_OFF = 2e-13  # round-off of an angle in radians, or of a length relative to the robot
FAR = 20.0  # relative to the reach: a more distant common normal is a result of round-off


@dataclass(frozen=True)
class Six:
    """The six Khalil-Kleinfinger parameters as numbers (rad, m)."""

    gamma: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    r: float = 0.0

    def pose(self) -> Pose:
        """Return the pose that the six parameters define."""
        swing = Pose(turn_z(self.gamma), (0.0, 0.0, self.b)) @ Pose(turn_x(self.alpha))
        return swing @ Pose(turn_z(self.theta), (self.d, 0.0, self.r))


def six(place: Pose, size: float) -> Six:
    """Return the Khalil-Kleinfinger parameters of a pose.

    Args:
        place: pose of a frame in its antecedent frame.
        size: size of the robot in metres, to which round-off is relative.
    """
    R, tiny = place.R, ROUND_OFF * size
    alpha = clean_angle(math.atan2(math.hypot(R[0][2], R[1][2]), R[2][2]))
    if alpha in (0.0, math.pi):
        return _parallel(place, tiny)
    gamma = clean_angle(math.atan2(R[0][2], -R[1][2]))
    theta = clean_angle(math.atan2(R[2][0], R[2][1]))
    if abs(gamma) > math.pi / 2:
        gamma, alpha, theta = _opposite(gamma), -alpha, _opposite(theta)
    x, y, z = apply(transposed(turn_z(gamma)), place.p)
    s, c = sincos(alpha)
    r = clean(-y / s, tiny)
    return Six(gamma, clean(z - r * c, tiny), alpha, clean(x, tiny), theta, r)


def _parallel(place: Pose, tiny: float) -> Six:
    R, (x, y, z) = place.R, place.p
    turned = math.atan2(R[1][0], R[0][0])
    d = math.hypot(x, y)
    gamma = clean_angle(math.atan2(y, x)) if d > tiny else 0.0
    if abs(gamma) > math.pi / 2:
        gamma, d = _opposite(gamma), -d
    down = R[2][2] < 0
    theta = clean_angle(math.remainder(gamma - turned if down else turned - gamma, 2 * math.pi))
    return Six(gamma, 0.0, math.pi if down else 0.0, clean(d, tiny), theta, clean(-z if down else z, tiny))


def _opposite(angle: float) -> float:
    return clean_angle(angle - math.copysign(math.pi, angle) if angle else math.pi)


def reproduces(parameters: Six, place: Pose, size: float, reach: float) -> bool:
    """Return whether six parameters reproduce a pose, with lengths not much larger than the robot.

    Args:
        parameters: the parameters.
        place: the pose.
        size: length in metres to which round-off is relative.
        reach: size of the robot in metres.
    """
    turned, moved = difference(parameters.pose(), place)
    longest = max(abs(parameters.b), abs(parameters.d), abs(parameters.r))
    return longest <= FAR * reach and turned <= 4 * ROUND_OFF and moved <= 4 * ROUND_OFF * size


def size_of(place: Pose, reach: float) -> float:
    """Return the length (m) with which round-off in a pose is compared: the larger of its distance and `reach`."""
    return max(norm(place.p), reach)


def clean_angle(angle: float) -> float:
    """Return an angle in (-pi, pi], replaced by a multiple of pi/12 if it equals one up to round-off."""
    k = twelfths(angle, ROUND_OFF)
    if k is None:
        return clean(angle, 0.0)
    return math.pi if k == -12 else k * STEP


def clean(value: float, tiny: float) -> float:
    """Return a number without round-off.

    The result is zero if the magnitude is below `tiny`. If a short decimal agrees with the number to 14 digits, the
    result is this decimal.
    """
    if abs(value) <= tiny:
        return 0.0
    short = float(f"{value:.12g}")
    return short if abs(short - value) <= max(4e-15 * abs(value), 1e-3 * tiny) else value


def angle_formula(angle: float) -> Formula:
    """Return the formula of an angle in radians, for example pi/2; a decimal if it is not a multiple of pi/12."""
    k = twelfths(angle)
    return number_formula(angle) if k is None else _multiple(k)


@lru_cache(maxsize=64)
def _multiple(k: int) -> Formula:
    return formula(f"{Fraction(k, 12)}*pi")


def number_formula(value: float) -> Formula:
    """Return the formula of a decimal number.

    It equals `formula(value)` but needs no expression graph, because a file contains thousands of decimals.
    """
    if not value:
        return ZERO
    return formula(value) if value.is_integer() else Formula(repr(value))


def formulas(parameters: Six) -> dict[str, Any]:
    """Return the six parameters as formulas, by the names of the fields of a frame."""
    texts = {name: number_formula(getattr(parameters, name)) for name in ("b", "d", "r")}
    return texts | {name: angle_formula(getattr(parameters, name)) for name in ("gamma", "alpha", "theta")}
