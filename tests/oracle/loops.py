"""Closed loops of six joints, from Denavit-Hartenberg tables of arms: constants and random poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.oracle.placement import screw

RIGHT = np.pi / 2


def shift(x: float = 0, y: float = 0, z: float = 0) -> np.ndarray:
    made = np.eye(4)
    made[:3, 3] = x, y, z
    return made


@dataclass(frozen=True)
class Arm:
    """Serial arm by modified parameters: Rx(alpha) Tx(d) Rz(theta) Tz(r) per joint, then a tool.

    Attributes:
        angles: offsets of theta.
    """

    kinds: Sequence[int]
    alpha: Sequence[float]
    d: Sequence[float]
    r: Sequence[float]
    angles: Sequence[float] = (0,) * 6
    tool: np.ndarray = field(default_factory=lambda: np.eye(4))

    def placements(self) -> list[np.ndarray]:
        """Return the constant transforms before joint 1 and after each joint."""
        fixed = [screw("x", a, x) for a, x in zip(self.alpha, self.d, strict=True)]
        behind = [*fixed[1:], self.tool]
        own = [screw("z", t, z) for t, z in zip(self.angles, self.r, strict=True)]
        return [fixed[0], *(a @ b for a, b in zip(own, behind, strict=True))]

    def pose(self, q: Sequence[float]) -> np.ndarray:
        first, *rest = self.placements()
        made = first
        for kind, value, behind in zip(self.kinds, q, rest, strict=True):
            made = made @ (screw("z", 0, value) if kind else screw("z", value, 0)) @ behind
        return made

    def constants(self, pose: np.ndarray) -> np.ndarray:
        """Return the constants (72,) of the loop of the arm and a pose."""
        first, *rest = self.placements()
        rest[5] = rest[5] @ np.linalg.inv(pose) @ first
        return np.array([c[:3] for c in rest]).reshape(72)

    def values(self, rng: np.random.Generator) -> np.ndarray:
        return np.where(self.kinds, rng.uniform(-1, 1, 6), rng.uniform(-np.pi, np.pi, 6))

    def sample(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        q = self.values(rng)
        return self.constants(self.pose(q)), q


def standard(alpha: Sequence[float], a: Sequence[float], d: Sequence[float]) -> Arm:
    """Return six revolute joints by standard parameters: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    tool = screw("x", alpha[5], a[5])
    return Arm((0,) * 6, (0, *alpha[:5]), (0, *a[:5]), tuple(d), tool=tool)


def general(kinds: Sequence[int], seed: int) -> Arm:
    """Return an arm of general geometry."""
    rng = np.random.default_rng(seed)
    sliding = np.array(kinds)
    alpha = np.array([0, *(rng.uniform(0.3, 1.4, 5) * rng.choice([-1, 1], 5))])
    d, r = np.array([0, *rng.uniform(0.1, 0.6, 5)]), rng.uniform(-1, 1, 6) * (1 - sliding)
    return Arm(kinds, alpha, d, r, rng.uniform(-1, 1, 6) * sliding, shift(0.1, 0.2, 0.1) @ screw("x", 0.3, 0))


def kinds_with(*sliding: int) -> tuple[int, ...]:
    """Return the kinds of six joints; the given numbers (from 1) are prismatic."""
    return tuple(int(joint in sliding) for joint in range(1, 7))


def _jaco2() -> Arm:
    half, lengths = np.pi / 6, (0.2755, 0.41, 0.2073, 0.0741, 0.0741, 0.16)
    ratio = np.sin(half) / np.sin(2 * half)
    d1, d2, d3, d4, d5, d6 = lengths
    d = (d1, 0, -0.0098, -(d3 + ratio * d4), -ratio * (d4 + d5), -(ratio * d5 + d6))
    return standard((RIGHT, np.pi, RIGHT, 2 * half, 2 * half, np.pi), (0, d2, 0, 0, 0, 0), d)


_R, _6R = RIGHT, (0,) * 6
MANSEUR_DOTY = standard(np.deg2rad([90, 1, 90, 1, 90, 1]), (0.3, 1, 0, 1.5, 0, 0), (0, 0, 0.2, 0, 0, 0))
ARMS = {
    "puma560": Arm(
        _6R,
        (0, -_R, 0, _R, -_R, _R),
        (0, 0, 0.4318, -0.0203, 0, 0),
        (0, 0.2435, -0.0934, 0.4331, 0, 0),
        tool=shift(z=0.05625),
    ),
    "rx90": Arm(_6R, (0, _R, 0, -_R, _R, -_R), (0, 0, 0.45, 0, 0, 0), (0, 0, 0, 0.45, 0, 0)),
    "stanford": Arm(
        kinds_with(3), (0, -_R, _R, 0, -_R, _R), (0,) * 6, (0, 0.154, 0, 0, 0, 0), tool=shift(z=0.2)
    ),
    "ur5": standard(
        (_R, 0, 0, _R, -_R, 0), (0, -0.425, -0.39225, 0, 0, 0), (0.089159, 0, 0, 0.10915, 0.09465, 0.0823)
    ),
    "panda, joint 7 locked": Arm(
        _6R,
        (0, -_R, _R, _R, -_R, _R),
        (0, 0, 0, 0.0825, -0.0825, 0),
        (0.333, 0, 0.316, 0, 0.384, 0),
        tool=screw("x", _R, 0.088) @ screw("z", 0.4, 0.107),
    ),
    "jaco2": _jaco2(),
    "spherical shoulder": Arm(
        _6R,
        (0, _R, -_R, _R, 0.7, -0.9),
        (0, 0, 0, 0.1, 0.4, 0.3),
        (0.3, 0, 0.4, 0.1, 0.2, 0.1),
        tool=shift(0.1, 0.1, 0.2),
    ),
    "oblique wrist": Arm(
        _6R,
        (0, -_R, 0, _R, -0.8, 0.6),
        (0, 0.1, 0.4, 0.05, 0, 0),
        (0, 0.1, 0, 0.4, 0, 0),
        tool=shift(0.1, 0.1, 0.2),
    ),
    "manseur-doty": MANSEUR_DOTY,
}
