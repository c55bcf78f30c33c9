"""Drives of a simulated robot: torques, constant or from a control law, and prescribed motions of driven joints."""

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
"""Function of time that returns position, velocity and acceleration of a joint."""


class Drives:
    """Inputs of a simulation: torques of the drives, and prescribed motions of joints."""

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
            raise ArgumentError(f"joint {joint} has a fixed torque (GAM), so its motion cannot be prescribed")
        self.raised: Exception | None = None  # exception raised by the law
        self.jumps: tuple[float, ...] = ()
        self.within(-np.inf, np.inf)
        if callable(tau):
            self._law, self.jumps = tau, _jumps(tau)
        else:
            self._check_fixed(tau)
            self.constant = self._checked(np.zeros(self._n) if tau is None else tau, 0.0)

    def torques(self, t: float, y: Array) -> Array:
        """Return the torques (n,) at time t in the state y: those of the control law, or the given constant torques."""
        if self._law is None:
            assert self.constant is not None
            return self.constant
        try:
            tau = self._law(t, self.mechanics.state(t, y))
        except Exception as error:
            self.raised = error
            raise
        return self._checked(tau, t)

    def within(self, start: float, end: float) -> None:
        """Set the time interval [start, end] between two discontinuities of the control law.

        Afterwards `acting` evaluates the control law only strictly inside this interval.
        """
        width = JUMP_SIDE * max((abs(t) for t in (start, end) if np.isfinite(t)), default=0.0)
        self._first, self._last = (start + width, end - width) if end - start > 4 * width else (start, end)

    def acting(self, t: float, y: Array) -> Array:
        """Return the torques (n,) that act at time t in the state y.

        At an end of the time interval set by `within`, where the control law may jump, the law is evaluated at a
        time just inside the interval.
        """
        return self.torques(min(max(t, self._first), self._last), y)

    def _checked(self, tau: Any, t: float) -> Array:
        try:
            torques = np.array(tau, dtype=float)  # a copy, because the law may return the same array again
        except (TypeError, ValueError):
            raise ArgumentError(f"the torques at t = {t:g} s are not numbers: {str(tau)[:60]}") from None
        if torques.shape != (self._n,):
            joints = ", ".join(map(str, self.mechanics.coordinates))
            raise ArgumentError(
                f"the torques at t = {t:g} s have shape {torques.shape}, expected ({self._n},) for joints {joints}"
            )
        if not np.isfinite(torques).all():
            joint = self.mechanics.coordinates[int(np.flatnonzero(~np.isfinite(torques))[0])]
            raise ArgumentError(f"the torque of joint {joint} is not a finite number at t = {t:g} s")
        for k in self._loose:
            if torques[k]:
                raise ArgumentError(
                    f"joint {self.mechanics.coordinates[k]} is passive and has no motor, but its torque at t = {t:g} "
                    "s is "
                    f"{torques[k]:g}",
                    hint="give 0 for this joint, or describe it as active",
                )
        torques[list(self.mechanics.fixed)] = list(self.mechanics.fixed.values())
        return torques

    def _check_fixed(self, tau: Any) -> None:
        """Reject given torques tau (n,) that contradict a torque prescribed in the robot's description (GAM)."""
        if tau is None or np.shape(tau) != (self._n,):
            return
        for k, value in self.mechanics.fixed.items():
            if tau[k] and tau[k] != value:
                joint = self.mechanics.coordinates[k]
                raise ArgumentError(
                    f"the torque of joint {joint} is given as {tau[k]}, but the robot prescribes {value:g} (GAM)",
                    hint="give 0 for this joint, or remove GAM from the robot",
                )

    def check_start(self, y: Array, *, speeds: bool) -> None:
        """Check that the initial state y agrees with the prescribed motions at t = 0.

        Args:
            speeds: check the velocities as well as the positions.

        Raises:
            ArgumentError: a position or velocity differs.
        """
        state = self.mechanics.state(0.0, y)
        given = {"q": state.q, **({"qd": state.qd} if speeds else {})}
        for k, motion in self.motions.items():
            prescribed = dict(zip(("q", "qd"), motion(0.0), strict=False))
            for name, values in given.items():
                if abs(values[k] - prescribed[name]) > START_MISMATCH * (
                    self.mechanics.coordinate_units[k] + abs(prescribed[name])
                ):
                    joint = self.mechanics.coordinates[k]
                    raise ArgumentError(
                        f"{name} of joint {joint} is {values[k]:g} at the start, but its prescribed motion starts at "
                        f"{prescribed[name]:g}",
                        hint="give the initial value of the motion",
                    )

    def finite_times(self, grid: Array) -> tuple[Array, str]:
        """Return the sample times up to which all prescribed motions are finite, and the reason if they end early.

        The reason is an empty text if the motions are finite at all sample times.

        Args:
            grid: sample times of the simulation in seconds.

        Raises:
            ArgumentError: a motion jumps, or the given velocity or acceleration is not the derivative of the position.
        """
        before = self._motions(0.0)
        for i, t in enumerate(grid):
            here = self._motions(float(t))
            if not (bad := np.flatnonzero(~np.isfinite(here).all(axis=1))).size:
                self._check_consistency(float(grid[max(i - 1, 0)]), before, float(t), here)
                before = here
                continue
            good, late = float(grid[i - 1]), float(t)
            for _ in range(HALVINGS):
                middle = (good + late) / 2
                good, late = (middle, late) if np.isfinite(self._motions(middle)).all() else (good, middle)
            joint = self.mechanics.coordinates[list(self.motions)[int(bad[0])]]
            why = f"the prescribed motion of joint {joint} is not finite from t = {late:g} s on"
            return (grid[:i] if good == grid[i - 1] else np.append(grid[:i], good)), why
        return grid, ""

    def _motions(self, t: float) -> Array:
        """Return q, qd and qdd of the joints with prescribed motion at time t, (joints, 3)."""
        return np.array([motion(t) for motion in self.motions.values()], dtype=float).reshape(-1, 3)

    def _check_consistency(self, start: float, before: Array, end: float, after: Array) -> None:
        """Check that the given velocity and acceleration are the derivatives of the prescribed motion.

        The change of a position (velocity) between two times must equal the integral of the velocity (acceleration).
        The integral is computed by the trapezoidal rule, with the change of the integrand as tolerance. If the
        difference is larger, the interval is halved, because a motion may be fast and its acceleration may jump.

        Args:
            start, end: the times in seconds.
            before, after: q, qd and qdd at these times, one row per joint.

        Raises:
            ArgumentError: a difference remains in a very short interval.
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
                self._check_consistency(start, before, middle, between)
                self._check_consistency(middle, between, end, after)
            return
        k, order = bad[0]
        what, rate = (("position", "velocity"), ("velocity", "acceleration"))[order]
        joint = self.mechanics.coordinates[list(self.motions)[k]]
        raise ArgumentError(
            f"the prescribed motion of joint {joint} is inconsistent at t = {end:g} s: its {what} jumps, or its "
            f"{rate} is "
            "not the derivative",
            hint="give a function of t that returns q, qd and qdd",
        )

    def moved(self, t: float, y: Array) -> tuple[Array, dict[int, float]]:
        """Return the state y with the prescribed motions inserted, and the prescribed accelerations.

        Returns:
            The state with the positions and velocities of the driven joints at time t, and the accelerations of these
            joints by index of the coordinate.
        """
        if not self.motions:
            return y, {}
        y, known = y.copy(), {}
        for k, motion in self.motions.items():
            q, qd, known[k] = motion(t)
            if not isfinite(q + qd + known[k]):
                joint = self.mechanics.coordinates[k]
                raise FloatingPointError(
                    f"the prescribed motion of joint {joint} is not finite at t = {t:g} s"
                )
            y[self.mechanics.parts["q"].start + self.mechanics.at[k]] = q
            y[self.mechanics.parts["qd"].start + k] = qd
        return y, known


def _jumps(law: Any) -> tuple[float, ...]:
    """Return the times at which a control law is discontinuous, from its attribute `jumps`.

    The result is empty if the law does not have this attribute.
    """
    try:
        times = np.array(getattr(law, "jumps", ()), dtype=float)
    except (TypeError, ValueError):
        times = np.array(np.nan)
    if times.ndim != 1 or not np.isfinite(times).all():
        raise ArgumentError("the attribute 'jumps' of the control law: expected a list of times in seconds")
    return tuple(map(float, times))


def joint_motions(
    robot: Robot,
    coordinates: Sequence[int],
    driven: Mapping[int | str, GivenMotion] | Samples | None,
    duration: float,
) -> dict[int, GivenMotion]:
    """Return the prescribed motions as functions of time, by index of the coordinate.

    Args:
        coordinates: joint numbers of the coordinates.
        driven: functions t -> (q, qd, qdd) by joint number or name, or samples of all these joints.
        duration: duration of the simulation in seconds.

    Raises:
        ArgumentError: a joint has no coordinate, a motion does not return three numbers, or samples do not cover
            the duration.
    """
    if driven is None:
        return {}
    pieces = isinstance(driven, Samples)  # splines, whose derivatives are consistent
    if isinstance(driven, Samples):
        _check_reach(driven, duration)
        row = _row(driven)
        driven = {j: _column(row, k) for k, j in enumerate(driven.joints)}
    motions: dict[int, GivenMotion] = {}
    for which, motion in driven.items():
        j = robot.frame_number(which)
        if robot.frame(j).eta:
            raise ArgumentError(
                f"joint {which} is elastic: its motion follows from its spring and cannot be prescribed"
            )
        if j in unconstrained_passive_joints(robot):
            raise ArgumentError(
                f"joint {which} is passive and has no motor: its motion follows from the forces and cannot be "
                "prescribed",
                hint="leave this joint out, or describe it as active",
            )
        if j not in coordinates:
            known = ", ".join(map(str, coordinates))
            raise ArgumentError(
                f"joint {which} is not an independent coordinate, so its motion cannot be prescribed",
                hint=f"the independent coordinates are {known}",
            )
        if not pieces:
            _check_motion(j, motion)
        motions[coordinates.index(j)] = motion
    return motions


def _row(samples: Samples) -> Callable[[float], tuple[Array, Array, Array]]:
    """Return a function of time that interpolates q, qd and qdd of all joints of the samples.

    The function caches its last result, because it is called once per joint at each time.
    """
    last: tuple[float, tuple[Array, Array, Array]] | None = None

    def motion_at(t: float) -> tuple[Array, Array, Array]:
        nonlocal last
        if last is None or last[0] != t:
            q, qd, qdd = (rows[0] for rows in samples.at(t))
            last = t, (q, qd, qdd)
        return last[1]

    return motion_at


def _column(row: Callable[[float], tuple[Array, Array, Array]], k: int) -> GivenMotion:
    def motion(t: float) -> tuple[float, float, float]:
        q, qd, qdd = row(t)
        return float(q[k]), float(qd[k]), float(qdd[k])

    return motion


def _check_reach(samples: Samples, duration: float) -> None:
    """Check that samples cover the duration of the simulation, or end at rest if they are shorter.

    Args:
        duration: duration of the simulation in seconds.
    """
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
                f"{samples.qd[at, k]:g}, but the simulation is from 0 to {duration:g} s",
                hint="shorten the simulation to the duration of the motion, or let the motion begin and end at rest",
            )


def _check_motion(j: int, motion: GivenMotion) -> None:
    """Check that the prescribed motion of joint j returns three finite numbers at t = 0.

    Later times are checked by `Drives.finite_times`.
    """
    try:
        here = np.array(motion(0.0), dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"the prescribed motion of joint {j} must be a function of t that returns q, qd and qdd"
        ) from None
    if here.shape != (3,) or not np.isfinite(here).all():
        raise ArgumentError(
            f"the prescribed motion of joint {j} must return three finite numbers q, qd and qdd"
        )
