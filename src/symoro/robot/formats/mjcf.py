"""MJCF: read through MuJoCo's own compiler (extra `mujoco`), then converted as a URDF is.

Hinges and slides become joints; several on one body become joints with massless links between them. A
joint's position is MuJoCo's own (qpos). A free joint on the first body makes the base floating. Ball joints
and equality constraints are refused; contacts, tendons and actuators play no part.
"""

from __future__ import annotations

from typing import Any

from symoro.errors import NotApplicableError
from symoro.robot.description import Robot


def read_mjcf(text: str, file: str | None = None, **choices: Any) -> Robot:
    """The robot that an MJCF text describes; the options are those of `read_urdf`.

    Raises:
        MissingDependencyError: MuJoCo is not installed.
        FormatError: MuJoCo cannot compile the text.
        NotApplicableError: ball joints or equality constraints.
    """
    from symoro.robot.formats.urdf.compiled import document
    from symoro.robot.formats.urdf.convert import Choices, robot

    wanted = Choices(**choices)
    return robot(document(text, file), wanted)


def write_mjcf(robot: Robot, *, lossy: bool = False) -> str:
    """Refuse: MJCF is only read."""
    raise NotApplicableError(
        f"robot '{robot.name}' cannot be written as MJCF", hint="write a URDF: MuJoCo reads those too"
    )
