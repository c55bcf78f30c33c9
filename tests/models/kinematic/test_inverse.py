"""Inverse Jacobians and inverse kinematics: every method, against NumPy's pseudo-inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import formula
from symoro.robot.description import Base, Frame, JointType, Link, Placement, Robot, Tool
from tests.models.kinematic.test_motion import base_motion
from tests.oracle.numeric import Array, Numeric, Where
from tests.oracle.robots import numbers, trees

ROBOTS = ("rx90", "puma560", "ur5e", "stanford", "scara", "iiwa14", "planar2r", "humanoid_torso")
MOVING = Base(
    V0=(formula("vx"), formula("0.2"), formula("0")), W0=(formula("0.1"), formula("wy"), formula("0"))
)


def run(robot: Robot, name: str, given: dict[str, Any], **options: Any) -> dict[str, Array]:
    model = symoro.generate(robot, name, **options)
    return model.function(compiled=False)(**{k: x for k, x in given.items() if k in model.inputs})


def well_posed(jacobian: Array) -> bool:
    """Return whether neither the relevant rows nor the relevant columns are nearly dependent."""
    columns = jacobian[:, np.abs(jacobian).max(axis=0, initial=0) > 1e-9]
    return bool(columns.size) and bool(np.linalg.cond(columns) < 1e3)


def of_the_base(robot: Robot, q: Array, V0: Array, to: Where, frame: Where) -> Array:
    """Return the velocity of `to` due to the base alone, in the axes of `frame`."""
    place = Numeric(robot).placements(q)
    linear = V0[:3] + np.cross(V0[3:], place[to][:3, 3])
    back = place[frame][:3, :3].T
    return np.concatenate([back @ linear, back @ V0[3:]])


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("frame", [0, 1])
def test_the_inverse_of_the_jacobian(name: str, frame: int) -> None:
    robot = symoro.load(name)
    oracle, to = Numeric(robot), "tool" if robot.tool else robot.NL
    q = numbers(7, len(oracle.own))
    jacobian = oracle.jacobian(q, to, frame)
    result = run(robot, "jacobian-inverse", {"q": q}, frame=frame)["Jinv"]
    np.testing.assert_allclose(result, np.linalg.pinv(jacobian), rtol=1e-8, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(trees(most=8), st.data(), st.integers(0, 99))
def test_every_method_on_any_tree(robot: Robot, data: st.DataObject, seed: int) -> None:
    to: Where = data.draw(st.sampled_from([*range(1, robot.NL + 1), *(["tool"] if robot.tool else [])]))
    frame = data.draw(st.integers(0, robot.NL))
    oracle = Numeric(robot)
    n = len(oracle.own)
    state = {"q": numbers(seed, n), "V": numbers(seed + 1, 6), "qd0": numbers(seed + 2, n), "damping": 0.3}
    state |= base_motion(robot, seed)
    q, qd0 = state["q"], state["qd0"]
    jacobian = oracle.jacobian(q, to, frame)
    joints = np.count_nonzero(np.abs(jacobian).max(axis=0) > 1e-9)
    wanted = state["V"] - of_the_base(robot, q, state["V0"], to, frame)
    for method in ("auto", "regular", "redundant", "partial", "damped"):
        try:
            velocities = run(robot, "inverse-kinematics", state, to=to, frame=frame, method=method)["qd"]
        except NotApplicableError:
            assert np.linalg.matrix_rank(jacobian, tol=1e-9) < min(6, joints) or not joints
            continue
        except OptionError:
            assert joints != 6 and method not in ("auto", "damped")
            continue
        if method == "damped":
            square = jacobian @ jacobian.T + 0.09 * np.eye(6)
            expected = qd0 + jacobian.T @ np.linalg.solve(square, wanted - jacobian @ qd0)
        elif method == "redundant" or (method == "auto" and joints > 6):
            expected = qd0 + np.linalg.pinv(jacobian) @ (wanted - jacobian @ qd0)
        else:
            expected = np.linalg.pinv(jacobian) @ wanted
        if method == "damped" or well_posed(jacobian):
            np.testing.assert_allclose(velocities, expected, rtol=1e-6, atol=1e-7, err_msg=method)


@pytest.mark.parametrize("mid", [None, 0, 3, 6])
def test_there_and_back(mid: int | None) -> None:
    """Inverse kinematics of the velocity of given joint velocities returns these joint velocities."""
    robot, q, qd = symoro.load("rx90"), numbers(1, 6), numbers(2, 6)
    V = run(robot, "jacobian", {"q": q}, frame=2)["J"] @ qd
    velocities = run(robot, "inverse-kinematics", {"q": q, "V": V}, frame=2, mid=mid)["qd"]
    np.testing.assert_allclose(velocities, qd, rtol=0, atol=1e-12)


def test_a_moving_base_and_a_tool() -> None:
    tool = Tool(Placement(6, alpha=formula("0.2"), d=formula("0.1"), r=formula("0.3")))
    robot = symoro.load("rx90").replace(base=MOVING, tool=tool)
    q, V = numbers(1, 6), numbers(2, 6)
    V0 = np.array([0.5, 9.0, 9.0, 9.0, -0.3, 9.0])  # a number in the description takes precedence
    held = np.array([0.5, 0.2, 0.0, 0.1, -0.3, 0.0])
    jacobian = Numeric(robot).jacobian(q, "tool", 3)
    wanted = np.linalg.solve(jacobian, V - of_the_base(robot, q, held, "tool", 3))
    velocities = run(robot, "inverse-kinematics", {"q": q, "V": V, "V0": V0}, frame=3)["qd"]
    np.testing.assert_allclose(velocities, wanted, rtol=1e-9, atol=1e-10)


def test_the_tool_in_its_own_frame() -> None:
    robot = symoro.load("puma560")
    q, V = numbers(1, 6), numbers(2, 6)
    jacobian = Numeric(robot).jacobian(q, "tool", "tool")
    velocities = run(robot, "inverse-kinematics", {"q": q, "V": V}, frame="tool")["qd"]
    np.testing.assert_allclose(velocities, np.linalg.solve(jacobian, V), rtol=1e-9, atol=1e-10)
    inverse = run(robot, "jacobian-inverse", {"q": q}, frame="tool")["Jinv"]
    np.testing.assert_allclose(inverse, np.linalg.inv(jacobian), rtol=1e-9, atol=1e-10)


def test_redundant_joints_do_as_preferred() -> None:
    """The motion of the frame is kept, and the redundant motion follows qd0, also for joints of the other arm."""
    robot = symoro.load("humanoid_torso")
    n = len(Numeric(robot).own)
    q, V, qd0 = numbers(1, n), numbers(2, 6), numbers(3, n)
    velocities = run(robot, "inverse-kinematics", {"q": q, "V": V, "qd0": qd0})["qd"]
    jacobian = Numeric(robot).jacobian(q, robot.NL)
    np.testing.assert_allclose(jacobian @ velocities, V, rtol=0, atol=1e-9)
    off = ~jacobian.any(axis=0)
    assert off.any()
    np.testing.assert_array_equal(velocities[off], qd0[off])
    plain = run(robot, "inverse-kinematics", {"q": q, "V": V})["qd"]
    assert np.linalg.norm(plain) <= np.linalg.norm(velocities)


def test_damping_keeps_velocities_finite_at_a_singularity() -> None:
    robot = symoro.load("rx90")
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.0, 0.7])  # sin q5 = 0
    velocities = run(robot, "inverse-kinematics", {"q": q, "V": np.ones(6)}, method="damped")["qd"]
    assert np.all(np.isfinite(velocities)) and np.abs(velocities).max() < 200
    model = symoro.generate(robot, "inverse-kinematics", method="damped")
    assert model.inputs == {"q": (6,), "V": (6,), "qd0": (6,), "damping": ()}


@pytest.mark.parametrize(
    ("name", "method", "needed"),
    [
        ("scara", "regular", "six joints"),
        ("scara", "redundant", "six joints or more"),
        ("panda", "partial", "at most"),
    ],
)
def test_a_method_that_does_not_fit(name: str, method: str, needed: str) -> None:
    with pytest.raises(OptionError, match=f"method {method} requires {needed}"):
        symoro.generate(symoro.load(name), "inverse-kinematics", method=method)


def test_a_method_that_does_not_exist() -> None:
    with pytest.raises(
        OptionError, match="expected one of auto, regular, redundant, partial, damped, got 'best'"
    ):
        symoro.generate(symoro.load("rx90"), "inverse-kinematics", method="best")


def test_singular_in_every_posture() -> None:
    twins = Robot("twins", (Frame(0), Frame(1), Frame(2, JointType.PRISMATIC)), (Link(),) * 3)
    for name in ("jacobian-inverse", "inverse-kinematics"):
        with pytest.raises(NotApplicableError, match="singular in every configuration") as caught:
            symoro.generate(twins, name)
        assert "damped" in str(caught.value)
    velocities = run(twins, "inverse-kinematics", {"q": np.zeros(3), "V": np.ones(6)}, method="damped")["qd"]
    assert velocities[0] == pytest.approx(velocities[1])
