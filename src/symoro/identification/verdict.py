"""Verdict on an identification: pass, doubtful or fail, from criteria that are relative numbers with two limits.

    value <= first limit: pass        value <= second limit: doubtful        otherwise: fail

The verdict is the worst level of all criteria. A criterion that the data do not permit to compute is doubtful. The
limits are those of module `tolerances`:

    fit-residual          largest residual of a joint beyond the white noise of its torques, relative to these torques,
                          on the rows that the fit uses
    validation-residual   the same on the validation logs; without any, on the last third of the logs for parameters
                          from the first two thirds
    validation-ratio      weighted relative validation residual divided by that of the fit
    joint-consistency     largest residual of a joint relative to a separate fit of its equation: a wrong geometry,
                          or wrong columns
    torque-factor         difference from 1 of the factor of the torques of one joint that explains most of the
                          residual, if it is significant: a wrong gear ratio or torque constant
    autocorrelation       median factor by which correlated residuals widen the deviations of the parameters; not
                          computed by the methods that simulate the robot
    condition             condition number of the weighted regressor with columns of unit length
    deviation             largest relative standard deviation of the essential parameters
    parameters-per-row    number of parameters divided by the number of independent rows
    consistency           relative increase of the residual by physical consistency and bounds of masses, if requested
    warnings              2 if a warning indicates wrong data, 1 for other warnings that affect the estimate

M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots", Int. J.
Robotics Research 11, 1992 (condition number). J. Swevers, W. Verdonck, J. De Schutter, "Dynamic model identification
for industrial robots", IEEE Control Systems 27, 2007 (validation).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from symoro.display import aligned
from symoro.identification.consistent import Consistent
from symoro.identification.diagnostics import DiagnosticWarning
from symoro.identification.equations import row_name
from symoro.identification.estimate_diagnostics import joint_consistency, significant_factor
from symoro.identification.regression import Estimate, Residual, Residuals
from symoro.identification.rows import RFactors
from symoro.identification.tolerances import RESOLVED_EFFECT, UNIT_RESIDUAL, VERDICT_LIMITS

Array = NDArray[np.float64]
LEVELS = ("pass", "doubtful", "fail")
PASS, DOUBTFUL, _ = LEVELS
SIMULATED = ("IDIM-IV", "DIDIM", "CLOE")
"""Methods whose estimates do not contain a factor for the autocorrelation of residuals."""
INFORMATIVE = frozenset({"uneven-times"})
"""Warnings that report a treatment of the data, without an effect on the verdict."""
INVALIDATING = frozenset(
    {
        "derivative-mismatch",
        "inconsistent-torques",
        "negative-parameter",
        "other-assembly",
        "position-unit",
        "time-unit",
        "torque-factor",
        "torque-unit",
        "unexplained-joint",
        "unexplained-torques",
    }
)
"""Warnings that indicate wrong data or a wrong model, so that the estimate is not usable."""


@dataclass(frozen=True)
class Criterion:
    """One criterion of a verdict.

    Attributes:
        name: stable identifier.
        value: relative number; smaller is better. It is NaN if the data do not permit to compute it.
        quantity: what the number is relative to, and the joint or parameter to which it belongs.
        percent: whether the number is written in percent.
    """

    name: str
    value: float
    quantity: str
    percent: bool = False

    @property
    def limits(self) -> tuple[float, float]:
        """Largest value that passes, and largest value that is doubtful."""
        return VERDICT_LIMITS[self.name]

    @property
    def level(self) -> str:
        """'pass', 'doubtful' or 'fail'."""
        if isnan(self.value):
            return DOUBTFUL
        return LEVELS[sum(self.value > limit for limit in self.limits)]

    def text(self, number: float) -> str:
        """Return a number in the unit of the criterion as text."""
        if isnan(number):
            return "-"
        return f"{100 * number:.3g} %" if self.percent else f"{number:.3g}"

    def row(self) -> tuple[str, str, str, str, str, str]:
        """Return the cells of a table: name, level, value, both limits, quantity."""
        first, second = (self.text(limit) for limit in self.limits)
        return self.name, self.level, self.text(self.value), first, second, self.quantity


COLUMNS = ("criterion", "level", "value", "pass up to", "fail beyond", "quantity")


@dataclass(frozen=True)
class Verdict:
    """Verdict on an identification: the worst level of its criteria."""

    criteria: tuple[Criterion, ...]

    @property
    def level(self) -> str:
        """'pass', 'doubtful' or 'fail'."""
        return LEVELS[max(LEVELS.index(one.level) for one in self.criteria)]

    def satisfies(self, required: str) -> bool:
        """Return whether the level is at least as good as `required`: 'pass', 'doubtful' or 'fail'."""
        return LEVELS.index(self.level) <= LEVELS.index(required)

    @property
    def line(self) -> str:
        """The verdict in one line, with the criteria that determine it."""
        if self.level == PASS:
            return "verdict: pass"
        worst = [one for one in self.criteria if one.level == self.level]
        reasons = "; ".join(f"{one.name} {one.text(one.value)}, {one.quantity}" for one in worst)
        return f"verdict: {self.level} ({reasons})"

    def __str__(self) -> str:
        return "\n".join([self.line, "", *aligned(COLUMNS, [one.row() for one in self.criteria])])


def verdict(
    labels: Sequence[str],
    estimate: Estimate,
    essential: Estimate,
    data: RFactors,
    residuals: Residuals,
    validation: Mapping[str, Residuals],
    constrained: Consistent | None,
    warnings: Sequence[DiagnosticWarning],
    noise: Array | None,
) -> Verdict:
    """Return the verdict on an identification.

    Args:
        labels: names of the equations.
        estimate: the estimate.
        essential: estimate of the essential parameters.
        data: R factors of the rows that the fit uses.
        residuals: residuals on the logs from which the parameters are estimated.
        validation: residuals on validation logs, by name.
        constrained: physically consistent parameters; None if they were not requested.
        warnings: warnings of the identification.
        noise: standard deviation of the rows of each equation due to white noise of the torques; None if unknown.
    """
    criteria = [
        _joint_residual("fit-residual", labels, {"": residuals.kept}, noise),
        *_validation(labels, residuals, validation, noise),
        *_joint_criteria(labels, estimate, data, residuals),
        *_autocorrelation(estimate, residuals),
        Criterion("condition", _condition(estimate, data), "regressor with unit columns"),
        _deviation(essential),
        Criterion(
            "parameters-per-row",
            len(estimate.names) / max(estimate.freedom + len(estimate.names), 1),
            "parameters per independent row",
        ),
    ]
    if constrained is not None:
        quantity = "increase of the residual by physical consistency"
        criteria.append(Criterion("consistency", max(constrained.ratio - 1, 0.0), quantity, True))
    return Verdict((*criteria, _warnings(warnings)))


def _joint_residual(
    name: str, labels: Sequence[str], cases: Mapping[str, Residual], noise: Array | None
) -> Criterion:
    """Return the criterion of the largest relative residual of a joint beyond the white noise of its torques.

    Noise of small torques, such as those of a wrist, is not an error of the model; the deviations of the
    parameters include it.

    Args:
        name: name of the criterion.
        labels: names of the equations.
        cases: residuals by description of the data.
        noise: standard deviation of the rows of each equation due to white noise; None if unknown.
    """
    shares = [
        (float(value), label, case)
        for case, residual in cases.items()
        for label, value in zip(labels, _beyond_noise(residual, noise), strict=True)
        if np.isfinite(value)  # a joint without torque or rows in a validation log
    ]
    if not shares:
        return Criterion(name, np.nan, "no rows with torques", True)
    value, label, case = max(shares)
    quantity = f"residual beyond the noise, relative to the torques of {row_name(label)}{case}"
    return Criterion(name, value, quantity, True)


def _beyond_noise(residual: Residual, noise: Array | None) -> Array:
    """Return the relative residual of each equation without the white noise."""
    if noise is None:
        return residual.equations
    size = residual.deviations
    share = np.divide(noise, size, out=np.ones_like(noise), where=size > noise)
    return np.asarray(residual.equations * np.sqrt(1 - share**2))


def _validation(
    labels: Sequence[str], residuals: Residuals, validation: Mapping[str, Residuals], noise: Array | None
) -> list[Criterion]:
    cases = {f", validation log {name}": one.kept for name, one in validation.items()}
    if not cases and residuals.held_out is not None:
        cases = {", last third": residuals.held_out}
    if not cases:
        absent = "no validation log, and two thirds of the logs do not determine the parameters"
        return [
            Criterion("validation-residual", np.nan, absent, True),
            Criterion("validation-ratio", np.nan, absent),
        ]
    shares = [(one.relative, case) for case, one in cases.items() if np.isfinite(one.relative)]
    worst, case = max(shares, default=(np.nan, ""))
    fit = max(residuals.kept.relative, UNIT_RESIDUAL)  # smaller residuals are caused by rounding
    return [
        _joint_residual("validation-residual", labels, cases, noise),
        Criterion(
            "validation-ratio",
            worst / fit,
            f"weighted residual relative to that of the fit{case}",
        ),
    ]


def _joint_criteria(
    labels: Sequence[str], estimate: Estimate, data: RFactors, residuals: Residuals
) -> list[Criterion]:
    """Return the criteria that compare the equations of the joints, which have parameters in common.

    A model with one equation has none, nor do methods that simulate the robot: their rows are not those of the log.
    """
    count = len(data.factors)
    if estimate.method in SIMULATED or count < 2:
        return []
    ratios, k, factor = np.ones(count), 0, 1.0
    if np.nanmax(residuals.kept.equations) > RESOLVED_EFFECT:  # smaller residuals may be those of the filters
        ratios = joint_consistency(estimate.names, data)
        k, factor = significant_factor(data, estimate.autocorrelation)
    worst = int(np.argmax(ratios))
    return [
        Criterion(
            "joint-consistency",
            float(ratios[worst]),
            f"residual relative to a fit of {row_name(labels[worst])} alone",
        ),
        Criterion(
            "torque-factor",
            abs(factor - 1),
            f"difference from 1 of a factor of the torques of {row_name(labels[k])}, if significant",
            True,
        ),
    ]


def _autocorrelation(estimate: Estimate, residuals: Residuals) -> list[Criterion]:
    if estimate.method in SIMULATED:
        return []
    exact = residuals.kept.relative <= UNIT_RESIDUAL  # residuals of rounding are never white
    factor = 1.0 if exact else estimate.autocorrelation
    quantity = "deviations relative to those for white residuals"
    return [Criterion("autocorrelation", factor, quantity)]


def _condition(estimate: Estimate, data: RFactors) -> float:
    A = data.together(1 / estimate.sigma)[:, :-1]
    return float(np.linalg.cond(A / np.linalg.norm(A, axis=0)))


def _deviation(essential: Estimate) -> Criterion:
    worst = int(np.argmax(essential.relative))
    quantity = f"standard deviation relative to the essential parameter {essential.names[worst]}"
    return Criterion("deviation", float(essential.relative[worst]) / 100, quantity, True)


def _warnings(warnings: Sequence[DiagnosticWarning]) -> Criterion:
    names = list(dict.fromkeys(one.name for one in warnings if one.name not in INFORMATIVE))
    value = max((2 if name in INVALIDATING else 1 for name in names), default=0)
    shown = [name for name in names if value < 2 or name in INVALIDATING]
    return Criterion("warnings", float(value), ", ".join(shown) or "none")
