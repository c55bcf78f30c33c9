"""Wheels that steer to where the active joints cannot drive the robot: det of `wheel-kinematics` passes zero.

A car that is driven at the rear stands so with its steering at a right angle. There G has no value and the coordinates
tell nothing of the motion; an integrator with error control may step over it, the other side being smooth again. So

    margin = s det(q) - SMALL D,     s the sign of det at the start, D the largest |det| at postures drawn at random

is watched like a stop, on the integrator's interpolation: a zero that is touched is seen as one that is passed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.motion.mechanics import Mechanics

Array = NDArray[np.float64]
SMALL = 1e-4  # nearer the coordinates tell the motion of the base with too few digits
SAME = 1e-9  # of the largest: determinants that do not vary
POSTURES = 64
STUCK = "the wheels steer to where the active joints cannot drive the robot"


class WheelWatch:
    """Watches the determinant of a robot on wheels."""

    def __init__(self, mechanics: Mechanics) -> None:
        self._mechanics = mechanics
        self._sign = self._least = 0.0
        self.varies = False
        if mechanics.rolling:
            chance = np.random.default_rng(1)
            drawn = chance.uniform(-np.pi, np.pi, (POSTURES, len(mechanics.joints)))
            sizes = np.array([mechanics.wheel_determinant(q) for q in drawn])
            sizes = sizes[np.isfinite(sizes)]
            most = float(np.abs(sizes).max(initial=0.0))
            self.varies = bool(np.ptp(sizes) > SAME * most) if len(sizes) else False
            self._least = SMALL * most

    def __len__(self) -> int:
        return int(self.varies)

    def begin(self, y: Array) -> None:
        """Take down the sign of the start; raise where it has none."""
        if self.varies:
            self._sign = float(np.sign(self._determinant(y)))
            if not (self.margins(y) > 0).all():
                raise ArgumentError("the wheels stand where the active joints cannot drive the robot")

    def margins(self, y: Array) -> Array:
        """What stays positive, where there is something to watch."""
        return np.array([self._sign * self._determinant(y) - self._least] if self.varies else [])

    def _determinant(self, y: Array) -> float:
        return self._mechanics.wheel_determinant(y[self._mechanics.parts["q"]])
