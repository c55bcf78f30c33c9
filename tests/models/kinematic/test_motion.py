"""Velocities, accelerations and Jdot qdot: against NumPy, the golden robots, and each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.robot.description import BaseKind, Robot
from tests.oracle.golden import NAMES, golden
from tests.oracle.numeric import Array, Numeric, Where
from tests.oracle.robots import numbers, trees


def base_motion(robot: Robot, seed: int) -> dict[str, Array]:
    """Return V0 and Vd0: random numbers for free entries, else the prescribed values."""
    base, result = robot.base, {}
    for name, formulas in (("V0", (*base.V0, *base.W0)), ("Vd0", (*base.VP0, *base.WP0))):
        drawn = numbers(seed + len(name), 6)
        free = base.kind != BaseKind.FIXED
        result[name] = np.array(
            [x if free or f.symbols else f.value({}) for x, f in zip(drawn, formulas, strict=True)]
        )
    return result


def run(robot: Robot, name: str, state: dict[str, Array], **options: Any) -> dict[str, Array]:
    model = symoro.generate(robot, name, **options)
    assert not {p for p in model.parameters if p.startswith(("V", "W"))}, (
        "the motion of the base is not a parameter"
    )
    return model.function(compiled=False)(**{k: x for k, x in state.items() if k in model.inputs})


def state_of(robot: Robot, seed: int) -> dict[str, Array]:
    n = len(Numeric(robot).own)
    joints = {name: numbers(seed + k, n) for k, name in enumerate(("q", "qd", "qdd"))}
    return joints | base_motion(robot, seed)


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(0, 99))
def test_velocities_and_accelerations(robot: Robot, seed: int) -> None:
    state = state_of(robot, seed)
    wanted = Numeric(robot).link_motion(*state.values())
    slow = run(robot, "velocities", state)
    full = run(robot, "accelerations", state)
    assert list(slow) == ["v", "w"]
    assert list(full) == ["v", "w", "vd", "wd"]
    for name, values in wanted.items():
        np.testing.assert_allclose(full[name], values, rtol=1e-12, atol=1e-11, err_msg=name)
        if name in slow:
            np.testing.assert_allclose(slow[name], values, rtol=1e-12, atol=1e-11, err_msg=name)


@settings(max_examples=60, deadline=None)
@given(trees(), st.data(), st.integers(0, 99))
def test_jdot_qdot_of_any_frame_in_any_frame(robot: Robot, data: st.DataObject, seed: int) -> None:
    moving: list[Where] = [*range(robot.NL + 1), *(["tool"] if robot.tool else [])]
    to = data.draw(st.sampled_from(moving))
    frame = data.draw(st.sampled_from(moving + (["world"] if robot.base.kind == BaseKind.FIXED else [])))
    state = state_of(robot, seed)
    if robot.base.kind == BaseKind.FLOATING:  # its acceleration is one of those that are zero
        state["Vd0"] = np.zeros(6)
    wanted = Numeric(robot).jdot_qdot(state["q"], state["qd"], to, frame, state["V0"], state["Vd0"])
    result = run(robot, "jdot-qdot", state, to=to, frame=frame)["a"]
    np.testing.assert_allclose(result, wanted, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_golden_motion(name: str) -> None:
    data = golden(name)
    result = data.run("accelerations")
    for key, names in (("vel", ("w", "v")), ("acc", ("wd", "vd"))):
        wanted = np.array([data.expected[key][str(j)] for j in range(1, data.robot.NL + 1)])
        for k, output in enumerate(names):
            np.testing.assert_allclose(result[output], wanted[:, k], rtol=1e-11, atol=1e-13, err_msg=output)
    slow = data.run("velocities")
    np.testing.assert_allclose(slow["v"], result["v"], rtol=0, atol=1e-14)


def test_the_models_agree_with_each_other() -> None:
    """V = J qd and Vd = J qdd + Jdot qdot, at the last frame in its own axes."""
    robot = symoro.load("ur5e")
    state = state_of(robot, 4)
    moved = run(robot, "accelerations", state)
    j = run(robot, "jacobian", state, frame=6)["J"]
    bias = run(robot, "jdot-qdot", state, frame=6)["a"]
    twist = np.concatenate([moved["v"][-1], moved["w"][-1]])
    rate = np.concatenate([moved["vd"][-1], moved["wd"][-1]])
    np.testing.assert_allclose(j @ state["qd"], twist, rtol=0, atol=1e-13)
    np.testing.assert_allclose(j @ state["qdd"] + bias, rate, rtol=0, atol=1e-13)


def test_finite_differences_of_the_jacobian() -> None:
    robot = symoro.load("stanford")
    state, step = state_of(robot, 2), 1e-6
    jacobian = symoro.generate(robot, "jacobian").function(compiled=False)
    plus, minus = (jacobian(q=state["q"] + sign * step * state["qd"])["J"] for sign in (1, -1))
    wanted = (plus - minus) / (2 * step) @ state["qd"]
    np.testing.assert_allclose(run(robot, "jdot-qdot", state)["a"], wanted, rtol=0, atol=1e-8)


def test_inputs_of_a_moving_base() -> None:
    """Only entries that the description does not prescribe are inputs; a fixed base at rest has none."""
    rx90 = symoro.load("rx90")
    assert list(symoro.generate(rx90, "accelerations").inputs) == ["q", "qd", "qdd"]
    floating = symoro.load("rx90_floating")
    assert symoro.generate(floating, "velocities").inputs == {"q": (6,), "qd": (6,), "V0": (6,)}
    assert list(symoro.generate(floating, "jdot-qdot").inputs) == ["q", "qd", "V0"]
    assert list(symoro.generate(floating, "accelerations").inputs) == ["q", "qd", "qdd", "V0", "Vd0"]


def test_names_of_link_vectors() -> None:
    text = str(symoro.generate(symoro.load("rx90"), "velocities"))
    assert "W36 = " in text and "V16 = " in text
