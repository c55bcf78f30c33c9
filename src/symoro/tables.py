"""Read and write tables of numbers as text: a line of column names, then one line per row.

Logs that may exceed the memory are read in blocks instead (`identification/log_columns.py`).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from symoro.errors import FormatError, Place
from symoro.files import MADE_BY

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class NumberTable:
    """Table of numbers read from a text.

    Attributes:
        names: unique names of the columns.
        rows: numbers, one row per line and one column per name; nan in optional columns where the cell is not a number.
        lines: line number of each row in the text.
    """

    names: tuple[str, ...]
    rows: list[list[float]]
    lines: list[int]


def separated(line: str, sign: str) -> list[str]:
    """Split a CSV line into cells at the separator `sign`."""
    return [cell.strip() for cell in next(csv.reader([line], delimiter=sign))]


def _is_remark(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _sign_of(text: str) -> str:
    """Return the character that separates the cells of a table, determined from its first line."""
    head = next((line for line in text.splitlines() if not _is_remark(line)), "")
    return next((mark for mark in (",", ";", "\t") if mark in head), ",")


def read_numbers(
    text: str,
    file: str | None,
    *,
    most: int,
    hint: str,
    cells: Callable[[str], list[str]] | None = None,
    asked_for: Callable[[str], bool] = lambda name: True,
) -> NumberTable:
    """Read a table of numbers from a text.

    Args:
        text: line of column names, then one line per row.
        file: file name for messages.
        most: largest allowed number of rows.
        hint: example of a table, for the error message of an empty table.
        cells: function that splits a line into cells; by default the separator (comma, semicolon or tab) is determined
            from the first line.
        asked_for: function of a column name that returns whether the column must contain finite numbers.

    Raises:
        FormatError: the text is not a valid table; the error contains the line.
    """
    parted = cells or partial(separated, sign=_sign_of(text))
    names: list[str] = []
    rows: list[list[float]] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        values = [] if _is_remark(line) else parted(line)
        if not values:
            continue
        if not names:
            names = _checked_names(values, Place(file, number))
            wanted = [asked_for(name) for name in names]
            continue
        if len(values) != len(names):
            raise FormatError(
                f"{len(values)} values, but the first line has {len(names)} columns",
                place=Place(file, number),
            )
        rows.append(
            [
                _number(cell, needed, file, number, name)
                for name, cell, needed in zip(names, values, wanted, strict=True)
            ]
        )
        lines.append(number)
        if len(rows) > most:
            raise FormatError(f"more than {most} rows", place=Place(file, number))
    if not rows:
        raise FormatError("the table has no rows", place=Place(file), hint=hint)
    return NumberTable(tuple(names), rows, lines)


def _checked_names(names: list[str], place: Place) -> list[str]:
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise FormatError(f"column '{twice}' occurs twice", place=Place(place.file, place.line, None, twice))
    return names


def _number(cell: str, needed: bool, file: str | None, line: int, name: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        if needed:
            place = Place(file, line, None, name)
            hint = "write numbers with a decimal point" if "," in cell else None
            raise FormatError(f"expected a number, got '{cell[:40]}'", place=place, hint=hint) from None
        return math.nan
    if needed and not math.isfinite(value):
        raise FormatError(f"'{cell[:40]}' is not a finite number", place=Place(file, line, None, name))
    return value


def table_text(columns: Mapping[str, NDArray[Any]]) -> str:
    """Return columns of numbers as CSV text, with enough digits to restore the same doubles."""
    stream = io.StringIO()
    stream.write(f"# {MADE_BY}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*(array.tolist() for array in columns.values()), strict=True):
        writer.writerow([repr(x) for x in row])
    return stream.getvalue()
