"""Static torques of a wrench at any frame, in any frame's axes, against virtual work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.robot.description import GEOMETRIC, Robot
from tests.models.dynamic.cases import Array, error, examples, heavy_trees, oracle, outputs, state
from tests.oracle.dynamics import Tree

CLOSE = 1e-11


def axes(truth: Tree, q: Array, frame: int) -> Array:
    """Return the rotation of a frame in the world."""
    t = truth.G @ q + truth.offset
    return truth.motion(t, 0 * t, truth.base).T[frame][:3, :3].real


@given(st.data(), heavy_trees(), st.integers(0, 1000))
@examples(30)
def test_virtual_work(data: st.DataObject, robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    truth = oracle(robot, at)
    to, frame = (data.draw(st.integers(0, robot.NL)) for _ in range(2))
    R = axes(truth, at["q"], frame)
    F = np.r_[R @ at["F"][:3], R @ at["F"][3:]]
    expected = truth.jacobian(at["q"], to).T @ F
    assert error(outputs(robot, "static-torques", at, to=to, frame=frame)["tau"], expected) < CLOSE


@given(heavy_trees(), st.integers(0, 1000))
@examples(15)
def test_at_the_tool(robot: Robot, seed: int) -> None:
    if robot.tool is None:
        return
    at = state(robot, seed)
    truth = oracle(robot, at)
    place = robot.tool.place
    T = truth._transform([getattr(place, n).value(truth.values) for n in GEOMETRIC]).real
    R = axes(truth, at["q"], 0)
    expected = truth.jacobian(at["q"], place.ant, T).T @ np.r_[R @ at["F"][:3], R @ at["F"][3:]]
    assert error(outputs(robot, "static-torques", at)["tau"], expected) < CLOSE


def test_equal_to_inverse_dynamics_at_rest_without_weight() -> None:
    robot = symoro.load("planar2r").bind({"G2": 0}).replace(tool=None)
    robot = robot.with_link(2, FX="FX2", FY="FY2", CZ="CZ2")
    at = state(robot)
    wrench = np.zeros((2, 6))
    wrench[1] = at["F"]
    still = {"q": at["q"], "qd": np.zeros(2), "qdd": np.zeros(2), "wrench": wrench}
    expected = outputs(robot, "inverse-dynamics", still)["tau"]
    assert error(outputs(robot, "static-torques", at, to=2, frame=2)["tau"], expected) < CLOSE


def test_in_loops_the_active_joints_hold_it() -> None:
    """The active joints balance the wrench; on the cut tree passive joints would have torques too."""
    robot = symoro.load("fourbar")
    assert symoro.generate(robot, "static-torques").outputs == {"tau": (1,)}
    assert symoro.generate(robot.tree(), "static-torques").outputs == {"tau": (3,)}


@pytest.mark.parametrize(("name", "most"), [("rx90", 33), ("puma560", 16), ("ur5e", 8)])
def test_gravity_has_no_moment_about_a_vertical_axis(name: str, most: int) -> None:
    """The first torque is zero without operations; gravity is rotated once for parallel axes."""
    robot = symoro.load(name)
    robot = robot.bind({symbol: 0 for symbol in robot.symbols() if symbol.startswith(("FS", "FO"))})
    model, dynamics = (symoro.generate(robot, one) for one in ("gravity-torques", "inverse-dynamics"))
    assert model.count().multiplications <= most
    rng = np.random.default_rng(0)
    values = {symbol: float(rng.uniform(0.3, 1.2)) for symbol in robot.symbols()}
    q = rng.uniform(-3, 3, (20, 6))
    Q, tau = (
        one.function({key: values[key] for key in one.parameters}, compiled=False)(**inputs)[port]
        for one, port, inputs in (
            (model, "Q", {"q": q}),
            (dynamics, "tau", {"q": q, "qd": 0 * q, "qdd": 0 * q}),
        )
    )
    assert not Q[:, 0].any()
    assert np.abs(Q - tau).max() < 1e-12 * np.abs(tau).max()
