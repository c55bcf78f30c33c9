"""URDF, xacro and MJCF: read as a robot in Khalil-Kleinfinger frames; URDF is also written.

docs/urdf.md describes the treatment of frames, signs, offsets and rounded angles. The other modules are imported only
when they are used, because every start of the command line imports this one.
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
    """Read the robot described by a URDF text; its notes list the order, sense and offsets of the joints.

    Args:
        text: the URDF text.
        file: file name for error messages.
        exact: keep the digits of rounded angles (1.5708) instead of replacing them by exact ones (pi/2).
        base: 'fixed' or 'floating'; by default floating if the first joint of the file is floating.
        fixed: 'merge' (default) adds links on fixed joints to the links that carry them, 'keep' gives them frames.
        frames: 'normal' (default) places x along the common normals, 'link' uses the link frames of the file.
        tool: name of a link whose frame becomes the robot's tool frame.
        actuated: names of the active joints of a robot with closed loops; by default those with an actuator.

    Raises:
        FormatError: the text is not a valid URDF; the message contains line and column.
        NotApplicableError: a joint cannot be described by a Khalil-Kleinfinger frame.
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
    """Read the robot described by a xacro text: expand the macros and call `read_urdf`.

    A xacro file is a program that includes other files: expand only files that you trust.

    Args:
        text: the xacro text.
        file: path of the file; included files are searched relative to it.
        arguments: values for the file's `xacro:arg` elements.
        package: a folder, or several, in which packages are searched first.
        choices: the options of `read_urdf`.

    Raises:
        MissingDependencyError: the xacro library is not installed.
        FormatError: the macros cannot be expanded, or the result is not a valid URDF.
    """
    from symoro.robot.formats.urdf.xacro import expand

    folders = [package] if isinstance(package, str | os.PathLike) else list(package)
    expanded = expand(text, file, arguments or {}, folders)
    return read_urdf(expanded, f"{file} (expanded)" if file else "<expanded xacro>", **choices)


def write_urdf(robot: Robot, *, lossy: bool = False) -> str:
    """Return the robot as a URDF text; symbols are replaced by their nominal values.

    Args:
        lossy: omit data that URDF cannot represent (elastic joints, wrenches, inertias without numbers, ...)
            instead of raising an error.

    Raises:
        NotApplicableError: closed loops, wheels, or joints coupled to several joints.
        FormatError: symbols without a value, or data that URDF cannot represent.
    """
    from symoro.robot.formats.urdf.export import written

    return written(robot, lossy=lossy)


# -- MJCF, read through MuJoCo's own compiler (extra `mujoco`) and then converted as a URDF is
#
# Hinges and slides become joints; several on one body become joints with massless links between them. A joint
# position equals MuJoCo's qpos. A free joint on the first body makes the base floating. Ball joints are rejected, and
# so are features that change the dynamics and are not supported, unless `lossy` is given; contacts and actuators are
# not modelled.


def read_mjcf(text: str, file: str | None = None, *, lossy: bool = False, **choices: Any) -> Robot:
    """Read the robot described by an MJCF text.

    Args:
        text: the MJCF text.
        file: file name for error messages.
        lossy: omit springs, tendons, fluids, equality constraints ... with a note, instead of raising an error.
        choices: the options of `read_urdf`.

    Raises:
        MissingDependencyError: MuJoCo is not installed.
        FormatError: MuJoCo cannot compile the text.
        NotApplicableError: the robot has ball joints, or unsupported features and `lossy` is not given.
    """
    from symoro.robot.formats.urdf.convert import Choices, robot
    from symoro.robot.formats.urdf.mujoco_model import document

    options = Choices(**choices)
    return robot(document(text, file, lossy=lossy), options)


def write_mjcf(robot: Robot, *, lossy: bool = False) -> str:
    """Raise an error, because MJCF files can be read but not written."""
    raise NotApplicableError(
        f"robot '{robot.name}' cannot be written as MJCF", hint="write a URDF file, which MuJoCo reads too"
    )
