"""Builder of programs: inputs, parameters, named variables, outputs."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.expr.kernels import call
from symoro.expr.scalar import Expr, Scalar, maximum, pi, select, symbol, wrap
from symoro.program.program import Input, Output, Port, Program, Shape, size


class Builder:
    """Builder of the program of one model, with one graph."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.graph = Graph()
        self._inputs: list[Input] = []
        self._outputs: list[Output] = []
        self._parameters: dict[str, None] = {}
        self._names: dict[int, tuple[str, int]] = {}
        self._taken: set[str] = set()
        self._sections: dict[str, str] = {}
        self._void: list[tuple[Expr, Expr | None]] = []

    def input(
        self,
        port: Port | str,
        shape: Shape,
        symbols: Sequence[str] | None = None,
        title: str = "",
        default: Sequence[float] | None = None,
    ) -> list[Expr]:
        """Declare an input and return its entries by rows.

        Args:
            title: meaning of the input, if it is more precise than that of the port.
        """
        name, title = _named(port, title)
        if symbols is None:
            symbols = [f"{name}{k}" for k in range(1, size(shape) + 1)]
        if len(symbols) != size(shape) or len(set(symbols)) != len(symbols):
            raise ProgramError(f"input {name}: expected {size(shape)} different entry names")
        if default is not None and len(default) != size(shape):
            raise ProgramError(f"input {name}: expected {size(shape)} default entries, got {len(default)}")
        if any(name == other.name for other in self._inputs):
            raise ProgramError(f"input {name} is declared twice")
        clash = {s for other in self._inputs for s in other.symbols} & set(symbols)
        if clash:
            raise ProgramError(f"input {name}: entry {sorted(clash)[0]} belongs to another input")
        fallback = None if default is None else tuple(default)
        self._inputs.append(Input(name, shape, tuple(symbols), title, fallback))
        return [symbol(self.graph, s, ops.VARIABLE) for s in symbols]

    def entries(self, name: str) -> list[Expr]:
        """Return the entries of an input; an empty list if it is not declared."""
        named = [s for port in self._inputs if port.name == name for s in port.symbols]
        return [symbol(self.graph, s, ops.VARIABLE) for s in named]

    def parameter(self, name: str) -> Expr:
        self._parameters.setdefault(name)
        return symbol(self.graph, name, ops.PARAMETER)

    def formula(self, f: Formula) -> Expr:
        """Return a formula of a description as expression, with its symbols declared as parameters."""
        return f.into(self.graph, lambda name: self.parameter(name).lit)

    def number(self, value: Scalar) -> Expr:
        return wrap(self.graph, value)

    def pi(self) -> Expr:
        return pi(self.graph)

    def named(self, name: str, value: Scalar, section: str = "") -> Expr:
        """Name an intermediate variable. Numbers and symbols are not named; the first name of a node is kept.

        Args:
            section: part of the model, such as "link 3: velocities"; emitted code has a comment where a new part
                begins.
        """
        expr = wrap(self.graph, value)
        node = expr.lit >> 1
        if self.graph.op[node] >= ops.ADD and node not in self._names:
            unique, k = name, 2
            while unique in self._taken:
                unique, k = f"{name}_{k}", k + 1
            self._taken.add(unique)
            self._names[node] = (unique, expr.lit & 1)
            if section:
                self._sections[unique] = section
        return expr

    @property
    def named_nodes(self) -> Container[int]:
        """Return the nodes that have a name."""
        return self._names.keys()

    def has_name(self, name: str) -> bool:
        """Return whether an intermediate variable has the name."""
        return name in self._taken

    def named_array(self, name: str, values: Sequence[Scalar]) -> list[Expr]:
        """Name the entries of a vector name1, name2 ..."""
        return [self.named(f"{name}{k}", v) for k, v in enumerate(values, 1)]

    def call(self, kernel: str, *inputs: Sequence[Scalar]) -> list[Expr]:
        """Return the results of a kernel call."""
        arrays = [[wrap(self.graph, x).lit for x in array] for array in inputs]
        return [Expr(self.graph, lit) for lit in call(self.graph, kernel, arrays)]

    def output(self, port: Port | str, value: Any, title: str = "") -> None:
        """Declare an output from a scalar or nested lists of scalars; `title` as for an input."""
        name, title = _named(port, title)
        if any(name == other.name for other in self._outputs):
            raise ProgramError(f"output {name} is declared twice")
        shape, entries = _flatten(value)
        lits = tuple(wrap(self.graph, x).lit for x in entries)
        self._outputs.append(Output(name, shape, lits, title))

    def not_a_number(self, condition: Scalar) -> Expr:
        """Return 0 / 0 (floating point) if the condition is zero; otherwise the value is not used."""
        x = symbol(self.graph, self._inputs[0].symbols[0])
        return wrap(self.graph, select(condition, x, 0) / select(condition, -x, 0))

    def void_where(self, condition: Scalar, used: Expr | None = None) -> None:
        """Make every entry of all outputs not-a-number if the condition is not zero.

        Args:
            used: expression to which the condition applies; only outputs that depend on it are affected.
        """
        self._void.append((wrap(self.graph, condition), used))

    def _valued(self) -> tuple[Output, ...]:
        """Return the outputs, with not-a-number where they are not defined."""
        lits = [lit for output in self._outputs for lit in output.lits]
        reached = set(self.graph.reachable(lits)) if self._void else set()
        conditions = [c for c, used in self._void if used is None or used.lit >> 1 in reached]
        void: Scalar = 0
        for condition in dict.fromkeys(conditions):
            void = condition if void == 0 else maximum(void, condition)
        if void == 0:
            return tuple(self._outputs)
        x = symbol(self.graph, self._inputs[0].symbols[0])
        none = select(void, 0, x) / select(void, 0, -x)  # 0 / 0, as floating-point numbers in every language
        return tuple(
            replace(
                o, lits=tuple(wrap(self.graph, select(void, none, Expr(self.graph, x))).lit for x in o.lits)
            )
            for o in self._outputs
        )

    def program(self, *, title: str = "", expanded: bool = False) -> Program:
        """Return the program as declared so far.

        Raises:
            ProgramError: there is no output, or one depends on a symbol that was not declared.
        """
        if not self._outputs:
            raise ProgramError(f"program {self.name} has no output")
        result = Program(
            self.name,
            self.graph,
            tuple(self._inputs),
            self._valued(),
            tuple(self._parameters),
            dict(self._names),
            expanded,
            title,
            sections=dict(self._sections),
        )
        self._check_symbols(result)
        return result

    def _check_symbols(self, program: Program) -> None:
        graph = self.graph
        entries = {s for port in self._inputs for s in port.symbols}
        for i in program.nodes:
            if graph.op[i] == ops.SYMBOL:
                name, cls = graph.args[i]
                if name not in (entries if cls == ops.VARIABLE else self._parameters):
                    kind = "an entry of an input" if cls == ops.VARIABLE else "a parameter"
                    raise ProgramError(f"program {self.name}: symbol '{name}' is not declared as {kind}")


def _named(port: Port | str, title: str) -> tuple[str, str]:
    """Return name and meaning of a port."""
    return (port, title) if isinstance(port, str) else (port.name, title or port.title)


def _flatten(value: Any) -> tuple[Shape, list[Scalar]]:
    if not isinstance(value, (list, tuple)):
        return (), [value]
    parts = [_flatten(v) for v in value]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise ProgramError(f"an output has rows of different shapes: {sorted(shapes)}")
    inner = shapes.pop() if shapes else ()
    return (len(parts), *inner), [x for _, entries in parts for x in entries]
