"""Run the notebooks of docs/notebooks and save their outputs: python tools/notebooks.py [NOTEBOOK...]

The site shows the saved outputs; tools/check_docs.py compares them with those of the present code. Needs the extra
`docs`, and the extras that the notebooks name.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
KEPT = {"language_info": {"name": "python"}}
LONGEST_CELL = 600  # seconds


def run(path: Path) -> None:
    """Run a notebook in an empty kernel and write it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=LONGEST_CELL, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata = KEPT
    nbformat.write(notebook, path)
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    for chosen in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(FOLDER.glob("*.ipynb")):
        run(chosen)
