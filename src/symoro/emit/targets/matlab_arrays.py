"""Arrays of MATLAB in C code: entries by columns, where the emitted code has them by rows; numbers of the example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, prod

from symoro.emit.code import Code
from symoro.emit.header import clean
from symoro.emit.layout import indices, wrap
from symoro.emit.matlab import DIALECT, literal
from symoro.emit.names import Names
from symoro.emit.target import Export
from symoro.program.program import Program, Shape, size

TOLERANCE = (
    1e-9  # of the example, relative to the largest entry of all outputs: one of them may be round-off alone
)


def by_columns(shape: Shape, entries: Sequence[float]) -> list[float]:
    """Return the entries of an array, given by rows, in the order of MATLAB: by columns."""
    strides = _strides(shape)
    places = [sum(i * n for i, n in zip(index, strides, strict=True)) for index in indices(shape)]
    return [entry for _, entry in sorted(zip(places, entries, strict=True))]


def copy_lines(shape: Shape, statement: str, indent: str = "    ") -> list[str]:
    """Return C loops that execute a statement for every entry of an array.

    Args:
        statement: {rows} and {columns} are the positions of the entry if the array is stored by rows and by columns.
    """
    names = [f"i{axis}" for axis in range(1, len(shape) + 1)]
    lines = []
    for depth, (name, n) in enumerate(zip(names, shape, strict=True)):
        lines.append(f"{indent}{'    ' * depth}for (size_t {name} = 0; {name} < {n}; ++{name})")
    by_rows = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    text = statement.format(rows=_position(names, by_rows), columns=_position(names, _strides(shape)))
    return [*lines, f"{indent}{'    ' * len(shape)}{text}"]


def _strides(shape: Shape) -> list[int]:
    """Return the distance of neighbours along each axis of an array that is stored by columns."""
    return [prod(shape[:axis]) for axis in range(len(shape))]


def _position(names: Sequence[str], strides: Sequence[int]) -> str:
    terms = [name if n == 1 else f"{n} * {name}" for name, n in zip(names, strides, strict=True)]
    return " + ".join(terms) or "0"


def buffers(code: Code, prefix: str = "") -> list[str]:
    """Return declarations of arrays in_NAME and out_NAME by rows, for the inputs and outputs of the function in C."""
    shapes = [port.shape for port in code.program.inputs] + [out.shape for out in code.program.outputs]
    every = zip([*_inputs(code), *_outputs(code)], shapes, strict=True)
    return [f"    {prefix}double {name}[{max(1, size(shape))}];" for name, shape in every]


def call_line(code: Code, constants: str, indent: str = "    ") -> str:
    """Return the C statement that calls the function with the arrays of `buffers`."""
    shared = [constants] if code.constants else []
    arguments = ", ".join([*_inputs(code), *shared, *_outputs(code)])
    return wrap(f"{indent}{code.arrays.function}({arguments});", indent + "    ", marks=",")


def _inputs(code: Code) -> list[str]:
    return [f"in_{name}" for name in code.arrays.inputs]


def _outputs(code: Code) -> list[str]:
    return [f"out_{name}" for name in code.arrays.outputs]


def parameter_values(export: Export, code: Code) -> str:
    """Return the definition in C of the array `defaults_` with the numbers of the parameters, one per line."""
    rows = [
        f"    {number!r}{',' if at < len(code.parameters) else ''} /* {clean(name)} */"
        for at, (name, number) in enumerate(zip(code.parameters, export.sample.parameters, strict=True), 1)
    ]
    return "\n".join([f"static const double defaults_[{len(rows)}] = {{", *rows, "};"])


# -- the example, a script of MATLAB


@dataclass(frozen=True)
class ScriptNames:
    """Variables of the example for the inputs and the outputs; other variables of the script end with underscores."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def script_names(program: Program) -> ScriptNames:
    """Return valid names of MATLAB variables for the inputs and outputs of a program."""
    names = Names(DIALECT)
    for own in ("expected_", "computed_", "equal_", "model_", "results_"):
        names.claim(own)
    inputs = tuple(names.claim(port.name) for port in program.inputs)
    return ScriptNames(inputs, tuple(names.claim(out.name) for out in program.outputs))


def sample_lines(export: Export, names: ScriptNames) -> list[str]:
    """Return statements that assign the numbers of the example to the inputs."""
    ports = zip(names.inputs, export.program.inputs, export.sample.inputs, strict=True)
    return [literal(name, port.shape, entries) for name, port, entries in ports]


def show_lines(export: Export, names: ScriptNames) -> list[str]:
    """Return statements that print the outputs by rows, and compare them with the expected numbers if there are any."""
    outputs = [
        (name, out)
        for name, out in zip(names.outputs, export.program.outputs, strict=True)
        if size(out.shape)
    ]
    lines = []
    for name, out in outputs:
        columns = out.shape[-1] if out.shape else 1
        order = ", ".join(str(axis) for axis in range(len(out.shape), 0, -1))
        turned = f"permute({name}, [{order}])" if len(out.shape) > 1 else name
        row = f"[repmat('%16.9g ', 1, {columns - 1}), '%16.9g\\n']"
        lines += [f"fprintf('{name} =\\n');", f"fprintf({row}, {turned});"]
    if export.expected is None:
        return lines
    entries = [abs(entry) for _, out in outputs for entry in export.expected[out.name] if isfinite(entry)]
    tolerance = TOLERANCE * max(entries, default=0.0)
    for name, out in outputs:
        lines += [
            literal("expected_", out.shape, export.expected[out.name]),
            f"computed_ = reshape({name}, size(expected_));",
            "equal_ = computed_ == expected_ | (isnan(computed_) & isnan(expected_));",
            f"equal_ = equal_ | abs(computed_ - expected_) <= {tolerance!r};",
            "if ~all(equal_(:))",
            f"    error('symoro:example', '{name} differs from the expected numbers');",
            "end",
        ]
    return lines
