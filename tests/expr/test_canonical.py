"""Test the canonical text: unchanged by reading and writing, with the same value, equal for equal expressions."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symoro.errors import ProgramError, SymoroError
from symoro.expr import Graph, ops, parse
from symoro.expr.canonical import MAX_LENGTH, canonical
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import formula
from symoro.expr.graph import ZERO
from symoro.expr.scalar import Expr
from tests.effort import Effort, growth
from tests.expr.expressions import SMOOTH, close, pool, recipes
from tests.expr.texts import FUNCTIONS, VALUES, texts
from tests.expr.texts import SMOOTH as SMOOTH_TEXTS

EVERY = tuple(FUNCTIONS)
DECIMAL = re.compile(r"[0-9]\.[0-9]|[0-9]e[-+]?[0-9]")


def rewritten(text: str) -> str:
    return canonical(parse(text, Graph()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b + a", "a + b"),
        ("b*a", "a*b"),
        ("-(a - b)", "-a + b"),
        ("2*a + 3*a", "5*a"),
        ("a + b - a", "b"),
        ("1 + a", "a + 1"),
        ("a*2", "2*a"),
        ("a/2", "a/2"),
        ("3*a/2", "3*a/2"),
        ("1/(b*a)", "1/(a*b)"),
        ("a/(b*2)", "a/(2*b)"),
        ("a*a*a", "a^3"),
        ("a/b/b", "a/b^2"),
        ("a*b/b", "a"),
        ("(a + b)*(b + a)", "(a + b)^2"),
        ("2*(b - a)", "-2*(a - b)"),
        ("(a + b)*c*d/(d*c)", "a + b"),
        ("sin(b - a)", "-sin(a - b)"),
        ("cos(b - a)", "cos(a - b)"),
        ("atan2(b - a, c)", "-atan2(a - b, c)"),
        ("min(b, a)", "min(a, b)"),
        ("select(b - a, 1, 2)", "select(a - b, 1, 2)"),
        ("pi/2", "pi/2"),
        ("0.5*pi", "0.5*pi"),
        ("-pi/2", "-pi/2"),
        ("sqrt(2)/2*a", "a*sqrt(2)/2"),
        ("a + pi", "a + pi"),
        ("1/3", "1/3"),
        ("0.1", "0.1"),
        ("1e-7*a", "1e-07*a"),
        ("0", "0"),
        ("a - a", "0"),
        ("-0", "0"),
    ],
)
def test_texts(text, expected):
    assert rewritten(text) == expected


@given(texts(EVERY))
def test_a_formula_is_a_fixpoint(text):
    try:
        made = formula(text)
    except SymoroError:
        assume(False)
    assert rewritten(made.text) == made.text
    assert formula(made.text) == made


def check_same(first: str, second: str) -> None:
    """Check that two texts have the same value, if it is well conditioned."""
    for factor in (1.0, 0.9):
        values = {k: v * factor for k, v in VALUES.items()}
        try:
            a, b = formula_value(first, values), formula_value(second, values)
            shaken = formula_value(first, {k: v * (1 + 1e-10) for k, v in values.items()})
        except SymoroError:
            continue
        if all(map(math.isfinite, (a, b, shaken))) and abs(a) < 1e8:
            allowed = 1e-10 * max(1, abs(a)) + 1e3 * abs(shaken - a)
            assert abs(a - b) <= allowed, (first, second, values)


def formula_value(text: str, values: dict[str, float]) -> float:
    result = parse(text, Graph())
    return float(evaluate(result.graph, [result.lit], values)[0])


@given(texts(SMOOTH_TEXTS))
def test_the_value_is_kept(text):
    try:
        made = formula(text)
    except SymoroError:
        assume(False)
    check_same(text, made.text)


@given(recipes(SMOOTH, max_size=15), st.integers(0, 1000))
def test_the_value_of_an_expression_is_kept(recipe, seed):
    result = pool(seed).run(recipe)
    lit, expected = result.lits[-1], result.nums[-1]
    text = canonical(Expr(result.graph, lit))
    assume(expected.e < 1e-13)
    again = parse(text, Graph())
    got = evaluate(again.graph, [again.lit], result.values)[0]
    assert close(got, expected, 1e-9)


@given(texts(EVERY, 6), texts(EVERY, 6), st.sampled_from(["{} + {}", "({})*({})", "min({}, {})"]))
def test_operands_in_either_order(one, other, template):
    try:
        first, second = formula(template.format(one, other)), formula(template.format(other, one))
    except SymoroError:
        assume(False)
    if first != second:  # decimals may be rounded differently
        assert DECIMAL.search(first.text)
        check_same(first.text, second.text)


@given(texts(EVERY, 8))
def test_the_order_of_creation_does_not_matter(text):
    """Check that the text does not depend on the numbering of the symbols in the graph."""
    plain, reversed_ = Graph(), Graph()
    for name in sorted(VALUES, reverse=True):
        reversed_.symbol(name, ops.PARAMETER)
    try:
        first, second = canonical(parse(text, plain)), canonical(parse(text, reversed_))
    except SymoroError:
        assume(False)
    if first != second:  # the terms were folded in another order
        assert formula(first) == formula(second) or DECIMAL.search(first)


def test_division_by_what_collects_to_zero():
    with pytest.raises(ProgramError, match="division by zero"):
        rewritten("1/(a+b+c-(a+c)-b)")


def test_a_coefficient_out_of_range():
    with pytest.raises(ProgramError, match="too large"):
        rewritten("(1e200*a)/(1e-200*b)")


def test_a_kernel_has_no_text():
    g = Graph()
    (x,) = g.call("solve", [[g.symbol("a")], [g.symbol("b")]], 1)
    with pytest.raises(ProgramError, match="kernel"):
        str(Expr(g, x))
    assert "node" in repr(Expr(g, x))


def long_sum(n: int) -> Expr:
    g = Graph()
    total = ZERO
    for k in range(n):
        total = g.add(total, g.symbol(f"s{k}"))
    return Expr(g, total)


def test_a_sum_is_written_in_linear_work():
    assert canonical(long_sum(2000)).count("+") == 1999
    assert growth(canonical, long_sum(400), long_sum(2000)) < 6


@pytest.mark.parametrize("kind", ["sum", "shared", "nested"])
def test_what_is_too_long_is_refused_soon(kind):
    g = Graph()
    x = total = g.symbol("x")
    for k in range(20_000 if kind == "sum" else 2000):
        s = g.symbol(f"s{k}")
        if kind == "sum":
            total = g.add(total, s)
        elif kind == "shared":  # text whose length doubles at each step
            total = g.mul(g.add(total, s), g.add(total, x))
        else:
            x = g.add(x, s)
            total = g.add(g.mul(x, s), total)
    with (
        pytest.raises(ProgramError, match=str(MAX_LENGTH)),
        Effort(most=3_000_000),
    ):  # 1.1 million at most when this was written
        canonical(Expr(g, total))
    assert "node" in repr(Expr(g, total))
