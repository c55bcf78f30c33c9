"""IDIM-IV: instruments from simulation take the bias out that noise in the measured motion brings.

Least squares is biased where W is made of noisy positions. Instruments Z, rows of the same model along the motion that
the closed loop makes in simulation with the last K, follow the true W and know nothing of the noise:

    K = (Z' SS W)^-1 Z' SS y,       again and again until K settles

The residuals are correlated in time, since noise in positions was differentiated: the covariance is Newey and West's,

    C = (Z'W)^-1 (sum over lags l of (1 - |l|/(L+1)) Z' e e' Z) (W'Z)^-1,  rows of one equation apart by l samples

A. Janot, P.-O. Vandanjon, M. Gautier, "A generic instrumental variable approach for industrial robot identification",
IEEE Trans. Control Systems Technology 22, 2014. W.K. Newey, K.D. West, Econometrica 55, 1987.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.estimation.closed_loop import loop_of
from symoro.estimation.compress import Triangles
from symoro.estimation.description import Controller
from symoro.estimation.estimate import Estimate
from symoro.estimation.rows import Rows
from symoro.estimation.simulation_rows import Pair, check_model, paired, whole

Array = NDArray[np.float64]
ROUNDS = 30
SETTLED = 1e-4  # of a deviation
LAGS = 12


def instrumental(
    rows: Rows, start: Estimate, data: Triangles, controller: Controller | None = None
) -> Estimate:
    """IDIM-IV from an estimate.

    Raises:
        ProgramError: the iteration does not settle.
    """
    check_model(rows.model)
    measured = [whole(list(rows.of(k))) for k in range(len(rows.logs))]
    loops = [loop_of(log, controller, rows.preparation.cutoff)[0] for log in rows.logs]
    K, sigma = start.values, start.sigma
    for rounds in range(1, ROUNDS + 1):
        pairs = [
            paired(rows.model, log, block, loop, K, rows.preparation)
            for log, block, loop in zip(rows.logs, measured, loops, strict=True)
        ]
        before, (K, covariance, freedom) = K, _solved(pairs, sigma, data.share)
        if np.max(np.abs(K - before) / np.sqrt(np.diag(covariance))) < SETTLED:
            return Estimate("IDIM-IV", start.names, K, covariance, sigma, freedom, rounds)
    raise ProgramError(
        f"the instrumental variables did not settle in {ROUNDS} rounds", hint="is the controller right?"
    )


def _solved(pairs: Sequence[Pair], sigma: Array, share: float) -> tuple[Array, Array, int]:
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
    scale = np.sqrt(np.abs(np.diag(ZW)))
    scaled = ZW / np.outer(scale, scale)
    K = np.linalg.solve(scaled, Zy / scale) / scale
    inverse = np.linalg.inv(scaled) / np.outer(scale, scale)
    middle = np.zeros((P, P))
    for pair in pairs:
        for k, s in enumerate(sigma):
            e = (pair.measured.A[:, k] @ K - pair.measured.y[:, k]) / s
            scores = np.where(pair.kept[:, k], e, 0.0)[:, None] * pair.simulated.A[:, k] / s
            middle += long_run(scores, LAGS)
    freedom = int(count * share) - P
    return K, inverse @ middle @ inverse.T * (count * share / freedom), freedom


def long_run(scores: Array, lags: int) -> Array:
    """The sum of the outer products of scores at all lags, Bartlett's weights."""
    total = scores.T @ scores
    for lag in range(1, min(lags, len(scores) - 1) + 1):
        part = scores[lag:].T @ scores[:-lag]
        total += (1 - lag / (lags + 1)) * (part + part.T)
    return np.asarray(total)
