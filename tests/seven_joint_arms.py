"""Commercial arms with seven revolute joints (`data/seven_joint_arms.json`), as robots.

Each joint has the origin of its frame on the previous link, its axis, and its limits; all frames are parallel at zero.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import symoro

FILE = Path(__file__).parent / "data" / "seven_joint_arms.json"


@cache
def arms() -> dict[str, dict[str, Any]]:
    """Return the descriptions of the arms by name."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


@cache
def arm(name: str, scale: float = 1.0) -> symoro.Robot:
    """Return an arm as a robot, with all lengths multiplied by `scale`."""
    return symoro.loads(urdf(name, scale), "urdf", tool="flange", exact=True)


def urdf(name: str, scale: float = 1.0) -> str:
    """Return the URDF text of an arm, with all lengths multiplied by `scale`."""
    described = arms()[name]
    lines = [f'<robot name="{name}">', '<link name="link0"/>']
    for number, joint in enumerate(described["joints"], 1):
        origin = [scale * x for x in joint["origin"]]
        limits = joint["limits"]
        kind = "continuous" if limits is None else "revolute"
        bounds = "" if limits is None else f'lower="{limits[0]!r}" upper="{limits[1]!r}"'
        lines += [
            f'<link name="link{number}"/>',
            f'<joint name="joint{number}" type="{kind}">',
            f'<parent link="link{number - 1}"/><child link="link{number}"/>',
            f'<origin xyz="{_words(origin)}"/><axis xyz="{_words(joint["axis"])}"/>',
            f'<limit {bounds} effort="100" velocity="2"/></joint>',
        ]
    rows = described["tool"]
    position = [scale * row[3] for row in rows]
    lines += [
        '<link name="flange"/><joint name="flange_joint" type="fixed">',
        '<parent link="link7"/><child link="flange"/>',
        f'<origin xyz="{_words(position)}" rpy="{_words(_angles(rows))}"/></joint></robot>',
    ]
    return "\n".join(lines)


def _angles(rows: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Return roll, pitch and yaw of a rotation matrix."""
    pitch = math.atan2(-rows[2][0], math.hypot(rows[0][0], rows[1][0]))
    if math.cos(pitch) < 1e-9:
        return math.atan2(-rows[1][2], rows[1][1]), pitch, 0.0
    return math.atan2(rows[2][1], rows[2][2]), pitch, math.atan2(rows[1][0], rows[0][0])


def _words(numbers: Sequence[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
