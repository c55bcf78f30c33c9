"""Inverse geometry against an independent search: all solutions, none wrong, none repeated.

`pytest -m slow` runs the long sweeps: a thousand poses of each bundled robot, fifty random robots of each class.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import SymoroError
from symoro.runtime.compiler import find_compiler
from tests.models.geometric.postures import VALID, Solver, bundled, same, solver
from tests.oracle.arms import CLASSES, Arm, manseur_doty, symbolic

ROBOTS = (
    "puma560",
    "rx90",
    "stanford",
    "ur5e",
    "tx40",
    "jaco2",
    "panda",
    "iiwa14",
    "scara",
    "planar3r",
    "gantry",
)
# Classes that are represented by similar ones in the short run.
LONG = {
    "RRP and a wrist",
    "PRP and a wrist",
    "RPP and a wrist",
    "general 5R1P, P at 1",
    "general 5R1P, P at 3",
    "general 5R1P, P at 4",
    "general 5R1P, P at 6",
    "disguised shoulder",
    "elbow arm, a point",
}
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")


def drawn(name: str, seed: int = 0) -> Arm:
    return CLASSES[name](np.random.default_rng([seed, *map(ord, name)]))


# -- every class of robot


@pytest.mark.parametrize("name", ROBOTS)
def test_bundled_robots(name: str) -> None:
    assert solver(bundled(name)).sweep(np.random.default_rng(1), poses=20, counted=3) == 0


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in LONG])
def test_random_robots(name: str) -> None:
    assert solver(drawn(name)).sweep(np.random.default_rng(2), poses=15, counted=2) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_many_poses_of_bundled_robots(name: str) -> None:
    assert solver(bundled(name)).sweep(np.random.default_rng(3), poses=1000, counted=25) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_many_random_robots(name: str) -> None:
    missed = 0
    for seed in range(50):
        made = Solver(drawn(name, seed + 1))
        missed += made.sweep(np.random.default_rng(seed), poses=40, counted=2)
    assert missed <= 2


def test_sixteen_solutions_of_manseur_and_doty() -> None:
    arm, T = manseur_doty()
    made = solver(arm)
    answer = made(T)
    made.check(answer, T, np.zeros(6))
    assert len(answer.valid) == 16
    assert made.chain.error(answer.valid, T).max() <= 1e-12
    waist = [2.517, 168.322, -12.943, -96.285, -120.788, 88.679, 113.844, -178.126]
    result = np.sort(np.degrees(made.chain.wrapped(answer.valid)[:, 0]))
    np.testing.assert_allclose(result, np.sort(np.repeat(waist, 2)), atol=2e-3)


# -- methods


@pytest.mark.parametrize(
    ("method", "arm"),
    [
        ("paul", bundled("puma560")),
        ("paul", bundled("rx90")),
        ("paul", bundled("stanford")),
        ("paul", bundled("scara")),
        ("paul", drawn("UR-like")),
        ("pieper", bundled("rx90")),
        ("pieper", drawn("wrist, quartic arm")),
        ("pieper", drawn("spherical shoulder")),
        ("pieper", drawn("spherical 3-4-5")),
        ("pieper", drawn("oblique wrist")),
        ("pieper", drawn("Stanford-like")),
        ("pieper", drawn("three prismatic")),
        ("pieper", drawn("disguised PUMA-like")),
        ("general", bundled("jaco2")),
        ("general", drawn("general 5R1P, P at 3")),
    ],
    ids=str,
)
def test_each_method_on_what_it_is_for(method: str, arm: Arm) -> None:
    assert solver(arm, method).sweep(np.random.default_rng(4), poses=10, counted=2) == 0


@pytest.mark.parametrize("name", ["puma560", "rx90", "ur5e"])
def test_the_general_method_needs_no_structure(name: str) -> None:
    """Spherical wrists and parallel axes cause multiple roots: one pose in a hundred may lack a solution."""
    made = solver(bundled(name), "general")
    rng = np.random.default_rng(5)
    q = made.postures(rng, 40)
    T = np.array([made.pose(one) for one in q])
    answers = made.batch(T, q)
    for answer, pose, one in zip(answers, T, q, strict=True):
        made.check(answer, pose, one)
    assert sum(made.has(answer, one) for answer, one in zip(answers, q, strict=True)) >= 39


@pytest.mark.parametrize(
    ("arm", "options"),
    [
        (drawn("general 6R"), {"method": "pieper"}),
        (drawn("general 6R"), {"method": "newton"}),
        (bundled("rx90"), {"pose": "everything"}),
        (bundled("rx90"), {"pose": "11,51"}),
        (bundled("rx90"), {"locked": "9"}),
    ],
    ids=["pieper without a centre", "no method", "no pose", "no entry", "no joint"],
)
def test_what_cannot_be_asked_is_told(arm: Arm, options: dict[str, str]) -> None:
    with pytest.raises(SymoroError):
        symoro.generate(arm.robot, "inverse-geometry", **options)


# -- parts of a pose


@pytest.mark.parametrize(
    ("arm", "pose"),
    [
        (bundled("scara"), "11,21,14,24,34"),
        (bundled("planar3r"), "11,21,14,24"),
        (bundled("planar3r"), "s,P"),
        (bundled("gantry"), "P"),
        (drawn("three axes, a point"), "14,24,34"),
    ],
    ids=str,
)
def test_the_same_pose_by_other_entries(arm: Arm, pose: str) -> None:
    assert solver(replace(arm, pose=pose)).sweep(np.random.default_rng(6), poses=10, counted=2) == 0


@pytest.mark.parametrize(("name", "locked"), [("panda", 5), ("iiwa14", 1), ("iiwa14", 5)])
def test_other_joints_can_be_locked(name: str, locked: int) -> None:
    arm = replace(bundled(name), locked=(locked,))
    assert solver(arm).sweep(np.random.default_rng(7), poses=10, counted=2) == 0


def test_a_locked_joint_keeps_its_value() -> None:
    made = solver(bundled("panda"))
    q = made.postures(np.random.default_rng(8), 1)[0]
    out = made.function(T=made.pose(q), q0=q)
    valid = out["status"] == VALID
    assert valid.any()
    np.testing.assert_allclose(out["q"][valid][:, 6], q[6], rtol=0, atol=1e-15)


# -- other descriptions of the same arm


@pytest.mark.parametrize(
    ("arm", "angles"),
    [
        (drawn("PUMA-like"), False),
        (drawn("UR-like"), False),
        (drawn("wrist, quartic arm"), True),
        (drawn("three axes, a point"), True),
        (drawn("general 6R"), True),
        (drawn("general 5R1P, P at 2"), True),
    ],
    ids=str,
)
def test_symbols_give_what_numbers_give(arm: Arm, angles: bool) -> None:
    """Parameters that are unknown at generation give the same solutions, in any order of slots."""
    numbers, symbols = solver(arm), solver(symbolic(arm, angles=angles))
    assert symbols.model.parameters
    q = numbers.postures(np.random.default_rng(9), 10)
    T = np.array([numbers.pose(one) for one in q])
    for some, others in zip(numbers.batch(T, q), symbols.batch(T, q), strict=True):
        assert same(numbers.chain, some.valid, others.valid)


def test_other_lengths_at_each_call_of_a_symbolic_robot() -> None:
    values = {"D3": 0.6, "RL4": -0.35}
    made = Solver(bundled("rx90"), values=values)
    assert made.sweep(np.random.default_rng(10), poses=10, counted=2) == 0


@needs_compiler
@pytest.mark.parametrize(
    "arm",
    [
        bundled("rx90"),
        bundled("ur5e"),
        bundled("panda"),
        drawn("wrist, quartic arm"),
        drawn("general 6R"),
        drawn("general 5R1P, P at 5"),
    ],
    ids=str,
)
def test_c_and_numpy_agree(arm: Arm) -> None:
    plain, native = solver(arm), solver(arm, compiled=True)
    assert native.function.compiled
    q = plain.postures(np.random.default_rng(11), 25)
    T = np.array([plain.pose(one) for one in q])
    for some, others, pose, one in zip(plain.batch(T, q), native.batch(T, q), T, q, strict=True):
        native.check(others, pose, one)
        assert same(plain.chain, some.valid, others.valid)


@pytest.mark.parametrize("arm", [bundled("puma560"), drawn("general 6R")], ids=str)
def test_a_batch_is_its_poses_one_by_one(arm: Arm) -> None:
    made = solver(arm)
    q = made.postures(np.random.default_rng(12), 5)
    T = np.array([made.pose(one) for one in q])
    together = made.function(T=T, q0=q)
    for k in range(5):
        alone = made.function(T=T[k], q0=q[k])
        np.testing.assert_array_equal(alone["status"], together["status"][k])
        valid = alone["status"] == VALID
        np.testing.assert_allclose(alone["q"][valid], together["q"][k][valid], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["rx90", "puma560", "ur5e"])
def test_a_branch_keeps_its_slot_along_a_path(name: str) -> None:
    made = solver(bundled(name))
    start, end = np.array([0.3, -0.9, 0.5, 0.4, 0.6, -0.7]), np.array([0.9, -0.5, 0.9, 1.1, 1.2, 0.3])
    path = start + np.linspace(0, 1, 40)[:, None] * (end - start)
    answers = made.batch(np.array([made.pose(q) for q in path]), path)
    slots = {int(made.chain.distance(a.q, q).argmin()) for a, q in zip(answers, path, strict=True)}
    assert len(slots) == 1
    assert all(made.has(answer, q) for answer, q in zip(answers, path, strict=True))
