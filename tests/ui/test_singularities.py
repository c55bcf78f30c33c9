"""The command `symoro singularities`: conditions in symbols, and distances at configurations and poses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.ui.cli import main
from symoro.ui.service import call


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*words: str, code: int = 0) -> tuple[str, str]:
        assert main(["singularities", *words]) == code
        shown = capsys.readouterr()
        return shown.out, shown.err

    return command


def test_a_platform_has_numbers_where_it_has_no_conditions(run: Any) -> None:
    out, err = run("gough_stewart")
    assert not err
    assert "not analysed" in out and "at 101 configurations; output: twist; characteristic length 1 m" in out
    assert "easiest twist" in out and "joint velocities of least effect" in out
    data = json.loads(run("gough_stewart", "--json")[0])
    assert data["parallel"]["complete"] is False
    assert len(data["numeric"]["parallel"]) == 101 and data["numeric"]["length"] == 1.0
    home = symoro.singularity_distance("gough_stewart", symoro.load("gough_stewart").postures["home"])
    assert data["numeric"]["parallel"][0] == pytest.approx(float(home["parallel"]), rel=1e-9)


def test_conditions_remain_symbols_where_they_exist(run: Any) -> None:
    out, _ = run("fivebar")
    assert "distance" not in out and "type 2" in out


def test_the_posture_the_joints_and_the_pose_give_the_same_distances(run: Any, tmp_path: Path) -> None:
    robot = symoro.load("gough_stewart")
    home = list(robot.postures["home"])
    file = tmp_path / "poses.json"
    pose = np.eye(4)
    pose[2, 3] = 0.8
    file.write_text(json.dumps({"T": [pose.tolist(), pose.tolist()]}))
    given = [
        ["--at", "home"],
        ["--at", ",".join(map(str, home))],
        ["q=" + ",".join(map(str, home))],
        ["qa=" + ",".join(["0.9028791032430618"] * 6)],
        ["--pose", "0,0,0.8,0,0,0"],
        ["--pose", ",".join(map(str, pose.ravel()))],
        ["--values", str(file)],
    ]
    results = [json.loads(run("gough_stewart", *words, "--json")[0])["numeric"] for words in given]
    for result in results:
        assert result["parallel"][0] == pytest.approx(results[0]["parallel"][0], rel=1e-9)
        assert result["nearest"][0] == "passive"
    assert len(results[-1]["serial"]) == 2


def test_a_table_of_values_is_reproducible(run: Any) -> None:
    words = ("delta", "--count", "5", "--seed", "3", "--spread", "0.2", "--length", "0.3", "--csv")
    out, _ = run(*words)
    assert out == run(*words)[0] != run("delta", "--count", "5", "--csv")[0]
    rows = list(csv.DictReader(out.splitlines()[1:]))
    assert len(rows) == 6
    q = [
        [float(row[f"q{j}"]) for j in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)]
        for row in rows
    ]
    analysis = symoro.singularity_analysis("delta", q, length=0.3)
    assert [float(row["serial"]) for row in rows] == pytest.approx(analysis.distances["serial"], rel=1e-12)
    motors = analysis.q[1:, [0, 6, 11]] - analysis.q[0, [0, 6, 11]]
    assert 0.02 < np.abs(motors).max() <= 0.2


def test_rows_that_do_not_close_are_counted(run: Any) -> None:
    out, err = run("3rrr", "--at", "0,0,0,0,0,0,0", code=1)
    assert "nan" in out and "1 of 1 configurations" in err
    out, err = run("delta", "--count", "20", "--spread", "3", "--json")
    parallel = json.loads(out)["numeric"]["parallel"]
    assert None in parallel and f"{parallel.count(None)} of 21 configurations" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gough_stewart", "--at", "nope"], "no posture of robot 'gough_stewart' called 'nope'"),
        (["gough_stewart", "--at", "0,0"], "q: expected the shape"),
        (["gough_stewart", "--at", "home", "--count", "3"], "--count applies to random configurations"),
        (["gough_stewart", "--at", "home", "--pose", "0,0,1,0,0,0"], "exclude each other"),
        (["gough_stewart", "--pose", "0,0,1"], "12 or 16 entries"),
        (["gough_stewart", "--length", "0"], "positive length"),
        (["gough_stewart", "--length", "nan"], "positive length"),
        (["gough_stewart", "--count", "-1"], "--count: expected"),
        (["gough_stewart", "--spread", "inf"], "--spread: expected"),
        (["gough_stewart", "RB=2"], "'RB' is not a configuration"),
        (["gough_stewart", "q=[1,2],[3]"], "expected numbers, one row per configuration"),
        (["rx90", "--pose", "0,0,1,0,0,0"], "loop"),
        (["rx90", "--count", "3"], "no posture 'home'"),
        (["diffdrive", "--at", "0,0"], "singularities"),
    ],
)
def test_wrong_arguments(run: Any, words: list[str], message: str) -> None:
    out, err = run(*words, code=2)
    assert message in err and not out


def test_the_service_adds_the_distances_at_home() -> None:
    yaml = pytest.importorskip("yaml")
    from symoro.ui.service import answers

    def answered(name: str) -> Any:
        return answers.singular({"robot": yaml.safe_load(symoro.dumps(symoro.load(name), "yaml"))})

    answer = answered("gough_stewart")
    assert not answer.complete
    assert (
        "distances in posture 'home', characteristic length 1 m: serial 0.460749, parallel 0.388347"
        in answer.text
    )
    assert "distances" not in answered("fivebar").text


def test_the_service_returns_the_distances_of_a_posture() -> None:
    view = call("robot_open", {"id": "gough_stewart"})
    robot = symoro.load("gough_stewart")
    home = list(robot.postures["home"])
    answer = call("singularity_distances", {"robot": view["robot"], "q": home, "values": view["values"]})
    expected = symoro.singularity_distance(robot, home)
    assert answer == pytest.approx({name: float(x) for name, x in expected.items()}, rel=1e-12)
    scaled = {**view["values"], "RB": 2 * view["values"]["RB"]}  # the loops are open with another base
    opened = call("singularity_distances", {"robot": view["robot"], "q": home, "values": scaled})
    assert "are open in this posture" in opened["error"]["message"]


def test_the_service_returns_no_distance_of_other_types_for_an_arm() -> None:
    view = call("robot_open", {"id": "planar2r"})
    answer = call(
        "singularity_distances", {"robot": view["robot"], "q": [0.3, 0.0], "values": view["values"]}
    )
    assert answer["serial"] == pytest.approx(0, abs=1e-12)
    assert answer["parallel"] is answer["passive"] is answer["constraint"] is None
    wrong = call("singularity_distances", {"robot": view["robot"], "q": [0.3]})
    assert wrong["error"]["message"] == "'q': expected 2 finite numbers"
