"""Curves of joints and of poses over time, each with both derivatives; those of joints with two more (`higher`).

Joints:   `Between` (one law from start to end), `Through` (smooth through points), `FourierPath` (a series).
Poses:    `Straight` (line, and the shortest turn), `Round` (circle), `PosesThrough`. They give T (4, 4) in frame 0, and
          the motion V, Vd (linear; angular) of the frame's origin in the axes of frame 0.

Orientations are interpolated on the group: from R0 to R1 as R0 exp(s v), v = log(R0' R1), so that the axis R0 v stands
still in frame 0, w = R0 v sd and wd = R0 v sdd.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.models.numeric.rotation import exponential, logarithm
from symoro.motion.laws import Law
from symoro.motion.spline import Values, hermite, hermite_higher

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _FromTo:
    start: Array
    end: Array
    law: Law

    @property
    def duration(self) -> float:
        return self.law.duration


class Between(_FromTo):
    """q = start + s(t) (end - start)."""

    def at(self, t: Array) -> Values:
        s, sd, sdd = (x[:, None] for x in self.law.at(t))
        way = self.end - self.start
        return self.start + s * way, sd * way, sdd * way

    def higher(self, t: Array) -> tuple[Array, Array]:
        """The third and the fourth derivative."""
        third, fourth = (x[:, None] * (self.end - self.start) for x in self.law.higher(t))
        return third, fourth


@dataclass(frozen=True, eq=False)
class Through:
    """Quintic pieces through points (m, n) at times, with velocities and accelerations there."""

    times: Array
    points: Array
    rates: Array
    seconds: Array

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def at(self, t: Array) -> Values:
        return hermite(self.times, self.points, self.rates, self.seconds, t)

    def higher(self, t: Array) -> tuple[Array, Array]:
        """The third and the fourth derivative."""
        return hermite_higher(self.times, self.points, self.rates, self.seconds, t)


@dataclass(frozen=True, eq=False)
class FourierPath:
    """A Fourier series, as identification excites robots with: of joint i

        q = offset + sum_l  a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t),      w = 2 pi frequency

    so that a and b (n, harmonics) are amplitudes of the velocity.

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
        """The third and the fourth derivative."""
        order = 2 * np.pi * self.frequency * np.arange(1, self.sine.shape[1] + 1)
        angle = np.asarray(t, dtype=float)[:, None] * order
        sines, cosines = np.sin(angle), np.cos(angle)
        a, b = self.sine.T, self.cosine.T
        third = -(cosines * order**2) @ a - (sines * order**2) @ b
        return third, (sines * order**3) @ a - (cosines * order**3) @ b


@dataclass(frozen=True, eq=False)
class PoseMotion:
    """Poses (N, 4, 4) with their velocities and accelerations (N, 6)."""

    T: Array
    V: Array
    Vd: Array


class Straight(_FromTo):
    """From pose to pose along a line, turning about one axis."""

    def at(self, t: Array) -> PoseMotion:
        s, sd, sdd = self.law.at(t)
        way = self.end[:3, 3] - self.start[:3, 3]
        place = s[:, None] * way, sd[:, None] * way, sdd[:, None] * way
        return _motion(self.start, place, *_turned(self.start, self.end, (s, sd, sdd)))


@dataclass(frozen=True, eq=False)
class Round:
    """Round a centre by an angle about an axis; the orientation stays, or turns with the way (`turning`)."""

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
    """Positions smoothly through poses; orientations turn from one to the next, at rest in each."""

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
    """Rotations between two poses, angular velocities and accelerations in frame 0."""
    vector = logarithm(start[:3, :3].T @ end[:3, :3])
    axis = start[:3, :3] @ vector
    s, sd, sdd = (x[:, None] for x in law)
    return start[:3, :3] @ exponential(s * vector), sd * axis, sdd * axis


def _motion(start: Array, place: Values, rotation: Array, w: Array, wd: Array) -> PoseMotion:
    """Poses from what the place has moved by, and the rotation."""
    away, velocity, acceleration = place
    T = np.zeros((len(away), 4, 4))
    T[:, 3, 3] = 1.0
    T[:, :3, :3] = rotation
    T[:, :3, 3] = start[:3, 3] + away
    return PoseMotion(T, np.hstack([velocity, w]), np.hstack([acceleration, wd]))
