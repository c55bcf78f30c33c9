"""Wheeled robots in NumPy: constraints as velocities of contact points, dynamics by Lagrange multipliers.

The tree has a free base (`tests.oracle.free_base`), and the wheels' contacts exert forces lambda:

    A xd + H = S tau + C' lambda,    C x = 0,    C xd = -Cdot x,    x = [V0x V0y W0z qd]

A row of C is the velocity of the contact point of a wheel, computed from the motion of the wheel's link per unit x.
Rows may be redundant: lambda is then not unique, but the motion and the torques are.
"""

from __future__ import annotations

import numpy as np

from symoro.robot.description import Robot
from tests.oracle.dynamics import STEP, STILL, Array, Twist
from tests.oracle.free_base import FreeTree

PLANAR = [0, 1, 5]


class Wheels:
    """Numbers of a wheeled robot without dependent joints."""

    def __init__(self, robot: Robot, values: dict[str, float] | None = None) -> None:
        self.tree = FreeTree(robot, values or {}, np.zeros((robot.NL, 6)))
        self.n = len(self.tree.moving)
        self.wheels = [
            (wheel.frame, wheel.kind, self.tree._number(wheel.radius), self.tree._number(wheel.roller))
            for wheel in robot.wheels
        ]
        self.active = [k for k, j in enumerate(self.tree.moving) if robot.frame(j).mu]

    # -- constraints

    def rows(self, q: Array) -> Array:
        """Return all rows of C; complex for a complex q."""
        return np.array([self._velocities(q, unit) for unit in np.eye(3 + self.n)]).T

    def _velocities(self, q: Array, x: Array) -> list[complex]:
        """Return the velocities that the contacts prevent, for a motion."""
        base = Twist(np.array([x[0], x[1], 0]), np.array([0, 0, x[2]]), STILL.vd, STILL.wd)
        at = self.tree.motion(q, x[3:], base)
        up = np.array([0.0, 0.0, 1.0])
        results = []
        for frame, kind, radius, roller in self.wheels:
            z = at.T[frame][:3, 2]
            travel = np.cross(z, up)
            v = at.v[frame] + np.cross(at.w[frame], -radius * up)
            if kind == "swedish":
                results.append((np.cos(roller) * travel + np.sin(roller) * z) @ v)
            else:
                results += [travel @ v, z @ v]
        return results

    def rates(self, q: Array, qda: Array) -> Array:
        """Return x with C x = 0 for given velocities of the active joints."""
        return self._found(self.rows(q).real, qda, np.zeros(len(self.rows(q))))

    def _found(self, C: Array, known: Array, right: Array) -> Array:
        given = [3 + k for k in self.active]
        rest = [k for k in range(3 + self.n) if k not in given]
        x = np.zeros(3 + self.n)
        x[given] = known
        x[rest], _, rank, _ = np.linalg.lstsq(C[:, rest], right - C[:, given] @ known, rcond=1e-10)
        assert rank == len(rest), "the active joints do not determine the motion"
        return x

    def derivative(self, q: Array, x: Array) -> Array:
        """Return Cdot x."""
        return (self.rows(q + 1j * STEP * x[3:]).imag / STEP) @ x

    def accelerations(self, q: Array, x: Array, qdda: Array) -> Array:
        """Return xd, the derivative of the entries of x."""
        return self._found(self.rows(q).real, qdda, -self.derivative(q, x))

    # -- dynamics

    def forces(self, q: Array, x: Array, xd: Array, *, alone: bool = False) -> Array:
        """Return A xd + H over [x y turn, joints]."""
        classical = xd[:3] + np.array([-x[2] * x[1], x[2] * x[0], 0])
        V0, Vd0 = np.zeros(6), np.zeros(6)
        V0[PLANAR], Vd0[PLANAR] = x[:3], classical
        result = self.tree.forces(q, x[3:], xd[3:], V0, Vd0, alone=alone)
        return result[[*PLANAR, *range(6, 6 + self.n)]]

    def matrix(self, q: Array) -> Array:
        """Return A over [x y turn, joints]."""
        still = np.zeros(3 + self.n)
        return np.array([self.forces(q, still, unit, alone=True) for unit in np.eye(3 + self.n)]).T

    def torques(self, q: Array, qda: Array, qdda: Array) -> Array:
        """Return tau with S tau + C' lambda = A xd + H."""
        x = self.rates(q, qda)
        need = self.forces(q, x, self.accelerations(q, x, qdda))
        C = self.rows(q).real
        drives = np.eye(3 + self.n)[:, [3 + k for k in self.active]]
        both = np.hstack([drives, C.T])
        result = np.linalg.lstsq(both, need, rcond=1e-10)[0]
        assert np.allclose(both @ result, need, atol=1e-7 * max(1.0, np.abs(need).max()))
        return np.asarray(result[: len(self.active)])

    def direct(self, q: Array, qda: Array, tau: Array) -> tuple[Array, Array, Array]:
        """Return (qdda, V0, Vd0) from A xd - C' lambda = S tau - H, C xd = -Cdot x."""
        x = self.rates(q, qda)
        A, C = self.matrix(q), self.rows(q).real
        size, rows = 3 + self.n, len(C)
        right = np.r_[-self.forces(q, x, np.zeros(size)), -self.derivative(q, x)]
        right[[3 + k for k in self.active]] += tau
        whole = np.block([[A, -C.T], [C, np.zeros((rows, rows))]])
        xd = np.linalg.lstsq(whole, right, rcond=1e-12)[0][:size]
        classical = xd[:3] + np.array([-x[2] * x[1], x[2] * x[0], 0])
        return xd[[3 + k for k in self.active]], x[:3], classical

    def kinetic(self, q: Array, x: Array) -> float:
        """Return the kinetic energy."""
        return float(x @ self.matrix(q) @ x / 2)
