"""Geometric parameter tables as text: Khalil-Kleinfinger, Craig or classic Denavit-Hartenberg.

    # convention: denavit-hartenberg        or craig, khalil-kleinfinger (short: dh, mdh, kk)
    # name: PUMA 560                        optional, like all that follow
    # angles: degrees                       instead of radians
    # base: 1, 0, 0, 0, 0, 1, ...           world T 0, sixteen values by rows
    # tool: alpha=pi/2, d=0.1, name=hand    on the last frame, by Khalil's six parameters
    joint, theta, d, a, alpha
    R, q1 + pi/2, 0, 0, pi/2

The first line that is not a comment contains the names of the columns, in any order. Cells are separated by commas,
semicolons or tabs, or by blanks if the header contains none of those. The columns are those of the convention, `joint`
(R, P or F; revolute, prismatic or fixed; 0, 1 or 2), and optionally `j` (the row's number) and `name`. The cell of the
joint variable contains the constant offset, with or without the variable itself (th, t, q or theta with the row's
number; r, q or d for a prismatic joint). The convention may be omitted if the columns identify it: only Khalil's table
has `r`, only Craig's contains `alpha(i-1)` and `a(i-1)`. In Khalil's table, `gamma` and `b` may be missing.

A table contains only the geometry of a chain: links are read without inertia.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symoro.errors import FormatError, NotApplicableError, UnknownNameError
from symoro.expr.formula import ZERO, Formula, exact_angle
from symoro.files import MADE_BY
from symoro.robot.conventions import (
    COLUMNS,
    Convention,
    JointRow,
    ParameterTable,
    convention_named,
    from_classic,
    to_table,
    variable_field,
)
from symoro.robot.description import (
    ANGLES,
    GEOMETRIC,
    IDENTITY16,
    Base,
    Frame,
    JointType,
    Link,
    Placement,
    Robot,
    Tool,
)
from symoro.robot.formats.report import MAX_FRAMES, Report, Spot, name_from, unix_lines
from symoro.robot.formats.variable import find_variable, not_constant, offset_from, variable_names
from symoro.robot.topology import JOINT_LETTERS, chain

_DIRECTIVE = re.compile(r"#\s*(convention|name|angles|base|tool)\s*:\s*(.*)", re.IGNORECASE)
_PREVIOUS = re.compile(r"(alpha|a)[_({ ]*(?:i-1|prev)[)} ]*\Z")
_OPTIONAL = ("joint", "j", "name")
_MAX_LINE = 20_000
_MAX_LINES = 100_000
_DEGREE = Formula("pi/180")
_JOINTS = {
    word: sigma
    for sigma in JointType
    for word in (JOINT_LETTERS[sigma].lower(), sigma.name.lower(), str(int(sigma)))
}


@dataclass(frozen=True)
class Cell:
    """Text of a table cell, and the column of the line at which it starts."""

    text: str
    column: int


def read_table(text: str, file: str | None = None) -> Robot:
    """Read the robot described by the text of a geometric parameter table.

    Raises:
        FormatError: the text has errors; the message contains the position of the first one and lists all others.
    """
    return _Reader(unix_lines(text), Report(file)).robot()


def from_table(table: ParameterTable, name: str = "robot") -> Robot:
    """Return the robot described by a geometric parameter table, in Khalil-Kleinfinger frames.

    Raises:
        NotApplicableError: the six parameters of the last frame cannot represent the tool frame.
    """
    fields = COLUMNS[table.convention].values()
    frames = []
    for i, row in enumerate(table.rows):
        values: dict[str, Any] = dict(zip(fields, row.values, strict=True))
        frames.append(Frame(ant=i, sigma=row.sigma, name=row.name, **values))
    links = list(table.links) or [Link()] * len(frames)
    tool = table.tool
    if table.convention == Convention.DENAVIT_HARTENBERG:
        frames, links, tool = from_classic(frames, links, tool)
    return Robot(name=name, frames=tuple(frames), links=tuple(links), base=Base(Z=table.base), tool=tool)


class _Reader:
    """Reader of a geometric parameter table: directives, then the header, then one joint per line."""

    def __init__(self, text: str, report: Report) -> None:
        self.report = report
        self.directives: dict[str, tuple[int, Cell]] = {}
        self.variables: dict[str, int] = {}
        self.row_lines: list[int] = []
        lines = self._lines(text)
        self.header_line, header = next(lines, (0, ""))
        if not self.header_line:
            report.fail(
                "the table has no header",
                None,
                None,
                "add a line with the names of the columns: joint, theta, d, a, alpha",
            )
        self.separator = next((s for s in ",;\t" if s in header), " ")
        self.columns = self._header(header)
        self.convention = self._convention()
        self._check_columns()
        self.rows = [self._row(j, number, line) for j, (number, line) in enumerate(lines, 1)]

    def robot(self) -> Robot:
        if not self.rows:
            self.report.add("the table has no rows", (self.header_line, 1), None, "write one joint per line")
        self._check_offsets()
        table = ParameterTable(self.convention, tuple(self.rows), self._base(), self._tool())
        name = self._word("name") or name_from(self.report.file)
        try:
            return self.report.finish(lambda: from_table(table, name), self._row_spot)
        except NotApplicableError as error:
            self.report.fail(error.message, self._directive_spot("tool"), "tool", error.hint)

    # -- lines and cells

    def _lines(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the data lines of a table with their line numbers; store the directives (comments with a key)."""
        rows = 0
        if text.count("\n") > _MAX_LINES:
            self.report.fail(
                "the file has too many lines for a table", None, None, "check that the file describes a robot"
            )
        for number, line in enumerate(text.split("\n"), 1):
            stripped = line.strip()
            if not stripped:
                continue
            if len(line) > _MAX_LINE:
                self.report.fail("this line is too long for a table", (number, 1))
            if stripped.startswith("#"):
                self._directive(number, line)
                continue
            rows += 1
            if rows > MAX_FRAMES + 1:
                self.report.fail("the table has too many rows", (number, 1), None, f"at most {MAX_FRAMES}")
            yield number, line

    def _directive(self, number: int, line: str) -> None:
        match = _DIRECTIVE.search(line)
        if match is None:
            return
        key = match[1].lower()
        if key in self.directives:
            self.report.add(f"'{key}' is given twice", (number, match.start(1) + 1), key)
        self.directives[key] = (number, Cell(match[2].strip(), match.start(2) + 1))

    def _word(self, key: str) -> str:
        return self.directives[key][1].text if key in self.directives else ""

    def _directive_spot(self, key: str) -> Spot | None:
        if key not in self.directives:
            return None
        number, cell = self.directives[key]
        return number, cell.column

    def _row_spot(self, j: int) -> Spot | None:
        return (self.row_lines[j - 1], 1) if 1 <= j <= len(self.row_lines) else None

    # -- the header

    def _header(self, line: str) -> dict[str, int]:
        columns: dict[str, int] = {}
        for position, cell in enumerate(split_cells(line, self.separator)):
            name = cell.text.lower()
            if match := _PREVIOUS.match(name):
                name = match[1]
                self.directives.setdefault("convention", (self.header_line, Cell("craig", cell.column)))
            name = {"type": "joint", "sigma": "joint"}.get(name, name)
            spot = (self.header_line, cell.column)
            if name in columns:
                self.report.add(f"the column '{name}' is given twice", spot, name)
            columns[name] = position
        return columns

    def _convention(self) -> Convention:
        if "convention" in self.directives:
            try:
                return convention_named(self._word("convention"))
            except UnknownNameError as error:
                self.report.fail(error.message, self._directive_spot("convention"), "convention", error.hint)
        if "r" not in self.columns:
            hint = "start the file with '# convention: denavit-hartenberg' or '# convention: craig'"
            spot = (self.header_line, 1)
            self.report.fail("the convention cannot be determined from the columns", spot, "convention", hint)
        return Convention.KHALIL_KLEINFINGER

    def _check_columns(self) -> None:
        known = [*_OPTIONAL, *COLUMNS[self.convention]]
        for name in self.columns:
            if name not in known:
                error = UnknownNameError(f"column of {self.convention} tables", name, known)
                self.report.add(error.message, (self.header_line, 1), name, error.hint)
        needed = [c for c in ("joint", *COLUMNS[self.convention]) if c not in ("gamma", "b")]
        missing = [c for c in needed if c not in self.columns]
        if missing:
            message = f"the column '{missing[0]}' is missing"
            hint = f"a {self.convention} table has the columns {', '.join(needed)}"
            self.report.add(message, (self.header_line, 1), missing[0], hint)
        self.report.check()

    # -- rows

    def _row(self, j: int, number: int, line: str) -> JointRow:
        self.row_lines.append(number)
        cells = split_cells(line, self.separator)
        if len(cells) != len(self.columns):
            hint = "separate cells by commas" if self.separator == " " else None
            message = f"row {j} has {len(cells)} cells, but the header has {len(self.columns)}"
            self.report.add(message, (number, 1), None, hint)
            return JointRow(JointType.FIXED, (ZERO,) * len(COLUMNS[self.convention]))
        by_name = {name: cells[position] for name, position in self.columns.items()}
        sigma = self._joint(number, by_name["joint"])
        if "j" in by_name and by_name["j"].text != str(j):
            message = f"this is row {j}, but its number is '{by_name['j'].text[:40]}'"
            self.report.add(message, (number, by_name["j"].column), "j")
        values = tuple(
            self._value(j, number, sigma, column, by_name.get(column)) for column in COLUMNS[self.convention]
        )
        return JointRow(sigma, values, by_name["name"].text if "name" in by_name else "")

    def _joint(self, number: int, cell: Cell) -> JointType:
        sigma = _JOINTS.get(cell.text.lower())
        if sigma is None:
            message = f"'{cell.text[:40]}' is not a joint type"
            self.report.add(message, (number, cell.column), "joint", "write R, P or F")
            return JointType.FIXED
        return sigma

    def _value(self, j: int, number: int, sigma: JointType, column: str, cell: Cell | None) -> Formula:
        if cell is None:
            return ZERO
        value = self._formula(number, cell, column)
        field = COLUMNS[self.convention][column]
        if field == variable_field(sigma):
            value = self._offset(j, (number, cell.column), sigma, column, value)
        return self._angle(value) if field in ANGLES else value

    def _offset(self, j: int, spot: Spot, sigma: JointType, column: str, value: Formula) -> Formula:
        names = [*variable_names(sigma, j), f"{column}{j}"]
        if not value.symbols & set(names):
            return value
        name = find_variable(value, names)
        offset = offset_from(value, name) if name else None
        if name is None or offset is None:
            message = f"{column} of joint {j} must be its variable plus a constant, got '{value.text[:40]}'"
            self.report.add(message, spot, column, f"write {names[0]} + offset, or the offset alone")
            return ZERO
        self.variables[name] = j
        return offset

    def _check_offsets(self) -> None:
        """Check that no parameter of the table contains the name of a joint variable."""
        for j, row in enumerate(self.rows, 1):
            for column, value in zip(COLUMNS[self.convention], row.values, strict=True):
                for name in sorted(value.symbols & self.variables.keys()):
                    message, hint = not_constant(column, j, name, self.variables[name])
                    self.report.add(message, self._row_spot(j), column, hint)

    def _formula(self, number: int, cell: Cell, key: str) -> Formula:
        return self.report.expression(cell.text, lambda k: (number, cell.column + k), key)

    def _angle(self, value: Formula) -> Formula:
        unit = self._word("angles").lower() or "radians"
        if unit not in ("radians", "degrees"):
            message = f"angles are in radians or degrees, not '{unit[:40]}'"
            self.report.fail(message, self._directive_spot("angles"), "angles")
        return value * _DEGREE if unit == "degrees" else exact_angle(value)

    # -- base and tool

    def _cells_of(self, key: str) -> tuple[int, list[Cell]]:
        number, cell = self.directives[key]
        return number, [Cell(c.text, cell.column + c.column - 1) for c in split_cells(cell.text, ",")]

    def _base(self) -> tuple[Formula, ...]:
        if "base" not in self.directives:
            return IDENTITY16
        number, cells = self._cells_of("base")
        if len(cells) != 16:
            message = f"'base' requires 16 values by rows, got {len(cells)}"
            self.report.add(message, self._directive_spot("base"), "base")
            return IDENTITY16
        return tuple(self._formula(number, cell, "base") for cell in cells)

    def _tool(self) -> Tool | None:
        if "tool" not in self.directives:
            return None
        number, cells = self._cells_of("tool")
        values: dict[str, Formula] = {}
        name = "tool"
        for cell in cells:
            key, equals, text = cell.text.partition("=")
            key, spot = key.strip(), (number, cell.column)
            if not equals or key in values or key not in (*GEOMETRIC, "name"):
                hint = f"write key=value with {', '.join(GEOMETRIC)} or name, each once"
                self.report.add(f"'{cell.text[:40]}' is not a parameter of the tool", spot, "tool", hint)
            elif key == "name":
                name = _cell(text, 0, len(text)).text
            else:
                value = self._formula(number, Cell(text, cell.column + len(key) + 1), "tool")
                values[key] = self._angle(value) if key in ANGLES else value
        return Tool(Placement(len(self.rows), **values), name)


def split_cells(line: str, separator: str) -> list[Cell]:
    """Split a line of a table into cells; separators inside parentheses or double quotes are ignored."""
    cells, depth, quoted, start = [], 0, False, 0
    line = line.rstrip()
    for at, sign in enumerate(line):
        if sign == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == separator and depth <= 0:
            cells.append(_cell(line, start, at))
            start = at + 1
    cells.append(_cell(line, start, len(line)))
    return [cell for cell in cells if cell.text] if separator == " " else cells


def _cell(line: str, start: int, end: int) -> Cell:
    text = line[start:end]
    stripped = text.strip()
    column = start + len(text) - len(text.lstrip()) + 1 if stripped else start + 1
    if len(stripped) >= 2 and stripped[0] == stripped[-1] == '"':
        return Cell(stripped[1:-1].replace('""', '"'), column + 1)
    return Cell(stripped, column)


def write_table(
    robot: Robot,
    *,
    convention: str = Convention.KHALIL_KLEINFINGER,
    to: int | str | None = None,
    lossy: bool = False,
) -> str:
    """Return the geometric parameter table of the chain from the base to a frame, as text.

    Args:
        robot: the robot.
        convention: name of the convention.
        to: last frame by number or name; the end effector of a serial robot if None.
        lossy: omit the couplings of joints, which a table cannot represent.

    Raises:
        NotApplicableError: the robot is not a serial chain, and no frame was given.
        FormatError: joints of the chain are coupled, and `lossy` is not given.
    """
    table = to_table(robot, convention, to)
    end = robot.NL if to is None else robot.frame_number(to)
    if not lossy and any(robot.frame(j).coupling for j in chain(robot, end)):
        raise FormatError(
            f"a table cannot represent the coupled joints of robot '{robot.name}'",
            hint="write a YAML file, or omit the couplings with lossy=True",
        )
    lines = [f"# {MADE_BY}", f"# convention: {table.convention}", f"# name: {_one_line(robot.name)}"]
    if table.base != IDENTITY16:
        lines.append(f"# base: {', '.join(map(str, table.base))}")
    if table.tool:
        lines.append(f"# tool: {_tool_text(table.tool)}")
    lines.append("# not kept: anything but the geometry of this chain")
    return "\n".join([*lines, *_grid(table)]) + "\n"


def _tool_text(tool: Tool) -> str:
    values = {key: getattr(tool.place, key) for key in GEOMETRIC}
    parameters = [f"{key}={value}" for key, value in values.items() if not value.is_zero]
    return ", ".join([*parameters, f"name={_quotable(tool.name)}"])


def _grid(table: ParameterTable) -> list[str]:
    named = any(row.name for row in table.rows)
    grid = [["joint", *table.columns, *(["name"] if named else [])]]
    for row in table.rows:
        name = [_quotable(row.name)] if named else []
        grid.append([JOINT_LETTERS[row.sigma], *map(str, row.values), *name])
    widths = [max(len(cells[i]) for cells in grid) + 2 for i in range(len(grid[0]) - 1)]
    return [
        "".join(f"{cell},".ljust(width) for cell, width in zip(cells, widths, strict=False)) + cells[-1]
        for cells in grid
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quotable(text: str) -> str:
    """Return a name as the text of a table cell, in double quotes if it contains separators."""
    text = _one_line(text).replace('"', "'")
    return f'"{text}"' if re.search(r"[,;()#=]", text) else text
