"""Layout of code in several languages: long lines, entries of arrays, sample numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from symoro.emit.code import Code, Instruction, KernelCall
from symoro.emit.dialect import Dialect
from symoro.program.program import Shape

WIDTH = 110


def wrap(
    line: str, indent: str = "    ", tail: str = "", width: int = WIDTH, marks: Sequence[str] = (" ", "*,([")
) -> str:
    """Return a statement, divided into several lines if it is too long for one.

    Args:
        line: the statement.
        indent: beginning of continuation lines.
        tail: end of a line that is continued.
        width: maximum length of a line.
        marks: groups of characters after which a line may end, the preferred group first.
    """
    if len(line) <= width:
        return line
    lines = []
    room = width - len(tail)
    start = line.find("= ") + 3  # the assigned expression starts on the line of its name
    while len(line) > room:
        at = _break(line, start, room, marks)
        if at is None:
            break
        lines.append(line[:at].rstrip() + tail)
        line = indent + line[at:].lstrip()
        start = len(indent) + 1
    return "\n".join([*lines, line])


def _break(line: str, start: int, room: int, marks: Sequence[str]) -> int | None:
    """Return the position at which to break a line, or None if it cannot be broken.

    The break is after the last of the characters `marks` within `room` characters, otherwise after the first one.
    """
    for group in marks:
        at = max(line.rfind(mark, start, room) for mark in group)
        if at > 0:
            return at + 1
    later = [at for group in marks for mark in group if (at := line.find(mark, max(start, room))) > 0]
    return min(later) + 1 if later and min(later) + 1 < len(line) else None


def indices(shape: Shape, base: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield the indices of all entries of an array by rows; they start at `base`."""
    return product(*(range(base, base + n) for n in shape))


def output_entries(code: Code, base: int = 0) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Yield (array, index, expression) of all entries of all outputs; indices start at `base`."""
    for name, port, texts in zip(code.arrays.outputs, code.program.outputs, code.outputs, strict=True):
        for index, text in zip(indices(port.shape, base), texts, strict=True):
            yield name, index, text


def input_entries(code: Code, base: int = 0) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield (variable, array, index) of all input entries that are used; indices start at `base`."""
    places = [list(indices(port.shape, base)) for port in code.program.inputs]
    for array, e, name in code.loads:
        yield name, code.arrays.inputs[array], places[array][e]


def call_arguments(code: Code) -> list[str]:
    """Return the argument names of the function that computes one sample: inputs, then constants if any."""
    return [*code.arrays.inputs, *([code.arrays.constants] if code.constants else [])]


def remark(code: Code, step: Instruction, indent: str = "") -> list[str]:
    """Return the comment line before a statement; an empty list if there is none."""
    text = code.remarks.get(step[0]) if isinstance(step, tuple) else None
    return [indent + text] if text else []


def statements(
    code: Code,
    steps: Iterable[Instruction],
    statement: Callable[[str, str], str],
    kernel_call: Callable[[KernelCall], list[str]],
    indent: str = "",
) -> list[str]:
    """Return the lines of code of statements, with the comments before them.

    Args:
        steps: statements, in order.
        statement: returns the text of an assignment from variable and expression.
        kernel_call: returns the lines of a kernel call.
    """
    lines: list[str] = []
    for step in steps:
        lines += remark(code, step, indent)
        lines += kernel_call(step) if isinstance(step, KernelCall) else [statement(*step)]
    return lines


def call_variables(code: Code) -> list[str]:
    """Return the local variables of the function that computes one sample, for languages that declare them."""
    names = [name for _, _, name in code.loads] + [c.name for c in code.constants]
    for step in code.call:
        if isinstance(step, KernelCall):
            names += [*(name for name, _ in step.inputs), step.result]
        else:
            names.append(step[0])
    return names


def helpers(operations: frozenset[int], dialect: Dialect) -> list[str]:
    """Return definitions of those operations in use that the language does not provide."""
    return [text for users, text in dialect.helpers.items() if not operations.isdisjoint(users)]


def nested(shape: Shape, texts: list[str], opening: str, closing: str) -> str:
    """Return the texts of array entries, given by rows, as nested lists in brackets.

    A scalar, of shape (), is written as its single entry.
    """
    for n in reversed(shape):
        rows = range(0, len(texts), n)
        texts = [f"{opening}{', '.join(texts[r : r + n])}{closing}" for r in rows]
    return texts[0]
