"""Robots with closed loops in plain NumPy, to check the models against.

The loops are the twelve equations by which the placements of frames k and k + B are the same. Placements are Taylor
series in time: with a joint's motion p + p' t + p'' t^2/2 and X the generator of its turn or slide,

    iTj(t) = iTj [ 1 + X p' t + (X p'' + X^2 p'^2) t^2/2 ]

so that the first coefficient of the equations gives their derivative J by the joints and the second the drift, and no
formula for a velocity or an acceleration is shared with the models. Torques by Lagrange's multipliers:

    tree's torques = [active torques; 0] + J' multipliers,     those of the cut joints are zero.

The tree's torques are those of `dynamics.Tree`, by momentum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symoro.robot.coordinates import independent
from symoro.robot.description import GEOMETRIC, JointType, Robot
from symoro.robot.topology import cut_joints
from tests.oracle.dynamics import Tree
from tests.oracle.placement import placement

Array = np.ndarray
Series = tuple[Array, Array, Array]  # coefficients of 1, t, t^2
RANK = 1e-9
TURN, SLIDE = np.zeros((4, 4)), np.zeros((4, 4))
TURN[0, 1], TURN[1, 0], SLIDE[2, 3] = -1, 1, 1


def product(a: Series, b: Series) -> Series:
    return a[0] @ b[0], a[0] @ b[1] + a[1] @ b[0], a[0] @ b[2] + a[1] @ b[1] + a[2] @ b[0]


@dataclass(frozen=True)
class Moving:
    """Motion of all joints (tree and cut joints) due to the active joints."""

    q: Array
    qd: Array
    qdd: Array
    G: Array  # tree's joints from the active ones
    condition: float


class Closed:
    """Robot with loops; x are the positions of the joints of its tree, then of the cut joints."""

    def __init__(
        self, robot: Robot, values: Mapping[str, float] | None = None, wrench: Array | None = None
    ) -> None:
        self.robot = robot
        self.tree = Tree(robot, values, wrench=wrench)
        self.own, self.cut = independent(robot), cut_joints(robot)
        self.joints = [*self.own, *self.cut]
        self.active = [k for k, j in enumerate(self.own) if robot.frame(j).mu]
        self.rest = [k for k in range(len(self.joints)) if k not in self.active]
        self.passive = [k for k in range(len(self.own)) if k not in self.active]
        self.n, self.na = len(self.own), len(self.active)
        self.place = {
            j: [self.tree._number(getattr(f, n)) for n in GEOMETRIC] for j, f in enumerate(robot.frames, 1)
        }
        number = self.tree._number
        self.k = np.array([number(robot.frame(j).k) * robot.frame(j).eta for j in self.own])
        self.slack = np.array([number(robot.frame(j).rest) for j in self.own])

    def _follow(self, x: Array, offset: bool) -> dict[int, Array]:
        """Return every moving joint, including coupled ones."""
        known = dict(zip(self.joints, x.T, strict=True))
        for j, frame in enumerate(self.robot.frames, 1):
            if frame.coupling is not None:
                total = self.tree._number(frame.coupling.offset) if offset else 0.0
                known[j] = total + sum(self.tree._number(c) * known[i] for i, c in frame.coupling.terms)
        return known

    def placements(self, x: Array, xd: Array, xdd: Array) -> dict[int, Series]:
        """Return the Taylor series of every frame; several rates, one per row, at once."""
        position, rate, second = self._follow(x, True), self._follow(xd, False), self._follow(xdd, False)
        none = np.zeros((*xd.shape[:-1], 4, 4))
        result: dict[int, Series] = {0: (np.eye(4), none, none)}
        while len(result) <= self.robot.NF:
            for j, frame in enumerate(self.robot.frames, 1):
                if j in result or frame.ant not in result:
                    continue
                at = list(self.place[j])
                if not frame.moving:
                    T = placement(*at).real
                    result[j] = tuple(coefficient @ T for coefficient in result[frame.ant])
                    continue
                turns = frame.sigma == JointType.REVOLUTE
                at[4 if turns else 5] += position[j]
                T, X = placement(*at).real, TURN if turns else SLIDE
                velocity, acceleration = (np.asarray(one[j])[..., None, None] for one in (rate, second))
                local = (T, velocity * (T @ X), T @ (X * acceleration + X @ X * velocity**2) / 2)
                result[j] = product(result[frame.ant], local)
        return result

    def _gap(self, at: Mapping[int, Series], order: int) -> Array:
        """Return one coefficient of the closure errors, (..., 12 B)."""
        first = self.robot.NL + 1
        pairs = [(at[k][order], at[k + self.robot.B][order]) for k in range(first, first + self.robot.B)]
        open_by = [(one - other)[..., :3, :] for one, other in pairs]
        return np.concatenate([gap.reshape(*gap.shape[:-2], 12) for gap in open_by], axis=-1)

    def gaps(self, x: Array, xd: Array, xdd: Array) -> Array:
        """Return the closure errors, their rates, and half of their second derivatives, (3, 12 B)."""
        at = self.placements(x, xd, xdd)
        return np.array([self._gap(at, order) for order in range(3)])

    def jacobian(self, x: Array) -> Array:
        unit = np.eye(len(x))
        return self._gap(self.placements(x, unit, 0 * unit), 1).T

    def close(self, x: Array, hold: bool = False, rounds: int = 60) -> Array | None:
        """Close the loops by Newton's method, with active joints fixed or not; return None if it fails."""
        x, free = np.array(x, float), self.rest if hold else list(range(len(x)))
        for _ in range(rounds):
            gap = self.gaps(x, 0 * x, 0 * x)[0]
            if np.abs(gap).max() < 1e-15:
                break
            step = np.linalg.lstsq(self.jacobian(x)[:, free], -gap, rcond=1e-10)[0]
            x[free] += step * min(1.0, 0.3 / max(np.abs(step).max(), 1e-300))
        return x if np.abs(self.gaps(x, 0 * x, 0 * x)[0]).max() < 1e-12 else None

    def moved(self, x: Array, qda: Array, qdda: Array) -> Moving:
        """Return the motion of all joints."""
        J = self.jacobian(x)
        inverse = np.linalg.pinv(J[:, self.rest], RANK)
        sizes = np.linalg.svd(J[:, self.rest], compute_uv=False)
        every = np.zeros((len(x), self.na))
        every[self.active] = np.eye(self.na)
        every[self.rest] = -inverse @ J[:, self.active]
        xd = every @ qda
        drift = 2 * self.gaps(x, xd, 0 * x)[2]
        xdd = every @ qdda
        xdd[self.rest] -= inverse @ drift
        assert np.abs(J @ xdd + drift).max() < 1e-7 * (1 + np.abs(drift).max())
        return Moving(x, xd, xdd, every[: self.n], float(sizes[len(self.rest) - 1] / sizes[0]))

    def efforts(self, at: Moving) -> Array:
        """Return the torques of the tree's joints."""
        n = self.n
        return np.asarray(
            self.tree.torques(at.q[:n], at.qd[:n], at.qdd[:n]) + self.k * (at.q[:n] - self.slack)
        )

    def _held(self, x: Array, efforts: Array) -> tuple[Array, Array]:
        """Return the active torques and multipliers that balance the tree's torques."""
        J = self.jacobian(x)
        select = np.zeros((len(x), self.na))
        select[self.active] = np.eye(self.na)
        full = np.r_[efforts, np.zeros(len(x) - self.n)]
        result = np.linalg.lstsq(np.hstack([select, J.T]), full, rcond=1e-12)[0]
        return result[: self.na], result[self.na :]

    def torques(self, x: Array, qda: Array, qdda: Array) -> Array:
        return self._held(x, self.efforts(self.moved(x, qda, qdda)))[0]

    def bias(self, x: Array, qda: Array) -> Array:
        return self.torques(x, qda, np.zeros(self.na))

    def weight(self, x: Array) -> Array:
        return self._held(x, self.tree.weight(x[: self.n]))[0]

    def inertia(self, x: Array) -> Array:
        at = self.moved(x, np.zeros(self.na), np.zeros(self.na))
        tree = self.tree.inertia(x[: self.n])
        return np.array([self._held(x, tree @ column)[0] for column in at.G.T]).T

    def energies(self, x: Array, qda: Array) -> tuple[float, float]:
        at = self.moved(x, qda, 0 * qda)
        E, U = self.tree.energies(x[: self.n], at.qd[: self.n])
        return E, U + float(self.k @ (x[: self.n] - self.slack) ** 2) / 2

    def cut_wrenches(self, x: Array, qda: Array, qdda: Array) -> tuple[Array, Array]:
        """Return the wrench of the left link on the right one at each cut, in frame k + B, and undetermined entries.

        The twelve multipliers of a loop are a force and nine entries for the rotation; the moment is their effect in a
        rotation of frame k.
        """
        J = self.jacobian(x)
        select = np.zeros((len(x), self.na))
        select[self.active] = np.eye(self.na)
        system = np.hstack([select, J.T])
        efforts = np.r_[self.efforts(self.moved(x, qda, qdda)), np.zeros(len(x) - self.n)]
        result = np.linalg.lstsq(system, efforts, rcond=1e-12)[0][self.na :]
        _, sizes, right = np.linalg.svd(system)
        null = right[int((sizes > RANK * sizes[0]).sum()) :, self.na :]
        wrenches = self._as_wrenches(x, result)
        loose = np.array([self._as_wrenches(x, y) for y in null]).reshape(-1, self.robot.B, 6)
        return -wrenches, np.abs(loose).max(0, initial=0) > 1e-7

    def _as_wrenches(self, x: Array, multipliers: Array) -> Array:
        at = self.placements(x, 0 * x, 0 * x)
        rows = []
        for k in range(self.robot.B):
            frame = at[self.robot.NL + k + 1][0]
            M = multipliers[12 * k : 12 * k + 12].reshape(3, 4)
            turns = []
            for a in range(3):
                spin = np.zeros((3, 3))
                b, c = (a + 1) % 3, (a + 2) % 3
                spin[b, c], spin[c, b] = -1, 1
                turns.append(np.sum(M[:, :3] * (spin @ frame[:3, :3])))
            R = at[self.robot.NL + self.robot.B + k + 1][0][:3, :3]
            rows.append(np.r_[R.T @ M[:, 3], R.T @ np.array(turns)])
        return np.array(rows)
