"""Which robots the models of wheels are for."""

from __future__ import annotations

from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import chain, loops

APPLIES_TO = "robots on a wheeled base whose wheels are described"
NO_WHEELS = "its wheels are not described (wheels: in its YAML file)"


def on_wheels(robot: Robot) -> str | None:
    """Return why the motion of a robot does not follow from rolling wheels, if so."""
    if robot.base.kind != BaseKind.WHEELED:
        return f"its base is {robot.base.kind} and does not roll: there are no rolling constraints to solve"
    if not robot.wheels:
        return NO_WHEELS
    carried = {k for wheel in robot.wheels for k in chain(robot, wheel.frame)}
    shared = sorted(carried & {j for loop in loops(robot) for j in loop.frames})
    if shared:
        return (
            f"joint {shared[0]} carries a wheel and is in a closed loop: rolling and closure share its motion"
        )
    return None
