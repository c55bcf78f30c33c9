"""What went wrong, told to people on standard error, or with --json to scripts as one object on standard output.

    {"error": {"kind": "UnknownNameError", "message": "...", "hint": "...", "place": {"file": ..., "line": ...}}}

The library words its hints for Python; here they are turned into the words of a shell.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from symoro.errors import SymoroError

BAD_INPUT = 2

_IN_A_SHELL = (
    (re.compile(r"\bfunction\(values=\{\.\.\.\}\)"), "NAME=VALUE"),
    (re.compile(r"\bbind them in the robot\b"), "with --bind NAME=VALUE"),
    (re.compile(r"\brobot\.bind\(\{'(\w+)': ([^,}]+)[^}]*\}\)"), r"--bind \1=\2"),
    (re.compile(r"\brobot\.tree\(\)"), "--tree"),
    (re.compile(r"\bfunction\(\)"), "symoro eval"),
    (re.compile(r"\b(\w+)=True\b"), r"--\1"),
    (re.compile(r"\bthe option '(\w+)'"), r"--\1"),
    (re.compile(r"\b([a-z]\w*)='([^']*)'"), r"--\1 \2"),
)
"""What a hint says in Python -> what does the same on the command line."""


def in_a_shell(text: str) -> str:
    """A hint in the words of a shell."""
    for pattern, replacement in _IN_A_SHELL:
        text = pattern.sub(replacement, text)
    return text


def tell(error: SymoroError, arguments: Sequence[str]) -> int:
    """Tell what went wrong; the result is the exit code."""
    if "--json" in arguments:
        print(json.dumps({"error": as_data(error)}, indent=2))
        sys.stdout.flush()
    else:
        print(f"symoro: {in_a_shell(error.text())}", file=sys.stderr)
    return BAD_INPUT


def as_data(error: SymoroError) -> dict[str, Any]:
    """An error for scripts; what is not known is left out."""
    data: dict[str, Any] = {"kind": type(error).__name__, "message": in_a_shell(error.message)}
    if error.hint:
        data["hint"] = in_a_shell(error.hint)
    if error.place:
        data["place"] = {name: part for name, part in asdict(error.place).items() if part is not None}
    if problems := getattr(error, "problems", None):
        data["problems"] = list(problems)
    return data
