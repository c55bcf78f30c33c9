"""Logs: samples of joint positions and torques at a constant rate, from files or from arrays.

The joints are those with an independent coordinate; for a robot with closed loops, the active ones. Samples are read
piece by piece, so that a log may be larger than the memory, and each piece is checked. Errors contain the line. They
report a missing value or text, times that are not usable, a joint that never moves, and positions or torques beyond the
limits of the robot (a wrong unit). Samples at uneven times are resampled (`resampling`); gaps divide a log into
segments, each of which is filtered and differentiated as a log of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, FormatError, Place, UnknownNameError
from symoro.identification.base_motion import COMPONENTS, ORIENTATION, PREFIX, check_quantities
from symoro.identification.contacts import Contact, ContactLike, as_contact, column_kind
from symoro.identification.log_columns import ColumnFile, open_table
from symoro.identification.log_description import (
    TIME,
    LogDescription,
    Quantity,
    Transmission,
    read_description,
    usual_description,
)
from symoro.identification.log_payload import LogPayload, log_payload
from symoro.identification.resampling import Grid, Resampling, Stream
from symoro.identification.ros_bag import bag_description, check_joints, is_bag, joint_tables
from symoro.identification.time_base import TimeBase, check_rate, time_base
from symoro.identification.tolerances import BEYOND_EFFORT, BEYOND_RANGE, QUATERNION_LENGTH
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.size import characteristic_length, joint_units

# -- log


Array = NDArray[np.float64]
KINDS = ("position", "torque", "velocity", "acceleration", "reference")
TIME_COLUMNS = re.compile(
    r"(?:t|time|times?tamp|stamp|clock)(?:[^a-z0-9].*)?\Z", re.IGNORECASE
)  # columns of times
LISTED_COLUMNS = 20  # names of columns
CHECKED = 50_000  # samples that are checked at once


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
        segments: number of the first sample of each segment; there is a gap in time between two segments.
        resampling: losses if the recorded times were uneven; None if the samples are the recorded ones.
        payload: payload that the robot carried; None if there was none.
        contacts: contacts of a floating robot, whose forces or wrenches are part of the samples.
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
    segments: tuple[int, ...] = (0,)
    resampling: Resampling | None = None
    payload: LogPayload | None = None
    contacts: tuple[Contact, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.joints} joints, {self.samples} samples at {self.rate:g} Hz"

    @classmethod
    def from_arrays(
        cls,
        *,
        t: Any = None,
        q: Any,
        tau: Any = None,
        qd: Any = None,
        qdd: Any = None,
        rate: float | None = None,
        reference: Any = None,
        transmission: Transmission | None = None,
        payload: Mapping[str, Any] | str | None = None,
        base: Mapping[str, Any] | None = None,
        contacts: Mapping[ContactLike, Any] | None = None,
        name: str = "log",
    ) -> Log:
        """Return a log from arrays of samples in SI units, at the joints.

            log = symoro.Log.from_arrays(t=t, q=q, tau=tau)
            symoro.identify(robot, log)

        Args:
            t: times of the samples (N,) in seconds, or give `rate`. Samples at uneven times are resampled, and gaps
                divide the log into segments.
            q, tau: joint positions (rad or m) and torques (N m or N), (N, n), one column per coordinate; for a robot
                with closed loops one column per active joint. `tau` may be left out for a floating robot.
            qd, qdd: velocities and accelerations (N, n), if they are measured; otherwise they are computed from `q`.
            rate: samples per second.
            reference: desired positions (N, n), for the methods 'iv', 'didim' and 'cloe'.
            transmission: coupling of the motors.
            payload: payload that the robot carried: {"mass": 2, "com": [0, 0, 0.1], "inertia": [...]}, or
                {"unknown": "box"} for one that is estimated, if it was weighed with its mass (`log_payload`).
            base: motion of a floating base by quantity (`base_motion`): orientation (N, 4) as quaternions w, x, y, z;
                angular_velocity (N, 3) in frame 0; and specific_force, acceleration, velocity or position (N, 3).
            contacts: by contact of a floating robot its force (N, 3) or wrench (N, 6), in N and N m. A contact is given
                by its frame, by a pair of frame and point, or as a `Contact`.
            name: name of the log in messages.

        Raises:
            ArgumentError: shapes differ, numbers are not finite, or the times are not usable.
        """
        if (t is None) == (rate is None):
            raise ArgumentError("a log requires either the times t (N,) or the rate in samples per second")
        log = log_of_arrays(
            float(rate or 1.0),
            q,
            tau,
            velocity=qd,
            acceleration=qdd,
            reference=reference,
            transmission=transmission,
            base=base,
            contacts=contacts,
            name=name,
        )
        log = replace(log, payload=log_payload(payload))
        return log if t is None else _at_times(log, t)

    @property
    def position_units(self) -> Array:
        """Scale of each joint position (n,): one radian, or the robot's length in metres; ones if unknown."""
        return np.array(self.units or (1.0,) * self.joints)


def position_units(robot: Robot) -> tuple[float, ...]:
    """Return the scale of each coordinate of a robot: one radian, or the robot's length in metres."""
    return tuple(joint_units(robot, coordinate_joints(robot), characteristic_length(robot)))


def _at_times(log: Log, t: Any) -> Log:
    """Return a log of arrays with its samples at given times, resampled if these are not evenly spaced.

    Args:
        log: the log; its rate is ignored.
        t: times in seconds.

    Raises:
        ArgumentError: the times are not usable, or their number differs from that of the samples.
    """
    times = np.asarray(t, dtype=float)
    if times.shape != (log.samples,) or log.samples < 2:
        raise ArgumentError(
            f"t has shape {times.shape}, expected one time per sample: ({log.samples},), at least 2"
        )
    if not np.isfinite(times).all():
        k = int(np.argmin(np.isfinite(times)))
        raise ArgumentError(f"t is not a finite number at sample {k}")
    origin = float(times[0])
    try:
        base = time_base(times - origin, lambda a, b: log.part(a, b)["position"], log.place, origin=origin)
    except FormatError as error:
        raise ArgumentError(error.message, place=error.place, hint=error.hint) from None
    return _on_grid(log, [_stream(log, base)])


def _stream(log: Log, base: TimeBase) -> Stream:
    joints = {kind: range(x.shape[1]) for kind, x in log.part(0, 1).items()}
    return Stream(base, log.part, joints, log.place)


def _on_grid(
    log: Log, streams: Sequence[Stream], check_moved: Callable[[Array, Array], None] | None = None
) -> Log:
    """Return a log whose samples are those of streams at uniform times.

    Args:
        log: the log of the recorded samples; its other fields are kept.
        streams: the recorded quantities with their times. The log itself is returned, with its rate, if it has one
            stream with even times.
        check_moved: function of the smallest and largest positions that rejects joints at rest; None for no check.
    """
    if len(streams) == 1 and streams[0].base.kind == "uniform":
        return replace(log, rate=1 / streams[0].base.period)
    grid = Grid(streams, Place(log.place(0).file))

    def chunks(size: int) -> Iterator[dict[str, Array]]:
        for start in range(0, grid.samples, size):
            yield grid.part(start, min(start + size, grid.samples))

    if check_moved is not None:
        ranges = [(q.min(axis=0), q.max(axis=0)) for q in (chunk["position"] for chunk in chunks(CHECKED))]
        check_moved(
            *(
                np.array(ends)
                for ends in (np.min([a for a, _ in ranges], axis=0), np.max([b for _, b in ranges], axis=0))
            )
        )
    return replace(
        log,
        rate=1 / grid.period,
        samples=grid.samples,
        chunks=chunks,
        part=lambda start, stop: grid.part(start, min(stop, grid.samples)),
        place=grid.place,
        segments=grid.starts,
        resampling=grid.report,
    )


def segments(log: Log) -> tuple[Log, ...]:
    """Return the segments of a log between gaps as separate logs."""
    if len(log.segments) == 1:
        return (log,)
    ends = (*log.segments[1:], log.samples)
    return tuple(
        _segment(log, number, first, end)
        for number, (first, end) in enumerate(zip(log.segments, ends, strict=True), 1)
    )


def _segment(log: Log, number: int, first: int, end: int) -> Log:
    def part(start: int, stop: int) -> dict[str, Array]:
        return log.part(first + start, min(first + stop, end))

    def chunks(size: int) -> Iterator[dict[str, Array]]:
        for start in range(0, end - first, size):
            yield part(start, start + size)

    return replace(
        log,
        name=f"{log.name}, segment {number}",
        samples=end - first,
        chunks=chunks,
        part=part,
        place=lambda sample: log.place(first + sample),
        segments=(0,),
    )


def log_of_arrays(
    rate: float,
    position: Any,
    torque: Any = None,
    *,
    velocity: Any = None,
    acceleration: Any = None,
    reference: Any = None,
    transmission: Transmission | None = None,
    base: Mapping[str, Any] | None = None,
    contacts: Mapping[ContactLike, Any] | None = None,
    name: str = "log",
) -> Log:
    """Return a log from arrays (N, n) in SI units, on the joint side of the transmission.

    Args:
        rate: samples per second.
        position, torque: measured joint positions and torques; the torques are optional for a floating robot.
        velocity, acceleration: measured joint velocities and accelerations; by default they are computed from the
            positions.
        reference: desired positions, for the methods that simulate the control loop.
        transmission: gear ratios of the motors, required if a motor turns with several joints.
        base, contacts: motion of a floating base and forces at its contacts (`Log.from_arrays`).
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
    points = tuple(as_contact(contact) for contact in contacts or {})
    if base or points:
        arrays |= _floating_arrays(shape[0], base or {}, points, list((contacts or {}).values()))
    elif "torque" not in arrays:
        raise ArgumentError(
            "the torques tau (N, n) are missing",
            hint="give them; only the log of a floating robot with contacts may omit them",
        )
    return _log_of_checked_arrays(arrays, rate, name, transmission, points)


def _floating_arrays(
    samples: int, base: Mapping[str, Any], contacts: Sequence[Contact], wrenches: Sequence[Any]
) -> dict[str, Array]:
    """Return the samples of the base and of the contacts of a floating robot by quantity, checked.

    Args:
        samples: number of samples.
        base: motion of the base by quantity.
        contacts, wrenches: the contacts, and the force or wrench of each.
    """
    check_quantities(base, any(contact.axes == "world" for contact in contacts))
    named: list[tuple[str, str, Any, tuple[int, ...]]]
    named = [(PREFIX + kind, f"base {kind}", x, (COMPONENTS[kind],)) for kind, x in base.items()]
    for k, (contact, x) in enumerate(zip(contacts, wrenches, strict=True)):
        named.append((column_kind(k), str(contact), x, (3, 6)))
    arrays = {}
    for kind, what, x, counts in named:
        array = np.asarray(x, dtype=float)
        if array.ndim != 2 or array.shape[0] != samples or array.shape[1] not in counts:
            expected = " or ".join(f"({samples}, {count})" for count in counts)
            raise ArgumentError(f"{what} has shape {array.shape}, expected {expected}")
        if not np.isfinite(array).all():
            raise ArgumentError(
                f"{what} is not a number at sample {int(np.argwhere(~np.isfinite(array))[0][0])}"
            )
        arrays[kind] = array
    bad = not_unit(arrays.get(PREFIX + ORIENTATION))
    if bad is not None:
        raise ArgumentError(_quaternion_text(arrays[PREFIX + ORIENTATION][bad]) + f" at sample {bad}")
    return arrays


def not_unit(quaternions: Array | None) -> int | None:
    """Return the index of the first quaternion whose length is not near 1; None if there is none."""
    if quaternions is None:
        return None
    bad = np.flatnonzero(np.abs(np.linalg.norm(quaternions, axis=1) - 1) > QUATERNION_LENGTH)
    return int(bad[0]) if bad.size else None


def _quaternion_text(quaternion: Array) -> str:
    return (
        "the orientation of the base requires quaternions of length 1, got one of length "
        f"{np.linalg.norm(quaternion):.4g}"
    )


def log_with(log: Log, arrays: Mapping[str, Array]) -> Log:
    """Return a log of other samples with the properties of a given log: rate, contacts, payload and so on.

    Args:
        log: the log.
        arrays: the samples by quantity, as `log.part` returns them.
    """
    made = _log_of_checked_arrays(arrays, log.rate, log.name, log.transmission, log.contacts)
    return replace(made, start=log.start, units=log.units, payload=log.payload)


def _log_of_checked_arrays(
    arrays: Mapping[str, Array],
    rate: float,
    name: str,
    transmission: Transmission | None,
    contacts: tuple[Contact, ...],
) -> Log:
    shape = arrays["position"].shape

    def chunks(size: int) -> Iterator[dict[str, Array]]:
        for start in range(0, shape[0], size):
            yield {kind: array[start : start + size] for kind, array in arrays.items()}

    def part(start: int, stop: int) -> dict[str, Array]:
        return {kind: array[start:stop] for kind, array in arrays.items()}

    def place(sample: int) -> Place:
        return Place(name, key=f"sample {sample}")

    return Log(name, shape[1], rate, shape[0], chunks, part, place, transmission, contacts=contacts)


def open_log(
    path: str | Path,
    robot: Robot,
    description: str | Path | LogDescription | None = None,
    *,
    rests: bool = False,
    topics: Sequence[str] = (),
    drive_gains: Sequence[float] = (),
) -> Log:
    """Open a log that is stored in files.

    Args:
        path: a CSV (also .csv.gz) or Parquet file, the YAML file that describes a log and names its files, an MCAP
            file, or a rosbag2 (folder or .db3 file).
        robot: the robot whose joints were logged.
        description: the YAML file, if `path` is the file of samples, or the name of a bundled description (`BUNDLED`).
        rests: whether joints may be constant, as in a log that accompanies others in which they move.
        topics: topics of a bag that contain the samples; by default the only one with JointState messages, or
            /joint_states.
        drive_gains: factor of the torque column of each joint, such as torque per ampere; by default those of the
            description.

    Raises:
        FormatError: the files are not valid; the error contains the line.
        MissingDependencyError: the file requires a package that is not installed.
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
        described = read_description(path, numbers, slides, bool(drive_gains))
        return _LogFiles(path, _with_gains(described, drive_gains), [], robot, rests).log()
    bag = is_bag(path)
    if description is None and robot.base.kind == BaseKind.FLOATING:
        raise FormatError(
            f"the log of the floating robot '{robot.name}' requires a description of the columns of its base and of "
            "its contacts",
            place=Place(str(path)),
            hint="give the YAML file of the log with the keys 'base' and 'contacts'",
        )
    if topics and not bag:
        raise ArgumentError(f"topics: '{path}' is not a bag, so it has no topics")
    tables = joint_tables(path, topics) if bag else [open_table(path)]
    if description is None and bag:
        described = bag_description([robot.frame(j).name or f"joint{j}" for j in numbers])
        check_joints(described, tables, robot)
    elif description is None:
        described = usual_description(numbers, tables[0].names)
        _check_usual(described, tables[0], robot)
    elif isinstance(description, LogDescription):
        described = description
    else:
        described = read_description(Path(description), numbers, slides, bool(drive_gains))
    return _LogFiles(path, _with_gains(described, drive_gains), tables, robot, rests).log()


def with_drive_gains(log: Log, gains: Sequence[float]) -> Log:
    """Return a log whose torques are multiplied by gains, one per joint."""
    if not len(gains):
        return log
    _check_gains(gains, log.joints if "torque" in log.part(0, 1) else 0)

    def scaled(samples: dict[str, Array]) -> dict[str, Array]:
        return {**samples, "torque": samples["torque"] * np.array(gains)}

    def chunks(size: int) -> Iterator[dict[str, Array]]:
        return map(scaled, log.chunks(size))

    return replace(log, chunks=chunks, part=lambda start, stop: scaled(log.part(start, stop)))


def _check_gains(gains: Sequence[float], joints: int) -> None:
    if not joints:
        raise ArgumentError("drive_gains: the log contains no torques", hint="omit the drive gains")
    if len(gains) != joints:
        raise ArgumentError(f"drive_gains: expected {joints} numbers, one per joint, got {len(gains)}")
    if not all(np.isfinite(gain) and gain for gain in gains):
        raise ArgumentError("drive_gains: expected finite numbers that are not zero")


def _with_gains(described: LogDescription, gains: Sequence[float]) -> LogDescription:
    """Return a description whose torque columns are multiplied by gains, one per joint."""
    if not gains:
        return described
    torque = described.torque
    _check_gains(gains, len(torque.factors))
    factors = tuple(factor * gain for factor, gain in zip(torque.factors, gains, strict=True))
    return replace(described, torque=replace(torque, factors=factors))


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


@dataclass(frozen=True, eq=False)
class _Source:
    """Columns of a log that were sampled at the same times.

    Attributes:
        tables: file of each quantity.
        joints: by quantity the indices of the joints whose columns it contains.
        time: file with the time column; None if the rate is given.
    """

    tables: Mapping[str, ColumnFile]
    joints: Mapping[str, Sequence[int]]
    time: ColumnFile | None


class _LogFiles:
    """Reader of the files of one log; the samples are read and checked one piece at a time."""

    def __init__(
        self,
        path: Path,
        described: LogDescription,
        own: Sequence[ColumnFile],
        robot: Robot,
        rests: bool,
    ) -> None:
        self.path, self.described, self.robot, self.rests = path, described, robot, rests
        self.tables: dict[Path, ColumnFile] = {}
        self.own = own
        parts = {kind: getattr(described, kind) for kind in KINDS}
        parts |= described.floating_quantities
        self.parts: dict[str, Quantity] = {
            kind: part for kind, part in parts.items() if part and part.columns
        }
        self.joints = len(described.position.columns)

    def log(self) -> Log:
        sources = self._sources()
        log = self._recorded(sources)
        if self.described.rate is not None:
            self._check_stamps(sources[0])
            return log
        times = [self._times(source) for source in sources]
        origin = min(float(t[0]) for t in times)
        streams = [self._stream(source, t - origin, origin) for source, t in zip(sources, times, strict=True)]
        return _on_grid(log, streams, None if self.rests else self._check_moved)

    def _recorded(self, sources: Sequence[_Source]) -> Log:
        """Return the log of the recorded samples of the first source."""
        first = sources[0]
        table = first.tables["position"]
        return Log(
            self.path.name.removesuffix(".gz").rpartition(".")[0] or self.path.name,
            self.joints,
            self.described.rate or 0.0,
            table.samples,
            lambda size: self._chunks(first, size),
            lambda start, stop: next(self._chunks(first, stop - start, start, stop)),
            table.place,
            self.described.transmission,
            self.described,
            self.path,
            units=position_units(self.robot),
            payload=self.described.payload,
            contacts=tuple(contact for contact, _ in self.described.contacts),
        )

    def _sources(self) -> list[_Source]:
        """Return the columns of the log, grouped by the times at which they were sampled.

        There is one group if the description gives a rate or the file of the times. Otherwise each file has its own
        column of times. The source with the positions comes first.
        """
        placed = [
            (kind, joint, self._table(part, column))
            for kind, part in self.parts.items()
            for joint, column in enumerate(part.columns)
        ]
        time = self.described.time
        several = {id(table) for _, _, table in placed}
        common = None
        if self.described.rate is not None and time is None:
            several = set()
        elif time is not None and (
            time.file is not None or len(several) == 1 or self.described.rate is not None
        ):
            common = (
                placed[0][2]
                if len(several) == 1 and time.file is None
                else self._table(time, time.columns[0])
            )
            several = set()
        if several:
            groups: dict[int, list[tuple[str, int, ColumnFile]]] = {}
            for entry in placed:
                groups.setdefault(id(entry[2]), []).append(entry)
            self._check_whole(groups.values())
            return [self._source(group, group[0][2]) for group in groups.values()]
        self._check_lengths([table for _, _, table in placed] + ([common] if common else []))
        return [self._source(placed, common)]

    def _source(self, entries: Sequence[tuple[str, int, ColumnFile]], time: ColumnFile | None) -> _Source:
        if time is not None and self.described.time is not None:
            time.index(self.described.time.columns[0])
        kinds = dict.fromkeys(kind for kind, _, _ in entries)
        return _Source(
            {kind: next(table for k, _, table in entries if k == kind) for kind in kinds},
            {kind: [joint for k, joint, _ in entries if k == kind] for kind in kinds},
            time,
        )

    def _check_lengths(self, tables: Sequence[ColumnFile]) -> None:
        for table in tables:
            if table.samples != tables[0].samples:
                raise FormatError(
                    f"this file has {table.samples} samples, but {tables[0].path.name} has {tables[0].samples}",
                    place=Place(str(table.path)),
                    hint="all files of one log must have one line per sample, or a column of times each: give 'time' "
                    "without 'file' and 'rate'",
                )

    def _check_whole(self, groups: Iterable[Sequence[tuple[str, int, ColumnFile]]]) -> None:
        """Check that quantities on the motor side of a transmission were sampled at the same times for all joints."""
        for group in groups:
            for kind, _, table in group:
                count = sum(1 for other, _, _ in group if other == kind)
                if self.parts[kind].motor and count < self.joints:
                    raise FormatError(
                        f"the {kind} of the motors was sampled at different times, which does not determine that of "
                        "the joints",
                        place=Place(str(table.path)),
                        hint="record all motors in one message, or log the joint side",
                    )

    def _table(self, part: Quantity, column: str) -> ColumnFile:
        """Return the file that contains a column of a quantity."""
        if part.file is not None:
            if part.file not in self.tables:
                self.tables[part.file] = open_table(part.file)
            self.tables[part.file].index(column)
            return self.tables[part.file]
        if not self.own:
            raise FormatError(
                "the description does not give the file of some columns",
                place=Place(str(self.path)),
                hint="add 'file', as in position: {file: position.csv, columns: [...]}",
            )
        held = [table for table in self.own if column in table.names]
        if not held:
            self._raise_unknown(column)
        return held[0]

    def _raise_unknown(self, column: str) -> NoReturn:
        if len(self.own) == 1:
            self.own[0].index(column)
        names = list(dict.fromkeys(name for table in self.own for name in table.names))
        raise FormatError(
            f"there is no column '{column}'",
            place=Place(str(self.path)),
            hint=UnknownNameError("column", column, names).hint,
        )

    def _times(self, source: _Source) -> Array:
        """Return the time stamps of a source in seconds."""
        time, table = self.described.time, source.time
        assert time is not None and table is not None
        column = time.columns[0]
        t = np.concatenate(list(table.chunks([column], 200_000)))[:, 0] * time.factors[0]
        self._check_finite(t, table, column, 0)
        return t

    def _stream(self, source: _Source, t: Array, origin: float) -> Stream:
        """Return the samples of a source with their time base.

        Args:
            source: the columns.
            t: time stamps in seconds from `origin`.
            origin: a time in seconds.
        """
        time, table = self.described.time, source.time
        assert time is not None and table is not None
        column, kind = time.columns[0], next(iter(source.tables))

        def read(start: int, stop: int) -> dict[str, Array]:
            return next(self._chunks(source, stop - start, start, stop))

        base = time_base(
            t,
            lambda start, stop: read(start, stop)[kind],
            lambda sample: table.place(sample, column),
            origin=origin,
            unit=time.unit,
        )
        return Stream(base, read, source.joints, source.tables[kind].place)

    def _check_stamps(self, source: _Source) -> None:
        """Check that a given rate agrees with the times in the log, if it contains times.

        The times are in the column that the description names, or in a column with a standard name.
        """
        rate = self.described.rate
        assert rate is not None
        if self.described.time is not None and source.time is not None:
            named = [(source.time, self.described.time.columns[0], self.described.time.factors[0])]
        else:
            used = {name for part in self.parts.values() for name in part.columns}
            files = {table.path: table for table in source.tables.values()}.values()
            named = [
                (table, name, _stamp_unit(table, name, rate))
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
                check_rate(t, rate, partial(_place_after, table, column, at))
                last, done = t[-1:], done + len(rows)

    def _check_finite(self, t: Array, table: ColumnFile, column: str, at: int) -> None:
        bad = np.flatnonzero(~np.isfinite(t))
        if bad.size:
            raise FormatError(
                "the value is not a finite number",
                place=table.place(at + int(bad[0]), column),
                hint="cut the log before this sample, or correct the value",
            )

    def _check_moved(self, low: Array, high: Array) -> None:
        """Check that every joint moves.

        Args:
            low, high: smallest and largest position of each joint.
        """
        table = self._table(self.described.position, self.described.position.columns[0])
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

    def _check_range(self, q: Array, joints: Sequence[int], at: int, table: ColumnFile) -> None:
        numbers = coordinate_joints(self.robot)
        for k, joint in enumerate(joints):
            j = numbers[joint]
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
                    place=table.place(at + int(bad[0]), self.described.position.columns[joint]),
                    hint=f"check whether '{self.described.position.unit}' is the unit, and check ratios and offsets",
                )

    def _check_torques(self, tau: Array, joints: Sequence[int], at: int, table: ColumnFile) -> None:
        numbers = coordinate_joints(self.robot)
        for k, joint in enumerate(joints):
            j = numbers[joint]
            limit = self.robot.frame(j).limits.effort
            if not limit:
                continue
            bad = np.flatnonzero(np.abs(tau[:, k]) > BEYOND_EFFORT * limit)
            if bad.size:
                raise FormatError(
                    f"the torque of joint {j} is {tau[bad[0], k]:.4g}, far above its limit {limit:.4g}",
                    place=table.place(at + int(bad[0]), self.described.torque.columns[joint]),
                    hint=f"check whether '{self.described.torque.unit}' is the unit, and check ratios and scales",
                )

    def _check_quaternions(self, quaternions: Array, at: int, table: ColumnFile) -> None:
        bad = not_unit(quaternions)
        if bad is not None:
            raise FormatError(
                _quaternion_text(quaternions[bad]),
                place=table.place(at + bad, self.parts[PREFIX + ORIENTATION].columns[0]),
                hint="check the columns of the orientation",
            )

    def _chunks(
        self, source: _Source, size: int, start: int = 0, stop: int | None = None
    ) -> Iterator[dict[str, Array]]:
        """Yield the recorded samples of a source by quantity, checked, in SI units and on the joint side."""
        low, high = np.full(self.joints, np.inf), np.full(self.joints, -np.inf)
        at, samples_of_all = start, next(iter(source.tables.values())).samples
        columns = {
            kind: [self.parts[kind].columns[joint] for joint in joints]
            for kind, joints in source.joints.items()
        }
        streams = [
            _even(table.chunks(columns[kind], size, start, stop), size)
            for kind, table in source.tables.items()
        ]
        for pieces in zip(*streams, strict=True):
            samples = {}
            for (kind, table), piece in zip(source.tables.items(), pieces, strict=True):
                part, joints = self.parts[kind], source.joints[kind]
                for k, column in enumerate(columns[kind]):
                    self._check_finite(piece[:, k], table, column, at)
                samples[kind] = self._at_joints(kind, piece * np.array(part.factors)[joints], part)
                if kind == "position":
                    self._check_range(samples[kind], joints, at, table)
                elif kind == "torque":
                    self._check_torques(samples[kind], joints, at, table)
                elif kind == PREFIX + ORIENTATION:
                    self._check_quaternions(samples[kind], at, table)
            if len(source.joints.get("position", ())) == self.joints:
                q = samples["position"]
                low, high = np.minimum(low, q.min(axis=0)), np.maximum(high, q.max(axis=0))
            yield samples
            at += len(pieces[0])
        if start == 0 and at == samples_of_all and np.isfinite(low).all() and not self.rests:
            self._check_moved(low, high)

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


def _place_after(table: ColumnFile, column: str, before: int, sample: int) -> Place:
    """Return the position of a sample in a file, given by its number after the first `before` samples."""
    return table.place(before + sample, column)


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
