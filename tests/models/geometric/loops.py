"""Robots with closed loops for the tests, and all their assembly modes by a numerical search in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import formula
from symoro.robot.coordinates import independent
from symoro.robot.description import Coupling, Frame, JointType, Link, Robot
from symoro.robot.topology import cut_joints
from tests.oracle.numeric import Numeric
from tests.oracle.placement import placement

Array = NDArray[np.float64]
Joint = tuple[int, dict[str, float]]  # sigma and the geometric parameters
PI = np.pi


def frame(
    ant: int, *, mu: bool = False, sigma: int = 0, coupling: Coupling | None = None, **place: Any
) -> Frame:
    fields = {name: formula(value) for name, value in place.items()}
    return Frame(ant, JointType(sigma), mu, coupling=coupling, **fields)


def two_loops() -> Robot:
    """Return the sample TwoLoops of OpenSYMORO; its second loop must be solved first, its first is a parallelogram."""
    frames = (
        frame(0, mu=True),
        frame(1, mu=True, alpha="pi/2"),
        frame(2, mu=True, d="d3"),
        frame(3, d="d4"),
        frame(4, mu=True, gamma="-g12", alpha="pi/2"),
        frame(1, b="d12*cos(g12)", d="-d12*sin(g12)", alpha="pi/2"),
        frame(4, gamma="pi/2", d="d7"),
        frame(3),
        frame(7, d="d4"),
        frame(6, d="d3"),
        frame(8, sigma=2, gamma="g12 + pi/2", d="d7"),
        frame(11, sigma=2),
    )
    numbers = (("d3", 0.7), ("d4", 0.6), ("d7", 0.3), ("d12", 0.35), ("g12", 0.4))
    return Robot("TwoLoops", frames, (Link(),) * 8, nominal=numbers)


def rhombus() -> Robot:
    """Return the sample testLoop of OpenSYMORO: four equal bars with both motors on one axis."""
    frames = (
        frame(0, mu=True),
        frame(1, d="d"),
        frame(0, mu=True),
        frame(3, d="d"),
        frame(4, d="d"),
        frame(2, sigma=2, d="d"),
    )
    return Robot("testLoop", frames, (Link(),) * 4, nominal=(("d", 0.5),))


def six_bar() -> Robot:
    """Return Watt's linkage: a four-bar with two more bars between its coupler and its rocker."""
    frames = (
        frame(0, mu=True),
        frame(1, d=0.3),
        frame(0, d=0.8),
        frame(2, gamma=0.5, d=0.4),
        frame(3, gamma=0.3, d=0.9),
        frame(2, d=0.9),
        frame(4, d=0.7),
        frame(3, sigma=2, d=0.6),
        frame(5, sigma=2, d=0.5),
    )
    return Robot("watt", frames, (Link(),) * 5)


def arm_with_four_bar(excess: float = 0.0) -> Robot:
    """Return an arm with six revolute joints; the second is the rocker of a four-bar whose crank (7) is active.

    Ground and coupler have equal lengths except for an `excess`; with zero excess, so have crank and rocker.
    """
    crank = 0.2 if excess == 0 else 0.2 + excess
    frames = (
        frame(0, mu=True),
        frame(1, alpha="-pi/2"),
        frame(2, mu=True, d=0.5),
        frame(3, mu=True, alpha="-pi/2", d=0.05, r=0.4),
        frame(4, mu=True, alpha="pi/2"),
        frame(5, mu=True, alpha="-pi/2"),
        frame(1, mu=True, alpha="-pi/2", d=0.35),
        frame(7, d=crank),
        frame(8, d=0.35 + excess),
        frame(2, sigma=2, gamma=0.9, d=0.2),
    )
    return Robot("geared", frames, (Link(),) * 8)


def planar_platform() -> Robot:
    """Return a planar platform with three legs of prismatic joints; its loops cannot be solved one by one."""
    leg: dict[str, Any] = {"mu": True, "sigma": 1, "alpha": "pi/2"}
    frames = (
        *(frame(0), frame(1, **leg), frame(2, alpha="-pi/2")),
        *(frame(0, d=1.0), frame(4, **leg)),
        *(frame(0, gamma="pi/3", d=1.0), frame(6, **leg)),
        *(frame(5, alpha="-pi/2"), frame(7, alpha="-pi/2")),
        *(frame(3, sigma=2, d=0.3), frame(3, sigma=2, gamma="pi/3", d=0.3)),
    )
    return Robot("platform", frames, (Link(),) * 7)


def ring(joints: Sequence[Joint], posture: Sequence[float], active: Sequence[int]) -> Robot:
    """Return a loop of joints in series, cut at the last, that closes in a given configuration."""
    frames, tip = [], np.eye(4)
    for j, ((sigma, place), q) in enumerate(zip(joints, posture, strict=True), 1):
        moved = dict(place)
        if sigma < 2:
            name = "theta" if sigma == 0 else "r"
            moved[name] = moved.get(name, 0.0) + q
        tip = tip @ placement(**moved)
        frames.append(frame(j - 1, mu=j in active, sigma=sigma, **place))
    frames.append(frame(0, sigma=2, **parameters_of(tip)))
    return Robot("ring", tuple(frames), (Link(),) * (len(joints) - 1))


def parameters_of(place: Array) -> dict[str, float]:
    """Return the six geometric parameters of a transform."""
    rotation, p = place[:3, :3], place[:3, 3]
    if abs(rotation[2, 2]) > 1 - 1e-12:
        alpha = 0.0 if rotation[2, 2] > 0 else PI
        result = {"gamma": np.arctan2(p[1], p[0]), "b": p[2], "alpha": alpha, "d": np.hypot(p[0], p[1])}
        rest = np.linalg.inv(placement(**result)) @ place
        return {name: float(x) for name, x in result.items()} | {
            "theta": float(np.arctan2(rest[1, 0], rest[0, 0]))
        }
    gamma = np.arctan2(rotation[0, 2], -rotation[1, 2])
    across = np.array([np.cos(gamma), np.sin(gamma), 0])
    b, d, r = np.linalg.solve(np.column_stack([[0, 0, 1], across, rotation[:, 2]]), p)
    values = {
        "gamma": gamma,
        "b": b,
        "alpha": np.arccos(rotation[2, 2]),
        "d": d,
        "theta": np.arctan2(rotation[2, 0], rotation[2, 1]),
        "r": r,
    }
    return {name: float(x) for name, x in values.items()}


class Assembly:
    """Loops of a robot in numbers; rows of x contain the joints of the tree, then the cut joints."""

    def __init__(self, robot: Robot, values: Mapping[str, float] | None = None) -> None:
        numbers = {**dict(robot.nominal), **(values or {})}
        self.robot = robot
        self.joints = [*independent(robot), *cut_joints(robot)]
        self.active = [j for j in independent(robot) if robot.frame(j).mu]
        self.free = [k for k, j in enumerate(self.joints) if j not in self.active]
        self.turns = np.array([robot.frame(j).sigma == 0 for j in self.joints])
        names = ("gamma", "b", "alpha", "d", "theta", "r")
        self.place = [[getattr(f, name).value(numbers) for name in names] for f in robot.frames]

    def gap(self, x: Array) -> Array:
        """Return the differences between frames k and k + B, one row per configuration."""
        robot, q = self.robot, dict(zip(self.joints, x.T, strict=True))
        for j, f in enumerate(robot.frames, 1):
            if f.coupling:
                terms = [float(ratio.value({})) * q[i] for i, ratio in f.coupling.terms]
                q[j] = sum(terms) + f.coupling.offset.value({})
        placed: dict[int, Array] = {0: np.broadcast_to(np.eye(4), (len(x), 4, 4))}

        def at(j: int) -> Array:
            if j not in placed:
                gamma, b, alpha, d, theta, r = self.place[j - 1]
                sigma = robot.frame(j).sigma
                turn, slide = (q[j] if sigma == k else 0.0 for k in (0, 1))
                own = placement(gamma, b, alpha, d, theta + turn, r + slide)
                placed[j] = at(robot.frame(j).ant) @ own
            return placed[j]

        differences = [at(k) - at(k + robot.B) for k in range(robot.NL + 1, robot.NJ + 1)]
        return np.concatenate([d[:, :3].reshape(len(x), -1) for d in differences], axis=1)

    def every(self, qa: Sequence[float], seed: int = 0, starts: int = 60, iterations: int = 40) -> Array:
        """Return all configurations with these active joints that a search from many initial values reaches."""
        chance = np.random.default_rng(seed)
        x = np.where(
            self.turns,
            chance.uniform(-PI, PI, (starts, len(self.joints))),
            chance.uniform(-2, 2, (starts, 1)),
        )
        x[:, [self.joints.index(j) for j in self.active]] = qa
        damping = np.full(starts, 1e-2)
        gap = self.gap(x)
        for _ in range(iterations):
            slope = np.stack([(self.gap(x + h) - self.gap(x - h)) / 2e-6 for h in self._moves()], axis=2)
            normal = np.einsum("nri,nrj->nij", slope, slope) + damping[:, None, None] * np.eye(len(self.free))
            step = np.linalg.solve(normal, np.einsum("nri,nr->ni", slope, gap)[..., None])[..., 0]
            tried = x.copy()
            tried[:, self.free] -= step
            there = self.gap(tried)
            better = (there**2).sum(axis=1) < (gap**2).sum(axis=1)
            x[better], gap[better] = tried[better], there[better]
            damping = np.clip(np.where(better, damping / 5, damping * 4), 1e-14, 1e6)
        results: list[Array] = []
        for row in x[np.abs(gap).max(axis=1) < 1e-10]:
            if all(self.distance(row, other) > 1e-4 for other in results):
                results.append(row)
        return np.array(results).reshape(len(results), len(self.joints))

    def distance(self, x: Array, y: Array) -> float:
        difference = np.where(self.turns, (x - y + PI) % (2 * PI) - PI, x - y)
        return float(np.abs(difference).max())

    def _moves(self) -> Array:
        moves = np.zeros((len(self.free), len(self.joints)))
        moves[range(len(self.free)), self.free] = 1e-6
        return moves


def open_by(robot: Robot, q: Array, qc: Array, values: Mapping[str, float] | None = None) -> float:
    """Return the largest closure error of the loops, by the oracle of direct geometry."""
    oracle = Numeric(robot, values)
    largest = 0.0
    for row, cut in zip(q, qc, strict=True):
        for k in range(robot.NL + 1, robot.NJ + 1):
            place = oracle.transform(row, k + robot.B, k, cut)
            largest = max(largest, float(np.abs(place - np.eye(4)).max()))
    return largest
