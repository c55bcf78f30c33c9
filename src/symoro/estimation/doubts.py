"""What makes a result doubtful, in words: numbers that a wrong unit, sign or ratio would give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symoro.estimation.compress import Triangles
from symoro.estimation.consistent import Consistent
from symoro.estimation.estimate import Estimate
from symoro.estimation.nominal import nominal_columns
from symoro.estimation.residuals import Residuals
from symoro.models.identification.base.parameters import BaseParameters

Array = NDArray[np.float64]
UNEXPLAINED = 0.5  # of the torques
SURE = 3.0  # deviations
WORTH = 5e-3  # of the torques: a parameter that does less is none, whatever its sign
POSITIVE = ("FV", "FS", "IA")
GROWING = ("XX", "YY", "ZZ", "M", "IA")  # what a ZZ may be grouped with and stay positive
THOUSAND = (300.0, 3000.0)  # a factor within which a thousand may lie: nominal values are not the true ones
BETTER = 0.02  # of the residual, by which constraints may lessen it
ALIKE = 0.5  # the correlation of torques that are in proportion


def doubts(base: BaseParameters, estimate: Estimate, residuals: Residuals, data: Triangles) -> list[str]:
    """Sentences for the user; none where nothing is odd."""
    found = []
    if residuals.kept.relative > UNEXPLAINED:
        found.append(
            f"the model leaves {100 * residuals.kept.relative:.0f} % of the torques unexplained: check units, signs, "
            "ratios, and where gravity points"
        )
    shares = _shares(estimate, data)
    negative = [
        name
        for k, name in enumerate(estimate.names)
        if (_kind(name) in POSITIVE or _is_sum_of_inertias(name, base))
        and estimate.values[k] < -SURE * estimate.deviations[k]
        and shares[k] > WORTH
    ]
    if negative:
        found.append(
            f"{', '.join(negative)} cannot be negative: check the signs of positions and torques, and whether their "
            "clocks agree"
        )
    return found + _thousandfold(base, estimate, data)


def _kind(name: str) -> str:
    return name.rstrip("0123456789")


def _is_sum_of_inertias(name: str, base: BaseParameters) -> bool:
    """Whether a column is an inertia about a joint, with nothing grouped that may be negative."""
    others = base.relations.get(name, {})
    return _kind(name) == "ZZ" and all(
        _kind(other) in GROWING and (c.number or 0) > 0 for other, c in others.items()
    )


def consistency_doubts(estimate: Estimate, residuals: Residuals, found: Consistent | None) -> list[str]:
    """Constraints can only take from how well the log is explained; where they add, the estimate is another one."""
    if found is None or found.relative >= (1 - BETTER) * residuals.kept.relative:
        return []
    return [
        f"physically consistent parameters leave {100 * found.relative:.2f} % of the torques unexplained, the estimate "
        f"by {estimate.method} without constraints {100 * residuals.kept.relative:.2f} %: others explain this log "
        "better; compare it with the estimate of another method"
    ]


def _shares(estimate: Estimate, data: Triangles) -> Array:
    """What each parameter adds to the torques of the equation in which it does most, as a share of them."""
    rows = [np.linalg.norm(data.wide(k)[:, :-1], axis=0) for k in range(len(data.factors))]
    norms = np.maximum(data.norms(), 1e-300)
    return np.asarray(np.max(np.array(rows) / norms[:, None], axis=0) * np.abs(estimate.values))


def _thousandfold(base: BaseParameters, estimate: Estimate, data: Triangles) -> list[str]:
    """Torques beside those that the robot's nominal values give on the same motion."""
    known = nominal_columns(base)
    if known is None:
        return []
    R = data.together(1 / estimate.sigma)
    expected, measured = R[:, :-1] @ np.array([known.get(name, 0.0) for name in estimate.names]), R[:, -1]
    sizes = float(np.linalg.norm(expected)), float(np.linalg.norm(measured))
    if min(sizes) == 0 or abs(float(expected @ measured)) < ALIKE * sizes[0] * sizes[1]:
        return []
    factor = abs(float(expected @ measured)) / sizes[0] ** 2
    low, high = THOUSAND
    unit = "N.mm" if low < factor < high else "kN.m" if low < 1 / factor < high else None
    if unit is None:
        return []
    return [f"the torques are {factor:.3g} times those of the robot's nominal values: are they in {unit}?"]
