"""Times of the samples of a log: sampling period, segments between gaps, lost and repeated samples.

Recorded time stamps are uneven for two reasons, which require opposite treatments:

    stamps    the samples were taken at uneven times, and the stamps are these times
    even      the samples were taken evenly, and the stamps are late by a varying latency or rounded to a clock

A wrong choice adds an error of velocity times jitter to the positions. The correct one leaves the smaller noise on
them, so both are compared by the divided differences of order 6 of the positions,

    d_i = sum_j c_j x_(i+j) / |c|,      c_j = 1 / prod over m != j of (t_(i+j) - t_(i+m)),      j, m = 0 .. 6

which are zero for polynomials of degree 5 and have the standard deviation of white noise on x. If noise of the sensors
exceeds both errors, the choice has no effect on the result. Times that differ by less than `EVEN_STEP` from even ones
count as even, unless the stamps leave clearly less noise.

The period T is the median of the time over `PERIOD_STEPS` steps, divided by their number, refined by linear regression
of the times on the sample numbers. A step of more than `LONGEST_STEP` periods is a gap: it ends a segment. In a shorter
step of the base 'even', n samples are lost if the medians of t - k T over 16 samples before and after it differ by
n T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError, Place
from symoro.identification.tolerances import (
    BETTER_FIT,
    CLOCK_DRIFT,
    CLOCK_MULTIPLE,
    CLOSE_STEP,
    DECREASING_STEP,
    DIAGNOSED_SAMPLES,
    EVEN_STEP,
    FASTEST_LOG,
    LONGEST_STEP,
    LOST_SAMPLE,
    NEGLIGIBLE_JITTER,
    REGULAR_STEPS,
    SLOWEST_LOG,
)

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
CLOCK_UNITS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # seconds
PERIOD_STEPS = 16  # steps over which the period is averaged
MEDIAN_SAMPLES = 16  # samples before and after a long step
DIFFERENCE_ORDER = 6  # of the divided differences that compare two time bases
REMEDY = "record the times of the samples, or give the rate of an evenly sampled log, as in 'rate: 500'"


@dataclass(frozen=True, eq=False)
class TimeBase:
    """Times of the usable samples of a log.

    Attributes:
        times: times of the usable samples in seconds, increasing (N,).
        used: numbers of these samples in the log (N,).
        starts: index in `times` of the first sample of each segment.
        period: sampling period in seconds.
        kind: 'uniform' (evenly spaced as recorded), 'stamps' or 'even' (see the module).
        jitter: standard deviation of the steps between samples, relative to the period, without gaps and lost samples.
        lost: number of samples that are missing within segments.
        repeated: number of samples that were dropped, because their time repeats that of another one or nearly so.
    """

    times: Array
    used: Indices
    starts: tuple[int, ...]
    period: float
    kind: str
    jitter: float = 0.0
    lost: int = 0
    repeated: int = 0

    @property
    def spans(self) -> list[tuple[int, int]]:
        """First index and last index plus one of each segment."""
        return list(zip(self.starts, (*self.starts[1:], len(self.times)), strict=True))


def time_base(
    t: Array,
    positions: Callable[[int, int], Array],
    place: Callable[[int], Place],
    *,
    origin: float = 0.0,
    unit: str = "s",
) -> TimeBase:
    """Return the time base of time stamps.

    Args:
        t: time stamps in seconds from `origin`, finite (N,).
        positions: function that returns the positions of the samples start .. stop - 1, (stop - start, n).
        place: function that returns the position of a sample in the user's files.
        origin: time in seconds that was subtracted from the stamps.
        unit: unit of the stamps in the file, for messages.

    Raises:
        FormatError: the stamps are not usable: constant, decreasing, too irregular, or in a wrong unit.
    """
    if len(t) < 2:
        raise FormatError("a log requires more than one sample", place=place(0))
    steps = np.diff(t)
    median = float(np.median(steps))
    window, used = _middle(len(t)), np.arange(len(t))
    if median > 0 and np.abs(steps - median).max() <= EVEN_STEP * median:
        period = float(t[-1] - t[0]) / len(steps)
        _check_period(period, place, unit)
        uniform = TimeBase(t, used, (0,), period, "uniform")
        if np.abs(steps - period).max() <= NEGLIGIBLE_JITTER * period:
            return uniform
        stamps = _stamp_base(t, used, period)
        even = replace(uniform, times=t[0] + period * used)
        ratio = _noise_ratio(even, stamps, window, positions(window.start, window.stop))
        return stamps if ratio > 1 / BETTER_FIT else uniform
    period = _period(t, place)
    _check_period(period, place, unit)
    _check_order(t, period, place, origin)
    x = positions(window.start, window.stop)
    if _repeats_values(t[window], x):
        used = np.flatnonzero(np.append(True, steps > 0))
        period = _period(t[used], place)
    repeated = len(t) - len(used)
    coarse = _rounded_segments(t[used], period)
    if coarse is None:
        _check_regular(t[used], period, lambda k: place(int(used[k])))
    even = _even_base(t, used, coarse or period, repeated)
    if coarse is not None:
        return even
    stamps = _stamp_base(t, used, even.period)
    return even if _noise_ratio(even, stamps, window, x) < 1 else stamps


def _period(t: Array, place: Callable[[int], Place]) -> float:
    """Return the sampling period in seconds of stamps with jitter, a few lost samples and gaps."""
    count = max(1, min(PERIOD_STEPS, (len(t) - 1) // 4))
    period = float(np.median(t[count:] - t[:-count])) / count
    if not period > 0:
        constant = float(np.ptp(t)) == 0
        what = "is the same in all samples" if constant else "does not increase from sample to sample"
        raise FormatError(f"the log has no usable time base: the time {what}", place=place(1), hint=REMEDY)
    return period


def _check_period(period: float, place: Callable[[int], Place], unit: str) -> None:
    if not SLOWEST_LOG <= 1 / period <= FASTEST_LOG:
        few = "few" if 1 / period < SLOWEST_LOG else "many"
        raise FormatError(
            f"{1 / period:.4g} samples per second are too {few} to record the motion of a robot",
            place=place(1),
            hint=f"check whether '{unit}' is the unit of the time",
        )


def _check_order(t: Array, period: float, place: Callable[[int], Place], origin: float) -> None:
    """Check that the times do not decrease by more than the jitter of a clock."""
    back = np.flatnonzero(np.diff(t) < -DECREASING_STEP * period)
    if back.size:
        k = int(back[0])
        raise FormatError(
            f"the time decreases: {t[k + 1] + origin:.9g} s follows {t[k] + origin:.9g} s",
            place=place(k + 1),
            hint="sort the log by its time, or cut it where the clock was reset",
        )


def _check_regular(t: Array, period: float, place: Callable[[int], Place]) -> None:
    """Check that most steps are near the period, so that the samples determine signals between them."""
    steps = np.diff(t)
    inside = steps[steps <= LONGEST_STEP * period]
    regular = np.abs(inside - period) <= DECREASING_STEP * period
    if np.sum(regular) < REGULAR_STEPS * len(steps):
        k = int(np.argmax(np.abs(steps - period) > DECREASING_STEP * period))
        raise FormatError(
            f"the log has no usable time base: only {np.sum(regular)} of {len(steps)} time steps are within "
            f"{DECREASING_STEP:.0%} of the median step of {period:.4g} s; the first other one is {steps[k]:.4g} s",
            place=place(k + 1),
            hint=REMEDY,
        )


def _repeats_values(t: Array, x: Array) -> bool:
    """Return whether samples with equal times are copies of each other; True if the part has no equal times."""
    same = np.flatnonzero(np.diff(t) == 0)
    if not same.size:
        return True
    return bool(np.mean((x[same] == x[same + 1]).all(axis=1)) > 0.5)


def _middle(samples: int) -> slice:
    first = max(0, samples - DIAGNOSED_SAMPLES) // 2
    return slice(first, min(samples, first + DIAGNOSED_SAMPLES))


# -- the two time bases


def _starts(t: Array, period: float) -> tuple[int, ...]:
    """Return the index of the first sample of each segment."""
    return (0, *(np.flatnonzero(np.diff(t) > LONGEST_STEP * period) + 1).tolist())


def _rounded_segments(t: Array, period: float) -> float | None:
    """Return the period of even times that were rounded to a coarse clock; None if they were not rounded.

    Args:
        t: the times, with gaps.
        period: approximate period.
    """
    starts = _starts(t, period)
    parts = [part for part in np.split(t, starts[1:]) if len(part) > 2]
    if not parts or any(rounded_to(part) is None for part in parts):
        return None
    steps = sum(len(part) - 1 for part in parts)
    return sum(float(part[-1] - part[0]) for part in parts) / steps


def _even_base(t: Array, used: Indices, period: float, repeated: int) -> TimeBase:
    """Return the time base of samples that were taken evenly, with stamps that have a latency."""
    stamps = t[used]
    starts = _starts(stamps, period)
    number = np.arange(len(stamps)) + _lost_before(stamps, starts, period)
    spans = list(zip(starts, (*starts[1:], len(stamps)), strict=True))
    top = bottom = 0.0
    for a, b in spans:
        k = number[a:b] - number[a:b].mean()
        top, bottom = top + float(k @ stamps[a:b]), bottom + float(k @ k)
    period = top / bottom if bottom > 0 else period
    times = stamps.copy()
    for a, b in spans:
        k = number[a:b] - number[a]
        times[a:b] = float(np.mean(stamps[a:b] - period * k)) + period * k
    lost = int(number[-1] - number[0]) - (len(stamps) - 1)
    return TimeBase(times, used, starts, period, "even", _jitter(stamps, period), lost, repeated)


def _lost_before(t: Array, starts: tuple[int, ...], period: float) -> NDArray[np.int64]:
    """Return, for each sample, how many samples are lost before it within segments, (N,).

    The longest of neighbouring steps is corrected first, because a lost sample changes the medians around it.
    """
    lost = np.zeros(len(t), dtype=np.int64)
    bounds = np.array([*starts, len(t)])
    steps = np.diff(t)
    long = np.flatnonzero(steps > LOST_SAMPLE * period)
    long = long[~np.isin(long + 1, starts)]
    if not long.size:
        return lost
    segment = np.searchsorted(bounds, long, side="right")
    k = np.arange(MEDIAN_SAMPLES)
    left, right = long[:, None] - k, long[:, None] + 1 + k
    inside_left = left >= bounds[segment - 1][:, None]
    inside_right = right < bounds[segment][:, None]
    left, right = np.maximum(left, 0), np.minimum(right, len(t) - 1)
    most = np.round(steps[long] / period) - 1  # samples that can be lost in each step
    while True:
        off = t - period * (np.arange(len(t)) + np.cumsum(lost))
        before = np.nanmedian(np.where(inside_left, off[left], np.nan), axis=1)
        after = np.nanmedian(np.where(inside_right, off[right], np.nan), axis=1)
        jumps = (after - before) / period
        missing = np.minimum(np.round(jumps), most).astype(np.int64)
        suspects = np.flatnonzero((missing > 0) & (lost[long + 1] == 0))
        if not suspects.size:
            return np.cumsum(lost)
        taken: list[int] = []
        lengths = np.round(steps[long[suspects]] / period, 3)
        for suspect in suspects[np.lexsort((np.abs(jumps - missing)[suspects], -lengths))]:
            at = int(long[suspect])
            if all(abs(at - other) > MEDIAN_SAMPLES for other in taken):
                lost[at + 1] = missing[suspect]
                taken.append(at)


def _stamp_base(t: Array, used: Indices, period: float) -> TimeBase:
    """Return the time base of samples that were taken at their stamps.

    Samples that follow another one by a small fraction of the period are dropped: an interpolation through both would
    amplify their noise.
    """
    given = len(t)
    lost = int(_lost_before(t[used], _starts(t[used], period), period)[-1])
    while True:
        close = np.diff(t[used]) < CLOSE_STEP * period
        if not close.any():
            break
        first = close & ~np.append(False, close[:-1])  # the first of each run, because others may remain
        used = np.delete(used, np.flatnonzero(first) + 1)
    times = t[used]
    starts = _starts(times, period)
    return TimeBase(times, used, starts, period, "stamps", _jitter(times, period), lost, given - len(used))


def _jitter(t: Array, period: float) -> float:
    steps = np.diff(t) / period
    near = steps[steps < LOST_SAMPLE]
    return float(np.std(near)) if near.size else 0.0


def _noise_ratio(first: TimeBase, second: TimeBase, window: slice, x: Array) -> float:
    """Return the noise on positions for one time base relative to that for another one, the mean over the joints.

    Args:
        first, second: the time bases.
        window: range of samples.
        x: positions of these samples.
    """
    a, b = (_noise(base, window, x) for base in (first, second))
    moves = (a > 0) & (b > 0)
    return float(np.exp(np.mean(np.log(a[moves] / b[moves])))) if moves.any() else 1.0


def _noise(base: TimeBase, window: slice, x: Array) -> Array:
    """Return a robust measure of the noise on positions for a time base, one per joint (n,).

    Args:
        base: the time base.
        window: range of samples.
        x: positions of these samples.
    """
    inside = (base.used >= window.start) & (base.used < window.stop)
    t, values = base.times[inside], x[base.used[inside] - window.start]
    size = DIFFERENCE_ORDER + 1
    if len(t) <= size:
        return np.zeros(x.shape[1])
    windows = np.lib.stride_tricks.sliding_window_view(t, size) / base.period
    weights = 1 / np.prod(windows[:, :, None] - windows[:, None, :] + np.eye(size), axis=2)
    weights /= np.linalg.norm(weights, axis=1)[:, None]
    differences = np.zeros((len(windows), x.shape[1]))
    for j in range(size):
        differences += weights[:, j, None] * values[j : j + len(windows)]
    return np.asarray(np.median(np.abs(differences), axis=0))


# -- clocks


def rounded_to(t: Array) -> float | None:
    """Return the clock unit (s) to which evenly spaced times t (s) were rounded; None if they were not rounded."""
    if len(t) < 3 or (np.diff(t) < 0).any():
        return None
    for quantum in CLOCK_UNITS:
        if np.abs(t / quantum - np.round(t / quantum)).max() < CLOCK_MULTIPLE and range_about_line(
            t
        ) < quantum * (1 + CLOCK_MULTIPLE):
            return quantum
    return None


def range_about_line(t: Array) -> float:
    """Return the smallest range (maximum minus minimum) of t - k T over all step sizes T.

    k is the index of a time in t. For evenly spaced times that were rounded, the range is below the unit of the clock.
    """
    k = np.arange(len(t))
    low, high = (float(np.median(np.diff(t))) * (1 + sign * 0.5) for sign in (-1, 1))
    low, high = min(low, (t[-1] - t[0]) / k[-1] * 0.9), max(high, (t[-1] - t[0]) / k[-1] * 1.1)
    for _ in range(80):  # the range is convex in T
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if np.ptp(t - k * first) < np.ptp(t - k * second):
            high = second
        else:
            low = first
    return float(np.ptp(t - k * low))


def check_rate(t: Array, rate: float, place: Callable[[int], Place]) -> None:
    """Check that a given rate agrees with times, which may be rounded.

    Args:
        t: consecutive times in seconds.
        rate: given number of samples per second.
        place: function that returns the position of each of these times in the user's files.

    Raises:
        FormatError: the times contradict the rate.
    """
    if len(t) < 3:
        return
    steps, step = np.diff(t), 1 / rate
    tolerance = max(_unit_of_clock(t), EVEN_STEP * step)
    bad = np.flatnonzero((steps < 0) | (np.abs(steps - step) >= tolerance * (1 - CLOCK_MULTIPLE)))
    slow = abs(float(t[-1] - t[0]) / len(steps) - step) > CLOCK_DRIFT * step + 2 * tolerance / len(steps)
    if not bad.size and (slow or range_about_line(t) > tolerance * (1 + CLOCK_MULTIPLE)):
        # At or soon after a missing sample this difference exceeds the range that rounding allows.
        off = t - step * np.arange(len(t))
        ranges = np.maximum.accumulate(off) - np.minimum.accumulate(off)
        bad = np.array([max(int(np.argmax(ranges > tolerance * (1 + CLOCK_MULTIPLE))) - 1, 0)])
    if bad.size:
        k = int(bad[0])
        missing = "; a sample may be missing" if steps[k] > LOST_SAMPLE * step else ""
        raise FormatError(
            f"the time stamps contradict the rate of {rate:g} samples per second: {t[k + 1]:.9g} s follows "
            f"{t[k]:.9g} s, where {step:.4g} s are expected{missing}",
            place=place(k + 1),
            hint="remove 'rate' and give 'time', so that the log is resampled by its time stamps; without the column "
            "of times the samples are taken as evenly spaced",
        )


def _unit_of_clock(t: Array) -> float:
    """Return the unit in seconds to which the last of the times t (s) are rounded; zero if it is not a common unit."""
    late = t[-max(3, len(t) // 10) :]  # times written with a fixed number of digits become coarser with time
    for quantum in reversed(CLOCK_UNITS):
        if np.abs(late / quantum - np.round(late / quantum)).max() < CLOCK_MULTIPLE:
            return quantum
    return 0.0
