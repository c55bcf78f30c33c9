"""URDF: read as a robot in Khalil-Kleinfinger frames, and written from one; xacro through its own library.

What happens to frames, signs, offsets and rounded angles is told in docs/urdf.md. The modules behind are
imported when they are used, as every start of the command line passes here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from symoro.errors import NotApplicableError
from symoro.robot.description import Robot

__all__ = ["read_mjcf", "read_urdf", "read_xacro", "write_mjcf", "write_urdf"]


def read_urdf(
    text: str,
    file: str | None = None,
    *,
    exact: bool = False,
    base: str | None = None,
    fixed: str | None = None,
    frames: str | None = None,
    tool: str | None = None,
    actuated: str | Sequence[str] | None = None,
) -> Robot:
    """The robot that a URDF text describes; its notes tell the order, sense and offsets of the joints.

    Arguments:
        exact: keep the digits of rounded angles (1.5708) instead of making them exact (pi/2).
        base: 'fixed' or 'floating'; by default floating when the first joint of the file is.
        fixed: 'merge' (default) adds links on fixed joints to those below, 'keep' gives them frames.
        frames: 'normal' (default) puts x along the common normals, 'link' keeps to the links' own frames.
        tool: the name of a link whose frame becomes the robot's tool frame.
        actuated: the active joints of a robot with closed loops, by name; by default those with an actuator
            in the file.

    Raises:
        FormatError: the text is no URDF; with line and column.
        NotApplicableError: a joint that has no Khalil-Kleinfinger frame.
    """
    from symoro.robot.formats.urdf.convert import Choices, robot
    from symoro.robot.formats.urdf.reader import document

    choices = Choices(exact, base, fixed, frames, tool, actuated)
    return robot(document(text, file), choices)


def read_xacro(
    text: str,
    file: str | None = None,
    *,
    arguments: Mapping[str, str] | None = None,
    package: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    **choices: Any,
) -> Robot:
    """The robot that a xacro text describes, as `read_urdf` makes it from the expanded text.

    A xacro file is a program that includes other files: expand only those that you trust.

    Arguments:
        file: the file's own path; what it includes is looked up from there.
        arguments: values for the file's `xacro:arg` elements.
        package: a folder, or several, where packages are looked for first.
        choices: the options of `read_urdf`.

    Raises:
        MissingDependencyError: the library is not installed.
        FormatError: the macros cannot be expanded, or the result is no URDF.
    """
    from symoro.robot.formats.urdf.xacro import expand

    folders = [package] if isinstance(package, str | os.PathLike) else list(package)
    expanded = expand(text, file, arguments or {}, folders)
    return read_urdf(expanded, f"{file} (expanded)" if file else "<expanded xacro>", **choices)


def write_urdf(robot: Robot, *, lossy: bool = False) -> str:
    """The robot as a URDF text; symbols take their nominal values.

    Arguments:
        lossy: leave out what URDF cannot say (elastic joints, wrenches, inertias without numbers, ...)
            instead of refusing.

    Raises:
        NotApplicableError: closed loops, wheels, or joints with several drivers.
        FormatError: symbols without a value, or something that URDF cannot say.
    """
    from symoro.robot.formats.urdf.export import written

    return written(robot, lossy=lossy)


# -- MJCF, read through MuJoCo's own compiler (extra `mujoco`) and then converted as a URDF is
#
# Hinges and slides become joints; several on one body become joints with massless links between them. A joint's
# position is MuJoCo's own (qpos). A free joint on the first body makes the base floating. Ball joints are rejected, and
# so is what changes the dynamics and is not modelled, unless the caller accepts the loss; contacts and actuators are
# not modelled.


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
