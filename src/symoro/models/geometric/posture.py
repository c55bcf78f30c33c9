"""Line segments of the links of a robot in a given configuration, as numbers, for drawing.

The line from the origin of the antecedent frame to the origin of a frame has three straight parts: along the z axis of
the antecedent frame by b, along the x axis by d, and along the z axis of the frame itself by r.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symoro.errors import ArgumentError
from symoro.expr.formula import Formula
from symoro.models.identification.base.assembly import assembled
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import (
    NumericTree,
    Placements,
    identity_pose,
    joint_positions,
    local_pose,
    numeric_tree,
    placements,
)
from symoro.robot.coordinates import followers, independent
from symoro.robot.description import GEOMETRIC, BaseKind, Frame, JointType, Placement, Robot
from symoro.robot.flexibility import flexible_links

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Segment:
    """Polyline from the origin of the antecedent frame to the origin of a frame.

    Attributes:
        frame: number of the frame, or 'tool'.
        points: corners of the polyline, in m.
    """

    frame: int | str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Figure:
    """Line drawing of a robot in one configuration.

    Attributes:
        segments: lines between the origins of the frames.
        axes: directions of x, y and z of each frame, including 0 and 'tool'.
        open: true if the loops are not closed because no closed configuration could be computed.
    """

    segments: tuple[Segment, ...]
    axes: Mapping[int | str, tuple[Point, Point, Point]]
    open: bool


def segments(robot: Robot, values: Mapping[str, float]) -> list[Segment]:
    """Return the lines of the links at zero joint positions; loops are not closed.

    Coordinates are in the world frame (in frame 0 for a moving base).

    Args:
        values: numbers of the symbols of the geometry, by name; nominal values are the default.

    Raises:
        ArgumentError: a symbol of the geometry has no value.
    """
    numbers = _Numbers(robot, values)
    tree = _tree(robot, numbers)
    return list(_figure(robot, numbers, tree, np.zeros(len(tree.coordinates)), is_open=False).segments)


def figure(robot: Robot, values: Mapping[str, float], posture: Sequence[float] | None = None) -> Figure:
    """Return the line drawing of a robot in a configuration with closed loops.

    Coordinates are in the world frame (in frame 0 for a moving base).

    Args:
        values: numbers of the symbols of the geometry, by name; nominal values are the default.
        posture: positions of the independent joints; by default the posture 'home', else zero.

    Raises:
        ArgumentError: a symbol of the geometry has no value, or the length of the posture is wrong.
    """
    numbers = _Numbers(robot, values)
    tree = _tree(robot, numbers)
    own = independent(robot)
    given = robot.postures.get("home") if posture is None else posture
    if given is not None and (len(given) != len(own) or not np.isfinite(given).all()):
        raise ArgumentError(
            f"a posture of robot '{robot.name}' has {len(own)} finite numbers, got {len(given)}: "
            + ", ".join(f"{x:g}" for x in given)[:80]
        )
    q = np.zeros(len(tree.coordinates))
    if given is not None:
        q[: len(own)] = [given[own.index(j)] for j in tree.coordinates[: len(own)]]
    if not robot.B:
        return _figure(robot, numbers, tree, q, is_open=False)
    start = None if given is None else {j: float(x) for j, x in zip(own, given, strict=True)}
    closed_postures = assembled(tree, start)
    return _figure(
        robot, numbers, tree, closed_postures[0].q if closed_postures else q, is_open=not closed_postures
    )


def _tree(robot: Robot, numbers: _Numbers) -> NumericTree:
    """Return the numerical geometry of the robot, with flexible links as straight beams.

    A frame whose antecedent is a flexible link is attached to the tip of the beam.
    """
    tree = numeric_tree(robot, numbers.of)
    local = dict(tree.local)
    for j in tree.frames:
        tip = numbers.tip(robot.frame(j).ant)
        if tip:
            rotation, position = local[j]
            local[j] = Placements(rotation, position + np.array([[tip, 0.0, 0.0]]))
    return replace(tree, local=local)


def _figure(robot: Robot, numbers: _Numbers, tree: NumericTree, q: Array, *, is_open: bool) -> Figure:
    row = q[None]
    start = identity_pose(row)
    if robot.base.kind == BaseKind.FIXED:
        z = np.array([numbers.of(entry) for entry in robot.base.Z]).reshape(1, 4, 4)
        start = Placements(z[:, :3, :3], z[:, :3, 3])
    placed: dict[int | str, Placements] = dict(placements(tree, row, {0: start}).items())
    (joint_values,) = joint_positions(tree, row)
    lines = []
    for j in tree.frames:
        frame = robot.frame(j)
        slide = joint_values[j - 1] if frame.sigma == JointType.PRISMATIC else 0.0
        lines.append(Segment(j, numbers.corners(frame, placed[frame.ant], placed[j], slide)))
    if robot.tool:
        place = robot.tool.place
        before = placed[place.ant]
        along = Placements(np.eye(3)[None], np.array([[numbers.tip(place.ant), 0.0, 0.0]]))
        placed["tool"] = before.then(along).then(local_pose(place, numbers.of))
        lines.append(Segment("tool", numbers.corners(place, before, placed["tool"], 0.0)))
    axes = {j: _axes(at) for j, at in placed.items()}
    return Figure(tuple(lines), axes, is_open)


def _axes(at: Placements) -> tuple[Point, Point, Point]:
    x, y, z = (_point(at.rotation[0][:, k]) for k in range(3))
    return x, y, z


def _point(vector: Array) -> Point:
    return float(vector[0]), float(vector[1]), float(vector[2])


class _Numbers:
    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        self.values = {**dict(robot.nominal), **values}
        self.beams = {j: beam.length for j, beam in flexible_links(robot).items()}
        places: list[Frame | Placement] = [*robot.frames, *([robot.tool.place] if robot.tool else [])]
        formulas = [getattr(place, name) for place in places for name in GEOMETRIC] + list(robot.base.Z)
        formulas += [law.offset for law in followers(robot).values()]
        formulas += self.beams.values()
        missing = sorted({name for f in formulas for name in f.symbols} - self.values.keys())
        if missing:
            raise ArgumentError(f"no number is given for {', '.join(missing)}")

    def of(self, formula: Formula) -> float:
        return formula.value(self.values) if formula.symbols <= self.values.keys() else 0.0

    def tip(self, link: int) -> float:
        """Return the length of a flexible link along x of its frame; zero for a rigid link."""
        return self.of(self.beams[link]) if link in self.beams else 0.0

    def corners(
        self, place: Frame | Placement, start: Placements, end: Placements, q: float
    ) -> tuple[Point, ...]:
        """Return the corners of the line from an antecedent frame to a frame.

        Args:
            place: geometric parameters of the frame.
            start, end: poses of the antecedent frame and of the frame.
            q: displacement of a prismatic joint in m; 0 for other joints.
        """
        (first,), (last,) = start.position, end.position
        (along,), (up,), (axis,) = start.rotation[:, :, 0], start.rotation[:, :, 2], end.rotation[:, :, 2]
        tip = first + self.tip(place.ant) * along
        second, third = tip + self.of(place.b) * up, last - (self.of(place.r) + q) * axis
        corners = (first, *([tip] if place.ant in self.beams else []), second, third, last)
        return tuple(_point(corner) for corner in corners)
