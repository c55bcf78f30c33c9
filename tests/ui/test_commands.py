"""Check the output, JSON, files and exit code of every command."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.emit import LANGUAGES
from symoro.emit.targets import TARGETS
from symoro.robot import library
from symoro.ui import cli
from symoro.ui.cli import main

COMMANDS = (
    "robots",
    "show",
    "check",
    "convert",
    "models",
    "languages",
    "cite",
    "generate",
    "count",
    "explain",
    "eval",
    "solve",
    "export",
    "singularities",
    "base",
)
ZERO = "q=0,0,0,0,0,0"


# -- robots


def test_robots(run: Any, data: Any) -> None:
    assert "Staubli RX-90" in run("robots")
    rows = data("robots")
    assert [row["id"] for row in rows] == library.names()
    assert all(row["reference"] and row["title"] for row in rows)


def test_show(run: Any, data: Any) -> None:
    text = run("show", "rx90")
    for part in ("geometric parameters", "-pi/2", "RL4", "limits", "side view", "top view"):
        assert part in text, part
    shown = data("show", "rx90")
    assert shown["nominal"]["D3"] == 0.45 and shown["structure"] == "serial" and shown["NL"] == 6
    assert shown["tables"][0]["rows"][3] == {
        "j": "4",
        "ant": "3",
        "type": "R",
        "mu": "1",
        "gamma": "0",
        "b": "0",
        "alpha": "-pi/2",
        "d": "0",
        "theta": "q4",
        "r": "RL4",
        "name": "J4",
    }


@pytest.mark.parametrize("name", library.names())
def test_show_every_bundled_robot(run: Any, name: str) -> None:
    assert "geometric parameters" in run("show", name)


def test_show_with_numbers(run: Any) -> None:
    text = run("show", "rx90", "--bind", "D3=1/3", "--bind", "RL4=2*D3")
    assert "1/3" in text and "2*D3" in text


def test_texts_of_a_robot_are_escaped(run: Any, tmp_path: Path) -> None:
    """A title such as [red] or [/bold] is printed literally."""
    robot = symoro.load("planar2r").replace(name="a[/bold]b", title="[red]x[/y]", reference="[link=1]")
    file = tmp_path / "odd.yaml"
    symoro.save(robot, file)
    text = run("show", str(file))
    assert "a[/bold]b" in text and "[red]x[/y]" in text and "[link=1]" in text
    assert "a[/bold]b" in run("count", "fast-geometry", str(file))


def test_check(run: Any, data: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("check", "scara").startswith("SCARA: sound. serial, 4 joints (RRPR)")
    assert data("check", "scara")["ok"] is True
    bad = tmp_path / "bad.yaml"
    bad.write_text("symoro: 1\nname: bad\nframes: 7\n")
    assert main(["check", str(bad)]) == 2
    assert "bad.yaml" in capsys.readouterr().err
    assert main(["check", str(bad), "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False and answer["problems"]


@pytest.mark.parametrize("fmt", ["par", "yaml"])
def test_convert_to_a_file_and_back(run: Any, tmp_path: Path, fmt: str) -> None:
    file = tmp_path / f"arm.{fmt}"
    assert run("convert", "scemi", str(file), "--lossy") == f"wrote {file}\n"
    assert symoro.load(file).frames[3].r == symoro.load("scemi").frames[3].r
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("fmt", "columns"),
    [
        ("dh", "joint, theta, d,   a,  alpha"),
        ("denavit-hartenberg", "joint, theta, d,   a,  alpha"),
        ("craig", "joint, alpha, a,  theta, d"),
        ("kk", "joint, gamma, b, alpha, d,  theta, r"),
        ("khalil-kleinfinger", "joint, gamma, b, alpha, d,  theta, r"),
    ],
)
def test_convert_to_a_table(run: Any, tmp_path: Path, fmt: str, columns: str) -> None:
    """The table, read again, places the last frame where it was."""
    text = run("convert", "rx90", "--to", fmt)
    assert columns in text
    file = tmp_path / "table.csv"
    file.write_text(text)
    values, q = {"D3": 0.4, "RL4": 0.3}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    places = [
        symoro.generate(robot, "fast-geometry").function(values, compiled=False)(q=q)["T"]
        for robot in (symoro.load("rx90"), symoro.load(file))
    ]
    np.testing.assert_allclose(places[1], places[0], rtol=0, atol=1e-12)


def test_convert_a_branch_of_a_tree(run: Any) -> None:
    text = run("convert", "humanoid_torso", "--to", "kk", "--frame", "8")
    assert len(text.splitlines()) == 4 + 1 + 8


# -- models


def test_models(run: Any, data: Any) -> None:
    text = run("models")
    for entry in symoro.catalogue().values():
        assert entry.id in text and entry.title[:40] in text
    assert [row["id"] for row in data("models")] == list(symoro.catalogue())
    (row,) = [row for row in data("models", "rx90") if row["id"] == "jacobian"]
    assert row["why_not"] is None and row["options"][1]["name"] == "frame"
    assert "applies" in run("models", "gantry")


def test_languages(run: Any, data: Any) -> None:
    text = run("languages")
    for language in LANGUAGES.values():
        assert language.id in text and language.title in text
    assert [row["id"] for row in data("languages")] == list(dict.fromkeys((*LANGUAGES, *TARGETS)))
    (row,) = [row for row in data("languages") if row["id"] == "javascript"]
    assert "ts" in row["aliases"] and row["options"] == ["name"]


def test_cite(run: Any, data: Any) -> None:
    assert "SYMORO+" in run("cite", "jacobian") and "@article{khalil" in run("cite", "jacobian")
    every = run("cite")
    assert every.count("@") == len({e.reference.key for e in symoro.catalogue().values()})
    assert {row["id"] for row in data("cite")} == set(symoro.catalogue())


def test_generate_text(run: Any, data: Any) -> None:
    text = run("generate", "fast-geometry", "rx90", "--to", "3")
    assert "T[1,4] = " in text and "robot: RX90" in text
    assert run("generate", "fgm", "rx90", "--to", "3") == text
    assert run("generate", "--to", "3", "fast-geometry", "rx90") == text, "options may come first"
    model = data("generate", "jacobian", "rx90", "--frame", "3")
    assert model["inputs"]["q"] == {"shape": [6], "entries": [f"q{j}" for j in range(1, 7)]}
    assert model["parameters"] == ["D3", "RL4"] and model["count"]["multiplications"] == 6


@pytest.mark.parametrize("words", [("--from", "3"), ("--frm", "3"), ("--from", "J3"), ("--frm=3",)])
def test_generate_from_a_frame(run: Any, words: tuple[str, ...]) -> None:
    assert "transform of frame 6 in frame 3" in run("generate", "transform", "rx90", *words)


def test_generate_with_numbers(run: Any) -> None:
    text = run("generate", "fast-geometry", "rx90", "--bind", "D3=0.5", "--bind", "RL4=pi/4")
    assert "Parameters" not in text


@pytest.mark.parametrize(
    ("language", "suffixes"),
    [
        ("c", {".c", ".h"}),
        ("cpp", {".hpp"}),
        ("python", {".py"}),
        ("matlab", {".m"}),
        ("latex", {".tex"}),
        ("julia", {".jl"}),
        ("javascript", {".js", ".ts"}),
    ],
)
def test_generate_files(run: Any, tmp_path: Path, language: str, suffixes: set[str]) -> None:
    out = tmp_path / "deep" / "folder"
    printed = run("generate", "--lang", language, "-o", str(out), "fast-geometry", "rx90")
    files = sorted(out.iterdir())
    assert {f"wrote {file}" for file in files} == set(printed.splitlines())
    assert suffixes <= {file.suffix for file in files}


def test_generate_files_as_json(run: Any, data: Any, tmp_path: Path) -> None:
    names = data("generate", "fast-geometry", "rx90", "-o", str(tmp_path / "a"))
    assert all(Path(name).exists() for name in names)
    texts = data("generate", "fast-geometry", "rx90", "--lang", "c")
    assert any(name.endswith(".h") for name in texts)


def test_generate_single_precision(run: Any) -> None:
    assert "float" in run("generate", "fast-geometry", "rx90", "--lang", "c", "--float")


def test_count(run: Any, data: Any) -> None:
    assert "44" in run("count", "fast-geometry", "rx90")
    counted = data("count", "fast-geometry", "rx90")
    assert (counted["multiplications"], counted["additions"], counted["functions"]) == (44, 19, 12)


def test_eval(run: Any, data: Any) -> None:
    text = run("eval", "fast-geometry", "rx90", ZERO)
    assert "0.45" in text and "-0" not in text
    result = data("eval", "fast-geometry", "rx90", ZERO, "D3=2", "RL4=pi")
    np.testing.assert_allclose(
        result["T"], [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, np.pi], [0, 0, 0, 1]], atol=1e-15
    )


@pytest.mark.parametrize(
    "words",
    [
        ["q=[0, pi/2, atan2(1, 1), 0, 0, 0]"],
        ["--to", "6", "q=0,pi/2,pi/4,0,0,0"],
        ["--bind", "D3=0.45", "q=0,pi/2,pi/4,0,0,0", "RL4=0.45"],
    ],
)
def test_eval_takes_values_as_people_write_them(data: Any, words: list[str]) -> None:
    result = data("eval", "fast-geometry", "rx90", *words)
    assert result["T"][2][3] == pytest.approx(0.45 + 0.45 * np.cos(3 * np.pi / 4))


def test_eval_of_many_samples(data: Any) -> None:
    result = data("eval", "jacobian", "planar2r", "q=[[0, 0], [pi/2, 0], [0, pi]]")
    assert np.shape(result["J"]) == (3, 6, 2)


def test_eval_from_a_file(data: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"q": [[0] * 6, [1] * 6], "D3": 2})
    file = tmp_path / "values.json"
    file.write_text(text)
    result = data("eval", "fast-geometry", "rx90", "--values", str(file))
    assert np.shape(result["T"]) == (2, 4, 4) and result["T"][0][0][3] == 2
    both = data("eval", "fast-geometry", "rx90", "--values", str(file), ZERO)
    assert both["T"][0][3] == 2, "words win over the file"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert data("eval", "fast-geometry", "rx90", "--values", "-") == result


def test_export(run: Any, data: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("export", "fast-geometry", "rx90", "-o", str(out), "--lang", "c,python")
    names = {file.name for file in out.rglob("*") if file.is_file()}
    assert {"RX90.yaml", "README.md", "Makefile"} <= names
    assert symoro.load(next(out.rglob("RX90.yaml"))) == symoro.load("rx90")
    readme = next(out.rglob("README.md")).read_text()
    assert "| input `q` | (6) | rad |" in readme and "| D3 | m |" in readme
    assert data("export", "fast-geometry", "rx90", "-o", str(tmp_path / "again"))


def test_singularities(run: Any, data: Any) -> None:
    assert run("singularities", "rx90").splitlines()[1] == "  cos(q3) = 0   at q3 = pi/2 or -pi/2"
    result = data("singularities", "rx90")
    assert result["meaning"] == "J" and result["always"] is False and result["complete"] is True
    assert result["conditions"][2] == {"expressions": ["D3*cos(q2) - RL4*sin(q2 + q3)"], "solution": ""}
    for name in ("jaco2", "panda"):
        result = data("singularities", name)
        assert result["conditions"] and result["complete"] is True
    assert "D3" not in run("singularities", "rx90", "--bind", "D3=1/2")


# -- help


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert f"usage: symoro {command}" in text and f"example:\n  symoro {command}" in text


@pytest.mark.parametrize("model", list(symoro.catalogue()))
def test_help_of_every_model(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["generate", model, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for option in symoro.catalogue()[model].options:
        assert f"--{option.name.replace('_', '-')}" in text
    assert "OPTION_" not in text


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    for command in COMMANDS:
        assert f"\n  {command} " in text, command


# -- options of the emitted code, loops cut, postures


def test_bind_renames_a_symbol(run: Any) -> None:
    text = run("generate", "fast-geometry", "rx90", "--bind", "D3=L2")
    assert "L2*" in text and "D3" not in text


def test_names_precision_and_sines_of_emitted_code(run: Any, tmp_path: Path) -> None:
    words = ["generate", "fast-geometry", "rx90", "--lang", "c"]
    plain = run(*words)
    assert run(*words, "--float32") == run(*words, "--float") != plain
    assert "const float *" in run(*words, "--float32") and "const float *" not in plain
    assert run(*words, "--trig", "libm") != plain == run(*words, "--trig", "polynomial")
    run(*words, "--name", "arm_place", "-o", str(tmp_path / "code"))
    assert {path.name for path in (tmp_path / "code").iterdir()} == {
        "arm_place.c",
        "arm_place.h",
        "arm_place_batch.c",
        "arm_place_example.c",
    }
    run("export", *words[1:], "--name", "arm", "--trig", "libm", "--float32", "-o", str(tmp_path / "project"))
    source = (tmp_path / "project" / "arm.c").read_text()
    assert (
        source
        == symoro.generate("rx90", "fast-geometry").code("c", name="arm", trig="libm", scalar="float")[
            "arm.c"
        ]
    )
    run("export", *words[1:3], "--lang", "c,python", "--trig", "libm", "-o", str(tmp_path / "two"))
    assert (tmp_path / "two" / "python").is_dir(), "each language takes the options that it knows"
    on_gpu = run(*words[:4], "cuda", "--float32", "--trig", "fast", "--layout", "entries")
    assert "__sincosf(x, s, c)" in on_gpu and "q T: entry e of sample i is x[e * n + i]" in on_gpu


@pytest.mark.parametrize("name", ["../escape", "/etc/arm", "a b", "int", "é"])
def test_a_name_stays_a_name(run: Any, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "out"
    run("generate", "fast-geometry", "rx90", "--lang", "c", "--name", name, "-o", str(folder))
    assert main(["export", "fast-geometry", "rx90", "--name", name, "-o", str(folder)]) == 0
    assert "cannot be the name of a function" in capsys.readouterr().err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and all(path.parent == folder for path in files)


def test_loops_are_cut(run: Any, data: Any) -> None:
    tree = symoro.load("sr400").tree()
    assert data("show", "sr400", "--tree")["structure"] == "tree"
    assert data("count", "inverse-dynamics", "sr400", "--tree")["additions"] == (
        symoro.generate(tree, "inverse-dynamics").count().additions
    )
    assert "sound. tree" in run("check", "sr400", "--tree")
    assert data("show", "rx90", "--tree") == data("show", "rx90"), "a tree stays as it is"


def test_base_parameters_near_a_posture(data: Any, tmp_path: Path) -> None:
    robot = symoro.load("fourbar").replace(postures={"home": [-0.3, 0.8, 0.9]})
    symoro.save(robot, tmp_path / "loop.yaml")
    named = data("base", str(tmp_path / "loop.yaml"), "--posture", "home")
    assert named["names"] == data("base", "fourbar", "--posture", "-0.3,0.8,0.9")["names"]
    assert main(["base", "fourbar", "--posture", "1,2"]) == 2


def test_base_parameters_of_zero_fields_are_left_out_unless_all_are_requested(
    capsys: pytest.CaptureFixture[str], data: Any
) -> None:
    """UR5e has 30 base parameters with the numbers of its description, and 40 in general."""
    assert main(["base", "ur5e"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("UR5e: 30 base parameters") and "--inertia all includes them" in text
    assert main(["base", "ur5e", "--inertia", "all"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("UR5e: 40 base parameters") and "left out" not in text
    assert len(symoro.base_parameters("ur5e", inertia="all").names) == 40
    with pytest.raises(symoro.SymoroError, match="inertia: expected 'given' or 'all'"):
        symoro.base_parameters("ur5e", inertia="some")


def test_options_of_other_models_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "gravity-torques", "rx90", "--effort", "search"]) == 2
    text = capsys.readouterr().err
    assert "--effort is an option of inverse-dynamics" in text
    assert "gravity-torques has the options --rotation" in text


def test_given_entries_of_a_pose_have_two_names(capsys: pytest.CaptureFixture[str], data: Any) -> None:
    """`generate` calls them --pose and `solve` --given; each accepts both words."""
    by_pose, by_given = (data("count", "inverse-geometry", "rx90", flag, "position") for flag in PAIR)
    assert by_pose == by_given
    posture = ("--at", "0.1,0.2,0.3,0.4,0.5,0.6")
    by_pose, by_given = (data("solve", "rx90", *posture, flag, "position") for flag in PAIR)
    assert by_pose == by_given and len(by_pose["solutions"]) == 4


PAIR = ("--pose", "--given")


def test_tables_in_latex(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "rx90", "--latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "% geometric parameters of RX90"
    assert r"  $3$ & $2$ & R & $1$ & $0$ & $0$ & $0$ & $D_{3}$ & $q_{3}$ & $0$ & J3 \\" in lines
    assert lines.count(r"\end{tabular}") == 2


def test_pictures_of_postures_in_degrees(tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    assert main(["render", "planar2r", "--posture", "90,-30", "--degrees", "-o", str(one)]) == 0
    assert main(["render", "planar2r", "--posture", "pi/2,-pi/6", "-o", str(other)]) == 0
    assert one.read_text() == other.read_text()


def test_another_model_in_the_folder_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "out")
    for model, warned in (("fast-geometry", False), ("velocities", True), ("velocities", False)):
        assert main(["export", model, "planar2r", "-o", folder]) == 0
        text = capsys.readouterr().err
        assert ("contains the project 'planar2R_fast_geometry'" in text) is warned
        assert ("Makefile and README.md are replaced by those" in text) is warned
    assert main(["export", "jacobian", "planar2r", "--lang", "rust", "-o", folder]) == 0
    assert "README.md is replaced by that of this model" in capsys.readouterr().err


def test_another_name_than_the_given_one_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, noted in (("Arm-1", True), ("Arm_1", False)):
        words = [
            "export",
            "jacobian",
            "planar2r",
            "--lang",
            "rust",
            "--name",
            name,
            "-o",
            str(tmp_path / name),
        ]
        assert main(words) == 0
        assert ("the project is called Arm_1" in capsys.readouterr().err) is noted


def test_languages_are_listed_with_their_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["languages"]) == 0
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert "--name, --float32, --trig, --integrator" in rows["c"]
    assert "--fmi, --step, --initial" in rows["fmu"]
    assert "--float32" in rows["cmake"] and "--float32" in rows["cortex-m"]
    flags = {word.rstrip(",") for line in rows.values() for word in line.split() if word.startswith("--")}
    assert flags <= {
        flag
        for action in cli._subparsers(cli._parser([]))["export"]._actions
        for flag in action.option_strings
    }
