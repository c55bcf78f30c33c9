"""Sines and cosines: exact values, quarter turns, sums with multiples of pi, sin^2 + cos^2."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import MINUS_ONE, ONE, ZERO, Graph


def angle(g: Graph, turn: Fraction) -> int:
    return g.mul(g.number(turn), g.pi())


def value(g: Graph, lit: int, **values: float) -> float:
    return float(evaluate(g, [lit], values)[0])


@pytest.mark.parametrize("twelfths", range(-36, 37))
def test_multiples_of_pi_over_twelve(twelfths):
    """Exact where the value is 0, 1/2, sqrt(2)/2, sqrt(3)/2 or 1; 15 and 75 degrees are reduced."""
    g = Graph()
    turn = Fraction(twelfths, 12)
    for function, op, make in ((math.sin, ops.SIN, g.sin), (math.cos, ops.COS, g.cos)):
        made = make(angle(g, turn))
        expected = function(float(turn) * math.pi)
        assert value(g, made) == pytest.approx(expected, abs=2e-15)
        exact = twelfths % 3 == 0 or twelfths % 2 == 0
        assert (g.op[made >> 1] not in (ops.SIN, ops.COS)) == exact
        if round(expected, 12) == 0:
            assert made == ZERO
        if not exact:
            assert abs(g.split_pi(g.args[made >> 1][0])[0]) <= Fraction(1, 4)
            assert g.unary(op, angle(g, turn + 2)) == made


def test_exact_values():
    g = Graph()
    half, third = g.number(Fraction(1, 2)), g.sqrt(g.number(3))
    assert g.sin(angle(g, Fraction(1, 6))) == half
    assert g.cos(angle(g, Fraction(2, 3))) == half ^ 1
    assert g.cos(angle(g, Fraction(1, 6))) == g.mul(half, third)
    assert g.sin(angle(g, Fraction(-1, 4))) == g.mul(half, g.sqrt(g.number(2))) ^ 1
    assert (g.sin(ZERO), g.cos(ZERO), g.cos(g.pi()), g.sin(g.pi())) == (ZERO, ONE, MINUS_ONE, ZERO)


def test_a_decimal_multiple_of_pi_that_is_exact():
    g = Graph()
    assert g.cos(g.mul(g.number(0.5), g.pi())) == ZERO
    assert g.sin(g.mul(g.number(1.5), g.pi())) == MINUS_ONE
    assert g.op[g.sin(g.mul(g.number(0.3), g.pi())) >> 1] == ops.SIN


def test_decimals_become_decimals():
    g = Graph()
    assert g.value(g.sin(g.number(0.3))) == math.sin(0.3)
    assert g.value(g.cos(g.number(-0.3))) == math.cos(0.3)
    assert g.op[g.sin(g.number(1)) >> 1] == ops.SIN, "sin(1) of an exact 1 stays exact"


def test_quarter_turns():
    g = Graph()
    x = g.symbol("x")
    s, c = g.sin(x), g.cos(x)
    expected = [(s, c), (c, s ^ 1), (s ^ 1, c ^ 1), (c ^ 1, s)]
    for k in range(-8, 9):
        turned = g.add(x, angle(g, Fraction(k, 2)))
        assert (g.sin(turned), g.cos(turned)) == expected[k % 4]
        mirrored = g.sub(angle(g, Fraction(k, 2)), x)
        assert g.sin(mirrored) == g.signed(g.sin(g.add(x, angle(g, Fraction(-k, 2)))), 1)
        assert g.cos(mirrored) == g.cos(g.add(x, angle(g, Fraction(-k, 2))))


def test_a_quarter_turn_in_the_middle_of_a_sum():
    """(x + pi/2) + y: the sum that the angle of two parallel axes with offsets is."""
    g = Graph()
    x, y, a = g.symbol("x"), g.symbol("y"), g.symbol("a", ops.PARAMETER)
    quarter = angle(g, Fraction(1, 2))
    assert g.sin(g.add(g.add(x, quarter), y)) == g.cos(g.add(x, y))
    assert g.cos(g.add(g.add(x, quarter), g.add(y, quarter))) == g.cos(g.add(x, y)) ^ 1
    made = g.sin(g.add(g.add(g.add(x, g.add(a, quarter)), y), quarter))
    assert value(g, made, x=0.3, y=0.4, a=0.5) == pytest.approx(math.sin(1.2 + math.pi))
    assert not any(g.op[i] == ops.PI for i in g.reachable([made]))


def test_constants_deep_in_a_sum_end_soon():
    g = Graph()
    total = ZERO
    for k in range(1, 3000):
        total = g.add(total, g.sin(g.number(k)))
    assert g.op[g.sin(total) >> 1] == ops.SIN


@given(st.fractions(-20, 20, max_denominator=24), st.booleans(), st.sampled_from([0, 1, -1, 2]))
def test_turns_and_rests(turn, cosine, times):
    g = Graph()
    x = g.add(angle(g, turn), g.mul(g.number(times), g.symbol("x")))
    made = (g.cos if cosine else g.sin)(x)
    expected = (math.cos if cosine else math.sin)(float(turn) * math.pi + times * 0.37)
    assert value(g, made, x=0.37) == pytest.approx(expected, abs=1e-13)
    minus = (g.cos if cosine else g.sin)(g.signed(x, 1))
    assert minus == (made if cosine else g.signed(made, 1)), "x and -x reduce alike"


# -- sin^2 + cos^2


def test_pythagoras():
    g = Graph()
    x, y, a = g.symbol("x"), g.symbol("y"), g.symbol("a", ops.PARAMETER)
    for angle_ in (x, g.add(x, y), g.sub(y, x)):
        s, c = g.sin(angle_), g.cos(angle_)
        ss, cc = g.mul(s, s), g.mul(c, c)
        assert g.add(ss, cc) == g.add(cc, ss) == ONE
        assert g.sub(ss ^ 1, cc) == MINUS_ONE
        assert g.add(g.mul(a, ss), g.mul(a, cc)) == a
        assert g.add(g.mul(y, ss), g.mul(y, cc)) == y
        assert g.add(g.mul(g.mul(y, s), s), g.mul(g.mul(c, y), c)) == y
        assert g.add(g.mul(g.number(0.3), ss), g.mul(g.number(0.3), cc)) == g.number(0.3)


def test_what_is_not_pythagoras():
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")
    ss, cc = g.mul(g.sin(x), g.sin(x)), g.mul(g.cos(y), g.cos(y))
    assert g.op[g.add(ss, cc) >> 1] == ops.ADD
    assert g.op[g.sub(ss, g.mul(g.cos(x), g.cos(x))) >> 1] == ops.SUB
    twice = g.add(g.mul(g.number(2), ss), g.mul(g.cos(x), g.cos(x)))
    assert value(g, twice, x=0.4) == pytest.approx(1 + math.sin(0.4) ** 2)


def test_the_length_of_a_rotated_axis():
    """(c1 c2)^2 + (c1 s2)^2 + s1^2 = 1, whichever square is seen first."""
    for order in itertools.permutations(range(3)):
        g = Graph()
        x, y = g.symbol("x"), g.symbol("y")
        g.cos(y), g.sin(x)
        parts = [g.mul(g.cos(x), g.cos(y)), g.mul(g.cos(x), g.sin(y)), g.sin(x)]
        squares = [g.mul(p, p) for p in parts]
        assert g.add(g.add(squares[0], squares[1]), squares[2]) == ONE
        total = ZERO
        for k in order:
            total = g.add(total, squares[k])
        assert value(g, total, x=0.3, y=1.1) == pytest.approx(1)


# -- the other functions


@pytest.mark.parametrize("twelfths", [k for k in range(-12, 13) if k % 2 == 0 or k % 3 == 0])
def test_tangents(twelfths):
    g = Graph()
    x = angle(g, Fraction(twelfths, 12))
    if twelfths % 12 in (6, -6):
        with pytest.raises(ProgramError, match="tan"):
            g.unary(ops.TAN, x)
        return
    made = g.unary(ops.TAN, x)
    assert g.op[made >> 1] != ops.TAN
    assert value(g, made) == pytest.approx(math.tan(twelfths * math.pi / 12), abs=1e-14)


@pytest.mark.parametrize("op", [ops.ASIN, ops.ACOS])
@pytest.mark.parametrize("text", ["0", "1", "-1", "1/2", "-1/2", "r2", "-r2", "r3", "-r3"])
def test_inverse_sines(op, text):
    g = Graph()
    root = g.sqrt(g.number(int(text[-1]))) if "r" in text else ZERO
    x = g.div(root, g.number(2)) if root else g.number(Fraction(text))
    x = g.signed(x, 1) if "-r" in text else x
    made = g.unary(op, x)
    expected = (math.asin if op == ops.ASIN else math.acos)(value(g, x))
    assert value(g, made) == pytest.approx(expected, abs=1e-15)
    assert made == ZERO or g.op[g.coefficient(made >> 1)[1]] == ops.PI


@pytest.mark.parametrize("number", [2, -2, 1.5, Fraction(3, 2)])
@pytest.mark.parametrize("op", [ops.ASIN, ops.ACOS])
def test_inverse_sines_that_do_not_exist(op, number):
    g = Graph()
    with pytest.raises(ProgramError, match="is not defined"):
        g.unary(op, g.number(number))


@pytest.mark.parametrize("a", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("b", [-2, -1, 0, 1, 2])
def test_atan2_of_numbers(a, b):
    g = Graph()
    made = g.binary(ops.ATAN2, g.number(a), g.number(b))
    assert value(g, made) == pytest.approx(math.atan2(a, b), abs=1e-15)
    exact = abs(a) == abs(b) or a == 0 or b == 0
    if exact and (a or b):
        assert made == ZERO or g.op[g.coefficient(made >> 1)[1]] == ops.PI
    decimal = g.binary(ops.ATAN2, g.number(a + 0.25), g.number(b))
    assert value(g, decimal) == pytest.approx(math.atan2(a + 0.25, b), abs=1e-15)


def test_four_times_the_arc_tangent_of_one_is_pi():
    g = Graph()
    assert g.mul(g.number(4), g.binary(ops.ATAN2, ONE, ONE)) == g.pi()
