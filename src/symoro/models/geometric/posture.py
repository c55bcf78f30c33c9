"""Where the links run at a posture, in plain numbers: enough to draw a robot.

The way from a frame's antecedent to the frame has three straight parts: along the antecedent's z by b, along x by d,
and along the frame's own axis by r.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import ArgumentError
from symoro.expr.formula import Formula
from symoro.models.numeric.tree import (
    Placements,
    joint_positions,
    local_pose,
    numeric_tree,
    placements,
    standing,
)
from symoro.robot.coordinates import followers
from symoro.robot.description import GEOMETRIC, BaseKind, Frame, JointType, Placement, Robot

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Segment:
    """The straight parts from the antecedent's origin to the frame's; `frame` is its number, or 'tool'."""

    frame: int | str
    points: tuple[Point, ...]


def segments(robot: Robot, values: Mapping[str, float]) -> list[Segment]:
    """The links at the zero posture, in the world (in frame 0 when the base can move).

    Raises:
        ArgumentError: a symbol of the geometry has no value.
    """
    numbers = _Numbers(robot, values)
    tree = numeric_tree(robot, numbers.of)
    zero = np.zeros((1, len(tree.coordinates)))
    start = standing(zero)
    if robot.base.kind == BaseKind.FIXED:
        z = np.array([numbers.of(entry) for entry in robot.base.Z]).reshape(1, 4, 4)
        start = Placements(z[:, :3, :3], z[:, :3, 3])
    placed = placements(tree, zero, {0: start})
    (moved,) = joint_positions(tree, zero)
    found = []
    for j in tree.frames:
        frame = robot.frame(j)
        q = moved[j - 1] if frame.sigma == JointType.PRISMATIC else 0.0
        found.append(Segment(j, numbers.corners(frame, placed[frame.ant], placed[j], q)))
    if robot.tool:
        place = robot.tool.place
        before = placed[place.ant]
        end = before.then(local_pose(place, numbers.of))
        found.append(Segment("tool", numbers.corners(place, before, end, 0.0)))
    return found


class _Numbers:
    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        self.values = {**dict(robot.nominal), **values}
        places: list[Frame | Placement] = [*robot.frames, *([robot.tool.place] if robot.tool else [])]
        formulas = [getattr(place, name) for place in places for name in GEOMETRIC] + list(robot.base.Z)
        formulas += [law.offset for law in followers(robot).values()]
        missing = sorted({name for f in formulas for name in f.symbols} - self.values.keys())
        if missing:
            raise ArgumentError(f"no number is known for {', '.join(missing)}")

    def of(self, formula: Formula) -> float:
        return formula.value(self.values) if formula.symbols <= self.values.keys() else 0.0

    def corners(
        self, place: Frame | Placement, start: Placements, end: Placements, q: float
    ) -> tuple[Point, ...]:
        """The corners of the way between two poses; q is by how much a slide lengthens its last part."""
        (first,), (last,) = start.position, end.position
        (up,), (axis,) = start.rotation[:, :, 2], end.rotation[:, :, 2]
        second, third = first + self.of(place.b) * up, last - (self.of(place.r) + q) * axis
        return tuple((float(x), float(y), float(z)) for x, y, z in (first, second, third, last))
