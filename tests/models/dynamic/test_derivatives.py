"""Derivatives of inverse and direct dynamics against differences of eighth order of the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import symoro
from symoro.robot.description import Robot
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
from tests.oracle.dynamics import Tree, difference

CLOSE = 1e-9


def step(truth: Tree, qd: Array) -> float:
    """Return a step that does not change the sign of any velocity, where Coulomb friction is discontinuous."""
    reach = np.abs(truth.G @ qd) / np.maximum(np.abs(truth.G).max(axis=1), 1e-9)
    return float(min(0.02, reach.min() / 5))


def check(robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd, qdd = at["q"], at["qd"], at["qdd"]
    A, h = truth.inertia(q), step(truth, qd)
    assume(np.linalg.cond(A) < 1e4 and h > 1e-3)
    result = outputs(robot, "inverse-dynamics-derivatives", at)
    assert error(result["dtau_dq"], difference(lambda x: truth.torques(x, qd, qdd), q)) < CLOSE
    assert error(result["dtau_dqd"], difference(lambda x: truth.torques(q, x, qdd), qd, h)) < CLOSE
    assert error(result["dtau_dqdd"], A) < CLOSE
    tau = at["tau"]
    result = outputs(robot, "direct-dynamics-derivatives", at)
    slope = difference(lambda x: truth.accelerations(x, qd, tau), q, 0.01)
    assert error(result["dqdd_dq"], slope) < 10 * CLOSE
    assert error(result["dqdd_dqd"], difference(lambda x: truth.accelerations(q, x, tau), qd, h)) < 10 * CLOSE
    assert error(result["dqdd_dtau"], np.linalg.inv(A)) < CLOSE


@given(heavy_trees(most=3), st.integers(0, 1000))
@examples(12)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.slow
@given(heavy_trees(most=5), st.integers(0, 1000))
@examples(200)
def test_many_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", [1, 4])
def test_the_models_are_each_others_inverse(seed: int) -> None:
    """At the acceleration caused by tau: dqdd/dq = -A^-1 dtau/dq, and likewise for the velocities."""
    robot = seeded_tree(seed, 6)
    at = state(robot, seed)
    tau = outputs(robot, "inverse-dynamics", at)["tau"]
    inverse = outputs(robot, "inverse-dynamics-derivatives", at)
    direct = outputs(robot, "direct-dynamics-derivatives", at | {"tau": tau})
    A = inverse["dtau_dqdd"]
    assert error(A @ direct["dqdd_dtau"], np.eye(len(A))) < CLOSE
    assert error(A @ direct["dqdd_dq"], -inverse["dtau_dq"]) < CLOSE
    assert error(A @ direct["dqdd_dqd"], -inverse["dtau_dqd"]) < CLOSE


def test_coulomb_friction_is_constant_between_changes_of_sign() -> None:
    robot = symoro.load("planar2r")
    rough = robot.with_frame(1, FS="FS1").replace(nominal=(*robot.nominal, ("FS1", 3.0)))
    at = state(robot)
    for name, expected in outputs(robot, "inverse-dynamics-derivatives", at).items():
        assert error(outputs(rough, "inverse-dynamics-derivatives", at)[name], expected) < CLOSE


def test_a_fixed_velocity_has_no_slope() -> None:
    robot = symoro.load("planar2r").with_frame(1, QP=0)
    at = state(robot)
    assert not outputs(robot, "inverse-dynamics-derivatives", at)["dtau_dqd"][:, 0].any()
    assert not outputs(robot, "direct-dynamics-derivatives", at)["dqdd_dqd"][:, 0].any()
