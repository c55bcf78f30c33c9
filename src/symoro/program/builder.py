"""Builder of programs: declares inputs, parameters, named variables and outputs."""

from __future__ import annotations

from collections.abc import Sequence
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
    """Builder of the program of one model; all expressions belong to one graph."""

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
        """Declare an input array and return its entries by rows, as expressions.

        Args:
            port: description of the input, or its name.
            shape: shape of the array.
            symbols: names of the entries by rows; derived from the name of the input by default.
            title: meaning of the input, if it is more precise than that of the port.
            default: entries that are used if the caller omits the input.
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
        """Return the entries of the input `name` by rows; an empty list if it is not declared."""
        named = [s for port in self._inputs if port.name == name for s in port.symbols]
        return [symbol(self.graph, s, ops.VARIABLE) for s in named]

    def parameter(self, name: str) -> Expr:
        self._parameters.setdefault(name)
        return symbol(self.graph, name, ops.PARAMETER)

    def formula(self, f: Formula) -> Expr:
        """Return a formula of the robot description as an expression; its symbols become parameters."""
        return f.into(self.graph, lambda name: self.parameter(name).lit)

    def number(self, value: Scalar) -> Expr:
        return wrap(self.graph, value)

    def pi(self) -> Expr:
        return pi(self.graph)

    def named(self, name: str, value: Scalar, section: str = "") -> Expr:
        """Give an intermediate variable a name and return its expression.

        Numbers and symbols are not named. If a node already has a name, it keeps this name.

        Args:
            section: section of the model, such as "link 3: velocities"; emitted code has a comment where a new section
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

    def name_of(self, value: Expr) -> tuple[str, int] | None:
        """Return the name of the node of an expression, and 1 if the name is that of minus the node; or None."""
        return self._names.get(value.lit >> 1)

    def has_name(self, name: str) -> bool:
        """Return whether an intermediate variable with this name exists."""
        return name in self._taken

    def named_array(self, name: str, values: Sequence[Scalar]) -> list[Expr]:
        """Name the entries of a vector name1, name2 ... and return their expressions."""
        return [self.named(f"{name}{k}", v) for k, v in enumerate(values, 1)]

    def call(self, kernel: str, *inputs: Sequence[Scalar]) -> list[Expr]:
        """Call a kernel (an algorithm with array arguments, see `expr.kernels`) and return its results."""
        arrays = [[wrap(self.graph, x).lit for x in array] for array in inputs]
        return [Expr(self.graph, lit) for lit in call(self.graph, kernel, arrays)]

    def output(self, port: Port | str, value: Any, title: str = "") -> None:
        """Declare an output array.

        Args:
            port: description of the output, or its name.
            value: a scalar or nested lists of scalars, by rows.
            title: meaning of the output, if it is more precise than that of the port.
        """
        name, title = _named(port, title)
        if any(name == other.name for other in self._outputs):
            raise ProgramError(f"output {name} is declared twice")
        shape, entries = _flatten(value)
        lits = tuple(wrap(self.graph, x).lit for x in entries)
        self._outputs.append(Output(name, shape, lits, title))

    def not_a_number(self, condition: Scalar) -> Expr:
        """Return an expression that is NaN (0 / 0) where the condition is zero; elsewhere it must not be used."""
        x = symbol(self.graph, self._inputs[0].symbols[0])
        return wrap(self.graph, select(condition, x, 0) / select(condition, -x, 0))

    def void_where(self, condition: Scalar, used: Expr | None = None) -> None:
        """Make all entries of the outputs NaN where the condition is not zero.

        Args:
            used: if given, the condition has an effect only if an output depends on this expression.
        """
        self._void.append((wrap(self.graph, condition), used))

    def _valued(self) -> tuple[Output, ...]:
        """Return the outputs with the conditions of `void_where` applied: NaN where they are not defined."""
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
        """Return the program with everything that has been declared.

        Args:
            title: description of the program in words.
            expanded: write each output entry as one complete expression.

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
    """Return name and meaning of a port; `title` replaces its meaning if it is not empty."""
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
