"""`Model.derivative` of many models: against the complex step, adjoint identities, differences of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro import Model
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.robot.description import Robot
from tests.models.dynamic.cases import examples, heavy_trees
from tests.oracle.complex_step import along, complex_call

Array = np.ndarray
CLOSE = 1e-10
MODELS = [
    ("rx90", "inverse-dynamics"),
    ("rx90", "direct-dynamics"),
    ("panda", "inertia-matrix"),
    ("ur5e", "fast-geometry"),
    ("rx90", "jacobian"),
    ("planar2r", "dynamic-regressor"),
    ("planar2r", "lagrange"),
    ("rx90_floating", "direct-dynamics"),
    ("rx90_floating", "inverse-dynamics"),
    ("rx90_elastic", "direct-dynamics"),
    ("fivebar", "inverse-dynamics"),
    ("sr400", "direct-dynamics"),
    ("flexible2r", "direct-dynamics"),
    ("car", "direct-dynamics"),
    ("mobile_manipulator", "inverse-dynamics"),
    ("gough_stewart", "inverse-dynamics"),
]


def numbers(robot: Robot) -> Robot:
    """Return the robot with a number for each symbol."""
    rng = np.random.default_rng(3)
    return robot.bind({s: dict(robot.nominal).get(s, float(rng.uniform(0.2, 1.0))) for s in robot.symbols()})


def sample(model: Model, seed: int = 0) -> dict[str, Array]:
    """Return random inputs; rotations are not necessarily orthogonal, since their entries are independent."""
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-1, 1, shape) for name, shape in model.inputs.items()}


def evaluate(model: Model, *inputs: dict[str, Array]) -> dict[str, Array]:
    at = {name: x for group in inputs for name, x in group.items()}
    return model.function(compiled=False)(**at)


def assert_close(result: Any, expected: Any, tolerance: float = CLOSE) -> None:
    scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * scale)


def check_products(model: Model, seed: int = 0) -> None:
    """Compare jvp with the complex step, and vjp with jvp by <w, J v> = <J' w, v>."""
    at, rng = sample(model, seed), np.random.default_rng(seed + 1)
    direction = {name: rng.uniform(-1, 1, shape) for name, shape in model.inputs.items()}
    weights = {name: rng.uniform(-1, 1, shape) for name, shape in model.outputs.items()}
    expected = along(complex_call(model.program), at, direction)
    forward = evaluate(model.derivative("jvp"), at, {f"{k}_dot": v for k, v in direction.items()})
    assert list(forward) == [f"{name}_dot" for name in model.outputs]
    for name in model.outputs:
        assert_close(forward[f"{name}_dot"], expected[name])
    backward = evaluate(model.derivative("vjp"), at, {f"{k}_bar": w for k, w in weights.items()})
    assert list(backward) == [f"{name}_bar" for name in model.inputs]
    one = sum(np.sum(weights[name] * expected[name]) for name in model.outputs)
    other = sum(np.sum(backward[f"{name}_bar"] * direction[name]) for name in model.inputs)
    assert_close(other, one)


@pytest.mark.parametrize(("robot", "model"), MODELS)
def test_products_with_vectors(robot: str, model: str) -> None:
    check_products(symoro.generate(numbers(symoro.load(robot)), model))


@given(heavy_trees(most=3), st.integers(0, 1000), st.sampled_from(["inverse-dynamics", "inertia-matrix"]))
@examples(10)
def test_random_trees(robot: Robot, seed: int, model: str) -> None:
    check_products(symoro.generate(numbers(robot), model), seed)


def check_jacobian(base: Model, seed: int = 0) -> None:
    """Compare every column of a Jacobian with the complex step."""
    at = sample(base, seed)
    result = evaluate(base.derivative("jacobian"), at)
    call = complex_call(base.program)
    assert list(result) == [f"d{y}_d{x}" for y in base.outputs for x in base.inputs]
    for x, shape in base.inputs.items():
        for index in np.ndindex(shape):
            unit = np.zeros(shape)
            unit[index] = 1
            columns = along(call, at, {x: unit})
            for y in base.outputs:
                assert result[f"d{y}_d{x}"].shape == (*base.outputs[y], *shape)
                assert_close(result[f"d{y}_d{x}"][(..., *index)], columns[y])


@pytest.mark.parametrize(
    ("robot", "model"),
    [
        ("planar2r", "inverse-dynamics"),
        ("ur5e", "fast-geometry"),
        ("fivebar", "direct-dynamics"),
        ("rx90", "direct-dynamics"),
        ("rx90_elastic", "inverse-dynamics"),
        ("rx90_elastic", "direct-dynamics"),
        ("rx90_floating", "inverse-dynamics"),
    ],
)
def test_jacobian(robot: str, model: str) -> None:
    check_jacobian(symoro.generate(numbers(symoro.load(robot)), model))


@given(heavy_trees(most=3), st.integers(0, 1000), st.sampled_from(["inverse-dynamics", "direct-dynamics"]))
@examples(6)
def test_jacobian_of_random_trees(robot: Robot, seed: int, model: str) -> None:
    check_jacobian(symoro.generate(numbers(robot), model), seed)


def test_the_jacobian_of_the_dynamics_is_the_published_recursion_where_it_is_cheaper() -> None:
    base = symoro.generate("panda", "inverse-dynamics")
    published = symoro.generate("panda", "inverse-dynamics-derivatives")
    assert base.derivative("jacobian").count().total == published.count().total
    part = base.derivative("jacobian", wrt=["qdd"])
    assert part.outputs == {"dtau_dqdd": (7, 7)}
    assert list(part.inputs) == ["q", "qd", "qdd"]
    assert part.count().total <= symoro.generate("panda", "inertia-matrix").count().total


@pytest.mark.parametrize(
    ("robot", "model"),
    [("rx90", "inverse-dynamics"), ("planar2r", "direct-dynamics"), ("fivebar", "inverse-dynamics")],
)
def test_hessian(robot: str, model: str) -> None:
    base = symoro.generate(numbers(symoro.load(robot)), model)
    vjp, hessian = base.derivative("vjp"), base.derivative("hessian")
    at = sample(vjp)
    H = evaluate(hessian, at)["H"]
    call = complex_call(vjp.program)
    columns = []
    for x, shape in base.inputs.items():
        for unit in np.eye(int(np.prod(shape))):
            slopes = along(call, at, {x: unit.reshape(shape)})
            columns.append(np.concatenate([slopes[f"{name}_bar"].ravel() for name in base.inputs]))
    assert_close(H, np.stack(columns, -1))
    assert np.array_equal(H, H.T)


def test_parameters() -> None:
    base = symoro.generate("rx90", "inverse-dynamics")
    rng = np.random.default_rng(0)
    at, values = sample(base), {name: float(rng.uniform(0.2, 1.0)) for name in base.parameters}
    n = len(base.parameters)
    jacobian = base.derivative("jacobian", wrt="parameters")
    assert jacobian.outputs == {"dtau_dp": (6, n)}
    columns = []
    for name in base.parameters:  # tau is a polynomial of low degree in each parameter
        up, down = (
            base.function(values | {name: values[name] + h}, compiled=False)(**at)["tau"]
            for h in (1e-3, -1e-3)
        )
        columns.append((up - down) / 2e-3)
    J = jacobian.function(values, compiled=False)(**at)["dtau_dp"]
    assert_close(J, np.stack(columns, -1), 1e-9)
    w, v = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, n)
    vjp, jvp = base.derivative("vjp", wrt="parameters"), base.derivative("jvp", wrt="parameters")
    assert vjp.outputs == {"p_bar": (n,)}
    assert list(jvp.inputs) == ["q", "qd", "qdd", "p_dot"]
    assert_close(vjp.function(values, compiled=False)(**at, tau_bar=w)["p_bar"], w @ J)
    assert_close(jvp.function(values, compiled=False)(**at, p_dot=v)["tau_dot"], J @ v)
    hessian = base.derivative("hessian", wrt="parameters")
    assert hessian.outputs == {"H": (n, n)}


def test_derivatives_of_derivatives() -> None:
    """The vjp of a jvp, the jvp of a vjp and the Hessian are the same second derivatives."""
    base = symoro.generate(numbers(symoro.load("planar2r")), "inverse-dynamics")
    at, rng = sample(base), np.random.default_rng(5)
    w, v = rng.uniform(-1, 1, 2), {name: rng.uniform(-1, 1, 2) for name in base.inputs}
    dots = {f"{name}_dot": x for name, x in v.items()}
    H = evaluate(base.derivative("hessian"), at, {"tau_bar": w})["H"] @ np.concatenate(list(v.values()))
    one = evaluate(base.derivative("jvp").derivative("vjp", wrt=list(v)), at, dots, {"tau_dot_bar": w})
    assert_close(np.concatenate(list(one.values())), H)
    other = evaluate(base.derivative("vjp").derivative("jvp", wrt=list(v)), at, dots, {"tau_bar": w})
    assert_close(np.concatenate(list(other.values())), H)
    with pytest.raises(OptionError, match="two ports called q_dot"):
        base.derivative("jvp").derivative("jvp")


@pytest.mark.parametrize(
    ("robot", "model"), [("panda", "inverse-dynamics"), ("rx90_floating", "direct-dynamics")]
)
def test_the_vjp_of_dynamics_needs_at_most_three_times_the_operations(robot: str, model: str) -> None:
    base = symoro.generate(numbers(symoro.load(robot)), model)
    assert base.derivative("vjp").count().total <= 3 * base.count().total


def test_a_derivative_is_a_model_like_any_other() -> None:
    base = symoro.generate("planar2r", "inverse-dynamics")
    vjp = base.derivative("vjp", wrt=["qd", "q"])
    assert list(vjp.inputs) == ["q", "qd", "qdd", "tau_bar"]
    assert vjp.outputs == {"q_bar": (2,), "qd_bar": (2,)}
    assert set(vjp.parameters) < set(base.parameters)  # the inertia ZZ has no effect on these derivatives
    text = str(vjp)
    assert "derivative: vjp with respect to q, qd" in text
    assert "N32_bar = " in text
    assert "tau_bar1" in text
    assert any(line.startswith("formulation: ") for line in vjp.explain())
    assert "planar2R_inverse_dynamics_vjp" in str(next(iter(vjp.code("python").values())))
    for language in ("c", "latex", "matlab", "julia", "fortran"):
        assert vjp.code(language)
    assert base.derivative("vjp", wrt="q").outputs == {"q_bar": (2,)}


def test_coulomb_friction_is_reported() -> None:
    note = "Coulomb friction and other sign functions are treated as constant between changes of sign"
    assert note in symoro.generate("rx90", "inverse-dynamics").derivative("vjp").notes
    assert note not in symoro.generate("ur5e", "fast-geometry").derivative("vjp").notes


def test_not_a_number_in_gives_not_a_number_out() -> None:
    base = symoro.generate(numbers(symoro.load("rx90")), "inverse-dynamics")
    vjp = base.derivative("vjp")
    batch = {name: np.tile(x, (3, 1)) for name, x in sample(vjp).items()}
    expected = evaluate(vjp, batch)
    batch["q"][1, 2] = np.nan
    result = evaluate(vjp, batch)
    assert np.isnan(result["q_bar"][1]).any()
    for name in result:
        np.testing.assert_array_equal(result[name][[0, 2]], expected[name][[0, 2]])


def test_invalid_arguments() -> None:
    model = symoro.generate(numbers(symoro.load("planar2r")), "inverse-dynamics")
    with pytest.raises(OptionError, match="vjp, jvp, jacobian, hessian"):
        model.derivative("gradiant")
    with pytest.raises(OptionError, match="vjp, jvp, jacobian, hessian"):
        model.derivative(None)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"qddd.*\n.*q, qd, qdd; or 'parameters'"):
        model.derivative("vjp", wrt=["qddd"])
    for wrong in ([], [1], 3):
        with pytest.raises(OptionError, match="list of inputs, or 'parameters'"):
            model.derivative("vjp", wrt=wrong)  # type: ignore[arg-type]
    with pytest.raises(NotApplicableError, match="has no parameters"):
        model.derivative("vjp", wrt="parameters")
