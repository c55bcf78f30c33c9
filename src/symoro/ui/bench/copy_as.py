"""A model of the page in words that can be taken elsewhere: lines of Python, and a command.

A bundled robot that nobody has changed goes by its name; another by the file that the page saves it in.
"""

from __future__ import annotations

import shlex
from typing import Any

from symoro.errors import UnknownNameError
from symoro.files import file_name
from symoro.model import Model
from symoro.robot import library
from symoro.robot.description import Robot
from symoro.robot.formats.yaml_write import tree_of


def as_python(found: Model) -> str:
    """The lines that make the same model in Python."""
    options = "".join(f", {name}={value!r}" for name, value in found.options.items())
    bundled = _bundled(found.robot)
    remark = "" if bundled else "  # Robot, Save as YAML"
    return (
        "import symoro\n\n"
        f'robot = symoro.load("{bundled or _file(found.robot)}"){remark}\n'
        f'model = symoro.generate(robot, "{found.entry.id}"{options})\n'
        "print(model)\n"
        "f = model.function()\n"
    )


def as_command(found: Model) -> str:
    """The command that makes the same model."""
    flags = [
        _flag(name, value)
        for name, value in found.options.items()
        if value is not None and value is not False
    ]
    robot = _bundled(found.robot) or shlex.quote(_file(found.robot))
    return " ".join(["symoro", "generate", found.entry.id, robot, *flags])


def _bundled(robot: Robot) -> str:
    """The name of a bundled robot, where it is that one to the letter; or else nothing."""
    try:
        known = library.load(robot.name)
    except UnknownNameError:
        return ""
    return library.id_of(robot.name) if tree_of(known) == tree_of(robot) else ""


def _file(robot: Robot) -> str:
    return file_name(robot.name) + ".yaml"


def _flag(name: str, value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"--{name.replace('_', '-')}" + ("" if value is True else f" {shlex.quote(text)}")
