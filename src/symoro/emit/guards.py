"""Guards that make outputs not a number: code needs them, formulas that are read do not.

A program whose outputs have no value under some condition (`Builder.void_where`) ends with

    none = select(condition, 0, x) / select(condition, 0, -x),      output = select(condition, none, value)
"""

from __future__ import annotations

from dataclasses import replace

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.program.program import Program

NOTE = "singular configurations, where emitted code returns NaN, are not excluded in these formulas"


def without_guards(program: Program) -> Program:
    """Return the program with the values of its outputs alone, and a note where they were guarded."""
    graph = program.graph
    outputs = tuple(replace(o, lits=tuple(_value(graph, x) for x in o.lits)) for o in program.outputs)
    if outputs == program.outputs:
        return program
    return replace(program, outputs=outputs, header=(*program.header, ("note", NOTE)))


def _value(graph: Graph, lit: int) -> int:
    """Return the value that a guarded output has where it has one."""
    i = lit >> 1
    if graph.op[i] != ops.SELECT:
        return lit
    condition, none, value = graph.args[i]
    return value ^ (lit & 1) if _is_none(graph, none >> 1, condition) else lit


def _is_none(graph: Graph, i: int, condition: int) -> bool:
    """Return whether a node is 0 / 0 under a condition."""
    return graph.op[i] == ops.DIV and all(
        graph.op[x >> 1] == ops.SELECT and graph.args[x >> 1][0] == condition for x in graph.args[i]
    )
