"""Inertia matrix and direct dynamics against momentum, and the identities between the models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from benchmarks.operations import serial
from symoro.errors import NotApplicableError, OptionError
from symoro.models.solvers import TreeFactors
from symoro.robot.coordinates import independent
from symoro.robot.description import Coupling, Robot
from symoro.robot.topology import moving_joints
from tests.effort import Effort
from tests.models.dynamic.cases import error, examples, heavy_trees, oracle, outputs, seeded_tree, state

CLOSE = 1e-11
SOLVED = 1e-9  # the condition of the inertia matrix comes in


def methods(robot: Robot) -> list[str]:
    """Return the methods of direct dynamics that apply to a robot."""
    free = len(independent(robot)) == len(moving_joints(robot))
    return ["auto", "inertia", *(["recursive"] if free else [])]


def check(robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd, qdd = at["q"], at["qd"], at["qdd"]
    A = outputs(robot, "inertia-matrix", at)["A"]
    assert error(A, truth.inertia(q)) < CLOSE
    assert np.array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() > 0
    tau, H = outputs(robot, "inverse-dynamics", at)["tau"], outputs(robot, "bias-torques", at)["H"]
    assert error(A @ qdd + H, tau) < CLOSE
    for method in methods(robot):
        accelerations = outputs(robot, "direct-dynamics", at | {"tau": tau}, method=method)["qdd"]
        assert error(accelerations, qdd) < SOLVED, method
        free = outputs(robot, "direct-dynamics", at, method=method)["qdd"]
        assert error(free, truth.accelerations(q, qd, at["tau"])) < SOLVED, method
        again = outputs(robot, "inverse-dynamics", at | {"qdd": free})["tau"]
        assert error(again, at["tau"]) < SOLVED, method


@given(heavy_trees(), st.integers(0, 1000))
@examples(25)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(20, 30))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000, 2300))
def test_many_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


def test_a_turn_by_pi_about_z_is_no_identity() -> None:
    """gamma = pi has a zero sine but changes the signs of x and y."""
    for seed in range(4):
        robot = seeded_tree(seed, 4, coupled=False).with_frame(3, gamma="pi").with_frame(4, gamma="-pi")
        check(robot, seed)


@pytest.mark.parametrize("seed", range(4))
def test_coupled_joints_are_solved_without_a_kernel(seed: int) -> None:
    robot = seeded_tree(seed, 7, coupled=True)
    assert any(frame.coupling for frame in robot.frames)
    count = symoro.generate(robot, "direct-dynamics").count()
    assert count.kernels == 0
    setup = count.setup.divisions if count.setup else 0
    assert count.divisions + setup <= len(independent(robot))
    check(robot, seed)


def test_recursive_says_that_it_does_not_treat_coupled_joints() -> None:
    robot = symoro.load("planar3r").with_frame(
        3, coupling=Coupling(((2, symoro.load("planar3r").frame(1).d),))
    )
    with pytest.raises(OptionError, match="coupled") as caught:
        symoro.generate(robot, "direct-dynamics", method="recursive")
    assert "inertia" in str(caught.value.hint)


@pytest.mark.parametrize("method", ["auto", "recursive", "inertia"])
@pytest.mark.parametrize("model", ["direct-dynamics", "direct-dynamics-derivatives"])
def test_a_joint_without_mass_is_named(model: str, method: str) -> None:
    robot = symoro.load("planar2r").with_link(2, M=0, MX=0, YY=0, ZZ=0)
    options = {"method": method} if model == "direct-dynamics" else {}
    with pytest.raises(NotApplicableError, match="joint 2 moves no mass") as caught:
        symoro.generate(robot, model, **options)
    assert "IA" in str(caught.value.hint)
    assert symoro.generate(robot.with_frame(2, IA="IA2"), model, **options)


def test_coupled_joints_without_mass_are_named() -> None:
    """A robot without inertia is rejected instead of giving a model without outputs."""
    robot = symoro.load("planar3r")
    for j in (1, 2, 3):
        robot = robot.with_frame(j, IA=0).with_link(j, M=0, MX=0, YY=0, ZZ=0)
    robot = robot.with_frame(3, coupling=Coupling(((2, robot.frame(2).d),)))
    with pytest.raises(NotApplicableError, match="moves no mass"):
        symoro.generate(robot, "direct-dynamics")


def test_auto_takes_the_cheaper_method() -> None:
    arms = [serial(f"parallel{n}", [0] * n, ["D"] * n, [0] * n) for n in (4, 6, 8)]
    for robot in (*arms, symoro.load("rx90"), seeded_tree(5, 12, coupled=False)):
        result = {
            m: symoro.generate(robot, "direct-dynamics", method=m).count().total for m in methods(robot)
        }
        assert result["auto"] == min(result.values())


def test_auto_does_not_build_the_matrix_of_a_long_chain() -> None:
    """Elimination grows with the cube of the length: half a minute for a hundred joints."""
    n = 60
    robot = serial("snake", [(0, 1, -1)[j % 3] for j in range(n)], ["D"] * n, [0] * n)
    with Effort(most=4_000_000):  # 1.7 million when this was written
        model = symoro.generate(robot, "direct-dynamics")
    assert model.count().divisions <= n


# -- the solver that keeps a tree's zeros


@given(st.lists(st.integers(0, 10), min_size=1, max_size=8), st.integers(0, 1000))
@examples(50)
def test_solve_tree(choices: list[int], seed: int) -> None:
    """Random trees: A has entries between a joint and its ancestors only."""
    rng = np.random.default_rng(seed)
    parents = {k: choices[k - 1] % k for k in range(1, len(choices) + 1)}
    n = len(parents)
    chains = {k: [k] for k in parents}
    for k, p in parents.items():
        chains[k] += chains[p] if p else []
    L = np.zeros((n, n))  # A = L' L has the pattern of the tree
    for k, chain in chains.items():
        for i in chain:
            L[k - 1, i - 1] = rng.uniform(0.2, 1) + (2 if i == k else 0)
    A, b = L.T @ L, rng.uniform(-1, 1, n)
    entries = {(i, k): float(A[i - 1, k - 1]) for k, chain in chains.items() for i in chain}
    result = TreeFactors(entries, parents).solve(dict(enumerate(map(float, b), 1)))
    assert error([result[k] for k in parents], np.linalg.solve(A, b)) < 1e-12


def test_branches_share_no_entry() -> None:
    """Two arms on one base: their block of A is zero in the program, not only in numbers."""
    robot = symoro.load("humanoid_torso")
    model = symoro.generate(robot, "inertia-matrix")
    own = independent(robot)
    (port,) = model.program.outputs
    zeros = {(own[k // len(own)], own[k % len(own)]) for k, lit in enumerate(port.lits) if lit >> 1 == 0}
    apart = {(i, j) for i in own for j in own if i not in _chain(robot, j) and j not in _chain(robot, i)}
    assert apart
    assert apart <= zeros


def _chain(robot: Robot, j: int) -> list[int]:
    result = [j]
    while robot.frame(result[-1]).ant:
        result.append(robot.frame(result[-1]).ant)
    return result
