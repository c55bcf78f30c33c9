"""Check `solve`, `explain` and `eval` of inverse geometry, with poses in every notation."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.runtime.poses import rotation_part
from symoro.ui.cli import main
from symoro.ui.solve import _hand

AT = "-10,60,-45,20,45,30"
Q = np.radians([-10, 60, -45, 20, 45, 30])


def placed(robot: str, q: Any) -> np.ndarray:
    return symoro.generate(symoro.load(robot), "fast-geometry").function(compiled=False)(q=q)["T"]


# -- the pose


def test_the_pose_of_a_posture(run: Any, data: Any) -> None:
    text = run("solve", "rx90", "--at", AT, "--degrees")
    assert "RX90: 8 solutions" in text and "q6 (deg)" in text and text.count("valid") == 8
    marked = [line for line in text.splitlines() if line.strip().startswith("*")]
    assert len(marked) == 2 and all(word in marked[0] for word in AT.split(","))
    assert marked[1].startswith("* the nearest: -10, 60, -45, 20, 45, 30; distance ")
    result = data("solve", "rx90", "--at", AT, "--degrees")
    assert result["units"] == 6 * ["deg"] and len(result["solutions"]) == 8
    places = placed("rx90", np.radians([row["q"] for row in result["solutions"]]))
    assert np.allclose(places, placed("rx90", Q), atol=1e-9)
    assert np.allclose(result["nearest"]["q"], np.degrees(Q)) and result["nearest"]["distance"] < 1e-6


def test_every_option_that_gives_a_pose(data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    T = placed("rx90", Q)
    angles = [
        np.arctan2(T[2, 1], T[2, 2]),
        np.arctan2(-T[2, 0], np.hypot(T[0, 0], T[1, 0])),
        np.arctan2(T[1, 0], T[0, 0]),
    ]
    wanted = data("solve", "rx90", "--at", AT, "--degrees")["solutions"]
    file = tmp_path / "pose.json"
    file.write_text(json.dumps({"T": T.tolist()}))
    monkeypatch.setattr("sys.stdin", io.StringIO(file.read_text()))
    for words in (
        ["--pose", ",".join(map(repr, map(float, [*T[:3, 3], *np.degrees(angles)])))],
        ["--matrix", ",".join(map(repr, map(float, T.ravel())))],
        ["--matrix", ",".join(map(repr, map(float, T[:3].ravel())))],
        ["--values", str(file)],
        ["--values", "-"],
    ):
        result = data("solve", "rx90", *words, "--degrees")
        assert result["nearest"] is None
        for row, other in zip(result["solutions"], wanted, strict=True):
            assert row["number"] == other["number"] and np.allclose(row["q"], other["q"], atol=1e-6)


def test_several_poses(run: Any, data: Any, tmp_path: Path) -> None:
    T = placed("rx90", [Q, Q + 0.1])
    T[1, 0, 3] = 9
    file = tmp_path / "poses.json"
    file.write_text(json.dumps({"T": T.tolist()}))
    first, second = data("solve", "rx90", "--values", str(file))
    assert len(first["solutions"]) == 8
    assert {row["status"] for row in second["solutions"]} == {"out of reach"}
    text = run("solve", "rx90", "--values", str(file))
    assert "RX90, pose 1: 8 solutions" in text and "RX90, pose 2: no solutions" in text


def test_a_rounded_rotation_is_made_orthonormal(run: Any, data: Any) -> None:
    entries = ",".join(f"{x:.5f}" for x in placed("rx90", Q).ravel())
    assert "note: the rotation was made orthonormal" in run("solve", "rx90", "--matrix", entries)
    assert len(data("solve", "rx90", "--matrix", entries)["solutions"]) == 8


# -- what is shown


def test_limits_list_every_turn(data: Any) -> None:
    robot = symoro.load("rx90")
    rows = data("solve", "rx90", "--at", AT, "--degrees", "--limits")["solutions"]
    q = np.radians([row["q"] for row in rows])
    assert symoro.solutions.within_limits(robot, q).all()
    everything = np.radians([row["q"] for row in data("solve", "rx90", "--at", AT, "--degrees")["solutions"]])
    assert len(q) == len(symoro.solutions.windings(robot, everything)) > len({row["number"] for row in rows})


def test_the_nearest_to_another_posture(data: Any) -> None:
    result = data("solve", "rx90", "--at", AT, "--degrees", "--near", "170,120,-135,0,0,0")
    rows = {row["number"]: row["q"] for row in result["solutions"]}
    best = result["nearest"]
    assert best["number"] != data("solve", "rx90", "--at", AT, "--degrees")["nearest"]["number"]
    assert np.allclose(np.remainder(np.subtract(best["q"], rows[best["number"]]) + 1, 360), 1)


def test_a_singular_pose_names_the_free_joint(run: Any, data: Any) -> None:
    words = ("solve", "rx90", "--at", "10,60,-45,20,0,30", "--degrees")
    free = [row["free"] for row in data(*words)["solutions"] if row["status"] == "singular"]
    assert free and all(names in (["q4"], ["q6"]) for names in free)  # either does
    assert f"singular, {free[0][0]} free" in run(*words)


def test_options_of_the_model(data: Any) -> None:
    result = data("solve", "planar3r", "--given", "Px,Py", "--locked", "3", "--at", "0.2,0.5,0.3")
    assert [row["q"][2] for row in result["solutions"]] == [0.3, 0.3]
    assert len(data("solve", "rx90", "--method", "paul", "--at", AT, "--degrees")["solutions"]) == 8
    assert len(data("solve", "scara", "--at", "0.3,0.5,0.1,0")["solutions"]) == 2


def test_valid_solutions_are_listed_first(data: Any) -> None:
    """Then what is out of reach, the closest first, each with its distance from the pose."""
    at = "111,22,-76,-31,115,46"
    T = placed("ur5e", np.radians([float(x) for x in at.split(",")]))
    rows = data("solve", "ur5e", "--at", at, "--degrees")["solutions"]
    words = [row["status"] for row in rows]
    assert words == sorted(words, key=["valid", "singular", "out of reach"].index)
    assert [row["number"] for row in rows[:4]] == [3, 4, 5, 6], "the others are out of reach"
    for row in rows:
        assert abs(np.abs(placed("ur5e", np.radians(row["q"])) - T).max() - row["residual"]) < 1e-9
    away = [row["residual"] for row in rows if row["status"] == "out of reach"]
    assert away == sorted(away) and away[0] > 1e-3


def test_joints_are_shown_by_name(run: Any, data: Any) -> None:
    words = ("solve", "ur5e", "--at", "0.1,-1,1,0.2,0.3,0.4")
    heading = run(*words).split("───")[0]
    assert "q1 (rad)" in heading and "shoulder_pan_joint" in heading and "wrist_3_joint" in heading
    result = data(*words)
    assert result["joints"][0] == "q1" and result["names"][0] == "shoulder_pan_joint"
    assert "J6" in run("solve", "rx90", "--at", AT, "--degrees")


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_the_exit_code_shows_that_no_solution_exists(
    capsys: pytest.CaptureFixture[str], form: tuple[str]
) -> None:
    assert main(["solve", "ur5e", "--pose", "2,0,0.5,0,0,0", *form]) == 1
    printed = capsys.readouterr()
    assert printed.err == "" and "out of reach" in printed.out
    assert main(["solve", "ur5e", "--pose", "0.4,0.2,0.5,0,0,0", *form]) == 0


def test_the_exit_code_shows_that_no_solution_is_within_the_limits() -> None:
    words = ["solve", "rx90", "--at", "34,-58,-39,140,-98,44", "--degrees"]
    assert main(words) == 0
    assert main([*words, "--limits"]) == 1


def test_a_planar_pose_of_the_other_hand_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    """The hand is the robot's: the last frame of the SCARA looks down."""
    right, left = "1,0,0,{x},0,1,0,0.2,0,0,1,0", "1,0,0,{x},0,-1,0,0.2,0,0,-1,0"
    for name, fits, other, x in (("planar3r", right, left, 2), ("scara", left, right, 0.5)):
        assert main(["solve", name, "--given", "planar", "--matrix", fits.format(x=x)]) == 0
        capsys.readouterr()
        assert main(["solve", name, "--given", "planar", "--matrix", other.format(x=x)]) == 2
        assert "-handed" in capsys.readouterr().err


def test_a_frame_that_leaves_the_plane_has_no_hand_there() -> None:
    part = rotation_part(given_entries("planar"))
    assert part is not None
    hands = {"rx90": 0, "planar3r": 1, "scara": -1}
    for name, hand in hands.items():
        place = symoro.generate(symoro.load(name), "fast-geometry").function(compiled=False)
        assert _hand(part, place) == hand


def test_csv(run: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(run("solve", "rx90", "--at", AT, "--degrees", "--csv"))))
    assert len(rows) == 8 and rows[0]["status"] == "valid" and float(rows[0]["residual"]) < 1e-9
    assert list(rows[0]) == ["pose", "number", *(f"q{j}" for j in range(1, 7)), "status", "free", "residual"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "expected exactly one of --at, --pose, --matrix and --values"),
        (("--at", AT, "--pose", "0,0,0,0,0,0"), "expected exactly one of"),
        (("--at", "1,2"), "--at: expected 6 numbers, q1,q2,q3,q4,q5,q6; got '1,2'"),
        (("--at", "[1,2],3,4,5,6,7"), "--at: expected 6 numbers"),
        (("--near", "0", "--at", AT), "--near: expected 6 numbers"),
        (("--pose", "1,2,3"), "--pose: expected 6 numbers, x,y,z,roll,pitch,yaw"),
        (("--pose", "1,2,x,0,0,0"), "contains a symbol"),
        (("--matrix", "1,2,3"), "12 or 16 entries"),
        (("--matrix", "1,2,3,4,5,6,7,8,9,10,11,12"), "not a rotation"),
        (("--matrix", "-1,0,0,0,0,1,0,0,0,0,1,0"), "not a rotation"),
        (("--values", "/nowhere.json"), "cannot read '/nowhere.json'"),
        (("--at", AT, "--given", "zz"), "is not an entry of the pose"),
        (("--at", AT, "--locked", "9"), "no frame called '9'"),
        (("--at",), "--at: expected one argument"),
        (("--at", "--limits"), "--at: expected one argument"),
        (("--at", AT, "--nonsense"), "unrecognized arguments: --nonsense"),
    ],
)
def test_bad_input_ends_with_one_message(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main(["solve", "rx90", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("symoro: ") and message in printed.err


@pytest.mark.parametrize("text", ['{"Q": 1}', '{"T": [[1, "a"], 3]}', '{"T": []}', '{"T": [[1, NaN]]}'])
def test_files_without_a_pose(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    file = tmp_path / "pose.json"
    file.write_text(text)
    assert main(["solve", "rx90", "--values", str(file)]) == 2
    assert capsys.readouterr().err.startswith("symoro: ")


# -- beside it


def test_explain(run: Any, data: Any) -> None:
    text = run("explain", "inverse-geometry", "scara")
    assert text.startswith("formulation: method: Paul (q3 type 1,")
    assert "\n1. q3: type 1, X r = Y; one solution\n   q3 = -Pz\n2. q1 + q2 - q4: type 3" in text
    assert (
        text.splitlines()[:3]
        == run("count", "igm", "scara", "--explain").splitlines()[-len(text.splitlines()) :][:3]
    )
    latex = run("explain", "inverse-geometry", "scara", "--latex")
    assert latex.count(r"\begin{align*}") == 3
    assert data("explain", "inverse-geometry", "scara", "--latex")[0].startswith(r"\paragraph{1. q3")
    assert "has no solution steps" in run("explain", "fast-geometry", "scara", "--latex")


def test_eval_takes_the_model_as_any_other(data: Any) -> None:
    T = json.dumps(placed("scara", [0.3, 0.5, 0.1, 0.2]).round(9).tolist()).replace(" ", "")
    result = data("eval", "inverse-geometry", "scara", "--tolerance", "1e-6", f"T={T}")
    assert result["status"] == [0, 0] and np.shape(result["q"]) == (2, 4)


@pytest.mark.parametrize("robot", ["3rrr", "delta", "gough_stewart"])
def test_platforms_are_solved_without_a_start(robot: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The closed forms of platforms have no input q0."""
    assert main(["solve", robot, "--at", "home", "--json"]) == 0
    assert '"status": "valid"' in capsys.readouterr().out
