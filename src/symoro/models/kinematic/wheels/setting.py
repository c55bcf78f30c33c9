"""Which robots the models of wheels are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symoro.robot.description import BaseKind, Robot

OF = "a robot on wheels"
EXAMPLE = "diffdrive"
APPLIES_TO = "trees on a wheeled base whose wheels are described"
NO_WHEELS = "its wheels are not described (wheels: in its YAML file)"


def has_wheels(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Whether the wheels say how the base moves."""
    return bool(robot.wheels)


def on_wheels(robot: Robot) -> str | None:
    """Why the models of wheels do not apply, if so."""
    if robot.base.kind != BaseKind.WHEELED:
        return f"its base is {robot.base.kind}"
    if not robot.wheels:
        return NO_WHEELS
    if robot.B:
        return "it has closed loops, which are not combined with wheels"
    return None
