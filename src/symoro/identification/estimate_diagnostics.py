"""Criteria of the warnings about an estimate: parameters, residuals, torques of the joints, delays, sampling.

The equations of different joints have parameters in common, so the torques of one joint can be checked against those of
the others. sigma_j is the standard deviation of the residual of a fit to the equation of joint j alone
(`own_deviations`), which contains noise and model errors. If all torques belong to one robot, a fit of common
parameters has about the same residuals. If its residuals are larger, a factor c of the torques of one joint at a time
is estimated,

    minimise over K and c    sum over i != j of |A_i K - y_i|^2 / sigma_i^2 + |c A_j K - y_j|^2 / sigma_j^2

by Gauss-Newton from c = 1 and c = -1. A wrong sign gives c = -1, a torque on the motor side gives the gear ratio.

M. Gautier, S. Briot, "Global identification of joint drive gains and dynamic parameters of robots", Journal of Dynamic
Systems, Measurement, and Control 136, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.identification.consistent import Consistent
from symoro.identification.delay import TorqueDelay
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.equations import RowModel, row_name
from symoro.identification.friction import TERMS
from symoro.identification.identified_robot import nominal_columns
from symoro.identification.log_description import HOLD
from symoro.identification.regression import Estimate, Residuals, own_deviations, weighted
from symoro.identification.rows import RFactors, r_factor
from symoro.identification.sampling import SamplingBias
from symoro.identification.tolerances import (
    BETTER_FIT,
    BIAS_DEVIATIONS,
    CONSTRAINED_BETTER,
    DELAY_DEVIATIONS,
    DELAY_EFFECT,
    EQUIVALENT_COST,
    EXPLAINED_RATIO,
    EXPLAINED_SHARE,
    FACTOR_CONVERGED,
    FACTOR_DEVIATIONS,
    FACTOR_ERROR,
    FACTOR_ITERATIONS,
    HOLD_SAMPLES,
    INCONSISTENT_RATIO,
    JOINT_RATIO,
    JOINT_SHARE,
    NEGLIGIBLE_COLUMN,
    NO_EFFECT,
    NOISE_BIAS_DEVIATIONS,
    NOISE_RATIO,
    PROPORTIONAL,
    ROWS_PER_COLUMN,
    SIGNIFICANT,
    SMALL_EFFECT,
    THOUSANDFOLD,
    TINY,
    TLS_DEVIATIONS,
    UNEXPLAINED,
)
from symoro.models.identification.base.parameters import BaseParameters

Array = NDArray[np.float64]
NOT_NEGATIVE = ("FV", "FS", "IA")
POSITIVE_TERMS = (
    "XX",
    "YY",
    "ZZ",
    "M",
    "IA",
)  # a ZZ that is grouped with positive multiples of these is positive


def parameter_warnings(
    base: BaseParameters, estimate: Estimate, residuals: Residuals, data: RFactors
) -> list[DiagnosticWarning]:
    """Return warnings about a large residual and about physically impossible parameter values."""
    warnings = []
    if residuals.kept.relative > UNEXPLAINED:
        warnings.append(warning("unexplained-torques", share=100 * residuals.kept.relative))
    shares = _shares(estimate, data)
    negative = [
        name
        for k, name in enumerate(estimate.names)
        if (_kind(name) in NOT_NEGATIVE or _is_sum_of_inertias(name, base))
        and estimate.values[k] < -SIGNIFICANT * estimate.deviations[k]
        and shares[k] > SMALL_EFFECT
    ]
    if negative:
        warnings.append(warning("negative-parameter", names=", ".join(negative)))
    return warnings + _torque_unit(base, estimate, data)


def torque_warnings(
    labels: Sequence[str],
    estimate: Estimate,
    data: RFactors,
    noise: Array | None,
    delay: TorqueDelay | None,
    rate: float,
    given: float = 0.0,
) -> list[DiagnosticWarning]:
    """Return warnings about the torques: a wrong factor of one joint, a delay, or a joint with a large residual.

    A delay changes the estimated factors of joints, and a wrong factor changes the estimated delay. Of these two only
    the one that explains more of the residual is reported.

    Args:
        labels: names of the joints in messages.
        estimate: the estimated parameters.
        data: R factors of the regression rows.
        noise: (e,), standard deviation of each joint's rows due to white noise of the torques; None if unknown.
        delay: delay estimated in addition to the given one.
        rate: samples per second of the log.
        given: delay in seconds by which the log is already corrected.
    """
    inconsistent, share = _inconsistency_warnings(labels, estimate, data)
    late = _delay_warnings(delay, estimate, data, rate, given)
    if late and delay is not None and delay.share < share:
        return late
    return inconsistent or _unexplained_joint_warnings(labels, estimate, data, noise)


def _inconsistency_warnings(
    labels: Sequence[str], estimate: Estimate, data: RFactors
) -> tuple[list[DiagnosticWarning], float]:
    """Return warnings about joints whose torques contradict those of the other joints.

    Args:
        labels: names of the joints in messages.
        estimate: the estimated parameters.
        data: R factors of the regression rows.

    Returns:
        The warnings, and the fraction of the squared residual that remains if a factor of one joint's torques is
        estimated.
    """
    left = data.residuals(estimate.values)
    shares = left / np.maximum(data.norms(), TINY)
    if len(labels) < 2:
        return [], 1.0
    sigma = own_deviations(data)
    total = float(np.sum((left / sigma) ** 2))
    if total < INCONSISTENT_RATIO * data.independent or shares.max() < SMALL_EFFECT:
        return [], 1.0
    factors, share = _factors(data, sigma, total)
    if factors:
        listed = " or ".join(
            (
                f"those of {row_name(labels[k])} are {c:.3g} times (deviation {deviation:.1g}) those that "
                "follow from the other joints"
            )
            for k, c, deviation in factors
        )
        residuals = ", ".join(f"{100 * x:.3g} %" for x in shares)
        return [
            warning(
                "torque-factor", factors=listed, shares=residuals, equations=", ".join(map(row_name, labels))
            )
        ], share
    alone = sigma * np.sqrt(data.share * np.array(data.counts))
    worse = [k for k in range(len(sigma)) if left[k] > JOINT_RATIO * alone[k] and shares[k] > SMALL_EFFECT]
    if not any(shares[k] > JOINT_SHARE for k in worse):
        return [], 1.0
    listed = ", ".join(
        f"{100 * shares[k]:.3g} % of those of {row_name(labels[k])} (a fit to its equation alone leaves "
        f"{100 * shares[k] * alone[k] / left[k]:.2g} %)"
        for k in worse
    )
    return [warning("inconsistent-torques", shares=listed)], BETTER_FIT


def _unexplained_joint_warnings(
    labels: Sequence[str], estimate: Estimate, data: RFactors, noise: Array | None
) -> list[DiagnosticWarning]:
    """Return a warning about joints whose residual exceeds the noise and is a large share of their torques.

    Args:
        labels: names of the joints in messages.
        estimate: the estimated parameters.
        data: R factors of the regression rows.
        noise: standard deviation of each joint's rows due to white noise of the torques; None if unknown.
    """
    left = data.residuals(estimate.values)
    shares = left / np.maximum(data.norms(), TINY)
    deviations = left / np.sqrt(np.maximum(data.counts, 1))
    poor = [
        k
        for k in range(len(labels))
        if shares[k] > UNEXPLAINED and (noise is None or deviations[k] > NOISE_RATIO * noise[k])
    ]
    if not poor:
        return []
    listed = ", ".join(f"{100 * shares[k]:.0f} % of those of {row_name(labels[k])}" for k in poor)
    return [warning("unexplained-joint", shares=listed)]


def _factors(data: RFactors, sigma: Array, total: float) -> tuple[list[tuple[int, float, float]], float]:
    """Estimate a factor of the torques for one joint at a time; return the factors that reduce the residual most.

    Factors that do not clearly reduce the residual are omitted.

    Args:
        data: R factors of the regression rows.
        sigma: deviation of the residual of each equation when it is solved alone.
        total: squared residual without a factor.

    Returns:
        A list of (joint index, factor, standard deviation of the factor), and the fraction of the squared residual that
        remains.
    """
    tried = []
    for k in range(len(sigma)):
        others, own = _without_joint(data, sigma, k)
        fits = [_factor(others, own, start) for start in (1.0, -1.0)]
        c, deviation, cost = min(fits, key=lambda fit: fit[2])
        deviation *= max(cost / data.independent, 1.0) ** 0.5
        settles = cost < max(EXPLAINED_RATIO * data.independent, EXPLAINED_SHARE * total)
        if (
            cost < BETTER_FIT * total
            and settles
            and abs(c - 1) > max(FACTOR_ERROR, FACTOR_DEVIATIONS * deviation)
        ):
            tried.append((cost, (k, c, deviation)))
    least = min((cost for cost, _ in tried), default=0.0)
    return [factor for cost, factor in tried if cost <= EQUIVALENT_COST * least], least / total


def joint_consistency(names: Sequence[str], data: RFactors) -> Array:
    """Return the residual of each equation relative to that of a fit to this equation alone (e,).

    The common parameters are those of weighted least squares, whichever method is used.
    """
    alone = own_deviations(data) * np.sqrt(data.share * np.array(data.counts))
    return np.asarray(data.residuals(weighted(names, data).values) / alone)


def significant_factor(data: RFactors, autocorrelation: float) -> tuple[int, float]:
    """Return the joint index and the factor of its torques that explains most of the residual; (0, 1) if none does.

    Args:
        data: R factors of the regression rows.
        autocorrelation: factor of the deviations due to autocorrelated residuals.
    """
    sigma = own_deviations(data)
    significant = []
    for k in range(len(sigma)):
        c, deviation, cost = _factor(*_without_joint(data, sigma, k), 1.0)
        deviation *= max(cost / data.independent, 1.0) ** 0.5 * autocorrelation
        if abs(c - 1) > FACTOR_DEVIATIONS * deviation:
            significant.append((cost, k, c))
    _, k, c = min(significant, default=(0.0, 0, 1.0))
    return k, c


def _without_joint(data: RFactors, sigma: Array, k: int) -> tuple[Array, Array]:
    """Return the R factors of the equations of all joints but k, and of that of joint k, divided by sigma."""
    weights = [0.0 if i == k else 1 / s for i, s in enumerate(sigma)]
    return data.together(weights), data.wide(k, 1 / sigma[k])


def _factor(others: Array, own: Array, c: float) -> tuple[float, float, float]:
    """Estimate the factor c of the torques of one joint by Gauss-Newton.

    Args:
        others: R factor of the equations of all other joints.
        own: R factor of the equation of this joint.
        c: initial value.

    Returns:
        c, its standard deviation, and the squared residual. Deviation and residual are infinite if the iteration does
        not converge.
    """
    for _ in range(FACTOR_ITERATIONS):
        R = r_factor(np.vstack([others, np.column_stack([c * own[:, :-1], own[:, -1]])]))
        scale = np.linalg.norm(R[:, :-1], axis=0)
        scale[scale == 0] = 1.0
        K = np.linalg.lstsq(R[:, :-1] / scale, R[:, -1], rcond=NEGLIGIBLE_COLUMN)[0] / scale
        slope = np.concatenate([np.zeros(len(others)), own[:, :-1] @ K])
        A = np.vstack([others[:, :-1], c * own[:, :-1]]) / scale
        off = np.concatenate([others[:, -1], own[:, -1]]) - A @ (scale * K)
        alone = slope - A @ np.linalg.lstsq(A, slope, rcond=NEGLIGIBLE_COLUMN)[0]
        size = float(alone @ alone)
        if not size > NEGLIGIBLE_COLUMN * float(slope @ slope):
            break  # this joint has no parameter in common with others
        change = float(alone @ off) / size
        if abs(change) < FACTOR_CONVERGED * abs(c):
            return c, size**-0.5, float(off @ off)
        c += change
    return c, np.inf, np.inf


def _delay_warnings(
    delay: TorqueDelay | None, estimate: Estimate, data: RFactors, rate: float, given: float
) -> list[DiagnosticWarning]:
    """Return a warning about torques that lag behind or lead the motion, if this changes a parameter.

    Args:
        rate: samples per second.
        given: delay in seconds by which the log is already corrected.
    """
    if delay is None or abs(delay.seconds) < DELAY_DEVIATIONS * delay.deviation:
        return []
    moves = np.abs(delay.change) / np.maximum(estimate.deviations, TINY)
    k = int(np.argmax(moves))
    R = data.together(1 / estimate.sigma)
    if moves[k] < 1 or np.linalg.norm(R[:, :-1] @ delay.change) < DELAY_EFFECT * np.linalg.norm(R[:, -1]):
        return []
    samples, total = delay.seconds * rate, delay.seconds + given
    is_hold = abs(total * rate + 0.5) < HOLD_SAMPLES
    return [
        warning(
            "torque-delay",
            relation="lag behind" if samples > 0 else "lead",
            delay=1e3 * abs(delay.seconds),
            deviation=1e3 * delay.deviation,
            samples=abs(samples),
            hold=", which is the delay of a zero-order hold" if is_hold and not given else "",
            beyond=f" beyond the given delay of {1e3 * given:.4g} ms" if given else "",
            parameter=estimate.names[k],
            change=delay.change[k],
            deviations=moves[k],
            option=f"--delay {HOLD} (delay='{HOLD}')"
            if is_hold
            else f"--delay {total:.3g} (delay=), in seconds",
        )
    ]


def _kind(name: str) -> str:
    return name.rstrip("0123456789")


def _is_sum_of_inertias(name: str, base: BaseParameters) -> bool:
    """Return whether a base parameter must be positive because it is a sum of inertias.

    This is true for an inertia ZZj about a joint axis, or a mass, with which only positive parameters are grouped, with
    positive coefficients.

    Args:
        name: name of the base parameter.
        base: the base parameters.
    """
    others = base.relations.get(name, {})
    return _kind(name) in ("ZZ", "M") and all(
        _kind(other) in POSITIVE_TERMS and (c.number or 0) > 0 for other, c in others.items()
    )


def _shares(estimate: Estimate, data: RFactors) -> Array:
    """Return, for each parameter, its contribution to the torques as a fraction of their norm (P,).

    The largest fraction over all equations is returned.
    """
    rows = [np.linalg.norm(data.wide(k)[:, :-1], axis=0) for k in range(len(data.factors))]
    norms = np.maximum(data.norms(), TINY)
    return np.asarray(np.max(np.array(rows) / norms[:, None], axis=0) * np.abs(estimate.values))


def _torque_unit(base: BaseParameters, estimate: Estimate, data: RFactors) -> list[DiagnosticWarning]:
    """Return a warning if the torques differ from those of the nominal parameters by a factor of about 1000."""
    known = nominal_columns(base)
    if known is None:
        return []
    R = data.together(1 / estimate.sigma)
    expected, measured = R[:, :-1] @ np.array([known.get(name, 0.0) for name in estimate.names]), R[:, -1]
    sizes = float(np.linalg.norm(expected)), float(np.linalg.norm(measured))
    if min(sizes) == 0 or abs(float(expected @ measured)) < PROPORTIONAL * sizes[0] * sizes[1]:
        return []
    factor = abs(float(expected @ measured)) / sizes[0] ** 2
    low, high = THOUSANDFOLD
    unit = "N.mm" if low < factor < high else "kN.m" if low < 1 / factor < high else None
    return [] if unit is None else [warning("torque-unit", factor=factor, unit=unit)]


def sampling_warnings(bias: SamplingBias, estimate: Estimate, data: RFactors) -> list[DiagnosticWarning]:
    """Return warnings about bias caused by finite differences, noise on positions, and the low-pass filter.

    Noise and motion that is too fast for the finite differences have similar effects; of these two only the larger bias
    is reported.
    """
    warnings = []
    lost, noisy = _changes(bias.differences, estimate), _changes(bias.noise, estimate)
    if _has_effect(bias.differences, BIAS_DEVIATIONS, estimate, data) and lost.max() >= noisy.max():
        warnings.append(warning("sampling-rate", change=_largest_change(bias.differences, estimate)))
    if _has_effect(bias.noise, NOISE_BIAS_DEVIATIONS, estimate, data) and noisy.max() > lost.max():
        warnings.append(warning("position-noise", change=_largest_change(bias.noise, estimate)))
    if _has_effect(bias.low_pass, BIAS_DEVIATIONS, estimate, data):
        warnings.append(warning("low-pass", change=_largest_change(bias.low_pass, estimate)))
    return warnings


def _changes(bias: Array | None, estimate: Estimate) -> Array:
    """Return the absolute bias of each parameter as a multiple of its standard deviation; zeros without a bias."""
    if bias is None:
        return np.zeros(len(estimate.names))
    return np.asarray(np.abs(bias) / np.maximum(estimate.deviations, TINY))


def _has_effect(bias: Array | None, least: float, estimate: Estimate, data: RFactors) -> bool:
    if bias is None or _changes(bias, estimate).max() <= least:
        return False
    R = data.together(1 / estimate.sigma)
    return bool(np.linalg.norm(R[:, :-1] @ bias) > NO_EFFECT * np.linalg.norm(R[:, -1]))


def _largest_change(bias: Array | None, estimate: Estimate) -> str:
    changes = _changes(bias, estimate)
    k = int(np.argmax(changes))
    by = changes[k] * estimate.deviations[k]
    return f"{estimate.names[k]} changes by {by:.2g}, {changes[k]:.2g} of its deviations"


def method_warnings(model: RowModel, estimate: Estimate, data: RFactors) -> list[DiagnosticWarning]:
    """Return warnings about assumptions of the method or model that the data do not satisfy."""
    warnings = []
    P = len(estimate.names)
    if estimate.method in ("IDIM-IV", "DIDIM") and estimate.freedom < ROWS_PER_COLUMN * P:
        warnings.append(warning("few-rows", rows=estimate.freedom + P, parameters=P))
    if estimate.method == "TLS":
        difference = np.abs(estimate.values - weighted(estimate.names, data).values) / estimate.deviations
        k = int(np.argmax(difference))
        if difference[k] > TLS_DEVIATIONS:
            warnings.append(
                warning("total-least-squares", parameter=estimate.names[k], deviations=difference[k])
            )
    loads = [name for name in model.names if _kind(name) == TERMS["load"]]
    if loads and model.kind != "dynamic":
        warnings.append(warning("measured-load", names=", ".join(loads), model=model.kind))
    return warnings


def consistency_warnings(
    estimate: Estimate, residuals: Residuals, constrained: Consistent | None
) -> list[DiagnosticWarning]:
    """Return a list with a warning if physically consistent parameters have a smaller residual than the estimate.

    Args:
        estimate: the estimate without constraints.
        residuals: its residuals.
        constrained: the physically consistent parameters; None if they were not estimated.
    """
    if constrained is None or constrained.relative >= (1 - CONSTRAINED_BETTER) * residuals.kept.relative:
        return []
    return [
        warning(
            "constraints-explain-more",
            constrained=100 * constrained.relative,
            method=estimate.method,
            free=100 * residuals.kept.relative,
        )
    ]
