"""The pages of the geometric and kinematic models: up to date, and their commands run."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

import symoro
from symoro.ui.cli import main

ROOT = Path(__file__).resolve().parents[2]
MODELS = [e.id for e in symoro.catalogue().values() if e.menu in ("Geometric", "Kinematic")]


def test_the_pages_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("model_pages", ROOT / "tools" / "model_pages.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    for path, text in tool.pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python tools/model_pages.py"


@pytest.mark.parametrize("model", MODELS)
def test_the_commands_of_a_page_run(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs" / "models" / f"{model}.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    symoro (.*)$", text, re.MULTILINE)
    assert commands
    monkeypatch.chdir(tmp_path)
    for command in commands:
        assert main(shlex.split(command)) == 0, command
        assert capsys.readouterr().err == ""
