"""Bias of an estimate caused by sampling, filtering and noise on positions.

Finite differences attenuate motion by a share that grows with its frequency relative to the sampling rate, and the
low-pass filter by a share that grows with its frequency relative to the cut-off. If rows W' are computed with
differences of twice the width, or with the low-pass filter applied twice, they change by about the error of the
original rows. Noise on positions biases least squares, and doubling the noise adds about the same bias again (J.R.
Cook, L.A. Stefanski, "Simulation-extrapolation estimation in parametric measurement error models", J. Amer. Statist.
Assoc. 89, 1994). With W' in place of W the estimate changes to first order by

    dK = (W'W)^-1 (V'(y' - W' K) - W'(y - W K)),  weighted,     V = W, or W' for noise, which is in both

If dK is not small compared with the deviations, these underestimate the errors of the parameters: dK is then added to
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError
from symoro.identification.base_motion import PREFIX, continuous_orientation
from symoro.identification.equations import RowBlock, RowModel
from symoro.identification.log import Log, log_with
from symoro.identification.regression import Estimate, solved
from symoro.identification.rows import RFactors, part_of, picked, whole
from symoro.identification.signals import Preparation, white_noise
from symoro.identification.tolerances import BIAS_DEVIATIONS

Array = NDArray[np.float64]
SIMULATED_MOTION = ("DIDIM", "CLOE")  # these methods simulate the motion, so no differences are used
ROBUST_TO_NOISE = ("IDIM-IV", *SIMULATED_MOTION)  # these methods account for noise on positions


@dataclass(frozen=True, eq=False)
class SamplingBias:
    """Approximate bias dK of the parameters (P,) by cause; None if the cause does not apply to the estimate.

    Attributes:
        differences: bias caused by the width of the finite differences.
        low_pass: bias caused by the low-pass filter.
        noise: bias caused by noise on positions.
    """

    differences: Array | None = None
    low_pass: Array | None = None
    noise: Array | None = None


def sampling_bias(
    logs: Sequence[Log], model: RowModel, preparation: Preparation, estimate: Estimate, data: RFactors
) -> SamplingBias:
    """Return the bias of an estimate caused by sampling, filtering and noise, computed from a part of each log.

    The bias is None for methods that simulate the motion, because they do not differentiate the measured motion.
    """
    if estimate.method in SIMULATED_MOTION:
        return SamplingBias()
    parts = [_rows_of(part_of(log, model, preparation), model, preparation) for log in logs]
    halves = (
        2 * preparation.half,
        preparation.half // 2,
    )  # the second one is for logs that are too short for the first
    widths = [replace(preparation, half=half) for half in halves]
    again = replace(preparation, passes=2 * preparation.passes)

    def bias(changes: Iterable[_ChangedRows | None]) -> Array:
        return _bias(changes, estimate, data)

    return SamplingBias(
        bias(_changed(part, model, widths) for part in parts),
        bias(_changed(part, model, [again]) for part in parts) if preparation.cutoff else None,
        bias(chain.from_iterable(_noisier(part, model, preparation) for part in parts))
        if estimate.method not in ROBUST_TO_NOISE
        else None,
    )


def widened(estimate: Estimate, biases: SamplingBias) -> Estimate:
    """Return the estimate with standard deviations enlarged by those biases that exceed the deviations."""
    covariance = estimate.covariance
    for bias in (biases.differences, biases.low_pass):
        if bias is not None and np.any(np.abs(bias) > BIAS_DEVIATIONS * estimate.deviations):
            covariance = covariance + np.outer(bias, bias)
    return replace(estimate, covariance=covariance)


@dataclass(frozen=True, eq=False)
class _ChangedRows:
    """Original regression rows of a part of a log, and rows computed with other filters or with added noise.

    Attributes:
        here: original rows.
        there: changed rows at the same times.
        both: whether the left factor V of the bias formula is the changed regressor (added noise) or the original one
            (other filters).
    """

    here: RowBlock
    there: RowBlock
    both: bool = False


def _bias(changes: Iterable[_ChangedRows | None], estimate: Estimate, data: RFactors) -> Array:
    """Return the approximate bias dK of the parameters (P,).

    W'W is computed from all data; the gradient is extrapolated from parts of the logs to all data.

    Args:
        changes: original and changed rows of each part; None for a part that is too short.
        estimate: the estimate.
        data: R factors of all regression rows.
    """
    slope, rows = np.zeros(len(estimate.names)), 0
    for change in changes:
        if change is None:
            continue
        here, there = change.here, change.there
        V = there.A if change.both else here.A
        for k, sigma in enumerate(estimate.sigma):
            kept = here.kept[:, k]
            left = (there.y[kept, k] - there.A[kept, k] @ estimate.values) / sigma**2
            before = (here.y[kept, k] - here.A[kept, k] @ estimate.values) / sigma**2
            slope += V[kept, k].T @ left - here.A[kept, k].T @ before
            rows += int(kept.sum())
    if not rows:
        return slope
    inverse = solved(data.together(1 / estimate.sigma))[1]
    return np.asarray(inverse @ slope * (data.rows / rows))


@dataclass(frozen=True, eq=False)
class _PartOfLog:
    """Part of a log and its regression rows; the rows are None if there are too few samples."""

    log: Log
    rows: RowBlock | None


def _rows_of(part: Log, model: RowModel, preparation: Preparation) -> _PartOfLog:
    try:
        return _PartOfLog(part, whole(list(model.blocks(part, preparation))))
    except ArgumentError:
        return _PartOfLog(part, None)


def _changed(part: _PartOfLog, model: RowModel, others: Sequence[Preparation]) -> _ChangedRows | None:
    """Return the original regression rows of a part of a log, and those computed with other filters.

    Args:
        part: the part of the log.
        model: identification model of the robot.
        others: filter options; the first of them for which the part is long enough is used.

    Returns:
        The rows at common times; None if the part is too short for all options.
    """
    here = part.rows
    if here is None:
        return None
    for other in others:
        try:
            there = whole(list(model.blocks(part.log, other)))
        except ArgumentError:
            continue
        first, second = (np.round(block.time * part.log.rate).astype(int) for block in (here, there))
        _, at, beside = np.intersect1d(first, second, return_indices=True)
        return _ChangedRows(picked(here, at), picked(there, beside))
    return None


def _noisier(part: _PartOfLog, model: RowModel, preparation: Preparation) -> Iterator[_ChangedRows]:
    """Yield the regression rows of a part of a log twice: with noise added to the positions, and with it subtracted.

    Effects of odd order in the noise cancel in the sum of both.
    """
    if part.rows is None or ("velocity" in part.log.part(0, 1) and not part.log.contacts):
        return  # velocities or accelerations were measured by separate sensors
    for there in _noisy_rows(part.log, model, preparation):
        yield _ChangedRows(part.rows, there, both=True)


def _noisy_rows(part: Log, model: RowModel, preparation: Preparation) -> list[RowBlock]:
    """Return the regression rows of a log with noise added to the measured motion, and with the noise subtracted.

    The list is empty if the closed loops cannot be assembled at the noisy positions.
    """
    arrays = continuous_orientation(part.part(0, part.samples))
    chance = np.random.default_rng(0)
    motion = {
        kind: x
        for kind, x in arrays.items()
        if kind in ("position", "velocity", "acceleration") or kind.startswith(PREFIX)
    }
    noise = {kind: white_noise(x) * chance.standard_normal(x.shape) for kind, x in motion.items()}
    noisy_rows = []
    for sign in (1, -1):
        log = log_with(part, arrays | {kind: x + sign * noise[kind] for kind, x in motion.items()})
        try:
            rows = model.blocks(replace(log, measured=False), preparation)
            noisy_rows.append(whole(list(rows)))
        except FormatError:
            return []  # near a singular configuration the loops may not close with noise
    return noisy_rows


def column_errors(logs: Sequence[Log], model: RowModel, preparation: Preparation, sigma: Array) -> Array:
    """Return the root-mean-square error of each regressor column due to noise on the motion, (P,).

    Args:
        logs: the logs.
        model: identification model of the robot.
        preparation: filters and decimation of the logs.
        sigma: standard deviation of the residual of each equation, by which its rows are divided (e,).
    """
    squares, rows = np.zeros(len(model.names)), 0
    for log in logs:
        pair = _noisy_rows(part_of(log, model, preparation), model, preparation)
        if pair:
            off = (pair[0].A - pair[1].A) / 2 / sigma[None, :, None]
            squares += np.sum(off**2, axis=(0, 1))
            rows += off.shape[0] * off.shape[1]
    return np.sqrt(squares / max(rows, 1))
