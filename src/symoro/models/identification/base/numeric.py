"""Robot in numbers: random states, and the energy functions of the inertial parameters at these states.

Lengths, positions of prismatic joints and gravity are in units of the robot's size (a power of two, so that
divisions are exact), so that one tolerance suits robots of all sizes. Masses and times keep their units. Each
row contains the functions f_p(q, qd) of all parameters at one state. All computations use the number type of
the geometry and the states, double precision or scaled integers (`numeric.fixed_point`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.models.identification.base.assembly import Posture
from symoro.models.identification.base.geometry import ParameterKey
from symoro.models.numeric.fixed_point import (
    ONE,
    Array,
    Numbers,
    array,
    cross,
    exactly,
    is_exact,
    number,
    one_like,
    scaled,
    times,
    turned,
)
from symoro.models.numeric.tree import (
    NumericTree,
    Placements,
    Velocities,
    formulas,
    identity_pose,
    joint_rates,
    numeric_tree,
    placements,
    velocities,
)
from symoro.models.units import length_power
from symoro.robot.description import INERTIAL, Robot
from symoro.robot.size import binary_length, characteristic_length, joint_units
from symoro.robot.topology import Loop


@dataclass(frozen=True)
class Geometry(NumericTree):
    """Kinematic tree in numbers; lengths and gravity are in units of `length` (metres), gravity is in frame 0."""

    gravity: Numbers
    length: float

    @cached_property
    def metres(self) -> Array:
        """Unit of each coordinate: 1 (rad) for revolute joints, `length` in metres for prismatic joints."""
        return np.array(joint_units(self.robot, self.coordinates, self.length))

    def own(self, posture: Posture | None) -> Posture | None:
        """Convert a configuration {joint: position} in radians and metres to the units of the geometry."""
        if posture is None:
            return None
        units = joint_units(self.robot, posture, self.length)
        return {j: x / unit for (j, x), unit in zip(posture.items(), units, strict=True)}


def coefficient_unit(robot: Robot, kept: ParameterKey, other: ParameterKey, length: float) -> float:
    """Return the unit of the coefficient with which parameter `other` is added to parameter `kept`.

    The unit is a power of `length`, the unit of length in metres.
    """
    return float(length ** (length_power(robot, *kept) - length_power(robot, *other)))


def geometric_formulas(robot: Robot) -> list[Formula]:
    """Return the formulas of geometry, base, gravity and wheels, which determine the relations of base parameters."""
    wheels = [f for wheel in robot.wheels for f in (wheel.radius, wheel.roller)]
    return [*formulas(robot), *robot.base.Z, *robot.base.G, *wheels]


def completed(robot: Robot, seed: int = 0) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot with a random nominal value for each geometric symbol that has none, and their names."""
    rng = np.random.default_rng(seed)
    values = dict(robot.nominal)
    needed: dict[str, None] = {}
    for f in geometric_formulas(robot):
        for name in sorted(f.symbols - values.keys()):
            needed.setdefault(name)
    values |= {name: float(rng.uniform(0.2, 1.2)) for name in needed}
    return replace(robot, nominal=tuple(values.items())), tuple(needed)


def numbers(
    robot: Robot, *, closing: Sequence[Loop] | None = None, exact: bool = False, perturbed: bool = False
) -> Geometry:
    """Return the geometry of a robot in numbers at its nominal values, in units of the robot's size.

    Every symbol must have a value.

    Args:
        closing: the loops whose closure equations are used; by default all loops.
        exact: whether to use scaled integers (multiple precision) instead of doubles.
        perturbed: whether to change the last digit of numbers that have all digits of a double.
    """
    values = dict(robot.nominal)
    graph = Graph()
    known: dict[Formula, Any] = {}

    def of(f: Formula) -> Any:
        if f not in known:
            if exact:
                known[f] = number(f, values, perturbed=perturbed)
            else:
                known[f] = float(evaluate(graph, [f.into(graph).lit], values)[0])
        return known[f]

    tree = numeric_tree(robot, of, exact=exact, closing=closing)
    z, g = (array([of(f) for f in formulas], exact=exact) for formulas in (robot.base.Z, robot.base.G))
    parts = {part.name: getattr(tree, part.name) for part in fields(tree)}
    length = binary_length(characteristic_length(robot))
    joint = np.array(joint_units(robot, range(1, robot.NF + 1), length))
    own = np.array(joint_units(robot, tree.coordinates, length))
    parts["local"] = {j: Placements(at.rotation, _over(at.position, length)) for j, at in tree.local.items()}
    parts["offsets"] = _over(tree.offsets, joint)
    parts["ratios"] = _over(tree.ratios, joint[:, None] / own)
    gravity = times(z.reshape(4, 4)[:3, :3].T, g)
    return Geometry(**parts, gravity=_over(gravity, length), length=length)


def _over(x: Numbers, unit: Array | float) -> Numbers:
    """Return numbers x (doubles or scaled integers) divided by units that are powers of two."""
    if not is_exact(x):
        return np.asarray(x / unit)
    shifts = np.vectorize(int, otypes=[object])(np.round(np.log2(unit)))
    return np.asarray(
        np.where(shifts > 0, x >> np.maximum(shifts, 0), x << np.maximum(-shifts, 0)), dtype=object
    )


@dataclass
class States:
    """Samples of a motion: coordinates, their velocities, and pose and twist (linear; angular) of the base."""

    q: Numbers
    qd: Numbers
    rotation: Numbers
    position: Numbers
    twist: Numbers

    def exactly(self, q: Numbers, qd: Numbers) -> States:
        """Return the states in scaled integers, with the given coordinates q and velocities qd (scaled integers)."""
        # A rotation in double precision is orthogonal only to 1e-16: it is orthogonalised in multiple precision.
        turn = exactly(self.rotation)
        one = np.array([[ONE * (r == c) for c in range(3)] for r in range(3)], dtype=object)
        for _ in range(4):  # Newton's method for the nearest rotation
            turn = times(turn, 3 * one - times(turn.transpose(0, 2, 1), turn)) // 2
        return States(q, qd, turn, exactly(self.position), exactly(self.twist))


def still(q: Numbers, qd: Numbers) -> States:
    """Return states with the coordinates q and velocities qd on a fixed base."""
    return States(q, qd, *identity_pose(q), np.zeros((len(q), 6), dtype=q.dtype))


def random_states(geometry: Geometry, count: int, rng: np.random.Generator, *, moving: bool) -> States:
    """Return `count` random states of a tree; if `moving` is true, its base moves too."""
    n = len(geometry.coordinates)
    states = still(rng.uniform(-2.5, 2.5, (count, n)), rng.standard_normal((count, n)))
    if moving:
        states.rotation = np.linalg.qr(rng.standard_normal((count, 3, 3)))[0]
        states.rotation *= np.sign(np.linalg.det(states.rotation))[:, None, None]
        states.position = rng.standard_normal((count, 3))
        states.twist = rng.standard_normal((count, 6))
    return states


def energy_rows(geometry: Geometry, states: States, columns: Sequence[ParameterKey]) -> Numbers:
    """Return the energy per unit of each parameter at sampled states, shape (states, parameters).

    Args:
        columns: the parameters (link, name).
    """
    at = placements(geometry, states.q, {0: Placements(states.rotation, states.position)})
    linear, angular = states.twist[:, :3], states.twist[:, 3:]
    base = Velocities(turned(states.rotation, linear), turned(states.rotation, angular))
    moving = velocities(geometry, at, states.qd, base)
    rates = joint_rates(geometry, states.qd)
    cache: dict[int, dict[str, Numbers]] = {}
    for j in {j for j, name in columns if name != "IA"}:
        back, position, v = at[j].rotation.transpose(0, 2, 1), at[j].position, moving[j].linear
        own = turned(back, moving[j].angular)
        ms = cross(turned(back, v), own) - times(back, geometry.gravity)
        cache[j] = {name: scaled(own[:, i], own[:, k]) for name, (i, k) in _PAIRS.items()}
        cache[j] |= {name: _half(cache[j][name]) for name in ("XX", "YY", "ZZ")}
        cache[j] |= {"MX": ms[:, 0], "MY": ms[:, 1], "MZ": ms[:, 2]}
        cache[j]["M"] = _half(scaled(v, v).sum(1)) - times(position, geometry.gravity)
    rotors = {j: _half(scaled(rates[:, j - 1], rates[:, j - 1])) for j, name in columns if name == "IA"}
    return np.stack([rotors[j] if name == "IA" else cache[j][name] for j, name in columns], 1)


_PAIRS = {"XX": (0, 0), "XY": (0, 1), "XZ": (0, 2), "YY": (1, 1), "YZ": (1, 2), "ZZ": (2, 2)}


def _half(x: Numbers) -> Numbers:
    return x >> 1 if is_exact(x) else x / 2


def gauge_of(geometry: Geometry, states: States, *, base: bool) -> Numbers:
    """Return functions of the motion that do not affect the torques, sampled at states, shape (states, functions).

    These are the constant function and, if `base` is true, the energy per unit of each parameter of link 0, whose
    motion is then prescribed.
    """
    ones = np.full((len(states.q), 1), one_like(states.q), dtype=states.q.dtype)
    if not base:
        return ones
    return np.concatenate([ones, energy_rows(geometry, states, [(0, name) for name in INERTIAL])], 1)
