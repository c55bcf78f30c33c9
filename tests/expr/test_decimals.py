"""Test decimals: exact while they are short, printed as the shortest decimal of the same double."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.expr.formula import formula
from symoro.expr.graph import Graph
from symoro.expr.number import (
    MAX_DIGITS,
    ExactDecimal,
    decimal,
    decimal_of,
    exact,
    negative,
    product,
    quotient,
    total,
)
from symoro.robot.formats import loads

SHORT = st.decimals(-1000, 1000, places=6, allow_nan=False).map(lambda x: f"{x:f}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1*0.1*m", "0.01*m"),
        ("0.1*m*0.1", "0.01*m"),
        ("0.1 + 0.2 - 0.3", "0"),
        ("(0.1*a)*(0.7*b)", "0.07*a*b"),
        ("0.1*a + 0.2*a", "0.3*a"),
        ("1.1^2", "1.21"),
        ("sqrt(0.04)", "0.2"),
        ("1e-10^2", "1e-20"),
        ("a/0.3*0.3", "a"),
        ("0.5*a", "0.5*a"),
        ("a/2", "a/2"),
        ("1/3*a", "a/3"),
        ("0.1*a/3", "0.1*a/3"),
        ("0.1/3 + 0.2/3", "0.1"),
        ("2.0*a", "2*a"),
    ],
)
def test_formulas(text: str, expected: str) -> None:
    simplified = formula(text)
    assert simplified.text == expected
    assert formula(simplified.text) == simplified


@given(a=SHORT, b=SHORT)
def test_sums_and_products_are_exact(a: str, b: str) -> None:
    x, y = decimal_of(a), decimal_of(b)
    p, q = Fraction(a), Fraction(b)
    assert exact(total(x, y)) == p + q
    assert exact(product(x, y)) == p * q
    assert exact(negative(x)) == -p
    if q:
        assert float(quotient(x, y)) == float(p / q)


@given(a=st.floats(1e-30, 1e30), b=st.floats(1e-30, 1e30))
def test_the_nearest_double_beyond_thirty_digits(a: float, b: float) -> None:
    for number, expected in (
        (product(decimal_of(repr(a)), decimal_of(repr(b))), Fraction(repr(a)) * Fraction(repr(b))),
        (total(decimal_of(repr(a)), decimal_of(repr(b))), Fraction(repr(a)) + Fraction(repr(b))),
    ):
        if isinstance(number, ExactDecimal):
            assert max(abs(exact(number).numerator), exact(number).denominator) < 10**MAX_DIGITS
        both_exact = all(isinstance(decimal_of(repr(x)), int | ExactDecimal) for x in (a, b))
        assert math.isclose(number, expected, rel_tol=4e-16)
        if both_exact:
            assert float(number) == float(expected)


@pytest.mark.parametrize("digits", [MAX_DIGITS - 1, MAX_DIGITS, MAX_DIGITS + 1])
def test_the_limit_of_digits(digits: int) -> None:
    """Check that a numerator of at most 30 digits is exact and a longer one is a double."""
    n = 10**digits // 9
    assert isinstance(decimal(n, 2**3), ExactDecimal) == (digits <= MAX_DIGITS)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_reads_back(x: float) -> None:
    assert float(decimal_of(repr(x))) == x
    assert formula(x).number == x


def test_numbers_of_python_are_read_as_they_are_written() -> None:
    from symoro.expr.scalar import symbol

    a = symbol(Graph(), "a", 1)
    assert str(0.1 * a * 0.7) == "0.07*a"
    assert str(formula(0.1) * formula(0.1)) == "0.01"


def test_copies() -> None:
    x = decimal_of("0.1")
    for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # noqa: S301 (its own text)
        assert made == 0.1 and exact(made) == Fraction(1, 10)


LINK = """symoro: 1
name: x
base: {{gravity: [0, -g, 0]}}
frames:
  - {{}}
  - {{d: {d}, link: {{mass: m1, com: [{c}, 0, 0]}}}}
"""


@pytest.mark.parametrize(
    ("d", "c", "moment", "inertia"), [(0.2, 0.1, "0.1*m1", "0.01*m1"), (0.7, 1.1, "1.1*m1", "1.21*m1")]
)
def test_a_link_by_its_centre_of_mass(d: float, c: float, moment: str, inertia: str) -> None:
    robot = loads(LINK.format(d=d, c=c), "yaml")
    assert (robot.links[1].MX.text, robot.links[1].ZZ.text) == (moment, inertia)
    for model, options in (
        ("inverse-dynamics", {}),
        ("lagrange", {"expanded": True}),
        ("base-parameters", {}),
    ):
        made = symoro.generate(robot, model, **options)
        for language in ("text", "latex", "maple", "c"):
            text = "".join(made.code(language).values())
            assert "000000000" not in text and "99999999" not in text


def test_printed_decimals_of_bundled_robots() -> None:
    assert symoro.load("filip3r").links[2].ZZ.text == "0.01*m3"
    assert "ZZR2 = ZZ2 + 0.04*M3" in str(symoro.base_parameters("filip3r"))
