"""Scalars with operators: expressions, plain numbers, and both together."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import Graph, ops
from symoro.expr import scalar as sc
from symoro.expr.evaluate import evaluate


@pytest.fixture
def x() -> sc.Expr:
    return sc.symbol(Graph(), "x")


def value(expr: sc.Scalar, **values: float) -> float:
    assert isinstance(expr, sc.Expr)
    return float(evaluate(expr.graph, [expr.lit], values)[0])


def test_operators(x):
    at = 1.7
    assert value(x + 2, x=at) == value(2 + x, x=at) == at + 2
    assert value(x - 2, x=at) == pytest.approx(at - 2)
    assert value(2 - x, x=at) == pytest.approx(2 - at)
    assert value(3 * x, x=at) == value(x * 3, x=at) == pytest.approx(3 * at)
    assert value(x / 4, x=at) == pytest.approx(at / 4)
    assert value(4 / x, x=at) == pytest.approx(4 / at)
    assert value(-x, x=at) == -at
    assert value(x**3, x=at) == pytest.approx(at**3)
    assert value(x + Fraction(1, 3), x=at) == pytest.approx(at + 1 / 3)
    assert value(sum([x, x, 1]), x=at) == pytest.approx(2 * at + 1)


def test_numbers_of_numpy(x):
    array = np.array([1.0, 2.0]) * x + np.int64(3)
    assert [value(e, x=2.0) for e in array] == [5, 7]


def test_equality_and_hash(x):
    g = x.graph
    assert x == sc.symbol(g, "x") and hash(x) == hash(sc.symbol(g, "x"))
    assert x != -x and x != sc.symbol(Graph(), "x")
    assert x - x == 0 and x / x == 1 and sc.wrap(g, 0.5) == 0.5 == sc.wrap(g, Fraction(1, 2))
    assert x != 0 and x != "x"
    assert {x - x: "zero"}[0] == "zero", "equal things hash alike"
    assert -(x - x) == x - x


def test_properties(x):
    assert (x - x).is_zero and not x.is_zero
    assert (x / x + 1).number == 2 and x.number is None
    assert x.cls == ops.VARIABLE
    assert (x * sc.symbol(x.graph, "a", ops.PARAMETER)).symbols() == {"x", "a"}
    assert str(x * 2 + 1) == "2*x + 1" and repr(x) == "Expr(x)"


@pytest.mark.parametrize("mix", [sc.atan2, sc.minimum, sc.less, lambda a, b: a + b, lambda a, b: a / b])
def test_two_graphs_do_not_mix(x, mix):
    with pytest.raises(ProgramError, match="different graphs"):
        mix(x, sc.symbol(Graph(), "y"))


def test_select_refuses_another_graph(x):
    other = sc.symbol(Graph(), "y")
    for arguments in ((x, other, 1), (x, 1, other), (other, x, 1)):
        with pytest.raises(ProgramError, match="different graphs"):
            sc.select(*arguments)
    with pytest.raises(ProgramError, match="different graphs"):
        sc.wrap(x.graph, other)


UNARY = {
    sc.sin: math.sin,
    sc.cos: math.cos,
    sc.tan: math.tan,
    sc.sqrt: math.sqrt,
    sc.asin: math.asin,
    sc.acos: math.acos,
    sc.exp: math.exp,
    sc.absolute: abs,
    sc.sign: lambda v: (v > 0) - (v < 0),
}
BINARY = {
    sc.atan2: math.atan2,
    sc.minimum: min,
    sc.maximum: max,
    sc.less: lambda a, b: a < b,
    sc.less_equal: lambda a, b: a <= b,
    sc.equal: lambda a, b: a == b,
}


@pytest.mark.parametrize(("ours", "python"), UNARY.items())
def test_functions_of_numbers_and_expressions(x, ours, python):
    assert ours(0.4) == python(0.4)
    assert value(ours(x), x=0.4) == pytest.approx(python(0.4))


@pytest.mark.parametrize(("ours", "python"), BINARY.items())
@pytest.mark.parametrize(("a", "b"), [(0.4, -0.3), (-0.3, 0.4), (0.4, 0.4)])
def test_functions_of_two(x, ours, python, a, b):
    assert ours(a, b) == python(a, b)
    y = sc.symbol(x.graph, "y")
    assert value(ours(x, y), x=a, y=b) == pytest.approx(float(python(a, b)))
    assert value(ours(x, b), x=a) == pytest.approx(float(python(a, b)))
    assert value(ours(a, y), y=b) == pytest.approx(float(python(a, b)))


def test_a_choice_between_numbers_is_made_at_once(x):
    assert sc.select(sc.less(1, 2), x, 0) is x
    assert sc.select(sc.less(2, 1), x, 5) == 5
    assert sc.select(0, 1, 2) == 2
