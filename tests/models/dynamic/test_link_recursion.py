"""The Newton-Euler recursion of one link: the printed formulas of all links give the torques of the inverse model."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, UnknownNameError
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import formula
from symoro.expr.graph import Graph
from symoro.expr.parser import parse
from symoro.robot.coordinates import following, independent
from symoro.robot.description import BaseKind, CoupledMotor, JointType, Robot
from symoro.ui.cli import main
from tests.models.dynamic.cases import Inputs, error, oracle, outputs, seeded_tree, state
from tests.models.dynamic.test_hybrid_dynamics import floating

CLOSE = 1e-12  # relative to the largest torque
KATEX = Path(__file__).parents[3] / "frontend" / "node_modules" / "katex"


def printed_values(robot: Robot, at: Inputs) -> dict[str, float]:
    """Return the values of all printed equations: they are parsed and evaluated in the order of the recursion."""
    values = dict(robot.nominal)
    joints = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    for name in ("q", "qd", "qdd"):
        values |= {f"{name}{j}": float(x) for j, x in zip(joints, at[name], strict=True)}
    for name in ("V0", "Vd0"):
        values |= {f"{name}_{k}": float(x) for k, x in enumerate(at[name], 1)}
    values |= {f"R0_{r + 1}{c + 1}": float(at["R0"][r, c]) for r in range(3) for c in range(3) if "R0" in at}
    for j, row in enumerate(at["wrench"], 1):
        values |= {
            f"{n}{j}": float(x) for n, x in zip(("FX", "FY", "FZ", "CX", "CY", "CZ"), row, strict=True)
        }
    first = 0 if robot.base.kind == BaseKind.FLOATING else 1
    pending: dict[str, str] = {}
    for j in range(first, robot.NL + 1):
        derivation = symoro.newton_euler(robot, j)
        text = derivation.text()
        for name, expression in derivation.equations.items():
            assert f"   {name} = {expression}\n" in text
            assert pending.setdefault(name, expression) == expression  # definitions in several links agree
    graph = Graph()
    parsed = {name: parse(expression, graph) for name, expression in pending.items()}
    for _ in range(len(parsed)):  # the links may be printed in any order
        ready = {n: e for n, e in parsed.items() if n not in values and set(e.symbols()) <= values.keys()}
        if not ready:
            break
        results = evaluate(graph, [e.lit for e in ready.values()], values)
        values |= dict(zip(ready, map(float, results), strict=True))
    assert parsed.keys() <= values.keys()
    return values


def torques_of(robot: Robot, values: dict[str, float]) -> np.ndarray:
    return np.array([values[f"Gamma{j}"] for j in range(1, robot.NL + 1) if robot.frame(j).moving])


@pytest.mark.parametrize("seed", range(100, 130))
def test_printed_equations_give_the_torques(seed: int) -> None:
    robot = seeded_tree(seed, coupled=False)
    at = state(robot, seed)
    values = printed_values(robot, at)
    tau = torques_of(robot, values)
    assert error(tau, outputs(robot, "inverse-dynamics", at)["tau"]) < CLOSE
    wrenches = [[values[f"{n}{k}_{j}"] for n in "fm" for k in (1, 2, 3)] for j in range(1, robot.NL + 1)]
    reactions = outputs(robot, "inverse-dynamics", at, reactions=True)["reactions"]
    assert error(np.array(wrenches), reactions) < CLOSE
    assert error(tau, oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])) < CLOSE


def test_the_trees_contain_every_case() -> None:
    robots = [seeded_tree(seed, coupled=False) for seed in range(100, 130)]
    assert {robot.frame(j).sigma for robot in robots for j in range(1, robot.NL + 1)} == set(JointType)
    assert any(len({f.ant for f in robot.frames}) < robot.NL for robot in robots)  # several children
    assert any(not f.is_zero for robot in robots for f in robot.base.W0)


@pytest.mark.parametrize("seed", range(100, 106))
def test_floating_base(seed: int) -> None:
    robot = floating(seeded_tree(seed, coupled=False), seed)
    at = state(robot, seed)
    at["R0"] = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    result = outputs(robot, "inverse-dynamics", at)
    values = printed_values(robot, {**at, "Vd0": result["Vd0"]})
    assert error(torques_of(robot, values), result["tau"]) < CLOSE
    scale = max(abs(values[f"F{k}_0"]) + abs(values[f"M{k}_0"]) for k in (1, 2, 3))
    assert max(abs(values[f"{n}{k}_0"]) for n in "fm" for k in (1, 2, 3)) < 1e-11 * scale


@pytest.mark.parametrize("name", ["sr400", "fivebar"])
def test_closed_loops_use_the_spanning_tree(name: str) -> None:
    robot = symoro.load(name)
    tree = robot.tree()
    values = {symbol: 0.3 + 0.01 * k for k, symbol in enumerate(robot.symbols())} | dict(robot.nominal)
    robot, tree = (replace(r, nominal=tuple(values.items())) for r in (robot, tree))
    at = state(tree, 3)
    assert (
        error(torques_of(tree, printed_values(robot, at)), outputs(tree, "inverse-dynamics", at)["tau"])
        < CLOSE
    )
    assert "Gamma = G' Gamma_tr   (55)" in symoro.newton_euler(robot, 1).text()


def test_coupled_joints() -> None:
    robot = seeded_tree(102, 5, coupled=True)
    free = following(robot, {})
    assert len(independent(free)) > len(independent(robot))
    at = state(free, 1)
    tau = torques_of(robot, printed_values(robot, at))
    assert error(tau, outputs(free, "inverse-dynamics", at)["tau"]) < CLOSE
    assert "coupled joint: q" in symoro.newton_euler(robot, 1).text()


def test_elastic_joint() -> None:
    assert "elastic joint: qdd3 follows from Gamma3 = " in symoro.newton_euler("rx90_elastic", 3).text()


@pytest.mark.parametrize("seed", range(100, 106))
def test_further_friction_and_coupled_motors(seed: int) -> None:
    robot = seeded_tree(seed, coupled=False)
    joints = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving and not robot.frame(j).eta]
    for k, j in enumerate(joints):
        robot = robot.with_frame(j, FB=0.3 + 0.1 * k, VS=0.8, FL=0.1 + 0.05 * k if robot.frame(j).mu else 0)
    motor = CoupledMotor(joints[-1], ((joints[0], formula(0.5)),), formula(0.7), formula(0.4), formula(0.9))
    robot = robot.replace(motors=(motor,))
    at = state(robot, seed)
    tau = torques_of(robot, printed_values(robot, at))
    expected = outputs(robot, "inverse-dynamics", at)["tau"]
    assert error(tau, expected) < CLOSE
    for change in ({"FB": 0}, {"FL": 0}):  # each term has an effect
        assert (
            error(tau, outputs(robot.with_frame(joints[-1], **change), "inverse-dynamics", at)["tau"]) > 1e-4
        )
    text = symoro.newton_euler(robot, joints[-1]).text()
    assert "FB_j exp(-(qd_j/VS_j)^2) sign(qd_j)" in text and "FSM_m sign(c' qd)" in text
    assert "Gamma_j = Gamma0_j + FL_j |Gamma_j| sign(qd_j)" in text


def test_load_friction_of_projected_torques_is_rejected() -> None:
    robot = symoro.load("fivebar").with_frame(1, FL=0.1)
    with pytest.raises(NotApplicableError, match="load-dependent friction FL"):
        symoro.newton_euler(robot, 1)


def test_rejections() -> None:
    with pytest.raises(NotApplicableError, match="wheels"):
        symoro.newton_euler("diffdrive", 1)
    with pytest.raises(NotApplicableError, match="flexible links"):
        symoro.newton_euler("flexible2r", 1)
    with pytest.raises(NotApplicableError, match="'w1_2' of robot"):
        symoro.newton_euler(symoro.load("rx90").bind({"D3": "w1_2"}), 1)
    for link in (0, 7, "elbow"):
        with pytest.raises(UnknownNameError):
            symoro.newton_euler("rx90", link)


def test_latex_is_balanced_and_renders() -> None:
    documents = [
        symoro.newton_euler(name, j) for name, j in (("rx90", 3), ("humanoid_torso", 1), ("stanford", 3))
    ]
    for derivation in documents:
        text = derivation.latex()
        for opening, closing in (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end")):
            assert text.count(opening) == text.count(closing), opening
    if not KATEX.is_dir() or shutil.which("node") is None:
        pytest.skip("node and katex are not installed")
    formulas = [f for d in documents for f in d.markdown().split("$$")[1::2]]
    script = (
        f"const katex = require({json.dumps(str(KATEX))});"
        "for (const f of JSON.parse(require('fs').readFileSync(0, 'utf8')))"
        "  katex.renderToString(f, {displayMode: true, throwOnError: true, strict: 'error'});"
    )
    subprocess.run(["node", "-e", script], input=json.dumps(formulas), text=True, check=True)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["explain", "inverse-dynamics", "rx90"]
    assert main([*command, "--link", "3"]) == 0
    assert "Gamma3 = IA3*qdd3 + FV3*qd3 + FS3*sign(qd3) + m3_3" in capsys.readouterr().out
    assert main([*command, "--link", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["equations"]["w3_3"] == "qd2 + qd3"
    for suffix, mark in ((".tex", r"\end{document}"), (".md", "$$"), (".txt", "Gamma3")):
        path = tmp_path / f"link{suffix}"
        for _ in range(2):  # files of symoro are overwritten
            assert main([*command, "--link", "3", "-o", str(path)]) == 0
        assert mark in path.read_text()
    capsys.readouterr()
    missing = tmp_path / "none.tex"
    for wrong in (
        ["--link", "9", "-o", str(missing)],
        ["-o", str(missing)],
        ["--link", "3", "--latex", "--markdown"],
    ):
        assert main([*command, *wrong]) == 2
        assert "hint" in capsys.readouterr().err
    assert main(["explain", "jacobian", "rx90", "--link", "3"]) == 2
    assert not missing.exists()
