"""Test the substitution of expressions for symbols within one graph."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph
from symoro.expr.substitute import substitute
from tests.expr.expressions import SMOOTH, SOLVE, Num, close, pool, recipes


@given(recipes((*SMOOTH, SOLVE), max_size=15), st.integers(0, 1000))
def test_values(recipe, seed):
    """Check that x -> y, y -> -x, a -> number gives the value at the other point."""
    result = pool(seed).run(recipe)
    g, values = result.graph, result.values
    x, y, a = g.symbol("x"), g.symbol("y"), g.symbol("a", ops.PARAMETER)
    swapped = substitute(g, result.lits, {x >> 1: y, y >> 1: x ^ 1, a >> 1: g.number(values["a"])})
    there = {**values, "x": values["y"], "y": -values["x"]}
    for before, after in zip(evaluate(g, result.lits, there), evaluate(g, swapped, values), strict=True):
        if abs(before) < 1e3:
            assert close(after, Num(before, 1e-13), 1e-8)


def test_what_does_not_change_stays():
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")
    size = len(g)
    made = g.sin(y)
    assert substitute(g, [made, made ^ 1], {x >> 1: y}) == [made, made ^ 1]
    assert len(g) == size + 1


def test_folding_goes_on():
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")
    assert substitute(g, [g.sub(x, y), g.mul(x, y), g.sin(x)], {x >> 1: y}) == [0, g.mul(y, y), g.sin(y)]
    assert substitute(g, [g.sin(x) ^ 1], {x >> 1: g.number(0)}) == [0], "zero has no sign"


def test_kernels():
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")
    solution = g.call("solve", [[x], [y]], 1)
    (made,) = substitute(g, solution, {x >> 1: g.number(4)})
    assert evaluate(g, [made], {"y": 2.0}) == [0.5]
