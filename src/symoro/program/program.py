"""Program: straight-line code without branches, with named inputs, parameters and outputs over an expression graph.

Nodes that depend only on parameters are the *setup part*, which is computed once for given parameters. The other nodes
are the *call part*, which is computed at every call. The class of a node (PARAMETER or VARIABLE) determines its part.
Ascending node order is the order of evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Port:
    """Description of an input or output before its size is known: name, shape in words ("n", "L,3"), meaning."""

    name: str
    shape: str
    title: str


@dataclass(frozen=True)
class Input:
    """Input array, which varies from call to call.

    Attributes:
        symbols: names of its entries, by rows.
        default: entries used if the caller omits the input; None if the input is required.
        unit: unit for documentation, "" if it is not known.
    """

    name: str
    shape: Shape
    symbols: tuple[str, ...]
    title: str = ""
    default: tuple[float, ...] | None = None
    unit: str = ""


@dataclass(frozen=True)
class Output:
    """Output array.

    Attributes:
        lits: its entries by rows, as signed node references (see `symoro.expr.graph`).
        shape: shape of the array; () is a scalar.
    """

    name: str
    shape: Shape
    lits: tuple[int, ...]
    title: str = ""
    unit: str = ""


def ports_of(arrays: Sequence[Input] | Sequence[Output]) -> tuple[Port, ...]:
    """Return the ports that describe the inputs or outputs of a program."""
    return tuple(Port(a.name, ",".join(map(str, a.shape)), a.title) for a in arrays)


@dataclass(frozen=True, eq=False)
class Program:
    """Straight-line program of a model: inputs, parameters and outputs over an expression graph.

    Attributes:
        parameters: names of the parameters that it may use, in the order of the arguments of the code.
        names: node -> (name, sign) of the intermediate variables; the variable is minus the node if sign is 1.
        expanded: whether each output entry is one complete expression, in which only sines, cosines and named variables
            are shared.
        header: comment lines of the emitted code, as (label, text).
        units: units of the parameters, as far as they are known.
        columns: names of the columns of a regressor.
        choices: options with which the model was formulated.
        conditions: conditions on the parameters for the outputs to be valid, such as "D3 != 0".
        derivation: steps of a symbolic solution, for models that are solved and not only written.
        sections: name of an intermediate variable -> section of the model, for comments in the code.
        joints: names of the joints in the robot description, by joint variable: {"q1": "shoulder"}.
        as_written: whether the passes must not change the program, so that it can be read as its model defines it.
    """

    name: str
    graph: Graph
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    parameters: tuple[str, ...]
    names: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    expanded: bool = False
    title: str = ""
    header: tuple[tuple[str, str], ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    derivation: tuple[Stage, ...] = ()
    conditions: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(default_factory=dict)
    joints: Mapping[str, str] = field(default_factory=dict)
    as_written: bool = False

    @property
    def roots(self) -> list[int]:
        """Return the entries of all outputs, as signed node references."""
        return [lit for output in self.outputs for lit in output.lits]

    @cached_property
    def nodes(self) -> list[int]:
        """Return the nodes that the outputs need, in evaluation order."""
        return self.graph.reachable(self.roots)

    @cached_property
    def used_parameters(self) -> tuple[str, ...]:
        """Return the parameters on which the outputs depend, in the order of `parameters`."""
        used = {
            self.graph.args[i][0]
            for i in self.nodes
            if self.graph.op[i] == ops.SYMBOL and self.graph.cls[i] == ops.PARAMETER
        }
        return tuple(name for name in self.parameters if name in used)

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """Return the nodes that are computed once from the parameters and used at every call."""
        graph = self.graph
        needed = {lit >> 1 for lit in self.roots if graph.cls[lit >> 1] == ops.PARAMETER}
        for i in self.nodes:
            if graph.cls[i] == ops.VARIABLE:
                needed.update(c >> 1 for c in graph.children(i) if graph.cls[c >> 1] == ops.PARAMETER)
        return tuple(sorted(needed))


def size(shape: Shape) -> int:
    return prod(shape)


# -- the derivation of a model as data: stages of sentences, in which words and expressions alternate

RELATIONS = ("=", "<")  # words that are mathematical symbols


@dataclass(frozen=True)
class Notation:
    """A piece of a formula as plain text and in LaTeX, such as the symbol of a vector."""

    text: str
    latex: str


@dataclass(frozen=True)
class Rows:
    """A matrix in a derivation, by rows; a vector has one entry per row."""

    entries: tuple[tuple[Expr, ...], ...]


Sentence = tuple[str | Expr | Notation | Rows, ...]


@dataclass(frozen=True)
class Stage:
    """One step of a derivation: its title and its sentences in order."""

    title: str
    sentences: tuple[Sentence, ...]
