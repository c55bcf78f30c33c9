"""Location of the first event: the first time at which one of several event functions becomes negative.

The functions are evaluated at the Chebyshev points of an interval. A function may become negative between them if the
interpolating polynomial comes near zero or its last coefficients are not small. In this case:

    resolved      (the last coefficients are small) the function is evaluated at every extremum of the polynomial,
                  between which it is monotonic
    not resolved  the interval is halved

If a function is discontinuous, for example when a torque is switched on, the event is the first time after the jump:
the modes after the event depend on the torques that act from then on. SciPy's `solve_ivp` tests signs at the ends of
steps only and misses functions that become negative and positive again within a step.

The interpolation of an integrator is itself a polynomial in each step, so that positions and velocities are resolved
to round-off.

L.N. Trefethen, "Approximation theory and approximation practice", SIAM, 2013, chapters 3, 8 and 18.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from symoro.simulation.tolerances import RESOLVED, ROOT, TIME

Array = NDArray[np.float64]
Margins = Callable[[float], Array]
"""Event functions: a function of time that returns numbers that are positive until an event."""
DEGREE = 9  # two more than the interpolation of DOP853: the last two coefficients estimate the error
HALVINGS = 7
AFTER_JUMP, AFTER_NOISE = 3, 64  # doublings of the width of a root, to get beyond a jump and round-off
_POINTS = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_POINTS, DEGREE))
_BETWEEN = chebyshev.chebvander(np.linspace(-1, 1, 4 * DEGREE + 1), DEGREE) @ _COEFFICIENTS


def first_event(
    margins: Margins, start: float, end: float, before: Array, noise: Array, longest: float = np.inf
) -> tuple[float, int | None, Array]:
    """Return the first time in (start, end] at which an event function is negative.

    Args:
        margins: function of time that returns the values of all event functions.
        start, end: time interval in seconds.
        before: values of the event functions at `start`.
        noise: per function, its round-off; a value above minus this amount counts as zero.
        longest: longest interval that is interpolated, in seconds.

    Returns:
        The time (`end` without an event), the index of the event function (None without an event), and the values of
        all event functions at or shortly after that time.
    """
    pieces = max(1, int(np.ceil((end - start) / longest))) if np.isfinite(longest) else 1
    for a, b in pairwise(np.linspace(start, end, pieces + 1)):
        time, which, before = _first(margins, float(a), float(b), before, noise, HALVINGS)
        if which is not None:
            return time, which, before
    return end, None, before


def _first(
    margins: Margins, start: float, end: float, before: Array, noise: Array, halvings: int
) -> tuple[float, int | None, Array]:
    times = start + (end - start) * (_POINTS + 1) / 2
    times[-1] = end
    rows = np.array([before, *(margins(float(t)) for t in times[1:])])
    candidates, resolved = _candidates(rows, noise)
    if not len(candidates):
        return end, None, rows[-1]
    middle = (start + end) / 2
    if halvings and not resolved[candidates].all() and start < middle < end:
        time, which, half = _first(margins, start, middle, before, noise, halvings - 1)
        if which is not None:
            return time, which, half
        return _first(margins, middle, end, half, noise, halvings - 1)
    looks = list(zip(times, rows, strict=True))
    for t in start + (end - start) * (_extrema(rows[:, candidates]) + 1) / 2:
        looks.append((t, margins(float(t))))
    looks.sort(key=lambda look: float(look[0]))
    for (t0, last), (t1, now) in pairwise(looks):
        fallen = np.flatnonzero((now < -noise) & (last >= -noise))
        if len(fallen):
            roots = [_root(margins, int(k), t0, t1, noise[k], last[k] > 0) for k in fallen]
            first = int(np.argmin(roots))
            return roots[first], int(fallen[first]), now
    return end, None, looks[-1][1]


def _candidates(rows: Array, noise: Array) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the indices of event functions that may become negative in an interval, and a mask of the resolved ones.

    A function is resolved if the polynomial through its values at the Chebyshev points represents it accurately.

    Args:
        rows: values of the functions at the Chebyshev points of the interval, one row per point.
        noise: round-off of each function.
    """
    finite = np.isfinite(rows).all(axis=0)
    known = np.where(finite, rows, 1.0)
    tails = np.abs(_COEFFICIENTS[-2:] @ known).max(axis=0)
    curves = _BETWEEN @ known
    bends = np.abs(np.diff(curves, 2, axis=0)).max(
        axis=0
    )  # a minimum is below its neighbours by less than this
    low = np.minimum(curves.min(axis=0) - bends, known.min(axis=0)) - 4 * tails
    falls = (low < -noise) & (known.max(axis=0) >= -noise)
    return np.flatnonzero(falls), tails <= RESOLVED * np.abs(known).max(axis=0)


def _extrema(rows: Array) -> Array:
    """Return the positions in (-1, 1) of the extrema of interpolating polynomials.

    Args:
        rows: values at the Chebyshev points, one column per polynomial.
    """
    extrema = [np.zeros(0)]
    for column in rows.T:
        slope = chebyshev.chebder(_COEFFICIENTS @ column)
        roots = chebyshev.chebroots(chebyshev.chebtrim(slope, 1e-14 * np.abs(slope).max(initial=0.0)))
        real = roots.real[np.abs(roots.imag) < 1e-6]
        extrema.append(real[np.abs(real) < 1 - ROOT])
    return np.unique(np.concatenate(extrema))


def _root(margins: Margins, k: int, start: float, end: float, noise: float, positive: bool) -> float:
    """Return the first time in (start, end] at which event function k is negative, by bisection.

    A function that stays at zero for some time is not an event, for example the friction margin of a joint whose torque
    equals its friction.

    Args:
        margins: function of time that returns the values of all event functions.
        noise: round-off of the function.
        positive: whether the function is positive at the start; otherwise it must fall below minus the noise.
    """
    from scipy.optimize import brentq

    zero = float(start)
    for level in (0.0, noise) if positive else (noise,):
        zero = float(brentq(lambda t, by=level: float(margins(t)[k]) + by, zero, end, xtol=TIME, rtol=TIME))
        t, width = zero, TIME * (1 + abs(zero))
        for _ in range(AFTER_JUMP if level == 0 else AFTER_NOISE):
            if t >= end or margins(t)[k] + level < 0:
                return min(t, float(end))
            t, width = t + width, 2 * width
    return float(end)
