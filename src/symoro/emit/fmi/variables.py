"""Variables of an FMU: arrays with value references, start values, units and descriptions.

    value reference    0        1 ...        ...       ...       ...            ...
    variables          time     parameters   inputs    state     derivatives    outputs

Every entry of an array is a scalar variable with the name of the array and its indices, counted from 1: `q[3]`,
`T[1,4]`, and `der(q[3])` for the derivative of a state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from symoro.emit.fmi.ode import RATE, Ode
from symoro.emit.joints import joint_indices
from symoro.program.program import Input, Output, Program, Shape, size

Kind = Literal["time", "parameter", "input", "state", "derivative", "output"]


@dataclass(frozen=True)
class Array:
    """Array of variables with consecutive value references.

    Attributes:
        first: value reference of its first entry.
        names: names of the entries, by rows.
        titles: meanings of the entries.
        units: units of the entries, "" if they are not known.
        start: start values; empty if the entries are computed.
        of: name of the state of which this array is the derivative.
    """

    name: str
    kind: Kind
    first: int
    names: tuple[str, ...]
    titles: tuple[str, ...]
    units: tuple[str, ...]
    start: tuple[float, ...] = ()
    of: str = ""

    @property
    def references(self) -> range:
        return range(self.first, self.first + len(self.names))


@dataclass(frozen=True)
class Variables:
    """All variables of an FMU, in the order of their value references."""

    arrays: tuple[Array, ...]

    def __getitem__(self, name: str) -> Array:
        return next(array for array in self.arrays if array.name == name)

    def of_kind(self, kind: Kind) -> list[Array]:
        return [array for array in self.arrays if array.kind == kind]

    def first(self, *kinds: Kind) -> int:
        """Return the value reference after all variables before those of some kinds; the kinds are consecutive."""
        return next((array.first for array in self.arrays if array.kind in kinds), self.size)

    @property
    def size(self) -> int:
        return self.arrays[-1].references.stop


def variables_of(
    ode: Ode,
    parameters: Mapping[str, float],
    start: Mapping[str, Sequence[float]],
    units: Mapping[str, Sequence[str]],
) -> Variables:
    """Return the variables of the FMU of a system.

    Args:
        parameters: numbers of the parameters, by name.
        start: start values of states and inputs, by name of the array.
        units: units of the entries of arrays whose entries have different units.
    """
    listed = _Listed(ode, units)
    taken = {"time", *ode.states, *ode.inputs, *ode.outputs, "q", "qd"}
    for parameter, value in parameters.items():
        name = parameter if parameter not in taken else f"parameters.{parameter}"
        unit = ode.program.units.get(parameter, "")
        listed.add(f"parameter {parameter}", "parameter", [name], [""], [unit], [value])
    for name in ode.inputs:
        listed.add_port(name, "input", listed.ports[name].shape, start[name])
    for name, count in ode.states.items():
        listed.add_port(name, "state", (count,), start[name])
    for state in [array for array in listed.arrays if array.kind == "state"]:
        listed.add(
            RATE.format(state.name),
            "derivative",
            [f"der({entry})" for entry in state.names],
            [f"derivative of {entry}" for entry in state.names],
            [_per_second(unit) for unit in state.units],
            of=state.name,
        )
    joints = ("q", "qd") if ode.active else ()
    for name in (*joints, *ode.outputs):
        listed.add_port(name, "output", listed.ports[name if name in listed.ports else "q"].shape)
    return Variables(tuple(listed.arrays))


class _Listed:
    """List of arrays to which further ones are added; `ports` are the ports of the program by name."""

    def __init__(self, ode: Ode, units: Mapping[str, Sequence[str]]) -> None:
        self.program, self.units = ode.program, units
        self.arrays = [Array("time", "time", 0, ("time",), ("time",), ("s",))]
        self.ports: dict[str, Input | Output] = {port.name: port for port in ode.program.outputs}
        self.ports |= {port.name: port for port in ode.program.inputs}

    def add(
        self,
        name: str,
        kind: Kind,
        names: Sequence[str],
        titles: Sequence[str],
        units: Sequence[str],
        start: Sequence[float] = (),
        of: str = "",
    ) -> None:
        first, numbers = self.arrays[-1].references.stop, tuple(map(float, start))
        self.arrays.append(Array(name, kind, first, tuple(names), tuple(titles), tuple(units), numbers, of))

    def add_port(self, name: str, kind: Kind, shape: Shape, start: Sequence[float] = ()) -> None:
        """Add an input, output or part of the state; its meaning and unit are those of the port with its name."""
        port, count = self.ports.get(name), size(shape)
        title, unit = PARTS.get(name) or ((port.title, port.unit) if port is not None else ("", ""))
        titles, units = _titles(self.program, name, title, count), _units(unit, self.units.get(name), count)
        self.add(name, kind, entries(name, shape), titles, units, start)


# meaning and unit of parts of the state that are not ports of a model
PARTS = {
    "qa": ("positions of the active joints, in frame order", ""),
    "P0": ("position of the base in the world frame", "m"),
}


def entries(name: str, shape: Shape) -> list[str]:
    """Return the names of the entries of an array, by rows: q[1], q[2] ...; T[1,1], T[1,2] ..."""
    if not shape:
        return [name]
    places = product(*(range(1, length + 1) for length in shape))
    return [f"{name}[{','.join(map(str, place))}]" for place in places]


JOINT_ARRAYS = ("q", "qd", "qdd", "qa", "qda", "qdda", "tau", "qm", "qmd", "qmdd")


def _titles(program: Program, name: str, title: str, count: int) -> list[str]:
    """Return the meaning of each entry of an array, with the name of its joint."""
    if name in JOINT_ARRAYS:
        for kind in ("JOINT", "ACTIVE"):
            joints = [joint.name for joint in joint_indices(program) if joint.kind == kind]
            if len(joints) == count:
                return [f"{title}: {joint}" for joint in joints]
    return [title] * count


def _units(unit: str, entry_units: Sequence[str] | None, count: int) -> list[str]:
    if entry_units is not None:
        return list(entry_units)
    if any(mark in unit for mark in (";", ",", " or ")):  # the entries have different units
        return [""] * count
    return [unit] * count


def _per_second(unit: str) -> str:
    """Return the unit of a derivative with respect to time."""
    if not unit:
        return ""
    return f"{unit}2" if unit.endswith("/s") else f"{unit}/s"
