"""Trajectories from files: YAML, a table of samples (CSV, Parquet), or a bundled trajectory by its name.

YAML is read strictly; every problem is reported with its line and column:

    symoro-trajectory: 1
    start: [0, pi/4, 0]
    parts:
      - {joints: [1, 0, 0], duration: 2}
      - {line: {by: [0, 0, 0.1]}, velocity: [0.2, 1], acceleration: [1, 5]}

docs/trajectories.md lists all keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from symoro.errors import ArgumentError, FormatError, Place, UnknownNameError
from symoro.files import reason
from symoro.optional_packages import needed
from symoro.robot.formats.document import Record, YamlList, YamlMapping, YamlNode, YamlScalar, compose
from symoro.robot.formats.report import MAX_BYTES, Report, unix_lines
from symoro.trajectory.paths import LAWS
from symoro.trajectory.samples import Samples, from_columns, is_of_motion, read_table
from symoro.trajectory.trajectory import (
    METHODS,
    Circle,
    Fourier,
    Hold,
    Line,
    Move,
    NumberRow,
    Part,
    Poses,
    Start,
    Trajectory,
    Via,
)

KEYS = ("symoro-trajectory", "name", "start", "near", "frame", "pose", "method", "degrees", "parts")
TIMED = ("law", "duration", "velocity", "acceleration")
PARTS = {
    "joints": TIMED,
    "via": ("times",),
    "fourier": ("duration",),
    "line": TIMED,
    "circle": TIMED,
    "poses": ("times",),
    "hold": (),
}
SEE = "see docs/trajectories.md"

T = TypeVar("T")


def read_trajectory_text(text: str, file: str | None = None) -> Trajectory:
    """Parse a trajectory from YAML text.

    Raises:
        FormatError: the text is not valid; the error contains the position.
    """
    report = Report(file)
    if len(text) > MAX_BYTES:
        report.fail(f"the file is longer than {MAX_BYTES} bytes", None, None, SEE)
    node = compose(unix_lines(text), report, "trajectory", "symoro-trajectory: 1")
    return _Reader(report, node).read()


class _Reader:
    def __init__(self, report: Report, node: YamlNode) -> None:
        self.report = report
        self.top = Record(report, node, "", KEYS)
        self.degrees = self.top.boolean("degrees", False)

    def read(self) -> Trajectory:
        if self.top.text("symoro-trajectory") != "1":
            self.report.add(
                "this is not a trajectory: the line 'symoro-trajectory: 1' is missing",
                self.top.spot,
                None,
                SEE,
            )
            self.report.check()
        parts = [self._part(k, item) for k, item in enumerate(self.top.items("parts"), 1)]
        if not parts:
            self.top.problem("parts", "a trajectory requires at least one part", SEE)
        start, method = self._start(), self.top.choice("method", METHODS, "auto")
        self.report.check()
        return self._made(
            self.top,
            lambda: Trajectory(
                tuple(part for part in parts if part is not None),
                start,
                self._frame(),
                self.top.text("pose") or "full",
                method,
                self.top.text("name") or "trajectory",
                self._places(),
            ),
        )

    def _places(self) -> tuple[Place, ...]:
        """Positions (line and column) in the file of the start and of each part of the trajectory."""
        items = self.top.items("parts")
        spots = [(self.top.spot_of("start"), "start")]
        spots += [(item.spot, f"parts[{k}]") for k, item in enumerate(items, 1)]
        return tuple(Place(self.report.file, *spot, key) for spot, key in spots)

    def _frame(self) -> int | str | None:
        text = self.top.text("frame")
        return int(text) if text.isdigit() else text or None

    def _start(self) -> NumberRow | str | Start | None:
        node = self.top.node.entries.get("start")
        if node is None:
            return None
        if isinstance(node, YamlScalar) and node.text.isidentifier():
            return node.text
        if isinstance(node, YamlMapping):
            record = Record(self.report, node, "start", ("pose", "near"))
            near = record.node.entries.get("near")
            named = isinstance(near, YamlScalar) and near.text.isidentifier()
            chosen: NumberRow | str | None = None
            if near is not None:
                chosen = (
                    near.text if isinstance(near, YamlScalar) and named else self._row(record, "near", True)
                )
            pose = self._pose(record, "pose")
            return self._made(record, lambda: Start(pose, chosen)) if pose else None
        return self._row(self.top, "start", True)

    def _part(self, number: int, node: YamlNode) -> Part | None:
        path = f"parts[{number}]"
        keys = list(node.entries) if isinstance(node, YamlMapping) else []
        kinds = [kind for kind in PARTS if kind in keys]
        if len(kinds) != 1:
            count = "no" if not kinds else "more than one"
            hint = f"a part requires exactly one of the keys {', '.join(PARTS)}"
            self.report.add(f"this part has {count} key that gives its kind", node.spot, path, hint)
            return None
        (kind,) = kinds
        record = Record(self.report, node, path, (kind, *PARTS[kind]))
        before = len(self.report.problems)
        fields = self._fields(kind, record)
        if len(self.report.problems) > before:
            return None
        try:
            return _MAKERS[kind](**fields)
        except ArgumentError as error:
            self.report.add(error.message, record.spot, path, error.hint)
            return None

    def _fields(self, kind: str, record: Record) -> dict[str, Any]:
        if kind == "joints":
            return {"to": self._row(record, "joints", True), **self._timed(record, self._angle)}
        if kind == "via":
            return {"points": self._rows(record, "via", True), "times": self._row(record, "times", False)}
        if kind == "poses":
            poses = tuple(self._as_pose(row) for row in self._rows(record, "poses", False))
            return {"poses": poses, "times": self._row(record, "times", False)}
        if kind == "hold":
            return {"duration": self._number(record, "hold")}
        if kind == "fourier":
            return self._fourier(record)
        inner = {"line": ("to", "by"), "circle": ("centre", "normal", "angle", "turning")}[kind]
        own = record.record(kind, inner)
        timed = self._timed(record, lambda x: x)
        if kind == "line":
            to = self._pose(own, "to") if "to" in own else None
            by = self._row(own, "by", False) if "by" in own else None
            return {"to": to, "by": by, **timed}
        angle = self._number(own, "angle") if "angle" in own else None
        fields = {name: self._row(own, name, False) for name in ("centre", "normal")}
        turn = {} if angle is None else {"angle": self._angle(angle)}
        return {**fields, **turn, "turning": own.boolean("turning", False), **timed}

    def _fourier(self, record: Record) -> dict[str, Any]:
        own = record.record("fourier", ("frequency", "sine", "cosine", "offset"))
        fields: dict[str, Any] = {
            "frequency": self._number(own, "frequency"),
            "sine": self._rows(own, "sine", True),
            "cosine": self._rows(own, "cosine", True),
            "offset": self._row(own, "offset", True),
        }
        if "duration" in record:
            fields["duration"] = self._number(record, "duration")
        return fields

    def _timed(self, record: Record, unit: Callable[[float], float]) -> dict[str, Any]:
        timing: dict[str, Any] = {"law": record.choice("law", LAWS, "quintic")}
        if "duration" in record:
            timing["duration"] = self._number(record, "duration")
        for name in ("velocity", "acceleration"):
            if name in record:
                node = record.node.entries[name]
                values = (
                    self._row(record, name, False)
                    if isinstance(node, YamlList)
                    else (self._number(record, name) or 0.0,)
                )
                timing[name] = tuple(unit(x) for x in values)
        return timing

    # -- numbers

    def _angle(self, x: float) -> float:
        return math.radians(x) if self.degrees else x

    def _number(self, record: Record, key: str) -> float:
        if key not in record:
            record.problem(key, f"'{key}' is missing")
            return 1.0
        number = record.number(key)
        return 1.0 if number is None else number

    def _row(self, record: Record, key: str, angles: bool) -> NumberRow:
        if key not in record:
            record.problem(key, f"'{key}' is missing")
            return ()
        return tuple(self._value(record, key, item, angles) for item in record.items(key))

    def _rows(self, record: Record, key: str, angles: bool) -> tuple[NumberRow, ...]:
        if key not in record:
            record.problem(key, f"'{key}' is missing")
            return ()
        rows = []
        for item in record.items(key):
            if not isinstance(item, YamlList):
                self.report.add("expected a list of numbers", item.spot, record.full(key))
                continue
            rows.append(tuple(self._value(record, key, x, angles) for x in item.items))
        return tuple(rows)

    def _value(self, record: Record, key: str, item: YamlNode, angles: bool) -> float:
        if not isinstance(item, YamlScalar) or item.is_null:
            self.report.add("expected one value", item.spot, record.full(key))
            return 0.0
        number = record.expression(item, key).number
        if number is None:
            self.report.add(f"expected a number, got '{item.text[:40]}'", item.spot, record.full(key))
            return 0.0
        return self._angle(number) if angles else number

    def _pose(self, record: Record, key: str) -> NumberRow:
        return self._as_pose(self._row(record, key, False))

    def _as_pose(self, row: NumberRow) -> NumberRow:
        return (*row[:3], *(self._angle(x) for x in row[3:])) if len(row) == 6 else row

    def _made(self, record: Record, make: Callable[[], T]) -> T:
        """Call `make` and return its result; report argument errors at the position of `record` in the file."""
        try:
            return make()
        except ArgumentError as error:
            self.report.fail(error.message, record.spot, record.path or None, error.hint)


_MAKERS: dict[str, Callable[..., Part]] = {
    "joints": Move,
    "via": Via,
    "fourier": Fourier,
    "line": Line,
    "circle": Circle,
    "poses": Poses,
    "hold": Hold,
}

_SUFFIX = ".yaml"
TABLES = (".csv",)
COLUMNS = (".parquet", ".pq")
TEXTS = (".yaml", ".yml")
MAX_FILE_BYTES = 512 * 2**20


def bundled() -> list[str]:
    """Return the names of the trajectories that are part of the package."""
    folder = resources.files("symoro.trajectory.library")
    return sorted(
        entry.name.removesuffix(_SUFFIX) for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)
    )


def load_trajectory(which: str | Path) -> Trajectory | Samples:
    """Load a trajectory from a YAML file, or a sampled motion from a table (.csv, .parquet).

    Args:
        which: path of the file, or the name of a trajectory that is part of the package.

    Raises:
        FormatError: the file cannot be read; the error contains the position.
        UnknownNameError: there is neither a file nor a bundled trajectory of this name.
        MissingDependencyError: a Parquet file requires pyarrow.
    """
    path = Path(which)
    if path.suffix.lower() in COLUMNS:
        return _parquet(path)
    if path.suffix.lower() in (*TABLES, *TEXTS):
        text = _read(path)
        table = path.suffix.lower() in TABLES
        return read_table(text, str(path)) if table else read_trajectory_text(text, str(path))
    if str(which) in bundled():
        file = f"{which}{_SUFFIX}"
        text = (resources.files("symoro.trajectory.library") / file).read_text(encoding="utf-8")
        return read_trajectory_text(text, file)
    hint = (
        None
        if bundled() and not path.exists()
        else "the name of a trajectory file must end in .yaml, .csv or .parquet"
    )
    raise UnknownNameError("trajectory", which, bundled(), hint=hint)


def as_trajectory(motion: Trajectory | Samples | str | Path) -> Trajectory | Samples:
    """Return a motion that is given as an object, as the path of a file, or as the name of a bundled trajectory.

    Raises:
        ArgumentError: the argument is neither a trajectory or samples nor a name or path.
    """
    if isinstance(motion, Trajectory | Samples):
        return motion
    if isinstance(motion, str | Path):
        return load_trajectory(motion)
    raise ArgumentError(
        f"expected a trajectory, samples of a motion, or the path of a file, got {type(motion).__name__}",
        hint="read a file with symoro.trajectory.load",
    )


def _parquet(path: Path) -> Samples:
    """Return the samples in a Parquet file; columns that are not numeric are ignored."""
    pyarrow: Any = needed("pyarrow", "reading Parquet files", "parquet")
    parquet: Any = needed("pyarrow.parquet", "reading Parquet files", "parquet")
    place = Place(str(path))
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=place) from None
    types = pyarrow.types
    names = [
        field.name for field in table.schema if types.is_floating(field.type) or types.is_integer(field.type)
    ]
    if not names or not table.num_rows:
        raise FormatError("the table contains no numbers", place=place)
    data = np.column_stack([table.column(name).to_numpy().astype(float) for name in names])
    strict = [k for k, name in enumerate(names) if is_of_motion(name)]
    for row, column in np.argwhere(~np.isfinite(data[:, strict]))[:1]:
        key = f"row {row + 1}, {names[strict[column]]}"
        raise FormatError("expected a finite number", place=Place(str(path), key=key))
    return from_columns(names, data, lambda row: Place(str(path), key=f"row {row + 1}"))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise FormatError(f"the file is longer than {MAX_FILE_BYTES} bytes", place=Place(str(path)))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("the file is not a text in UTF-8", place=Place(str(path))) from None
    except (OSError, ValueError) as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=Place(str(path))) from None
