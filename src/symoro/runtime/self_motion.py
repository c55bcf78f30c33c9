"""Self-motion of a redundant arm: curves of postures with one pose, and intervals of the free parameter.

The postures q that reach a pose T satisfy T(q) = T. With one redundant joint they are curves. The tangent of a curve is
the unit vector t with J t = 0, from the singular value decomposition of the Jacobian. A curve is followed by steps
along the tangent, each corrected by Newton's method with the shortest joint motion:

    q <- q + h t,   then q <- q + J^+ e until the error e of the pose vanishes

Intervals: on each branch of the closed form, the sampled values of the parameter at which the branch is a solution
within the joint limits are combined to intervals. The ends of an interval are located by bisection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.branches import NO_PARAMETER, SAMPLES
from symoro.errors import ArgumentError, NotApplicableError
from symoro.runtime.branch_plan import TURN
from symoro.runtime.branches import BranchSolver
from symoro.runtime.least_squares import wrapped

Array = NDArray[np.float64]

BISECTIONS = 40  # halvings of the distance between two samples: 0.1 rad / 2^40 is round-off
CORRECTIONS = 8  # Newton steps after a step along the tangent
LEAST_STEP = 1e-4  # part of the step below which a curve ends at a singular configuration
MOST_POINTS = 10_000


@dataclass(frozen=True)
class Interval:
    """Values of the free parameter at which one branch is a solution within the joint limits.

    Attributes:
        branch: number of the branch of the closed form, from 0.
        lower, upper: ends of the interval (rad); if the parameter is an angle without limits, `upper` may exceed pi.
    """

    branch: int
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class SelfMotion:
    """Curve of postures that reach the same pose.

    Attributes:
        q: postures (N, n) in the order of the curve.
        tangent: unit vectors (N, n) along the curve: the null-space direction of the Jacobian.
        closed: whether the curve returns to its first posture, up to full turns.
        limited: whether the first and the last posture are at a joint limit.
    """

    q: Array
    tangent: Array
    closed: bool
    limited: tuple[bool, bool]


def intervals(
    solver: BranchSolver, T: ArrayLike, near: ArrayLike | None = None, *, samples: int = SAMPLES
) -> list[Interval]:
    """Return the intervals of the free parameter in which a pose has solutions within the joint limits, per branch.

    Intervals shorter than the distance between two samples may be missing.

    Args:
        solver: solver of the robot, from `symoro.branch_solver`.
        T: homogeneous transform (4, 4).
        near: posture whose entries are used for joints that a singularity leaves free.
        samples: number of values of the parameter.

    Raises:
        ArgumentError: T is not one pose.
        NotApplicableError: the robot has no free parameter.
    """
    if solver.data.parameter == NO_PARAMETER:
        raise NotApplicableError(f"robot '{solver.robot.name}' is not redundant: it has no free parameter")
    pose = np.asarray(T, dtype=float)
    if pose.shape != (4, 4) or not np.isfinite(pose[:3]).all():
        raise ArgumentError("expected one pose (4, 4) of finite numbers")
    posture = solver.posture(near)[0]

    def allowed(values: Array) -> NDArray[np.bool_]:
        q, solved = solver.rows_at(pose, posture, values)
        return solved & solver.within(q)

    values = solver.parameters(samples)
    valid = allowed(values)
    closed = solver.data.closed
    ends: list[tuple[int, float, float]] = []  # branch, value inside, value outside
    whole: list[Interval] = []
    pairs: list[tuple[int, int]] = []
    for k in range(valid.shape[1]):
        column = valid[:, k]
        if column.all():
            upper = solver.data.last if not closed else solver.data.first + TURN
            whole.append(Interval(k, solver.data.first, upper))
            continue
        for first, last in _runs(column, closed):
            pairs.append((len(ends), k))
            spacing = values[1] - values[0] if len(values) > 1 else TURN
            low, high = values[first % samples], values[last % samples] + TURN * (last >= samples)
            at_start, at_end = not closed and first == 0, not closed and last == samples - 1
            ends.append((k, low, low if at_start else low - spacing))
            ends.append((k, high, high if at_end else high + spacing))
    if not ends:
        return whole
    branch, inside, outside = (np.array(column) for column in zip(*ends, strict=True))
    inside, outside, branch = inside.astype(float), outside.astype(float), branch.astype(int)
    for _ in range(BISECTIONS):
        middle = 0.5 * (inside + outside)
        good = allowed(wrapped(middle) if closed else middle)[np.arange(len(middle)), branch]
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    made = [Interval(k, float(inside[at]), float(inside[at + 1])) for at, k in pairs]
    return sorted([*whole, *made], key=lambda one: (one.branch, one.lower))


def _runs(column: NDArray[np.bool_], closed: bool) -> list[tuple[int, int]]:
    """Return the first and last index of each run of true entries; a run may continue beyond the end if `closed`."""
    count = len(column)
    starts = [i for i in range(count) if column[i] and not (column[i - 1] if i or closed else False)]
    runs = []
    for start in starts:
        end = start
        while (end + 1 < count or closed) and column[(end + 1) % count]:
            end += 1
        runs.append((start, end))
    return runs


def self_motion(solver: BranchSolver, q: ArrayLike, *, step: float = 0.05, limits: bool = True) -> SelfMotion:
    """Return the self-motion curve through a posture: all postures that it can reach without moving the frame.

    Args:
        solver: solver of the robot, from `symoro.branch_solver`.
        q: posture (n,) on the curve.
        step: distance between two postures of the curve (rad).
        limits: end the curve at the joint limits.

    Raises:
        ArgumentError: the posture is outside the joint limits, or an argument has a wrong value.
        NotApplicableError: the robot has no free parameter.
    """
    if solver.data.parameter == NO_PARAMETER:
        raise NotApplicableError(f"robot '{solver.robot.name}' is not redundant: it has no self-motion")
    if not 0 < step < np.inf:
        raise ArgumentError(f"step = {step!r}: expected a positive angle (rad)")
    start = solver.posture(q)[0]
    curve = _Curve(solver, start, step, limits)
    if limits and curve.outside(start) > 0:
        raise ArgumentError(
            "the posture is outside the joint limits", hint="give limits=False to ignore them"
        )
    tangent = curve.tangent(start)
    ahead, is_closed, end = curve.follow(start, tangent)
    if is_closed:
        postures, limited = np.array([start, *ahead]), (False, False)
    else:
        behind, _, begin = curve.follow(start, -tangent)
        postures, limited = np.array([*behind[::-1], start, *ahead]), (begin, end)
    tangents = [curve.tangent(postures[0])]
    if len(postures) > 1 and tangents[0] @ (postures[1] - postures[0]) < 0:
        tangents[0] = -tangents[0]
    for posture in postures[1:]:
        tangents.append(curve.tangent(posture, tangents[-1]))
    return SelfMotion(postures, np.array(tangents), is_closed, limited)


class _Curve:
    def __init__(self, solver: BranchSolver, start: Array, step: float, limits: bool) -> None:
        self.solver = solver
        self.step = step
        self.lower = np.array(solver.data.lower) if limits else np.full(len(start), -np.inf)
        self.upper = np.array(solver.data.upper) if limits else np.full(len(start), np.inf)
        self.slack = np.array(solver.data.limit_tolerances)
        self.weights = np.array(solver.data.weights)
        placed = solver.error(q=start, T=np.eye(4))["placed"]
        self.pose = np.eye(4)
        self.pose.reshape(16)[list(solver.data.places)] = placed
        self.turns = np.array(solver.data.turns)

    def outside(self, q: Array) -> float:
        """Return by how much a posture exceeds its limits; negative or zero within them."""
        return float(np.maximum(self.lower - self.slack - q, q - self.upper - self.slack).max())

    def tangent(self, q: Array, like: Array | None = None) -> Array:
        """Return the unit null-space vector of the Jacobian, in the direction of `like`."""
        J = self.solver.error(q=q, T=self.pose)["J"] * self.weights[:, None]
        vector = np.linalg.svd(J)[2][-1]
        return np.asarray(-vector if like is not None and vector @ like < 0 else vector)

    def corrected(self, q: Array) -> Array | None:
        """Return the posture near q that reaches the pose, or None if Newton's method does not converge."""
        q = q.copy()
        data = self.solver.data
        for _ in range(CORRECTIONS):
            outputs = self.solver.error(q=q, T=self.pose)
            off = np.abs(outputs["placed"] - self.pose.reshape(16)[list(data.places)]) * data.scales
            if off.max() <= 1e-2 * self.solver.tolerance:
                return q
            J, e = outputs["J"] * self.weights[:, None], outputs["error"] * self.weights
            q += np.linalg.lstsq(J, e, rcond=None)[0]
        return None

    def follow(self, start: Array, tangent: Array) -> tuple[list[Array], bool, bool]:
        """Follow the curve in one direction.

        Returns:
            The postures after `start`, whether the curve is closed, and whether it ends at a limit.
        """
        postures: list[Array] = []
        here, step = start, self.step
        while len(postures) < MOST_POINTS:
            ahead = self.corrected(here + step * tangent)
            if ahead is None or np.abs(ahead - here).max() > 2 * step:
                step /= 2
                if step < LEAST_STEP * self.step:
                    return postures, False, False
                continue
            if self.outside(ahead) > 0:
                at_limit = self._at_limit(here, tangent, step)
                return [*postures, *([] if at_limit is None else [at_limit])], False, True
            apart = np.where(self.turns, wrapped(ahead - start), ahead - start)
            if len(postures) > 2 and np.linalg.norm(apart) < 0.75 * self.step:
                return postures, True, False
            postures.append(ahead)
            tangent, here, step = self.tangent(ahead, tangent), ahead, self.step
        return postures, False, False

    def _at_limit(self, here: Array, tangent: Array, step: float) -> Array | None:
        """Return the last posture within the limits on the way of one step, by bisection."""
        low, high, last = 0.0, step, None
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            posture = self.corrected(here + middle * tangent)
            if posture is not None and self.outside(posture) <= 0:
                low, last = middle, posture
            else:
                high = middle
        return last
