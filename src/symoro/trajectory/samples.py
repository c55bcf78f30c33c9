"""Sampled motion (positions, velocities and accelerations of the joints), and tables of it.

A table (CSV; separated by commas, semicolons or tabs) has a header with the names of its columns: `t` (or `time`), then
`q1, q2, ...` by joint number and, if known, `qd1, ...` and `qdd1, ...`. If only some joints have velocity columns, only
the positions of the other joints are known. Columns of other state variables (`P0x`, `pose`, ..., as in tables of
simulations) give their initial values. Other columns are ignored; lines that start with # are comments.

`rate_warnings` compares velocities and accelerations with positions, to detect wrong units. It uses windows of a tenth
of a second, in which noise averages out. The change of a position is compared with the integral of the velocity,
h/2 (qd0 + qd1) - h^2/12 (qdd1 - qdd0) between two samples at the distance h. The change of a velocity is compared with
the integral of the acceleration by the trapezoidal rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, takewhile
from math import pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, FormatError, Place
from symoro.tables import read_numbers
from symoro.trajectory.splines import (
    Values,
    cubic_rates,
    cubic_slopes,
    quintic_pieces,
    values_at,
    with_derivatives,
)
from symoro.trajectory.tolerances import LEAST_CHANGE, RATE_RATIO, SAME_STEP, UNCORRELATED, UNIT_RATIO, WINDOW

Array = NDArray[np.float64]

MAX_ROWS = 5_000_000
_COLUMN = re.compile(r"(q|qd|qdd)([0-9]{1,4})\Z")
ENTRIES = {
    "P0": ("P0x", "P0y", "P0z"),
    "Q0": ("Q0w", "Q0x", "Q0y", "Q0z"),
    "V0": ("V0x", "V0y", "V0z", "W0x", "W0y", "W0z"),
    "pose": ("x", "y", "heading"),
}
"""Columns of the parts of a state; those of modes are e1, e2, ..., and ed1, ed2, ..."""


def even_times(duration: float, step: float) -> Array:
    """Return the times from 0 to the duration in equal steps of at most `step` seconds; at least one step."""
    return np.linspace(0.0, duration, max(1, int(np.ceil(duration / step - SAME_STEP))) + 1)


@dataclass(frozen=True, eq=False, repr=False)
class Samples(OneLineRepr):
    """Sampled motion of the joints of a robot.

    Attributes:
        joints: joint numbers of the columns of q, qd and qdd.
        t: times in seconds (N,), ascending.
        q, qd, qdd: positions, velocities and accelerations (N, n), in rad or m, per s and s^2.
        tree: positions of all joints of the tree (N, m) for robots with closed loops or wheels; otherwise None.
        others: positions (N,) of further joints in a table, by joint number.
        start: other state variables at the first sample in a table, by name: e, ed, P0, Q0, V0, pose.
    """

    joints: tuple[int, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tree: Array | None = None
    others: Mapping[int, Array] = field(default_factory=dict)
    start: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("t", "q", "qd", "qdd"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        shape = (len(self.t), len(self.joints))
        for name in ("q", "qd", "qdd"):
            array = getattr(self, name)
            if array.shape != shape:
                raise ArgumentError(f"{name} has shape {array.shape}, expected {shape} (times, joints)")
            if not np.isfinite(array).all():
                row, column = np.argwhere(~np.isfinite(array))[0]
                raise ArgumentError(
                    f"{name}{self.joints[column]} is not a finite number at t = {self.t[row]:g} s"
                )
        check_times(self.t)

    def __str__(self) -> str:
        times = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no time"
        return f"motion of joints {', '.join(map(str, self.joints))}: {len(self.t)} samples, {times}"

    @cached_property
    def curve(self) -> Any:
        """Quintic spline through the samples, as a SciPy `PPoly`."""
        return quintic_pieces(self.t, self.q, self.qd, self.qdd)

    @cached_property
    def _triple(self) -> Any:
        return with_derivatives(self.curve)

    def at(self, t: ArrayLike) -> Values:
        """Return q, qd and qdd, each (N, n), at N times, by the quintic spline through the samples.

        Before the first and after the last sample the joints are at rest.
        """
        times = np.atleast_1d(np.asarray(t, dtype=float))
        q, qd, qdd = values_at(self._triple, times)
        outside = (times < self.t[0]) | (times > self.t[-1])
        qd[outside] = qdd[outside] = 0.0
        return q, qd, qdd


def check_times(t: Array) -> None:
    """Check that the times t are finite and increase."""
    if t.ndim != 1 or not len(t):
        raise ArgumentError(f"the times have shape {t.shape}, expected (N,) with N of at least 1")
    if not np.isfinite(t).all():
        raise ArgumentError(f"time {int(np.flatnonzero(~np.isfinite(t))[0]) + 1} is not a finite number")
    steps = np.flatnonzero(np.diff(t) <= 0)
    if len(steps):
        k = int(steps[0])
        raise ArgumentError(f"times must increase: {t[k + 1]:g} s follows {t[k]:g} s")


def columns_of(samples: Samples) -> dict[str, Array]:
    """Return the columns of the table of a sampled motion, by column name (t, q1, qd1, qdd1, ...)."""
    columns = {"t": samples.t}
    for name in ("q", "qd", "qdd"):
        rows = getattr(samples, name)
        columns |= {f"{name}{j}": rows[:, k] for k, j in enumerate(samples.joints)}
    return columns


def read_table(text: str, file: str | None = None) -> Samples:
    """Read a sampled motion from CSV text.

    Args:
        text: the table.
        file: name of the file, for messages.

    Raises:
        FormatError: the text is not valid; the error contains the line.
    """
    hint = "the table must have a header 't,q1,q2' and one row per sample"
    table = read_numbers(text, file, most=MAX_ROWS, hint=hint, asked_for=is_of_motion)
    lines = table.lines
    return from_columns(
        table.names, np.array(table.rows, dtype=float), lambda row: Place(file, lines[row], None, "t")
    )


def from_columns(names: Sequence[str], data: Array, place: Callable[[int], Place]) -> Samples:
    """Return the sampled motion in the columns of a table.

    Args:
        names: names of the columns.
        data: numbers of the table, one column per name.
        place: function that returns the position of a row in the file, for messages.

    Raises:
        FormatError: the columns are not valid; the error contains the position.
    """
    file = Place(place(0).file)
    groups = _groups(names, file)
    columns = {name: k for k, name in enumerate(names)}
    t = data[:, columns["t" if "t" in columns else "time"]]
    for k in np.flatnonzero(np.diff(t) <= 0)[:1]:
        hint = "sort the rows, and keep one row per time"
        message = f"times must increase: {t[k + 1]:g} s follows {t[k]:g} s"
        raise FormatError(message, place=place(int(k) + 1), hint=hint)
    q, qd, qdd = ({j: data[:, columns[f"{name}{j}"]] for j in groups[name]} for name in ("q", "qd", "qdd"))
    if len(t) < 3 and not qdd:
        what, higher = ("positions and velocities", "accelerations") if qd else ("positions", "velocities")
        raise FormatError(
            f"{what} without {higher} require at least 3 rows", place=file, hint="add qd and qdd"
        )
    joints = tuple(j for j in q if j in qd) if qd else tuple(q)
    rows = np.stack([q[j] for j in joints], axis=1)
    if qd:
        rates = np.stack([qd[j] for j in joints], axis=1)
        seconds = np.stack([qdd[j] for j in joints], axis=1) if qdd else cubic_slopes(t, rates)
    else:
        rates, seconds = cubic_rates(t, rows)
    rest = {j: column for j, column in q.items() if j not in joints}
    return Samples(joints, t, rows, rates, seconds, others=rest, start=_start(columns, data))


def is_of_motion(name: str) -> bool:
    """Return whether a column of this name contains times, or positions, velocities or accelerations of a joint."""
    return name in ("t", "time") or _COLUMN.match(name) is not None


def _start(columns: Mapping[str, int], data: Array) -> dict[str, Array]:
    """Return the state variables other than joints in the first row of a table, by name.

    Args:
        columns: index of each column by name.
        data: numbers of the table.
    """
    entries = dict(ENTRIES)
    for name in ("e", "ed"):
        counted = takewhile(columns.__contains__, (f"{name}{k}" for k in count(1)))
        entries[name] = tuple(counted)
    return {
        part: data[0, [columns[name] for name in names]]
        for part, names in entries.items()
        if names and all(name in columns for name in names)
    }


def _groups(head: Sequence[str], file: Place) -> dict[str, list[int]]:
    """Return the joint numbers of the columns q..., qd... and qdd... of a table, and check that they agree.

    Joints with a column qd must also have a column q. Either all joints with a column qd or none have a column qdd.

    Args:
        head: names of the columns.
        file: the file, for messages.
    """
    groups: dict[str, list[int]] = {"q": [], "qd": [], "qdd": []}
    for name in head:
        if match := _COLUMN.match(name):
            groups[match[1]].append(int(match[2]))
    timed = "t" in head or "time" in head
    if not timed or not groups["q"]:
        missing = "q1" if timed else "t"
        hint = f"the header contains {', '.join(head[:12])}"
        raise FormatError(f"column '{missing}' is missing", place=file, hint=hint)
    if groups["qdd"] and not groups["qd"]:
        hint = "give both velocities and accelerations, or neither; they are then computed by a spline"
        raise FormatError("columns 'qd...' are missing", place=file, hint=hint)
    pairs = [("q", "qd"), ("qd", "qdd")] + ([("qdd", "qd")] if groups["qdd"] else [])
    for wanted, given in pairs:
        for j in groups[given]:
            if j not in groups[wanted]:
                raise FormatError(f"column '{wanted}{j}' is missing", place=file)
    return groups


FACTORS = {
    "degrees for radians": 180 / pi,
    "radians for degrees": pi / 180,
    "rpm for rad/s": 30 / pi,
    "rad/s for rpm": pi / 30,
    "turns for radians": 0.5 / pi,
    "radians for turns": 2 * pi,
    "milli": 1e3,
    "kilo": 1e-3,
    "wrong sign": -1.0,
}


def rate_warnings(samples: Samples, units: Sequence[float]) -> Iterator[str]:
    """Yield warnings about velocities or accelerations that differ from the time derivatives of the samples.

    The integral of the velocities over time is compared with the change of the positions, and the integral of the
    accelerations with the change of the velocities.

    Args:
        samples: times, positions, velocities and accelerations of the joints.
        units: reference by which the positions of each joint are divided: 1 rad for a revolute joint, a length of the
            robot in metres for a prismatic joint.
    """
    if len(samples.t) < 3:
        return
    h = np.diff(samples.t)[:, None]
    q, qd, qdd = samples.q, samples.qd, samples.qdd
    velocity, acceleration = (h / 2 * (rows[1:] + rows[:-1]) for rows in (qd, qdd))
    velocity = velocity - h**2 / 12 * np.diff(qdd, axis=0)
    ends = _windows(samples.t)
    pairs = (("velocities", "positions", q, velocity), ("accelerations", "velocities", qd, acceleration))
    for higher, lower, rows, steps in pairs:
        moved = np.diff(rows[ends], axis=0)
        integrals = np.add.reduceat(steps, ends[:-1], axis=0)
        for k, j in enumerate(samples.joints):
            why = compared(moved[:, k] / units[k], integrals[:, k] / units[k])
            if why:
                yield f"the {higher} of joint {j} {why} of its {lower}"


def _windows(t: Array) -> NDArray[np.intp]:
    """Return the indices of samples at the ends of consecutive time windows, including the last sample.

    With fewer than three windows all samples are returned.
    """
    marks = np.searchsorted(t, np.arange(t[0], t[-1], WINDOW))
    ends = np.unique(np.append(marks, len(t) - 1))
    return ends if len(ends) > 3 else np.arange(len(t))


def compared(
    moved: Array, integrals: Array, least: float = LEAST_CHANGE, tolerance: float = RATE_RATIO
) -> str | None:
    """Compare the changes of a quantity with the integrals of its rate.

    Args:
        moved: changes of the quantity over several time windows.
        integrals: integrals of its rate over the same windows.
        least: smaller changes are not compared.
        tolerance: largest allowed difference of the ratio of change and integral from 1.

    Returns:
        A description of the disagreement for a warning; None if changes and integrals agree.
    """
    own, other = float(np.linalg.norm(moved)), float(np.linalg.norm(integrals))
    if max(np.abs(moved).max(), np.abs(integrals).max()) < least:
        return None
    alike = float(moved @ integrals) / (own * other) if own * other > 0 else 0.0
    if abs(alike) < UNCORRELATED:
        return f"are not the derivative (their correlation is {alike:.2f})"
    factor = np.sign(alike) * other / own
    # noise on either side moves the factor between those of the two regressions (times and divided by `alike`)
    if factor * abs(alike) * (1 - tolerance) < 1 < factor / abs(alike) * (1 + tolerance):
        return None
    words = next((f" ({w}?)" for w, f in FACTORS.items() if abs(factor / f - 1) < UNIT_RATIO), "")
    return f"are {factor:.3g} times the derivative{words}"
