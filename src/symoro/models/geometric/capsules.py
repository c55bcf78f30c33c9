"""Capsules of the bodies of a robot, and the distances between them.

A capsule is the set of points within a radius of a line segment. The distance of two capsules is that of their segments
minus their radii; it is negative if they overlap. The squared distance of two segments p + s u and p' + t u' is convex
in (s, t), so that its minimum over the unit square is at its stationary point, if this is inside, or on an edge, where
it is the distance of an end point from the other segment.

The capsules of a description are used if there are any. Otherwise they follow the lines with which the robot is drawn
(`posture`): from the origin of the antecedent along z by b and along x by d on the antecedent's body, then along z by r
on the body of the frame. The end points of a capsule may be fixed to different frames, as those along a prismatic
joint.

C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import NumericTree, Placements, formulas, local_pose, numeric_tree, placements
from symoro.models.tolerances import CROSSING, SHORTEST_LINE
from symoro.robot.description import BaseKind, Frame, JointType, Placement, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.size import robot_reach
from symoro.robot.topology import chain, moving_joints

Indices = NDArray[np.int64]

FLOOR = -1  # number of the floor in pairs of bodies; bodies have the numbers of their frames
LINK_RADIUS = 0.05  # radius of capsules that follow the frames, share of the reach: 5 cm for a reach of 1 m


# -- segments


def closest_points(p: Array, u: Array, other: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return the distances of segments p + s u and other + t v, with the parameters s and t of their closest points.

    Args:
        p, other: start points (..., 3).
        u, v: vectors from the start points to the end points (..., 3); zero for a point.

    Returns:
        The distances, s and t, with the shape of the broadcast arguments without the last axis; s and t are in [0, 1].
    """
    w = p - other
    a, b, c = _dot(u, u), _dot(u, v), _dot(v, v)
    d, e = _dot(u, w), _dot(v, w)
    one = np.zeros(np.broadcast_shapes(a.shape, c.shape, d.shape))
    size = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # On parallel segments the stationary point is not unique, and an edge contains a minimum.
        inside = np.clip(np.nan_to_num((b * e - c * d) / size), 0, 1)
        candidates = [(s, np.clip(np.nan_to_num((e + s * b) / c), 0, 1)) for s in (one, one + 1, inside)]
        candidates += [(np.clip(np.nan_to_num((t * b - d) / a), 0, 1), t) for t in (one, one + 1)]
    squares = np.stack([((w + s[..., None] * u - t[..., None] * v) ** 2).sum(-1) for s, t in candidates])
    best = squares.argmin(0)[None]
    s, t = (np.take_along_axis(np.stack([pair[k] for pair in candidates]), best, 0)[0] for k in (0, 1))
    return np.sqrt(np.take_along_axis(squares, best, 0)[0]), s, t


def _dot(x: Array, y: Array) -> Array:
    return np.asarray((x * y).sum(-1))


# -- capsules


@dataclass(frozen=True)
class BodyCapsule:
    """Capsule of a body, in numbers.

    Attributes:
        body: number of the body: that of its first frame; 0 is the base.
        frames: numbers of the frames to which the start point and the end point are fixed.
        points: coordinates of both points in these frames (m).
        radius: radius (m).
    """

    body: int
    frames: tuple[int, int]
    points: tuple[Array, Array]
    radius: float


@dataclass(frozen=True, eq=False)
class CapsuleModel:
    """Capsules of a robot and the pairs of bodies whose distances are computed.

    Attributes:
        robot: the robot, a tree on a fixed base.
        tree: its numerical geometry.
        start: pose of frame 0 in the world.
        capsules: the capsules of all bodies.
        described: whether the capsules are those of the description; otherwise they follow the frames.
        floor: height of the floor in the world (m); None if there is none.
        excluded: pairs of bodies that are not checked because they overlap in the reference posture.
    """

    robot: Robot
    tree: NumericTree
    start: Placements
    capsules: tuple[BodyCapsule, ...]
    described: bool
    floor: float | None = None
    excluded: tuple[tuple[int, int], ...] = ()

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """Numbers of the moving joints, to which gradients and velocities refer."""
        return tuple(moving_joints(self.robot))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of bodies that are checked: not adjacent and not excluded; then (FLOOR, body)."""
        shaped = sorted({one.body for one in self.capsules})
        pairs = [(a, b) for k, a in enumerate(shaped) for b in shaped[k + 1 :] if not self._adjacent(a, b)]
        if self.floor is not None:
            pairs += [(FLOOR, b) for b in shaped if b != 0]
        return tuple(pair for pair in pairs if pair not in self.excluded)

    def _adjacent(self, a: int, b: int) -> bool:
        """Return whether two bodies are connected by joints with only bodies without capsules between them."""
        shaped = {one.body for one in self.capsules}
        up, down = ([body_of(self.robot, j) for j in (0, *chain(self.robot, j))] for j in (a, b))
        common = [x for x, y in zip(_unique(up), _unique(down), strict=False) if x == y][-1]
        between = {x for path in (up, down) for x in _unique(path)[_unique(path).index(common) :]}
        return not (between & shaped) - {a, b}

    # -- numbers of the pairs of capsules: rows of all arrays below

    @cached_property
    def rows(self) -> tuple[Indices, Indices, Indices]:
        """Capsules of each pair of capsules (FLOOR for the floor, first), and the index of their pair of bodies."""
        rows = [
            (i, k, number)
            for number, (a, b) in enumerate(self.pairs)
            for i in ([FLOOR] if a == FLOOR else self._of(a))
            for k in self._of(b)
        ]
        first, second, pair = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return first, second, pair

    def _of(self, body: int) -> list[int]:
        return [i for i, one in enumerate(self.capsules) if one.body == body]

    @cached_property
    def _first_rows(self) -> Indices:
        """Index of the first row of each pair of bodies, for reductions."""
        return np.flatnonzero(np.r_[True, np.diff(self.rows[2]) > 0])

    @cached_property
    def _radii(self) -> Array:
        radius = np.array([*(one.radius for one in self.capsules), 0.0])  # the last one is that of the floor
        return np.asarray(radius[self.rows[0]] + radius[self.rows[1]])

    @cached_property
    def _moved(self) -> NDArray[np.bool_]:
        """Mask (capsules + 1, 2, joints): whether a joint moves the end points; the floor, the last row, is fixed."""
        moved = [
            [[j in set(chain(self.robot, f)) if f else False for j in self.joints] for f in one.frames]
            for one in self.capsules
        ]
        return np.array([*moved, [[False] * len(self.joints)] * 2], dtype=bool)

    # -- distances

    def _ends(self, placed: Mapping[int, Placements]) -> Array:
        """Return the end points of all capsules in the world, (S, capsules, 2, 3)."""
        return np.stack(
            [
                np.stack(
                    [
                        placed[f].position + np.asarray(placed[f].rotation) @ point
                        for f, point in zip(one.frames, one.points, strict=True)
                    ],
                    axis=1,
                )
                for one in self.capsules
            ],
            axis=1,
        )

    def _placed(self, q: Array) -> dict[int, Placements]:
        start = Placements(*(np.broadcast_to(part, (len(q), *part.shape[1:])) for part in self.start))
        return placements(self.tree, q, {0: start})

    def _closest(self, ends: Array) -> tuple[Array, Array, Array, Array]:
        """Return distances, s and t of all rows (S, rows), and the vectors between the closest points (S, rows, 3)."""
        first, second, _ = self.rows
        other, v = ends[:, second, 0], ends[:, second, 1] - ends[:, second, 0]
        p, u = ends[:, first, 0], ends[:, first, 1] - ends[:, first, 0]
        if self.floor is None:
            gaps, s, t = closest_points(p, u, other, v)
            return gaps, s, t, p + s[..., None] * u - other - t[..., None] * v
        on_floor = first == FLOOR
        gaps, s, t = closest_points(p, u, other, v)
        away = p + s[..., None] * u - other - t[..., None] * v
        lower = (v[..., 2] < 0).astype(float)
        heights = other[..., 2] + lower * v[..., 2] - self.floor
        gaps, t = np.where(on_floor, heights, gaps), np.where(on_floor, lower, t)
        away = np.where(on_floor[:, None], -np.array([0.0, 0.0, 1.0]) * np.abs(heights)[..., None], away)
        return gaps, np.where(on_floor, 0.0, s), t, away

    def row_distances(self, q: Array) -> Array:
        """Return the distances (S, rows) of all pairs of capsules at the coordinates q (S, n)."""
        return np.asarray(self._closest(self._ends(self._placed(q)))[0] - self._radii)

    def distances(self, q: Array) -> Array:
        """Return the distances (S, pairs) of all pairs of bodies in metres at the coordinates q (S, n)."""
        if not self.pairs:
            return np.full((len(q), 0), np.inf)
        return np.asarray(np.minimum.reduceat(self.row_distances(q), self._first_rows, axis=1))

    def violation(self, q: Array, least: float) -> tuple[Array, Array]:
        """Return the sum of squares of the missing distances at each configuration, and its gradient.

        Only the closest capsules of each pair of bodies contribute.

        Args:
            q: (S, n) coordinates.
            least: required distance (m).

        Returns:
            The sums of max(least - distance, 0)^2 over the pairs (S,), and their gradients with respect to all moving
            joints (S, joints).
        """
        total, slope = np.zeros(len(q)), np.zeros((len(q), len(self.joints)))
        if not self.pairs:
            return total, slope
        placed = self._placed(q)
        ends = self._ends(placed)
        axes, s, t, away = self._closest(ends)
        missing = np.maximum(least - (axes - self._radii), 0)
        starts = np.r_[self._first_rows, len(self._radii)]
        for k in range(len(self.pairs)):
            part = slice(starts[k], starts[k + 1])
            row = starts[k] + missing[:, part].argmax(1)
            (at,) = np.nonzero(missing[np.arange(len(q)), row])
            if not len(at):
                continue
            row = row[at]
            depth = missing[at, row]
            # Where the axes cross, the distance has no derivative, and the direction between them is round-off.
            distance = np.maximum(np.abs(axes[at, row]), CROSSING * self._radii[row])
            normal = away[at, row] / distance[:, None]
            total[at] += depth**2
            for capsule, along, sign in ((self.rows[0][row], s, -2), (self.rows[1][row], t, 2)):
                for end, weight in ((0, 1 - along[at, row]), (1, along[at, row])):
                    point = ends[at, capsule, end]
                    factor = sign * depth * weight
                    for j, joint in enumerate(self.joints):
                        rate = self._rates(placed, joint, at, point)
                        moved = self._moved[capsule, end, j]
                        slope[at, j] += np.where(moved, factor * (normal * rate).sum(1), 0.0)
        return total, slope

    def _rates(self, placed: Mapping[int, Placements], joint: int, at: Indices, point: Array) -> Array:
        """Return the derivatives (S, 3) of points of a body with respect to the position of a joint that moves it."""
        axis = np.asarray(placed[joint].rotation)[at, :, 2]
        if self.robot.frame(joint).sigma == JointType.PRISMATIC:
            return axis
        return np.cross(axis, point - np.asarray(placed[joint].position)[at])

    def rate_bounds(self, ranges: Mapping[int, float]) -> Array:
        """Return bounds (rows, joints) of the derivatives of the distances with respect to the joint positions.

        A joint that moves both capsules does not change their distance. For a revolute joint the bound is the largest
        distance of the capsule from the joint's frame, by the triangle inequality along the frames between them.

        Args:
            ranges: largest absolute position of each prismatic joint (m), by joint.
        """
        levers = np.zeros((len(self.capsules) + 1, len(self.joints)))
        for i, one in enumerate(self.capsules):
            for k, joint in enumerate(self.joints):
                for f, point in zip(one.frames, one.points, strict=True):
                    path = chain(self.robot, f) if f else []
                    if joint in path:
                        beyond = path[path.index(joint) + 1 :]
                        length = sum(self._length(j, ranges) for j in beyond) + float(np.linalg.norm(point))
                        prismatic = self.robot.frame(joint).sigma == JointType.PRISMATIC
                        levers[i, k] = max(levers[i, k], 1.0 if prismatic else length)
        first, second, _ = self.rows
        both = self._moved[first].all(1) & self._moved[second].all(1)
        return np.asarray(np.where(both, 0.0, levers[first] + levers[second]))

    def _length(self, j: int, ranges: Mapping[int, float]) -> float:
        return float(np.linalg.norm(self.tree.local[j].position[0])) + ranges.get(j, 0.0)

    # -- names

    def names(self, pair: tuple[int, int]) -> str:
        """Return the names of the two bodies of a pair, for messages."""
        return " and ".join(self._name(body) for body in pair[::-1] if body != FLOOR) + (
            " and the floor" if FLOOR in pair else ""
        )

    def _name(self, body: int) -> str:
        if body == 0:
            return "the base"
        name = self.robot.link(body).name
        return f"link {body} ({name})" if name and name != str(body) else f"link {body}"


def _unique(values: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(values))


def body_of(robot: Robot, j: int) -> int:
    """Return the number of the body that carries frame j: that of the last frame on its path with a moving joint."""
    return next((k for k in reversed(chain(robot, j)) if robot.frame(k).moving), 0) if j else 0


def capsule_model(
    robot: Robot,
    values: Mapping[str, float] | None = None,
    *,
    radius: float | None = None,
    floor: float | None = None,
) -> CapsuleModel:
    """Return the capsules of a robot: those of its description, or capsules that follow its frames.

    Args:
        robot: a tree on a fixed base.
        values: numbers for symbols; nominal values are the default.
        radius: radius of capsules that follow the frames (m); by default 5 % of the sum of the robot's lengths.
        floor: height of the floor in the world (m); None for no floor.

    Raises:
        NotApplicableError: the robot has closed loops, flexible links or a moving base.
        ArgumentError: a symbol has no number, or the robot has neither capsules nor lengths.
    """
    reason = "it has closed loops" if robot.B else "it has flexible links" if flexible_links(robot) else ""
    if robot.base.kind != BaseKind.FIXED:
        reason = f"it has a {robot.base.kind} base"
    if reason:
        raise NotApplicableError(
            f"the distances between the links of robot '{robot.name}' cannot be computed: {reason}",
            hint="distances require a tree of rigid links on a fixed base",
        )
    known = {**dict(robot.nominal), **(values or {})}
    needed = [*formulas(robot), *robot.base.Z]
    needed += [x for one in robot.capsules for x in (*one.start, *one.end, one.radius)]
    if missing := sorted({name for f in needed for name in f.symbols} - known.keys()):
        raise ArgumentError(
            f"the shape of robot '{robot.name}' is unknown: no number is given for {', '.join(missing[:8])}"
        )
    z = np.array([entry.value(known) for entry in robot.base.Z]).reshape(1, 4, 4)
    tree = numeric_tree(robot, lambda f: f.value(known))
    size = robot_reach(robot, known)
    described = tuple(_described(robot, known))
    shapes = described or tuple(_along_frames(robot, known, tree, radius or LINK_RADIUS * size, size))
    if not shapes:
        raise ArgumentError(
            f"robot '{robot.name}' has neither capsules nor lengths from which its shape could be derived",
            hint="give the shapes of its links by the key 'capsules' of the robot file",
        )
    return CapsuleModel(robot, tree, Placements(z[:, :3, :3], z[:, :3, 3]), shapes, bool(described), floor)


def _described(robot: Robot, known: Mapping[str, float]) -> Iterator[BodyCapsule]:
    for one in robot.capsules:
        start, end = (np.array([x.value(known) for x in point]) for point in (one.start, one.end))
        yield BodyCapsule(
            body_of(robot, one.frame), (one.frame, one.frame), (start, end), one.radius.value(known)
        )


def _along_frames(
    robot: Robot, known: Mapping[str, float], tree: NumericTree, radius: float, size: float
) -> Iterator[BodyCapsule]:
    """Yield capsules along the lines b, d (on the antecedent's body) and r (on the frame's body) of each frame."""
    frames: list[tuple[int | None, Frame | Placement]] = [(j, robot.frame(j)) for j in tree.frames]
    zero = np.zeros(3)
    for j, place in [*frames, *([(None, robot.tool.place)] if robot.tool else [])]:
        ant = place.ant
        pose = local_pose(place, lambda f: f.value(known))
        b, d, r = (float(getattr(place, name).value(known)) for name in ("b", "d", "r"))
        up, end = np.array([0.0, 0.0, b]), np.asarray(pose.position[0])
        foot = end - r * np.asarray(pose.rotation[0])[:, 2]
        last: tuple[int, tuple[int, int], tuple[Array, Array]] = (ant, (ant, ant), (foot, end))
        if j is not None:
            last = (j, (ant, j), (foot, zero))
        slides = j is not None and robot.frame(j).sigma == JointType.PRISMATIC
        lines = [(ant, (ant, ant), (zero, up)), (ant, (ant, ant), (up, foot)), last]
        for (carrier, ends, points), length in zip(lines, (b, d, np.inf if slides else r), strict=True):
            if abs(length) > SHORTEST_LINE * size:
                yield BodyCapsule(body_of(robot, carrier), ends, points, radius)
