"""Coulomb friction and joint stops as modes: what a joint does is decided at events, never by a small speed's sign.

A joint with friction FS slides, with the torque -FS sign(qd) on it, or sticks: its acceleration is known to be zero,
and friction is what that takes, as long as it is no more than the break-away torque (`static` times FS). Slide ends
when qd comes to zero, stick when the torque is too small. A joint at a stop has the acceleration zero as long as the
stop pushes.

At such a moment several joints may be at rest. All are taken to stick; the one that is farthest beyond its break-away
torque slides, in the direction of the torque; and again, until the rest holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.motion.mechanics import Mechanics

Array = NDArray[np.float64]
SLOWEST = 1e-6  # radians or metres a second: a bounce below it is none
AT_REST = 1e-12
TOGETHER = 1e-9  # of the break-away torque: joints that are let go at one moment
What = Literal["sticks", "slides", "meets its stop", "leaves its stop"]


@dataclass(frozen=True)
class MotionEvent:
    """Something that happened to a joint."""

    time: float
    joint: int
    what: What


@dataclass
class Modes:
    """What each coordinate does.

    Attributes:
        friction: FS of each coordinate, zero where there is none.
        slides: +1 or -1, the direction in which a joint with friction slides; 0 where it sticks.
        stop: -1 at the lower stop, +1 at the upper one, 0 at none.
        driven: coordinates that follow a motion; they neither stick nor meet stops.
    """

    mechanics: Mechanics
    friction: Array
    static: float
    lower: Array
    upper: Array
    restitution: float
    driven: frozenset[int]
    slides: Array = field(init=False)
    stop: Array = field(init=False)

    def __post_init__(self) -> None:
        self.slides, self.stop = np.zeros(len(self.friction)), np.zeros(len(self.friction))

    @property
    def idle(self) -> bool:
        """Whether nothing can ever switch."""
        return not self.rubbing and not np.isfinite(self.lower).any() and not np.isfinite(self.upper).any()

    @property
    def rubbing(self) -> list[int]:
        return [k for k in range(len(self.friction)) if self.friction[k] > 0 and k not in self.driven]

    def held(self) -> list[int]:
        """Coordinates that stick or stand at a stop."""
        sticking = [k for k in self.rubbing if self.slides[k] == 0]
        return sorted({*sticking, *map(int, np.flatnonzero(self.stop))})

    def torques(self, tau: Array) -> Array:
        """Torques with the friction of sliding joints taken off."""
        return tau - self.friction * self.slides

    # -- at an event

    def settle(
        self,
        t: float,
        y: Array,
        tau: Array,
        motion: dict[int, float],
        *,
        rest: int | None = None,
        loose: int | None = None,
    ) -> tuple[Array, list[MotionEvent]]:
        """Decide anew what the joints at rest do; the state with their speeds at zero.

        Arguments:
            tau: the torques of drives, friction not taken off.
            motion: accelerations of the driven coordinates.
            rest: a coordinate that has come to rest.
            loose: a coordinate that has come to the end of what holds it.
        """
        before = self.slides.copy(), self.stop.copy()
        y = y.copy()
        qd = y[self.mechanics.parts["qd"]]  # a view
        if loose is not None:
            self._let_go(loose, y, tau, motion)
        for k in self.rubbing:
            if self.stop[k] or k == rest:
                self.slides[k], qd[k] = 0.0, 0.0
            elif abs(qd[k]) > AT_REST:
                self.slides[k] = np.sign(qd[k])  # else it sticks, or was just let go
        for _ in range(4 * len(self.friction) + 4):
            if not self._changed(y, tau, motion):
                break
        else:
            raise ArgumentError(f"it cannot be decided at t = {t:g} s which joints stick and which slide")
        return y, list(self._news(t, *before))

    def _let_go(self, k: int, y: Array, tau: Array, motion: dict[int, float]) -> None:
        """Leave the stop, or slide in the direction of the torque."""
        if self.stop[k]:
            side, self.stop[k] = self.stop[k], 0.0
            self.slides[k] = -side if self.friction[k] > 0 else 0.0
            return
        known = {**motion, **dict.fromkeys(self.held(), 0.0)}
        _, needed = self.mechanics.needed(y, self.torques(tau), known)
        for j in self.held():  # those that come to the end of their hold at the same moment go with it
            if j == k or (not self.stop[j] and self._share(j, tau[j], needed[j]) > 1 - TOGETHER):
                self.slides[j] = np.sign(tau[j] - needed[j])

    def _changed(self, y: Array, tau: Array, motion: dict[int, float]) -> bool:
        """Let go the joint that is least able to hold."""
        known = {**motion, **dict.fromkeys(self.held(), 0.0)}
        if not self.held():
            return False
        _, needed = self.mechanics.needed(y, self.torques(tau), known)
        worst, at = 1.0 + 1e-12, -1
        for k in self.held():
            share = self._share(k, tau[k], needed[k])
            if share > worst:
                worst, at = share, k
        if at < 0:
            return False
        if self.stop[at]:
            self.stop[at] = 0.0
            return True
        self.slides[at] = np.sign(tau[at] - needed[at])
        return True

    def _share(self, k: int, tau: float, needed: float) -> float:
        """How much of what it can hold a joint is asked to; more than 1 lets it go."""
        if self.stop[k]:
            push = (needed - tau) * -self.stop[k]  # what the stop does, positive away from it
            rub = self.friction[k] * self.static
            return 2.0 if push < -rub else 0.0
        return float(abs(tau - needed) / (self.friction[k] * self.static))

    def _news(self, t: float, slides: Array, stop: Array) -> Iterator[MotionEvent]:
        for k, joint in enumerate(self.mechanics.coordinates):
            if self.stop[k] != stop[k]:
                yield MotionEvent(t, joint, "meets its stop" if self.stop[k] else "leaves its stop")
            elif self.slides[k] != slides[k] and not self.stop[k]:
                yield MotionEvent(t, joint, "slides" if self.slides[k] else "sticks")

    def strike(self, t: float, y: Array, k: int) -> tuple[Array, list[MotionEvent]]:
        """A joint meets its stop: it bounces, or stays."""
        qd = y[self.mechanics.parts["qd"]][k]
        q = y[self.mechanics.parts["q"]][self.mechanics.at[k]]
        side = 1.0 if abs(q - self.upper[k]) < abs(q - self.lower[k]) else -1.0
        speed = -self.restitution * qd
        held = {j: 0.0 for j in self.held() if j != k}
        still = held | dict.fromkeys(self.driven, 0.0)
        after = self.mechanics.struck(y, k, 0.0 if abs(speed) < SLOWEST else speed, still)
        after[self.mechanics.parts["q"]][self.mechanics.at[k]] = self.upper[k] if side > 0 else self.lower[k]
        if abs(speed) < SLOWEST:
            after[self.mechanics.parts["qd"]][k] = 0.0
            self.stop[k] = side
        return after, [MotionEvent(t, self.mechanics.coordinates[k], "meets its stop")]

    # -- between events

    def margins(self, y: Array, tau: Array, motion: dict[int, float]) -> Array:
        """NumberRow that stay positive as long as the modes hold: 2 a coordinate, of friction and of stops."""
        found = np.ones((2, len(self.friction)))
        q, qd = y[self.mechanics.parts["q"]][self.mechanics.at], y[self.mechanics.parts["qd"]]
        held = self.held()
        needed = None
        if held:
            known = {**motion, **dict.fromkeys(held, 0.0)}
            _, needed = self.mechanics.needed(y, self.torques(tau), known)
        for k in range(len(self.friction)):
            if k in self.driven:
                continue
            if needed is not None and k in held:
                found[1 if self.stop[k] else 0, k] = self._hold(k, tau[k], needed[k])
                continue
            if self.friction[k] > 0:
                found[0, k] = self.slides[k] * qd[k]
            found[1, k] = min(q[k] - self.lower[k], self.upper[k] - q[k])
        return found

    def _hold(self, k: int, tau: float, needed: float) -> float:
        most = self.friction[k] * self.static
        if self.stop[k]:
            return float((needed - tau) * -self.stop[k] + most)
        return float(most - abs(tau - needed))
