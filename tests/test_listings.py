"""Test optimised listings and saved models: from Python and from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro import model_files
from symoro.errors import FormatError, WriteError
from symoro.files import is_ours
from symoro.ui.cli import main

TEXT = "a = sin(q1)*b\nc = a*cos(q2) + a*sin(q2)*b + sin(q1)*b\n"


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    path = tmp_path / "model 1.txt"
    path.write_text(TEXT)
    return path


def test_optimise(listing: Path) -> None:
    made = symoro.optimise(listing)
    assert (made.inputs, made.outputs, made.parameters) == ({"q": (2,)}, {"c": ()}, ["b"])
    assert made.count().total < made.written.total
    q, b = np.array([0.3, 0.7]), 1.5
    a = np.sin(q[0]) * b
    expected = a * np.cos(q[1]) + a * np.sin(q[1]) * b + a
    np.testing.assert_allclose(made.function({"b": b}, compiled=False)(q=q)["c"], expected, rtol=1e-14)
    assert "model_1.c" in made.code("c")
    assert "as written: 5 x" in repr(made)


def test_the_command(listing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimise", str(listing), "--lang", "c", "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "written: 5 x, 2 +, 4 functions" in printed
    assert "optimised: 4 x, 2 +, 3 functions" in printed
    assert (tmp_path / "out" / "model_1.c").is_file()
    assert main(["optimise", str(listing), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"] == {"q": [2]}


@pytest.mark.parametrize(
    ("text", "message"),
    [("a = sin(q1)*\n", "txt:1"), ("a = q1\na = q2\n", "txt:2"), ("", "no assignment")],
)
def test_bad_listings_write_nothing(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    assert main(["optimise", str(path), "--lang", "c", "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        symoro.optimise(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_encodings_and_line_ends(encoding: str, ending: str, tmp_path: Path, listing: Path) -> None:
    path = tmp_path / "model_1.txt"
    path.write_bytes(f"# modèle\n{TEXT}".replace("\n", ending).encode(encoding))
    assert str(symoro.optimise(path)) == str(symoro.optimise(listing))


def test_binary_files_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    path.write_text(TEXT, encoding="utf-16")
    with pytest.raises(FormatError, match="binary file"):
        symoro.optimise(path)


# -- saved models


@pytest.mark.parametrize(
    ("robot", "model", "options"),
    [
        ("rx90", "inverse-dynamics", {}),
        ("ur5e", "inverse-geometry", {}),
        ("jaco2", "inverse-geometry", {}),  # with a kernel call
        ("panda", "transform", {"to": 3}),  # an expanded program
        ("rx90", "jacobian", {"to": "J6"}),
    ],
)
def test_saved_models(robot: str, model: str, options: dict[str, object], tmp_path: Path) -> None:
    made = symoro.generate(robot, model, **options)
    path = tmp_path / "model.json"
    symoro.save_model(made, path)
    loaded = symoro.load_model(path)
    assert loaded.code("c") == made.code("c")
    assert str(loaded) == str(made)
    assert (loaded.options, loaded.robot, loaded.entry.id) == (made.options, made.robot, made.entry.id)
    assert is_ours(path)


def test_a_saved_derivative(tmp_path: Path) -> None:
    made = symoro.generate("rx90", "inverse-dynamics").derivative("vjp", wrt=["q"])
    symoro.save_model(made, tmp_path / "model.json")
    loaded = symoro.load_model(tmp_path / "model.json")
    assert loaded.code("c") == made.code("c")
    assert loaded.inputs == made.inputs


def test_saved_models_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "inverse-dynamics", "planar2r", "--effort", "search", "--save", "arm.json"]) == 0
    assert (
        main(["generate", "inverse-dynamics", "planar2r", "--derivative", "vjp", "--save", "vjp.json"]) == 0
    )
    assert main(["generate", "base-parameters", "planar2r", "--save", "base.json"]) == 0
    capsys.readouterr()
    codes = []
    for words in (["planar2r", "--effort", "search"], ["arm.json"]):
        assert main(["generate", "inverse-dynamics", *words, "--lang", "c"]) == 0
        codes.append(capsys.readouterr().out)
    assert codes[0] == codes[1]
    assert main(["count", "inverse-dynamics", "vjp.json"]) == 0
    assert "vjp" in capsys.readouterr().out
    for words, message in (
        (["count", "jacobian", "arm.json"], "contains the model 'inverse-dynamics', not 'jacobian'"),
        (["count", "inverse-dynamics", "arm.json", "--effort", "quick"], "--effort does not apply"),
        (["count", "base-parameters", "base.json", "--no-rotor"], "--no-rotor does not apply"),
        (["count", "inverse-dynamics", "none.json"], "none.json: the file cannot be read"),
        (["generate", "jacobian", "planar2r", "--save", "arm.txt"], "supported formats are .json"),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "arm.txt").exists()


def test_damaged_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    symoro.save_model(symoro.generate("planar2r", "fast-geometry"), path)
    text = path.read_text()
    data = json.loads(text)
    broken = [text[: len(text) // 2], "[]", "{}", "\xff", json.dumps({**data, "model": "unknown"})]
    for nodes in ([["+", 0, 10**9]], [["+", 0]], [["nothing"]], [["number", "x"]], [["kernel", 0, 0]]):
        program = {**data["program"], "nodes": [*nodes, *data["program"]["nodes"]]}
        broken.append(json.dumps({**data, "program": program}))
    program = data["program"]
    first = program["inputs"][0]
    changes: list[dict[str, object]] = [
        {"inputs": []},  # the symbols of nodes are not declared
        {"parameters": []},
        {"inputs": [{**first, "shape": [7]}]},
        {"inputs": [{**first, "name": "q{"}]},
        {"names": [[0, "x", 10**30]]},
        {"names": [[10**9, "x", 0]]},
    ]
    for change in changes:
        broken.append(json.dumps({**data, "program": {**program, **change}}))
    for one in broken:
        path.write_text(one, encoding="latin-1")
        with pytest.raises(FormatError):
            symoro.load_model(path)
    monkeypatch.setattr(model_files, "_checksum", lambda data: data.get("checksum"))
    for one in broken:  # the contents are checked, too
        path.write_text(one, encoding="latin-1")
        with pytest.raises(FormatError) as raised:
            symoro.load_model(path)
        assert "checksum" not in str(raised.value)


def test_changed_models(tmp_path: Path) -> None:
    """A program with another number is valid, but it is another model."""
    path = tmp_path / "model.json"
    symoro.save_model(symoro.generate("planar2r", "inverse-dynamics"), path)
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data, indent=1))  # other blanks, the same contents
    assert symoro.load_model(path).robot.name == "planar2R"
    first = next(node for node in data["program"]["nodes"] if node[0] == "*")
    first[1] ^= 1  # the other sign
    path.write_text(json.dumps(data))
    with pytest.raises(FormatError, match="differ from its checksum"):
        symoro.load_model(path)
    path.write_text(json.dumps({**data, "format": 1}))
    with pytest.raises(FormatError, match="not a model saved by this version"):
        symoro.load_model(path)


def test_foreign_files_are_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("{}")
    with pytest.raises(WriteError):
        symoro.save_model(symoro.generate("planar2r", "fast-geometry"), path)
