"""CLOE: the closed-loop output error; positions alone are measured.

    x = (K, q_s(0), qd_s(0) of each log) = argmin sum over samples of |q - q_s(x)|^2 / sigma_j^2,

q_s the motion of the closed loop with K, by Gauss and Newton's method with Levenberg's damping; the sensitivities of
q_s are central differences, each from two simulations. C = s2 (J'J)^-1. A start that is taken from noisy samples
instead of being sought stays in the motion for as long as the controller takes to forget it.

Where friction turns round the error is a little rough: where no step lessens it, and the next would lessen it by next
to nothing, x counts, and C holds that step. Deviations of positions are no less than what a simulation is good for.

M. Gautier, A. Janot, P.-O. Vandanjon, "A new closed-loop output error method for parameter identification of robot
dynamics", IEEE Trans. Control Systems Technology 21, 2013, section II.C. I.D. Landau, A. Karimi, "An output error
recursive algorithm for unbiased identification in closed loop", Automatica 33, 1997.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from symoro.errors import OptionError, ProgramError
from symoro.identification.control_loop import ControlLoop, loop_of, simulated
from symoro.identification.equations import RowModel
from symoro.identification.log_description import PdController
from symoro.identification.regression import Estimate
from symoro.identification.rows import LogRows
from symoro.identification.simulated_rows import check_model
from symoro.identification.tolerances import (
    CLOE_ITERATIONS,
    CLOE_NEAR,
    CLOE_PROGRESS,
    CLOE_ROUGHNESS,
    CLOE_STEP,
    CLOE_TIME_LIMIT,
    CONVERGED,
    ROUND_OFF,
)
from symoro.progress import Task, task
from symoro.threads import processors

Array = NDArray[np.float64]
SIMULATIONS = 18  # for each unknown, in steps of one sample: sensitivities for steps of 1 and of 1/4
PROBED_SAMPLES = 200  # samples of the short simulation from which the time is estimated


@dataclass(frozen=True, eq=False)
class _Logs:
    """What is compared: the motions of loops with the positions that were measured.

    Attributes:
        size: how many parameters K has; the starts of the loops follow it in x.
    """

    model: RowModel
    loops: Sequence[ControlLoop]
    positions: Sequence[Array]
    size: int

    def start(self, K: Array) -> Array:
        return np.concatenate([K, *(np.concatenate([loop.start, loop.start_rate]) for loop in self.loops)])

    def ways(self, K: Array, deviations: Array) -> Array:
        """Of the differences."""
        own = np.maximum(np.abs(K), np.maximum(deviations, 1e-3 * float(np.abs(K).max())))
        ways = [
            np.concatenate([np.ptp(q, axis=0), _usual(loop)])
            for q, loop in zip(self.positions, self.loops, strict=True)
        ]
        return CLOE_STEP * np.concatenate([own, *ways])

    def offs(self, x: Array) -> Array:
        """(N, n): what was measured less what x gives."""
        return np.concatenate([q - self._moved(k, x[None])[0] for k, q in enumerate(self.positions)])

    def sensitivities(self, x: Array, ways: Array, off: Array | None) -> Array:
        """(N, n, size of x): central differences, or those to one side of where x is off by `off`."""
        parts, first = [], 0
        for k, q in enumerate(self.positions):
            own = np.concatenate([np.arange(self.size), self._places(k)])
            change = np.zeros((len(own), len(x)))
            change[np.arange(len(own)), own] = ways[own]
            if off is None:
                positions = self._moved(k, np.concatenate([x + change, x - change]))
                slopes = (positions[: len(own)] - positions[len(own) :]) / 2
            else:
                slopes = self._moved(k, x + change) - (q - off[first : first + len(q)])
            first += len(q)
            rows = np.zeros((*q.shape, len(x)))
            rows[:, :, own] = np.moveaxis(slopes, 0, -1) / ways[own]
            parts.append(rows)
        return np.concatenate(parts)

    def _places(self, k: int) -> NDArray[np.intp]:
        """Return the position of the start of a loop in x."""
        width = 2 * self.positions[0].shape[1]
        return np.asarray(np.arange(width) + (self.size + width * k))

    def _moved(self, k: int, x: Array) -> Array:
        """(B, N, n): the positions that several x give."""
        start, rate = np.split(x[:, self._places(k)], 2, axis=1)
        return simulated(
            self.model, x[:, : self.size], replace(self.loops[k], start=start, start_rate=rate)
        ).q


def _usual(loop: ControlLoop) -> Array:
    return np.asarray(np.sqrt(np.mean(loop.reference_rate**2, axis=0)))


@dataclass(frozen=True, eq=False)
class _Ended:
    """Where an iteration ended: x, and the sensitivities that led there."""

    estimate: Estimate
    x: Array
    sensitivities: Array


def output_error(
    rows: LogRows,
    start: Estimate,
    controller: PdController | None = None,
    time_limit: float = CLOE_TIME_LIMIT,
) -> Callable[[int], Estimate]:
    """CLOE from an estimate: a function of the steps from sample to sample, which goes on from where the last one was.

    Args:
        time_limit: seconds that it may take, by an estimate from a part of the simulations.

    Raises:
        OptionError: it would take longer.
        ProgramError: the iteration does not settle, or leaves what can be simulated.
    """
    check_model(rows.model)
    _check_time(rows, start, controller, time_limit)
    coarser: list[_Ended] = []

    def solve(steps: int) -> Estimate:
        given = [loop_of(log, controller, rows.preparation.cutoff, steps) for log in rows.logs]
        loops, positions = [item[0] for item in given], [item[1] for item in given]
        logs = _Logs(rows.model, loops, positions, len(start.values))
        with task(f"rounds of CLOE, {steps} to a sample", CLOE_ITERATIONS) as work:
            try:
                ended = _settled(logs, start, coarser[-1] if coarser else None, work)
            except ProgramError:
                if not coarser:
                    raise
                ended = _settled(logs, start, None, work)  # longer steps may have led astray
        coarser.append(ended)
        return ended.estimate

    return solve


def _check_time(rows: LogRows, start: Estimate, controller: PdController | None, time_limit: float) -> None:
    """Reject what would take longer than the limit, by the time of a short piece of one simulation of each log."""
    seconds, unknowns = 0.0, len(start.values)
    for log in rows.logs:
        loop = loop_of(log, controller, rows.preparation.cutoff)[0]
        samples = len(loop.reference)
        tried = min(samples, PROBED_SAMPLES)
        short = replace(loop, reference=loop.reference[:tried], reference_rate=loop.reference_rate[:tried])
        unknowns += 2 * loop.reference.shape[1]
        times = []
        for _ in range(2):  # the first may compile
            began = perf_counter()
            simulated(rows.model, start.values, short)
            times.append(perf_counter() - began)
        seconds += min(times) * samples / tried
    expected = SIMULATIONS * unknowns * seconds / processors()
    if expected > time_limit:
        raise OptionError(
            f"CLOE would take about {expected:.0f} s, more than the time limit of {time_limit:g} s: some "
            f"{SIMULATIONS * unknowns} simulations of {seconds:.2g} s for {unknowns} unknowns, {processors()} at once",
            hint="take method='didim', which simulates once a round, shorten the log, lower its rate, or raise the "
            f"limit by the option 'time_limit', for example to {2 * expected:.0f}",
        )


def _settled(logs: _Logs, start: Estimate, before: _Ended | None, work: Task) -> _Ended:
    """Return the end of an iteration.

    Sensitivities cost two simulations a parameter, a step one. So the way is made by those to one side, and by those of
    longer steps or of a point up to `CLOE_NEAR` deviations away, as long as they progress. The end is decided by
    central differences in the steps themselves: those of longer steps have made deviations half as large.
    """
    x = logs.start(start.values) if before is None else before.x
    J, at, exact = (None if before is None else before.sensitivities), x, False
    ways = logs.ways(start.values, start.deviations)
    damping, off, last = 0.0, logs.offs(x), np.inf
    least = ROUND_OFF * np.max([np.ptp(q, axis=0) for q in logs.positions], axis=0)
    for rounds in range(1, CLOE_ITERATIONS + 1):
        work.to(rounds - 1)
        fresh = J is None
        if J is None:
            exact = last < CLOE_NEAR
            J, at = logs.sensitivities(x, ways, None if exact else off), x
        sigma = np.maximum(np.sqrt(np.mean(off**2, axis=0)), least)
        normal, slope = _normal(J, off, sigma)
        change, covariance = _step(normal, slope, damping)
        covariance = covariance * max(float(np.sum((off / sigma) ** 2)) / (off.size - len(x)), 1.0)
        deviations = np.sqrt(np.diag(covariance))
        size, away = (float(np.max(np.abs(d) / deviations)) for d in (change, x - at))
        stale = not fresh and (away > CLOE_NEAR or size > CLOE_PROGRESS * last)
        last = size
        if stale or (size < CLOE_NEAR and not exact):
            J = None
            continue
        estimate = _estimate(start, x, covariance, off.size - len(x), rounds)
        if size < CONVERGED:
            return _Ended(estimate, x, J)
        try:
            moved = _moved(logs, x, change, normal, slope, sigma, off)
        except ProgramError:
            if fresh and exact:
                raise
            J, last = None, 0.0
            continue
        if moved is not None:
            x, off, damping = moved
        elif fresh and exact:
            return _Ended(estimate.wider(change[: len(start.values)]), x, J)
        else:
            J, last = None, 0.0
    raise ProgramError(
        f"CLOE did not settle in {CLOE_ITERATIONS} rounds", hint="start nearer, from IDIM-IV or DIDIM"
    )


def _estimate(start: Estimate, x: Array, covariance: Array, freedom: int, rounds: int) -> Estimate:
    P = len(start.values)
    return Estimate("CLOE", start.names, x[:P], covariance[:P, :P], start.sigma, freedom, rounds)


def _normal(J: Array, off: Array, sigma: Array) -> tuple[Array, Array]:
    rows = (J / sigma[None, :, None]).reshape(-1, J.shape[2])
    return rows.T @ rows, rows.T @ (off / sigma).ravel()


def _step(normal: Array, slope: Array, damping: float) -> tuple[Array, Array]:
    scale = np.sqrt(np.diag(normal))
    scaled = normal / np.outer(scale, scale) + damping * np.eye(len(scale))
    change = np.linalg.solve(scaled, slope / scale) / scale
    return change, np.linalg.inv(normal / np.outer(scale, scale)) / np.outer(scale, scale)


def _moved(
    logs: _Logs, x: Array, change: Array, normal: Array, slope: Array, sigma: Array, off: Array
) -> tuple[Array, Array, float] | None:
    """The next x: Newton's step, shortened by damping until the error does not grow; None where there is none left.

    Raises:
        ProgramError: no step lessens the error, though there is much of it to lessen.
    """
    worth = float(slope @ change)  # by which the whole step would lessen the error
    before, damping = float(np.sum((off / sigma) ** 2)), 0.0
    for _ in range(12):
        try:
            new = logs.offs(x + change)
            if float(np.sum((new / sigma) ** 2)) <= before * (1 + 1e-9):
                return x + change, new, damping
        except ProgramError:
            pass
        damping = max(10 * damping, 1e-4)
        change, _ = _step(normal, slope, damping)
    if worth < CLOE_ROUGHNESS * max(before, off.size):
        return None
    raise ProgramError(
        "CLOE found no step that lessens the error", hint="start nearer, from IDIM-IV or DIDIM"
    )
