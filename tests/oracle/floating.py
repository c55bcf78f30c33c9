"""Robot with a free base in the world: its equations, energies, momentum and contacts in NumPy.

Based on `free_base` (rates of momentum in the world): the base is at P0 with the rotation R0; joints may be coupled.
Everything is over [base; coordinates], velocities and forces of the base in frame 0, base rows first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from symoro.expr.formula import formula
from symoro.robot.description import Robot
from tests.oracle.dynamics import Array, Motion, Twist, cross
from tests.oracle.free_base import FreeTree

Contact = tuple[int, Sequence[float]]


def rotation(rng: np.random.Generator) -> Array:
    """Return a random rotation."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return np.asarray(q if np.linalg.det(q) > 0 else q[:, [1, 0, 2]])


def quaternion(R: Array) -> Array:
    """Return (w, x, y, z) of a rotation, from its eigenvector and trace."""
    values, vectors = np.linalg.eig(R)
    axis = np.real(vectors[:, np.argmin(abs(values - 1))])
    angle = np.arctan2(axis @ [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]], np.trace(R) - 1)
    return np.r_[np.cos(angle / 2), np.sin(angle / 2) * axis]


class Floating:
    """Numbers of a robot at one pose of its base."""

    def __init__(self, robot: Robot, at: Mapping[str, Array], wrench: Array | None = None) -> None:
        Z = np.eye(4)
        Z[:3, :3], Z[:3, 3] = at["R0"], at["P0"]
        base = replace(robot.base, Z=tuple(formula(float(z)) for z in Z.flat))
        links = np.zeros((robot.NL, 6)) if wrench is None else wrench
        self.tree = FreeTree(replace(robot, base=base), dict(robot.nominal), links)
        self.R, self.P = at["R0"], at["P0"]
        n = self.tree.n
        self.G = np.block(
            [[np.eye(6), np.zeros((6, n))], [np.zeros((len(self.tree.moving), 6)), self.tree.G]]
        )

    def _tree(self, q: Array, *rates: Array) -> list[Array]:
        return [self.tree.G @ q + self.tree.offset, *(self.tree.G @ x for x in rates)]

    def forces(self, q: Array, qd: Array, qdd: Array, V0: Array, Vd0: Array, *, alone: bool = False) -> Array:
        """Return [wrench0; tau]."""
        t, td, tdd = self._tree(q, qd, qdd)
        return np.asarray(self.G.T @ self.tree.forces(t, td, tdd, V0, Vd0, alone=alone))

    def inertia(self, q: Array) -> Array:
        return np.asarray(self.G.T @ self.tree.matrix(self._tree(q)[0]) @ self.G)

    def bias(self, q: Array, qd: Array, V0: Array) -> Array:
        return self.forces(q, qd, 0 * qd, V0, np.zeros(6))

    def inverse(self, q: Array, qd: Array, qdd: Array, V0: Array) -> tuple[Array, Array]:
        """Return tau and Vd0 without a wrench on the base."""
        A, H = self.inertia(q), self.bias(q, qd, V0)
        Vd0 = np.linalg.solve(A[:6, :6], -H[:6] - A[:6, 6:] @ qdd)
        return (A @ np.r_[Vd0, qdd] + H)[6:], Vd0

    def direct(self, q: Array, qd: Array, tau: Array, V0: Array) -> Array:
        """Return [Vd0; qdd]."""
        return np.linalg.solve(self.inertia(q), np.r_[np.zeros(6), tau] - self.bias(q, qd, V0))

    def motion(self, q: Array, qd: Array, V0: Array, Vd0: Array | None = None, step: float = 0.0) -> Motion:
        t, td = self._tree(q, qd)
        if step:
            t = t + 1j * step * td
        moved = Vd0 if Vd0 is not None else np.zeros(6)
        return self.tree.motion(t, td, Twist(V0[:3], V0[3:], moved[:3], moved[3:]), step)

    def mass(self, q: Array) -> tuple[float, Array]:
        """Return the mass, and the centre of mass in the world."""
        at = self.motion(q, 0 * q, np.zeros(6))
        m, ms = 0.0, np.zeros(3)
        for body in self.tree.bodies:
            T = (at.T[body.frame] @ body.T).real
            m, ms = m + body.m, ms + body.m * T[:3, 3] + T[:3, :3] @ body.ms
        return m, ms / m

    def momentum(self, q: Array, qd: Array, V0: Array) -> tuple[Array, Array]:
        """Return the momentum about the centre of mass, and the centre of mass, in the axes of frame 0."""
        linear, angular = self.tree.momenta(self.motion(q, qd, V0))
        p, L = linear.real.sum(0), angular.real.sum(0)
        _, com = self.mass(q)
        return np.r_[self.R.T @ p, self.R.T @ (L - cross(com, p))], self.R.T @ (com - self.P)

    def energies(self, q: Array, qd: Array, V0: Array) -> tuple[float, float]:
        x = np.r_[V0, qd]
        m, com = self.mass(q)
        return float(x @ self.inertia(q) @ x / 2), float(-m * self.tree.gravity @ com)

    def point(self, q: Array, qd: Array, V0: Array, contact: Contact, step: float = 0.0) -> Array:
        """Return the velocity of a point in the world's axes; with a step, moved along the imaginary axis."""
        j, p = contact
        at = self.motion(q, qd, V0, np.zeros(6), step)
        return at.v[j] + cross(at.w[j], at.T[j][:3, :3] @ np.asarray(p, float))

    def contact(
        self, q: Array, qd: Array, tau: Array, V0: Array, contacts: Sequence[Contact]
    ) -> tuple[Array, Array, Array]:
        """Return [Vd0; qdd], the forces on the ground in frame 0, and the Jacobian of the points."""
        A, H, h = self.inertia(q), self.bias(q, qd, V0), 1e-30
        units = np.eye(len(A))
        J = np.vstack(
            [np.array([self.R.T @ self.point(q, e[6:], e[:6], c).real for e in units]).T for c in contacts]
        )
        a = np.concatenate([self.R.T @ self.point(q, qd, V0, c, h).imag / h for c in contacts])
        m = len(a)
        K = np.block([[A, J.T], [J, np.zeros((m, m))]])
        y = np.linalg.solve(K, np.r_[np.r_[np.zeros(6), tau] - H, -a])
        return y[: len(A)], y[len(A) :].reshape(-1, 3), J
