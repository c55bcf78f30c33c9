"""Robots with closed loops from first principles, for many configurations: a cut tree and Lagrange multipliers.

The cut joints are unknowns like the passive ones. Each loop gives six rows, the velocity of frame k minus that of
frame k + B: C xd = 0, C xdd = -psi. The torques follow from A xdd + H = S' tau + C' lambda by least squares. The code
does not use legs or platforms.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symoro.robot.description import GEOMETRIC, INERTIAL, JointType, Robot
from symoro.robot.topology import outward
from tests.oracle.placement import placement

Array = NDArray[np.float64]


def turn(axis: str, angle: Array) -> Array:
    c, s, one, zero = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    assert axis == "z"
    rows = [[c, -s, zero], [s, c, zero], [zero, zero, one]]
    return np.moveaxis(np.array(rows), -1, 0)


class CutTree:
    """Robot in numbers; x contains the joints of the tree, then the cut joints; first axes are configurations."""

    def __init__(self, robot: Robot, values: Mapping[str, float] | None = None) -> None:
        given = {**dict(robot.nominal), **(values or {})}
        self.robot, self.order = robot, outward(robot)
        tree = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
        cut = [j for j in range(robot.NL + 1, robot.NJ + 1) if robot.frame(j).moving]
        self.column = {j: k for k, j in enumerate([*tree, *cut])}
        self.n, self.size = len(tree), len(tree) + len(cut)
        self.active = [self.column[j] for j in tree if robot.frame(j).mu]
        self.rest = [k for k in range(self.size) if k not in self.active]
        self.place = {
            j: placement(**{name: getattr(frame, name).value(given) for name in GEOMETRIC})
            for j, frame in enumerate(robot.frames, 1)
        }
        self.links = {
            j: {name: getattr(link, name).value(given) for name in INERTIAL}
            for j, link in enumerate(robot.links, 1)
        }
        self.drive = {
            name: np.array([getattr(robot.frame(j), name).value(given) for j in tree])
            for name in ("IA", "FV", "FS", "FO")
        }
        z = np.array([entry.value(given) for entry in robot.base.Z]).reshape(4, 4)
        self.g = z[:3, :3].T @ np.array([entry.value(given) for entry in robot.base.G])

    def placed(self, x: Array) -> dict[int, tuple[Array, Array]]:
        count = len(x)
        at = {0: (np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3)))}
        for j in self.order:
            frame = self.robot.frame(j)
            R, p = at[frame.ant]
            p = p + R @ self.place[j][:3, 3]
            R = R @ self.place[j][:3, :3]
            if j in self.column:
                q = x[:, self.column[j]]
                if frame.sigma == JointType.REVOLUTE:
                    R = R @ turn("z", q)
                else:
                    p = p + R[:, :, 2] * q[:, None]
            at[j] = (R, p)
        return at

    def opened(self, q: Array) -> Array:
        """Return x with the cut joints, all revolute, from the tree: the angle between x of frames k and k + B."""
        x = np.concatenate([q, np.zeros((len(q), self.size - self.n))], 1)
        at = self.placed(x)
        for k in range(self.robot.NL + 1, self.robot.NJ + 1):
            one, other = at[k][0], at[k + self.robot.B][0]
            c = np.einsum("ni,ni->n", one[:, :, 0], other[:, :, 0])
            s = np.einsum("ni,ni->n", one[:, :, 1], other[:, :, 0])
            x[:, self.column[k]] = np.arctan2(s, c)
        return x

    def gap(self, x: Array) -> Array:
        """Return the closure error of each configuration."""
        at, result = self.placed(x), np.zeros(len(x))
        for k, closing_frame in self.pairs():
            for one, other in zip(at[k], at[closing_frame], strict=True):
                result = np.maximum(result, np.abs(one - other).reshape(len(x), -1).max(1))
        return result

    def pairs(self) -> list[tuple[int, int]]:
        return [(k, k + self.robot.B) for k in range(self.robot.NL + 1, self.robot.NJ + 1)]

    def jacobian(self, at: Mapping[int, tuple[Array, Array]], j: int) -> Array:
        """Return the Jacobian (N, 6, size) of a frame: velocity of its origin, and angular velocity."""
        p = at[j][1]
        result = np.zeros((len(p), 6, self.size))
        while j:
            frame, (R, origin) = self.robot.frame(j), at[j]
            if j in self.column:
                z = R[:, :, 2]
                if frame.sigma == JointType.REVOLUTE:
                    result[:, :3, self.column[j]], result[:, 3:, self.column[j]] = np.cross(z, p - origin), z
                else:
                    result[:, :3, self.column[j]] = z
            j = frame.ant
        return result

    def moved(self, x: Array, xd: Array, xdd: Array, gravity: bool = False) -> dict[int, tuple[Array, ...]]:
        """Return (w, wd, v, vd) of every frame."""
        at, zero = self.placed(x), np.zeros((len(x), 3))
        result: dict[int, tuple[Array, ...]] = {0: (zero, zero, zero, zero - (self.g if gravity else 0))}
        for j in self.order:
            i = self.robot.frame(j).ant
            w, wd, v, vd = result[i]
            z, arm = at[j][0][:, :, 2], at[j][1] - at[i][1]
            v = v + np.cross(w, arm)
            vd = vd + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
            if j in self.column:
                rate, change = z * xd[:, self.column[j], None], z * xdd[:, self.column[j], None]
                if self.robot.frame(j).sigma == JointType.REVOLUTE:
                    wd, w = wd + change + np.cross(w, rate), w + rate
                else:
                    v, vd = v + rate, vd + change + 2 * np.cross(w, rate)
            result[j] = (w, wd, v, vd)
        return result

    def torques(self, x: Array, xd: Array, xdd: Array) -> Array:
        """Return the torques of the tree's joints, including drives; zero at the cut joints."""
        at, motion = self.placed(x), self.moved(x, xd, xdd, gravity=True)
        force = {j: np.zeros((len(x), 3)) for j in range(self.robot.NF + 1)}
        moment = {j: np.zeros((len(x), 3)) for j in range(self.robot.NF + 1)}
        for j in range(1, self.robot.NL + 1):
            R, (w, wd, _, vd) = at[j][0], motion[j]
            J, ms, m = self.inertia(j, R)
            force[j] = m * vd + np.cross(wd, ms) + np.cross(w, np.cross(w, ms))
            moment[j] = _times(J, wd) + np.cross(w, _times(J, w)) + np.cross(ms, vd)
        result = np.zeros((len(x), self.size))
        for j in reversed(self.order):
            frame = self.robot.frame(j)
            if j in self.column and j <= self.robot.NL:
                felt = moment[j] if frame.sigma == JointType.REVOLUTE else force[j]
                result[:, self.column[j]] = np.einsum("ni,ni->n", felt, at[j][0][:, :, 2])
            arm = at[j][1] - at[frame.ant][1]
            force[frame.ant] = force[frame.ant] + force[j]
            moment[frame.ant] = moment[frame.ant] + moment[j] + np.cross(arm, force[j])
        rate = np.where(np.abs(xd[:, : self.n]) < 1e-13, 0, xd[:, : self.n])
        d = self.drive
        result[:, : self.n] += d["IA"] * xdd[:, : self.n] + d["FV"] * rate + d["FS"] * np.sign(rate) + d["FO"]
        return result

    def inertia(self, j: int, R: Array) -> tuple[Array, Array, float]:
        p = self.links[j]
        J = np.array([[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]])
        return R @ J @ R.transpose(0, 2, 1), R @ np.array([p["MX"], p["MY"], p["MZ"]]), p["M"]

    def energy(self, x: Array, xd: Array) -> Array:
        at, motion = self.placed(x), self.moved(x, xd, np.zeros_like(xd))
        total = 0.5 * (self.drive["IA"] * xd[:, : self.n] ** 2).sum(1)
        for j in range(1, self.robot.NL + 1):
            (R, p), (w, _, v, _) = at[j], motion[j]
            J, ms, m = self.inertia(j, R)
            total += 0.5 * m * (v * v).sum(1) + (ms * np.cross(v, w)).sum(1) + 0.5 * (w * _times(J, w)).sum(1)
            total -= (m * p + ms) @ self.g
        return total

    def rows(self, x: Array) -> Array:
        at = self.placed(x)
        return np.concatenate(
            [self.jacobian(at, k) - self.jacobian(at, closing_frame) for k, closing_frame in self.pairs()], 1
        )

    def basis(self, x: Array) -> tuple[Array, Array, Array]:
        """Return X with xd = X qda, the rows C, and the inverse of their dependent part."""
        C = self.rows(x)
        inverse = np.linalg.pinv(C[:, :, self.rest], rcond=1e-11)
        X = np.zeros((len(x), self.size, len(self.active)))
        X[:, self.active, range(len(self.active))] = 1
        X[:, self.rest] = -inverse @ C[:, :, self.active]
        return X, C, inverse

    def accelerations(self, x: Array, qda: Array, qdda: Array) -> tuple[Array, Array]:
        """Return (xd, xdd) of all joints."""
        X, _, inverse = self.basis(x)
        xd = _times(X, qda)
        motion = self.moved(x, xd, np.zeros_like(xd))
        psi = np.concatenate(
            [
                np.concatenate([motion[k][3] - motion[t][3], motion[k][1] - motion[t][1]], 1)
                for k, t in self.pairs()
            ],
            1,
        )
        xdd = _times(X, qdda)
        xdd[:, self.rest] -= _times(inverse, psi)
        return xd, xdd

    def motor_torques(self, x: Array, qda: Array, qdda: Array) -> Array:
        """Return tau by Lagrange multipliers."""
        xd, xdd = self.accelerations(x, qda, qdda)
        C, count = self.rows(x), len(self.active)
        S = np.zeros((len(x), self.size, count))
        S[:, self.active, range(count)] = 1
        system = np.concatenate([S, -C.transpose(0, 2, 1)], 2)
        return _times(np.linalg.pinv(system, rcond=1e-11), self.torques(x, xd, xdd))[:, :count]

    def platform(self, x: Array, to: int) -> tuple[Array, Array]:
        """Return T (N, 4, 4) of a frame, and J with V = J qda."""
        at = self.placed(x)
        T = np.broadcast_to(np.eye(4), (len(x), 4, 4)).copy()
        T[:, :3, :3], T[:, :3, 3] = at[to]
        return T, self.jacobian(at, to) @ self.basis(x)[0]

    def twist(self, x: Array, qda: Array, qdda: Array, to: int) -> tuple[Array, Array]:
        """Return V and Vd of a frame."""
        xd, xdd = self.accelerations(x, qda, qdda)
        w, wd, v, vd = self.moved(x, xd, xdd)[to]
        return np.concatenate([v, w], 1), np.concatenate([vd, wd], 1)


def _times(a: Array, b: Array) -> Array:
    return np.einsum("nij,nj->ni", a, b)
