"""A trajectory on a robot: samples of its joints at equal steps of time.

Coordinates are the joints with a coordinate of their own; of a robot with closed loops, its active joints, and the
others follow: from each sample to the next the loops are closed again by Newton's method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError, UnknownNameError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.numeric.rotation import logarithm
from symoro.motion.follow import Follower, PosePath
from symoro.motion.laws import Law, made_law
from symoro.motion.loops import LoopCloser
from symoro.motion.paths import Between, FourierPath, PosesThrough, Round, Straight, Through
from symoro.motion.samples import Samples
from symoro.motion.spline import quintic_through
from symoro.motion.trajectory import (
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
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.runtime.poses import from_angles, from_entries
from symoro.runtime.ranges import joint_ranges

Array = NDArray[np.float64]
JointPath = Between | Through | FourierPath
STEP = 0.01
MOST = 2_000_000  # samples
JOINED = 1e-9  # positions of two parts that count as the same
SMOOTH = 1e-6


def coordinates_of(robot: Robot) -> tuple[int, ...]:
    """The joints whose motion a trajectory tells: the active ones where loops tie the others, else all."""
    return tuple(active_joints(robot) if robot.B else independent(robot))


def sampled(
    robot: RobotLike,
    trajectory: Trajectory,
    *,
    step: float = STEP,
    values: Mapping[str, float] | None = None,
) -> Samples:
    """The joints along a trajectory, from its start to its end.

    Arguments:
        step: seconds from one sample to the next, or a little less, so that the last one is at the end.
        values: numbers for symbols; the robot's nominal values serve where none is given.

    Raises:
        ArgumentError: the trajectory does not fit the robot, or a branch of postures ends; the time is told.
    """
    asked = as_robot(robot)
    check_base(asked)
    return _Planner(asked, trajectory, {**dict(asked.nominal), **(values or {})}).samples(step)


def check_base(robot: Robot) -> None:
    """Raise unless the joints tell how the whole robot moves."""
    if robot.wheels or robot.base.kind != BaseKind.FIXED:
        raise NotApplicableError(
            f"robot '{robot.name}' does not stand on a fixed base: where its base goes is no part of a trajectory",
            hint="simulate it, with joints that follow a trajectory",
        )


def default_posture(robot: Robot, values: Mapping[str, float]) -> Array:
    """The posture 'home', or zero, or the limits nearest to it."""
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
        asked = self.trajectory
        return Follower(self.robot, asked.frame, asked.pose, asked.method, self.values)

    def samples(self, step: float) -> Samples:
        if not 0 < step < np.inf:
            raise ArgumentError(f"a step of {step:g} s: expected a positive number")
        start = self._start()
        q, whole = start[self._own], start
        rows: list[tuple[Array, Array, Array, Array, Array | None]] = []
        now, last = 0.0, (q, np.zeros_like(q))
        for number, part in enumerate(each(self.trajectory.parts, "following the trajectory"), 1):
            path = self._path(part, whole)
            times = _grid(path.duration, step)
            found = self._along(path, times, whole, now)
            self._check_joined(number, now, last, found)
            rows.append((now + times, *found))
            now += path.duration
            q, last = found[0][-1], (found[0][-1], found[1][-1])
            whole = self._tree_at(q, found[3], whole, now)
        return self._together(rows)

    def _together(self, rows: list[tuple[Array, Array, Array, Array, Array | None]]) -> Samples:
        """The samples of all parts; where two meet, that of the later one."""
        last = len(rows) - 1
        joined = [
            np.concatenate([part[: None if k == last else -1] for k, part in enumerate(parts)])
            for parts in zip(*(row[:4] for row in rows), strict=True)
        ]
        trees = [row[4] for row in rows if row[4] is not None]
        whole = [part[: None if k == last else -1] for k, part in enumerate(trees)]
        t, q, qd, qdd = joined
        return Samples(self.joints, t, q, qd, qdd, np.concatenate(whole) if whole else None)

    # -- where it starts

    @cached_property
    def _own(self) -> list[int]:
        """Places of the coordinates among the joints of the tree."""
        all_joints = independent(self.robot)
        return [all_joints.index(j) for j in self.joints]

    def _start(self) -> Array:
        """The posture it starts in, all joints of the tree."""
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
                f"start: {len(given)} numbers, expected {n}: {', '.join(f'q{j}' for j in independent(self.robot))}"
            )
        return self._whole(np.array(given)[self._own], np.array(given), 0.0)

    # -- loops

    @cached_property
    def _loops(self) -> LoopCloser:
        return LoopCloser(self.robot, self.values)

    def _whole(self, q: Array, near: Array | None, t: float) -> Array:
        """All joints of the tree, loops closed near a posture."""
        if not self.robot.B:
            return q
        return self._loops.at(q, default_posture(self.robot, self.values) if near is None else near, t)

    def _tree_at(self, q: Array, tree: Array | None, before: Array, t: float) -> Array:
        if not self.robot.B:
            return q
        return self._whole(q, before, t) if tree is None else np.asarray(tree[-1])

    # -- parts

    def _path(self, part: Part, q: Array) -> JointPath | PosePath:
        if isinstance(part, OF_POSES):
            return self._pose_path(part, self.follower.place(q=q)["T"])
        own = q[self._own]
        if isinstance(part, Move):
            end = self._row("to", part.to)
            limits = {name: self._limit(name, getattr(part, name)) for name in ("velocity", "acceleration")}
            return Between(own, end, made_law(part.law, end - own, duration=part.duration, **limits))
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

    def _pose_path(self, part: Line | Circle | Poses, T: Array) -> PosePath:
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
            way = np.array([np.linalg.norm(end[:3, 3] - T[:3, 3]), turn])
            return Straight(T, end, _pose_law(part, way))
        axis, centre = np.array(part.normal) / np.linalg.norm(part.normal), np.array(part.centre)
        arm = T[:3, 3] - centre
        radius = float(np.linalg.norm(arm - axis * (axis @ arm)))
        way = abs(part.angle) * np.array([radius, float(part.turning)])
        return Round(T, centre, axis, part.angle, _pose_law(part, way), part.turning)

    def _pose(self, given: tuple[float, ...], before: Array | None) -> Array:
        if len(given) == 3:
            made = np.eye(4) if before is None else before.copy()
            made[:3, 3] = given
            return made
        if len(given) == 6:
            return from_angles(*given)
        made = from_entries(given)
        R = made[:3, :3]
        if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
            raise ArgumentError("the first three columns of a pose are no rotation")
        return made

    def _row(self, what: str, given: tuple[float, ...]) -> Array:
        if len(given) != len(self.joints):
            names = ", ".join(f"q{j}" for j in self.joints)
            raise ArgumentError(f"{what}: {len(given)} numbers, expected {len(self.joints)}: {names}")
        return np.array(given)

    def _limit(self, what: str, given: tuple[float, ...] | None) -> Array | None:
        if given is None:
            return None
        return np.full(len(self.joints), given[0]) if len(given) == 1 else self._row(what, given)

    # -- along them

    def _along(
        self, path: JointPath | PosePath, times: Array, start: Array, begin: float
    ) -> tuple[Array, Array, Array, Array | None]:
        if isinstance(path, Straight | Round | PosesThrough):
            states = self.follower.follow(path, times, start, begin)
            tree = np.array([state.q for state in states])
            rates = np.array([state.qd for state in states]), np.array([state.qdd for state in states])
            return tree[:, self._own], *rates, tree if self.robot.B else None
        q, qd, qdd = path.at(times)
        if not self.robot.B:
            return q, qd, qdd, None
        return q, qd, qdd, self._loops.along(begin + times, q, start)

    def _check_joined(
        self,
        number: int,
        now: float,
        last: tuple[Array, Array],
        found: tuple[Array, Array, Array, Array | None],
    ) -> None:
        """A part must go on where and as fast as the one before ended."""
        gap = np.abs(found[0][0] - last[0])
        if gap.max() > JOINED:
            j = self.joints[int(gap.argmax())]
            raise ArgumentError(
                f"part {number} begins at t = {now:g} s with q{j} = {found[0][0][gap.argmax()]:.6g}, where the joint "
                f"stands at {last[0][gap.argmax()]:.6g}",
                hint="move there first (a part 'joints')",
            )
        jerk = np.abs(found[1][0] - last[1])
        if number > 1 and jerk.max() > SMOOTH:
            j = self.joints[int(jerk.argmax())]
            raise ArgumentError(
                f"part {number} begins at t = {now:g} s with qd{j} = {found[1][0][jerk.argmax()]:.6g}, where the "
                f"joint has {last[1][jerk.argmax()]:.6g}",
                hint="a Fourier series that does not start at rest can only come first",
            )


def _pose_law(part: Line | Circle, way: Array) -> Law:
    """The law of a way of (length, angle)."""
    most = [None if x is None else np.array(x) for x in (part.velocity, part.acceleration)]
    for name, limit in zip(("velocity", "acceleration"), most, strict=True):
        if limit is not None and len(limit) not in (1, 2):
            raise ArgumentError(
                f"{name} of a pose: expected one number, or (linear, angular); got {len(limit)}"
            )
    return made_law(part.law, way, duration=part.duration, velocity=most[0], acceleration=most[1])


def _grid(duration: float, step: float) -> Array:
    """From 0 to the duration in equal steps."""
    if duration / step > MOST:
        raise ArgumentError(f"{duration:g} s in steps of {step:g} s are more than {MOST} samples")
    return np.linspace(0.0, duration, max(1, int(np.ceil(duration / step - 1e-9))) + 1)
