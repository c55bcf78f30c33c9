"""The commands sweep and study: files, pictures, JSON, and one message without a file for bad input."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any
from xml.dom import minidom

import numpy as np
import pytest

import symoro
from symoro.models.catalogue import catalogue
from symoro.ui import cli, maps
from symoro.ui.cli import main
from symoro.ui.values import assignments

pytest.importorskip("pyarrow")
ARM = (
    "sweep",
    "jacobian",
    "ur5e",
    "--at",
    "q1=0,q4=-90,q5=90,q6=0",
    "--degrees",
    "--measure",
    "manipulability",
)
GRID = ("--over", "q2=-180:0:7", "--over", "q3=-150:150:5")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(name: str) -> dict[str, Any]:
    import pyarrow.parquet as pq

    columns = pq.read_table(name)
    return {name: columns[name].to_numpy() for name in columns.column_names}


def test_a_map_is_written_drawn_and_summarised(data: Any) -> None:
    answer = data(*ARM, *GRID, "-o", "map.parquet", "--picture", "map.svg")
    assert answer["rows"] == 35 and answer["compilations"] == 1
    assert answer["files"] == ["map.parquet", "map.svg"]
    columns = table("map.parquet")
    assert list(columns) == ["q2", "q3", "manipulability"]
    assert answer["ranges"]["manipulability"]["max"] == columns["manipulability"].max()
    text = Path("map.svg").read_text(encoding="utf-8")
    minidom.parseString(text)
    assert all(word in text for word in ("q2 [deg]", "q3 [deg]", "manipulability", "image/png"))


def test_options_of_the_model_and_all_processors(run: Any) -> None:
    words = ("sweep", "jacobian", "planar3r", "--to", "2", "--sample", "q=-1:1", "--count", "5", "--workers")
    text = run(*words, "-o", "a.parquet")
    assert "5 rows over q1, q2, q3" in text and "wrote a.parquet" in text
    assert np.all(table("a.parquet")["J_1_3"] == 0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--over", "q2=-180:0:7"), "q2 [deg]"),
        (("--sample", "q2=-180:0", "--sample", "q3=0:90", "--count", "50"), "q3 [deg]"),
        (("--sample", "q2=-180:0", "--count", "9"), "q2 [deg]"),
        ((*GRID, "--measure", "position"), "z [m]"),
    ],
)
def test_other_pictures(run: Any, words: tuple[str, ...], expected: str) -> None:
    fixed = () if "q3" in " ".join(words) else ("--at", "q3=40")
    run(*ARM, *words, *fixed, "--picture", "map.svg")
    text = Path("map.svg").read_text(encoding="utf-8")
    minidom.parseString(text)
    assert expected in text and "manipulability" in text


def test_a_slice_is_drawn_at_the_middle_of_the_other_grids(run: Any) -> None:
    run(*ARM[:3], "--at", "q1=0,q5=90,q6=0", *ARM[5:], *GRID, "--over", "q4=-90:90:3", "--picture", "map.svg")
    assert "(q4 = 0)" in Path("map.svg").read_text(encoding="utf-8")


def test_the_first_value_of_a_heat_map_is_at_the_lower_left() -> None:
    import base64
    import struct
    import zlib

    values = np.arange(6.0).reshape(2, 3)  # x has two values, y three
    text = maps.heat_map(values, (0, 1), (0, 2), "title", ("x", "y"))
    png = base64.b64decode(text.split("base64,")[1].split('"')[0])
    width, height = struct.unpack(">II", png[16:24])
    length = struct.unpack(">I", png[33:37])[0]
    lines = np.frombuffer(zlib.decompress(png[41 : 41 + length]), np.uint8).reshape(height, 1 + 3 * width)
    pixels = lines[:, 1:].reshape(height, width, 3)
    assert (width, height) == (2, 3)
    assert pixels[2, 0].tolist() == maps.VIRIDIS[0].tolist()  # smallest value: x and y smallest
    assert pixels[0, 1].tolist() == maps.VIRIDIS[-1].tolist()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--over", "q9=0:1:3"), "q9"),
        (("--over", "q2=0:1"), "q2"),
        (("--over", "q2=0:1:0"), "q2"),
        (("--over", "q2=nan:1:3"), "q2"),
        (("--over", "q2"), "NAME=VALUE"),
        (("--over", "q2=0:1:3", "--over", "q2=0:1:4"), "twice"),
        (("--over", "q2=0:1:3", "--at", "q2=1"), "q2"),
        (("--over", "q2=0:1:3", "--measure", "beauty"), "beauty"),
        (("--over", "q2=0:1:3", "--count", "5"), "--count|nothing is sampled"),
        (("--sample", "q2=0:1"), "number of samples"),
        (("--over", "q2=0:1:100000", "--over", "q3=0:1:100000"), "--max-rows"),
        (("--over", "q2=0:1:3", "--picture", "map.png"), "map.png"),
        (("--over", "q2=0:1:3", "--seed", "-1"), "seed"),
    ],
)
def test_bad_input_gives_one_message_and_no_file(
    capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...], expected: str
) -> None:
    fixed = () if "q3" in " ".join(words) else ("--at", "q3=40")
    assert main([*ARM, *words, *fixed, "-o", "x.parquet"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "Traceback" not in printed.err
    assert any(word in printed.err for word in expected.split("|")), printed.err
    assert not list(folder.iterdir())


def test_missing_parameters_unknown_formats_and_finished_files(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert main(["sweep", "gravity-torques", "rx90", "--over", "q2=0:1:3", "-o", "x.parquet"]) == 2
    assert "MX" in capsys.readouterr().err
    assert main([*ARM, *GRID, "-o", "x.csv2"]) == 2
    assert "csv2" in capsys.readouterr().err and not list(folder.iterdir())
    assert main([*ARM, *GRID, "-o", "x.parquet"]) == 0
    before = Path("x.parquet").read_bytes()
    assert main([*ARM, "--over", "q2=0:1:3", "--at", "q3=0", "-o", "x.parquet"]) == 2
    assert "--force" in capsys.readouterr().err and Path("x.parquet").read_bytes() == before
    assert main([*ARM, "--over", "q2=0:1:3", "--at", "q3=0", "-o", "x.parquet", "--force"]) == 0
    assert len(table("x.parquet")["q2"]) == 3


def test_no_option_of_a_model_collides_with_those_of_sweep() -> None:
    own = {*inspect.signature(symoro.sweep).parameters}
    for model, entry in catalogue().items():
        parser = cli._subparsers(cli._parser(["sweep", model, "rx90"]))["sweep"]
        for option in entry.all_options:
            assert option.name not in own
            assert f"option_{option.name}" in {action.dest for action in parser._actions}


def test_values_of_at() -> None:
    assert assignments("--at", ["q1=0,q4=10", "qd=0,1,2"]) == {"q1": "0", "q4": "10", "qd": "0,1,2"}


STUDY = """\
robot: planar2r
variables: {D2: [0.2, 1.0]}
objectives:
  - {name: w, measure: manipulability, over: {q2: [10, 170, 5]}, at: {q1: 0}, degrees: true, task: "x,y"}
algorithm: {population: 6, generations: 4}
"""


def test_a_study_from_a_file(run: Any, folder: Path) -> None:
    Path("study.yaml").write_text(STUDY, encoding="utf-8")
    words = ("study", "study.yaml", "-o", "best.csv", "--picture", "best.svg", "--robot", "best.yaml")
    assert "wrote best.yaml" in run(*words)
    rows = Path("best.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1] == "D2,w" and len(rows) == 3
    assert float(rows[2].split(",")[0]) == pytest.approx(0.2, abs=0.05)
    assert "generation" in Path("best.svg").read_text(encoding="utf-8")
    assert f"d: {rows[2].split(',')[0]}" in Path("best.yaml").read_text(encoding="utf-8")
    first, other = (json.loads(run("study", "study.yaml", "--seed", seed, "--json")) for seed in ("0", "5"))
    assert first["designs"][0]["D2"] == float(rows[2].split(",")[0]) != other["designs"][0]["D2"]


def test_an_error_in_a_study_has_line_and_column(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Path("study.yaml").write_text(STUDY.replace("manipulability", "beauty"), encoding="utf-8")
    assert main(["study", "study.yaml", "-o", "best.csv"]) == 2
    assert "study.yaml:4:24" in capsys.readouterr().err
    assert main(["study", "none.yaml"]) == 2 and "none.yaml" in capsys.readouterr().err
    assert [p.name for p in folder.iterdir()] == ["study.yaml"]


def test_the_front_of_two_objectives_is_drawn(run: Any) -> None:
    pytest.importorskip("pymoo")
    second = "  - {name: size, expression: D2}\n"
    text = STUDY.replace("algorithm", second + "algorithm").replace('"x,y"}', '"x,y", maximise: true}')
    Path("study.yaml").write_text(text, encoding="utf-8")
    run("study", "study.yaml", "--picture", "front.svg", "-o", "front.csv")
    drawn = Path("front.svg").read_text(encoding="utf-8")
    assert "Pareto front" in drawn and "size" in drawn
    assert len(Path("front.csv").read_text(encoding="utf-8").splitlines()) > 4
