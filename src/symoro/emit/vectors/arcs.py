"""Arctangents all at once: the points first, then four after four of their angles in one vector.

An inverse geometric model ends in dozens of atan2(y, x). They come in layers: those of layer n wait for n others, one
after the other. Mostly there is one layer, since angles are results and nothing is computed from them but sums.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program

FEWEST = 2  # arctangents of a layer for which it pays


@dataclass(frozen=True)
class Arc:
    """An arctangent: its arguments, the variable for it ("-" in front where it is minus that), its step in the call."""

    y: str
    x: str
    name: str
    minus: str
    step: int


def _layers(program: Program) -> list[int]:
    """How many arctangents each node waits for, one after the other."""
    graph = program.graph
    layer = [0] * len(graph)
    for i in program.nodes:
        if graph.cls[i] == ops.VARIABLE:
            for lit in graph.children(i):
                child = lit >> 1
                layer[i] = max(layer[i], layer[child] + _is_arc(program, child))
    return layer


def _is_arc(program: Program, i: int) -> bool:
    return program.graph.op[i] == ops.ATAN2 and program.graph.cls[i] == ops.VARIABLE


def arc_layers(program: Program) -> list[list[int]]:
    """The arctangents of each layer that has enough of them."""
    found = [i for i in program.nodes if _is_arc(program, i)]
    if program.expanded or len(found) < FEWEST:
        return []
    layer = _layers(program)
    layers: dict[int, list[int]] = {}
    for i in found:
        layers.setdefault(layer[i], []).append(i)
    return [layers[at] for at in sorted(layers) if len(layers[at]) >= FEWEST]


def arcs_together(program: Program) -> Program:
    """The program with the arctangents of a layer next to each other, before all that waits for them."""
    if not arc_layers(program):
        return program
    layer = _layers(program)
    rebuild = Rebuild(program)
    rebuild.move_all(sorted(program.nodes, key=lambda i: (layer[i], _is_arc(program, i))))
    return rebuild.finish()
