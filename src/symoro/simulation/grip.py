"""How much of what it can hold a set of joints with dry friction is asked to, and which way it gives.

The joints at rest take the forces l with W' l = f, each no more than its c. The least share s with |l_i| <= s c_i tells
whether they hold:

    s = min over l of max |l_i| / c_i     =     max over u of  f' u / sum c_i |w_i u|

Where the rows w_i are independent l is the one solution, and the joint with the largest share is the first to go.
Where they are not (joints of a loop, wheels that all stand when two of them do) no joint has a share of its own: a way
u of the whole gives, that of the dual, and the joints with w_i u != 0 go together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DEPENDENT = 1e-9  # of the largest singular value of the rows, each of length 1
TOGETHER = 1e-9  # of the share: joints that are let go at one moment
NEAR = 1e-6  # of the share: the way is looked for
STANDS = 1e-7  # of the fastest: a joint that the way does not move


@dataclass(frozen=True, eq=False)
class Grip:
    """What joints at rest are asked to hold.

    Attributes:
        forces: l, one solution.
        most: c.
        share: s, or a larger number below 1.
        way: the speeds w_i u, or zero where all hold well; None where each joint has a share of its own.
    """

    forces: Array
    most: Array
    share: float
    way: Array | None

    @property
    def margins(self) -> Array:
        """What stays positive as long as each joint holds."""
        if self.way is None:
            return np.asarray(1.0 - np.abs(self.forces) / self.most)
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


def grip(rows: Array, force: Array, most: Array) -> Grip:
    """What joints with these rows are asked to, against a force on the coordinates.

    Arguments:
        rows: W, a row a joint, none of them zero.
        force: f.
        most: c, positive.
    """
    if not len(most):
        return Grip(np.zeros(0), most, 0.0, None)
    norms = np.linalg.norm(rows, axis=1)
    ways, sizes, _ = np.linalg.svd(rows / norms[:, None])
    rank = int((sizes > DEPENDENT * sizes[0]).sum())
    forces = np.linalg.lstsq((rows / norms[:, None]).T, force, rcond=DEPENDENT)[0] / norms
    if rank == len(most):
        return Grip(forces, most, float((np.abs(forces) / most).max()), None)
    alone = np.abs(ways[:, rank:]).max(axis=1) < DEPENDENT  # what no other joint can hold
    left = force - forces[alone] @ rows[alone]
    group = _together(rows[~alone], left, most[~alone], rank - int(alone.sum()))
    forces[~alone], way = group.forces, np.zeros(len(most))
    shares = np.where(alone, np.abs(forces) / most, 0.0)
    first = int(shares.argmax())
    if shares[first] > group.share:
        way[first] = np.sign(forces[first])
        return Grip(forces, most, float(shares[first]), way)
    way[~alone] = group.way
    return Grip(forces, most, group.share, way)


def _together(rows: Array, force: Array, most: Array, rank: int) -> Grip:
    """What joints are asked to that depend on each other."""
    scaled = rows * most[:, None]
    shares = _least(scaled, force, rank)
    share, way = float(np.abs(shares).max()), np.zeros(len(most))
    if share > 1.0 - NEAR:
        u = rows[0] * (rows[0] @ force) if rank == 1 else _giving(scaled, scaled.T @ shares)
        way = rows @ u
        share = float(force @ u / (most @ np.abs(way)))
    return Grip(shares * most, most, share, way)


def _least(scaled: Array, force: Array, rank: int) -> Array:
    """Even shares that together make the force: those of least squares, of rows that are dependent."""
    left, sizes, right = np.linalg.svd(scaled.T, full_matrices=False)
    return np.asarray(right[:rank].T @ ((left[:, :rank].T @ force) / sizes[:rank]))


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
