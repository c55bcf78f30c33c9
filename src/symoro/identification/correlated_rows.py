"""Covariance of parameters whose rows at one sample have correlated noise.

The noise of one contact force is part of several rows of a floating robot: of all rows of the base, and of the joints
between the base and the contact. Least squares that divides each equation by its own deviation sigma remains unbiased,
but its covariance for independent rows is wrong. With the weighted rows Z of a sample (e, P), their residuals r (e,),
and S the mean of r r' over all samples

    C = (sum Z'Z)^-1 (sum Z' S Z) (sum Z'Z)^-1

The deviations of the estimate, which account for its degrees of freedom, are multiplied by the ratio of the deviations
with S to those with the diagonal of S.

A. Zellner, "An efficient method of estimating seemingly unrelated regressions and tests for aggregation bias", Journal
of the American Statistical Association 57, 1962.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symoro.identification.equations import RowBlock
from symoro.identification.regression import Estimate

Array = NDArray[np.float64]


def with_correlated_rows(estimate: Estimate, logs: Sequence[RowBlock]) -> Estimate:
    """Return the estimate with a covariance for rows whose noise is correlated between the equations of a sample.

    Args:
        estimate: the estimate, with its covariance for independent rows.
        logs: rows of each log.
    """
    weights = np.ones_like(estimate.sigma) if estimate.method == "OLS" else 1 / estimate.sigma
    rows = [(one.A * (one.kept * weights)[:, :, None], one) for one in logs]
    e = len(weights)
    products, counts = np.zeros((e, e)), np.zeros((e, e))
    for _, one in rows:
        residuals = (one.A @ estimate.values - one.y) * weights * one.kept
        products += residuals.T @ residuals
        counts += one.kept.T.astype(float) @ one.kept
    S = products / np.maximum(counts, 1)
    normal = sum(np.einsum("kip,kiq->pq", Z, Z, optimize=True) for Z, _ in rows)
    scale = np.sqrt(np.diag(normal))
    inverse = np.linalg.inv(normal / np.outer(scale, scale)) / np.outer(scale, scale)
    correlated, independent = (
        inverse @ sum(np.einsum("kip,ij,kjq->pq", Z, one, Z, optimize=True) for Z, _ in rows) @ inverse
        for one in (S, np.diag(np.diag(S)))
    )
    ratio = estimate.deviations / np.sqrt(np.diag(independent))
    return replace(estimate, covariance=correlated * np.outer(ratio, ratio))
