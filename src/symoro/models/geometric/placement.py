"""Transform of one frame in another as a product of elementary motions, eq. (1) of the 1997 paper.

The product can be formed outward (each motion is multiplied on the right) or inward (on the left). In both cases,
rotations about parallel axes are summed before they are applied. Therefore sines and cosines of sums appear (such as
C23 = cos(q2 + q3)), and a translation between parallel axes requires only two multiplications.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symoro.expr.linalg import Matrix, MatrixLike, Vector, add, homogeneous, identity, scale, transpose
from symoro.expr.scalar import Scalar
from symoro.models.geometric.screws import Screw
from symoro.models.joints import Angle, Trigonometry, is_zero

NameFrame = Callable[[int, Matrix, Vector], None]

AXIS = {"x": 0, "z": 2}
PLANE = {"x": (1, 2), "z": (0, 1)}  # the two directions that a rotation about the axis changes


def turned(rotation: MatrixLike, trig: Trigonometry, axis: str, angle: Angle) -> Matrix:
    """Return the product of `rotation` and a rotation about the axis 'z' or 'x', which changes two columns."""
    s, c = trig.sincos(angle)
    i, j = PLANE[axis]
    result = [list(row) for row in rotation]
    for row in result:
        row[i], row[j] = row[i] * c + row[j] * s, row[j] * c - row[i] * s
    return result


def turning(trig: Trigonometry, axis: str, angle: Angle, matrix: MatrixLike) -> Matrix:
    """Return the product of a rotation about the axis 'z' or 'x' and a matrix, which changes two rows."""
    s, c = trig.sincos(angle)
    i, j = PLANE[axis]
    result = [list(row) for row in matrix]
    result[i] = [c * x - s * y for x, y in zip(matrix[i], matrix[j], strict=True)]
    result[j] = [s * x + c * y for x, y in zip(matrix[i], matrix[j], strict=True)]
    return result


def across(trig: Trigonometry, axis: str, angle: Angle) -> Vector:
    """Return the image of x under a rotation about z, or of z under a rotation about x.

    Args:
        axis: axis of the rotation, 'z' or 'x'.
        angle: angle of the rotation in rad.
    """
    s, c = trig.sincos(angle)
    return [c, s, 0] if axis == "z" else [0, -s, c]


def along(axis: str, length: Scalar) -> Vector:
    """Return the vector of a translation along the axis 'x' or 'z' by a length."""
    vector: Vector = [0, 0, 0]
    vector[AXIS[axis]] = length
    return vector


def shifted(position: Vector, rotation: MatrixLike, move: Vector) -> Vector:
    """Return position + rotation * move; zero entries of `move` cost no operations."""
    for k, length in enumerate(move):
        if not is_zero(length):
            position = [p + row[k] * length for p, row in zip(position, rotation, strict=True)]
    return position


def outward(steps: Sequence[Screw], trig: Trigonometry, name: NameFrame) -> Matrix:
    """Return the transform (4x4) of a sequence of screw motions, multiplied from the first to the last.

    Args:
        steps: screw motions along x or z.
        trig: sines and cosines of the angles.
        name: function that names the entries of an intermediate transform, given frame, rotation and position.
    """
    rotation, position = identity(3), along("z", 0)
    axis, pending, frame = "z", None, 0
    for step in steps:
        if pending is None or step.axis == axis:
            axis = step.axis
            pending = step.angle if pending is None else pending + step.angle
            move = along(axis, step.length)
        elif step.angle.value.is_zero:
            move = scale(step.length, across(trig, axis, pending))
        else:
            rotation = turned(rotation, trig, axis, pending)
            if axis == "z":
                name(frame, rotation, position)
            axis, pending = step.axis, step.angle
            move = along(axis, step.length)
        position = shifted(position, rotation, move)
        frame = step.frame
    if pending is not None:
        rotation = turned(rotation, trig, axis, pending)
    return homogeneous(rotation, position)


def inward(steps: Sequence[Screw], trig: Trigonometry, name: NameFrame) -> Matrix:
    """Return the transform (4x4) of a sequence of screw motions, multiplied from the last to the first.

    Consecutive motions along the same axis are collected before they are applied. They are represented by the sum of
    their angles, the translation along the axis, and the translations perpendicular to it, each with the angle of the
    rotations that precede it.

    Args:
        steps: screw motions along x or z.
        trig: sines and cosines of the angles.
        name: function that names the entries of an intermediate transform, given frame, rotation and position.
    """
    rotation, position = identity(3), along("z", 0)
    axis, pending, frame = "z", None, 0
    shift: Scalar = 0
    crossing: list[tuple[Scalar, Angle]] = []

    def applied() -> tuple[Matrix, Vector]:
        if pending is None:
            return rotation, position
        (p,) = transpose(turning(trig, axis, pending, [[x] for x in position]))
        p = add(p, along(axis, shift))
        for length, angle in crossing:
            p = add(p, scale(length, across(trig, axis, angle)))
        return turning(trig, axis, pending, rotation), p

    for step in reversed(steps):
        if pending is None or step.axis == axis:
            axis = step.axis
            crossing = [(length, step.angle + angle) for length, angle in crossing]
            pending = step.angle if pending is None else step.angle + pending
            shift = shift + step.length
        elif step.angle.value.is_zero:
            crossing.append((step.length, step.angle))
        else:
            rotation, position = applied()
            if axis == "x":
                name(frame, rotation, position)
            axis, pending, shift, crossing = step.axis, step.angle, step.length, []
        frame = step.frame
    return homogeneous(*applied())
