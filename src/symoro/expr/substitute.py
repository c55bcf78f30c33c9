"""Expressions in place of symbols, inside one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr import ops
from symoro.expr.graph import Graph


def substitute(graph: Graph, roots: Sequence[int], values: Mapping[int, int]) -> list[int]:
    """The literals `roots` with nodes (of symbols) replaced by literals, all at once."""
    made: dict[int, int] = dict(values)

    def of(lit: int) -> int:
        new = made.get(lit >> 1, lit & ~1) ^ (lit & 1)
        return new if new >> 1 else 0

    for i in graph.reachable(roots):
        if i in made:
            continue
        children = graph.children(i)
        if not any(c >> 1 in made for c in children):
            continue
        if graph.op[i] == ops.KERNEL:
            index, k = graph.args[i]
            call = graph.calls[index]
            arrays = [[of(lit) for lit in array] for array in call.inputs]
            made[i] = graph.call(call.kernel, arrays, call.size)[k]
        else:
            made[i] = graph.apply(graph.op[i], [of(c) for c in children])
    return [of(lit) for lit in roots]
