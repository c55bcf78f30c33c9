"""IDIM-IV: instrumental variables from simulation remove the bias caused by noise in the measured motion.

Least squares is biased if W is computed from noisy positions. The instruments Z are rows of the same model along the
motion of the simulated closed loop with the previous K. They approximate the true W and are independent of the noise:

    K = (Z' SS W)^-1 Z' SS y,       repeated until K converges

The residuals e are correlated in time, because noisy positions were differentiated: their spectrum rises steeply, while
that of Z is low. For each equation they are modelled as an autoregression a(L) e = u, fitted by Burg's method; with the
triangular matrix T of its coefficients T e = u, so cov e = s2 T^-1 T^-T, and

    C = (Z'W)^-1 (sum over equations of s2 |T^-T Z|^2) (W'Z)^-1

A. Janot, P.-O. Vandanjon, M. Gautier, "A generic instrumental variable approach for industrial robot identification",
IEEE Trans. Control Systems Technology 22, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.identification.autocorrelation import burg, filtered_back
from symoro.identification.equations import Booleans
from symoro.identification.log_description import PdController
from symoro.identification.regression import Estimate
from symoro.identification.rows import LogRows, RFactors
from symoro.identification.simulated_rows import RowPair, check_enough, damped, measured_loops, paired
from symoro.identification.tolerances import CONVERGED, ITERATIONS

Array = NDArray[np.float64]
ORDER = 12  # largest order of the autoregression


def instrumental(
    rows: LogRows, start: Estimate, data: RFactors, controller: PdController | None = None, steps: int = 1
) -> Estimate:
    """Estimate the parameters by IDIM-IV from an initial estimate.

    Args:
        rows: regression rows of the logs.
        start: initial estimate.
        data: R factors of the rows.
        controller: gains of the joint controllers; by default those of the log's description.
        steps: integration steps between two samples.

    Raises:
        ProgramError: the iteration does not converge.
    """
    given = measured_loops(rows, controller, steps)
    K, sigma = start.values, start.sigma
    kept: list[Booleans | None] = [None] * len(given)
    for rounds in range(1, ITERATIONS + 1):
        pairs = [
            paired(rows.model, *item, K, rows.preparation, chosen)
            for item, chosen in zip(given, kept, strict=True)
        ]
        kept = [pair.kept for pair in pairs] if rounds > 1 else kept
        values, covariance, freedom = _solved(pairs, sigma, data.share)
        if np.max(np.abs(values - K) / np.sqrt(np.diag(covariance))) < CONVERGED:
            return Estimate("IDIM-IV", start.names, values, covariance, sigma, freedom, rounds)
        K = damped(K, values, rounds)
    raise ProgramError(
        f"IDIM-IV did not converge in {ITERATIONS} iterations", hint="check the gains of the controller"
    )


def _solved(pairs: Sequence[RowPair], sigma: Array, share: float) -> tuple[Array, Array, int]:
    P = pairs[0].measured.A.shape[2]
    ZW, Zy = np.zeros((P, P)), np.zeros(P)
    count = 0
    for pair in pairs:
        for k, s in enumerate(sigma):
            chosen = pair.kept[:, k]
            Z = pair.simulated.A[chosen, k] / s
            ZW += Z.T @ pair.measured.A[chosen, k] / s
            Zy += Z.T @ pair.measured.y[chosen, k] / s
            count += int(chosen.sum())
    freedom = check_enough(int(count * share), P)
    scale = np.sqrt(np.abs(np.diag(ZW)))
    scaled = ZW / np.outer(scale, scale)
    K = np.linalg.solve(scaled, Zy / scale) / scale
    inverse = np.linalg.inv(scaled) / np.outer(scale, scale)
    middle = np.zeros((P, P))
    for pair in pairs:
        for k, s in enumerate(sigma):
            kept = pair.kept[:, k]
            e = (pair.measured.A[:, k] @ K - pair.measured.y[:, k]) / s
            half = filtered_back(
                pair.simulated.A[:, k] * kept[:, None] / s, *burg(e, kept, min(ORDER, len(e) // 10))
            )
            middle += half.T @ half
    return K, inverse @ middle @ inverse.T * (count * share / freedom), freedom
