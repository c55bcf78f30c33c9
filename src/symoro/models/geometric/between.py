"""Placement between any two frames, the world included."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.expr.linalg import Matrix, inverse_transform, matmul
from symoro.expr.scalar import Scalar
from symoro.models.geometric import placement
from symoro.models.geometric.screws import screws_between
from symoro.models.joints import Trigonometry
from symoro.program.builder import Builder
from symoro.robot.description import Robot


def placement_between(
    builder: Builder,
    robot: Robot,
    start: int | str,
    end: int | str,
    q: Mapping[int, Scalar],
    trig: Trigonometry,
    product: Callable[..., Matrix] = placement.outward,
    name: placement.NameFrame = lambda *_: None,
) -> Matrix:
    """startTend, in the given order of multiplication."""
    matrix = product(screws_between(builder, robot, start, end, q), trig, name)
    if (start == "world") == (end == "world"):
        return matrix
    entries = [builder.formula(z) for z in robot.base.Z]
    z: Matrix = [list(entries[4 * r : 4 * r + 4]) for r in range(4)]
    return matmul(z, matrix) if start == "world" else matmul(matrix, inverse_transform(z))
