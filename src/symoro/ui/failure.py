"""Print errors: as text on standard error, or with --json as one object on standard output.

    {"error": {"kind": "UnknownNameError", "message": "...", "hint": "...", "place": {"file": ..., "line": ...}}}

Hints of the library are written for Python. This module translates them for the command line and for the workbench.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from symoro.errors import SymoroError

NO_SOLUTION = NOT_SATISFIED = 1
BAD_INPUT = 2
INTERRUPTED = 130
INTERNAL = "InternalError"
EXIT_CODES = {
    0: "success",
    NO_SOLUTION: "solve and pose: the input is valid, but there is no solution; identify: --require is not satisfied",
    BAD_INPUT: "invalid input: one message with a hint on standard error, nothing is written",
    INTERRUPTED: "interrupted by Ctrl-C: no incomplete file remains",
}

Words = tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]


_FLAGS = {
    "frm": "from",
    "scalar": "float32",
    "version": "fmi",
    "find_consistent": "consistent",
    "link_priors": "link_prior",
    "masses": "mass",
}  # flags with another name than the option in Python


def _flag(name: str) -> str:
    """Return the command-line flag of an option name: --time-limit for 'time_limit', --from for 'frm'."""
    return "--" + _FLAGS.get(name, name).replace("_", "-")


EMITTING = ("name", "scalar", "trig", "layout", "integrator", "version", "step", "initial")
"""Options of languages and export targets that have a flag."""


def emitting_flags(options: Iterable[str]) -> str:
    """Return the flags of those options of a language or export target that the command line has."""
    return ", ".join(_flag(name) for name in options if name in EMITTING)


def _assignments(items: str) -> str:
    """Convert items of a Python dictionary in a hint, "'q': ..., 'e': ...", to arguments "q=... e=..."."""
    return re.sub(r"'(\w+)': ", r"\1=", items).replace("..., ", "... ")


SYMBOLS_IN_FILE = "write names instead of numbers in the robot file"

_IN_A_SHELL: Words = (
    (re.compile(r"\bvalues=\{\.\.\.\}"), "NAME=VALUE"),
    (re.compile(r"\bbind them in the robot\b"), "with --bind NAME=VALUE"),
    (re.compile(r"\brobot\.bind\(\{'(\w+)': ([^,}]+)[^}]*\}\)"), r"--bind \1=\2"),
    (re.compile(r"\brobot\.tree\(\) returns the robot with its loops cut"), "--tree cuts them"),
    (re.compile(r"\brobot\.tree\(\), the robot with cut loops"), "the tree (--tree)"),
    (re.compile(r"\brobot\.tree\(\)"), "--tree"),
    (re.compile(r"\brobot\.floating\(\)"), "--base floating"),
    (re.compile(r"\brobot\.symbolic\(\) returns the robot with symbols for its numbers"), SYMBOLS_IN_FILE),
    (
        re.compile(r"\bthe attribute model contains A and B with symbols"),
        "--lang writes A and B with symbols",
    ),
    (re.compile(r"\btransfer_function\(\) computes its"), "without --symbols its"),
    (re.compile(r"\bcoefficients as numbers"), "coefficients are numbers"),
    (re.compile(r"\bfunction\(\)"), "symoro eval"),
    (re.compile(r"\bgenerate\(robot, '([\w-]+)'\)"), r"symoro generate \1 ROBOT"),
    (re.compile(r"\bnumeric_inverse\(\)"), "symoro solve"),
    (re.compile(r"\b(?:start|inputs)=\{([^}]*)\}"), lambda match: _assignments(match[1])),
    (re.compile(r"\bcontacts=\[4, \(8, \(0, 0, -0\.2\)\)\]"), "--contacts '4;8:0,0,-0.2'"),
    (re.compile(r"\bdriven=\.\.\."), "--driven FILE"),
    (re.compile(r"\blink='([^']*)'"), r"link=\1"),  # a field of --payload and --log-payload
    (re.compile(r"\b(\w+)=True\b"), lambda match: _flag(match[1])),
    (re.compile(r"\b(\w+)=False\b"), lambda match: _flag(f"no_{match[1]}")),
    (
        re.compile(r"\bthe options '(\w+)' and '(\w+)'"),
        lambda match: f"{_flag(match[1])} and {_flag(match[2])}",
    ),
    (re.compile(r"\bthe option '(\w+)'"), lambda match: _flag(match[1])),
    (re.compile(r"\bno option '(\w+)'"), lambda match: f"no option {_flag(match[1])}"),
    (
        re.compile(r"\bits options: ([\w, ]+)"),
        lambda match: f"its options: {emitting_flags(match[1].split(', '))}",
    ),
    (re.compile(r"\b([a-z]\w*)='([^']*)'"), lambda match: f"{_flag(match[1])} {match[2]}"),
)
"""Expression of Python in a hint -> arguments of the command line with the same effect."""

_ON_THE_PAGE: Words = (
    (re.compile(r"\bas values=\{\.\.\.\}, or bind them in the robot\b"), "in the table Symbols"),
    (re.compile(r"(: )?\brobot\.bind\(\{[^}]*\}\)"), ", in the table Symbols"),
    (re.compile(r"\bcut (its|the) loops with robot\.tree\(\)"), r"remove \1 loops in the table Geometry"),
    (re.compile(r"\brobot\.tree\(\), the robot with cut loops\b"), "a robot without the loops"),
    (
        re.compile(r"\brobot\.tree\(\) returns the robot with its loops cut\b"),
        "remove them in the table Geometry",
    ),
    (
        re.compile(r"\bdescribe the robot with a floating base \(.*?\), or use robot\.floating\(\)"),
        "choose floating in the table Base",
    ),
    (re.compile(r"\brobot\.floating\(\) frees it\b"), "choose floating in the table Base to free it"),
    (re.compile(r"\baccept the loss \(lossy=True\)"), "leave out what this format cannot represent"),
    (re.compile(r"\blossy=True omits\b"), "or leave out"),
    (re.compile(r"\bomit (these data|the couplings) with lossy=True"), r"leave out \1"),
    (re.compile(r"\bomit it with the option 'lossy'"), "leave it out"),
    (re.compile(r"\bgive the option 'format': .*"), "give the file the suffix of its format"),
    (
        re.compile(r"\bthis looks like xacro: give the file the suffix \.xacro"),
        "this looks like xacro: convert it to URDF first, on the command line",
    ),
    (re.compile(r" \(exact=True keeps the digits\)"), ""),
    (
        re.compile(r"\bthe option 'tool' selects a link beyond it as tool frame"),
        "the table Tool can place a tool frame at a link beyond it",
    ),
    (
        re.compile(r"\bselect them with the option 'actuated'"),
        "select them by mu in the table Geometry",
    ),
    (re.compile(r"\bevaluate it with function\(\)"), "evaluate it under Numbers"),
    (re.compile(r"\bmethod='(DOP853|RK45|RK23|Radau|BDF|LSODA|rk4)'"), r"choose the integrator \1"),
    (
        re.compile(r"\bstart in a posture of all joints in which the loops are closed\b"),
        "move the robot to a posture in which the loops are closed",
    ),
    (re.compile(r"\bthe option '(\w+)'"), r"the option \1"),
    (re.compile(r"\b(\w+)=True\b"), r"the option \1"),
    (re.compile(r"\b([a-z]\w*)='([^']*)'"), r"\1 \2"),
)
"""Expression of Python in a hint -> control of the workbench with the same effect."""


def in_a_shell(text: str) -> str:
    """Replace the Python expressions in a hint by the corresponding arguments of the command line."""
    return _worded(text, _IN_A_SHELL)


def on_the_page(text: str) -> str:
    """Replace the Python expressions in a hint by the corresponding controls of the graphical page."""
    return _worded(text, _ON_THE_PAGE)


def _worded(text: str, words: Words) -> str:
    for pattern, replacement in words:
        text = pattern.sub(replacement, text)
    return text


def report(error: SymoroError, arguments: Sequence[str]) -> int:
    """Print an error and return the exit code.

    The error is printed as text, or as a JSON object if the arguments contain --json.

    Args:
        arguments: arguments of the command line.
    """
    if "--json" in arguments:
        print(json.dumps({"error": as_data(error)}, indent=2))
        sys.stdout.flush()
    else:
        print(f"symoro: {in_a_shell(error.text())}", file=sys.stderr)
    return BAD_INPUT


def internal(call: str, error: Exception) -> dict[str, Any]:
    """Return the error answer of a call that raised an unexpected error; print the traceback on standard error."""
    traceback.print_exception(error, file=sys.stderr)
    message = f"internal error in '{call}': {type(error).__name__}"
    return {
        "error": {"kind": INTERNAL, "message": message, "hint": "please report it, with the robot's file"}
    }


def as_data(error: SymoroError, worded: Callable[[str], str] = in_a_shell) -> dict[str, Any]:
    """Return an error as a dictionary for JSON: kind, message and, if known, hint and position.

    Args:
        worded: function that adapts the text of a hint to the command line or to the page.
    """
    data: dict[str, Any] = {"kind": type(error).__name__, "message": worded(error.message)}
    if error.hint:
        data["hint"] = worded(error.hint)
    if error.place:
        data["place"] = {name: part for name, part in asdict(error.place).items() if part is not None}
    if problems := getattr(error, "problems", None):
        data["problems"] = list(problems)
    return data
