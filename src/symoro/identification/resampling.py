"""Resampling of a log with uneven or asynchronous times onto a uniform grid, piece by piece.

The quantities of a log are streams with a time base each (`time_base`); the streams of one clock may have different
times and rates. The grid has the period T of the slowest stream. It covers the segments in which every stream has
samples: no signal is interpolated over a gap. The samples on the grid are those of the interpolating spline of degree
5. At w radians per sample its relative error is, to first order,

    (w / (2 pi - w))^6

which is 1 % at the frequency 0.32 / T. This is the limit of the band that remains usable, with the longest step between
samples in place of T. White noise on torques is attenuated above this band only, so decimated rows remain white.

The spline is computed from `CONTEXT` samples around a piece. The effect of a sample decays by 0.43 per sample, so the
result does not depend on the size of the pieces.

M. Unser, A. Aldroubi, M. Eden, "Polynomial spline signal approximations: filter design and asymptotic equivalence with
Shannon's sampling theorem", IEEE Trans. Inf. Theory 38, 1992.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError, Place
from symoro.identification.base_motion import continuous_orientation
from symoro.identification.time_base import TimeBase
from symoro.identification.tolerances import BAND_ERROR, CLOCK_MULTIPLE, EVEN_STEP, SAME_TIME

Array = NDArray[np.float64]
DEGREE = 5
CONTEXT = 48  # samples: 0.43^48 is below the round-off of numbers
EQUAL_SAMPLES = 3  # samples to each side: a joint rests between samples if these are equal


@dataclass(frozen=True, eq=False)
class Stream:
    """Quantities of a log that were sampled at the same times.

    Attributes:
        base: the times.
        read: function; `read(start, stop)` returns the recorded samples start .. stop - 1 by quantity.
        joints: by quantity the indices of the joints that its columns belong to.
        place: function that returns the position of a recorded sample in the user's files.
    """

    base: TimeBase
    read: Callable[[int, int], dict[str, Array]]
    joints: Mapping[str, Sequence[int]]
    place: Callable[[int], Place]


@dataclass(frozen=True)
class Resampling:
    """Losses of a log that was resampled.

    Attributes:
        recorded: number of recorded samples (of the stream with the torques, or of the positions).
        interpolated: share of the samples that are not recorded ones.
        lost: number of samples that are missing within segments, in all streams.
        repeated: number of recorded samples that were dropped because of repeated times, in all streams.
        gaps: start (seconds from the first sample) and length (s) of each gap.
        band: largest frequency in Hz at which the error of interpolation is below 1 %.
        jitter: standard deviation of the time steps relative to the period.
        kind: 'stamps' if the time stamps were used as they are, 'even' if the samples were taken evenly.
        streams: number of streams with different times.
    """

    recorded: int
    interpolated: float
    lost: int
    repeated: int
    gaps: tuple[tuple[float, float], ...]
    band: float
    jitter: float
    kind: str
    streams: int = 1

    def __str__(self) -> str:
        base = (
            "samples taken at their time stamps"
            if self.kind == "stamps"
            else "samples taken evenly, with inaccurate time stamps"
        )
        parts = [f"steps vary by {self.jitter:.2%} of the period ({base})"]
        if self.streams > 1:
            parts.append(f"{self.streams} sets of times merged")
        parts.append(f"{self.interpolated:.1%} of the samples interpolated")
        counts = [(self.lost, "lost"), (self.repeated, "repeated and dropped")]
        parts += [f"{count} sample{'s'[: count > 1]} {what}" for count, what in counts if count]
        if self.gaps:
            listed = ", ".join(f"{length:.3g} s at {start:.4g} s" for start, length in self.gaps[:5])
            more = ", ..." if len(self.gaps) > 5 else ""
            parts.append(f"{len(self.gaps)} gap{'s'[: len(self.gaps) > 1]} ({listed}{more})")
        parts.append(f"usable up to {self.band:.3g} Hz")
        return "; ".join(parts)


class Grid:
    """Uniform grid of sample times, on which the streams of a log are interpolated.

    Attributes:
        period: time between samples in seconds.
        samples: number of samples of all segments.
        starts: number of the first sample of each segment.
        report: losses by resampling.
    """

    def __init__(self, streams: Sequence[Stream], place: Place) -> None:
        """Lay the grid over the segments in which all streams have samples.

        Args:
            streams: the streams.
            place: file of the log, for errors.

        Raises:
            FormatError: the streams have no times in common.
        """
        self.streams = tuple(streams)
        self.period = max(stream.base.period for stream in streams)
        spans = _common_spans([stream.base for stream in streams])
        counts = [floor((last - first) / self.period + CLOCK_MULTIPLE) + 1 for first, last in spans]
        kept = [(span, count) for span, count in zip(spans, counts, strict=True) if count > 1]
        if not kept:
            raise FormatError(
                "the log has no usable time base: positions and torques have no times in common",
                place=place,
                hint="check whether the time stamps of all columns, files or topics are from one clock",
            )
        self._origins = [first for (first, _), _ in kept]
        self._counts = [count for _, count in kept]
        ends = np.cumsum(self._counts)
        self.samples = int(ends[-1])
        self.starts = (0, *(int(end) for end in ends[:-1]))
        self.report = self._losses()

    def part(self, start: int, stop: int) -> dict[str, Array]:
        """Return the samples start .. stop - 1 by quantity."""
        pieces = []
        for first, origin, count in zip(self.starts, self._origins, self._counts, strict=True):
            a, b = max(start, first), min(stop, first + count)
            if b > a:
                pieces.append(
                    self._interpolated(origin + self.period * np.arange(a - first, b - first, dtype=float))
                )
        return {kind: np.concatenate([piece[kind] for piece in pieces]) for kind in pieces[0]}

    def place(self, sample: int) -> Place:
        """Return the position in the user's files of the recorded sample that is nearest to a sample of the grid."""
        stream = self.streams[0]
        base = stream.base
        return stream.place(int(base.used[_nearest(base.times, np.array([self._time(sample)]))[0]]))

    def _time(self, sample: int) -> float:
        segment = int(np.searchsorted(self.starts, sample, side="right")) - 1
        return self._origins[segment] + self.period * (sample - self.starts[segment])

    def _interpolated(self, times: Array) -> dict[str, Array]:
        """Return the samples at consecutive times of one segment by quantity."""
        values: dict[str, dict[int, Array]] = {}
        for stream in self.streams:
            base = stream.base
            a, b = next(
                (a, b)
                for a, b in base.spans
                if base.times[b - 1] >= times[0] - EVEN_STEP * self.period
                and base.times[a] <= times[0] + EVEN_STEP * self.period
            )
            first = max(a, int(np.searchsorted(base.times, times[0])) - CONTEXT)
            last = min(b, int(np.searchsorted(base.times, times[-1])) + CONTEXT)
            used = base.used[first:last]
            raw = stream.read(int(used[0]), int(used[-1]) + 1)
            kept = {kind: x[used - used[0]] for kind, x in raw.items()}
            for kind, x in continuous_orientation(kept).items():
                dense = _spline(base.times[first:last], x, times, SAME_TIME * base.period)
                for k, joint in enumerate(stream.joints[kind]):
                    values.setdefault(kind, {})[joint] = dense[:, k]
        return {
            kind: np.column_stack([columns[joint] for joint in sorted(columns)])
            for kind, columns in values.items()
        }

    def _losses(self) -> Resampling:
        bases = [stream.base for stream in self.streams]
        torques = [stream.base for stream in self.streams if "torque" in stream.joints]
        main = (torques or bases)[0]
        inexact, longest = 0, 0.0
        for origin, count in zip(self._origins, self._counts, strict=True):
            grid = origin + self.period * np.arange(count, dtype=float)
            off = np.zeros(count, dtype=bool)
            for base in bases:
                off |= np.abs(base.times[_nearest(base.times, grid)] - grid) > EVEN_STEP * self.period
                inside = (base.times >= grid[0] - self.period) & (base.times <= grid[-1] + self.period)
                steps = np.diff(base.times[inside])
                steps = steps[steps <= max(map(_longest_step, bases))]
                longest = max(longest, float(steps.max(initial=0.0)))
            inexact += int(off.sum())
        ends = [o + self.period * (n - 1) for o, n in zip(self._origins, self._counts, strict=True)]
        gaps = [(end, first) for end, first in zip(ends[:-1], self._origins[1:], strict=True)]
        ratio = BAND_ERROR ** (1 / (DEGREE + 1))
        return Resampling(
            len(main.used) + main.repeated,
            inexact / self.samples,
            sum(base.lost for base in bases),
            sum(base.repeated for base in bases),
            tuple((end - self._origins[0], first - end) for end, first in gaps),
            ratio / (1 + ratio) / longest if inexact else 0.5 / self.period,
            max(base.jitter for base in bases),
            "stamps" if any(base.kind == "stamps" for base in bases) else "even",
            len(bases),
        )


def _longest_step(base: TimeBase) -> float:
    inside = np.delete(np.diff(base.times), np.array(base.starts[1:], dtype=int) - 1)
    return float(inside.max(initial=base.period))


def _common_spans(bases: Sequence[TimeBase]) -> list[tuple[float, float]]:
    """Return the first and last time of each interval in which all time bases have samples without gaps."""
    common = [(-np.inf, np.inf)]
    for base in bases:
        own = [(float(base.times[a]), float(base.times[b - 1])) for a, b in base.spans]
        pairs = [(max(a, c), min(b, d)) for a, b in common for c, d in own]
        common = [(first, last) for first, last in pairs if last > first]
    return common


def _nearest(times: Array, at: Array) -> NDArray[np.intp]:
    """Return the indices of the times that are nearest to given times."""
    right = np.clip(np.searchsorted(times, at), 1, len(times) - 1)
    return np.where(at - times[right - 1] <= times[right] - at, right - 1, right)


def _spline(times: Array, x: Array, at: Array, tolerance: float) -> Array:
    """Return the values at given times of the spline of degree 5 through samples x (N, n).

    Samples at these times are returned unchanged, and equal samples of a joint at rest remain exactly equal.

    Args:
        times: times of the samples, increasing.
        x: the samples.
        at: times of the results.
        tolerance: largest difference in seconds between equal times, due to round-off.
    """
    nearest = _nearest(times, at)
    exact = np.abs(times[nearest] - at) <= tolerance
    if exact.all():
        return np.asarray(x[nearest])
    from scipy.interpolate import make_interp_spline

    degree = next(k for k in (DEGREE, 3, 1) if len(times) > k)
    length = times[-1] - times[0]
    dense = make_interp_spline((times - times[0]) / length, x, degree)((at - times[0]) / length)
    changes = np.zeros(x.shape, dtype=int)
    changes[1:] = np.cumsum(np.diff(x, axis=0) != 0, axis=0)
    right = np.searchsorted(times, at)
    before = np.clip(right - EQUAL_SAMPLES, 0, len(x) - 1)
    after = np.clip(right + EQUAL_SAMPLES - 1, 0, len(x) - 1)
    same = exact[:, None] | (changes[before] == changes[after])
    return np.where(same, x[nearest], dense)
