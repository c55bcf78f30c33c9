"""The Coriolis matrix C of the Christoffel symbols: A qdd + C qd + Q = tau, and dA/dt - 2 C is skew-symmetric."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.expr.formula import ZERO
from symoro.robot.description import DRIVE, WRENCH, Robot
from symoro.ui.cli import main
from tests.models.dynamic.cases import error, outputs, seeded_tree, state

STEP = 1e-5  # rad or m; the central difference has an error of about 1e-10


def without_friction(robot: Robot) -> Robot:
    """Return the robot at rest on its base, without friction and external wrenches, which C does not contain."""
    frames = tuple(replace(f, **dict.fromkeys(DRIVE[1:], ZERO)) for f in robot.frames)
    links = tuple(replace(link, **dict.fromkeys(WRENCH, ZERO)) for link in robot.links)
    still = dict.fromkeys(("V0", "W0", "VP0", "WP0"), (ZERO, ZERO, ZERO))
    return replace(robot, frames=frames, links=links, base=replace(robot.base, **still))


@pytest.mark.parametrize("seed", range(60, 72))
@pytest.mark.parametrize("coriolis", ["christoffel", "recursive"])
def test_trees(seed: int, coriolis: str) -> None:
    robot = without_friction(seeded_tree(seed, 5, coupled=False if coriolis == "recursive" else None))
    at = state(robot, seed)
    model = symoro.generate(robot, "lagrange", coriolis=coriolis).with_outputs(["A", "C", "Q"])
    assert list(model.outputs) == ["A", "C", "Q"]
    function = model.function(compiled=False)
    result = function(q=at["q"], qd=at["qd"])
    tau = result["A"] @ at["qdd"] + result["C"] @ at["qd"] + result["Q"]
    assert error(tau, outputs(robot, "inverse-dynamics", at)["tau"]) < 1e-12
    ahead, back = (function(q=at["q"] + h * at["qd"], qd=at["qd"])["A"] for h in (STEP, -STEP))
    skew = (ahead - back) / (2 * STEP) - 2 * result["C"]
    assert np.abs(skew + skew.T).max() < 1e-7 * np.abs(result["C"]).max() + 1e-9 * np.abs(result["A"]).max()


@pytest.mark.parametrize("name", ["fivebar", "fourbar", "slidercrank"])
def test_closed_loops_in_generalised_coordinates(name: str) -> None:
    robot = without_friction(symoro.load(name))
    values = {**{symbol: 0.4 + 0.03 * k for k, symbol in enumerate(robot.symbols())}, **dict(robot.nominal)}
    active = [k for k, frame in enumerate(robot.frames[: robot.NL]) if frame.mu]
    geometry = symoro.generate(robot, "loop-geometry")
    closed = geometry.function({n: values[n] for n in geometry.parameters}, compiled=False)(
        qa=np.array([1.9, 1.1][: len(active)])
    )
    q = closed["q"][np.flatnonzero(closed["status"] == 0)[0]]
    function = symoro.generate(robot, "lagrange").with_outputs(["A", "C", "Q"])
    model = function.function({n: values[n] for n in function.parameters}, compiled=False)
    kinematics = symoro.generate(robot, "loop-kinematics")
    loop = kinematics.function({n: values[n] for n in kinematics.parameters}, compiled=False)
    passive = [k for k in range(robot.NL) if k not in active]
    qda = np.linspace(0.7, -0.5, len(active)) if len(active) > 1 else np.array([0.7])
    rates = np.zeros(robot.NL)
    rates[active] = qda
    rates[passive] = loop(q=q, qd=np.zeros(robot.NL))["W"] @ qda
    result = model(q=q, qda=qda)
    ahead, back = (model(q=q + h * rates, qda=qda)["A"] for h in (STEP, -STEP))
    skew = (ahead - back) / (2 * STEP) - 2 * result["C"]
    assert np.abs(skew + skew.T).max() < 1e-7 * np.abs(result["C"]).max()
    inverse = symoro.generate(robot, "inverse-dynamics")
    torques = inverse.function({n: values[n] for n in inverse.parameters}, compiled=False)
    qdda = 0.3 * qda
    tau = result["A"] @ qdda + result["C"] @ qda + result["Q"]
    assert error(tau, torques(q=q, qda=qda, qdda=qdda)["tau"]) < 1e-10


def test_symbols_code_and_latex(capsys: pytest.CaptureFixture[str]) -> None:
    model = symoro.generate("planar2r", "lagrange", expanded=True).with_outputs(["C"])
    text = model.code("latex", fragment=True)["planar2R_lagrange.tex"]
    assert r"C &= \left[\begin{array}{cc}" in text
    assert "qd2" in str(model.to_sympy()["C"][0, 0])
    assert "double *C);" in model.code("c")["planar2R_lagrange.h"]
    assert main(["generate", "lagrange", "planar2r", "--outputs", "A,C,Q", "--no-variables"]) == 0
    printed = capsys.readouterr().out
    assert "C[1,1] = " in printed and "B[1,1]" not in printed and "D[1" not in printed
    assert list(symoro.generate("planar2r", "lagrange").outputs) == ["A", "B", "Q", "D"]
    assert main(["generate", "inertia-matrix", "planar2r", "--outputs", "C"]) == 2
