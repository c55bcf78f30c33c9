"""Reader of listings: lists of assignments from other programs, as a program that can be optimised and emitted.

Five forms are recognised:

    SYMORO, OpenSYMORO   title, tables of the robot, a line `Equations:`, `NAME = expression` lines, a last line `*=*`
    symoro               the text that `generate` prints: header, a line of dashes, assignments, outputs `T[1,4] = ...`
    C                    assignments that end with a semicolon, alone or in one function; `q[0]` for entries
    MATLAB               a script or one function with comments `%`; `q(1)` for entries
    list                 one assignment per line; `#` and `(* *)` are comments

A name is defined before it is used, and only once. Names that are never defined are inputs, which vary from call to
call (joint variables), or parameters (all others). Outputs are the entries of arrays, the names that no later
assignment uses, and the results of SYMORO's models (GAM1, A11, J11, QDP1). Names with numbers are collected in arrays:
GAM1 ... GAM6 is the vector GAM.

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, section 7.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symoro.errors import ExpressionError, FormatError, Place, UnknownNameError
from symoro.expr import ops
from symoro.expr.parser import ALIASES, operation_tokens, parse, reserved
from symoro.expr.scalar import Expr
from symoro.files import LAST_LINE
from symoro.program.builder import Builder
from symoro.program.count import OpCount
from symoro.program.listing_tables import MATRIX_TITLE, Tables, missing_result, read_tables
from symoro.program.matlab_text import is_matlab, read_matlab
from symoro.program.numpy_text import is_identity, without_systems
from symoro.program.program import Program, Shape

_EQUATIONS = re.compile(r"\s*Equations\s*:\s*", re.IGNORECASE)
_END = re.compile(r"\s*\*=\*\s*")
_DASHES = re.compile(r"-{3,}\s*")
_ASSIGNMENT = re.compile(
    r"\s*(?P<name>[A-Za-z_]\w*(?:\[[\d,\s]+\])*)\s*=(?!=)\s*(?P<text>.*?)\s*", re.DOTALL | re.ASCII
)
_DECLARED = re.compile(r"\A\s*(?:(?:extern|static|const|register|double|float|real_T|auto)\s+)+(?=[A-Za-z_])")
_DECLARATOR = re.compile(r"([A-Za-z_]\w*)(?:\[\w*\])*")
_FUNCTION = re.compile(
    r"\b(?:(?:static|inline|extern)\s+)*(?:void|double|float|int)\s+\w+\s*\(([^(){};]*)\)\s*\{"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"\(\*.*?\*\)")
_NUMBER_OF_OPERATIONS = re.compile(r"\s*Number of operations\s*:", re.IGNORECASE)
_IDENTITY = re.compile(r"\s*((?:cos|sin)\([^=]*\))\s*=(?!=)([^=]*)")
_LAST_LINE = re.compile(re.escape(LAST_LINE).replace(r"\{\}", "([0-9]+)"))
NO_LINE_END = "the last line has no line end: check that the file is complete"
MOST_ENTRIES = 10_000  # of an input array: the Jacobian of a hundred joints has 600
_CONTROL = re.compile(r"[{}]|\b(?:for|while|if|return)\b")
_ENTRY = re.compile(r"([A-Za-z_]\w*)((?:\[[\d,\s]+\])+)")
_RENAMED = re.compile(r"(\w+) stands for (\w+)")
_STEM = re.compile(r"(.*?)_?(\d+)")
_CHOICE = re.compile(r"\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")
_SUFFIX = re.compile(r"(?<![\w.])((?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)[fFlL]\b")
_INTEGER = r"(?:(?<![\w.])\d+|(?<!\w)\([\d\s+*-]+\))"
_QUOTIENT = re.compile(rf"{_INTEGER}\s*/\s*{_INTEGER}(?![\w.])")

# Names of quantities that vary from call to call, in SYMORO and here; all other names are parameters.
_VARIABLES = re.compile(r"(?:th|t|q|qd|qdd|qda|qdda|QP|QDP|GAM|tau|V0|Vd0|R0|qp|qpp)_?\d+")
# Names that SYMORO gives to parameters, forces, base motion and the entries of a pose; and to sines and cosines.
_SYMORO = re.compile(
    r"(?:XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M|IA|FV|FS|FX|FY|FZ|CX|CY|CZ|gamma|b|alpha|d|theta|r|k)\d+(?:R)?"
    r"|(?:XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M)R\d+|(?:WP|VP|W|V)(?:0?[xyzXYZ123]|[XYZ]b)|G[xyzXYZ123]|[nsaPp][xyz]|EMPTY"
)
# Those of a frame or a joint, whose number is at most that of the frames.
_OF_FRAME = re.compile(
    r"(?:XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M|IA|FV|FS|FX|FY|FZ|CX|CY|CZ|gamma|alpha|th|theta|QP|QDP|GAM)(\d+)"
)
_BASE_MOTION = ("WP", "VP", "W", "V")  # W3 is a velocity of the base, except beside W12, W13 ...
_NO_NUMBERS = ("nan", "inf", "oo", "zoo")  # as Python and SymPy write undefined and infinite numbers
_TRIGONOMETRIC = re.compile(r"[CS]m?\d+(?:m?\d+)*")
# Results of SYMORO's models, which are outputs even if other assignments use them; entries of matrices of robots with
# less than ten joints have two digits, those with three are intermediate.
_RESULTS = re.compile(r"(?:GAM|A|J|QDP)\d+")
_THREE_DIGITS = re.compile(r"[AJ]\d{3}")


@dataclass(frozen=True)
class Assignment:
    """One assignment of a listing: the name, its expression as text, and the line at which it begins."""

    name: str
    text: str
    line: int


@dataclass(frozen=True)
class ListingFile:
    """Contents of a listing.

    Attributes:
        assignments: the assignments in order; entries of arrays have names such as T_1_4.
        entries: array entry by name: "T_1_4" -> ("T", (1, 4)).
        inputs: shape and entries of each input, if the listing declares them.
        parameters: names of the parameters, if the listing declares them.
        outputs: names of the outputs, if the listing declares them.
        comparisons: whether expressions may contain comparisons, as symoro writes them.
        declared: names that C text declares; None if it does not declare its inputs.
        tables: tables of the robot before the equations.
        results: names of results: those that the tables after the equations contain, accelerations of the base.
        title: first line of the listing, if it is not an assignment.
        written: number of operations as written.
        warnings: signs of damage that is not certain.
        first_index: index of the first entry of arrays, if the language determines it.
        arguments: names of the arguments of a MATLAB function, which are inputs.
    """

    file: str
    assignments: tuple[Assignment, ...]
    entries: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    inputs: Mapping[str, tuple[Shape, tuple[str, ...]]] | None = None
    parameters: tuple[str, ...] = ()
    outputs: frozenset[str] = frozenset()
    comparisons: bool = True
    declared: frozenset[str] | None = None
    tables: Tables | None = None
    results: frozenset[str] = frozenset()
    title: str = ""
    written: OpCount = field(default_factory=OpCount)
    warnings: tuple[str, ...] = ()
    first_index: int | None = None
    arguments: frozenset[str] = frozenset()

    def array(self, name: str) -> str:
        """Return the name of the array to which an entry belongs; other names are returned unchanged."""
        return self.entries[name][0] if name in self.entries else name


def read_listing(text: str, file: str = "") -> ListingFile:
    """Return the assignments of a listing.

    Args:
        text: contents of the file.
        file: its name, for errors.

    Raises:
        FormatError: a line is not an assignment, or the listing is cut.
    """
    lines = text.splitlines()
    if "=" not in text:
        raise FormatError("the listing contains no assignment", place=Place(file, len(lines) or None))
    start = next((k for k, line in enumerate(lines) if _EQUATIONS.fullmatch(line)), None)
    if start is not None:
        return _symoro_listing(lines, start, file)
    dashes = next((k for k, line in enumerate(lines) if _DASHES.fullmatch(line)), None)
    if dashes is not None and any("Made by symoro" in line for line in lines[:dashes]):
        return _own_listing(lines, dashes, file)
    if is_matlab(text):
        listing = _matlab_listing(lines, file)
    else:
        listing = _c_listing(lines, file) if _is_c(text) else _listing(file, list(_statements(lines, file)))
    return listing if text.endswith(("\n", "\r")) else replace(listing, warnings=(NO_LINE_END,))


def _listing(file: str, statements: Sequence[Assignment], **details: object) -> ListingFile:
    if not statements:
        raise FormatError("the listing contains no assignment", place=Place(file))
    entries: dict[str, tuple[str, tuple[int, ...]]] = {}
    words = {word for one in statements for word in _WORD.findall(f"{one.name} {one.text}")}

    def flat(match: re.Match[str]) -> str:
        index = tuple(int(number) for number in re.findall(r"\d+", match[2]))
        name = _entry_name(match[1], index, words)
        entries[name] = (match[1], index)
        return name

    assignments = tuple(
        Assignment(_ENTRY.sub(flat, one.name), _ENTRY.sub(flat, one.text), one.line) for one in statements
    )
    written = OpCount()
    for one in assignments:
        written = written + _written(one, file)
    return ListingFile(file, assignments, entries, written=written, **details)  # type: ignore[arg-type]


def _entry_name(array: str, index: Sequence[int], words: Container[str]) -> str:
    """Return the name of an entry of an array, T_1_4 for T[1,4], which is none of the words of the listing."""
    name = "_".join([array, *map(str, index)])
    while name in words:
        name += "_"
    return name


# -- the forms of listings


def _symoro_listing(lines: Sequence[str], start: int, file: str) -> ListingFile:
    """Return the listing of SYMORO+ or OpenSYMORO; equations begin after line `start`."""
    end = next((k for k in range(start + 1, len(lines)) if _END.fullmatch(lines[k])), None)
    if end is None:
        raise FormatError(
            "the listing is cut: its last line '*=*' is missing",
            place=Place(file, len(lines)),
            hint="write the listing again, or remove the line 'Equations:' if the assignments are complete",
        )
    rest = _check_end(lines, end, file)
    title = next((line.strip() for line in lines[:start] if _COMMENT.sub("", line).strip()), "")
    equations = list(lines[start + 1 : end])
    for k, line in enumerate(equations):
        heading = MATRIX_TITLE.fullmatch(line) or _DASHES.fullmatch(line)
        if heading or _is_identity(line, start + 2 + k, file):
            equations[k] = ""
    written = _statements(equations, file, start + 2, remarks=False)
    scalars, accelerations = without_systems([(one.name, one.text, one.line) for one in written], file)
    statements = [Assignment(*one) for one in scalars]
    tables = read_tables(lines[:start], file)
    defined = {one.name: None for one in statements}
    missing = missing_result(lines[:end], tables, defined)
    if missing is None and rest is not None:
        missing = next((x for x in sorted(rest.names) if x not in defined and x not in (tables or ())), None)
    if missing is not None:
        raise FormatError(
            f"the listing is damaged: its result {missing} is not assigned",
            place=Place(file, end + 1),
            hint="write the listing again; to optimise a part of it, remove the title, the tables and '*=*'",
        )
    results = accelerations | (rest.names if rest else frozenset())
    return _listing(file, statements, title=title, tables=tables, results=results, comparisons=False)


def _check_end(lines: Sequence[str], end: int, file: str) -> Tables | None:
    """Check what follows the first line `*=*`: nothing, a number of operations, or tables and another such line.

    Returns:
        The tables with the grouped inertial parameters, which OpenSYMORO adds to the base parameters.
    """
    after = [
        k
        for k in range(end + 1, len(lines))
        if lines[k].strip() and not _NUMBER_OF_OPERATIONS.match(lines[k])
    ]
    if not after:
        return None
    tables = read_tables(lines[end + 1 :], file, end + 2)
    wrong = next((k for k in after[:-1] if "=" in lines[k]), after[0] if tables is None else None)
    if wrong is not None:
        raise FormatError(
            "the listing continues after its last line '*=*'",
            place=Place(file, wrong + 1),
            hint="give one listing per file",
        )
    if not _END.fullmatch(lines[after[-1]]):
        raise FormatError("the listing is cut: its last line '*=*' is missing", place=Place(file, len(lines)))
    return tables


def _is_identity(line: str, number: int, file: str) -> bool:
    """Return whether a line is a trigonometric identity, as OpenSYMORO adds them: cos(a + b) = ...

    Raises:
        FormatError: the equation does not hold.
    """
    match = _IDENTITY.fullmatch(line)
    if match is None:
        return False
    if not is_identity(match[1], match[2]):
        raise FormatError(
            f"expected an assignment NAME = EXPRESSION or a trigonometric identity, got '{line.strip()[:60]}'",
            place=Place(file, number),
        )
    return True


def _own_listing(lines: Sequence[str], dashes: int, file: str) -> ListingFile:
    """Return the listing that `generate` prints; its header declares inputs, outputs and parameters."""
    head = lines[:dashes]
    inputs = {name: (_shape(text), tuple(words.split())) for name, text, words in _declared(head, "Inputs")}
    for name, (shape, symbols) in inputs.items():
        if math.prod(shape) != len(set(symbols)):
            line = next(k for k, line in enumerate(head, 1) if line.strip().startswith(f"{name} ("))
            raise FormatError(
                f"the header is damaged: {name} does not have {math.prod(shape)} different entries",
                place=Place(file, line),
            )
    outputs = {name: _shape(text) for name, text, _ in _declared(head, "Outputs")}
    section = _section(head, "Parameters")
    written = {match[2]: match[1] for line in section if (match := _RENAMED.fullmatch(line)) is not None}
    parameters = tuple(
        written.get(word, word)
        for line in section
        if " in " not in line and _RENAMED.fullmatch(line) is None
        for word in line.split()
    )
    statements = list(
        _statements(_counted(lines, dashes, file), file, dashes + 2, headings=True, remarks=False)
    )
    assigned = {one.name for one in statements}
    for name, shape in outputs.items():
        missing = next((entry for entry in _entry_names(name, shape) if entry not in assigned), None)
        if missing is not None:
            raise FormatError(
                f"the listing is cut: the output {missing} is not assigned", place=Place(file, len(lines))
            )
    declared = {"inputs": inputs, "parameters": parameters, "outputs": frozenset(outputs)}
    return _listing(file, statements, title=_title(head), **declared)


def _counted(lines: Sequence[str], dashes: int, file: str) -> Sequence[str]:
    """Return the lines between the line of dashes and the last line, which contains their number.

    Raises:
        FormatError: the last line is missing, or the number of lines differs.
    """
    body = [line for line in lines[dashes + 1 :] if line.strip()]
    match = _LAST_LINE.fullmatch(body[-1].strip()) if body else None
    if match is None:
        raise FormatError(
            "the listing is cut: its last line '(* lines: ... *)' is missing",
            place=Place(file, len(lines)),
            hint="write the listing again",
        )
    count = len(body) - 1
    if count != int(match[1]):
        raise FormatError(
            f"the listing is damaged: {count} lines follow the header, {match[1]} by its last line",
            place=Place(file, len(lines)),
            hint="write the listing again, or correct the last line if the change is intended",
        )
    return lines[dashes + 1 :]


def _title(head: Sequence[str]) -> str:
    """Return the title of the model, which follows the name of the program in the first lines of the header."""
    first = [head[0], *itertools.takewhile(lambda line: line.startswith("    "), head[1:])]
    return " ".join(line.strip() for line in first).partition(": ")[2]


def _section(head: Sequence[str], title: str) -> list[str]:
    """Return the lines of a section of the header; continuation lines are joined to the line before them."""
    start = next((k for k, line in enumerate(head) if line.strip() == title), None)
    result: list[str] = []
    for line in head[start + 1 :] if start is not None else []:
        if not line.startswith("  "):
            break
        if line.startswith("      ") and result:
            result[-1] += " " + line.strip()
        else:
            result.append(line.strip())
    return result


def _declared(head: Sequence[str], title: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, shape and entries of each array in a section of the header."""
    for line in _section(head, title):
        match = re.match(r"(\w+) \(([^)]*)\)", line)
        if match is not None:
            yield match[1], match[2], line.rpartition(": ")[2]


def _shape(text: str) -> Shape:
    """Return a shape from a text such as "4, 4" or "scalar"."""
    return () if text == "scalar" else tuple(int(length) for length in text.split(","))


def _entry_names(name: str, shape: Shape) -> list[str]:
    """Return the names of the entries of an output as the listing writes them."""
    indices = itertools.product(*(range(1, length + 1) for length in shape))
    return [f"{name}[{','.join(map(str, index))}]" if shape else name for index in indices]


def _is_c(text: str) -> bool:
    return any(line.rstrip().endswith(";") for line in text.splitlines())


def _statements(
    lines: Sequence[str], file: str, first: int = 1, *, headings: bool = False, remarks: bool = True
) -> Iterator[Assignment]:
    """Yield the assignments of lines; an indented line without an equality sign continues the line before it.

    Args:
        first: number of the first line.
        headings: whether lines that end with a colon are headings.
        remarks: whether a remark, which begins with #, may follow an assignment in its line.
    """
    pending: list[str] = []
    start = first
    for number, whole in enumerate(lines, first):
        line = _COMMENT.sub("", whole)
        if remarks or line.lstrip().startswith("#"):
            line = line.split("#")[0]
        line = line.rstrip()
        if not line.strip() or (headings and line.endswith(":") and "=" not in line):
            continue
        if pending and line[0].isspace() and _ASSIGNMENT.fullmatch(line) is None:
            pending.append(line.strip())
            continue
        if pending:
            yield _assignment(" ".join(pending), start, file)
        pending, start = [line], number
    if pending:
        yield _assignment(" ".join(pending), start, file)


# -- MATLAB


def _matlab_listing(lines: Sequence[str], file: str) -> ListingFile:
    """Return the assignments of MATLAB text, and the names and results that it declares."""
    text = read_matlab(lines, file)
    assignments = [_assignment(statement, line, file) for statement, line in text.statements]
    listing = _listing(
        file,
        assignments,
        declared=None if text.declared is None else frozenset(text.declared),
        outputs=frozenset(text.results),
        first_index=1,
        arguments=frozenset(text.arguments),
    )
    assigned = {name for one in listing.assignments for name in (one.name, listing.array(one.name))}
    for name, line in text.results.items():
        if name not in assigned:
            raise FormatError(
                f"the result {name} is not assigned",
                place=Place(file, line),
                hint=f"add the assignment of {name}, or remove it from this line",
            )
    return listing


# -- C


def _c_listing(lines: Sequence[str], file: str) -> ListingFile:
    """Return the assignments of C text, alone or in one function, and the names that it declares."""
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in lines)
    text, arguments = _without_function(_without_comments(text, file), file)
    declared: dict[str, int] = {}  # without a value -> line
    inputs = set(arguments or ())
    complete = arguments is not None
    assignments: list[Assignment] = []
    line = 1
    *statements, rest = text.split(";")
    for statement in statements:
        first = line + statement[: len(statement) - len(statement.lstrip())].count("\n")
        line += statement.count("\n")
        body = _DECLARED.sub("", statement, count=1).strip()
        if body != statement.strip() and "=" not in body:
            names = {match[1]: first for match in _DECLARATOR.finditer(body)}
            declared |= names
            if statement.split()[0] == "extern":
                complete = True
                inputs |= names.keys()
        elif body:
            assignments.append(_c_assignment(" ".join(body.split()), first, file))
    if rest.strip():
        raise FormatError(
            "the listing is cut: the last assignment has no semicolon", place=Place(file, len(lines))
        )
    all_names = frozenset({*declared, *inputs}) if complete else None
    listing = _listing(file, assignments, declared=all_names, first_index=0)
    assigned = {listing.array(one.name) for one in listing.assignments}
    used = {listing.array(name) for one in listing.assignments for name in _names(one.text)}
    # If all names are declared, the inputs are declared outside the function, or are its arguments.
    unassigned = declared.keys() - assigned - (used & inputs if complete else used)
    for name in sorted(unassigned, key=declared.__getitem__):
        raise FormatError(
            f"{name} is declared, but not assigned",
            place=Place(file, declared[name]),
            hint=f"add the assignment of {name}, or remove its declaration",
        )
    return listing


def _c_assignment(text: str, line: int, file: str) -> Assignment:
    one = _assignment(text, line, file)
    quotient = _QUOTIENT.search(one.text)
    if quotient is not None:
        raise FormatError(
            f"{quotient[0]} is a division of integers, which C rounds to an integer",
            place=Place(file, line),
            hint="write the numbers with decimal points, such as 1.0/2.0, if the quotient is meant",
        )
    return Assignment(one.name, _SUFFIX.sub(r"\1", one.text), line)


def _without_comments(text: str, file: str) -> str:
    """Return C text without comments, on the same lines.

    Raises:
        FormatError: a comment has no end.
    """

    def blank(match: re.Match[str]) -> str:
        if match[0].startswith("/*") and (not match[0].endswith("*/") or "/*" in match[0][2:]):
            line = text[: match.start()].count("\n") + 1
            raise FormatError("a comment has no end '*/'", place=Place(file, line))
        return "\n" * match[0].count("\n")

    return re.sub(r"/\*.*?(?:\*/|\Z)|//[^\n]*", blank, text, flags=re.DOTALL)


def _without_function(text: str, file: str) -> tuple[str, list[str] | None]:
    """Return the body of the only function in C text, on the same lines, and the names of its arguments.

    Text with no function or several ones is returned unchanged, with None.

    Raises:
        FormatError: the function has no end.
    """
    functions = list(_FUNCTION.finditer(text))
    if len(functions) != 1:
        return text, None
    (function,) = functions
    end = text.rfind("}")
    if end < 0:
        raise FormatError(
            "the listing is cut: the function has no closing brace", place=Place(file, text.count("\n") + 1)
        )
    blank = re.sub(r"[^\n]", " ", function[0])
    body = text[: function.start()] + blank + text[function.end() : end] + text[end + 1 :]
    return body, [words[-1] for part in function[1].split(",") if (words := _WORD.findall(part))]


def _assignment(text: str, line: int, file: str) -> Assignment:
    match = _ASSIGNMENT.fullmatch(text)
    if match is None or not match["text"]:
        shown = "".join(sign if sign.isprintable() else "?" for sign in text.strip()[:60])
        hint = "only assignments are read: give the statements of one function, without braces and loops"
        raise FormatError(
            f"expected an assignment NAME = EXPRESSION, got '{shown}'",
            place=Place(file, line),
            hint=hint if _CONTROL.search(text) else None,
        )
    name = re.sub(r"\s", "", match["name"])
    if reserved(name):
        raise FormatError(
            f"{name} is a function or a constant and cannot be assigned", place=Place(file, line)
        )
    return Assignment(name, match["text"], line)


# -- operations as written


def _written(one: Assignment, file: str) -> OpCount:
    """Return the number of operations of an assignment as it is written."""
    if _CHOICE.fullmatch(one.text):
        return OpCount()
    try:
        names = operation_tokens(one.text)
    except ExpressionError as error:
        raise _misread(error, one, file) from None
    groups = [ops.TABLE[op].group for op in names]
    return OpCount(
        groups.count("additions"),
        groups.count("multiplications"),
        groups.count("divisions"),
        groups.count("functions"),
        groups.count("others"),
    )


def _misread(error: ExpressionError, one: Assignment, file: str) -> FormatError:
    return FormatError(f"{one.name}: {error.message}", place=Place(file, one.line), hint=error.hint)


# -- the program


def listing_program(
    listing: ListingFile,
    name: str,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Program:
    """Return the program of a listing.

    Args:
        name: name of the program.
        inputs: names, or beginnings of numbered names ("q" for q1, q2 ...), of what varies from call to call; by
            default the joint variables. Names that are neither inputs nor defined are parameters.
        outputs: names, or beginnings of numbered names, of the results; by default as described above.

    Raises:
        FormatError: a name is used before it is defined, defined twice or missing, or an expression is not valid.
        UnknownNameError: there is no such input or output.
    """
    _check_definitions(listing)
    defined = {one.name: one for one in listing.assignments}
    free = _free_names(listing, defined)
    _check_solutions(listing, defined)
    choices = [one.name for one in listing.assignments if _CHOICE.fullmatch(one.text)]
    variables = _variables(listing, [*choices, *free], inputs)
    builder = Builder(name)
    known: dict[str, Expr] = {}
    arrays = _grouped(listing, variables)
    for array, (shape, symbols) in arrays.items():
        entries = builder.input(array, shape, symbols)
        known |= dict(zip(symbols, entries, strict=True))
    for symbol in (*listing.parameters, *free):
        if symbol not in known:
            known[symbol] = builder.parameter(symbol)
    results = _output_names(listing, defined, outputs)
    for one in listing.assignments:
        if one.name not in known:  # a choice of a sign is an input
            value = _parsed(one, listing, builder, known)
            known[one.name] = value if one.name in results else builder.named(one.name, value)
    for array, nested in _output_arrays(listing, results, known, arrays):
        builder.output(array, nested)
    return builder.program(title=listing.title)


def _parsed(one: Assignment, listing: ListingFile, builder: Builder, known: Mapping[str, Expr]) -> Expr:
    try:
        return parse(
            one.text,
            builder.graph,
            lambda name: known[name].lit,
            listing=True,
            comparisons=listing.comparisons,
        )
    except ExpressionError as error:
        raise _misread(error, one, listing.file) from None


def _names(text: str) -> Iterator[str]:
    """Yield the names that an expression uses, without functions and pi."""
    for match in re.finditer(r"(?<![\w.])[A-Za-z_]\w*", text):
        if not reserved(match[0]) and match[0] not in (*ALIASES, "pow"):
            yield match[0]


def _check_definitions(listing: ListingFile) -> None:
    """Check that every name is defined once, and before it is used."""
    lines: dict[str, int] = {}
    for one in listing.assignments:
        if one.name in lines:
            raise FormatError(
                f"{one.name} is defined twice: first in line {lines[one.name]}",
                place=Place(listing.file, one.line),
                hint="give the second quantity another name",
            )
        lines[one.name] = one.line
    defined: set[str] = set()
    for one in listing.assignments:
        for name in _names(one.text):
            if name in lines and name not in defined:
                raise FormatError(
                    f"{name} is used before it is defined in line {lines[name]}",
                    place=Place(listing.file, one.line),
                    hint="order the assignments so that each name is defined before its first use",
                )
        defined.add(one.name)


def _free_names(listing: ListingFile, defined: Mapping[str, Assignment]) -> list[str]:
    """Return the names that are used and never defined, in the order of their first use.

    Raises:
        FormatError: a name is not declared by the listing, or belongs to a series of defined names, such as WI12 beside
            WI13: its assignment is missing.
    """
    stems = {match[1] for name in defined if (match := _STEM.fullmatch(name)) is not None}
    free: dict[str, None] = {}
    for one in listing.assignments:
        for name in _names(one.text):
            if name in defined or name in free:
                continue
            reason = _why_undefined(listing, name, stems)
            if reason:
                raise FormatError(
                    f"{name} is not defined, {reason}",
                    place=Place(listing.file, one.line),
                    hint=f"add the assignment of {name}, or rename it if it is an input",
                )
            free[name] = None
    return list(free)


def _check_solutions(listing: ListingFile, defined: Container[str]) -> None:
    """Check that an inverse geometric model assigns each joint variable for which it computes quantities."""
    for variable in sorted(listing.tables.results if listing.tables else ()):
        # The names X1th5 and Y1th5 belong to the solution for th5.
        steps = [one for one in listing.assignments if one.name.endswith(variable)]
        if steps and variable not in defined:
            raise FormatError(
                f"the joint variable {variable} is not assigned, although {steps[-1].name} is",
                place=Place(listing.file, steps[-1].line),
                hint="write the listing again",
            )


def _why_undefined(listing: ListingFile, name: str, stems: Container[str]) -> str:
    """Return why a name that is never defined cannot be an input or a parameter; an empty text if it can.

    Args:
        stems: beginnings of the numbered names that are defined.
    """
    if listing.inputs is not None:
        declared = {*listing.parameters, *(s for _, symbols in listing.inputs.values() for s in symbols)}
        return "" if name in declared else "and the header declares it neither as an input nor as a parameter"
    if listing.declared is not None:
        return "" if listing.array(name) in listing.declared else "and it is not declared"
    if name in _NO_NUMBERS:
        return "it is the result of an undefined operation"
    tables = listing.tables
    match = _OF_FRAME.fullmatch(name)
    if match is not None and tables is not None and 0 < tables.frames < int(match[1]):
        return f"and the tables contain only {tables.frames} frames"
    match = _STEM.fullmatch(name)
    stem = match[1] if match is not None and match[1] in stems else None
    # t1 can be a joint variable, but where other names of this form are assigned it is an intermediate variable.
    if tables is not None and name in tables.results:
        return "although it is a joint variable of an inverse geometric model"
    absent = tables is not None and tables.tabulated(name)
    if name in (tables or ()) or (_is_variable(listing, name) and stem != "t" and not absent):
        return ""
    if tables is not None:
        known = _SYMORO.fullmatch(name) and not absent and stem not in _BASE_MOTION
        return "" if known else "and the tables of the robot do not contain it"
    if _TRIGONOMETRIC.fullmatch(name):
        return "although it is SYMORO's name of a sine or cosine"
    series = stem is not None and not _SYMORO.fullmatch(name)
    return f"although other names that begin with {stem} are" if series else ""


def _is_variable(listing: ListingFile, name: str) -> bool:
    array = listing.array(name)
    if array in listing.arguments or (listing.tables is not None and name in listing.tables.variables):
        return True
    return _VARIABLES.fullmatch(name if array == name else f"{array}1") is not None


def _variables(listing: ListingFile, free: Sequence[str], inputs: Sequence[str] | None) -> list[str]:
    """Return the names that vary from call to call."""
    if inputs is not None:
        return _selected(free, inputs, "input")
    if listing.inputs is not None:
        return [symbol for _, symbols in listing.inputs.values() for symbol in symbols]
    choices = {one.name for one in listing.assignments if _CHOICE.fullmatch(one.text)}
    variables = [name for name in free if name in choices or _is_variable(listing, name)]
    return variables if any(name not in choices for name in variables) else list(free)


def _selected(names: Sequence[str], wanted: Sequence[str], kind: str) -> list[str]:
    """Return the names that equal a wanted name, or consist of it and a number.

    Raises:
        UnknownNameError: a wanted name matches none of the names.
    """
    result: dict[str, None] = {}
    for each in wanted:
        matching = [name for name in names if name == each or re.fullmatch(rf"{re.escape(each)}[_\d]+", name)]
        if not matching:
            raise UnknownNameError(f"{kind} of the listing", each, list(names))
        result |= dict.fromkeys(matching)
    return list(result)


def _grouped(listing: ListingFile, names: Sequence[str]) -> dict[str, tuple[Shape, tuple[str, ...]]]:
    """Return the inputs as arrays: declared ones, entries of arrays, and names that differ in their number only."""
    declared = listing.inputs or {}
    if declared and set(names) == {s for _, symbols in declared.values() for s in symbols}:
        return dict(declared)
    arrays: dict[tuple[bool, str], list[tuple[tuple[int, ...], str]]] = {}
    for name in names:
        array, index = _place(listing, name)
        arrays.setdefault((name in listing.entries, array), []).append((index, name))
    words = {array for array, _ in listing.entries.values()} | {one.name for one in listing.assignments}
    words |= {name for one in listing.assignments for name in _names(one.text)}
    result: dict[str, tuple[Shape, tuple[str, ...]]] = {}
    for (of_array, array), entries in arrays.items():
        symbols = tuple(name for _, name in sorted(entries))
        if of_array:
            result[array] = _whole_array(listing, array, dict(entries), words)
        elif symbols == (array,) or array in words:  # the name of the array may be that of another quantity
            result |= {name: ((), (name,)) for name in symbols}
        else:
            result[array] = ((len(symbols),), symbols)
    return result


def _whole_array(
    listing: ListingFile, array: str, entries: Mapping[tuple[int, ...], str], words: Container[str]
) -> tuple[Shape, tuple[str, ...]]:
    """Return shape and entries of an input array, including those that no assignment uses.

    Otherwise q[2] would have another place in the result if q[1] is not used.

    Raises:
        FormatError: entries of the array have different numbers of indices.
    """
    if len({len(index) for index in entries}) != 1:
        raise FormatError(
            f"entries of the array {array} have different numbers of indices", place=Place(listing.file)
        )
    first = listing.first_index
    if first is None:
        first = min(1, *map(min, entries))
    axes = [range(first, max(axis) + 1) for axis in zip(*entries, strict=True)]
    if math.prod(map(len, axes)) > MOST_ENTRIES:
        raise FormatError(
            f"the array {array} has more than {MOST_ENTRIES} entries", place=Place(listing.file)
        )
    symbols = (entries.get(index) or _entry_name(array, index, words) for index in itertools.product(*axes))
    return tuple(map(len, axes)), tuple(symbols)


def _place(listing: ListingFile, name: str) -> tuple[str, tuple[int, ...]]:
    """Return the array and index of a name: those of an entry, or letters and number; () if there is no number."""
    match = _STEM.fullmatch(name)
    numbered = (match[1], (int(match[2]),)) if match is not None and match[1] else (name, ())
    return listing.entries.get(name, numbered)


def _output_names(
    listing: ListingFile, defined: Mapping[str, Assignment], outputs: Sequence[str] | None
) -> list[str]:
    """Return the names of the results, in the order of their assignments."""
    if outputs is not None:
        return _selected(list(defined), outputs, "output")
    used = {name for one in listing.assignments for name in _names(one.text)}
    if listing.outputs:
        return [name for name in defined if name in listing.outputs or listing.array(name) in listing.outputs]
    last = {name for name in defined if name not in used or _is_result(listing, name)}
    names = [name for name in defined if name in listing.entries or name in last]
    return [name for name in names if not _CHOICE.fullmatch(defined[name].text)]


def _is_result(listing: ListingFile, name: str) -> bool:
    """Return whether a name is that of a result of SYMORO's models: torques, entries of matrices, joint variables."""
    tables = listing.tables
    if any(array == _place(listing, name)[0] for array, _ in listing.entries.values()):
        return False  # GAM[0] = GAM1: the array contains the results
    if name in listing.results or (tables is not None and name in tables.results):
        return True
    if tables is not None and tables.frames < 10 and _THREE_DIGITS.fullmatch(name):
        return False
    return _RESULTS.fullmatch(name) is not None


def _output_arrays(
    listing: ListingFile, names: Sequence[str], known: Mapping[str, Expr], inputs: Container[str]
) -> Iterator[tuple[str, object]]:
    """Yield name and value of each output; complete series of names are vectors or matrices.

    Args:
        names: names of the results.
        inputs: names of the input arrays, which no output has.
    """
    arrays: dict[tuple[bool, str], list[tuple[tuple[int, ...], str]]] = {}
    for name in names:
        array, index = _place(listing, name)
        arrays.setdefault((name in listing.entries, array), []).append((index, name))
    taken = {*names, *(array for of_array, array in arrays if of_array)}
    for (of_array, array), entries in arrays.items():
        indices = dict(entries)
        if of_array:
            _check_gaps(listing, array, indices)
            # The matrices of SYMORO+ begin with A[1][1] in C, too.
            nested = _array(indices, listing.first_index if len(entries[0][0]) == 1 else None)
        else:
            digits = {tuple(map(int, str(i[0]))): name for i, name in indices.items() if i}  # A12 is A[1,2]
            nested = _array(indices) or (_array(digits) if len(digits) == len(indices) else None)
        free = array not in inputs and (array in listing.outputs or array not in known)
        unique = len(indices) == len(entries) and (of_array or array not in taken)  # W1 and W01 are different
        if nested is None or not free or not unique:
            yield from ((name, known[name]) for _, name in entries)
        else:
            yield array, _valued(nested, known)


def _check_gaps(listing: ListingFile, array: str, entries: Mapping[tuple[int, ...], str]) -> None:
    """Check that every entry between the first and the last one of a vector is assigned.

    Matrices may have gaps: SYMORO+ writes one triangle of a symmetric matrix.
    """
    indices = sorted(index[0] for index in entries if len(index) == 1)
    for before, after in itertools.pairwise(indices):
        if after > before + 1:
            line = next(one.line for one in listing.assignments if one.name == entries[after,])
            raise FormatError(
                f"entry {before + 1} of {array} is not assigned, although entry {after} is",
                place=Place(listing.file, line),
                hint="add its assignment, or rename the entries",
            )


def _array(entries: Mapping[tuple[int, ...], str], first: int | None = None) -> object | None:
    """Return nested lists of names if the indices fill an array that starts at `first`; otherwise None.

    Args:
        first: index of the first entry; 0 or 1 by default.
    """
    if len({len(index) for index in entries}) != 1 or () in entries:
        return None
    axes = [sorted(set(axis)) for axis in zip(*entries, strict=True)]
    start = axes[0][0]
    whole = [list(range(start, start + len(axis))) for axis in axes]
    starts = (0, 1) if first is None else (first,)
    if start not in starts or axes != whole or len(entries) != math.prod(map(len, axes)):
        return None

    def nested(index: tuple[int, ...]) -> object:
        if len(index) == len(axes):
            return entries[index]
        return [nested((*index, k)) for k in axes[len(index)]]

    return nested(())


def _valued(nested: object, known: Mapping[str, Expr]) -> object:
    if isinstance(nested, list):
        return [_valued(each, known) for each in nested]
    return known[str(nested)]
