"""How much of what it can hold a set of joints with dry friction is asked to, and which way it gives.

The joints at rest take the forces l with W' l = f, each no more than its c. The least share s with |l_i| <= s c_i tells
whether they hold:

    s = min over l of max |l_i| / c_i     =     max over u of  f' u / sum c_i |w_i u|

Where the rows w_i are independent l is the one solution, and the joint with the largest share is the first to go.
Where they are not (joints of a loop, wheels that all stand when two of them do) no joint has a share of its own: a way
u of the whole gives, that of the dual, and the joints with w_i u != 0 go together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DEPENDENT = 1e-9  # of the largest singular value of the rows
TOGETHER = 1e-9  # of the share: joints that are let go at one moment
NEAR = 1e-6  # of the share: the way is looked for
STANDS = 1e-7  # of the fastest: a joint that the way does not move


@dataclass(frozen=True, eq=False)
class Hold:
    """What joints at rest are asked to hold.

    Attributes:
        forces: l, one solution.
        most: c.
        share: s, or a larger number below 1.
        way: the speeds w_i u; None where each joint has a share of its own.
    """

    forces: Array
    most: Array
    share: float
    way: Array | None

    @property
    def margins(self) -> Array:
        """What stays positive as long as each joint holds."""
        if self.way is None:
            return np.asarray(self.most - np.abs(self.forces))
        return np.full(len(self.most), 1.0 - self.share)

    def ways(self, *, together: bool) -> Array:
        """+1 or -1 for joints that go first; with `together`, for all whose share is the same but for round-off."""
        if self.way is not None:
            moved = np.abs(self.way) > STANDS * np.abs(self.way).max(initial=0.0)
            return np.where(moved, np.sign(self.way), 0.0)
        shares = np.abs(self.forces) / self.most
        first = (
            shares >= shares.max() * (1 - TOGETHER) if together else np.arange(len(shares)) == shares.argmax()
        )
        return np.where(first, np.sign(self.forces), 0.0)


def hold(rows: Array, force: Array, most: Array) -> Hold:
    """What joints with these rows are asked to, against a force on the coordinates.

    Arguments:
        rows: W, a row a joint.
        force: f.
        most: c, positive.
    """
    if not len(most):
        return Hold(np.zeros(0), most, 0.0, None)
    scaled = rows * most[:, None]  # shares, so that the least solution is one of even shares
    shares, _, rank, _ = np.linalg.lstsq(scaled.T, force, rcond=DEPENDENT)
    share = float(np.abs(shares).max())
    if rank == len(most) or not np.isfinite(share):
        return Hold(shares * most, most, share, None)
    way = np.zeros(len(most))
    if share > 1.0 - NEAR:
        u = scaled.T @ shares if rank == 1 else _giving(scaled, scaled.T @ shares)
        way = rows @ u
        share = float(force @ u / (most @ np.abs(way)))
    return Hold(shares * most, most, share, way)


def _giving(scaled: Array, force: Array) -> Array:
    """The u of the dual: the most of f' u with sum |c_i w_i u| <= 1, a linear program."""
    from scipy.optimize import linprog

    m, n = scaled.shape
    size = np.abs(force).max()
    one = np.eye(m)
    above = np.block([[scaled, -one], [-scaled, -one], [np.zeros((1, n)), np.ones((1, m))]])
    limits = np.concatenate([np.zeros(2 * m), [1.0]])
    found = linprog(
        np.concatenate([-force / size, np.zeros(m)]),
        A_ub=above,
        b_ub=limits,
        bounds=[(None, None)] * n + [(0, None)] * m,
        method="highs",
    )
    return force if found.x is None else np.asarray(found.x[:n])
