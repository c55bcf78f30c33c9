"""A part of a trajectory on a robot, at any moment of it.

Joints that poses or closed loops determine are found from the nearest moment before that is known: all that was found
is kept, with the moments between that a follower needed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symoro.errors import Place, SymoroError
from symoro.motion.follow import Follower, PathState, PosePath
from symoro.motion.loops import LoopCloser
from symoro.motion.paths import Between, FourierPath, PosesThrough, Through

Array = NDArray[np.float64]
JointPath = Between | Through | FourierPath
MotionRows = tuple[Array, Array, Array, Array | None]
"""Positions, velocities and accelerations of the coordinates; positions of all joints where loops are closed."""
SHORT = 1e-12  # of a part: a piece so short is none


class PathMoments(Protocol):
    """Where the joints are at moments of a path, in seconds from its start."""

    def at(self, times: Array) -> MotionRows: ...


@dataclass(frozen=True, eq=False)
class JointMoments:
    """Joints whose path tells all."""

    path: JointPath

    def at(self, times: Array) -> MotionRows:
        return *self.path.at(times), None


class LoopMoments:
    """Active joints on a path, and closed loops that follow."""

    def __init__(self, path: JointPath, loops: LoopCloser, start: Array, begin: float) -> None:
        self._path, self._loops, self._begin = path, loops, begin
        self._times, self._trees = [0.0], [start]

    def at(self, times: Array) -> MotionRows:
        q, qd, qdd = self._path.at(times)
        tree = np.empty((len(times), len(self._trees[0])))
        for group in _runs(times, self._times):
            near = self._trees[bisect_right(self._times, times[group[0]]) - 1]
            tree[group] = self._loops.along(self._begin + times[group], q[group], near)
            for k in group:
                place = bisect_right(self._times, times[k])
                self._times.insert(place, float(times[k]))
                self._trees.insert(place, tree[k])
        return q, qd, qdd, tree


class PoseMoments:
    """Joints that follow a path of poses."""

    def __init__(
        self, path: PosePath, follower: Follower, own: Sequence[int], start: Array, begin: float
    ) -> None:
        self._path, self._follower, self._own, self._begin = path, follower, list(own), begin
        self._times: list[float] = [0.0]
        self._states: list[PathState] = [follower.begun(path, start, begin)]

    def at(self, times: Array) -> MotionRows:
        known = self._path.at(times)
        states: list[PathState] = [self._states[0]] * len(times)
        for k in np.argsort(times, kind="stable"):
            t = float(times[k])
            place = bisect_right(self._times, t)
            before, state = self._times[place - 1], self._states[place - 1]
            if t > before:
                found = self._follower.advanced(self._path, known, int(k), state, before, t, self._begin)
                self._times[place:place] = [moment for moment, _ in found]
                self._states[place:place] = [new for _, new in found]
                state = found[-1][1]
            states[k] = state
        tree = np.array([state.q for state in states])
        rates = np.array([state.qd for state in states]), np.array([state.qdd for state in states])
        return tree[:, self._own], *rates, tree if self._follower.robot.B else None


def _runs(times: Array, known: list[float]) -> list[list[int]]:
    """Rows in order of time, parted where a known moment lies between."""
    groups: list[list[int]] = []
    last = -1
    for k in np.argsort(times, kind="stable").tolist():
        place = bisect_right(known, times[k])
        if place != last:
            groups.append([])
        groups[-1].append(k)
        last = place
    return groups


@dataclass(frozen=True, eq=False)
class PartMotion:
    """A part of a trajectory on a robot.

    Attributes:
        number: of the part, from 1 on; `place` where it stands in a file.
        begin: when it begins.
        breaks: the ends of its pieces, from 0 to its duration; within a piece it is smooth.
    """

    number: int
    place: Place | None
    begin: float
    breaks: Array
    moments: PathMoments

    def at(self, times: Array) -> MotionRows:
        """Where the joints are, in seconds from its beginning."""
        with told_of(self.number, self.place):
            return self.moments.at(times)


@contextmanager
def told_of(number: int, place: Place | None) -> Iterator[None]:
    """Say of what goes wrong in which part it does: at its place, or by its number; 0 is the start."""
    try:
        yield
    except SymoroError as error:
        if error.place is None and place is not None:
            error.at(place)
        elif error.place is None and number:
            error.message = f"part {number}: {error.message}"
            error.args = (error.text(),)
        raise


def breaks_of(path: JointPath | PosePath) -> Array:
    """The ends of the pieces in which a path is smooth, those of a series no longer than half its shortest period."""
    if isinstance(path, Through):
        found = path.times
    elif isinstance(path, PosesThrough):
        found = path.places.times
    elif isinstance(path, FourierPath):
        shortest = 1 / (path.frequency * max(1, path.sine.shape[1]))
        found = np.linspace(0, path.duration, int(np.ceil(2 * path.duration / shortest)) + 1)
    else:
        law = path.law
        found = np.array([0.0, law.ramp, law.duration - law.ramp, law.duration])
    found = np.unique(found)
    return found[np.diff(found, prepend=-np.inf) > SHORT * path.duration]
