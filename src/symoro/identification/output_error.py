"""CLOE (closed-loop output error): only positions are measured.

    x = (K, q_s(0), qd_s(0) of each log) = argmin sum over samples of |q - q_s(x)|^2 / sigma_j^2,

where q_s is the simulated motion of the closed loop with K. The method is Gauss-Newton with Levenberg damping; the
sensitivities of q_s are central differences, each from two simulations. C = s2 (J'J)^-1. The initial state is estimated
too: an error of an initial state from noisy samples would persist for the settling time of the controller.

Where friction changes its sign the error is not smooth. If no step reduces it and the predicted reduction is
negligible, x is accepted, and C includes that step. Deviations of positions are at least the accuracy of the
simulation.

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
SIMULATIONS = (
    18  # simulations per unknown, with one step per sample: sensitivities for steps of 1 and 1/4 sample
)
PROBED_SAMPLES = 200  # samples of the short simulation from which the computing time is predicted


@dataclass(frozen=True, eq=False)
class _Logs:
    """Output-error problem: measured positions of all logs, and simulations of their control loops.

    The vector x of unknowns contains the parameters K, then the initial state of each control loop.

    Attributes:
        model: identification model of the robot.
        loops: the control loops, one per log.
        positions: measured positions (N, n) of each log.
        size: number of parameters K.
    """

    model: RowModel
    loops: Sequence[ControlLoop]
    positions: Sequence[Array]
    size: int

    def start(self, K: Array) -> Array:
        return np.concatenate([K, *(np.concatenate([loop.start, loop.start_rate]) for loop in self.loops)])

    def increments(self, K: Array, deviations: Array) -> Array:
        """Return the increments of the unknowns for finite differences, one per unknown.

        Args:
            K: parameters.
            deviations: standard deviations of the parameters.
        """
        own = np.maximum(np.abs(K), np.maximum(deviations, 1e-3 * float(np.abs(K).max())))
        increments = [
            np.concatenate([np.ptp(q, axis=0), _usual(loop)])
            for q, loop in zip(self.positions, self.loops, strict=True)
        ]
        return CLOE_STEP * np.concatenate([own, *increments])

    def position_errors(self, x: Array) -> Array:
        """Return the measured minus the simulated positions (N, n) of all logs for the unknowns x."""
        return np.concatenate(
            [q - self._simulated_positions(k, x[None])[0] for k, q in enumerate(self.positions)]
        )

    def sensitivities(self, x: Array, increments: Array, off: Array | None) -> Array:
        """Return the derivatives of the simulated positions with respect to the unknowns x, (N, n, size of x).

        Args:
            x: the unknowns.
            increments: increment of each unknown for the finite differences.
            off: position errors at x, for one-sided differences; None for central differences.
        """
        parts, first = [], 0
        for k, q in enumerate(self.positions):
            own = np.concatenate([np.arange(self.size), self._state_indices(k)])
            change = np.zeros((len(own), len(x)))
            change[np.arange(len(own)), own] = increments[own]
            if off is None:
                positions = self._simulated_positions(k, np.concatenate([x + change, x - change]))
                slopes = (positions[: len(own)] - positions[len(own) :]) / 2
            else:
                slopes = self._simulated_positions(k, x + change) - (q - off[first : first + len(q)])
            first += len(q)
            rows = np.zeros((*q.shape, len(x)))
            rows[:, :, own] = np.moveaxis(slopes, 0, -1) / increments[own]
            parts.append(rows)
        return np.concatenate(parts)

    def _state_indices(self, k: int) -> NDArray[np.intp]:
        """Return the indices in x of the initial state of control loop k."""
        width = 2 * self.positions[0].shape[1]
        return np.asarray(np.arange(width) + (self.size + width * k))

    def _simulated_positions(self, k: int, x: Array) -> Array:
        """Return the simulated positions (B, N, n) of control loop k for B vectors of unknowns x (B, size of x)."""
        start, rate = np.split(x[:, self._state_indices(k)], 2, axis=1)
        return simulated(
            self.model, x[:, : self.size], replace(self.loops[k], start=start, start_rate=rate)
        ).q


def _usual(loop: ControlLoop) -> Array:
    return np.asarray(np.sqrt(np.mean(loop.reference_rate**2, axis=0)))


@dataclass(frozen=True, eq=False)
class _IterationResult:
    """Result of the Gauss-Newton iteration: estimate, unknowns x, and the last sensitivities."""

    estimate: Estimate
    x: Array
    sensitivities: Array


def output_error(
    rows: LogRows,
    start: Estimate,
    controller: PdController | None = None,
    time_limit: float = CLOE_TIME_LIMIT,
) -> Callable[[int], Estimate]:
    """Return a function that estimates the parameters by CLOE (closed-loop output error).

    The argument of the returned function is the number of integration steps per sample. Each call starts from the
    result of the previous call.

    Args:
        rows: regression rows of the logs.
        start: initial estimate.
        controller: gains of the joint controllers; by default those of the log descriptions.
        time_limit: largest computing time in seconds; the time is predicted from short simulations.

    Raises:
        OptionError: the predicted time exceeds the limit.
        ProgramError: the iteration does not converge, or the robot cannot be simulated with its parameters.
    """
    check_model(rows.model)
    _check_time(rows, start, controller, time_limit)
    coarser: list[_IterationResult] = []

    def solve(steps: int) -> Estimate:
        given = [loop_of(log, controller, rows.preparation.cutoff, steps) for log in rows.logs]
        loops, positions = [item[0] for item in given], [item[1] for item in given]
        logs = _Logs(rows.model, loops, positions, len(start.values))
        with task(f"iterations of CLOE, {steps} steps per sample", CLOE_ITERATIONS) as work:
            try:
                ended = _converged(logs, start, coarser[-1] if coarser else None, work)
            except ProgramError:
                if not coarser:
                    raise
                ended = _converged(logs, start, None, work)  # the result of longer steps may be a bad start
        coarser.append(ended)
        return ended.estimate

    return solve


def _check_time(rows: LogRows, start: Estimate, controller: PdController | None, time_limit: float) -> None:
    """Check that the predicted computing time does not exceed the time limit.

    The time is predicted from a short simulation of each log.

    Args:
        rows: regression rows of the logs.
        start: initial estimate.
        controller: gains of the joint controllers; by default those of the log descriptions.
        time_limit: the limit in seconds.

    Raises:
        OptionError: the predicted time exceeds the limit.
    """
    seconds, unknowns = 0.0, len(start.values)
    for log in rows.logs:
        loop = loop_of(log, controller, rows.preparation.cutoff)[0]
        samples = len(loop.reference)
        tried = min(samples, PROBED_SAMPLES)
        short = replace(loop, reference=loop.reference[:tried], reference_rate=loop.reference_rate[:tried])
        unknowns += 2 * loop.reference.shape[1]
        times = []
        for _ in range(2):  # the first simulation may include compilation
            began = perf_counter()
            simulated(rows.model, start.values, short)
            times.append(perf_counter() - began)
        seconds += min(times) * samples / tried
    expected = SIMULATIONS * unknowns * seconds / processors()
    if expected > time_limit:
        raise OptionError(
            f"CLOE would take about {expected:.0f} s, more than the time limit of {time_limit:g} s: about "
            f"{SIMULATIONS * unknowns} simulations of {seconds:.2g} s for {unknowns} unknowns, {processors()} at "
            "once",
            hint="use method='didim', which needs one simulation per iteration; or shorten the log, lower its rate, or "
            f"increase the option 'time_limit', for example to {2 * expected:.0f}",
        )


def _converged(logs: _Logs, start: Estimate, before: _IterationResult | None, work: Task) -> _IterationResult:
    """Iterate by Gauss-Newton steps until convergence and return the result.

    Central differences require two simulations per unknown, while a Gauss-Newton step requires only one simulation in
    all. To save simulations, the iteration first uses one-sided differences. It also reuses sensitivities that were
    computed with longer integration steps, or at a point up to `CLOE_NEAR` standard deviations away, as long as the
    output error decreases. Convergence is decided with central differences at the final integration step, because
    sensitivities of longer steps can give standard deviations that are half as large.

    Args:
        logs: the output-error problem.
        start: initial estimate.
        before: result with longer integration steps, or None.
        work: progress display.
    """
    x = logs.start(start.values) if before is None else before.x
    J, at, exact = (None if before is None else before.sensitivities), x, False
    increments = logs.increments(start.values, start.deviations)
    damping, off, last = 0.0, logs.position_errors(x), np.inf
    least = ROUND_OFF * np.max([np.ptp(q, axis=0) for q in logs.positions], axis=0)
    for rounds in range(1, CLOE_ITERATIONS + 1):
        work.to(rounds - 1)
        fresh = J is None
        if J is None:
            exact = last < CLOE_NEAR
            J, at = logs.sensitivities(x, increments, None if exact else off), x
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
            return _IterationResult(estimate, x, J)
        try:
            moved = _damped_step(logs, x, change, normal, slope, sigma, off)
        except ProgramError:
            if fresh and exact:
                raise
            J, last = None, 0.0
            continue
        if moved is not None:
            x, off, damping = moved
        elif fresh and exact:
            return _IterationResult(estimate.wider(change[: len(start.values)]), x, J)
        else:
            J, last = None, 0.0
    raise ProgramError(
        f"CLOE did not converge in {CLOE_ITERATIONS} iterations",
        hint="use a better start, such as the result of IDIM-IV or DIDIM",
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


def _damped_step(
    logs: _Logs, x: Array, change: Array, normal: Array, slope: Array, sigma: Array, off: Array
) -> tuple[Array, Array, float] | None:
    """Take a Gauss-Newton step, damped until the output error does not grow.

    Args:
        logs: the output-error problem.
        x: unknowns.
        change: undamped step.
        normal, slope: normal matrix J'J and gradient of the weighted output error.
        sigma: standard deviation of the positions of each joint.
        off: position errors at x.

    Returns:
        The next x, its position errors, and the damping that was used. None if no step reduces the error and the
        predicted reduction is negligible.

    Raises:
        ProgramError: no step reduces the error although the predicted reduction is large.
    """
    worth = float(slope @ change)  # predicted reduction of the cost by the full step
    before, damping = float(np.sum((off / sigma) ** 2)), 0.0
    for _ in range(12):
        try:
            new = logs.position_errors(x + change)
            if float(np.sum((new / sigma) ** 2)) <= before * (1 + 1e-9):
                return x + change, new, damping
        except ProgramError:
            pass
        damping = max(10 * damping, 1e-4)
        change, _ = _step(normal, slope, damping)
    if worth < CLOE_ROUGHNESS * max(before, off.size):
        return None
    raise ProgramError(
        "CLOE did not converge: no step reduces the output error",
        hint="use a better start, such as the result of IDIM-IV or DIDIM",
    )
