"""Covariance of parameters whose rows at one sample have correlated noise.

The noise of one contact force is part of several rows of a floating robot: of all rows of the base, and of the joints
between the base and the contact, with lever arms that change during the motion. Least squares that divides each
equation by its own deviation sigma remains unbiased, but its covariance for independent rows of constant noise is
wrong. With the weighted rows Z of a sample (e, P) and their residuals r (e,), the covariance is

    C = (sum Z'Z)^-1 (sum Z'r r'Z) (sum Z'Z)^-1

The sums are over the samples. If D contains the deviations of the estimate, divided by those of the same formula with
independent rows of constant noise, the covariance is D C D: this accounts for the degrees of freedom and for robust
weights.

K.-Y. Liang, S.L. Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symoro.identification.equations import RowBlock
from symoro.identification.regression import Estimate
from symoro.identification.tolerances import SAMPLES_PER_COLUMN

Array = NDArray[np.float64]


def with_correlated_rows(estimate: Estimate, blocks: Iterable[RowBlock]) -> Estimate:
    """Return the estimate with a covariance for noise that is common to several rows of a sample.

    The estimate is returned unchanged if there are too few samples for this covariance.

    Args:
        estimate: the estimate, with its covariance for independent rows.
        blocks: all rows from which it was computed.
    """
    P, e = len(estimate.names), len(estimate.sigma)
    weights = np.ones(e) if estimate.method == "OLS" else 1 / estimate.sigma
    grams, scores = np.zeros((e, P, P)), np.zeros((P, P))
    squares, rows, samples = np.zeros(e), np.zeros(e), 0
    for block in blocks:
        used = block.kept * weights
        Z = np.moveaxis(block.A * used[:, :, None], 1, 0)
        residuals = (block.A @ estimate.values - block.y) * used
        sums = np.einsum("ikp,ki->kp", Z, residuals)
        grams += np.swapaxes(Z, 1, 2) @ Z
        scores += sums.T @ sums
        squares += np.sum(residuals**2, axis=0)
        rows += block.kept.sum(axis=0)
        samples += len(block.time)
    if samples < SAMPLES_PER_COLUMN * P:
        return estimate
    normal = grams.sum(axis=0)
    scale = np.sqrt(np.diag(normal))
    inverse = np.linalg.inv(normal / np.outer(scale, scale)) / np.outer(scale, scale)
    independent = inverse @ np.tensordot(squares / np.maximum(rows, 1), grams, 1) @ inverse
    ratio = estimate.deviations / np.sqrt(np.diag(independent))
    return replace(estimate, covariance=inverse @ scores @ inverse * np.outer(ratio, ratio))
