"""Poses from the numbers that people have: a matrix, or a position with three angles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError

Array = NDArray[np.float64]

FAR = 1e-2  # a matrix farther from a rotation is taken for a mistake


def from_angles(x: float, y: float, z: float, roll: float, pitch: float, yaw: float) -> Array:
    """The pose with this position and the rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, sp, sy), (cr, cp, cy) = np.sin([roll, pitch, yaw]), np.cos([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0, 0, 0, 1],
        ]
    )


def from_entries(entries: ArrayLike) -> Array:
    """The pose with these entries: 12 or 16 of them by rows, in any nesting."""
    numbers = np.asarray(entries, dtype=float).ravel()
    if numbers.size not in (12, 16):
        raise ArgumentError(f"a pose has 12 or 16 entries, by rows; got {numbers.size}")
    if not np.isfinite(numbers).all():
        raise ArgumentError("an entry of the pose is no finite number")
    return np.vstack([numbers[:12].reshape(3, 4), [0, 0, 0, 1]])


def orthonormal(pose: Array) -> tuple[Array, float]:
    """The pose with the nearest rotation in place of its own, and the largest change of an entry.

    Raises:
        ArgumentError: the matrix is nowhere near a rotation.
    """
    u, _, v = np.linalg.svd(pose[:3, :3])
    change = float(np.abs(u @ v - pose[:3, :3]).max())
    if not change < FAR or np.linalg.det(u @ v) < 0:
        raise ArgumentError(
            "the first three columns of the pose are no rotation",
            hint="its columns s, n, a are unit vectors at right angles, with s x n = a",
        )
    made = pose.copy()
    made[:3, :3] = u @ v
    return made, change
