"""The drives of a simulated robot: torques, given or by a control law, and motions that driven joints follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.robot.coordinates import unconstrained_passive_joints
from symoro.robot.description import Robot
from symoro.simulation.mechanics import Controller, Mechanics
from symoro.simulation.tolerances import (
    JUMP_SIDE,
    MOTION_AT_REST,
    MOTION_ROUND_OFF,
    RATE_MISMATCH,
    SHORTEST_INTERVAL,
    START_MISMATCH,
)
from symoro.trajectory.samples import Samples

Array = NDArray[np.float64]

HALVINGS = 60
GivenMotion = Callable[[float], tuple[float, float, float]]
"""Time -> position, velocity and acceleration of a joint."""


class Drives:
    """The torques of the drives, and the motions that joints follow."""

    def __init__(
        self, mechanics: Mechanics, tau: Controller | ArrayLike | None, motions: Mapping[int, GivenMotion]
    ) -> None:
        self.mechanics, self.motions = mechanics, motions
        self._n = len(mechanics.coordinates)
        loose = unconstrained_passive_joints(mechanics.robot)
        self._loose = [k for k, j in enumerate(mechanics.coordinates) if j in loose]
        self._law: Controller | None = None
        self.constant: Array | None = None
        if both := self.mechanics.fixed.keys() & motions.keys():
            joint = mechanics.coordinates[min(both)]
            raise ArgumentError(
                f"joint {joint} has a torque that the robot fixes (GAM), and follows no motion"
            )
        self.raised: Exception | None = None  # what the law has raised
        self.jumps: tuple[float, ...] = ()
        self.within(-np.inf, np.inf)
        if callable(tau):
            self._law, self.jumps = tau, _jumps(tau)
        else:
            self._check_fixed(tau)
            self.constant = self._checked(np.zeros(self._n) if tau is None else tau, 0.0)

    def torques(self, t: float, y: Array) -> Array:
        """What the law says at a moment."""
        if self._law is None:
            assert self.constant is not None
            return self.constant
        try:
            found = self._law(t, self.mechanics.state(t, y))
        except Exception as error:
            self.raised = error
            raise
        return self._checked(found, t)

    def within(self, start: float, end: float) -> None:
        """The law is smooth between two moments: what acts there is what it says inside."""
        width = JUMP_SIDE * max((abs(t) for t in (start, end) if np.isfinite(t)), default=0.0)
        self._first, self._last = (start + width, end - width) if end - start > 4 * width else (start, end)

    def acting(self, t: float, y: Array) -> Array:
        """The torques that act at a moment; at an end of a smooth stretch those inside, not those beyond the jump."""
        return self.torques(min(max(t, self._first), self._last), y)

    def _checked(self, tau: Any, t: float) -> Array:
        try:
            found = np.array(tau, dtype=float)  # a copy: the law may give the same array again
        except (TypeError, ValueError):
            raise ArgumentError(f"the torques at t = {t:g} s are no numbers: {str(tau)[:60]}") from None
        if found.shape != (self._n,):
            joints = ", ".join(map(str, self.mechanics.coordinates))
            raise ArgumentError(
                f"the torques at t = {t:g} s have shape {found.shape}, expected ({self._n},) for joints {joints}"
            )
        if not np.isfinite(found).all():
            joint = self.mechanics.coordinates[int(np.flatnonzero(~np.isfinite(found))[0])]
            raise ArgumentError(f"the torque of joint {joint} is not a finite number at t = {t:g} s")
        for k in self._loose:
            if found[k]:
                raise ArgumentError(
                    f"joint {self.mechanics.coordinates[k]} is passive, and its torque at t = {t:g} s is {found[k]:g}: "
                    "no motor is there to give it",
                    hint="give 0 for it; or describe the joint as active",
                )
        found[list(self.mechanics.fixed)] = list(self.mechanics.fixed.values())
        return found

    def _check_fixed(self, tau: Any) -> None:
        """Raise where a torque is given that the robot fixes at another value; zero says nothing."""
        if tau is None or np.shape(tau) != (self._n,):
            return
        for k, value in self.mechanics.fixed.items():
            if tau[k] and tau[k] != value:
                joint = self.mechanics.coordinates[k]
                raise ArgumentError(
                    f"the torque of joint {joint} is given as {tau[k]}, and fixed at {value:g} by the robot (GAM)",
                    hint="give 0 there, or take GAM out of the robot",
                )

    def check_start(self, y: Array, *, speeds: bool) -> None:
        """Raise where a state contradicts the motions; with `speeds`, its velocities too."""
        state = self.mechanics.state(0.0, y)
        given = {"q": state.q, **({"qd": state.qd} if speeds else {})}
        for k, motion in self.motions.items():
            told = dict(zip(("q", "qd"), motion(0.0), strict=False))
            for name, values in given.items():
                if abs(values[k] - told[name]) > START_MISMATCH * (
                    self.mechanics.coordinate_units[k] + abs(told[name])
                ):
                    joint = self.mechanics.coordinates[k]
                    raise ArgumentError(
                        f"{name} of joint {joint} is {values[k]:g} at the start, and {told[name]:g} by the motion that "
                        "the joint follows",
                        hint="start where the motion does",
                    )

    def told(self, grid: Array) -> tuple[Array, str]:
        """The moments up to which the motions are finite numbers, and a reason where they are not all.

        Raises:
            ArgumentError: a motion jumps, or its velocity or acceleration is not the derivative of what it belongs to.
        """
        before = self._motions(0.0)
        for i, t in enumerate(grid):
            here = self._motions(float(t))
            if not (bad := np.flatnonzero(~np.isfinite(here).all(axis=1))).size:
                self._check_way(float(grid[max(i - 1, 0)]), before, float(t), here)
                before = here
                continue
            good, late = float(grid[i - 1]), float(t)
            for _ in range(HALVINGS):
                middle = (good + late) / 2
                good, late = (middle, late) if np.isfinite(self._motions(middle)).all() else (good, middle)
            joint = self.mechanics.coordinates[list(self.motions)[int(bad[0])]]
            why = f"the motion of joint {joint} is not a finite number from t = {late:g} s on"
            return (grid[:i] if good == grid[i - 1] else np.append(grid[:i], good)), why
        return grid, ""

    def _motions(self, t: float) -> Array:
        """q, qd and qdd of the driven joints, a row each."""
        return np.array([motion(t) for motion in self.motions.values()], dtype=float).reshape(-1, 3)

    def _check_way(self, start: float, before: Array, end: float, after: Array) -> None:
        """Raise where what changes between two moments is not what its rate says.

        By the trapezoidal rule, to as much as the rate changes meanwhile; where that does not do the interval is
        halved, as a motion may be fast and its acceleration may jump. What does not fit in a moment never fits.
        """
        if not len(before) or not end > start:
            return
        h = end - start
        rates, later = before[:, 1:], after[:, 1:]
        off = np.abs(after[:, :2] - before[:, :2] - h / 2 * (rates + later))
        units = self.mechanics.coordinate_units[list(self.motions), None]
        most = h / 2 * np.abs(later - rates) + RATE_MISMATCH * h * (units + np.abs(rates) + np.abs(later))
        most += MOTION_ROUND_OFF * (units + np.abs(before[:, :2]))
        bad = np.argwhere(off > most)
        if not len(bad):
            return
        if h > SHORTEST_INTERVAL:
            middle = (start + end) / 2
            between = self._motions(middle)
            if np.isfinite(between).all():
                self._check_way(start, before, middle, between)
                self._check_way(middle, between, end, after)
            return
        k, order = bad[0]
        what, rate = (("position", "velocity"), ("velocity", "acceleration"))[order]
        joint = self.mechanics.coordinates[list(self.motions)[k]]
        raise ArgumentError(
            f"the motion of joint {joint}: at t = {end:g} s its {what} jumps, or its {rate} is not the derivative",
            hint="give t -> (q, qd, qdd)",
        )

    def moved(self, t: float, y: Array) -> tuple[Array, dict[int, float]]:
        """The state with driven joints where and as fast as their motions say, and their accelerations."""
        if not self.motions:
            return y, {}
        y, known = y.copy(), {}
        for k, motion in self.motions.items():
            q, qd, known[k] = motion(t)
            if not isfinite(q + qd + known[k]):
                joint = self.mechanics.coordinates[k]
                raise FloatingPointError(f"the motion of joint {joint} is not finite at t = {t:g} s")
            y[self.mechanics.parts["q"].start + self.mechanics.at[k]] = q
            y[self.mechanics.parts["qd"].start + k] = qd
        return y, known


def _jumps(law: Any) -> tuple[float, ...]:
    """The moments at which a law jumps, where it has the attribute."""
    try:
        found = np.array(getattr(law, "jumps", ()), dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ArgumentError("the attribute 'jumps' of the torques' law: expected moments, in seconds")
    return tuple(map(float, found))


def joint_motions(
    robot: Robot,
    coordinates: Sequence[int],
    driven: Mapping[int | str, GivenMotion] | Samples | None,
    duration: float,
) -> dict[int, GivenMotion]:
    """The motions by the number of the coordinate.

    Raises:
        ArgumentError: a joint without a coordinate, a motion that is no three numbers, samples that do not reach over
            the duration.
    """
    if driven is None:
        return {}
    pieces = isinstance(driven, Samples)  # polynomials, whose derivatives are what they are
    if isinstance(driven, Samples):
        _check_reach(driven, duration)
        row = _row(driven)
        driven = {j: _column(row, k) for k, j in enumerate(driven.joints)}
    found: dict[int, GivenMotion] = {}
    for which, motion in driven.items():
        j = robot.frame_number(which)
        if robot.frame(j).eta:
            raise ArgumentError(
                f"joint {which} is elastic: it moves as its spring lets it, and follows no motion"
            )
        if j in unconstrained_passive_joints(robot):
            raise ArgumentError(
                f"joint {which} is passive: it moves as forces let it, and no motor is there to follow a motion",
                hint="leave it out; or describe the joint as active",
            )
        if j not in coordinates:
            known = ", ".join(map(str, coordinates))
            raise ArgumentError(
                f"joint {which} has no coordinate of its own that could follow a motion",
                hint=f"those that have: {known}",
            )
        if not pieces:
            _check_motion(j, motion)
        found[coordinates.index(j)] = motion
    return found


def _row(samples: Samples) -> Callable[[float], tuple[Array, Array, Array]]:
    """The motion of all joints at a moment; the last one is kept, since each joint asks for it."""
    last: tuple[float, tuple[Array, Array, Array]] | None = None

    def found(t: float) -> tuple[Array, Array, Array]:
        nonlocal last
        if last is None or last[0] != t:
            q, qd, qdd = (rows[0] for rows in samples.at(t))
            last = t, (q, qd, qdd)
        return last[1]

    return found


def _column(row: Callable[[float], tuple[Array, Array, Array]], k: int) -> GivenMotion:
    def motion(t: float) -> tuple[float, float, float]:
        q, qd, qdd = row(t)
        return float(q[k]), float(qd[k]), float(qdd[k])

    return motion


def _check_reach(samples: Samples, duration: float) -> None:
    """Raise where a motion begins or ends within the duration, and is not at rest there."""
    slow = MOTION_AT_REST * np.abs(samples.qd).max(axis=0)
    for at, verb, within in (
        (0, "begins", samples.t[0] > MOTION_AT_REST * duration),
        (-1, "ends", samples.t[-1] < (1 - MOTION_AT_REST) * duration),
    ):
        moving = np.flatnonzero(np.abs(samples.qd[at]) > slow)
        if within and len(moving):
            k = int(moving[0])
            raise ArgumentError(
                f"the motion of joint {samples.joints[k]} {verb} at t = {samples.t[at]:g} s with the velocity "
                f"{samples.qd[at, k]:g}, and the simulation is from 0 to {duration:g} s",
                hint="simulate no longer than the motion lasts, or let it begin and end at rest",
            )


def _check_motion(j: int, motion: GivenMotion) -> None:
    """A motion must be three finite numbers at the start; what comes of them is looked at along the way (`drives`)."""
    try:
        here = np.array(motion(0.0), dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"the motion of joint {j}: expected t -> (q, qd, qdd)") from None
    if here.shape != (3,) or not np.isfinite(here).all():
        raise ArgumentError(f"the motion of joint {j}: expected t -> (q, qd, qdd), three finite numbers")
