"""Imports within the package: which modules form a cycle, and what the generation of a model loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import symoro

SOURCE = Path(symoro.__file__).parents[1]
GENERATE = """
import sys
import symoro

NUMERIC = {"numpy", "scipy", "pydantic"}
assert not NUMERIC & sys.modules.keys(), "import symoro"
serial = symoro.load("planar2r")
tree = symoro.load("planar3r").with_frame(3, ant=1)
floating = serial.floating().with_link(0, M=5, XX=1, YY=1, ZZ=1)
for robot in (serial, tree, floating):
    for name in symoro.catalogue():
        if name in ("inverse-geometry", "contact-dynamics"):  # these compute the rank of a Jacobian in numbers
            continue
        try:
            symoro.generate(robot, name).code("c")
        except symoro.SymoroError as error:
            assert "does not apply" in str(error), error
        assert not NUMERIC & sys.modules.keys(), name
"""


def modules() -> dict[str, Path]:
    """The modules of the package by name; a package is its `__init__` module."""
    results = {}
    for path in (SOURCE / "symoro").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        results[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return results


def executed(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those within functions; not those for type checkers only."""
    for statement in body:
        yield statement
        if not (isinstance(statement, ast.If) and getattr(statement.test, "id", "") == "TYPE_CHECKING"):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from executed(getattr(statement, part, []))


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a file imports, also within its functions."""
    names: list[str] = []
    for node in executed(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if name in known else node.module for name in inner]
    return {name for name in names if name in known}


def test_imports_form_no_cycle() -> None:
    known = modules()
    graph = {name: imported(path, known) for name, path in known.items()}
    assert len(graph) > 100 and sum(map(len, graph.values())) > 500
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" <- ".join(error.args[1])) from None


def test_pydantic_is_imported_by_the_server_only() -> None:
    importers = [
        path
        for path in modules().values()
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith(("import pydantic", "from pydantic"))
    ]
    assert {path.parent for path in importers} == {SOURCE / "symoro" / "ui" / "web"}


def test_models_of_trees_are_generated_without_numeric_libraries() -> None:
    run = subprocess.run([sys.executable, "-c", GENERATE], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
