"""The folding constructors, rule by rule."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import MINUS_ONE, ONE, TWO, ZERO, Graph
from tests.expr.expressions import check_graph


@pytest.fixture
def g() -> Graph:
    return Graph()


@pytest.fixture
def v(g: Graph) -> list[int]:
    """Variables."""
    return [g.symbol(name) for name in "uvw"]


@pytest.fixture
def p(g: Graph) -> list[int]:
    """Parameters."""
    return [g.symbol(name, ops.PARAMETER) for name in "abc"]


def kind(g: Graph, lit: int) -> int:
    return g.op[lit >> 1]


# -- numbers


def test_a_graph_starts_with_zero_one_two(g):
    assert [g.number(n) for n in (0, 1, 2, -1)] == [ZERO, ONE, TWO, MINUS_ONE]


@pytest.mark.parametrize("value", [1.0, Fraction(1), Fraction(2, 2), True, np.float64(1), np.int64(1)])
def test_one_has_one_node(g, value):
    assert g.number(value) == ONE


def test_minus_zero_is_zero(g):
    assert g.number(-0.0) == ZERO
    assert g.sub(ZERO, ZERO) == ZERO
    assert g.add(1, 1) == ZERO  # "minus zero" given by mistake


def test_exact_and_decimal_are_two_numbers(g):
    assert g.number(Fraction(1, 2)) != g.number(0.5)
    assert type(g.value(g.number(Fraction(1, 2)))) is Fraction
    assert type(g.value(g.number(0.5))) is float


@pytest.mark.parametrize("value", [np.float64(0.3), np.float32(0.5), np.int32(7), np.uint8(200)])
def test_numbers_of_numpy_become_those_of_python(g, value):
    assert type(g.value(g.number(value))) in (int, float)
    assert g.value(g.number(value)) == value
    assert g.number(value) == g.number(value.item())


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 2**1023, Fraction(1, 2**1023)])
def test_numbers_out_of_range(g, value):
    with pytest.raises(ProgramError, match="too large"):
        g.number(value)


@pytest.mark.parametrize("value", ["1", None, 1j, [1]])
def test_what_is_no_number(g, value):
    with pytest.raises(ProgramError, match="expected a number"):
        g.number(value)


def test_every_number_fits_a_double(g):
    largest = g.number(2**1023 - 1)
    assert math.isfinite(evaluate(g, [largest], {})[0])


def test_arithmetic_of_numbers_is_exact(g):
    third = g.div(ONE, g.number(3))
    assert g.value(g.add(third, g.add(third, third))) == 1
    assert g.value(g.mul(third, g.number(6))) == 2
    assert g.value(g.sub(third, g.number(0.5))) == 1 / 3 - 0.5


def test_overflow_of_decimals_is_an_error(g):
    big = g.number(1e200)
    with pytest.raises(ProgramError, match="too large"):
        g.mul(big, big)


def test_underflow_has_no_sign(g):
    small = g.number(1e-200)
    assert g.mul(small, small ^ 1) == ZERO
    assert g.div(small ^ 1, g.number(1e200)) == ZERO


def test_symbols_are_parameters_or_variables(g):
    assert g.symbol("x", ops.PARAMETER) != g.symbol("x", ops.VARIABLE)
    with pytest.raises(ProgramError, match="class"):
        g.symbol("x", ops.CONSTANT)


# -- sums


def test_zero_adds_nothing(g, v):
    assert g.add(v[0], ZERO) == g.add(ZERO, v[0]) == g.sub(v[0], ZERO) == v[0]
    assert g.sub(ZERO, v[0]) == v[0] ^ 1


def test_a_difference_and_its_negative_are_one_node(g, v):
    assert g.sub(v[0], v[1]) == g.sub(v[1], v[0]) ^ 1
    assert g.add(v[0], v[1]) == g.add(v[0] ^ 1, v[1] ^ 1) ^ 1


def test_sums_keep_the_older_node_first(g, v):
    u, w = v[0], v[1]
    assert g.args[g.add(w, u) >> 1] == (u, w)
    assert kind(g, g.sub(w, u)) == ops.SUB
    assert g.sub(w, u) & 1 == 1
    assert g.sub(u, w) & 1 == 0


def test_like_terms(g, v):
    x = v[0]
    assert g.add(x, x) == g.mul(TWO, x)
    assert g.sub(x, x) == ZERO
    five = g.add(g.mul(TWO, x), g.mul(g.number(3), x))
    assert five == g.mul(g.number(5), x)
    assert g.sub(five, g.mul(g.number(4), x)) == x
    assert g.sub(x, g.mul(TWO, x)) == x ^ 1
    assert g.add(g.mul(g.number(Fraction(1, 2)), x), g.mul(g.number(Fraction(1, 2)), x)) == x


def test_like_terms_of_products(g, v):
    product = g.mul(v[0], v[1])
    assert g.add(product, g.mul(TWO, product)) == g.mul(g.number(3), product)


def test_a_term_cancels_in_a_sum(g, v):
    x, y, z = v
    assert g.sub(g.add(x, y), x) == y
    assert g.sub(g.add(x, y), y) == x
    assert g.add(g.sub(x, y), y) == x
    assert g.sub(z, g.add(x, z)) == x ^ 1
    assert g.sub(x, g.sub(x, y)) == y


def test_constants_and_parameters_gather_in_a_sum(g, v, p):
    """Check that any order gives one addition per call, with the rest computed once."""
    x, a, b, one = v[0], p[0], p[1], g.number(3)
    for order in ((x, a, b, one), (one, x, b, a), (a, x, one, b)):
        total = ZERO
        for term in order:
            total = g.add(total, term)
        terms = g.terms(total)
        assert x in terms, "the variable is a separate term"
        other = terms[0] if terms[1] == x else terms[1]
        assert g.cls[other >> 1] == ops.PARAMETER


def test_constants_gather(g, p):
    total = g.add(g.add(g.sqrt(TWO), ONE), g.add(g.sqrt(TWO), g.number(3)))
    assert total == g.add(g.mul(TWO, g.sqrt(TWO)), g.number(4))
    assert g.sub(g.add(g.pi(), ONE), g.add(ONE, g.pi())) == ZERO
    assert g.sub(g.add(g.pi(), ONE), g.pi()) == ONE


# -- products


def test_zero_and_one_in_products(g, v):
    x = v[0]
    assert g.mul(x, ZERO) == g.mul(ZERO, x) == ZERO
    assert g.mul(x ^ 1, ZERO) == ZERO
    assert g.mul(x, ONE) == x
    assert g.mul(MINUS_ONE, x) == x ^ 1


def test_signs_leave_products(g, v):
    x, y, _ = v
    assert g.mul(x ^ 1, y) == g.mul(x, y ^ 1) == g.mul(x, y) ^ 1
    assert g.mul(x ^ 1, y ^ 1) == g.mul(x, y)


def test_constant_factors_come_first(g, v, p):
    """Check that 2, a, b and x in any order become (2ab) x, where 2ab is computed once."""
    x, a, b = v[0], p[0], p[1]
    for order in ((x, a, TWO, b), (a, x, b, TWO), (TWO, x, a, b), (b, TWO, a, x)):
        product = ONE
        for factor in order:
            product = g.mul(product, factor)
        left, right = g.args[product >> 1]
        assert right == x
        assert g.cls[left >> 1] == ops.PARAMETER
        assert g.coefficient(left >> 1)[0] == 2


def test_numbers_stand_first_among_constants(g):
    product = g.mul(g.mul(g.pi(), g.number(3)), g.mul(g.pi(), TWO))
    number, rest = g.coefficient(product >> 1)
    assert number == 6
    assert g.args[rest] == (g.pi(), g.pi())


def test_a_root_times_itself(g, v, p):
    for x in (v[0], p[0], g.pi(), g.add(v[0], v[1])):
        assert g.mul(g.sqrt(x), g.sqrt(x)) == x
        assert g.mul(g.sqrt(x) ^ 1, g.sqrt(x)) == x ^ 1
    assert g.mul(g.sqrt(v[0] ^ 1), g.sqrt(v[0] ^ 1)) == v[0] ^ 1


# -- division


def test_division_by_zero(g, v):
    with pytest.raises(ProgramError, match="division by zero"):
        g.div(v[0], ZERO)


def test_simple_quotients(g, v):
    x, y, _ = v
    assert g.div(x, ONE) == x
    assert g.div(x, MINUS_ONE) == x ^ 1
    assert g.div(x, x) == ONE
    assert g.div(x, x ^ 1) == MINUS_ONE
    assert g.div(ZERO, x) == ZERO
    assert g.div(ZERO, x ^ 1) == ZERO
    assert g.div(x ^ 1, y) == g.div(x, y ^ 1) == g.div(x, y) ^ 1


def test_factors_cancel(g, v):
    x, y, _ = v
    assert g.div(g.mul(x, y), x) == y
    assert g.div(g.mul(x, y), y ^ 1) == x ^ 1
    assert g.mul(g.div(x, y), y) == x
    assert g.mul(y ^ 1, g.div(x, y)) == x ^ 1


def test_division_by_a_number_is_a_product(g, v):
    assert g.div(v[0], g.number(4)) == g.mul(g.number(Fraction(1, 4)), v[0])
    assert g.value(g.div(g.number(1), g.number(0.3))) == 1 / 0.3


def test_division_by_a_parameter_is_done_once(g, v, p):
    quotient = g.div(v[0], p[0])
    inverse, x = g.args[quotient >> 1]
    assert kind(g, quotient) == ops.MUL
    assert x == v[0]
    assert inverse == g.div(ONE, p[0])
    assert g.cls[inverse >> 1] == ops.PARAMETER
    assert g.mul(quotient, p[0]) == v[0]


def test_division_by_pi(g, v):
    assert kind(g, g.div(v[0], g.pi())) == ops.MUL
    assert g.mul(g.div(v[0], g.pi()), g.pi()) == v[0]
    assert g.mul(g.div(ONE, g.pi()), g.pi()) == ONE


# -- powers and roots


def test_powers(g, v):
    x = v[0]
    assert g.power(x, 0) == ONE
    assert g.power(x, 1) == x
    assert g.power(x, 2) == g.mul(x, x)
    assert g.power(x, -1) == g.div(ONE, x)
    assert g.power(x, Fraction(1, 2)) == g.power(x, 0.5) == g.sqrt(x)
    assert g.power(x, Fraction(3, 4)) == g.power(g.sqrt(g.sqrt(x)), 3)
    assert g.power(g.number(2), 10) == g.number(1024)
    assert g.power(g.number(-2), 3) == g.number(-8)
    assert evaluate(g, [g.power(x, 13)], {"u": 1.1})[0] == pytest.approx(1.1**13, rel=1e-14)
    assert evaluate(g, [g.power(x, -2.5)], {"u": 1.1})[0] == pytest.approx(1.1**-2.5, rel=1e-14)


@pytest.mark.parametrize("exponent", [Fraction(1, 3), 0.3, 5000, -5000, math.inf, math.nan])
def test_powers_that_are_not_supported(g, v, exponent):
    with pytest.raises(ProgramError):
        g.power(v[0], exponent)


def test_roots_in_normal_form(g):
    n = g.number
    assert g.sqrt(n(4)) == TWO
    assert g.sqrt(n(Fraction(9, 4))) == n(Fraction(3, 2))
    assert g.sqrt(n(8)) == g.mul(TWO, g.sqrt(TWO))
    assert g.sqrt(n(Fraction(1, 2))) == g.div(g.sqrt(TWO), TWO)
    assert g.sqrt(n(10**14)) == n(10**7)
    assert g.sqrt(ZERO) == ZERO
    assert g.sqrt(n(0.25)) == n(0.5)
    with pytest.raises(ProgramError, match="negative"):
        g.sqrt(n(-1))


def test_products_of_roots(g):
    two, three, six = (g.sqrt(g.number(n)) for n in (2, 3, 6))
    assert g.mul(two, two) == TWO
    assert g.mul(two, three) == six
    assert g.mul(six, three) == g.mul(g.number(3), two)
    assert g.div(ONE, two) == g.div(two, TWO)
    assert g.div(six, three) == two
    assert g.mul(g.div(two, g.number(6)), g.mul(g.number(3), two)) == ONE
    assert g.mul(two ^ 1, two) == g.number(-2)
    large = g.sqrt(g.number(10**13))
    assert g.mul(large, large) == g.number(10**13)
    assert g.value(g.mul(g.number(0.3), two)) == pytest.approx(0.3 * math.sqrt(2), rel=1e-15)


def test_like_roots_add_up(g):
    two = g.sqrt(TWO)
    half = g.div(two, TWO)
    assert g.add(half, half) == two
    assert g.sub(g.mul(g.number(3), two), two) == g.mul(TWO, two)


# -- classes


def test_the_class_is_that_of_the_most_variable_child(g, v, p):
    c, a, x = g.pi(), p[0], v[0]
    expected = [(c, c, ops.CONSTANT), (c, a, ops.PARAMETER), (a, x, ops.VARIABLE), (c, x, ops.VARIABLE)]
    for one, other, cls in expected:
        for op in (*range(ops.ADD, ops.DIV + 1), ops.ATAN2, ops.MIN, ops.MAX, ops.LESS):
            made = g.binary(op, one, g.add(other, g.number(7)))
            assert g.cls[made >> 1] == cls
        assert g.cls[g.select(g.binary(ops.LESS, one, other), ONE, TWO) >> 1] == cls or one == other
    assert g.cls[g.call("solve", [[a], [a]], 1)[0] >> 1] == ops.VARIABLE
    check_graph(g)


# -- traversal


def test_reachable_is_ascending_and_complete(g, v):
    dead = g.mul(v[2], v[2])
    sine = g.sin(g.add(v[0], v[1]))
    nodes = g.reachable([sine])
    assert nodes == sorted(nodes)
    assert dead >> 1 not in nodes
    assert {v[0] >> 1, v[1] >> 1, sine >> 1} <= set(nodes)


def test_reachable_goes_through_kernels(g, v):
    x = g.call("solve", [[v[0]], [g.sin(v[1])]], 1)
    assert v[1] >> 1 in g.reachable(x)
    assert g.children(x[0] >> 1) == (v[0], g.sin(v[1]))


def test_a_kernel_call_is_made_once(g, v):
    first = g.call("solve", [[v[0]], [v[1]]], 1)
    assert g.call("solve", [(v[0],), (v[1],)], 1) == first
    assert len(g.calls) == 1
    assert g.call("solve", [[v[1]], [v[1]]], 1) != first
