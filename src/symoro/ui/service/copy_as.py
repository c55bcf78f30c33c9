"""Return Python code and a shell command that derive the model displayed on the page; both run without changes.

An unchanged bundled robot is loaded by name, another robot from the file in which the page saves it.
"""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from symoro.errors import UnknownNameError
from symoro.files import file_name
from symoro.model import Model
from symoro.models.catalogue import Option
from symoro.robot import library
from symoro.robot.description import Robot
from symoro.robot.formats.robot_tree import tree_of
from symoro.ui.model_arguments import flags
from symoro.ui.service.defaults import default_values


def as_python(derived: Model) -> str:
    """Return Python code that derives the given model.

    In this code, parameters without a nominal value get the page's default numbers.
    """
    options = "".join(f", {name}={value!r}" for name, value in derived.options.items())
    file = file_of(derived.robot)
    remark = "  # Robot, Save as YAML" if file else ""
    return (
        "import symoro\n\n"
        f'robot = symoro.load("{file or _bundled(derived.robot)}"){remark}\n'
        f'model = symoro.generate(robot, "{derived.entry.id}"{options})\n'
        "print(model)\n" + _function(derived)
    )


def _function(derived: Model) -> str:
    """Return the Python code that creates the numerical function of a model.

    In this code, parameters without a nominal value get the page's default numbers.
    """
    usual, known = default_values(derived.robot), dict(derived.robot.nominal)
    open_ones = [name for name in derived.parameters if name not in known]
    if not open_ones:
        return "f = model.function()\n"
    # The sign ~ keeps a name and its number on one line.
    entries = ", ".join(f'"{name}":~{usual[name]:g}' for name in open_ones)
    rows = textwrap.fill(entries, width=96, initial_indent="    ", subsequent_indent="    ").replace("~", " ")
    return f"values = {{  # examples: replace them by the robot's\n{rows},\n}}\nf = model.function(values)\n"


def as_command(derived: Model) -> str:
    """Return the shell command that derives the given model."""
    options = {option.name: option for option in derived.entry.all_options}
    given = [
        _argument(options[name], value)
        for name, value in derived.options.items()
        if value is not None and value != options[name].default
    ]
    robot = shlex.quote(file_of(derived.robot) or _bundled(derived.robot))
    return " ".join(["symoro", "generate", derived.entry.id, robot, *given])


def file_of(robot: Robot) -> str | None:
    """Return the file that must be saved before the copied text runs; None for an unchanged bundled robot."""
    if _bundled(robot):
        return None
    name = file_name(robot.name) + ".yaml"
    return f"./{name}" if name.startswith("-") else name  # otherwise the command line takes it for an option


def _bundled(robot: Robot) -> str:
    """Return the identifier of the bundled robot that equals the given robot; empty if there is none."""
    try:
        known = library.load(robot.name)
    except UnknownNameError:
        return ""
    return library.id_of(robot.name) if tree_of(known) == tree_of(robot) else ""


def _argument(option: Option, value: Any) -> str:
    """Return an option with its value as an argument of the command line."""
    flag = flags(option)[0]
    if isinstance(value, bool):
        return flag if value else f"--no-{flag.removeprefix('--')}"
    text = str(value)
    if option.kind == "points" and any(isinstance(point, list | tuple) for point in value):
        text = ";".join(map(_point, value))
    elif isinstance(value, list | tuple):
        text = ",".join(map(str, value))
    # A value that starts with a minus sign would be read as an option.
    return f"{flag}={shlex.quote(text)}" if text.startswith("-") else f"{flag} {shlex.quote(text)}"


def _point(point: Any) -> str:
    """Return a contact, a frame or a pair (frame, coordinates), in the notation of the command line."""
    if not isinstance(point, list | tuple):
        return str(point)
    frame, place = point
    return f"{frame}:{','.join(map(str, place))}"
