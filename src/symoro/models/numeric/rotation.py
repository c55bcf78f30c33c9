"""Numerical rotations: rotation vectors (exponential and logarithm) and quaternions, for many rotations at once.

exp(v) = 1 + sin(a)/a v^ + (1 - cos(a))/a^2 v^ v^,     a = |v|
log(R): the shortest v with exp(v) = R; its length is at most pi
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from symoro.models.numeric.fixed_point import Array


def hat(v: ArrayLike) -> Array:
    """Return the skew-symmetric cross-product matrices (..., 3, 3) of vectors v (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    return np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2
    )


def exponential(v: ArrayLike) -> Array:
    """Return the rotation matrices (..., 3, 3) of rotation vectors v (..., 3) in rad."""
    vector = np.asarray(v, dtype=float)
    half = np.linalg.norm(vector, axis=-1)[..., None, None] / 2
    cross = hat(vector)
    ratio = np.sinc(half / np.pi)  # sin(a/2) / (a/2)
    return np.asarray(np.eye(3) + np.sinc(2 * half / np.pi) * cross + ratio**2 / 2 * (cross @ cross))


def logarithm(rotation: ArrayLike) -> Array:
    """Return the rotation vectors (..., 3) in rad of rotation matrices (..., 3, 3).

    The result is accurate at every angle from 0 to pi.
    """
    q = quaternion(rotation)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return np.asarray(angle / np.where(sine > 0, sine, 1.0) * q[..., 1:])


def quaternion(rotation: ArrayLike) -> Array:
    """Return the unit quaternions (w, x, y, z) with w >= 0 of rotation matrices (..., 3, 3).

    The largest entry is computed first, so that the result is accurate for every rotation.
    """
    R = np.moveaxis(np.asarray(rotation, dtype=float), (-2, -1), (0, 1))
    products = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    products = np.moveaxis(products, (0, 1), (-2, -1))
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    unit = row / np.linalg.norm(row, axis=-1, keepdims=True)
    return np.asarray(np.where(unit[..., :1] < 0, -unit, unit))


def from_quaternion(q: ArrayLike) -> Array:
    """Return the rotation matrices (..., 3, 3) of quaternions (w, x, y, z) of any nonzero length."""
    given = np.asarray(q, dtype=float)
    w, x, y, z = np.moveaxis(given / np.linalg.norm(given, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)
