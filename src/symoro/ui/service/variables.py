"""Names in the equations of a model: LaTeX symbol, meaning, unit and value at given inputs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symoro.emit.code import code_of
from symoro.emit.latex import DIALECT, entry_names, entry_symbol, symbol_of
from symoro.emit.layout import indices
from symoro.errors import ArgumentError
from symoro.expr.evaluate import evaluate
from symoro.model import Model
from symoro.notation import NOTATION, UNITS
from symoro.program.program import Input, Output, Program
from symoro.ui.service.answer_types import Variable

_MEANINGS = {row.name: row.meaning for row in NOTATION}
_MEANINGS["rl"] = _MEANINGS["r"]  # SYMORO's name of a constant r
_INDEXED = re.compile(r"([A-Za-z]+?)(\d+)")
_INDEX_OF_LINK = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
_DIRECTIONS = {"1": "x", "2": "y", "3": "z"}
_VECTORS = {row.symoro: (row.meaning, row.unit) for row in NOTATION if row.name in ("v", "w", "vd", "wd")} | {
    "U": ("matrix of the angular acceleration and the centripetal terms", "1/s2"),
    "F": ("inertial force", "N"),
    "N": ("inertial moment", "N m"),
    "E": ("total force", "N"),
    "M": ("total moment", "N m"),
}
"""Vectors and matrices of the Newton-Euler recursion -> meaning, unit."""
# W12 is component 1 for link 2, W1_12 for link 12; U132 is element (1, 3) for link 2.
_COMPONENT = re.compile(rf"({'|'.join(_VECTORS)})((?<=U)[1-3]{{2}}|(?<!U)[1-3])_?((?<!_)\d|(?<=_)\d{{2,}})")
_INERTIA = re.compile(rf"K?({'|'.join(_INDEX_OF_LINK)})[RC]?\d+")  # also regrouped (R) and composite (C)


def variables_of(derived: Model, inputs: Mapping[str, Any], values: Mapping[str, float]) -> list[Variable]:
    """Return the names that occur in the equations of a model.

    Args:
        derived: the model.
        inputs: numbers of each input, as a list or nested lists; missing inputs have no value.
        values: numbers of parameters, in addition to the nominal values of the robot.

    Raises:
        ArgumentError: an input has the wrong number of entries.
    """
    program = derived.program
    names: dict[str, str] = {}

    def symbol(name: str) -> str:
        names[shown := symbol_of(name)] = name
        return shown

    dialect = replace(DIALECT, symbol=symbol, reserved=entry_names(program))
    code = code_of(program, dialect, split=not program.expanded)
    names |= code.renamed
    parameters = dict.fromkeys(program.parameters, math.nan) | dict(derived.robot.nominal)
    parameters |= {name: _number(value) for name, value in values.items()}
    entries = {port: _entries(port, inputs.get(port.name)) for port in program.inputs}
    given = {name: x for port in entries.values() for name, x in port.items()}
    results: dict[int, Any] = {}
    numbers = evaluate(code.program.graph, list(code.variables.values()), parameters, given, results)
    roots = code.program.roots
    values_of_roots = evaluate(code.program.graph, roots, parameters, given, results)
    ports = {name: port for port in entries for name in port.symbols}
    shown = {
        latex: _variable(program, names.get(latex, latex), latex, ports, value)
        for latex, value in zip(code.variables, numbers, strict=True)
    }
    outputs = _outputs(code.program, dict(zip(roots, values_of_roots, strict=True)))
    return [*shown.values(), *(one for one in outputs if one.latex not in shown)]


def _entries(port: Input, given: Any) -> dict[str, float]:
    """Return the number of each entry of an input; nan if the input is not given."""
    if given is None:
        return dict.fromkeys(port.symbols, math.nan)
    numbers = list(_flat(given))
    if len(numbers) != len(port.symbols):
        raise ArgumentError(
            f"input '{port.name}' has {len(numbers)} numbers; expected {len(port.symbols)}",
            hint=f"give one number per entry: {', '.join(port.symbols)}",
        )
    return dict(zip(port.symbols, numbers, strict=True))


def _flat(given: Any) -> Iterator[float]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        for part in given:
            yield from _flat(part)
    else:
        yield _number(given)


def _number(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ArgumentError(f"expected a number, not {str(given)[:40]!r}")
    return float(given)


def _variable(program: Program, name: str, latex: str, ports: Mapping[str, Input], value: float) -> Variable:
    port = ports.get(name)
    if port is not None:
        return Variable(
            name=name, latex=latex, kind="input", meaning=port.title, unit=port.unit, value=float(value)
        )
    if name in program.parameters:
        unit = program.units.get(name, "")
        return Variable(
            name=name, latex=latex, kind="parameter", meaning=_meaning(name), unit=unit, value=float(value)
        )
    meaning, unit = _quantity(name, program.sections.get(name, ""))
    return Variable(name=name, latex=latex, kind="variable", meaning=meaning, unit=unit, value=float(value))


def _outputs(program: Program, roots: Mapping[int, float]) -> Iterator[Variable]:
    """Yield the outputs and their entries, each entry with its value."""
    for port in program.outputs:

        def entry(name: str, latex: str, value: float | None, port: Output = port) -> Variable:
            meaning, unit = port.title, port.unit
            return Variable(name=name, latex=latex, kind="output", meaning=meaning, unit=unit, value=value)

        if port.shape:
            yield entry(port.name, symbol_of(port.name), None)
        for index, lit in zip(indices(port.shape, 1), port.lits, strict=True):
            name = port.name + "_".join(map(str, index))
            yield entry(name, entry_symbol(port.name, index), float(roots[lit]))


def _quantity(name: str, section: str) -> tuple[str, str]:
    """Return meaning and unit of an intermediate variable; without a unit if its name denotes no quantity.

    Args:
        section: the part of the model that defines the variable, such as "link 2: velocities".
    """
    if (match := _INERTIA.fullmatch(name)) and not section.endswith("moment"):
        return section, UNITS[match[1]]
    if (match := _COMPONENT.fullmatch(name)) and section.startswith("link "):
        letters, index, link = match.groups()
        meaning, unit = _VECTORS[letters]
        part = f"component {index}" if len(index) == 1 else f"element ({', '.join(index)})"
        return f"{meaning}, {part}, link {link}", unit
    return section, ""


def _meaning(name: str) -> str:
    """Return the meaning of a parameter in the notation, with its link or joint; "" if it has none."""
    match = _INDEXED.fullmatch(name)
    if match is None:
        return ""
    letters, number = match.groups()
    if letters == "G":
        return f"gravity along {_DIRECTIONS.get(number, number)} of the world"
    meaning = _MEANINGS.get(letters) or _MEANINGS.get(letters.lower(), "")
    if not meaning:
        return ""
    return f"{meaning}, {'link' if letters in _INDEX_OF_LINK else 'frame'} {number}"
