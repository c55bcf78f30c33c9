"""Total least squares: errors in the regressor as well as in the torques.

    min ||[E f]||_F   such that (A + E) K = y + f

with the rows weighted as in WLS and every column that has errors scaled by the size of its noise. K follows from the
right singular vector of the smallest singular value of [A y]. Columns known exactly (a constant, a sign) must not be
changed: they come first in a QR factorisation, and total least squares is applied to the block that remains below them,

    R = [R11 R12; 0 R22],     TLS on R22,     R11 K1 = r1 - R12 K2

To first order C = s2 (1 + |K2|^2) (A'A - lambda I)^-1, in the scaled columns, with lambda the smallest squared singular
value, s2 = lambda / (rows - P), and I without the exact columns. The method requires errors of known proportions:
columns whose errors are assumed too large get a bias.

S. Van Huffel, J. Vandewalle, "The total least squares problem", SIAM, 1991, sections 2.3, 3.5 (mixed) and 8.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.identification.regression import Estimate, own_deviations, weighted
from symoro.identification.rows import RFactors, r_factor
from symoro.identification.tolerances import ROUND_OFF

Array = NDArray[np.float64]
EXACT_COLUMNS = ("FS", "FO", "FSM", "FB")


def total(
    names: Sequence[str],
    data: RFactors,
    errors: Sequence[float] | Array | None = None,
    exact: Sequence[str] | None = None,
) -> Estimate:
    """Estimate the parameters by total least squares.

    Args:
        names: names of the parameters.
        data: R factors of the regression rows.
        errors: standard deviation of the errors in each column of A, relative to that of y (which is 1 after
            weighting); by default a hundredth of the column's root mean square.
        exact: names of columns without errors; by default the signs and constants of friction.

    Raises:
        ProgramError: the smallest singular value is not separated from the next: the solution is not unique.
    """
    sigma = own_deviations(data)
    R = data.together(1 / sigma)
    P, rows = len(names), data.independent
    known = [name.rstrip("0123456789") in EXACT_COLUMNS if exact is None else name in exact for name in names]
    norms = np.linalg.norm(R[:, :-1], axis=0)
    given = norms / rows**0.5 / 100 if errors is None else np.asarray(errors, dtype=float)
    known = [sure or given[k] * rows**0.5 <= ROUND_OFF * norms[k] for k, sure in enumerate(known)]
    if all(known):
        return replace(weighted(names, data), method="TLS")
    order = [k for k in range(P) if known[k]] + [k for k in range(P) if not known[k]]
    first = sum(known)
    scale = np.array([1.0 if known[k] else given[k] for k in order])
    arranged = r_factor(R[:, [*order, P]] / np.append(scale, 1.0))
    lower = arranged[first:, first:]
    _, singular, right = np.linalg.svd(lower)
    last = right[-1]
    if abs(last[-1]) < 1e-12 or (len(singular) > 1 and singular[-1] > singular[-2] * (1 - 1e-9)):
        raise ProgramError("total least squares has no unique solution for these data", hint="try WLS")
    K2 = -last[:-1] / last[-1]
    K1 = np.linalg.solve(arranged[:first, :first], arranged[:first, -1] - arranged[:first, first:-1] @ K2)
    s2 = float(singular[-1] ** 2) / (rows - P)
    normal = arranged[:, :-1].T @ arranged[:, :-1]
    noisy = np.diag([0.0] * first + [float(singular[-1] ** 2)] * (P - first))
    covariance = s2 * (1 + float(K2 @ K2)) * np.linalg.inv(normal - noisy)
    back = np.argsort(order)
    values = (np.concatenate([K1, K2]) / scale)[back]
    unscaled = covariance / np.outer(scale, scale)
    return Estimate("TLS", tuple(names), values, unscaled[np.ix_(back, back)], sigma, int(rows) - P)
