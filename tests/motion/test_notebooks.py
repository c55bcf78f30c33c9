"""The notebooks run: their code cells one after the other, without Jupyter."""

import json
import sys
import types
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = ("calibration", "excitation", "simulation", "torques")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, monkeypatch):
    pytest.importorskip("scipy")
    display = types.ModuleType("IPython.display")
    display.SVG = lambda text: text
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "__notebook__"}
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), f"{name}, cell {number}", "exec"), names)
