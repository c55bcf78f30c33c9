"""Velocities and accelerations that a robot's description fixes (QP, QDP).

They stand in the place of what models are given, for one moment (`models/coordinates.py`). Along a motion positions
change as velocities say: a fixed one is then another motion than the one that is integrated, or that was asked for.
"""

from __future__ import annotations

from symoro.errors import NotApplicableError
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints

RATES = {"QP": "velocity", "QDP": "acceleration"}


def check_rates(robot: Robot) -> None:
    """Raise where the description fixes the velocity or acceleration of a joint.

    Raises:
        NotApplicableError: with what to do.
    """
    for j in moving_joints(robot):
        for name, what in RATES.items():
            fixed = getattr(robot.frame(j), name)
            if fixed is not None:
                raise NotApplicableError(
                    f"robot '{robot.name}' fixes the {what} of joint {j} ({name} = {fixed}), which holds for a moment "
                    "and for no motion",
                    hint=f"leave out {name}, and let the joint follow a motion",
                )
