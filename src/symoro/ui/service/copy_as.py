"""A model of the page as lines of Python and as a command, both of which run as they are.

A bundled robot that nobody has changed is loaded by its name, another one from the file that the page saves it in.
"""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from symoro.errors import UnknownNameError
from symoro.files import file_name
from symoro.model import Model
from symoro.robot import library
from symoro.robot.description import Robot
from symoro.robot.formats.robot_tree import tree_of
from symoro.ui.service.defaults import default_values


def as_python(found: Model) -> str:
    """Return the lines that make the same model in Python; parameters without a value get the page's numbers."""
    options = "".join(f", {name}={value!r}" for name, value in found.options.items())
    bundled = _bundled(found.robot)
    remark = "" if bundled else "  # Robot, Save as YAML"
    return (
        "import symoro\n\n"
        f'robot = symoro.load("{bundled or _file(found.robot)}"){remark}\n'
        f'model = symoro.generate(robot, "{found.entry.id}"{options})\n'
        "print(model)\n" + _function(found)
    )


def _function(found: Model) -> str:
    """Return the line that makes the function, after numbers for the parameters that have no nominal value."""
    usual, known = default_values(found.robot), dict(found.robot.nominal)
    open_ones = [name for name in found.parameters if name not in known]
    if not open_ones:
        return "f = model.function()\n"
    # The sign ~ keeps a name and its number on one line.
    entries = ", ".join(f'"{name}":~{usual[name]:g}' for name in open_ones)
    rows = textwrap.fill(entries, width=96, initial_indent="    ", subsequent_indent="    ").replace("~", " ")
    return f"values = {{  # examples: replace them by the robot's\n{rows},\n}}\nf = model.function(values)\n"


def as_command(found: Model) -> str:
    """Return the command that makes the same model."""
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
    name = file_name(robot.name) + ".yaml"
    return f"./{name}" if name.startswith("-") else name  # which a command would read as an option


def _flag(name: str, value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"--{name.replace('_', '-')}" + ("" if value is True else f" {shlex.quote(text)}")
