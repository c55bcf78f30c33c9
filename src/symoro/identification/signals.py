"""From samples to motions: zero-phase low-pass, differences, parallel decimation, in pieces that overlap.

1. Positions pass a Butterworth filter of order 4 forwards and backwards, which has no phase; velocities and
   accelerations are differences of high order (`differences`) of what came out.
2. Both sides of every equation, each column of W and y alike, pass one symmetric (zero-phase) low-pass with the
   cut-off 0.8 of the new Nyquist rate, and one sample of `decimation` is kept: *parallel decimation*. It takes out of
   y what W cannot contain, and leaves residuals that are nearly white.
3. Rows are dropped where the joint is slow, or rests while its dry friction is sought: friction near standstill is not
   the model's.

A filter that runs backwards needs samples from after a piece. What it forgets decays by the largest modulus p of its
poles, so pieces overlap by the samples in which p^k falls below 1e-18, and give the numbers of the log as a whole. The
decimation filter is finite (Kaiser's window): it needs `REACH` new samples to each side, and forgets exactly.

M. Gautier, "Dynamic identification of robots with power model", ICRA 1997, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.identification.differences import HALF, slopes
from symoro.identification.leaps import check_leaps
from symoro.identification.log import Log

Array = NDArray[np.float64]
ORDER = 4
REACH = 10  # of the decimation filter, in new samples to each side
SHAPE = 5.0  # of Kaiser's window: about 50 dB
PASS = 0.8  # of the new Nyquist rate
FORGOTTEN = 1e-18
PIECE = 8192
# rad/s, or robot lengths per second: a slower joint is at rest, since the sign of its velocity is round-off.
STILL = 1e-6


@dataclass(frozen=True)
class Preparation:
    """What is done to the samples.

    Attributes:
        cutoff: of the low-pass on positions in Hz; None leaves them as they are.
        decimation: how many samples make one row; 1 keeps all, unfiltered.
        slow: rows of a joint slower than this (rad/s, m/s) are dropped.
        piece: samples that are in memory at once, at least.
        half: samples to each side that differences are made of.
        passes: how often the low-pass goes over positions.
    """

    cutoff: float | None = None
    decimation: int = 1
    slow: float = 0.0
    piece: int = PIECE
    half: int = HALF
    passes: int = 1

    def __post_init__(self) -> None:
        if self.cutoff is not None and not self.cutoff > 0:
            raise ArgumentError(f"cutoff: expected a frequency in Hz, a positive number, got {self.cutoff}")
        if self.decimation < 1:
            raise ArgumentError(f"decimation: expected a whole number from 1, got {self.decimation}")
        if not self.slow >= 0:
            raise ArgumentError(f"slow: expected a velocity, zero or more, got {self.slow}")


@dataclass(frozen=True)
class MotionPiece:
    """A piece of motion around the samples `first` .. `first + count` that are its own.

    Attributes:
        start: the sample of row 0 of the arrays; there are some before `first` and after the last.
        rests: (N, n), where a joint stands still: the same position for as long as differences reach.
    """

    start: int
    first: int
    count: int
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    rests: NDArray[np.bool_]


def low_pass(cutoff: float, rate: float) -> Array:
    """Butterworth's filter in second-order sections."""
    if cutoff >= rate / 2:
        raise ArgumentError(
            f"the cut-off of {cutoff:g} Hz is not below half of the {rate:g} samples a second",
            hint="give a lower cut-off, or none",
        )
    from scipy.signal import butter

    return np.asarray(butter(ORDER, cutoff / (rate / 2), output="sos"))


def memory(sections: Array) -> int:
    """After how many samples a filter has forgotten."""
    poles = np.concatenate([np.roots(section[3:]) for section in sections])
    return ceil(log(FORGOTTEN) / log(float(np.abs(poles).max())))


@dataclass(frozen=True, eq=False)
class Plan:
    """How a log is cut into pieces.

    Attributes:
        sections: of the low-pass, in all its passes; None where there is none.
        context: samples that a piece needs beyond its own, to each side.
        ends: samples at both ends of the log, where the filters lean on nothing, that belong to no piece.
        size: of a piece.
    """

    sections: Array | None
    context: int
    ends: int
    size: int


def planned(given: Log, preparation: Preparation) -> Plan:
    """The plan for a log.

    Raises:
        ArgumentError: the log is too short for its filters.
    """
    sections, settle = None, 0
    if preparation.cutoff is not None:
        sections = np.tile(low_pass(preparation.cutoff, given.rate), (preparation.passes, 1))
        settle = preparation.passes * memory(sections)
    reach = REACH * preparation.decimation if preparation.decimation > 1 else 0
    reach += 2 * preparation.half  # of accelerations; of the slope of what is made of velocities
    context = settle + reach
    ends = settle // 4 + reach
    if given.samples <= 2 * ends + preparation.decimation:
        raise ArgumentError(
            f"{given.name}: {given.samples} samples are too few: the filters take {ends} at each end",
            hint="give a longer log, a higher cut-off, or less decimation",
        )
    size = max(preparation.piece, 4 * context)
    size += -size % preparation.decimation
    return Plan(sections, context, ends, size)


def motions(given: Log, preparation: Preparation) -> Iterator[MotionPiece]:
    """The log as pieces of motion, in order; what the filters reach beyond them is there too."""
    plan = planned(given, preparation)
    for start, first, end, arrays in _windows(given, plan.size, plan.context):
        lower, upper = max(first, plan.ends), min(end, given.samples - plan.ends)
        if upper > lower:
            yield _motion(given, arrays, plan.sections, preparation.half, start, lower, upper - lower)


def motion_between(given: Log, preparation: Preparation, first: int, end: int) -> MotionPiece | None:
    """The piece of motion of the samples first .. end alone, for one who does not go through the log."""
    plan = planned(given, preparation)
    lower, upper = max(first, plan.ends), min(end, given.samples - plan.ends)
    if upper <= lower:
        return None
    start = max(0, lower - plan.context)
    arrays = given.part(start, min(given.samples, upper + plan.context))
    return _motion(given, arrays, plan.sections, preparation.half, start, lower, upper - lower)


def _windows(given: Log, size: int, context: int) -> Iterator[tuple[int, int, int, dict[str, Array]]]:
    """(sample of row 0, first own sample, last plus one, arrays), with `context` samples to both sides."""
    held: dict[str, Array] = {}
    start, first, seen = 0, 0, 0
    for chunk in given.chunks(size):
        held = {k: np.concatenate([held[k], chunk[k]]) if held else chunk[k] for k in chunk}
        seen += len(chunk["position"])
        end = seen if seen == given.samples else seen - context
        if end <= first:
            continue
        yield start, first, end, held
        drop = max(0, end - context - start)
        held = {k: array[drop:] for k, array in held.items()}
        start, first = start + drop, end


def _motion(
    given: Log,
    arrays: dict[str, Array],
    sections: Array | None,
    half: int,
    start: int,
    first: int,
    count: int,
) -> MotionPiece:
    rate = given.rate
    if given.measured:
        check_leaps(arrays["position"], start, given)

    def smooth(x: Array) -> Array:
        if sections is None:
            return x
        from scipy.signal import sosfiltfilt

        return np.asarray(sosfiltfilt(sections, x, axis=0))

    q = smooth(arrays["position"])
    qd = smooth(arrays["velocity"]).copy() if "velocity" in arrays else slopes(q, rate, half)
    qdd = smooth(arrays["acceleration"]) if "acceleration" in arrays else slopes(qd, rate, half)
    qd[np.abs(qd) < STILL * given.position_units] = 0.0
    return MotionPiece(start, first, count, q, qd, qdd, arrays["torque"], rests(arrays["position"], 2 * half))


def rests(q: Array, least: int) -> NDArray[np.bool_]:
    """Which samples (N, n) are of more than `least` on end with one value: those that differences blur too."""
    found = np.zeros(q.shape, dtype=bool)
    for k, column in enumerate(q.T):
        ends = np.flatnonzero(np.append(np.diff(column) != 0, True)) + 1
        starts = np.concatenate([[0], ends[:-1]])
        for a, b in zip(starts[ends - starts > least], ends[ends - starts > least], strict=True):
            found[a:b, k] = True
    return found


def decimation_filter(decimation: int) -> Array:
    """2 REACH rows of `decimation` weights: a symmetric low-pass of unit gain, cut into pieces."""
    half = REACH * decimation
    k = np.arange(-half, half)
    taps = np.sinc(PASS * k / decimation) * np.kaiser(2 * half + 1, SHAPE)[:-1]
    taps[0] = 0.0  # one weight more on one side would shift the phase
    return np.asarray((taps / taps.sum()).reshape(2 * REACH, decimation))


def independent_share(decimation: int) -> float:
    """r(0) / sum of r(m), the autocovariances of white noise after the filter, `decimation` samples apart."""
    if decimation == 1:
        return 1.0
    taps = decimation_filter(decimation).ravel()
    every = [float(taps[m:] @ taps[: len(taps) - m]) for m in range(0, len(taps), decimation)]
    return every[0] / (every[0] + 2 * sum(every[1:]))


def decimated(x: Array, weights: Array) -> Array:
    """Filtered samples (K, ...) at REACH blocks from the start of x, and each block further."""
    blocks = len(x) // weights.shape[1]
    flat = x[: blocks * weights.shape[1]].reshape(blocks, weights.shape[1], -1)
    parts = np.matmul(weights, flat)  # (block, row of weights, column)
    count = blocks - len(weights) + 1
    total = parts[:count, 0].copy()
    for row in range(1, len(weights)):
        total += parts[row : row + count, row]
    return np.asarray(total.reshape(count, *x.shape[1:]))
