"""The closed loop simulated for parameters K, several of them at once.

    tau = kp (r - q) + kd (rd - qd),       M(q) qdd = tau - W(q, qd, 0) K

M comes from the regressor too: column i is (W(q, 0, e_i) - W(q, 0, 0)) K. So one compiled function serves every K, with
all the columns that the data are explained by, friction and coupled motors among them. Fixed steps of Runge and Kutta's
fourth order; where dry friction would shake a joint that stands, several steps from one sample to the next. Where there
is a compiler the loop runs in C (`closed_loop_native`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.estimation.closed_loop_native import driver, simulate
from symoro.estimation.control_loop import ControlLoop
from symoro.estimation.equations import RowModel
from symoro.progress import each

Array = NDArray[np.float64]
DRY = ("FS", "FB")
SHAKE = 0.01
MOST_SUBSTEPS = 32


@dataclass(frozen=True, eq=False)
class Simulated:
    """Motions of the closed loop, each (B, N, n)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def simulated(model: RowModel, K: Array, loop: ControlLoop) -> Simulated:
    """The closed loop for one K (P,) or several (B, P).

    Raises:
        ProgramError: the motion does not stay finite.
    """
    many = np.atleast_2d(K)
    samples, n = loop.reference.shape
    made = Simulated(*(np.empty((len(many), samples, n)) for _ in range(4)))
    made.q[:, 0], made.qd[:, 0] = loop.start, loop.start_rate
    run = driver(model)
    if run is None:
        finite = _in_numpy(model, many, loop, made)
    else:
        motions = list(zip(many, made.q, made.qd, made.qdd, made.tau, strict=True))
        finite = all(
            simulate(run, model, values, loop, rows) == samples
            for values, *rows in each(motions, "simulating the closed loop")
        )
    if not finite:
        raise ProgramError(
            "the simulated loop does not stay finite for these parameters",
            hint="start from parameters that bodies can have, and check the gains",
        )
    return made


def refined(model: RowModel, K: Array, loop: ControlLoop) -> ControlLoop:
    """The loop with steps so short that dry friction does not shake a joint by more than SHAKE of its usual speed."""
    kicks = dict.fromkeys(model.further.joints, 0.0)
    for name, value in zip(model.names, K, strict=True):
        kind, joint = name[:2], name[2:]
        if kind in DRY and joint.isdigit() and int(joint) in kicks:
            kicks[int(joint)] += abs(value)
    inertia = np.abs(np.diag(_Dynamics(model, K[None]).inertia(loop.start[None])[0]))
    usual = np.sqrt(np.mean(loop.reference_rate**2, axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.array(list(kicks.values())) / inertia / loop.rate / (SHAKE * usual)
    most = float(np.nan_to_num(steps, nan=1.0, posinf=MOST_SUBSTEPS).max())
    return replace(loop, substeps=int(min(MOST_SUBSTEPS, max(1, np.ceil(most)))))


def _in_numpy(model: RowModel, K: Array, loop: ControlLoop, made: Simulated) -> bool:
    """The motions of all K side by side, from the first row on; whether they stay finite."""
    dynamics = _Dynamics(model, K)
    q, qd = made.q[:, 0], made.qd[:, 0]
    parts = np.arange(loop.substeps) / loop.substeps
    for k in range(len(loop.reference)):
        made.q[:, k], made.qd[:, k] = q, qd
        made.tau[:, k] = _torques(loop, loop.reference[k], loop.reference_rate[k], q, qd)
        made.qdd[:, k] = dynamics(q, qd, made.tau[:, k])
        if k + 1 < len(loop.reference):
            for u in parts:
                q, qd = _advanced(dynamics, loop, k, float(u), q, qd)
    return all(np.isfinite(held).all() for held in (made.q, made.qd, made.qdd))


def _advanced(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """One step of Runge and Kutta's fourth order, from part u of the way to the next sample."""
    part = 1 / loop.substeps
    h = part / loop.rate
    x, v = q, qd
    q_sum, qd_sum = np.zeros_like(q), np.zeros_like(qd)
    for at, reach, weight in ((0.0, 0.5, 1.0), (0.5, 0.5, 2.0), (0.5, 1.0, 2.0), (1.0, 0.0, 1.0)):
        r, rd = _reference(loop, sample, u + at * part)
        a = dynamics(x, v, _torques(loop, r, rd, x, v))
        q_sum, qd_sum = q_sum + weight * v, qd_sum + weight * a
        x, v = q + reach * h * v, qd + reach * h * a
    return q + h / 6 * q_sum, qd + h / 6 * qd_sum


def _reference(loop: ControlLoop, sample: int, u: float) -> tuple[Array, Array]:
    """The cubic reference a part u of the way from a sample to the next one, and its rate."""
    h = 1 / loop.rate
    step = loop.reference[sample + 1] - loop.reference[sample]
    begin, end = h * loop.reference_rate[sample], h * loop.reference_rate[sample + 1]
    b, c = 3 * step - 2 * begin - end, begin + end - 2 * step
    r = loop.reference[sample] + u * (begin + u * (b + u * c))
    return r, (begin + u * (2 * b + u * 3 * c)) / h


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
        M, rest = self._parts(q, qd, tau)
        try:
            return np.asarray(np.linalg.solve(M, (tau - rest)[..., None])[..., 0])
        except np.linalg.LinAlgError:
            return np.full_like(q, np.nan)

    def inertia(self, q: Array) -> Array:
        """M, (B, n, n)."""
        return self._parts(q, np.zeros_like(q), np.zeros_like(q))[0]

    def _parts(self, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
        """M, and the torques at rest of accelerations."""
        calls, _, n, _ = self.shape
        self.rates[0] = qd
        A = self.model.parts(
            np.concatenate([q] * calls),
            self.rates.reshape(-1, n),
            self.accelerations.reshape(-1, n),
            np.concatenate([tau] * calls),
        )[1]
        torques = np.matmul(A.reshape(self.shape), self.K[None, :, :, None])[..., 0]
        return np.moveaxis(torques[2:] - torques[1], 0, -1), torques[0]
