"""Identification models of a floating base: rows of the base, columns of link 0."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.robot.description import INERTIAL, Robot
from tests.models.dynamic.cases import Array, Inputs, error, seeded_tree
from tests.models.dynamic.floating.cases import afloat, state, truth
from tests.models.identification.linear import bare, numbers, run
from tests.oracle.dynamics import difference, hat

CLOSE = 1e-9
SEEDS = range(70, 78)


def robot_of(seed: int) -> Robot:
    return bare(afloat(seeded_tree(seed), seed, wrench=False))


def forces(robot: Robot, at: Inputs) -> Array:
    return truth(robot, at).forces(at["q"], at["qd"], at["qdd"], at["V0"], at["Vd0"])


def later(at: Inputs, t: float) -> Inputs:
    """Return the state after time t, accurate to first order, for derivatives at t = 0."""
    v, w = at["V0"][:3], at["V0"][3:]
    components = at["Vd0"] - np.r_[np.cross(w, v), np.zeros(3)]
    turn = hat(w * t)
    return at | {
        "q": at["q"] + t * at["qd"],
        "qd": at["qd"] + t * at["qdd"],
        "V0": at["V0"] + t * components,
        "R0": at["R0"] @ (np.eye(3) + turn),
        "P0": at["P0"] + t * at["R0"] @ v,
    }


@pytest.mark.parametrize("parameters", ["standard", "base"])
@pytest.mark.parametrize("seed", SEEDS)
def test_regressor(seed: int, parameters: str) -> None:
    robot = robot_of(seed)
    at = state(robot, seed)
    model = symoro.generate(robot, "dynamic-identification", parameters=parameters)
    assert model.outputs["W"][0] == 6 + len(at["q"])
    assert set(model.columns) >= {f"{name}0" for name in ("XX", "YY", "ZZ", "M")}
    assert error(run(model, at)["W"] @ numbers(model, parameters), forces(robot, at)) < CLOSE


@pytest.mark.parametrize("parameters", ["standard", "base"])
@pytest.mark.parametrize("seed", SEEDS)
def test_momenta_and_slopes(seed: int, parameters: str) -> None:
    """[wrench0; tau] = d(D1 K)/dt + D2 K, with the momentum of the base in frame 0."""
    robot = robot_of(seed)
    at = state(robot, seed)
    model = symoro.generate(robot, "filtered-identification", parameters=parameters)
    K = numbers(model, parameters)
    rate = difference(lambda t: run(model, later(at, t[0]))["D1"] @ K, np.zeros(1), 0.003)[:, 0]
    assert error(rate + run(model, at)["D2"] @ K, forces(robot, at)) < 1e-8
    x = np.r_[at["V0"], at["qd"]]
    assert error(run(model, at)["D1"] @ K, truth(robot, at).inertia(at["q"]) @ x) < CLOSE


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_and_power(seed: int) -> None:
    robot = robot_of(seed)
    at = state(robot, seed)
    energy = symoro.generate(robot, "energy-identification")
    total = sum(truth(robot, at).energies(at["q"], at["qd"], at["V0"]))
    assert error(run(energy, at)["h"] @ numbers(energy), total) < CLOSE
    power = symoro.generate(robot, "power-identification", acceleration=True)
    K, result = numbers(power), run(power, at)
    x = np.r_[at["V0"], at["qd"]]
    assert error((result["dh"] + result["p"]) @ K, x @ forces(robot, at)) < CLOSE
    rate = difference(lambda t: np.atleast_1d(run(power, later(at, t[0]))["h"] @ K), np.zeros(1), 0.003)
    assert error(rate[0, 0], result["dh"] @ K) < 1e-7


@pytest.mark.parametrize("seed", [70, 73])
def test_base_parameters(seed: int) -> None:
    """Link 0 has ten base parameters, each revolute link seven, and all columns are independent."""
    robot = bare(afloat(seeded_tree(seed, 4, coupled=False), seed, wrench=False))
    result = symoro.base_parameters(robot)
    assert {f"{name}0" for name in INERTIAL} <= set(result.names)
    model = symoro.generate(robot, "dynamic-identification", parameters="base", friction="none")
    W = np.vstack([run(model, state(robot, k))["W"] for k in range(40)])
    assert np.linalg.matrix_rank(W, tol=1e-9 * np.linalg.norm(W, 2)) == W.shape[1]
    full = symoro.generate(robot, "dynamic-identification", friction="none")
    W = np.vstack([run(full, state(robot, k))["W"] for k in range(40)])
    assert np.linalg.matrix_rank(W, tol=1e-9 * np.linalg.norm(W, 2)) == len(model.columns)
