"""Drop what no output needs."""

from __future__ import annotations

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program


def compact(program: Program) -> Program:
    """The program over a graph that holds its own nodes alone, in the same order."""
    graph = program.graph
    if len(program.nodes) >= len(graph) - 3:  # but for the numbers 0, 1, 2, which every graph has
        return program
    rebuild = Rebuild(program)
    made, node = rebuild.map, rebuild.new.new_node
    for i in program.nodes:  # the order stays, so nothing can fold that has not been folded before
        if graph.op[i] >= ops.ADD:
            args = tuple([made[lit >> 1] | (lit & 1) for lit in graph.args[i]])
            made[i] = node(graph.op[i], args, graph.cls[i])
        else:
            rebuild.leaf(i)
    return rebuild.finish()
