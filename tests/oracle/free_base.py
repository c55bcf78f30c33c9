"""A tree with its base as link 0: the 6 + n equations A [Vd0; qdd] + H = [f0; tau] in plain NumPy.

They come from `tests.oracle.dynamics`, that is from rates of momentum: a column of A is the wrench and torques of a
unit acceleration at rest, H those of no acceleration. Any mixture of known accelerations and known forces is a
partition of these equations. V0 and Vd0 are (linear; angular), in frame 0; f0 is the wrench on the base, in frame 0
about its origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symoro.robot.description import WRENCH, Robot
from tests.oracle.dynamics import STILL, Array, Tree, Twist, cross


class FreeTree(Tree):
    """Numbers of a robot whose base has mass and an external wrench."""

    def __init__(self, robot: Robot, values: Mapping[str, float], wrench: Array) -> None:
        super().__init__(robot, values, wrench=wrench, base=STILL)
        self.bodies.append(self._body(0, np.eye(4), robot.base.link))
        self.load = np.array([self._number(getattr(robot.base.link, name)) for name in WRENCH])

    def forces(self, q: Array, qd: Array, qdd: Array, V0: Array, Vd0: Array, *, alone: bool = False) -> Array:
        """Return [f0; tau] for a motion; `alone` omits weight, loads and friction."""
        base = Twist(V0[:3], V0[3:], Vd0[:3], Vd0[3:])
        total, T = self._carried(q, qd, qdd, weight=not alone, loads=not alone, base=base)
        at = {j: T[j].real for j in (0, *self.moving)}
        in_frame = {
            j: np.r_[
                at[j][:3, :3].T @ total[j, :3],
                at[j][:3, :3].T @ (total[j, 3:] - cross(at[j][:3, 3], total[j, :3])),
            ]
            for j in at
        }
        tau = np.array([in_frame[j][2 if self.sigma[j] == 1 else 5] for j in self.moving])
        ia, fv, fs, fo = np.array([self.drive[j] for j in self.moving]).T
        tau = tau + ia * qdd
        if alone:
            return np.r_[in_frame[0], tau]
        return np.r_[in_frame[0] + self.load, tau + fv * qd + fs * np.sign(qd) + fo]

    def matrix(self, q: Array) -> Array:
        """Return A, including rotor inertias."""
        n, still = len(self.moving), np.zeros(6)
        columns = [
            self.forces(q, np.zeros(n), unit[6:], still, unit[:6], alone=True) for unit in np.eye(6 + n)
        ]
        return np.array(columns).T

    def partition(
        self, q: Array, qd: Array, V0: Array, known: Array, free: Sequence[bool]
    ) -> tuple[Array, Array]:
        """Return (accelerations, forces), 6 + n each, from known forces where `free`, else known accelerations."""
        A = self.matrix(q)
        H = self.forces(q, qd, np.zeros(len(self.moving)), V0, np.zeros(6))
        u = np.array(free)
        x, f = np.where(u, 0.0, known), np.where(u, known, 0.0)
        x[u] = np.linalg.solve(A[np.ix_(u, u)], f[u] - H[u] - A[np.ix_(u, ~u)] @ x[~u])
        f[~u] = (A @ x + H)[~u]
        return x, f
