"""Simulations that are fine enough: an estimate counts where shorter steps give the same one.

A step from sample to sample may be too long for the gains of a controller, and so may its parts where dry friction
holds a joint. Nothing in a motion tells this; two estimates that differ do. Their difference d is small beside what
noise does to an estimate of covariance C where

    d' C^-1 d / P <= (1/2)^2       noise has 1 here on average, whatever the correlations of the P parameters
    max |d_k| / sigma_k <= 3/2     steps a quarter as long leave a quarter of an error of first order: a third of d

The worst of many parameters alone says little: a row that comes or goes, since a joint turns back a step sooner, moves
one of 35 by a deviation.

Of logs with hardly any noise, deviations are so small that no steps are short enough where friction turns round: an
estimate counts as well whose d changes no more than a thousandth of the torques, and its deviations hold d.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symoro.errors import ProgramError
from symoro.identification.compress import Array, Triangles
from symoro.identification.estimate import Estimate

STEPS = (1, 4, 16)  # from sample to sample
MEAN, WORST = 0.5, 1.5  # of a deviation
LITTLE = 1e-3  # of the torques


def resolved(solve: Callable[[int], Estimate], slow: float = 0.0, data: Triangles | None = None) -> Estimate:
    """The first estimate that agrees with that of longer steps; or the last, where it does so but for little.

    Arguments:
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
            found = solve(steps)
        except ProgramError as error:
            if steps == STEPS[-1]:
                raise ProgramError(error.message, hint="; ".join(_hints(error.hint, slow))) from None
            continue
        if before is not None:
            if agree(before, found):
                return found
            change = found.values - before.values
            last = found.wider(change) if data is not None and _is_little(change, found, data) else None
        before = found
    if last is not None:
        return last
    raise ProgramError(
        "the estimate changes with the steps of the simulation: the gains are stiff for the rate of the log, or joints "
        "stick",
        hint="; ".join(
            _hints("record at a higher rate, without rest; or take wls or irls, which simulate nothing", slow)
        ),
    )


def agree(before: Estimate, found: Estimate) -> bool:
    """Whether two estimates differ by little beside what noise does to the second."""
    off = (found.values - before.values) / found.deviations
    if not np.isfinite(off).all() or np.abs(off).max() > WORST:
        return False
    return bool(off @ np.linalg.pinv(found.correlations, hermitian=True) @ off <= MEAN**2 * len(off))


def _is_little(change: Array, found: Estimate, data: Triangles) -> bool:
    R = data.together(1 / found.sigma)
    return bool(np.linalg.norm(R[:, :-1] @ change) <= LITTLE * np.linalg.norm(R[:, -1]))


def _hints(hint: str | None, slow: float) -> list[str]:
    """Rows at which joints turn back come and go with the steps: dropping them is tried first."""
    first = [] if slow else ["drop rows in which a joint is slow (slow=0.05, --slow 0.05)"]
    return first + ([hint] if hint else [])
