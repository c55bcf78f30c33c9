"""Simulations that are fine enough: an estimate counts where shorter steps give the same one.

A step from sample to sample may be too long for the gains of a controller, and so may its parts where dry friction
holds a joint. Nothing in a motion tells this; two estimates that differ do. Of logs with hardly any noise, deviations
are so small that no steps are short enough where friction turns round: an estimate counts as well whose difference
changes no more than a thousandth of the torques, and its deviations hold that difference.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symoro.errors import ProgramError
from symoro.estimation.compress import Triangles
from symoro.estimation.estimate import Estimate

STEPS = (1, 4, 16)  # from sample to sample
AGREE = 0.5  # of a deviation
LITTLE = 1e-3  # of the torques


def resolved(solve: Callable[[int], Estimate], data: Triangles) -> Estimate:
    """The first estimate that agrees with that of longer steps; or the last, where it does so but for little.

    Arguments:
        solve: the estimate with so many steps from sample to sample, from one start: another may choose other rows.

    Raises:
        ProgramError: no two agree, or the shortest steps give none.
    """
    before: Estimate | None = None
    last: Estimate | None = None
    for steps in STEPS:
        try:
            found = solve(steps)
        except ProgramError:
            if steps == STEPS[-1]:
                raise
            continue
        if before is not None:
            change = found.values - before.values
            if np.max(np.abs(change) / found.deviations) < AGREE:
                return found
            last = found.wider(change)
            R = data.together(1 / found.sigma)
            if np.linalg.norm(R[:, :-1] @ change) > LITTLE * np.linalg.norm(R[:, -1]):
                last = None
        before = found
    if last is not None:
        return last
    raise ProgramError(
        "the estimate changes with the steps of the simulation: the gains are stiff for the rate of the log, or joints "
        "stick",
        hint="record at a higher rate, without rest; or take wls or irls, which simulate nothing",
    )
