"""Check that every command that reads a robot accepts `-` for standard input."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from symoro.robot import formats, library
from symoro.ui.cli import main

COMMANDS = {
    "show": ["show", "-"],
    "check": ["check", "-"],
    "convert": ["convert", "-", "--to", "yaml"],
    "models": ["models", "-"],
    "singularities": ["singularities", "-"],
    "base": ["base", "-"],
    "generate": ["generate", "fast-geometry", "-"],
    "count": ["count", "fast-geometry", "-"],
    "explain": ["explain", "fast-geometry", "-"],
    "eval": ["eval", "fast-geometry", "-", "q=0,0"],
    "export": ["export", "fast-geometry", "-", "-o", "OUT"],
    "solve": ["solve", "-", "--at", "0.1,0.2", "--given", "planar"],
}


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    text = formats.dumps(library.load("planar2r"), "yaml")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("given")
def test_a_robot_from_standard_input(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if command in ("singularities", "base"):
        pytest.importorskip("sympy")
    words = [word.replace("OUT", str(tmp_path / "out")) for word in COMMANDS[command]]
    assert main(words) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


@pytest.mark.usefixtures("given")
def test_the_format_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-", "--format", "par"]) == 2
    assert "<stdin>" in capsys.readouterr().err


@pytest.mark.usefixtures("given")
def test_not_for_two_things_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "fast-geometry", "-", "--values", "-"]) == 2
    assert "both the robot and its values" in capsys.readouterr().err
