"""Generalised coordinates of a robot, grouped into blocks: base (6), joints, modes and motors, or platform.

| block    | position  | velocity | acceleration | force          |
|----------|-----------|----------|--------------|----------------|
| base     | R0 or Q0  | V0       | Vd0          | wrench0        |
| joints   | q         | qd       | qdd          | tau, tau_free  |
| modes    | e         | ed       | edd          | 0              |
| motors   | qm        | qmd      | qmdd         | tau            |
| platform | T         | V        | Vd           | tau of drives  |

The velocities of the base are quasi-velocities: V0 (linear; angular) in the axes of frame 0. The acceleration of the
base is the classical one (not the spatial acceleration).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from symoro.expr.scalar import Scalar


class Block(StrEnum):
    """Group of generalised coordinates: base, joints, modes of flexible links, motors, or platform."""

    BASE = "base"
    JOINT = "joint"
    MODE = "mode"
    MOTOR = "motor"
    PLATFORM = "platform"

    __hash__ = (
        str.__hash__
    )  # faster than the hash of Enum, which is written in Python; coordinates are dictionary keys


class Coordinate(NamedTuple):
    """One generalised coordinate of a robot.

    Attributes:
        block: block of the coordinate (base, joint, mode, motor or platform).
        j: number of the joint, of the joint that a motor drives, or of the flexible link; 0 for base and platform.
        k: index among the coordinates with the same j, from 1; 0 if there is only one.
    """

    block: Block
    j: int
    k: int = 0

    @property
    def words(self) -> str:
        """Description of the coordinate for error messages, for example "mode 1 of link 3"."""
        if self.block is Block.BASE:
            return f"coordinate {self.k} of the base"
        if self.block is Block.MODE:
            return f"mode {self.k} of link {self.j}"
        if self.block is Block.PLATFORM:
            return f"coordinate {self.k} of the platform"
        return f"the motor of joint {self.j}" if self.block is Block.MOTOR else f"joint {self.j}"


Values = Mapping[Coordinate, Scalar]
BASE = tuple(Coordinate(Block.BASE, 0, k) for k in range(1, 7))
"""The six coordinates of a free base (linear; angular)."""
PLANAR_BASE = (BASE[0], BASE[1], BASE[5])
"""The coordinates of a base that moves on horizontal ground: along x, along y, about z."""


def joint(j: int) -> Coordinate:
    """Return the generalised coordinate of joint j."""
    return Coordinate(Block.JOINT, j)


def motor(j: int) -> Coordinate:
    """Return the generalised coordinate of the motor of joint j (elastic joint)."""
    return Coordinate(Block.MOTOR, j)


def of_block(coordinates: Iterable[Coordinate], block: Block) -> list[Coordinate]:
    """Return the given coordinates that belong to one block, in the given order."""
    return [c for c in coordinates if c.block is block]
