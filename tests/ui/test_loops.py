"""Check the commands for robots with closed loops: assembly modes, inverse geometry, and `show`."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.ui.cli import main
from tests.oracle.inverse_geometry import Loops


def failed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    return capsys.readouterr().err


# -- solve


def test_all_assembly_modes(run: Any, data: Any) -> None:
    text = run("solve", "fivebar", "qa=120,60", "--degrees")
    assert "fivebar: 2 assembly modes" in text and text.count("valid") == 2 and "q5 (deg)" in text
    result = data("solve", "fivebar", "qa=2,1")
    assert result["joints"] == ["q1", "q2", "q3", "q4", "q5"] and result["method"] == "closed form"
    rows = np.array([row["q"] for row in result["solutions"]])
    assert len(rows) == 2 and Loops(symoro.load("fivebar")).gap(rows[:, :4], rows[:, 4:]).max() < 1e-11
    degrees = data("solve", "fivebar", "--degrees", "qa=120,60")
    radians = data("solve", "fivebar", "qa=2*pi/3,pi/3")
    np.testing.assert_allclose(
        np.radians([row["q"] for row in degrees["solutions"]]), [row["q"] for row in radians["solutions"]]
    )


def test_modes_as_csv_and_the_nearest(run: Any) -> None:
    lines = list(csv.DictReader(io.StringIO(run("solve", "slidercrank", "qa=1", "--csv"))))
    assert [line["status"] for line in lines] == ["valid", "valid"] and "q4" in lines[0]
    text = run("solve", "fivebar", "qa=2,1", "--near", "2,-2.7,1,2.8")
    (marked,) = [line for line in text.splitlines() if line.strip().startswith("*   ")]
    assert marked.split()[1] == "2"


def test_the_exit_code_shows_that_there_is_no_assembly_mode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "fivebar", "qa=3,0.1"]) == 1
    assert "no assembly modes" in capsys.readouterr().out


def test_modes_by_newton(data: Any) -> None:
    result = data("solve", "fivebar", "qa=2,1", "q0=2,-1.2,1,1.3", "qc0=1.6", "--method", "numeric")
    assert result["method"] == "numeric" and [row["status"] for row in result["solutions"]] == ["valid"]
    other = data("solve", "fivebar", "qa=2,1")["solutions"][0]["q"]
    np.testing.assert_allclose(result["solutions"][0]["q"], other, atol=1e-9)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["fivebar", "qa=1"], "robot 'fivebar' has 2 active joints, q1,q3; got 1 value\n"),
        (["fivebar", "qa=1,2,3"], "got 3 values"),
        (["fivebar", "q1=1"], "the active joints are qa=q1,q3"),
        (["fivebar", "q0=0,0,0,0"], "expected the active joints of robot 'fivebar' as qa=q1,q3"),
        (["fivebar", "qa=1,x"], "contains a symbol"),
        (["fivebar", "qa=nowhere"], "nowhere"),
        (["fivebar", "qa=1,2", "--at", "0,0,0,0"], "qa and --at exclude each other"),
        (["fivebar", "qa=1,2", "--start", "0,0,0,0"], "q0=... gives the start of Newton's method"),
        (["fivebar", "1,2"], "is not of the form NAME=VALUE"),
        (["rx90", "qa=1"], "has no closed loop"),
    ],
)
def test_errors_in_active_joints(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert expected in failed(capsys, "solve", *words)


@pytest.mark.parametrize("name", ["3rrr", "delta"])
def test_active_joints_of_a_posture(name: str, data: Any) -> None:
    """By its name; loops without a closed form are followed from there."""
    result = data("solve", name, "qa=home", "q0=home")
    home = symoro.load(name).postures["home"]
    (row,) = result["solutions"]
    assert row["status"] == "valid" and result["method"] == "numeric"
    np.testing.assert_allclose(row["q"][: len(home)], home, atol=1e-9)


def test_a_pose_of_an_arm_with_loops(data: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = data("solve", "sr400", "--to", "6", "--at", "0,60,-45,0,45,0,105,-45", "--degrees")
    rows = np.array([row["q"] for row in result["solutions"] if row["status"] == "valid"])
    assert len(rows) == 4 and np.abs(rows - [0, 60, -45, 0, 45, 0, 105, -45]).max(axis=1).min() < 1e-9
    np.testing.assert_allclose(rows[:, 6], rows[:, 1] + rows[:, 2] + 90, atol=1e-9)
    assert result["nearest"]["distance"] < 1e-6
    assert "contains the cut joint" in failed(
        capsys, "solve", "sr400", "--to", "9", "--at", "0,0,0,0,0,0,0,0"
    )


def test_a_distance_that_a_loop_keeps_open(data: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The chain reaches the point, but the other leg of the five-bar does not, so the residual is not zero."""
    main(["solve", "fivebar", "--pose", "-0.4,0,0,0,0,0", "--given", "position", "--json"])
    result = json.loads(capsys.readouterr().out)
    assert {row["status"] for row in result["solutions"]} == {"out of reach"}
    assert min(row["residual"] for row in result["solutions"]) > 1e-3


# -- show


def test_show_prints_the_mobility_of_loops(run: Any, data: Any) -> None:
    text = run("show", "fivebar")
    assert "mobility 2: 2 active (q1, q3); 2 passive (q2, q4); 1 cut (q5); constraints of rank 3" in text
    assert "loop 5-6: planar, of rank 3, joints q1, q2, q5, q3, q4" in text
    result = data("show", "sr400")["loops"]
    assert result["mobility"] == 6 and result["rank"] == 3 and result["remarks"] == []
    assert result["active"] == [1, 2, 4, 5, 6, 7] and result["passive"] == [3, 8] and result["opened"] == [9]
    assert result["loops"] == [
        {"frames": [9, 10], "kind": "parallelogram", "rank": 3, "joints": [7, 8, 9, 2, 3]}
    ]
    assert "loops" not in data("show", "rx90")


def test_show_reports_inconsistent_loops(run: Any, data: Any) -> None:
    words = ("--bind", "D2=0.1", "--bind", "D3=5", "--bind", "D4=0.1", "--bind", "D5=0.1")
    assert "loops: no configuration closes the loops of robot 'fourbar'" in run("show", "fourbar", *words)
    assert "no configuration closes" in data("show", "fourbar", *words)["loops"]["why_not"]
