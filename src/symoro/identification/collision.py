"""Distances between the links of a robot along a motion and at postures: the constraint that avoids collisions.

Between two times the distance of a pair of capsules changes by at most the sum of their speeds times the duration. With
a bound V of this rate on an interval of length h, and the distances d0 and d1 at its ends,

    d(t) >= (d0 + d1 - V h) / 2                                                      for all t of the interval

Intervals whose bound is below the smallest distance so far are halved until none is left (Piyavskii 1972, Shubert
1972), so that the smallest distance of the whole motion is known up to a tolerance. V is the sum over the joints of the
largest velocity on the interval times the lever arm of the capsules (`CapsuleModel.rate_bounds`).

B.O. Shubert, "A sequential method seeking the global maximum of a function", SIAM Journal on Numerical Analysis 9,
1972.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from symoro.errors import ArgumentError, OptionError
from symoro.identification.tolerances import CLEARANCE_TOLERANCE, DEFAULT_CLEARANCE
from symoro.models.geometric.capsules import FLOOR, CapsuleModel, body_of, capsule_model
from symoro.models.numeric.fixed_point import Array
from symoro.robot.description import Robot
from symoro.robot.size import robot_reach

Motion = Callable[
    [Array], tuple[Array, Array]
]  # times (S,) -> coordinates (S, n), velocities of the joints (S, m)


@dataclass(frozen=True, kw_only=True)
class CollisionOptions:
    """Options of the avoidance of collisions, for `excite` and `optimal_postures`.

        symoro.excite(robot, options=symoro.ExcitationOptions(collision=symoro.CollisionOptions(floor=0.0)))

    Attributes:
        clearance: required distance between links that are not adjacent (m); by default 1 % of the sum of the robot's
            lengths.
        radius: radius of the capsules along the frames of a robot without described capsules (m); by default 5 % of
            the sum of the robot's lengths.
        floor: height of the floor in the world (m), from which all links that can move keep the clearance; None for
            no floor.

    Raises:
        OptionError: a field has a wrong value.
    """

    clearance: float | None = None
    radius: float | None = None
    floor: float | None = None

    def __post_init__(self) -> None:
        for name in ("clearance", "radius"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value > 0):
                raise OptionError(f"{name}: expected a positive length in metres, got {value}")
        if self.floor is not None and not isfinite(self.floor):
            raise OptionError(f"floor: expected a height in metres, got {self.floor}")


@dataclass(frozen=True)
class SmallestDistance:
    """Smallest distance between two links along a motion.

    Attributes:
        distance: the distance (m); along the whole motion no distance is smaller by more than `tolerance`.
        pair: names of the two links.
        time: time at which it occurs (s).
        tolerance: accuracy of the distance (m).
    """

    distance: float
    pair: str
    time: float
    tolerance: float


@dataclass(frozen=True, eq=False)
class Clearance:
    """Required distance between the links of a robot.

    Attributes:
        model: the capsules and the pairs of links.
        least: required distance (m).
        reference: posture in which pairs of links that are closer than this are excluded.
    """

    model: CapsuleModel
    least: float
    reference: tuple[float, ...]

    @property
    def tolerance(self) -> float:
        """Accuracy of the smallest distance of a motion (m)."""
        return CLEARANCE_TOLERANCE * self.least

    def notes(self) -> list[str]:
        """Return remarks on the capsules: their origin, excluded pairs and links without a shape."""
        model = self.model
        origin = (
            "those of the description"
            if model.described
            else (f"derived from the frames, with the radius {model.capsules[0].radius:.3g} m")
        )
        notes = [f"the links are represented by {len(model.capsules)} capsules, {origin}"]
        if model.excluded:
            names = "; ".join(model.names(pair) for pair in model.excluded)
            place = ", ".join(f"{q:.3g}" for q in self.reference)
            notes.append(
                f"not checked, because they are closer than {self.least:.3g} m in the reference posture "
                f"[{place}]: {names}"
            )
        shaped = {one.body for one in model.capsules}
        bodies = {body_of(model.robot, j) for j in range(1, model.robot.NL + 1)} - shaped
        if model.described and bodies:
            notes.append(f"links without a capsule are not checked: {', '.join(map(str, sorted(bodies)))}")
        return notes

    def holds(self, q: Array) -> Array:
        """Return, for each posture q (S, n), whether all distances are at least the required one (S,)."""
        return np.asarray(self.model.distances(q).min(axis=1, initial=np.inf) >= self.least)

    def closest(self, q: Array) -> tuple[float, str]:
        """Return the smallest distance at postures q (S, n), and the names of its pair of links."""
        distances = self.model.distances(q)
        k = int(distances.min(axis=0).argmin())
        return float(distances[:, k].min()), self.model.names(self.model.pairs[k])

    def smallest(
        self, motion: Motion, times: Array, accelerations: Array, ranges: Mapping[int, float]
    ) -> SmallestDistance:
        """Return the smallest distance along a motion, or any distance below the required one.

        Args:
            motion: returns the coordinates (S, n) and the velocities of all moving joints (S, m) at times (S,).
            times: increasing times, from the start to the end of the motion.
            accelerations: largest absolute accelerations of the joints (m,).
            ranges: largest absolute positions of the prismatic joints (m), by joint.
        """
        model = self.model
        bounds = model.rate_bounds(ranges)
        q, qd = motion(times)
        all_gaps = model.row_distances(q)
        best, time, row = _smallest(all_gaps, times)
        t, gaps, speeds = (np.stack([x[:-1], x[1:]]) for x in (times, all_gaps, np.abs(qd)))
        while best >= self.least:
            h = (t[1] - t[0])[:, None]
            lower = (gaps.sum(0) - (speeds.max(0) + accelerations * h / 2) @ bounds.T * h) / 2
            undecided = lower.min(axis=1) < best - self.tolerance
            if not undecided.any():
                break
            t, gaps, speeds = (x[:, undecided] for x in (t, gaps, speeds))
            middle = t.mean(0)
            q, qd = motion(middle)
            between = model.row_distances(q)
            best, time, row = min((best, time, row), _smallest(between, middle))
            t, gaps, speeds = _halved(t, middle), _halved(gaps, between), _halved(speeds, np.abs(qd))
        names = model.names(model.pairs[model.rows[2][row]])
        return SmallestDistance(best, names, time, self.tolerance)


def _smallest(gaps: Array, times: Array) -> tuple[float, float, int]:
    """Return the smallest of the distances (S, rows) at times (S,), its time, and its row."""
    s, row = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return float(gaps[s, row]), float(times[s]), int(row)


def _halved(ends: Array, middle: Array) -> Array:
    """Return the values at both ends of halved intervals, (2, 2 I, ...).

    Args:
        ends: values at the ends of the intervals (2, I, ...).
        middle: values at their middles (I, ...).
    """
    return np.concatenate([np.stack([ends[0], middle]), np.stack([middle, ends[1]])], axis=1)


def clearance_of(
    robot: Robot,
    options: CollisionOptions,
    reference: Sequence[float] | Array,
    values: Mapping[str, float] | None = None,
) -> Clearance:
    """Return the required distances between the links of a robot.

    Pairs of links that are closer in the reference posture are excluded.

    Args:
        robot: a tree on a fixed base.
        options: clearance, radius of derived capsules, and floor.
        reference: coordinates of the reference posture if the robot has no posture 'home'.
        values: numbers for symbols; nominal values are the default.

    Raises:
        NotApplicableError: the robot has closed loops, flexible links or a moving base.
        ArgumentError: a symbol has no number, or no pair of links is left to be checked.
    """
    least = options.clearance or DEFAULT_CLEARANCE * robot_reach(robot, values or {})
    posture = tuple(float(x) for x in robot.postures.get("home", reference))
    model = capsule_model(robot, values, radius=options.radius, floor=options.floor)
    gaps = model.distances(np.array([posture]))[0]
    close = tuple(pair for pair, gap in zip(model.pairs, gaps, strict=True) if gap < least)
    model = replace(model, excluded=close)
    if not model.pairs:
        reason, hint = "all its links with a shape are adjacent to each other", "omit the option 'collision'"
        if close:
            reason = f"all links that are not adjacent are closer than {least:.3g} m in the reference posture"
            hint = "give it a posture 'home', or a smaller clearance or radius"
        raise ArgumentError(
            f"collisions of robot '{robot.name}' cannot be checked: {reason}",
            hint=f"give the robot capsules, or {hint}",
        )
    if options.floor is not None and not any(FLOOR in pair for pair in model.pairs):
        raise ArgumentError(
            f"floor: all links of robot '{robot.name}' are below the height {options.floor:g} m, or closer to it than "
            f"the clearance {least:.3g} m, in the reference posture",
            hint="give a height in metres below the robot, or a posture 'home' above the floor",
        )
    return Clearance(model, least, posture)


def requested_clearance(
    robot: Robot,
    collision: CollisionOptions | bool | None,
    reference: Sequence[float] | Array,
    values: Mapping[str, float] | None = None,
) -> Clearance | None:
    """Return the required distances between the links of a robot; None if collisions are not avoided.

    Args:
        robot: the robot.
        collision: whether collisions are avoided, or how; by default they are if the robot has capsules.
        reference: coordinates of the reference posture if the robot has no posture 'home'.
        values: numbers for symbols; nominal values are the default.

    Raises:
        NotApplicableError, ArgumentError: for the same reasons as `clearance_of`.
    """
    if collision is False or (collision is None and not robot.capsules):
        return None
    options = collision if isinstance(collision, CollisionOptions) else CollisionOptions()
    return clearance_of(robot, options, reference, values)
