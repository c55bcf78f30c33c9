"""Energy functions: h K is the energy, and its change is the work of the drives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from tests.models.dynamic.cases import error, examples, heavy_trees, outputs, seeded_tree, state
from tests.models.identification.linear import library, numbers, resting, run, smooth
from tests.models.identification.test_dynamic import ROBOTS, massive

CLOSE = 1e-12


def check(robot: Robot, seed: int) -> None:
    robot = resting(robot)
    model = symoro.generate(robot, "energy-identification")
    at = state(robot, seed)
    energy = outputs(robot, "energy", at)
    assert error(run(model, at)["h"] @ numbers(model), energy["E"] + energy["U"]) < CLOSE


@given(heavy_trees(most=6).filter(massive), st.integers(0, 1000))
@examples(30)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(12))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.parametrize("name", ROBOTS)
def test_base_parameters(name: str) -> None:
    """With base parameters h K is the energy up to a constant."""
    robot = library(name)
    model, whole = (symoro.generate(robot, "eim", parameters=p) for p in ("base", "standard"))
    offsets = []
    for seed in range(4):
        at = state(robot, seed)
        offsets.append(run(model, at)["h"] @ numbers(model, "base") - run(whole, at)["h"] @ numbers(whole))
    assert np.ptp(offsets) < 1e-11 * max(1, np.abs(offsets).max())


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "humanoid_torso"])
@pytest.mark.parametrize("parameters", ["standard", "base"])
def test_work(name: str, parameters: str) -> None:
    """The work of the drives minus the friction loss, by quadrature, is the change of h K."""
    robot = library(name)
    motion = smooth(len(independent(robot)), 7)
    model = symoro.generate(robot, "energy-identification", parameters=parameters)
    power = symoro.generate(robot, "power-identification")
    torques = symoro.generate(robot, "inverse-dynamics").function(compiled=False)
    loss, K = power.function(compiled=False), numbers(power)
    start, end = 0.2, 0.9
    nodes, weights = np.polynomial.legendre.leggauss(40)
    work = 0.0
    for x, weight in zip(nodes, weights, strict=True):
        at = motion((start + end) / 2 + x * (end - start) / 2)
        taken = loss(q=at["q"], qd=at["qd"])["p"] @ K
        work += weight * (end - start) / 2 * (at["qd"] @ torques(**at)["tau"] - taken)
    change = (run(model, motion(end))["h"] - run(model, motion(start))["h"]) @ numbers(model, parameters)
    assert error(change, work) < 1e-10


def test_moving_base_is_rejected() -> None:
    robot = library("rx90")
    moving = symoro.load("rx90").base
    robot = robot.replace(base=type(moving)(V0=(robot.frame(4).r, *moving.V0[1:])))
    with pytest.raises(NotApplicableError, match="the motion of its base is prescribed"):
        symoro.generate(robot, "energy-identification")
