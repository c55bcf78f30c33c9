"""Detection of laws that chatter: events or steps without end at one time.

A torque that jumps with the state, such as sign(qd), may hold the state where it jumps: the state moves to and fro in
ever smaller steps. If many steps or events hardly advance, the torques of that time are compared: those of a continuous
law hardly change in such a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import UndecidedError
from symoro.simulation.tolerances import CROWDED_TIME, SAME_TIME, SHORT_STEPS, TORQUE_JUMP

Array = NDArray[np.float64]
SIMULTANEOUS = 50  # events at one time that do not end
CROWDED = 1000  # events or steps in a short time
LOOKS = 100  # short steps whose torques are compared
JUMPS = 0.1  # of the looks: a torque that jumps so often chatters


class ChatterGuard:
    """The last events and steps of a simulation."""

    def __init__(self, duration: float, coordinates: Sequence[int]) -> None:
        self._coordinates = coordinates
        self._same, self._crowded = SAME_TIME * duration, CROWDED_TIME * min(duration, 1.0)
        self._short = SHORT_STEPS * duration
        self._events: deque[float] = deque(maxlen=CROWDED)
        self._torques: deque[Array] = deque(maxlen=SIMULTANEOUS)
        self._steps: deque[float] = deque(maxlen=CROWDED)
        self._looks: list[Array] = []
        self._largest = np.zeros(len(coordinates))

    def observe(self, tau: Array) -> None:
        """Add torques to those whose size is known."""
        self._largest = np.maximum(self._largest, np.abs(tau))

    def check_count(self, t: float, repeated: int) -> None:
        """Raise if segments without length follow each other.

        Raises:
            UndecidedError: there are more than `SIMULTANEOUS`.
        """
        if repeated > SIMULTANEOUS:
            raise UndecidedError(f"events follow each other without end at t = {t:g} s")

    def event(self, t: float, tau: Array) -> None:
        """Add a change of friction, with the torques that act.

        Raises:
            UndecidedError: such events do not end.
        """
        self._events.append(t)
        self._torques.append(tau)
        events = self._events
        same = len(events) >= SIMULTANEOUS and t - events[-SIMULTANEOUS] <= self._same
        if same or (len(events) == CROWDED and t - events[0] <= self._crowded):
            why = self._jumping(list(self._torques))
            raise UndecidedError(f"events follow each other without end at t = {t:g} s{why and ': '}{why}")

    def is_slow(self, t: float) -> bool:
        """Add a step; return whether the last steps are so short that torques must be compared."""
        self._steps.append(t)
        return len(self._steps) == CROWDED and t - self._steps[0] <= self._short

    def look(self, t: float, tau: Array) -> None:
        """Add the torques at the end of a short step.

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
            raise UndecidedError(f"the integrator does not advance at t = {t:g} s: {why}")

    def _jumping(self, torques: Sequence[Array]) -> str:
        """Return a sentence on the joint whose torque jumps to and fro; empty if there is none."""
        rows = np.array(torques)
        size = np.maximum(self._largest, np.abs(rows).max(axis=0))
        jumps = (np.abs(np.diff(rows, axis=0)) > TORQUE_JUMP * size).sum(axis=0)
        if not jumps.size or jumps.max() <= JUMPS * len(rows):
            return ""
        k = int(jumps.argmax())
        low, high = rows[:, k].min(), rows[:, k].max()
        return (
            f"the torque that the law gives joint {self._coordinates[k]} jumps between {low:g} and {high:g}, and holds "
            "the state where it does; a law that is continuous there has a motion"
        )
