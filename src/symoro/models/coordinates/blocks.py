"""The generalised coordinates of a robot, by blocks: base (6) | joints | modes | motors; or those of a platform.

| block    | position  | velocity | acceleration | force          |
|----------|-----------|----------|--------------|----------------|
| base     | R0 or Q0  | V0       | Vd0          | wrench0        |
| joints   | q         | qd       | qdd          | tau, tau_free  |
| modes    | e         | ed       | edd          | 0              |
| motors   | qm        | qmd      | qmdd         | tau            |
| platform | T         | V        | Vd           | tau of drives  |

The velocities of the base are quasi-velocities: V0 (linear; angular) in the axes of frame 0. Accelerations of the base
are classical ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from symoro.expr.scalar import Scalar


class Block(StrEnum):
    """The kind of a generalised coordinate."""

    BASE = "base"
    JOINT = "joint"
    MODE = "mode"
    MOTOR = "motor"
    PLATFORM = "platform"

    __hash__ = str.__hash__  # that of Enum is a function in Python, and coordinates are keys everywhere


class Coordinate(NamedTuple):
    """One generalised coordinate.

    Attributes:
        j: the joint, the joint of the motor, or the flexible link; 0 for base and platform.
        k: the number among those of the same j, from 1; 0 where there is only one.
    """

    block: Block
    j: int
    k: int = 0

    @property
    def words(self) -> str:
        """The coordinate as error messages name it."""
        if self.block is Block.BASE:
            return f"coordinate {self.k} of the base"
        if self.block is Block.MODE:
            return f"mode {self.k} of link {self.j}"
        if self.block is Block.PLATFORM:
            return f"coordinate {self.k} of the platform"
        return f"the motor of joint {self.j}" if self.block is Block.MOTOR else f"joint {self.j}"


Values = Mapping[Coordinate, Scalar]
BASE = tuple(Coordinate(Block.BASE, 0, k) for k in range(1, 7))
"""The six coordinates of a base (linear; angular)."""
PLANAR_BASE = (BASE[0], BASE[1], BASE[5])
"""Along x, along y, about z: the coordinates of a base on the ground."""


def joint(j: int) -> Coordinate:
    """Return the coordinate of a joint."""
    return Coordinate(Block.JOINT, j)


def motor(j: int) -> Coordinate:
    """Return the coordinate of the motor of a joint."""
    return Coordinate(Block.MOTOR, j)


def of_block(coordinates: Iterable[Coordinate], block: Block) -> list[Coordinate]:
    """Return the coordinates of one block."""
    return [c for c in coordinates if c.block is block]
