"""Derivatives of the dynamics of closed loops against differences of the oracle along the constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.description import Robot
from tests.models.loop_cases import DRAWN, Case, bundled, drawn, error, random_loops, run
from tests.oracle.closed import Array, Closed
from tests.oracle.dynamics import difference

CLOSE = 1e-8
INVERSE, DIRECT = "inverse-dynamics-derivatives", "direct-dynamics-derivatives"


def moved_to(truth: Closed, x: Array, qa: Array) -> Array:
    """Close the loops again at other active joints, near a configuration."""
    there = truth.moved(x, qa - x[truth.active], 0 * qa).qd + x
    there[truth.active] = qa
    result = truth.close(there, hold=True)
    assert result is not None
    return result


def state(truth: Closed, x: Array, seed: int = 3) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(0.5, 1.5, truth.na) for name in ("qda", "qdda", "tau")} | {"q": x[: truth.n]}


def velocity_step(truth: Closed, x: Array, qda: Array) -> float:
    """Return a step that does not change the sign of any velocity, where Coulomb friction is discontinuous."""
    at = truth.moved(x, qda, 0 * qda)
    reach = np.abs(at.qd[: truth.n]) / np.maximum(np.abs(at.G).max(axis=1), 1e-9)
    return float(min(0.02, reach[np.abs(at.G).max(axis=1) > 1e-9].min() / 5))


def slope(f: Callable[[Array], Array], x: Array, largest: float = 3e-3) -> Array:
    """Return df/dx by differences with a suitable step, which is small near a singular configuration."""
    before = difference(f, x, largest)
    for share in (0.3, 0.1, 0.03):
        result = difference(f, x, share * largest)
        if error(result, before) < CLOSE / 3:
            return result
        before = result
    raise AssertionError("the oracle has no such digits here")


def agreed(robot: Robot, model: str, at: dict[str, Array]) -> dict[str, Any]:
    """Return the outputs of the recursion over the tree, after a comparison with those of forward differentiation."""
    one, other = (run(robot, model, at, method=method) for method in ("recursion", "forward"))
    for port, value in one.items():
        assert error(value, other[port]) < CLOSE, port
    return one


def check(case: Case, close: float = CLOSE) -> None:
    """Of torques by differences; of accelerations by what they are at the acceleration that the torques cause."""
    robot, truth, x = case.robot, case.truth, case.x
    at = state(truth, x)
    qda, qdda = at["qda"], at["qdda"]
    inverse = agreed(robot, INVERSE, at)
    by_position = slope(lambda y: truth.torques(moved_to(truth, x, y), qda, qdda), x[truth.active])
    assert error(inverse["dtau_dqa"], by_position) < close
    by_velocity = slope(lambda y: truth.torques(x, y, qdda), qda, velocity_step(truth, x, qda))
    assert error(inverse["dtau_dqda"], by_velocity) < close
    A = truth.inertia(x)
    assert error(inverse["dtau_dqdda"], A) < close
    direct = agreed(robot, DIRECT, at | {"tau": truth.torques(x, qda, qdda)})
    assert error(A @ direct["dqdda_dqa"], -inverse["dtau_dqa"]) < close
    assert error(A @ direct["dqdda_dqda"], -inverse["dtau_dqda"]) < close
    assert error(A @ direct["dqdda_dtau"], np.eye(truth.na)) < close


@pytest.mark.parametrize("kind", DRAWN)
def test_of_every_kind(kind: str) -> None:
    check(drawn(kind))


BUNDLED = {"fourbar": [0.7], "fivebar": [0.6, 2.1], "slidercrank": [0.6]}


@pytest.mark.parametrize("name", BUNDLED)
def test_accelerations_of_bundled_robots(name: str) -> None:
    """By differences of their own."""
    case = bundled(name, BUNDLED[name])
    check(case)
    truth, x = case.truth, case.x
    at = state(truth, x)
    qda, tau = at["qda"], at["tau"]

    def caused(x: Array, qda: Array) -> Array:
        return np.asarray(np.linalg.solve(truth.inertia(x), tau - truth.bias(x, qda)))

    result = run(case.robot, DIRECT, at)
    by_position = slope(lambda y: caused(moved_to(truth, x, y), qda), x[truth.active])
    assert error(result["dqdda_dqa"], by_position) < CLOSE
    by_velocity = slope(lambda y: caused(x, y), qda, velocity_step(truth, x, qda))
    assert error(result["dqdda_dqda"], by_velocity) < CLOSE


ARMS = {"sr400": [0.3, -0.9, 0.7, 0.5, 0.4, -0.3], "akr3000": [-0.86, -1.04, 0.49, 0.55, 1.3, 0.75]}


@pytest.mark.parametrize("name", ARMS)
def test_of_arms_with_loops(name: str) -> None:
    check(bundled(name, ARMS[name]))


def along_relations(case: Case, at: dict[str, Any]) -> None:
    """Of parallelograms: differences of the torques themselves, the joints moved by constant ratios."""
    truth = case.truth
    torques = symoro.generate(case.robot, "inverse-dynamics").function(compiled=False)
    G = run(case.robot, "loop-kinematics", at | {"qd": 0 * at["q"]})["W"]
    spread = np.zeros((truth.n, truth.na))
    spread[truth.active], spread[truth.passive] = np.eye(truth.na), G

    def moved(qa: Array) -> Array:
        q = at["q"] + spread @ (qa - at["q"][truth.active])
        return np.asarray(torques(q=q, qda=at["qda"], qdda=at["qdda"])["tau"])

    result = run(case.robot, INVERSE, at)
    assert error(result["dtau_dqa"], slope(moved, at["q"][truth.active])) < CLOSE


@pytest.mark.parametrize("bend", [0.9, 1e-3, 1e-6, 1e-9, 0.0])
def test_parallelograms_even_where_they_are_flat(bend: float) -> None:
    """q8 = q2 - q7 is the angle between the sides; at zero the loop's own equations are singular."""
    case = bundled("sr400", ARMS["sr400"])
    at = state(case.truth, case.x)
    spread = case.truth.moved(case.x, np.zeros(6), np.zeros(6)).G
    at["q"] = at["q"] + spread[:, 5] * (at["q"][7] - bend)
    assert abs(at["q"][7] - bend) < 1e-12
    along_relations(case, at)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_of_random_loops(seed: int) -> None:
    case, _ = random_loops(seed)
    check(case, 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 20))
def test_of_many_random_loops(seed: int) -> None:
    case, _ = random_loops(seed)
    check(case, 1e-7)


def test_no_value_at_a_dead_point() -> None:
    """Coupler and rocker are collinear, q1 + q2 - q3 = 0 or pi: every output is NaN."""
    robot = symoro.load("fourbar")
    lengths = {"D2": 0.7, "D3": 0.8, "D4": 0.4, "D5": 0.5}
    crank = np.arccos((0.7**2 + 0.8**2 - (0.4 + 0.5) ** 2) / (2 * 0.7 * 0.8))
    coupler = np.arctan2(-0.7 * np.sin(crank), 0.8 - 0.7 * np.cos(crank))
    q = np.array([crank, coupler - crank, coupler + np.pi])
    model = symoro.generate(robot, INVERSE)
    f = model.function(values={**dict(robot.nominal), **lengths}, compiled=False)
    result = f(q=q, qda=[0.3], qdda=[0.1])
    assert all(np.isnan(value).all() for value in result.values())
    result = f(q=q + np.array([0, 1e-3, 0]), qda=[0.3], qdda=[0.1])
    assert all(np.isfinite(value).all() for value in result.values())
