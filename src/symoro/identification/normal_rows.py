"""The rows whose least squares an estimate is: what is asked of it besides is asked of these, and not of other rows.

    R K = r in least squares gives K^,     |R K - r|^2 = f + (K - K^)' C^-1 (K - K^)

with the covariance C of the estimate and its f = rows less parameters. For weighted least squares these are the rows of
the data, by their triangle. Other methods have others: instruments, a simulated motion, errors in the columns; their
C tells which, and the triangle of C^-1 stands for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symoro.identification.compress import Triangles, triangle
from symoro.identification.estimate import Estimate

Array = NDArray[np.float64]
EXACT = 1e-6  # of a parameter: data without noise would tell it so well that no solver could weigh anything beside it
LEAST = 1e-13  # of the largest eigenvalue of correlations: below is round-off


def normal_rows(estimate: Estimate, data: Triangles) -> tuple[Array, float]:
    """The triangle of [R r], (P + 1, P + 1), and how many independent rows it stands for."""
    K, P = estimate.values, len(estimate.values)
    scale = np.maximum(estimate.deviations, EXACT * np.abs(K))
    if estimate.method == "WLS" and (scale == estimate.deviations).all():
        return data.together(1 / estimate.sigma), data.independent
    scale[scale == 0] = 1.0
    sizes, ways = np.linalg.eigh(estimate.correlations)
    root = np.sqrt(np.maximum(sizes, LEAST * sizes[-1]))
    half = ways.T / root[:, None] / scale
    rows = np.zeros((P + 1, P + 1))
    rows[:P, :P], rows[:P, P] = half, half @ K
    rows[P, P] = estimate.freedom**0.5
    return triangle(rows), estimate.freedom + P
