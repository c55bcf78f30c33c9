"""CLOE: the closed-loop output error; positions alone are measured.

    K = argmin sum over samples of |q - q_s(K)|^2 / sigma_j^2,       q_s the motion of the closed loop with K

by Gauss and Newton's method with Levenberg's damping; the sensitivities of q_s are central differences, all in one
simulation of 2 P robots side by side. C = s2 (J'J)^-1. The first twentieth of a log, in which the start is forgotten,
does not count.

M. Gautier, A. Janot, P.-O. Vandanjon, "A new closed-loop output error method for parameter identification of robot
dynamics", IEEE Trans. Control Systems Technology 21, 2013, section II.C. I.D. Landau, A. Karimi, "An output error
recursive algorithm for unbiased identification in closed loop", Automatica 33, 1997.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.estimation.closed_loop import refined, simulated
from symoro.estimation.control_loop import ControlLoop, loop_of
from symoro.estimation.description import PdController
from symoro.estimation.equations import RowModel
from symoro.estimation.estimate import Estimate
from symoro.estimation.rows import LogRows
from symoro.estimation.simulation_rows import SETTLED, check_model

Array = NDArray[np.float64]
ROUNDS = 40
FORGETTING = 20
STEP = 1e-4  # of a parameter's own size


def output_error(rows: LogRows, start: Estimate, controller: PdController | None = None) -> Estimate:
    """CLOE from an estimate.

    Raises:
        ProgramError: the iteration does not settle, or leaves what can be simulated.
    """
    check_model(rows.model)
    given = [loop_of(log, controller, rows.preparation.cutoff) for log in rows.logs]
    loops = [refined(rows.model, start.values, item[0]) for item in given]
    positions = [item[1] for item in given]
    K = start.values
    steps = STEP * np.maximum(np.abs(K), np.maximum(start.deviations, 1e-3 * float(np.abs(K).max())))
    damping, sigma = 0.0, np.ones(positions[0].shape[1])
    off = _offs(rows.model, K, loops, positions)
    for rounds in range(1, ROUNDS + 1):
        sigma = np.sqrt(np.mean(off**2, axis=0))
        J = _sensitivities(rows.model, K, steps, loops)
        normal, slope = _normal(J, off, sigma)
        change, covariance = _step(normal, slope, damping)
        freedom = off.size - len(K)
        s2 = float(np.sum((off / sigma) ** 2)) / freedom
        if np.max(np.abs(change) / np.sqrt(s2 * np.diag(covariance))) < SETTLED:
            return Estimate("CLOE", start.names, K, s2 * covariance, start.sigma, freedom, rounds)
        K, off, damping = _moved(rows.model, K, change, normal, slope, sigma, loops, positions, off)
    raise ProgramError(f"CLOE did not settle in {ROUNDS} rounds", hint="start nearer, from IDIM-IV or DIDIM")


def _kept(array: Array) -> Array:
    """Without the first twentieth of the samples, which are the axis before the last."""
    return array[..., array.shape[-2] // FORGETTING :, :]


def _offs(model: RowModel, K: Array, loops: Sequence[ControlLoop], positions: Sequence[Array]) -> Array:
    parts = [_kept(q - simulated(model, K, loop).q[0]) for loop, q in zip(loops, positions, strict=True)]
    return np.concatenate(parts)


def _sensitivities(model: RowModel, K: Array, steps: Array, loops: Sequence[ControlLoop]) -> Array:
    """(N, n, P)."""
    moved = np.concatenate([K + np.diag(steps), K - np.diag(steps)])
    parts = []
    for loop in loops:
        q = _kept(simulated(model, moved, loop).q)
        half = len(K)
        parts.append(np.moveaxis((q[:half] - q[half:]) / (2 * steps[:, None, None]), 0, -1))
    return np.concatenate(parts)


def _normal(J: Array, off: Array, sigma: Array) -> tuple[Array, Array]:
    rows = (J / sigma[None, :, None]).reshape(-1, J.shape[2])
    return rows.T @ rows, rows.T @ (off / sigma).ravel()


def _step(normal: Array, slope: Array, damping: float) -> tuple[Array, Array]:
    scale = np.sqrt(np.diag(normal))
    scaled = normal / np.outer(scale, scale) + damping * np.eye(len(scale))
    change = np.linalg.solve(scaled, slope / scale) / scale
    return change, np.linalg.inv(normal / np.outer(scale, scale)) / np.outer(scale, scale)


def _moved(
    model: RowModel,
    K: Array,
    change: Array,
    normal: Array,
    slope: Array,
    sigma: Array,
    loops: Sequence[ControlLoop],
    positions: Sequence[Array],
    off: Array,
) -> tuple[Array, Array, float]:
    """The next parameters: Newton's step, shortened by damping until the error does not grow."""
    before, damping = float(np.sum((off / sigma) ** 2)), 0.0
    for _ in range(12):
        try:
            new = _offs(model, K + change, loops, positions)
            if float(np.sum((new / sigma) ** 2)) <= before * (1 + 1e-9):
                return K + change, new, damping
        except ProgramError:
            pass
        damping = max(10 * damping, 1e-4)
        change, _ = _step(normal, slope, damping)
    raise ProgramError(
        "CLOE found no step that lessens the error", hint="start nearer, from IDIM-IV or DIDIM"
    )
