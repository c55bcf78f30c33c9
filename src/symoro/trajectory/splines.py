"""Smooth curves through points, by SciPy's piecewise polynomials.

A quintic piece is determined by the positions, velocities and accelerations at its two ends. The quintic spline from
rest to rest is four times differentiable; of all curves through the points it has the least integral of the squared
jerk. The cubic splines are the natural spline and, for derivatives only, the not-a-knot spline.

C. de Boor, "A practical guide to splines", Springer, 2001, chapters 4 and 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.trajectory.tolerances import JERK_JUMP, JERK_ROUND_OFF

Array = NDArray[np.float64]
Values = tuple[Array, Array, Array]
"""A quantity and its first and second derivatives."""


def quintic_pieces(times: Array, points: Array, rates: Array, seconds: Array) -> Any:
    """Return the piecewise quintic polynomial (SciPy `PPoly`) with given values and derivatives at given times.

    Args:
        times: times (m,).
        points, rates, seconds: values, first and second derivatives at these times (m, n).
    """
    from scipy.interpolate import PPoly

    h = np.diff(times)[:, None]
    move, v0, v1 = np.diff(points, axis=0), rates[:-1] * h, rates[1:] * h
    a0, a1 = seconds[:-1] * h**2, seconds[1:] * h**2
    c3 = 10 * move - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * move + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * move - 3 * (v0 + v1) - 0.5 * (a0 - a1)
    coefficients = [c5 / h**5, c4 / h**4, c3 / h**3, seconds[:-1] / 2, rates[:-1], points[:-1]]
    return PPoly(np.array(coefficients), times)


def with_derivatives(curve: Any) -> Any:
    """Return a `PPoly` with columns for a curve, its first and its second derivative, evaluated by one call."""
    from scipy.interpolate import PPoly

    parts = [curve.c]
    for order in (1, 2):
        c = curve.derivative(order).c
        parts.append(np.concatenate([np.zeros((order, *c.shape[1:])), c]))
    return PPoly(np.concatenate(parts, axis=2), curve.x)


def values_at(triple: Any, t: Array) -> Values:
    """Evaluate a result of `with_derivatives` at times t; return values, first and second derivatives.

    At times outside the interval of the curve, the values and derivatives of the nearer end are returned.

    Args:
        triple: result of `with_derivatives`.
    """
    q, qd, qdd = np.split(triple(np.clip(t, triple.x[0], triple.x[-1])), 3, axis=-1)
    return q, qd, qdd


def quintic_through(times: Array, points: Array) -> tuple[Array, Array]:
    """Return velocities and accelerations, at given points, of the smoothest motion through them from rest to rest.

    Args:
        times: times (m,).
        points: points (m, n).

    Returns:
        Velocities (m, n) and accelerations (m, n).
    """
    from scipy.interpolate import make_interp_spline

    rest = [(order, np.zeros(points.shape[1])) for order in (1, 2)]
    spline = make_interp_spline(times, points, k=5, bc_type=(rest, rest))
    rates, seconds = spline(times, 1), spline(times, 2)
    rates[[0, -1]] = seconds[[0, -1]] = 0.0  # exactly at rest
    return rates, seconds


def kinks(curve: Any) -> Array:
    """Return the times at which the third derivative of a piecewise quintic curve is discontinuous."""
    times, h = curve.x, np.diff(curve.x)
    if len(times) < 3:
        return np.zeros(0)
    c5, c4, c3 = curve.c[:3]
    first, last = 6 * c3, 6 * c3 + 24 * c4 * h[:, None] + 60 * c5 * h[:, None] ** 2
    jumps = np.abs(first[1:] - last[:-1])
    largest = np.maximum(np.abs(first), np.abs(last)).max(axis=0)
    noise = JERK_ROUND_OFF * np.abs(curve.c[5]).max(axis=0) / h.min() ** 3
    return np.asarray(times[1:-1][(jumps > JERK_JUMP * largest + noise).any(axis=1)])


def cubic_rates(times: Array, points: Array) -> tuple[Array, Array]:
    """Return the velocities and accelerations of the natural cubic spline at its points.

    Args:
        times: times (m,), m >= 2.
        points: points (m, n).
    """
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(times, points, bc_type="natural")
    return spline(times, 1), spline(times, 2)


def cubic_slopes(times: Array, points: Array) -> Array:
    """Return the first derivatives of the not-a-knot cubic spline at its points.

    Args:
        times: times (m,), m >= 3.
        points: points (m, n).
    """
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(times, points)(times, 1))
