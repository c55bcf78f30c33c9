"""Wheels of a robot: frame, mounting and radius.

The kinds are those of G. Campion, G. Bastin, B. d'Andrea-Novel, "Structural properties and classification of kinematic
and dynamic models of wheeled mobile robots", IEEE Transactions on Robotics and Automation 12, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from symoro.expr.formula import ZERO, Formula


class WheelKind(StrEnum):
    """Kind of wheel: fixed, steering, castor or swedish (with rollers)."""

    FIXED = "fixed"
    STEERING = "steering"
    CASTOR = "castor"
    SWEDISH = "swedish"


@dataclass(frozen=True)
class Wheel:
    """Wheel that rolls on the ground.

    Attributes:
        frame: frame that rotates with the wheel; its origin is the wheel's centre, its z axis the axle.
        kind: kind of the wheel.
        radius: distance from the centre to the ground (m).
        steering: number of the vertical steering joint of a steering or castor wheel. Its axis contains the wheel's
            centre for a steering wheel, but not for a castor. 0 for other wheels.
        roller: for a swedish wheel, the angle about the vertical from the rolling direction (z x up) to the roller
            axis; 0 for an omni wheel.
        follows: number of the steering joint that determines the steering angle of this wheel by Ackermann's relation;
            0 if there is none.
    """

    frame: int
    kind: WheelKind
    radius: Formula
    steering: int = 0
    roller: Formula = ZERO
    follows: int = 0

    @property
    def turns(self) -> bool:
        """Return whether the wheel has a steering joint."""
        return self.kind in (WheelKind.STEERING, WheelKind.CASTOR)
