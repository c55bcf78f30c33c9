"""Rotations: the exponential of a rotation vector, and the logarithm.

exp(v) = 1 + sin(a)/a v^ + (1 - cos(a))/a^2 v^ v^,     a = |v|
log(R): the shortest v with exp(v) = R, of length at most pi
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def hat(v: ArrayLike) -> Array:
    """The matrix of v x, for vectors (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    return np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2
    )


def exponential(v: ArrayLike) -> Array:
    """Rotations (..., 3, 3) of rotation vectors (..., 3)."""
    vector = np.asarray(v, dtype=float)
    half = np.linalg.norm(vector, axis=-1)[..., None, None] / 2
    cross = hat(vector)
    ratio = np.sinc(half / np.pi)  # sin(a/2) / (a/2)
    return np.asarray(np.eye(3) + np.sinc(2 * half / np.pi) * cross + ratio**2 / 2 * (cross @ cross))


def logarithm(rotation: Array) -> Array:
    """The rotation vector of one rotation (3, 3); through the quaternion, which is sharp at every angle."""
    w, x, y, z = quaternion(rotation)
    sine = float(np.linalg.norm([x, y, z]))
    if sine == 0.0:
        return np.zeros(3)
    return np.asarray(2 * np.arctan2(sine, w) / sine * np.array([x, y, z]))


def quaternion(rotation: Array) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation (3, 3), with w >= 0: by the largest of its entries."""
    R = np.asarray(rotation, dtype=float)
    products = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    row = products[int(np.argmax(np.diag(products)))]
    found = row / np.linalg.norm(row)
    return np.asarray(-found if found[0] < 0 else found)


def from_quaternion(q: ArrayLike) -> Array:
    """The rotation of a quaternion (w, x, y, z) of any length but zero."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
