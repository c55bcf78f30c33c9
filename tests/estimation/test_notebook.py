"""The notebook runs, cell by cell, without Jupyter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "identification.ipynb"


def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cvxpy")
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    namespace: dict[str, object] = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "notebooks are kept without outputs"
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), namespace)
    assert "not told by this log" in capsys.readouterr().out
