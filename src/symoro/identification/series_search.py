"""Optimisation of an exciting Fourier series under the limits of the joints.

The positions of all joints of the tree follow from the coordinates, q_tree = G q + c (`models.coordinates`). The limits
are

    positions, velocities, accelerations    of every joint
    effort of a coordinate's joint          (G' tau_tree)_i, the effort of its motor
    effort of a coupled joint               (tau_tree)_j, the effort transmitted to it

Positions, velocities and accelerations are linear in the series; for motions that start and end at rest, the
coefficients a and b are in a linear subspace. The gradients are analytic: of the criterion with respect to the
regressor, of the regressor with respect to the motion (`models.identification.pullback`), of the motion with respect to
the series. The regressor is that of the identification (`equations`).

The limits are satisfied between samples too. Quantities that are linear in the series are trigonometric polynomials of
degree L, which are bounded by N samples of a period (Ehlich and Zeller):

    max |p| <= max |p(t_k)| / cos(pi L / N),     N > 2 L

Torques are not linear in the series; their extrema are refined between the samples around each peak. Distances between
the links are bounded between samples by the velocities (`collision`).

H. Ehlich, K. Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", Mathematische Zeitschrift 86, 1964.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, ProgramError
from symoro.identification.collision import Clearance, SmallestDistance
from symoro.identification.equations import RowModel
from symoro.identification.tolerances import (
    CLEARANCE_AIM,
    KEPT_LIMIT,
    LARGEST_ENTRY,
    POSTURE_DRAWS,
    ROUND_OFF,
    SPOILT_CONDITION,
    TINY,
    TORQUE_PEAK,
    WIDEST_RANGE,
)
from symoro.model import generate
from symoro.models.coordinates.couplings import coordinates_at, uncoupled
from symoro.models.identification.pullback import regressor_pullback
from symoro.robot.description import JointType, Robot
from symoro.runtime.function import Function
from symoro.trajectory.splines import Values

# -- motion_limits


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Limits of the m moving joints of a robot, one row per joint.

    The positions of all joints are q_tree = G q + c, where q are the n coordinates.

    Attributes:
        joints: numbers of the joints (rows).
        own: numbers of the joints with a coordinate (columns of `ratios`).
        ratios, offsets: G and c.
        lower, upper: position limits.
        velocity, acceleration, effort: largest absolute values; inf if unlimited.
    """

    joints: tuple[int, ...]
    own: tuple[int, ...]
    ratios: Array
    offsets: Array
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array

    def tree(self, x: Array) -> Array:
        """Return the Fourier series of all joints (m, 1 + d) from those of the coordinates (n, 1 + d)."""
        series: Array = self.ratios @ x
        series[:, 0] += self.offsets
        return series

    @cached_property
    def own_rows(self) -> list[int]:
        return [self.joints.index(j) for j in self.own]

    @cached_property
    def loads(self) -> Array:
        """Matrix (m, m) that maps the torques of all joints of the tree to the efforts to which the limits apply.

        The effort of a joint with a coordinate is that of its motor; the effort of a coupled joint is its own torque.
        """
        loads = np.eye(len(self.joints))
        loads[self.own_rows] = self.ratios.T
        return loads

    @cached_property
    def _linked(self) -> NDArray[np.bool_]:
        """Mask (n, m), true at (i, j) if joint j is coupled to coordinate i, directly or through other joints."""
        moves = (self.ratios != 0).astype(int)
        near = np.sign(moves.T @ moves + np.eye(len(self.own), dtype=int))
        for _ in self.own:
            near = np.sign(near @ near)
        return np.asarray(near @ moves.T > 0)

    def by_coordinate(self, shares: Array) -> Array:
        """Return, for each coordinate, the largest used fraction of the limits of the joints coupled to it (n,).

        Args:
            shares: used fraction of the limits of each joint (m,).
        """
        return np.asarray(np.where(self._linked, shares, 0.0).max(axis=1))

    @cached_property
    def centre(self) -> Array:
        """Coordinates (n,) at which all joints are far from their position limits.

        Raises:
            ArgumentError: no position satisfies the limits of the coupled joints.
        """
        middle = ((self.lower + self.upper) / 2)[self.own_rows]
        if len(self.own) == len(self.joints):
            return middle
        half = ((self.upper - self.lower) / 2)[:, None]
        above, below = self.upper - self.offsets, self.offsets - self.lower
        from scipy.optimize import linprog

        solution = linprog(
            np.r_[np.zeros(len(self.own)), -1.0],
            A_ub=np.block([[self.ratios, half], [-self.ratios, half]]),
            b_ub=np.r_[above, below],
            bounds=[*[(None, None)] * len(self.own), (None, 1.0)],
        )
        if solution.status != 0 or not solution.x[-1] > ROUND_OFF:
            names = ", ".join(f"q{j}" for j in self.joints if j not in self.own)
            raise ArgumentError(
                f"no position satisfies the limits of the coupled joints {names}",
                hint="make these limits compatible with those of the joints that drive the coupled joints",
            )
        return np.asarray(solution.x[:-1])


def motion_limits(
    robot: Robot, acceleration: Any, margin: float, torque: bool, known: Mapping[str, float]
) -> MotionLimits:
    """Return the joint limits of a robot, multiplied by a margin.

    Args:
        robot: the robot.
        acceleration: acceleration limit: one for all joints, one per coordinate, or one per moving joint; None for no
            limit.
        margin: fraction of each limit that may be used.
        torque: whether the effort limits apply.
        known: values of the robot's symbols.

    Raises:
        ArgumentError: a joint has no position limits, or a limit that prevents its motion.
    """
    tree = coordinates_at(robot, dict.fromkeys(range(1, robot.NF + 1), 0.0), lambda x: x.value(known))
    ratios = np.array(tree.matrix(), dtype=float).reshape(len(tree.joints), len(tree.own))
    offsets = np.array([tree.positions[j] for j in tree.joints], dtype=float)
    frames = [robot.frame(j) for j in tree.joints]
    _check_moving(robot, tree.joints, torque)
    low, high = _ranges(robot, tree.joints, tree.own, ratios, offsets)
    middle, half = (low + high) / 2, margin * (high - low) / 2
    fastest = [math.inf if f.limits.velocity is None else margin * f.limits.velocity for f in frames]
    efforts = [
        math.inf if f.limits.effort is None or not torque else margin * f.limits.effort for f in frames
    ]
    return MotionLimits(
        tree.joints,
        tree.own,
        ratios,
        offsets,
        middle - half,
        middle + half,
        np.array(fastest),
        margin * _accelerations(acceleration, tree.joints, tree.own),
        np.array(efforts),
    )


def _check_moving(robot: Robot, joints: tuple[int, ...], torque: bool) -> None:
    for j in joints:
        limits = robot.frame(j).limits
        if limits.velocity == 0:
            raise ArgumentError(
                f"q{j} has a velocity limit of 0, so its parameters cannot be excited",
                hint="give it a positive velocity limit, or none if it is unknown, or make the joint fixed",
            )
        if torque and limits.effort == 0:
            raise ArgumentError(
                f"q{j} has an effort limit of 0, so it cannot be moved",
                hint="give it a positive effort limit, or none if it is unknown, or do not limit the torques "
                "(torque=False)",
            )


def _ranges(
    robot: Robot, joints: tuple[int, ...], own: tuple[int, ...], ratios: Array, offsets: Array
) -> tuple[Array, Array]:
    """Return the lower and upper position limits of each joint, (m,) each.

    The range of a coupled joint without limits follows from the ranges of the joints that move it.

    Args:
        robot: the robot.
        joints, own: numbers of all moving joints, and of those with a coordinate.
        ratios, offsets: G and c of q_tree = G q + c.
    """
    low, high = np.full(len(joints), np.nan), np.full(len(joints), np.nan)
    for k, j in enumerate(joints):
        frame = robot.frame(j)
        wide = WIDEST_RANGE if frame.sigma == JointType.REVOLUTE and j in own else math.nan
        low[k] = -wide if frame.limits.lower is None else frame.limits.lower
        high[k] = wide if frame.limits.upper is None else frame.limits.upper
    rows = [joints.index(j) for j in own]
    ends = [np.where(ratios != 0, ratios * end[rows], 0.0) for end in (low, high)]
    follows = np.array([j not in own for j in joints])
    reach = np.minimum(*ends).sum(axis=1) + offsets, np.maximum(*ends).sum(axis=1) + offsets
    low = np.where(follows & np.isnan(low), reach[0], low)
    high = np.where(follows & np.isnan(high), reach[1], high)
    if unknown := [f"q{j}" for j, a, b in zip(joints, low, high, strict=True) if np.isnan(a + b)]:
        raise ArgumentError(
            f"there are no position limits for {', '.join(unknown)}",
            hint="give these joints lower and upper limits",
        )
    if bad := [f"q{j} (from {a:g} to {b:g})" for j, a, b in zip(joints, low, high, strict=True) if not a < b]:
        raise ArgumentError(
            f"the position limits leave no range of motion for {', '.join(bad)}",
            hint="give these joints a lower limit below the upper one, or make a joint that does not move fixed",
        )
    return low, high


def _accelerations(given: Any, joints: tuple[int, ...], own: tuple[int, ...]) -> Array:
    most = np.array(math.inf if given is None else given, float)
    sizes = sorted({len(own), len(joints)})
    if most.shape not in ((), (1,), *((size,) for size in sizes)) or not (most > 0).all():
        raise ArgumentError(
            f"acceleration: expected positive numbers, one or {' or '.join(map(str, sizes))}, got {given!r}"[
                :200
            ],
            hint="give one acceleration limit for all joints, or one per joint",
        )
    if most.shape == (len(own),) != (len(joints),):
        largest = np.full(len(joints), math.inf)
        largest[[joints.index(j) for j in own]] = most
        return largest
    return np.broadcast_to(most, len(joints))


# -- series_search


PENALTIES = (1.0, 30.0, 1000.0)
HARD = (1e5,)
TIGHTER = (
    0.995,
    0.98,
    0.95,
    0.9,
)  # shares of the limits, tried if reducing a motion to its limits degrades the criterion
FINE = 20  # samples per shortest period for the penalty
DENSE = 200  # samples per shortest period for the final check of the limits
BETWEEN = 1 / np.cos(np.pi / DENSE)
ZOOMS, ZOOM = 3, 10  # number of refinements of a peak, and the factor of each
HALVINGS = 12


def dry_friction(robot: Robot, j: int, known: Mapping[str, float]) -> float:
    """Return the dry friction FS + FB of joint j at low speed, for values of the robot's symbols."""
    frame = robot.frame(j)
    return frame.FS.value(known) + frame.FB.value(known)


class SeriesSearch:
    """Optimisation of one exciting motion under the limits of the joints.

    A motion is an array x (n, 1 + d): per coordinate the offset, then d amplitudes of the Fourier series in the basis
    of the motions that are allowed (all, or those that start and end at rest).
    """

    def __init__(
        self,
        robot: Robot,
        known: Mapping[str, float],
        equation: RowModel,
        limits: MotionLimits,
        harmonics: int,
        frequency: float,
        criterion: str,
        rest: bool,
        samples: int,
        clearance: Clearance | None = None,
    ) -> None:
        self.clearance = clearance
        self.equation, self.columns = equation, equation.names
        self.chosen = [equation.columns.index(name) for name in equation.names]
        self.pulled = Function(regressor_pullback(equation.robot, "base", "all"), known, robot=equation.robot)
        self.limits, self.criterion = limits, criterion
        self.n, self.harmonics, self.frequency = len(limits.own), harmonics, frequency
        self.basis = _at_rest(harmonics) if rest else np.eye(2 * harmonics)
        between = (
            np.arange(samples) + 0.5
        )  # not at the ends, where nothing moves and the sign of friction is undefined
        self.few = self._linear(between / samples / frequency)
        count = DENSE * harmonics
        self.dense_middles = self._linear((np.arange(count) + 0.5) / count / frequency)
        self.many = self._linear(np.arange(FINE * harmonics) / (FINE * harmonics) / frequency)
        self.dense_times = np.arange(DENSE * harmonics) / (DENSE * harmonics) / frequency
        self.dense = self._linear(self.dense_times)
        self.torques = self.slopes = None
        self.dry = np.zeros(len(limits.joints))
        if np.isfinite(limits.effort).any():
            models = [
                generate(uncoupled(robot), name)
                for name in ("inverse-dynamics", "inverse-dynamics-derivatives")
            ]
            self.torques, self.slopes = (
                model.function({name: known[name] for name in model.parameters if name in known})
                for model in models
            )
            self.dry = np.array([dry_friction(robot, j, known) for j in limits.joints])

    def _linear(self, t: Array) -> Values:
        """Return the matrices (S, 1 + d) that map a motion x to positions, velocities, accelerations at S times t."""
        order = 2 * np.pi * self.frequency * np.arange(1, self.harmonics + 1)
        s, c = np.sin(t[:, None] * order), np.cos(t[:, None] * order)
        zero = np.zeros((len(t), 1))
        parts = [np.hstack([s / order, -c / order]), np.hstack([c, s]), np.hstack([-s * order, c * order])]
        first = [zero + 1, zero, zero]
        q, qd, qdd = (np.hstack([one, part @ self.basis]) for one, part in zip(first, parts, strict=True))
        return q, qd, qdd

    def start(self, rng: np.random.Generator) -> Array:
        """Return a random motion that satisfies all limits except those of torques."""
        plane = self.basis.shape[1]
        x = rng.standard_normal((self.n, 1 + plane))
        half = ((self.limits.upper - self.limits.lower) / 2)[self.limits.own_rows]
        x[:, 1:] *= (0.7 * half / np.abs(self.dense[0][:, 1:] @ x[:, 1:].T).max(axis=0))[:, None]
        x[:, 0] = self.limits.centre + 0.6 * half * rng.uniform(-1, 1, self.n)
        if self.clearance is None:
            return self._within(x)
        x[:, 0] = self._free_posture(rng, half)
        return self._without_collisions(self._within(x))

    def _free_posture(self, rng: np.random.Generator, half: Array) -> Array:
        """Return a random posture (n,) in which all links keep their distances, also in the neighbourhood.

        Args:
            rng: random numbers.
            half: half the range of each coordinate (n,).

        Raises:
            ProgramError: there is no such posture among the random ones.
        """
        assert self.clearance is not None
        draws = self.limits.centre + 0.6 * half * rng.uniform(-1, 1, (POSTURE_DRAWS, self.n))
        distances = self.clearance.model.distances(draws)
        smallest = distances.min(axis=1)
        (free,) = np.nonzero(smallest > CLEARANCE_AIM * self.clearance.least)
        if not len(free):
            model = self.clearance.model
            pair = model.pairs[int(np.bincount(distances.argmin(axis=1)).argmax())]
            raise ProgramError(
                f"no posture without collision: in {POSTURE_DRAWS} random postures within the limits some links "
                f"are closer than the clearance {self.clearance.least:.3g} m, most often {model.names(pair)}",
                hint="reduce the clearance or the radius of the capsules, check the capsules, or give the robot "
                "a posture 'home' in which only links that always touch are close to each other",
            )
        # A motion about a posture with more room can be larger: the best of the first few is the start.
        few = free[:8]
        return np.asarray(draws[few[smallest[few].argmax()]])

    def moved(self, x: Array, linear: Values) -> Values:
        """Return q, qd and qdd along a motion x: (S, n) for coordinates, (S, m) for all joints.

        Args:
            x: motion of the coordinates, or of all joints (`MotionLimits.tree`).
            linear: matrices of `_linear`.
        """
        q, qd, qdd = (part @ x.T for part in linear)
        return q, qd, qdd

    # -- criterion

    def matrix(self, x: Array, linear: Values | None = None) -> Array:
        """Return the regressor along the motion x, (S n, P).

        Args:
            x: the motion (n, 1 + d).
            linear: matrices of `_linear` at the S times; by default those of a coarse grid of times.
        """
        q, qd, qdd = self.moved(x, linear or self.few)
        rows = self.equation.parts(q, qd, qdd, np.zeros_like(qd))[1]
        if not (np.abs(rows) < LARGEST_ENTRY).all():
            raise ArgumentError(
                "the regressor is not finite along a motion within the limits",
                hint="check the units of the limits, of the lengths and of the frequency",
            )
        rows = rows * self.equation.joint_units[:, None]  # torques, for prismatic joints too
        return rows.reshape(-1, len(self.columns))

    def worth(self, w: Array) -> float:
        """Return the criterion of a regressor w for reports: its condition number, or -log det(w'w) / P."""
        return self._measured(w)[0] if self.criterion == "determinant" else condition(w)

    def _measured(self, w: Array) -> tuple[float, Array]:
        """Return the criterion that is minimised, and its derivative with respect to the regressor w.

        The criterion is the logarithm of the condition number of w, or -log det(w'w) / P.
        """
        if self.criterion == "determinant":
            u, s, v = np.linalg.svd(w, full_matrices=False)
            s = np.maximum(s, 1e-14 * s[0])
            return -2 * float(np.log(s).mean()), -2 / len(s) * (u / s) @ v
        size = np.maximum(np.linalg.norm(w, axis=0), TINY)
        unit = w / size
        u, s, v = np.linalg.svd(unit, full_matrices=False)
        weakest = max(s[-1], 1e-14 * s[0])
        slope = np.outer(u[:, 0], v[0]) / s[0] - np.outer(u[:, -1], v[-1]) / weakest
        slope = (slope - unit * (unit * slope).sum(0)) / size
        return float(np.log(s[0] / weakest)), slope

    def objective(self, flat: Array, penalty: float, allowed: float = 1.0) -> tuple[float, Array]:
        """Return the criterion plus the penalty of a motion, and the gradient of this sum with respect to the motion.

        Args:
            flat: the motion x as a flat array.
            penalty: weight of the penalty.
            allowed: fraction of the limits beyond which the penalty is positive.
        """
        x = flat.reshape(self.n, -1)
        q, qd, qdd = self.moved(x, self.few)
        value, slope = self._measured(self.matrix(x))
        weights = np.zeros((len(q), self.n, len(self.equation.columns)))
        weights[:, :, self.chosen] = slope.reshape(len(q), self.n, -1) * self.equation.joint_units[:, None]
        pulled = self.pulled(q=q, qd=qd, qdd=qdd, Y=weights)
        grown = sum(
            np.asarray(pulled[g]).T @ part for g, part in zip(("gq", "gqd", "gqdd"), self.few, strict=True)
        )
        cost, steep = self._penalty(x, allowed)
        return value + penalty * cost, (grown + penalty * steep).reshape(-1)

    # -- limits

    def _shares(self, motion: Values, worst: bool = False) -> dict[str, Array]:
        """Return motion and efforts of all joints divided by their limits, by kind of limit, (S, m).

        Positions are measured from the middle of their range.

        Args:
            motion: q, qd and qdd of all joints.
            worst: whether dry friction is added in full to every effort, independent of the direction of motion.
        """
        q, qd, qdd = motion
        lower, upper = self.limits.lower, self.limits.upper
        shares = {
            "position": (q - (upper + lower) / 2) / ((upper - lower) / 2),
            "velocity": qd / self.limits.velocity,
            "acceleration": qdd / self.limits.acceleration,
        }
        if self.torques is not None:
            tau = np.asarray(self.torques(q=q, qd=qd, qdd=qdd)["tau"])
            efforts = (tau - self.dry * np.sign(qd) if worst else tau) @ self.limits.loads.T
            if worst:
                efforts += np.sign(efforts) * (np.abs(self.limits.loads) @ self.dry)
            shares["effort"] = efforts / self.limits.effort
        return shares

    def _penalty(self, x: Array, allowed: float) -> tuple[float, Array]:
        """Return the sum of squared violations of the limits for a motion x, and its gradient.

        If `allowed` is below 1, the full dry friction is added to every effort, independent of the direction of motion,
        because its discontinuities would stop the optimisation.

        Args:
            x: the motion (n, 1 + d).
            allowed: fraction of the limits that may be used.
        """
        motion = self.moved(self.limits.tree(x), self.many)
        over = {
            name: np.sign(share) * np.maximum(np.abs(share) - allowed, 0)
            for name, share in self._shares(motion, worst=allowed < 1).items()
        }
        cost = sum(float((part**2).mean()) for part in over.values())
        units = {
            "position": 2 / (self.limits.upper - self.limits.lower),
            "velocity": 1 / self.limits.velocity,
            "acceleration": 1 / self.limits.acceleration,
            "effort": 1 / self.limits.effort,
        }
        pulls = {name: 2 / part.size * part * units[name] for name, part in over.items()}
        torques = pulls.pop("effort", None)
        slope = np.zeros((len(self.limits.joints), x.shape[1]))
        for pull, linear in zip(pulls.values(), self.many, strict=True):
            slope += pull.T @ linear
        if self.slopes is not None and torques is not None and torques.any():
            by = self.slopes(**dict(zip(("q", "qd", "qdd"), motion, strict=True)))
            for name, linear in zip(("dtau_dq", "dtau_dqd", "dtau_dqdd"), self.many, strict=True):
                loads = torques @ self.limits.loads
                slope += np.einsum("si,sij->sj", loads, np.asarray(by[name])).T @ linear
        if self.clearance is not None:
            aim = CLEARANCE_AIM * self.clearance.least / allowed
            sums, rates = self.clearance.model.violation(motion[0][:, self.limits.own_rows], aim)
            unit = len(sums) * self.clearance.least**2
            cost += float(sums.sum()) / unit
            slope += (rates / unit).T @ self.many[0]
        return cost, self.limits.ratios.T @ slope

    def used(self, x: Array) -> dict[str, float]:
        """Return the largest used fraction of each kind of limit along a motion x, at all times of a period."""
        lower, upper = self.limits.lower, self.limits.upper
        q, qd, qdd = (_bounds(part) for part in self.moved(self.limits.tree(x), self.dense))
        shares = {
            "position": _farthest(q, (upper + lower) / 2) / ((upper - lower) / 2),
            "velocity": _farthest(qd) / self.limits.velocity,
            "acceleration": _farthest(qdd) / self.limits.acceleration,
        }
        used = {name: float(share.max()) for name, share in shares.items() if share.any()}
        effort = self.effort(x)
        return used if effort is None else {**used, "effort": effort}

    def effort(self, x: Array) -> float | None:
        """Return the largest used fraction of the effort limits along a motion x, at all times of a period.

        The result is None if there are no effort limits.
        """
        if self.torques is None:
            return None
        series = self.limits.tree(x)
        shares = np.abs(self._shares(self.moved(series, self.dense))["effort"])
        largest = float(shares.max())
        if not np.isfinite(largest):
            return np.inf
        before, after = np.roll(shares, 1, 0), np.roll(shares, -1, 0)
        peaks = (shares >= before) & (shares >= after) & (shares > TORQUE_PEAK * largest)
        rows, joints = np.nonzero(peaks)
        middle, step = self.dense_times[rows], self.dense_times[1]
        for _ in range(ZOOMS):
            times = middle[:, None] + step * np.arange(-ZOOM, ZOOM + 1) / ZOOM
            motion = self.moved(series, self._linear(times.reshape(-1)))
            near = np.abs(self._shares(motion)["effort"]).reshape(*times.shape, len(series))
            own = near[np.arange(len(rows)), :, joints]
            largest = max(largest, float(own.max(initial=0.0)))
            middle, step = times[np.arange(len(rows)), own.argmax(1)], step / ZOOM
        return largest

    def feasible(self, x: Array) -> Array:
        """Return the motion x, reduced until it satisfies all limits.

        For torque limits and distances the amplitudes of all joints are reduced by a common factor.
        """
        return self._without_collisions(self._within_torque_limits(self._within(x)))

    def _within(self, x: Array) -> Array:
        """Return the motion x, reduced until it satisfies all limits except those of torques.

        First the motion of each joint is scaled about the centre of its range, together with that of the joints
        coupled to it, until the positions are within their limits. Then the amplitudes are reduced for the limits of
        velocity and acceleration.
        """
        centre = np.zeros_like(x)
        centre[:, 0] = self.limits.centre
        middle = self.limits.tree(centre)[:, 0]
        q = _bounds(self.moved(self.limits.tree(x), self.dense)[0])
        most = np.maximum(
            (q[1] - middle) / (self.limits.upper - middle), (q[0] - middle) / (self.limits.lower - middle)
        )
        x = centre + (x - centre) * self._share(most)
        _, qd, qdd = (_bounds(part) for part in self.moved(self.limits.tree(x), self.dense))
        most = np.maximum(_farthest(qd) / self.limits.velocity, _farthest(qdd) / self.limits.acceleration)
        x[:, 1:] *= self._share(most)
        return x

    def _share(self, most: Array) -> Array:
        """Return the factor by which the motion of each coordinate must be multiplied to satisfy the limits, (n, 1).

        Args:
            most: largest used fraction of the limits of each joint (m,).
        """
        return np.asarray(KEPT_LIMIT / np.maximum(self.limits.by_coordinate(most), KEPT_LIMIT))[:, None]

    def _within_torque_limits(self, x: Array) -> Array:
        """Return the motion x with amplitudes reduced until the torque limits are satisfied.

        The motion is not changed if even the smallest motion exceeds the torque limits.
        """

        def holds(scale: float) -> bool:
            effort = self.effort(_scaled(x, scale))
            return effort is None or effort <= KEPT_LIMIT

        return _reduced(x, holds)

    def _without_collisions(self, x: Array) -> Array:
        """Return the motion x with amplitudes reduced until all links keep their distances.

        The motion is not changed if even the smallest motion does not keep them.
        """
        return _reduced(x, lambda scale: self.is_clear(_scaled(x, scale)))

    def smallest_distance(self, x: Array) -> SmallestDistance | None:
        """Return the smallest distance between links along a motion x; None if collisions are not avoided."""
        if self.clearance is None:
            return None
        series, own = self.limits.tree(x), self.limits.own_rows

        def motion(t: Array) -> tuple[Array, Array]:
            q, qd, _ = self.moved(series, self._linear(t))
            return q[:, own], qd

        times = np.append(self.dense_times, 1 / self.frequency)
        fastest = _farthest(_bounds(self.moved(series, self.dense)[2]))
        ranges = np.maximum(np.abs(self.limits.lower), np.abs(self.limits.upper))
        frames = self.clearance.model.robot.frame
        slides = {
            j: float(x)
            for j, x in zip(self.limits.joints, ranges, strict=True)
            if frames(j).sigma == JointType.PRISMATIC
        }
        return self.clearance.smallest(motion, times, fastest, slides)

    def is_clear(self, x: Array) -> bool:
        """Return whether all links keep their distances at all times of a motion x."""
        smallest = self.smallest_distance(x)
        if smallest is None or self.clearance is None:
            return True
        return smallest.distance - smallest.tolerance >= self.clearance.least

    def slow_efforts(self, x: Array) -> Array | None:
        """Return the largest efforts of the joints (m,) if the amplitudes of the motion x are reduced to almost zero.

        The result is None if there are no effort limits.
        """
        if self.torques is None:
            return None
        slow = self.limits.tree(_scaled(x, 2.0**-HALVINGS / max(np.abs(x[:, 1:]).max(), TINY)))
        shares = np.abs(self._shares(self.moved(slow, self.dense))["effort"])
        return np.asarray(shares.max(axis=0) * self.limits.effort)

    # -- optimisation

    def optimised(self, x: Array) -> Array:
        """Return the best motion that the optimisation reaches from the motion x.

        It satisfies the limits if possible.
        """
        best = self._optimised_from(x)
        return best if self.keeps(best) else self._optimised_from(self._with_smaller_violation(x))

    def _optimised_from(self, x: Array) -> Array:
        """Return the best motion that the optimisation reaches from the motion x, without a second start.

        With dry friction, a smaller motion can require as much torque as a larger motion at other positions. In this
        case reducing the motion does not help, or leaves little of it, and the optimisation continues with tighter
        limits.
        """
        unconstrained = self._with_penalties(x)
        best = self.feasible(unconstrained)
        for allowed in TIGHTER:
            if self.keeps(best) and self._condition(best) <= SPOILT_CONDITION * self._condition(
                unconstrained
            ):
                break
            unconstrained = self._with_penalties(unconstrained, HARD, allowed)
            other = self.feasible(unconstrained)
            if self.keeps(other) and not (
                self.keeps(best) and self._condition(best) < self._condition(other)
            ):
                best = other
        return best

    def keeps(self, x: Array) -> bool:
        """Return whether the motion x satisfies all limits."""
        return all(share <= 1 for share in self.used(x).values()) and self.is_clear(x)

    def _condition(self, x: Array) -> float:
        return condition(self.matrix(x, self.dense_middles))

    def _with_penalties(
        self, x: Array, penalties: tuple[float, ...] = PENALTIES, allowed: float = 1.0
    ) -> Array:
        """Minimise the criterion from the motion x, with penalties for violated limits, and return the motion.

        Args:
            x: initial motion (n, 1 + d).
            penalties: increasing weights of the penalty; for each weight one minimisation is made.
            allowed: fraction of the limits that may be used.
        """
        for penalty in penalties:
            x = self._minimised(x, partial(self.objective, penalty=penalty, allowed=allowed))
        return x

    def _with_smaller_violation(self, x: Array) -> Array:
        """Return a motion near x that violates the limits less; the criterion is ignored."""

        def cost(flat: Array) -> tuple[float, Array]:
            value, slope = self._penalty(flat.reshape(x.shape), TIGHTER[-1])
            return value, slope.reshape(-1)

        return self.feasible(self._minimised(x, cost))

    def _minimised(self, x: Array, cost: Callable[[Array], tuple[float, Array]]) -> Array:
        from scipy.optimize import minimize

        units = np.repeat(self.equation.joint_units, x.shape[1])  # unknowns in radians and robot lengths

        def in_units(u: Array) -> tuple[float, Array]:
            value, slope = cost(u * units)
            return value, slope * units

        start = x.reshape(-1) / units
        solution = minimize(in_units, start, jac=True, method="L-BFGS-B", options={"maxiter": 150})
        return np.asarray(solution.x * units).reshape(x.shape)


def _reduced(x: Array, holds: Callable[[float], bool]) -> Array:
    """Return the motion x with its amplitudes multiplied by the largest factor for which a condition holds.

    The motion is not changed if the condition does not hold for the smallest motion.

    Args:
        x: the motion.
        holds: whether the condition holds for a factor in [0, 1].
    """
    if holds(1.0) or not holds(0.0):
        return x
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return _scaled(x, low) if low > 0 else x


def _scaled(x: Array, scale: float) -> Array:
    """Return the motion x with its amplitudes multiplied by `scale` and with the same offset."""
    return np.hstack([x[:, :1], scale * x[:, 1:]])


def _bounds(values: Array) -> tuple[Array, Array]:
    """Return lower and upper bounds of trigonometric polynomials over the whole period, also between samples.

    Args:
        values: samples on the dense grid, one column per polynomial.
    """
    low, high = values.min(0), values.max(0)
    middle, half = (low + high) / 2, BETWEEN * (high - low) / 2
    return middle - half, middle + half


def _farthest(bounds: tuple[Array, Array], middle: Array | float = 0.0) -> Array:
    return np.asarray(np.maximum(bounds[1] - middle, middle - bounds[0]))


def condition(w: Array) -> float:
    """Return the condition number of a matrix with columns scaled to unit length."""
    size = np.linalg.norm(w, axis=0)
    s = np.linalg.svd(w / np.where(size > 0, size, 1), compute_uv=False)
    return float(s[0] / max(s[-1], TINY))


def _at_rest(harmonics: int) -> Array:
    """Return a basis of the Fourier coefficients (a, b) with zero velocity and acceleration at t = 0.

    These satisfy sum of a = 0 and sum of l b = 0 over the harmonics l.
    """
    orders = np.arange(1, harmonics + 1)
    rows = np.zeros((2, 2 * harmonics))
    rows[0, :harmonics] = 1
    rows[1, harmonics:] = orders
    _, s, v = np.linalg.svd(rows)
    basis: Array = v[len(s) :].T
    return basis
