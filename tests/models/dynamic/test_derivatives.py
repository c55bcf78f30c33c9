"""Derivatives of inverse and direct dynamics against differences of eighth order of the oracle."""

from __future__ import annotations

from dataclasses import replace

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
    formula,
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


METHODS = ("recursion", "forward")


def check(robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd, qdd, tau = at["q"], at["qd"], at["qdd"], at["tau"]
    A, h = truth.inertia(q), step(truth, qd)
    assume(np.linalg.cond(A) < 1e4 and h > 1e-3)
    torques = {
        "dtau_dq": difference(lambda x: truth.torques(x, qd, qdd), q),
        "dtau_dqd": difference(lambda x: truth.torques(q, x, qdd), qd, h),
        "dtau_dqdd": A,
    }
    accelerations = {
        "dqdd_dq": difference(lambda x: truth.accelerations(x, qd, tau), q, 0.01),
        "dqdd_dqd": difference(lambda x: truth.accelerations(q, x, tau), qd, h),
        "dqdd_dtau": np.linalg.inv(A),
    }
    for method in METHODS:
        result = outputs(robot, "inverse-dynamics-derivatives", at, method=method)
        for name, expected in torques.items():
            assert error(result[name], expected) < CLOSE, (method, name)
        result = outputs(robot, "direct-dynamics-derivatives", at, method=method)
        for name, expected in accelerations.items():
            assert error(result[name], expected) < 10 * CLOSE, (method, name)


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


# -- the two methods

SAME = 1e-12  # relative; rounding of at most some ten thousand operations


@pytest.mark.parametrize(
    "name", ["panda", "stanford", "humanoid_torso", "rx90_elastic", "rx90_floating_elastic"]
)
@pytest.mark.parametrize("model", ["inverse-dynamics-derivatives", "direct-dynamics-derivatives"])
def test_both_methods_give_the_same(name: str, model: str) -> None:
    robot = symoro.load(name)
    rng = np.random.default_rng(7)
    programs = [symoro.generate(robot, model, method=method) for method in METHODS]
    at = {port: rng.uniform(-1, 1, shape) for port, shape in programs[0].inputs.items()}
    values = {p: dict(robot.nominal).get(p, rng.uniform(0.5, 1.5)) for p in programs[0].parameters}
    one, other = (program.function(values=values, compiled=False)(**at) for program in programs)
    for port, value in one.items():
        assert error(value, other[port]) < SAME, port


@pytest.mark.parametrize(("name", "cheaper"), [("planar3r", "forward"), ("panda", "recursion")])
def test_auto_takes_fewer_operations(name: str, cheaper: str) -> None:
    for model in ("inverse-dynamics-derivatives", "direct-dynamics-derivatives"):
        counts = {m: symoro.generate(name, model, method=m).count().total for m in (*METHODS, "auto")}
        assert counts["auto"] == counts[cheaper] == min(counts.values())


def test_a_base_that_rotates_as_prescribed() -> None:
    """Its velocity adds terms of first degree to the bias forces."""
    robot = seeded_tree(3, 4)
    turning = robot.replace(base=replace(robot.base, W0=(formula(0.3), formula(-0.4), formula(0.7))))
    at = state(turning)
    one, other = (outputs(turning, "direct-dynamics-derivatives", at, method=method) for method in METHODS)
    for port, value in one.items():
        assert error(value, other[port]) < SAME, port
