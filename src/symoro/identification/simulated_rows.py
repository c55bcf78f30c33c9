"""Rows of a simulated motion at the times of measured rows, and the step size of the simulation.

Steps from sample to sample may be too long for the gains of the controller, or where dry friction holds a joint. An
estimate is accepted if shorter steps give the same one. The difference d of two estimates with covariance C is small if

    d' C^-1 d / P <= (1/2)^2       noise has 1 here on average, for any correlations of the P parameters
    max |d_k| / sigma_k <= 3/2     steps a quarter as long leave a quarter of an error of first order: a third of d

The largest difference alone is not enough: a row that is added or dropped, since a joint turns back a step sooner,
changes one of 35 parameters by a deviation.

Deviations of logs with hardly any noise are so small that no steps are short enough where friction changes its sign: an
estimate whose d changes no more than a thousandth of the torques is accepted too, and its deviations include d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import OptionError, ProgramError
from symoro.identification.control_loop import ControlLoop, loop_of, simulated
from symoro.identification.equations import Booleans, RowBlock, RowModel
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_description import PdController
from symoro.identification.regression import Estimate
from symoro.identification.rows import LogRows, RFactors, picked, whole
from symoro.identification.signals import Preparation
from symoro.identification.tolerances import (
    RESOLVED_EFFECT,
    RESOLVED_MEAN,
    RESOLVED_WORST,
    UNDAMPED_ITERATIONS,
)

# -- simulation_rows


Array = NDArray[np.float64]
STEADY_ROWS = 2  # rows to each side


@dataclass(frozen=True, eq=False)
class RowPair:
    """Measured and simulated rows of one log; `kept` by the simulated velocities, which have no noise, but for rest."""

    measured: RowBlock
    simulated: RowBlock
    kept: Booleans


def check_model(model: RowModel) -> None:
    """Reject models that simulation does not serve."""
    if model.kind != "dynamic":
        raise OptionError("methods that simulate the robot take the dynamic model", hint="model='dynamic'")


def check_enough(rows: int, P: int) -> int:
    """Rows less parameters.

    Raises:
        ProgramError: there are too few.
    """
    if rows - P < P:
        raise ProgramError(
            f"{rows} rows in which joints move steadily are too few for {P} parameters: in the others they rest or "
            "turn back",
            hint="give a longer log, less decimation, or a lower velocity below which rows are dropped",
        )
    return rows - P


def damped(K: Array, estimated: Array, rounds: int) -> Array:
    """Return the next parameters to simulate: those found, or half way to them where an iteration goes to and fro."""
    return estimated if rounds <= UNDAMPED_ITERATIONS else (K + estimated) / 2


def measured_loops(
    rows: LogRows, controller: PdController | None, steps: int
) -> list[tuple[Log, RowBlock, ControlLoop]]:
    """Each log with its rows and the loop that made it."""
    check_model(rows.model)
    cutoff = rows.preparation.cutoff
    return [
        (log, whole(list(rows.of(k))), loop_of(log, controller, cutoff, steps)[0])
        for k, log in enumerate(rows.logs)
    ]


def paired(
    model: RowModel,
    log: Log,
    measured: RowBlock,
    loop: ControlLoop,
    K: Array,
    preparation: Preparation,
    kept: Booleans | None = None,
) -> RowPair:
    """Return the rows of the motion that K gives, at the moments of the measured rows.

    Args:
        kept: which rows take part, where that was settled before: rows that come and go would keep an iteration from
            settling.
    """
    motion = simulated(model, K, loop)
    arrays = log_of_arrays(
        log.rate,
        motion.q[0],
        motion.tau[0],
        velocity=motion.qd[0],
        acceleration=motion.qdd[0],
        transmission=log.transmission,
    )
    part = replace(arrays, measured=False, units=log.units)
    rows = whole(list(model.blocks(part, replace(preparation, cutoff=None))))
    step = preparation.decimation / log.rate
    at = np.round((measured.time - rows.time[0]) / step).astype(int)
    return RowPair(measured, picked(rows, at), steady(rows)[at] & measured.kept if kept is None else kept)


def steady(rows: RowBlock) -> Booleans:
    """Kept rows near which no joint turns back: the measured velocity, filtered, would have its sign wrong there."""
    signs = np.where(rows.kept, rows.direction, 0.0)
    kept = rows.kept.copy()
    for k in range(1, STEADY_ROWS + 1):
        kept[k:] &= signs[k:] == signs[:-k]
        kept[:-k] &= signs[:-k] == signs[k:]
    return kept


# -- resolution


STEPS = (1, 4, 16)  # from sample to sample


def resolved(solve: Callable[[int], Estimate], slow: float = 0.0, data: RFactors | None = None) -> Estimate:
    """Return the first estimate that agrees with that of longer steps; or the last, where it does so but for little.

    Args:
        solve: the estimate with so many steps from sample to sample, from one start: another may choose other rows.
        slow: the velocity below which rows were dropped.
        data: the rows, beside whose torques a difference may be little.

    Raises:
        ProgramError: no two agree, or the shortest steps give none.
    """
    before: Estimate | None = None
    last: Estimate | None = None
    for steps in STEPS:
        try:
            estimate = solve(steps)
        except ProgramError as error:
            if steps == STEPS[-1]:
                raise ProgramError(error.message, hint="; ".join(_hints(error.hint, slow))) from None
            continue
        if before is not None:
            if agree(before, estimate):
                return estimate
            change = estimate.values - before.values
            last = estimate.wider(change) if data is not None and _is_little(change, estimate, data) else None
        before = estimate
    if last is not None:
        return last
    raise ProgramError(
        "the estimate changes with the steps of the simulation: the gains are stiff for the rate of the log, or joints "
        "stick",
        hint="; ".join(
            _hints("record at a higher rate, without rest; or take wls or irls, which simulate nothing", slow)
        ),
    )


def agree(before: Estimate, estimate: Estimate) -> bool:
    """Return whether two estimates differ by little beside what noise does to the second."""
    off = (estimate.values - before.values) / estimate.deviations
    if not np.isfinite(off).all() or np.abs(off).max() > RESOLVED_WORST:
        return False
    return bool(
        off @ np.linalg.pinv(estimate.correlations, hermitian=True) @ off <= RESOLVED_MEAN**2 * len(off)
    )


def _is_little(change: Array, estimate: Estimate, data: RFactors) -> bool:
    R = data.together(1 / estimate.sigma)
    return bool(np.linalg.norm(R[:, :-1] @ change) <= RESOLVED_EFFECT * np.linalg.norm(R[:, -1]))


def _hints(hint: str | None, slow: float) -> list[str]:
    """Rows at which joints turn back come and go with the steps: dropping them is tried first."""
    first = [] if slow else ["drop rows in which a joint is slow (slow=0.05, --slow 0.05)"]
    return first + ([hint] if hint else [])
