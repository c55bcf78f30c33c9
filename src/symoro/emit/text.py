"""Readable listing, as printed by SYMORO: one `C2 = cos(q2)` per line, outputs last as `T[1,4] = ...`.

Constants are exact (sqrt(3)/2), indices start at 1, `^2` is a square. Expressions of parameters only come first, under
a separate heading, except in an expanded program, whose entries are complete expressions. The last line contains the
number of lines, so that a reader of the file recognises missing ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, Instruction, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language, exact_number
from symoro.emit.header import header_lines
from symoro.emit.layout import output_entries, remark, wrap
from symoro.expr import ops
from symoro.files import LAST_LINE
from symoro.program.program import Program

DIALECT = Dialect(
    comment="{0}:",
    functions={
        ops.LESS: "({0} < {1})",
        ops.LESS_EQUAL: "({0} <= {1})",
        ops.EQUAL: "({0} = {1})",
    },
    conditions={ops.LESS: "{0} < {1}", ops.LESS_EQUAL: "{0} <= {1}", ops.EQUAL: "{0} = {1}"},
    truth="{0} <> 0",
    number=exact_number,
    exact=True,
    square="{0}^2",
    base=1,
    reserved=keywords.LISTING,
    longest=1000,
    listing=True,
)


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.txt": text}, a readable listing of the equations of a program."""
    code = code_of(program, DIALECT, name=name, split=not program.expanded)
    head = header_lines(code, functions=False)
    once = ["Once:", *_statements(code, code.setup), "", "Each call:"] if code.setup else []
    body = "\n".join([*once, *_statements(code, code.call), "", *_outputs(code)])
    count = sum(1 for line in body.splitlines() if line)
    lines = [*head, "-" * max(map(len, head)), "", body, "", LAST_LINE.format(count)]
    return {f"{code.arrays.base}.txt": "\n".join(lines) + "\n"}


def _statements(code: Code, steps: Sequence[Instruction]) -> list[str]:
    lines: list[str] = []
    for step in steps:
        said = remark(code, step)
        lines += ["", *said] if said else []
        lines += _kernel(step) if isinstance(step, KernelCall) else [_assignment(*step)]
    return lines


def _assignment(name: str, expression: str) -> str:
    return wrap(f"{name} = {expression}")


def _kernel(call: KernelCall) -> list[str]:
    lines = []
    for name, entries in call.inputs:
        lines += [_assignment(f"{name}[{k}]", text) for k, text in enumerate(entries, 1)]
    return [*lines, f"{call.result} = {call.kernel}({', '.join(name for name, _ in call.inputs)})"]


def _outputs(code: Code) -> list[str]:
    lines = []
    for name, index, text in output_entries(code, 1):
        place = f"[{','.join(map(str, index))}]" if index else ""
        lines.append(_assignment(f"{name}{place}", text))
    return lines


LANGUAGE = Language(
    "text",
    "Readable listing",
    ".txt",
    write,
    aliases=("txt", "symoro"),
    first_index=DIALECT.base,
)
