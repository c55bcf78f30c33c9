"""Drop what no output needs, and fold once more what became foldable."""

from __future__ import annotations

from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program


def compact(program: Program) -> Program:
    """The program over a graph that holds its own nodes alone."""
    rebuild = Rebuild(program)
    rebuild.copy_all(program.nodes)
    return rebuild.finish()
