"""Poses to be reached, as they come: rounded, in single precision, or no poses at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FAR = 1e-2  # columns farther from those of a rotation are taken for a mistake
ROUND_OFF = 1e-13


def nearest_rotations(poses: Array, entries: Sequence[tuple[int, int]]) -> tuple[Array, Array]:
    """Poses (N, 4, 4) whose columns that are given whole are those of a rotation, and the largest change of an entry.

    The columns C become the nearest orthonormal ones, U V' of the singular value decomposition of C. The change is
    infinite where a given entry is not finite, or the columns are those of no rotation.

    Arguments:
        entries: (row, column) of what is given, counted from 0.
    """
    rows, columns = (list(x) for x in zip(*entries, strict=True))
    finite = np.isfinite(poses[:, rows, columns]).all(axis=1)
    change = np.where(finite, 0.0, np.inf)
    whole = [c for c in range(3) if all((r, c) in entries for r in range(3))]
    if not whole:
        return poses, change
    given = np.where(finite[:, None, None], poses[:, :3][:, :, whole], np.eye(3)[:, whole])
    products = given.transpose(0, 2, 1) @ given - np.eye(len(whole))
    rough = np.flatnonzero(~(np.abs(products).max(axis=(1, 2)) <= ROUND_OFF))
    made = poses.copy()
    if len(rough):
        u, sizes, v = np.linalg.svd(given[rough], full_matrices=False)
        sound = np.abs(sizes - 1).max(axis=1) < 2 * FAR
        near = np.where(sound[:, None, None], u @ v, given[rough])
        made[np.ix_(rough, range(3), whole)] = near
        moved = np.abs(near - given[rough]).max(axis=(1, 2))
        change[rough] = np.where(sound & (moved < FAR), np.maximum(change[rough], moved), np.inf)
    if len(whole) == 3:
        change[np.linalg.det(given) < 0] = np.inf
    return made, change
