"""Loops over the tree of links are steps of the walks in `models/recursion.py`, read from the syntax tree.

A separate loop is recognised by

    what it runs over     outward(robot), moving_joints(robot), range(.., NL + 1)
    a climb               while ..: j = frame.ant
    a recursion by hand   for ..: values[j] = .. values[frame.ant] ..
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import symoro

HOME = Path(symoro.__file__).parent
MODELS = HOME / "models"
WALKS = "recursion.py"
ANTECEDENT = ("ant", "i")
BOUND = 3  # in all

# Loops over the tree outside the walks: at most how many in a file, and why.
LEFT = {
    "numeric/tree.py": (
        3,
        "the walks in numbers, arrays over many samples at once: the order, placements, velocities",
    ),
}


def sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def called(node: ast.AST) -> str:
    """Return the name of the called function, if any."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "id", getattr(function, "attr", ""))


def runs_over_the_tree(over: ast.expr) -> bool:
    """Return whether an iterable lists the links or joints; recursions have more arguments than the frame order."""
    for node in ast.walk(over):
        name = called(node)
        if name == "moving_joints" or (name == "outward" and len(getattr(node, "args", ())) == 1):
            return True
        if name == "range" and any(getattr(n, "attr", "") == "NL" for n in ast.walk(node)):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "outward" and name == "":
            return True
    return False


def climbs(loop: ast.While) -> bool:
    return any(
        isinstance(node, ast.Assign) and getattr(node.value, "attr", "") in ANTECEDENT
        for node in ast.walk(loop)
    )


def recurses(loop: ast.For) -> bool:
    """Return whether a value stored for a body is read for the bodies that it carries."""
    stored, read = set(), set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript):
            if isinstance(node.ctx, ast.Store):
                stored.add(ast.unparse(node.value))
            elif getattr(node.slice, "attr", "") in ANTECEDENT:
                read.add(ast.unparse(node.value))
    return bool(stored & read)


def loops(tree: ast.AST) -> Iterator[int]:
    """Return the lines of loops over the tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            yield from [node.lineno] if climbs(node) else []
        elif isinstance(node, ast.For):
            yield from [node.lineno] if runs_over_the_tree(node.iter) or recurses(node) else []
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            yield from (g.iter.lineno for g in node.generators if runs_over_the_tree(g.iter))


@pytest.mark.parametrize(
    "text",
    [
        "for j in outward(robot): pass",
        "x = [f(j) for j in moving_joints(robot)]",
        "x = {j: 0 for j in range(1, robot.NL + 1)}",
        "for j in reversed(range(robot.NL + 1)): pass",
        "while i:\n    i = robot.frame(i).ant",
        "for j, local in tree.items():\n    w[j] = turned(w[local.i])",
    ],
)
def test_a_loop_over_the_tree_is_seen(text: str) -> None:
    assert len(list(loops(ast.parse(text)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "for j, w in outward(tree, start, step).items(): pass",
        "parents = {j: last[local.i] for j, local in tree.items()}",
        "for j, rate in qd.items():\n    values[j] = rate",
        "while left:\n    left = left[1:]",
    ],
)
def test_a_walk_is_none(text: str) -> None:
    assert not list(loops(ast.parse(text)))


def test_loops_over_the_tree_are_steps_of_the_walks() -> None:
    results = {}
    for path in sources(MODELS):
        name = path.relative_to(MODELS).as_posix()
        lines = [] if name == WALKS else list(loops(ast.parse(path.read_text())))
        if lines:
            results[name] = lines
    assert all(len(lines) <= LEFT.get(name, (0, ""))[0] for name, lines in results.items()), results
    assert sum(map(len, results.values())) <= BOUND, results
