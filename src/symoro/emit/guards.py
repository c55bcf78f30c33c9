"""Guards that make outputs not a number: code needs them, formulas that are read do not.

A program whose outputs have no value under some condition (`Builder.void_where`) ends with

    none = select(condition, 0, x) / select(condition, 0, -x),      output = select(condition, none, value)

and one with a value that is not a number unless a condition holds (`Builder.not_a_number`) has the two choices in the
other order: output = select(condition, value, none).
"""

from __future__ import annotations

from dataclasses import replace

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.program.program import Program

NOTE = "singular configurations, where emitted code returns NaN, are not excluded in these formulas"
RESIDUAL_NOTE = (
    "rows with numbers that are not finite, where emitted code returns NaN as residual, are not excluded in "
    "these formulas"
)


def without_guards(program: Program) -> Program:
    """Return the program with the values of its outputs alone, and a note where they were guarded."""
    graph, outputs = program.graph, []
    notes: dict[str, None] = {}
    for output in program.outputs:
        values = [_value(graph, x) for x in output.lits]
        notes |= dict.fromkeys(note for _, note in values if note)
        outputs.append(replace(output, lits=tuple(value for value, _ in values)))
    if not notes:
        return program
    header = (*program.header, *(("note", note) for note in notes))
    return replace(program, outputs=tuple(outputs), header=header)


def _value(graph: Graph, lit: int) -> tuple[int, str]:
    """Return the value of a guarded output where it has one, and the note on the guard."""
    i = lit >> 1
    if graph.op[i] != ops.SELECT:
        return lit, ""
    condition, first, second = graph.args[i]
    if _is_none(graph, first >> 1, condition):
        return second ^ (lit & 1), NOTE
    if _is_none(graph, second >> 1, condition):
        return first ^ (lit & 1), RESIDUAL_NOTE
    return lit, ""


def _is_none(graph: Graph, i: int, condition: int) -> bool:
    """Return whether a node is 0 / 0 under a condition, or unless it holds."""
    return graph.op[i] == ops.DIV and all(
        graph.op[x >> 1] == ops.SELECT and graph.args[x >> 1][0] == condition for x in graph.args[i]
    )
