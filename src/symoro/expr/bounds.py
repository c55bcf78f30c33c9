"""Upper bounds of expressions by the triangle inequality: the numbers that a difference is compared with.

    |a +- b| <= |a| + |b|,    |a b| = |a| |b|,    |sin|, |cos| <= 1

A bound has the unit of the expression, so that "zero except for round-off" is decided without a unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from symoro.expr import ops
from symoro.expr.scalar import Expr, absolute, sqrt, wrap


def bound(expr: Expr, of_symbol: Callable[[Expr], Expr]) -> Expr:
    """Return the bound of an expression from those of its symbols."""
    graph = expr.graph
    found: dict[int, Expr] = {}
    for i in graph.reachable([expr.lit]):
        op, own = graph.op[i], Expr(graph, i << 1)
        parts = [found[lit >> 1] for lit in graph.args[i]] if op >= ops.ADD else []
        if op == ops.SYMBOL:
            found[i] = of_symbol(own)
        elif op in (ops.SIN, ops.COS):
            found[i] = wrap(graph, 1)
        elif op in (ops.ADD, ops.SUB):
            found[i] = parts[0] + parts[1]
        elif op == ops.MUL:
            found[i] = math.prod(parts[1:], start=parts[0])
        elif op == ops.SQRT:
            found[i] = wrap(graph, sqrt(parts[0]))
        else:
            found[i] = wrap(graph, absolute(own))
    return found[expr.lit >> 1]
