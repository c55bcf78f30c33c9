"""Statements of MATLAB text, as SYMORO+ writes it and users complete it: one function or a script of assignments.

    % Equations:
    function GAM=arm_idm(u)
    global ZZ1 G3                    names that need no assignment
    t1=u(1);                         an entry of an argument
    GAM1=ZZ1.*sin(t1).^2;            element by element: the same for scalars
    GAM=[GAM1; 0];                   a vector: GAM(1) and GAM(2)
    % *=*

Statements end at a semicolon, a comma or the end of the line; `...` continues a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symoro.errors import FormatError, Place
from symoro.expr.parser import reserved

_COMMENT = re.compile(r"((?<![\w)\].'])'(?:[^']|'')*')|%.*")  # a % in a string does not begin a comment
_COMMENT_LINE = re.compile(r"\s*%")
_FUNCTION = re.compile(
    r"\s*function\s+(?:(?:\[(?P<list>[\w\s,]*)\]|(?P<one>\w+))\s*=\s*)?\w+\s*(?:\((?P<arguments>[\w\s,]*)\))?\s*"
)
_DECLARATION = re.compile(r"\s*(?:global|persistent|syms)\s+(?P<names>[\w\s]+)")
_CONTROL = re.compile(r"\s*(?:if|for|while|switch|try)\b")
_VECTOR = re.compile(r"\s*(?P<name>[A-Za-z]\w*)\s*=\s*\[(?P<text>.*)\]\s*", re.DOTALL)
_ENTRY = re.compile(r"(?<![\w.])([A-Za-z]\w*)\(\s*(\d+(?:\s*,\s*\d+)*)\s*\)")
_ELEMENTWISE = re.compile(r"\.([*/^])")
_POWERS = re.compile(r"\^\s*[-+]?[\w.]+\s*\^")
_EQUATIONS = re.compile(r"\s*%\s*Equations\s*:\s*")
_END = re.compile(r"\s*%\s*\*=\*\s*")
_RESULTS = re.compile(r"\s*%.*\bglobal output variables\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_OPEN, _CLOSED = "([", ")]"


@dataclass
class MatlabText:
    """Contents of MATLAB text.

    Attributes:
        statements: assignments as text, with the line at which each begins; entries are written with brackets, u[1].
        arguments: names of the arguments of the function.
        declared: names that need no assignment, arguments included; None if the text declares no names.
        results: names of the results, with the line: outputs of the function, and global output variables.
    """

    statements: list[tuple[str, int]] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    declared: set[str] | None = None
    results: dict[str, int] = field(default_factory=dict)


def is_matlab(text: str) -> bool:
    """Return whether a text is MATLAB: a comment that begins with %, or a function."""
    return any(
        _COMMENT_LINE.match(line) or _FUNCTION.fullmatch(line.split("%")[0]) for line in text.splitlines()
    )


def read_matlab(lines: Sequence[str], file: str) -> MatlabText:
    """Return the statements of MATLAB text.

    Raises:
        FormatError: the text is cut, or contains several functions.
    """
    if any(map(_EQUATIONS.fullmatch, lines)) and not any(map(_END.fullmatch, lines)):
        raise FormatError(
            "the listing is cut: its last line '% *=*' is missing",
            place=Place(file, len(lines)),
            hint="write the listing again, or remove the line '% Equations:' if the assignments are complete",
        )
    result = MatlabText()
    results = next((k for k, line in enumerate(lines, 1) if _RESULTS.match(line)), len(lines))
    functions = ended = False
    for statement, line in _statements(lines, file):
        function, declaration = _FUNCTION.fullmatch(statement), _DECLARATION.fullmatch(statement)
        if _CONTROL.match(statement):
            raise FormatError(
                f"expected an assignment NAME = EXPRESSION, got '{statement.strip()[:60]}'",
                place=Place(file, line),
                hint="only assignments are read: give the statements without loops and conditions",
            )
        if ended or (function is not None and (functions or result.statements)):
            raise FormatError(
                "the text continues after its function",
                place=Place(file, line),
                hint="give one function or one script per file",
            )
        if function is not None:
            functions = True
            result.arguments = _WORD.findall(function["arguments"] or "")
            result.declared = {*result.arguments, *(result.declared or ())}
            result.results |= dict.fromkeys(_WORD.findall(function["list"] or function["one"] or ""), line)
        elif declaration is not None:
            names = _WORD.findall(declaration["names"])
            if line > results:
                result.results |= dict.fromkeys(names, line)
            else:
                result.declared = {*names, *(result.declared or ())}
        elif functions and statement.strip() in ("end", "endfunction"):
            ended = True
        else:
            result.statements += [(each, line) for each in _assignments(statement, line, file)]
    return result


def _statements(lines: Sequence[str], file: str) -> Iterator[tuple[str, int]]:
    """Yield the statements without comments, with the line at which each begins.

    Raises:
        FormatError: a bracket is not closed, or closed twice.
    """
    open_brackets: list[tuple[str, int]] = []
    pending, start, block = "", 1, 0
    for number, whole in enumerate(lines, 1):
        block += whole.strip() == "%{"
        if block:
            block -= whole.strip() == "%}"
            continue
        line, continued, _ = _COMMENT.sub(r"\1", whole).rstrip().partition("...")
        for sign in line + ("" if continued else "\n"):
            if sign in _OPEN:
                open_brackets.append((sign, number))
            elif sign in _CLOSED and (not open_brackets or _matching(open_brackets.pop()[0]) != sign):
                raise FormatError(f"unexpected '{sign}'", place=Place(file, number))
            ends = sign in ";,\n" and not open_brackets
            if ends and pending.strip():
                yield pending, start
            if not pending.strip():
                start = number
            pending = "" if ends else pending + sign
        if open_brackets and open_brackets[-1][0] == "(" and not continued:
            break
    if block:
        raise FormatError("the listing is cut: a comment has no end '%}'", place=Place(file, len(lines)))
    if open_brackets:
        sign, number = open_brackets[-1]
        raise FormatError(f"expected '{_matching(sign)}' in this statement", place=Place(file, number))
    if pending.strip():
        raise FormatError("the listing is cut: its last line is continued", place=Place(file, len(lines)))


def _matching(bracket: str) -> str:
    return _CLOSED[_OPEN.index(bracket)]


def _assignments(statement: str, line: int, file: str) -> Iterator[str]:
    """Yield a statement as assignments of scalars, in the notation of listings."""
    statement = _ELEMENTWISE.sub(r"\1", statement)
    if _POWERS.search(statement):
        raise FormatError(
            "a^b^c is (a^b)^c in MATLAB, and a^(b^c) elsewhere",
            place=Place(file, line),
            hint="write the parentheses",
        )
    statement = _ENTRY.sub(
        lambda match: match[0] if reserved(match[1]) else f"{match[1]}[{match[2]}]", statement
    )
    vector = _VECTOR.fullmatch(statement)
    if vector is None:
        yield statement
        return
    rows = [_elements(row) for row in re.split(r"[;\n]", vector["text"]) if row.strip()]
    if len({len(row) for row in rows}) != 1:
        raise FormatError("the rows of the matrix have different lengths", place=Place(file, line))
    for i, row in enumerate(rows, 1):
        for j, element in enumerate(row, 1):
            index = f"{i},{j}" if len(rows) > 1 and len(row) > 1 else f"{max(i, j)}"
            yield f"{vector['name']}[{index}] = {element}"


def _elements(row: str) -> list[str]:
    """Return the elements of a row of a matrix, separated by commas or blanks.

    A sign between blanks, or before one, is an operator: [a - b] is one element, [a -b] are two.
    """
    row = re.sub(r"\s*([*/^])\s*", r"\1", row)
    row = re.sub(r"\s+([-+])\s+|([-+])\s+", r"\1\2", row)
    parts, depth = [""], 0
    for sign in row:
        depth += (sign in _OPEN) - (sign in _CLOSED)
        if depth == 0 and (sign == "," or sign.isspace()):
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]
