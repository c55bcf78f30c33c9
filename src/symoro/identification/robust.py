"""Iteratively reweighted least squares (IRLS): outliers have smaller weights.

Huber's weights of the normalised residuals e = (A K - y)/sigma, where sigma is estimated from the median of |e|:

    w = 1 where |e| <= c, c/|e| beyond;      c = 1.345, 95 % of the efficiency of least squares on normal noise

Each iteration passes over the data once and solves the least-squares problem of the rows times sqrt(w). With psi = w e
and rows a of A/sigma the covariance is that of an M-estimator with heteroscedastic rows,

    C = n/(n - P) B^-1 (sum of psi^2 a a') B^-1,       B = sum of a a' over the rows with |e| <= c

Rows of the power and energy models have more noise where the robot is faster, and these rows contain most information;
one variance for all rows would make the deviations too small. Rows of a decimation filter are counted in n by their
independent share, and C is divided by it.

P.J. Huber, "Robust statistics", 1981, section 7.6. J.G. MacKinnon, H. White, "Some heteroskedasticity-consistent
covariance matrix estimators with improved finite sample properties", J. Econometrics 29, 1985 (HC1). Used for robots by
A. Janot, P. Vandanjon, M. Gautier, "Using robust regressions and residual analysis to verify the reliability of LS
estimation", IROS 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.identification.equations import RowBlock
from symoro.identification.regression import Estimate, solved
from symoro.identification.rows import RFactors, absorbed, empty
from symoro.identification.tolerances import (
    HUBER,
    IRLS_CONVERGED,
    IRLS_CONVERGED_DEVIATIONS,
    IRLS_ITERATIONS,
    SCALING_ITERATIONS,
    TINY,
)

Array = NDArray[np.float64]
MEDIAN = 0.674489750196082  # median of |e| for normal noise of unit deviation
MEDIAN_ROWS = 1_000_000  # rows of an equation from which the median is computed


def robust(
    names: Sequence[str], blocks: Callable[[], Iterable[RowBlock]], start: Estimate, data: RFactors
) -> Estimate:
    """Estimate the parameters by iteratively reweighted least squares (IRLS).

    Args:
        names: names of the parameters.
        blocks: function that returns an iterable of all rows; called once per iteration.
        start: initial estimate.
        data: R factors of the rows.

    Raises:
        ProgramError: the weights do not converge.
    """
    K, sigma = start.values, start.sigma
    plain = data.together(1 / sigma)
    for rounds in range(1, IRLS_ITERATIONS + 1):
        sigma = _scales(blocks(), K, data) if rounds <= SCALING_ITERATIONS else sigma
        factors = empty(data.support, data.share)
        for block in blocks():
            factors = absorbed(factors, _reweighted(block, K, sigma), block.kept)
        before, (K, _) = K, solved(factors.together([1.0] * len(sigma)))
        change = plain[:, :-1] @ (K - before)
        if np.linalg.norm(change) <= max(
            IRLS_CONVERGED * float(np.linalg.norm(plain[:, -1])), IRLS_CONVERGED_DEVIATIONS
        ):
            covariance = _covariance(blocks, K, sigma, data)
            return Estimate(
                "IRLS", tuple(names), K, covariance, sigma, int(data.independent) - len(K), rounds
            )
    raise ProgramError(
        f"the weights of IRLS did not converge in {IRLS_ITERATIONS} iterations", hint="try WLS"
    )


def _scales(blocks: Iterable[RowBlock], K: Array, data: RFactors) -> Array:
    """Return a robust standard deviation of the residual of each equation (e,), from the median of |A K - y|.

    At most `MEDIAN_ROWS` rows are stored; if there are more, only every k-th row is used.

    Args:
        blocks: the regression rows.
        K: parameters.
        data: R factors of the rows.
    """
    residuals: list[list[Array]] = [[] for _ in data.counts]
    stride = -(-max(data.counts) // MEDIAN_ROWS)
    for block in blocks:
        residual = np.abs(block.A @ K - block.y)
        step = float(block.time[1] - block.time[0]) if len(block.time) > 1 else 1.0
        taken = np.round(block.time / step).astype(int) % stride == 0
        for k in range(len(residuals)):
            residuals[k].append(residual[block.kept[:, k] & taken, k])
    medians = np.array([float(np.median(np.concatenate(parts))) for parts in residuals])
    return np.maximum(medians / MEDIAN, TINY)


def _weights(e: Array) -> Array:
    return np.minimum(1.0, HUBER / np.maximum(np.abs(e), TINY))


def _reweighted(block: RowBlock, K: Array, sigma: Array) -> RowBlock:
    e = (block.A @ K - block.y) / sigma
    root = np.sqrt(_weights(e)) / sigma
    return RowBlock(block.time, block.A * root[:, :, None], block.y * root, block.direction, block.kept)


def _covariance(blocks: Callable[[], Iterable[RowBlock]], K: Array, sigma: Array, data: RFactors) -> Array:
    inner = empty(data.support, data.share)
    for block in blocks():
        e = (block.A @ K - block.y) / sigma
        inner = absorbed(inner, block, block.kept & (np.abs(e) <= HUBER))
    _, inverse = solved(inner.together(1 / sigma))
    middle = empty(data.support, data.share)
    for block in blocks():
        e = (block.A @ K - block.y) / sigma
        psi = _weights(e) * e / sigma
        scaled = RowBlock(block.time, block.A * psi[:, :, None], block.y, block.direction, block.kept)
        middle = absorbed(middle, scaled, block.kept)
    half = middle.together([1.0] * len(sigma))[:, :-1] @ inverse
    return np.asarray(half.T @ half * (data.rows / (data.independent - len(K))))
