"""Tests of the numerical search: known numbers of solutions, and consistency of the random arms."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from tests.oracle.arms import (
    CLASSES,
    Arm,
    disguised,
    manseur_doty,
    puma_like,
    symbolic,
    three_prismatic,
    with_fixed_frames,
)
from tests.oracle.inverse_geometry import Chain, Loops
from tests.oracle.linkages import LINKAGES, two_loops
from tests.oracle.numeric import Numeric


def chain(arm: Arm) -> Chain:
    return Chain(arm.robot, arm.to, pose=arm.pose)


@pytest.mark.parametrize("name", CLASSES)
def test_postures_of_random_arms(name: str) -> None:
    """The original configuration is among the solutions, all are exact, and their number is even."""
    rng = np.random.default_rng(sum(map(ord, name)))
    search = chain(CLASSES[name](rng))
    q = rng.uniform(-2, 2, len(search.unknown))
    T = search.place(q[None])[0]
    result = search.all_solutions(T, rng)
    assert search.distance(result.q, q).min() < 1e-5
    assert search.error(result.q, T).max() < 1e-10
    if result.countable:
        assert len(result.q) % 2 == 0


def test_sixteen_postures_of_manseur_and_doty() -> None:
    arm, T = manseur_doty()
    result = chain(arm).all_solutions(T, np.random.default_rng(0))
    assert result.countable and len(result.q) == 16
    waist = [2.517, 168.322, -12.943, -96.285, -120.788, 88.679, 113.844, -178.126]
    np.testing.assert_allclose(np.degrees(result.q[:, 0]), np.sort(np.repeat(waist, 2)), atol=2e-3)
    known = np.radians([2.5172, 108.0759, 112.0431, -10.5230, 0.0051, -0.1095])
    assert chain(arm).distance(result.q, known).min() < 1e-4


@pytest.mark.parametrize(
    ("robot", "to", "pose", "most"),
    [
        ("puma560", "tool", "full", 8),
        ("rx90", 6, "full", 8),
        ("stanford", 6, "full", 8),
        ("ur5e", 6, "full", 8),
        ("tx40", "tool", "full", 8),
        ("scara", 4, "s,P", 2),
        ("planar3r", "tool", "planar", 2),
        ("gantry", 3, "position", 1),
    ],
)
def test_numbers_of_postures_that_are_known(robot: str, to: int | str, pose: str, most: int) -> None:
    rng = np.random.default_rng(5)
    search = Chain(symoro.load(robot), to, pose=pose)
    counts = []
    for _ in range(6):
        T = search.place(rng.uniform(-3, 3, (1, len(search.unknown))))[0]
        result = search.all_solutions(T, rng)
        if result.countable:
            counts.append(len(result.q))
    assert max(counts) == most


def test_a_pose_out_of_reach_has_no_posture() -> None:
    search = Chain(symoro.load("rx90"), 6)
    T = np.eye(4)
    T[0, 3] = 2.0
    assert len(search.all_solutions(T, np.random.default_rng(0)).q) == 0


def test_a_locked_joint_stays() -> None:
    robot = symoro.load("panda")
    search = Chain(robot, "tool", locked={7: 0.3})
    q = np.array([0.1, 0.5, -0.3, -1.5, 0.4, 1.2])
    T = search.place(q[None])[0]
    np.testing.assert_allclose(T, Numeric(robot).transform([*q, 0.3], 0, "tool"), atol=1e-14)
    assert search.distance(search.all_solutions(T, np.random.default_rng(1)).q, q).min() < 1e-6


def test_derivatives_are_those_of_the_placement() -> None:
    search = chain(three_prismatic(np.random.default_rng(2)))
    q = np.random.default_rng(3).uniform(-1, 1, 6)
    J = search.residual(q[None])[1][0]
    for k, e in enumerate(np.eye(6) * 1e-6):
        ahead, behind = (search.residual((q + s * e)[None])[0][0] for s in (1, -1))
        np.testing.assert_allclose(J[:, k], (ahead - behind) / 2e-6, atol=1e-8)


@pytest.mark.parametrize("maker", [puma_like, three_prismatic, CLASSES["wrist with a tool"]])
def test_other_words_are_the_same_robot(maker: object) -> None:
    rng = np.random.default_rng(4)
    arm = maker(rng)  # type: ignore[operator]
    q = rng.uniform(-1, 1, (5, 6))
    for other in (disguised(arm, rng), with_fixed_frames(arm), symbolic(arm), symbolic(arm, angles=True)):
        np.testing.assert_allclose(chain(other).place(q), chain(arm).place(q), atol=1e-14)


def test_placements_agree_with_the_other_oracle() -> None:
    arm = CLASSES["branch of a tree"](np.random.default_rng(6))
    numeric = Numeric(arm.robot)
    q = np.random.default_rng(7).uniform(-1, 1, len(numeric.own))
    wanted = numeric.transform(q, 0, arm.to)
    np.testing.assert_allclose(chain(arm).place(q[None, :6])[0], wanted, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "qa", "modes"),
    [
        ("fourbar", [0.7], 2),
        ("fivebar", [1.9, 0.8], 2),
        ("slidercrank", [0.7], 2),
        ("sr400", [0.1, -0.9, 0.3, 0.4, 0.5, 0.2], 2),
        ("akr3000", [0.3, 0.9, 0.5, 0.1, 0.2, 0.3], 4),
        ("fourbar that cannot close", [2.9], 0),
    ],
)
def test_assemblies_that_are_known(name: str, qa: list[float], modes: int) -> None:
    values = {"D4": 0.1} if "cannot" in name else None
    loops = Loops(symoro.load(name.split()[0]), values)
    result = loops.assemblies(qa, np.random.default_rng(0))
    assert result.saturated and len(result.q) == modes
    n = len(loops.tree.joints)
    if modes:
        assert loops.gap(result.q[:, :n], result.q[:, n:]).max() < 1e-10


def test_the_linear_relation_of_sr400_closes_its_loop() -> None:
    q1, q2, q4, q5, q6, q7 = np.random.default_rng(0).uniform(-2, 2, 6)
    q = np.array([[q1, q2, q7 - q2 - np.pi / 2, q4, q5, q6, q7, q2 - q7]])
    assert Loops(symoro.load("sr400")).gap(q, np.array([[q7 - q2]]))[0] < 1e-14


def test_assemblies_of_two_loops() -> None:
    """Two four-bars with two modes each, the second attached to the first."""
    result = Loops(two_loops()).assemblies([0.1, 0.4, 0.5, -0.3], np.random.default_rng(0))
    assert result.countable and len(result.q) == 4


@pytest.mark.parametrize("name", LINKAGES)
def test_assemblies_of_random_linkages(name: str) -> None:
    """The original configuration is among the solutions, and their number is even."""
    rng = np.random.default_rng(sum(map(ord, name)))
    robot, q = LINKAGES[name](rng)
    loops = Loops(robot)
    result = loops.assemblies(q[:1], rng)
    loops.unknown = loops.every
    assert loops.distance(result.q, q).min() < 1e-5
    assert len(result.q) % 2 == 0 or not result.countable
