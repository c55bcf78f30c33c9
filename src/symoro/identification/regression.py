"""Regression: least squares from R factors, statistics of estimates, residuals, and dependent columns.

    OLS    K = argmin ||A K - y||            C = (A'A)^-1 (sum sigma_j^2 A_j'A_j) (A'A)^-1
    WLS    K = argmin ||S (A K - y)||        C = s2 (A'SS A)^-1,  s2 = ||S (A K - y)||^2 / (rows - P)

S divides the rows of equation j by sigma_j, the deviation of the residual of that equation alone:

    sigma_j^2 = min ||A_j K - y_j||^2 / (rows_j - rank A_j)

Rows of a decimation filter are not independent: it keeps the share 0.8 of the band of white noise, and its rows are
counted with this factor.

Residuals are relative, ||S (A K - y)|| / ||S y||. Dropped rows make any residual small, so results contain that of all
rows, and a validation residual: that of the last third of the log with parameters from the first two (`held out`).

Normal rows [R r] represent an estimate of any method by its covariance C, with f = rows - parameters:

    R K = r in least squares gives K^,     |R K - r|^2 = f + (K - K^)' C^-1 (K - K^)

Dependent columns: the columns of the weighted data, scaled to unit length, are examined in order. A column that is in
the span of those before it, up to round-off, cannot be identified. If it is in their span at random motions too, the
structure of the robot is the reason, otherwise this motion.

M. Gautier, "Dynamic identification of robots with power model", ICRA 1997. J. Swevers et al., "Optimal robot
excitation and identification", IEEE Trans. Robotics and Automation 13, 1997.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.identification.equations import Booleans
from symoro.identification.rows import THIRDS, LogPart, RFactors, merged, r_factor
from symoro.identification.tolerances import (
    EXACT_PARAMETER,
    LEAST_EIGENVALUE,
    NEGLIGIBLE_COLUMN,
    NORMAL_95,
    RANK,
    ROUND_OFF,
    SMALL_COEFFICIENT,
    TINY,
)

if TYPE_CHECKING:
    from symoro.models.identification.base.parameters import BaseParameters

# -- estimate


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated parameters K and their covariance.

    Attributes:
        method: name of the estimation method.
        names: names of the parameters.
        values: values K of the parameters (P,).
        covariance: (P, P), computed by the method.
        sigma: standard deviation of the residual of each equation, by which its rows are divided (e,).
        freedom: degrees of freedom: number of rows minus number of parameters.
        rounds: number of iterations; 0 for a direct method.
        autocorrelation: median ratio of the deviations to those for white noise (module `autocorrelation`).
    """

    method: str
    names: tuple[str, ...]
    values: Array
    covariance: Array
    sigma: Array
    freedom: int
    rounds: int = 0
    autocorrelation: float = 1.0

    @property
    def deviations(self) -> Array:
        """Standard deviation of each parameter (P,)."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def relative(self) -> Array:
        """Standard deviation of each parameter in percent of its value (P,)."""
        with np.errstate(divide="ignore"):
            return np.asarray(100 * self.deviations / np.abs(self.values))

    @property
    def correlations(self) -> Array:
        """Correlation matrix of the parameters (P, P)."""
        scale = np.where(self.deviations > 0, self.deviations, 1.0)
        return np.asarray(self.covariance / np.outer(scale, scale))

    def interval(self) -> tuple[Array, Array]:
        """Return the lower and upper ends of the 95 % confidence intervals of the parameters, each (P,)."""
        half = NORMAL_95 * self.deviations
        return self.values - half, self.values + half

    def wider(self, change: Array) -> Estimate:
        """Return the estimate with its covariance enlarged, as if a change of the parameters were noise.

        Args:
            change: the change of all parameters (P,).
        """
        units = change / self.deviations
        spread = float(units @ np.linalg.solve(self.correlations, units)) / len(change)
        return replace(self, covariance=self.covariance * (1 + spread))

    def as_dict(self) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.names, self.values, strict=True)}


# -- least_squares


def ordinary(names: Sequence[str], data: RFactors) -> Estimate:
    """Estimate the parameters by ordinary least squares (OLS).

    The standard deviations account for the different noise of the equations.

    Args:
        names: names of the parameters.
        data: R factors of the regression rows.
    """
    R = data.together([1.0] * len(data.factors))
    K, inverse = solved(R)
    sigma = own_deviations(data)
    middle = np.zeros_like(inverse)
    for k, s in enumerate(sigma):
        rows = data.wide(k)[:, :-1]
        middle += s**2 * rows.T @ rows
    return Estimate("OLS", tuple(names), K, inverse @ middle @ inverse, sigma, int(data.independent) - len(K))


def weighted(names: Sequence[str], data: RFactors) -> Estimate:
    """Estimate the parameters by weighted least squares (WLS).

    The weight of an equation is 1 / sigma, where sigma is the standard deviation of its residual when it is solved
    alone.

    Args:
        names: names of the parameters.
        data: R factors of the regression rows.
    """
    sigma = own_deviations(data)
    R = data.together(1 / sigma)
    K, inverse = solved(R)
    freedom = data.independent - len(K)
    s2 = float(np.sum((R @ np.append(K, -1.0)) ** 2)) / freedom
    return Estimate("WLS", tuple(names), K, s2 * inverse, sigma, int(freedom))


def own_deviations(data: RFactors) -> Array:
    """Return the standard deviation sigma_j of the residual of each equation when it is solved alone, (e,).

    Raises:
        ArgumentError: an equation has too few rows.
    """
    # Columns are scaled by their norm over all equations, so that round-off in one equation remains small. Each
    # equation is divided by the norm of its measurements, because forces and torques are not comparable.
    norms = np.where(data.norms() > 0, data.norms(), 1.0)
    together = np.vstack([data.wide(k, 1 / norm)[:, :-1] for k, norm in enumerate(norms)])
    sizes = np.linalg.norm(together, axis=0)
    sizes[sizes == 0] = 1.0
    deviations = []
    for k, factor in enumerate(data.factors):
        A, y = factor[:, :-1], factor[:, -1]
        unit = A / sizes[data.support[k]]
        K, _, rank, _ = np.linalg.lstsq(unit, y, rcond=RANK)
        freedom = data.share * data.counts[k] - int(rank)
        if freedom < 1:
            raise ArgumentError(
                f"equation {k + 1} has {data.counts[k]} rows for {int(rank)} unknowns",
                hint=(
                    "give a longer log, less decimation, or a smaller value of the option 'slow': rows "
                    "in which the joint is slower are dropped"
                ),
            )
        deviations.append(float(np.linalg.norm(unit @ K - y)) / freedom**0.5)
    sigma = np.array(deviations)
    floor = 1e-12 * norms / np.sqrt(np.maximum(data.counts, 1))
    return np.asarray(np.maximum(sigma, floor))  # avoids a division by zero for data without noise


def solved(R: Array) -> tuple[Array, Array]:
    """Solve a least-squares problem from its R factor; columns are scaled to unit length.

    Args:
        R: R factor of [A y].

    Returns:
        The solution K, and (A'A)^-1.
    """
    A, y = R[:-1, :-1], R[:-1, -1]
    scale = np.linalg.norm(A, axis=0)
    inner = np.linalg.inv(A / scale)
    half = inner / scale[:, None]
    return half @ y, half @ half.T


# -- normal_rows


def normal_rows(estimate: Estimate, data: RFactors) -> tuple[Array, float]:
    """Return rows [R r] that represent an estimate and its covariance in a least-squares problem.

    The least-squares solution of R K = r is the estimate, and its covariance is that of the estimate.

    Args:
        estimate: the estimate.
        data: R factors of the regression rows.

    Returns:
        The R factor of [R r], (P + 1, P + 1), and the number of independent rows that it represents.
    """
    K, P = estimate.values, len(estimate.values)
    scale = np.maximum(estimate.deviations, EXACT_PARAMETER * np.abs(K))
    if estimate.method == "WLS" and (scale == estimate.deviations).all():
        white = weighted(estimate.names, data).deviations
        if np.allclose(estimate.deviations, white, rtol=ROUND_OFF, atol=0.0):  # not those of correlated rows
            return data.together(1 / estimate.sigma), data.independent
    scale[scale == 0] = 1.0
    sizes, ways = np.linalg.eigh(estimate.correlations)
    root = np.sqrt(np.maximum(sizes, LEAST_EIGENVALUE * sizes[-1]))
    half = ways.T / root[:, None] / scale
    rows = np.zeros((P + 1, P + 1))
    rows[:P, :P], rows[:P, P] = half, half @ K
    rows[P, P] = estimate.freedom**0.5
    return r_factor(rows), estimate.freedom + P


# -- residuals


KEPT: list[LogPart] = [(k, True) for k in range(THIRDS)]
ALL: list[LogPart] = [(k, kept) for k in range(THIRDS) for kept in (True, False)]


@dataclass(frozen=True, eq=False)
class Residual:
    """Residual of an estimate on a set of regression rows.

    Attributes:
        rows: number of rows.
        relative: norm of the weighted residual divided by that of the weighted measurements.
        equations: relative residual of each equation separately; it does not depend on weights.
        deviations: root mean square of the residual of each equation, in the unit of the equation.
    """

    rows: int
    relative: float
    equations: Array
    deviations: Array


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals of an estimate: of the used rows, of all rows, and of the last third of a log.

    The residual of the last third (`held_out`) is that of parameters estimated from the first two thirds.

    Attributes:
        held_out_by: method that estimated the parameters from the first two thirds. It differs from the method of the
            estimate if the latter requires the whole log.
    """

    kept: Residual
    every: Residual
    held_out: Residual | None = None
    held_out_every: Residual | None = None
    held_out_by: str = ""


def residual(data: RFactors, estimate: Estimate) -> Residual:
    """Return the residual of an estimate on the regression rows that R factors represent."""
    off, norms = data.residuals(estimate.values), data.norms()
    weighted = float(np.linalg.norm(off / estimate.sigma)), float(np.linalg.norm(norms / estimate.sigma))
    with np.errstate(invalid="ignore", divide="ignore"):
        return Residual(
            data.rows,
            weighted[0] / weighted[1] if weighted[1] else np.nan,
            off / norms,
            off / np.sqrt(data.counts),
        )


def trial_residual(data: RFactors) -> float:
    """Return the relative residual of a weighted fit to data that may not determine all parameters.

    In a short part of a log a joint may rest or move in one direction only, and its columns are then dependent.

    Raises:
        ArgumentError: an equation has too few rows.
    """
    R = data.together(1 / own_deviations(data))
    A, y = R[:, :-1], R[:, -1]
    scale = np.linalg.norm(A, axis=0)
    unit = A / np.where(scale > 0, scale, 1.0)
    K = np.linalg.lstsq(unit, y, rcond=RANK)[0]
    return float(np.linalg.norm(unit @ K - y) / max(float(np.linalg.norm(y)), TINY))


def log_residual(parts: Mapping[LogPart, RFactors], support: Booleans, estimate: Estimate) -> Residuals:
    """Return the residuals of an estimate on the used rows and on all rows of a log.

    Args:
        parts: R factors by part of the log: (third of the log 0, 1 or 2; whether the fit uses the rows).
        support: (equations, columns), False where the regressor is zero for every motion.
        estimate: the estimate.
    """
    return Residuals(
        residual(merged(parts, support, KEPT), estimate), residual(merged(parts, support, ALL), estimate)
    )


# -- dependence


IN_THIS_LOG = (
    "its column is zero in this log: the measured torques do not depend on it",
    "in this log its column equals {}: the motion does not distinguish them",
)
FOR_EVERY_MOTION = (
    "its column is zero for every motion of this robot",
    "its column equals {} for every motion of this robot: only their combination can be identified",
)


def dependent(
    names: Sequence[str], R: Array, words: tuple[str, str] = IN_THIS_LOG, units: Array | float = 1.0
) -> dict[str, str]:
    """Return the columns of a regressor that cannot be identified, each with the reason.

    Args:
        names: names of the columns.
        R: R factor of the weighted data, columns in the order of the names, y last.
        words: texts for a column that is zero, and for one that is a linear combination of others.
        units: scales of the parameters for a robot of this size; the norms of columns times these scales are
            comparable.
    """
    A = R[:, :-1]
    norms = np.linalg.norm(A, axis=0)
    sizes = norms * units
    reasons: dict[str, str] = {}
    kept: list[int] = []
    for k, name in enumerate(names):
        if sizes[k] <= NEGLIGIBLE_COLUMN * float(sizes.max(initial=0.0)) or norms[k] == 0:
            reasons[name] = words[0]
            continue
        column = A[:, k] / norms[k]
        basis = A[:, kept] / norms[kept]
        weights = np.linalg.lstsq(basis, column, rcond=NEGLIGIBLE_COLUMN)[0] if kept else np.empty(0)
        if kept and np.linalg.norm(basis @ weights - column) <= NEGLIGIBLE_COLUMN * len(names) ** 0.5:
            terms = [
                f"{w * norms[k] / norms[i]:+.4g} {names[i]}"
                for i, w in zip(kept, weights, strict=True)
                if abs(w) > SMALL_COEFFICIENT
            ]
            reasons[name] = words[1].format(" ".join(terms))
        else:
            kept.append(k)
    return reasons


def check_dependence(
    names: Sequence[str],
    R: Array,
    at_random: Callable[[], Array | None] = lambda: None,
    units: Array | float = 1.0,
) -> None:
    """Check that the data determine all parameters of a regression.

    Args:
        names, R, units: see `dependent`.
        at_random: function that returns the regressor (rows, P) at random motions, or None. It shows which parameters
            no motion determines.

    Raises:
        ArgumentError: parameters are not determined; the message lists them with the reasons.
    """
    bad = dependent(names, R, units=units)
    if not bad:
        return
    drawn = at_random()
    always = (
        {}
        if drawn is None
        else dependent(names, np.column_stack([drawn, np.zeros(len(drawn))]), FOR_EVERY_MOTION, units)
    )
    reasons = bad | {name: reason for name, reason in always.items() if name in bad}
    lines = "".join(f"\n  - {name}: {reason}" for name, reason in reasons.items())
    moving = (
        "move the joints farther and faster, also one at a time, or leave out these columns with the "
        "option 'without'"
    )
    structural = [name for name in bad if name in always]
    hint = f"no motion of this robot determines {', '.join(structural)}: leave these out with the option 'without'"
    if structural and len(structural) < len(bad):
        hint += f"; for the others, {moving}"
    raise ArgumentError(
        f"{len(bad)} of {len(names)} parameters cannot be identified from this log:{lines}",
        hint=hint if structural else moving,
    )


def why_no_column(name: str, base: BaseParameters, relations: Mapping[str, Mapping[str, object]]) -> str:
    """Return the reason why the standard parameter `name` has no column in the regressor.

    Args:
        name: name of the standard parameter.
        base: the base parameters.
        relations: for each base parameter the coefficients of the parameters that are grouped with it.
    """
    if name in base.no_effect:
        return f"{name} has no effect on any torque of this robot"
    holders = [kept for kept, others in relations.items() if name in others]
    if holders:
        return f"{name} is grouped with {', '.join(holders)}: only their combination can be identified"
    return f"{name} is not a parameter of this robot"
