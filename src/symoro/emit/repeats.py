"""Outputs that hold one value many times: loops of their own, in place of one store an entry."""

from __future__ import annotations

from collections.abc import Callable

from symoro.emit.code import Code
from symoro.emit.flow import Store
from symoro.emit.vectors.lanes import INDENT
from symoro.expr import ops

Subscript = Callable[[str, int], str]
FILLED = 4  # following entries of an output with the same constant for which a loop pays
COPIED = 16  # entries of an output with one value from which a batch copies the first when its loop is done


def strided(n: str, i: str) -> Subscript:
    """Entry e of sample i, in a structure of arrays."""

    def entry(array: str, e: int) -> str:
        if e < 2:
            return f"{array}[{n} + {i}]" if e else f"{array}[{i}]"
        return f"{array}[{e} * {n} + {i}]"

    return entry


def runs(code: Code) -> list[list[Store]]:
    """Stores of one constant into following entries of an output: most of a tree's inertia matrix is zeros."""
    found: list[list[Store]] = []
    for output, port in enumerate(code.program.outputs):
        last = -1
        for entry, lit in enumerate(port.lits):
            if code.program.graph.cls[lit >> 1] != ops.CONSTANT:
                last = -1
            elif lit == last:
                found[-1].append(Store(output, entry))
            else:
                found.append([Store(output, entry)])
                last = lit
    return [run for run in found if len(run) >= FILLED]


def filled(code: Code, size_type: str, times: str = "") -> list[str]:
    """A loop for each run; `times` stands behind the number of an entry, " * n" in a structure of arrays."""
    lines = []
    for run in runs(code):
        (output, first), after = run[0], run[-1].entry + 1
        start = f"{first}{times}" if first else "0"
        head = f"{INDENT}for ({size_type} e_ = {start}; e_ < {after}{times}; ++e_)"
        lines.append(f"{head} {code.arrays.outputs[output]}[e_] = {code.outputs[output][first]};")
    return lines


def copies(code: Code) -> list[list[Store]]:
    """Stores of one value into many entries of an output: all that is NaN where a robot's loops do not close.

    The time that gcc takes to vectorise a loop grows with the square of the stores in it, or worse.
    """
    found: dict[tuple[int, int], list[Store]] = {}
    for output, port in enumerate(code.program.outputs):
        for entry, lit in enumerate(port.lits):
            if code.program.graph.cls[lit >> 1] != ops.CONSTANT:
                found.setdefault((output, lit), []).append(Store(output, entry))
    return [stores for stores in found.values() if len(stores) >= COPIED]


def copied(code: Code, size_type: str) -> list[str]:
    """Loops over the samples that copy the first entry of each value to the others; following ones in one go."""
    n, i = code.arrays.count, code.arrays.index
    entry, samples = strided(n, i), f"for ({size_type} {i} = 0; {i} < {n}; ++{i})"
    lines = []
    for first, *others in copies(code):
        array, entries = code.arrays.outputs[first.output], [store.entry for store in others]
        starts = [e for e in entries if e - 1 not in entries]
        ends = [e + 1 for e in entries if e + 1 not in entries]
        for start, end in zip(starts, ends, strict=True):
            lines.append(f"{INDENT}for ({size_type} e_ = {start}; e_ < {end}; ++e_)")
            lines.append(f"{INDENT * 2}{samples} {array}[e_ * {n} + {i}] = {entry(array, first.entry)};")
    return lines
