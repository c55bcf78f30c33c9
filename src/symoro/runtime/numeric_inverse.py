"""`NumericInverse`: one posture per pose for any chain without loops, by damped least squares.

    solver(T)                       one pose (4, 4) or a batch (N, 4, 4)
    -> {"q", "status", "residual", "iterations", "restarts"}

A posture has status 0 if the direct geometry equals the pose within the tolerance and every joint is within its
limits. The algorithm is in `least_squares`; with a C compiler its C version is used, linked with the emitted pose
error.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, MissingDependencyError
from symoro.models.geometric.inverse.error import PoseError
from symoro.robot.description import Robot
from symoro.runtime import least_squares
from symoro.runtime.compiler import HINT
from symoro.runtime.function import Function
from symoro.runtime.least_squares import Array, DampedNative, PoseProblem, PoseSolutions, Solve
from symoro.runtime.poses import rotation_part
from symoro.runtime.ranges import joint_ranges
from symoro.runtime.tolerances import ROTATION_EXACT, ROTATION_ROUNDED

REACHED, NOT_REACHED, NO_POSE = 0, 1, 3
MISSING = {"q": np.nan, "status": NO_POSE, "residual": np.inf, "iterations": 0, "restarts": 0}
STARTS = 256  # number of postures of the table
DAMPING, PATIENCE = 0.1, 0.5


class NumericInverse:
    """Numeric inverse geometry of one frame of a robot, created by `symoro.numeric_inverse`."""

    def __init__(
        self,
        robot: Robot,
        error: PoseError,
        values: Mapping[str, float],
        *,
        locked: tuple[int, ...] = (),
        limits: bool = True,
        tolerance: float = 1e-9,
        iterations: int = 50,
        restarts: int = STARTS,
        seed: int = 0,
        compiled: bool | None = None,
    ) -> None:
        _check(tolerance=tolerance, iterations=iterations, restarts=restarts, seed=seed)
        self.robot = robot
        self.tolerance = tolerance
        self._error = error
        self._part = rotation_part(tuple(tuple((r, c) in error.entries for c in range(4)) for r in range(3)))
        self._evaluate = Function(error.program, values, compiled=False)
        self._ranges = joint_ranges(robot, values, limits=limits)
        self._locked = np.array([j in locked for j in self._ranges.joints])
        self._held = self._locked | ~np.array(error.moving)
        if self._held.all():
            raise ArgumentError("every joint that moves the frame is locked: there are no unknowns")
        drawn = np.random.default_rng(seed).random((STARTS, len(self._held)))
        self._starts = self._ranges.first + drawn * (self._ranges.last - self._ranges.first)
        self._home = self._ranges.home[None]
        self._limits = (tolerance, iterations, 1 + restarts)
        self._tables: dict[bytes, Solve] = {}
        self._native = None if compiled is False else self._compiled(insist=bool(compiled))
        self.compiled = self._native is not None

    def _compiled(self, *, insist: bool) -> DampedNative | None:
        try:
            return DampedNative(self._error, STARTS, self._evaluate.values)
        except MissingDependencyError as error:
            if insist:
                raise
            message = f"{error.message}: poses are solved in NumPy, which is slower. To compile: {HINT}"
            warnings.warn(message, stacklevel=4)
            return None

    def __call__(
        self, T: ArrayLike, q0: ArrayLike | None = None, *, prefer: ArrayLike | None = None
    ) -> dict[str, Any]:
        """Return postures at which the frame has the given poses.

        Args:
            T: homogeneous transforms (4, 4), or (N, 4, 4) for N poses; entries that are not given are not read.
            q0: initial posture, (n,) or (N, n); also the positions of locked joints, and of joints that do not affect
                the given entries. Without q0 the iteration starts from random postures, and such joints
                are at zero or at the nearest limit.
            prefer: preferred posture, (n,) or (N, n), if the pose has several solutions.

        Returns:
            Dictionary of arrays, with a leading axis of length N for N poses.
            q: joint positions (n).
            status: 0 reached, 1 not reached, 3 invalid pose (not finite or not a rotation).
            residual: largest entry of |T(q) - T|, lengths divided by the robot's size; if the pose
                is not reached, that of the best posture, lengths in metres.
            iterations, restarts: total number of steps, number of further initial postures.
        """
        poses = _numbers("T", T, (4, 4))
        rows = np.ascontiguousarray(poses).reshape(-1, 4, 4)
        start, preferred = (self._rows(name, x, len(rows)) for name, x in (("q0", q0), ("prefer", prefer)))
        if self._native is not None and self._native.clean(rows, ROTATION_EXACT):
            results = self._results(rows, start, preferred)
        else:
            results = self._corrected_results(rows, start, preferred)
        return results if poses.ndim == 3 else {name: array[0] for name, array in results.items()}

    def __repr__(self) -> str:
        kind = "compiled" if self.compiled else "NumPy"
        return f"<NumericInverse of {self.robot.name}: T (4, 4), q0 ({len(self._held)},), {kind}>"

    def _corrected_results(
        self, poses: Array, start: Array | None, preferred: Array | None
    ) -> dict[str, Any]:
        """Return the results for poses that may be invalid, one row per pose.

        Rounded rotation matrices are corrected; an invalid pose gets status 3 and no solution.
        """
        targets, change = self._rotations(poses)
        good = np.isfinite(change)
        own = [None if x is None else x[good] for x in (start, preferred)]
        results = self._results(targets[good], *own)
        results["residual"] = results["residual"] + change[good]
        if good.all():
            return results
        return {name: _spread(good, values, MISSING[name]) for name, values in results.items()}

    def _rotations(self, poses: Array) -> tuple[Array, Array]:
        """Return the poses with the nearest rotation matrices, and the largest change of an entry of each pose.

        The change is infinite if the pose is invalid.
        """
        entries = [4 * row + column for row, column in self._error.entries]
        change = np.where(np.isfinite(poses.reshape(-1, 16)[:, entries]).all(axis=1), 0.0, np.inf)
        if self._part is None:
            return poses, change
        corrected, turned = self._part.nearest(poses)
        sound = turned <= ROTATION_ROUNDED
        if self._part.whole:
            sound[sound] = self._part.hands(corrected[sound]) > 0
        return corrected, change + np.where(sound, turned, np.inf)

    def _results(self, T: Array, start: Array | None, preferred: Array | None) -> dict[str, Any]:
        """Return the results for valid poses T (N, 4, 4), one row per pose.

        Args:
            start: initial postures, one row per pose, or None.
            preferred: preferred postures, one row per pose, or None.
        """
        ranges = self._ranges
        first = preferred if start is None else start
        if start is None:
            held = self._home if len(T) == 1 else np.tile(ranges.home, (len(T), 1))
        else:
            held = np.where(self._locked, start, ranges.nearest(start))
        solution = self._solved(T, held, None if first is None else ranges.nearest(first), preferred)
        reached, residual = solution.reached, solution.residual
        away = np.flatnonzero(~reached & np.isfinite(solution.q).all(axis=1))
        if len(away):
            residual = residual.copy()
            residual[away] = self._distances(solution.q[away], T[away])
        if self._locked.any() or len(ranges.sums):  # limits that the steps do not enforce
            reached = reached & ranges.inside(solution.q)
        return {
            "q": solution.q,
            "status": np.where(reached, REACHED, NOT_REACHED),
            "residual": residual,
            "iterations": solution.steps.astype(np.int64),
            "restarts": solution.attempts.astype(np.int64) - 1,
        }

    def _distances(self, q: Array, T: Array) -> Array:
        """Return, per pose T, the largest entry of |T(q) - T|, where T(q) is the pose at q; lengths in metres."""
        entries = [4 * row + column for row, column in self._error.entries]
        if self._native is not None:
            placed = self._native.placed(q)
        else:
            placed = self._evaluate(q=q, T=np.eye(4))["placed"]
        return np.asarray(np.abs(placed - T.reshape(-1, 16)[:, entries]).max(axis=1))

    def _rows(self, name: str, value: ArrayLike | None, count: int) -> Array | None:
        """Return the argument `name`, one posture or one per pose, as an array with `count` rows."""
        if value is None:
            return None
        n = len(self._held)
        array = _numbers(name, value, (n,))
        if array.ndim == 2 and len(array) != count:
            raise ArgumentError(f"{name} has {len(array)} rows for {count} poses")
        if not np.isfinite(array).all():
            raise ArgumentError(f"an entry of {name} is not a finite number")
        return np.broadcast_to(array, (count, n))

    def _solved(self, T: Array, held: Array, first: Array | None, prefer: Array | None) -> PoseSolutions:
        """Solve poses in groups with the same positions of locked joints; arguments as for `least_squares.solve`.

        The table of initial postures depends on the positions of the locked joints.
        """
        kept = held[:, self._locked]
        if len(held) == 1 or not kept.size or (kept == kept[:1]).all():
            return self._solve(held[:1])(T, held, first, prefer)
        kept, group = np.unique(kept, axis=0, return_inverse=True)
        parts = []
        for g in range(len(kept)):
            rows = np.flatnonzero(group == g)
            own = [None if x is None else x[rows] for x in (first, prefer)]
            parts.append((rows, self._solve(held[rows[:1]])(T[rows], held[rows], *own)))
        order = np.argsort(np.concatenate([rows for rows, _ in parts]))
        fields = ("q", "reached", "residual", "steps", "attempts")
        return PoseSolutions(
            *(np.concatenate([getattr(solution, f) for _, solution in parts])[order] for f in fields)
        )

    def _solve(self, held: Array) -> Solve:
        """Return the solver for joints locked at the posture `held` (1, n); recent solvers are cached."""
        kept = held[:, self._locked]
        key = kept.tobytes()
        if key not in self._tables:
            if len(self._tables) > STARTS:
                self._tables.clear()
            problem = self._problem(kept)
            native = self._native
            self._tables[key] = (
                partial(least_squares.solve, problem) if native is None else native.solve(problem)
            )
        return self._tables[key]

    def _problem(self, kept: Array) -> PoseProblem:
        error, ranges = self._error, self._ranges
        starts = self._starts.copy()
        if len(kept):
            starts[:, self._locked] = kept
        if self._native is not None:
            placed = self._native.placed(starts)
        else:
            placed = self._evaluate(q=starts, T=np.eye(4))["placed"]
        lengths = np.array([column == 3 for _, column in error.entries])
        spread = float(np.sqrt(placed[:, lengths].var(axis=0).sum()))
        unit = spread if 1e-6 * ranges.reach < spread < np.inf else ranges.reach
        tolerance, iterations, attempts = self._limits
        return PoseProblem(
            evaluate=lambda q, T: self._evaluate(q=q, T=T),
            lower=ranges.lower,
            upper=ranges.upper,
            wraps=ranges.wraps,
            columns=np.where(self._held, 0.0, np.where(ranges.turns, 1.0, unit)),
            rows=np.where(error.lengths, 1 / unit, 1.0),
            entries=np.array([4 * row + column for row, column in error.entries]),
            weights=np.where(lengths, 1 / unit**2, 0.5),
            scales=np.where(lengths, 1 / max(unit, ranges.reach), 1.0),
            starts=starts,
            placed=placed,
            damping=DAMPING,
            patience=PATIENCE,
            tolerance=tolerance,
            iterations=iterations,
            attempts=attempts,
        )


def _check(**options: float) -> None:
    for name, value in options.items():
        whole = name == "tolerance" or isinstance(value, (int, np.integer))
        if not whole or isinstance(value, bool) or not 0 <= value < np.inf:
            expected = "a number" if name == "tolerance" else "a whole number"
            raise ArgumentError(f"{name} = {value!r}: expected {expected}, not negative")


def _numbers(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        array = np.asarray(value)
        if array.dtype != float:
            if array.dtype.kind == "c":
                raise TypeError("complex")
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} is not an array of real numbers") from None
    if array.shape != shape and (array.ndim != len(shape) + 1 or array.shape[1:] != shape):
        listed = ", ".join(map(str, shape))
        comma = "," if len(shape) == 1 else ""
        raise ArgumentError(f"{name} has shape {array.shape}, expected ({listed}{comma}) or (N, {listed})")
    return array


def _spread(good: NDArray[np.bool_], values: NDArray[Any], missing: float) -> NDArray[Any]:
    """Return the values of the valid rows in an array over all rows; the other rows contain `missing`."""
    whole = np.full((len(good), *values.shape[1:]), missing, dtype=values.dtype)
    whole[good] = values
    return whole
