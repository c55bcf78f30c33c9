"""Joint motion of a robot along a trajectory: at any time of each part, and sampled at equal steps.

A trajectory prescribes the independent active joints. Passive joints of loops are computed by closing the loops from
sample to sample. Other passive joints, elastic joints, rolling wheels and floating bases follow from forces and are not
part of the samples.

Joints that are determined by poses or closed loops are computed by following the motion from the nearest earlier time
at which their positions are known. All results, including those at intermediate times, are stored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError, Place, SymoroError, UnknownNameError
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.numeric.rotation import logarithm
from symoro.progress import each
from symoro.robot.coordinates import independent, unconstrained_passive_joints
from symoro.robot.description import BaseKind, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.size import characteristic_length, joint_units
from symoro.robot.topology import elastic_joints
from symoro.runtime.poses import from_angles, from_entries
from symoro.runtime.ranges import joint_ranges
from symoro.trajectory.assembly import LoopCloser
from symoro.trajectory.files import as_trajectory
from symoro.trajectory.paths import (
    Between,
    FourierPath,
    Law,
    PosesThrough,
    Round,
    Straight,
    Through,
    made_law,
)
from symoro.trajectory.pose_following import Follower, PathState, PosePath
from symoro.trajectory.samples import Samples, even_times
from symoro.trajectory.splines import quintic_through
from symoro.trajectory.tolerances import SAME_POSITION, SAME_VELOCITY, SHORT_PIECE
from symoro.trajectory.trajectory import (
    OF_POSES,
    Circle,
    Fourier,
    Hold,
    Line,
    Move,
    Part,
    Poses,
    Start,
    Trajectory,
    Via,
)

Array = NDArray[np.float64]

JointPath = Between | Through | FourierPath
MotionRows = tuple[Array, Array, Array, Array | None]
"""Positions, velocities and accelerations of the coordinates; positions of all joints, or None without loops."""


class PathMoments(Protocol):
    """Interface of the joint motion along a path.

    `at` returns the joint motion at times in seconds from the start of the path.
    """

    def at(self, times: Array) -> MotionRows: ...


@dataclass(frozen=True, eq=False)
class JointMoments:
    """Joint motion along a path that is given by joint positions."""

    path: JointPath

    def at(self, times: Array) -> MotionRows:
        return *self.path.at(times), None


class LoopMoments:
    """Motion of the active joints along a path, and of the passive joints by closing the loops."""

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
    """Joint motion with which a frame of the robot follows a path of poses."""

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
                reached = self._follower.advanced(self._path, known, int(k), state, before, t, self._begin)
                self._times[place:place] = [moment for moment, _ in reached]
                self._states[place:place] = [new for _, new in reached]
                state = reached[-1][1]
            states[k] = state
        tree = np.array([state.q for state in states])
        rates = np.array([state.qd for state in states]), np.array([state.qdd for state in states])
        return tree[:, self._own], *rates, tree if self._follower.robot.B else None


def _runs(times: Array, known: list[float]) -> list[list[int]]:
    """Divide the indices of `times`, sorted by time, into groups between consecutive times in `known`.

    Args:
        times: times in seconds, in any order.
        known: ascending times in seconds; a new group starts after each of them.
    """
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
    """Motion of a robot along one part of a trajectory.

    Attributes:
        number: number of the part, from 1.
        place: position of the part in a file, for messages.
        begin: start time of the part in seconds.
        breaks: times from 0 to the duration of the part; the motion is smooth between consecutive times.
        moments: joint motion along the part.
    """

    number: int
    place: Place | None
    begin: float
    breaks: Array
    moments: PathMoments

    def at(self, times: Array) -> MotionRows:
        """Return joint positions, velocities and accelerations at times in seconds from the start of the part."""
        with errors_located_in(self.number, self.place):
            return self.moments.at(times)


@contextmanager
def errors_located_in(number: int, place: Place | None) -> Iterator[None]:
    """Add the position of a trajectory part in its file, or its number, to errors raised in this context.

    Args:
        number: number of the part; 0 is the start of the trajectory.
        place: position in the file, or None if the trajectory was not read from a file.
    """
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
    """Return ascending times from 0 to the duration of a path; the path is smooth between consecutive times.

    The intervals of a Fourier series are at most half its shortest period long.
    """
    if isinstance(path, Through):
        breaks = path.times
    elif isinstance(path, PosesThrough):
        breaks = path.places.times
    elif isinstance(path, FourierPath):
        shortest = 1 / (path.frequency * max(1, path.sine.shape[1]))
        breaks = np.linspace(0, path.duration, int(np.ceil(2 * path.duration / shortest)) + 1)
    else:
        law = path.law
        breaks = np.array([0.0, law.ramp, law.duration - law.ramp, law.duration])
    breaks = np.unique(breaks)
    return breaks[np.diff(breaks, prepend=-np.inf) > SHORT_PIECE * path.duration]


STEP = 0.01
MAX_SAMPLES = 2_000_000  # largest number of samples of one part


def coordinates_of(robot: Robot) -> tuple[int, ...]:
    """Return the numbers of the joints whose motion a trajectory prescribes.

    These are the independent active joints, except elastic joints.
    """
    free = elastic_joints(robot)
    return tuple(j for j in active_joints(robot) if j not in free)


def sampled(
    robot: RobotLike,
    trajectory: Trajectory | str | Path,
    *,
    step: float = STEP,
    values: Mapping[str, float] | None = None,
) -> Samples:
    """Return the joint motion along a trajectory, from its start to its end.

    Args:
        robot: the robot.
        trajectory: the trajectory, the path of its file, or the name of a bundled one.
        step: largest time between samples in seconds; it is reduced so that the last sample is at the end.
        values: values of symbols; by default the robot's nominal values.

    Raises:
        ArgumentError: the trajectory does not apply to the robot, or a solution branch ends; the error contains the
            time.
    """
    described, motion = as_robot(robot), as_trajectory(trajectory)
    if isinstance(motion, Samples):
        raise ArgumentError(
            "the given motion is a table of samples, which is already sampled",
            hint="give a trajectory of moves, via points, a Fourier series or a path of poses",
        )
    return planned(described, motion, {**dict(described.nominal), **(values or {})}, step)[0]


def planned(
    robot: Robot, trajectory: Trajectory, values: Mapping[str, float], step: float
) -> tuple[Samples, tuple[PartMotion, ...]]:
    """Return the samples of a trajectory, and its parts of nonzero duration, which can be evaluated at any time.

    Args:
        values: values of the robot's symbols.
        step: largest time between samples in seconds.
    """
    return _Planner(robot, trajectory, values).planned(step)


def follows_from_forces(robot: Robot) -> str:
    """Return the reason why the motion of the driven joints does not determine that of the robot; empty if it does."""
    if robot.base.kind == BaseKind.FLOATING:
        return "its base is floating"
    if robot.wheels:
        return "its base is wheeled"
    if elastic_joints(robot):
        return "some of its joints are elastic"
    if loose := unconstrained_passive_joints(robot):
        return f"joint {loose[0]} is passive"
    return "its links are flexible" if flexible_links(robot) else ""


def initial_posture(robot: Robot, trajectory: Trajectory) -> tuple[float, ...] | None:
    """Return the positions of all joints at the start of a trajectory; None if the trajectory does not contain them."""
    start = trajectory.start
    if isinstance(start, str):
        return robot.postures.get(start)
    if isinstance(start, tuple) and len(start) == len(independent(robot)):
        return start
    return None


def default_posture(robot: Robot, values: Mapping[str, float]) -> Array:
    """Return the posture 'home' of a robot or, if it has none, the positions nearest to zero within the joint limits.

    Args:
        values: values of the robot's symbols.
    """
    home = robot.postures.get("home")
    return joint_ranges(robot, values).home if home is None else np.array(home)


@dataclass(frozen=True)
class _Planner:
    robot: Robot
    trajectory: Trajectory
    values: Mapping[str, float]

    @cached_property
    def joints(self) -> tuple[int, ...]:
        return coordinates_of(self.robot)

    @cached_property
    def follower(self) -> Follower:
        trajectory = self.trajectory
        if why := follows_from_forces(self.robot):
            raise NotApplicableError(
                f"the driven joints of robot '{self.robot.name}' do not determine the poses of its frames: {why}",
                hint="prescribe joint motions (parts 'joints', 'via', 'fourier')",
            )
        return Follower(self.robot, trajectory.frame, trajectory.pose, trajectory.method, self.values)

    def planned(self, step: float) -> tuple[Samples, tuple[PartMotion, ...]]:
        if not 0 < step < np.inf:
            raise ArgumentError(f"step: expected a positive number of seconds, got {step:g}")
        with errors_located_in(0, self._place(0)):
            whole = self._start()
        q = whole[self._own]
        rows: list[tuple[Array, MotionRows]] = []
        parts: list[PartMotion] = []
        now, last = 0.0, (q, np.zeros_like(q))
        for number, part in enumerate(each(self.trajectory.parts, "following the trajectory"), 1):
            with errors_located_in(number, self._place(number)):
                path = self._path(part, whole)
                times = _grid(path.duration, step)
                moments = self._moments(path, whole, now)
                motion = moments.at(times)
                self._check_joined(number, now, last, motion)
            rows.append((now + times, motion))
            if path.duration > 0:
                parts.append(PartMotion(number, self._place(number), now, breaks_of(path), moments))
            now += path.duration
            q, last = motion[0][-1], (motion[0][-1], motion[1][-1])
            whole = self._tree_at(q, motion[3], whole, now)
        return self._together(rows), tuple(parts)

    def _place(self, number: int) -> Place | None:
        """Return the position of a trajectory part in its file; number 0 is the start."""
        places = self.trajectory.places
        return places[number] if places else None

    def _together(self, rows: list[tuple[Array, MotionRows]]) -> Samples:
        """Join the samples of all parts into one motion.

        At the time that two consecutive parts share, the sample of the later part is used.

        Args:
            rows: times and joint motion of each part.
        """
        times = [t[:-1] for t, _ in rows[:-1]] + [rows[-1][0]]
        q, qd, qdd, tree = (
            None
            if motions[0] is None
            else np.concatenate([x[: len(t)] for x, t in zip(motions, times, strict=True)])
            for motions in zip(*(motions for _, motions in rows), strict=True)
        )
        assert q is not None and qd is not None and qdd is not None
        return Samples(self.joints, np.concatenate(times), q, qd, qdd, tree)

    # -- start

    @cached_property
    def _own(self) -> list[int]:
        """Indices of the prescribed joints among the joints of the tree."""
        all_joints = independent(self.robot)
        return [all_joints.index(j) for j in self.joints]

    def _start(self) -> Array:
        """Return the positions of all joints of the tree at the start of the trajectory."""
        start, first = self.trajectory.start, self.trajectory.parts[0]
        if isinstance(start, Start):
            return self.follower.start(self._pose(start.pose, None), self._posture(start.near))
        if start is None:
            assert isinstance(first, Fourier)
            q = self._series(first).at(np.zeros(1))[0][0]
            return self._whole(q, None, 0.0)
        return self._posture(start)

    def _posture(self, given: tuple[float, ...] | str | None) -> Array:
        n = len(independent(self.robot))
        if given is None:
            return default_posture(self.robot, self.values)
        if isinstance(given, str):
            if given not in self.robot.postures:
                known = list(self.robot.postures)
                raise UnknownNameError(f"posture of robot '{self.robot.name}'", given, known)
            return np.array(self.robot.postures[given])
        if len(given) == len(self.joints) < n:
            return self._whole(np.array(given), None, 0.0)
        if len(given) != n:
            raise ArgumentError(
                f"start: expected {n} numbers, got {len(given)}: "
                f"{', '.join(f'q{j}' for j in independent(self.robot))}"
            )
        return self._whole(np.array(given)[self._own], np.array(given), 0.0)

    # -- loops

    @cached_property
    def _loops(self) -> LoopCloser:
        return LoopCloser(self.robot, self.values)

    def _whole(self, q: Array, near: Array | None, t: float) -> Array:
        """Return the positions of all joints of the tree, with loops closed near a posture.

        Joints that follow from forces keep their positions in that posture.

        Args:
            q: positions of the prescribed joints.
            near: the posture of all joints; None for the default posture.
            t: time in seconds, for messages.
        """
        if len(q) == len(independent(self.robot)):
            return q
        near = default_posture(self.robot, self.values) if near is None else near
        if self.robot.B:
            return self._loops.at(q, near, t)
        whole = near.copy()
        whole[self._own] = q
        return whole

    def _tree_at(self, q: Array, tree: Array | None, before: Array, t: float) -> Array:
        return self._whole(q, before, t) if tree is None else np.asarray(tree[-1])

    # -- parts

    def _path(self, part: Part, q: Array) -> JointPath | PosePath:
        if isinstance(part, OF_POSES):
            return self._pose_path(part, self.follower.place(q=q)["T"])
        own = q[self._own]
        if isinstance(part, Move):
            end = self._row("to", part.to)
            most = [self._limit(name, getattr(part, name)) for name in ("velocity", "acceleration")]
            law = made_law(
                part.law, end - own, duration=part.duration, velocity=most[0], acceleration=most[1]
            )
            return Between(own, end, law)
        if isinstance(part, Via):
            points = np.array([own, *(self._row("via", point) for point in part.points)])
            times = np.array([0.0, *part.times])
            return Through(times, points, *quintic_through(times, points))
        if isinstance(part, Hold):
            return Between(own, own, made_law("quintic", np.zeros(1), duration=part.duration))
        return self._series(part)

    def _series(self, part: Fourier) -> FourierPath:
        offset = self._row("offset", part.offset)
        duration = part.duration or 1 / part.frequency
        return FourierPath(offset, np.array(part.sine), np.array(part.cosine), part.frequency, duration)

    def _check_given(self, part: Line | Circle | Poses, T: Array) -> None:
        """Check that a part changes only those entries of the pose that the trajectory's option `pose` includes.

        Args:
            part: part of the trajectory that is given by poses.
            T: pose at the start of the part (4, 4).
        """
        entries = given_entries(self.trajectory.pose)
        for r in (r for r in range(3) if not entries[r][3]):
            axis = "xyz"[r]
            if isinstance(part, Circle):
                normal = np.array(part.normal) / np.linalg.norm(part.normal)
                moves = bool(1 - abs(normal[r]) > SAME_POSITION and part.angle)
            elif isinstance(part, Line) and part.by is not None:
                moves = part.by[r] != 0
            else:  # a position always has three numbers; 0 is allowed for an axis that is not followed
                poses = part.poses if isinstance(part, Poses) else (part.to or (),)
                near = SAME_POSITION * characteristic_length(self.robot, self.values)
                moves = any(len(x) == 3 and x[r] != 0 and abs(x[r] - T[r, 3]) > near for x in poses)
            if moves:
                raise ArgumentError(
                    f"the path moves along {axis}, which 'pose: {self.trajectory.pose}' does not include",
                    hint=f"remove {axis} from the path, or include P{axis} in the entries of the pose",
                )

    def _pose_path(self, part: Line | Circle | Poses, T: Array) -> PosePath:
        self._check_given(part, T)
        if isinstance(part, Poses):
            poses = [T]
            for pose in part.poses:
                poses.append(self._pose(pose, poses[-1]))
            places, times = np.array([pose[:3, 3] for pose in poses]), np.array([0.0, *part.times])
            return PosesThrough(Through(times, places, *quintic_through(times, places)), tuple(poses))
        if isinstance(part, Line):
            end = T.copy() if part.to is None else self._pose(part.to, T)
            if part.by is not None:
                end[:3, 3] += part.by
            turn = float(np.linalg.norm(logarithm(T[:3, :3].T @ end[:3, :3])))
            extent = np.array([np.linalg.norm(end[:3, 3] - T[:3, 3]), turn])
            return Straight(T, end, _pose_law(part, extent))
        axis, centre = np.array(part.normal) / np.linalg.norm(part.normal), np.array(part.centre)
        arm = T[:3, 3] - centre
        radius = float(np.linalg.norm(arm - axis * (axis @ arm)))
        extent = abs(part.angle) * np.array([radius, float(part.turning)])
        return Round(T, centre, axis, part.angle, _pose_law(part, extent, part.angle), part.turning)

    def _pose(self, given: tuple[float, ...], before: Array | None) -> Array:
        if len(given) == 3:
            pose = np.eye(4) if before is None else before.copy()
            pose[:3, 3] = given
            return pose
        if len(given) == 6:
            return from_angles(*given)
        pose = from_entries(given)
        R = pose[:3, :3]
        if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
            raise ArgumentError("the first three columns of a pose are not a rotation matrix")
        return pose

    def _row(self, what: str, given: tuple[float, ...]) -> Array:
        if len(given) != len(self.joints):
            names = ", ".join(f"q{j}" for j in self.joints)
            why = follows_from_forces(self.robot)
            raise ArgumentError(
                f"{what}: expected {len(self.joints)} numbers ({names}), got {len(given)}",
                hint=f"a trajectory contains the driven joints only: {why}" if why else None,
            )
        return np.array(given)

    def _limit(self, what: str, given: tuple[float, ...] | None) -> Array | None:
        if given is None:
            return None
        return np.full(len(self.joints), given[0]) if len(given) == 1 else self._row(what, given)

    # -- motion along the parts

    def _moments(self, path: JointPath | PosePath, start: Array, begin: float) -> PathMoments:
        if isinstance(path, Straight | Round | PosesThrough):
            return PoseMoments(path, self.follower, self._own, start, begin)
        return LoopMoments(path, self._loops, start, begin) if self.robot.B else JointMoments(path)

    def _check_joined(
        self,
        number: int,
        now: float,
        last: tuple[Array, Array],
        motion: MotionRows,
    ) -> None:
        """Reject a part that does not continue from the position and velocity at the end of the previous part.

        Args:
            number, now: number and start time of the part.
            last: joint positions and velocities at the end of the previous part.
            motion: joint motion along the part.
        """
        units = joint_units(self.robot, self.joints, characteristic_length(self.robot, self.values))
        gap = np.abs(motion[0][0] - last[0]) / units
        if gap.max() > SAME_POSITION:
            j = self.joints[int(gap.argmax())]
            raise ArgumentError(
                f"begins at t = {now:g} s with q{j} = {motion[0][0][gap.argmax()]:.6g}, but the joint "
                f"is at {last[0][gap.argmax()]:.6g}",
                hint="insert a part 'joints' before this part that moves the robot to its initial position",
            )
        jerk = np.abs(motion[1][0] - last[1]) / units
        if number > 1 and jerk.max() > SAME_VELOCITY:
            j = self.joints[int(jerk.argmax())]
            raise ArgumentError(
                f"begins at t = {now:g} s with qd{j} = {motion[1][0][jerk.argmax()]:.6g}, but the "
                f"velocity of the joint is {last[1][jerk.argmax()]:.6g}",
                hint="a Fourier series that does not start at rest can only be the first part",
            )


def _pose_law(part: Line | Circle, extent: Array, turn: float = 0.0) -> Law:
    """Return the time law of a part that moves a frame along a line or circle.

    Args:
        part: the part, with its duration or limits.
        extent: length (m) and angle (rad) of the path.
        turn: angle in radians by which the direction of the path rotates.
    """
    most = [None if x is None else np.array(x) for x in (part.velocity, part.acceleration)]
    for name, limit in zip(("velocity", "acceleration"), most, strict=True):
        if limit is not None and len(limit) not in (1, 2):
            raise ArgumentError(
                f"{name} of a pose: expected one number, or (linear, angular); got {len(limit)} numbers"
            )
    return made_law(
        part.law, extent, duration=part.duration, velocity=most[0], acceleration=most[1], turn=turn
    )


def _grid(duration: float, step: float) -> Array:
    """Return the times from 0 to the duration in equal steps of at most `step` seconds; one time for zero duration."""
    if duration / step > MAX_SAMPLES:
        raise ArgumentError(
            f"a duration of {duration:g} s with steps of {step:g} s exceeds {MAX_SAMPLES} samples"
        )
    return even_times(duration, step) if duration > 0 else np.zeros(1)
