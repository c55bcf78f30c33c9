"""DIDIM (direct and inverse dynamic identification models): only torques are measured, the motion is simulated.

    K+ = argmin ||S (y - W(q_s, qd_s, qdd_s) K)||,      q_s the motion of the closed loop with the previous K

This is Gauss-Newton on the torques of the simulated loop, with W as their derivative: the motion hardly depends on K,
because the controller tracks the reference. Positions are neither filtered nor differentiated.

M. Gautier, A. Janot, P.-O. Vandanjon, "A new closed-loop output error method for parameter identification of robot
dynamics", IEEE Trans. Control Systems Technology 21, 2013.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.identification.autocorrelation import with_autocorrelation
from symoro.identification.equations import Booleans
from symoro.identification.log_description import PdController
from symoro.identification.regression import Estimate, weighted
from symoro.identification.rows import LogRows, RFactors, absorbed, empty
from symoro.identification.simulated_rows import check_enough, damped, measured_loops, paired
from symoro.identification.tolerances import CONVERGED, ITERATIONS

Array = NDArray[np.float64]


def direct_and_inverse(
    rows: LogRows, start: Estimate, data: RFactors, controller: PdController | None = None, steps: int = 1
) -> Estimate:
    """Estimate the parameters by DIDIM from an initial estimate.

    Args:
        rows: regression rows of the logs, with torques as measurements.
        start: initial estimate.
        data: R factors of the rows.
        controller: gains of the joint controllers; by default those of the log's description.
        steps: integration steps between two samples.

    Raises:
        ProgramError: the iteration does not converge.
    """
    given = measured_loops(rows, controller, steps)
    K = start.values
    kept: list[Booleans | None] = [None] * len(given)
    for rounds in range(1, ITERATIONS + 1):
        factors, every = empty(data.support, data.share), []
        for k, item in enumerate(given):
            pair = paired(rows.model, *item, K, rows.preparation, kept[k])
            kept[k] = pair.kept if rounds > 1 else None
            mixed = replace(pair.measured, A=pair.simulated.A, kept=pair.kept)
            every.append(mixed)
            factors = absorbed(factors, mixed, pair.kept)
        check_enough(int(factors.independent), len(K))
        fit = weighted(start.names, factors)
        if np.max(np.abs(fit.values - K) / fit.deviations) < CONVERGED:
            fit = replace(fit, method="DIDIM", rounds=rounds)
            return with_autocorrelation(fit, every, rows.model.kind, rows.preparation.decimation)
        K = damped(K, fit.values, rounds)
    raise ProgramError(
        f"DIDIM did not converge in {ITERATIONS} iterations",
        hint="check the gains of the controller, or use the method iv",
    )
