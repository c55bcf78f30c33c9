"""Order of evaluation: few live values, so that a compiler can keep them in registers.

Candidates are the order in which the model was written and a depth-first order from the outputs that computes
the child needing more registers first (Sethi and Ullman). The one with the lower peak of live values is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program


def schedule(program: Program) -> Program:
    """The program with its nodes in the better of the two orders."""
    written = program.nodes
    depth = depth_first(program)
    if peak_live(program, depth) >= peak_live(program, written):
        return program
    rebuild = Rebuild(program)
    rebuild.copy_all(depth)
    return rebuild.finish()


def depth_first(program: Program) -> list[int]:
    """Nodes in post-order from the outputs, the child with the higher need first."""
    graph = program.graph
    need: dict[int, int] = {}
    for i in program.nodes:
        needs = sorted((need[lit >> 1] for lit in set(graph.children(i))), reverse=True)
        need[i] = max((n + k for k, n in enumerate(needs)), default=0 if graph.op[i] < ops.ADD else 1)
    order: list[int] = []
    seen = bytearray(len(graph))
    for root in program.roots:
        stack = [root >> 1]
        while stack:
            i = stack[-1]
            if seen[i] == 2:
                stack.pop()
            elif seen[i] == 1:
                seen[i] = 2
                order.append(i)
                stack.pop()
            else:
                seen[i] = 1
                below = {lit >> 1 for lit in graph.children(i) if not seen[lit >> 1]}
                stack += sorted(below, key=lambda c: (need[c], -c))
    return order


def peak_live(program: Program, order: Sequence[int]) -> int:
    """The largest number of values of the call part that wait for a reader at one time."""
    graph = program.graph
    last: dict[int, int] = {}
    for at, i in enumerate(order):
        for lit in graph.children(i):
            last[lit >> 1] = at
    ends = [0] * (len(order) + 1)
    live = peak = 0
    for at, i in enumerate(order):
        live -= ends[at]
        if graph.cls[i] == ops.VARIABLE and graph.op[i] >= ops.ADD and i in last:
            live += 1
            ends[last[i]] += 1
            peak = max(peak, live)
    return peak
