"""Positions of all joints along a log, computed from the measured ones.

A log of a robot with closed loops contains only its active joints. The passive joints follow from the geometry of the
loops, from sample to sample in one assembly mode (`trajectory.assembly`). They are computed after the low-pass filter,
so that positions, velocities and accelerations agree; velocities and accelerations of the passive joints are part of
the models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError, OptionError, UnknownNameError
from symoro.identification.log import Log
from symoro.robot.coordinates import with_home
from symoro.robot.description import Robot
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly, first_posture

Array = NDArray[np.float64]
KEPT_PIECES = 8  # logs whose loop coordinates are cached
_RECENT: dict[
    tuple[int, bytes, bytes], tuple[LoopAssembly, Array]
] = {}  # a reference to the assembly, so that its id is not reused
NamedPosture = str | Sequence[float]
"""Name of a posture of the robot, or the positions of all joints of the tree."""


class LogPostures:
    """Calculator of the positions of all joints along a log, for a robot whose joints were all measured."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def of(self, begin: int, q: Array) -> Array:
        """Return the positions of all joints (N, m) at N samples, from the measured positions.

        Args:
            begin: number of the first sample.
            q: measured joint positions (N, n).
        """
        return q

    def check(self, begin: int, parts: Sequence[Array | None]) -> None:
        """Check that the values of the model are finite at consecutive samples.

        Args:
            begin: number of the first sample.
            parts: arrays computed by the model, one row per sample.
        """


class LoopPostures(LogPostures):
    """Calculator of the positions of all joints along a log, for a robot with closed loops.

    The loops are followed from sample to sample; each piece of the log continues from the end of the previous one.
    """

    def __init__(self, log: Log, assembly: LoopAssembly, start: Sequence[float]) -> None:
        super().__init__(log)
        self._assembly = assembly
        self._begin, self._rows = 0, np.array([start])
        self._new = True

    def of(self, begin: int, q: Array) -> Array:
        try:
            if self._new:
                row = self._assembly.walked(self._rows[0], q[0])
            else:
                row = self._rows[min(max(begin - self._begin, 0), len(self._rows) - 1)]
            rows = _followed(self._assembly, q, row)
        except BrokenLoopsError as error:
            raise self._refused(begin + error.row, error.message) from None
        self._begin, self._rows, self._new = begin, rows, False
        return self._assembly.postures(rows)

    def check(self, begin: int, parts: Sequence[Array | None]) -> None:
        for part in parts:
            if part is None or np.isfinite(part).all():
                continue
            row = int(np.flatnonzero(~np.isfinite(part).reshape(len(part), -1).all(axis=1))[0])
            raise self._refused(
                begin + row, "the model is not finite here: the loops are in a singular configuration"
            )

    def _refused(self, sample: int, reason: str) -> FormatError:
        return FormatError(
            reason,
            place=self.log.place(sample),
            hint="check the initial posture, the units, signs and offsets of the positions, and the robot's lengths; "
            "or "
            "cut the log before this sample",
        )


def _followed(assembly: LoopAssembly, q: Array, row: Array) -> Array:
    """Return the loop coordinates along measured positions, one row per sample.

    Recent results are cached, because the regression rows, the diagnostics and the fits of assembly modes use the same
    ones.

    Args:
        assembly: the closed loops.
        q: measured joint positions (N, n).
        row: loop coordinates at the first sample.
    """
    key = (id(assembly), q.tobytes(), row.tobytes())
    if key not in _RECENT:
        if len(_RECENT) >= KEPT_PIECES:
            del _RECENT[next(iter(_RECENT))]
        _RECENT[key] = (assembly, assembly.along(q, row))
    return _RECENT[key][1]


def start_postures(
    robot: Robot, logs: Sequence[Log], posture: NamedPosture | Sequence[NamedPosture] | None
) -> list[tuple[float, ...] | None]:
    """Return, for each log, the positions of all joints (rad, m) near its first sample, or None if unknown.

    If one posture is given for all logs, it applies to the first log, and the result is None for the other logs.

    Args:
        robot: the robot.
        logs: the logs.
        posture: one posture (name or positions of all joints), or one per log; 'home' by default.

    Raises:
        ArgumentError: the number of postures is neither one nor that of the logs.
    """
    several = not isinstance(posture, str) and posture is not None and any(not _is_number(x) for x in posture)
    if not several:
        return [start_posture(robot, logs[0], posture), *(None for _ in logs[1:])]  # type: ignore[arg-type]
    given = list(posture or ())
    if len(given) not in (1, len(logs)):
        raise ArgumentError(
            f"posture: expected one posture, or one for each of the {len(logs)} logs, got {len(given)}"
        )
    postures = [start_posture(robot, log, one) for log, one in zip(logs, given, strict=False)]  # type: ignore[arg-type]
    return [*postures, *(None for _ in logs[len(postures) :])]


def _is_number(x: object) -> bool:
    return isinstance(x, int | float | np.number)


def in_mode_of(robot: Robot, posture: NamedPosture | Sequence[NamedPosture] | None) -> Robot:
    """Return the robot with a given posture as its posture 'home', which selects the assembly mode.

    Args:
        robot: the robot.
        posture: name or positions of all joints; if several postures are given, the first one is used.
    """
    if not robot.B or posture is None or not len(posture):
        return robot
    several = not isinstance(posture, str) and not _is_number(posture[0])
    try:
        return with_home(robot, posture[0] if several else posture)  # type: ignore[arg-type]
    except (OptionError, UnknownNameError):
        return robot  # `start_postures` reports what is wrong with the posture


def start_posture(robot: Robot, log: Log, posture: NamedPosture | None) -> tuple[float, ...] | None:
    """Return the positions of all joints near the first sample of a log; None for a robot without closed loops.

    Args:
        robot: the robot.
        log: the log.
        posture: name of a posture of the robot, or the positions of all joints of the tree; 'home' by default.

    Raises:
        ArgumentError: no posture is given, and the loops have several assembly modes at the first sample.
        FormatError: the loops do not close at the first sample.
    """
    if not robot.B:
        if posture is not None:
            raise ArgumentError("posture: this option applies to robots with closed loops only")
        return None
    first = log.part(0, 1)["position"][0]
    return first_posture(robot, dict(robot.nominal), first, posture, log.name, log.place(0))
