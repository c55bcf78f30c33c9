"""Drive gains from logs with and without a payload of known mass.

The torque columns of the logs are currents i, with tau_j = g_j i_j and unknown gains g. In log k

    g_j i_j = W_j (K + B x) + w_j                        w_j: known torques, those of the weighed mass among them

K, x and g are determined up to a common factor by all terms except w. A log with a payload of known mass and a log
without it fix this factor. The noise is that of the currents, so the residual in currents is minimised, which has no
bias from noise as the linear problem in (K, x, g) has:

    minimise over K, x, h    sum over j of |i_j - h_j (A_j [K; x] + w_j)|^2 / sigma_j^2,       h_j = 1/g_j

on the R factors of [A_j w_j i_j]. sigma_j is the deviation of the residual of equation j alone. Gauss-Newton steps for
h, with the best K for each h, start from the linear problem. There the noise of i_j would bias the gains towards zero,
so i_j is replaced by its projection onto A_j and w_j (two-stage least squares). The covariance is s2 (J'J)^-1, with the
derivatives J of the weighted residuals.

M. Gautier, S. Briot, "Global identification of joint drive gains and dynamic parameters of robots", Journal of Dynamic
Systems, Measurement, and Control 136, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, ProgramError
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.regression import Estimate, own_deviations, weighted
from symoro.identification.rows import RFactors, r_factor
from symoro.identification.tolerances import (
    FACTOR_CONVERGED,
    FACTOR_ERROR,
    GEOMETRIC_ITERATIONS,
    RANK,
    ROUND_OFF,
    SIGNIFICANT,
    TINY,
    WEIGHT_ITERATIONS,
)

Array = NDArray[np.float64]
_HINT = "give a heavier payload, or longer logs in which every joint lifts or accelerates it"


@dataclass(frozen=True, eq=False, repr=False)
class DriveGains(OneLineRepr):
    """Estimated drive gains: torque or force per unit of each torque column.

    Attributes:
        labels: names of the joints.
        values: the gains g (n,).
        covariance: their covariance (n, n).
        slopes: derivatives of the parameters with respect to the gains (P, n).
    """

    labels: tuple[str, ...]
    values: Array
    covariance: Array
    slopes: Array

    @property
    def deviations(self) -> Array:
        """Standard deviation of each gain (n,)."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    def __str__(self) -> str:
        pairs = zip(self.labels, self.values, self.deviations, strict=True)
        return "drive gains: " + ", ".join(f"{label}: {g:.5g} (deviation {d:.2g})" for label, g, d in pairs)

    def as_dict(self) -> dict[str, float]:
        return {label: float(g) for label, g in zip(self.labels, self.values, strict=True)}


def at_gains(data: RFactors, gains: Array) -> RFactors:
    """Return the R factors of [A, g i - w] for those of [A, w, i].

    Args:
        data: R factors whose last column of A is that of the known torques w.
        gains: the gains g (n,).
    """
    factors = tuple(
        r_factor(np.column_stack([R[:, :-2], g * R[:, -1] - R[:, -2]]))
        for R, g in zip(data.factors, gains, strict=True)
    )
    return replace(data, factors=factors, support=data.support[:, :-1])


def comparable_units(data: RFactors) -> tuple[float, Array]:
    """Return a unit of the known torques and a gain of each joint (n,) with which all columns have comparable sizes.

    The sizes of the columns p of [A w] in equation j are approximated by a_j b_p, in the least-squares sense of their
    logarithms. The unit is that of the column w, and the torques of the currents with these gains have the sizes of
    the known torques, a_j b_w. If ranks and convergence are decided in these units, results do not depend on the units
    of the currents (A, mA, counts) and on the mass and the lengths of the robot.

    Args:
        data: R factors of [A, w, i].
    """
    factors = [data.wide(k) for k in range(len(data.factors))]
    sizes = np.array([np.linalg.norm(R, axis=0) for R in factors])
    sizes, currents = sizes[:, :-1], np.where(sizes[:, -1] > 0, sizes[:, -1], 1.0)
    j, p = np.nonzero(sizes > ROUND_OFF * sizes.max(axis=0))
    terms = np.hstack([np.eye(len(sizes))[j], np.eye(sizes.shape[1])[p]])
    logarithms = np.linalg.lstsq(terms, np.log(sizes[j, p]), rcond=None)[0]
    a, unit = np.exp(logarithms[: len(sizes)]), float(np.exp(logarithms[-1]))
    return unit, np.asarray(a * unit / currents)


def estimated_gains(labels: Sequence[str], data: RFactors) -> DriveGains:
    """Estimate the drive gains together with the parameters.

    Args:
        labels: names of the joints in messages.
        data: R factors of [A, w, i], the known torques w as the last column of A.

    Raises:
        ArgumentError: the known torques do not determine the gains.
        ProgramError: the iteration does not converge.
    """
    unit, units = comparable_units(data)
    factors = (
        R * np.append(np.ones(R.shape[1] - 2), [1 / unit, g / unit])
        for R, g in zip(data.factors, units, strict=True)
    )
    data = replace(data, factors=tuple(factors))
    sigma = own_deviations(data)
    problem = _Problem([data.wide(k, 1 / s) for k, s in enumerate(sigma)])
    problem.check_scale()
    h = problem.start()
    K, cost = problem.projected(h)
    for _ in range(GEOMETRIC_ITERATIONS):
        J, residual = problem.linearised(K, h)
        dh = _solved(J, residual)[0][len(K) :]
        size, best = 1.0, problem.projected(h + dh)
        while best[1] > cost * (1 + ROUND_OFF) and size > ROUND_OFF:
            size /= 2
            best = problem.projected(h + size * dh)
        h, (K, cost) = h + size * dh, best
        if np.all(np.abs(dh) <= FACTOR_CONVERGED**2 * np.abs(h)):  # the whole step, also if it was reduced
            break
    else:
        raise ProgramError(
            f"the drive gains did not converge in {GEOMETRIC_ITERATIONS} iterations",
            hint=_HINT,
        )
    J, _ = problem.linearised(K, h)
    P, n = len(K), len(h)
    s2 = cost / max(data.independent - P - n, 1.0)
    gains = units / h
    change = -gains / h  # of the gains with h
    covariance = s2 * _solved(J, np.zeros(len(J)))[1][P:, P:] * np.outer(change, change)
    slopes = -np.linalg.lstsq(J[:, :P] / problem.sizes, unit * J[:, P:], rcond=None)[0]
    slopes = slopes / problem.sizes[:, None]
    result = DriveGains(tuple(labels), gains, covariance, slopes / change)
    _check(result)
    return result


class _Problem:
    """Weighted residuals of the currents, from R factors of [A w i] of each joint over all columns."""

    def __init__(self, factors: Sequence[Array]) -> None:
        self.factors = factors
        norms = np.linalg.norm(np.vstack([R[:, :-2] for R in factors]), axis=0)
        self.sizes = np.where(norms > 0, norms, 1.0)

    def check_scale(self) -> None:
        """Check that the known torques are not those of a robot with other parameters.

        They do not depend on the noise of the currents, so the only tolerance is that of round-off.
        """
        A = np.vstack([R[:, :-2] for R in self.factors]) / self.sizes
        w = np.concatenate([R[:, -2] for R in self.factors])
        left = w - A @ np.linalg.lstsq(A, w, rcond=None)[0]
        if np.linalg.norm(left) <= RANK * np.linalg.norm(w):
            raise ArgumentError(
                "the scale of the drive gains is not determined: no known torque distinguishes the logs",
                hint="give a log without a payload and one with a payload whose mass was weighed, as in "
                "payload: {unknown: box, mass: 2}",
            )

    def start(self) -> Array:
        """Return h = 1/g of the linear problem h_j (A_j K - g_j i_j) = -h_j w_j, first with the weights h_j = 1.

        The currents are projected onto the columns A_j and w_j (two-stage least squares): their noise would bias the
        gains of noisy joints towards zero. This part of i_j is all but the last row of the triangular factor.
        """
        n = len(self.factors)
        units = [float(np.linalg.norm(R[:-1, -1])) or 1.0 for R in self.factors]
        h = np.ones(n)
        for _ in range(WEIGHT_ITERATIONS):
            rows, right = [], []
            for j, R in enumerate(self.factors):
                gain = np.zeros((len(R) - 1, n))
                gain[:, j] = -R[:-1, -1] / units[j]
                rows.append(h[j] * np.hstack([R[:-1, :-2] / self.sizes, gain]))
                right.append(-h[j] * R[:-1, -2])
            matrix = np.vstack(rows)
            sizes = np.maximum(np.linalg.norm(matrix, axis=0), TINY)
            x = np.linalg.lstsq(matrix / sizes, np.concatenate(right), rcond=None)[0] / sizes
            g = x[-n:] / units
            largest = float(np.abs(g).max())
            if not largest > 0:
                raise ArgumentError("the drive gains are not determined by these logs", hint=_HINT)
            h = 1 / np.where(np.abs(g) > ROUND_OFF * largest, g, largest)
        return h

    def projected(self, h: Array) -> tuple[Array, float]:
        """Return the parameters K with the smallest residual for given h, and its sum of squares."""
        rows = np.vstack([hj * R[:, :-2] / self.sizes for hj, R in zip(h, self.factors, strict=True)])
        right = np.concatenate([R[:, -1] - hj * R[:, -2] for hj, R in zip(h, self.factors, strict=True)])
        x = np.linalg.lstsq(rows, right, rcond=None)[0]
        residual = right - rows @ x
        return x / self.sizes, float(residual @ residual)

    def linearised(self, K: Array, h: Array) -> tuple[Array, Array]:
        """Return the derivatives of the predicted currents with respect to (K, h), and the residuals."""
        rows, residuals = [], []
        for j, R in enumerate(self.factors):
            torque = R[:, :-2] @ K + R[:, -2]
            gain = np.zeros((len(R), len(h)))
            gain[:, j] = torque
            rows.append(np.hstack([h[j] * R[:, :-2], gain]))
            residuals.append(R[:, -1] - h[j] * torque)
        return np.vstack(rows), np.concatenate(residuals)


def _solved(J: Array, residual: Array) -> tuple[Array, Array]:
    """Return the least-squares solution of J x = residual and (J'J)^-1; columns are scaled to unit length."""
    sizes = np.maximum(np.linalg.norm(J, axis=0), TINY)
    Q, R = np.linalg.qr(J / sizes)
    if np.abs(np.diag(R)).min() <= RANK * np.abs(np.diag(R)).max():
        raise ArgumentError(
            "the drive gains are not determined by these logs",
            hint=_HINT,
        )
    half = np.linalg.inv(R) / sizes[:, None]
    return half @ (Q.T @ residual), half @ half.T


def _check(gains: DriveGains) -> None:
    bad = np.flatnonzero(~(np.abs(gains.values) > SIGNIFICANT * gains.deviations))
    if bad.size:
        listed = ", ".join(
            f"joint {gains.labels[k]}: {gains.values[k]:.3g} (deviation {gains.deviations[k]:.2g})"
            for k in bad
        )
        raise ArgumentError(
            f"the drive gains are not determined by these logs: {listed}",
            hint=_HINT,
        )


def gain_warnings(gains: DriveGains | None) -> list[DiagnosticWarning]:
    """Return a list with a warning about gains whose relative deviation is large."""
    if gains is None:
        return []
    share = gains.deviations / np.abs(gains.values)
    listed = [f"{gains.labels[k]} ({100 * share[k]:.0f} %)" for k in np.flatnonzero(share > FACTOR_ERROR)]
    return [warning("uncertain-drive-gain", joints=", ".join(listed))] if listed else []


def with_uncertain_gains(
    estimate: Estimate, gains: DriveGains | None, data: RFactors
) -> tuple[Estimate, DriveGains | None]:
    """Return an estimate whose covariance includes the uncertainty of the drive gains, and these gains.

    Autocorrelation and bias of the samples that widen the deviations of the parameters widen those of the gains too.

    Args:
        estimate: the estimate for given gains.
        gains: the gains; None if they were not estimated.
        data: R factors of the rows.
    """
    if gains is None:
        return estimate, None
    white = weighted(estimate.names, data).deviations
    wider = max(float(np.median(estimate.deviations / np.maximum(white, TINY))), 1.0)
    gains = replace(gains, covariance=gains.covariance * wider**2)
    covariance = estimate.covariance + gains.slopes @ gains.covariance @ gains.slopes.T
    return replace(estimate, method=f"{estimate.method} with drive gains", covariance=covariance), gains
