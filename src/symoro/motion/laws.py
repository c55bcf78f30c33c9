"""Laws of time s(t): how a move goes from 0 to 1 in its duration, with both derivatives.

    quintic       s = 10 x^3 - 15 x^4 + 6 x^5,  x = t/T          at rest at both ends; largest sd 15/8 /T,
                                                                largest sdd 10/sqrt(3) /T^2
    nonic         sd = 630 x^4 (1 - x)^4 / T                     at rest up to the fourth derivative, for motors behind
                                                                springs; largest sd 315/128 /T, largest sdd
                                                                2520 (3/14)^3/sqrt(7) /T^2
    trapezoidal   sdd = a, 0, -a with ramps of r seconds,  a = 1/(r (T - r))     fastest within limits of sd and sdd

W. Khalil, E. Dombre, "Modeling, identification and control of robots", Hermes Penton, 2002, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.motion.spline import Values

Array = NDArray[np.float64]
LAWS = ("quintic", "nonic", "trapezoidal")
LONGEST = 1e6  # seconds; a longer move is a mistake in a unit
_PEAKS = {
    "quintic": (15 / 8, 10 / math.sqrt(3)),
    "nonic": (315 / 128, 2520 * (3 / 14) ** 3 / math.sqrt(7)),
}  # of sd and sdd, for a duration of 1 s
_NONIC = np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])
_QUINTIC = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])


@dataclass(frozen=True)
class Law:
    """A law of time: its kind, its duration and, of a trapezoidal one, how long it speeds up."""

    kind: str
    duration: float
    ramp: float = 0.0

    def at(self, t: Array) -> Values:
        """s, sd and sdd at times; before and after the move it rests."""
        return _FORMS[self.kind](self, np.asarray(t, dtype=float))

    def higher(self, t: Array) -> tuple[Array, Array]:
        """The third and the fourth derivative of s; a trapezoidal law has none but where its ramps end."""
        x = np.asarray(t, dtype=float) / (self.duration or 1.0)
        inside = (x >= 0) & (x <= 1) & (self.duration > 0)
        curve = {"quintic": _QUINTIC, "nonic": _NONIC}.get(self.kind)
        if curve is None:
            return np.zeros_like(x), np.zeros_like(x)
        third, fourth = (
            np.where(inside, curve.deriv(k)(x), 0.0) / (self.duration or 1.0) ** k for k in (3, 4)
        )
        return third, fourth


def made_law(
    kind: str,
    distance: Array,
    *,
    duration: float | None = None,
    velocity: Array | None = None,
    acceleration: Array | None = None,
) -> Law:
    """The law of a move by some distances, of given duration or as fast as the limits allow.

    Arguments:
        distance: of each coordinate; it is the signless amount that counts.
        velocity, acceleration: largest of each coordinate; they may stand beside a duration for a trapezoidal law
            (the velocity is then cruised at).

    Raises:
        ArgumentError: nothing tells how long the move takes, or it cannot be done so fast.
    """
    if kind not in LAWS:
        raise ArgumentError(f"no law called '{kind}'", hint=f"known: {', '.join(LAWS)}")
    way = np.abs(np.asarray(distance, dtype=float))
    check_timing(duration, velocity, acceleration)
    if duration is not None:
        return Law(kind, duration, duration / 3 if kind == "trapezoidal" else 0.0)
    assert velocity is not None and acceleration is not None
    fastest, hardest = _share(way, velocity), _share(way, acceleration)
    if math.isinf(fastest):  # it stays where it is
        return Law(kind, 0.0)
    timed = _timed_trapezoid if kind == "trapezoidal" else partial(_timed_curve, kind)
    law = timed(fastest, hardest)
    _check_duration(law.duration)
    return law


def check_timing(duration: float | None, velocity: ArrayLike | None, acceleration: ArrayLike | None) -> None:
    """Raise unless either a duration or both limits tell how long a move takes."""
    if duration is not None:
        if velocity is not None or acceleration is not None:
            raise ArgumentError(
                "a move has a duration, or limits of velocity and acceleration", hint="leave one of them out"
            )
        _check_duration(duration)
        return
    if velocity is None or acceleration is None:
        raise ArgumentError(
            "nothing tells how long the move takes", hint="give its duration, or velocity and acceleration"
        )
    for what, limit in (("velocity", velocity), ("acceleration", acceleration)):
        if not (np.asarray(limit, dtype=float) > 0).all():  # nan, too
            raise ArgumentError(f"the largest {what} of a move must be a positive number")


def _share(way: Array, most: Array) -> float:
    """The largest rate of s that no coordinate exceeds its own with; infinite where nothing moves."""
    limit = np.broadcast_to(np.asarray(most, dtype=float), way.shape)
    moving = way > 0
    return float((limit[moving] / way[moving]).min()) if moving.any() else math.inf


def _timed_curve(kind: str, fastest: float, hardest: float) -> Law:
    first, second = _PEAKS[kind]
    return Law(kind, max(first / fastest, math.sqrt(second / hardest)))


def _timed_trapezoid(fastest: float, hardest: float) -> Law:
    ramp = fastest / hardest
    if fastest * ramp >= 1:  # it never comes to cruise
        ramp = math.sqrt(1 / hardest)
        return Law("trapezoidal", 2 * ramp, ramp)
    return Law("trapezoidal", 1 / fastest + ramp, ramp)


def _check_duration(duration: float) -> None:
    if not 0 < duration <= LONGEST:
        raise ArgumentError(
            f"a duration of {duration:g} s: expected a positive number of seconds, at most {LONGEST:g}"
        )


def _quintic(law: Law, t: Array) -> Values:
    if law.duration == 0:
        return _rest(t)
    inside = (t >= 0) & (t <= law.duration)
    x = np.clip(t / law.duration, 0.0, 1.0)
    s = x**3 * (10 + x * (6 * x - 15))
    sd = np.where(inside, 30 * x**2 * (1 - x) ** 2, 0.0) / law.duration
    sdd = np.where(inside, 60 * x * (1 - x) * (1 - 2 * x), 0.0) / law.duration**2
    return s, sd, sdd


def _nonic(law: Law, t: Array) -> Values:
    if law.duration == 0:
        return _rest(t)
    inside = (t >= 0) & (t <= law.duration)
    x = np.clip(t / law.duration, 0.0, 1.0)
    left = 1 - x
    s = np.where(x < 0.5, _NONIC(x), 1 - _NONIC(left))
    sd = np.where(inside, 630 * (x * left) ** 4, 0.0) / law.duration
    sdd = np.where(inside, 2520 * (x * left) ** 3 * (1 - 2 * x), 0.0) / law.duration**2
    return s, sd, sdd


def _trapezoidal(law: Law, t: Array) -> Values:
    if law.duration == 0:
        return _rest(t)
    T, r = law.duration, law.ramp
    a = 1 / (r * (T - r))
    x = np.clip(t, 0.0, T)
    left = T - x
    s = np.where(x <= r, a * x**2 / 2, np.where(left <= r, 1 - a * left**2 / 2, a * r * (x - r / 2)))
    sd = np.where(x <= r, a * x, np.where(left <= r, a * left, a * r))
    sdd = np.where(x < r, a, np.where(left <= r, -a, 0.0))
    inside = (t >= 0) & (t <= T)
    return s, np.where(inside, sd, 0.0), np.where(inside, sdd, 0.0)


def _rest(t: Array) -> Values:
    """A move of no length, which is over at once."""
    return np.ones_like(t), np.zeros_like(t), np.zeros_like(t)


_FORMS: dict[str, Callable[[Law, Array], Values]] = {
    "quintic": _quintic,
    "nonic": _nonic,
    "trapezoidal": _trapezoidal,
}
