"""Poses from the entries of a matrix or from a position and three angles; correction of rounded rotations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.models.geometric.inverse.chain.pose import Given
from symoro.runtime.tolerances import ROTATION_EXACT, ROTATION_MISTAKE, ROTATION_ROUNDED

Array = NDArray[np.float64]

PLANE = ((True, True, False), (True, True, False), (False, False, False))


def from_angles(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, roll: ArrayLike, pitch: ArrayLike, yaw: ArrayLike
) -> Array:
    """Return the pose (..., 4, 4) with position x, y, z (m) and rotation Rz(yaw) Ry(pitch) Rx(roll) (rad).

    The arguments are numbers, or arrays for several poses.
    """
    x, y, z, roll, pitch, yaw = np.broadcast_arrays(x, y, z, roll, pitch, yaw)
    (sr, sp, sy), (cr, cp, cy) = np.sin([roll, pitch, yaw]), np.cos([roll, pitch, yaw])
    zero = np.zeros_like(sr)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
        [-sp, cp * sr, cp * cr, z],
        [zero, zero, zero, zero + 1],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_entries(entries: ArrayLike) -> Array:
    """Return the pose (4, 4) from its 12 or 16 entries by rows, as a flat or nested list."""
    numbers = np.asarray(entries, dtype=float).ravel()
    if numbers.size not in (12, 16):
        raise ArgumentError(f"a pose has 12 or 16 entries, by rows; got {numbers.size}")
    if not np.isfinite(numbers).all():
        raise ArgumentError("an entry of the pose is not a finite number")
    if numbers.size == 16 and np.abs(numbers[12:] - [0, 0, 0, 1]).max() > ROTATION_ROUNDED:
        shown = ", ".join(f"{x:g}" for x in numbers[12:])
        raise ArgumentError(
            f"the last row of a pose must be 0, 0, 0, 1; got {shown}", hint="give the entries by rows"
        )
    return np.vstack([numbers[:12].reshape(3, 4), [0, 0, 0, 1]])


@dataclass(frozen=True)
class RotationPart:
    """Part of a pose that must be orthonormal: some columns of the rotation matrix, or the 2x2 rotation of a plane."""

    rows: int
    columns: tuple[int, ...]

    @property
    def whole(self) -> bool:
        return len(self.columns) == 3

    @property
    def words(self) -> str:
        names = [f"{'sna'[c]}{axis}" for c in self.columns for axis in "xyz"[: self.rows]]
        return "the first three columns" if self.whole else f"the entries {', '.join(names)}"

    def nearest(self, poses: Array) -> tuple[Array, Array]:
        """Return poses with the nearest orthonormal columns in this part, and the largest change of an entry of each.

        The columns C are replaced by U V' of their singular value decomposition, the nearest orthonormal columns; their
        handedness does not change. The change is NaN if an entry is not finite, and 0 if it is round-off.

        Args:
            poses: homogeneous transforms (N, 4, 4).
        """
        part = poses[:, : self.rows, self.columns]
        change = np.where(np.isfinite(part).all(axis=(1, 2)), 0.0, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            products = part.transpose(0, 2, 1) @ part - np.eye(len(self.columns))
        rough = (np.abs(products).max(axis=(1, 2)) > ROTATION_EXACT) & (change == 0)
        corrected = poses.copy()
        if rough.any():
            u, _, v = np.linalg.svd(part[rough], full_matrices=False)
            change[rough] = np.abs(u @ v - part[rough]).max(axis=(1, 2))
            corrected[np.ix_(rough, range(self.rows), self.columns)] = u @ v
        return corrected, change

    def hands(self, poses: Array) -> Array:
        """Return the determinant of this part of each pose: 1 if it is right-handed, -1 if left-handed.

        The part must be square; a part that is not orthonormal has another determinant.
        """
        return np.asarray(np.linalg.det(poses[:, : self.rows, self.columns]))


def rotation_part(given: Given) -> RotationPart | None:
    """Return the columns of a partly given pose that must be orthonormal; None if there are none.

    Args:
        given: three rows of four flags, true for the given entries of the pose.
    """
    columns = tuple(c for c in range(3) if all(row[c] for row in given))
    if columns:
        return RotationPart(3, columns)
    return RotationPart(2, (0, 1)) if tuple(tuple(row[:3]) for row in given) == PLANE else None


def orthonormal(pose: Array, part: RotationPart, hand: int | None = None) -> tuple[Array, float]:
    """Return the pose with the nearest orthonormal columns, and the largest change of an entry.

    Args:
        pose: homogeneous transform (4, 4).
        part: columns that must be orthonormal.
        hand: 1 if the columns must be right-handed, -1 if left-handed.

    Raises:
        ArgumentError: the columns are far from orthonormal, or have the other handedness.
    """
    (corrected,), (change,) = part.nearest(pose[None])
    if not change < ROTATION_MISTAKE:
        raise ArgumentError(
            f"{part.words} of the pose are not a rotation",
            hint="the columns s, n, a of the pose must be perpendicular unit vectors with s x n = a",
        )
    if hand is not None and part.hands(corrected[None])[0] * hand < 0:
        got, expected = ("left", "right") if hand > 0 else ("right", "left")
        raise ArgumentError(
            f"{part.words} of the pose are not a rotation of this frame: they are {got}-handed, expected "
            f"{expected}-handed",
            hint="the sign of a column is wrong, or two columns are exchanged",
        )
    return corrected, float(change)
