"""Which form of a model a robot takes, and which options lead it to another: a page shows the options of that form."""

from __future__ import annotations

from typing import Any

from symoro.models.catalogue import Entry, Option
from symoro.robot.description import Robot
from symoro.ui.bench.answer_types import Switch


def form_data(entry: Entry, robot: Robot) -> tuple[int, list[Switch]]:
    """The form that a robot takes, by its place in [plain, *forms], and the options that alone lead to another
    that applies.

    The value of a switch is None where any value that says something leads there.
    """
    forms = [entry, *entry.forms]
    taken = _place(entry, robot, {})
    switches = []
    for option in entry.all_options:
        for value in _values(option, robot):
            place = _place(entry, robot, {option.name: value})
            if place != taken and forms[place].refusal(robot) is None:
                shown = None if option.kind in ("frames", "points") else value
                switches.append(Switch(option=option.name, value=shown, form=place))
    return taken, switches


def _place(entry: Entry, robot: Robot, options: dict[str, Any]) -> int:
    form = entry.form(robot, options)
    return next((at for at, one in enumerate(entry.forms, 1) if one is form), 0)


def _values(option: Option, robot: Robot) -> list[Any]:
    """Values of an option worth trying: those that can choose a form."""
    if option.name == "space" and not robot.B:  # its form takes every robot, to say why it refuses one
        return []
    if option.kind == "choice":
        return list(option.choices)
    if option.kind == "flag":
        return [True]
    moving = [j for j, frame in enumerate(robot.frames, 1) if frame.moving]
    return [moving[:1]] if option.kind == "frames" and moving else []
