"""Export targets: folders that a tool of the user builds and runs, such as a CMake package or a MEX file.

A target writes the sources of a program in one or several languages together with what its tool needs. The README,
the description of the robot and the sample numbers are added by `project`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symoro.emit.sample import Sample
from symoro.errors import ArgumentError, OptionError
from symoro.program.program import Program

ExportFiles = dict[str, str | bytes]

MOST_NAMES = (
    100  # names in an error message: those of a symbolic arm with seven joints, but not of a humanoid
)


@dataclass(frozen=True)
class Export:
    """Contents of an export: a program, its names, and the numbers of its example.

    Attributes:
        base: base name of files and functions, an identifier in every language.
        sample: numbers of the example.
        expected: outputs of the example, {output: entries by rows}; None if they are not defined for these numbers, or
            if NumPy is not available.
        values: numbers for the parameters, by name; those of `sample` for parameters that it does not contain.
        inputs: numbers for the inputs of the example, by name.
        options: options of the target, by name.
        companions: functions that return further programs of the same robot, by name, such as "geometry".
    """

    program: Program
    base: str
    sample: Sample
    expected: Mapping[str, tuple[float, ...]] | None
    values: Mapping[str, float]
    inputs: Mapping[str, Sequence[float]]
    options: Mapping[str, Any] = field(default_factory=dict)
    companions: Mapping[str, Callable[[], Program]] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """Export target with its writer function and options.

    Attributes:
        write: returns the files of an export, {path: contents}, without README and robot description.
        kernels: names of the kernels that the target has; None if it has all of them.
        options: option -> its meaning, in addition to `name`, which every target has.
        commands: commands that build and run the example, for the README; {0} is the base name.
        remarks: further sentences of the README, for example about tools with which the files were not run; {0} is the
            base name.
        with_values: whether the numbers of the parameters are part of the result, so that every parameter needs one.
        first_index: index of the first entry of an array.
    """

    id: str
    title: str
    write: Callable[[Export], ExportFiles]
    aliases: tuple[str, ...] = ()
    kernels: frozenset[str] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    with_values: bool = False
    first_index: int = 0


def choice(export: Export, option: str, values: Sequence[str]) -> str:
    """Return the value of an option; the first of the valid values is the default.

    Raises:
        OptionError: the value is not one of the valid values.
    """
    value = export.options.get(option, values[0])
    if value not in values:
        raise OptionError(
            f"{option} = {value!r} is not supported", hint=f"choose {' or '.join(map(repr, values))}"
        )
    return str(value)


def missing_numbers(title: str, program: Program, names: Sequence[str]) -> ArgumentError:
    """Return the error if parameters of a program have no numbers, which a target needs.

    Args:
        title: what needs the numbers.
        names: the parameters without a number.
    """
    shown = ", ".join(names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ArgumentError(
        f"{title} needs a number for every parameter of {program.name}; {len(names)} without a number: {shown}{more}",
        hint="write the numbers under 'nominal' in a robot file, which keeps the parameters, or replace the symbols by "
        f"numbers: robot.bind({{'{names[0]}': 1.0, ...}})",
    )
