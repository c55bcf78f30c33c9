"""The arrays of the models in the platform's coordinates, and their options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symoro.models.catalogue import Option
from symoro.program.program import Port
from symoro.robot.description import Robot

PLATFORM_POSE = Port("T", "4,4", "pose of the platform in frame 0")
PLATFORM_V = Port(
    "V", "6", "velocity of the platform: linear, of its frame's origin; angular; axes of frame 0"
)
PLATFORM_VD = Port("Vd", "6", "acceleration of the platform: linear, of its frame's origin; angular; frame 0")
PLATFORM_TAU = Port("tau", "na", "torques and forces of the active joints")
PLATFORM_A = Port("A", "6,6", "inertia matrix in the platform's coordinates")
PLATFORM_H = Port("H", "6", "wrench at Vd = 0: centrifugal, Coriolis, gravity, friction")
PLATFORM_Q = Port("q", "n", "joint positions, on request")

SPACE = Option("space", "platform: by pose and motion of the platform", "choice", None, ("platform",))
TO = Option("to", "the platform's frame; by default the one the robot names", "frame", None)
FOLD = Option("fold", "how the legs fold: one digit for all, or one a leg, as '112'", "text", "1")
WITH_Q = Option("q", "give the joint positions too", "flag", False)


def in_platform_space(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Whether the platform's coordinates are asked for."""
    return options.get("space") == "platform"
