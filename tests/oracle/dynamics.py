"""Dynamics of a tree in plain NumPy, from momentum alone, to check the models against.

Everything is in world coordinates. The velocities of the links give linear and angular momentum about the
world's origin; their rates are taken by a complex step along the motion (q + ih qd, qd + ih qdd), so that no
formula for an acceleration and no regrouping is shared with the models. Newton and Euler for all that a joint
carries:

    force F = dP/dt - weight + force on the environment,   moment N likewise, about the world's origin
    torque = axis . (N - o x F)  or  axis . F,   o the origin of the joint's frame

From a robot only the numbers of its description are taken (values of formulas).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.expr.formula import Formula
from symoro.robot.description import GEOMETRIC, WRENCH, JointType, Link, Robot
from tests.oracle.placement import placement

Array = np.ndarray
STEP = 1e-30


def hat(v: Array) -> Array:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def cross(a: Array, b: Array) -> Array:
    """Return the cross product; ten times faster than NumPy's for single vectors."""
    x, y, z = a
    u, v, w = b
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


@dataclass(frozen=True)
class Body:
    """Mass fixed to a frame, with its inertia about a point of that frame, at the transform T in it."""

    frame: int
    T: Array
    J: Array
    ms: Array
    m: float


@dataclass(frozen=True)
class Motion:
    """Frames and velocities at one instant; complex for a complex step along the motion."""

    T: Mapping[int, Array]
    v: Mapping[int, Array]
    w: Mapping[int, Array]


@dataclass(frozen=True)
class Twist:
    """Velocity and acceleration of the base in frame 0."""

    v: Array
    w: Array
    vd: Array
    wd: Array


STILL = Twist(*(np.zeros(3),) * 4)


class Tree:
    """Numbers of a robot's tree.

    Args:
        values: numbers of its symbols in addition to the nominal values.
        wrench: (NL, 6) wrenches of the links on the environment; by default those of the description.
        base: motion of the base; by default that of the description.
    """

    def __init__(
        self,
        robot: Robot,
        values: Mapping[str, float] | None = None,
        *,
        wrench: Array | None = None,
        base: Twist | None = None,
    ) -> None:
        self.values = {**dict(robot.nominal), **(values or {})}
        self.frames = range(1, len(robot.links) + 1)
        self.ant = {j: robot.frame(j).ant for j in self.frames}
        self.sigma = {j: robot.frame(j).sigma for j in self.frames}
        self.moving = [j for j in self.frames if self.sigma[j] != JointType.FIXED]
        self.outward = self._outward()
        self.place = {j: [self._number(getattr(robot.frame(j), n)) for n in GEOMETRIC] for j in self.frames}
        self.drive = {
            j: [self._number(getattr(robot.frame(j), n)) for n in ("IA", "FV", "FS", "FO")]
            for j in self.moving
        }
        self.bodies = [self._body(j, np.eye(4), robot.link(j)) for j in self.frames]
        if robot.tool and robot.payload:
            tool = self._transform([self._number(getattr(robot.tool.place, n)) for n in GEOMETRIC])
            self.bodies.append(self._body(robot.tool.place.ant, tool, robot.payload))
        entries = robot.base
        self.Z = np.reshape([self._number(z) for z in entries.Z], (4, 4))
        self.gravity = self._vector(entries.G)
        if wrench is None:
            wrench = [[self._number(getattr(robot.link(j), n)) for n in WRENCH] for j in self.frames]
        self.wrench = np.asarray(wrench, dtype=float)
        self.base = base or Twist(*map(self._vector, (entries.V0, entries.W0, entries.VP0, entries.WP0)))
        self._couple(robot)

    def _number(self, f: Formula) -> float:
        return 0.0 if f.is_zero else f.value(self.values)

    def _vector(self, formulas: Sequence[Formula]) -> Array:
        return np.array([self._number(f) for f in formulas])

    def _body(self, frame: int, T: Array, link: Link) -> Body:
        xx, xy, xz, yy, yz, zz = (
            self._number(getattr(link, n)) for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
        )
        ms = self._vector((link.MX, link.MY, link.MZ))
        return Body(frame, T, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), ms, self._number(link.M))

    def _couple(self, robot: Robot) -> None:
        """Compute G and the offset of q_tree = G q + offset."""
        own = [j for j in self.moving if robot.frame(j).coupling is None]
        self.G = np.zeros((len(self.moving), len(own)))
        self.offset = np.zeros(len(self.moving))
        for row, j in enumerate(self.moving):
            coupling = robot.frame(j).coupling
            if coupling is None:
                self.G[row, own.index(j)] = 1
                continue
            self.offset[row] = self._number(coupling.offset)
            for i, ratio in coupling.terms:
                self.G[row, own.index(i)] += self._number(ratio)
        self.n = len(own)

    # -- motion

    def _transform(self, place: Sequence[complex]) -> Array:
        return placement(*place)

    def _outward(self) -> list[int]:
        results: list[int] = []
        while len(results) < len(self.frames):
            results += [j for j in self.frames if j not in results and self.ant[j] in (0, *results)]
        return results

    def motion(self, q: Array, qd: Array, base: Twist, step: float = 0.0) -> Motion:
        """Return frames and velocities of all links; the base moves by `step` along the imaginary axis."""
        R = self.Z[:3, :3]
        world = self.Z.astype(complex)
        world[:3, :3] += 1j * step * R @ hat(base.w)
        world[:3, 3] += 1j * step * R @ base.v
        T, v = {0: world}, {0: R @ (base.v + 1j * step * base.vd)}
        w = {0: R @ (base.w + 1j * step * base.wd)}
        rate = dict(zip(self.moving, qd, strict=True))
        position = dict(zip(self.moving, q, strict=True))
        for j in self.outward:
            place: list[complex] = list(self.place[j])
            if self.sigma[j] != JointType.FIXED:
                place[4 if self.sigma[j] == JointType.REVOLUTE else 5] += position[j]
            i = self.ant[j]
            T[j] = T[i] @ self._transform(place)
            axis = T[j][:3, 2]
            v[j] = v[i] + cross(w[i], T[j][:3, 3] - T[i][:3, 3])
            w[j] = w[i]
            if self.sigma[j] == JointType.REVOLUTE:
                w[j] = w[j] + rate[j] * axis
            elif self.sigma[j] == JointType.PRISMATIC:
                v[j] = v[j] + rate[j] * axis
        return Motion(T, v, w)

    def momenta(self, at: Motion) -> tuple[Array, Array]:
        """Return linear and angular momentum of each body, the latter about the world's origin."""
        linear, angular = [], []
        for body in self.bodies:
            T = at.T[body.frame] @ body.T
            o, w = T[:3, 3], at.w[body.frame]
            v = at.v[body.frame] + cross(w, o - at.T[body.frame][:3, 3])
            ms = T[:3, :3] @ body.ms
            p = body.m * v + cross(w, ms)
            linear.append(p)
            angular.append(T[:3, :3] @ body.J @ T[:3, :3].T @ w + cross(ms, v) + cross(o, p))
        return np.array(linear), np.array(angular)

    # -- forces

    def carried(self, q: Array, qd: Array, qdd: Array, *, weight: bool, loads: bool, base: Twist) -> Array:
        """Return (force; moment about the world's origin) of each link's antecedent, for all links that it carries."""
        return self._carried(q, qd, qdd, weight=weight, loads=loads, base=base)[0]

    def _carried(
        self, q: Array, qd: Array, qdd: Array, *, weight: bool, loads: bool, base: Twist
    ) -> tuple[Array, dict[int, Array]]:
        """Return the same, and the frames."""
        ahead = self.motion(q + 1j * STEP * qd, qd + 1j * STEP * qdd, base, STEP)
        forces, moments = (x.imag / STEP for x in self.momenta(ahead))
        total = np.zeros((len(self.frames) + 1, 6))
        for body, f, n in zip(self.bodies, forces, moments, strict=True):
            total[body.frame] += np.r_[f, n]
            if weight:
                T = ahead.T[body.frame].real @ body.T.real
                g = self.gravity
                total[body.frame] -= np.r_[body.m * g, cross(body.m * T[:3, 3] + T[:3, :3] @ body.ms, g)]
        if loads:
            for j in self.frames:
                T = ahead.T[j].real
                f, n = T[:3, :3] @ self.wrench[j - 1, :3], T[:3, :3] @ self.wrench[j - 1, 3:]
                total[j] += np.r_[f, n + cross(T[:3, 3], f)]
        for j in reversed(self.outward):
            total[self.ant[j]] += total[j]
        return total, {j: T.real for j, T in ahead.T.items()}

    def _tree_torques(self, q: Array, qd: Array, qdd: Array, **what: Any) -> Array:
        total, T = self._carried(q, qd, qdd, **what)
        results = []
        for j in self.moving:
            o, axis = T[j][:3, 3], T[j][:3, 2]
            f, n = total[j, :3], total[j, 3:]
            results.append(axis @ (n - cross(o, f) if self.sigma[j] == JointType.REVOLUTE else f))
        return np.array(results)

    # -- what the models give

    def _tree(self, q: Array, *rates: Array) -> list[Array]:
        return [self.G @ q + self.offset, *(self.G @ x for x in rates)]

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques of inverse dynamics, with all effects."""
        t, td, tdd = self._tree(q, qd, qdd)
        result = self._tree_torques(t, td, tdd, weight=True, loads=True, base=self.base)
        ia, fv, fs, fo = np.array([self.drive[j] for j in self.moving]).T
        return np.asarray(self.G.T @ (result + ia * tdd + fv * td + fs * np.sign(td) + fo))

    def bias(self, q: Array, qd: Array) -> Array:
        return self.torques(q, qd, np.zeros(self.n))

    def weight(self, q: Array) -> Array:
        """Return the torques of gravity alone."""
        t, zero = self.G @ q + self.offset, np.zeros(len(self.moving))
        return np.asarray(self.G.T @ self._tree_torques(t, zero, zero, weight=True, loads=False, base=STILL))

    def inertial(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques of masses and rotors alone, without weight, friction, wrenches and base motion."""
        t, td, tdd = self._tree(q, qd, qdd)
        result = self._tree_torques(t, td, tdd, weight=False, loads=False, base=STILL)
        rotors = np.array([self.drive[j][0] for j in self.moving])
        return np.asarray(self.G.T @ (result + rotors * tdd))

    def inertia(self, q: Array) -> Array:
        """Return the inertia matrix, computed column by column."""
        zero = np.zeros(self.n)
        return np.array([self.inertial(q, zero, e) for e in np.eye(self.n)]).T

    def coriolis(self, q: Array) -> Array:
        """Return D with torque_i = sum D_ijk qd_j qd_k, by polarisation of the quadratic form."""
        unit, zero = np.eye(self.n), np.zeros(self.n)

        def square(qd: Array) -> Array:
            return self.inertial(q, qd, zero)

        D = np.zeros((self.n,) * 3)
        for j in range(self.n):
            for k in range(self.n):
                D[:, j, k] = (square(unit[j] + unit[k]) - square(unit[j] - unit[k])) / 4
        return D

    def accelerations(self, q: Array, qd: Array, tau: Array) -> Array:
        return np.linalg.solve(self.inertia(q), tau - self.bias(q, qd))

    def reactions(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return (force; moment) of the antecedent on each link, in its frame about its origin."""
        t, td, tdd = self._tree(q, qd, qdd)
        total, T = self._carried(t, td, tdd, weight=True, loads=True, base=self.base)
        rows = []
        for j in self.frames:
            R, o = T[j][:3, :3], T[j][:3, 3]
            f = total[j, :3]
            rows.append(np.r_[R.T @ f, R.T @ (total[j, 3:] - cross(o, f))])
        return np.array(rows)

    def energies(self, q: Array, qd: Array) -> tuple[float, float]:
        """Return kinetic energy from momentum, and potential energy with respect to frame 0."""
        t, td = self._tree(q, qd)
        at = self.motion(t, td, self.base)
        linear, angular = self.momenta(at)
        E, U = 0.0, 0.0
        for body, p, spin in zip(self.bodies, linear, angular, strict=True):
            if body.frame == 0:
                continue
            frame, w = at.T[body.frame], at.w[body.frame]
            about = spin - cross(frame[:3, 3], p)  # about the frame's origin
            E += (w @ about + at.v[body.frame] @ p).real / 2
            T = (frame @ body.T).real
            U -= self.gravity @ (body.m * (T[:3, 3] - self.Z[:3, 3]) + T[:3, :3] @ body.ms)
        rotors = np.array([self.drive[j][0] for j in self.moving])
        return float(E + rotors @ td**2 / 2), float(U)

    def jacobian(self, q: Array, frame: int, T: Array | None = None) -> Array:
        """Return the Jacobian (linear; angular) in the world of a point fixed to a frame, one column per coordinate."""
        t = self.G @ q + self.offset
        columns = []
        for e in np.eye(self.n):
            at = self.motion(t, self.G @ e, STILL)
            o = (at.T[frame] @ (np.eye(4) if T is None else T))[:3, 3]
            columns.append(np.r_[at.v[frame] + cross(at.w[frame], o - at.T[frame][:3, 3]), at.w[frame]].real)
        return np.array(columns).T


def difference(f: Callable[[Array], Array], x: Array, step: float = 0.02) -> Array:
    """Return df/dx by central differences of eighth order; the axis of the derivative is the last."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    columns = []
    for e in np.eye(len(x)):
        columns.append(
            sum(c * (f(x + k * step * e) - f(x - k * step * e)) for k, c in weights.items()) / step
        )
    return np.stack(columns, axis=-1)
