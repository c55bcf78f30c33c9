"""Essential parameters: those that remain when poorly determined ones are removed one by one.

The parameter with the largest relative deviation is removed and the others are estimated again, as long as

- that deviation is more than `ratio` times the smallest one, and
- the residual does not grow significantly: with all c parameters and k removed,

      F = ((rho_k^2 - rho^2)/k) / (rho^2/(rows - c))  <=  F(1 - level; k, rows - c)

The rows are those of which the estimate is the least-squares solution (`normal_rows`), so that the reduced estimate
belongs to the same method. A removed parameter is set to zero: its effect is below the noise of this log, not
necessarily of every log.

M. Gautier, W. Khalil, C. Presse, P.P. Restrepo, "Experimental identification of dynamic parameters of robot", SYROCO
1994. C.M. Pham, M. Gautier, "Essential parameters of robots", CDC 1991.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.identification.regression import Estimate, normal_rows, solved
from symoro.identification.rows import RFactors, r_factor
from symoro.identification.tolerances import ELIMINATION_LEVEL, ELIMINATION_RATIO

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Essential:
    """Reduced (essential) parameter set: the parameters that remain after poorly determined ones are removed.

    Attributes:
        estimate: estimate of the parameters that remain.
        removed: names of the removed parameters, in the order of their removal.
        statistic, critical: F statistic of the increase of the residual, and its critical value; 0 if nothing was
            removed.
        growth: increase of the residual in percent.
    """

    estimate: Estimate
    removed: tuple[str, ...]
    statistic: float
    critical: float
    growth: float


def essential(
    estimate: Estimate, data: RFactors, *, ratio: float = ELIMINATION_RATIO, level: float = ELIMINATION_LEVEL
) -> Essential:
    """Remove poorly determined parameters from an estimate one by one (backward elimination).

    Args:
        estimate: the estimate of all parameters.
        data: R factors of the regression rows.
        ratio: a parameter is removed if its relative deviation exceeds this multiple of the smallest relative
            deviation.
        level: significance level of the F test that the residual does not increase.
    """
    from scipy import stats

    names = estimate.names
    R, rows = normal_rows(estimate, data)
    P = len(names)
    kept = list(range(P))
    removed: list[int] = []
    statistic = critical = 0.0
    values, covariance, full = _fit(R, kept, rows)
    last = full
    while len(kept) > 1:
        relative = np.sqrt(np.diag(covariance)) / np.abs(values)
        worst = int(np.argmax(relative))
        if relative[worst] <= ratio * relative.min():
            break
        fewer = kept[:worst] + kept[worst + 1 :]
        values_then, covariance_then, rho2 = _fit(R, fewer, rows)
        count = len(removed) + 1
        f = (rho2 - full) / count / (full / (rows - P))
        limit = float(stats.f.ppf(1 - level, count, rows - P))
        if f > limit:
            break
        removed.append(kept[worst])
        kept, values, covariance, last = fewer, values_then, covariance_then, rho2
        statistic, critical = float(f), limit
    remaining = Estimate(
        f"{estimate.method}, essential",
        tuple(names[k] for k in kept),
        values,
        covariance,
        estimate.sigma,
        int(rows) - len(kept),
    )
    growth = 100 * ((last / full) ** 0.5 - 1) if full > 0 else 0.0
    return Essential(remaining, tuple(names[k] for k in removed), statistic, critical, growth)


def _fit(R: Array, kept: Sequence[int], rows: float) -> tuple[Array, Array, float]:
    """Fit a subset of the parameters.

    Args:
        R: R factor of [A y].
        kept: indices of the columns of A that are used.
        rows: number of independent rows that R represents.

    Returns:
        The parameters K, their covariance, and the squared residual.
    """
    part = r_factor(R[:, [*kept, R.shape[1] - 1]])
    K, inverse = solved(part[: len(kept) + 1])
    rho2 = float(np.sum((part @ np.append(K, -1.0)) ** 2))
    return K, inverse * (rho2 / (rows - len(kept))), rho2
