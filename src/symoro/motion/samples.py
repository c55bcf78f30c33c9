"""A motion at moments of time: positions, velocities and accelerations of the coordinates; and its table.

A table (CSV; apart by commas, semicolons or tabs) has a head with the names of its columns: `t`, then `q1, q2, ...` by
the joint's number, and, where they are known, `qd1, ...` and `qdd1, ...`. Other columns are left alone, lines that
start with # are remarks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, FormatError, Place
from symoro.files import MADE_BY
from symoro.motion.spline import cubic_rates

Array = NDArray[np.float64]
MAX_ROWS = 5_000_000
_COLUMN = re.compile(r"(q|qd|qdd)([0-9]{1,4})\Z")


@dataclass(frozen=True, eq=False)
class Samples:
    """A motion in samples.

    Attributes:
        joints: the numbers of the joints that q, qd and qdd tell of.
        t: times (N,), ascending.
        q, qd, qdd: (N, n), radians or metres, per second.
        tree: positions of all joints of the tree (N, m), where loops are closed or wheels roll; None elsewhere.
    """

    joints: tuple[int, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tree: Array | None = None

    def __post_init__(self) -> None:
        for name in ("t", "q", "qd", "qdd"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        shape = (len(self.t), len(self.joints))
        for name in ("q", "qd", "qdd"):
            array = getattr(self, name)
            if array.shape != shape:
                raise ArgumentError(f"{name} has shape {array.shape}, expected {shape}: times, joints")
            if not np.isfinite(array).all():
                row, column = np.argwhere(~np.isfinite(array))[0]
                raise ArgumentError(
                    f"{name}{self.joints[column]} is not a finite number at t = {self.t[row]:g} s"
                )
        check_times(self.t)


def check_times(t: Array) -> None:
    """Raise unless times are finite and ascend."""
    if t.ndim != 1 or not len(t):
        raise ArgumentError(f"times of shape {t.shape}, expected (N,) with at least one")
    if not np.isfinite(t).all():
        raise ArgumentError(f"time {int(np.flatnonzero(~np.isfinite(t))[0]) + 1} is not a finite number")
    steps = np.flatnonzero(np.diff(t) <= 0)
    if len(steps):
        k = int(steps[0])
        raise ArgumentError(f"times must ascend: {t[k + 1]:g} s comes after {t[k]:g} s")


def from_positions(joints: Sequence[int], t: ArrayLike, q: ArrayLike) -> Samples:
    """Samples of positions alone; velocities and accelerations are those of the natural cubic spline."""
    times, positions = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
    check_times(times)
    if positions.ndim != 2 or len(positions) != len(times):
        raise ArgumentError(f"q has shape {positions.shape}, expected ({len(times)}, n)")
    if len(times) < 3:
        raise ArgumentError("positions alone need at least 3 samples", hint="give qd and qdd besides")
    return Samples(tuple(joints), times, positions, *cubic_rates(times, positions))


def table_text(columns: Mapping[str, Array]) -> str:
    """Columns of numbers as CSV, with the digits that make the same doubles again."""
    stream = io.StringIO()
    stream.write(f"# {MADE_BY}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*(array.tolist() for array in columns.values()), strict=True):
        writer.writerow([repr(x) for x in row])
    return stream.getvalue()


def columns_of(samples: Samples) -> dict[str, Array]:
    """The columns of a table of a motion."""
    found = {"t": samples.t}
    for name in ("q", "qd", "qdd"):
        rows = getattr(samples, name)
        found |= {f"{name}{j}": rows[:, k] for k, j in enumerate(samples.joints)}
    return found


def read_table(text: str, file: str | None = None) -> Samples:
    """The motion in a CSV text.

    Raises:
        FormatError: with the line of what is wrong.
    """
    head, rows, lines = _rows(text, file)
    groups = _groups(head, file)
    columns = {name: k for k, name in enumerate(head)}
    data = np.array(rows, dtype=float)
    t = data[:, columns["t"]]
    for k in np.flatnonzero(np.diff(t) <= 0)[:1]:
        hint = "sort the rows, and keep one of each time"
        place = Place(file, lines[int(k) + 1], None, "t")
        raise FormatError(f"times must ascend: {t[k + 1]:g} s comes after {t[k]:g} s", place=place, hint=hint)
    joints = groups["q"]
    q, qd, qdd = (
        data[:, [columns[f"{name}{j}"] for j in joints]] if groups[name] else None
        for name in ("q", "qd", "qdd")
    )
    if q is None or qd is None or qdd is None:
        if len(t) < 3:
            place = Place(file)
            raise FormatError("positions alone need at least 3 rows", place=place, hint="add qd and qdd")
        return from_positions(joints, t, q if q is not None else data)
    return Samples(joints, t, q, qd, qdd)


def _rows(text: str, file: str | None) -> tuple[list[str], list[list[float]], list[int]]:
    """Head, rows of numbers, and the line of each row."""
    head: list[str] | None = None
    rows: list[list[float]] = []
    lines: list[int] = []
    sign = ""  # what parts the cells, by the head
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        sign = sign or next((mark for mark in (",", ";", "\t") if mark in line), ",")
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=sign))]
        if head is None:
            head = cells
            continue
        rows.append(_numbers(cells, head, Place(file, number)))
        lines.append(number)
        if len(rows) > MAX_ROWS:
            raise FormatError(f"more than {MAX_ROWS} rows", place=Place(file, number))
    if head is None or not rows:
        raise FormatError(
            "the table holds no rows", place=Place(file), hint="a head 't,q1,q2' and a row a sample"
        )
    return head, rows, lines


def _numbers(cells: list[str], head: list[str], place: Place) -> list[float]:
    if len(cells) != len(head):
        raise FormatError(f"{len(cells)} values where the head has {len(head)} columns", place=place)
    found = []
    for name, cell in zip(head, cells, strict=True):
        wanted = name == "t" or _COLUMN.match(name) is not None
        try:
            number = float(cell)
        except ValueError:
            if wanted:
                key = Place(place.file, place.line, None, name)
                hint = "write numbers with a decimal point" if "," in cell else None
                raise FormatError(f"expected a number, got '{cell[:40]}'", place=key, hint=hint) from None
            number = np.nan
        if wanted and not np.isfinite(number):
            raise FormatError(
                f"'{cell[:40]}' is not a finite number", place=Place(place.file, place.line, None, name)
            )
        found.append(number)
    return found


def _groups(head: list[str], file: str | None) -> dict[str, tuple[int, ...]]:
    """The joints of the columns q, qd and qdd."""
    twice = [name for name in head if head.count(name) > 1]
    if twice:
        raise FormatError(f"column '{twice[0]}' is there twice", place=Place(file, None, None, twice[0]))
    groups: dict[str, list[int]] = {"q": [], "qd": [], "qdd": []}
    for name in head:
        if match := _COLUMN.match(name):
            groups[match[1]].append(int(match[2]))
    if "t" not in head or not groups["q"]:
        missing = "t" if "t" not in head else "q1"
        hint = f"the head has: {', '.join(head[:12])}"
        raise FormatError(f"column '{missing}' is missing", place=Place(file), hint=hint)
    joints = tuple(groups["q"])
    for name in ("qd", "qdd"):
        missing_ones = [j for j in joints if j not in groups[name]]
        if groups[name] and missing_ones:
            raise FormatError(f"column '{name}{missing_ones[0]}' is missing", place=Place(file))
        groups[name] = list(joints) if groups[name] else []
    if bool(groups["qd"]) != bool(groups["qdd"]):
        missing_name = "qdd" if groups["qd"] else "qd"
        hint = "give both, or neither: they are then found by a spline"
        raise FormatError(f"columns '{missing_name}...' are missing", place=Place(file), hint=hint)
    return {name: tuple(found) for name, found in groups.items()}
