"""The first moment at which one of several functions of time falls below zero, were it to come back at once.

The functions are looked at in the Chebyshev points of an interval. Where the polynomial through these values comes near
zero, or its last coefficients are not small, the function may fall in between:

    resolved      it is looked at wherever the slope of the polynomial is zero, and runs one way from look to look
    not resolved  the interval is halved

Where a function jumps, as a torque that is switched on makes it, the moment is the first one after the jump: what is
decided there is decided by what acts from then on.

The interpolation of an integrator is itself a polynomial in each step, so that positions and velocities are resolved
but for round-off.

L.N. Trefethen, "Approximation theory and approximation practice", SIAM, 2013, chapters 3, 8 and 18."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Array = NDArray[np.float64]

Margins = Callable[[float], Array]
"""Time -> numbers that stay positive, unless something happens."""
Sizes = tuple[Array, NDArray[np.bool_]]
"""What counts as zero of each function, and which do not jump."""
DEGREE = 9  # two more than those of DOP853's interpolation: the last two coefficients tell the error
RESOLVED = 1e-5  # last coefficients, of the largest value
HALVINGS = 7
XTOL, RTOL = 1e-15, 1e-15  # seconds, and of the moment: how narrowly a jump is found
AFTER, WHOLE = 3, 64  # doublings of this width: past a jump, and past any round-off
INSIDE = 1e-9  # of half an interval: nearer to its ends nothing more is looked at
_POINTS = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_POINTS, DEGREE))
_BETWEEN = chebyshev.chebvander(np.linspace(-1, 1, 4 * DEGREE + 1), DEGREE) @ _COEFFICIENTS


def first_crossing(
    values: Margins,
    start: float,
    end: float,
    before: Array,
    noise: Array,
    longest: float = np.inf,
    places: Sequence[int] = (),
) -> tuple[float, int | None, Array]:
    """The first moment at which a function that was not negative becomes so, and which one; the values at the end.

    Arguments:
        before: the values at the start.
        noise: of each function: what is less below zero counts as zero.
        longest: of the intervals that are looked at.
        places: the functions that do not jump: one that starts at zero falls there, and not below its noise.
    """
    placed = np.zeros(len(noise), dtype=bool)
    placed[list(places)] = True
    sizes = noise, placed
    pieces = max(1, int(np.ceil((end - start) / longest))) if np.isfinite(longest) else 1
    edges = np.linspace(start, end, pieces + 1)
    for a, b in pairwise(edges):
        time, which, before = _first(values, float(a), float(b), before, sizes, HALVINGS)
        if which is not None:
            return time, which, before
    return end, None, before


def _first(
    values: Margins, start: float, end: float, before: Array, sizes: Sizes, halvings: int
) -> tuple[float, int | None, Array]:
    times = start + (end - start) * (_POINTS + 1) / 2
    times[-1] = end
    rows = np.array([before, *(values(float(t)) for t in times[1:])])
    doubtful, resolved = _doubtful(rows, sizes[0])
    middle = (start + end) / 2
    if halvings and not resolved[doubtful].all() and start < middle < end:
        time, which, half = _first(values, start, middle, before, sizes, halvings - 1)
        if which is not None:
            return time, which, half
        return _first(values, middle, end, half, sizes, halvings - 1)
    looks = list(zip(times, rows, strict=True))
    for t in start + (end - start) * (_extrema(rows[:, doubtful]) + 1) / 2:
        looks.append((t, values(float(t))))
    return _walk(values, sorted(looks, key=lambda look: look[0]), sizes)


def _doubtful(rows: Array, noise: Array) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The functions that may fall below zero, and which of all are resolved."""
    finite = np.isfinite(rows).all(axis=0)
    known = np.where(finite, rows, 1.0)
    tails = np.abs(_COEFFICIENTS[-2:] @ known).max(axis=0)
    curves = _BETWEEN @ known
    bends = np.abs(np.diff(curves, 2, axis=0)).max(axis=0)  # a minimum lies lower than its neighbours by less
    low = np.minimum(curves.min(axis=0) - bends, known.min(axis=0)) - 4 * tails
    may = (low < -noise) & (known.max(axis=0) >= -noise)
    return np.flatnonzero(may), tails <= RESOLVED * np.abs(known).max(axis=0)


def _extrema(rows: Array) -> Array:
    """Where the polynomials through the values have no slope, between -1 and 1."""
    found = [np.zeros(0)]
    for column in rows.T:
        slope = chebyshev.chebder(_COEFFICIENTS @ column)
        roots = chebyshev.chebroots(chebyshev.chebtrim(slope, 1e-14 * np.abs(slope).max(initial=0.0)))
        real = roots.real[np.abs(roots.imag) < 1e-6]
        found.append(real[np.abs(real) < 1 - INSIDE])
    return np.unique(np.concatenate(found))


def _walk(values: Margins, looks: list[tuple[float, Array]], sizes: Sizes) -> tuple[float, int | None, Array]:
    """The first fall from look to look."""
    noise, placed = sizes
    before, last = looks[0]
    for t, now in looks[1:]:
        fallen = np.flatnonzero((now < -noise) & (last >= -noise))
        if len(fallen):
            times = [
                before
                if placed[k] and last[k] <= 0
                else _fall(values, int(k), before, t, noise[k], last[k] > 0)
                for k in fallen
            ]
            k = int(np.argmin(times))
            return float(times[k]), int(fallen[k]), now
        before, last = t, now
    return float(before), None, last


def _fall(values: Margins, k: int, start: float, end: float, noise: float, positive: bool) -> float:
    """The first moment at which a function is negative; of one that starts at zero, below its noise.

    One that stays at zero for a while, a torque that is what a joint can hold, has not fallen yet.
    """
    from scipy.optimize import brentq

    zero = start
    for level in (0.0, noise) if positive else (noise,):
        zero = float(brentq(lambda t, by=level: float(values(t)[k]) + by, zero, end, xtol=XTOL, rtol=RTOL))
        t, width = zero, XTOL + RTOL * abs(zero)
        for _ in range(AFTER if level == 0 else WHOLE):
            if t >= end or values(t)[k] + level < 0:
                return min(t, end)
            t, width = t + width, 2 * width
    return end
