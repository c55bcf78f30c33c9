"""Robots with flexible links in plain NumPy, by Lagrange's equations: energies of points, differentiated in numbers.

A rigid body is its 4x4 pseudo-inertia P, with the energy tr(T' P T'^T) / 2; a beam is 20 points of Gauss's quadrature,
T r(x, e). Everything is analytic in the coordinates x = [q; e]: rates along a motion are differences of high
order, derivatives with respect to the coordinates complex steps.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from symoro.robot.coordinates import independent
from symoro.robot.description import GEOMETRIC, JointType, Link, Robot
from symoro.robot.flexibility import Flexibility

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
STEPS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # eighth order
ROOTS = (1.8751040687119611, 4.694091132974175, 7.854757438237613, 10.995540734875467)


def shape(kind: str, k: int, x: Array) -> Array:
    """Return a bending shape function on a beam of length 1."""
    if kind == "polynomial":
        return x ** (k + 1)
    b = ROOTS[k - 1]
    s = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))

    def raw(x: Array) -> Array:
        result: Array = np.cosh(b * x) - np.cos(b * x) - s * (np.sinh(b * x) - np.sin(b * x))
        return result

    return raw(x) / raw(np.ones(1))


def twisted(kind: str, k: int, x: Array) -> Array:
    if kind == "polynomial":
        return x**k
    result: Array = np.sin((2 * k - 1) * np.pi * x / 2) * (-1) ** (k + 1)
    return result


def screw(axis: int, angle: complex, length: complex = 0.0) -> Complex:
    """Return a rotation about an axis and a translation along it."""
    T = np.eye(4, dtype=complex)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T[i, i] = T[j, j] = np.cos(angle)
    T[i, j], T[j, i] = -np.sin(angle), np.sin(angle)
    T[axis, 3] = length
    return T


class FlexibleRobot:
    """Numbers of a robot; x = [q; e] in the order of its inputs."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.values = robot, dict(robot.nominal)
        self.own = independent(robot)
        self.beams = {j: link.flexible for j, link in enumerate(robot.links, 1) if link.flexible}
        self.n = len(self.own)
        self.size = self.n + sum(f.modes for f in self.beams.values())
        self.gravity = self._numbers(robot.base.G)

    def _number(self, f: object) -> float:
        return float(f.value(self.values))  # type: ignore[attr-defined]

    def _numbers(self, formulas: object) -> Array:
        return np.array([self._number(f) for f in formulas])  # type: ignore[attr-defined]

    def pseudo(self, link: Link) -> Array:
        xx, xy, xz, yy, yz, zz = (
            self._number(getattr(link, n)) for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
        )
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P = np.zeros((4, 4))
        P[:3, :3] = np.trace(J) / 2 * np.eye(3) - J
        P[:3, 3] = P[3, :3] = [self._number(getattr(link, n)) for n in ("MX", "MY", "MZ")]
        P[3, 3] = self._number(link.M)
        return P

    # -- where everything is

    def split(self, x: Complex) -> dict[int, tuple[Complex, Complex, Complex]]:
        """Return the modes of each flexible link: along y, along z, in torsion."""
        result, at = {}, self.n
        for j, f in self.beams.items():
            cuts = (at, at + f.y, at + f.y + f.z, at + f.modes)
            result[j] = tuple(x[a:b] for a, b in pairwise(cuts))
            at += f.modes
        return result  # type: ignore[return-value]

    def tip(self, f: Flexibility, modes: tuple[Complex, Complex, Complex]) -> Complex:
        length, one, h = self._number(f.length), np.ones(1), 1e-3

        def end(k: int) -> float:
            """The slope of a shape at the tip, by differences from within and beyond."""
            result = sum(
                c * (shape(f.shapes, k, one + i * h) - shape(f.shapes, k, one - i * h))
                for i, c in STEPS.items()
            )
            return float(np.asarray(result)[0] / h / length)

        v, w = (sum(e) for e in modes[:2])
        a, b = (sum(end(k) * x for k, x in enumerate(e, 1)) for e in modes[:2])
        T = np.eye(4, dtype=complex)
        T[:3, 3] = [length, v, w]
        return T @ screw(2, a) @ screw(1, -b) @ screw(0, sum(modes[2]))

    def places(self, x: Complex) -> tuple[dict[int, Complex], dict[int, Complex]]:
        """Return the frames, and the frames at the tips of flexible links."""
        T: dict[int, Complex] = {0: np.eye(4, dtype=complex)}
        tips, modes = dict(T), self.split(x)
        q = dict(zip(self.own, x, strict=False))
        left = list(range(1, self.robot.NL + 1))
        while left:
            j = next(j for j in left if self.robot.frame(j).ant in T)
            left.remove(j)
            frame = self.robot.frame(j)
            gamma, b, alpha, d, theta, r = (self._number(getattr(frame, n)) + 0j for n in GEOMETRIC)
            theta += q.get(j, 0) if frame.sigma == JointType.REVOLUTE else 0
            r += q.get(j, 0) if frame.sigma == JointType.PRISMATIC else 0
            T[j] = tips[frame.ant] @ screw(2, gamma, b) @ screw(0, alpha, d) @ screw(2, theta, r)
            tips[j] = T[j] @ self.tip(self.beams[j], modes[j]) if j in self.beams else T[j]
        return T, tips

    def masses(self, x: Complex) -> list[tuple[Complex, Array]]:
        """Return (X, P) of every rigid body, with X = T, and of every beam, with its points as columns."""
        T, tips = self.places(x)
        result = [(T[j], self.pseudo(link)) for j, link in enumerate(self.robot.links, 1)]
        for j, f in self.beams.items():
            if f.tip is not None:
                result.append((tips[j], self.pseudo(f.tip)))
        tool, payload = self.robot.tool, self.robot.payload
        if tool and payload:
            gamma, b, alpha, d, theta, r = (self._number(getattr(tool.place, n)) for n in GEOMETRIC)
            place = screw(2, gamma, b) @ screw(0, alpha, d) @ screw(2, theta, r)
            result.append((tips[tool.place.ant] @ place, self.pseudo(payload)))
        for j, (y, z, _) in self.split(x).items():
            f = self.beams[j]
            length, density = self._number(f.length), self._number(f.density)
            s = (NODES + 1) / 2
            v = sum((e * shape(f.shapes, k, s) for k, e in enumerate(y, 1)), 0 * s)
            w = sum((e * shape(f.shapes, k, s) for k, e in enumerate(z, 1)), 0 * s)
            points = np.array([s * length, v, w, np.ones(len(s))])
            result.append((T[j] @ points, np.diag(density * length * WEIGHTS / 2)))
        return result

    # -- energies

    def jacobian(self, x: Complex) -> tuple[list[Complex], dict[int, Complex]]:
        """Return the rates of all bodies per unit rate of each coordinate, and the spins about x of flexible links."""
        h = 0.02
        T, _ = self.places(x)
        bodies: list[list[Complex]] = [[] for _ in self.masses(x)]
        spins: dict[int, list[complex]] = {j: [] for j in self.beams}
        for unit in np.eye(self.size):
            ends = {i: (self.masses(x + i * h * unit), self.masses(x - i * h * unit)) for i in STEPS}
            for k, result in enumerate(bodies):
                rate = sum(c * (ends[i][0][k][0] - ends[i][1][k][0]) for i, c in STEPS.items()) / h
                result.append(np.asarray(rate))
            for j, row in spins.items():  # the frames of the links come first
                row.append((T[j][:3, :3].T @ bodies[j - 1][-1][:3, :3])[2, 1])
        return [np.array(result) for result in bodies], {j: np.array(row) for j, row in spins.items()}

    def matrix(self, x: Complex) -> Complex:
        """Return the inertia matrix A; the kinetic energy is xd' A xd / 2."""
        bodies, spins = self.jacobian(x)
        A = np.zeros((self.size, self.size), dtype=complex)
        for rates, (_, P) in zip(bodies, self.masses(x), strict=True):
            A += np.einsum("iab,bc,kac->ik", rates, P, rates)
        units = np.eye(self.size)
        for j, spin in spins.items():
            f, s = self.beams[j], (NODES + 1) / 2
            turned = [self.split(u)[j][2] for u in units]
            rate = np.array(
                [sum((e * twisted(f.shapes, k, s) for k, e in enumerate(et, 1)), 0 * s) for et in turned]
            )
            along = spin[:, None] + rate
            A += self._number(f.Ip) * self._number(f.length) * (along * (WEIGHTS / 2)) @ along.T
        A[: self.n, : self.n] += np.diag([self._number(self.robot.frame(j).IA) for j in self.own])
        return A

    def kinetic(self, x: Complex, xd: Array) -> complex:
        return complex(xd @ self.matrix(x) @ xd / 2)

    def potential(self, x: Complex) -> complex:
        U = 0j
        for X, P in self.masses(
            x
        ):  # columns of X are points, but those of a rigid body its axes and its origin
            weights = P[:, 3] if X.shape[1] == 4 else np.diag(P)
            U -= self.gravity @ X[:3] @ weights
        for j, x_j in zip(self.own, x, strict=False):
            frame = self.robot.frame(j)
            U += self._number(frame.k) * (x_j - self._number(frame.rest)) ** 2 / 2
        for j, modes in self.split(x).items():
            U += self._strain(self.beams[j], modes)
        return complex(U)

    def _strain(self, f: Flexibility, modes: tuple[Complex, Complex, Complex]) -> complex:
        """Return the strain energy, from curvatures and twist by differences of the shape functions."""
        length, s, h = self._number(f.length), (NODES + 1) / 2, 1e-2
        second = {0: -205 / 72, 1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}
        U = 0j
        for e, name in zip(modes[:2], ("EIz", "EIy"), strict=True):
            curvature = 0 * s
            for k, x in enumerate(e, 1):
                near = {i: shape(f.shapes, k, s + i * h) + shape(f.shapes, k, s - i * h) for i in second}
                near[0] = near[0] / 2
                curvature = curvature + x * sum(c * near[i] for i, c in second.items()) / h**2 / length**2
            U += self._number(getattr(f, name)) * length * (WEIGHTS / 2) @ curvature**2 / 2
        turn = 0 * s
        for k, x in enumerate(modes[2], 1):
            near = {i: twisted(f.shapes, k, s + i * h) - twisted(f.shapes, k, s - i * h) for i in STEPS}
            turn = turn + x * sum(c * near[i] for i, c in STEPS.items()) / h / length
        return complex(U + self._number(f.GJ) * length * (WEIGHTS / 2) @ turn**2 / 2)

    # -- equations of motion

    def bias(self, x: Array, xd: Array) -> Array:
        """Return A' xd - d(xd' A xd / 2)/dx + dU/dx, and friction."""
        step = 1e-20
        units = np.eye(self.size)
        slopes = [self.matrix(x + 1j * step * u).imag / step for u in units]
        rate = sum(d * v for d, v in zip(slopes, xd, strict=True))
        H = rate @ xd - np.array([xd @ d @ xd for d in slopes]) / 2
        H = H + np.array([self.potential(x + 1j * step * u).imag for u in units]) / step
        fv, fs, fo = (
            np.array([self._number(getattr(self.robot.frame(j), n)) for j in self.own])
            for n in ("FV", "FS", "FO")
        )
        qd = xd[: self.n]
        H[: self.n] += fv * qd + fs * np.sign(qd) + fo
        return np.asarray(H.real)
