"""Drop what no output needs."""

from __future__ import annotations

from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program


def compact(program: Program) -> Program:
    """The program over a graph that holds its own nodes alone, in the same order."""
    graph = program.graph
    if len(program.nodes) >= len(graph) - 3:  # but for the numbers 0, 1, 2, which every graph has
        return program
    rebuild = Rebuild(program)
    rebuild.move_all(program.nodes)
    return rebuild.finish()
