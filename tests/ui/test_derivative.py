"""Check --derivative and --wrt: every command that derives a model differentiates it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.ui.cli import main

PLANAR = ("inverse-dynamics", "planar2r", "--derivative", "vjp")


def test_generate(run: Any) -> None:
    text = run("generate", *PLANAR, "--wrt", "qd, q")
    assert "derivative: vjp with respect to q, qd" in text
    assert "qdd_bar" not in text


def test_options_before_the_model(run: Any) -> None:
    assert "q_bar[1]" in run("generate", "--wrt", "q", "--derivative", "vjp", "inverse-dynamics", "planar2r")


def test_count_and_explain(data: Any) -> None:
    model = symoro.generate("rx90", "inverse-dynamics").derivative("jvp")
    counted = data("count", "inverse-dynamics", "rx90", "--derivative", "jvp")
    assert counted["multiplications"] == model.count().multiplications
    assert data("explain", "inverse-dynamics", "rx90", "--derivative", "jvp") == model.explain()


def test_eval(data: Any) -> None:
    given = {"q": [0.1, 0.2], "qd": [0.3, 0.4], "qdd": [0.5, 0.6], "tau_bar": [1.0, -2.0]}
    words = [f"{name}={','.join(map(str, numbers))}" for name, numbers in given.items()]
    result = data("eval", *PLANAR, *words)
    expected = (
        symoro.generate("planar2r", "inverse-dynamics").derivative("vjp").function(compiled=False)(**given)
    )
    for name, value in expected.items():
        np.testing.assert_allclose(result[name], value, rtol=1e-12)


def test_export(run: Any, tmp_path: Path) -> None:
    run("export", "inverse-dynamics", "planar2r", "--derivative", "jacobian", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out" / "planar2R_inverse_dynamics_jacobian.c").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--derivative", "gradiant"), "no derivative of kind 'gradiant'\nhint: the kinds are vjp, jvp"),
        (
            ("--derivative", "vjp", "--wrt", "qddd"),
            "called 'qddd'\nhint: inputs: q, qd, qdd; or 'parameters'",
        ),
        (("--derivative", "vjp", "--wrt", ","), "expected a list of inputs, or 'parameters'"),
        (("--wrt", "q"), "--wrt selects the variables of a derivative, but no derivative is requested"),
    ],
)
def test_errors(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert main(["count", "inverse-dynamics", "rx90", *words]) == 2
    assert message in capsys.readouterr().err


def test_no_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "fast-geometry", "ur5e", "--derivative", "vjp", "--wrt", "parameters"]) == 2
    assert "hint: write names instead of numbers in the robot file" in capsys.readouterr().err
