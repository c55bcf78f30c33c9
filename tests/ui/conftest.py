"""Fixtures that run commands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from symoro.ui.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command, checks that it succeeds, and returns its output."""

    def call(*words: str) -> str:
        code = main(list(words))
        printed = capsys.readouterr()
        assert code == 0, printed.err
        assert printed.err == ""
        return printed.out

    return call


@pytest.fixture
def data(run: Any) -> Any:
    """Return a function that runs a command with --json and returns the value."""
    return lambda *words: json.loads(run(*words, "--json"))
