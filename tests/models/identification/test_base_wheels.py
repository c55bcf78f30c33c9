"""Base parameters of wheeled robots: equal torques, independent columns, and parameters determined by a log."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import symoro
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from tests.models.dynamic.cases import Array, error
from tests.models.dynamic.test_structures import linkage_on_wheels
from tests.models.dynamic.test_wheels import numbered
from tests.models.identification.linear import numbers, run
from tests.oracle.scaling import scaled
from tests.oracle.wheel_robots import layout
from tests.oracle.wheels import Wheels

CLOSE = 1e-9
STATES = 120
GAP = 1e-6  # between the smallest singular value of independent columns and the largest


def sampled(
    robot: Robot, q: Array, *, moved: bool = True, **options: str
) -> tuple[list[Array], symoro.Model]:
    """Return W at random states."""
    model = symoro.generate(robot, "dynamic-identification", friction="none", **options)
    function = model.function(compiled=False)
    rng = np.random.default_rng(9)
    results = []
    for _ in range(STATES):
        at = {name: rng.uniform(-1, 1, shape) for name, shape in model.inputs.items()}
        at["q"] = q + 0.4 * at["q"] if moved else q
        results.append(function(**at)["W"])
    return results, model


def check(robot: Robot, q: Array) -> None:
    """Check W_base K_base = W K, and that W_base has as many independent columns as W."""
    every, whole = sampled(robot, q)
    some, base = sampled(robot, q, parameters="base")
    # next to a singular configuration of the wheels one state outweighs all others
    sizes = np.array([np.abs(W).max() for W in every])
    regular = sizes < 20 * np.median(sizes)
    assert regular.sum() > STATES / 2
    columns, kept = (np.concatenate(np.array(Ws)[regular]) for Ws in (every, some))
    assert error(kept @ numbers(base, "base"), columns @ numbers(whole)) < CLOSE
    assert len(base.columns) < len(whole.columns)
    assert spread(kept) > GAP
    # no further column of the standard ones is independent of these
    basis = np.linalg.svd(unit(kept), full_matrices=False)[0]
    assert error(basis @ (basis.T @ columns), columns) < CLOSE


def unit(columns: Array) -> Array:
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def spread(columns: Array) -> float:
    values = np.linalg.svd(unit(columns), compute_uv=False)
    return float(values[-1] / values[0])


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_random_layouts(seed: int) -> None:
    check(*layout(seed))


def test_bundled_robots() -> None:
    names = ("diffdrive", "car", "mecanum", "omni3", "tricycle", "mobile_manipulator")
    sizes = {}
    for name in names:
        robot = numbered(name)
        check(robot, np.random.default_rng(4).uniform(-0.3, 0.3, len(independent(robot))))
        sizes[name] = len(symoro.base_parameters(robot))
    # Each has fewer than its tree on a free base.
    floating = {
        "diffdrive": 42,
        "car": 16,
        "mecanum": 20,
        "omni3": 17,
        "tricycle": 18,
        "mobile_manipulator": 30,
    }
    assert all(sizes[name] < floating[name] for name in names)


@pytest.mark.parametrize("seed", [seed for seed in range(21) if seed != 5])
def test_closed_loops_on_wheels(seed: int) -> None:
    """Torques are equal at a closed configuration; the method itself verifies others of its assembly branch."""
    robot, q, _ = linkage_on_wheels(seed)
    robot = robot.replace(postures=(("home", tuple(map(float, q))),))
    every, whole = sampled(robot, q, moved=False)
    some, base = sampled(robot, q, moved=False, parameters="base")
    K, Kb = numbers(whole), numbers(base, "base")
    assert error(np.concatenate(some) @ Kb, np.concatenate(every) @ K) < CLOSE
    assert len(base.columns) < len(whole.columns)


@pytest.mark.parametrize("name", ["diffdrive", "mobile_manipulator"])
def test_a_log_determines_the_parameters(name: str) -> None:
    """Least squares on the oracle's torques along a rolling motion without noise."""
    robot = numbered(name)
    truth = Wheels(robot)
    model = symoro.generate(robot, "dynamic-identification", parameters="base", friction="none")
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, FV=0, FS=0, FO=0)
    truth = Wheels(robot)
    rng = np.random.default_rng(2)
    rows, torques = [], []
    for _ in range(120):
        q = rng.uniform(-1, 1, truth.n)
        qda, qdda = rng.uniform(-3, 3, (2, len(truth.active)))
        rows.append(run(model, {"q": q, "qda": qda, "qdda": qdda})["W"])
        torques.append(truth.torques(q, qda, qdda))
    A = np.concatenate(rows)
    scale = np.linalg.norm(A, axis=0)
    result = np.linalg.lstsq(A / scale, np.concatenate(torques), rcond=None)[0] / scale
    assert np.abs(result - numbers(model, "base")).max() < 1e-6 * np.abs(result).max()


def test_the_other_models_have_the_same_columns() -> None:
    """Energy up to a constant, momenta and power agree with base parameters."""
    robot, q = layout(1003)
    rng = np.random.default_rng(1)
    qda, qdda = rng.uniform(-1, 1, (2, len(Wheels(robot).active)))
    at = {"q": q, "qda": qda, "qdda": qdda}
    for name, outputs, options in (
        ("filtered-identification", ("D1", "D2"), {}),
        ("power-identification", ("dh", "p"), {"acceleration": True}),
        ("energy-identification", ("h",), {}),
    ):
        base, whole = (symoro.generate(robot, name, parameters=p, **options) for p in ("base", "standard"))
        for output in outputs:
            pair = [
                run(base, at | moved)[output] @ numbers(base, "base")
                - run(whole, at | moved)[output] @ numbers(whole)
                for moved in ({}, {"qda": -2 * qda})
            ]
            size = np.abs(run(whole, at)[output] @ numbers(whole)).max()
            if output == "h":
                assert abs(pair[0] - pair[1]) < CLOSE * max(1.0, size)
            else:
                assert np.abs(pair).max() < CLOSE * max(1.0, size), (name, output)


def test_rotor_inertias_of_passive_joints_count() -> None:
    """Passive rotors act on the drives through the rolling constraints; without `rotor` they are not regrouped."""
    robot = symoro.load("diffdrive")
    result = symoro.base_parameters(robot)
    names = {*result.names, *result.no_effect, *(n for others in result.relations.values() for n in others)}
    assert {"IA1", "IA2", "IA3", "IA4"} <= names
    assert not any(name.startswith("IA") for name in symoro.base_parameters(robot, rotor=False).names)


def test_further_drives_do_not_change_the_parameters() -> None:
    three = symoro.load("mecanum")
    four = three.with_frame(4, mu=True)
    assert symoro.base_parameters(four).relations == symoro.base_parameters(three).relations


def test_size_does_not_matter() -> None:
    robot, _ = layout(1001)
    names = symoro.base_parameters(robot).names
    for factor in (Fraction(1, 1000), Fraction(1000)):
        assert symoro.base_parameters(scaled(robot, factor)).names == names


def test_exact_relations_are_those_of_the_tree_on_a_free_base() -> None:
    """Exact base parameters are valid for all symbols and more numerous than those at the nominal values."""
    robot = symoro.load("diffdrive")
    exact, numeric = (symoro.base_parameters(robot, method=method) for method in ("exact", "auto"))
    assert len(exact) == 10 + 7 * 4 + 4 and "treated as a free base" in exact.method
    assert len(numeric) < len(exact)
    assert any("nominal values of" in note for note in numeric.notes)
