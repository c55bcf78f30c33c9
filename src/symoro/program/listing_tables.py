"""Tables of the robot in a listing of SYMORO or OpenSYMORO, and the results that title and tables announce.

    Geometric parameters
    j       ant     sigma   mu      gamma   b       alpha   d       theta   r
    1       0       0       1       0       0       0       0       th1     0

A cell of eight characters or more has no blank before the next one: "th2 + pi/20" is the cell "th2 + pi/2" and a zero.
SYMORO+ writes fractions on three lines, numerators and denominators above and below the row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple

from symoro.errors import FormatError, Place
from symoro.expr.parser import reserved

WIDE = 8  # characters of a cell that has no blank before the next one
MATRIX_TITLE = re.compile(r"\s*Tra[mn]sformation matrix (\d+) T (\d+)\s*")

_NAME = re.compile(r"(?<![A-Za-z_])[A-Za-z_]\w*")
REVOLUTE, PRISMATIC, FIXED = "0", "1", "2"  # joint type sigma
_OF_FRAMES = {"ant", "sigma", "theta", "r"}  # columns
_VARIABLE = {REVOLUTE: r"(?:th|t|q|theta)_?{0}", PRISMATIC: r"[rRq]_?{0}"}
_CELL = re.compile(r"([A-Za-z]+)_?(\d+)")
_JOINT_VARIABLES = ("th", "t", "q")
_HEADERS, _AXES = ("j", "axis"), ("X", "Y", "Z")  # first column
_INVERSE_GEOMETRY = re.compile(r"\bInverse Geometri", re.IGNORECASE)
_ENTRY_OF_TRANSFORM = re.compile(r"(T\d+T\d+)[123][1234]")
_INERTIAL = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
_TORQUE_OF_PARAMETER = re.compile(rf"DG(\d)({'|'.join(_INERTIAL)})(\d+)")  # of joint, parameter, link
_POSE = frozenset(f"{letter}{k}" for letter, k in product("snapSNAP", "123xyz"))
# Results with an entry per axis and link, by the title of the listing.
_PER_LINK = {"Link velocities": ("W", "V"), "Link accelerations": ("WP", "VP"), "JdotQdot": ("WPJ", "VPJ")}


@dataclass(frozen=True)
class Tables:
    """Names in the tables of a listing.

    Attributes:
        text: the rows.
        names: names in them that need no assignment; those of an inverse geometric model are the entries of the pose
            and the parameters, not the joint variables.
        variables: those of `names` that vary from call to call.
        frames: number of frames.
        joints: numbers of the joints that move a link; none without a table of the links.
        results: names in the tables that the model computes.
        links: number of links; 0 if it is not known, because the last frames may be those of cut joints.
        rows: number of the rows in the table of each column, by the title of the column.
    """

    text: str
    names: frozenset[str]
    variables: frozenset[str]
    frames: int
    joints: tuple[int, ...] = ()
    results: frozenset[str] = frozenset()
    links: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)

    def tabulated(self, name: str) -> bool:
        """Return whether a name is that of a cell, such as MX3 where the tables have a column MX and three rows."""
        match = _CELL.fullmatch(name)
        if match is None:
            return False
        column = "theta" if match[1] in _JOINT_VARIABLES else match[1]
        return 0 < int(match[2]) <= self.rows.get(column, 0)

    def __contains__(self, name: str) -> bool:
        wide = len(name) >= WIDE and name in self.text
        return name in self.names or (wide and name not in self.results)


class _Table(NamedTuple):
    """A table: its columns, the line and text of each row, and the blanks before its header."""

    columns: list[str]
    rows: list[tuple[int, str]]
    margin: int


def read_tables(lines: Sequence[str], file: str, first: int = 1) -> Tables | None:
    """Return the tables in lines of a listing; None if there are none.

    Args:
        first: number of the first line, for errors.

    Raises:
        FormatError: a table has no header row, or a row of the table of the frames is missing.
    """
    tables = _tables(lines, file, first)
    if not any(table.rows for table in tables):
        return None
    frames = next((table for table in tables if set(table.columns) >= _OF_FRAMES), None)
    if frames is None or not frames.rows:
        likely = [table.rows[0][0] for table in tables if table.rows and _OF_FRAMES & {*table.columns}]
        raise FormatError(
            "the table of the frames, with the columns j ant sigma theta r ..., is missing or damaged",
            place=Place(file, min(likely, default=first + 1) - 1),
        )
    _check_rows(frames, file)
    links = sum(line.split()[0] != "0" for table in tables if "XX" in table.columns for _, line in table.rows)
    sigma = frames.columns.index("sigma")
    types = [line.split()[sigma] for _, line in frames.rows]
    joints = tuple(j for j, joint_type in enumerate(types[:links], 1) if joint_type in _VARIABLE)
    variables = frozenset(
        name for j, joint_type in enumerate(types, 1) if (name := _variable(frames, j, joint_type))
    )
    variables |= set(_rates(tables))
    text = "\n".join(line for table in tables for _, line in table.rows)
    names = frozenset(_names(text))
    rows = {title: len(table.rows) for table in tables for title in table.columns}
    whole = Tables(text, names, variables, len(types), joints, frozenset(), links, rows)
    if not links and FIXED not in types:
        whole = replace(whole, links=len(types))
    if any(_INVERSE_GEOMETRY.search(line) for line in lines):
        whole = replace(whole, names=names - variables | _POSE, variables=_POSE, results=variables)
    return whole


def _tables(lines: Sequence[str], file: str, first: int) -> list[_Table]:
    tables: list[_Table] = []
    for k, line in enumerate(lines, first):
        cells = line.split()
        margin = len(line) - len(line.lstrip())
        if len(cells) > 3 and cells[0] in _HEADERS:
            tables.append(_Table(cells, [], margin))
        elif len(cells) > 4 and (cells[0] in _AXES or (cells[0].isdigit() and tables)):
            if (
                tables and margin <= tables[-1].margin + 2
            ):  # numerators and denominators are farther to the right
                tables[-1].rows.append((k, line))
        elif len(cells) > 4 and all(cell.isdigit() for cell in cells[:3]):
            raise FormatError("a row of a table has no header row before it", place=Place(file, k))
    return tables


def _check_rows(frames: _Table, file: str) -> None:
    for frame, (k, line) in enumerate(frames.rows, 1):
        if line.split()[0] != str(frame):
            raise FormatError(
                f"the row of frame {frame} is missing in the table of the frames", place=Place(file, k)
            )


def _names(text: str) -> list[str]:
    return [name for name in _NAME.findall(text) if not reserved(name)]


def _rates(tables: Sequence[_Table]) -> Iterator[str]:
    """Yield the names in the columns of the joint velocities, accelerations and torques."""
    for table in tables:
        for column in (k for k, title in enumerate(table.columns) if title in ("QP", "QDP", "GAM")):
            for _, line in table.rows:
                cells = line.split()
                if len(cells) == len(table.columns):  # otherwise wide cells have no blanks between them
                    yield from _names(cells[column])


def _variable(frames: _Table, frame: int, joint_type: str) -> str:
    """Return the joint variable in the row of a frame; an empty text for a fixed joint."""
    if joint_type not in _VARIABLE:
        return ""
    text = frames.rows[frame - 1][1]
    cells = text.split()
    separated = len(cells) == len(frames.columns)
    if separated:
        text = cells[frames.columns.index("r" if joint_type == PRISMATIC else "theta")]
    names = _names(text)
    own = [name for name in names if re.fullmatch(_VARIABLE[joint_type].format(frame), name)]
    if separated and len(names) == 1:
        own = names
    return own[0] if own else ""


# -- results


def missing_result(lines: Sequence[str], tables: Tables | None, defined: Collection[str]) -> str | None:
    """Return a result that title, tables or other entries announce, and that is not assigned; None if there is none.

    Args:
        lines: the lines of the listing.
        defined: names that are assigned.
    """
    return next((name for name in _announced(lines, tables, defined) if name not in defined), None)


def _announced(lines: Sequence[str], tables: Tables | None, defined: Collection[str]) -> Iterator[str]:
    titles = [line.strip() for line in lines]
    known_links = tables.links if tables else 0
    joints = tables.joints if tables else ()
    if any(f"{family}{j}" in defined for family in ("GAM", "QDP") for j in joints):
        # The inverse dynamic model of a robot with elastic joints computes their accelerations.
        yield from (f"GAM{j}" for j in joints if f"QDP{j}" not in defined)
    for line in titles:
        title = MATRIX_TITLE.fullmatch(line)
        if title is not None:
            yield from _grid(f"T{title[1]}T{title[2]}", range(1, 4), range(1, 5))
        families = next((names for start, names in _PER_LINK.items() if line.startswith(start)), ())
        digits = [text for family in families for name in defined if (text := _index(family, name))]
        links = {text[1:] for text in digits if text[0] in "123"} | set(map(str, range(1, known_links + 1)))
        for family in families:
            yield from _grid(family, range(1, 4), sorted(links))
    if any("dentification" in line for line in titles):  # each parameter of a link acts on the same joints
        columns = [match for name in defined if (match := _TORQUE_OF_PARAMETER.fullmatch(name))]
        for link in sorted({match[3] for match in columns}):
            joints_of_link = sorted({match[1] for match in columns if match[3] == link})
            parameters = [
                name for name in _INERTIAL if tables is not None and f"{name}{link}" in tables.names
            ]
            yield from (f"DG{joint}{name}{link}" for joint, name in product(joints_of_link, parameters))
    if any("Direct Geometri" in line for line in titles):  # the last matrix is the result
        last = [match for name in defined if (match := _ENTRY_OF_TRANSFORM.fullmatch(name))][-1:]
        yield from (name for match in last for name in _grid(match[1], range(1, 4), range(1, 5)))
    if any("acobian" in line for line in titles):
        entries = _pairs("J", defined)
        yield from _grid("J", range(1, 7), sorted({column for _, column in entries}))
        yield from _grid("L", range(1, 4), range(1, 4) if _pairs("L", defined) else ())
    if any("nertia" in line and "atrix" in line for line in titles):
        entries = _pairs("A", defined)
        size = max((max(pair) for pair in entries), default=0)
        upper = any(row < column for row, column in entries)
        pairs = [(i, j) if upper else (j, i) for j in range(1, size + 1) for i in range(1, j + 1)]
        yield from (f"A{i}{j}" for i, j in pairs)


def _grid(family: str, rows: Collection[object], columns: Collection[object]) -> Iterator[str]:
    return (f"{family}{row}{column}" for column in columns for row in rows)


def _index(family: str, name: str) -> str:
    """Return the digits of a name that consists of a family and digits; otherwise an empty text."""
    digits = name.removeprefix(family)
    return digits if name.startswith(family) and digits.isdigit() else ""


def _pairs(family: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Return the indices of the entries with one digit each; none if there are entries with more."""
    digits = [text for name in names if (text := _index(family, name))]
    return [(int(text[0]), int(text[1])) for text in digits if len(text) == 2]
