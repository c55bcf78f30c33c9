"""The closed loop simulated for parameters K, several of them at once.

    tau = kp (r - q) + kd (rd - qd),       M(q) qdd = tau - W(q, qd, 0) K

M comes from the regressor too: column i is (W(q, 0, e_i) - W(q, 0, 0)) K. So one compiled function serves every K, with
all the columns that the data are explained by, friction and coupled motors among them. Fixed steps of Runge and Kutta's
fourth order at the rate of the log; between samples the reference is a cubic polynomial. Its rate is that of the cubic
spline through the samples: differences would be off by more torque than the noise has, times kd.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, ProgramError
from symoro.estimation.description import PdController
from symoro.estimation.equations import RowModel
from symoro.estimation.log import Log
from symoro.estimation.needs import needed
from symoro.estimation.signals import low_pass

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ControlLoop:
    """What closes the loop: gains at the joints, and the reference with its rate, (N, n)."""

    rate: float
    kp: Array
    kd: Array
    reference: Array
    reference_rate: Array
    start: Array
    start_rate: Array


@dataclass(frozen=True, eq=False)
class Simulated:
    """Motions of the closed loop, each (B, N, n)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def loop_of(
    log: Log, controller: PdController | None, cutoff: float | None = None
) -> tuple[ControlLoop, Array, Array]:
    """The loop that made a log, with the positions and torques that were measured.

    Raises:
        ArgumentError: the log has no reference, or there is no controller.
    """
    law = controller or (log.description.controller if log.description else None)
    chunks = list(log.chunks(log.samples))
    arrays = {kind: np.concatenate([chunk[kind] for chunk in chunks]) for kind in chunks[0]}
    if law is None or "reference" not in arrays:
        raise ArgumentError(
            f"{log.name}: simulation needs the reference that was followed, and the gains of the controller",
            hint="describe 'reference' and 'controller' in the YAML of the log",
        )
    q = arrays["position"]
    smooth = q
    if cutoff is not None:
        smooth = needed("scipy.signal", "filtering").sosfiltfilt(low_pass(cutoff, log.rate), q, axis=0)
    r = arrays["reference"]
    spline = needed("scipy.interpolate", "the rate of a reference").CubicSpline
    rate = spline(np.arange(len(r)) / log.rate, r)(np.arange(len(r)) / log.rate, 1)
    begin = (smooth[0], (4 * smooth[1] - 3 * smooth[0] - smooth[2]) / 2 * log.rate)
    loop = ControlLoop(log.rate, np.array(law.kp), np.array(law.kd), r, rate, *begin)
    return loop, q, arrays["torque"]


def simulated(model: RowModel, K: Array, loop: ControlLoop) -> Simulated:
    """The closed loop for one K (P,) or several (B, P).

    Raises:
        ProgramError: the motion does not stay finite.
    """
    many = np.atleast_2d(K)
    dynamics = _Dynamics(model, many)
    h, samples, n = 1 / loop.rate, len(loop.reference), loop.reference.shape[1]
    made = [np.empty((len(many), samples, n)) for _ in range(4)]
    q = np.repeat(loop.start[None], len(many), axis=0)
    qd = np.repeat(loop.start_rate[None], len(many), axis=0)
    for k in range(samples):
        r, rd = loop.reference[k], loop.reference_rate[k]
        tau = _torques(loop, r, rd, q, qd)
        a1 = dynamics(q, qd, tau)
        for held, value in zip(made, (q, qd, a1, tau), strict=True):
            held[:, k] = value
        if k + 1 == samples:
            break
        r2, rd2 = loop.reference[k + 1], loop.reference_rate[k + 1]
        rm = (r + r2) / 2 + h / 8 * (rd - rd2)
        rdm = 1.5 * (r2 - r) / h - (rd + rd2) / 4
        qd2 = qd + h / 2 * a1
        q2 = q + h / 2 * qd
        a2 = dynamics(q2, qd2, _torques(loop, rm, rdm, q2, qd2))
        qd3 = qd + h / 2 * a2
        q3 = q + h / 2 * qd2
        a3 = dynamics(q3, qd3, _torques(loop, rm, rdm, q3, qd3))
        qd4 = qd + h * a3
        q4 = q + h * qd3
        a4 = dynamics(q4, qd4, _torques(loop, r2, rd2, q4, qd4))
        q = q + h / 6 * (qd + 2 * qd2 + 2 * qd3 + qd4)
        qd = qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    if not all(np.isfinite(held).all() for held in made):
        raise ProgramError(
            "the simulated loop does not stay finite for these parameters",
            hint="start from parameters that bodies can have, and check the gains",
        )
    return Simulated(*made)


def _torques(loop: ControlLoop, r: Array, rd: Array, q: Array, qd: Array) -> Array:
    return np.asarray(loop.kp * (r - q) + loop.kd * (rd - qd))


class _Dynamics:
    """Accelerations of B robots, from one call of the regressor for all of them."""

    def __init__(self, model: RowModel, K: Array) -> None:
        n = len(model.labels)
        B = len(K)
        self.model, self.K, self.shape = model, K, (n + 2, B, n, len(model.names))
        self.rates = np.zeros((n + 2, B, n))
        self.accelerations = np.zeros((n + 2, B, n))
        for i in range(n):
            self.accelerations[2 + i, :, i] = 1.0

    def __call__(self, q: Array, qd: Array, tau: Array) -> Array:
        calls, _, n, _ = self.shape
        self.rates[0] = qd
        A = self.model.parts(
            np.concatenate([q] * calls),
            self.rates.reshape(-1, n),
            self.accelerations.reshape(-1, n),
            np.concatenate([tau] * calls),
        )[1]
        torques = np.matmul(A.reshape(self.shape), self.K[None, :, :, None])[..., 0]
        M = np.moveaxis(torques[2:] - torques[1], 0, -1)
        return np.asarray(np.linalg.solve(M, (tau - torques[0])[..., None])[..., 0])
