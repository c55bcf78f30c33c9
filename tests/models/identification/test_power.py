"""The power balance: qd' tau = d(h K)/dt + p K."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.robot.description import Robot
from tests.models.dynamic.cases import error, examples, heavy_trees, outputs, seeded_tree, state
from tests.models.identification.linear import library, numbers, rate, resting, run
from tests.models.identification.test_dynamic import ROBOTS, massive

CLOSE = 1e-11


def check(robot: Robot, seed: int, parameters: str = "standard") -> None:
    robot = resting(robot)
    at = state(robot, seed)
    power = at["qd"] @ outputs(robot, "inverse-dynamics", at)["tau"]
    model = symoro.generate(robot, "power-identification", parameters=parameters)
    K = numbers(model, parameters)
    result = run(model, at)
    exact = rate(model, "h", at)
    assert error((exact + result["p"]) @ K, power) < CLOSE
    requested = symoro.generate(robot, "power-identification", parameters=parameters, acceleration=True)
    assert requested.columns == model.columns
    assert error(run(requested, at)["dh"], exact) < CLOSE


@given(heavy_trees(most=5).filter(massive), st.integers(0, 1000))
@examples(20)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(8))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.parametrize("name", ROBOTS)
def test_base_parameters(name: str) -> None:
    check(library(name), 4, "base")


def test_columns_of_friction_and_inertia_are_apart() -> None:
    robot = library("scara")
    model = symoro.generate(robot, "power-identification")
    result = run(model, state(robot, 1))
    for name, h, p in zip(model.columns, result["h"], result["p"], strict=True):
        assert (h == 0) if name[:2] in ("FV", "FS", "FO") else (p == 0)
