"""A program: named inputs, parameters and outputs over a graph of scalars. Straight-line and branch-free.

What depends on parameters alone is the *setup* part, done once; the rest is the *call* part. The split is not
stored: it follows from the class of each node. Ascending node order is the order of evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Port:
    """What an input or output is, before its size is known: name, shape in words ("n", "L,3"), meaning."""

    name: str
    shape: str
    title: str


@dataclass(frozen=True)
class Input:
    """An array that varies from call to call; `symbols` are the names of its entries, by rows.

    `default` holds the entries used when the caller leaves the input out; None means that it is needed. `unit` is
    for those who read, "" where it is not known.
    """

    name: str
    shape: Shape
    symbols: tuple[str, ...]
    title: str = ""
    default: tuple[float, ...] | None = None
    unit: str = ""


@dataclass(frozen=True)
class Output:
    """An array of results; `lits` are its entries, by rows. Shape () is one scalar."""

    name: str
    shape: Shape
    lits: tuple[int, ...]
    title: str = ""
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Program:
    """A program.

    Attributes:
        parameters: names of the parameters it may use, in the order the code takes them.
        names: node -> (name, sign) for intermediate variables: the variable is +node or -node.
        expanded: one whole expression an output entry: only sines, cosines and named variables are shared.
        header: what the emitted text says about itself, as (label, text).
        units: unit of each parameter of which it is known.
        columns: names of the columns of a regressor.
        choices: how the model was formulated, for those who ask.
        conditions: what must not be zero among the parameters for the outputs to hold, as "D3 != 0".
        derivation: the steps that led to it, where the model was solved for and not written down.
        sections: name of an intermediate variable -> what it is a part of, for those who read.
        as_written: the passes leave it as its model wrote it, to be read.
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
    as_written: bool = False

    @property
    def roots(self) -> list[int]:
        """The literals of all outputs."""
        return [lit for output in self.outputs for lit in output.lits]

    @cached_property
    def nodes(self) -> list[int]:
        """The nodes that the outputs need, in evaluation order."""
        return self.graph.reachable(self.roots)

    @cached_property
    def used_parameters(self) -> tuple[str, ...]:
        """The parameters that the outputs really depend on, in order."""
        used = {
            self.graph.args[i][0]
            for i in self.nodes
            if self.graph.op[i] == ops.SYMBOL and self.graph.cls[i] == ops.PARAMETER
        }
        return tuple(name for name in self.parameters if name in used)

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """Nodes of class PARAMETER that the call part or an output reads: the result of the setup part."""
        graph = self.graph
        needed = {lit >> 1 for lit in self.roots if graph.cls[lit >> 1] == ops.PARAMETER}
        for i in self.nodes:
            if graph.cls[i] == ops.VARIABLE:
                needed.update(c >> 1 for c in graph.children(i) if graph.cls[c >> 1] == ops.PARAMETER)
        return tuple(sorted(needed))


def size(shape: Shape) -> int:
    return prod(shape)


# -- the derivation of a model as data: stages of sentences, in which words and expressions alternate

RELATIONS = ("=", "<")  # words that are signs of mathematics
Sentence = tuple[str | Expr, ...]


@dataclass(frozen=True)
class Stage:
    """One step of a derivation: what it is about, and its sentences in order."""

    title: str
    sentences: tuple[Sentence, ...]
