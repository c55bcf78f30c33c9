"""Models on combinations of structures, each on random robots against NumPy: A, H, J of the oracles."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

import symoro
from symoro.robot.coordinates import independent
from tests.models.dynamic.cases import Array, error, oracle, outputs, seeded_tree, state
from tests.models.dynamic.floating.cases import floating_tree, without_wrenches
from tests.models.dynamic.floating.cases import state as floating_state
from tests.models.dynamic.test_derivatives import step
from tests.models.dynamic.test_elastic import parted, springs, sprung
from tests.models.dynamic.test_structures import linkage_on_wheels
from tests.models.identification.linear import bare, numbers, resting, run
from tests.oracle.dynamics import difference
from tests.oracle.floating import Floating
from tests.oracle.wheel_robots import layout
from tests.oracle.wheels import Wheels

CLOSE = 1e-9


def slope(f: Callable[[Array], Array], x: Array, largest: float = 0.02) -> Array:
    """df/dx by differences of eighth order, with the step at which two of them agree best."""
    found = [difference(f, x, largest * share) for share in (1, 0.5, 0.25)]
    apart = [error(a, b) for a, b in pairwise(found)]
    return found[int(np.argmin(apart)) + 1]


# -- derivatives


@pytest.mark.parametrize("seed", range(700, 720))
def test_derivatives_with_elastic_joints(seed: int) -> None:
    """Of both outputs of inverse dynamics: torques of the drives, accelerations of the elastic joints."""
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

    found = outputs(robot, "inverse-dynamics-derivatives", at)
    n = len(own)
    for name, size in (("q", 0.02), ("qd", h), ("qdd", 0.02)):
        expected = slope(lambda y, name=name: both(**{name: y}), at[name], size)
        assert error(found[f"dtau_d{name}"], expected[:n]) < CLOSE, name
        assert error(found[f"dqdd_out_d{name}"], expected[n:]) < CLOSE, name


@pytest.mark.parametrize("seed", range(740, 760))
def test_derivatives_on_wheels(seed: int) -> None:
    """Along the rolling motion, qda and qdda constant; Coulomb friction would jump on the way."""
    robot, q = layout(seed)
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, FS=0)
    truth = Wheels(robot)
    rng = np.random.default_rng(seed)
    qda, qdda, tau = rng.uniform(-1, 1, (3, len(truth.active)))
    G = np.array([truth.rates(q, unit)[3:] for unit in np.eye(len(qda))]).T
    inverse = symoro.generate(robot, "inverse-dynamics-derivatives").function(compiled=False)
    found = inverse(q=q, qda=qda, qdda=qdda)
    by_position = difference(lambda y: truth.torques(q + G @ y, qda, qdda), 0 * qda, 0.004)
    assert error(found["dtau_dqa"], by_position) < CLOSE
    assert error(found["dtau_dqda"], difference(lambda y: truth.torques(q, y, qdda), qda)) < CLOSE
    A = found["dtau_dqdda"]
    columns = [truth.torques(q, qda, qdda + unit) - truth.torques(q, qda, qdda) for unit in np.eye(len(A))]
    assert error(A.T, np.array(columns)) < CLOSE
    direct = symoro.generate(robot, "direct-dynamics-derivatives").function(compiled=False)
    caused = direct(q=q, qda=qda, tau=tau)
    assert error(caused["dqdda_dtau"] @ A, np.eye(len(A))) < CLOSE
    at = inverse(q=q, qda=qda, qdda=truth.direct(q, qda, tau)[0])
    assert error(A @ caused["dqdda_dqa"], -at["dtau_dqa"]) < CLOSE
    assert error(A @ caused["dqdda_dqda"], -at["dtau_dqda"]) < CLOSE


# -- identification: W K against the oracle's forces


def regressor_error(model: symoro.Model, at: dict[str, Array], expected: Array) -> float:
    """W K compared with the forces."""
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
    found = run(power, at)
    assert error((found["dh"] + found["p"]) @ numbers(power), qda @ tau) < CLOSE


@pytest.mark.parametrize("seed", range(830, 850))
def test_identification_with_elastic_joints(seed: int) -> None:
    """The stiffness is a column; what drives an elastic joint is its spring alone."""
    robot = resting(sprung(seeded_tree(seed, 2 + seed % 4), seed))
    at = state(robot, seed)
    truth = oracle(robot, at)
    tau = truth.torques(at["q"], at["qd"], at["qdd"])
    elastic = np.array([robot.frame(j).eta for j in independent(robot)])
    model = symoro.generate(robot, "dynamic-identification")
    assert any(name.startswith("k") for name in model.columns)
    assert regressor_error(model, at, tau - np.where(elastic, springs(robot, at["q"]), 0)) < CLOSE


@pytest.mark.parametrize("seed", range(860, 880))
def test_identification_of_motors_behind_springs(seed: int) -> None:
    """Forces on the joints, then torques of the motors, each with its own rotor and friction."""
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
    found = model(**{name: at[name] for name in ("q", "qd", "V0", "R0")})
    A, B, Q = found["A"], found["B"], found["Q"]
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
    found = run(power, at)
    assert error((found["dh"] + found["p"]) @ numbers(power), qda @ tau) < CLOSE
    momenta = symoro.generate(robot, "filtered-identification")
    K, joints = numbers(momenta), truth.rates(q, qda)[3:]

    def first(t: Array) -> Array:
        return run(momenta, {"q": q + t[0] * joints, "qda": qda + t[0] * qdda})["D1"] @ K

    assert error(difference(first, np.zeros(1), 0.002)[:, 0] + run(momenta, at)["D2"] @ K, tau) < CLOSE
    slopes = outputs(robot, "inverse-dynamics-derivatives", at)
    G = np.array([truth.rates(q, unit)[3:] for unit in np.eye(len(qda))]).T
    torques = symoro.generate(robot, "inverse-dynamics").function(compiled=False)
    by_position = difference(lambda y: torques(q=q + G @ y, qda=qda, qdda=qdda)["tau"], 0 * qda, 0.002)
    assert error(slopes["dtau_dqa"], by_position) < CLOSE
    by_velocity = difference(lambda y: torques(q=q, qda=y, qdda=qdda)["tau"], qda)
    assert error(slopes["dtau_dqda"], by_velocity) < CLOSE
