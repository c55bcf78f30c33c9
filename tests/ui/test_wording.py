"""Check the language of hints and the budget of words that the glossary replaces."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import symoro
from symoro.ui import cli
from symoro.ui.failure import in_a_shell

SOURCE = Path(symoro.__file__).parent
COMMANDS = "|".join(cli._subparsers(cli._parser([])))
SHELL = re.compile(rf"(?:^|[\s'])--[a-z]|\bsymoro (?:{COMMANDS})\b")
PYTHON = re.compile(
    r"\w\(|=(?:True|False|None)\b|\w=['\"{\[]|\brobot\.[a-z]|\b(?:the )?options? '\w+'|\bin Python\b"
)
OF_BOTH = (
    "pip install",
    "CC",
    "function(compiled=False)",
)  # commands of a shell that Python's users type too
PYTHON_ONLY = ("deprecation.py", "bridges")  # modules and packages whose errors the command line cannot cause
FORMULAS = re.compile(r"\b(?:sin|cos|sqrt|atan2|R[xyz]|T[xz])\(")


def text_of(node: ast.AST) -> str:
    """The literal parts of a string, also of a formatted one."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "x" for part in node.values)
    if isinstance(node, ast.IfExp):
        return f"{text_of(node.body)} {text_of(node.orelse)}"
    return ""


def hints() -> Iterator[tuple[str, str]]:
    """Every hint of the library, with its place."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent.name == "ui" or {path.name, path.parent.name} & {*PYTHON_ONLY}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if text := _hint(node):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", text  # type: ignore[attr-defined]


def _hint(node: ast.AST) -> str:
    """Return the hint that a node contains; empty if there is none."""
    if isinstance(node, ast.keyword) and node.arg == "hint":
        return text_of(node.value)
    if isinstance(node, ast.Assign) and "hint" in ast.unparse(node.targets[0]).lower():
        return text_of(node.value)
    return ""


def test_each_hint_uses_the_syntax_of_its_interface() -> None:
    every = list(hints())
    assert len(every) > 100
    for place, hint in every:
        plain = FORMULAS.sub("", hint)
        for word in OF_BOTH:
            plain = plain.replace(word, "")
        assert not SHELL.search(plain), f"{place}: {hint}"
        shown = in_a_shell(plain)
        assert not PYTHON.search(shown), f"{place}: {shown}"


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("use method='damped'", "use --method damped"),
        ("accept the loss (lossy=True)", "accept the loss (--lossy)"),
        ("robot.tree() cuts them", "--tree cuts them"),
        ("first: robot.bind({'D3': 0.5, ...}); lossy=True", "first: --bind D3=0.5; --lossy"),
        ("did you mean 'rx90'?", "did you mean 'rx90'?"),
        ("write it as {key: value}", "write it as {key: value}"),
        ("or give the option 'force' to overwrite it", "or give --force to overwrite it"),
        ("give start={'q': ..., 'e': ...}", "give q=... e=..."),
        ("do not limit the torques (torque=False)", "do not limit the torques (--no-torque)"),
        ("choose frames (the options 'to' and 'frm')", "choose frames (--to and --from)"),
        ("raise it with the option 'time_limit'", "raise it with --time-limit"),
        ("the link, for example link='hand'", "the link, for example link=hand"),  # a field of --payload
        ("or use robot.floating()", "or use --base floating"),
    ],
)
def test_in_the_words_of_a_shell(python: str, shell: str) -> None:
    assert in_a_shell(python) == shell


# -- words that the glossary replaces

ROOT = Path(__file__).parents[2]
LINES_PER_WORD = {"found": 30, "told": 5, "tells": 5, "sought": 5, "felt": 5, "doubts": 10, "stands": 10}
TEXT = (".py", ".md", ".ts", ".tsx", ".css", ".html", ".yaml", ".toml", ".json", ".ipynb")


def lines_with(word: str) -> int:
    """Return the number of lines in src, docs, frontend/src and tests that contain a word."""
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE)
    count = 0
    for folder in ("src", "docs", "frontend/src", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in TEXT and "static" not in path.parts and path != Path(__file__):
                count += sum(bool(pattern.search(line)) for line in path.read_text("utf-8").splitlines())
    return count


@pytest.mark.parametrize("word", LINES_PER_WORD)
def test_words_of_the_glossary(word: str) -> None:
    assert lines_with(word) < LINES_PER_WORD[word]
