"""Programs as JSON, to be saved and loaded without deriving them again.

    {"name": ..., "nodes": [[op, operand, ...], ...], "calls": [...], "inputs": [...], "outputs": [...], ...}

A node is an operation of `expr.ops` by name with its operands, which are signed references `2 * node + sign` to earlier
nodes. Numbers are integers, fractions ("1/3") or decimals, so that a loaded program equals the saved one exactly. The
steps of a derivation (`Program.derivation`) are not stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from symoro.errors import FormatError, ProgramError
from symoro.expr import ops
from symoro.expr.graph import Call, Graph
from symoro.expr.kernels import KERNELS
from symoro.expr.number import Number
from symoro.program.program import Input, Output, Program

_OPERATIONS = {info.name: op for op, info in ops.TABLE.items()}
_CLASSES = {"parameter": ops.PARAMETER, "variable": ops.VARIABLE}
_TEXTS = ("parameters", "columns", "choices", "conditions")


def program_data(program: Program) -> dict[str, Any]:
    """Return a program as data for JSON."""
    graph, nodes = program.graph, program.nodes
    new = {i: at for at, i in enumerate(nodes)}
    calls: dict[int, int] = {}

    def moved(lit: int) -> int:
        return new[lit >> 1] << 1 | (lit & 1)

    def row(i: int) -> list[Any]:
        op, args = graph.op[i], graph.args[i]
        name = ops.TABLE[op].name
        if op == ops.NUMBER:
            return [name, str(args[0]) if isinstance(args[0], Fraction) else args[0]]
        if op == ops.SYMBOL:
            return [name, args[0], next(key for key, cls in _CLASSES.items() if cls == args[1])]
        if op == ops.KERNEL:
            return [name, calls.setdefault(args[0], len(calls)), args[1]]
        return [name, *args] if op < ops.ADD else [name, *map(moved, args)]

    rows = [row(i) for i in nodes]
    return {
        "name": program.name,
        "title": program.title,
        "nodes": rows,
        "calls": [_call_data(graph.calls[index], moved) for index in calls],
        "inputs": [
            {
                "name": port.name,
                "shape": list(port.shape),
                "symbols": list(port.symbols),
                "title": port.title,
                "default": None if port.default is None else list(port.default),
                "unit": port.unit,
            }
            for port in program.inputs
        ],
        "outputs": [
            {
                "name": port.name,
                "shape": list(port.shape),
                "entries": [moved(lit) for lit in port.lits],
                "title": port.title,
                "unit": port.unit,
            }
            for port in program.outputs
        ],
        "names": [[new[i], name, sign] for i, (name, sign) in program.names.items() if i in new],
        "expanded": program.expanded,
        "as_written": program.as_written,
        "header": [list(pair) for pair in program.header],
        "units": dict(program.units),
        "sections": dict(program.sections),
        "joints": dict(program.joints),
        **{key: list(getattr(program, key)) for key in _TEXTS},
    }


def _call_data(call: Call, moved: Any) -> dict[str, Any]:
    inputs = [[moved(lit) for lit in array] for array in call.inputs]
    return {"kernel": call.kernel, "inputs": inputs, "size": call.size}


def program_of(data: Mapping[str, Any]) -> Program:
    """Return the program that `program_data` stored.

    Raises:
        FormatError: the data are not those of a program.
    """
    try:
        return _Reader(data).program()
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        ArithmeticError,
        ProgramError,
    ) as error:
        raise FormatError(f"the stored program is damaged: {error!r}") from None


_SIGNS = {0: 0, 1: 1}


class _Reader:
    """Reader of one stored program; every reference must be one of an earlier node."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.graph = Graph()
        self.map: list[int] = []  # stored node -> reference in the graph

    def program(self) -> Program:
        data = self.data
        for row in data["nodes"]:
            self.map.append(self._node(row))
        inputs = tuple(
            Input(
                str(port["name"]),
                tuple(int(n) for n in port["shape"]),
                tuple(str(symbol) for symbol in port["symbols"]),
                str(port["title"]),
                None if port["default"] is None else tuple(float(x) for x in port["default"]),
                str(port["unit"]),
            )
            for port in data["inputs"]
        )
        outputs = tuple(
            Output(
                str(port["name"]),
                tuple(int(n) for n in port["shape"]),
                tuple(self._lit(lit) for lit in port["entries"]),
                str(port["title"]),
                str(port["unit"]),
            )
            for port in data["outputs"]
        )
        names = {self._lit(2 * i) >> 1: (str(name), _SIGNS[sign]) for i, name, sign in data["names"]}
        parameters, columns, choices, conditions = (tuple(map(str, data[key])) for key in _TEXTS)
        self._check(inputs, outputs, parameters)
        return Program(
            str(data["name"]),
            self.graph,
            inputs,
            outputs,
            parameters,
            names=names,
            expanded=bool(data["expanded"]),
            as_written=bool(data["as_written"]),
            title=str(data["title"]),
            header=tuple((str(label), str(text)) for label, text in data["header"]),
            units=_words(data["units"]),
            sections=_words(data["sections"]),
            joints=_words(data["joints"]),
            columns=columns,
            choices=choices,
            conditions=conditions,
        )

    def _check(self, inputs: Sequence[Input], outputs: Sequence[Output], parameters: Sequence[str]) -> None:
        """Check that arrays have as many entries as their shapes require, and that every symbol is declared."""
        sizes = [(port.name, port.shape, len(port.symbols)) for port in inputs]
        sizes += [(port.name, port.shape, len(port.lits)) for port in outputs]
        for name, shape, size in sizes:
            if min(shape, default=0) < 0 or math.prod(shape) != size:
                raise ValueError(f"{name} has {size} entries and the shape {shape}")
        variables = {symbol for port in inputs for symbol in port.symbols}
        for name in (*(name for name, _, _ in sizes), *variables, *parameters):
            if not name.isidentifier():
                raise ValueError(f"{name!r} is not a name")
        for op, args, cls in zip(self.graph.op, self.graph.args, self.graph.cls, strict=True):
            if op == ops.SYMBOL and args[0] not in (variables if cls == ops.VARIABLE else parameters):
                raise ValueError(f"the symbol {args[0]!r} is neither an entry of an input nor a parameter")

    def _lit(self, lit: Any) -> int:
        if not isinstance(lit, int) or not 0 <= lit >> 1 < len(self.map):
            raise ValueError(f"reference {lit!r} to a node that does not exist")
        return self.map[lit >> 1] ^ (lit & 1)

    def _node(self, row: Sequence[Any]) -> int:
        op, graph = _OPERATIONS[row[0]], self.graph
        if op == ops.NUMBER:
            return graph.number(_number(row[1]))
        if op == ops.PI:
            return graph.pi()
        if op == ops.TOLERANCE:
            return graph.tolerance(float(row[1]))
        if op == ops.SYMBOL:
            return graph.symbol(str(row[1]), _CLASSES[row[2]])
        if op == ops.KERNEL:
            return self._result(int(row[1]), int(row[2]))
        operands = tuple(self._lit(lit) for lit in row[1:])
        if len(operands) != ops.TABLE[op].arity:
            raise ValueError(f"{row[0]} with {len(operands)} operands")
        cls = max(graph.cls[lit >> 1] for lit in operands)
        return graph.node(op, operands, cls)

    def _result(self, index: int, entry: int) -> int:
        stored = self.data["calls"][index]
        kernel, arrays = str(stored["kernel"]), [[self._lit(lit) for lit in a] for a in stored["inputs"]]
        if kernel not in KERNELS or KERNELS[kernel].size([len(a) for a in arrays]) != stored["size"]:
            raise ValueError(f"a call of the kernel '{kernel}' that does not exist")
        if not 0 <= entry < stored["size"]:
            raise ValueError(f"result {entry} of the kernel '{kernel}'")
        return self.graph.call(kernel, arrays, stored["size"])[entry]


def _number(value: Any) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is not a number")
    return Fraction(value) if isinstance(value, str) else value


def _words(data: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(value) for key, value in data.items()}
