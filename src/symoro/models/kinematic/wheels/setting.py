"""Conditions under which the models of wheeled robots apply."""

from __future__ import annotations

from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import chain, loops

APPLIES_TO = "wheeled robots whose wheels are described"
NO_WHEELS = "its wheels are not described (wheels: in its YAML file)"


def on_wheels(robot: Robot) -> str | None:
    """Return the reason why rolling constraints do not determine the motion of a robot, or None if they do."""
    if robot.base.kind != BaseKind.WHEELED:
        return f"its base is {robot.base.kind}, without rolling constraints"
    if not robot.wheels:
        return NO_WHEELS
    carried = {k for wheel in robot.wheels for k in chain(robot, wheel.frame)}
    shared = sorted(carried & {j for loop in loops(robot) for j in loop.frames})
    if shared:
        return f"joint {shared[0]} carries a wheel and is part of a closed loop, which is not supported"
    return None
