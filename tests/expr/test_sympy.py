"""Test the conversion from and to SymPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symoro.errors import ProgramError
from symoro.expr import Graph, ops
from symoro.expr.evaluate import evaluate
from symoro.expr.sympy_bridge import from_sympy, to_sympy
from tests.expr.expressions import ALL, close, pool, recipes

sympy = pytest.importorskip("sympy")


def value(graph: Graph, lit: int, values: dict[str, float]) -> float:
    return float(evaluate(graph, [lit], values)[0])


@settings(deadline=None, max_examples=60)
@given(recipes(ALL, max_size=8), st.integers(0, 1000))
def test_there_and_back(recipe, seed):
    result = pool(seed).run(recipe)
    lit, expected = result.lits[-1], result.nums[-1]
    assume(expected.e < 1e-13)
    (there,) = to_sympy(result.graph, [lit])
    numbers = {sympy.Symbol(name, real=True): v for name, v in result.values.items()}
    assert close(float(there.subs(numbers).evalf()), expected, 1e-9)
    again = Graph()
    assume(not there.has(sympy.zoo, sympy.nan))  # undefined only in a branch that is not selected
    back = from_sympy(again, there)
    assert close(value(again, back.lit, result.values), expected, 1e-9)


@pytest.mark.parametrize("op", [op for op in ops.TABLE if op >= ops.ADD])
def test_each_operation_comes_back_as_itself(op):
    g = Graph()
    made = g.apply(op, [g.symbol(name, ops.PARAMETER) for name in "xyz"[: ops.TABLE[op].arity]])
    (there,) = to_sympy(g, [made, made])[:1]
    back = from_sympy(g, there).lit
    values = {"x": 0.3, "y": 0.4, "z": 0.5}
    assert value(g, back, values) == pytest.approx(value(g, made, values))
    if op not in (ops.DIV, ops.SELECT):  # x/y comes back as x * y^-1, the condition c as c != 0
        assert back == made


def test_a_choice_comes_back():
    g = Graph()
    x, y = g.symbol("x", ops.PARAMETER), g.symbol("y", ops.PARAMETER)
    made = g.select(g.binary(ops.LESS, x, y), g.sin(x), g.mul(x, y))
    (there,) = to_sympy(g, [made])
    assert from_sympy(g, there).lit == made


def test_numbers_and_symbols():
    g = Graph()
    half, decimal, pi, root = to_sympy(g, [g.div(2, 4), g.number(0.1) ^ 1, g.pi(), g.sqrt(4)])
    assert half == sympy.Rational(1, 2) and float(decimal) == -0.1
    assert pi is sympy.pi and root == sympy.sqrt(2)
    (x,) = to_sympy(g, [g.symbol("x")])
    assert x == sympy.Symbol("x", real=True)
    assert from_sympy(g, sympy.Float("0.1")).number == 0.1
    assert from_sympy(g, 3).number == 3


def test_a_parameter_and_a_variable_of_one_name_stay_apart():
    g = Graph()
    (made,) = to_sympy(g, [g.mul(g.symbol("T12"), g.symbol("T12", ops.PARAMETER))])
    assert {s.name for s in made.free_symbols} == {"T12", "T12_2"}


def test_symbols_by_a_rule_of_the_caller():
    g = Graph()
    x = sympy.Symbol("x")
    assert from_sympy(g, x).cls == ops.PARAMETER
    assert from_sympy(g, x + 1, lambda name: g.symbol(name, ops.VARIABLE)).cls == ops.VARIABLE


x, y = sympy.symbols("x y", real=True)


@pytest.mark.parametrize(
    "expression",
    [
        x**3 - y / x,
        sympy.sqrt(x) ** 3,
        sympy.sqrt(sympy.sqrt(x)) + sympy.sqrt(x * sympy.sqrt(x)),
        1 / sympy.sqrt(x + 2),
        sympy.atan(x),
        sympy.Min(x, y, 1),
        sympy.Max(x, y, 1, -y),
        sympy.Piecewise((x, x > y), (y, x >= 0), (1, True)),
        sympy.Piecewise((x, sympy.Ne(x, y)), (0, True)),
        sympy.Piecewise((x, (x > 0) & (y > 0)), (y, (x > 0) | (y > 0)), (2, True)),
        sympy.Piecewise((x, ~((x > 0) & (y > 0))), (2, True)),
        sympy.Piecewise((x, sympy.ITE(x > y, x > 0, y > 0)), (2, True)),
        sympy.Rational(1, 3) * x + sympy.pi,
    ],
)
def test_reads(expression):
    for values in ({"x": 0.3, "y": 0.8}, {"x": 0.9, "y": -0.4}):
        g = Graph()
        expected = float(expression.subs({x: values["x"], y: values["y"]}).evalf())
        assert value(g, from_sympy(g, expression).lit, values) == pytest.approx(expected)


@pytest.mark.parametrize(
    "expression",
    [
        sympy.sinh(x),
        x**y,
        x ** sympy.Rational(1, 3),
        sympy.I * x,
        sympy.oo,
        sympy.gamma(x),
        sympy.Piecewise((x, x > 0)),
        sympy.Matrix([[x]]),
        sympy.zoo,
        sympy.nan,
    ],
)
def test_refuses(expression):
    with pytest.raises(ProgramError):
        from_sympy(Graph(), expression)


def test_a_kernel_has_no_sympy_expression():
    g = Graph()
    with pytest.raises(ProgramError, match="kernel"):
        to_sympy(g, g.call("solve", [[g.symbol("a")], [g.symbol("b")]], 1))


def test_sympy_is_imported_only_when_asked_for():
    code = (
        "import sys, symoro.expr, symoro.program, symoro.expr.sympy_bridge\nsys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_text_is_not_read(tmp_path: Path) -> None:
    """Check that texts are rejected, because SymPy would execute them."""
    trace = tmp_path / "trace"
    with pytest.raises(ProgramError, match="expected one SymPy expression, got str"):
        from_sympy(Graph(), f"open({str(trace)!r}, 'w')")
    assert not trace.exists()
