"""Transforms, Jacobians and motion of a tree robot in NumPy, written from the equations of the papers.

Everything is computed with numbers in the axes of frame 0: no customised recursion, no intermediate frame, no
expression. Only the fields of a robot are used, as numbers; no algorithm of symoro is called.

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)       theta (sigma 0) or r (sigma 1) is q_j + offset
    q_j = sum ratio_i q_i + offset                              for a coupled joint
    Jk  = (z_k x (O_n - O_k); z_k) or (z_k; 0)                  column of a revolute or prismatic joint
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import Formula
from symoro.robot.description import Frame, Placement, Robot
from tests.oracle.placement import placement

Array = NDArray[np.float64]
Vector = Sequence[float] | Array
Where = int | str

STILL = (0.0,) * 6


@dataclass(frozen=True)
class Motion:
    """Motion of a frame in the axes of frame 0: velocity and acceleration of its origin, and angular ones."""

    v: Array
    w: Array
    vd: Array
    wd: Array

    def at(self, arm: Array) -> Motion:
        """Return the motion of another point of the same body, at the vector `arm`."""
        spin = np.cross(self.w, arm)
        vd = self.vd + np.cross(self.wd, arm) + np.cross(self.w, spin)
        return Motion(self.v + spin, self.w, vd, self.wd)


class Numeric:
    """Robot with a number for each of its symbols."""

    def __init__(self, robot: Robot, values: Mapping[str, float] | None = None) -> None:
        self.robot = robot
        self.values = {**dict(robot.nominal), **(values or {})}
        self._numbers: dict[Formula, float] = {}
        tree = range(1, robot.NL + 1)
        self.moving = [j for j in tree if robot.frames[j - 1].sigma != 2]
        self.own = [j for j in self.moving if robot.frames[j - 1].coupling is None]
        self.cut = [j for j in range(robot.NL + 1, robot.NJ + 1) if robot.frames[j - 1].sigma != 2]

    def number(self, formula: Formula) -> float:
        """Return the value of a formula, computed once."""
        if formula not in self._numbers:
            self._numbers[formula] = formula.value(self.values)
        return self._numbers[formula]

    # -- coordinates

    def ratios(self) -> Array:
        """Return G, with one row per moving joint of the tree and one column per entry of q."""
        g = np.zeros((len(self.moving), len(self.own)))
        for row, j in enumerate(self.moving):
            coupling = self.robot.frames[j - 1].coupling
            terms = [(j, 1.0)] if coupling is None else [(i, self.number(x)) for i, x in coupling.terms]
            for i, ratio in terms:
                g[row, self.own.index(i)] += ratio
        return g

    def positions(self, q: Vector, qc: Vector = ()) -> dict[int, float]:
        """Return the position of each moving joint, without the offset of its frame."""
        constant = []
        for j in self.moving:
            coupling = self.robot.frames[j - 1].coupling
            constant.append(0.0 if coupling is None else self.number(coupling.offset))
        result = dict(zip(self.moving, self.ratios() @ np.asarray(q, float) + constant, strict=True))
        return result | dict(zip(self.cut, qc if len(qc) else [0.0] * len(self.cut), strict=True))

    def rates(self, qd: Vector) -> dict[int, float]:
        return dict(zip(self.moving, self.ratios() @ np.asarray(qd, float), strict=True))

    # -- placements

    def step(self, place: Frame | Placement, q: float = 0.0) -> Array:
        """Return the transform of a frame in its antecedent frame."""
        gamma, b, alpha, d, theta, r = (
            self.number(getattr(place, name)) for name in ("gamma", "b", "alpha", "d", "theta", "r")
        )
        sigma = getattr(place, "sigma", 2)
        theta, r = theta + q * (sigma == 0), r + q * (sigma == 1)
        return placement(gamma, b, alpha, d, theta, r)

    def placements(self, q: Vector, qc: Vector = ()) -> dict[Where, Array]:
        """Return every frame in frame 0: by number, 'world', and 'tool' if there is one."""
        position = self.positions(q, qc)
        result: dict[Where, Array] = {0: np.eye(4)}
        while len(result) <= self.robot.NF:
            for j, frame in enumerate(self.robot.frames, 1):
                if j not in result and frame.ant in result:
                    result[j] = result[frame.ant] @ self.step(frame, position.get(j, 0.0))
        result["world"] = np.linalg.inv(np.reshape([self.number(z) for z in self.robot.base.Z], (4, 4)))
        if self.robot.tool:
            place = self.robot.tool.place
            result["tool"] = result[place.ant] @ self.step(place)
        return result

    def transform(self, q: Vector, frm: Where, to: Where, qc: Vector = ()) -> Array:
        """Return the transform of frame `to` in frame `frm`."""
        result = self.placements(q, qc)
        return np.linalg.inv(result[frm]) @ result[to]

    # -- velocities and accelerations

    def jacobian(self, q: Vector, to: Where, frame: Where = 0) -> Array:
        """Return the Jacobian (6, n): velocity of the origin of `to` and angular velocity, in the axes of `frame`."""
        result = self.placements(q)
        place = self.robot.tool.place if to == "tool" and self.robot.tool else None
        columns = np.zeros((6, len(self.moving)))
        k = place.ant if place else int(to)
        while k:
            joint = self.robot.frames[k - 1]
            z, arm = result[k][:3, 2], result[to][:3, 3] - result[k][:3, 3]
            if joint.sigma == 0:
                columns[:, self.moving.index(k)] = np.concatenate([np.cross(z, arm), z])
            elif joint.sigma == 1:
                columns[:3, self.moving.index(k)] = z
            k = joint.ant
        return _turned(result[frame], columns @ self.ratios())

    def motion(
        self, q: Vector, qd: Vector, qdd: Vector, V0: Vector = STILL, Vd0: Vector = STILL
    ) -> dict[Where, Motion]:
        """Return the motion of every link frame and the tool; V0 and Vd0 (linear; angular) are those of the base."""
        place, rate, rate2 = self.placements(q), self.rates(qd), self.rates(qdd)
        base = [np.array(part, float) for part in (V0[:3], V0[3:], Vd0[:3], Vd0[3:])]
        result: dict[Where, Motion] = {0: Motion(*base)}
        while len(result) <= self.robot.NL:
            for j, frame in enumerate(self.robot.frames[: self.robot.NL], 1):
                if j not in result and frame.ant in result:
                    arm = place[j][:3, 3] - place[frame.ant][:3, 3]
                    carried, z = result[frame.ant].at(arm), place[j][:3, 2]
                    result[j] = _driven(carried, frame, z, rate.get(j, 0.0), rate2.get(j, 0.0))
        if self.robot.tool:
            ant = self.robot.tool.place.ant
            result["tool"] = result[ant].at(place["tool"][:3, 3] - place[ant][:3, 3])
        return result

    def link_motion(self, q: Vector, *rest: Any) -> dict[str, Array]:
        """Return v, w, vd, wd of the links, each (L, 3), in the link's own axes; `rest` as for `motion`."""
        place, moved = self.placements(q), self.motion(q, *rest)
        links = range(1, self.robot.NL + 1)
        return {
            name: np.array([place[j][:3, :3].T @ getattr(moved[j], name) for j in links])
            for name in ("v", "w", "vd", "wd")
        }

    def jdot_qdot(self, q: Vector, qd: Vector, to: Where, frame: Where = 0, *base: Vector) -> Array:
        """Return the acceleration of `to` at zero joint acceleration, in the axes of `frame`."""
        moved = self.motion(q, qd, np.zeros(len(self.own)), *base)[to]
        return _turned(self.placements(q)[frame], np.concatenate([moved.vd, moved.wd])[:, None])[:, 0]


def _driven(carried: Motion, frame: Frame, z: Array, qd: float, qdd: float) -> Motion:
    """Return the motion of a frame from that of the same point of its antecedent."""
    v, w, vd, wd = carried.v, carried.w, carried.vd, carried.wd
    if frame.sigma == 0:
        return Motion(v, w + qd * z, vd, wd + qdd * z + np.cross(w, qd * z))
    if frame.sigma == 1:
        return Motion(v + qd * z, w, vd + qdd * z + 2 * np.cross(w, qd * z), wd)
    return carried


def _turned(placement: Array, twists: Array) -> Array:
    """Return twists in the axes of a frame."""
    back = placement[:3, :3].T
    return np.vstack([back @ twists[:3], back @ twists[3:]])
