"""Every fold against plain floats, on random expressions; what must hold in every graph."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph
from tests.expr.expressions import ALL, ARITHMETIC, SMOOTH, SOLVE, Pool, check_graph, close, pool, recipes

SEEDS = st.integers(0, 10_000)
TRIGONOMETRIC = (ops.ADD, ops.SUB, ops.MUL, ops.SIN, ops.COS)


def check_values(expressions: Pool) -> None:
    got = evaluate(expressions.graph, expressions.lits, expressions.values)
    for lit, value, expected in zip(expressions.lits, got, expressions.nums, strict=True):
        assert lit != 1
        assert close(value, expected), (lit, value, expected)
    check_graph(expressions.graph)


@given(recipes(ARITHMETIC), SEEDS)
def test_arithmetic(recipe, seed):
    check_values(pool(seed).run(recipe))


@given(recipes(TRIGONOMETRIC), SEEDS)
def test_sines(recipe, seed):
    check_values(pool(seed).run(recipe))


@given(recipes(SMOOTH), SEEDS)
def test_smooth(recipe, seed):
    check_values(pool(seed).run(recipe))


@given(recipes((*ALL, SOLVE)), SEEDS)
def test_everything(recipe, seed):
    check_values(pool(seed).run(recipe))


@pytest.mark.slow
@settings(max_examples=5_000)
@given(recipes((*ALL, SOLVE), max_size=60), SEEDS)
def test_everything_long(recipe, seed):
    check_values(pool(seed).run(recipe))


@given(recipes(), SEEDS, st.data())
def test_sums_and_products_commute(recipe, seed, data):
    result = pool(seed).run(recipe)
    graph, pick = result.graph, st.sampled_from(result.lits)
    x, y = data.draw(pick), data.draw(pick)
    assert graph.add(x, y) == graph.add(y, x)
    assert graph.mul(x, y) == graph.mul(y, x)
    assert graph.sub(x, y) == graph.signed(graph.sub(y, x), 1)
    for op in (ops.MIN, ops.MAX, ops.EQUAL):
        assert graph.binary(op, x, y) == graph.binary(op, y, x)


@given(recipes(), SEEDS, st.data())
def test_signs_leave_odd_and_even_functions(recipe, seed, data):
    result = pool(seed).run(recipe)
    graph = result.graph
    x = data.draw(st.sampled_from(result.lits))
    minus = graph.signed(x, 1)
    for op in (ops.SIN, ops.SIGN):
        assert graph.unary(op, minus) == graph.signed(graph.unary(op, x), 1)
    for op in (ops.COS, ops.ABS):
        assert graph.unary(op, minus) == graph.unary(op, x)


@given(recipes(), SEEDS)
def test_building_twice_gives_the_same_graph(recipe, seed):
    first, second = pool(seed).run(recipe), pool(seed).run(recipe)
    assert first.lits == second.lits
    assert (first.graph.op, first.graph.args, first.graph.cls) == (
        second.graph.op,
        second.graph.args,
        second.graph.cls,
    )


@given(recipes(), SEEDS)
def test_building_again_in_the_same_graph_makes_nothing_new(recipe, seed):
    graph = Graph()
    first = pool(seed, graph).run(recipe)
    size = len(graph)
    second = pool(seed, graph).run(recipe)
    assert len(graph) == size
    assert first.lits == second.lits
