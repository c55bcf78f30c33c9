"""Check bad input: exit code 2, one clear message, no traceback, no incomplete file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from symoro import files
from symoro.errors import WriteError
from symoro.ui.cli import main

ZERO = "q=0,0,0,0,0,0"

CASES = [
    # words, part of the message
    (["bogus"], "no command called 'bogus'"),
    (["genrate", "jacobian", "rx90"], "did you mean 'generate'"),
    (["solv", "rx90"], "did you mean 'solve'"),
    (["count", "jacobian", "rx90", "--jsn"], "did you mean '--json'"),
    (["generate", "jacobian", "rx90", "--farme=3"], "did you mean '--frame'"),
    (["eval", "jacobian", "rx90", ZERO, "--degree"], "did you mean '--degrees'"),
    (["generate", "rx90", "mass-matrix"], "the model comes first: symoro generate inertia-matrix rx90"),
    (["generate", "rx90", "rx90"], "no model called 'rx90'"),
    (["generate", "idm"], "'symoro robots' lists the bundled robots"),
    (["torques", "planar3r"], "arguments are required: trajectory\n"),
    (["simulate", "planar2r", "tau=0,0"], "the initial position is missing: give q=... (2 numbers)"),
    (["simulate", "delta"], "or q=home, a posture of the robot"),
    (["solve", "fivebar"], "qa=q1,q3 gives all assembly modes"),
    (["pose", "delta"], "the positions of the active joints are missing: give qa=q1,q8,q13"),
    (["pose", "delta", "qa=0.1,0.2"], "expected 3 finite numbers, one per active joint"),
    (["show", "rx90", "--fixed", "keep"], "it applies to URDF, xacro and MJCF files"),
    (["count", "jacobian", "rx90", "--payload", "mass=2"], "--payload does not change 'jacobian'"),
    (
        ["eval", "inverse-dynamics", "planar2r", "q=0,0"],
        "inputs 'qd', 'qdd' are missing: give qd=... (2 numbers)",
    ),
    (["eval", "jacobian", "panda", "q=redy"], "did you mean 'ready'"),
    (["eval", "jacobian", "rx90", "q=home"], "no named postures"),
    (["eval", "inverse-dynamics", "panda", "q=ready", "qd=ready"], "value of 'qd': expected numbers"),
    (["generate", "inverse-dynamics", "sr400", "--actuators", "elastic"], "--tree cuts them"),
    (["convert", "sr400", "--to", "urdf"], "--tree"),
    (
        ["export", "jacobian", "rx90", "-o", "out", "--lang", "python", "--trig", "libm"],
        "has no option --trig",
    ),
    (["--bogus"], "unrecognized arguments: --bogus"),
    (["robots", "extra"], "unrecognized arguments: extra"),
    (["show"], "the following arguments are required: robot"),
    (["show", "nope"], "no bundled robot called 'nope'"),
    (["show", "rx9"], "did you mean 'rx90'"),
    (["show", "missing.par"], "missing.par: there is no such file"),
    (["show", "folder/arm.xyz"], "the suffix '.xyz' does not identify a format"),
    (["show", "rx90", "--bind", "D3"], "'D3' is not of the form NAME=VALUE"),
    (["show", "rx90", "--bind", "D9=1"], "no symbol of robot 'RX90' called 'D9'"),
    (["show", "rx90", "--bind", "D3=1+"], "value of 'D3'"),
    (["show", "rx90", "--bind", "D3=__import__('os')"], "value of 'D3'"),
    (["models", "nope"], "no bundled robot called 'nope'"),
    (["cite", "nope"], "no model called 'nope'"),
    (["convert", "rx90"], "the output is missing"),
    (["convert", "rx90", "--to", "word"], "no format called 'word'"),
    (["convert", "rx90", "arm.docx"], "does not identify a format"),
    (["convert", "rx90", f"{__file__}/arm.yaml"], "cannot be written"),
    (["convert", "humanoid_torso", "--to", "dh"], "has a tree structure"),
    (["convert", "humanoid_torso", "--to", "dh", "--frame", "99"], "no frame called '99'"),
    (["singularities", "rx90", "--to", "99"], "no frame called '99'"),
    (["singularities", "rx90", "--to", "world"], "the world does not move"),
    (["generate"], "the following arguments are required: model, robot"),
    (["generate", "jacobian"], "the following arguments are required: robot"),
    (["generate", "nope", "rx90"], "no model called 'nope'"),
    (["generate", "jacobain", "rx90"], "did you mean 'jacobian'"),
    (["generate", "jacobian", "nope"], "no bundled robot called 'nope'"),
    (["generate", "jacobian", "rx90", "--lang", "cobol"], "no language called 'cobol'"),
    (["generate", "jacobian", "rx90", "--lang", "python", "--float"], "has no option --float32"),
    (["generate", "jacobian", "rx90", "--lang", "python", "--float32"], "has no option --float32"),
    (["generate", "jacobian", "rx90", "--frm", "1"], "unrecognized arguments: --frm 1"),
    (["generate", "jacobian", "rx90", "--frame"], "expected one argument"),
    (["generate", "jacobian", "rx90", "--frame", "99"], "no frame called '99'"),
    (["generate", "jacobian", "rx90", "--frame", "9" * 5000], "no frame called"),
    (["generate", "jacobian", "rx90", "--frame", "²"], "no frame called '²'"),
    (["generate", "jacobian", "rx90", "--to", "tool"], "has no tool frame"),
    (["generate", "jacobian", "humanoid_torso", "--mid", "3"], "not on the path"),
    (["generate", "inverse-kinematics", "rx90", "--method", "best"], "invalid choice: 'best'"),
    (["generate", "inverse-kinematics", "scara", "--method", "regular"], "requires six joints"),
    (["generate", "jacobian-inverse", "rx90_floating", "--frame", "world"], "floating"),
    (["export", "jacobian", "rx90"], "export needs a folder"),
    (
        ["export", "jacobian", "rx90", "-o", "out", "--lang", "c,cobol"],
        "no language or export target called 'cobol'",
    ),
    (["eval", "jacobian", "rx90"], "input 'q' is missing"),
    (["eval", "jacobian", "rx90", "q"], "'q' is not of the form NAME=VALUE"),
    (["eval", "jacobian", "rx90", "q="], "'q=' is not of the form NAME=VALUE"),
    (["eval", "jacobian", "rx90", "q=1,2"], "input 'q' has shape (2,), expected (6,)"),
    (["eval", "jacobian", "rx90", "q=a,0,0,0,0,0"], "'a' contains a symbol, expected a number"),
    (["eval", "jacobian", "rx90", "q=1e999,0,0,0,0,0"], "too large"),
    (["eval", "jacobian", "rx90", "q=1/0,0,0,0,0,0"], "value of 'q'"),
    (["eval", "jacobian", "rx90", "q=[0,0"], "brackets"),
    (["eval", "jacobian", "rx90", "q=0,0]"], "brackets"),
    (["eval", "jacobian", "rx90", "q=" + "(" * 10000], "brackets"),
    (["eval", "jacobian", "rx90", "q=9**9**9,0,0,0,0,0"], "value of 'q'"),
    (["eval", "jacobian", "rx90", ZERO, "qd=1"], "no parameter of jacobian called 'qd'"),
    (["eval", "jacobian", "rx90", ZERO, "D3=1,2"], "'D3' is not a number"),
    (["eval", "jacobian", "rx90", ZERO, "--values", "missing.json"], "cannot read 'missing.json'"),
    (["eval", "jacobian", "rx90", "--nope", ZERO], "unrecognized arguments: --nope"),
    (["eval", "jacobian", "rx90_floating", "q=0"], "input 'q' has shape"),
]


def failing(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    code = main(words)
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert printed.err.startswith("symoro: ")
    assert "Traceback" not in printed.err
    assert len(printed.err.splitlines()) <= 6
    return printed.err


@pytest.mark.parametrize(("words", "message"), CASES, ids=[" ".join(words)[:50] for words, _ in CASES])
def test_one_message(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in failing(words, capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x00\x01\x02\xff" * 50, "binary"),
        (b"\xff\xfe\xfa", "not UTF-8"),
        (b"", "empty"),
        (b"NL = 3\nant = {0,", "arm"),
    ],
)
@pytest.mark.parametrize("suffix", [".par", ".yaml", ".csv"])
def test_files_without_a_robot(
    content: bytes, message: str, suffix: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / f"arm{suffix}"
    file.write_bytes(content)
    for words in (["show"], ["check"], ["generate", "jacobian"], ["singularities"]):
        assert message in failing([*words, str(file)], capsys)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "JSON"),
        ("[1, 2]", "expected an object"),
        ('{"q": null}', "input 'q'"),
        ('{"q": "abc"}', "no posture of robot 'RX90' called 'abc'"),
        ('{"q": ["abc", 0, 0, 0, 0, 0]}', "not an array of real numbers"),
        ('{"q": {"a": 1}}', "not an array of real numbers"),
        ('{"q": [[1], [2, 3]]}', "not an array of real numbers"),
        ('{"q": [0,0,0,0,0,0], "D3": null}', "'D3' is not a number"),
        ('{"q": [' + "1" * 400 + ",0,0,0,0,0]}", "not an array of real numbers"),
        ('{"q": ' + "1" * 5000 + "}", "is not a JSON text"),
        ("[" * 100_000, "JSON"),
        ("\udcff", "JSON"),
    ],
)
def test_values_that_are_none(
    content: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "values.json"
    file.write_bytes(content.encode(errors="surrogateescape"))
    assert message in failing(["eval", "jacobian", "rx90", "--values", str(file)], capsys)


def test_a_folder_is_not_a_values_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "cannot read" in failing(["eval", "jacobian", "rx90", "--values", str(tmp_path)], capsys)


# -- files whole or not at all


def test_a_file_with_the_name_of_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "out").write_text("keep me")
    message = failing(["generate", "jacobian", "rx90", "--lang", "c", "-o", str(tmp_path / "out")], capsys)
    assert "a file, not a folder" in message
    assert (tmp_path / "out").read_text() == "keep me"


def test_a_failing_write_leaves_the_old_file_and_no_scraps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "model.txt"
    target.write_text("Made by symoro 0.1.0\nold")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.Path, "replace", full)
    with pytest.raises(WriteError, match="no space left on device"):
        files.write_folder(tmp_path, {"model.txt": "new"})
    assert target.read_text().endswith("old")
    assert [file.name for file in tmp_path.iterdir()] == ["model.txt"]


def test_text_that_cannot_be_encoded_leaves_no_scraps(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        files.write_folder(tmp_path, {"model.txt": "a\ud800b"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="no such modes there")
def test_files_may_be_read_by_others(tmp_path: Path) -> None:
    (path,) = files.write_folder(tmp_path / "new", {"deep/model.txt": "x\n"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert path.read_bytes() == b"x\n"
