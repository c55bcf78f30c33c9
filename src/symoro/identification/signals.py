"""Signal processing: jumps, zero-phase low-pass filter, differences and parallel decimation, in overlapping pieces.

1. Positions with jumps are rejected. Neighbouring steps of a moving joint are similar. A step is a jump if at most two
   of the sixteen around it are more than a tenth of it (a spike has two steps), and if it exceeds what the acceleration
   of a joint and a few counts of a coarse encoder explain.
2. Positions pass a Butterworth filter of order 4 forwards and backwards, which has zero phase; velocities and
   accelerations are differences of high order,

       f'(k) = rate sum over i = 1 .. m of c_i (f(k+i) - f(k-i)),    c_i = (-1)^(i+1) m!^2 / (i (m-i)! (m+i)!)

   They are exact for polynomials of degree 2 m and maximally flat. The derivative of a sine of w radians per sample is
   too small by the share m!^2 / (2m+1)! w^(2m): for m = 8 6e-11 at w = 0.5 and 2.5e-6 at w = 1. At half of the sampling
   rate the gain is zero. Integrals over one step are those of the polynomial through m samples around it (Fornberg
   1988).
3. Both sides of every equation, each column of W and y alike, pass one symmetric low-pass filter with the cut-off 0.8
   of the new Nyquist frequency, and one sample of `decimation` is kept (parallel decimation, Gautier 1997). This
   removes from y the frequencies that W cannot contain, and leaves residuals that are nearly white.
4. Rows are dropped if the joint is slow, or rests while its dry friction is estimated.

A filter that runs backwards requires samples from after a piece. Its memory decays by the largest modulus p of its
poles, so pieces overlap by the samples in which p^k falls below 1e-18; the results equal those of the log as a whole.
The decimation filter is finite (Kaiser's window): it requires `REACH` new samples to each side.

B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Math. Comp. 51, 1988. M. Gautier,
"Dynamic identification of robots with power model", ICRA 1997, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, comb, factorial, log, pi

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError
from symoro.identification.base_motion import BaseMotion, base_motion
from symoro.identification.contacts import contact_wrenches
from symoro.identification.log import Log
from symoro.identification.tolerances import (
    JUMP_ACCELERATION,
    JUMP_ALIKE,
    JUMP_LEAST,
    JUMP_NEIGHBOURS,
    JUMP_OTHERS,
    JUMP_STEPS,
    JUMP_USUAL,
    SPIKE_REST,
    VELOCITY_AT_REST,
    WHOLE_TURN,
)

# -- differences


Array = NDArray[np.float64]
HALF = 8  # samples on each side


def slope_weights(half: int) -> Array:
    """Return the weights c_1 .. c_m of the finite difference formula with m samples on each side.

    Args:
        half: the number m.
    """
    m = factorial(half)
    return np.array(
        [
            (-1) ** (i + 1) * m * m / (i * factorial(half - i) * factorial(half + i))
            for i in range(1, half + 1)
        ]
    )


def inner_slopes(x: Array, rate: float, half: int = HALF) -> Array:
    """Return the time derivatives of samples x (N, ...) at the inner samples, (N - 2 half, ...).

    Args:
        x: the samples.
        rate: samples per second.
        half: number of samples on each side that a derivative uses.
    """
    count = len(x) - 2 * half
    slope = np.zeros((max(count, 0), *x.shape[1:]))
    for i, weight in enumerate(slope_weights(half) * rate, 1):
        slope += weight * (x[half + i : half + i + count] - x[half - i : half - i + count])
    return slope


def slopes(x: Array, rate: float, half: int = HALF) -> Array:
    """Return the time derivatives of samples x (N, ...) at all samples.

    At the first and last `half` samples, differences of neighbouring samples are used.

    Args:
        x: the samples.
        rate: samples per second.
        half: number of samples on each side that a derivative uses.
    """
    if len(x) < 2:
        return np.zeros_like(x)
    slope = np.gradient(x, 1 / rate, axis=0)
    if len(x) > 2 * half:
        slope[half:-half] = inner_slopes(x, rate, half)
    return np.asarray(slope)


def slope_gain(w: Array, half: int = HALF) -> Array:
    """Return the gain of the finite differences at frequencies w (radians per sample), for one sample per second.

    Args:
        w: the frequencies.
        half: number of samples on each side that a derivative uses.
    """
    i = np.arange(1, half + 1)
    return np.asarray(2 * np.sin(np.multiply.outer(w, i)) @ slope_weights(half))


def beside(half: int) -> int:
    """Return how many samples outside a time step, on each side, the integral over the step uses.

    Args:
        half: number of samples on each side that a time derivative uses.
    """
    return half // 2 - 1


def step_integrals(x: Array, rate: float, half: int = HALF) -> Array:
    """Return the integrals of samples x (N, ...) over each time step, except `beside(half)` steps at each end.

    Args:
        x: the samples.
        rate: samples per second.
        half: number of samples that the integration formula uses.
    """
    count = len(x) - 1 - 2 * beside(half)
    integrals = np.zeros((max(count, 0), *x.shape[1:]))
    for i, weight in enumerate(step_weights(half) / rate):
        integrals += weight * x[i : i + count]
    return integrals


def step_weights(half: int) -> Array:
    """Return the weights of the samples for the integral over a time step.

    The integral is exact for polynomials of degree `half` - 1.
    """
    at = (
        np.arange(-beside(half), beside(half) + 2) - 0.5
    ) / half  # positions relative to the middle of the step
    powers = np.arange(len(at))
    end = 0.5 / half
    exact = half * (end ** (powers + 1) - (-end) ** (powers + 1)) / (powers + 1)
    return np.asarray(np.linalg.solve(at[None, :] ** powers[:, None], exact))


# -- jumps


def check_jumps(q: Array, start: int, log: Log) -> None:
    """Check that positions have no jumps.

    Args:
        q: consecutive raw positions of a log (N, n).
        start: number of the first of these samples.
        log: the log, for the error.

    Raises:
        FormatError: there is a jump; the error contains the line of the sample after it.
    """
    steps = np.abs(np.diff(q, axis=0))
    if not len(steps):
        return
    least = max(JUMP_LEAST, JUMP_ACCELERATION / log.rate**2) * log.position_units
    jumps = (steps > least) & (steps > JUMP_USUAL * _usual(steps))
    if not jumps.any():
        return
    others = np.zeros(steps.shape, dtype=int)
    for shift in range(1, JUMP_NEIGHBOURS + 1):
        others[shift:] += steps[:-shift] > JUMP_ALIKE * steps[shift:]
        others[:-shift] += steps[shift:] > JUMP_ALIKE * steps[:-shift]
    first = np.argwhere(jumps & (others <= JUMP_OTHERS))
    if len(first):
        _refuse(q, int(first[0][0]), int(first[0][1]), start, log)


def _usual(steps: Array) -> Array:
    """Return the median of the nonzero steps between samples for each joint (n,); zero if these steps are few.

    Args:
        steps: absolute differences of consecutive positions (N - 1, n).
    """
    moved = [column[column > 0] for column in steps.T]
    return np.array([float(np.median(column)) if len(column) >= JUMP_STEPS else 0.0 for column in moved])


def _refuse(q: Array, k: int, joint: int, start: int, log: Log) -> None:
    named = log.description.position.columns if log.description else ()
    name = f"column '{named[joint]}'" if named else f"joint {joint + 1}"
    step = float(q[k + 1, joint] - q[k, joint])
    back = np.abs(q[k + 2 : k + 2 + JUMP_OTHERS, joint] - q[k, joint]) < SPIKE_REST * abs(step)
    turns = round(abs(step) / (2 * pi))
    if turns and abs(abs(step) - 2 * pi * turns) < WHOLE_TURN * 2 * pi:
        what = f"jumps by {step:.4g}, {'one full turn' if turns == 1 else f'{turns} full turns'}"
        hint = "the angle is wrapped: unwrap it (numpy.unwrap), so that the position is continuous"
    elif back.any():
        samples = int(np.argmax(back)) + 1
        what = f"jumps by {step:.4g} for {'one sample' if samples == 1 else f'{samples} samples'}, and back"
        hint = "this is a spike of the measurement: replace it by a value between its neighbours"
    else:
        what = f"jumps by {step:.4g} between two samples, much more than elsewhere"
        hint = "cut the log there, or correct the samples"
    raise FormatError(f"the position of {name} {what}", place=log.place(start + k + 1), hint=hint)


# -- signals


ORDER = 4
REACH = 10  # length of the decimation filter on each side, in decimated samples
SHAPE = 5.0  # parameter of Kaiser's window: about 50 dB attenuation
PASS = 0.8  # share of the Nyquist frequency after decimation
FORGOTTEN = 1e-18
PIECE = 8192
DIFFERENCE_ORDERS = (3, 6, 12)  # orders of the differences from which white noise is estimated
SAMPLES_PER_ORDER = 4  # smallest number of samples as a multiple of the order
# rad/s, or robot lengths per second: a slower joint rests, because the sign of its velocity is round-off.


@dataclass(frozen=True)
class Preparation:
    """Options of the signal processing that computes regression rows from samples.

    Attributes:
        cutoff: cut-off frequency in Hz of the low-pass filter on positions; None for no filter.
        decimation: number of samples per row; 1 uses all samples, unfiltered.
        slow: rows of a joint slower than this (rad/s, m/s) are dropped.
        piece: smallest number of samples in memory at once.
        half: number of samples to each side in the differences.
        passes: number of times that the low-pass filter is applied.
    """

    cutoff: float | None = None
    decimation: int = 1
    slow: float = 0.0
    piece: int = PIECE
    half: int = HALF
    passes: int = 1

    def __post_init__(self) -> None:
        if self.cutoff is not None and not self.cutoff > 0:
            raise ArgumentError(f"cutoff: expected a positive frequency in Hz, got {self.cutoff}")
        if self.decimation < 1:
            raise ArgumentError(f"decimation: expected an integer of at least 1, got {self.decimation}")
        if not self.slow >= 0:
            raise ArgumentError(f"slow: expected a nonnegative velocity, got {self.slow}")


@dataclass(frozen=True)
class MotionPiece:
    """Piece of the motion of a log: `count` samples from number `first` on, with some samples before and after.

    Attributes:
        start: number of the sample in row 0 of the arrays.
        rests: (N, n), whether a joint is at rest: its position is constant over all samples that its derivative uses.
        tau: torques (N, n); zeros if a log of a floating robot contains none.
        base: motion of a floating base with its contact wrenches; None for a fixed base.
    """

    start: int
    first: int
    count: int
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    rests: NDArray[np.bool_]
    base: BaseMotion | None = None


def low_pass(cutoff: float, rate: float) -> Array:
    """Return a Butterworth low-pass filter of order 4 as second-order sections.

    Args:
        cutoff: cut-off frequency in Hz.
        rate: samples per second.
    """
    if cutoff >= rate / 2:
        raise ArgumentError(
            f"the cut-off frequency of {cutoff:g} Hz must be below half of the sampling rate of {rate:g} Hz",
            hint="give a lower cut-off frequency, or none",
        )
    from scipy.signal import butter

    return np.asarray(butter(ORDER, cutoff / (rate / 2), output="sos"))


def memory(sections: Array) -> int:
    """Return the number of samples after which the impulse response of a filter is negligible.

    Args:
        sections: second-order sections of the filter.
    """
    poles = np.concatenate([np.roots(section[3:]) for section in sections])
    return ceil(log(FORGOTTEN) / log(float(np.abs(poles).max())))


@dataclass(frozen=True, eq=False)
class Plan:
    """Division of a log into pieces that are filtered one after the other.

    Attributes:
        sections: second-order sections of the low-pass filter, repeated for each pass; None without a filter.
        context: number of samples before and after a piece that its filters require.
        ends: number of samples at each end of the log that belong to no piece, because the filters are inaccurate
            there.
        size: number of samples of a piece.
    """

    sections: Array | None
    context: int
    ends: int
    size: int


def planned(given: Log, preparation: Preparation) -> Plan:
    """Return the division of a log into overlapping pieces for filtering.

    Raises:
        ArgumentError: the log is too short for its filters.
    """
    sections, settle = None, 0
    if preparation.cutoff is not None:
        sections = np.tile(low_pass(preparation.cutoff, given.rate), (preparation.passes, 1))
        settle = preparation.passes * memory(sections)
    reach = REACH * preparation.decimation if preparation.decimation > 1 else 0
    reach += 2 * preparation.half  # for accelerations, and for derivatives of functions of the velocities
    context = settle + reach
    ends = settle // 4 + reach
    if given.samples <= 2 * ends + preparation.decimation:
        raise ArgumentError(
            f"{given.name}: {given.samples} samples are too few: the filters discard {ends} at each end",
            hint="give a longer log, a higher cut-off frequency, or less decimation",
        )
    size = max(preparation.piece, 4 * context)
    size += -size % preparation.decimation
    return Plan(sections, context, ends, size)


def motions(given: Log, preparation: Preparation) -> Iterator[MotionPiece]:
    """Yield the filtered motion of a log in pieces, in time order.

    Each piece includes the samples around it that the filters require.
    """
    plan = planned(given, preparation)
    for start, first, end, arrays in _windows(given, plan.size, plan.context):
        lower, upper = max(first, plan.ends), min(end, given.samples - plan.ends)
        if upper > lower:
            yield _motion(given, arrays, plan.sections, preparation.half, start, lower, upper - lower)


def row_velocities(given: Log, preparation: Preparation) -> Array:
    """Return the joint velocities at the rows of the regression along a log, (rows, n)."""
    step = preparation.decimation
    parts = []
    for motion in motions(given, preparation):
        first = -(-motion.first // step) * step  # rows are at multiples of the decimation
        parts.append(motion.qd[first - motion.start : motion.first + motion.count - motion.start : step])
    return np.concatenate(parts)


def motion_between(given: Log, preparation: Preparation, first: int, end: int) -> MotionPiece | None:
    """Return the filtered motion of the samples first .. end - 1 of a log, without processing the other samples."""
    plan = planned(given, preparation)
    lower, upper = max(first, plan.ends), min(end, given.samples - plan.ends)
    if upper <= lower:
        return None
    start = max(0, lower - plan.context)
    arrays = given.part(start, min(given.samples, upper + plan.context))
    return _motion(given, arrays, plan.sections, preparation.half, start, lower, upper - lower)


def _windows(given: Log, size: int, context: int) -> Iterator[tuple[int, int, int, dict[str, Array]]]:
    """Yield the raw samples of a log in pieces, with up to `context` samples on each side.

    Args:
        size: number of samples per piece.

    Yields:
        Sample number of row 0, first sample of the piece, its last sample plus one, and the arrays by quantity.
    """
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
        check_jumps(arrays["position"], start, given)

    def smooth(x: Array) -> Array:
        if sections is None:
            return x
        from scipy.signal import sosfiltfilt

        return np.asarray(sosfiltfilt(sections, x, axis=0))

    q = smooth(arrays["position"])
    qd = smooth(arrays["velocity"]).copy() if "velocity" in arrays else slopes(q, rate, half)
    qdd = smooth(arrays["acceleration"]) if "acceleration" in arrays else slopes(qd, rate, half)
    qd[np.abs(qd) < VELOCITY_AT_REST * given.position_units] = 0.0
    base = None
    if given.contacts:
        wrenches = contact_wrenches(arrays, len(given.contacts), len(q))
        base = base_motion(arrays, wrenches, smooth, lambda x: slopes(x, rate, half))
    tau = arrays.get("torque", np.zeros_like(q))
    still = rests(arrays["position"], 2 * half)
    return MotionPiece(start, first, count, q, qd, qdd, tau, still, base)


def rests(q: Array, least: int) -> NDArray[np.bool_]:
    """Return the mask (N, n) of the positions q that belong to a run of more than `least` equal values."""
    resting = np.zeros(q.shape, dtype=bool)
    for k, column in enumerate(q.T):
        ends = np.flatnonzero(np.append(np.diff(column) != 0, True)) + 1
        starts = np.concatenate([[0], ends[:-1]])
        for a, b in zip(starts[ends - starts > least], ends[ends - starts > least], strict=True):
            resting[a:b, k] = True
    return resting


@lru_cache(maxsize=4)
def decimation_filter(decimation: int) -> Array:
    """Return the weights of the symmetric low-pass filter of a decimation, (2 REACH, decimation).

    The weights are consecutive along the rows of the array; their sum is 1.

    Args:
        decimation: number of samples of which one is kept.
    """
    half = REACH * decimation
    k = np.arange(-half, half)
    taps = np.sinc(PASS * k / decimation) * np.kaiser(2 * half + 1, SHAPE)[:-1]
    taps[0] = 0.0  # an additional weight on one side would shift the phase
    weights = np.asarray((taps / taps.sum()).reshape(2 * REACH, decimation))
    weights.setflags(write=False)
    return weights


def independent_share(decimation: int) -> float:
    """Return the fraction of rows that counts as independent after decimation.

    It is r(0) / sum of r(m), with the autocovariances r of filtered white noise, `decimation` samples apart.
    """
    if decimation == 1:
        return 1.0
    taps = decimation_filter(decimation).ravel()
    every = [float(taps[m:] @ taps[: len(taps) - m]) for m in range(0, len(taps), decimation)]
    return every[0] / (every[0] + 2 * sum(every[1:]))


def decimated(x: Array, weights: Array) -> Array:
    """Return filtered and decimated samples (K, ...), one per block of `decimation` consecutive samples of x.

    The first result belongs to the block with index REACH.

    Args:
        x: the samples (N, ...).
        weights: result of `decimation_filter`.
    """
    blocks = len(x) // weights.shape[1]
    flat = x[: blocks * weights.shape[1]].reshape(blocks, weights.shape[1], -1)
    parts = np.matmul(weights, flat)  # (block, row of weights, column)
    count = blocks - len(weights) + 1
    total = parts[:count, 0].copy()
    for row in range(1, len(weights)):
        total += parts[row : row + count, row]
    return np.asarray(total.reshape(count, *x.shape[1:]))


def white_noise(x: Array) -> Array:
    """Return the standard deviation of the white noise on each column of x (N, n)."""
    if len(x) < 4:
        return np.zeros(x.shape[1])
    powers = [
        np.mean(np.diff(x, n, axis=0) ** 2, axis=0) / comb(2 * n, n)
        for n in DIFFERENCE_ORDERS
        if len(x) > SAMPLES_PER_ORDER * n or n == 3
    ]
    return np.asarray(np.sqrt(np.min(powers, axis=0)))
