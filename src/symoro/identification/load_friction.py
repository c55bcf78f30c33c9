"""Friction that grows with the load, from the torque that the parameters predict: |tau_j| sign(qd_j) FLj.

A column of measured torques has their noise in it, rectified: FL takes up what the noise is, by tens of deviations, and
the deviations do not tell. The noise is not in the torque t that the model itself predicts, which solves

    t = r + FL s |t|,    r = W K + known torques without load,  s = sign(qd)

so t = g r with g = 1 / (1 - FL s sign(r)), as long as |FL| < 1: beyond, the joint locks itself. Least squares of y on
f(K) = t - known is by Gauss and Newton's method, rows again and again of

    F = df/dK = g [W, s |t|],       y - f + F K

until K settles, one pass over the logs a round. F and y - f are those of ordinary least squares then, so deviations,
weights of outliers and tests of parameters are too. Along the way to a report rows [W, s |t|] serve, whose product with
K is f itself.

Of the filtered, power and energy models, which know no accelerations, the column is that of the measured torque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
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
    """Parameters at which load-dependent friction is predicted; `slopes` asks for the rows of Gauss and Newton."""

    values: tuple[float, ...]
    slopes: bool


def has_load(model: RowModel) -> bool:
    """Return whether the model has columns that its own prediction must fill."""
    return model.kind == "dynamic" and any(_is_load(name) for name in model.names)


def at_load(model: RowModel, point: LoadPoint) -> RowModel:
    """Return the model with the torques of load-dependent friction predicted at some parameters."""
    joints = {j: k for k, j in enumerate(model.further.joints)}
    K = np.array(point.values)
    columns = np.array([k for k, name in enumerate(model.names) if _is_load(name)])
    places = np.array([joints[int(model.names[k][len(LOAD) :])] for k in columns])

    def parts(q: Array, qd: Array, qdd: Array, tau: Array) -> tuple[Array | None, Array, Array]:
        momentum, A, y = model.parts(q, qd, qdd, tau)
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
    """Return where to start: least squares of all the other columns."""
    others = [k for k, name in enumerate(model.names) if not _is_load(name)]
    R = data.together(1 / own_deviations(data))
    K = np.zeros(len(model.names))
    K[others], _ = solved(r_factor(R[:, [*others, len(model.names)]])[: len(others) + 1])
    return LoadPoint(tuple(float(x) for x in K), True)


def load_point(estimate: Estimate, slopes: bool = True) -> LoadPoint:
    """Return where an estimate is."""
    return LoadPoint(tuple(float(x) for x in estimate.values), slopes)


def settled_load(
    start: LoadPoint, fit: Callable[[LoadPoint], tuple[Estimate, RFactors]]
) -> tuple[Estimate, RFactors]:
    """Return the fit at parameters that it finds again.

    Args:
        fit: the estimate from rows at a point, with their R factors.

    Raises:
        ProgramError: there are none, or a joint would lose most of its load.
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
        f"friction that grows with the load did not settle in {ITERATIONS} rounds",
        hint="leave out 'load', or record motions with more and less of it at the same speeds",
    )


def _check(estimate: Estimate) -> None:
    for name, value in estimate.as_dict().items():
        if _is_load(name) and abs(value) >= LOCKED_JOINT:
            raise ProgramError(
                f"{name} = {value:.3g}: friction would be {100 * abs(value):.0f} % of the torque, which no joint has",
                hint="leave out 'load', or record motions with more and less of it at the same speeds",
            )


def _is_load(name: str) -> bool:
    return name.rstrip("0123456789") == LOAD
