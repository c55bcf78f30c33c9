"""Poses to be reached, as they come: rounded, in single precision, or no poses at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FAR = 1e-2  # columns farther from those of a rotation are taken for a mistake
ROUND_OFF = 1e-13


class Targets:
    """Makes poses of which some entries are given, (row, column) counted from 0, fit to be reached."""

    def __init__(self, entries: Sequence[tuple[int, int]]) -> None:
        self._entries = [4 * row + column for row, column in entries]
        self._whole = [c for c in range(3) if all((r, c) in entries for r in range(3))]

    def made(self, poses: Array) -> tuple[Array, Array]:
        """Poses (N, 4, 4) whose columns that are given whole are those of a rotation, and the largest change.

        The columns C become the nearest orthonormal ones, U V' of the singular value decomposition of C. The change
        is infinite where a given entry is not finite, or the columns are those of no rotation.
        """
        finite = np.isfinite(poses.reshape(-1, 16)[:, self._entries]).all(axis=1)
        change = np.where(finite, 0.0, np.inf)
        if not self._whole:
            return poses, change
        unit = np.eye(3)[:, self._whole]
        columns = poses[:, :3, self._whole]
        if not finite.all():
            columns[~finite] = unit
        with np.errstate(over="ignore", invalid="ignore"):
            products = columns.transpose(0, 2, 1) @ columns - unit[self._whole]
        rough = ~(np.abs(products).max(axis=(1, 2)) <= ROUND_OFF)
        if len(self._whole) == 3:
            change[np.linalg.det(columns) < 0] = np.inf
        if not rough.any():
            return poses, change
        u, sizes, v = np.linalg.svd(columns[rough], full_matrices=False)
        moved = np.abs(u @ v - columns[rough]).max(axis=(1, 2))
        sound = (np.abs(sizes - 1).max(axis=1) < 2 * FAR) & (moved < FAR)
        change[rough] = np.maximum(change[rough], np.where(sound, moved, np.inf))
        made = poses.copy()
        made[np.ix_(rough, range(3), self._whole)] = u @ v
        return made, change
