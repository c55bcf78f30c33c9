"""Test numerical evaluation: floats and arrays, with the arithmetic of the emitted code."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import ONE, ZERO, Graph
from tests.expr.expressions import ALL, SOLVE, pool, recipes


def test_values_by_name():
    g = Graph()
    x = g.add(g.symbol("x"), g.number(1))
    assert evaluate(g, [x, x ^ 1], {"x": 2}) == [3, -3]
    assert all(type(v) is float for v in evaluate(g, [x, ONE, g.pi()], {"x": 2}))
    with pytest.raises(ProgramError, match="no value given for 'x'"):
        evaluate(g, [x], {})


def test_a_parameter_and_a_variable_of_one_name():
    g = Graph()
    both = g.sub(g.symbol("T12", ops.VARIABLE), g.symbol("T12", ops.PARAMETER))
    assert evaluate(g, [both], {"T12": 1.0}, {"T12": 5.0}) == [4.0]


@given(recipes((*ALL, SOLVE)), st.integers(0, 1000))
def test_arrays_as_floats(recipe, seed):
    """Check that a batch equals its samples, one by one, for any branch."""
    result = pool(seed).run(recipe)
    rng = np.random.default_rng(seed)
    batch = {name: v * rng.uniform(0.5, 1.5, 3) for name, v in result.values.items()}
    many = evaluate(result.graph, result.lits, batch)
    for k in range(3):
        single = evaluate(result.graph, result.lits, {name: float(v[k]) for name, v in batch.items()})
        for one, array in zip(single, many, strict=True):
            entry = array[k] if np.ndim(array) else array
            assert np.isclose(one, entry, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_some_values_shared_by_all_samples():
    g = Graph()
    made = g.mul(g.symbol("a", ops.PARAMETER), g.sin(g.symbol("x")))
    (result,) = evaluate(g, [made], {"a": 2.0, "x": np.array([0.0, 1.0])})
    assert result == pytest.approx([0, 2 * math.sin(1)])


def test_a_guarded_division():
    """Check that in select(b == 0, 0, a/b) the other branch has no effect, for one sample or many."""
    g = Graph()
    a, b = g.symbol("a"), g.symbol("b")
    guarded = g.select(g.binary(ops.EQUAL, b, ZERO), ZERO, g.div(a, b))
    root = g.select(g.binary(ops.LESS, a, ZERO), ONE, g.sqrt(a))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(g, [guarded, root], {"a": -3.0, "b": 0.0}) == [0, 1]
        result = evaluate(g, [guarded, root], {"a": np.array([-4.0, 4.0]), "b": np.array([0.0, 2.0])})
    assert [list(v) for v in result] == [[0, 2], [1, 2]]


@pytest.mark.parametrize(
    ("op", "at", "expected"),
    [
        (ops.DIV, (1.0, 0.0), math.inf),
        (ops.DIV, (-1.0, 0.0), -math.inf),
        (ops.DIV, (0.0, 0.0), math.nan),
        (ops.SQRT, (-1.0,), math.nan),
        (ops.ASIN, (2.0,), math.nan),
        (ops.ACOS, (-2.0,), math.nan),
        (ops.SIN, (math.inf,), math.nan),
        (ops.MUL, (1e300, 1e300), math.inf),
    ],
)
def test_what_has_no_value_is_inf_or_nan(op, at, expected):
    g = Graph()
    symbols = [g.symbol(f"x{k}") for k in range(len(at))]
    made = g.apply(op, symbols)
    values = {f"x{k}": v for k, v in enumerate(at)}
    assert evaluate(g, [made], values)[0] == pytest.approx(expected, nan_ok=True)
    arrays = {name: np.array([v]) for name, v in values.items()}
    assert evaluate(g, [made], arrays)[0][0] == pytest.approx(expected, nan_ok=True)


def test_a_constant_without_a_value_is_an_error():
    g = Graph()
    with pytest.raises(ProgramError, match="sqrt cannot be computed"):
        evaluate(g, [g.sqrt(g.sub(g.number(2), g.pi()))], {})


def test_sign_of_zero():
    g = Graph()
    made = g.unary(ops.SIGN, g.symbol("x"))
    assert evaluate(g, [made], {"x": 0.0}) == [0]
    assert list(evaluate(g, [made], {"x": np.array([-2.0, 0.0, 3.0])})[0]) == [-1, 0, 1]
