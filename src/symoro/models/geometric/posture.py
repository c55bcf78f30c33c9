"""Where the links run at a posture, in plain numbers: enough to draw a robot.

The way from a frame's antecedent to the frame has three straight parts, along z by b, along x by d and along the
joint's axis by r:  iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, sin

from symoro.errors import ArgumentError
from symoro.expr.formula import Formula
from symoro.expr.linalg import Matrix, identity, matmul
from symoro.robot.coordinates import followers, independent, positions
from symoro.robot.description import GEOMETRIC, BaseKind, Frame, JointType, Placement, Robot
from symoro.robot.topology import outward

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
    position = positions(robot, dict.fromkeys(independent(robot), 0.0), numbers.of)
    fixed = robot.base.kind == BaseKind.FIXED
    z = [numbers.of(entry) for entry in robot.base.Z]
    placed: dict[int, Matrix] = {0: [list(z[4 * r : 4 * r + 4]) for r in range(4)] if fixed else identity(4)}
    found = []
    for j in outward(robot):
        frame = robot.frame(j)
        q = float(position[j]) if j in position else 0.0  # type: ignore[arg-type]
        points, placed[j] = numbers.walk(placed[frame.ant], frame, q)
        found.append(Segment(j, points))
    if robot.tool:
        points, _ = numbers.walk(placed[robot.tool.place.ant], robot.tool.place, 0.0)
        found.append(Segment("tool", points))
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

    def walk(self, start: Matrix, place: Frame | Placement, q: float) -> tuple[tuple[Point, ...], Matrix]:
        """The corners of the way, and where it ends."""
        gamma, b, alpha, d, theta, r = (self.of(getattr(place, name)) for name in GEOMETRIC)
        sigma = getattr(place, "sigma", JointType.FIXED)
        theta += q * (sigma == JointType.REVOLUTE)
        r += q * (sigma == JointType.PRISMATIC)
        corners, at = [_origin(start)], start
        for axis, angle, length in (("z", gamma, b), ("x", alpha, d), ("z", theta, r)):
            at = matmul(at, _screw(axis, angle, length))
            corners.append(_origin(at))
        return tuple(corners), at


def _screw(axis: str, angle: float, length: float) -> Matrix:
    s, c = sin(angle), cos(angle)
    if axis == "z":
        return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, length], [0, 0, 0, 1]]
    return [[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]


def _origin(placed: Matrix) -> Point:
    x, y, z = (float(row[3]) for row in placed[:3])  # type: ignore[arg-type]
    return x, y, z
