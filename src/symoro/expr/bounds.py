"""Upper bounds of the magnitude of expressions, computed by the triangle inequality.

    |a +- b| <= |a| + |b|,    |a b| = |a| |b|,    |sqrt a| = sqrt |a|,    |sin|, |cos| <= 1

A bound has the unit of the expression. Comparing a difference with its bound therefore decides, in any unit, whether
the difference is zero except for round-off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr, absolute, sqrt


def bounds_in_numbers(graph: Graph, lits: Sequence[int], results: Mapping[int, Any]) -> list[Any]:
    """Return an upper bound of the magnitude of each expression, as a number or an array over samples.

    Args:
        lits: signed node references of the expressions (see `graph`).
        results: node -> value (number or array over samples), as computed by `evaluate`.
    """
    return _bounds(graph, lits, lambda i: abs(results[i]), lambda bound: bound**0.5)


def bounds_for_size(exprs: Sequence[Expr], size: Expr) -> list[Any]:
    """Return upper bounds of |expression|, as expressions that are valid if every |symbol| <= size.

    Args:
        exprs: expressions of one graph, at least one.
        size: expression of the largest magnitude of a symbol.
    """
    graph = exprs[0].graph

    def magnitude(i: int) -> Any:
        return size if graph.op[i] == ops.SYMBOL else absolute(Expr(graph, i << 1))

    return _bounds(graph, [x.lit for x in exprs], magnitude, sqrt)


def _bounds(
    graph: Graph, lits: Sequence[int], magnitude: Callable[[int], Any], root: Callable[[Any], Any]
) -> list[Any]:
    """Return upper bounds of the magnitudes of expressions, from the leaves to the roots.

    Args:
        lits: signed node references of the expressions.
        magnitude: returns the magnitude of a node that is not a sum, product, square root, sine or cosine.
        root: square root, of numbers or of expressions.
    """
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
