"""Twists, wrenches and inertias against 6x6 matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.models.recursion import JointFrame, joint_frames
from symoro.models.spatial import (
    ZERO_INERTIA,
    AnyInertia,
    ArticulatedInertia,
    Inertia,
    Twist,
    Wrench,
    along,
    gathered,
)
from symoro.program.builder import Builder
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.oracle.dynamics import Array
from tests.oracle.placement import placement

ANGLES = ("0", "pi/2", "-pi/2", "pi", "0.7", "-1.9")
CLOSE = 1e-13


def placed(seed: int, sigma: JointType = JointType.REVOLUTE) -> tuple[JointFrame, Array]:
    """Return a random frame on its antecedent, and the 6x6 matrix jTi."""
    rng = np.random.default_rng(seed)
    texts = [str(rng.choice(ANGLES)) for _ in range(3)]
    b, d, r = (float(x) for x in rng.uniform(-1, 1, 3) * rng.integers(0, 2, 3))
    gamma, alpha, theta = map(formula, texts)
    frame = Frame(0, sigma, gamma=gamma, alpha=alpha, theta=theta, b=formula(b), d=formula(d), r=formula(r))
    joint_frame = joint_frames(BUILDER, Robot("one", (frame,), (Link(),)), {1: 0.0})[1]
    g, a, t = (f.value({}) for f in (gamma, alpha, theta))
    T = placement(g, b, a, d, t, r)
    R, P = T.real[:3, :3], T.real[:3, 3]
    skew = np.cross(np.eye(3), P)
    return joint_frame, np.block([[R.T, -R.T @ skew], [np.zeros((3, 3)), R.T]])


BUILDER = Builder("numbers")


def number(x: Any) -> float:
    return float(BUILDER.number(x).number)  # type: ignore[arg-type]


def numbers(values: Sequence[Any]) -> Array:
    return np.array([number(x) for x in values])


def six(x: Twist | Wrench) -> Array:
    return numbers([*x.v, *x.w] if isinstance(x, Twist) else [*x.f, *x.m])


def matrix(inertia: AnyInertia) -> Array:
    """Return the 6x6 matrix, column by column."""
    units = [[float(i == k) for i in range(6)] for k in range(6)]
    return np.array([six(inertia @ Twist(u[:3], u[3:])) for u in units]).T


def rigid(rng: np.random.Generator) -> Inertia:
    points, m = rng.uniform(-1, 1, (5, 3)), rng.uniform(0.1, 1, 5)
    K = (points.T * m) @ points
    x, y, z = (float(s) for s in m @ points)
    k = tuple(float(K[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return Inertia(k, (x, y, z), float(m.sum()))  # type: ignore[arg-type]


def heavy(rng: np.random.Generator) -> ArticulatedInertia:
    """Return a random symmetric positive definite matrix."""
    root = rng.uniform(-1, 1, (6, 6))
    J = (root @ root.T + np.eye(6)).tolist()
    blocks = [
        (J[a][a], J[a + 1][a + 1], J[a + 2][a + 2], J[a][a + 1], J[a][a + 2], J[a + 1][a + 2]) for a in (0, 3)
    ]
    return ArticulatedInertia(blocks[0], [row[:3] for row in J[3:]], blocks[1])


@pytest.mark.parametrize("seed", range(12))
def test_twists_outward_and_wrenches_inward(seed: int) -> None:
    frame, T = placed(seed)
    x = [float(v) for v in np.random.default_rng(seed).uniform(-1, 1, 6)]
    assert np.allclose(six(Twist(x[:3], x[3:]).to_child(frame)), T @ x, atol=CLOSE)
    assert np.allclose(six(Wrench(x[:3], x[3:]).to_parent(frame)), T.T @ x, atol=CLOSE)


@pytest.mark.parametrize("seed", range(24))
def test_inertias_inward(seed: int) -> None:
    frame, T = placed(seed)
    rng = np.random.default_rng(seed)
    light, body = rigid(rng), heavy(rng)
    for one in (light, body):
        for onto in (ZERO_INERTIA, rigid(rng), heavy(rng)):
            result = gathered(frame, one, onto)
            expected = matrix(onto) + T.T @ matrix(one) @ T
            assert np.allclose(matrix(result), expected, atol=CLOSE)
            both = isinstance(one, Inertia) and isinstance(onto, Inertia)
            assert isinstance(result, Inertia) == both
    assert np.allclose(matrix(light.articulated()), matrix(light), atol=0)


@pytest.mark.parametrize("sigma", [JointType.REVOLUTE, JointType.PRISMATIC])
@pytest.mark.parametrize("rotor", [0.0, 0.3])
def test_what_a_free_joint_lets_go(sigma: JointType, rotor: float) -> None:
    frame, _ = placed(3, sigma)
    body = heavy(np.random.default_rng(5))
    J, a = matrix(body), six(along(frame, 1.0))
    assert np.array_equal(a, np.eye(6)[2 if sigma == JointType.PRISMATIC else 5])
    assert np.array_equal(six(body.column(frame)), J @ a)
    H = a @ J @ a + rotor
    result = matrix(body.freed(frame, rotor, float(1 / H)))
    assert np.allclose(result, J - np.outer(J @ a, J @ a) / H, atol=CLOSE)
    if not rotor:
        assert not np.any(result @ a)
        assert not np.any(a @ result)


@pytest.mark.parametrize("seed", range(6))
def test_solutions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    f = [float(x) for x in rng.uniform(-1, 1, 6)]
    for inertia in (rigid(rng), heavy(rng)):
        result = six(inertia.solve(Wrench(f[:3], f[3:])))
        assert np.allclose(matrix(inertia) @ result, f, atol=1e-11)


def test_no_mass_no_solution() -> None:
    push = Wrench([1.0, 0, 0], [0, 0, 0])
    for inertia in (ZERO_INERTIA, ZERO_INERTIA.articulated()):
        with pytest.raises(NotApplicableError, match="inertia of the free base is singular"):
            inertia.solve(push)


def test_power_and_axis() -> None:
    turning, sliding = placed(1)[0], placed(1, JointType.PRISMATIC)[0]
    wrench = Wrench([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert number(wrench.along(turning)) == 6
    assert number(wrench.along(sliding)) == 3
    assert number(wrench.dot(Twist([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]))) == 36
    assert np.array_equal(six(-wrench), -six(wrench))
