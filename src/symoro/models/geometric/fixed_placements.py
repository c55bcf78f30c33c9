"""Constant transforms between frames of one rigid body, as 4x4 matrices of the geometric parameters."""

from __future__ import annotations

from dataclasses import replace

from symoro.expr.formula import ZERO
from symoro.expr.linalg import Matrix, Vector, homogeneous, identity, inverse_transform, matmul
from symoro.expr.scalar import Expr, cos, sin
from symoro.models.joints import is_zero
from symoro.models.recursion import origin, turn_x, turn_z
from symoro.models.tolerances import ROUND_OFF
from symoro.program.builder import Builder
from symoro.robot.description import GEOMETRIC, Frame, JointType, Robot
from symoro.robot.topology import chain


def placed(builder: Builder, frame: Frame) -> Matrix:
    """Return the constant transform iTj (4x4) of frame j in its antecedent frame i, at joint position 0.

    The constant offset of the joint variable is included.
    """
    gamma, b, alpha, d, theta, r = (builder.formula(getattr(frame, name)) for name in GEOMETRIC)
    angles = [(builder.number(sin(x)), builder.number(cos(x))) for x in (gamma, alpha, theta)]
    columns = [turn_z(angles[0], turn_x(angles[1], turn_z(angles[2], list(axis)))) for axis in identity(3)]
    rotation = [[columns[c][r_] for c in range(3)] for r_ in range(3)]
    return homogeneous(rotation, origin(angles[0], angles[1], b, d, r))


def before_turn(builder: Builder, frame: Frame) -> Matrix:
    """Return Rz(gamma) Tz(b) Rx(alpha) Tx(d), the part of a frame's transform iTj before Rz(theta) Tz(r)."""
    return placed(builder, replace(frame, theta=ZERO, r=ZERO, sigma=JointType.FIXED))


def between(builder: Builder, robot: Robot, start: int, end: int, body: tuple[int, ...]) -> Matrix:
    """Return the constant transform (4x4) of frame `end` in frame `start`, both fixed to one rigid body.

    Args:
        start, end: frame numbers.
        body: numbers of all frames that are fixed to the rigid body; the first one is closest to the base.
    """
    return matmul(
        inverse_transform(_transform_in(builder, robot, start, body[0])),
        _transform_in(builder, robot, end, body[0]),
    )


def _transform_in(builder: Builder, robot: Robot, j: int, root: int) -> Matrix:
    path = chain(robot, j)
    transform: Matrix = identity(4)
    for k in path[path.index(root) + 1 :]:
        transform = matmul(transform, placed(builder, robot.frame(k)))
    return transform


def is_roundoff(x: object, size: float = 1.0) -> bool:
    """Return whether a scalar is zero, either exactly or up to round-off.

    Args:
        size: magnitude of the numbers from which x was computed, relative to which x is compared with zero.
    """
    if isinstance(x, Expr):
        number = x.number
        return is_zero(x) or (number is not None and abs(float(number)) < ROUND_OFF * size)
    return abs(float(x)) < ROUND_OFF * size  # type: ignore[arg-type]


def drop_roundoff(v: Vector, size: float = 1.0) -> Vector:
    """Return a copy of a vector in which entries that are round-off errors are replaced by zero.

    Args:
        size: magnitude of the numbers from which the entries were computed; for lengths, the size of the robot.
    """
    return [0 if is_roundoff(x, size) else x for x in v]
