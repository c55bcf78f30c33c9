"""A simulation between its samples: the integrator's interpolation, kept with what joints did at the time.

A stretch is one run of the integrator from event to event: within it joints stick and slide as they do, and what they
follow has no kink, so that torques are smooth.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.motion.drives import Drives
from symoro.motion.mechanics import Mechanics
from symoro.motion.switching import Modes

Array = NDArray[np.float64]


@dataclass
class _Stretch:
    """A run of the integrator.

    Attributes:
        modes: what joints did.
        ends: of its steps, and `curves` the interpolations up to them.
    """

    begin: float
    modes: Modes
    ends: list[float] = field(default_factory=list)
    curves: list[Any] = field(default_factory=list)


class Recording:
    """What lies between the samples of a simulation, which fills it in."""

    def __init__(self) -> None:
        self._stretches: list[_Stretch] = []

    def begin(self, mechanics: Mechanics, control: Drives) -> None:
        """A simulation starts."""
        self.mechanics, self._control, self._stretches = mechanics, control, []

    def run(self, t: float, modes: Modes) -> None:
        """The integrator starts anew."""
        self._stretches.append(_Stretch(t, modes.kept()))

    def step(self, end: float, curve: Any) -> None:
        """The integrator has come to a moment."""
        self._stretches[-1].ends.append(end)
        self._stretches[-1].curves.append(curve)

    @property
    def spans(self) -> dict[int, tuple[float, float]]:
        """Beginning and end of the stretches that have a length, by number."""
        ends = {k: (one.begin, one.ends[-1]) for k, one in enumerate(self._stretches) if one.ends}
        return {k: (start, end) for k, (start, end) in ends.items() if end > start}

    def at(self, number: int, times: Array) -> tuple[Array, Array, Array]:
        """States at moments of a stretch, the coordinates' torques, and accelerations of the driven ones."""
        stretch, parts = self._stretches[number], self.mechanics.parts
        rows, taus = np.empty((len(times), self.mechanics.size)), []
        driven = np.zeros((len(times), parts["qd"].stop - parts["qd"].start))
        for row, t in enumerate(times):
            which = min(bisect_right(stretch.ends, t), len(stretch.ends) - 1)
            y, known = self._control.moved(float(t), stretch.curves[which](t))
            y = stretch.modes.at_rest(self.mechanics.projected(y, float(t)))
            taus.append(stretch.modes.taken(y, self._control.torques(float(t), y), known))
            rows[row] = y
            for k, x in known.items():
                driven[row, k] = x
        return rows, np.array(taus), driven
