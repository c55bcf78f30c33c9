"""Test models with chosen outputs, without intermediate variables, and matrices in LaTeX."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, SymoroError, UnknownNameError
from symoro.ui.cli import main
from tests.effort import Effort


def test_chosen_outputs_cost_less() -> None:
    model = symoro.generate("rx90", "lagrange")
    chosen = model.with_outputs(["A"])
    assert list(chosen.outputs) == ["A"]
    assert chosen.count().total < model.count().total / 2
    values = dict.fromkeys(model.parameters, 0.3)
    q = np.linspace(-1, 1, 6)
    whole = model.function(values, compiled=False)(q=q, qd=q)["A"]
    np.testing.assert_allclose(chosen.function(values, compiled=False)(q=q, qd=q)["A"], whole, atol=1e-13)


@pytest.mark.parametrize(
    ("robot", "expanded"), [("planar3r", False), ("planar3r", True), ("fivebar", False), ("floating", False)]
)
def test_outputs_derived_alone(robot: str, expanded: bool) -> None:
    arm = symoro.load("planar2r").floating() if robot == "floating" else symoro.load(robot)
    whole = symoro.generate(arm, "lagrange")
    rng = np.random.default_rng(1)
    values = {name: float(rng.uniform(0.5, 1.5)) for name in [*arm.symbols(), *whole.parameters]}
    inputs = {name: rng.uniform(-1, 1, shape) for name, shape in whole.inputs.items()}
    expected = whole.function({name: values[name] for name in whole.parameters}, compiled=False)(**inputs)
    for name in whole.outputs:
        one = symoro.generate(arm, "lagrange", outputs=[name], expanded=expanded)
        assert list(one.outputs) == [name]
        given = {parameter: values[parameter] for parameter in one.parameters}
        read = {key: inputs[key] for key in one.inputs}
        actual = one.function(given, compiled=False)(**read)[name]
        np.testing.assert_allclose(actual, expected[name], rtol=1e-9, atol=1e-11)


def test_other_outputs_do_not_prevent_the_expansion() -> None:
    """The entries of A are short enough to be read, those of B are not."""
    with pytest.raises(SymoroError, match=r"B\[1,1\] would be one expression"):
        symoro.generate("rx90", "lagrange", expanded=True)
    model = symoro.generate("rx90", "lagrange", outputs=["A"], expanded=True)
    assert model.program.expanded and list(model.outputs) == ["A"]


def test_outputs_that_do_not_exist() -> None:
    model = symoro.generate("planar2r", "lagrange")
    with pytest.raises(UnknownNameError, match="output of lagrange"):
        model.with_outputs(["E"])
    with pytest.raises(OptionError, match="at least one"):
        model.with_outputs([])


@pytest.mark.parametrize(("robot", "model"), [("planar2r", "inverse-dynamics"), ("rx90", "jacobian")])
def test_without_variables(robot: str, model: str) -> None:
    made = symoro.generate(robot, model)
    expanded = made.expanded()
    text = str(expanded)
    assert "t1 =" not in text
    rng = np.random.default_rng(1)
    inputs = {name: rng.uniform(-1, 1, shape) for name, shape in made.inputs.items()}
    values = {name: float(rng.uniform(0.3, 1)) for name in made.parameters}
    a = made.function(values, compiled=False)(**inputs)
    b = expanded.function(values, compiled=False)(**inputs)
    for name in a:
        np.testing.assert_allclose(a[name], b[name], rtol=1e-12, atol=1e-12)


def test_large_expressions_are_rejected_with_their_size() -> None:
    model = symoro.generate("gough_stewart", "inertia-matrix")
    with pytest.raises(NotApplicableError, match=r"e\+\d\d operations"):
        model.expanded()
    with pytest.raises(SymoroError, match=r"about \de\+\d\d operations"):
        symoro.generate("snake", "lagrange", expanded=True)


def test_matrices_in_latex() -> None:
    text = symoro.generate("planar2r", "lagrange", expanded=True).code("latex", fragment=True)[
        "planar2R_lagrange.tex"
    ]
    assert r"A &= \left[\begin{array}{cc}" in text
    assert r"Q &= \left[\begin{array}{c}" in text
    assert text.count(r"\begin{array}") == text.count(r"\end{array}")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "lagrange", "planar2r", "--outputs", "Q", "--no-variables"]) == 0
    printed = capsys.readouterr().out
    assert "Q[1] =" in printed and "A[1,1]" not in printed
    assert main(["generate", "inertia-matrix", "gough_stewart", "--no-variables"]) == 2
    assert "operations" in capsys.readouterr().err
    assert main(["generate", "lagrange", "planar2r", "--outputs", "X"]) == 2
    assert "output of lagrange" in capsys.readouterr().err


def test_a_long_chain_is_rejected_before_its_christoffel_coefficients(
    capsys: pytest.CaptureFixture[str],
) -> None:
    most = 8_000_000  # calls: the inertia matrix of 100 joints; the coefficients need more than a hundred times as many
    with Effort(most):
        assert main(["generate", "lagrange", "snake", "--no-variables"]) == 2
    assert "of Snake_lagrange would have" in capsys.readouterr().err
    with Effort(most):
        assert main(["generate", "lagrange", "snake", "--outputs", "A,C", "--no-variables"]) == 2
    capsys.readouterr()
    for option in ("--no-variables", "--expanded"):  # the coefficients are not derived for Q
        with Effort(most):
            assert main(["generate", "lagrange", "snake", "--outputs", "Q", option]) == 2
        assert "Q[" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "robot", "yardstick"),
    [
        ("loop-geometry", "orthoglide", "loop_kinematics"),
        ("direct-dynamics-derivatives", "eel", "inverse_dynamics"),
        ("dynamic-identification", "snake", "accelerations"),
    ],
)
def test_slow_models_are_judged_by_the_models_that_they_contain(
    model: str, robot: str, yardstick: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Effort(2_000_000):  # calls: the models themselves need 9 to 31 million
        assert main(["generate", model, robot, "--no-variables"]) == 2
    assert yardstick in capsys.readouterr().err
    assert main(["generate", "direct-dynamics", "eel", "--derivative", "vjp", "--no-variables"]) == 2
    assert "inverse_dynamics would have" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["dynamic-identification", "direct-dynamics-derivatives"])
def test_small_models_keep_their_expanded_form(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", model, "planar2r", "--no-variables"]) == 0
    assert "t1 =" not in capsys.readouterr().out
