"""Time laws, and paths of joints and poses over time with their derivatives.

A time law s(t) moves from 0 to 1 in its duration T:

    quintic       s = 10 x^3 - 15 x^4 + 6 x^5,  x = t/T          at rest at both ends; largest sd 15/8 /T,
                                                                largest sdd 10/sqrt(3) /T^2
    nonic         sd = 630 x^4 (1 - x)^4 / T                     derivatives up to the fourth are zero at both ends, for
                                                                motors that act through springs; largest sd
                                                                315/128 /T, largest sdd 2520 (3/14)^3/sqrt(7) /T^2
    trapezoidal   sdd = a, 0, -a with ramps of r seconds,  a = 1/(r (T - r))     fastest within limits of sd and sdd

On a path whose direction rotates by an angle c (a circle) the acceleration has a normal component: the norm of the
acceleration is length sqrt(sdd^2 + c^2 sd^4). For the quintic and nonic laws its peak is the peak for T = 1 divided by
T^2. For a trapezoidal law the limit of the norm is divided between the tangential acceleration of the ramps and the
normal acceleration of the cruise such that the duration is minimal.

Joints:   `Between` (one law from start to end), `Through` (smooth through points), `FourierPath` (a series).
Poses:    `Straight` (line, and the shortest rotation), `Round` (circle), `PosesThrough`. They return T (4, 4) in frame
          0, and the twist V and its derivative Vd (linear; angular) of the frame's origin in the axes of frame 0.

Orientations are interpolated on the rotation group: from R0 to R1 as R0 exp(s v), v = log(R0' R1), so that the axis
R0 v is constant in frame 0; the angular velocity is w = R0 v sd, the angular acceleration wd = R0 v sdd.

W. Khalil, E. Dombre, "Modeling, identification and control of robots", Hermes Penton, 2002, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.models.numeric.rotation import exponential, logarithm
from symoro.trajectory.splines import Values, quintic_pieces, values_at, with_derivatives
from symoro.trajectory.tolerances import LONGEST_MOVE, REAL_ROOT

Array = NDArray[np.float64]

LAWS = ("quintic", "nonic", "trapezoidal")
SHARES, SHARPER = 40, 8  # grid points per refinement, and number of refinements
_PEAKS = {
    "quintic": (15 / 8, 10 / math.sqrt(3)),
    "nonic": (315 / 128, 2520 * (3 / 14) ** 3 / math.sqrt(7)),
}  # largest sd and sdd for a duration of 1 s
_NONIC = np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])
_QUINTIC = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
_CURVES = {"quintic": _QUINTIC, "nonic": _NONIC}


@dataclass(frozen=True)
class Law:
    """Time law s(t), which increases from 0 to 1.

    Attributes:
        kind: 'quintic', 'nonic' or 'trapezoidal'.
        duration: duration in seconds.
        ramp: duration of each ramp of a trapezoidal law in seconds.
    """

    kind: str
    duration: float
    ramp: float = 0.0

    def at(self, t: Array) -> Values:
        """Return s and its first and second time derivatives at the times t.

        s is constant for times before and after the move.
        """
        return _FORMS[self.kind](self, np.asarray(t, dtype=float))

    def higher(self, t: Array) -> tuple[Array, Array]:
        """Return the third and fourth time derivatives of s at the times t; zero for a trapezoidal law."""
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
    turn: float = 0.0,
) -> Law:
    """Return the time law of a move, with a given duration or as fast as the limits allow.

    Args:
        kind: 'quintic', 'nonic' or 'trapezoidal'.
        distance: distance that each coordinate moves; only its magnitude is used.
        duration: duration in seconds.
        velocity, acceleration: limits of each coordinate, required without a duration.
        turn: angle in radians by which the direction of the first coordinate rotates along the path.

    Raises:
        ArgumentError: neither a duration nor both limits are given, or the resulting duration is not valid.
    """
    if kind not in LAWS:
        raise ArgumentError(f"there is no time law '{kind}'", hint=f"available laws: {', '.join(LAWS)}")
    lengths = np.abs(np.asarray(distance, dtype=float))
    check_timing(duration, velocity, acceleration)
    if duration is not None:
        return Law(kind, duration, duration / 3 if kind == "trapezoidal" else 0.0)
    assert velocity is not None and acceleration is not None
    fastest, hardest = _share(lengths, velocity), _share(lengths, acceleration)
    if math.isinf(fastest):  # nothing moves
        return Law(kind, 0.0)
    timed = _timed_trapezoid if kind == "trapezoidal" else partial(_timed_curve, kind)
    law = timed(fastest, hardest)
    if turn and lengths[0] > 0:
        whole = _share(lengths[:1], acceleration[:1])
        if kind == "trapezoidal":
            law = _bent_trapezoid(fastest, hardest, whole, abs(turn))
        else:
            law = _bent_curve(law, whole, abs(turn))
    _check_duration(law.duration)
    return law


def check_timing(duration: float | None, velocity: ArrayLike | None, acceleration: ArrayLike | None) -> None:
    """Check that a move has either a duration, or limits of velocity and acceleration."""
    if duration is not None:
        if velocity is not None or acceleration is not None:
            raise ArgumentError(
                "a move has either a duration or limits of velocity and acceleration",
                hint="leave one of them out",
            )
        _check_duration(duration)
        return
    if velocity is None or acceleration is None:
        raise ArgumentError(
            "the duration of the move is not given", hint="give its duration, or velocity and acceleration"
        )
    for what, limit in (("velocity", velocity), ("acceleration", acceleration)):
        if not (np.asarray(limit, dtype=float) > 0).all():  # rejects NaN too
            raise ArgumentError(f"the largest {what} of a move must be a positive number")


def _share(lengths: Array, most: Array) -> float:
    """Return the largest first (or second) derivative of s with which no coordinate exceeds its limit.

    The result is infinite if no coordinate moves.

    Args:
        lengths: distance that each coordinate moves while s increases from 0 to 1.
        most: limit of the velocity (or acceleration) of each coordinate.
    """
    limit = np.broadcast_to(np.asarray(most, dtype=float), lengths.shape)
    moving = lengths > 0
    return float((limit[moving] / lengths[moving]).min()) if moving.any() else math.inf


def _timed_curve(kind: str, fastest: float, hardest: float) -> Law:
    first, second = _PEAKS[kind]
    return Law(kind, max(first / fastest, math.sqrt(second / hardest)))


def _timed_trapezoid(fastest: float, hardest: float) -> Law:
    ramp = fastest / hardest
    if fastest * ramp >= 1:  # the cruising velocity is not reached
        ramp = math.sqrt(1 / hardest)
        return Law("trapezoidal", 2 * ramp, ramp)
    return Law("trapezoidal", 1 / fastest + ramp, ramp)


def _bent_curve(law: Law, whole: float, turn: float) -> Law:
    """Extend the duration of a time law on a curved path until the total acceleration is within its limit.

    Args:
        law: smooth time law that satisfies the limits of the tangential motion.
        whole: limit of the total acceleration, including the normal part, divided by the path length.
        turn: angle in radians by which the direction rotates along the path.
    """
    sd = _CURVES[law.kind].deriv()
    square = sd.deriv() ** 2 + turn**2 * sd**4
    x = square.deriv().roots()
    peak = float(square(np.clip(x[np.abs(x.imag) < REAL_ROOT].real, 0, 1)).max())
    return Law(law.kind, max(law.duration, math.sqrt(math.sqrt(peak) / whole)))


def _bent_trapezoid(fastest: float, hardest: float, whole: float, turn: float) -> Law:
    """Return the fastest trapezoidal law on a curved path.

    The ramps use the tangential acceleration whole cos(share), and the cruise has a normal acceleration of at most
    whole sin(share); the angle `share` is chosen for the shortest duration.

    Args:
        fastest, hardest: limits of ds/dt and of d2s/dt2.
        whole: limit of the total acceleration, divided by the path length.
        turn: angle in radians by which the direction rotates along the path.
    """

    def at(share: float) -> Law:
        cruise = math.sqrt(whole * math.sin(share) / turn)
        return _timed_trapezoid(min(fastest, cruise), min(hardest, whole * math.cos(share)))

    low, high = 0.0, math.pi / 2
    for _ in range(SHARPER):
        shares = np.linspace(low, high, SHARES + 2)
        best = 1 + int(np.argmin([at(share).duration for share in shares[1:-1]]))
        low, high = float(shares[best - 1]), float(shares[best + 1])
    return at(float(shares[best]))


def _check_duration(duration: float) -> None:
    if not 0 < duration <= LONGEST_MOVE:
        raise ArgumentError(
            f"a duration of {duration:g} s: expected a positive number of seconds, at most {LONGEST_MOVE:g}"
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
    """Return s = 1 and zero derivatives at the times t, for a move of zero duration."""
    return np.ones_like(t), np.zeros_like(t), np.zeros_like(t)


_FORMS: dict[str, Callable[[Law, Array], Values]] = {
    "quintic": _quintic,
    "nonic": _nonic,
    "trapezoidal": _trapezoidal,
}


@dataclass(frozen=True, eq=False)
class _FromTo:
    start: Array
    end: Array
    law: Law

    @property
    def duration(self) -> float:
        return self.law.duration


class Between(_FromTo):
    """Joint path from `start` to `end` with one time law, q = start + s(t) (end - start)."""

    def at(self, t: Array) -> Values:
        s, sd, sdd = (x[:, None] for x in self.law.at(t))
        difference = self.end - self.start
        return self.start + s * difference, sd * difference, sdd * difference

    def higher(self, t: Array) -> tuple[Array, Array]:
        """Return the third and fourth time derivatives of q at the times t."""
        third, fourth = (x[:, None] * (self.end - self.start) for x in self.law.higher(t))
        return third, fourth


@dataclass(frozen=True, eq=False)
class Through:
    """Path of joints or positions as a quintic spline through points (m, n) at times (m,).

    Attributes:
        rates, seconds: first and second time derivatives at the points (m, n).
    """

    times: Array
    points: Array
    rates: Array
    seconds: Array

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    @cached_property
    def _curve(self) -> Any:
        return quintic_pieces(self.times, self.points, self.rates, self.seconds)

    @cached_property
    def _triple(self) -> Any:
        return with_derivatives(self._curve)

    def at(self, t: Array) -> Values:
        return values_at(self._triple, t)

    def higher(self, t: Array) -> tuple[Array, Array]:
        """Return the third and fourth time derivatives of the spline at the times t; zero outside its interval."""
        inside = ((t >= self.times[0]) & (t <= self.times[-1]))[:, None]
        third, fourth = (np.where(inside, self._curve(t, order), 0.0) for order in (3, 4))
        return third, fourth


@dataclass(frozen=True, eq=False)
class FourierPath:
    """Joint motion as a Fourier series, the usual excitation for identification.

    The position of each joint is

        q = offset + sum_l  a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t),      w = 2 pi frequency

    so that a (`sine`) and b (`cosine`), each (n, harmonics), are amplitudes of the velocity.

    J. Swevers, C. Ganseman, D.B. Tukel, J. De Schutter, H. Van Brussel, "Optimal robot excitation and identification",
    IEEE Transactions on Robotics and Automation 13, 1997, section III.
    """

    offset: Array
    sine: Array
    cosine: Array
    frequency: float
    duration: float

    def at(self, t: Array) -> Values:
        order = 2 * np.pi * self.frequency * np.arange(1, self.sine.shape[1] + 1)
        angle = np.asarray(t, dtype=float)[:, None] * order
        sines, cosines = np.sin(angle), np.cos(angle)
        a, b = self.sine.T, self.cosine.T
        position = self.offset + (sines / order) @ a - (cosines / order) @ b
        return position, cosines @ a + sines @ b, (cosines * order) @ b - (sines * order) @ a

    def higher(self, t: Array) -> tuple[Array, Array]:
        """Return the third and fourth time derivatives of q at the times t."""
        order = 2 * np.pi * self.frequency * np.arange(1, self.sine.shape[1] + 1)
        angle = np.asarray(t, dtype=float)[:, None] * order
        sines, cosines = np.sin(angle), np.cos(angle)
        a, b = self.sine.T, self.cosine.T
        third = -(cosines * order**2) @ a - (sines * order**2) @ b
        return third, (sines * order**3) @ a - (cosines * order**3) @ b


@dataclass(frozen=True, eq=False)
class PoseMotion:
    """Poses T (N, 4, 4) of a frame in frame 0 with their twists V and the derivatives Vd of the twists (N, 6).

    Twists are (linear; angular), of the frame's origin, in the axes of frame 0.
    """

    T: Array
    V: Array
    Vd: Array


class Straight(_FromTo):
    """Pose path along a straight line between two poses, with a rotation about a constant axis."""

    def at(self, t: Array) -> PoseMotion:
        s, sd, sdd = self.law.at(t)
        difference = self.end[:3, 3] - self.start[:3, 3]
        place = s[:, None] * difference, sd[:, None] * difference, sdd[:, None] * difference
        return _motion(self.start, place, *_turned(self.start, self.end, (s, sd, sdd)))


@dataclass(frozen=True, eq=False)
class Round:
    """Pose path along an arc of a circle.

    Attributes:
        start: first pose (4, 4).
        centre, axis: centre of the circle and direction of its axis, in frame 0.
        angle: angle of the arc in radians.
        turning: whether the orientation rotates along the arc; otherwise it is constant.
    """

    start: Array
    centre: Array
    axis: Array
    angle: float
    law: Law
    turning: bool = False

    @property
    def duration(self) -> float:
        return self.law.duration

    def at(self, t: Array) -> PoseMotion:
        s, sd, sdd = (self.angle * x for x in self.law.at(t))
        turn = exponential(s[:, None] * self.axis)
        arm = turn @ (self.start[:3, 3] - self.centre)
        across = np.cross(self.axis, arm)
        velocity = sd[:, None] * across
        acceleration = sdd[:, None] * across + sd[:, None] ** 2 * np.cross(self.axis, across)
        place = arm + self.centre - self.start[:3, 3]
        if not self.turning:
            still = np.zeros_like(arm)
            rotation = np.broadcast_to(self.start[:3, :3], (len(t), 3, 3))
            return _motion(self.start, (place, velocity, acceleration), rotation, still, still)
        w, wd = sd[:, None] * self.axis, sdd[:, None] * self.axis
        return _motion(self.start, (place, velocity, acceleration), turn @ self.start[:3, :3], w, wd)


@dataclass(frozen=True, eq=False)
class PosesThrough:
    """Pose path through given poses: the position is a smooth spline, the rotation stops at each pose.

    Attributes:
        places: spline of the positions.
        poses: the poses, at the times of the spline.
    """

    places: Through
    poses: tuple[Array, ...]

    @property
    def duration(self) -> float:
        return self.places.duration

    def at(self, t: Array) -> PoseMotion:
        place, velocity, acceleration = self.places.at(t)
        times = self.places.times
        number = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
        rotation = np.empty((len(t), 3, 3))
        w, wd = np.zeros((len(t), 3)), np.zeros((len(t), 3))
        for k in range(len(times) - 1):
            rows = number == k
            law = Law("quintic", float(times[k + 1] - times[k]))
            values = law.at(t[rows] - times[k])
            rotation[rows], w[rows], wd[rows] = _turned(self.poses[k], self.poses[k + 1], values)
        away = place - self.poses[0][:3, 3]
        return _motion(self.poses[0], (away, velocity, acceleration), rotation, w, wd)


def _turned(start: Array, end: Array, law: Values) -> tuple[Array, Array, Array]:
    """Interpolate the orientation between two poses; see the module for the formula.

    Args:
        start, end: the poses (4, 4).
        law: s, sd and sdd at the N times.

    Returns:
        The rotation matrices (N, 3, 3), angular velocities and angular accelerations (N, 3), in frame 0.
    """
    vector = logarithm(start[:3, :3].T @ end[:3, :3])
    axis = start[:3, :3] @ vector
    s, sd, sdd = (x[:, None] for x in law)
    return start[:3, :3] @ exponential(s * vector), sd * axis, sdd * axis


def _motion(start: Array, place: Values, rotation: Array, w: Array, wd: Array) -> PoseMotion:
    """Combine displacements of the position and rotations into poses, twists and their derivatives.

    Args:
        start: first pose (4, 4).
        place: displacement of the position with its first and second derivatives (N, 3).
        rotation: rotation matrices (N, 3, 3).
        w, wd: angular velocities and accelerations (N, 3).
    """
    away, velocity, acceleration = place
    T = np.zeros((len(away), 4, 4))
    T[:, 3, 3] = 1.0
    T[:, :3, :3] = rotation
    T[:, :3, 3] = start[:3, 3] + away
    return PoseMotion(T, np.hstack([velocity, w]), np.hstack([acceleration, wd]))
