"""Delay of the measured torques with respect to the motion: its estimation, and the correction of logs.

If torques were measured d seconds late, y(t) = A(t - d) K. The rows A between samples are interpolated by a cubic
spline, and d is estimated together with K by Gauss-Newton. The column of d is -dA/dt K. It is computed from the
predicted torques, because the derivative of the measured torques would amplify their noise. Delayed inertial torques
resemble viscous friction: an unknown delay biases FV, and the standard deviation of d includes this correlation. It is
valid for residuals of any variance with short correlations (Newey and West), because residuals near the jumps of dry
friction, on which d depends most, are larger than elsewhere.

A log is corrected by interpolating its motion, which is smooth, at t - d with polynomials of degree 15. The torques are
not changed, so that their noise remains white. Torques that a controller holds between samples (zero-order hold) act
half a sample after their time stamp on average, so they lead the motion: d = -1 / (2 rate).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, OptionError, Place
from symoro.identification.base_motion import continuous_orientation
from symoro.identification.contacts import PREFIX as CONTACT
from symoro.identification.equations import RowBlock
from symoro.identification.log import Log
from symoro.identification.log_description import ESTIMATE, HOLD
from symoro.identification.regression import Estimate
from symoro.identification.tolerances import (
    DELAY_CONVERGED,
    DELAY_ITERATIONS,
    DELAY_ROWS,
    LEAST_EIGENVALUE,
    LONGEST_DELAY,
    ROUND_OFF,
    TINY,
)

Array = NDArray[np.float64]
TAPS = 8  # samples to each side that interpolation uses: its error is below 1e-10 for smooth motions


@dataclass(frozen=True, eq=False, repr=False)
class TorqueDelay(OneLineRepr):
    """Estimated delay of the torques of a log with respect to its motion.

    Attributes:
        seconds: the delay; negative if the torques lead the motion.
        deviation: standard deviation of the delay in seconds.
        change: change of the parameters K if the delay is estimated together with them (P,).
        share: squared residual with the estimated delay, divided by that without a delay.
    """

    seconds: float
    deviation: float
    change: Array
    share: float

    def __str__(self) -> str:
        return f"{1e3 * self.seconds:.3g} ms (deviation {1e3 * self.deviation:.2g} ms)"


def delay_text(logs: Sequence[Log], lag: TorqueDelay | None) -> str | None:
    """Return the corrected and the remaining delay of the torques as text; None if there is neither.

    Args:
        logs: the logs.
        lag: the estimated remaining delay; None if it is not determined.
    """
    corrected = ", ".join(dict.fromkeys(f"{1e3 * log.delay:.4g} ms" for log in logs if log.delay))
    if not corrected:
        return None if lag is None else f"{lag}, not corrected"
    return f"{corrected} corrected" + ("" if lag is None else f"; remaining: {lag}")


def delay_seconds(delay: float | str | None, rate: float) -> float:
    """Return the delay of the torques in seconds; for 'hold' (zero-order hold) it is minus half a sample.

    Args:
        delay: seconds, 'hold', or None for no delay.
        rate: samples per second.

    Raises:
        OptionError: the delay is neither a number nor 'hold'.
    """
    if delay is None:
        return 0.0
    if delay == HOLD:
        return -0.5 / rate
    try:
        seconds = float(delay)
    except ValueError:
        seconds = float("nan")
    if not isfinite(seconds):
        raise OptionError(
            f"delay: expected seconds by which torques lag behind the motion, '{HOLD}' or '{ESTIMATE}', got "
            f"'{str(delay)[:40]}'"
        )
    return seconds


def aligned(log: Log, seconds: float) -> Log:
    """Return the log with its motion shifted in time, to correct a delay of its torques.

    A few samples at both ends are lost.

    Args:
        log: the log.
        seconds: the delay of the torques behind the motion.

    Raises:
        ArgumentError: the delay is too long for the length of the log.
    """
    shift = seconds * log.rate
    if shift == 0:
        return log
    if abs(shift) > LONGEST_DELAY * log.samples:
        raise ArgumentError(
            f"{log.name}: a delay of {seconds:g} s is more than {LONGEST_DELAY:.0%} of the log, which lasts "
            f"{log.samples / log.rate:.4g} s",
            hint="give the delay in seconds",
        )
    whole = floor(shift)
    weights = _weights(shift - whole)
    before, after = (
        max(0, whole + TAPS),
        max(0, TAPS - whole),
    )  # samples at the ends without a motion or without a torque
    samples = log.samples - before - after

    def moved(window: dict[str, Array], count: int) -> dict[str, Array]:
        first = before - whole - TAPS
        return {
            kind: x[before : before + count] if _is_effort(kind) else _interpolated(x, weights, first, count)
            for kind, x in continuous_orientation(window).items()
        }

    def part(start: int, stop: int) -> dict[str, Array]:
        stop = min(stop, samples)
        return moved(log.part(start, stop + before + after), stop - start)

    def chunks(size: int) -> Iterator[dict[str, Array]]:
        held: dict[str, Array] = {}
        for chunk in log.chunks(size):
            held = {kind: np.concatenate([held[kind], x]) if held else x for kind, x in chunk.items()}
            count = len(held["position"]) - before - after
            if count > 0:
                yield moved(held, count)
                held = {kind: x[count:] for kind, x in held.items()}

    def place(sample: int) -> Place:
        return log.place(sample + before)

    return replace(log, samples=samples, chunks=chunks, part=part, place=place, delay=log.delay + seconds)


def _is_effort(kind: str) -> bool:
    """Return whether a quantity of a log is a torque or a contact force, whose delay is corrected."""
    return kind == "torque" or kind.startswith(CONTACT)


def _weights(fraction: float) -> Array:
    """Return the weights of Lagrange's interpolation between two samples.

    Args:
        fraction: time before sample 0 at which the signal is interpolated, as a fraction (0 to 1) of the sampling
            interval.

    Returns:
        The weights of the samples -TAPS .. TAPS - 1.
    """
    nodes = range(-TAPS, TAPS)
    return np.array([np.prod([(-fraction - m) / (n - m) for m in nodes if m != n]) for n in nodes])


def _interpolated(x: Array, weights: Array, first: int, count: int) -> Array:
    """Return `count` interpolated samples, each the weighted sum of neighbouring samples of x (N, n).

    The sums are accumulated sample by sample, so that equal samples of a joint at rest remain exactly equal.

    Args:
        x: the samples.
        weights: weight of each neighbouring sample.
        first: index in x of the first neighbouring sample of the first result.
        count: number of results.
    """
    sums = np.zeros((count, x.shape[1]))
    for k, weight in enumerate(weights):
        if weight:
            sums += weight * x[first + k : first + k + count]
    return sums


def estimated_delay(logs: Sequence[RowBlock], estimate: Estimate, share: float) -> TorqueDelay | None:
    """Estimate the delay of the torques together with the parameters; return None if it is not determined.

    Args:
        logs: regression rows of each log in time order.
        estimate: parameters estimated without a delay; the iteration starts from them.
        share: fraction of the rows that counts as independent (`row_share`).
    """
    long = [rows for rows in logs if len(rows.time) >= DELAY_ROWS]
    if not long:
        return None
    from scipy.interpolate import CubicSpline

    curves = [(rows, CubicSpline(rows.time, rows.A)) for rows in long]
    most = LONGEST_DELAY * min(float(rows.time[-1] - rows.time[0]) for rows in long)
    K, delay, largest = estimate.values, 0.0, 0.0
    without: Array | None = None
    before = 0.0
    for _ in range(DELAY_ITERATIONS):
        columns = [_columns(rows, curve, estimate.sigma, K, delay, largest) for rows, curve in curves]
        normal = np.sum([np.tensordot(X, X, ((0, 1), (0, 1))) for X in columns], axis=0)
        count = sum(int(X.any(axis=2).sum()) for X in columns)
        if without is None:
            without, _, before, _ = _solved(np.delete(np.delete(normal, -2, 0), -2, 1), count)
        values, deviations, left, weights = _solved(normal, count)
        K, change, deviation = values[:-1], float(values[-1]), float(deviations[-1])
        delay += change
        largest = max(largest, abs(delay))
        if not abs(delay) < most:
            return None
        if abs(change) <= DELAY_CONVERGED * deviation:
            deviation *= max(estimate.autocorrelation, 1.0) / share**0.5
            deviation = max(deviation, _robust_deviation(columns, values, weights))
            return TorqueDelay(delay, deviation, K - without, left / before if before else 1.0)
    return None


def _columns(rows: RowBlock, curve: Any, sigma: Array, K: Array, delay: float, largest: float) -> Array:
    """Return the columns [A(t - d), -dA/dt K, y] of one log, divided by sigma, (N, e, P + 2).

    Unused rows are zero.

    Args:
        rows: regression rows A K = y of the log.
        curve: cubic spline through the rows A.
        sigma: standard deviation of the residual of each equation.
        K: parameters (P,).
        delay: the delay d in seconds.
        largest: largest absolute delay up to now. Rows at the ends for which A is not known with this delay are not
            used again, so that the set of rows does not alternate from iteration to iteration.
    """
    at = rows.time - delay
    step = float(rows.time[1] - rows.time[0])
    margin = (floor(largest / step) + 2) * step
    inside = (rows.time >= rows.time[0] + margin) & (rows.time <= rows.time[-1] - margin)
    A, slopes = curve(at), -(curve(at, 1) @ K)
    used = (rows.kept & inside[:, None]) / sigma
    columns = np.concatenate([A, slopes[..., None], rows.y[..., None]], axis=2)
    return np.asarray(columns * used[..., None])


def _robust_deviation(columns: Sequence[Array], values: Array, weights: Array) -> float:
    """Return the standard deviation of the delay for residuals of any variance and with short correlations.

    The time of a jump of dry friction is known to one sample only, so that residuals near reversals are larger than
    elsewhere, and the delay depends on these rows most (W.K. Newey, K.D. West 1987).

    Args:
        columns: the columns of each log at the estimate.
        values: parameters and change of the delay (P + 1,).
        weights: row of the inverse normal matrix that belongs to the delay (P + 1,).
    """
    variance = 0.0
    for X in columns:
        scores = np.sum((X[..., :-1] @ weights) * (X[..., -1] - X[..., :-1] @ values), axis=1)
        lags = floor(4 * (len(scores) / 100) ** (2 / 9))  # the usual number for the kernel of Bartlett
        variance += float(scores @ scores)
        for lag in range(1, lags + 1):
            variance += 2 * (1 - lag / (lags + 1)) * float(scores[lag:] @ scores[:-lag])
    return float(variance**0.5)


def _solved(normal: Array, count: int) -> tuple[Array, Array, float, Array]:
    """Solve the least-squares problem A K = y from the normal matrix of [A y].

    Args:
        normal: the normal matrix [A y]'[A y].
        count: number of rows of A.

    Returns:
        The parameters K, their standard deviations, the mean squared residual, and the last row of (A'A)^-1. The
        deviation of a parameter that the rows do not determine is NaN.
    """
    scale = np.sqrt(np.maximum(np.diag(normal), TINY))
    unit = normal / np.outer(scale, scale)
    # A joint that rests in these rows leaves parameters undetermined, which does not affect the others.
    sizes, axes = np.linalg.eigh(unit[:-1, :-1])
    kept = sizes > LEAST_EIGENVALUE * sizes[-1]
    axes = axes[:, kept]
    inverse = axes / sizes[kept] @ axes.T
    values = inverse @ unit[:-1, -1]
    left = max(float(1 - unit[:-1, -1] @ values), 0.0) * normal[-1, -1]
    variance = left / max(count - int(kept.sum()), 1)
    determined = 1 - np.sum(axes**2, axis=1) < ROUND_OFF
    deviations = np.where(determined, np.sqrt(np.diag(inverse) * variance) / scale[:-1], np.nan)
    last = inverse[-1] / scale[:-1] / scale[-2]
    return values * scale[-1] / scale[:-1], deviations, variance, last
