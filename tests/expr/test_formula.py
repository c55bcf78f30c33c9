"""Formulas: text in, text out; symbols, values, substitution, arithmetic, exact angles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symoro.errors import ExpressionError, ProgramError
from symoro.expr import Graph, ops
from symoro.expr.formula import ONE, ZERO, Formula, combine, exact_angle, formula


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1, "1"),
        (-7, "-7"),
        (2.0, "2"),
        (0.5, "0.5"),
        (-0.25, "-0.25"),
        (1e-9, "1e-09"),
        (1e22, "1e+22"),
        (Fraction(1, 3), "1/3"),
        (Fraction(4, 2), "2"),
        (np.float64(0.5), "0.5"),
        (np.float32(0.5), "0.5"),
        (np.int64(3), "3"),
        ("D3", "D3"),
        (" D3 ", "D3"),
        ("-0", "0"),
        ("007", "7"),
        ("b+a", "a + b"),
        ("a*(1)", "a"),
        ("2*pi/4", "pi/2"),
        (10**20, "100000000000000000000"),
    ],
)
def test_formula(value, text):
    assert formula(value).text == text == str(formula(value))
    assert formula(formula(value)) is not None
    assert formula(text) == formula(value)


@pytest.mark.parametrize("value", [True, None, 1j, [1], math.nan, math.inf, -math.inf, 2**1100])
def test_what_is_no_formula(value):
    with pytest.raises(ExpressionError):
        formula(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_keeps_its_value(value):
    assert formula(value).number == value
    assert formula(repr(value)).number == value


@given(st.fractions(max_denominator=10**6))
def test_every_fraction_keeps_its_value(value):
    assert formula(value).number == float(value)


def test_formulas_are_values():
    assert formula("a+b") == formula("b + a")
    assert hash(formula("a+b")) == hash(formula("b + a"))
    assert {formula("a"): 1}[Formula("a")] == 1
    with pytest.raises(AttributeError):
        formula("a").text = "b"


def test_properties():
    assert ZERO.is_zero and not ONE.is_zero
    assert formula("a").is_symbol
    assert not formula("pi").is_symbol and not formula("2*a").is_symbol and not formula("3").is_symbol
    assert formula("a*sin(b) - a").symbols == {"a", "b"}
    assert formula("pi/2").symbols == frozenset()
    assert formula("0*a").symbols == frozenset()


def test_numbers():
    assert formula("sqrt(2)/2").number == pytest.approx(math.sqrt(0.5))
    assert formula("a").number is None
    assert formula("a/a").number == 1
    assert formula("a*b + 1").value({"a": 2, "b": 3.5}) == 8
    with pytest.raises(ProgramError, match="no value given for 'b'"):
        formula("a*b").value({"a": 2})


@pytest.mark.parametrize(("text", "at"), [("1/a", 0), ("sqrt(a)", -1), ("asin(a)", 2), ("1e300*a", 1e300)])
def test_a_formula_without_a_value_there(text, at):
    with pytest.raises(ProgramError, match="cannot be computed at a = "):
        formula(text).value({"a": at})


@pytest.mark.parametrize("text", ["sqrt(2 - pi)", "a*sqrt(2 - pi)", "acos(pi)", "1e308*pi"])
def test_a_constant_without_a_value_is_refused_at_once(text):
    with pytest.raises(ExpressionError):
        formula(text)


def test_into_a_graph():
    g = Graph()
    assert formula("3").into(g).number == 3
    assert formula("a").into(g) == formula("a").into(g)
    assert formula("a").into(g).cls == ops.PARAMETER
    assert formula("a + 1").into(g, lambda n: g.symbol(n, ops.VARIABLE)).cls == ops.VARIABLE
    assert formula("a").into(g, lambda n: g.number(5)).number == 5


def test_substitute():
    f = formula("a*b + sin(a)")
    assert f.substitute({"c": ONE}) is f
    assert f.substitute({"a": ZERO}) == ZERO
    assert f.substitute({"a": formula("pi/2")}) == formula("pi*b/2 + 1")
    swapped = formula("a - 2*b").substitute({"a": formula("b"), "b": formula("a")})
    assert swapped == formula("b - 2*a"), "all at once"
    assert formula("a").substitute({"a": formula("c + d")}) == formula("c + d")
    assert formula("1/a").substitute({"a": formula(0.5)}) == formula(2)
    with pytest.raises(ExpressionError, match="division by zero"):
        formula("1/(a - b)").substitute({"a": formula("b")})
    with pytest.raises(ExpressionError, match="negative"):
        formula("sqrt(a)").substitute({"a": formula(-1)})


def test_arithmetic():
    a, b = formula("a"), formula("b")
    assert a + b == formula("a + b")
    assert a - a == ZERO
    assert a * b == formula("a*b")
    assert -(a - b) == formula("b - a")
    assert combine(lambda x, y: x / y, a, b) == formula("a/b")


@pytest.mark.parametrize("twelfths", range(-36, 37))
def test_exact_angles(twelfths):
    angle = twelfths * math.pi / 12
    expected = formula(f"{Fraction(twelfths, 12)}*pi")
    assert exact_angle(formula(angle)) == expected
    assert exact_angle(formula(f"{twelfths}*pi/12")) == expected


@pytest.mark.parametrize("text", ["1.5707963", "1.6", "a", "a*pi", "1e-16", "0", "pi/7", "1"])
def test_angles_that_stay(text):
    assert exact_angle(formula(text)) == formula(text)


def test_angles_of_other_texts():
    assert exact_angle(formula("0.5*pi")) == formula("pi/2")
    assert exact_angle(formula("1.5707963"), 1e-7) == formula("pi/2")
    assert exact_angle(formula("-3.1416"), 1e-5) == formula("-pi")
    assert exact_angle(formula("3.142"), 1e-5) == formula("3.142")
