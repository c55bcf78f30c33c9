"""Models on combinations of structures, on random robots, against A, H and J of the oracles in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

import symoro
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from tests.models.dynamic.cases import Array, error, oracle, outputs, seeded_tree, state
from tests.models.dynamic.floating.cases import floating_tree, without_wrenches
from tests.models.dynamic.floating.cases import state as floating_state
from tests.models.dynamic.test_derivatives import METHODS, step
from tests.models.dynamic.test_elastic import parted, springs, sprung
from tests.models.dynamic.test_structures import linkage_on_wheels, on_wheels
from tests.models.identification.linear import bare, numbers, resting, run
from tests.oracle.dynamics import difference
from tests.oracle.floating import Floating
from tests.oracle.wheel_robots import layout
from tests.oracle.wheels import Wheels

CLOSE = 1e-9


def slope(f: Callable[[Array], Array], x: Array, largest: float = 0.02) -> Array:
    """Return df/dx by differences of eighth order, with the step at which two of them agree best."""
    result = [difference(f, x, largest * share) for share in (1, 0.5, 0.25)]
    apart = [error(a, b) for a, b in pairwise(result)]
    return result[int(np.argmin(apart)) + 1]


def quadratic_slope(f: Callable[[Array], Array], x: Array) -> Array:
    """Return df/dx of a quadratic function, for which central differences are exact."""
    return np.array([(f(x + e) - f(x - e)) / 2 for e in np.eye(len(x))]).T


# -- derivatives


@pytest.mark.parametrize("seed", range(700, 720))
def test_derivatives_with_elastic_joints(seed: int) -> None:
    """Derivatives of drive torques and of accelerations of the elastic joints."""
    robot = sprung(seeded_tree(seed, 2 + seed % 3, coupled=False), seed)
    at, own = state(robot, seed), independent(robot)
    elastic = np.array([robot.frame(j).eta for j in own])
    truth = oracle(robot, at)
    h = max(step(truth, at["qd"]), 1e-3)

    def both(**changed: Array) -> Array:
        moved = {**at, **changed}
        torques = np.where(elastic, springs(robot, moved["q"]), 0.0)
        x, f = parted(robot, moved, elastic, torques)
        return np.concatenate([f, x])

    results = [outputs(robot, "inverse-dynamics-derivatives", at, method=m) for m in METHODS]
    n = len(own)
    for name, size in (("q", 0.02), ("qd", h), ("qdd", 0.02)):
        expected = slope(lambda y, name=name: both(**{name: y}), at[name], size)
        for result in results:
            assert error(result[f"dtau_d{name}"], expected[:n]) < CLOSE, name
            assert error(result[f"dqdd_out_d{name}"], expected[n:]) < CLOSE, name


@pytest.mark.parametrize("seed", range(740, 760))
def test_derivatives_on_wheels(seed: int) -> None:
    """Derivatives along the rolling motion at constant qda and qdda, without Coulomb friction."""
    robot, q = layout(seed)
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, FS=0)
    truth = Wheels(robot)
    rng = np.random.default_rng(seed)
    qda, qdda, tau = rng.uniform(-1, 1, (3, len(truth.active)))
    G = np.array([truth.rates(q, unit)[3:] for unit in np.eye(len(qda))]).T
    method = METHODS[seed % 2]
    inverse = symoro.generate(robot, "inverse-dynamics-derivatives", method=method).function(compiled=False)
    result = inverse(q=q, qda=qda, qdda=qdda)
    by_position = difference(lambda y: truth.torques(q + G @ y, qda, qdda), 0 * qda, 0.004)
    assert error(result["dtau_dqa"], by_position) < CLOSE
    assert error(result["dtau_dqda"], difference(lambda y: truth.torques(q, y, qdda), qda)) < CLOSE
    A = result["dtau_dqdda"]
    columns = [truth.torques(q, qda, qdda + unit) - truth.torques(q, qda, qdda) for unit in np.eye(len(A))]
    assert error(A.T, np.array(columns)) < CLOSE
    direct = symoro.generate(robot, "direct-dynamics-derivatives", method=method).function(compiled=False)
    caused = direct(q=q, qda=qda, tau=tau)
    assert error(caused["dqdda_dtau"] @ A, np.eye(len(A))) < CLOSE
    at = inverse(q=q, qda=qda, qdda=truth.direct(q, qda, tau)[0])
    assert error(A @ caused["dqdda_dqa"], -at["dtau_dqa"]) < CLOSE
    assert error(A @ caused["dqdda_dqda"], -at["dtau_dqda"]) < CLOSE


# -- identification: W K against the oracle's forces


def regressor_error(model: symoro.Model, at: dict[str, Array], expected: Array) -> float:
    """Return the error of W K compared with the forces."""
    return error(run(model, at)["W"] @ numbers(model), expected)


@pytest.mark.parametrize("seed", range(800, 820))
def test_identification_on_wheels(seed: int) -> None:
    """Torques, energy and its rate, and momenta."""
    robot, q = layout(seed)
    truth = Wheels(robot)
    rng = np.random.default_rng(seed)
    qda, qdda = rng.uniform(-1, 1, (2, len(truth.active)))
    at = {"q": q, "qda": qda, "qdda": qdda}
    tau = truth.torques(q, qda, qdda)
    model = symoro.generate(robot, "dynamic-identification")
    assert regressor_error(model, at, tau) < CLOSE
    x = truth.rates(q, qda)
    h = symoro.generate(robot, "energy-identification")
    still = run(h, at | {"qda": 0 * qda})["h"]
    assert error((run(h, at)["h"] - still) @ numbers(h), truth.kinetic(q, x)) < CLOSE
    momenta = symoro.generate(robot, "filtered-identification")
    K, joints = numbers(momenta), x[3:]

    def first(t: Array) -> Array:
        return run(momenta, {"q": q + t[0] * joints, "qda": qda + t[0] * qdda})["D1"] @ K

    assert error(difference(first, np.zeros(1), 0.004)[:, 0] + run(momenta, at)["D2"] @ K, tau) < CLOSE
    power = symoro.generate(robot, "power-identification", acceleration=True)
    result = run(power, at)
    assert error((result["dh"] + result["p"]) @ numbers(power), qda @ tau) < CLOSE


@pytest.mark.parametrize("seed", range(830, 850))
def test_identification_with_elastic_joints(seed: int) -> None:
    """The stiffness is a column; the spring alone drives an elastic joint."""
    robot = resting(sprung(seeded_tree(seed, 2 + seed % 4), seed))
    at = state(robot, seed)
    truth = oracle(robot, at)
    tau = truth.torques(at["q"], at["qd"], at["qdd"])
    elastic = np.array([robot.frame(j).eta for j in independent(robot)])
    model = symoro.generate(robot, "dynamic-identification")
    assert any(name.startswith("k") for name in model.columns)
    assert regressor_error(model, at, tau - np.where(elastic, springs(robot, at["q"]), 0)) < CLOSE


@pytest.mark.parametrize("seed", range(830, 850))
def test_energy_power_and_momenta_with_elastic_joints(seed: int) -> None:
    """The springs store energy; their forces are part of the momentum and power balances."""
    robot = resting(sprung(seeded_tree(seed, 2 + seed % 4), seed))
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd, qdd = at["q"], at["qd"], at["qdd"]
    elastic = np.array([robot.frame(j).eta for j in independent(robot)])
    forces = truth.torques(q, qd, qdd) - np.where(elastic, springs(robot, q), 0)
    values = dict(robot.nominal)
    stiffness, rest = (
        np.array([getattr(robot.frame(j), name).value(values) for j in independent(robot)])
        for name in ("k", "rest")
    )
    stored = sum(truth.energies(q, qd)) + np.where(elastic, stiffness * (q - rest) ** 2 / 2, 0).sum()
    energy = symoro.generate(robot, "energy-identification")
    assert error(run(energy, at)["h"] @ numbers(energy), stored) < CLOSE
    power = symoro.generate(robot, "power-identification", acceleration=True)
    result = run(power, at)
    assert error((result["dh"] + result["p"]) @ numbers(power), qd @ forces) < CLOSE
    momenta = symoro.generate(robot, "filtered-identification")
    K = numbers(momenta)
    assert error(run(momenta, at)["D1"] @ K, truth.inertia(q) @ qd) < CLOSE

    def first(t: Array) -> Array:
        return truth.inertia(q + t[0] * qd) @ (qd + t[0] * qdd)

    slopes = slope(first, np.zeros(1), min(0.02, 0.02 / np.abs(qd).max()))[:, 0]
    assert error(slopes + run(momenta, at)["D2"] @ K, forces) < CLOSE


def sprung_on_wheels(seed: int) -> tuple[Robot, Array, Array, Array]:
    """Return a wheeled robot without dry friction, with springs on an active and a passive joint."""
    robot, q = layout(seed)
    rng, own = np.random.default_rng(seed), independent(robot)
    for j in own:
        robot = robot.with_frame(j, FS=0)
    active, passive = ([j for j in own if robot.frame(j).mu is mu] for mu in (True, False))
    stiffness, rest = np.zeros(len(own)), np.zeros(len(own))
    for j in (int(rng.choice(active)), *passive[:1]):
        stiffness[own.index(j)], rest[own.index(j)] = k, at = rng.uniform((20, -0.3), (60, 0.3))
        robot = robot.with_frame(j, eta=True, k=float(k), rest=float(at))
    return robot, q, stiffness, rest


@pytest.mark.parametrize("seed", range(1100, 1120))
def test_identification_with_elastic_joints_on_wheels(seed: int) -> None:
    """The springs of passive joints act on the drives by the rolling constraints."""
    robot, q, stiffness, rest = sprung_on_wheels(seed)
    truth = Wheels(robot)
    qda, qdda = np.random.default_rng(seed).uniform(-1, 1, (2, len(truth.active)))
    at = {"q": q, "qda": qda, "qdda": qdda}
    G = np.array([truth.rates(q, unit)[3:] for unit in np.eye(len(qda))]).T
    forces = truth.torques(q, qda, qdda) + G.T @ (stiffness * (q - rest))
    model = symoro.generate(robot, "dynamic-identification")
    assert sum(name.startswith("k") for name in model.columns) == np.count_nonzero(stiffness)
    assert regressor_error(model, at, forces) < CLOSE
    power = symoro.generate(robot, "power-identification", acceleration=True)
    result = run(power, at)
    assert error((result["dh"] + result["p"]) @ numbers(power), qda @ forces) < CLOSE
    h = symoro.generate(robot, "energy-identification")
    moved = (run(h, at)["h"] - run(h, at | {"qda": 0 * qda})["h"]) @ numbers(h)
    assert error(moved, truth.kinetic(q, truth.rates(q, qda))) < CLOSE
    momenta = symoro.generate(robot, "filtered-identification")
    K = numbers(momenta)

    def first(t: Array) -> Array:
        return run(momenta, {"q": q + t[0] * G @ qda, "qda": qda + t[0] * qdda})["D1"] @ K

    x = truth.rates(q, qda)
    units = np.array([truth.rates(q, unit) for unit in np.eye(len(qda))]).T
    assert error(run(momenta, at)["D1"] @ K, units.T @ truth.matrix(q) @ x) < CLOSE
    assert error(slope(first, np.zeros(1), 0.004)[:, 0] + run(momenta, at)["D2"] @ K, forces) < CLOSE


@pytest.mark.parametrize("seed", range(1130, 1150))
def test_derivatives_with_elastic_joints_on_wheels(seed: int) -> None:
    """Of torques and accelerations, along the rolling motion."""
    robot, q, stiffness, rest = sprung_on_wheels(seed)
    truth, own = Wheels(robot), independent(robot)
    qda, qdda, tau = np.random.default_rng(seed).uniform(-1, 1, (3, len(truth.active)))
    G = np.array([truth.rates(q, unit)[3:] for unit in np.eye(len(qda))]).T
    n, joints = len(qda), [3 + k for k in truth.active]

    def sprung_forces(posture: Array) -> dict[int, float]:
        return {j: -stiffness[k] * (posture[k] - rest[k]) for k, j in enumerate(own) if stiffness[k]}

    def inverse(y: Array, rates: Array, accelerations: Array) -> Array:
        xd, f = on_wheels(truth, q + G @ y, rates, accelerations, sprung_forces(q + G @ y))
        return np.r_[f[joints], xd[joints]]

    def direct(y: Array, rates: Array, torques: Array) -> Array:
        given = {own[k]: x for k, x in zip(truth.active, torques, strict=True)}
        xd, _ = on_wheels(truth, q + G @ y, rates, 0 * rates, given | sprung_forces(q + G @ y))
        return xd[joints]

    still = 0 * qda
    result = outputs(robot, "inverse-dynamics-derivatives", {"q": q, "qda": qda, "qdda": qdda})
    for name, expected in (
        ("qa", slope(lambda y: inverse(y, qda, qdda), still, 0.004)),
        ("qda", quadratic_slope(lambda y: inverse(still, y, qdda), qda)),
        ("qdda", quadratic_slope(lambda y: inverse(still, qda, y), qdda)),
    ):
        assert error(result[f"dtau_d{name}"], expected[:n]) < CLOSE, name
        assert error(result[f"dqdd_out_d{name}"], expected[n:]) < CLOSE, name
    result = outputs(robot, "direct-dynamics-derivatives", {"q": q, "qda": qda, "tau": tau})
    for name, expected in (
        ("qa", slope(lambda y: direct(y, qda, tau), still, 0.004)),
        ("qda", quadratic_slope(lambda y: direct(still, y, tau), qda)),
        ("tau", quadratic_slope(lambda y: direct(still, qda, y), tau)),
    ):
        assert error(result[f"dqdda_d{name}"], expected) < CLOSE, name


@pytest.mark.parametrize("seed", range(860, 880))
def test_identification_of_motors_behind_springs(seed: int) -> None:
    """Forces on the joints, then torques of the motors, each with its rotor and friction."""
    robot = resting(sprung(seeded_tree(seed, 2 + seed % 4, coupled=False), seed))
    at, own = state(robot, seed), independent(robot)
    rng = np.random.default_rng(seed)
    at |= {name: rng.uniform(-1, 1, len(own)) for name in ("qm", "qmd", "qmdd")}
    elastic = [j for j in own if robot.frame(j).eta]
    values = dict(robot.nominal)
    links = robot
    for j in elastic:
        links = links.with_frame(j, **dict.fromkeys(("IA", "FV", "FS", "FO"), 0))
    forces = list(oracle(links, at).torques(at["q"], at["qd"], at["qdd"]))
    for j in elastic:
        k, frame = own.index(j), robot.frame(j)
        stiffness, rest, ia, fv, fs, fo = (
            getattr(frame, name).value(values) for name in ("k", "rest", "IA", "FV", "FS", "FO")
        )
        spring = stiffness * (at["qm"][k] + rest - at["q"][k])
        forces[k] -= spring
        rate = at["qmd"][k]
        forces.append(ia * at["qmdd"][k] + fv * rate + fs * np.sign(rate) + fo + spring)
    model = symoro.generate(robot, "dynamic-identification", actuators="elastic")
    assert regressor_error(model, at, np.array(forces)) < CLOSE


# -- the Lagrange form in quasi-velocities


@pytest.mark.parametrize("seed", range(900, 920))
def test_lagrange_on_a_floating_base(seed: int) -> None:
    """The forces of the oracle at any acceleration, and a skew dA/dt - 2 B: the Coriolis forces do no work."""
    robot = bare(without_wrenches(floating_tree(seed, 2 + seed % 3)))
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, **dict.fromkeys(("FV", "FS", "FO"), 0))
    at = floating_state(robot, seed)
    truth = Floating(robot, at)
    q, qd, qdd, V0, Vd0 = (at[name] for name in ("q", "qd", "qdd", "V0", "Vd0"))
    model = symoro.generate(robot, "lagrange").function(compiled=False)
    result = model(**{name: at[name] for name in ("q", "qd", "V0", "R0")})
    A, B, Q = result["A"], result["B"], result["Q"]
    nu = np.r_[V0, qd]
    nud = np.r_[Vd0[:3] - np.cross(V0[3:], V0[:3]), Vd0[3:], qdd]
    assert error(A @ nud + B @ nu + Q, truth.forces(q, qd, qdd, V0, Vd0)) < CLOSE
    rate = difference(lambda t: model(q=q + t[0] * qd, qd=qd, V0=V0, R0=at["R0"])["A"], np.zeros(1), 0.004)
    skew = rate[..., 0] - 2 * B
    assert error(skew + skew.T, 0 * A) < CLOSE


# The linkage of seed 5 is next to a singular configuration: differences have no digits there.
@pytest.mark.parametrize("seed", [seed for seed in range(21) if seed != 5])
def test_closed_loops_on_wheels(seed: int) -> None:
    """The regressor of torques and of power against the oracle, derivatives along both constraints."""
    robot, q, truth = linkage_on_wheels(seed)
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, FS=0)
    truth = type(truth)(robot.tree(), truth.points)
    rng = np.random.default_rng(seed)
    qda, qdda = rng.uniform(-1, 1, (2, len(truth.active)))
    at = {"q": q, "qda": qda, "qdda": qdda}
    tau = truth.torques(q, qda, qdda)
    model = symoro.generate(robot, "dynamic-identification")
    assert regressor_error(model, at, tau) < CLOSE
    power = symoro.generate(robot, "power-identification", acceleration=True)
    result = run(power, at)
    assert error((result["dh"] + result["p"]) @ numbers(power), qda @ tau) < CLOSE
    momenta = symoro.generate(robot, "filtered-identification")
    K, joints = numbers(momenta), truth.rates(q, qda)[3:]

    def first(t: Array) -> Array:
        return run(momenta, {"q": q + t[0] * joints, "qda": qda + t[0] * qdda})["D1"] @ K

    assert error(difference(first, np.zeros(1), 0.002)[:, 0] + run(momenta, at)["D2"] @ K, tau) < CLOSE
    slopes = outputs(robot, "inverse-dynamics-derivatives", at)
    G = np.array([truth.rates(q, unit)[3:] for unit in np.eye(len(qda))]).T
    by_position = difference(lambda y: truth.torques(q + G @ y, qda, qdda), 0 * qda, 0.002)
    assert error(slopes["dtau_dqa"], by_position) < CLOSE
    assert error(slopes["dtau_dqda"], quadratic_slope(lambda y: truth.torques(q, y, qdda), qda)) < CLOSE
