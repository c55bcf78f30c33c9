"""Measurements of a robot's end, and their files.

A file is a table with a line of names: q1 .. qn, one for each independent joint (radians, metres), and

    pose        x y z, and qw qx qy qz (a quaternion) or rx ry rz (a rotation vector)
    position    x y z
    distance    distance
    plane       nothing more: every posture touches it

Lines that begin with # are comments; names and numbers stand between commas, semicolons, blanks or tabs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symoro.errors import FormatError, Place
from symoro.files import MADE_BY, write_files
from symoro.models.calibration.columns import checked_measure
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, from_quaternion, logarithm
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

QUATERNION, VECTOR, POSITION = ("qw", "qx", "qy", "qz"), ("rx", "ry", "rz"), ("x", "y", "z")
UNIT = 0.01  # by how much a quaternion's length may differ from one
MOST_LINES = 2_000_000


@dataclass(frozen=True)
class Measurements:
    """What was measured.

    Attributes:
        measure: 'pose', 'position', 'distance' or 'plane'.
        q: postures (S, n).
        poses: (S, 4, 4), the rotation of positions being the identity; empty for the others.
        distances: (S,); empty for the others.
    """

    measure: str
    q: Array
    poses: Array
    distances: Array

    def __len__(self) -> int:
        return len(self.q)

    def some(self, rows: Array) -> Measurements:
        """Those of some rows."""
        poses = self.poses[rows] if len(self.poses) else self.poses
        return Measurements(
            self.measure, self.q[rows], poses, self.distances[rows] if len(self.distances) else self.distances
        )


def read_measurements(
    robot: Robot, path: str | Path, measure: str = "pose", *, degrees: bool = False
) -> Measurements:
    """Measurements from a file.

    Arguments:
        degrees: whether revolute joints are given in degrees.

    Raises:
        FormatError: a column is missing, or a line has no numbers; the place names the line.
    """
    checked_measure(measure)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"the measurements cannot be read: {error}", place=Place(str(path))) from None
    names, rows, lines = _table(text, str(path))
    joints = [f"q{j}" for j in independent(robot)]
    found = _columns(names, rows, lines, joints, str(path))
    q = np.array(found).T.reshape(len(rows), len(joints))
    if degrees:
        turns = [robot.frame(j).sigma == 0 for j in independent(robot)]
        q = np.where(turns, np.radians(q), q)
    poses, distances = np.zeros((0, 4, 4)), np.zeros(0)
    if measure in ("pose", "position"):
        poses = np.repeat(np.eye(4)[None], len(rows), 0)
        poses[:, :3, 3] = np.array(_columns(names, rows, lines, POSITION, str(path))).T
        if measure == "pose":
            poses[:, :3, :3] = _rotations(names, rows, lines, str(path))
    elif measure == "distance":
        (distances,) = _columns(names, rows, lines, ("distance",), str(path))
        if (low := np.flatnonzero(distances <= 0)).size:
            raise FormatError("a distance is not positive", place=Place(str(path), lines[low[0]]))
    return Measurements(measure, q, poses, distances)


def write_measurements(
    robot: Robot, measured: Measurements, path: str | Path, *, force: bool = False
) -> None:
    """Write measurements to a file that `read_measurements` reads."""
    names = [f"q{j}" for j in independent(robot)]
    parts = [measured.q]
    if measured.measure in ("pose", "position"):
        names += POSITION
        parts.append(measured.poses[:, :3, 3])
    if measured.measure == "pose":
        names += VECTOR
        parts.append(logarithm(measured.poses[:, :3, :3]))
    if measured.measure == "distance":
        names.append("distance")
        parts.append(measured.distances[:, None])
    rows = (",".join(f"{x:.17g}" for x in row) for row in np.concatenate(parts, 1).tolist())
    text = "\n".join([f"# {MADE_BY}", ",".join(names), *rows, ""])
    write_files({Path(path): text}, force=force)


def _table(text: str, file: str) -> tuple[list[str], list[list[float]], list[int]]:
    names: list[str] = []
    rows, lines = [], []
    for number, line in enumerate(text.splitlines(), 1):
        words = [word for word in re.split(r"[,;\s]+", line.split("#")[0].strip()) if word]
        if not words:
            continue
        if not names:
            names = words
            if len(set(names)) < len(names):
                raise FormatError("a column has a name twice", place=Place(file, number))
            continue
        if len(words) != len(names):
            raise FormatError(
                f"{len(names)} numbers expected, one a column, got {len(words)}", place=Place(file, number)
            )
        rows.append([_number(word, file, number) for word in words])
        lines.append(number)
        if len(rows) > MOST_LINES:
            raise FormatError(f"more than {MOST_LINES} measurements", place=Place(file, number))
    if not rows:
        raise FormatError(
            "there are no measurements", place=Place(file), hint="a line of names, then lines of numbers"
        )
    return names, rows, lines


def _number(word: str, file: str, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"a number expected, got '{word[:40]}'", place=Place(file, line))
    return value


def _columns(
    names: Sequence[str],
    rows: Sequence[Sequence[float]],
    lines: Sequence[int],
    wanted: Sequence[str],
    file: str,
) -> list[Array]:
    if missing := [name for name in wanted if name not in names]:
        raise FormatError(
            f"no column {', '.join(missing)}: there are {', '.join(names)}"[:400],
            place=Place(file, max(1, lines[0] - 1)),
        )
    table = np.array(rows)
    return [table[:, names.index(name)] for name in wanted]


def _rotations(
    names: Sequence[str], rows: Sequence[Sequence[float]], lines: Sequence[int], file: str
) -> Array:
    if all(name in names for name in VECTOR):
        return exponential(np.array(_columns(names, rows, lines, VECTOR, file)).T)
    if not all(name in names for name in QUATERNION):
        raise FormatError(
            "a pose needs its orientation: qw qx qy qz, or rx ry rz",
            place=Place(file),
            hint="positions alone are measure='position'",
        )
    given = np.array(_columns(names, rows, lines, QUATERNION, file)).T
    size = np.linalg.norm(given, axis=1)
    if (bad := np.flatnonzero(np.abs(size - 1) > UNIT)).size:
        raise FormatError(f"a quaternion of length {size[bad[0]]:.3g}", place=Place(file, lines[bad[0]]))
    return from_quaternion(given)
