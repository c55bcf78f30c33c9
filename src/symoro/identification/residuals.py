"""How well an estimate explains data: residuals of all rows, of those that were kept, and of rows it has not seen.

    relative = ||S (A K - y)|| / ||S y||,       S divides the rows of each equation by its sigma

Rows thrown away make any residual small, so that of all rows stands beside that of the kept ones, and that of the last
third of the log, for parameters that the first two thirds gave (`held out`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.identification.compress import THIRDS, LogPart, Triangles, merged
from symoro.identification.equations import Booleans
from symoro.identification.estimate import Estimate

Array = NDArray[np.float64]
KEPT: list[LogPart] = [(k, True) for k in range(THIRDS)]
ALL: list[LogPart] = [(k, kept) for k in range(THIRDS) for kept in (True, False)]


@dataclass(frozen=True, eq=False)
class Residual:
    """How well data are explained.

    Attributes:
        rows: how many there are.
        relative: weighted residual over weighted measurement.
        equations: the same for each equation alone, which its weight does not change.
        deviations: root mean square of each equation's residual, in its unit.
    """

    rows: int
    relative: float
    equations: Array
    deviations: Array


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of the rows that were kept, of all, and of the last third (kept, all) for parameters of the first two.

    Attributes:
        held_out_by: the method that found these from the first two thirds; another one than that of the estimate where
            this goes through the whole log.
    """

    kept: Residual
    every: Residual
    held_out: Residual | None = None
    held_out_every: Residual | None = None
    held_out_by: str = ""


def residual(data: Triangles, estimate: Estimate) -> Residual:
    """The residual of an estimate on data."""
    off, norms = data.residuals(estimate.values), data.norms()
    weighted = float(np.linalg.norm(off / estimate.sigma)), float(np.linalg.norm(norms / estimate.sigma))
    with np.errstate(invalid="ignore", divide="ignore"):
        return Residual(
            data.rows,
            weighted[0] / weighted[1] if weighted[1] else np.nan,
            off / norms,
            off / np.sqrt(data.counts),
        )


def log_residual(parts: Mapping[LogPart, Triangles], support: Booleans, estimate: Estimate) -> Residuals:
    """Of the kept and of all rows of a log."""
    return Residuals(
        residual(merged(parts, support, KEPT), estimate), residual(merged(parts, support, ALL), estimate)
    )
