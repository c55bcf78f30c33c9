"""Check wheeled robots on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import symoro
from symoro.robot.formats import dumps
from symoro.ui.cli import main
from tests.robot.test_wheels import HEAD, WHEELS


def test_show_prints_the_class(run: Any, data: Any) -> None:
    assert "wheels: class (2,0), it moves along one line and rotates" in run("show", "diffdrive")
    assert "wheels: class (1,2)" in run("show", "two_steering")
    shown = data("show", "mecanum")
    assert shown["mobility"] == [3, 0] and shown["wheels"].startswith("class (3,0)")
    table = next(table for table in shown["tables"] if table["title"] == "wheels")
    assert table["rows"][0]["roller"] == "-pi/4"
    assert "mobility" not in data("show", "rx90")


def test_check_prints_the_class_too(run: Any, data: Any) -> None:
    assert "wheels: class (1,1)" in run("check", "car")
    assert data("check", "omni3")["wheels"].startswith("class (3,0)")


def test_wheels_that_have_no_class_can_be_shown(run: Any, data: Any, tmp_path: Path) -> None:
    file = tmp_path / "cart.yaml"
    almost = HEAD.replace("{ant: 0, name: left,", "{ant: 0, name: left, gamma: 1e-9,")
    file.write_text(almost + WHEELS + "{frame: left, kind: fixed, radius: rw}\n")
    assert "almost linearly dependent" in run("show", str(file))
    assert data("show", str(file))["mobility"] is None


@pytest.mark.parametrize(
    "words",
    [
        ("generate", "wheel-kinematics", "car"),
        ("generate", "posture-kinematics", "one_steering", "--lang", "c"),
        ("generate", "configuration-kinematics", "diffdrive", "--lang", "latex"),
        ("generate", "direct-dynamics", "tricycle", "--lang", "matlab"),
        ("count", "inverse-dynamics", "mobile_manipulator"),
        ("explain", "inverse-dynamics", "car"),
        ("eval", "direct-dynamics", "car", "q=0,0.1,0", "qda=1,0", "tau=1,0"),
        ("convert", "car_ackermann", "--to", "yaml"),
        ("models", "diffdrive"),
    ],
)
def test_commands(run: Any, words: tuple[str, ...]) -> None:
    assert run(*words)


def test_evaluation_in_degrees(data: Any) -> None:
    result = data("eval", "wheel-kinematics", "car", "q=0,45,0", "--degrees")
    assert abs(result["G"][2][0] - 0.3 / 2.6) < 1e-12


def test_an_export_compiles_and_runs(run: Any, tmp_path: Path) -> None:
    run("export", "direct-dynamics", "car", "--lang", "c,python", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out" / "c" / "Makefile").exists()
    assert "wheels:" in (tmp_path / "out" / "Car.yaml").read_text()


def test_bad_wheels_get_an_error_with_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "cart.yaml"
    file.write_text(HEAD + WHEELS + "{frame: 2, kind: castor, radius: 0}\n")
    assert main(["check", str(file), "--json"]) == 2
    result = json.loads(capsys.readouterr().out)
    text = "\n".join(result["problems"])
    assert "wheel 2 (frame 2): the radius is 0" in text and "requires 'steering'" in text
    file.write_text(HEAD + WHEELS + "{frame: 2, kind: round, radius: 1}\n")
    assert main(["show", str(file)]) == 2
    assert "cart.yaml:16:22, wheels[2].kind: 'round' is not one of" in capsys.readouterr().err


def test_drives_that_do_not_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "cart.yaml"
    file.write_text(dumps(symoro.load("mecanum").with_frame(4, mu=True), "yaml"))
    assert main(["generate", "wheel-kinematics", str(file)]) == 2
    assert (
        "3 degrees of freedom and 4 active joints, 1 too many: make 1 of joints 1 'front left wheel'"
        in capsys.readouterr().err
    )
