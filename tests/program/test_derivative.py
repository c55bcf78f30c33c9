"""Derivatives of random programs, of choices and of values that are not numbers; ports of every shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.scalar import atan2, less, maximum, select, sin, sqrt
from symoro.program.bind import bind
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.derivative import derivative
from symoro.program.interpret import interpret
from symoro.program.program import Program
from tests.expr.expressions import PARAMETERS, SMOOTH, VARIABLES
from tests.program.programs import Case, cases, chain


def one(program: Program, **inputs: object) -> dict[str, np.ndarray]:
    return interpret(program, inputs)


@given(cases(operations=SMOOTH, max_size=20))
def test_the_kinds_agree_with_each_other(case: Case) -> None:
    """For random programs: J v, J' w and H from the four kinds, for inputs and parameters."""
    program = case.program
    assume(program.used_parameters)
    values = {name: case.values[name] for name in PARAMETERS}
    at = {"v": [case.values[name] for name in VARIABLES]}
    rng = np.random.default_rng(1)
    wrt = ["v", "parameters"]
    n, m = len(VARIABLES), len(program.used_parameters)
    direction = {"v_dot": rng.uniform(-1, 1, n), "p_dot": rng.uniform(-1, 1, m)}
    weights = {"f_bar": rng.uniform(-1, 1, (2, 3)), "last_bar": rng.uniform(-1, 1)}
    J = interpret(derivative(program, "jacobian", wrt), at, values)
    size = max(1.0, *(float(np.abs(block).max(initial=0)) for block in J.values()))
    assume(size < 1e6)
    forward = interpret(derivative(program, "jvp", wrt), at | direction, values)
    backward = interpret(derivative(program, "vjp", wrt), at | weights, values)
    expected = {
        y: J[f"d{y}_dv"] @ direction["v_dot"] + J[f"d{y}_dp"] @ direction["p_dot"] for y in ("f", "last")
    }
    for y in expected:
        np.testing.assert_allclose(forward[f"{y}_dot"], expected[y], rtol=1e-9, atol=1e-9 * size)
    left = sum(np.sum(backward[f"{x}_bar"] * direction[f"{x}_dot"]) for x in ("v", "p"))
    right = sum(np.sum(weights[f"{y}_bar"] * expected[y]) for y in expected)
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-8 * size)


def mixed() -> Program:
    """Return a program with a scalar, a vector, a matrix and an array of three axes as ports."""
    b = Builder("mixed")
    (s,) = b.input("s", ())
    v, a = b.input("v", (2,)), b.input("a", (2, 3))
    b.output("y", s * v[0])
    b.output("z", [s * a[0], v[1] * a[5]])
    b.output("t", [[[s * x] for x in a[:3]], [[sin(x)] for x in a[3:]]])
    return b.program()


def test_ports_of_every_shape() -> None:
    program = mixed()
    jacobian = derivative(program, "jacobian")
    shapes = {port.name: port.shape for port in jacobian.outputs}
    assert shapes["dy_ds"] == ()
    assert shapes["dy_da"] == (2, 3)
    assert shapes["dz_dv"] == (2, 2)
    assert shapes["dt_da"] == (2, 3, 1, 2, 3)
    vjp = derivative(program, "vjp")
    symbols = {port.name: port.symbols for port in vjp.inputs}
    assert symbols["y_bar"] == ("y_bar",)
    assert symbols["z_bar"] == ("z_bar1", "z_bar2")
    assert symbols["t_bar"][:2] == ("t_bar_111", "t_bar_121")
    at = {"s": 0.3, "v": [0.5, -0.7], "a": np.arange(6.0).reshape(2, 3)}
    result = one(jacobian, **at)
    assert result["dy_ds"] == 0.5
    assert result["dz_da"][1, 1, 2] == -0.7
    np.testing.assert_allclose(result["dt_da"][1, 2, 0], [[0, 0, 0], [0, 0, np.cos(5.0)]])
    H = one(derivative(program, "hessian"), **at, y_bar=1.0, z_bar=[0, 0], t_bar=np.zeros((2, 3, 1)))["H"]
    assert H.shape == (9, 9)
    assert H[0, 1] == H[1, 0] == 1.0


def test_values_that_are_not_selected_have_no_effect() -> None:
    """The slopes of a root, a quotient and an angle are infinite or not numbers where they are not selected."""
    b = Builder("choices")
    x, y = b.input("x", (2,))
    root = sqrt(x)
    part = select(less(0, x), y * root + y / x + atan2(x, x * root), y)
    b.output("f", part + select(less(1, x), root, 0) + maximum(0, y))
    program = b.program()
    for kind, weights in (
        ("vjp", {"f_bar": 2.0}),
        ("jvp", {"x_dot": [1.0, 2.0]}),
        ("hessian", {"f_bar": 1.0}),
    ):
        result = one(derivative(program, kind), x=[-0.5, 3.0], **weights)
        assert all(np.isfinite(value).all() for value in result.values()), kind
    np.testing.assert_array_equal(one(derivative(program, "vjp"), x=[0.0, 3.0], f_bar=2.0)["x_bar"], [0, 4])
    at, h = np.array([0.25, 3.0]), 1e-6
    inside = one(derivative(program, "vjp"), x=at, f_bar=1.0)["x_bar"]
    for k, step in enumerate(np.eye(2) * h):
        slope = (one(program, x=at + step)["f"] - one(program, x=at - step)["f"]) / (2 * h)
        assert inside[k] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("kind", ["vjp", "jvp", "jacobian", "hessian"])
def test_slopes_of_values_that_a_choice_makes_constant_have_no_effect(kind: str) -> None:
    """The root of max(x, 0) is constant for x < 0, where the slope of the root is infinite."""
    b = Builder("reach")
    x, y = b.input("x", (2,))
    root = sqrt(maximum(x, 0))
    b.output("f", [root * y, atan2(root, y) + root * root * y])
    program = derivative(b.program(), kind)
    given = {"f_bar": [1.0, -1.0], "x_dot": [0.5, 0.7]}
    more = {port.name: given[port.name] for port in program.inputs[1:]}
    for value in one(program, x=[-0.5, 2.0], **more).values():
        np.testing.assert_array_equal(value, np.zeros_like(value))


@pytest.mark.parametrize("kind", ["vjp", "jvp", "jacobian", "hessian"])
def test_where_the_outputs_are_not_numbers_the_derivatives_are_not_either(kind: str) -> None:
    b = Builder("void")
    x, y = b.input("x", (2,))
    b.output("f", [x * x * y * y, sin(x * y)])
    b.void_where(less(x, 0))
    program = derivative(b.program(), kind)
    given = {"f_bar": [1.0, -1.0], "x_dot": [0.5, 0.7]}
    more = {port.name: given[port.name] for port in program.inputs[1:]}
    for value in one(program, x=[-0.5, 2.0], **more).values():
        assert np.isnan(value).all()
    for start in ([0.0, 2.0], [0.5, 2.0]):
        for value in one(program, x=start, **more).values():
            assert np.isfinite(value).all()


def test_a_kernel_without_rules_is_rejected() -> None:
    b = Builder("angles")
    k = b.input("k", (5,))
    x = b.input("x", (1,))
    b.output("t", [*b.call("circle", k), x[0] * x[0]])
    program = b.program()
    for kind in ("vjp", "jvp", "jacobian", "hessian"):
        with pytest.raises(NotApplicableError, match=f"the {kind} of angles .* kernel 'circle'"):
            derivative(program, kind)
    assert one(derivative(program, "jvp", ["x"]), k=[0, 1, 0, 0, 0], x=[3.0], x_dot=[1.0])["t_dot"][-1] == 6


def test_a_program_without_inputs() -> None:
    b = Builder("constants")
    a = b.parameter("a")
    b.output("y", [a * a])
    with pytest.raises(NotApplicableError, match=r"no inputs\n.*wrt='parameters'"):
        derivative(b.program(), "vjp")
    result = interpret(derivative(b.program(), "vjp", "parameters"), {"y_bar": [2.0]}, {"a": 3.0})
    np.testing.assert_array_equal(result["p_bar"], [12.0])


def test_names_do_not_collide() -> None:
    b = Builder("names")
    x = b.input("x", (1,), ["x1"])
    b.parameter("y_bar1")
    b.output("y", [b.named("x1_bar", sin(x[0])) * b.parameter("y_bar1") * x[0]])
    program = b.program()
    vjp = derivative(program, "vjp")
    entries = [s for port in vjp.inputs for s in port.symbols]
    names = [*entries, *vjp.parameters, *(name for name, _ in vjp.names.values())]
    assert len(names) == len(set(names))
    b.input("y_bar", (1,), ["other"])
    with pytest.raises(OptionError, match="two ports called y_bar"):
        derivative(b.program(), "vjp")


def test_the_program_itself_is_not_changed() -> None:
    program = chain(3)
    nodes = len(program.graph)
    for kind in ("vjp", "jvp", "jacobian", "hessian"):
        derivative(program, kind)
    assert len(program.graph) == nodes


@pytest.mark.parametrize("joints", [10, 40])
def test_the_reverse_sweep_is_linear(joints: int) -> None:
    """The gradient of a weighted pose takes at most four times the operations of the pose, for any size."""
    program = chain(joints)
    program = replace(program, outputs=program.outputs[-1:])
    assert count(derivative(program, "vjp")).total < 4 * count(program).total


@given(cases(max_size=20))
def test_numbers_for_the_parameters(case: Case) -> None:
    values = {name: case.values[name] for name in PARAMETERS}
    bound = bind(case.program, values)
    assert not bound.used_parameters
    at = {"v": [case.values[name] for name in VARIABLES]}
    result, expected = interpret(bound, at), interpret(case.program, at, values)
    for name in expected:
        finite = np.isfinite(expected[name]) & (np.abs(expected[name]) < 1e3)
        np.testing.assert_allclose(result[name][finite], expected[name][finite], rtol=1e-6, atol=1e-6)
