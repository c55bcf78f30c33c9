"""Regression: least squares from R factors, statistics of estimates, residuals, and dependent columns.

    OLS    K = argmin ||A K - y||            C = (A'A)^-1 (sum sigma_j^2 A_j'A_j) (A'A)^-1
    WLS    K = argmin ||S (A K - y)||        C = s2 (A'SS A)^-1,  s2 = ||S (A K - y)||^2 / (rows - P)

S divides the rows of equation j by sigma_j, the deviation of the residual of that equation alone:

    sigma_j^2 = min ||A_j K - y_j||^2 / (rows_j - rank A_j)

Rows of a decimation filter are not independent: it keeps the share 0.8 of the band of white noise, and its rows count
for that share of their number.

Residuals are relative, ||S (A K - y)|| / ||S y||. Dropped rows make any residual small, so results contain that of all
rows, and that of the last third of the log for parameters of the first two (`held out`).

Normal rows [R r] represent an estimate of any method by its covariance C, with f = rows less parameters:

    R K = r in least squares gives K^,     |R K - r|^2 = f + (K - K^)' C^-1 (K - K^)

Dependent columns: the columns of the weighted data, of unit length, are taken in order; one in the span of those before
it, except for round-off, cannot be identified beside them. If it is in their span at random motions too, the structure
of the robot is the reason, otherwise this motion.

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
    RANK,
    SMALL_COEFFICIENT,
)

if TYPE_CHECKING:
    from symoro.models.identification.base.parameters import BaseParameters

# -- estimate


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters from data.

    Attributes:
        method: how they were found.
        names: of the parameters.
        values: K.
        covariance: (P, P), as the method tells it.
        sigma: deviation of the residual of each equation, by which its rows are divided.
        freedom: rows less parameters.
        rounds: how often an iteration went on; 0 where there is none.
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
        """Standard deviations."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def relative(self) -> Array:
        """Standard deviations in percent of the values."""
        with np.errstate(divide="ignore"):
            return np.asarray(100 * self.deviations / np.abs(self.values))

    @property
    def correlations(self) -> Array:
        """(P, P); of a parameter with itself 1."""
        scale = np.where(self.deviations > 0, self.deviations, 1.0)
        return np.asarray(self.covariance / np.outer(scale, scale))

    def interval(self, quantile: float = 1.959963984540054) -> tuple[Array, Array]:
        """Lower and upper ends, of 95 % unless another quantile of the normal distribution is given."""
        half = quantile * self.deviations
        return self.values - half, self.values + half

    def wider(self, change: Array) -> Estimate:
        """With deviations that hold a change of all parameters, as if noise had made it."""
        units = change / self.deviations
        spread = float(units @ np.linalg.solve(self.correlations, units)) / len(change)
        return replace(self, covariance=self.covariance * (1 + spread))

    def as_dict(self) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.names, self.values, strict=True)}


# -- least_squares


def ordinary(names: Sequence[str], data: RFactors) -> Estimate:
    """OLS; deviations allow for equations of different noise."""
    R = data.together([1.0] * len(data.factors))
    K, inverse = solved(R)
    sigma = own_deviations(data)
    middle = np.zeros_like(inverse)
    for k, s in enumerate(sigma):
        rows = data.wide(k)[:, :-1]
        middle += s**2 * rows.T @ rows
    return Estimate("OLS", tuple(names), K, inverse @ middle @ inverse, sigma, int(data.independent) - len(K))


def weighted(names: Sequence[str], data: RFactors) -> Estimate:
    """WLS, the weights from the residual of each equation alone."""
    sigma = own_deviations(data)
    R = data.together(1 / sigma)
    K, inverse = solved(R)
    freedom = data.independent - len(K)
    s2 = float(np.sum((R @ np.append(K, -1.0)) ** 2)) / freedom
    return Estimate("WLS", tuple(names), K, s2 * inverse, sigma, int(freedom))


def own_deviations(data: RFactors) -> Array:
    """sigma_j: the deviation of the residual of each equation, solved alone.

    Raises:
        ArgumentError: an equation has too few rows to tell.
    """
    # By the columns of all equations together: one that is round-off in this equation stays small. Each equation is
    # divided by its measurement, since forces and torques are not comparable.
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
                hint="give a longer log, less decimation, or a lower velocity below which rows are dropped",
            )
        deviations.append(float(np.linalg.norm(unit @ K - y)) / freedom**0.5)
    sigma = np.array(deviations)
    floor = 1e-12 * np.maximum(data.norms() / np.sqrt(np.maximum(data.counts, 1)), 1e-300)
    return np.asarray(np.maximum(sigma, floor))  # data without noise: no division by zero


def solved(R: Array) -> tuple[Array, Array]:
    """K and (A'A)^-1 from the R factor of [A y], by columns of unit length."""
    A, y = R[:-1, :-1], R[:-1, -1]
    scale = np.linalg.norm(A, axis=0)
    inner = np.linalg.inv(A / scale)
    half = inner / scale[:, None]
    return half @ y, half @ half.T


# -- normal_rows


def normal_rows(estimate: Estimate, data: RFactors) -> tuple[Array, float]:
    """Return the R factor of [R r], (P + 1, P + 1), and the number of independent rows behind it."""
    K, P = estimate.values, len(estimate.values)
    scale = np.maximum(estimate.deviations, EXACT_PARAMETER * np.abs(K))
    if estimate.method == "WLS" and (scale == estimate.deviations).all():
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
    """Residual of an estimate on data.

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


def residual(data: RFactors, estimate: Estimate) -> Residual:
    """Return the residual of an estimate on data."""
    off, norms = data.residuals(estimate.values), data.norms()
    weighted = float(np.linalg.norm(off / estimate.sigma)), float(np.linalg.norm(norms / estimate.sigma))
    with np.errstate(invalid="ignore", divide="ignore"):
        return Residual(
            data.rows,
            weighted[0] / weighted[1] if weighted[1] else np.nan,
            off / norms,
            off / np.sqrt(data.counts),
        )


def log_residual(parts: Mapping[LogPart, RFactors], support: Booleans, estimate: Estimate) -> Residuals:
    """Of the kept and of all rows of a log."""
    return Residuals(
        residual(merged(parts, support, KEPT), estimate), residual(merged(parts, support, ALL), estimate)
    )


# -- dependence


IN_THIS_LOG = (
    "its column is zero in this log: nothing that was measured depends on it",
    "in this log its column is {}: the motion does not separate them",
)
FOR_EVERY_MOTION = (
    "its column is zero for this robot at every motion",
    "its column is {} for this robot at every motion: they act only together",
)


def dependent(
    names: Sequence[str], R: Array, words: tuple[str, str] = IN_THIS_LOG, units: Array | float = 1.0
) -> dict[str, str]:
    """Columns that cannot be identified, each with the reason.

    Args:
        R: the R factor of the weighted data, columns in the order of the names, y last.
        words: of a column that is zero, and of one that is a sum of others.
        units: of the parameters, for a robot of its size, in which the sizes of columns are comparable.
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
    """Reject data that leave a column undetermined.

    Args:
        at_random: the columns (rows, P) at random motions, where they are known: it tells what no motion determines.

    Raises:
        ArgumentError: which names each of them with the reason.
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
    moving = "move the joints more and faster, each on its own too, or leave these columns out"
    structural = [name for name in bad if name in always]
    hint = (
        f"leave out what no motion of this robot determines, {', '.join(structural)}, by the option 'without'"
    )
    if structural and len(structural) < len(bad):
        hint += f"; for the others {moving}"
    raise ArgumentError(
        f"{len(bad)} of {len(names)} parameters cannot be identified from this log:{lines}",
        hint=hint if structural else moving,
    )


def why_no_column(name: str, base: BaseParameters, relations: Mapping[str, Mapping[str, object]]) -> str:
    """Why a standard parameter has no column of its own."""
    if name in base.no_effect:
        return f"{name} has no effect on any torque of this robot"
    holders = [kept for kept, others in relations.items() if name in others]
    if holders:
        return f"{name} acts only together with {', '.join(holders)}, into which it is regrouped"
    return f"{name} is no parameter of this robot"
