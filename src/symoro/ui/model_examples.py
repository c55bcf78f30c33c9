"""Return example commands for the help text of a model; the user can run them without changes.

The examples are generated from the catalogue of models.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symoro.ui.failure import in_a_shell

if TYPE_CHECKING:
    from symoro.models.catalogue import Entry
    from symoro.program.program import Input

NUMERIC = {"rx90": "ur5e", "diffdrive": "omni3"}
"""Robot without numeric parameters -> robot of the same kind with numeric parameters, for `eval`."""

FLAGS = {"generate": (), "count": (), "explain": (), "export": ("--lang", "c", "-o", "out")}
_POSE = (1, 0, 0, 0.4, 0, 1, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1)


def examples(command: str, entry: Entry) -> str:
    """Return example commands for the help of a model.

    Args:
        command: command that the examples use; for `generate` there is one example per kind of robot.
        entry: catalogue entry of the model.
    """
    if command == "eval":
        return f"example:\n  {_evaluation(entry)}"
    lines = [(_words(command, form), in_a_shell(form.of)) for form in (entry, *entry.forms)]
    if command != "generate" or len(lines) == 1:
        return f"example:\n  {lines[0][0]}"
    width = max(len(text) for text, _ in lines)
    return "\n".join(["examples:", *(f"  {text:<{width}}   {remark}".rstrip() for text, remark in lines)])


def _words(command: str, entry: Entry) -> str:
    options = [
        word
        for name, value in entry.example_options.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    return shlex.join(["symoro", command, entry.id, entry.example, *options, *FLAGS[command]])


def _evaluation(entry: Entry) -> str:
    """Return an example command that evaluates a model with numbers for all its inputs."""
    from symoro.model import generate
    from symoro.robot.formats import load

    robot = NUMERIC.get(entry.example, entry.example)
    inputs = generate(load(robot), entry.id, **entry.example_options).program.inputs
    values = [f"{port.name}={_value(port)}" for port in inputs if port.default is None]
    return shlex.join(["symoro", "eval", entry.id, robot, *values])


def _value(port: Input) -> str:
    """Return example numbers for an input of a model: a pose for a matrix, 0.1, 0.2, ... for q, otherwise zeros."""
    if port.shape == (4, 4):
        return ",".join("[" + ",".join(map(str, _POSE[i : i + 4])) + "]" for i in range(0, 16, 4))
    entries: Sequence[float] = [0] * max(1, len(port.symbols))
    if port.name.startswith("q") and not port.name.startswith("qd"):
        entries = [round(0.1 * k, 1) for k in range(1, len(port.symbols) + 1)]
    return ",".join(map(str, entries))
