"""`BranchSolver`: all postures that reach a pose, of redundant arms too, sorted by distance from a posture.

    solver(T, near)                 one pose (4, 4) -> Branches, or N poses (N, 4, 4) -> N Branches

A redundant arm with one joint more than the pose has conditions has a free parameter: the position of one joint, or
the swivel angle of the elbow about the line from shoulder to wrist. The parameter is sampled, and at each sample all
branches of the closed form are computed. If the arm has no closed form but is similar to an arm with spherical shoulder
and wrist, the solutions of that arm are seeds of Newton's method. Otherwise the general method is used. Every row is
verified by direct geometry. With a C compiler the emitted code of `Model.code("c", branches=True)` is used.
"""

from __future__ import annotations

import ctypes
import math
import threading
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.branches import (
    DAMPING,
    NO_PARAMETER,
    SAMPLES,
    SMALL_MARGIN,
    SWIVEL,
    BranchData,
    branch_sources,
)
from symoro.errors import ArgumentError, MissingDependencyError
from symoro.models.catalogue import build
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.models.geometric.inverse.error import pose_error
from symoro.robot.description import Robot
from symoro.runtime.branch_plan import TURN, branch_data, seed_programs
from symoro.runtime.compiler import find_compiler, library
from symoro.runtime.function import Function
from symoro.runtime.least_squares import FLOOR, MOST_COST
from symoro.runtime.numeric_inverse import NumericInverse
from symoro.runtime.poses import rotation_part
from symoro.runtime.ranges import Ranges, joint_ranges
from symoro.runtime.solutions import SOLVED
from symoro.runtime.tolerances import ROTATION_EXACT, ROTATION_ROUNDED

Array = NDArray[np.float64]

ONE_VALID = np.array([True])
# A similar arm is used for seeds if this share of random postures has a row at most this far away (rad), with the
# default number of samples; neighbouring samples are about 0.1 rad apart.
COVERED_SHARE, COVERED_DISTANCE, COVERED_POSTURES = 0.75, 0.5, 40
NEWTON_STEPS = 12  # as in the kernel `branches`
ROWS_AT_FIRST, ROWS_PER_POSE = 4096, 512  # rows of the first buffer
MOST_ROWS = 50_000_000


@dataclass(frozen=True, eq=False)
class Branches:
    """Postures that reach a pose, the nearest to a given posture first.

    Attributes:
        q: joint positions (K, n).
        distance: Euclidean distance of each row from the given posture.
        residual: largest entry of direct geometry minus the pose, lengths divided by the robot's size.
        parameter: value of the free parameter (rad) of each row; zero if there is none.
        branch: number of the branch of the closed form, from 0; -1 for a row that is not at a sample of the parameter:
            the solution reached from the given posture, or from the numeric method.
        status: 'solved', 'outside limits' (there are solutions, but none within the joint limits was computed),
            'out of reach', or 'invalid pose' (an entry is not finite, or the matrix is not a rotation).
    """

    q: Array
    distance: Array
    residual: Array
    parameter: Array
    branch: NDArray[np.int64]
    status: str

    def __len__(self) -> int:
        return len(self.q)


class BranchSolver:
    """All postures of a robot for given poses of one frame, created by `symoro.branch_solver`.

    Attributes:
        robot: the robot, with numbers for all symbols.
        parameter: the free parameter: 'swivel', the number of a joint, or None.
        exact: whether the closed form is that of the robot; otherwise its rows are refined seeds of a similar arm.
        method: description of the method.
        compiled: whether C code is used.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        frm: int | str = 0,
        to: int | str | None = None,
        free: int | str | None = None,
        limits: bool = True,
        tolerance: float = 1e-9,
        compiled: bool | None = None,
    ) -> None:
        if not 0 < tolerance < np.inf:
            raise ArgumentError(f"tolerance = {tolerance!r}: expected a positive number")
        if compiled and find_compiler() is None:
            raise MissingDependencyError("there is no C compiler", hint="omit compiled=True to use NumPy")
        self.robot = robot
        self.tolerance = tolerance
        self.limits = limits
        self.compiled = compiled is not False and find_compiler() is not None
        self._kept = threading.local()
        self._frames: dict[str, int | str] = {"frm": frm, **({} if to is None else {"to": to})}
        self._part = rotation_part(given_entries("full"))
        for program, change in seed_programs(robot, frm, to, free, tolerance):
            self.__dict__.pop("library", None)
            self.data = branch_data(
                robot, program, change=change, frm=frm, to=to, limits=limits, tolerance=tolerance
            )
            if change is None or free is not None or self._covers():
                break
        self.exact = self.data.exact
        self.method = program.choices[0].removeprefix("method: ") if program.choices else ""
        if not self.exact:
            self.method += " of a similar arm, refined by Newton's method"
        joints = self._ranges.joints
        at = self.data.parameter
        self.parameter = "swivel" if at == SWIVEL else None if at == NO_PARAMETER else joints[at]

    def __repr__(self) -> str:
        kind = "compiled" if self.compiled else "NumPy"
        return f"<BranchSolver of {self.robot.name}: free parameter {self.parameter}, {kind}>"

    def __call__(self, T: ArrayLike, near: ArrayLike | None = None, *, samples: int = SAMPLES) -> Any:
        """Return all postures that reach the given poses, sorted by distance from a posture.

        Args:
            T: homogeneous transforms (4, 4), or (N, 4, 4) for N poses.
            near: posture (n,), or (N, n) with one posture per pose; by default zero or the nearest limits.
            samples: number of values of the free parameter.

        Returns:
            A `Branches` for one pose, a list of them for N poses.

        Raises:
            ArgumentError: an argument has a wrong shape or value.
        """
        poses = np.asarray(T, dtype=float)
        if poses.shape[-2:] != (4, 4) or poses.ndim not in (2, 3):
            raise ArgumentError(f"T has shape {poses.shape}, expected (4, 4) or (N, 4, 4)")
        if not _is_count(samples):
            raise ArgumentError(f"samples = {samples!r}: expected a whole number, at least 1")
        rows = np.ascontiguousarray(poses.reshape(-1, 4, 4))
        posture = self.posture(near, len(rows))
        targets, valid = self._rotations(rows)
        rows_by_pose = self._enumerate(targets, posture, int(samples), given=near is not None)
        results = [
            self._branches(part, targets[i], posture[i if len(posture) > 1 else 0], bool(valid[i]))
            for i, part in enumerate(rows_by_pose)
        ]
        return results if poses.ndim == 3 else results[0]

    def posture(self, near: ArrayLike | None, count: int = 1) -> Array:
        """Return postures (1, n) or (count, n) from an argument; by default zero or the nearest limits."""
        n = len(self.data.lower)
        posture = self._ranges.home if near is None else np.asarray(near, dtype=float)
        if posture.shape not in ((n,), (count, n)):
            raise ArgumentError(f"the posture has shape {posture.shape}, expected ({n},)")
        if not np.isfinite(posture).all():
            raise ArgumentError("an entry of the posture is not a finite number")
        return np.ascontiguousarray(posture.reshape(-1, n))

    @cached_property
    def _ranges(self) -> Ranges:
        return joint_ranges(self.robot, {}, limits=self.limits)

    def _rotations(self, poses: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return the poses with exact rotations (nan if they are invalid), and which of them are valid."""
        assert self._part is not None
        if len(poses) == 1 and _is_rotation(poses[0].tolist()):
            return poses, ONE_VALID
        corrected, change = self._part.nearest(poses)
        valid = (change <= ROTATION_ROUNDED) & np.isfinite(poses[:, :3]).all(axis=(1, 2))
        valid[valid] = self._part.hands(corrected[valid]) > 0
        corrected[~valid] = np.nan
        return corrected, valid

    def _branches(self, rows: Array, pose: Array, near: Array, valid: bool) -> Branches:
        """Return the sorted result for one pose; the numeric method is used if the samples have no solution."""
        n, status = len(near), "solved"
        if not valid:
            status = "invalid pose"
        elif not len(rows):
            solution = self._numeric(pose, near)
            if solution["status"] == 0:
                q = solution["q"]
                rest = [np.linalg.norm(q - near), solution["residual"], np.nan, -1.0]
                rows = np.concatenate([q, rest])[None]
            else:
                reached = self.limits and self._unlimited(pose, near)["status"] == 0
                status = "outside limits" if reached else "out of reach"
        rows = rows.take(rows[:, n].argsort(), axis=0)  # also copies the rows out of the buffer
        columns = rows[:, n:].T
        return Branches(rows[:, :n], columns[0], columns[1], columns[2], columns[3].astype(np.int64), status)

    @cached_property
    def _numeric(self) -> NumericInverse:
        return self._numeric_inverse(self.limits)

    @cached_property
    def _unlimited(self) -> NumericInverse:
        return self._numeric_inverse(False)

    def _numeric_inverse(self, limits: bool) -> NumericInverse:
        error = pose_error(self.robot, self._frames["frm"], self._frames.get("to"))
        compiled = None if self.compiled else False
        return NumericInverse(
            self.robot, error, {}, limits=limits, tolerance=self.tolerance, compiled=compiled
        )

    def _covers(self) -> bool:
        """Return whether the seeds of a similar arm lead to rows near most random postures."""
        ranges = self._ranges
        drawn = np.random.default_rng(0).random((COVERED_POSTURES, len(ranges.first)))
        q = ranges.first + drawn * (ranges.last - ranges.first)
        place = Function(build(self.robot, "fast-geometry", self._frames)[1], {}, compiled=False)
        rows = self._enumerate(np.ascontiguousarray(place(q=q)["T"]), self.posture(None), SAMPLES)
        n = len(q[0])
        apart = [np.linalg.norm(part[:, :n] - one, axis=1) for part, one in zip(rows, q, strict=True)]
        near = [distance.min(initial=np.inf) < COVERED_DISTANCE for distance in apart]
        return bool(np.mean(near) >= COVERED_SHARE)

    # -- rows of all poses, in C or NumPy: q, distance, residual, parameter, branch

    def _enumerate(self, poses: Array, near: Array, samples: int, *, given: bool = False) -> list[Array]:
        if not self.compiled:
            return [
                self._in_numpy(pose, near[i if len(near) > 1 else 0], samples, given=given)
                for i, pose in enumerate(poses)
            ]
        many, width = self.library.search_branches, len(self.data.lower) + 4
        counts = np.empty(len(poses), dtype=np.uintp)
        step = len(self.data.lower) if len(near) > 1 else 0
        rows = self._buffer(len(poses))
        while True:
            capacity = len(rows)
            posture = near.ctypes.data if given else None
            total = many(
                *(len(poses), poses.ctypes.data, posture, step, samples),
                *(capacity, rows.ctypes.data, counts.ctypes.data),
            )
            if total <= capacity:
                break
            if total > MOST_ROWS:
                raise ArgumentError(
                    f"the poses have {total} solutions, which is too many for one call",
                    hint="give fewer poses or samples, or narrower joint limits",
                )
            rows = np.empty((total, width))
        if len(poses) == 1:
            return [rows[:total]]
        ends = np.cumsum(counts).astype(np.int64)
        return [rows[end - int(count) : end] for end, count in zip(ends, counts, strict=True)]

    def _buffer(self, poses: int) -> Array:
        """Return an array for the rows of some poses; each thread has one for single poses, which it uses again."""
        width = len(self.data.lower) + 4
        if poses > 1:
            return np.empty((ROWS_AT_FIRST + ROWS_PER_POSE * poses, width))
        kept: Array | None = getattr(self._kept, "rows", None)
        if kept is None or kept.shape[1] != width:
            kept = self._kept.rows = np.empty((ROWS_AT_FIRST, width))
        return kept

    @cached_property
    def library(self) -> BranchLibrary:
        """The compiled code of the robot.

        Raises:
            MissingDependencyError: there is no compiler.
        """
        return BranchLibrary(self.data)

    def parameters(self, samples: int) -> Array:
        """Return the sampled values of the free parameter; a single zero if there is none."""
        data = self.data
        if data.parameter == NO_PARAMETER:
            return np.zeros(1)
        if not data.closed:
            return np.linspace(data.first, data.last, samples)
        return data.first + (data.last - data.first) * (np.arange(samples) + 0.5) / samples

    def rows_at(self, pose: Array, near: Array, parameters: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return the postures (P, K, n) of all branches at values of the parameter, and which are solutions (P, K).

        The joint limits are not considered.
        """
        count, n = len(parameters), len(near)
        q0 = np.tile(near, (count, 1))
        inputs: dict[str, Any] = {"T": np.broadcast_to(pose, (count, 4, 4)), "q0": q0}
        if self.data.parameter == SWIVEL:
            inputs["swivel"] = parameters
        elif self.data.parameter != NO_PARAMETER:
            q0[:, self.data.parameter] = parameters
        with np.errstate(all="ignore"):
            outputs = self._seeds(**inputs)
        q = outputs["q"]
        usable = np.isfinite(q).all(axis=2)
        if self.data.margin < SMALL_MARGIN:
            usable &= np.isin(outputs["status"], SOLVED)
        refined, residual = self._refined(q[usable], pose)
        q[usable] = refined
        solved = np.zeros(usable.shape, dtype=bool)
        solved[usable] = residual <= self.tolerance
        self._residuals = np.full(usable.shape, np.inf)
        self._residuals[usable] = residual
        return q.reshape(count, -1, n), solved

    @cached_property
    def _seeds(self) -> Function:
        return Function(self.data.seeds, {}, compiled=None if self.compiled else False)

    @cached_property
    def error(self) -> Function:
        """The pose error with its Jacobian as a function of q and T."""
        return Function(self.data.error, {}, compiled=None if self.compiled else False)

    def _refined(self, q: Array, pose: Array) -> tuple[Array, Array]:
        """Return postures (R, n) after damped Newton steps towards a pose, and their residuals (R,)."""
        data, best, left = self.data, q.copy(), np.full(len(q), np.inf)
        weights, units = np.array(data.weights), np.array(data.units)
        rows = np.arange(len(q))
        q = q.copy()
        for _ in range(NEWTON_STEPS + 1):
            if not len(rows):
                break
            outputs = self.error(q=q[rows], T=np.broadcast_to(pose, (len(rows), 4, 4)))
            off = np.abs(outputs["placed"] - pose.reshape(16)[list(data.places)]) * data.scales
            residual = np.nan_to_num(off.max(axis=1), nan=np.inf)
            better = residual < left[rows]
            best[rows[better]], left[rows[better]] = q[rows[better]], residual[better]
            going = (left[rows] > 1e-4 * self.tolerance) & (better | (left[rows] > self.tolerance))
            rows = rows[going & np.isfinite(residual)]
            kept = going & np.isfinite(residual)
            e, J = outputs["error"][kept] * weights, outputs["J"][kept] * weights[:, None] * units
            A = J @ J.transpose(0, 2, 1)
            cost = np.minimum(0.5 * (e * e).sum(axis=1), MOST_COST)
            damping = DAMPING * cost + FLOOR * np.trace(A, axis1=1, axis2=2) + 1e-300
            A += damping[:, None, None] * np.eye(A.shape[1])
            q[rows] += units * (J.transpose(0, 2, 1) @ np.linalg.solve(A, e[..., None]))[..., 0]
        return best, left

    def within(self, q: Array) -> NDArray[np.bool_]:
        """Return for postures (..., n) whether full turns bring all joints into their limits."""
        first, last = self._turns(q)
        return np.asarray((first <= last).all(axis=-1))

    def _turns(self, q: Array) -> tuple[Array, Array]:
        data = self.data
        lower = np.array(data.lower) - data.limit_tolerances
        upper = np.array(data.upper) + data.limit_tolerances
        turns = np.array(data.turns)
        outside = ~turns & ((q < lower) | (q > upper))
        first = np.where(turns, np.ceil((lower - q) / TURN), np.where(outside, 1.0, 0.0))
        return first, np.where(turns, np.floor((upper - q) / TURN), 0.0)

    def _in_numpy(self, pose: Array, near: Array, samples: int, *, given: bool) -> Array:
        """Return the rows of one pose without compiled code; a slower form of the kernel `branches`."""
        n = len(near)
        if not np.isfinite(pose).all():
            return np.empty((0, n + 4))
        parameters = self.parameters(samples)
        q, solved = self.rows_at(pose, near, parameters)
        solved &= self.within(q)
        rows = [
            row
            for i, k in np.argwhere(solved)
            for row in self._wound(q[i, k], near, [self._residuals[i, k], parameters[i], float(k)])
        ]
        if given:
            solution = self._numeric(pose, near)
            if solution["status"] == 0:
                rows += self._wound(solution["q"], near, [solution["residual"], np.nan, -1.0])
        return np.array(rows).reshape(-1, n + 4)

    def _wound(self, q: Array, near: Array, rest: list[float]) -> list[Array]:
        """Return the rows of a posture with all full turns within the limits; `rest` are the last columns."""
        first, last = self._turns(q)
        nearest = np.clip(np.round((near - q) / TURN), first, last)
        endless = ~np.isfinite(last - first)
        first, last = np.where(endless, nearest, first), np.where(endless, nearest, last)
        choices = product(*(np.arange(a, b + 1) for a, b in zip(first, last, strict=True)))
        wound = [q + TURN * np.array(turns) for turns in choices]
        return [np.concatenate([one, [np.linalg.norm(one - near), *rest]]) for one in wound]


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def _is_rotation(T: list[list[float]]) -> bool:
    """Return whether a pose is finite and its rotation exact; plain numbers are faster than NumPy for one pose."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = T[:3]
    products = (
        *(a * a + d * d + g * g - 1, b * b + e * e + h * h - 1, c * c + f * f + i * i - 1),
        *(a * b + d * e + g * h, a * c + d * f + g * i, b * c + e * f + h * i),
    )
    hand = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return all(abs(x) <= ROTATION_EXACT for x in products) and hand > 0 and math.isfinite(x + y + z)


class BranchLibrary:
    """Compiled code of the branches of one robot (`emit.branches`)."""

    NAME = "model"

    def __init__(self, data: BranchData) -> None:
        from symoro.emit.c import batch_sources, call_sources

        seeds, error = f"{self.NAME}_seeds", f"{self.NAME}_error"
        files: dict[str, str] = {}
        for program, name in ((data.seeds, seeds), (data.error, error)):
            files |= call_sources(program, name).files
            files |= batch_sources(program, name).files
        files |= branch_sources(data, self.NAME, seeds, error)
        self._library = library(files)
        count, address = ctypes.c_size_t, ctypes.c_void_p
        self.search_branches = self._function(
            "branches_many", count, count, address, address, count, count, count, address, address
        )
        self.start = self._function("start", None, address, address)
        self.track = self._function("track", ctypes.c_int, address, address, ctypes.c_double)

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library, f"{self.NAME}_{name}")
        function.restype, function.argtypes = result, arguments
        return function
