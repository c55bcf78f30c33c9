"""Compare the grammar with Python's; test errors with their positions, and malicious texts."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symoro.errors import ExpressionError, SymoroError
from symoro.expr import Graph, ops, parse
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import formula
from symoro.expr.parser import MAX_DEPTH, reserved
from tests.effort import Effort, growth
from tests.expr.texts import FUNCTIONS, VALUES, python_value, texts


def value(text: str, values: dict[str, float] = VALUES) -> float:
    result = parse(text, Graph())
    return float(evaluate(result.graph, [result.lit], values)[0])


def near(got: float, expected: float) -> bool:
    return math.isclose(got, expected, rel_tol=1e-10, abs_tol=1e-9)


@given(texts())
def test_reads_as_python_does(text):
    expected = python_value(text)
    assume(expected is not None and abs(expected) < 1e9)
    try:
        got = value(text)
    except SymoroError as error:  # an exact zero instead of Python's rounding error
        assert "division by zero" in str(error)
        return
    shaken = python_value(text, {k: v * (1 + 1e-9) for k, v in VALUES.items()})
    assume(shaken is not None and abs(shaken - expected) <= 1e-5 * max(1, abs(expected)))
    assert near(got, expected) or abs(got - expected) < 1e3 * abs(shaken - expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2^2", -4),
        ("2^-1", 0.5),
        ("2^3^2", 512),
        ("-2**-2", -0.25),
        ("2*-3", -6),
        ("2--3", 5),
        ("- - -2", -2),
        ("1-2-3", -4),
        ("8/4/2", 1),
        ("2*3^2", 18),
        ("(2*3)^2", 36),
        ("-(2+3)*4", -20),
        ("4^0.5", 2),
        ("4^(1/2)", 2),
        ("4^-(1/2)", 0.5),
        ("10^-3", 1e-3),
        ("+5", 5),
        (" 1 +\t2\n", 3),
        ("1e3", 1000),
        (".5e1", 5),
        ("5.", 5),
        ("Pi/pi", 1),
        ("atan(1)*4/pi", 1),
        ("arctan2(0, -1)/pi", 1),
        ("arcsin(1)/pi", 0.5),
        ("Max(1, Min(3, 2))", 2),
        ("sgn(-3)*Abs(-4)", -4),
        ("select(less(1, 2), 3, 4)", 3),
        ("select(equal(1, 2), 3, 4)", 4),
        ("less_equal(2, 2)", 1),
    ],
)
def test_precedence_and_names(text, expected):
    assert value(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("atan",)])
def test_every_function_of_the_table(name):
    arity = ops.TABLE[ops.FUNCTIONS[name]].arity
    arguments = ["a", "sinx", "x_1"][:arity]
    expected = FUNCTIONS[name](*(VALUES[a] for a in arguments))
    assert value(f"{name}({', '.join(arguments)})") == pytest.approx(float(expected), rel=1e-14)


def test_names_are_parameters_by_default():
    g = Graph()
    assert parse("q1", g).cls == ops.PARAMETER
    assert parse("q1", g, lambda name: g.symbol(name, ops.VARIABLE)).cls == ops.VARIABLE
    assert parse("x + y*x", g).symbols() == {"x", "y"}


@pytest.mark.parametrize("name", ["pi", "PI", "sin", "atan", "arctan", "select", "Abs"])
def test_reserved_names(name):
    assert reserved(name)
    if name.lower() != "pi":
        with pytest.raises(ExpressionError, match="requires an argument"):
            parse(name, Graph())


@pytest.mark.parametrize(
    "name", ["sine", "q1", "_", "pi2", "Sin", "SQRT", "e", "inf", "nan", "lambda", "import"]
)
def test_names_that_are_free(name):
    assert not reserved(name)
    assert parse(name, Graph()).symbols() == {name}


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "ends too early"),
        ("   ", 4, "ends too early"),
        ("1 +", 4, "ends too early"),
        ("1 + * 2", 5, "expected a value, got '*'"),
        ("(1 + 2", 7, "expected ')', got the end"),
        ("(1, 2)", 3, "expected ')', got ','"),
        ("1 + 2)", 6, "unexpected ')'"),
        ("2 x", 3, "unexpected 'x'"),
        ("2x", 2, "unexpected 'x'"),
        ("a b", 3, "unexpected 'b'"),
        ("1..2", 3, "unexpected '.2'"),
        ("0x10", 2, "unexpected 'x10'"),
        ("a + $", 5, "unexpected character '$'"),
        ("a # b", 3, "unexpected character '#'"),
        ("'a'", 1, "unexpected character"),
        ("a.b", 2, "unexpected character '.'"),
        ("a[0]", 2, "unexpected character '['"),
        ("a == b", 3, "unexpected character '='"),
        ("2*sin", 3, "requires an argument"),
        ("sin()", 5, "expected a value, got ')'"),
        ("2*sin(1, 2)", 3, "sin requires 1 argument(s), got 2"),
        ("atan2(1)", 1, "atan2 requires 2 argument(s), got 1"),
        ("atan(1, 2)", 1, "atan requires 1 argument(s), got 2"),
        ("1 + foo(2)", 5, "unknown function 'foo'"),
        ("1/0", 2, "division by zero"),
        ("a/(2-2)", 2, "division by zero"),
        ("1 + sqrt(-1)", 5, "square root of a negative number"),
        ("asin(2)", 1, "is not defined"),
        ("a^b", 3, "the exponent must be a number"),
        ("a^(1/3)", 2, "only whole and half exponents"),
        ("a^99999", 2, "too large"),
        ("1e999", 1, "too large"),
        ("2 + 9^4096", 6, "too large"),
    ],
)
def test_errors_say_where(text, column, message):
    with pytest.raises(ExpressionError) as caught:
        parse(text, Graph())
    assert message in caught.value.message
    assert caught.value.column == column


HOSTILE = {
    "parentheses": "(" * 10_000 + "1" + ")" * 10_000,
    "open parentheses": "(" * 10_000,
    "functions": "sin(" * 3000,
    "powers": "2^" * 5000 + "2",
    "a tower": "9**9**9**9",
    "a large power": "9^4096*9^4096",
    "nested powers": "((((((2^64)^64)^64)^64)^64)^64)",
    "powers of a symbol": "((((((x^4096)^4096)^4096)^4096)^4096)^4096)",
    "digits": "9" * 19_999,
    "a decimal": "1." + "9" * 19_000,
    "an exponent": "1e" + "9" * 19_000,
    "import": "__import__('os').system('true')",
    "attributes": "().__class__.__bases__[0]",
    "a lambda": "lambda: 0",
    "a very long text": "1+" * 1_000_000 + "1",
    "unicode digits": "١٢٣",
    "unicode letters": "αβγ",
    "a wide letter": "ｓｉｎ(1)",
    "a minus sign of text": "1 \u2212 2",
    "nothing": "",
    "a zero byte": "1\x00",
    "control characters": "\x1b[31m1",
    "surrogates": "\ud800",
    "fractions that grow": "+".join(f"1/{n}" for n in range(1, 2500)),
    "products that grow": "*".join(["1.5e300"] * 1000),
    "roots that nest": "sqrt(" * 90 + "2" + ")" * 90,
    "a deep sum of constants": "sin(" + "+".join(f"sin({n})" for n in range(1, 2000)) + ")",
    "division by a hidden zero": "1/(a+b+c-(a+c)-b)",
    "a root of less than nothing": "sqrt(2-pi)",
    "an overflow at the end": "1e308*pi*a",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_end_soon(text):
    try:
        with Effort(most=2_000_000):  # 0.8 million at most when this was written
            made = formula(text)
        assert len(made.text) < 20_000
    except ExpressionError as error:
        assert error.column >= 1
        assert len(str(error)) < 1000


REFUSED = set(HOSTILE) - {"powers", "roots that nest", "a deep sum of constants", "a decimal"}


@pytest.mark.parametrize("text", [HOSTILE[k] for k in sorted(REFUSED)], ids=sorted(REFUSED))
def test_hostile_texts_are_refused(text):
    with pytest.raises(ExpressionError):
        formula(text)


def test_long_but_honest_texts_are_read():
    """Check that as many terms as permitted are read with linear work."""

    def text(terms):
        return " + ".join(f"a{n}*b{n % 7}" for n in range(terms))

    assert len(formula(text(1500)).symbols) == 1507
    assert growth(formula, text(300), text(1500)) < 6


def test_nesting_up_to_the_limit():
    depth = MAX_DEPTH - 1
    assert value("(" * depth + "1" + ")" * depth) == 1
    assert value("-" * 15_000 + "1") == 1


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        formula(text)
    except ExpressionError as error:
        assert 1 <= error.column <= len(text) + 2


@given(st.text(st.sampled_from("0123456789.eE+-*/^()ab, sinqrtp"), max_size=30))
def test_nearly_right_texts(text):
    try:
        made = formula(text)
    except ExpressionError as error:
        assert 1 <= error.column <= len(text) + 2
    else:
        assert formula(made.text) == made
