"""Postures along a log: the positions of all joints that a model needs, from the measured ones.

A log of a robot with closed loops has its active joints alone. The others follow from the geometry of the loops, from
sample to sample in one way of assembly (`trajectory.assembly`), after the low-pass, so that positions, velocities and
accelerations agree; the models themselves have the velocities and accelerations of the passive joints.
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
KEPT_PIECES = 8  # of a log, whose loops were solved last
_RECENT: dict[tuple[int, bytes, bytes], tuple[LoopAssembly, Array]] = {}  # the assembly keeps its id in use
NamedPosture = str | Sequence[float]
"""The name of one of the robot's, or the positions of all joints of the tree."""


class LogPostures:
    """Of a robot whose joints were all measured."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def of(self, begin: int, q: Array) -> Array:
        """Return the postures at the samples from `begin` on, with these measured joints."""
        return q

    def check(self, begin: int, parts: Sequence[Array | None]) -> None:
        """Reject samples, from `begin` on, at which the model has no value."""


class LoopPostures(LogPostures):
    """Of a robot with closed loops: each piece goes on from the one before, the first from a row near its start."""

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
            raise self._refused(begin + row, "the model has no value here: a dead point of the loops")

    def _refused(self, sample: int, reason: str) -> FormatError:
        return FormatError(
            reason,
            place=self.log.place(sample),
            hint="check the posture that the log starts from, units, signs and offsets of the positions, and the "
            "robot's lengths; or cut the log before this sample",
        )


def _followed(assembly: LoopAssembly, q: Array, row: Array) -> Array:
    """Return the rows of the loops along positions; the rows of recent positions are kept.

    The rows, the diagnostics and the fit of assembly modes ask for the same positions of a log.
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
    """Of each log what `start_posture` says; None of others than the first where one posture was given for all.

    Raises:
        ArgumentError: neither one posture nor one for each log.
    """
    several = not isinstance(posture, str) and posture is not None and any(not _is_number(x) for x in posture)
    if not several:
        return [start_posture(robot, logs[0], posture), *(None for _ in logs[1:])]  # type: ignore[arg-type]
    given = list(posture or ())
    if len(given) not in (1, len(logs)):
        raise ArgumentError(f"posture: expected one, or one for each of {len(logs)} logs, got {len(given)}")
    postures = [start_posture(robot, log, one) for log, one in zip(logs, given, strict=False)]  # type: ignore[arg-type]
    return [*postures, *(None for _ in logs[len(postures) :])]


def _is_number(x: object) -> bool:
    return isinstance(x, int | float | np.number)


def in_mode_of(robot: Robot, posture: NamedPosture | Sequence[NamedPosture] | None) -> Robot:
    """Return a robot with loops in the assembly mode of a posture, the first where each log has one of its own."""
    if not robot.B or posture is None or not len(posture):
        return robot
    several = not isinstance(posture, str) and not _is_number(posture[0])
    try:
        return with_home(robot, posture[0] if several else posture)  # type: ignore[arg-type]
    except (OptionError, UnknownNameError):
        return robot  # `start_postures` reports what is wrong with the posture


def start_posture(robot: Robot, log: Log, posture: NamedPosture | None) -> tuple[float, ...] | None:
    """Return all joints of a robot with closed loops, near the first sample of a log; None where there is no choice.

    Args:
        posture: the name of one of the robot's, or the positions of all joints of the tree; 'home' unless given.

    Raises:
        ArgumentError: the loops can be assembled in several ways there, and nothing tells in which.
        FormatError: they do not close with the first sample.
    """
    if not robot.B:
        if posture is not None:
            raise ArgumentError(
                "posture: a robot without closed loops has no other joints than those in the log"
            )
        return None
    first = log.part(0, 1)["position"][0]
    return first_posture(robot, dict(robot.nominal), first, posture, log.name, log.place(0))
