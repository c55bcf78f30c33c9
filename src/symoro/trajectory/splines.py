"""Smooth curves through points: a quintic spline from rest to rest, a cubic one through many samples.

Quintic: on each interval the polynomial of degree five with the positions, velocities and accelerations of its ends.
Those of the inner points follow from the third and fourth derivative being the same on both sides; at the ends both
are zero. Of all curves through the points it has the least integral of jerk squared.

Cubic: the natural spline, its second derivative continuous and zero at the ends, by elimination of a tridiagonal
system; and for slopes alone that with no knot at the second point and the last but one, which meets them at the ends as
well as between.

C. de Boor, "A practical guide to splines", Springer, 2001, chapters 4 and 5."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Values = tuple[Array, Array, Array]
"""A quantity, its first and its second derivative."""
KINK = 1e-3  # of the largest third derivative: a jump of it that counts
ROUND_OFF = 1e-12  # of positions, in third derivatives by differences

# Coefficients of x^3, x^4, x^5 (rows) from the ends' p0, v0, a0, p1, v1, a1 on an interval of length 1.
_HERMITE = np.array([[-10, -6, -1.5, 10, -4, 0.5], [15, 8, 1.5, -15, 7, -1], [-6, -3, -0.5, 6, -3, 0.5]])


def quintic_through(times: Array, points: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (m, n) at points (m, n) that a smooth motion from rest to rest has."""
    m = len(times)
    rates, seconds = np.zeros_like(points), np.zeros_like(points)
    if m <= 2:
        return rates, seconds
    inner = m - 2
    system, right = np.zeros((2 * inner, 2 * inner)), np.zeros((2 * inner, points.shape[1]))
    for row in range(inner):
        at = row + 1
        for side, sign in ((at - 1, 1.0), (at, -1.0)):  # interval before: its end; after: its start
            h = times[side + 1] - times[side]
            x = 1.0 if sign > 0 else 0.0
            third = (6 * _HERMITE[0] + 24 * x * _HERMITE[1] + 60 * x**2 * _HERMITE[2]) / h**3
            fourth = (24 * _HERMITE[1] + 120 * x * _HERMITE[2]) / h**4
            for k, derivative in enumerate((third, fourth)):
                _enter(system, right, 2 * row + k, sign * derivative, side, h, points, m)
    scale = np.abs(system).max(axis=1)
    found = np.linalg.solve(system / scale[:, None], right / scale[:, None])
    rates[1:-1], seconds[1:-1] = found[0::2], found[1::2]
    return rates, seconds


def _enter(
    system: Array, right: Array, row: int, weights: Array, side: int, h: float, points: Array, m: int
) -> None:
    """Add one derivative on one side of a point to its equation."""
    for end in (0, 1):
        position, rate, second = weights[3 * end : 3 * end + 3] * (1.0, h, h**2)
        right[row] -= position * points[side + end]
        at = side + end - 1  # among the inner points
        if 0 <= at < m - 2:
            system[row, 2 * at] += rate
            system[row, 2 * at + 1] += second


def hermite(times: Array, points: Array, rates: Array, seconds: Array, t: Array) -> Values:
    """The quintic pieces through points with these derivatives, at times; outside, the state of the nearer end."""
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = (times[k + 1] - times[k])[:, None]
    x = np.clip((t - times[k])[:, None] / h, 0.0, 1.0)
    c0, c1, c2, c3, c4, c5 = _quintics(times, points, rates, seconds, k)
    value = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
    first = c1 + x * (2 * c2 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))
    second = 2 * c2 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))
    return np.asarray(value), np.asarray(first / h), np.asarray(second / h**2)


def hermite_higher(
    times: Array, points: Array, rates: Array, seconds: Array, t: Array
) -> tuple[Array, Array]:
    """Their third and fourth derivatives; outside, zero."""
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = (times[k + 1] - times[k])[:, None]
    inside = ((t >= times[0]) & (t <= times[-1]))[:, None]
    x = np.clip((t - times[k])[:, None] / h, 0.0, 1.0)
    *_, c3, c4, c5 = _quintics(times, points, rates, seconds, k)
    third, fourth = 6 * c3 + x * (24 * c4 + x * 60 * c5), 24 * c4 + x * 120 * c5
    return np.where(inside, third / h**3, 0.0), np.where(inside, fourth / h**4, 0.0)


def _quintics(times: Array, points: Array, rates: Array, seconds: Array, k: NDArray[np.intp]) -> list[Array]:
    """The coefficients of pieces k, over the share of their time."""
    h = (times[k + 1] - times[k])[:, None]
    ends = [
        points[k],
        rates[k] * h,
        seconds[k] * h**2,
        points[k + 1],
        rates[k + 1] * h,
        seconds[k + 1] * h**2,
    ]
    higher = [np.asarray(sum(w * e for w, e in zip(row, ends, strict=True))) for row in _HERMITE]
    return [ends[0], ends[1], ends[2] / 2, *higher]


def kinks(times: Array, points: Array, rates: Array, seconds: Array) -> Array:
    """Times at which the quintic pieces of `hermite` meet with different third derivatives."""
    if len(times) < 3:
        return np.zeros(0)
    _, _, _, c3, c4, c5 = _quintics(times, points, rates, seconds, np.arange(len(times) - 1))
    cubed = np.diff(times)[:, None] ** 3
    first, last = 6 * c3 / cubed, (6 * c3 + 24 * c4 + 60 * c5) / cubed
    jumps = np.abs(first[1:] - last[:-1])
    largest = np.maximum(np.abs(first), np.abs(last)).max(axis=0)
    noise = ROUND_OFF * np.abs(points).max(axis=0) / np.diff(times).min() ** 3
    return np.asarray(times[1:-1][(jumps > KINK * largest + noise).any(axis=1)])


def cubic_rates(times: Array, points: Array) -> tuple[Array, Array]:
    """Velocities and accelerations at two points or more of the natural cubic spline through them."""
    m = len(times)
    h = np.diff(times)[:, None]
    slope = np.diff(points, axis=0) / h
    seconds = np.zeros_like(points)
    diagonal, right = 2 * (h[:-1] + h[1:]), 6 * np.diff(slope, axis=0)
    for k in range(1, m - 2):  # forward elimination
        factor = h[k] / diagonal[k - 1]
        diagonal[k] = diagonal[k] - factor * h[k]
        right[k] = right[k] - factor * right[k - 1]
    for k in range(m - 3, -1, -1):
        seconds[k + 1] = (right[k] - h[k + 1] * seconds[k + 2]) / diagonal[k]
    rates = np.empty_like(points)
    rates[:-1] = slope - h * (2 * seconds[:-1] + seconds[1:]) / 6
    rates[-1] = slope[-1] + h[-1] * (seconds[-2] + 2 * seconds[-1]) / 6
    return rates, seconds


def cubic_slopes(times: Array, points: Array) -> Array:
    """The slopes at three points or more of the cubic spline without knots next to the ends."""
    m = len(times)
    h = np.diff(times)[:, None]
    d = np.diff(points, axis=0) / h
    if m == 3:  # a parabola
        bend = (d[1] - d[0]) / (h[0] + h[1])
        return np.stack([d[0] - h[0] * bend, d[0] + h[0] * bend, d[1] + h[1] * bend])
    first, last = h[0] + h[1], h[-2] + h[-1]
    diagonal = np.concatenate([h[1:2], 2 * (h[:-1] + h[1:]), h[-2:-1]])
    right = np.empty_like(points)
    right[0] = ((h[0] + 2 * first) * h[1] * d[0] + h[0] ** 2 * d[1]) / first
    right[1:-1] = 3 * (h[1:] * d[:-1] + h[:-1] * d[1:])
    right[-1] = (h[-1] ** 2 * d[-2] + (2 * last + h[-1]) * h[-2] * d[-1]) / last
    below = np.concatenate([h[1:], last[None]])
    above = np.concatenate([first[None], h[:-1]])
    for k in range(1, m):
        factor = below[k - 1] / diagonal[k - 1]
        diagonal[k] = diagonal[k] - factor * above[k - 1]
        right[k] = right[k] - factor * right[k - 1]
    slopes = right / diagonal
    for k in range(m - 2, -1, -1):
        slopes[k] -= above[k] / diagonal[k] * slopes[k + 1]
    return np.asarray(slopes)
