"""An estimate with its statistics: deviations, correlations, residuals, intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

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
        colour: deviations over those of white noise, the median, where residuals are correlated in time (`colour`).
    """

    method: str
    names: tuple[str, ...]
    values: Array
    covariance: Array
    sigma: Array
    freedom: int
    rounds: int = 0
    colour: float = 1.0

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
