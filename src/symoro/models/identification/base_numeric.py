"""Base parameters from random states: rows of the energy, and an ordered QR decomposition (Gautier 1991).

Each row holds the functions f_p(q, qd) of all columns at one state. The columns are taken in order and made
orthogonal to those before (Gram and Schmidt, twice); one that vanishes depends on them. Before all of them come the
*gauge* columns, which no torque shows: the constant, and link 0 of a base that moves as prescribed. The coefficients
are fitted, and verified on states that the fit has not seen.

M. Gautier, "Numerical calculation of the base inertial parameters of robots", J. of Robotic Systems 8, 1991.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.robot.coordinates import independent
from symoro.robot.description import GEOMETRIC, JointType, Robot
from symoro.robot.topology import cut_joints, outward

Array = NDArray[np.float64]
Column = tuple[int, str]
TOLERANCE = 1e-8  # of a column's norm, below which nothing is left of it
SMALLEST = 1e-7  # coefficients below are round-off


@dataclass(frozen=True)
class Geometry:
    """A robot's geometry as numbers: six parameters a frame, the coordinates' map onto its joints, gravity."""

    robot: Robot
    frames: Mapping[int, Mapping[str, float]]
    coordinates: tuple[int, ...]
    ratios: Array  # joint j (row j - 1) from the coordinates
    offsets: Array
    gravity: Array


def numbers(
    robot: Robot, seed: int = 0, names: Mapping[str, float] | None = None
) -> tuple[Geometry, list[str]]:
    """The geometry at nominal values; symbols without one get a random value, and are named."""
    rng = np.random.default_rng(seed)
    values = {**dict(robot.nominal), **(names or {})}
    invented: dict[str, None] = {}
    graph = Graph()

    def number(f: Formula) -> float:
        for name in sorted(f.symbols - values.keys()):
            values[name] = float(rng.uniform(0.2, 1.2))
            invented.setdefault(name)
        return float(evaluate(graph, [f.into(graph).lit], values)[0])

    frames = {
        j: {name: number(getattr(f, name)) for name in GEOMETRIC} for j, f in enumerate(robot.frames, 1)
    }
    own = (*independent(robot), *cut_joints(robot))
    ratios, offsets = np.zeros((robot.NF, len(own))), np.zeros(robot.NF)
    place = {j: k for k, j in enumerate(own)}
    for j, frame in enumerate(robot.frames, 1):
        if frame.coupling:
            offsets[j - 1] = number(frame.coupling.offset)
            for i, ratio in frame.coupling.terms:
                ratios[j - 1, place[i]] = number(ratio)
        elif j in place:
            ratios[j - 1, place[j]] = 1.0
    z = np.array([number(f) for f in robot.base.Z]).reshape(4, 4)[:3, :3]
    gravity = z.T @ np.array([number(f) for f in robot.base.G])
    return Geometry(robot, frames, own, ratios, offsets, gravity), list(invented)


@dataclass
class States:
    """Samples of a motion: coordinates, their rates, and the base's place and twist (linear; angular)."""

    q: Array
    qd: Array
    rotation: Array
    position: Array
    twist: Array


def still(q: Array, qd: Array) -> States:
    """States on a base that does not move."""
    n = len(q)
    eye: Array = np.broadcast_to(np.eye(3), (n, 3, 3)).copy()
    return States(q, qd, eye, np.zeros((n, 3)), np.zeros((n, 6)))


def random_states(geometry: Geometry, count: int, rng: np.random.Generator, *, moving: bool) -> States:
    """Any postures and velocities of a tree."""
    n = len(geometry.coordinates)
    states = still(rng.uniform(-2.5, 2.5, (count, n)), rng.standard_normal((count, n)))
    if moving:
        states.rotation = np.linalg.qr(rng.standard_normal((count, 3, 3)))[0]
        states.rotation *= np.sign(np.linalg.det(states.rotation))[:, None, None]
        states.position = rng.standard_normal((count, 3))
        states.twist = rng.standard_normal((count, 6))
    return states


def placed(
    geometry: Geometry, states: States, frames: set[int] | None = None
) -> tuple[dict[int, Array], dict[int, Array]]:
    """Rotations and positions of all frames (or of some, with those they stand on) where the base is placed."""
    joints = states.q @ geometry.ratios.T + geometry.offsets
    rotation, position = {0: states.rotation}, {0: states.position}
    for j in outward(geometry.robot):
        if frames is not None and j not in frames:
            continue
        frame, given = geometry.robot.frame(j), geometry.frames[j]
        moved = joints[:, j - 1]
        theta = given["theta"] + (moved if frame.sigma == JointType.REVOLUTE else 0 * moved)
        r = given["r"] + (moved if frame.sigma == JointType.PRISMATIC else 0 * moved)
        cg, sg = np.cos(given["gamma"]), np.sin(given["gamma"])
        ca, sa = np.cos(given["alpha"]), np.sin(given["alpha"])
        first = np.array([[cg, -sg * ca, sg * sa], [sg, cg * ca, -cg * sa], [0, sa, ca]])
        c, s, o = np.cos(theta), np.sin(theta), np.zeros_like(theta)
        turn = np.stack([c, -s, o, s, c, o, o, o, o + 1], 1).reshape(-1, 3, 3)
        shift = np.array([given["d"] * cg, given["d"] * sg, given["b"]]) + r[:, None] * first[:, 2]
        before = rotation[frame.ant]
        rotation[j] = before @ (first @ turn)
        position[j] = position[frame.ant] + np.einsum("sij,sj->si", before, shift)
    return rotation, position


def energy_rows(geometry: Geometry, states: States, columns: Sequence[Column]) -> Array:
    """The functions of the columns at the states, one row a state."""
    robot = geometry.robot
    rotation, position = placed(geometry, states)
    rates = states.qd @ geometry.ratios.T
    v = {0: np.einsum("sij,sj->si", rotation[0], states.twist[:, :3])}
    w = {0: np.einsum("sij,sj->si", rotation[0], states.twist[:, 3:])}
    for j in outward(robot):
        frame = robot.frame(j)
        axis = rotation[j][:, :, 2] * rates[:, j - 1, None]
        w[j] = w[frame.ant] + (axis if frame.sigma == JointType.REVOLUTE else 0)
        v[j] = v[frame.ant] + np.cross(w[frame.ant], position[j] - position[frame.ant])
        if frame.sigma == JointType.PRISMATIC:
            v[j] = v[j] + axis
    cache: dict[int, dict[str, Array]] = {}
    for j in {j for j, name in columns if name != "IA"}:
        a, b, c = _turned_back(rotation[j], w[j]).T
        ms = np.cross(_turned_back(rotation[j], v[j]), _turned_back(rotation[j], w[j])) - _turned_back(
            rotation[j], np.broadcast_to(geometry.gravity, v[j].shape)
        )
        cache[j] = {"XX": a * a / 2, "XY": a * b, "XZ": a * c, "YY": b * b / 2, "YZ": b * c, "ZZ": c * c / 2}
        cache[j] |= {"MX": ms[:, 0], "MY": ms[:, 1], "MZ": ms[:, 2]}
        cache[j]["M"] = (v[j] ** 2).sum(1) / 2 - position[j] @ geometry.gravity
    return np.stack([rates[:, j - 1] ** 2 / 2 if n == "IA" else cache[j][n] for j, n in columns], 1)


def _turned_back(rotation: Array, x: Array) -> Array:
    return np.asarray(np.einsum("sji,sj->si", rotation, x))


@dataclass(frozen=True)
class Fit:
    """What the ordered QR found.

    Attributes:
        kept: positions of the independent columns.
        relations: position of a dependent column -> {position of a kept one: coefficient}.
        smallest: what was left of the weakest kept column, relative to its norm.
        largest: the same of the strongest dependent one: far below `smallest`, or the numbers do not tell.
    """

    kept: list[int]
    relations: dict[int, dict[int, float]]
    smallest: float
    largest: float


def ordered_qr(rows: Array, gauge: Array) -> Fit:
    """Which columns depend on those before them, modulo the gauge columns."""
    basis = np.zeros((len(rows), 0))
    for column in gauge.T:
        basis = _extended(basis, column)[0]
    kept: list[int] = []
    dependent: list[int] = []
    smallest, largest = 1.0, 0.0
    for k, column in enumerate(rows.T):
        norm = float(np.linalg.norm(column))
        if norm < TOLERANCE * np.sqrt(len(rows)):
            dependent.append(k)
            continue
        longer, left = _extended(basis, column)
        if left > TOLERANCE:
            kept.append(k)
            basis, smallest = longer, min(smallest, left)
        else:
            dependent.append(k)
            largest = max(largest, left)
    used = np.concatenate([gauge, rows[:, kept]], 1)
    scale = np.linalg.norm(used, axis=0)
    scale[scale == 0] = 1
    beta = np.linalg.lstsq(used / scale, rows[:, dependent], rcond=None)[0] / scale[:, None]
    relations = {
        k: {kept[i]: float(c) for i, c in enumerate(beta[gauge.shape[1] :, m]) if abs(c) > SMALLEST}
        for m, k in enumerate(dependent)
    }
    return Fit(kept, relations, smallest, largest)


def _extended(basis: Array, column: Array) -> tuple[Array, float]:
    norm = float(np.linalg.norm(column))
    if norm == 0:
        return basis, 0.0
    u = column / norm
    for _ in range(2):  # once is not enough in floating point
        u = u - basis @ (basis.T @ u)
    left = float(np.linalg.norm(u))
    if left <= TOLERANCE:
        return basis, left
    return np.column_stack([basis, u / left]), left


def residual(fit: Fit, rows: Array, gauge: Array) -> float:
    """How far the relations are from holding on other states, relative to the columns."""
    worst = 0.0
    for k, relation in fit.relations.items():
        rest = rows[:, k] - sum((c * rows[:, p] for p, c in relation.items()), np.zeros(len(rows)))
        if gauge.shape[1]:
            rest = rest - gauge @ np.linalg.lstsq(gauge, rest, rcond=None)[0]
        size = max(float(np.linalg.norm(rows[:, k])), 1e-6 * np.sqrt(len(rows)))
        worst = max(worst, float(np.linalg.norm(rest)) / size)
    return worst


def gauge_of(geometry: Geometry, states: States, *, base: bool) -> Array:
    """The constant, and the functions of link 0 where the base moves as prescribed."""
    ones = np.ones((len(states.q), 1))
    if not base:
        return ones
    names = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
    return np.concatenate([ones, energy_rows(geometry, states, [(0, name) for name in names])], 1)
