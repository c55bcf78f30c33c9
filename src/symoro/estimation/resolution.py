"""Simulations that are fine enough: an estimate counts where shorter steps give the same one.

A step from sample to sample may be too long for the gains of a controller, and so may its parts where dry friction
holds a joint. Nothing in a motion tells this; two estimates that differ do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symoro.errors import ProgramError
from symoro.estimation.estimate import Estimate

STEPS = (1, 4, 16)  # from sample to sample
AGREE = 0.5  # of a deviation


def resolved(solve: Callable[[int], Estimate]) -> Estimate:
    """The first estimate that agrees with that of longer steps.

    Arguments:
        solve: the estimate with so many steps from sample to sample, from one start: another may choose other rows.

    Raises:
        ProgramError: no two agree, or the shortest steps give none.
    """
    before: Estimate | None = None
    for steps in STEPS:
        try:
            found = solve(steps)
        except ProgramError:
            if steps == STEPS[-1]:
                raise
            continue
        if before is not None and np.max(np.abs(found.values - before.values) / found.deviations) < AGREE:
            return found
        before = found
    raise ProgramError(
        "the estimate changes with the steps of the simulation: the gains are stiff for the rate of the log, or joints "
        "stick",
        hint="record at a higher rate, without rest; or take wls or irls, which simulate nothing",
    )
