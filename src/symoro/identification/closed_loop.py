"""The closed loop simulated for parameters K, several of them at once.

    tau = kp (r - q) + kd (rd - qd),       M(q) qdd = tau - T(q, qd, 0),       T(q, qd, qdd) = W K + t

t are the torques of what is known, a payload or wrenches (`known_torques`). M comes from the same: column i is
T(q, 0, e_i) - T(q, 0, 0). So one compiled function serves every K, with
all the columns that the data are explained by, friction and coupled motors among them. Fixed steps of Runge and Kutta's
fourth order; many short ones where a joint may turn back or stands, since dry friction jumps there. Where there is a
compiler the loop runs in C (`closed_loop_native`), with the direct dynamic model where that has all the columns, and
several K at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.identification.closed_loop_native import direct_dynamics, driver, simulate
from symoro.identification.control_loop import ControlLoop
from symoro.identification.equations import RowModel
from symoro.progress import each
from symoro.threads import processors

Array = NDArray[np.float64]


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
        direct = direct_dynamics(model)
        motions = list(zip(many, made.q, made.qd, made.qdd, made.tau, strict=True))

        def finite_samples(motion: Sequence[Array]) -> int:
            values, *rows = motion
            return simulate(run, model, direct, values, loop, rows)

        finite = all(count == samples for count in _in_parallel(finite_samples, motions))
    if not finite:
        raise ProgramError(
            "the simulated loop does not stay finite for these parameters",
            hint="start from parameters that bodies can have, and check the gains",
        )
    return made


def _in_parallel(work: Callable[[Sequence[Array]], int], motions: Sequence[Sequence[Array]]) -> Iterator[int]:
    """Yield the results in their order; work in C lets other threads run."""
    title = "simulating the closed loop"
    if processors() == 1 or len(motions) == 1:
        yield from map(work, each(motions, title))
        return
    with ThreadPoolExecutor(processors()) as pool:
        waiting = [pool.submit(work, motion) for motion in motions]
        try:
            for one in each(waiting, title):
                yield one.result()
        finally:
            for one in waiting:
                one.cancel()


def _in_numpy(model: RowModel, K: Array, loop: ControlLoop, made: Simulated) -> bool:
    """The motions of all K side by side, from the first row on; whether they stay finite."""
    dynamics = _Dynamics(model, K)
    q, qd = made.q[:, 0], made.qd[:, 0]
    for k in range(len(loop.reference)):
        made.q[:, k], made.qd[:, k] = q, qd
        made.tau[:, k] = _torques(loop, loop.reference[k], loop.reference_rate[k], q, qd)
        made.qdd[:, k] = dynamics(q, qd, made.tau[:, k])
        if k + 1 < len(loop.reference):
            q, qd = _next(dynamics, loop, k, q, qd)
    return all(np.isfinite(held).all() for held in (made.q, made.qd, made.qdd))


def _next(dynamics: _Dynamics, loop: ControlLoop, sample: int, q: Array, qd: Array) -> tuple[Array, Array]:
    """The state at the next sample."""
    part = 1 / loop.steps
    for k in range(loop.steps):
        q, qd = _step(dynamics, loop, sample, part * k, part, q, qd)
    return q, qd


def _step(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, part: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """A part of the way to the next sample, in short steps for the robots of which a joint may turn back."""
    x, v = _advanced(dynamics, loop, sample, u, part, q, qd)
    turns = (np.minimum(np.abs(qd), np.abs(v)) < np.abs(v - qd)).any(axis=1, keepdims=True)
    if not turns.any():
        return x, v
    part, y, w = part / loop.parts, q, qd
    for k in range(loop.parts):
        y, w = _advanced(dynamics, loop, sample, u + part * k, part, y, w)
    return np.where(turns, y, x), np.where(turns, w, v)


def _advanced(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, part: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """One step of Runge and Kutta's fourth order, from part u of the way to the next sample."""
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
        calls, _, n, _ = self.shape
        self.rates[0] = qd
        given = np.concatenate([tau] * calls)
        _, A, y = self.model.parts(
            np.concatenate([q] * calls), self.rates.reshape(-1, n), self.accelerations.reshape(-1, n), given
        )
        torques = np.matmul(A.reshape(self.shape), self.K[None, :, :, None])[..., 0]
        torques += (given - y).reshape(torques.shape)  # what is known
        M = np.moveaxis(torques[2:] - torques[1], 0, -1)
        try:
            return np.asarray(np.linalg.solve(M, (tau - torques[0])[..., None])[..., 0])
        except np.linalg.LinAlgError:
            return np.full_like(q, np.nan)
