"""CasADi functions: values and derivatives of both kinds, ports, kernels, wrong arguments."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Model
from symoro.bridges.casadi import matrix_shape, sx_function, valid_name
from symoro.errors import (
    ArgumentError,
    MissingDependencyError,
    NotApplicableError,
    OptionError,
    UnknownNameError,
)
from symoro.expr.scalar import select, sqrt
from symoro.program.builder import Builder
from symoro.runtime.compiler import find_compiler

Array = np.ndarray
VALUES = {"D2": 0.4, "D3": 0.3, "ZZ1": 0.6, "MX1": 0.9, "ZZ2": 0.2, "MX2": 0.3, "M2": 1.5, "G2": -9.81}
MODELS = [
    ("ur5e", "fast-geometry"),
    ("ur5e", "inverse-geometry"),
    ("panda", "direct-dynamics"),
    ("fivebar", "inverse-dynamics"),
    ("rx90_floating", "inverse-dynamics"),
    ("flexible2r", "direct-dynamics"),
    ("planar2r", "dynamic-regressor"),
]
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def ca() -> Any:
    return pytest.importorskip("casadi", reason="the package casadi is not installed (symoro[casadi])")


def numbers(name: str) -> symoro.Robot:
    """Return a robot with a number for each symbol."""
    robot, rng = symoro.load(name), np.random.default_rng(3)
    return robot.bind({s: dict(robot.nominal).get(s, float(rng.uniform(0.2, 1.0))) for s in robot.symbols()})


def sample(model: Model) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    at = {name: rng.uniform(-1, 1, shape) for name, shape in model.inputs.items()}
    if "T" in at:
        q = rng.uniform(-1, 1, model.outputs["q"][1])
        at["T"] = symoro.generate(model.robot, "fast-geometry").function(compiled=False)(q=q)["T"]
    return at


def planar() -> Model:
    return symoro.generate("planar2r", "inverse-dynamics")


def planar_values() -> dict[str, float]:
    return {name: VALUES[name] for name in planar().parameters}


def derivatives(ca: Any, function: Any, at: dict[str, Array]) -> list[Array]:
    """Return value, Jacobian, gradient and Hessian of the sum of squares, through CasADi's MX graph."""
    x = ca.MX.sym("x", sum(a.size for a in at.values()))
    parts, first = [], 0
    for a in at.values():
        rows, columns = matrix_shape(a.shape)
        parts.append(ca.reshape(x[first : first + a.size], rows, columns))
        first += a.size
    results = function(*parts)
    y = ca.veccat(*results) if isinstance(results, tuple) else ca.vec(results)
    hessian, gradient = ca.hessian(ca.sumsqr(y), x)
    every = ca.Function("every", [x], [y, ca.jacobian(y, x), gradient, hessian])
    point = np.concatenate([a.reshape(matrix_shape(a.shape)).ravel(order="F") for a in at.values()])
    return [np.array(ca.densify(result)) for result in every(point)]


@pytest.mark.parametrize(("robot", "name"), MODELS)
def test_values_of_sx_functions(ca: Any, robot: str, name: str) -> None:
    model = symoro.generate(numbers(robot), name)
    function = model.to_casadi()
    assert [function.name_in(k) for k in range(function.n_in())] == list(model.inputs)
    assert [function.name_out(k) for k in range(function.n_out())] == list(model.outputs)
    at = sample(model)
    expected = model.function(compiled=False)(**at)
    result = function(**{k: a.reshape(matrix_shape(a.shape)) for k, a in at.items()})
    for output, shape in model.outputs.items():
        value = np.array(result[output]).reshape(shape)
        np.testing.assert_allclose(value, expected[output], rtol=1e-10, atol=1e-10)


def test_sx_derivatives_agree_with_those_of_symoro(ca: Any) -> None:
    model = symoro.generate(numbers("rx90"), "inverse-dynamics")
    at = sample(model)
    _, jacobian, _, _ = derivatives(ca, model.to_casadi(), at)
    expected = model.derivative("jacobian").function(compiled=False)(**at)
    np.testing.assert_allclose(
        jacobian, np.hstack([expected[f"dtau_d{x}"] for x in model.inputs]), atol=1e-10
    )


@needs_compiler
@pytest.mark.parametrize(("robot", "name"), [("planar2r", "inverse-dynamics"), ("ur5e", "fast-geometry")])
def test_external_functions_equal_sx_functions(ca: Any, robot: str, name: str) -> None:
    """Values, first and second derivatives; matrices are stored by columns in CasADi."""
    model = symoro.generate(numbers(robot), name)
    at = sample(model)
    for result, expected in zip(
        derivatives(ca, model.to_casadi(kind="external"), at),
        derivatives(ca, model.to_casadi(), at),
        strict=True,
    ):
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


@needs_compiler
def test_external_with_matrices_as_inputs(ca: Any) -> None:
    model = symoro.generate(numbers("rx90_floating"), "inverse-dynamics", base="given")
    at = sample(model)
    x = [ca.MX.sym(name, *matrix_shape(a.shape)) for name, a in at.items()]
    values = [a.reshape(matrix_shape(a.shape)) for a in at.values()]
    slopes = []
    for kind in ("sx", "external"):
        y = ca.veccat(*model.to_casadi(kind=kind)(*x))
        slopes.append(np.array(ca.densify(ca.Function("J", x, [ca.jacobian(y, x[-1])])(*values))))
    assert np.abs(slopes[0]).max() > 0
    np.testing.assert_allclose(*slopes, rtol=0, atol=1e-12 * np.abs(slopes[0]).max())


@needs_compiler
def test_the_jacobian_of_an_external_function_is_sparse(ca: Any) -> None:
    function = symoro.generate(numbers("ur5e"), "fast-geometry").to_casadi(kind="external")
    jacobian = function.jacobian()
    assert jacobian.class_name() == "External"
    assert jacobian.nnz_out(0) < 16 * 6  # the last row of T is constant


@needs_compiler
def test_an_external_function_without_derivatives(ca: Any) -> None:
    """The kernels of the general inverse geometry have no derivative rules: values only."""
    model = symoro.generate(numbers("jaco2"), "inverse-geometry")
    with pytest.raises(NotApplicableError, match=r"kernel 'closed_chain'[\s\S]*kind='external'"):
        model.to_casadi()
    at = sample(model)
    result = model.to_casadi(kind="external")(T=at["T"], q0=at["q0"])
    expected = model.function()(**at)
    np.testing.assert_array_equal(np.array(result["status"]).ravel(), expected["status"])
    np.testing.assert_allclose(np.array(result["q"]), expected["q"], atol=1e-8)


def test_solve_is_written_with_casadi_operations(ca: Any) -> None:
    b = Builder("solved")
    matrix, right = b.input("A", (2, 2)), b.input("b", (2,))
    b.output("x", b.call("solve", matrix, right))
    function = sx_function(b.program(), {})
    A, y = np.array([[1.0, 2.0], [-3.0, 0.5]]), np.array([0.3, -0.7])
    np.testing.assert_allclose(np.array(function(A, y)).ravel(), np.linalg.solve(A, y), rtol=1e-13)


def test_values_that_are_not_selected_have_no_effect(ca: Any) -> None:
    b = Builder("selected")
    (x,) = b.input("x", (1,))
    b.output("y", select(x, sqrt(x * x), 0))
    b.void_where(x - 2)
    function = sx_function(b.program(), {})
    assert np.isnan(float(function(1.0)))
    assert float(function(2.0)) == 2.0


def test_parameters(ca: Any) -> None:
    function = planar().to_casadi(planar_values())
    expected = planar().function(planar_values(), compiled=False)(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    result = function(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    np.testing.assert_allclose(np.array(result["tau"]).ravel(), expected["tau"], rtol=1e-13)


def test_an_optimal_posture(ca: Any) -> None:
    """Ipopt uses exact Hessians through both kinds."""
    model = symoro.generate(numbers("panda"), "inverse-dynamics")
    postures = []
    for kind in ("sx", "external"):
        function, opti = model.to_casadi(kind=kind), ca.Opti()
        q = opti.variable(7)
        opti.minimize(ca.sumsqr(function(q, np.zeros(7), np.zeros(7))) + 1e-3 * ca.sumsqr(q))
        opti.subject_to(opti.bounded(-2, q, 2))
        opti.set_initial(q, 0.3)
        opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
        postures.append(opti.solve().value(q))
    np.testing.assert_allclose(*postures, atol=1e-6)


# -- without CasADi


def test_casadi_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    for kind in ("sx", "external"):
        with pytest.raises(MissingDependencyError, match=r"casadi(.|\n)*symoro\[casadi\]"):
            planar().to_casadi(planar_values(), kind=kind)


def test_wrong_arguments(ca: Any) -> None:
    with pytest.raises(OptionError, match="sx, external"):
        planar().to_casadi(kind="mx")
    with pytest.raises(ArgumentError, match="requires values"):
        symoro.generate("rx90", "inverse-dynamics").to_casadi()
    with pytest.raises(UnknownNameError, match="D9"):
        planar().to_casadi({"D9": 1.0})


@pytest.mark.parametrize(
    ("name", "expected"), [("RX90_vjp", "RX90_vjp"), ("a__b-c_", "a_b_c"), ("3rrr", "f_3rrr"), ("", "f_")]
)
def test_names(name: str, expected: str) -> None:
    assert valid_name(name) == expected
