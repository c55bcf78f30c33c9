"""Trajectories as data: a start, and consecutive parts. Numbers are in radians, metres and seconds.

    Trajectory(start=(0, 0.5, -0.2), parts=(Move((1, 0, 0), duration=2), Line(by=(0, 0, 0.1), duration=1), Hold(0.5)))

A part begins where the previous one ends. Poses are those of the trajectory's `frame` in frame 0. A pose is given by
three numbers (x, y, z; the orientation does not change), by six numbers (x, y, z, roll, pitch, yaw, with the rotation
Rz(yaw) Ry(pitch) Rx(roll)), or by the sixteen entries of a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import ArgumentError, Place
from symoro.trajectory.paths import LAWS, check_timing

NumberRow = tuple[float, ...]
METHODS = ("auto", "algebraic", "numeric")


def numbers(what: str, given: ArrayLike) -> NumberRow:
    """Convert numbers given by the user to a tuple of floats.

    Args:
        what: name of the data in messages.
        given: the numbers.

    Raises:
        ArgumentError: a value is not a finite number.
    """
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected numbers, got {str(given)[:60]!r}") from None
    if not np.isfinite(array).all():
        raise ArgumentError(f"{what}: a value is not finite")
    return tuple(float(x) for x in array.ravel())


@dataclass(frozen=True)
class Timed:
    """Timing of a trajectory part: a time law with a duration, or with limits of velocity and acceleration.

    For a motion of joints the limits are one number, or one number per joint; for a motion of a frame they are pairs
    (linear, angular).
    """

    law: str = "quintic"
    duration: float | None = None
    velocity: NumberRow | None = None
    acceleration: NumberRow | None = None

    def __post_init__(self) -> None:
        _convert_to_tuples(self)
        if self.law not in LAWS:
            raise ArgumentError(
                f"there is no time law '{self.law}'", hint=f"available laws: {', '.join(LAWS)}"
            )
        check_timing(self.duration, self.velocity, self.acceleration)


@dataclass(frozen=True)
class _OfMove:
    to: NumberRow


@dataclass(frozen=True)
class Move(Timed, _OfMove):
    """Synchronous motion of all joints from their present positions to a posture."""


@dataclass(frozen=True)
class Via:
    """Smooth joint motion through postures, which ends at rest in the last posture.

    Attributes:
        points: joint positions, one tuple per posture.
        times: time of each posture in seconds from the start of the part.
    """

    points: tuple[NumberRow, ...]
    times: NumberRow

    def __post_init__(self) -> None:
        _convert_to_tuples(self)
        _check_times(self.times, len(self.points))


@dataclass(frozen=True)
class Fourier:
    """Joint motion as a Fourier series (formula: `paths.FourierPath`).

    Attributes:
        frequency: fundamental frequency in Hz.
        sine, cosine: velocity amplitudes by harmonic, one tuple per joint.
        offset: constant term of each joint.
        duration: duration in seconds; by default one period.
    """

    frequency: float
    sine: tuple[NumberRow, ...]
    cosine: tuple[NumberRow, ...]
    offset: NumberRow
    duration: float | None = None

    def __post_init__(self) -> None:
        _convert_to_tuples(self)
        if not self.frequency > 0:
            raise ArgumentError(f"frequency: expected a positive number in Hz, got {self.frequency:g}")
        if self.duration is not None and not self.duration > 0:
            raise ArgumentError(f"duration: expected a positive number of seconds, got {self.duration:g}")
        sizes = {len(row) for row in (*self.sine, *self.cosine)}
        if len(self.sine) != len(self.offset) or len(self.cosine) != len(self.offset) or len(sizes) > 1:
            raise ArgumentError(
                "Fourier series: expected one row per joint in sine and cosine, all of the same length, and one "
                "offset per "
                f"joint; got {len(self.sine)}, {len(self.cosine)} rows and {len(self.offset)} offsets"
            )


@dataclass(frozen=True)
class _OfLine:
    to: NumberRow | None = None
    by: NumberRow | None = None


@dataclass(frozen=True, kw_only=True)
class Line(Timed, _OfLine):
    """Motion of a frame along a straight line to a pose, or by a displacement in frame 0."""

    def __post_init__(self) -> None:
        Timed.__post_init__(self)
        if (self.to is None) == (self.by is None):
            raise ArgumentError("a line requires either a pose ('to') or a displacement ('by')")
        if self.to is not None:
            _check_pose("to", self.to)
        elif self.by is not None and len(self.by) != 3:
            raise ArgumentError(f"by: expected 3 numbers, got {len(self.by)}")


@dataclass(frozen=True)
class _OfCircle:
    centre: NumberRow
    normal: NumberRow
    angle: float = 2 * np.pi
    turning: bool = False


@dataclass(frozen=True)
class Circle(Timed, _OfCircle):
    """Motion of a frame along an arc of a circle, with centre and normal in frame 0.

    With `turning` the orientation rotates along the arc; otherwise it is constant.
    """

    def __post_init__(self) -> None:
        Timed.__post_init__(self)
        for name in ("centre", "normal"):
            if len(getattr(self, name)) != 3:
                raise ArgumentError(f"{name}: expected 3 numbers, got {len(getattr(self, name))}")
        if not np.linalg.norm(self.normal) > 0:
            raise ArgumentError("the normal of a circle must not be zero")


@dataclass(frozen=True)
class Poses:
    """Motion of a frame through poses: the position is smooth, the rotation stops at each pose.

    Attributes:
        poses: the poses, as 3, 6 or 16 numbers each.
        times: time of each pose in seconds from the start of the part.
    """

    poses: tuple[NumberRow, ...]
    times: NumberRow

    def __post_init__(self) -> None:
        _convert_to_tuples(self)
        for pose in self.poses:
            _check_pose("poses", pose)
        _check_times(self.times, len(self.poses))


@dataclass(frozen=True)
class Hold:
    """Rest of all joints for a duration in seconds."""

    duration: float

    def __post_init__(self) -> None:
        _convert_to_tuples(self)
        if not self.duration > 0:
            raise ArgumentError(f"duration: expected a positive number of seconds, got {self.duration:g}")


Part = Move | Via | Fourier | Line | Circle | Poses | Hold
OF_POSES = (Line, Circle, Poses)


@dataclass(frozen=True)
class Start:
    """Start of a trajectory at a pose of its frame.

    Attributes:
        pose: the pose, as 3, 6 or 16 numbers.
        near: joint positions, or the name of a posture. Of all postures that reach the pose, the one nearest to `near`
            is used.
    """

    pose: NumberRow
    near: NumberRow | str | None = None

    def __post_init__(self) -> None:
        _convert_to_tuples(self)
        _check_pose("start", self.pose)


@dataclass(frozen=True)
class Trajectory:
    """Trajectory of a robot: an initial posture or pose, and consecutive parts.

    Attributes:
        parts: the parts: `Move`, `Via`, `Fourier`, `Line`, `Circle`, `Poses`, `Hold`.
        start: initial posture (positions, or a name that the robot defines), or a pose (`Start`). It may be omitted if
            the first part is a Fourier series.
        frame: frame of the poses, by number or name; by default the tool, or the last link.
        pose: which entries of a pose are given, as the option `pose` of the model `inverse-geometry`.
        method: how postures are computed from poses: 'algebraic' (inverse geometric model), 'numeric' (Newton's
            method), or 'auto' for the first method that applies.
        name: name of the trajectory.
        places: positions of the start and of each part in a file, for messages.
    """

    parts: tuple[Part, ...]
    start: NumberRow | str | Start | None = None
    frame: int | str | None = None
    pose: str = "full"
    method: str = "auto"
    name: str = "trajectory"
    places: tuple[Place, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not isinstance(self.start, str | Start) and self.start is not None:
            object.__setattr__(self, "start", numbers("start", self.start))
        if not self.parts:
            raise ArgumentError("a trajectory requires at least one part")
        if self.method not in METHODS:
            raise ArgumentError(
                f"there is no method '{self.method}'", hint=f"the methods are {', '.join(METHODS)}"
            )
        if self.start is None and not isinstance(self.parts[0], Fourier):
            raise ArgumentError(
                "the start of the trajectory is missing", hint="give 'start', the initial posture"
            )

    @property
    def has_poses(self) -> bool:
        """Whether a part or the start is given by poses of a frame."""
        return isinstance(self.start, Start) or any(isinstance(p, Line | Circle | Poses) for p in self.parts)


def _convert_to_tuples(part: Any) -> None:
    """Convert lists and arrays in the fields of a part to tuples of numbers."""
    for one in fields(part):
        value = getattr(part, one.name)
        kind = str(one.type)
        if value is None or kind.startswith(("str", "bool")) or (isinstance(value, str) and "str" in kind):
            continue
        if kind.startswith("tuple[NumberRow"):
            value = tuple(numbers(one.name, row) for row in value)
        elif "NumberRow" in kind:
            value = numbers(one.name, value)
        elif kind.startswith("float"):
            (value,) = numbers(one.name, value)
        object.__setattr__(part, one.name, value)


def _check_times(times: Sequence[float], count: int) -> None:
    if len(times) != count:
        raise ArgumentError(f"times: expected one per point ({count}), got {len(times)}")
    for before, after in zip((0.0, *times), times, strict=False):
        if not after > before:
            raise ArgumentError(f"the times of a part must increase from 0: {after:g} s follows {before:g} s")


def _check_pose(what: str, pose: Sequence[float]) -> None:
    if len(pose) not in (3, 6, 16):
        raise ArgumentError(f"{what}: a pose requires 3, 6 or 16 numbers, got {len(pose)}")
