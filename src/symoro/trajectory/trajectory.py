"""Trajectories as data: a start, and parts that follow each other. Numbers are radians, metres, seconds.

    Trajectory(start=(0, 0.5, -0.2), parts=(Move((1, 0, 0), duration=2), Line(by=(0, 0, 0.1), duration=1), Hold(0.5)))

A part begins where the previous one ends. A pose has three numbers (a position, the orientation stays), six (x, y, z,
roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll)) or the sixteen entries of a matrix; it is that of `frame` in frame 0.
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
    """A tuple of finite numbers."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected numbers, got {str(given)[:60]!r}") from None
    if not np.isfinite(found).all():
        raise ArgumentError(f"{what}: a number is not finite")
    return tuple(float(x) for x in found.ravel())


@dataclass(frozen=True)
class Timed:
    """What tells how long a part takes: a duration, or the largest velocity and acceleration.

    Of joints velocity and acceleration are one number, or one a joint; of poses (linear, angular).
    """

    law: str = "quintic"
    duration: float | None = None
    velocity: NumberRow | None = None
    acceleration: NumberRow | None = None

    def __post_init__(self) -> None:
        _tidy(self)
        if self.law not in LAWS:
            raise ArgumentError(f"no law called '{self.law}'", hint=f"known: {', '.join(LAWS)}")
        check_timing(self.duration, self.velocity, self.acceleration)


@dataclass(frozen=True)
class _OfMove:
    to: NumberRow


@dataclass(frozen=True)
class Move(Timed, _OfMove):
    """All joints from where they are to a posture, together."""


@dataclass(frozen=True)
class Via:
    """Smoothly through postures at times (from the start of the part), at rest in the last one."""

    points: tuple[NumberRow, ...]
    times: NumberRow

    def __post_init__(self) -> None:
        _tidy(self)
        _check_times(self.times, len(self.points))


@dataclass(frozen=True)
class Fourier:
    """A Fourier series of each joint; `sine` and `cosine` have one row a joint, amplitudes of velocity by harmonic."""

    frequency: float
    sine: tuple[NumberRow, ...]
    cosine: tuple[NumberRow, ...]
    offset: NumberRow
    duration: float | None = None

    def __post_init__(self) -> None:
        _tidy(self)
        if not self.frequency > 0:
            raise ArgumentError(f"a frequency of {self.frequency:g} Hz: expected a positive number")
        if self.duration is not None and not self.duration > 0:
            raise ArgumentError(f"a duration of {self.duration:g} s: expected a positive number")
        sizes = {len(row) for row in (*self.sine, *self.cosine)}
        if len(self.sine) != len(self.offset) or len(self.cosine) != len(self.offset) or len(sizes) > 1:
            raise ArgumentError(
                "a Fourier series: expected one row a joint in sine and cosine, all of one length, and one offset a "
                f"joint; got {len(self.sine)}, {len(self.cosine)} rows and {len(self.offset)} offsets"
            )


@dataclass(frozen=True)
class _OfLine:
    to: NumberRow | None = None
    by: NumberRow | None = None


@dataclass(frozen=True, kw_only=True)
class Line(Timed, _OfLine):
    """Along a line to a pose, or by a shift in frame 0."""

    def __post_init__(self) -> None:
        Timed.__post_init__(self)
        if (self.to is None) == (self.by is None):
            raise ArgumentError("a line goes to a pose, or by a shift: one of the two")
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
    """Round a centre about a normal, both in frame 0; `turning` takes the orientation along."""

    def __post_init__(self) -> None:
        Timed.__post_init__(self)
        for name in ("centre", "normal"):
            if len(getattr(self, name)) != 3:
                raise ArgumentError(f"{name}: expected 3 numbers, got {len(getattr(self, name))}")
        if not np.linalg.norm(self.normal) > 0:
            raise ArgumentError("the normal of a circle has no direction")


@dataclass(frozen=True)
class Poses:
    """Through poses at times (from the start of the part): places smoothly, orientations at rest in each pose."""

    poses: tuple[NumberRow, ...]
    times: NumberRow

    def __post_init__(self) -> None:
        _tidy(self)
        for pose in self.poses:
            _check_pose("poses", pose)
        _check_times(self.times, len(self.poses))


@dataclass(frozen=True)
class Hold:
    """Stay."""

    duration: float

    def __post_init__(self) -> None:
        _tidy(self)
        if not self.duration > 0:
            raise ArgumentError(f"a duration of {self.duration:g} s: expected a positive number")


Part = Move | Via | Fourier | Line | Circle | Poses | Hold
OF_POSES = (Line, Circle, Poses)


@dataclass(frozen=True)
class Start:
    """A start by its pose; of the postures that reach it, the one nearest to `near` (numbers or a name)."""

    pose: NumberRow
    near: NumberRow | str | None = None

    def __post_init__(self) -> None:
        _tidy(self)
        _check_pose("start", self.pose)


@dataclass(frozen=True)
class Trajectory:
    """A start and parts.

    Attributes:
        start: the posture it starts in (numbers, or a name that the robot knows), or a pose; without it a Fourier
            series tells.
        frame: whose poses are told, by number or name; the tool or the last link's unless given.
        pose: which entries of a pose are given, as the option of `inverse-geometry`.
        method: how postures are found for poses: by the inverse geometric model (algebraic), by Newton's method
            (numeric), or the first of them that applies.
        places: where the start and each part stand in a file, for messages.
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
            raise ArgumentError("a trajectory has at least one part")
        if self.method not in METHODS:
            raise ArgumentError(f"no method called '{self.method}'", hint=f"known: {', '.join(METHODS)}")
        if self.start is None and not isinstance(self.parts[0], Fourier):
            raise ArgumentError("a trajectory needs a start", hint="start: the posture it starts in")

    @property
    def has_poses(self) -> bool:
        """Whether a part or the start is given by poses of a frame."""
        return isinstance(self.start, Start) or any(isinstance(p, Line | Circle | Poses) for p in self.parts)


def _tidy(part: Any) -> None:
    """Lists and arrays as tuples of numbers."""
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
        raise ArgumentError(f"{count} points and {len(times)} times: expected one time a point")
    for before, after in zip((0.0, *times), times, strict=False):
        if not after > before:
            raise ArgumentError(
                f"the times of a part must ascend from 0: {after:g} s comes after {before:g} s"
            )


def _check_pose(what: str, pose: Sequence[float]) -> None:
    if len(pose) not in (3, 6, 16):
        raise ArgumentError(f"{what}: a pose has 3, 6 or 16 numbers, got {len(pose)}")
