"""Order of evaluation with few live values, so that a compiler can store them in registers.

Candidates are the order in which the model was written and a depth-first order from the outputs that computes the
child with the larger register requirement first (Sethi and Ullman). The one with the smaller maximum number of live
values is selected.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program


def schedule(program: Program) -> Program:
    """Return the program with its nodes in the evaluation order that needs fewer simultaneously live values."""
    depth = depth_first(program)
    before = peak_live(program, program.nodes)
    if peak_live(program, depth) >= before:
        return program
    rebuild = Rebuild(program)
    rebuild.copy_all(depth)
    reordered = rebuild.finish()
    return reordered if peak_live(reordered, reordered.nodes) < before else program


def depth_first(program: Program) -> list[int]:
    """Return the nodes in depth-first post-order from the outputs.

    The operand that requires more registers is computed first (Sethi and Ullman).
    """
    graph = program.graph
    op, args = graph.op, graph.args
    need = _needs(graph, program.nodes)
    order: list[int] = []
    state = bytearray(len(graph))  # 1: its children are being computed, 2: done
    for root in program.roots:
        stack = [root >> 1]
        while stack:
            i = stack[-1]
            if state[i]:
                stack.pop()
                if state[i] == 1:
                    state[i] = 2
                    order.append(i)
                continue
            state[i] = 1
            below = []
            for lit in args[i] if op[i] >= ops.ADD else graph.children(i):
                c = lit >> 1
                if state[c]:
                    continue
                if op[c] >= ops.KERNEL:
                    below.append(c)
                else:
                    state[c] = 2
                    order.append(c)
            if len(below) > 1:
                below.sort(key=lambda c: (need[c], -c))
            stack += below
    return order


def _needs(graph: Graph, nodes: Sequence[int]) -> list[int]:
    """Return the number of registers that each node requires, as if no subexpression were shared."""
    op, args = graph.op, graph.args
    need = [0] * len(graph)
    for i in nodes:
        if op[i] < ops.KERNEL:
            continue
        children = args[i] if op[i] >= ops.ADD else graph.children(i)
        if len(children) == 2:
            a, b = need[children[0] >> 1], need[children[1] >> 1]
            need[i] = (a if a > b else b) if a != b else a + 1
        elif len(children) == 1:
            need[i] = need[children[0] >> 1] or 1
        else:
            needs = sorted([need[lit >> 1] for lit in children], reverse=True)
            need[i] = max([n + k for k, n in enumerate(needs)])
    return need


def peak_live(program: Program, order: Sequence[int]) -> int:
    """Return the largest number of simultaneously live values when nodes are evaluated in the given order.

    Only nodes that are evaluated at every call are counted.
    """
    graph = program.graph
    op, args, cls = graph.op, graph.args, graph.cls
    KERNEL, ADD, VARIABLE = ops.KERNEL, ops.ADD, ops.VARIABLE  # local variables make the loop faster
    last = [-1] * len(graph)
    for at, i in enumerate(order):
        if op[i] >= KERNEL:
            for lit in args[i] if op[i] >= ADD else graph.children(i):
                last[lit >> 1] = at
    ends = [0] * len(order)
    live = peak = 0
    for at, i in enumerate(order):
        live -= ends[at]
        if last[i] >= 0 and op[i] >= KERNEL and cls[i] == VARIABLE:
            live += 1
            ends[last[i]] += 1
            if live > peak:
                peak = live
    return peak
