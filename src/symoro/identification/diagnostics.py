"""Diagnostics of an estimate, in words: numbers that a wrong unit, sign, ratio, order or clock would give.

Equations of different joints have parameters in common, so that the torques of one joint can be compared with those of
the others. Each equation alone leaves the deviation sigma_j (`own_deviations`), of noise and of what the model lacks.
With torques that belong to one robot the common parameters leave about as much. Where they leave more, one joint at a
time gets a factor c,

    minimise over K and c    sum over i != j of |A_i K - y_i|^2 / sigma_i^2 + |c A_j K - y_j|^2 / sigma_j^2

by Gauss and Newton's method from c = 1 and c = -1: a wrong sign gives -1, a torque of the motor its ratio.

M. Gautier, S. Briot, "Global identification of joint drive gains and dynamic parameters of robots", Journal of Dynamic
Systems, Measurement, and Control 136, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.identification.consistent import Consistent
from symoro.identification.delay import TorqueDelay
from symoro.identification.log_description import HOLD
from symoro.identification.regression import Estimate, Residuals, own_deviations
from symoro.identification.robots import nominal_columns
from symoro.identification.rows import Triangles, triangle
from symoro.identification.tolerances import (
    BETTER_FIT,
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
    NOISE_RATIO,
    PROPORTIONAL,
    SIGNIFICANT,
    SMALL_EFFECT,
    THOUSANDFOLD,
    UNEXPLAINED,
)
from symoro.models.identification.base.parameters import BaseParameters

Array = NDArray[np.float64]
NOT_NEGATIVE = ("FV", "FS", "IA")
POSITIVE_TERMS = ("XX", "YY", "ZZ", "M", "IA")  # what a ZZ may be grouped with and stay positive
# Squared residual of the common parameters per row, by that of each equation alone: 1 except for chance.


def doubts(base: BaseParameters, estimate: Estimate, residuals: Residuals, data: Triangles) -> list[str]:
    """Sentences for the user; none where nothing is odd."""
    found = []
    if residuals.kept.relative > UNEXPLAINED:
        found.append(
            f"the model leaves {100 * residuals.kept.relative:.0f} % of the torques unexplained: check units, signs, "
            "ratios, and where gravity points"
        )
    shares = _shares(estimate, data)
    negative = [
        name
        for k, name in enumerate(estimate.names)
        if (_kind(name) in NOT_NEGATIVE or _is_sum_of_inertias(name, base))
        and estimate.values[k] < -SIGNIFICANT * estimate.deviations[k]
        and shares[k] > SMALL_EFFECT
    ]
    if negative:
        found.append(
            f"{', '.join(negative)} cannot be negative: check the signs of positions and torques, and whether their "
            "clocks agree"
        )
    return found + _thousandfold(base, estimate, data)


def torque_doubts(
    labels: Sequence[str],
    estimate: Estimate,
    data: Triangles,
    noise: Array | None,
    delay: TorqueDelay | None,
    rate: float,
    given: float = 0.0,
) -> list[str]:
    """Return warnings about the torques: of one joint compared with the others, of a delay, or of a joint alone.

    A delay changes the factors of joints, and a wrong factor the delay: the one that explains more is reported.

    Arguments:
        noise: (e,), the deviation that white noise of the torques gives the rows of each joint; None if unknown.
        delay: estimated beyond that which was given.
        rate: of the log, samples a second.
        given: seconds of delay that the log is already corrected by.
    """
    apart, share = _apart(labels, estimate, data)
    late = _delayed(delay, estimate, data, rate, given)
    if late and delay is not None and delay.share < share:
        return late
    return apart or _unexplained(labels, estimate, data, noise)


def _apart(labels: Sequence[str], estimate: Estimate, data: Triangles) -> tuple[list[str], float]:
    """Return warnings about joints that contradict the others, and the share of residuals that a factor leaves."""
    left = data.residuals(estimate.values)
    shares = left / np.maximum(data.norms(), 1e-300)
    if len(labels) < 2:
        return [], 1.0
    sigma = own_deviations(data)
    total = float(np.sum((left / sigma) ** 2))
    if total < INCONSISTENT_RATIO * data.independent or shares.max() < SMALL_EFFECT:
        return [], 1.0
    factors, share = _factors(data, sigma, total)
    if factors:
        listed = " or ".join(
            f"those of joint {labels[k]} are {c:.3g} times (deviation {deviation:.1g})"
            for k, c, deviation in factors
        )
        residuals = ", ".join(f"{100 * x:.3g} %" for x in shares)
        return [
            f"torques of the joints do not go together: {listed} what the others imply; check sign, unit and ratio. As "
            f"they are, the model leaves {residuals} of the torques of joints {', '.join(labels)}"
        ], share
    alone = sigma * np.sqrt(data.share * np.array(data.counts))
    worse = [k for k in range(len(sigma)) if left[k] > JOINT_RATIO * alone[k] and shares[k] > SMALL_EFFECT]
    if not any(shares[k] > JOINT_SHARE for k in worse):
        return [], 1.0
    listed = ", ".join(
        f"{100 * shares[k]:.3g} % of those of joint {labels[k]} (its own equation alone "
        f"{100 * shares[k] * alone[k] / left[k]:.2g} %)"
        for k in worse
    )
    return [
        f"torques of the joints do not go together: the common parameters leave {listed}; check the order, signs, "
        "units and ratios of the torques, and the geometry of the robot"
    ], BETTER_FIT


def _unexplained(
    labels: Sequence[str], estimate: Estimate, data: Triangles, noise: Array | None
) -> list[str]:
    """Return a warning about joints whose residual is most of their torques, and more than their noise."""
    left = data.residuals(estimate.values)
    shares = left / np.maximum(data.norms(), 1e-300)
    deviations = left / np.sqrt(np.maximum(data.counts, 1))
    poor = [
        k
        for k in range(len(labels))
        if shares[k] > UNEXPLAINED and (noise is None or deviations[k] > NOISE_RATIO * noise[k])
    ]
    if not poor:
        return []
    listed = ", ".join(f"{100 * shares[k]:.0f} % of those of joint {labels[k]}" for k in poor)
    return [
        f"torques are hardly explained: {listed} are left over; check units, signs and the order of columns"
    ]


def _factors(data: Triangles, sigma: Array, total: float) -> tuple[list[tuple[int, float, float]], float]:
    """Factors of one joint's torques, with deviations, that would explain much more: the best, and those as good."""
    tried = []
    for k in range(len(sigma)):
        weights = [0.0 if i == k else 1 / s for i, s in enumerate(sigma)]
        others, own = data.together(weights), data.wide(k, 1 / sigma[k])
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
    return [found for cost, found in tried if cost <= EQUIVALENT_COST * least], least / total


def _factor(others: Array, own: Array, c: float) -> tuple[float, float, float]:
    """c and its deviation for weighted rows, and the squared residual; infinite where the iteration does not settle."""
    for _ in range(FACTOR_ITERATIONS):
        R = triangle(np.vstack([others, np.column_stack([c * own[:, :-1], own[:, -1]])]))
        scale = np.linalg.norm(R[:, :-1], axis=0)
        scale[scale == 0] = 1.0
        K = np.linalg.lstsq(R[:, :-1] / scale, R[:, -1], rcond=NEGLIGIBLE_COLUMN)[0] / scale
        slope = np.concatenate([np.zeros(len(others)), own[:, :-1] @ K])
        A = np.vstack([others[:, :-1], c * own[:, :-1]]) / scale
        off = np.concatenate([others[:, -1], own[:, -1]]) - A @ (scale * K)
        alone = slope - A @ np.linalg.lstsq(A, slope, rcond=NEGLIGIBLE_COLUMN)[0]
        size = float(alone @ alone)
        if not size > NEGLIGIBLE_COLUMN * float(slope @ slope):
            break  # no other joint has a parameter of this one
        change = float(alone @ off) / size
        if abs(change) < FACTOR_CONVERGED * abs(c):
            return c, size**-0.5, float(off @ off)
        c += change
    return c, np.inf, np.inf


def _delayed(
    delay: TorqueDelay | None, estimate: Estimate, data: Triangles, rate: float, given: float
) -> list[str]:
    """Return a warning about torques that lag behind the motion, or lead it, so that a parameter changes."""
    if delay is None or abs(delay.seconds) < DELAY_DEVIATIONS * delay.deviation:
        return []
    moves = np.abs(delay.change) / np.maximum(estimate.deviations, 1e-300)
    k = int(np.argmax(moves))
    R = data.together(1 / estimate.sigma)
    if moves[k] < 1 or np.linalg.norm(R[:, :-1] @ delay.change) < DELAY_EFFECT * np.linalg.norm(R[:, -1]):
        return []
    samples, total = delay.seconds * rate, delay.seconds + given
    which = "lag behind" if samples > 0 else "lead"
    is_hold = abs(total * rate + 0.5) < HOLD_SAMPLES
    hold = ", as torques that are held from sample to sample do" if is_hold and not given else ""
    give = f"--delay {HOLD} (delay='{HOLD}')" if is_hold else f"--delay {total:.3g} (delay=), in seconds"
    more = f" beyond the given delay of {1e3 * given:.4g} ms" if given else ""
    return [
        f"torques {which} the motion by {1e3 * abs(delay.seconds):.3g} ms (deviation {1e3 * delay.deviation:.1g} ms), "
        f"{abs(samples):.2g} samples{hold}{more}: with this {estimate.names[k]} changes by {delay.change[k]:.2g}, "
        f"{moves[k]:.2g} of its deviations; give {give}"
    ]


def _kind(name: str) -> str:
    return name.rstrip("0123456789")


def _is_sum_of_inertias(name: str, base: BaseParameters) -> bool:
    """Whether a column is an inertia about a joint, with nothing grouped that may be negative."""
    others = base.relations.get(name, {})
    return _kind(name) == "ZZ" and all(
        _kind(other) in POSITIVE_TERMS and (c.number or 0) > 0 for other, c in others.items()
    )


def consistency_doubts(estimate: Estimate, residuals: Residuals, found: Consistent | None) -> list[str]:
    """Constraints can only take from how well the log is explained; where they add, the estimate is another one."""
    if found is None or found.relative >= (1 - CONSTRAINED_BETTER) * residuals.kept.relative:
        return []
    return [
        f"physically consistent parameters leave {100 * found.relative:.2f} % of the torques unexplained, the estimate "
        f"by {estimate.method} without constraints {100 * residuals.kept.relative:.2f} %: others explain this log "
        "better; compare it with the estimate of another method"
    ]


def _shares(estimate: Estimate, data: Triangles) -> Array:
    """What each parameter adds to the torques of the equation in which it does most, as a share of them."""
    rows = [np.linalg.norm(data.wide(k)[:, :-1], axis=0) for k in range(len(data.factors))]
    norms = np.maximum(data.norms(), 1e-300)
    return np.asarray(np.max(np.array(rows) / norms[:, None], axis=0) * np.abs(estimate.values))


def _thousandfold(base: BaseParameters, estimate: Estimate, data: Triangles) -> list[str]:
    """Torques beside those that the robot's nominal values give on the same motion."""
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
    if unit is None:
        return []
    return [f"the torques are {factor:.3g} times those of the robot's nominal values: are they in {unit}?"]
