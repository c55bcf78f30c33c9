"""Wheels of a robot: which frame spins, how it is mounted, and how large it is.

The kinds are those of G. Campion, G. Bastin, B. d'Andrea-Novel, "Structural properties and classification of kinematic
and dynamic models of wheeled mobile robots", IEEE Transactions on Robotics and Automation 12, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from symoro.expr.formula import ZERO, Formula


class WheelKind(StrEnum):
    """How a wheel is mounted, and which slip its contact allows."""

    FIXED = "fixed"
    STEERING = "steering"
    CASTOR = "castor"
    SWEDISH = "swedish"


@dataclass(frozen=True)
class Wheel:
    """A wheel that rolls on the ground.

    Attributes:
        frame: the frame that spins, its origin in the wheel's centre, its z axis the axle.
        radius: from the centre to the ground.
        steering: the vertical joint that turns the wheel, through its centre (steering) or off it (castor); else 0.
        roller: angle from the way of travel z x up to the axis of the rollers, about up (swedish); 0 is an omni wheel.
        follows: the steering joint to which a linkage ties this wheel's, by Ackermann's relation; else 0.
    """

    frame: int
    kind: WheelKind
    radius: Formula
    steering: int = 0
    roller: Formula = ZERO
    follows: int = 0

    @property
    def turns(self) -> bool:
        """Whether a steering joint turns it."""
        return self.kind in (WheelKind.STEERING, WheelKind.CASTOR)
