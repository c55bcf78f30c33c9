"""Logs of robots with closed loops whose parameters are known, made without the models of loops.

Passive joints are written down from plane geometry, their rates are differences in time, and torques are those of the
robot with its loops cut, at all joints, by virtual work: tau = G' tau_tree, G by differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.expr.formula import formula
from symoro.identification.log import Log, log_of_arrays

Array = NDArray[np.float64]
RATE = 500.0
STEP = 2e-4  # of differences, in seconds
SLOPE = np.array([1, -8, 0, 8, -1]) / 12
BEND = np.array([-1, 16, -30, 16, -1]) / 12


@dataclass(frozen=True)
class LoopMotion:
    """Active joints along a sum of sines, and the torques that they take."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def log(self, noise: float | Array = 0.0, seed: int = 0, *, exact: bool = True) -> Log:
        """With noise on torques; velocities and accelerations as they are, or left to differences."""
        more = {"velocity": self.qd, "acceleration": self.qdd} if exact else {}
        tau = self.tau + noise * np.random.default_rng(seed).standard_normal(self.tau.shape)
        return log_of_arrays(RATE, self.q, tau, **more)


def sines(centre: Array, size: float | Array, seed: int, turns: float = 0.0) -> Callable[[Array], Array]:
    """Positions of the active joints at times; `turns` is a constant speed beside them."""
    chance = np.random.default_rng(seed)
    w = 2 * np.pi * 0.25 * np.arange(1, 6)
    a, phase = (chance.uniform(*span, (len(centre), 5)) for span in ((-1, 1), (0, 6)))
    a = a * np.reshape(size, (-1, 1))
    return lambda t: centre + (a * np.sin(w * t[:, None, None] + phase)).sum(2) + turns * t[:, None]


def moved(
    robot: symoro.Robot,
    closed: Callable[[Array], Array],
    course: Callable[[Array], Array],
    active: list[int],
    samples: int = 2000,
) -> LoopMotion:
    """Arguments: closed: all joints (N, n) from the active ones; active: their places among them; robot: of numbers."""
    t = np.arange(samples) / RATE
    rows = np.array([np.unwrap(closed(course(t + k * STEP)), axis=0) for k in range(-2, 3)])
    q = rows[2]
    qd, qdd = (np.tensordot(w, rows, 1) / STEP**n for n, w in ((1, SLOPE), (2, BEND)))
    tree = symoro.generate(robot.tree(), "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    tau = np.zeros((samples, len(active)))
    for k in range(len(active)):
        away = 1e-4 * np.eye(len(active))[k]
        sides = [closed(q[:, active] + n * away) - q for n in range(-2, 3)]
        sides = [(side + np.pi) % (2 * np.pi) - np.pi for side in sides]
        tau[:, k] = ((np.tensordot(SLOPE, np.array(sides), 1) / 1e-4) * tree).sum(1)
    return LoopMotion(q[:, active], qd[:, active], qdd[:, active], tau)


# -- SR400: the parallelogram


SR400 = [0, 1, 3, 4, 5, 6]


def sr400_joints(qa: Array) -> Array:
    q1, q2, q4, q5, q6, q7 = qa.T
    return np.column_stack([q1, q2, q7 - q2 - np.pi / 2, q4, q5, q6, q7, q2 - q7])


def sr400() -> symoro.Robot:
    """With bodies for its links, and friction at its passive joints too."""
    chance = np.random.default_rng(3)
    robot = symoro.load("sr400")
    values: dict[str, float] = {}
    for j in range(1, 9):
        mass, centre = chance.uniform(3, 20) / j, chance.uniform(-0.2, 0.2, 3)
        skew = chance.uniform(-0.02, 0.02, (3, 3))
        J = np.diag(chance.uniform(0.1, 0.3, 3)) + skew + skew.T
        J = J + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        values |= {f"M{j}": mass}
        values |= {f"M{'XYZ'[k]}{j}": mass * centre[k] for k in range(3)}
        values |= {f"{'XYZ'[k]}{'XYZ'[i]}{j}": J[k, i] for k in range(3) for i in range(k, 3)}
        values |= {f"IA{j}": chance.uniform(0.5, 1) if robot.frame(j).mu else 0.0}
        values |= {f"{kind}{j}": chance.uniform(1, 5) for kind in ("FV", "FS")}
    return robot.bind(values)


def sr400_motion(seed: int = 1, samples: int = 2000) -> LoopMotion:
    course = sines(np.array([0, -1, 0.3, 0.4, 0.2, 0.2]), 0.25, seed)
    return moved(sr400(), sr400_joints, course, SR400, samples)


# -- five bars: two circles that meet


def fivebar_joints(qa: Array, side: float = 1.0) -> Array:
    """Bars of 0.2 m from motors 0.24 m apart, then of 0.3 m to where they meet, on one side of the line between."""
    left = 0.2 * np.column_stack([np.cos(qa[:, 0]), np.sin(qa[:, 0])])
    right = np.array([0.24, 0.0]) + 0.2 * np.column_stack([np.cos(qa[:, 1]), np.sin(qa[:, 1])])
    across = right - left
    width = np.linalg.norm(across, axis=1)
    up = np.sqrt(0.3**2 - width**2 / 4)[:, None] * np.column_stack([-across[:, 1], across[:, 0]])
    tip = (left + right) / 2 + side * up / width[:, None]
    angles = [np.arctan2(*(tip - elbow).T[::-1]) for elbow in (left, right)]
    return np.column_stack([qa[:, 0], angles[0] - qa[:, 0], qa[:, 1], angles[1] - qa[:, 1]])


FIVEBAR = [0, 2]
START = np.array([2.0, 1.0])


def fivebar_posture(side: float = 1.0) -> list[float]:
    return [float(x) for x in fivebar_joints(START[None], side)[0]]


def fivebar() -> symoro.Robot:
    """With friction at all its joints."""
    robot = symoro.load("fivebar")
    robot = robot.bind({name: value for name, value in robot.nominal if name != "G3"})
    frames = [
        replace(f, FV=formula(0.02 + 0.01 * j), FS=formula(0.05 - 0.01 * j)) if j < 4 else f
        for j, f in enumerate(robot.frames)
    ]
    return robot.replace(frames=tuple(frames))


def fivebar_motion(side: float = 1.0, samples: int = 2000) -> LoopMotion:
    course = sines(START, 0.2, 1)
    return moved(fivebar(), lambda qa: fivebar_joints(qa, side), course, FIVEBAR, samples)
