"""Detection of chattering control laws: very many events or integration steps with almost no advance in time.

A torque that is discontinuous in the state, such as sign(qd), may keep the state at the discontinuity: the state
oscillates in ever smaller steps. If many steps or events hardly advance the time, the torques at these steps are
compared. A continuous control law hardly changes its torques in such a short time; a chattering one does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import UndecidedError
from symoro.simulation.tolerances import CROWDED_TIME, SAME_TIME, SHORT_STEPS, TORQUE_JUMP

Array = NDArray[np.float64]
SIMULTANEOUS = 50  # events at one time that are taken as an unlimited number
CROWDED = 1000  # events or steps in a short time that are examined
LOOKS = 100  # short steps whose torques are compared
JUMPS = 0.1  # share of the compared steps: a torque that jumps more often chatters


class ChatterGuard:
    """Detector of chattering: stores the times and torques of the last events and integration steps."""

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
        """Update the largest torque magnitude of each joint with the torques tau (n,).

        Later changes of torque are compared with these magnitudes.
        """
        self._largest = np.maximum(self._largest, np.abs(tau))

    def check_count(self, t: float, repeated: int) -> None:
        """Check that the number `repeated` of successive events at the same time t is not too large.

        Raises:
            UndecidedError: there are more than `SIMULTANEOUS` events.
        """
        if repeated > SIMULTANEOUS:
            raise UndecidedError(
                f"the simulation does not advance: too many friction, stop or control events at t = {t:g} s"
            )

    def event(self, t: float, tau: Array) -> None:
        """Record the joint torques tau at a friction event at time t, and check for chattering.

        Raises:
            UndecidedError: too many events occur in a short time.
        """
        self._events.append(t)
        self._torques.append(tau)
        events = self._events
        same = len(events) >= SIMULTANEOUS and t - events[-SIMULTANEOUS] <= self._same
        if same or (len(events) == CROWDED and t - events[0] <= self._crowded):
            why = self._jumping(list(self._torques))
            raise UndecidedError(
                "the simulation does not advance: too many friction, stop or control events at t = "
                f"{t:g} s{why and '; '}{why}"
            )

    def is_slow(self, t: float) -> bool:
        """Record the end time t of a step; return whether the recent steps are so short that chattering is possible."""
        self._steps.append(t)
        return len(self._steps) == CROWDED and t - self._steps[0] <= self._short

    def look(self, t: float, tau: Array) -> None:
        """Record the joint torques tau at the end time t of a very short step, and check for chattering.

        Raises:
            UndecidedError: the torques of a joint alternate between two values.
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
        """Return a sentence that names a joint whose torque alternates between two values; empty if there is none.

        Args:
            torques: joint torques (n,) at consecutive steps.
        """
        rows = np.array(torques)
        size = np.maximum(self._largest, np.abs(rows).max(axis=0))
        jumps = (np.abs(np.diff(rows, axis=0)) > TORQUE_JUMP * size).sum(axis=0)
        if not jumps.size or jumps.max() <= JUMPS * len(rows):
            return ""
        k = int(jumps.argmax())
        low, high = rows[:, k].min(), rows[:, k].max()
        return (
            f"the control law chatters: the torque of joint {self._coordinates[k]} alternates between {low:g} and "
            f"{high:g}; "
            "replace the discontinuity by a continuous transition"
        )
