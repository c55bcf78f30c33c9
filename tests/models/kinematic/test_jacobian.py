"""Jacobians of any frame in any frame: against NumPy, finite differences and the golden robots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import formula
from symoro.robot.description import BaseKind, Frame, JointType, Link, Placement, Robot, Tool
from symoro.robot.topology import chain
from tests.oracle.golden import NAMES, golden
from tests.oracle.numeric import Array, Numeric, Where
from tests.oracle.robots import numbers, trees

STEP = 1e-6


def run(robot: Robot, name: str, q: Any, **options: Any) -> dict[str, Array]:
    return symoro.generate(robot, name, **options).function(compiled=False)(q=q)


def moving_frames(robot: Robot) -> list[Where]:
    return [*range(robot.NL + 1), *(["tool"] if robot.tool else [])]


def of_joints(robot: Robot, J: Array) -> Array:
    """Return the columns of the joints; a floating base has six columns before them."""
    return J[:, 6:] if robot.base.kind == BaseKind.FLOATING else J


def expression_frames(robot: Robot) -> list[Where]:
    return moving_frames(robot) + (["world"] if robot.base.kind == BaseKind.FIXED else [])


@settings(max_examples=60, deadline=None)
@given(trees(), st.data(), st.integers(0, 99))
def test_any_frame_in_any_frame(robot: Robot, data: st.DataObject, seed: int) -> None:
    to = data.draw(st.sampled_from(moving_frames(robot)))
    frame = data.draw(st.sampled_from(expression_frames(robot)))
    oracle = Numeric(robot)
    q = numbers(seed, len(oracle.own))
    wanted = oracle.jacobian(q, to, frame)
    jacobian = run(robot, "jacobian", q, to=to, frame=frame)["J"]
    np.testing.assert_allclose(of_joints(robot, jacobian), wanted, rtol=0, atol=1e-12)

    on = robot.tool.place.ant if to == "tool" and robot.tool else int(to)
    mid = data.draw(st.sampled_from([0, *chain(robot, on)]))
    parts = run(robot, "jacobian", q, to=to, frame=frame, mid=mid)
    np.testing.assert_allclose(of_joints(robot, parts["J"]), wanted, rtol=0, atol=1e-12)
    product = parts["J1"] @ parts["J2"] @ parts["J3"]
    np.testing.assert_allclose(product, parts["J"], rtol=0, atol=1e-12)
    assert np.linalg.det(parts["J1"]) == pytest.approx(1)
    assert np.linalg.det(parts["J2"]) == pytest.approx(1)


@settings(max_examples=15, deadline=None)
@given(trees(most=5), st.integers(0, 99))
def test_finite_differences_of_the_placement(robot: Robot, seed: int) -> None:
    n = len(Numeric(robot).own)
    q = numbers(seed, n)
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    around = place(q=np.vstack([q, q + STEP * np.eye(n), q - STEP * np.eye(n)]))["T"]
    here, plus, minus = around[0], around[1 : n + 1], around[n + 1 :]
    rates = (plus - minus) / (2 * STEP)
    spin = rates[:, :3, :3] @ here[:3, :3].T
    wanted = np.column_stack([rates[:, :3, 3], spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]]).T
    result = of_joints(robot, run(robot, "jacobian", q)["J"])
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_golden_jacobian(name: str) -> None:
    data = golden(name)
    for key, wanted in data.expected.items():
        if key.startswith("J_"):
            _, to, frame = key.split("_")
            result = of_joints(data.robot, data.run("jacobian", to=int(to), frame=int(frame))["J"])
            on_path = [c for c, k in enumerate(Numeric(data.robot).own) if k in chain(data.robot, int(to))]
            given = [k for k, j in enumerate(chain(data.robot, int(to))) if data.robot.frame(j).moving]
            np.testing.assert_allclose(result[:, on_path], np.array(wanted)[:, given], rtol=1e-11, atol=1e-12)
            off = np.delete(result, on_path, axis=1)
            assert not off.any()


# -- what users read


def test_the_rx90_in_frame_3_as_the_books_have_it() -> None:
    model = symoro.generate(symoro.load("rx90"), "jacobian", frame=3)
    counted = model.count()
    assert (counted.multiplications, counted.additions, counted.functions) == (6, 3, 8)
    text = str(model)
    for line in ("C23 = cos(", "S23 = sin(", "J[1,3] = -RL4", "J[4,5] = S4", "J[5,4] = 1", "J[6,5] = C4"):
        assert line in text, line


def test_the_three_factors_have_names() -> None:
    model = symoro.generate(symoro.load("rx90"), "jacobian", frame=3, mid=4)
    assert model.outputs == {"J": (6, 6), "J1": (6, 6), "J2": (6, 6), "J3": (6, 6)}


@pytest.mark.parametrize(
    ("name", "most"),
    [("rx90", 48), ("puma560", 105), ("stanford", 43), ("iiwa14", 145), ("scara", 11), ("ur5e", 63)],
)
def test_the_intermediate_frame_is_chosen_well(name: str, most: int) -> None:
    """Operations for expression in frame 0; the limit is the minimum over all intermediate frames."""
    assert symoro.generate(symoro.load(name), "jacobian").count().total <= most


# -- frames as users write them


def payload_arm() -> Robot:
    frames = (Frame(0), Frame(1, alpha=formula("pi/2"), d=formula("0.4")))
    tool = Tool(Placement(2, alpha=formula("0.3"), d=formula("0.2"), r=formula("0.1")), "hand")
    return Robot("arm", frames, (Link(),) * 2, tool=tool, payload=Link(M=formula("2")))


def test_the_tool_in_its_own_frame() -> None:
    """Body Jacobian; a payload of the tool has no effect."""
    robot, q = payload_arm(), numbers(1, 2)
    oracle = Numeric(robot)
    for to, frame in (("tool", "tool"), ("hand", "hand"), (2, "tool"), ("tool", 2), (None, "tool")):
        jacobian = run(robot, "jacobian", q, to=to, frame=frame)["J"]
        place = {"hand": "tool", None: "tool"}
        wanted = oracle.jacobian(q, place.get(to, to), place.get(frame, frame))
        np.testing.assert_allclose(jacobian, wanted, rtol=0, atol=1e-14)


def test_the_base_does_not_move() -> None:
    assert not run(symoro.load("rx90"), "jacobian", np.zeros(6), to=0)["J"].any()


def test_frames_that_mark_a_loop_are_refused() -> None:
    robot = symoro.load("sr400")
    for options in ({"to": 9}, {"frame": 10}):
        with pytest.raises(NotApplicableError, match="only closes a loop"):
            symoro.generate(robot, "jacobian", **options)
    with pytest.raises(NotApplicableError, match="the world does not move"):
        symoro.generate(robot, "jacobian", to="world")


def test_the_intermediate_frame_must_be_on_the_way() -> None:
    robot = symoro.load("humanoid_torso")
    other = next(j for j in range(1, robot.NL + 1) if j not in chain(robot, robot.NL))
    with pytest.raises(OptionError, match="not on the path") as caught:
        symoro.generate(robot, "jacobian", mid=other)
    assert "choose one of 0, " in str(caught.value)


def test_no_moving_joint_no_jacobian() -> None:
    robot = Robot("stand", (Frame(0, JointType.FIXED),), (Link(),))
    with pytest.raises(NotApplicableError, match="it has no moving joint"):
        symoro.generate(robot, "jacobian")


def test_the_platform_of_a_parallel_robot_is_what_moves() -> None:
    robot = symoro.load("3rrr")
    posture = {"q": np.array(next(iter(robot.postures.values())))}
    by_default, named = (
        symoro.generate(robot, "jacobian", **options).function(compiled=False)(**posture)["J"]
        for options in ({}, {"to": robot.platform})
    )
    assert robot.platform != robot.NL and np.array_equal(by_default, named)
    assert np.linalg.matrix_rank(by_default[[0, 1, 5]]) == 3
