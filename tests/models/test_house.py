"""What holds for the source of the package as a whole, read from its syntax tree.

A recursion over the tree of links is a step handed to a walk of `models/recursion.py`. A loop of one's own is told by

    what it runs over     outward(robot), moving_joints(robot), range(.., NL + 1)
    a climb               while ..: j = frame.ant
    a recursion by hand   for ..: found[j] = .. found[frame.ant] ..

A word has one meaning: a class or a name for a type is defined in one file, and a module is named after a thing.
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

# Names of types that several files define, and why.
SHARED = {
    "Array": "an array of numbers, in each file that works on arrays: the floors share no file about NumPy",
    "_Reader": "private to a format's file: what turns its text into a description",
}

# Modules named after a participle, and why.
PARTICIPLES = {"articulated": "short for the articulated body, as the method is called"}


def sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def called(node: ast.AST) -> str:
    """The name of the function that is called, if any."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "id", getattr(function, "attr", ""))


def runs_over_the_tree(over: ast.expr) -> bool:
    """Whether an iterable lists the links or joints; a walk has more arguments than the order of the frames."""
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
    """Whether what is stored for a body is read for the bodies on it."""
    stored, read = set(), set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript):
            if isinstance(node.ctx, ast.Store):
                stored.add(ast.unparse(node.value))
            elif getattr(node.slice, "attr", "") in ANTECEDENT:
                read.add(ast.unparse(node.value))
    return bool(stored & read)


def loops(tree: ast.AST) -> Iterator[int]:
    """The lines of loops over the tree."""
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
        "for j, rate in qd.items():\n    found[j] = rate",
        "while left:\n    left = left[1:]",
    ],
)
def test_a_walk_is_none(text: str) -> None:
    assert not list(loops(ast.parse(text)))


def test_loops_over_the_tree_are_steps_of_the_walks() -> None:
    found = {}
    for path in sources(MODELS):
        name = path.relative_to(MODELS).as_posix()
        lines = [] if name == WALKS else list(loops(ast.parse(path.read_text())))
        if lines:
            found[name] = lines
    assert all(len(lines) <= LEFT.get(name, (0, ""))[0] for name, lines in found.items()), found
    assert sum(map(len, found.values())) <= BOUND, found


def test_only_the_layer_of_coordinates_knows_what_drives_joints() -> None:
    """Couplings are data of `robot/`, which the workbench's tables show; all others ask one of the two files called
    coordinates.py."""
    tables = [*sources(HOME / "ui" / "bench"), HOME / "ui" / "web" / "robot_schema.py"]
    allowed = {MODELS / "coordinates.py", *sources(HOME / "robot"), *tables}
    assert not [
        path for path in sources(HOME) if path not in allowed and "coupling" in path.read_text().lower()
    ]


def types(tree: ast.Module) -> Iterator[str]:
    """The classes, and the names given to types: words with a capital that are not constants."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            name = getattr(target, "id", "")
            if name.lstrip("_")[:1].isupper() and any(letter.islower() for letter in name):
                yield name


def test_types_are_seen() -> None:
    text = "class A: pass\nPair = tuple[int, int]\nRule: TypeAlias = str\n_Key = int\nWIDTH = 3\nfound = 1\nN: int = 2"
    assert list(types(ast.parse(text))) == ["A", "Pair", "Rule", "_Key"]


def test_a_word_means_one_type() -> None:
    """In the library; the files of the interface name what they show, each for itself."""
    homes: dict[str, list[str]] = {}
    for path in sources(HOME):
        if path.is_relative_to(HOME / "ui"):
            continue
        for name in types(ast.parse(path.read_text())):
            homes.setdefault(name, []).append(path.relative_to(HOME).as_posix())
    several = {name: files for name, files in homes.items() if len(files) > 1}
    assert several.keys() == SHARED.keys(), several


def test_no_module_is_named_after_a_participle() -> None:
    assert {path.stem for path in sources(HOME) if path.stem.endswith("ed")} == PARTICIPLES.keys()
