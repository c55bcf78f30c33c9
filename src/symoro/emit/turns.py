"""Sines and cosines of all joint angles at once: the angles first, then one loop that a compiler vectorises.

Trigonometry is the larger part of a model's time. An angle is *early* when it depends on inputs and parameters by
sums and products alone; the sines and cosines of early angles move to the front of the call part.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program

FEWEST = 2  # early angles for which the loop pays


@dataclass
class Turn:
    """An early angle, the variables of its sine and cosine ("" where it has none), and their statements."""

    argument: str
    names: dict[int, str]
    steps: list[int]


def early_nodes(program: Program) -> tuple[list[int], list[int]]:
    """(nodes inside early angles, sines and cosines of early angles), in evaluation order."""
    graph = program.graph
    plain = bytearray(len(graph))
    for i in program.nodes:
        op = graph.op[i]
        if graph.cls[i] != ops.VARIABLE or op == ops.SYMBOL:
            plain[i] = 1
        elif op in (ops.ADD, ops.SUB, ops.MUL):
            plain[i] = all(plain[lit >> 1] for lit in graph.args[i])
    turns = [
        i
        for i in program.nodes
        if graph.op[i] in (ops.SIN, ops.COS) and graph.cls[i] == ops.VARIABLE and plain[graph.args[i][0] >> 1]
    ]
    return graph.reachable([graph.args[i][0] for i in turns]), turns


def turns_first(program: Program) -> Program:
    """The program with its early angles, then their sines and cosines, ahead of everything else."""
    inside, turns = early_nodes(program)
    arguments = {program.graph.args[i][0] for i in turns}
    if len(arguments) < FEWEST:
        return program
    rebuild = Rebuild(program)
    first = {*inside, *turns}
    rebuild.copy_all([*inside, *turns, *(i for i in program.nodes if i not in first)])
    return rebuild.finish()
