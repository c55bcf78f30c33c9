"""Upper bounds of expressions by the triangle inequality, with which differences are compared.

    |a +- b| <= |a| + |b|,    |a b| = |a| |b|,    |sqrt a| = sqrt |a|,    |sin|, |cos| <= 1

A bound has the unit of the expression, so that "zero except for round-off" can be decided for any unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr, absolute, sqrt


def bounds_in_numbers(graph: Graph, lits: Sequence[int], results: Mapping[int, Any]) -> list[Any]:
    """Return the bounds of some literals as numbers.

    Args:
        results: values of all nodes (numbers or arrays), as computed by `evaluate`.
    """
    return _bounds(graph, lits, lambda i: abs(results[i]), lambda bound: bound**0.5)


def bounds_for_size(exprs: Sequence[Expr], size: Expr) -> list[Any]:
    """Return bounds of expressions of one graph as expressions, for symbols that do not exceed a given size."""
    graph = exprs[0].graph

    def magnitude(i: int) -> Any:
        return size if graph.op[i] == ops.SYMBOL else absolute(Expr(graph, i << 1))

    return _bounds(graph, [x.lit for x in exprs], magnitude, sqrt)


def _bounds(
    graph: Graph, lits: Sequence[int], magnitude: Callable[[int], Any], root: Callable[[Any], Any]
) -> list[Any]:
    """Return bounds of literals from the magnitudes of the nodes to which no rule applies."""
    bounds: dict[int, Any] = {}
    for i in graph.reachable(lits):
        op, args = graph.op[i], graph.args[i]
        if op in (ops.ADD, ops.SUB):
            bounds[i] = bounds[args[0] >> 1] + bounds[args[1] >> 1]
        elif op == ops.MUL:
            bounds[i] = bounds[args[0] >> 1] * bounds[args[1] >> 1]
        elif op == ops.SQRT:
            bounds[i] = root(bounds[args[0] >> 1])
        else:
            bounds[i] = 1 if op in (ops.SIN, ops.COS) else magnitude(i)
    return [bounds[lit >> 1] for lit in lits]
