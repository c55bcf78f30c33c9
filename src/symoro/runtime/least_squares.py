"""Damped least squares from several starts, within limits: the numeric inverse geometry in NumPy.

`least_squares.c` contains the same algorithm for one pose after the other; here all poses are processed together.

    x  = J'(J J' + lambda I)^-1 e,   lambda = damping * min(e'e / 2, 10)   Levenberg-Marquardt in Sugihara's form
    q <- q + x                       clipped to the limits

where e is the error of the pose and J its Jacobian. Lengths are in units of the robot's size (the spread of the frame's
positions), angles in radians. The damping vanishes with the error, so that the final convergence is quadratic, and x
remains bounded where J loses rank. A joint at a limit that would exceed it is excluded from the step.

A start is abandoned if its cost has not decreased by `patience` in four steps. The next start is the one whose frame
is nearest to the pose in a precomputed table of random postures: near starts require few steps. If no start reaches
the pose, the best one is continued to the nearest reachable pose, with more damping after each step that fails.

With a preferred posture, a solution is moved along the self-motion: each step is the projection of the difference to
the preferred posture on the null space of J, corrected to the pose, and accepted if it decreases the difference.

T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method", IEEE Transactions on
Robotics 27(5), 2011; S. K. Chan, P. D. Lawrence, "General inverse kinematics with the error damped pseudoinverse",
ICRA 1988; A. Liegeois, "Automatic supervisory control of the configuration and behavior of multibody mechanisms", IEEE
Transactions on Systems, Man and Cybernetics 7(12), 1977.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.emit.kernels import kernel_text
from symoro.models.geometric.inverse.error import PoseError
from symoro.runtime.compiler import library

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TURN = 2 * np.pi
FLOOR = 1e-15  # least damping relative to the trace, so that singular systems can be solved
MOST_COST = 10.0  # cost above which the damping is constant
CHECK = 4  # number of steps after which a start must have made progress
LEAST_PART, SETTLED = 1e-3, 1e-9
LAST_STEPS = 100  # largest number of steps if no start reached the pose


@dataclass(frozen=True, eq=False)
class PoseProblem:
    """Data of the inverse geometry that all poses have in common.

    There are n joints, m rows of the pose error, E given entries of the pose, and S initial postures (starts).

    Attributes:
        evaluate: function of (q, T), with one row per pose, that returns the outputs of the pose error.
        lower, upper: joint limits, infinite if there are none.
        wraps: whether adding 2 pi to a joint has no effect.
        columns: unit of each joint: 1, a length for a prismatic one, 0 for a locked one.
        rows: weight of each row of the error.
        entries: position of each given entry among the sixteen of T.
        weights: weight of each given entry in the distance between poses.
        scales: factor of each given entry in the residual: 1, or 1 / size of the robot for a position.
        starts, placed: (S, n) initial postures, and (S, E) the given entries of their poses.
        iterations, attempts: largest number of steps from one start, largest number of starts.
    """

    evaluate: Callable[[Array, Array], Mapping[str, Array]]
    lower: Array
    upper: Array
    wraps: Mask
    columns: Array
    rows: Array
    entries: NDArray[np.int64]
    weights: Array
    scales: Array
    starts: Array
    placed: Array
    damping: float
    patience: float
    tolerance: float
    iterations: int
    attempts: int


@dataclass(frozen=True, eq=False)
class PoseSolutions:
    """Solutions of the inverse geometry, with one row per pose.

    Attributes:
        q: final posture of the iteration with the smallest residual.
        reached: whether this posture reaches the pose within the tolerance.
        residual: largest scaled entry of T(q) - T.
        steps, attempts: total number of steps, number of initial postures that were tried.
    """

    q: Array
    reached: Mask
    residual: Array
    steps: Array
    attempts: Array


Solve = Callable[[Array, Array, Array | None, Array | None], PoseSolutions]  # T, held, first, prefer


@dataclass(frozen=True, eq=False)
class _State:
    e: Array
    J: Array
    cost: Array
    residual: Array

    def at(self, rows: Mask) -> _State:
        return _State(self.e[rows], self.J[rows], self.cost[rows], self.residual[rows])


def wrapped(angle: Array) -> Array:
    """Return angles (rad) in (-pi, pi], with multiples of 2 pi removed."""
    return angle - TURN * np.ceil(angle / TURN - 0.5)


def solve(p: PoseProblem, T: Array, held: Array, first: Array | None, prefer: Array | None) -> PoseSolutions:
    """Solve the inverse geometry for poses T (N, 4, 4) in NumPy.

    Args:
        held: postures (one row per pose) with the positions of joints that do not move.
        first: initial postures, one row per pose; None to start from the table.
        prefer: preferred postures, one row per pose, or None.
    """
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # poses at 1e200 are out of reach and must not stop the others
        return _solved(p, T, held, first, prefer)


def _solved(
    p: PoseProblem, T: Array, held: Array, first: Array | None, prefer: Array | None
) -> PoseSolutions:
    count, n = len(T), len(p.lower)
    order = np.argsort(_distances(p, T), axis=1, kind="stable")
    q, residual = np.full((count, n), np.nan), np.full(count, np.inf)
    reached, steps, attempts = np.zeros(count, dtype=bool), np.zeros(count), np.zeros(count)
    own = 0 if first is None else 1
    for attempt in range(min(p.attempts, len(p.starts) + own)):
        rows = np.flatnonzero(~reached)
        if not len(rows):
            break
        if first is not None and attempt == 0:
            start = first[rows]
        else:
            start = p.starts[order[rows, attempt - own]]
        trial = np.where(p.columns == 0, held[rows], start)
        trial, there, left, taken = _descend(p, trial, T[rows])
        if prefer is not None and there.any():
            slid, left[there], more = _slide(
                p, trial[there], T[rows[there]], prefer[rows[there]], left[there]
            )
            trial[there] = slid
            taken[there] += more
        attempts[rows] += 1
        steps[rows] += taken
        better = there | (left < residual[rows])
        q[rows[better]], residual[rows[better]] = trial[better], left[better]
        reached[rows] = there
    rows = np.flatnonzero(~reached & np.isfinite(residual))
    if len(rows):
        q[rows], residual[rows], more = _approach(p, q[rows], T[rows])
        steps[rows] += more
        reached[rows] = residual[rows] <= p.tolerance
    return PoseSolutions(q, reached, residual, steps, attempts)


def _distances(p: PoseProblem, T: Array) -> Array:
    """Return the squared distances (N, S) between N poses and the poses of the S initial postures."""
    goals = T.reshape(-1, 16)[:, p.entries]
    far = np.zeros((len(T), len(p.starts)))
    for k, weight in enumerate(p.weights):
        far += weight * (p.placed[:, k] - goals[:, k, None]) ** 2
    return far


def _evaluated(p: PoseProblem, q: Array, T: Array) -> _State:
    """Return pose error, Jacobian, cost and residual of postures q for poses T, one row per pose.

    Error and Jacobian are in the units of the problem; the residual is the largest scaled entry of T(q) - T.
    """
    outputs = p.evaluate(q, T)
    e = outputs["error"] * p.rows
    J = outputs["J"] * p.rows[:, None] * p.columns
    residual = (p.scales * np.abs(outputs["placed"] - T.reshape(-1, 16)[:, p.entries])).max(axis=1)
    return _State(e, J, 0.5 * (e * e).sum(axis=1), residual)


def _damped(J: Array, e: Array, damping: Array) -> Array:
    """Return the damped step J'(J J' + lambda I)^-1 e = (J'J + lambda I)^-1 J'e, from the smaller system."""
    turned = J.transpose(0, 2, 1)
    wide = J.shape[1] < J.shape[2]
    A = J @ turned if wide else turned @ J
    diagonal = np.arange(A.shape[1])
    damping = damping + FLOOR * np.trace(A, axis1=1, axis2=2) + 1e-300
    A[:, diagonal, diagonal] += damping[:, None]
    column = e[..., None]
    x = turned @ np.linalg.solve(A, column) if wide else np.linalg.solve(A, turned @ column)
    return np.asarray(x[..., 0], dtype=float)


def _damping_of(p: PoseProblem, cost: Array) -> Array:
    """Return the damping factor lambda for a cost e'e / 2.

    It is limited, because otherwise distant poses would lead to very small steps.
    """
    return p.damping * np.minimum(cost, MOST_COST)


def _advance(p: PoseProblem, q: Array, s: _State, damping: Array, pull: Array) -> Array:
    """Return the postures after one damped step, within the joint limits.

    The step is pull + damped(e - J pull). A joint at a limit that would exceed it is excluded from the step.

    Args:
        q: postures, one row per pose.
        s: pose errors and Jacobians at q.
        pull: step toward a preferred posture; zero if there is none.
    """
    J, pull = s.J.copy(), pull.copy()
    x = np.zeros_like(q)
    rows = np.arange(len(q))
    for _ in range(q.shape[1] + 1):
        e = s.e[rows] - (J[rows] @ pull[rows][..., None])[..., 0]
        x[rows] = _damped(J[rows], e, damping[rows]) + pull[rows]
        blocked = ((q <= p.lower) & (x < 0)) | ((q >= p.upper) & (x > 0))
        J.transpose(0, 2, 1)[blocked] = 0
        pull[blocked] = x[blocked] = 0
        rows = np.flatnonzero(blocked.any(axis=1))
        if not len(rows):
            break
    return np.clip(q + p.columns * x, p.lower, p.upper)


def _descend(p: PoseProblem, start: Array, T: Array) -> tuple[Array, Mask, Array, Array]:
    """Iterate from the postures `start` until each pose is reached or its cost no longer decreases.

    Returns:
        Postures, whether they reach the poses, residuals, and numbers of steps, one row per pose.
    """
    q = start.copy()
    reached, steps = np.zeros(len(q), dtype=bool), np.zeros(len(q))
    residual, mark = np.full(len(q), np.inf), np.full(len(q), np.inf)
    rows = np.arange(len(q))
    for i in range(p.iterations + 1):
        s = _evaluated(p, q[rows], T[rows])
        residual[rows] = s.residual
        there = s.residual <= p.tolerance
        _finish(p, rows[there], s.at(there), q, T, reached, residual)
        going = ~there & (s.cost < np.inf)
        if i % CHECK == CHECK - 1:
            going &= s.cost < p.patience * mark[rows]
            mark[rows] = s.cost
        rows = rows[going]
        if not len(rows) or i == p.iterations:
            break
        s = s.at(going)
        steps[rows] += 1
        q[rows] = _advance(p, q[rows], s, _damping_of(p, s.cost), np.zeros((len(rows), q.shape[1])))
    return q, reached, residual, steps


def _finish(
    p: PoseProblem, rows: NDArray[np.int64], s: _State, q: Array, T: Array, reached: Mask, residual: Array
) -> None:
    """Apply a last step to the postures that reached their poses, and remove multiples of 2 pi from angles.

    The step is accepted where it reduces the residual. `q`, `reached` and `residual` are changed in place.

    Args:
        rows: numbers of the poses that were reached.
        s: pose errors and Jacobians of these rows.
    """
    if not len(rows):
        return
    before = q[rows]
    polished = _advance(p, before, s, _damping_of(p, s.cost), np.zeros_like(before))
    polished, before = (np.where(p.wraps, wrapped(x), x) for x in (polished, before))
    after, plain = (_evaluated(p, x, T[rows]).residual for x in (polished, before))
    better = after <= s.residual
    q[rows] = np.where(better[:, None], polished, before)
    residual[rows] = np.where(better, after, plain)
    reached[rows] = residual[rows] <= p.tolerance


def _approach(p: PoseProblem, q: Array, T: Array) -> tuple[Array, Array, Array]:
    """Iterate from q to the postures whose poses are nearest to unreachable poses T.

    The damping is increased after each step that fails.

    Returns:
        Postures, residuals, and numbers of steps, one row per pose.
    """
    q, steps = q.copy(), np.zeros(len(q))
    s = _evaluated(p, q, T)
    residual, damping = s.residual, _damping_of(p, s.cost)
    rows = np.arange(len(q))
    for _ in range(LAST_STEPS):
        s = _evaluated(p, q[rows], T[rows])
        trial = _advance(p, q[rows], s, damping[rows], np.zeros((len(rows), q.shape[1])))
        after = _evaluated(p, trial, T[rows])
        steps[rows] += 1
        better = after.cost < s.cost
        settled = better & (s.cost - after.cost <= SETTLED * s.cost)
        good = rows[better]
        q[good], residual[good] = trial[better], after.residual[better]
        damping[rows] = np.where(better, damping[rows] / 3, damping[rows] * 4)
        rows = rows[~settled]
        if not len(rows):
            break
    return q, residual, steps


def _toward_preferred(p: PoseProblem, q: Array, prefer: Array) -> Array:
    """Return prefer - q in the units of the joints, with angles in (-pi, pi]; zero for locked joints."""
    d = prefer - q
    d = np.where(p.wraps, wrapped(d), d)
    return np.where(p.columns == 0, 0.0, d / np.where(p.columns == 0, 1.0, p.columns))


def _slide(p: PoseProblem, q: Array, T: Array, prefer: Array, residual: Array) -> tuple[Array, Array, Array]:
    """Move solutions along their self-motion toward the preferred postures.

    Returns:
        Postures that reach the same poses, their residuals, and numbers of steps, one row per pose.
    """
    q, residual = q.copy(), residual.copy()
    steps, part = np.zeros(len(q)), np.ones(len(q))
    length = (_toward_preferred(p, q, prefer) ** 2).sum(axis=1)
    rows = np.arange(len(q))
    for _ in range(p.iterations):
        pull = _toward_preferred(p, q[rows], prefer[rows]) * part[rows, None]
        trial = _advance(p, q[rows], _evaluated(p, q[rows], T[rows]), np.zeros(len(rows)), pull)
        trial, there, left, taken = _descend(p, trial, T[rows])
        steps[rows] += taken
        now = (_toward_preferred(p, trial, prefer[rows]) ** 2).sum(axis=1)
        kept = there & (now < length[rows])
        settled = kept & (length[rows] - now <= SETTLED * length[rows])
        good = rows[kept]
        q[good], residual[good], length[good] = trial[kept], left[kept], now[kept]
        part[rows] = np.where(kept, np.where(part[rows] < 0.5, 2 * part[rows], 1.0), part[rows] / 4)
        rows = rows[~settled & (part[rows] > LEAST_PART)]
        if not len(rows):
            break
    return q, residual, steps


# -- `solve` in C: descent.c and least_squares.c, compiled together with the emitted pose error of one frame

NAME = "model"  # name of the emitted function
ARRAYS = ("k", "lower", "upper", "wraps", "columns", "rows", "weights", "scales", "starts", "placed")
NUMBERS = ("damping", "patience", "tolerance", "iterations", "attempts")
ADDRESS, COUNT = ctypes.c_void_p, ctypes.c_size_t


class _Shared(ctypes.Structure):
    """The C structure `Problem` of descent.c."""

    _fields_ = (*((name, ADDRESS) for name in ARRAYS), *((name, ctypes.c_double) for name in NUMBERS))


class DampedNative:
    """Compiled solver of the inverse geometry: least_squares.c with the emitted pose error of one frame.

    Raises:
        MissingDependencyError: there is no compiler, or it cannot create a loadable library.
    """

    def __init__(self, error: PoseError, starts: int, values: Mapping[str, float]) -> None:
        from symoro.emit.c import call_sources

        self._joints, self._entries = len(error.moving), len(error.entries)
        program = error.program
        sources = call_sources(program, NAME)
        self._constants = np.empty(sources.constants)
        driver = _driver(error, starts, constants=len(self._constants) > 0)
        lib = library({**sources.files, "least_squares.c": driver})
        self._rows = _function(lib, "numeric_rows", None, COUNT, *[ADDRESS] * 6)
        self._placed = _function(lib, "numeric_placed", None, COUNT, *[ADDRESS] * 3)
        self._clean = _function(lib, "numeric_clean", ctypes.c_int, COUNT, ADDRESS, ctypes.c_double)
        if len(self._constants):
            setup = _function(lib, f"{NAME}_setup", None, ADDRESS, ADDRESS)
            parameters = np.array([values[name] for name in program.used_parameters], dtype=float)
            setup(_address(parameters), _address(self._constants))

    def clean(self, T: Array, round_off: float) -> bool:
        """Return whether all poses T (N, 4, 4) are finite and their rotations orthonormal up to `round_off`."""
        return bool(self._clean(len(T), _address(T), round_off))

    def placed(self, q: Array) -> Array:
        """Return the E given entries of the pose at each posture q (N, n), by direct geometry: (N, E)."""
        q = np.ascontiguousarray(q)
        entries = np.empty((len(q), self._entries))
        self._placed(len(q), _address(q), _address(self._constants), _address(entries))
        return entries

    def solve(self, p: PoseProblem) -> Solve:
        """Return the compiled solver of a problem, a function of (T, held, first, prefer) as `solve`."""
        arrays = {name: getattr(p, name, self._constants) for name in ARRAYS}
        arrays["placed"] = p.placed.T
        kept = [np.ascontiguousarray(array, dtype=float) for array in arrays.values()]
        shared = _Shared(*map(_address, kept), *(float(getattr(p, name)) for name in NUMBERS))
        return _Solver(self._rows, self._joints, shared, kept)


@dataclass(frozen=True, eq=False)
class _Solver:
    """C function numeric_rows for one problem; `kept` keeps the arrays of the problem alive."""

    rows: Any
    joints: int
    shared: _Shared
    kept: list[Array]

    def __call__(self, T: Array, held: Array, first: Array | None, prefer: Array | None) -> PoseSolutions:
        inputs = [None if x is None else np.ascontiguousarray(x) for x in (T, held, first, prefer)]
        n, out = self.joints, np.empty((len(T), self.joints + 4))
        problem = ctypes.addressof(self.shared)
        self.rows(len(T), problem, *(None if x is None else _address(x) for x in (*inputs, out)))
        return PoseSolutions(out[:, :n].copy(), out[:, n] != 0, *out[:, n + 1 :].T)


def _driver(error: PoseError, starts: int, *, constants: bool) -> str:
    places = ", ".join(str(4 * row + column) for row, column in error.entries)
    whole = [c for c in range(3) if all((r, c) in error.entries for r in range(3))]
    lines = [
        f'#include "{NAME}.h"',
        f"#define JOINTS {len(error.moving)}",
        f"#define ROWS {len(error.lengths)}",
        f"#define ENTRIES {len(error.entries)}",
        f"#define WHOLE {len(whole)}",
        f"#define STARTS {starts}",
        f"#define POSE_ERROR(q, T, k, e, J, placed) {NAME}(q, T, {'k, ' if constants else ''}e, J, placed)",
        f"static const int PLACES[ENTRIES] = {{{places}}};",
        f"static const int COLUMNS[3] = {{{', '.join(map(str, whole)) or 0}}};",
    ]
    text = (resources.files("symoro.runtime") / "least_squares.c").read_text(encoding="ascii")
    return "\n".join([*lines, kernel_text("descent", ".c"), text])


def _function(lib: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments
    return function


def _address(array: NDArray[np.float64]) -> int:
    return int(array.__array_interface__["data"][0])
