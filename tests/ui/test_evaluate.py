"""Check `eval`: degrees, named postures, and robots with one joint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.ui.cli import main

HALF = np.pi / 2


@pytest.fixture
def one(tmp_path: Path) -> str:
    robot = symoro.Robot.from_dh([{"a": 1, "mass": 1, "com": [0, 0, 0]}], "dh", postures={"up": ["pi/2"]})
    symoro.save(robot, tmp_path / "one.yaml")
    return str(tmp_path / "one.yaml")


@pytest.fixture
def crane(tmp_path: Path) -> str:
    """A revolute and a prismatic joint."""
    rows = [{"alpha": "pi/2", "mass": 1}, ("P", 0, 0, 0, 0)]
    robot = symoro.Robot.from_dh(rows, "dh", "crane", postures={"home": ["pi/2", 0.5]})
    symoro.save(robot, tmp_path / "crane.yaml")
    return str(tmp_path / "crane.yaml")


@pytest.mark.parametrize("q", ["0", "[0]", "0.0", "pi - pi"])
def test_one_joint_takes_one_number(data: Any, one: str, q: str) -> None:
    assert np.allclose(
        data("eval", "fast-geometry", one, f"q={q}")["T"],
        np.array(data("eval", "fast-geometry", one, "q=[0]")["T"]),
    )
    assert data("eval", "fast-geometry", one, f"q={q}")["T"][0][3] == 1


def test_one_joint_from_json_and_in_solve(data: Any, one: str, tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('{"q": 0}')
    assert data("eval", "fast-geometry", one, "--values", str(tmp_path / "q.json"))["T"][0][3] == 1
    result = data("eval", "inverse-dynamics", one, "q=0", "qd=0", "qdd=2")
    assert np.shape(result["tau"]) == (1,)
    for at in ("0.3", "[0.3]"):
        rows = data("solve", one, "--at", at, "--given", "position")["solutions"]
        assert any(np.allclose(row["q"], [0.3]) for row in rows if row["status"] == "valid")


def test_degrees_given(data: Any, crane: str) -> None:
    plain = data("eval", "fast-geometry", crane, f"q={HALF},0.5")
    assert np.allclose(data("eval", "fast-geometry", crane, "q=90,0.5", "--degrees")["T"], plain["T"])
    batch = data("eval", "fast-geometry", crane, "q=[[90,0.5],[0,1]]", "--degrees")
    assert np.allclose(batch["T"][0], plain["T"]) and np.shape(batch["T"]) == (2, 4, 4)
    rates = data("eval", "velocities", crane, "q=0,0", "qd=180,2", "--degrees")
    assert np.allclose(rates["w"][0], [0, 0, np.pi]) and np.isclose(np.linalg.norm(rates["v"][1]), 2)


def test_degrees_shown(data: Any) -> None:
    q = [10, 60, -45, 20, 45, 30]
    words = ",".join(map(str, q))
    T = data("eval", "fast-geometry", "rx90", f"q={words}", "--degrees")["T"]
    result = data("eval", "inverse-geometry", "rx90", f"T={json.dumps(T)}", "--degrees")
    assert any(
        np.allclose(row, q) for row, status in zip(result["q"], result["status"], strict=True) if status == 0
    )
    slow = data("eval", "inverse-kinematics", "planar2r", "q=0,90", "V=0,0,0,0,0,1", "--degrees")
    fast = data("eval", "inverse-kinematics", "planar2r", f"q=0,{HALF}", "V=0,0,0,0,0,1")
    assert np.allclose(slow["qd"], np.degrees(fast["qd"]))


def test_degrees_of_loops(data: Any) -> None:
    plain = data("eval", "loop-geometry", "fourbar", f"qa={np.pi / 3}")
    turned = data("eval", "loop-geometry", "fourbar", "qa=60", "--degrees")
    assert np.allclose(turned["q"], np.degrees(plain["q"])) and np.allclose(
        turned["qc"], np.degrees(plain["qc"])
    )
    assert turned["status"] == plain["status"]


def test_a_posture_by_name(data: Any, crane: str, tmp_path: Path) -> None:
    plain = data("eval", "fast-geometry", crane, f"q={HALF},0.5")["T"]
    (tmp_path / "q.json").write_text('{"q": "home"}')
    for words in (["q=home"], ["q=home", "--degrees"], ["--values", str(tmp_path / "q.json")]):
        assert np.allclose(data("eval", "fast-geometry", crane, *words)["T"], plain), (
            "postures are in radians"
        )
    robot = symoro.load("fourbar").replace(postures={"home": [1, 2, 3]})
    symoro.save(robot, tmp_path / "loop.yaml")
    result = data("eval", "loop-geometry", str(tmp_path / "loop.yaml"), "qa=home", "q0=home")
    assert np.allclose(np.array(result["q"])[:, 0], 1), "the active joint is the first"


def test_solve_at_and_near_a_posture(data: Any) -> None:
    ready = symoro.load("panda").postures["ready"]
    for words in (["--at", "ready"], ["--at", "ready", "--near", "ready"]):
        assert np.allclose(data("solve", "panda", "--locked", "3", *words)["nearest"]["q"], ready)
    turned = data("solve", "panda", "--locked", "3", "--at", "ready", "--degrees")
    assert np.allclose(turned["nearest"]["q"], np.degrees(ready))


def test_show_lists_the_postures(run: Any, data: Any) -> None:
    assert "postures" in run("show", "panda") and "ready" in run("show", "panda")
    assert list(data("show", "panda")["postures"]) == ["ready"]


def test_free_joints_by_number(data: Any) -> None:
    entries = ["q=[0.1,0.2]", "qd=[0,0]", "qdd=[0.5,0]", "tau_free=[0,0.7]"]
    result = data("eval", "inverse-dynamics", "planar2r", *entries, "--free", "2")
    assert result["tau"][1] == 0.7
    assert result["qdd_out"][0] == 0.5


def test_flexible_links_are_shown_and_evaluated(run: Any, data: Any) -> None:
    shown = run("show", "flexible2r")
    assert "flexible links" in shown and "side view" in shown
    zero = "[0,0,0,0]"
    result = data(
        "eval", "direct-dynamics", "flexible2r", "q=[0,0]", "qd=[0,0]", "tau=[0,0]", f"e={zero}", f"ed={zero}"
    )
    assert len(result["edd"]) == 4


def test_outputs_that_are_not_defined_give_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """The inverse Jacobian of UR5e with a stretched elbow, and with a bent one."""
    from symoro.ui.cli import main

    assert main(["eval", "jacobian-inverse", "ur5e", "q=0.1,0.2,0,0.3,0.4,0.5"]) == 0
    assert "warning: 'Jinv' contains NaN or infinite values: the configuration is singular" in (
        capsys.readouterr().err
    )
    assert main(["eval", "jacobian-inverse", "ur5e", "q=0.1,0.2,1,0.3,0.4,0.5"]) == 0
    assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "more", [("--dtype", "float32"), ("--threads", "2"), ("--degrees", "--dtype", "float32")]
)
def test_type_and_threads(data: Any, crane: str, more: tuple[str, ...]) -> None:
    given = ("eval", "fast-geometry", crane, "q=[0.1,0.2],[0.3,0.4]")
    result = np.array(data(*given, *more)["T"])
    wanted = np.array(data(*given, *(word for word in more if word == "--degrees"))["T"])
    assert np.max(np.abs(result - wanted)) < 1e-6
    if "float32" in more:
        np.testing.assert_array_equal(result, result.astype(np.float32))


@pytest.mark.parametrize(("option", "value"), [("--dtype", "float16"), ("--threads", "0")])
def test_invalid_type_and_threads(
    crane: str, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "fast-geometry", crane, "q=0,0", option, value]) == 2
    assert f"{option[2:]} = " in capsys.readouterr().err
