"""abs, sign, min, max, comparisons, select: folding and values."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symoro.expr import ops
from symoro.expr.graph import MINUS_ONE, ONE, TWO, ZERO, Graph


@pytest.fixture
def g() -> Graph:
    return Graph()


@pytest.mark.parametrize("value", [0, 3, -3, 0.5, -0.5, Fraction(-1, 3)])
def test_abs_and_sign_of_numbers(g, value):
    assert g.value(g.unary(ops.ABS, g.number(value))) == abs(value)
    assert g.value(g.unary(ops.SIGN, g.number(value))) == (value > 0) - (value < 0)


def test_abs_and_sign_of_positive_constants(g):
    for positive in (g.pi(), g.sqrt(TWO), g.mul(g.number(3), g.sqrt(TWO))):
        assert g.unary(ops.ABS, positive ^ 1) == positive
        assert g.unary(ops.SIGN, positive) == ONE
        assert g.unary(ops.SIGN, positive ^ 1) == MINUS_ONE
    unknown = g.sub(g.pi(), g.number(3))
    assert g.op[g.unary(ops.ABS, unknown) >> 1] == ops.ABS


def test_abs_and_sign_of_what_has_its_size_or_sign_already(g):
    x, y = g.symbol("x"), g.symbol("y")
    for op in ops.COMPARISONS:
        compared = g.binary(op, x, y)
        assert g.unary(ops.ABS, compared ^ 1) == g.unary(ops.SIGN, compared) == compared
        assert g.unary(ops.SIGN, compared ^ 1) == compared ^ 1
    size, sign = g.unary(ops.ABS, x), g.unary(ops.SIGN, x)
    assert g.unary(ops.ABS, size ^ 1) == size and g.unary(ops.SIGN, sign ^ 1) == sign ^ 1
    assert g.op[g.unary(ops.ABS, sign) >> 1] == ops.ABS and g.op[g.unary(ops.SIGN, size) >> 1] == ops.SIGN


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 1), (1, 1), (-1, 0.5), (Fraction(1, 2), 0.5)])
def test_choices_between_numbers(g, a, b):
    x, y = g.number(a), g.number(b)
    assert g.value(g.binary(ops.MIN, x, y)) == min(a, b)
    assert g.value(g.binary(ops.MAX, x, y)) == max(a, b)
    assert g.value(g.binary(ops.LESS, x, y)) == (a < b)
    assert g.value(g.binary(ops.LESS_EQUAL, x, y)) == (a <= b)
    assert g.value(g.binary(ops.EQUAL, x, y)) == (a == b)
    assert g.binary(ops.MIN, x, y) == g.binary(ops.MIN, y, x), "also of 1/2 and 0.5"


def test_an_operand_with_itself(g):
    x = g.symbol("x")
    assert g.binary(ops.MIN, x, x) == g.binary(ops.MAX, x, x) == x
    assert g.binary(ops.LESS, x, x) == ZERO
    assert g.binary(ops.LESS_EQUAL, x, x) == g.binary(ops.EQUAL, x, x) == ONE
    assert g.op[g.binary(ops.MIN, x, x ^ 1) >> 1] == ops.MIN


def test_atan2_is_odd_in_its_first_argument(g):
    x, y = g.symbol("x"), g.symbol("y")
    assert g.binary(ops.ATAN2, y ^ 1, x) == g.binary(ops.ATAN2, y, x) ^ 1
    assert g.binary(ops.ATAN2, y, x ^ 1) >> 1 != g.binary(ops.ATAN2, y, x) >> 1


def test_select(g):
    c, x, y = (g.symbol(name) for name in "cxy")
    test = g.binary(ops.LESS, x, y)
    assert g.select(ONE, x, y) == g.select(g.number(-0.5), x, y) == x
    assert g.select(ZERO, x, y) == y
    assert g.select(c, x, x) == x
    assert g.select(c ^ 1, x, y) == g.select(c, x, y)
    assert g.select(c, x ^ 1, y ^ 1) == g.select(c, x, y) ^ 1
    assert g.select(test, ONE, ZERO) == test
    assert g.select(c, ONE, ZERO) != c, "c may be 2"


def test_apply_takes_every_operation(g):
    x, y, z = (g.symbol(name) for name in "xyz")
    for op, info in ops.TABLE.items():
        if op >= ops.ADD:
            made = g.apply(op, [x, y, z][: info.arity])
            assert g.op[made >> 1] == op
            assert g.apply(op, [x, y, z][: info.arity]) == made
