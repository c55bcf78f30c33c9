"""Logs: samples of joint positions and torques at a constant rate, from files or from arrays.

The joints are those with an independent coordinate; for a robot with closed loops, the active ones. Samples are read
piece by piece, so that a log may be larger than the memory, and each piece is checked. Errors contain the line. They
report a missing value or text, repeated or decreasing times, a gap, a joint that never moves, and positions or torques
beyond the limits of the robot (a wrong unit).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, FormatError, Place
from symoro.identification.log_columns import ColumnFile, open_table
from symoro.identification.log_description import (
    TIME,
    LogDescription,
    Quantity,
    Transmission,
    read_description,
    usual_description,
)
from symoro.identification.tolerances import (
    BEYOND_EFFORT,
    BEYOND_RANGE,
    CLOCK_DRIFT,
    CLOCK_MULTIPLE,
    EVEN_STEP,
    FASTEST_LOG,
    LOST_SAMPLE,
    MANY_LOST,
    SLOWEST_LOG,
)
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import JointType, Robot
from symoro.robot.size import characteristic_length, joint_units

# -- log


Array = NDArray[np.float64]
KINDS = ("position", "torque", "velocity", "acceleration", "reference")
CLOCK_UNITS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # seconds
TIME_COLUMNS = re.compile(
    r"(?:t|time|times?tamp|stamp|clock)(?:[^a-z0-9].*)?\Z", re.IGNORECASE
)  # columns of times
LISTED_COLUMNS = 20  # names of columns


@dataclass(frozen=True, repr=False)
class Log(OneLineRepr):
    """Log of a robot's motion: joint positions and torques at a constant rate.

    Attributes:
        rate: samples per second.
        samples: number of samples.
        chunks: function; `chunks(size)` yields the samples in order, `size` at a time, in SI units and on the joint
            side.
        part: function; `part(start, stop)` returns the samples start .. stop - 1 at once.
        place: function that returns the line of a sample in the user's files, for messages.
        source: path of a log in files, so that another process can open it.
        measured: whether the data were measured; data of a simulated motion are not checked for sensor faults.
        start: loop coordinates (`LoopAssembly`) at the first sample, from which the closed loops are followed; None if
            unknown.
        units: scale of each joint position, with which small values are compared: one radian, or the robot's length in
            metres.
        delay: delay in seconds of the torques behind the motion that has already been corrected (`delay.aligned`).
    """

    name: str
    joints: int
    rate: float
    samples: int
    chunks: Callable[[int], Iterator[dict[str, Array]]] = field(compare=False)
    part: Callable[[int, int], dict[str, Array]] = field(compare=False)
    place: Callable[[int], Place] = field(compare=False)
    transmission: Transmission | None = None
    description: LogDescription | None = None
    source: Path | None = None
    measured: bool = True
    start: tuple[float, ...] | None = None
    units: tuple[float, ...] = ()
    delay: float = 0.0

    def __str__(self) -> str:
        return f"{self.name}: {self.joints} joints, {self.samples} samples at {self.rate:g} Hz"

    @classmethod
    def from_arrays(
        cls,
        *,
        t: Any = None,
        q: Any,
        tau: Any,
        qd: Any = None,
        qdd: Any = None,
        rate: float | None = None,
        reference: Any = None,
        transmission: Transmission | None = None,
        name: str = "log",
    ) -> Log:
        """Return a log from arrays of samples in SI units, at the joints.

            log = symoro.Log.from_arrays(t=t, q=q, tau=tau)
            symoro.identify(robot, log)

        Args:
            t: times of the samples (N,) in seconds, evenly spaced; or give `rate`.
            q, tau: joint positions (rad or m) and torques (Nm or N), (N, n), one column per coordinate; for a robot
                with closed loops one column per active joint.
            qd, qdd: velocities and accelerations (N, n), if they are measured; otherwise they are computed from `q`.
            rate: samples per second.
            reference: desired positions (N, n), for the methods 'iv', 'didim' and 'cloe'.
            transmission: coupling of the motors.
            name: name of the log in messages.

        Raises:
            ArgumentError: shapes differ, numbers are not finite, or the times are not evenly spaced.
        """
        if (t is None) == (rate is None):
            raise ArgumentError("a log requires either the times t (N,) or the rate in samples per second")
        samples_per_second = _rate_of_times(t, len(np.asarray(q))) if rate is None else float(rate)
        return log_of_arrays(
            samples_per_second,
            q,
            tau,
            velocity=qd,
            acceleration=qdd,
            reference=reference,
            transmission=transmission,
            name=name,
        )

    @property
    def position_units(self) -> Array:
        """Scale of each joint position (n,): one radian, or the robot's length in metres; ones if unknown."""
        return np.array(self.units or (1.0,) * self.joints)


def position_units(robot: Robot) -> tuple[float, ...]:
    """Return the scale of each coordinate of a robot: one radian, or the robot's length in metres."""
    return tuple(joint_units(robot, coordinate_joints(robot), characteristic_length(robot)))


def _rate_of_times(t: Any, samples: int) -> float:
    """Return the number of samples per second of evenly spaced times.

    Args:
        t: times in seconds.
        samples: number of samples of the log.

    Raises:
        ArgumentError: the times are not evenly spaced, or their number differs from `samples`.
    """
    times = np.asarray(t, dtype=float)
    if times.shape != (samples,) or samples < 2:
        raise ArgumentError(
            f"t has shape {times.shape}, expected one time per sample: ({samples},), at least 2"
        )
    steps = np.diff(times)
    step = (times[-1] - times[0]) / (samples - 1)
    if not (step > 0 and np.abs(steps - step).max() <= EVEN_STEP * step):
        k = (
            int(np.argmax(np.abs(steps - step)))
            if np.isfinite(steps).all()
            else int(np.argmin(np.isfinite(steps)))
        )
        raise ArgumentError(
            f"the times are not evenly spaced: {steps[k]:.6g} s between samples {k} and {k + 1}, "
            f"{step:.6g} s on average",
            hint="resample the log at a constant rate, or give rate=... if the times are only time stamps",
        )
    return float(1 / step)


def log_of_arrays(
    rate: float,
    position: Any,
    torque: Any,
    *,
    velocity: Any = None,
    acceleration: Any = None,
    reference: Any = None,
    transmission: Transmission | None = None,
    name: str = "log",
) -> Log:
    """Return a log from arrays (N, n) in SI units, on the joint side of the transmission.

    Args:
        rate: samples per second.
        position, torque: measured joint positions and torques.
        velocity, acceleration: measured joint velocities and accelerations; by default they are computed from the
            positions.
        reference: desired positions, for the methods that simulate the control loop.
        transmission: gear ratios of the motors, required if a motor turns with several joints.
        name: name of the log in messages.

    Raises:
        ArgumentError: the shapes differ, a value is not finite, or the rate is not positive.
    """
    given = dict(zip(KINDS, (position, torque, velocity, acceleration, reference), strict=True))
    arrays = {kind: np.asarray(x, dtype=float) for kind, x in given.items() if x is not None}
    shape = arrays["position"].shape
    for kind, array in arrays.items():
        if array.ndim != 2 or array.shape != shape:
            raise ArgumentError(
                f"{kind} has shape {array.shape}, expected (samples, joints) as position: {shape}"
            )
        if not np.isfinite(array).all():
            row, column = np.argwhere(~np.isfinite(array))[0]
            raise ArgumentError(f"{kind} of joint {column + 1} is not a number at sample {row}")
    if not rate > 0:
        raise ArgumentError(f"rate: expected samples per second, a positive number, got {rate}")

    def chunks(size: int) -> Iterator[dict[str, Array]]:
        for start in range(0, shape[0], size):
            yield {kind: array[start : start + size] for kind, array in arrays.items()}

    def part(start: int, stop: int) -> dict[str, Array]:
        return {kind: array[start:stop] for kind, array in arrays.items()}

    def place(sample: int) -> Place:
        return Place(name, key=f"sample {sample}")

    return Log(name, shape[1], rate, shape[0], chunks, part, place, transmission)


def open_log(
    path: str | Path,
    robot: Robot,
    description: str | Path | LogDescription | None = None,
    *,
    rests: bool = False,
) -> Log:
    """Open a log that is stored in files.

    Args:
        path: a CSV or Parquet file, or the YAML file that describes a log and names its files.
        robot: the robot whose joints were logged.
        description: the YAML file, if `path` is the file of samples.
        rests: whether joints may be constant, as in a log that accompanies others in which they move.

    Raises:
        FormatError: the files are not valid; the error contains the line.
    """
    path = Path(path)
    numbers = coordinate_joints(robot)
    slides = [j for j in numbers if robot.frame(j).sigma == JointType.PRISMATIC]
    if path.suffix.lower() in (".yaml", ".yml"):
        if description is not None:
            raise ArgumentError(
                f"'{path}' is already a description of a log",
                hint="give the file of samples as path, or leave out the other description",
            )
        return _LogFiles(path, read_description(path, numbers, slides), None, robot, rests).log()
    table = open_table(path)
    if description is None:
        described = usual_description(numbers, table.names)
        _check_usual(described, table, robot)
    elif isinstance(description, LogDescription):
        described = description
    else:
        described = read_description(Path(description), numbers, slides)
    return _LogFiles(path, described, table, robot, rests).log()


def _check_usual(described: LogDescription, table: ColumnFile, robot: Robot) -> None:
    """Check that a log without a description has columns with the standard names; the error lists these names.

    Args:
        described: the default description.
        table: file of the log.
        robot: the robot whose joints were logged.
    """
    time = described.time.columns if described.time else ()
    wanted = (*time, *described.position.columns, *described.torque.columns)
    missing = next((name for name in wanted if name not in table.names), None)
    if missing is None:
        return
    line = None if table.first is None else table.first - 1
    what = "active joints, the only measured ones" if robot.B else "joints"
    listed = ", ".join(table.names[:LISTED_COLUMNS]) + (", ..." if len(table.names) > LISTED_COLUMNS else "")
    raise FormatError(
        f"there is no column '{missing}': a log of robot '{robot.name}' requires the columns "
        f"{', '.join(wanted)}, numbered like its {what}; this log has {listed}",
        place=Place(str(table.path), line),
        hint="rename the columns, or describe them in the YAML file of the log",
    )


class _LogFiles:
    """Reader of the files of one log; the samples are read and checked one piece at a time."""

    def __init__(
        self, path: Path, described: LogDescription, table: ColumnFile | None, robot: Robot, rests: bool
    ) -> None:
        self.path, self.described, self.robot, self.rests = path, described, robot, rests
        self.tables: dict[Path, ColumnFile] = {} if table is None else {path: table}
        self.own = table
        parts = {kind: getattr(described, kind) for kind in KINDS}
        self.parts: dict[str, Quantity] = {kind: part for kind, part in parts.items() if part is not None}
        if described.time is not None:
            self.parts["time"] = described.time
        self.rate = described.rate or 0.0
        self.joints = len(described.position.columns)

    def log(self) -> Log:
        tables = {kind: self._table(part) for kind, part in self.parts.items()}
        for kind, part in self.parts.items():
            for column in part.columns:
                tables[kind].index(column)
        first = tables["position"]
        for table in tables.values():
            if table.samples != first.samples:
                raise FormatError(
                    f"this file has {table.samples} samples, but {first.path.name} has {first.samples}",
                    place=Place(str(table.path)),
                    hint="all files of one log must have one line per sample",
                )
        if self.described.rate is not None:
            self._check_stamps(tables)
        elif self.described.time is not None:
            self.rate = self._rate_of_times(tables["time"], self.described.time)
        return Log(
            self.path.stem,
            self.joints,
            self.rate,
            first.samples,
            lambda size: self._chunks(tables, size),
            lambda start, stop: next(self._chunks(tables, stop - start, start, stop)),
            first.place,
            self.described.transmission,
            self.described,
            self.path,
            units=position_units(self.robot),
        )

    def _table(self, part: Quantity) -> ColumnFile:
        if part.file is None:
            if self.own is None:
                raise FormatError(
                    "the description does not give the file of some columns",
                    place=Place(str(self.path)),
                    hint="add 'file', as in position: {file: position.csv, columns: [...]}",
                )
            return self.own
        if part.file not in self.tables:
            self.tables[part.file] = open_table(part.file)
        return self.tables[part.file]

    def _rate_of_times(self, table: ColumnFile, time: Quantity) -> float:
        """Return the number of samples per second, computed from a time column with evenly spaced times.

        Args:
            table: file of the times.
            time: column and unit of the times.

        Raises:
            FormatError: the times are not evenly spaced.
        """
        column = time.columns[0]
        last = np.empty(0)
        first_time = np.nan
        steps: list[float] = []
        done = 0
        for rows in table.chunks([column], 200_000):
            t = np.concatenate([last, rows[:, 0] * time.factors[0]])
            at = done - len(last)
            self._check_finite(t, table, column, at)
            if not done:
                first_time = float(t[0])
                if len(t) < 2:
                    break
                steps.append(float(np.median(np.diff(t))))
            _check_times(t, steps[0], table, column, at)
            last, done = t[-1:], done + len(rows)
        if done < 2:
            raise FormatError("a log requires more than one sample", place=table.place(0))
        rate = (done - 1) / float(last[0] - first_time)
        if not SLOWEST_LOG <= rate <= FASTEST_LOG:
            raise FormatError(
                f"{rate:.4g} samples per second are too few to record the motion of a robot",
                place=table.place(1, column),
                hint=f"check whether '{time.unit}' is the unit of the time",
            )
        return rate

    def _check_stamps(self, tables: Mapping[str, ColumnFile]) -> None:
        """Check that a given rate agrees with the times in the log, if it contains times.

        The times are in the column that the description names, or in a column with a standard name.

        Args:
            tables: files of the log by quantity.
        """
        if self.described.time is not None:
            named = [(tables["time"], self.described.time.columns[0], self.described.time.factors[0])]
        else:
            used = {name for part in self.parts.values() for name in part.columns}
            files = {table.path: table for table in tables.values()}.values()
            named = [
                (table, name, _stamp_unit(table, name, self.rate))
                for table in files
                for name in table.names
                if name not in used and TIME_COLUMNS.match(name)
            ]
        for table, column, factor in named:
            last, done = np.empty(0), 0
            for rows in table.chunks([column], 200_000) if factor else ():
                t = np.concatenate([last, rows[:, 0] * factor])
                at = done - len(last)
                self._check_finite(t, table, column, at)
                _check_rate(t, self.rate, table, column, at)
                last, done = t[-1:], done + len(rows)

    def _check_finite(self, t: Array, table: ColumnFile, column: str, at: int) -> None:
        bad = np.flatnonzero(~np.isfinite(t))
        if bad.size:
            raise FormatError(
                "the value is not a finite number",
                place=table.place(at + int(bad[0]), column),
                hint="cut the log before this sample, or correct the value",
            )

    def _check_moved(self, low: Array, high: Array, table: ColumnFile) -> None:
        """Check that every joint moves.

        Args:
            low, high: smallest and largest position of each joint.
            table: file of the positions, for the error.
        """
        least = 1e-9 * np.maximum(np.abs(high), position_units(self.robot))  # round-off of numbers in files
        still = np.flatnonzero(high - low <= least)
        if not still.size:
            return
        columns = ", ".join(f"'{self.described.position.columns[k]}'" for k in still)
        lines = (
            "" if table.first is None else f" from line {table.line(0)} to {table.line(table.samples - 1)}"
        )
        names = ", ".join(str(coordinate_joints(self.robot)[k]) for k in still)
        raise FormatError(
            f"joint {names} never moved: the position is constant{lines} (column {columns})",
            place=table.place(0, self.described.position.columns[still[0]]),
            hint="parameters can only be identified from motion: move every joint, or describe the robot "
            "without this joint",
        )

    def _check_range(self, q: Array, at: int, table: ColumnFile) -> None:
        for k, j in enumerate(coordinate_joints(self.robot)):
            limits = self.robot.frame(j).limits
            if limits.lower is None or limits.upper is None or limits.upper <= limits.lower:
                continue
            middle, half = (limits.upper + limits.lower) / 2, (limits.upper - limits.lower) / 2
            bad = np.flatnonzero(np.abs(q[:, k] - middle) > BEYOND_RANGE * half)
            if bad.size:
                unit = "rad" if self.robot.frame(j).sigma == JointType.REVOLUTE else "m"
                raise FormatError(
                    f"the position of joint {j} is {q[bad[0], k]:.4g} {unit}, far outside its limits "
                    f"{limits.lower:.4g} and {limits.upper:.4g} {unit}",
                    place=table.place(at + int(bad[0]), self.described.position.columns[k]),
                    hint=f"check whether '{self.described.position.unit}' is the unit, and check ratios and offsets",
                )

    def _check_torques(self, tau: Array, at: int, table: ColumnFile) -> None:
        for k, j in enumerate(coordinate_joints(self.robot)):
            limit = self.robot.frame(j).limits.effort
            if not limit:
                continue
            bad = np.flatnonzero(np.abs(tau[:, k]) > BEYOND_EFFORT * limit)
            if bad.size:
                raise FormatError(
                    f"the torque of joint {j} is {tau[bad[0], k]:.4g}, far above its limit {limit:.4g}",
                    place=table.place(at + int(bad[0]), self.described.torque.columns[k]),
                    hint=f"check whether '{self.described.torque.unit}' is the unit, and check ratios and scales",
                )

    def _chunks(
        self, tables: Mapping[str, ColumnFile], size: int, start: int = 0, stop: int | None = None
    ) -> Iterator[dict[str, Array]]:
        kinds = [kind for kind in self.parts if kind != "time"]
        low, high = np.full(self.joints, np.inf), np.full(self.joints, -np.inf)
        at = start
        streams = [_even(tables[k].chunks(self.parts[k].columns, size, start, stop), size) for k in kinds]
        for pieces in zip(*streams, strict=True):
            samples = {}
            for kind, piece in zip(kinds, pieces, strict=True):
                part = self.parts[kind]
                for k, column in enumerate(part.columns):
                    self._check_finite(piece[:, k], tables[kind], column, at)
                samples[kind] = self._at_joints(kind, piece * np.array(part.factors), part)
            q = samples["position"]
            self._check_range(q, at, tables["position"])
            self._check_torques(samples["torque"], at, tables["torque"])
            low, high = np.minimum(low, q.min(axis=0)), np.maximum(high, q.max(axis=0))
            yield samples
            at += len(q)
        if start == 0 and at == tables["position"].samples and not self.rests:
            self._check_moved(low, high, tables["position"])

    def _at_joints(self, kind: str, values: Array, part: Quantity) -> Array:
        gear = self.described.transmission
        if not part.motor or gear is None:
            return values
        return gear.torques(values) if kind == "torque" else gear.positions(values)


def _even(pieces: Iterator[Array], size: int) -> Iterator[Array]:
    """Yield arrays of `size` rows, composed of the rows of `pieces` in order; the last array may have fewer rows."""
    held: list[Array] = []
    rows = 0
    for piece in pieces:
        held.append(piece)
        rows += len(piece)
        while rows >= size:
            whole = np.concatenate(held) if len(held) > 1 else held[0]
            yield whole[:size]
            held, rows = [whole[size:]], rows - size
    if rows:
        yield np.concatenate(held)


def _check_times(t: Array, step: float, table: ColumnFile, column: str, at: int) -> None:
    """Check that times increase in even steps.

    Args:
        t: consecutive times in seconds.
        step: expected step in seconds.
        table, column: file and column of the times, for the error.
        at: number of the sample to which the first time belongs.
    """
    steps = np.diff(t)
    bad = np.flatnonzero((steps <= 0) | (np.abs(steps - step) > EVEN_STEP * abs(step)))
    if not bad.size:
        return
    back = np.flatnonzero(steps < 0)
    lost = np.flatnonzero(_lost(steps))
    if back.size and back[0] <= bad[0] + 2:
        k = int(back[0])  # swapped lines have a gap before them
    elif lost.size and (steps > 0).all():
        k = int(lost[0])  # rounded times are uneven everywhere; a lost sample is reported first
    else:
        k = int(bad[0])
    place = table.place(at + k + 1, column)
    before = f"{t[k]:.9g} s"
    if steps[k] == 0:
        raise FormatError(
            f"the time {t[k + 1]:.9g} s is repeated", place=place, hint="remove one of the samples"
        )
    if steps[k] < 0:
        message = f"the time decreases: {t[k + 1]:.9g} s follows {t[k]:.9g} s"
        raise FormatError(message, place=place, hint="sort the log by its time")
    raise FormatError(
        f"the samples are not evenly spaced: {t[k + 1]:.9g} s follows {before}, but other samples "
        f"are {step:.4g} s apart",
        place=place,
        hint=_uneven_hint(t, float(steps.max())),
    )


def _stamp_unit(table: ColumnFile, column: str, rate: float) -> float:
    """Return the number of seconds per unit of an undescribed time column; zero if it does not contain times.

    The unit is determined by comparison with the given rate.

    Args:
        table, column: file and name of the column.
        rate: given number of samples per second.
    """
    try:
        t = next(table.chunks([column], 200_000))[:, 0]
    except FormatError:
        return 0.0
    steps = np.diff(t)
    if len(steps) < 2 or not np.isfinite(t).all() or (steps < 0).any() or np.median(steps) == 0:
        return 0.0
    factor = float(len(steps) / rate / (t[-1] - t[0]))  # units in which the given rate would be correct
    usual = min(TIME.values(), key=lambda unit: abs(np.log(unit / factor)))
    return usual if abs(np.log(usual / factor)) < 1 else factor


def _uneven_hint(t: Array, largest: float) -> str:
    """Return a hint for the user about uneven times.

    The hint suggests to give the rate only if the times are even times that were rounded.

    Args:
        t: times in seconds.
        largest: largest step in seconds.
    """
    gap = "cut the log at the gap, or interpolate it to a constant rate"
    count = int(_lost(np.diff(t)).sum())
    if count:
        return f"{count} sample{'s'[: count > 1]} may be missing there: {gap}"
    quantum = _rounded_to(t)
    if quantum is None:
        return gap
    low, high = ((len(t) - 1) / (t[-1] - t[0] + sign * quantum) for sign in (1, -1))
    mean = (len(t) - 1) / (t[-1] - t[0])
    rounded = (float(f"{mean:.{digits}g}") for digits in range(1, 10))
    rate = next((x for x in rounded if low <= x <= high), mean)  # the rate with the fewest digits that agrees
    return (
        f"the times are evenly spaced but rounded to {quantum:g} s: give their rate, as in 'rate: {rate:.9g}', with "
        "the "
        "time in the description of the log"
    )


def _lost(steps: Array) -> NDArray[np.bool_]:
    """Return the mask of the time steps that are so long that a sample may be missing.

    A lost sample doubles a time step. If the true step is only one to two units of the clock, rounding can double steps
    too; long steps are therefore reported only if they are few.

    Args:
        steps: differences of consecutive times.
    """
    long = steps > LOST_SAMPLE * float(np.median(steps))
    return long & (np.mean(long) < MANY_LOST)


def _rounded_to(t: Array) -> float | None:
    """Return the clock unit (s) to which evenly spaced times t (s) were rounded; None if they were not rounded."""
    if len(t) < 3 or (np.diff(t) < 0).any():
        return None
    for quantum in CLOCK_UNITS:
        if np.abs(t / quantum - np.round(t / quantum)).max() < CLOCK_MULTIPLE and _range_about_line(
            t
        ) < quantum * (1 + CLOCK_MULTIPLE):
            return quantum
    return None


def _range_about_line(t: Array) -> float:
    """Return the smallest range (maximum minus minimum) of t - k T over all step sizes T.

    k is the index of a time in t. For evenly spaced times that were rounded, the range is below the unit of the clock.
    """
    k = np.arange(len(t))
    low, high = (float(np.median(np.diff(t))) * (1 + sign * 0.5) for sign in (-1, 1))
    low, high = min(low, (t[-1] - t[0]) / k[-1] * 0.9), max(high, (t[-1] - t[0]) / k[-1] * 1.1)
    for _ in range(80):  # the range is convex in T
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if np.ptp(t - k * first) < np.ptp(t - k * second):
            high = second
        else:
            low = first
    return float(np.ptp(t - k * low))


def _check_rate(t: Array, rate: float, table: ColumnFile, column: str, at: int) -> None:
    """Check that a given rate agrees with times, which may be rounded.

    Args:
        t: consecutive times in seconds.
        rate: given number of samples per second.
        table, column: file and column of the times, for the error.
        at: number of the sample to which the first time belongs.
    """
    if len(t) < 3:
        return
    steps, step = np.diff(t), 1 / rate
    tolerance = max(_unit_of_clock(t), EVEN_STEP * step)
    bad = np.flatnonzero((steps < 0) | (np.abs(steps - step) >= tolerance * (1 - CLOCK_MULTIPLE)))
    slow = abs(float(t[-1] - t[0]) / len(steps) - step) > CLOCK_DRIFT * step + 2 * tolerance / len(steps)
    if not bad.size and (slow or _range_about_line(t) > tolerance * (1 + CLOCK_MULTIPLE)):
        # At or soon after a missing sample this difference exceeds the range that rounding allows.
        off = t - step * np.arange(len(t))
        ranges = np.maximum.accumulate(off) - np.minimum.accumulate(off)
        bad = np.array([max(int(np.argmax(ranges > tolerance * (1 + CLOCK_MULTIPLE))) - 1, 0)])
    if bad.size:
        k = int(bad[0])
        missing = "; a sample may be missing" if steps[k] > LOST_SAMPLE * step else ""
        raise FormatError(
            f"the time stamps contradict the rate of {rate:g} samples per second: {t[k + 1]:.9g} s follows "
            f"{t[k]:.9g} s, "
            f"where {step:.4g} s are expected{missing}",
            place=table.place(at + k + 1, column),
            hint="give the true rate, or cut the log at the gap, or interpolate it to a constant rate; without the "
            "column of "
            "times the samples are taken as evenly spaced",
        )


def _unit_of_clock(t: Array) -> float:
    """Return the unit in seconds to which the last of the times t (s) are rounded; zero if it is not a common unit."""
    late = t[-max(3, len(t) // 10) :]  # times written with a fixed number of digits become coarser with time
    for quantum in reversed(CLOCK_UNITS):
        if np.abs(late / quantum - np.round(late / quantum)).max() < CLOCK_MULTIPLE:
            return quantum
    return 0.0


# -- names of logs


def log_names(logs: Sequence[Log], beside: Sequence[Log] = ()) -> list[str]:
    """Return one distinct name per log, for reports.

    Args:
        logs: the logs to name.
        beside: other logs in the same report; a log gets a name that differs from theirs unless it is the same file.
    """
    plain = []
    for log in logs:
        same = [other for other in (*logs, *beside) if other.name == log.name]
        several = any(other.source != log.source for other in same)
        plain.append(str(log.source) if several and log.source is not None else log.name)
    before = [plain[:k].count(name) for k, name in enumerate(plain)]
    return [f"{name} ({count + 1})" if count else name for name, count in zip(plain, before, strict=True)]
