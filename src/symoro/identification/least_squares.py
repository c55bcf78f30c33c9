"""Ordinary and weighted least squares, from the triangles of the data.

    OLS    K = argmin ||A K - y||            C = (A'A)^-1 (sum sigma_j^2 A_j'A_j) (A'A)^-1
    WLS    K = argmin ||S (A K - y)||        C = s2 (A'SS A)^-1,  s2 = ||S (A K - y)||^2 / (rows - P)

S divides the rows of equation j by sigma_j, the deviation of the residual of that equation alone:

    sigma_j^2 = min ||A_j K - y_j||^2 / (rows_j - rank A_j)

Rows that a decimation filter made are not quite independent: of white noise it leaves a band of the share 0.8, and its
rows count for that share of their number. What they know of parameters, which lies inside the band, is told right then.

M. Gautier, "Dynamic identification of robots with power model", ICRA 1997. J. Swevers et al., "Optimal robot
excitation and identification", IEEE Trans. Robotics and Automation 13, 1997.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.identification.compress import Triangles
from symoro.identification.estimate import Estimate

Array = NDArray[np.float64]
NEGLIGIBLE = 1e-10  # of a column of unit length: what is left of it beside the others is round-off
RANK = 1e-7  # of unit columns; between the round-off of filters (1e-9) and what moves a residual


def ordinary(names: Sequence[str], data: Triangles) -> Estimate:
    """OLS; deviations allow for equations of different noise."""
    R = data.together([1.0] * len(data.factors))
    K, inverse = solved(R)
    sigma = own_deviations(data)
    middle = np.zeros_like(inverse)
    for k, s in enumerate(sigma):
        rows = data.wide(k)[:, :-1]
        middle += s**2 * rows.T @ rows
    return Estimate("OLS", tuple(names), K, inverse @ middle @ inverse, sigma, int(data.independent) - len(K))


def weighted(names: Sequence[str], data: Triangles) -> Estimate:
    """WLS, the weights from the residual of each equation alone."""
    sigma = own_deviations(data)
    R = data.together(1 / sigma)
    K, inverse = solved(R)
    freedom = data.independent - len(K)
    s2 = float(np.sum((R @ np.append(K, -1.0)) ** 2)) / freedom
    return Estimate("WLS", tuple(names), K, s2 * inverse, sigma, int(freedom))


def own_deviations(data: Triangles) -> Array:
    """sigma_j: the deviation of the residual of each equation, solved alone.

    Raises:
        ArgumentError: an equation has too few rows to tell.
    """
    # By the columns of all equations together: one that is round-off in this equation stays small. Each equation is
    # divided by its measurement, since forces and torques are not comparable.
    norms = np.where(data.norms() > 0, data.norms(), 1.0)
    together = np.vstack([data.wide(k, 1 / norm)[:, :-1] for k, norm in enumerate(norms)])
    sizes = np.linalg.norm(together, axis=0)
    sizes[sizes == 0] = 1.0
    found = []
    for k, factor in enumerate(data.factors):
        A, y = factor[:, :-1], factor[:, -1]
        unit = A / sizes[data.support[k]]
        K, _, rank, _ = np.linalg.lstsq(unit, y, rcond=RANK)
        freedom = data.share * data.counts[k] - int(rank)
        if freedom < 1:
            raise ArgumentError(
                f"equation {k + 1} has {data.counts[k]} rows for {int(rank)} unknowns",
                hint="give a longer log, less decimation, or a lower velocity below which rows are dropped",
            )
        found.append(float(np.linalg.norm(unit @ K - y)) / freedom**0.5)
    sigma = np.array(found)
    floor = 1e-12 * np.maximum(data.norms() / np.sqrt(np.maximum(data.counts, 1)), 1e-300)
    return np.asarray(np.maximum(sigma, floor))  # data without noise: no division by zero


def solved(R: Array) -> tuple[Array, Array]:
    """K and (A'A)^-1 from the triangle of [A y], by columns of unit length."""
    A, y = R[:-1, :-1], R[:-1, -1]
    scale = np.linalg.norm(A, axis=0)
    inner = np.linalg.inv(A / scale)
    half = inner / scale[:, None]
    return half @ y, half @ half.T
