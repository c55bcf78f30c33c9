"""What makes a result doubtful, in words: numbers that a wrong unit, sign or ratio would give."""

from __future__ import annotations

from symoro.estimation.estimate import Estimate
from symoro.estimation.residuals import Residuals

UNEXPLAINED = 0.5  # of the torques
SURE = 3.0  # deviations
ROUND_OFF = 1e-9  # of the largest parameter: data without noise have no deviations
POSITIVE = ("FV", "FS", "IA")


def doubts(estimate: Estimate, residuals: Residuals) -> list[str]:
    """Sentences for the user; none where nothing is odd."""
    found = []
    if residuals.kept.relative > UNEXPLAINED:
        found.append(
            f"the model leaves {100 * residuals.kept.relative:.0f} % of the torques unexplained: check units, signs, "
            "ratios, and where gravity points"
        )
    least = ROUND_OFF * max((abs(float(x)) for x in estimate.values), default=0.0)
    negative = [
        name
        for name, value, deviation in zip(estimate.names, estimate.values, estimate.deviations, strict=True)
        if name.rstrip("0123456789") in POSITIVE and value < -max(SURE * deviation, least)
    ]
    if negative:
        found.append(
            f"{', '.join(negative)} cannot be negative: check the signs of positions and torques, and whether their "
            "clocks agree"
        )
    return found
