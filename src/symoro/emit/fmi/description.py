"""modelDescription.xml of an FMU for FMI 2.0 and FMI 3.0, and buildDescription.xml of FMI 3.0."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from symoro._version import __version__
from symoro.emit.fmi.ode import Ode, dependencies
from symoro.emit.fmi.variables import Array, Variables
from symoro.files import MADE_BY


@dataclass(frozen=True)
class FmuText:
    """Contents of the description of an FMU.

    Attributes:
        base: model identifier: name of the binary, an identifier in C.
        title: meaning of the model.
        step: inner step of the co-simulation, in seconds.
        directions: whether directional derivatives are provided.
        sources: names of the C files.
    """

    base: str
    title: str
    ode: Ode
    variables: Variables
    step: float
    directions: bool
    sources: tuple[str, ...]


def model_description(text: FmuText, version: str, token: str) -> str:
    """Return modelDescription.xml.

    Args:
        version: version of FMI, "2.0" or "3.0".
        token: GUID (2.0) or instantiation token (3.0) of the FMU.
    """
    write = {"2.0": _fmi2, "3.0": _fmi3}[version]
    return (
        "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<!-- {MADE_BY} -->", *write(text, token)])
        + "\n"
    )


def build_description(text: FmuText) -> str:
    """Return buildDescription.xml of the sources, for FMI 3.0."""
    files = [f"      <SourceFile name={quoted(name)}/>" for name in text.sources]
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<!-- {MADE_BY} -->",
            '<fmiBuildDescription fmiVersion="3.0">',
            f"  <BuildConfiguration modelIdentifier={quoted(text.base)}>",
            '    <SourceFileSet language="C99">',
            *files,
            "    </SourceFileSet>",
            "  </BuildConfiguration>",
            "</fmiBuildDescription>",
            "",
        ]
    )


def quoted(text: str) -> str:
    """Return a text as an XML attribute value in quotes; characters that XML does not allow become spaces."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return quoteattr(" ".join(printable.split()), {"\ufffe": " ", "\uffff": " "})


def _element(name: str, attributes: Mapping[str, object], indent: int, *, closed: bool = True) -> str:
    written = " ".join(
        f"{key}={quoted(str(value))}" for key, value in attributes.items() if value is not None
    )
    return f"{' ' * indent}<{name}{' ' if written else ''}{written}{'/' if closed else ''}>"


# -- FMI 2.0


def _fmi2(text: FmuText, token: str) -> list[str]:
    states = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    abilities = {**states, "providesDirectionalDerivative": str(text.directions).lower()}
    sources = ["    <SourceFiles>", *(f"      <File name={quoted(name)}/>" for name in text.sources)]
    sources += ["    </SourceFiles>"]
    head = {
        "fmiVersion": "2.0",
        "modelName": text.base,
        "guid": token,
        "description": text.title,
        "generationTool": f"symoro {__version__}",
        "variableNamingConvention": "structured",
        "numberOfEventIndicators": 0,
    }
    steps = {"canHandleVariableCommunicationStepSize": "true"}
    lines = [_element("fmiModelDescription", head, 0, closed=False)]
    for name, own in (("ModelExchange", {}), ("CoSimulation", steps)):
        lines += [
            _element(name, {"modelIdentifier": text.base, **own, **abilities}, 2, closed=False),
            *sources,
            f"  </{name}>",
        ]
    lines += [*_units(text.variables), *_categories(), _experiment(text), "  <ModelVariables>"]
    for array in text.variables.arrays:
        for k, attributes in enumerate(_variables(array)):
            real: dict[str, object] = {"unit": _unit_name(array.units[k])}
            if array.start:
                real["start"] = repr(array.start[k])
            if array.of:
                real["derivative"] = text.variables[array.of].first + k + 1
            lines += [
                _element("ScalarVariable", attributes, 4, closed=False),
                _element("Real", real, 6),
                "    </ScalarVariable>",
            ]
    lines += ["  </ModelVariables>", "  <ModelStructure>"]
    for name, rows in _structure(text).items():
        unknowns = [_unknown("Unknown", "index", row, 1, 6) for row in rows]
        lines += [f"    <{name}>", *unknowns, f"    </{name}>"] if rows else []
    return [*lines, "  </ModelStructure>", "</fmiModelDescription>"]


# -- FMI 3.0


def _fmi3(text: FmuText, token: str) -> list[str]:
    abilities = {
        "modelIdentifier": text.base,
        "canGetAndSetFMUState": "true",
        "canSerializeFMUState": "true",
        "providesDirectionalDerivatives": str(text.directions).lower(),
    }
    steps: dict[str, object] = {"canHandleVariableCommunicationStepSize": "true"}
    if text.ode.states:
        steps["fixedInternalStepSize"] = repr(text.step)
    head = {
        "fmiVersion": "3.0",
        "modelName": text.base,
        "instantiationToken": token,
        "description": text.title,
        "generationTool": f"symoro {__version__}",
        "variableNamingConvention": "structured",
    }
    lines = [
        _element("fmiModelDescription", head, 0, closed=False),
        _element("ModelExchange", abilities, 2),
        _element("CoSimulation", abilities | steps, 2),
        *_units(text.variables),
        *_categories(),
        _experiment(text),
        "  <ModelVariables>",
    ]
    for array in text.variables.arrays:
        for k, attributes in enumerate(_variables(array)):
            attributes["unit"] = _unit_name(array.units[k])
            if array.start:
                attributes["start"] = repr(array.start[k])
            if array.of:
                attributes["derivative"] = text.variables[array.of].first + k
            lines.append(_element("Float64", attributes, 4))
    lines += ["  </ModelVariables>", "  <ModelStructure>"]
    names = {
        "Outputs": "Output",
        "Derivatives": "ContinuousStateDerivative",
        "InitialUnknowns": "InitialUnknown",
    }
    for kind, rows in _structure(text).items():
        lines += [_unknown(names[kind], "valueReference", row, 0, 4) for row in rows]
    return [*lines, "  </ModelStructure>", "</fmiModelDescription>"]


# -- parts of both

ATTRIBUTES: dict[str, dict[str, object]] = {
    "time": {"causality": "independent", "variability": "continuous"},
    "parameter": {"causality": "parameter", "variability": "tunable", "initial": "exact"},
    "input": {"causality": "input", "variability": "continuous"},
    "state": {"causality": "output", "variability": "continuous", "initial": "exact"},
    "derivative": {"causality": "local", "variability": "continuous", "initial": "calculated"},
    "output": {"causality": "output", "variability": "continuous", "initial": "calculated"},
}


def _variables(array: Array) -> list[dict[str, object]]:
    """Return the attributes of the variables of an array that both versions have."""
    return [
        {"name": name, "valueReference": reference, "description": title or None, **ATTRIBUTES[array.kind]}
        for name, reference, title in zip(array.names, array.references, array.titles, strict=True)
    ]


def _experiment(text: FmuText) -> str:
    return _element("DefaultExperiment", {"startTime": 0, "stepSize": repr(text.step)}, 2)


def _categories() -> list[str]:
    names = ("logStatusDiscard", "logStatusError")
    return ["  <LogCategories>", *(f'    <Category name="{name}"/>' for name in names), "  </LogCategories>"]


_SYMBOL = re.compile(r"([A-Za-z]+)(\d?)")
_BASE_UNITS: dict[str, dict[str, int]] = {
    "kg": {"kg": 1},
    "m": {"m": 1},
    "s": {"s": 1},
    "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
}


def _unit_name(unit: str) -> str | None:
    """Return the name of a unit, such as "N.m.s/rad" for "N m s/rad"; None if the unit is not known."""
    return unit.replace(" ", ".") or None


def _units(variables: Variables) -> list[str]:
    units = {unit for array in variables.arrays for unit in array.units if unit}
    lines = ["  <UnitDefinitions>"]
    for unit in sorted(units):
        powers: dict[str, int] = {}
        above, _, below = unit.partition("/")
        for sign, part in ((1, above), (-1, below)):
            for symbol, power in _SYMBOL.findall(part):
                for base, exponent in _BASE_UNITS[symbol].items():
                    powers[base] = powers.get(base, 0) + sign * exponent * int(power or 1)
        shown = {base: power for base, power in powers.items() if power}
        lines += [
            f"    <Unit name={quoted(str(_unit_name(unit)))}>",
            _element("BaseUnit", shown, 6),
            "    </Unit>",
        ]
    return [*lines, "  </UnitDefinitions>"]


@dataclass(frozen=True)
class Unknown:
    """Computed variable with the variables on which it depends.

    Attributes:
        knowns: value references of states and inputs, ascending; None if they are not listed.
        constant: whether it is a linear function of them with constant factors.
    """

    reference: int
    knowns: tuple[int, ...] | None = None
    constant: bool = False


def _unknown(element: str, attribute: str, row: Unknown, first: int, indent: int) -> str:
    attributes: dict[str, object] = {attribute: row.reference + first}
    if row.knowns is not None:
        attributes["dependencies"] = " ".join(str(known + first) for known in row.knowns)
        attributes["dependenciesKind"] = " ".join(
            ["constant" if row.constant else "dependent"] * len(row.knowns)
        )
    return _element(element, attributes, indent)


def _structure(text: FmuText) -> dict[str, list[Unknown]]:
    """Return the computed variables: outputs, derivatives of the state, and those of the initialisation."""
    variables, ode = text.variables, text.ode
    rows = _dependent_entries(text)
    outputs, derivatives = [], []
    for array in variables.of_kind("state"):
        outputs += [Unknown(r, (r,), constant=True) for r in array.references]
    for array in variables.of_kind("derivative"):
        rate = ode.rates[array.of]
        source = variables[rate].references if rate in ode.states else None
        for k, r in enumerate(array.references):
            known = (source[k],) if source is not None else rows[rate][k]
            derivatives.append(Unknown(r, known, constant=source is not None))
    for array in variables.of_kind("output"):
        outputs += [Unknown(r, knowns) for r, knowns in zip(array.references, rows[array.name], strict=True)]
    computed = [*variables.of_kind("derivative"), *variables.of_kind("output")]
    initial = [Unknown(r) for array in computed for r in array.references]
    return {"Outputs": outputs, "Derivatives": derivatives, "InitialUnknowns": initial}


def _dependent_entries(text: FmuText) -> dict[str, list[tuple[int, ...]]]:
    """Return, per output of the program and entry, the value references of the states and inputs it depends on."""
    variables, ode = text.variables, text.ode
    knowns: dict[str, Sequence[Sequence[int]]] = {
        array.name: [(r,) for r in array.references]
        for kind in ("input", "state")
        for array in variables.of_kind("input" if kind == "input" else "state")
    }
    rows: dict[str, list[tuple[int, ...]]] = {}
    if ode.active:  # loops: passive joints depend on all active ones
        joints = range(len(variables["q"].names))
        positions, velocities = variables["qa"].references, variables["qda"].references
        place = {joint: k for k, joint in enumerate(ode.active)}
        knowns["q"] = [(positions[place[j]],) if j in place else tuple(positions) for j in joints]
        rows["q"] = [tuple(known) for known in knowns["q"]]
        rows["qd"] = [(velocities[place[j]],) if j in place else (*positions, *velocities) for j in joints]
    for name, masks in dependencies(ode.program).items():
        rows[name] = [tuple(sorted({r for array, k in mask for r in knowns[array][k]})) for mask in masks]
    return rows
