"""The platform's pose and motion as inputs, and outputs that are NaN where they have no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Expr, Scalar, select, sqrt
from symoro.models.dynamic.platform.ports import PLATFORM_POSE, PLATFORM_V, PLATFORM_VD
from symoro.program.builder import Builder
from symoro.program.program import Port


@dataclass(frozen=True)
class PlatformPose:
    """Rotation and position of the platform's frame in frame 0."""

    rotation: Matrix
    position: Vector


@dataclass(frozen=True)
class PlatformMotion:
    """Velocity and acceleration of the platform's frame, axes of frame 0; none where not given."""

    v: Vector
    w: Vector
    vd: Vector
    wd: Vector


def pose_input(builder: Builder) -> PlatformPose:
    """Declare T."""
    names = [f"T{r}{c}" for r in range(1, 5) for c in range(1, 5)]
    given = builder.input(PLATFORM_POSE, (4, 4), names)
    rows = [given[4 * r : 4 * r + 4] for r in range(3)]
    return PlatformPose([list(row[:3]) for row in rows], [row[3] for row in rows])


def motion_input(builder: Builder, *, velocity: bool = True, acceleration: bool = True) -> PlatformMotion:
    """Declare V and Vd as far as they are given."""
    v: Vector = _six(builder, PLATFORM_V) if velocity else [0] * 6
    vd: Vector = _six(builder, PLATFORM_VD) if acceleration else [0] * 6
    return PlatformMotion(v[:3], v[3:], vd[:3], vd[3:])


def _six(builder: Builder, port: Port) -> Vector:
    return list(builder.input(port, (6,), [f"{port.name}_{k}" for k in range(1, 7)]))


def all_of(conditions: Sequence[Scalar]) -> Scalar:
    """1 where all conditions hold."""
    found: Scalar = 1
    for condition in conditions:
        found = select(condition, found, 0)
    return found


def where(regular: Scalar, value: Any) -> Any:
    """A value, or nested lists of them, where the condition holds; NaN elsewhere."""
    if isinstance(value, (list, tuple)):
        return [where(regular, item) for item in value]
    if not isinstance(regular, Expr):
        return value
    return select(regular, value, sqrt(select(regular, 1, -1)))  # the root of -1 is NaN in every language
