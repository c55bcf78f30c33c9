"""Rows of a simulated motion at the times of measured rows, and the step size of the simulation.

One integration step per sample may be too long for the gains of the controller, or where dry friction holds a joint. An
estimate is accepted if shorter steps give the same one. The difference d of two estimates with covariance C is small if

    d' C^-1 d / P <= (1/2)^2       for noise the mean is 1, for any correlations of the P parameters
    max |d_k| / sigma_k <= 3/2     steps a quarter as long leave a quarter of a first-order error: a third of d

The largest difference alone is not sufficient: a row that is added or dropped, because a joint reverses a step earlier,
changes one of 35 parameters by a deviation.

The deviations of logs with hardly any noise are so small that no step is short enough where friction changes its sign.
So an estimate is also accepted if d changes the torques by less than a thousandth, and its deviations include d.
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
from symoro.identification.rows import LogRows, RFactors, picked, steady, whole
from symoro.identification.signals import Preparation
from symoro.identification.tolerances import (
    RESOLVED_EFFECT,
    RESOLVED_MEAN,
    RESOLVED_WORST,
    UNDAMPED_ITERATIONS,
)

# -- simulation_rows


Array = NDArray[np.float64]
STEADY_ROWS = 2  # rows to each side of a reversal, where the filtered velocity may have a wrong sign


@dataclass(frozen=True, eq=False)
class RowPair:
    """Regression rows of one log along the measured and along the simulated motion, at the same times.

    `kept` is the mask of the rows that the fit uses; it is computed from the simulated velocities, which have no noise.
    """

    measured: RowBlock
    simulated: RowBlock
    kept: Booleans


def check_model(model: RowModel) -> None:
    """Check that the equations are those of the dynamic model, which simulating methods require."""
    if model.kind != "dynamic":
        raise OptionError("methods that simulate the robot require the dynamic model", hint="model='dynamic'")


def check_enough(rows: int, P: int) -> int:
    """Return the number of rows minus the number of parameters (degrees of freedom).

    Args:
        rows: number of rows.
        P: number of parameters.

    Raises:
        ProgramError: there are too few rows.
    """
    if rows - P < P:
        raise ProgramError(
            f"{rows} usable rows are too few for {P} parameters: in the other rows joints rest or reverse",
            hint=(
                "give a longer log, less decimation, or a smaller value of the option 'slow': rows in "
                "which the joint is slower are dropped"
            ),
        )
    return rows - P


def damped(K: Array, estimated: Array, rounds: int) -> Array:
    """Return the parameters for the next simulation: `estimated`, or, after some iterations, the mean with K.

    Args:
        K: parameters of the last simulation.
        estimated: parameters estimated from the last simulation.
        rounds: number of iterations so far.
    """
    return estimated if rounds <= UNDAMPED_ITERATIONS else (K + estimated) / 2


def measured_loops(
    rows: LogRows, controller: PdController | None, steps: int
) -> list[tuple[Log, RowBlock, ControlLoop]]:
    """Return each log with its measured rows and the control loop in which it was recorded.

    Args:
        rows: regression rows of the logs.
        controller: gains of the joint controllers; by default those of the log descriptions.
        steps: integration steps per sample.
    """
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
    """Return the regression rows of the measured motion and of the motion simulated with the parameters K.

    Args:
        model: identification model of the robot.
        log: the log.
        measured: rows of the measured motion; the rows of the simulated motion are at the same times.
        loop: control loop that is simulated.
        K: parameters of the simulated robot.
        preparation: filters and decimation.
        kept: mask of the used rows from an earlier iteration, which is used again, because a changing mask would
            prevent convergence; None in the first iteration.
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
    return RowPair(
        measured, picked(rows, at), steady(rows, STEADY_ROWS)[at] & measured.kept if kept is None else kept
    )


# -- resolution


STEPS = (1, 4, 16)  # steps per sample


def resolved(solve: Callable[[int], Estimate], slow: float = 0.0, data: RFactors | None = None) -> Estimate:
    """Return an estimate that does not depend on the integration step of the simulation.

    The step is shortened until two consecutive estimates agree within their standard deviations; the second of them is
    returned. If none agree, the estimate of the shortest steps is returned if its last change has a negligible effect
    on the torques.

    Args:
        solve: function that returns the estimate for a number of integration steps per sample. Each estimate starts
            from the same values, because another start may select other rows.
        slow: the velocity below which rows were dropped.
        data: R factors of the rows, with which the effect of a change on the torques is computed.

    Raises:
        ProgramError: no two estimates agree, or the shortest steps give no estimate.
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
        "the estimate depends on the step of the simulation: the controller gains are too high for the "
        "sampling rate, or a joint sticks",
        hint="; ".join(
            _hints(
                "record at a higher sampling rate a motion in which the joints do not rest, or use wls "
                "or irls, which do not simulate",
                slow,
            )
        ),
    )


def agree(before: Estimate, estimate: Estimate) -> bool:
    """Return whether two estimates agree within the standard deviations of the second one.

    The mean squared and the largest difference are compared with separate limits.

    Args:
        before: the first estimate, with longer integration steps.
        estimate: the second estimate.
    """
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
    """Return hints for the user after a failed estimation.

    If no slow rows were dropped, the first hint is to drop them, because rows in which joints reverse depend on the
    integration step.

    Args:
        hint: further hint, or None.
        slow: the velocity below which rows were dropped; 0 if none were.
    """
    first = [] if slow else ["drop rows in which a joint is slow (slow=0.05, --slow 0.05)"]
    return first + ([hint] if hint else [])
