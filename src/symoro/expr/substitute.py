"""Substitution of expressions for symbols within one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr import ops
from symoro.expr.graph import Graph


def substitute(graph: Graph, roots: Sequence[int], values: Mapping[int, int]) -> list[int]:
    """Return the expressions `roots` with symbols replaced, all at the same time.

    Args:
        roots: signed node references.
        values: node of a symbol -> reference of its replacement.
    """
    replaced: dict[int, int] = dict(values)

    def of(lit: int) -> int:
        new = replaced.get(lit >> 1, lit & ~1) ^ (lit & 1)
        return new if new >> 1 else 0

    for i in graph.reachable(roots):
        if i in replaced:
            continue
        children = graph.children(i)
        if not any(c >> 1 in replaced for c in children):
            continue
        if graph.op[i] == ops.KERNEL:
            index, k = graph.args[i]
            call = graph.calls[index]
            arrays = [[of(lit) for lit in array] for array in call.inputs]
            replaced[i] = graph.call(call.kernel, arrays, call.size)[k]
        else:
            replaced[i] = graph.apply(graph.op[i], [of(c) for c in children])
    return [of(lit) for lit in roots]
