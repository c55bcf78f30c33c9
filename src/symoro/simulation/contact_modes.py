"""Coulomb friction and joint stops as modes: what a joint does is decided at events, never by a small speed's sign.

A joint with friction FS slides, with the torque -FS sign(v) on it, or sticks: its acceleration is known to be zero, and
friction is what that takes, as long as it is no more than the break-away torque (`static` times FS). Slide ends when v
comes to zero, stick when the torque is too small. A coordinate at a stop has the acceleration zero as long as the stop
pushes.

At such a moment several joints may be at rest. All are taken to stick; what is farthest beyond its hold slides, in the
direction of the force (`grip`); and again, until the rest holds. Passive joints and coupled ones rub as those with a
coordinate do: v = w(q) qd, and where they stick w qdd + c = 0 (`rubbing`). A joint whose row w is zero, but for
coordinates that follow a motion or stand at a stop, is led by these: nothing is decided of it until its row has grown.
Where joints at rest cannot all stay so, as a motion that is followed moves them off, choices are tried (`breakaway`).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from symoro.errors import UndecidedError
from symoro.robot.size import joint_units
from symoro.simulation.breakaway import ChoiceOutcome, breakaway
from symoro.simulation.contact_rows import Rubbing
from symoro.simulation.grip import Grip, grip
from symoro.simulation.mechanics import Mechanics
from symoro.simulation.partition import Holds

Array = NDArray[np.float64]

# Positions, velocities and accelerations of prismatic joints are compared in units of the robot's length (`units`).
SLOWEST = 1e-6  # rad/s: a bounce with a lower speed ends
BEYOND = 1e-9  # rad: positions beyond a stop by less are set to the stop
LOWEST = 1e-11  # rad: the same for slow ones
NOISE = 1e-12  # rad/s, rad/s2: speeds, and pushes of stops per inertia, that count as zero
ROUND_OFF = 1e-15  # of a position
RETURNS = 1e-9  # of the largest acceleration: one towards a stop
AT_REST = 1e-12  # rad/s
MOVING = 1e-6  # rad/s: faster than this a joint does not stick
STILL = 1e-8  # rad/s, of a joint that others lead: the error of the integrator at rest
LEAST = 1e-6  # of a row w that counts
TORN = 1e-7  # rad/s2, and of the largest one: accelerations of joints that were taken to stick
What = Literal[
    "sticks",
    "slides",
    "meets its stop",
    "leaves its stop",
    "passes its limit",
    "comes back within its limits",
]


@dataclass(frozen=True)
class MotionEvent:
    """Something that happened to a joint."""

    time: float
    joint: int
    what: What


@dataclass
class Modes:
    """What each joint with friction and each coordinate does.

    Attributes:
        slides: +1 or -1, the direction in which a joint with friction slides; 0 where it sticks, or is led.
        led: whether it is led.
        stop: -1 at the lower stop of a coordinate, +1 at the upper one, 0 at none.
        driven: coordinates that follow a motion; they neither stick nor meet stops.
        slack: what the integrator may make of a place beyond a stop that is being left.
    """

    mechanics: Mechanics
    rubbing: Rubbing
    static: float
    lower: Array
    upper: Array
    restitution: float
    driven: frozenset[int]
    slack: float = 0.0
    slides: Array = field(init=False)
    led: NDArray[np.bool_] = field(init=False)
    stop: Array = field(init=False)

    def __post_init__(self) -> None:
        self.slides, self.stop = np.zeros(len(self.rubbing)), np.zeros(len(self.lower))
        self.led = np.zeros(len(self.rubbing), dtype=bool)
        self.most = self.rubbing.sizes * self.static
        self.switching = [i for i, k in enumerate(self.rubbing.own) if k not in self.driven]
        mechanics = self.mechanics
        self.units = mechanics.coordinate_units
        self.joint_units = np.array(joint_units(mechanics.robot, self.rubbing.joints, mechanics.length))
        self._inertias: Array | None = None
        self._loosened = np.full(len(self.rubbing), -np.inf)  # when each was let go
        self._left = np.full(len(self.lower), -np.inf)  # when each left its stop last
        self._struck = np.full(len(self.lower), -np.inf)  # when each met its stop last

    @property
    def idle(self) -> bool:
        """Whether nothing can ever switch."""
        return not self.switching and not np.isfinite(self.lower).any() and not np.isfinite(self.upper).any()

    # -- what holds now

    def _loose_columns(self) -> list[int]:
        """Coordinates that neither follow a motion nor stand at a stop."""
        return [k for k in range(len(self.stop)) if k not in self.driven and not self.stop[k]]

    def _weights(self, rows: Array) -> Array:
        """How much of the joints' motion is left free by motions and stops."""
        columns = self._loose_columns()
        return np.abs(self._own_rows(rows)[:, columns]).max(axis=1) if columns else np.zeros(len(rows))

    def _own_rows(self, rows: Array) -> Array:
        """Return the rows w in the units of joints and coordinates."""
        return np.asarray(rows * self.units / self.joint_units[:, None])

    def _sticking(self) -> list[int]:
        """The joints with friction that are held by it."""
        return [i for i in self.switching if self.slides[i] == 0 and not self.led[i]]

    def holds(self, y: Array, motion: dict[int, float]) -> Holds:
        """What the modes make of the equations of motion; `motion` are accelerations of driven coordinates."""
        if self.idle:
            return Holds(motion)
        rows = self.rubbing.rows(y)
        return self._holds(y, motion, rows, self._sticking())

    def _holds(self, y: Array, motion: dict[int, float], rows: Array, sticking: list[int]) -> Holds:
        own = [self.rubbing.own[i] for i in sticking if self.rubbing.own[i] >= 0]
        known = {**motion, **dict.fromkeys([*own, *map(int, np.flatnonzero(self.stop))], 0.0)}
        push = -(self.rubbing.sizes * self.slides) @ rows if self.slides.any() else np.zeros(0)
        tied = [i for i in sticking if self.rubbing.own[i] < 0]
        if not tied:
            return Holds(known, push)
        return Holds(known, push, rows[tied], self.rubbing.drift(y)[tied])

    def taken(self, y: Array, tau: Array, motion: dict[int, float]) -> Array:
        """The torques of the drives, with those that driven coordinates take for their motion."""
        rows = self.rubbing.rows(y)
        sticking = self._sticking()
        _, spare = self.mechanics.held(y, tau, self._holds(y, motion, rows, sticking))
        if sticking:
            spare = spare - self._hold(rows, sticking, spare).forces @ rows[sticking]
        qd = y[self.mechanics.parts["qd"]]
        found = tau.copy()
        for k in motion:
            found[k] -= spare[k]
        for i in np.flatnonzero(self.slides == 0):
            speed = rows[i] @ qd
            if i not in sticking and abs(speed) > STILL * self.joint_units[i]:
                against = self.rubbing.sizes[i] * np.sign(speed) * rows[i]
                for k in motion:
                    found[k] += against[k]
        return found

    def _hold(self, rows: Array, sticking: list[int], spare: Array) -> Grip:
        columns = self._loose_columns()
        units = self.units[columns]
        return grip(rows[np.ix_(sticking, columns)] * units, spare[columns] * units, self.most[sticking])

    # -- at an event

    def kept(self) -> Modes:
        """The modes as they are now, to be looked at or gone back to."""
        found = copy(self)
        for name in ("slides", "led", "stop", "_loosened", "_left", "_struck"):
            setattr(found, name, getattr(self, name).copy())
        return found

    def restore(self, before: Modes) -> None:
        """Go back to what was kept."""
        self.__dict__.update(before.kept().__dict__)

    def halted(self, y: Array, i: int) -> Array:
        """The state with the speed of a joint with friction at zero."""
        row, columns, y = self.rubbing.rows(y)[i], self._loose_columns(), y.copy()
        qd = y[self.mechanics.parts["qd"]]  # a view
        weighted = row[columns] * self.units[columns] ** 2  # the least change in units that are comparable
        qd[columns] -= weighted * (row @ qd) / (row[columns] @ weighted)
        return y

    def settle(
        self,
        t: float,
        y: Array,
        tau: Array,
        motion: dict[int, float],
        *,
        soon: dict[int, float] | None = None,
        rest: int | None = None,
        loose: int | None = None,
        leaves: int | None = None,
    ) -> tuple[Array, list[MotionEvent]]:
        """Decide anew what the joints at rest do; the state with their speeds at zero.

        Arguments:
            tau: the torques of drives, friction not taken off.
            motion: accelerations of the driven coordinates.
            soon: the same a moment later; they may start from rest now.
            rest: a joint with friction that has come to rest.
            loose: one that has come to the end of its hold.
            leaves: a coordinate that its stop no longer holds.
        """
        before = self.slides.copy(), self.stop.copy()
        y, rows = y.copy(), self.rubbing.rows(y)
        y[self.mechanics.parts["qd"]][self.stop != 0] = 0.0
        self.led = self._weights(rows) <= LEAST
        if leaves is not None:
            self._leave(t, leaves, rows)
        soon = motion if soon is None else soon
        torn = bool(self._torn(y, tau, soon, rows).size)
        if loose is not None and loose in self._sticking() and not torn:
            self._let_go(t, self._broken(y, tau, motion, rows, together=True))
        self._look(t, y, rows, rest)
        if self._torn(y, tau, soon, rows).size:
            self._part(t, y, tau, soon, rows)
            return self.at_rest(y), list(self._news(t, *before))
        for _ in range(4 * (len(rows) + len(self.stop)) + 4):
            changed = self._changed(t, y, tau, motion, rows)
            if not changed and not self._returned(y, tau, motion, rows, before[1]):
                break
        else:
            raise UndecidedError(f"it cannot be decided at t = {t:g} s which joints stick and which slide")
        return self.at_rest(y), list(self._news(t, *before))

    def _look(self, t: float, y: Array, rows: Array, rest: int | None) -> None:
        """Which way joints slide, and which have come to rest together with those that stick."""
        part = self.mechanics.parts["qd"]
        for i, speed in enumerate(rows @ y[part]):
            if i == rest:
                self.slides[i] = 0.0
            elif i in self.switching and abs(speed) > AT_REST * self.joint_units[i] and self._loosened[i] < t:
                self.slides[i] = np.sign(speed)
        for i, speed in enumerate(rows @ self.at_rest(y)[part]):
            if abs(speed) <= AT_REST * self.joint_units[i] and self._loosened[i] < t:
                self.slides[i] = 0.0

    def _torn(self, y: Array, tau: Array, motion: dict[int, float], rows: Array) -> Array:
        """Accelerations of joints that are said to stick and cannot, as others that stick or follow a motion move."""
        sticking = self._sticking()
        if not self.driven or all(self.rubbing.own[i] >= 0 for i in sticking):
            return np.zeros(0)
        x, _ = self.mechanics.held(y, tau, self._holds(y, motion, rows, sticking))
        speeds = np.abs(rows[sticking] @ x + self.rubbing.drift(y)[sticking]) / self.joint_units[sticking]
        return np.asarray(speeds[speeds > TORN * (1 + np.abs(x / self.units).max())])

    def _part(self, t: float, y: Array, tau: Array, motion: dict[int, float], rows: Array) -> None:
        """Let go those joints at rest that a motion moves off.

        Raises:
            UndecidedError: there are too many joints to try all choices, or not one of them is right alone.
        """
        resting, drift, kept = self._sticking(), self.rubbing.drift(y), self.slides.copy()

        def tried(choice: dict[int, float]) -> ChoiceOutcome:
            self.slides = kept.copy()
            self.slides[list(choice)] = list(choice.values())
            sticking = self._sticking()
            x, spare = self.mechanics.held(y, tau, self._holds(y, motion, rows, sticking))
            share = self._hold(rows, sticking, spare).share if np.isfinite(spare).all() else np.inf
            accelerations = (rows[resting] @ x + drift[resting]) / self.joint_units[resting]
            return ChoiceOutcome(np.asarray(accelerations), share)

        found = breakaway(resting, max(abs(x) / self.units[k] for k, x in motion.items()), tried)
        self.slides = kept
        if len(found) != 1:
            raise UndecidedError(
                f"it cannot be decided at t = {t:g} s which joints stick and which slide",
                hint="simulate with friction='sign', or from a start in which they move",
            )
        self._let_go(t, {i: way for i, way in found[0].items() if way})

    def at_rest(self, y: Array) -> Array:
        """The state with the speeds of sticking joints at zero."""
        if self.idle or not len(self.rubbing):
            return y
        rows = self.rubbing.rows(y)
        sticking = self._sticking()
        if not sticking:
            return y
        y = y.copy()
        qd = y[self.mechanics.parts["qd"]]  # a view
        own = [self.rubbing.own[i] for i in sticking if self.rubbing.own[i] >= 0]
        qd[own] = 0.0
        tied = [i for i in sticking if self.rubbing.own[i] < 0]
        columns = [k for k in self._loose_columns() if k not in own]
        if tied and columns:
            ties = self._own_rows(rows)[np.ix_(tied, columns)]
            speeds = rows[tied] @ qd / self.joint_units[tied]
            qd[columns] -= self.units[columns] * np.linalg.lstsq(ties, speeds, rcond=LEAST)[0]
        return y

    def check_rest(self, t: float, y: Array) -> None:
        """Raise where a joint moves that is said to stick.

        Joints that come to rest together beside one that follows a motion may be told to hold what they cannot.
        """
        sticking = [] if self.idle or not len(self.rubbing) else self._sticking()
        if not sticking:
            return
        speeds = self.rubbing.rows(y)[sticking] @ y[self.mechanics.parts["qd"]] / self.joint_units[sticking]
        worst = int(np.argmax(np.abs(speeds)))
        if abs(speeds[worst]) > MOVING:
            raise UndecidedError(
                f"at t = {t:g} s joint {self.rubbing.joints[sticking[worst]]} moves where others that hold it would "
                "have it stick: which of them slide cannot be decided",
                hint="simulate with friction='sign', or from a start in which they move",
            )

    def _leave(self, t: float, k: int, rows: Array) -> None:
        """Leave a stop: what rested because of it slides."""
        resting = [i for i in self.switching if self.led[i] and abs(self._own_rows(rows)[i, k]) > LEAST]
        self._let_go(t, {i: float(-self.stop[k] * np.sign(rows[i, k])) for i in resting})
        self.stop[k], self._left[k] = 0.0, t
        self.led = self._weights(rows) <= LEAST

    def _let_go(self, t: float, ways: dict[int, float]) -> None:
        for i, way in ways.items():
            self.slides[i], self._loosened[i] = way, t

    def _broken(
        self, y: Array, tau: Array, motion: dict[int, float], rows: Array, *, together: bool
    ) -> dict[int, float]:
        """The joints that are least able to hold, and which way they go; with `together`, at the end of their hold."""
        sticking = self._sticking()
        _, spare = self.mechanics.held(y, tau, self._holds(y, motion, rows, sticking))
        found = self._hold(rows, sticking, spare)
        ways = found.ways(together=together)
        return {i: way for i, way in zip(sticking, ways, strict=True) if way}

    def _changed(self, t: float, y: Array, tau: Array, motion: dict[int, float], rows: Array) -> bool:
        """Let go what is least able to hold."""
        sticking = self._sticking()
        stopped = np.flatnonzero(self.stop)
        if not sticking and not len(stopped):
            return False
        _, spare = self.mechanics.held(y, tau, self._holds(y, motion, rows, sticking))
        if not np.isfinite(spare).all():
            return False  # nothing is determined there, as the rates will tell
        found = self._hold(rows, sticking, spare)
        pushes = self._pushes(y, rows, sticking, spare, found)
        if len(stopped) and pushes.min() < 0:
            self._leave(t, int(stopped[pushes.argmin()]), rows)
            return True
        if found.share <= 1.0 + 1e-12:
            return False
        ways = found.ways(together=False)
        self._let_go(t, {i: way for i, way in zip(sticking, ways, strict=True) if way})
        return True

    def _returned(self, y: Array, tau: Array, motion: dict[int, float], rows: Array, stop: Array) -> bool:
        """Put back onto its stop what left it at this moment, and goes towards it since other joints were let go."""
        left = np.flatnonzero((self.stop == 0) & (stop != 0))
        if not len(left):
            return False
        x, _ = self.mechanics.held(y, tau, self._holds(y, motion, rows, self._sticking()))
        towards = x[left] * stop[left] / self.units[left]
        if not towards.max() > RETURNS * (1 + np.abs(x / self.units).max()):
            return False
        k = left[towards.argmax()]
        self.stop[k] = stop[k]
        self.led = self._weights(rows) <= LEAST
        return True

    def _pushes(self, y: Array, rows: Array, sticking: list[int], spare: Array, found: Grip) -> Array:
        """Return the forces of stops and friction that hold coordinates at stops, per inertia, in units per s2."""
        if self._inertias is None:
            self._inertias = self.mechanics.inertias(y) * self.units
        stopped = np.flatnonzero(self.stop)
        led = [i for i in self.switching if self.led[i]]
        left = spare - found.forces @ rows[sticking]
        forces = [self.stop[k] * left[k] + self.most[led] @ np.abs(rows[led, k]) for k in stopped]
        return np.array(forces) / self._inertias[stopped]

    def _news(self, t: float, slides: Array, stop: Array) -> Iterator[MotionEvent]:
        for k, joint in enumerate(self.mechanics.coordinates):
            if self.stop[k] != stop[k]:
                yield MotionEvent(t, joint, "meets its stop" if self.stop[k] else "leaves its stop")
        for i, joint in enumerate(self.rubbing.joints):
            own = self.rubbing.own[i]
            stands = own >= 0 and bool(self.stop[own] or stop[own])
            if self.slides[i] != slides[i] and not stands and not self.led[i]:
                yield MotionEvent(t, joint, "slides" if self.slides[i] else "sticks")

    def within(self, t: float, y: Array) -> Array:
        """The state with coordinates on their stops that are beyond them by round-off."""
        part, at = self.mechanics.parts["q"], self.mechanics.at
        q = y[part][at]
        inside = np.clip(q, self.lower, self.upper)
        near = (inside != q) & (np.abs(inside - q) <= max(BEYOND, 2 * self.slack) * self.units)
        if not near.any():
            return y
        y = y.copy()
        y[part.start + np.array(at)[near]] = inside[near]
        return self.mechanics.projected(y, t)

    def strike(self, t: float, y: Array, k: int) -> tuple[Array, list[MotionEvent]]:
        """A joint meets its stop: it bounces, or stays.

        Friction is finite, and holds nothing against an impulse: joints that stick are as free as others. A stop
        holds by pushing: joints that rest at theirs stay there unless the impulse pulls them off.
        """
        q = y[self.mechanics.parts["q"]][self.mechanics.at[k]]
        side = 1.0 if abs(q - self.upper[k]) < abs(q - self.lower[k]) else -1.0
        towards = max(0.0, side * y[self.mechanics.parts["qd"]][k])
        rate = towards / self.units[k]
        slow = rate < 1e3 * SLOWEST and t - self._struck[k] < 4 * LOWEST / max(rate, SLOWEST)
        stays = slow or self.restitution * rate < SLOWEST
        speed = 0.0 if stays else -self.restitution * towards * side
        at_stops = {int(j): float(self.stop[j]) for j in np.flatnonzero(self.stop) if j != k}
        held = self.driven if rate >= SLOWEST else self.driven | set(at_stops)  # or small impulses never end
        after, left = self.mechanics.struck(
            y, k, speed, held, {j: s for j, s in at_stops.items() if j not in held}
        )
        after[self.mechanics.parts["q"]][self.mechanics.at[k]] = self.upper[k] if side > 0 else self.lower[k]
        if stays:
            after[self.mechanics.parts["qd"]][k] = 0.0
            self.stop[k] = side
        self.stop[left], self._struck[k] = 0.0, t
        self._loosened[:] = -np.inf  # what was let go at this moment may be stopped again
        coordinates = self.mechanics.coordinates
        news = [MotionEvent(t, coordinates[j], "leaves its stop") for j in left]
        return after, [MotionEvent(t, coordinates[k], "meets its stop"), *news]

    # -- between events

    def noise(self, t: float) -> Array:
        """What of the margins counts as zero from a moment on: of places round-off, as what falls further is faster."""
        limits = np.maximum(*(np.where(np.isfinite(x), np.abs(x), 0.0) for x in (self.lower, self.upper)))
        places = np.where(self._left == t, self.slack, 4 * ROUND_OFF * np.maximum(1.0, limits / self.units))
        return np.concatenate([np.full(len(self.rubbing), NOISE), np.where(self.stop == 0, places, NOISE)])

    def places(self) -> list[int]:
        """The margins that are distances from a stop."""
        return [len(self.rubbing) + int(k) for k in np.flatnonzero(self.stop == 0)]

    def margins(self, y: Array, tau: Array, motion: dict[int, float]) -> Array:
        """Numbers that stay positive as long as the modes hold: one a joint with friction, then one a coordinate."""
        q, qd = y[self.mechanics.parts["q"]][self.mechanics.at], y[self.mechanics.parts["qd"]]
        rows = self.rubbing.rows(y)
        sticking, weights = self._sticking(), self._weights(rows)
        friction, stops = np.ones(len(rows)), np.minimum(q - self.lower, self.upper - q) / self.units
        speeds = rows @ qd / self.joint_units
        for i in self.switching:
            friction[i] = self.slides[i] * speeds[i] if self.slides[i] else 2 * LEAST - weights[i]
        if sticking or self.stop.any():
            x, spare = self.mechanics.held(y, tau, self._holds(y, motion, rows, sticking))
            found = self._hold(rows, sticking, spare)
            friction[sticking] = found.margins
            tied = [i for i in sticking if self.rubbing.own[i] < 0] if self.driven else []
            if tied:
                torn = np.abs(rows[tied] @ x + self.rubbing.drift(y)[tied]) / self.joint_units[tied]
                least = 2 * TORN * (1 + np.abs(x / self.units).max())
                friction[tied] = np.minimum(friction[tied], least - torn)
            stops[self.stop != 0] = self._pushes(y, rows, sticking, spare, found)
        stops[list(self.driven)] = 1.0
        return np.concatenate([friction, stops])
