"""Whether a simulation gets on: events or steps without end, and the law that makes them.

A torque that jumps with the state, sign(qd) for one, may hold the state where it jumps: it goes to and fro in ever
smaller steps. Where so many steps or events advance next to nothing, the torques that act meanwhile are looked at: of a
law that is continuous they hardly change in such a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import UndecidedError

Array = NDArray[np.float64]

AT_ONCE, MOMENT = 50, 1e-13  # events within this share of the duration, after which nothing more is believed
EVENTS, SOON = 1000, 1e-6  # the same of more; no longer than so many seconds
STEPS, SHORT = 1000, 5e-5  # steps within this share of the duration, after which torques are looked at
LOOKS = 100
JUMPS = 1e-4  # of the largest torque of the joint, so far: one that counts
OFTEN = 0.1  # of the looks: a torque that jumps from one to the next


class Endless:
    """The last events and steps of a simulation."""

    def __init__(self, duration: float, coordinates: Sequence[int]) -> None:
        self._coordinates = coordinates
        self._moment, self._soon = MOMENT * duration, min(SOON * duration, SOON)
        self._short = SHORT * duration
        self._events: deque[float] = deque(maxlen=EVENTS)
        self._torques: deque[Array] = deque(maxlen=AT_ONCE)
        self._steps: deque[float] = deque(maxlen=STEPS)
        self._looks: list[Array] = []
        self._largest = np.zeros(len(coordinates))

    def heard(self, tau: Array) -> None:
        """Torques that act at some moment."""
        self._largest = np.maximum(self._largest, np.abs(tau))

    def event(self, t: float, tau: Array) -> None:
        """A joint has come to stick or slide; `tau` acts.

        Raises:
            UndecidedError: such events do not end.
        """
        self._events.append(t)
        self._torques.append(tau)
        many = len(self._events) >= AT_ONCE and t - self._events[-AT_ONCE] <= self._moment
        if many or (len(self._events) == EVENTS and t - self._events[0] <= self._soon):
            why = self._jumping(list(self._torques))
            raise UndecidedError(f"events follow each other without end at t = {t:g} s{why and ': '}{why}")

    def slow(self, t: float) -> bool:
        """Whether steps have become so short that the torques that act are to be looked at."""
        self._steps.append(t)
        return len(self._steps) == STEPS and t - self._steps[0] <= self._short

    def look(self, t: float, tau: Array) -> None:
        """Look at the torques at the end of a short step.

        Raises:
            UndecidedError: they jump to and fro.
        """
        self._looks.append(tau)
        if len(self._looks) < LOOKS:
            return
        why = self._jumping(self._looks)
        self._looks = []
        self._steps.clear()
        if why:
            raise UndecidedError(f"the integrator gets no further at t = {t:g} s: {why}")

    def _jumping(self, torques: Sequence[Array]) -> str:
        """The joint whose torque jumps to and fro, in words."""
        rows = np.array(torques)
        large = np.abs(np.diff(rows, axis=0)) > JUMPS * np.maximum(self._largest, np.abs(rows).max(axis=0))
        often = large.sum(axis=0)
        if not often.size or often.max() <= OFTEN * len(rows):
            return ""
        k = int(often.argmax())
        low, high = rows[:, k].min(), rows[:, k].max()
        return (
            f"the torque that the law gives joint {self._coordinates[k]} jumps between {low:g} and {high:g}, and holds "
            "the state where it does; a law that is continuous there has a motion"
        )
