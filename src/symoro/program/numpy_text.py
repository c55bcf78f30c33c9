"""Linear systems in OpenSYMORO's listings of robots with a floating base, which determine the acceleration of the base.

    numMJE0 = numpy.zeros((6, 6))       inertia matrix of the base; entries that are zero are omitted
    numMJE0[0, 0] = MJE110
    numVBE0 = numpy.zeros((6, 1))
    numVBE0[0, 0] = VBE10
    numVP0 = numpy.linalg.solve(numMJE0, numVBE0)
    VP10 = numVP0[0, 0]

A system is replaced by assignments that solve it with the factors L' D L. Its matrix is an inertia matrix, thus
symmetric and positive definite: no pivot is zero. The entries below the diagonal are the definitions of those above.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symoro.errors import ExpressionError, FormatError, Place
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph
from symoro.expr.parser import parse

Statement = tuple[str, str, int]
"""One assignment: the name, its expression as text, and the line at which it begins."""

SIZE = 6  # of a system: components of the acceleration of the base
_ZEROS = re.compile(r"numpy\.zeros\(\((\d+), (\d+)\)\)")
_ENTRY = re.compile(r"(\w+)\[(\d+),(\d+)\]")
_WORD = re.compile(r"[A-Za-z_]\w*")
IDENTITY = 1e-9  # relative difference of the sides of an identity, rounding included; absolute below 1


def without_systems(statements: Sequence[Statement], file: str) -> tuple[list[Statement], frozenset[str]]:
    """Return the statements with assignments of scalars in place of linear systems, and the names of the solutions.

    Raises:
        FormatError: a system is incomplete, or its matrix is not symmetric.
    """
    result: list[Statement] = []
    solutions: set[str] = set()
    reader = _Reader(statements, file)
    while reader.at < len(statements):
        statement = statements[reader.at]
        if _ZEROS.fullmatch(statement[1]) is None:
            result.append(statement)
            reader.at += 1
        else:
            result += _solved(reader)
            solutions.update(name for name, _, _ in result[-SIZE:])
    return result, frozenset(solutions)


def is_identity(left: str, right: str) -> bool:
    """Return whether two expressions are equal for some values of their names, which differ from each other."""
    graph = Graph()
    try:
        sides = [parse(text, graph, listing=True) for text in (left, right)]
    except ExpressionError:
        return False
    names = sorted(set().union(*(side.symbols() for side in sides)))
    values = {name: 0.3 + 0.7 * k for k, name in enumerate(names)}
    one, other = evaluate(graph, [side.lit for side in sides], values)
    return math.isclose(one, other, rel_tol=IDENTITY, abs_tol=IDENTITY)


@dataclass
class _Reader:
    statements: Sequence[Statement]
    file: str
    at: int = 0

    def error(self, message: str, line: int) -> FormatError:
        return FormatError(message, place=Place(self.file, line), hint="write the listing again")

    def take(self, text: str) -> tuple[str, int]:
        """Return name and line of the next statement, which has the given text as its right side."""
        name, actual, line = self.statements[min(self.at, len(self.statements) - 1)]
        if actual != text:
            raise self.error(f"expected NAME = {text}, got {name} = {actual[:60]}", line)
        self.at += 1
        return name, line

    def array(self, columns: int) -> tuple[str, dict[tuple[int, int], tuple[str, int]]]:
        """Return name and entries of an array, each with its text and line."""
        name, _ = self.take(f"numpy.zeros(({SIZE}, {columns}))")
        entries: dict[tuple[int, int], tuple[str, int]] = {}
        for left, text, line in self.statements[self.at :]:
            match = _ENTRY.fullmatch(left)
            if match is None or match[1] != name:
                break
            row, column = int(match[2]), int(match[3])
            if row >= SIZE or column >= columns:
                raise self.error(f"{name} has no entry [{row}, {column}]", line)
            if (row, column) in entries:
                first = entries[row, column][1]
                raise self.error(f"{name}[{row}, {column}] is defined twice: first in line {first}", line)
            entries[row, column] = text, line
            self.at += 1
        return name, entries


def _are_equal(one: str, other: str, defined: Mapping[str, str]) -> bool:
    """Return whether two entries are equal, or one is equal to the definition of the other."""

    def inserted(text: str) -> str:
        return _WORD.sub(lambda match: f"({defined[match[0]]})" if match[0] in defined else match[0], text)

    return is_identity(one, other) or is_identity(inserted(one), other) or is_identity(one, inserted(other))


def _solved(reader: _Reader) -> Iterator[Statement]:
    """Yield the assignments of scalars that solve the next system; the last ones are those of its solution."""
    matrix, entries = reader.array(SIZE)
    right, components = reader.array(1)
    solution, line = reader.take(f"numpy.linalg.solve({matrix}, {right})")
    names = [reader.take(f"{solution}[{row}, 0]") for row in range(SIZE)]
    defined = {name: text for name, text, _ in reader.statements}
    A: dict[tuple[int, int], str] = {}
    for (row, column), (text, own) in entries.items():
        other = entries.get((column, row), ("0", own))[0]
        if row <= column:
            A[row, column] = f"{matrix}_{row}{column}"
            yield A[row, column], text, own
        if not _are_equal(text, other, defined):
            raise reader.error(
                f"{matrix} is not symmetric: its entries [{row}, {column}] and [{column}, {row}] differ", own
            )
    for row in range(SIZE):
        if (row, row) not in A:
            raise reader.error(f"the entry [{row}, {row}] of {matrix} is not assigned", line)
        if (row, 0) not in components and f"VBE{row + 1}0" in defined:
            raise reader.error(f"the entry [{row}, 0] of {right} is not assigned", line)
    b = {row: f"{right}_{row}" for row, _ in components}
    for (row, _), (text, own) in components.items():
        yield b[row], text, own
    for k in reversed(range(SIZE)):
        yield f"{matrix}_D{k}", f"1/{A[k, k]}", line
        for i in (i for i in range(k) if (i, k) in A):
            factor = f"{matrix}_L{i}{k}"
            yield factor, f"{A[i, k]}*{matrix}_D{k}", line
            for h in (h for h in range(i + 1) if (h, k) in A):
                reduced = f"{A.get((h, i), 0)} - {factor}*{A[h, k]}"
                A[h, i] = f"{matrix}_{h}{i}{k}"
                yield A[h, i], reduced, line
            if k in b:
                reduced = f"{b.get(i, 0)} - {factor}*{b[k]}"
                b[i] = f"{right}_{i}{k}"
                yield b[i], reduced, line
    for k, (name, own) in enumerate(names):
        known = "".join(f" - {A[i, k]}*{names[i][0]}" for i in range(k) if (i, k) in A)
        yield name, f"({b.get(k, 0)}{known})*{matrix}_D{k}", own
