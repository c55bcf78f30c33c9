"""Energies against momentum, and the balance of power along a motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.robot.description import DRIVE, WRENCH, Robot
from tests.models.dynamic.cases import (
    Array,
    error,
    examples,
    heavy_trees,
    oracle,
    outputs,
    seeded_tree,
    state,
)
from tests.oracle.dynamics import difference

CLOSE = 1e-11


def check(robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    E, U = oracle(robot, at).energies(at["q"], at["qd"])
    result = outputs(robot, "energy", at)
    assert error(result["E"], E) < CLOSE
    assert error(result["U"], U) < CLOSE


@given(heavy_trees(), st.integers(0, 1000))
@examples(30)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(8))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4000, 4100))
def test_many_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


def left_alone(robot: Robot) -> Robot:
    """Return the robot without friction and wrenches, on a fixed base; rotors are kept."""
    base = symoro.Robot("still", robot.frames, robot.links).base
    still = {name: getattr(base, name) for name in ("V0", "W0", "VP0", "WP0")}
    robot = robot.replace(base=type(base)(G=robot.base.G, Z=robot.base.Z, **still))
    for j in range(1, robot.NL + 1):
        robot = robot.with_link(j, **dict.fromkeys(WRENCH, 0))
        robot = robot.with_frame(j, **dict.fromkeys([n for n in DRIVE if n != "IA"], 0))
    return robot


@pytest.mark.parametrize("seed", range(8))
def test_power_balance(seed: int) -> None:
    """d(E + U)/dt = tau . qd along a motion."""
    robot = left_alone(seeded_tree(seed))
    rng = np.random.default_rng(seed)
    n = len(state(robot)["q"])
    size, speed, phase = rng.uniform(0.3, 1, n), rng.uniform(0.5, 1.5, n), rng.uniform(-3, 3, n)

    def motion(t: float) -> tuple[Array, Array, Array]:
        angle = speed * t + phase
        return size * np.sin(angle), size * speed * np.cos(angle), -size * speed**2 * np.sin(angle)

    def total(t: Array) -> Array:
        q, qd, _ = motion(t[0])
        result = outputs(robot, "energy", {"q": q, "qd": qd})
        return np.array(result["E"] + result["U"])

    for t in rng.uniform(-5, 5, 3):
        q, qd, qdd = motion(t)
        power = outputs(robot, "inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd})["tau"] @ qd
        assert error(difference(total, np.array([t]))[0], power) < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_energy_is_that_of_the_inertia_matrix_and_of_gravity(seed: int) -> None:
    robot = left_alone(seeded_tree(seed))
    at = state(robot, seed)
    result = outputs(robot, "energy", at)
    A = outputs(robot, "inertia-matrix", at)["A"]
    assert error(result["E"], at["qd"] @ A @ at["qd"] / 2) < CLOSE
    slope = difference(lambda x: outputs(robot, "energy", at | {"q": x})["U"], at["q"])
    assert error(slope, outputs(robot, "gravity-torques", at)["Q"]) < 1e-9


def test_a_pendulum() -> None:
    """By hand: E = (M l^2) qd^2 / 2, U = M g l (1 - cos) up to a constant."""
    robot = symoro.load("planar2r")
    values = {
        "D2": 0.0,
        "M1": 0.0,
        "MX1": 0.0,
        "ZZ1": 0.0,
        "M2": 2.0,
        "MX2": 2 * 0.5,
        "ZZ2": 2 * 0.25,
        "G2": -9.81,
    }
    f = symoro.generate(robot, "energy").function(values=values, compiled=False)
    result = f(q=[-np.pi / 2 + 0.3, 0], qd=[0, 1.5])
    assert error(result["E"], 2 * 0.25 * 1.5**2 / 2) < CLOSE
    assert error(result["U"], -2 * 9.81 * 0.5 * np.cos(0.3)) < CLOSE
