"""Whether the legs of a parallel robot reach its platform, in the postures that its file gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.robot.formats.report import Report
from symoro.robot.records import GEOMETRIC, Frame, JointType
from symoro.robot.topology import loops, moving_joints, outward

if TYPE_CHECKING:
    from symoro.robot.description import Robot

NEAR = 1e-6  # of the largest length, or of a radian

PlaceRows = list[list[float]]


def check_reach(robot: Robot, report: Report) -> None:
    """Take down each loop that a posture leaves open; where symbols have no numbers there is nothing to say."""
    values = dict(robot.nominal)
    try:
        places = {
            j: [getattr(f, name).value(values) for name in GEOMETRIC] for j, f in enumerate(robot.frames, 1)
        }
    except ProgramError:
        return
    size = (
        max([abs(x) for gamma, b, alpha, d, theta, r in places.values() for x in (b, d, r)], default=0) or 1.0
    )
    for name, q in robot.postures.items():
        at = _placements(robot, places, dict(zip(moving_joints(robot), q, strict=False)))
        for number, loop in enumerate(loops(robot), 1):
            gap, turn = _gap(at[loop.left], at[loop.right], robot.frame(loop.left))
            if gap > NEAR * size or turn > NEAR:
                report.add(
                    f"loop {number} stays open in posture '{name}': frames {loop.left} and {loop.right} are "
                    f"{gap:.3g} m and {math.degrees(turn):.3g} degrees apart; the leg does not reach the platform",
                    None,
                    f"postures.{name}",
                    "correct the posture, 'at', or the lengths of the leg",
                )
    report.check()


def _placements(robot: Robot, places: dict[int, list[float]], q: dict[int, float]) -> dict[int, PlaceRows]:
    """Three rows of four: rotation and position of each frame."""
    at: dict[int, PlaceRows] = {0: [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]]}
    for j in outward(robot):
        gamma, b, alpha, d, theta, r = places[j]
        frame = robot.frame(j)
        if frame.sigma == JointType.REVOLUTE:
            theta += q.get(j, 0.0)
        elif frame.sigma == JointType.PRISMATIC:
            r += q.get(j, 0.0)
        at[j] = _moved(
            _turned(_moved(_turned(_turned(at[frame.ant], 0, 1, gamma, b), 1, 2, alpha), 0, d), 0, 1, theta),
            2,
            r,
        )
    return at


def _turned(rows: PlaceRows, i: int, k: int, angle: float, up: float = 0.0) -> PlaceRows:
    """A turn in the plane of two axes, after a shift along the third that the turn leaves alone."""
    c, s = math.cos(angle), math.sin(angle)
    made = []
    for row in rows:
        new = list(row)
        new[i], new[k] = c * row[i] + s * row[k], c * row[k] - s * row[i]
        new[3] += up * row[2]
        made.append(new)
    return made


def _moved(rows: PlaceRows, axis: int, length: float) -> PlaceRows:
    return [[*row[:3], row[3] + length * row[axis]] for row in rows]


def _gap(left: PlaceRows, right: PlaceRows, opened: Frame) -> tuple[float, float]:
    """How far the two sides of a loop are apart, whatever the opened joint does: length and angle."""
    apart = [a[3] - b[3] for a, b in zip(left, right, strict=True)]
    axis = [row[2] for row in right]
    if opened.sigma == JointType.PRISMATIC:
        along = sum(x * y for x, y in zip(apart, axis, strict=True))
        apart = [x - along * y for x, y in zip(apart, axis, strict=True)]
    compared = (2,) if opened.sigma == JointType.REVOLUTE else (0, 1, 2)
    turns = [math.dist([row[k] for row in left], [row[k] for row in right]) for k in compared]
    return math.hypot(*apart), max(turns)
