"""Load-dependent friction |tau_j| sign(qd_j) FLj, where tau_j is the torque that the model predicts.

A column computed from measured torques contains their rectified noise. This noise biases FL by tens of standard
deviations, which the computed standard deviations do not show. The predicted torque t is free of this noise. It solves

    t = r + FL s |t|,    r = W K + known torques without load,  s = sign(qd)

so t = g r with g = 1 / (1 - FL s sign(r)), as long as |FL| < 1; with a larger FL the joint is self-locking. Least
squares of y on f(K) = t - known is solved by Gauss-Newton with the rows

    F = df/dK = g [W, s |t|],       y - f + F K

which are recomputed in each iteration, in one pass over the logs, until K converges. The final rows F and y - f are
those of an ordinary least-squares problem, so deviations, weights of outliers and tests of parameters apply as usual.
Residuals are reported with the rows [W, s |t|], whose product with K is f.

The filtered, power and energy models do not use accelerations; their column contains the measured torque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.identification.base_motion import BaseMotion
from symoro.identification.equations import RowModel
from symoro.identification.friction import TERMS
from symoro.identification.regression import Estimate, own_deviations, solved
from symoro.identification.rows import RFactors, r_factor
from symoro.identification.tolerances import (
    CONVERGED,
    ITERATIONS,
    LOCKED_JOINT,
    ROUND_OFF,
    UNDAMPED_ITERATIONS,
)

Array = NDArray[np.float64]
LOAD = TERMS["load"]


@dataclass(frozen=True)
class LoadPoint:
    """Parameter values at which load-dependent friction is predicted.

    Attributes:
        values: the parameters K.
        slopes: True for the Gauss-Newton rows F = df/dK; False for the rows [W, s |t|], whose product with K is the
            predicted torque.
    """

    values: tuple[float, ...]
    slopes: bool


def has_load(model: RowModel) -> bool:
    """Return whether the model has load-dependent friction that is computed from predicted torques."""
    return model.kind == "dynamic" and any(_is_load(name) for name in model.names)


def at_load(model: RowModel, point: LoadPoint) -> RowModel:
    """Return the identification model whose load-dependent friction is predicted from the parameters in `point`."""
    joints = {j: k for k, j in enumerate(model.further.joints)}
    K = np.array(point.values)
    columns = np.array([k for k, name in enumerate(model.names) if _is_load(name)])
    places = np.array([joints[int(model.names[k][len(LOAD) :])] for k in columns])

    def parts(
        q: Array, qd: Array, qdd: Array, tau: Array, base: BaseMotion | None = None
    ) -> tuple[Array | None, Array, Array]:
        momentum, A, y = model.parts(q, qd, qdd, tau, base)
        A, known, signs = A.copy(), tau - y, np.sign(qd[:, places])
        A[:, :, columns] = 0.0
        rest = A @ K + known
        gain = np.ones_like(rest)
        gain[:, places] = 1 / (
            1 - np.clip(K[columns], -LOCKED_JOINT, LOCKED_JOINT) * signs * np.sign(rest[:, places])
        )
        torque = gain * rest
        A[:, places, columns] = np.abs(torque[:, places]) * signs
        if not point.slopes:
            return momentum, A, y
        A *= gain[:, :, None]
        return momentum, A, y - (torque - known) + A @ K

    return replace(model, parts=parts)


def without_load(model: RowModel, data: RFactors) -> LoadPoint:
    """Return initial parameters, estimated by least squares without the columns of load-dependent friction."""
    others = [k for k, name in enumerate(model.names) if not _is_load(name)]
    R = data.together(1 / own_deviations(data))
    K = np.zeros(len(model.names))
    K[others], _ = solved(r_factor(R[:, [*others, len(model.names)]])[: len(others) + 1])
    return LoadPoint(tuple(float(x) for x in K), True)


def load_point(estimate: Estimate, slopes: bool = True) -> LoadPoint:
    """Return the parameters of an estimate as values at which load-dependent friction is predicted.

    Args:
        estimate: the estimate.
        slopes: whether the rows computed at these values are the Gauss-Newton rows (`LoadPoint.slopes`).
    """
    return LoadPoint(tuple(float(x) for x in estimate.values), slopes)


def converged_load(
    start: LoadPoint, fit: Callable[[LoadPoint], tuple[Estimate, RFactors]]
) -> tuple[Estimate, RFactors]:
    """Repeat a fit until its estimate equals the parameters at which load-dependent friction was predicted.

    Args:
        start: initial parameters.
        fit: function that computes the rows at given parameters, and returns the estimate from these rows and their R
            factors.

    Returns:
        The last result of `fit`.

    Raises:
        ProgramError: the iteration does not converge, or friction would exceed most of the load of a joint.
    """
    point = start
    for rounds in range(ITERATIONS):
        estimate, data = fit(point)
        change = estimate.values - np.array(point.values)
        R = data.together(1 / estimate.sigma)
        step = change if rounds < UNDAMPED_ITERATIONS else change / 2
        point = LoadPoint(tuple(float(x) for x in point.values + step), True)
        little = np.linalg.norm(R[:, :-1] @ change) <= ROUND_OFF * np.linalg.norm(R[:, -1])
        if little or np.max(np.abs(change) / estimate.deviations) < CONVERGED:
            _check(estimate)
            return estimate, data
    raise ProgramError(
        f"the estimate of load-dependent friction did not converge in {ITERATIONS} iterations",
        hint="remove 'load' from the friction terms, or record motions with different loads at the same speeds",
    )


def _check(estimate: Estimate) -> None:
    for name, value in estimate.as_dict().items():
        if _is_load(name) and abs(value) >= LOCKED_JOINT:
            raise ProgramError(
                f"{name} = {value:.3g} is not plausible: friction would be {100 * abs(value):.0f} % of the torque",
                hint="remove 'load' from the friction terms, or record motions with different loads at the same "
                "speeds",
            )


def _is_load(name: str) -> bool:
    return name.rstrip("0123456789") == LOAD
