"""A robot as numbers: random states, and the energy's functions at them.

Each row holds the functions f_p(q, qd) of all columns at one state. Everything is computed in the kind of numbers that
the geometry and the states are given in, doubles or scaled integers (`base_fixed`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.models.identification.base_fixed import (
    ONE,
    Numbers,
    cross,
    doubles,
    exactly,
    is_exact,
    number,
    one_like,
    scaled,
    sine_cosine,
    times,
    turned,
)
from symoro.robot.coordinates import followers, independent, relation
from symoro.robot.description import GEOMETRIC, INERTIAL, JointType, Robot
from symoro.robot.topology import Loop, cut_joints, loops, outward

Array = NDArray[np.float64]
Column = tuple[int, str]


@dataclass(frozen=True)
class Geometry:
    """A robot's geometry as numbers, doubles or scaled integers.

    Attributes:
        coordinates: joints that have one: of the tree, then opened ones.
        ratios, offsets: joint j (row j - 1) from the coordinates.
        turns, shifts: frame j on its antecedent, its joint at zero.
        loops: those that are to be closed.
    """

    robot: Robot
    coordinates: tuple[int, ...]
    ratios: Numbers
    offsets: Numbers
    gravity: Numbers
    turns: Mapping[int, Numbers]
    shifts: Mapping[int, Numbers]
    loops: tuple[Loop, ...]

    @cached_property
    def size(self) -> float:
        """The largest length in the loops; 1 where there is none."""
        frames = {j for loop in self.loops for j in loop.frames}
        lengths = [float(np.linalg.norm(doubles(self.shifts[j]))) for j in frames]
        return max(lengths, default=0.0) or 1.0

    @cached_property
    def outward(self) -> tuple[int, ...]:
        """The frames, each after its antecedent."""
        return tuple(outward(self.robot))


def completed(robot: Robot, seed: int = 0) -> tuple[Robot, tuple[str, ...]]:
    """The robot with a random nominal value for every symbol of its geometry without one, and their names."""
    rng = np.random.default_rng(seed)
    values = dict(robot.nominal)
    needed: dict[str, None] = {}
    for f in _formulas(robot):
        for name in sorted(f.symbols - values.keys()):
            needed.setdefault(name)
    values |= {name: float(rng.uniform(0.2, 1.2)) for name in needed}
    return replace(robot, nominal=tuple(values.items())), tuple(needed)


def _formulas(robot: Robot) -> list[Formula]:
    found: list[Formula] = []
    for frame in robot.frames:
        found += [getattr(frame, name) for name in GEOMETRIC]
    for law in followers(robot).values():
        found += [law.offset, *(ratio for _, ratio in law.terms)]
    return [*found, *robot.base.Z, *robot.base.G]


def numbers(
    robot: Robot, *, closing: Sequence[Loop] | None = None, exact: bool = False, nudged: bool = False
) -> Geometry:
    """The geometry at nominal values; every symbol must have one.

    Arguments:
        closing: the loops that are to be closed; all of them unless given.
        exact: in scaled integers.
        nudged: with other last digits of long numbers.
    """
    values = dict(robot.nominal)
    graph = Graph()
    known: dict[Formula, Any] = {}

    def of(f: Formula) -> Any:
        if f not in known:
            if exact:
                known[f] = number(f, values, nudged=nudged)
            else:
                known[f] = float(evaluate(graph, [f.into(graph).lit], values)[0])
        return known[f]

    def array(*items: Any) -> Numbers:
        return np.array(items, dtype=object if exact else float)

    own = tuple(j for j in (*independent(robot), *cut_joints(robot)) if relation(robot, j) is None)
    place = {j: k for k, j in enumerate(own)}
    one = ONE if exact else 1.0
    ratios, offsets = array(*[[0] * len(own)] * robot.NF), array(*[0] * robot.NF)
    turns, shifts = {}, {}
    for j, frame in enumerate(robot.frames, 1):
        if law := relation(robot, j):
            offsets[j - 1] = of(law.offset)
            for i, ratio in law.terms:
                ratios[j - 1, place[i]] += of(ratio)
        elif j in place:
            ratios[j - 1, place[j]] = one
        gamma, b, alpha, d, theta, r = (array(of(getattr(frame, name))) for name in GEOMETRIC)
        first = times(_turn("z", gamma), _turn("x", alpha))
        turns[j] = times(first, _turn("z", theta))[0]
        along, zero = _turn("z", gamma)[0, :, 0], 0 * b
        shifts[j] = scaled(along, d) + scaled(first[0, :, 2], r) + np.concatenate([zero, zero, b])
    z = array(*(of(f) for f in robot.base.Z)).reshape(4, 4)[:3, :3]
    gravity = times(z.T, array(*(of(f) for f in robot.base.G)))
    chosen = tuple(loops(robot) if closing is None else closing)
    return Geometry(robot, own, ratios, offsets, gravity, turns, shifts, chosen)


def _turn(axis: str, angle: Numbers) -> Numbers:
    """Turns about x or z, (S, 3, 3)."""
    s, c = sine_cosine(angle)
    i, j, k = (0, 1, 2) if axis == "z" else (1, 2, 0)
    found = np.zeros((len(angle), 3, 3), dtype=angle.dtype)
    found[:, i, i], found[:, i, j], found[:, j, i], found[:, j, j] = c, -s, s, c
    found[:, k, k] = one_like(angle)
    return found


@dataclass
class States:
    """Samples of a motion: coordinates, their rates, and the base's place and twist (linear; angular)."""

    q: Numbers
    qd: Numbers
    rotation: Numbers
    position: Numbers
    twist: Numbers

    def exactly(self, q: Numbers, qd: Numbers) -> States:
        """In scaled integers, with other coordinates and rates."""
        # Of doubles, a rotation is one to 1e-16 only: turned into one by its own digits.
        turn = exactly(self.rotation)
        one = np.array([[ONE * (r == c) for c in range(3)] for r in range(3)], dtype=object)
        for _ in range(4):  # Newton's method for the nearest rotation
            turn = times(turn, 3 * one - times(turn.transpose(0, 2, 1), turn)) // 2
        return States(q, qd, turn, exactly(self.position), exactly(self.twist))


def still(q: Numbers, qd: Numbers) -> States:
    """States on a base that does not move."""
    n = len(q)
    zero, one = 0 * one_like(q), one_like(q)
    eye = np.array([[[one if r == c else zero for c in range(3)] for r in range(3)]] * n, dtype=q.dtype)
    return States(q, qd, eye.reshape(n, 3, 3), *(np.zeros((n, k), dtype=q.dtype) for k in (3, 6)))


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
) -> tuple[dict[int, Numbers], dict[int, Numbers]]:
    """Rotations and positions of all frames (or of some, with those they stand on) where the base is placed."""
    joints = times(states.q, geometry.ratios.T) + geometry.offsets
    rotation, position = {0: states.rotation}, {0: states.position}
    for j in geometry.outward:
        if frames is not None and j not in frames:
            continue
        frame, moved = geometry.robot.frame(j), joints[:, j - 1]
        before, shift = rotation[frame.ant], geometry.shifts[j]
        rotation[j] = times(before, geometry.turns[j])
        position[j] = position[frame.ant] + times(before, shift)
        if frame.sigma == JointType.REVOLUTE:
            rotation[j] = times(rotation[j], _turn("z", moved))
        elif frame.sigma == JointType.PRISMATIC:
            position[j] = position[j] + scaled(rotation[j][:, :, 2], moved[:, None])
    return rotation, position


def energy_rows(geometry: Geometry, states: States, columns: Sequence[Column]) -> Numbers:
    """The functions of the columns at the states, one row a state."""
    robot = geometry.robot
    rotation, position = placed(geometry, states)
    rates = times(states.qd, geometry.ratios.T)
    v = {0: turned(rotation[0], states.twist[:, :3])}
    w = {0: turned(rotation[0], states.twist[:, 3:])}
    for j in geometry.outward:
        frame = robot.frame(j)
        axis = scaled(rotation[j][:, :, 2], rates[:, j - 1, None])
        w[j] = w[frame.ant] + (axis if frame.sigma == JointType.REVOLUTE else 0)
        v[j] = v[frame.ant] + cross(w[frame.ant], position[j] - position[frame.ant])
        if frame.sigma == JointType.PRISMATIC:
            v[j] = v[j] + axis
    cache: dict[int, dict[str, Numbers]] = {}
    for j in {j for j, name in columns if name != "IA"}:
        back = rotation[j].transpose(0, 2, 1)
        own = turned(back, w[j])
        ms = cross(turned(back, v[j]), own) - times(back, geometry.gravity)
        cache[j] = {name: scaled(own[:, i], own[:, k]) for name, (i, k) in _PAIRS.items()}
        cache[j] |= {name: _half(cache[j][name]) for name in ("XX", "YY", "ZZ")}
        cache[j] |= {"MX": ms[:, 0], "MY": ms[:, 1], "MZ": ms[:, 2]}
        cache[j]["M"] = _half(scaled(v[j], v[j]).sum(1)) - times(position[j], geometry.gravity)
    rotors = {j: _half(scaled(rates[:, j - 1], rates[:, j - 1])) for j, name in columns if name == "IA"}
    return np.stack([rotors[j] if name == "IA" else cache[j][name] for j, name in columns], 1)


_PAIRS = {"XX": (0, 0), "XY": (0, 1), "XZ": (0, 2), "YY": (1, 1), "YZ": (1, 2), "ZZ": (2, 2)}


def _half(x: Numbers) -> Numbers:
    return x >> 1 if is_exact(x) else x / 2


def gauge_of(geometry: Geometry, states: States, *, base: bool) -> Numbers:
    """What no torque shows: the constant, and the functions of link 0 where the base moves as prescribed."""
    ones = np.full((len(states.q), 1), one_like(states.q), dtype=states.q.dtype)
    if not base:
        return ones
    return np.concatenate([ones, energy_rows(geometry, states, [(0, name) for name in INERTIAL])], 1)
