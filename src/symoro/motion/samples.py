"""A motion at moments of time: positions, velocities and accelerations of the coordinates; and its table.

A table (CSV) has a head with the names of its columns: `t`, then `q1, q2, ...` by the joint's number, and, where they
are known, `qd1, ...` and `qdd1, ...`. Other columns are left alone, lines that start with # are remarks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, FormatError, Place
from symoro.motion.spline import cubic_rates
from symoro.tables import read_numbers

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
    hint = "a head 't,q1,q2' and a row a sample"
    table = read_numbers(text, file, most=MAX_ROWS, hint=hint, asked_for=_is_of_motion)
    groups = _groups(table.names, file)
    columns = {name: k for k, name in enumerate(table.names)}
    data = np.array(table.rows, dtype=float)
    t = data[:, columns["t"]]
    for k in np.flatnonzero(np.diff(t) <= 0)[:1]:
        hint = "sort the rows, and keep one of each time"
        place = Place(file, table.lines[int(k) + 1], None, "t")
        raise FormatError(f"times must ascend: {t[k + 1]:g} s comes after {t[k]:g} s", place=place, hint=hint)
    joints = groups["q"]
    q, qd, qdd = (data[:, [columns[f"{name}{j}"] for j in groups[name]]] for name in ("q", "qd", "qdd"))
    if groups["qd"]:
        return Samples(joints, t, q, qd, qdd)
    if len(t) < 3:
        raise FormatError("positions alone need at least 3 rows", place=Place(file), hint="add qd and qdd")
    return from_positions(joints, t, q)


def _is_of_motion(name: str) -> bool:
    return name == "t" or _COLUMN.match(name) is not None


def _groups(head: Sequence[str], file: str | None) -> dict[str, tuple[int, ...]]:
    """The joints of the columns q, qd and qdd; those of qd and qdd are none, or those of q."""
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
