"""Equations of motion of which some accelerations are known, or tied to others.

    A x + H = Q - C' l,     x_k given,     C x = -c

with k the known ones and f the free (Khalil 2010, section 6):

    A_ff x_f + C_f' l = Q_f - H_f - A_fk x_k,     C_f x_f = -c - C_k x_k

With A_ff = L L' and z = L' x_f the ties are met by the z that is nearest to the one without them (Gauss). The ties may
say the same more than once (all joints of a four-bar stand as soon as one does): x is determined all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DEPENDENT = 1e-9  # of the largest singular value, rows of length 1: ties that repeat others


def _no_rows() -> Array:
    return np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Holds:
    """What acts on the coordinates besides drives, springs and gravity.

    Attributes:
        known: accelerations that are known, by the number of the coordinate.
        push: forces on the coordinates, those of friction for one; none where empty.
        rows, drift: ties between accelerations, rows x = -drift.
    """

    known: Mapping[int, float] = field(default_factory=dict)
    push: Array = field(default_factory=lambda: np.zeros(0))
    rows: Array = field(default_factory=_no_rows)
    drift: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def plain(self) -> bool:
        """Whether the direct dynamic model tells all accelerations."""
        return not self.known and not len(self.rows)


NOTHING = Holds()


def parted(
    A: Array, right: Array, known: Mapping[int, float], rows: Array, drift: Array
) -> tuple[Array, Array]:
    """All accelerations x, and what is left of the forces: right - A x, zero where nothing is held.

    Arguments:
        right: Q - H.
        known, rows, drift: as in `Holds`, over all entries of x.
    """
    x = np.zeros(len(right))
    held = np.zeros(len(right), dtype=bool)
    for k, value in known.items():
        x[k], held[k] = value, True
    free = ~held
    if free.any():
        given = (right[free] - A[np.ix_(free, held)] @ x[held])[:, None]
        if not len(rows):
            x[free] = np.linalg.solve(A[np.ix_(free, free)], given)[:, 0]
        else:
            L = np.linalg.cholesky(A[np.ix_(free, free)])
            both = np.linalg.solve(L, np.hstack([given, rows[:, free].T]))
            z, ties = both[:, 0], both[:, 1:].T
            beyond = ties @ z + drift + rows[:, held] @ x[held]
            norms = np.linalg.norm(ties, axis=1)  # ties of turns and of slides have different units
            norms = np.where(norms > 0, norms, 1.0)
            change = np.linalg.lstsq(ties / norms[:, None], beyond / norms, rcond=DEPENDENT)[0]
            x[free] = np.linalg.solve(L.T, z - change)
    return x, right - A @ x
