"""Coupled joints: q_tree = G q + offset, its rates, and efforts the other way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symoro.expr.formula import Formula, formula
from symoro.robot.coordinates import drivers, independent, matrix, positions, project, rates
from symoro.robot.description import Coupling, Frame, JointType, Link, Robot
from tests.oracle.numeric import Numeric
from tests.oracle.robots import numbers, trees

WRIST = Robot(
    "wrist",
    (
        Frame(0),
        Frame(1, JointType.FIXED),
        Frame(2, coupling=Coupling(((1, formula("-2")), (4, formula("1/2"))), formula("pi"))),
        Frame(3),
    ),
    (Link(),) * 4,
)


def number(f: Formula) -> float:
    return f.value({})


def test_a_coupled_joint() -> None:
    assert independent(WRIST) == [1, 4]
    assert positions(WRIST, {1: 1.0, 4: 3.0}, number) == {1: 1.0, 3: pytest.approx(np.pi - 0.5), 4: 3.0}
    assert rates(WRIST, {1: 1.0, 4: 3.0}, number) == {1: 1.0, 3: -0.5, 4: 3.0}
    assert matrix(WRIST, number) == [[1, 0], [-2.0, 0.5], [0, 1]]
    assert drivers(WRIST, 3, number) == [(1, -2.0), (4, 0.5)] and drivers(WRIST, 4, number) == [(4, 1)]
    assert project(WRIST, {1: 10.0, 3: 4.0, 4: 1.0}, number) == [2.0, 3.0]


@settings(max_examples=50, deadline=None)
@given(trees(), st.integers(0, 99))
def test_against_numpy(robot: Robot, seed: int) -> None:
    oracle = Numeric(robot)
    own = independent(robot)
    assert own == oracle.own
    q = numbers(seed, len(own))
    given = dict(zip(own, q, strict=True))
    assert positions(robot, given, oracle.number) == pytest.approx(oracle.positions(q))
    assert rates(robot, given, oracle.number) == pytest.approx(oracle.rates(q))
    np.testing.assert_allclose(matrix(robot, oracle.number), oracle.ratios())
    efforts = numbers(seed + 1, len(oracle.moving))
    found = project(robot, dict(zip(oracle.moving, efforts, strict=True)), oracle.number)
    np.testing.assert_allclose(found, oracle.ratios().T @ efforts, atol=1e-12)
