"""Standard deviations of parameters that account for the autocorrelation of residuals.

Coloured torque noise and model errors leave residuals that are correlated from row to row. Such rows contain less
information than independent ones, so deviations computed for white noise are too small. For each equation the residuals
e are modelled as an autoregression a(L) e = u by Burg's method; its order p minimises n ln(s2) + p ln(n) (Schwarz).
With the triangular matrix T of its coefficients cov e = s2 T^-1 T^-T, and with weighted rows Z = A/sigma the covariance
is

    C = (Z'Z)^-1 (sum over equations of s2 |T^-T Z|^2) (Z'Z)^-1

For white noise the middle factor is mean(e^2) |Z|^2 instead. The ratio of both, per parameter, is compared with the
ratio for simulated white noise that passes through the same decimation filter and the same fit, because a fit to few
rows removes the slow part of any residuals. If the median ratio exceeds those of the simulated noise, each deviation is
multiplied by its ratio, and by at least 1.

G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6, 1978. W.K. Newey, K.D. West, "A simple,
positive semi-definite, heteroskedasticity and autocorrelation consistent covariance matrix", Econometrica 55, 1987.
J.P. Burg, "Maximum entropy spectral analysis", 1975. M.S. Bartlett, "On the theoretical specification and sampling
properties of autocorrelated time-series", Supplement to the J. Royal Statistical Society 8, 1946.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.identification.equations import Booleans, RowBlock, row_noise
from symoro.identification.regression import Estimate
from symoro.identification.rows import LogRows, whole
from symoro.identification.signals import HALF, decimation_filter, step_weights
from symoro.identification.tolerances import AUTOCORRELATED, AUTOCORRELATION_RATIO, LEAST_EIGENVALUE, TINY

Array = NDArray[np.float64]
LARGEST_ORDER = 24  # largest order of the autoregression
DRAWS = 16  # simulated samples of white noise
EXAMINED_BYTES = 10_000_000  # bytes of rows per log from which the autocorrelation is estimated


def first_rows(rows: LogRows) -> list[RowBlock]:
    """Return the regression rows of each log; for a long log, only the rows at its beginning."""
    first = []
    for number in range(len(rows.logs)):
        blocks: list[RowBlock] = []
        for block in rows.of(number):
            blocks.append(block)
            if sum(one.A.nbytes for one in blocks) > EXAMINED_BYTES:
                break
        if blocks:
            first.append(whole(blocks))
    return first


def with_autocorrelation(
    estimate: Estimate, logs: Sequence[RowBlock], kind: str, decimation: int
) -> Estimate:
    """Return the estimate with standard deviations corrected for autocorrelated residuals.

    The estimate is returned unchanged if the residuals are white.

    Args:
        estimate: the estimate, with standard deviations for white noise.
        logs: rows of each log in time order, including the rows that the fit does not use.
        kind: identification model: 'dynamic', 'filtered', 'power' or 'energy'.
        decimation: number of samples per row. Together with `kind` it determines the correlation of rows that white
            noise on the samples causes.
    """
    weights = np.ones_like(estimate.sigma) if estimate.method == "OLS" else 1 / estimate.sigma
    equations = [
        _Equation(weight * rows.A[:, k], rows.kept[:, k]) for rows in logs for k, weight in enumerate(weights)
    ]
    fit = _Fit(equations)
    measured = [weight * rows.y[:, k] for rows in logs for k, weight in enumerate(weights)]
    rng = np.random.default_rng(0)
    draws = [[row_noise(kind, decimation, len(y), rng) for y in measured] for _ in range(DRAWS)]
    simulated = fit.residuals([np.array(noise) for noise in zip(*draws, strict=True)])
    residuals = (one.A @ estimate.values - y for one, y in zip(equations, measured, strict=True))
    ratios, *drawn = fit.ratios([np.vstack(pair) for pair in zip(residuals, simulated, strict=True)])
    usual = np.median(drawn, axis=0)
    middles = np.log(np.nanmedian(drawn / usual, axis=1))
    own = ratios / usual  # NaN for parameters that have no effect on these rows
    middle = float(np.nanmedian(own))
    if not (
        middle > AUTOCORRELATION_RATIO and np.log(middle) > AUTOCORRELATED * float(np.std(middles))
    ):  # false for NaN too
        return estimate
    wider = np.maximum(np.where(np.isnan(own), middle, own), 1.0)
    return replace(estimate, covariance=estimate.covariance * np.outer(wider, wider), autocorrelation=middle)


@dataclass(frozen=True, eq=False)
class _Equation:
    """Regressor rows of one equation along one log, divided by the deviation sigma of its residual.

    Attributes:
        A: the rows (N, P).
        kept: mask (N,) of the rows that the fit uses.
    """

    A: Array
    kept: Booleans


class _Fit:
    """Least-squares fit of common parameters to the used rows of several equations."""

    def __init__(self, equations: Sequence[_Equation]) -> None:
        self.equations = equations
        self.rows = [one.A * one.kept[:, None] for one in equations]
        self.squares = [Z.T @ Z for Z in self.rows]
        normal = np.sum(self.squares, axis=0)
        scale = np.sqrt(np.diag(normal))
        scale[scale == 0] = 1.0  # a joint that rests in these rows
        unit = normal / np.outer(scale, scale)
        self.inverse = np.linalg.pinv(unit, LEAST_EIGENVALUE, hermitian=True) / np.outer(scale, scale)

    def residuals(self, noise: Sequence[Array]) -> list[Array]:
        """Return the residuals A K - y of each equation after fits to noise in place of the measurements.

        Args:
            noise: the values y of each equation, one row per fit (D, N).
        """
        K = self.inverse @ np.sum([Z.T @ y.T for Z, y in zip(self.rows, noise, strict=True)], axis=0)
        return [(one.A @ K).T - y for one, y in zip(self.equations, noise, strict=True)]

    def ratios(self, residuals: Sequence[Array]) -> Array:
        """Return the factors by which autocorrelated residuals increase the standard deviations of the parameters.

        A factor is the deviation computed for autocorrelated residuals, divided by that computed for white residuals.

        Args:
            residuals: residuals of each equation in time order, one row per fit (D, N).

        Returns:
            The factors (D, P).
        """
        coloured, white = np.zeros((2, len(residuals[0]), *self.inverse.shape))
        for one, Z, square, e in zip(self.equations, self.rows, self.squares, residuals, strict=True):
            if one.kept.any():
                white += np.mean(e[:, one.kept] ** 2, axis=1)[:, None, None] * square
                for total, (coefficients, variance) in zip(
                    coloured, autoregressions(e, one.kept), strict=True
                ):
                    if len(coefficients) == 1:
                        total += variance * square
                    else:
                        half = filtered_back(Z, coefficients, variance)
                        total += half.T @ half
        variances = (((self.inverse @ m) * self.inverse).sum(axis=2) for m in (coloured, white))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.sqrt(np.divide(*variances)))


def autocorrelations(e: Array, kept: Booleans, lags: int) -> Array:
    """Return the autocorrelations r(m) of residuals for the lags m = 1 .. `lags`.

    Only pairs of residuals that are both used contribute; r(m) is NaN if there is no such pair.

    Args:
        e: residuals in time order.
        kept: mask of the residuals that are used.
        lags: the largest lag.
    """
    power = float(np.mean(e[kept] ** 2)) if kept.any() else 0.0
    values = np.full(lags, np.nan)
    for lag in range(1, min(lags, len(e) - 1) + 1):
        both = kept[lag:] & kept[:-lag]
        if both.any() and power > 0:
            values[lag - 1] = float(np.mean(e[lag:][both] * e[:-lag][both])) / power
    return values


def white_autocorrelations(kind: str, decimation: int, lags: int) -> tuple[Array, float]:
    """Return the autocorrelations of rows that white noise of the samples causes, for the lags 1 .. `lags`.

    With the weights w of the samples in one row, r(m) = sum of w(i) w(i + m N) / sum of w(i)^2. Estimates of r(m) from
    n rows have about the standard deviation s / sqrt(n), s^2 = sum of r(m)^2 over all lags (Bartlett 1946).

    Args:
        kind: identification model: 'dynamic', 'filtered', 'power' or 'energy'.
        decimation: number N of samples per row.
        lags: the largest lag.

    Returns:
        r (lags,), and s.
    """
    if kind == "energy":
        weights = np.convolve(step_weights(HALF), np.ones(decimation))
    else:
        weights = decimation_filter(decimation).ravel() if decimation > 1 else np.ones(1)
    every = [float(weights[m:] @ weights[: len(weights) - m]) for m in range(0, len(weights), decimation)]
    r = np.array(every) / every[0]
    values = np.zeros(lags)
    known = min(lags, len(r) - 1)
    values[:known] = r[1 : known + 1]
    return values, float(np.sqrt(1 + 2 * np.sum(r[1:] ** 2)))


def autoregressions(e: Array, kept: Booleans) -> list[tuple[Array, float]]:
    """Fit autoregressions a(L) e = u to sequences of residuals, with the orders p by Schwarz's criterion.

    Args:
        e: residuals in time order, one sequence per row (D, N).
        kept: mask (N,) of the residuals that are used.

    Returns:
        For each sequence the coefficients (1, a1, ..., ap), and the variance of u.
    """
    n = max(int(kept.sum()), 2)
    reflections, variances = burg_lattice(e, kept, min(LARGEST_ORDER, n // 10))
    prices = n * np.log(np.maximum(variances, TINY)) + np.arange(variances.shape[1]) * np.log(n)
    orders = np.nanargmin(prices, axis=1)
    return [
        (_coefficients(k[:p]), float(x[p])) for k, x, p in zip(reflections, variances, orders, strict=True)
    ]


def filtered_back(Z: Array, coefficients: Array, variance: float) -> Array:
    """Return s T^-T Z, where T is the triangular matrix of an autoregression a(L) e = u, and s^2 is the variance of u.

    Args:
        Z: regressor rows of one equation (N, P).
        coefficients: (1, a1, ..., ap), the entries of T.
        variance: variance s^2 of u.
    """
    from scipy.signal import lfilter

    return np.asarray(variance**0.5 * lfilter([1.0], coefficients, Z[::-1], axis=0)[::-1])


def burg(e: Array, kept: Booleans, order: int) -> tuple[Array, float]:
    """Fit an autoregression a(L) e = u of a given order by Burg's method; the result is always stable.

    Args:
        e: residuals in time order.
        kept: mask of the residuals that are used; only uninterrupted sequences of them contribute.
        order: the order p.

    Returns:
        The coefficients (1, a1, ..., ap), and the variance of u.
    """
    (reflections,), (variances,) = burg_lattice(e[None], kept, order)
    p = int(np.isfinite(variances).sum()) - 1
    return _coefficients(reflections[:p]), float(variances[p])


def burg_lattice(e: Array, kept: Booleans, order: int) -> tuple[Array, Array]:
    """Return the reflection coefficients of Burg's method, and the variances of the prediction errors.

    Args:
        e: residuals in time order, one sequence per row (D, N).
        kept: mask (N,) of the residuals that are used; only uninterrupted sequences of them contribute.
        order: the largest order.

    Returns:
        The coefficients (D, order), and the variances for the orders 0, 1, ..., (D, order + 1); NaN for orders above
        one whose prediction error vanishes.
    """
    reflections, variances = np.zeros((len(e), order)), np.zeros((len(e), order + 1))
    forward = backward = e
    if kept.any():
        variances[:, 0] = np.mean(e[:, kept] ** 2, axis=1)
    whole = kept  # whether all samples that contribute to a prediction error were kept
    for p in range(order):
        whole = whole[1:] & kept[: len(whole) - 1]
        f, b = forward[:, 1:], backward[:, :-1]
        used, before = f[:, whole], b[:, whole]
        power = np.einsum("dn,dn->d", used, used) + np.einsum("dn,dn->d", before, before)
        k = -2 * np.einsum("dn,dn->d", used, before) / np.where(power > 0, power, np.nan)
        reflections[:, p], variances[:, p + 1] = k, variances[:, p] * (1 - k * k)
        forward, backward = f + k[:, None] * b, b + k[:, None] * f
    return reflections, variances


def _coefficients(reflections: Array) -> Array:
    """Return the coefficients (1, a1, ..., ap) of an autoregression by Levinson's recursion."""
    a = np.ones(1)
    for k in reflections:
        padded = np.append(a, 0.0)
        a = padded + k * padded[::-1]
    return a
