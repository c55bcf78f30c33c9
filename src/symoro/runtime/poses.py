"""Poses from the numbers that people have: a matrix, or a position with three angles; rotations that were rounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.models.geometric.inverse.chain.pose import Given
from symoro.runtime.tolerances import ROTATION_EXACT, ROTATION_MISTAKE, ROTATION_ROUNDED

Array = NDArray[np.float64]

PLANE = ((True, True, False), (True, True, False), (False, False, False))


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
    if numbers.size == 16 and np.abs(numbers[12:] - [0, 0, 0, 1]).max() > ROTATION_ROUNDED:
        shown = ", ".join(f"{x:g}" for x in numbers[12:])
        raise ArgumentError(
            f"the last row of a pose is 0, 0, 0, 1; got {shown}", hint="are the entries given by rows?"
        )
    return np.vstack([numbers[:12].reshape(3, 4), [0, 0, 0, 1]])


@dataclass(frozen=True)
class Turning:
    """The part of a pose that turns: columns of a rotation, or the plane's two by two."""

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
        """Poses (N, 4, 4) with orthonormal columns in this part, and the largest change of an entry of each.

        The columns C become U V' of their singular value decomposition, the orthonormal ones nearest to them; they keep
        their hand. The change is NaN where an entry is not finite, and 0 where it is round-off.
        """
        part = poses[:, : self.rows, self.columns]
        change = np.where(np.isfinite(part).all(axis=(1, 2)), 0.0, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            products = part.transpose(0, 2, 1) @ part - np.eye(len(self.columns))
        rough = (np.abs(products).max(axis=(1, 2)) > ROTATION_EXACT) & (change == 0)
        made = poses.copy()
        if rough.any():
            u, _, v = np.linalg.svd(part[rough], full_matrices=False)
            change[rough] = np.abs(u @ v - part[rough]).max(axis=(1, 2))
            made[np.ix_(rough, range(self.rows), self.columns)] = u @ v
        return made, change

    def hands(self, poses: Array) -> Array:
        """1 where the columns, as many as rows, are right-handed, -1 where left-handed, between where neither."""
        return np.asarray(np.linalg.det(poses[:, : self.rows, self.columns]))


def turning_part(given: Given) -> Turning | None:
    """The part of a pose that must be orthonormal for what is given of it; None where nothing must."""
    columns = tuple(c for c in range(3) if all(row[c] for row in given))
    if columns:
        return Turning(3, columns)
    return Turning(2, (0, 1)) if tuple(tuple(row[:3]) for row in given) == PLANE else None


def orthonormal(pose: Array, part: Turning, hand: int | None = None) -> tuple[Array, float]:
    """The pose with the nearest orthonormal columns in place of its own, and the largest change of an entry.

    Arguments:
        hand: 1 where the columns must be right-handed, -1 where left-handed.

    Raises:
        ArgumentError: the columns are nowhere near that, or of the other hand.
    """
    (made,), (change,) = part.nearest(pose[None])
    if not change < ROTATION_MISTAKE:
        raise ArgumentError(
            f"{part.words} of the pose are no rotation",
            hint="its columns s, n, a are unit vectors at right angles, with s x n = a",
        )
    if hand is not None and part.hands(made[None])[0] * hand < 0:
        got, wanted = ("left", "right") if hand > 0 else ("right", "left")
        raise ArgumentError(
            f"{part.words} of the pose are no rotation of this frame: they are {got}-handed, its own {wanted}-handed",
            hint="the sign of a column is wrong, or two columns are exchanged",
        )
    return made, float(change)
