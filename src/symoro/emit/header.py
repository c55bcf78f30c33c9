"""Comment at the beginning of every emitted file: contents, order of the arguments, operation count."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence

from symoro.emit.code import Code
from symoro.files import MADE_BY
from symoro.program.program import Input, Output, Program, Shape

WIDTH = 92


def clean(text: str) -> str:
    """Return the text as one line of plain ASCII that cannot end a comment.

    Names of robots and joints may come from any file and contain any characters.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    plain = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    for mark in ("*/", "/*", "(*", "*)"):
        plain = plain.replace(mark, f"{mark[0]} {mark[1]}")
    return plain.rstrip("\\")


def header_lines(code: Code, *, functions: bool = True) -> list[str]:
    """Return the lines of the header comment, without comment signs.

    Args:
        functions: whether the file contains functions, whose arguments the header describes.
    """
    program, arrays = code.program, code.arrays
    lines = _filled(f"{arrays.base}: {program.title}" if program.title else arrays.base)
    for label, text in program.header:
        lines += _filled(f"{label}: {text}")
    lines += ["", "Inputs" if program.inputs else "No inputs"]
    for name, port in zip(arrays.inputs, program.inputs, strict=True):
        what = _meaning(port) + (", by rows" if len(port.shape) > 1 else "")
        lines += _filled(f"{name} {shape_text(port.shape)}{what}: {' '.join(port.symbols)}", 2)
    lines.append("Outputs")
    for name, out in zip(arrays.outputs, program.outputs, strict=True):
        lines += _filled(f"{name} {shape_text(out.shape)}{_meaning(out)}", 2)
    if program.columns:
        lines += ["Columns", *_filled(" ".join(program.columns), 2)]
    if code.parameters:
        array = f"{arrays.parameters} ({len(code.parameters)}): " if functions else ""
        lines += ["Parameters", *_filled(f"{array}{' '.join(code.parameters)}", 2)]
        units = unit_groups(code.parameters, program.units)
        lines += _filled("; ".join(f"{' '.join(names)} in {unit}" for unit, names in units.items()), 2)
        if not functions:
            lines += [f"  {name} stands for {parameter}" for name, parameter in code.renamed.items()]
    if code.constants and functions:
        entries = " ".join(c.name for c in code.constants)
        lines += [f"Constants, computed once from the parameters by {arrays.setup}"]
        lines += _filled(f"{arrays.constants} ({len(code.constants)}): {entries}", 2)
    lines += ["", *_filled(f"Operations per call: {code.counted}"), MADE_BY]
    return lines


def joint_lines(program: Program) -> list[str]:
    """Return lines that list the joint variables with the names of their joints; empty if there are no names."""
    return [
        line for label, text in program.header if label == "joints" for line in _filled(f"{label}: {text}")
    ]


def _meaning(port: Input | Output) -> str:
    return "".join(f", {what}" for what in (port.title, port.unit and f"in {port.unit}") if what)


def unit_groups(parameters: Sequence[str], units: Mapping[str, str]) -> dict[str, list[str]]:
    """Return {unit: parameters with this unit}.

    Names that differ only in a final number are abbreviated if they have the same unit: M for M1, M2 ...
    """
    stems: dict[str, set[str]] = {}
    for name in parameters:
        stems.setdefault(name.rstrip("0123456789"), set()).add(units.get(name, ""))
    groups: dict[str, dict[str, None]] = {}
    for name in parameters:
        stem = name.rstrip("0123456789")
        shown = stem if stem and len(stems[stem]) == 1 else name
        groups.setdefault(units.get(name, ""), {})[shown] = None
    return {unit: list(names) for unit, names in groups.items() if unit}


def shape_text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))})" if shape else "(scalar)"


def _filled(text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(
        clean(text),
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 4),
        break_long_words=False,
        break_on_hyphens=False,
    )


def commented(lines: list[str], prefix: str) -> str:
    """Return the lines as line comments, each after the comment sign `prefix`."""
    return "".join(f"{prefix} {line}".rstrip() + "\n" for line in lines)


def block(lines: list[str], start: str = "/*", middle: str = " *", end: str = " */") -> str:
    """Return the lines as one block comment."""
    body = [f"{middle} {line}".rstrip() for line in lines]
    return "\n".join([f"{start} {lines[0]}", *body[1:], end]) + "\n"
