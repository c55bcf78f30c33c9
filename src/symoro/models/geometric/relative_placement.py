"""Transform between any two frames, including the world frame, and joint axes on the path between two frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.expr.linalg import Matrix, Vector, identity, inverse_transform, matmul, matvec, scale
from symoro.expr.scalar import Scalar
from symoro.models.geometric import placement
from symoro.models.geometric.placement import across, along, shifted, turned
from symoro.models.geometric.screws import screws_between
from symoro.models.joints import Angle, Trigonometry
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
    """Return the transform (4x4) of frame `end` in frame `start` at the joint positions q.

    Args:
        start, end: frame numbers, 'world' or 'tool'.
        q: joint positions, by joint number.
        trig: sines and cosines of the angles.
        product: function that multiplies the motions, `placement.outward` or `placement.inward`.
        name: function that names the entries of an intermediate transform, given frame, rotation and position.
    """
    matrix = product(screws_between(builder, robot, start, end, q), trig, name)
    if (start == "world") == (end == "world"):
        return matrix
    entries = [builder.formula(z) for z in robot.base.Z]
    z: Matrix = [list(entries[4 * r : 4 * r + 4]) for r in range(4)]
    return matmul(z, matrix) if start == "world" else matmul(matrix, inverse_transform(z))


def axes_from(
    builder: Builder,
    robot: Robot,
    m: int,
    end: int,
    q: Mapping[int, Scalar],
    trig: Trigonometry,
    root: int = 0,
) -> dict[int, tuple[Vector, Vector]]:
    """Return the z axes and origins of the frames on a path, expressed in frame m.

    Args:
        m: number of the reference frame, which is on the path.
        end: last frame of the path.
        q: joint positions, by joint number.
        trig: sines and cosines of the angles.
        root: first frame of the path.

    Returns:
        (direction of z, origin) by frame number.
    """
    axes: dict[int, tuple[Vector, Vector]] = {m: ([0, 0, 1], [0, 0, 0])}
    for goal in (root, end):
        rotation, position = identity(3), along("z", 0)
        axis, pending = "z", Angle(builder.number(0))
        for step in screws_between(builder, robot, m, goal, q, merge=False):
            if step.axis == axis:
                pending = pending + step.angle
                move = along(axis, step.length)
            elif step.angle.value.is_zero:
                move = scale(step.length, across(trig, axis, pending))
            else:
                rotation = turned(rotation, trig, axis, pending)
                axis, pending = step.axis, step.angle
                move = along(axis, step.length)
            position = shifted(position, rotation, move)
            if step.ends_frame:
                axes[step.frame] = (_z_axis(rotation, axis, pending, trig), position)
    return axes


def _z_axis(rotation: Matrix, axis: str, pending: Angle, trig: Trigonometry) -> Vector:
    if axis == "z":
        return [row[2] for row in rotation]
    return matvec(rotation, across(trig, "x", pending))
