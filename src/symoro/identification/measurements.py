"""Measurements of the end effector of a robot, and their files.

A file is a table with a line of names: q1 .. qn, one for each independent joint (radians, metres), and

    pose        x y z, and qw qx qy qz (a quaternion) or rx ry rz (a rotation vector)
    position    x y z
    distance    distance
    plane       no further column: the marker touches the plane in every posture

Lines that begin with # are comments. Names and numbers are separated by commas, semicolons, blanks or tabs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symoro.display import OneLineRepr
from symoro.errors import FormatError, Place
from symoro.files import write_files
from symoro.identification.tolerances import QUATERNION_LENGTH
from symoro.models.calibration.columns import checked_measure
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, from_quaternion, logarithm
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.tables import NumberTable, read_numbers, table_text

QUATERNION, VECTOR, POSITION = ("qw", "qx", "qy", "qz"), ("rx", "ry", "rz"), ("x", "y", "z")
MOST_ROWS = 2_000_000


@dataclass(frozen=True, repr=False)
class Measurements(OneLineRepr):
    """Measurements of the end effector for a geometric calibration, at S postures.

    Attributes:
        measure: 'pose', 'position', 'distance' or 'plane'.
        q: joint positions at the postures (S, n).
        poses: (S, 4, 4); for the measure 'position' the rotation is the identity; empty for 'distance' and 'plane'.
        distances: (S,) in metres; empty unless the measure is 'distance'.
        vectors: rx, ry, rz of poses as written in the file (S, 3); None if the file does not contain them.
    """

    measure: str
    q: Array
    poses: Array
    distances: Array
    vectors: Array | None = None

    def __str__(self) -> str:
        return f"{len(self)} measurements: {self.measure} at {self.q.shape[1]} joint positions each"

    def __len__(self) -> int:
        return len(self.q)


def read_measurements(
    robot: Robot, path: str | Path, measure: str = "pose", *, degrees: bool = False
) -> Measurements:
    """Read measurements of the end effector from a file.

    Args:
        robot: the robot that was measured.
        path: the file.
        measure: 'pose', 'position', 'distance' or 'plane'.
        degrees: whether positions of revolute joints are in degrees.

    Raises:
        FormatError: a column is missing, or a value is not a number; the error contains the line.
    """
    checked_measure(measure)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(
            f"the measurements cannot be read: {getattr(error, 'strerror', None) or error}",
            place=Place(str(path)),
        ) from None
    hint = "the file must contain a line of names, then lines of numbers"
    numbers = read_numbers(text, str(path), most=MOST_ROWS, hint=hint, cells=_words)
    table = _Table(numbers, str(path), np.array(numbers.rows))
    joints = independent(robot)
    q = table.columns([f"q{j}" for j in joints])
    if degrees:
        turns = [robot.frame(j).sigma == JointType.REVOLUTE for j in joints]
        q = np.where(turns, np.radians(q), q)
    poses, distances, vectors = np.zeros((0, 4, 4)), np.zeros(0), None
    if measure in ("pose", "position"):
        poses = np.repeat(np.eye(4)[None], len(q), 0)
        poses[:, :3, 3] = table.columns(POSITION)
        if measure == "pose":
            poses[:, :3, :3] = _rotations(table)
            vectors = table.columns(VECTOR) if set(VECTOR) <= set(table.source.names) else None
    elif measure == "distance":
        distances = table.columns(["distance"])[:, 0]
        if (low := np.flatnonzero(distances <= 0)).size:
            raise FormatError("a distance is not positive", place=table.place(low[0]))
    return Measurements(measure, q, poses, distances, vectors)


def write_measurements(
    robot: Robot, measured: Measurements, path: str | Path, *, force: bool = False
) -> None:
    """Write measurements of the end effector to a file that `read_measurements` can read.

    Args:
        path: path of the file.
        force: overwrite a file that symoro did not write.
    """
    names = [f"q{j}" for j in independent(robot)]
    columns = dict(zip(names, measured.q.T, strict=True))
    if measured.measure in ("pose", "position"):
        columns |= zip(POSITION, measured.poses[:, :3, 3].T, strict=True)
    if measured.measure == "pose":
        columns |= zip(VECTOR, logarithm(measured.poses[:, :3, :3]).T, strict=True)
    if measured.measure == "distance":
        columns["distance"] = measured.distances
    write_files({Path(path): table_text(columns)}, force=force)


def _words(line: str) -> list[str]:
    return [word for word in re.split(r"[,;\s]+", line.split("#")[0]) if word]


@dataclass(frozen=True)
class _Table:
    """Columns of a measurement file by name."""

    source: NumberTable
    file: str
    numbers: Array

    def columns(self, names: Sequence[str]) -> Array:
        """Return the columns with the given names, one row per measurement.

        Raises:
            FormatError: a column is missing.
        """
        if missing := [name for name in names if name not in self.source.names]:
            raise FormatError(
                f"there is no column {', '.join(missing)}; the columns are {', '.join(self.source.names)}"[
                    :400
                ],
                place=Place(self.file, max(1, self.source.lines[0] - 1)),
            )
        return self.numbers[:, [self.source.names.index(name) for name in names]]

    def place(self, row: int) -> Place:
        return Place(self.file, self.source.lines[row])


def _rotations(table: _Table) -> Array:
    if set(VECTOR) <= set(table.source.names):
        vectors = table.columns(VECTOR)
        long = np.linalg.norm(vectors, axis=1)
        if (bad := np.flatnonzero(long > 2 * np.pi + QUATERNION_LENGTH)).size:
            raise FormatError(
                f"a rotation vector has the length {long[bad[0]]:.4g}, more than one turn",
                place=table.place(bad[0]),
                hint="give rotation vectors in radians",
            )
        return exponential(vectors)
    if not set(QUATERNION) <= set(table.source.names):
        raise FormatError(
            "the orientation of the poses is missing: columns qw qx qy qz, or rx ry rz",
            place=Place(table.file),
            hint="for positions without orientation use measure='position'",
        )
    given = table.columns(QUATERNION)
    size = np.linalg.norm(given, axis=1)
    if (bad := np.flatnonzero(np.abs(size - 1) > QUATERNION_LENGTH)).size:
        raise FormatError(
            f"a quaternion has the length {size[bad[0]]:.3g} instead of 1", place=table.place(bad[0])
        )
    return from_quaternion(given)
