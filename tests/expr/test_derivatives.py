"""Compare derivatives with the complex step, finite differences and SymPy; forward with reverse mode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symoro.expr import kernels, ops
from symoro.expr.derivatives import forward, jacobian, reverse
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import ONE, ZERO, Graph
from tests.expr.expressions import ALL, SMOOTH, SOLVE, check_graph, pool, recipes

AT = {"x": 0.37, "y": -0.61, "z": 0.83}


def numeric(graph: Graph, lits: list[int], values: dict[str, float], name: str) -> np.ndarray:
    """Return central differences with Richardson's correction, accurate to about eleven digits."""

    def slope(h: float) -> np.ndarray:
        up, down = ({**values, name: values[name] + d} for d in (h, -h))
        return (np.array(evaluate(graph, lits, up)) - np.array(evaluate(graph, lits, down))) / (2 * h)

    return (4 * slope(5e-4) - slope(1e-3)) / 3


@pytest.mark.parametrize("op", [op for op in ops.TABLE if op >= ops.ADD])
def test_each_operation(op):
    g = Graph()
    symbols = [g.symbol(name) for name in "xyz"]
    arity = ops.TABLE[op].arity
    made = g.apply(op, symbols[:arity])
    for k in range(arity):
        (along,) = forward(g, [made], {symbols[k] >> 1: ONE})
        (back,) = reverse(g, [made], [ONE], [symbols[k] >> 1])
        expected = numeric(g, [made], AT, "xyz"[k])
        assert evaluate(g, [along], AT) == pytest.approx(expected, abs=1e-8)
        assert evaluate(g, [back], AT) == pytest.approx(expected, abs=1e-8)
    check_graph(g)


@pytest.mark.parametrize(
    "op", [op for op, info in ops.TABLE.items() if ops.SQRT <= op <= ops.ATAN2 and info.arity == 1]
)
def test_functions_against_the_complex_step(op):
    name = {ops.ASIN: "arcsin", ops.ACOS: "arccos"}.get(op, ops.TABLE[op].name)
    g = Graph()
    x = g.symbol("x")
    (made,) = forward(g, [g.unary(op, x)], {x >> 1: ONE})
    expected = getattr(np, name)(0.37 + 1e-30j).imag / 1e-30
    assert evaluate(g, [made], AT)[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("op", [op for op in ops.TABLE if ops.ADD <= op <= ops.ATAN2])
def test_functions_against_sympy(op):
    sympy = pytest.importorskip("sympy")
    from symoro.expr.sympy_bridge import to_sympy

    g = Graph()
    symbols = [g.symbol(name) for name in "xy"]
    made = g.apply(op, symbols[: ops.TABLE[op].arity])
    (whole,) = to_sympy(g, [made])
    for k, name in enumerate("xy"):
        (ours,) = to_sympy(g, forward(g, [made], {symbols[k] >> 1: ONE}))
        assert sympy.simplify(ours - sympy.diff(whole, sympy.Symbol(name, real=True))) == 0


@given(recipes((*SMOOTH, ops.SELECT, ops.MIN, ops.LESS, SOLVE), max_size=12), st.integers(0, 1000))
def test_random_expressions(recipe, seed):
    """Check that forward and reverse mode agree to the last digits, and both with differences."""
    result = pool(seed).run(recipe)
    g, lits = result.graph, result.lits[-3:]
    assume(all(n.e < 1e-13 for n in result.nums))
    names = ("a", "b", "x", "y")
    wrt = [g.symbol(n, ops.PARAMETER if n in "ab" else ops.VARIABLE) >> 1 for n in names]
    columns = [forward(g, lits, {i: ONE}) for i in wrt]
    rows = [reverse(g, [lit], [ONE], wrt) for lit in lits]
    along = np.array([evaluate(g, column, result.values) for column in columns]).T
    back = np.array([evaluate(g, row, result.values) for row in rows])
    assume(np.isfinite(back).all() and np.abs(back).max() < 1e3)
    assert along == pytest.approx(back, rel=1e-8, abs=1e-8)
    check_graph(g)
    for k, name in enumerate(names):
        coarse, fine = (differences(g, lits, result.values, name, h) for h in (2e-5, 1e-5))
        steady = np.abs(coarse - fine) < 1e-6
        assert along[:, k][steady] == pytest.approx(fine[steady], rel=1e-4, abs=1e-4)


def differences(g: Graph, lits: list[int], values: dict[str, float], name: str, h: float) -> np.ndarray:
    up, down = ({**values, name: values[name] + d} for d in (h, -h))
    return (np.array(evaluate(g, lits, up)) - np.array(evaluate(g, lits, down))) / (2 * h)


@given(recipes((*ALL, SOLVE), max_size=10), st.integers(0, 1000))
def test_the_jacobian_takes_either_direction(recipe, seed):
    result = pool(seed).run(recipe)
    g = result.graph
    wrt = [g.symbol("x") >> 1, g.symbol("y") >> 1]
    many, one = result.lits[-3:], result.lits[-1:]
    by_columns, by_rows = jacobian(g, many, wrt), jacobian(g, one, wrt)
    assert len(by_columns) == 3 and all(len(row) == 2 for row in by_columns)
    along = np.array(evaluate(g, by_columns[-1], result.values))
    back = np.array(evaluate(g, by_rows[0], result.values))
    assume(np.isfinite(along).all() and np.isfinite(back).all())
    assert along == pytest.approx(back, rel=1e-8, abs=1e-9)


def test_jacobian_of_nothing():
    g = Graph()
    x = g.symbol("x")
    assert jacobian(g, [x, x], []) == [[], []]
    assert jacobian(g, [], [x >> 1]) == []


def test_weights_and_signs():
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")
    f, h = g.mul(x, y), g.sub(x, y)
    gradient = reverse(g, [f ^ 1, h], [g.number(2), g.number(3)], [x >> 1, y >> 1])
    assert evaluate(g, gradient, AT) == pytest.approx([-2 * AT["y"] + 3, -2 * AT["x"] - 3])


def test_a_seed_can_be_any_literal():
    g = Graph()
    x, xd = g.symbol("x"), g.symbol("xd")
    (speed,) = forward(g, [g.sin(x)], {x >> 1: xd})
    assert speed == g.mul(g.cos(x), xd)


def test_derivatives_of_sums_fold():
    g = Graph()
    x = g.symbol("x")
    s, c = g.sin(x), g.cos(x)
    assert forward(g, [g.add(g.mul(s, s), g.mul(c, c)), g.mul(g.number(3), x)], {x >> 1: ONE}) == [
        ZERO,
        g.number(3),
    ]


def test_what_does_not_depend_has_an_exact_zero():
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")
    k = kernels.call(g, "solve", [[y], [y]])[0]
    calls = len(g.calls)
    assert forward(g, [g.sin(y), k, x], {x >> 1: ONE}) == [ZERO, ZERO, ONE]
    assert len(g.calls) == calls, "no system is solved for a zero"
    assert reverse(g, [g.sin(y)], [ONE], [x >> 1]) == [ZERO]


def test_a_choice_chooses_the_derivative():
    """Check that at b = 0 the guarded quotient has the derivative of the selected branch, without inf and nan."""
    g = Graph()
    a, b = g.symbol("a"), g.symbol("b")
    guarded = g.select(g.binary(ops.EQUAL, b, ZERO), g.mul(g.number(2), a), g.div(a, b))
    column = forward(g, [guarded], {a >> 1: ONE})
    assert evaluate(g, column, {"a": 1.0, "b": 0.0}) == [2]
    assert evaluate(g, column, {"a": 1.0, "b": 4.0}) == [0.25]
    row = reverse(g, [g.binary(ops.MAX, a, b)], [ONE], [a >> 1, b >> 1])
    assert evaluate(g, row, {"a": 1.0, "b": 2.0}) == [0, 1]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_solve(n):
    """Check x = A(t)^-1 b(t) in both modes with differences; every entry depends on both variables."""
    rng = np.random.default_rng(n)
    g = Graph()
    x, y = g.symbol("x"), g.symbol("y")

    def entry() -> int:
        a, b = (g.number(float(v)) for v in rng.normal(size=2))
        return g.add(g.mul(a, g.sin(x)), g.mul(b, g.mul(x, y)))

    matrix = [g.add(entry(), g.number(4 * (i == j))) for i in range(n) for j in range(n)]
    solution = kernels.call(g, "solve", [matrix, [entry() for _ in range(n)]])
    outputs = [*solution, g.mul(solution[0], solution[-1])]
    wrt = [x >> 1, y >> 1]
    values = {"x": 0.4, "y": -0.7}
    expected = np.stack([numeric(g, outputs, values, name) for name in "xy"], -1)
    columns = [evaluate(g, forward(g, outputs, {i: ONE}), values) for i in wrt]
    assert pytest.approx(expected, abs=1e-9) == np.array(columns).T
    rows = [evaluate(g, reverse(g, [out], [ONE], wrt), values) for out in outputs]
    assert np.array(rows) == pytest.approx(expected, abs=1e-9)


def test_systems_in_a_row():
    g = Graph()
    x = g.symbol("x")
    inner = kernels.call(g, "solve", [[g.add(x, g.number(3)), x, ONE, g.number(2)], [x, ONE]])
    outer = kernels.call(g, "solve", [[g.add(inner[0], g.number(2))], [g.mul(inner[1], x)]])
    expected = numeric(g, outer, {"x": 0.4}, "x")
    assert evaluate(g, forward(g, outer, {x >> 1: ONE}), {"x": 0.4}) == pytest.approx(expected, abs=1e-9)
    assert evaluate(g, reverse(g, outer, [ONE], [x >> 1]), {"x": 0.4}) == pytest.approx(expected, abs=1e-9)


def test_a_long_chain():
    g = Graph()
    x = made = g.symbol("x")
    for _ in range(10_000):
        made = g.sin(made)
    (along,) = forward(g, [made], {x >> 1: ONE})
    (back,) = reverse(g, [made], [ONE], [x >> 1])
    assert evaluate(g, [along], {"x": 0.5}) == pytest.approx(evaluate(g, [back], {"x": 0.5}), rel=1e-6)
