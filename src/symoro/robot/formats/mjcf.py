"""MJCF: read through MuJoCo's own compiler (extra `mujoco`), then converted as a URDF is.

Hinges and slides become joints; several on one body become joints with massless links between them. A
joint's position is MuJoCo's own (qpos). A free joint on the first body makes the base floating. Ball joints
are refused, and so is whatever changes the dynamics and is not modelled (`urdf.omissions`), unless the caller
accepts the loss; contacts and actuators play no part.
"""

from __future__ import annotations

from typing import Any

from symoro.errors import NotApplicableError
from symoro.robot.description import Robot


def read_mjcf(text: str, file: str | None = None, *, lossy: bool = False, **choices: Any) -> Robot:
    """The robot that an MJCF text describes.

    Arguments:
        lossy: leave out springs, tendons, fluids, equality constraints ... with a note, instead of refusing.
        choices: the options of `read_urdf`.

    Raises:
        MissingDependencyError: MuJoCo is not installed.
        FormatError: MuJoCo cannot compile the text.
        NotApplicableError: ball joints, or a loss that was not accepted.
    """
    from symoro.robot.formats.urdf.convert import Choices, robot
    from symoro.robot.formats.urdf.mujoco_model import document

    wanted = Choices(**choices)
    return robot(document(text, file, lossy=lossy), wanted)


def write_mjcf(robot: Robot, *, lossy: bool = False) -> str:
    """Refuse: MJCF is only read."""
    raise NotApplicableError(
        f"robot '{robot.name}' cannot be written as MJCF", hint="write a URDF: MuJoCo reads those too"
    )
