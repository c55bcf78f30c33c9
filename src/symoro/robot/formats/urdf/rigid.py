"""Rotations and poses in double precision, with exact sines and cosines of multiples of pi/12.

They are plain tuples: for 3x3 matrices Python floats are as fast as arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]

ORIGIN: Vector3 = (0.0, 0.0, 0.0)
UNIT: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
STEP = math.pi / 12

_COSINES = [math.cos(k * STEP) for k in range(24)]
_COSINES[0], _COSINES[12] = 1.0, -1.0
_COSINES[6] = _COSINES[18] = 0.0
_COSINES[4] = _COSINES[20] = 0.5
_COSINES[8] = _COSINES[16] = -0.5


def twelfths(angle: float, tolerance: float = 4e-16) -> int | None:
    """Return the whole number n if an angle (rad) equals n pi/12 within a tolerance, otherwise None."""
    k = round(angle / STEP)
    return k if abs(angle - k * STEP) <= tolerance * max(1.0, abs(angle)) else None


def sincos(angle: float) -> tuple[float, float]:
    """Return sine and cosine of an angle (rad); for multiples of pi/12 the values 0, 1/2 and 1 are exact."""
    k = twelfths(angle)
    if k is None:
        return math.sin(angle), math.cos(angle)
    return _COSINES[(k - 6) % 24], _COSINES[k % 24]


def dot(a: Vector3, b: Vector3) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a: Vector3, b: Vector3) -> Vector3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scaled(factor: float, a: Vector3) -> Vector3:
    return (factor * a[0], factor * a[1], factor * a[2])


def norm(a: Vector3) -> float:
    return math.hypot(*a)


def unit(a: Vector3) -> Vector3:
    """Return the unit vector along a nonzero vector."""
    length = norm(a)
    return (a[0] / length, a[1] / length, a[2] / length)


def across(a: Vector3, direction: Vector3) -> Vector3:
    """Return the component of a vector `a` perpendicular to a unit vector `direction`."""
    return subtract(a, scaled(dot(a, direction), direction))


def column(m: Matrix3, j: int) -> Vector3:
    return (m[0][j], m[1][j], m[2][j])


def transposed(m: Matrix3) -> Matrix3:
    return (column(m, 0), column(m, 1), column(m, 2))


def apply(m: Matrix3, v: Vector3) -> Vector3:
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def product(a: Matrix3, b: Matrix3) -> Matrix3:
    columns = transposed(b)
    return (apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2]))


def from_columns(x: Vector3, y: Vector3, z: Vector3) -> Matrix3:
    return transposed((x, y, z))


def turn_x(angle: float) -> Matrix3:
    s, c = sincos(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


def turn_y(angle: float) -> Matrix3:
    s, c = sincos(angle)
    return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))


def turn_z(angle: float) -> Matrix3:
    s, c = sincos(angle)
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def turn_about(axis: Vector3, angle: float) -> Matrix3:
    """Return the rotation matrix about a unit axis by an angle (rad), by Rodrigues' formula."""
    s, c = sincos(angle)
    x, y, z = (
        add(add(scaled(c, e), scaled(s, cross(axis, e))), scaled((1 - c) * dot(axis, e), axis)) for e in UNIT
    )
    return from_columns(x, y, z)


def from_rpy(rpy: Vector3) -> Matrix3:
    """Return the rotation matrix of roll, pitch and yaw about the fixed axes x, y, z, as in URDF."""
    return product(turn_z(rpy[2]), product(turn_y(rpy[1]), turn_x(rpy[0])))


def to_rpy(m: Matrix3) -> Vector3:
    """Return roll, pitch and yaw (rad) of a rotation matrix.

    Each angle is computed such that it compensates the rounding of the previous ones, also at pitch pi/2.
    """
    yaw = math.atan2(m[1][0], m[0][0]) if math.hypot(m[0][0], m[1][0]) > 1e-15 else 0.0
    s, c = sincos(yaw)
    pitch = math.atan2(-m[2][0], c * m[0][0] + s * m[1][0])
    roll = math.atan2(s * m[0][2] - c * m[1][2], c * m[1][1] - s * m[0][1])
    return (roll, pitch, yaw)


def from_quaternion(w: float, x: float, y: float, z: float) -> Matrix3:
    """Return the rotation matrix of a nonzero quaternion."""
    length = math.hypot(w, x, y, z)
    w, x, y, z = w / length, x / length, y / length, z / length
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


@dataclass(frozen=True)
class Pose:
    """Pose of a frame in another one: rotation matrix and position of the origin."""

    R: Matrix3 = UNIT
    p: Vector3 = ORIGIN

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(product(self.R, other.R), add(apply(self.R, other.p), self.p))

    def inverse(self) -> Pose:
        back = transposed(self.R)
        return Pose(back, scaled(-1.0, apply(back, self.p)))

    @property
    def x(self) -> Vector3:
        return column(self.R, 0)

    @property
    def z(self) -> Vector3:
        return column(self.R, 2)


def difference(a: Pose, b: Pose) -> tuple[float, float]:
    """Return how much two poses differ: the largest differences between their rotation entries and positions.

    Args:
        a, b: the poses.

    Returns:
        The largest absolute difference between entries of the rotation matrices, and that between coordinates of the
        positions.
    """
    turned = max(abs(x - y) for r, s in zip(a.R, b.R, strict=True) for x, y in zip(r, s, strict=True))
    return turned, max(abs(x - y) for x, y in zip(a.p, b.p, strict=True))
