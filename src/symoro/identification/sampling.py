"""Bias of an estimate by sampling, filtering and noise on positions.

Differences lose a share of fast motion that grows with its frequency beside the sample rate, and the low-pass one that
grows beside its cut-off. Rows W' made with differences of twice the width, or with the low-pass run once more over what
it left, change by about what the estimate's own rows are off by; noise on positions biases least squares, and as much
noise again about as much again (J.R. Cook, L.A. Stefanski, "Simulation-extrapolation estimation in parametric
measurement error models", J. Amer. Statist. Assoc. 89, 1994). With W' in the place of W the estimate moves by

    dK = (W'W)^-1 (V'(y' - W' K) - W'(y - W K)),  weighted,     V = W, or W' for noise, which is in both

to first order. Where dK is no longer small beside the deviations, these do not tell how far off the parameters are: dK
is added to them then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError
from symoro.identification.equations import RowBlock, RowModel
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.regression import Estimate, solved
from symoro.identification.rows import RFactors, part_of, picked, whole
from symoro.identification.signals import Preparation, white_noise
from symoro.identification.tolerances import BIAS_DEVIATIONS

Array = NDArray[np.float64]
SIMULATED_MOTION = ("DIDIM", "CLOE")  # the motion, which no difference is made of
ROBUST_TO_NOISE = ("IDIM-IV", *SIMULATED_MOTION)  # on positions, which these methods allow for


@dataclass(frozen=True, eq=False)
class SamplingBias:
    """What parameters are off by, about; None of what an estimate has no part of.

    Attributes:
        differences: by the width of the differences.
        low_pass: by the low-pass.
        noise: by noise on positions.
    """

    differences: Array | None = None
    low_pass: Array | None = None
    noise: Array | None = None


def sampling_bias(
    logs: Sequence[Log], model: RowModel, preparation: Preparation, estimate: Estimate, data: RFactors
) -> SamplingBias:
    """Return the bias of an estimate, from a part of each log; none of methods that simulate the motion."""
    if estimate.method in SIMULATED_MOTION:
        return SamplingBias()
    parts = [_rows_of(part_of(log, model, preparation), model, preparation) for log in logs]
    halves = (2 * preparation.half, preparation.half // 2)  # the second for logs that are too short
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
    """Return the estimate with deviations that include a bias by sampling that exceeds them."""
    covariance = estimate.covariance
    for bias in (biases.differences, biases.low_pass):
        if bias is not None and np.any(np.abs(bias) > BIAS_DEVIATIONS * estimate.deviations):
            covariance = covariance + np.outer(bias, bias)
    return replace(estimate, covariance=covariance)


@dataclass(frozen=True, eq=False)
class _ChangedRows:
    """Rows as they were taken, and others at the same moments; V of the others is W, or theirs."""

    here: RowBlock
    there: RowBlock
    both: bool = False


def _bias(changes: Iterable[_ChangedRows | None], estimate: Estimate, data: RFactors) -> Array:
    """dK, with the W'W of all data, and the slope of the parts as that of all."""
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
    """Samples of a log, and their rows as they were taken; None where there are too few samples."""

    log: Log
    rows: RowBlock | None


def _rows_of(part: Log, model: RowModel, preparation: Preparation) -> _PartOfLog:
    try:
        return _PartOfLog(part, whole(list(model.blocks(part, preparation))))
    except ArgumentError:
        return _PartOfLog(part, None)


def _changed(part: _PartOfLog, model: RowModel, others: Sequence[Preparation]) -> _ChangedRows | None:
    """Rows of another preparation beside; None of a log that is too short for each of them."""
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
    """Rows of positions with as much noise again beside, and with its opposite: what is odd in it cancels."""
    if part.rows is None or "velocity" in part.log.part(0, 1):
        return  # which were measured, by sensors of their own
    for there in _noisy_rows(part.log, model, preparation):
        yield _ChangedRows(part.rows, there, both=True)


def _noisy_rows(part: Log, model: RowModel, preparation: Preparation) -> list[RowBlock]:
    """Rows of a motion with as much noise again on all that was measured of it, and with its opposite."""
    arrays = part.part(0, part.samples)
    chance = np.random.default_rng(0)
    motion = {kind: x for kind, x in arrays.items() if kind in ("position", "velocity", "acceleration")}
    noise = {kind: white_noise(x) * chance.standard_normal(x.shape) for kind, x in motion.items()}
    noisy_rows = []
    for sign in (1, -1):
        noisy: dict[str, Any] = {kind: x + sign * noise[kind] for kind, x in motion.items()}
        position = noisy.pop("position")
        log = log_of_arrays(part.rate, position, arrays["torque"], transmission=part.transmission, **noisy)
        try:
            rows = model.blocks(replace(log, measured=False, start=part.start, units=part.units), preparation)
            noisy_rows.append(whole(list(rows)))
        except FormatError:
            return []  # noise breaks loops that stand near a dead point
    return noisy_rows


def column_errors(logs: Sequence[Log], model: RowModel, preparation: Preparation, sigma: Array) -> Array:
    """Root mean squares of the errors of each column by noise on the motion, in rows divided by sigma."""
    squares, rows = np.zeros(len(model.names)), 0
    for log in logs:
        pair = _noisy_rows(part_of(log, model, preparation), model, preparation)
        if pair:
            off = (pair[0].A - pair[1].A) / 2 / sigma[None, :, None]
            squares += np.sum(off**2, axis=(0, 1))
            rows += off.shape[0] * off.shape[1]
    return np.sqrt(squares / max(rows, 1))
