"""Pose and motion of a platform as inputs of models in its coordinates: ports and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.errors import OptionError
from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option
from symoro.models.coordinates.blocks import Coordinate
from symoro.program.builder import Builder
from symoro.program.program import Port
from symoro.robot.description import Robot

PLATFORM_POSE = Port("T", "4,4", "pose of the platform in frame 0")
PLATFORM_V = Port(
    "V", "6", "velocity of the platform (linear, of its frame's origin; angular), in the axes of frame 0"
)
PLATFORM_VD = Port(
    "Vd", "6", "acceleration of the platform (linear, of its frame's origin; angular), in the axes of frame 0"
)
PLATFORM_TAU = Port("tau", "na", "torques and forces of the active joints")
PLATFORM_Q = Port("q", "n", "joint positions (option q)")

SPACE = Option(
    "space",
    "platform: the pose and the twist of the platform are the coordinates, instead of the joints",
    "choice",
    None,
    ("platform",),
)
TO = Option("to", "frame of the platform; by default the one in the robot description", "frame", None)
WORKING_MODE = Option(
    "working_mode",
    "working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'",
    "text",
    "1",
    former="fold",
)
WITH_Q = Option("q", "also return the joint positions", "flag", False)


def in_platform_space(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Return whether the option `space` selects the platform's pose and twist as coordinates."""
    return options.get("space") == "platform"


def working_modes(working_mode: str, legs: int) -> list[int]:
    """Return the working mode of each leg, 1 or 2.

    Args:
        working_mode: one digit for all legs, or one digit per leg, for example '112'.
        legs: number of legs.

    Raises:
        OptionError: the text is neither one digit nor one digit per leg, or a digit is not 1 or 2.
    """
    digits = working_mode * legs if len(working_mode) == 1 else working_mode
    if len(digits) != legs or set(digits) - set("12"):
        raise OptionError(
            f"option working_mode: expected 1 or 2 for all {legs} legs, or {legs} such digits, got {working_mode!r}",
            hint=f"working_mode='{'1' * legs}' is the first mode of each leg",
        )
    return [int(digit) for digit in digits]


@dataclass(frozen=True)
class PlatformPose:
    """Rotation and position of the platform's frame in frame 0."""

    rotation: Matrix
    position: Vector


@dataclass(frozen=True)
class PlatformMotion:
    """Velocity (v, w) and acceleration (vd, wd) of the platform's frame in the axes of frame 0."""

    v: Vector
    w: Vector
    vd: Vector
    wd: Vector


def pose_input(builder: Builder) -> PlatformPose:
    """Declare the pose T of the platform as an input and return it."""
    names = [f"T{r}{c}" for r in range(1, 5) for c in range(1, 5)]
    given = builder.input(PLATFORM_POSE, (4, 4), names)
    rows = [given[4 * r : 4 * r + 4] for r in range(3)]
    return PlatformPose([list(row[:3]) for row in rows], [row[3] for row in rows])


def twist_input(builder: Builder, port: Port, own: Sequence[Coordinate]) -> dict[Coordinate, Scalar]:
    """Declare the twist V or its derivative Vd as an input and return the entries that are coordinates.

    Args:
        port: the input port.
        own: the coordinates of the platform.
    """
    entries = builder.input(port, (6,), [f"{port.name}_{k}" for k in range(1, 7)])
    return {c: entries[c.k - 1] for c in own}
