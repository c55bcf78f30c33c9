"""Upper bounds of the magnitude of expressions, by the triangle inequality, and estimates of their rounding errors.

    |a +- b| <= |a| + |b|,    |a b| = |a| |b|,    |sqrt a| = sqrt |a|,    |sin|, |cos| <= 1

A bound has the unit of the expression. Comparing a difference with its bound therefore decides, in any unit, whether
the difference is zero except for round-off.
"""

from __future__ import annotations

import math
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


def rounding_errors(graph: Graph, lits: Sequence[int], results: Mapping[int, Any]) -> list[float]:
    """Return estimates of the rounding errors of expressions, in units of the machine precision.

    Each operation adds the rounding of its result to the errors of its operands, as independent random errors:

        e(a +- b)^2 = e(a)^2 + e(b)^2 + (a +- b)^2,    e(a b)^2 = (e(a) b)^2 + (a e(b))^2 + (a b)^2

    Unlike the bounds of this module, they do not grow exponentially with the number of rotations in a product.

    Args:
        graph: the graph of the expressions.
        lits: signed node references of the expressions.
        results: node -> number, as computed by `evaluate`.
    """
    errors: dict[int, float] = {}
    for i in graph.reachable(lits):
        op, size = graph.op[i], abs(float(results[i]))
        operands = [lit >> 1 for lit in graph.args[i]] if op >= ops.ADD else []
        values, before = [abs(float(results[k])) for k in operands], [errors[k] for k in operands]
        if op in (ops.SIN, ops.COS):
            errors[i] = math.hypot(1.0, *before)
        elif op == ops.MUL:
            errors[i] = math.hypot(size, before[0] * values[1], values[0] * before[1])
        elif op == ops.DIV and values[1]:
            errors[i] = math.hypot(size, before[0] / values[1], size * before[1] / values[1])
        elif op == ops.SQRT and size:
            errors[i] = math.hypot(size, before[0] / (2 * size))
        else:
            errors[i] = math.hypot(size, *before)
    return [errors[lit >> 1] for lit in lits]


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
