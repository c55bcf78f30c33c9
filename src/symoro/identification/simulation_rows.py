"""Rows of a simulated motion beside those of the measured one, at the same moments."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import OptionError, ProgramError
from symoro.identification.closed_loop import simulated
from symoro.identification.control_loop import ControlLoop, loop_of
from symoro.identification.description import PdController
from symoro.identification.equations import Booleans, RowBlock, RowModel
from symoro.identification.estimate import Estimate
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.rows import LogRows, picked, whole
from symoro.identification.signals import Preparation

Array = NDArray[np.float64]
MANY = 5  # rows a parameter, fewer of which tell no deviations
NEAR = 2  # rows to each side
SETTLED = 0.1  # of a deviation: a joint that begins to stick moves the estimate by a leap
QUICK = 5  # rounds, after which steps are halved


@dataclass(frozen=True, eq=False)
class RowPair:
    """Measured and simulated rows of one log; `kept` by the simulated velocities, which have no noise, but for rest."""

    measured: RowBlock
    simulated: RowBlock
    kept: Booleans


def check_model(model: RowModel) -> None:
    """Refuse models that simulation does not serve."""
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


def few_rows(estimate: Estimate) -> list[str]:
    """That deviations from few rows are not to be trusted, in words."""
    P = len(estimate.names)
    if estimate.freedom >= MANY * P:
        return []
    return [
        f"{estimate.freedom + P} rows in which joints move steadily are few for {P} parameters, and their deviations "
        "may be larger: joints rest, stick or turn back in the others; give a longer log, or less decimation"
    ]


def calmed(K: Array, found: Array, rounds: int) -> Array:
    """The next parameters to simulate: those found, or half way to them where an iteration goes to and fro."""
    return found if rounds <= QUICK else (K + found) / 2


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
    """The rows of the motion that K gives, at the moments of the measured rows.

    Arguments:
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
    found = whole(list(model.blocks(part, replace(preparation, cutoff=None))))
    step = preparation.decimation / log.rate
    at = np.round((measured.time - found.time[0]) / step).astype(int)
    return RowPair(measured, picked(found, at), steady(found)[at] & measured.kept if kept is None else kept)


def steady(rows: RowBlock) -> Booleans:
    """Kept rows near which no joint turns back: the measured velocity, filtered, would have its sign wrong there."""
    signs = np.where(rows.kept, rows.direction, 0.0)
    found = rows.kept.copy()
    for k in range(1, NEAR + 1):
        found[k:] &= signs[k:] == signs[:-k]
        found[:-k] &= signs[:-k] == signs[k:]
    return found
