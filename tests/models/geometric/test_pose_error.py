"""Pose error and its Jacobian, against differences of direct geometry in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.models.geometric.inverse.error import PoseError, pose_error
from symoro.program.interpret import interpret
from symoro.robot.description import BaseKind, Robot
from tests.oracle.numeric import Numeric
from tests.oracle.robots import numbers, trees

STEP = 1e-5
POSES = ("full", "position", "axis", "orientation", "planar", "P,ax", "sx,Py,az", "s,n")


def frames(robot: Robot) -> list[int | str]:
    """Return the frames to test."""
    return [*range(robot.NL + 1), *(["tool"] if robot.tool else [])]


@settings(max_examples=60)
@given(trees(most=5), st.data(), st.integers(0, 2**32 - 1))
def test_jacobian_is_the_derivative(robot: Robot, data: st.DataObject, seed: int) -> None:
    fixed = ["world"] if robot.base.kind == BaseKind.FIXED else []
    frm = data.draw(st.sampled_from([*frames(robot), *fixed]))
    to = data.draw(st.sampled_from(frames(robot)))
    pose = data.draw(st.sampled_from(POSES))
    oracle = Numeric(robot)
    try:
        made = pose_error(robot, frm, to, pose)
    except NotApplicableError as refused:
        q, other = numbers(seed, len(oracle.own)), numbers(seed + 1, len(oracle.own))
        flags = [(r, c) for r in range(3) for c in range(4)]
        moved = oracle.transform(q, frm, to) - oracle.transform(other, frm, to)
        assert "no joint" in str(refused)
        if pose == "full":
            assert max(abs(moved[r, c]) for r, c in flags) < 1e-12
        return
    q, way = numbers(seed, len(oracle.own)), numbers(seed + 1, len(oracle.own))
    there, back = (oracle.transform(q + sign * STEP * way, frm, to) for sign in (1, -1))
    ahead, behind = (run(made, robot, q, T) for T in (there, back))
    slope = (ahead["error"] - behind["error"]) / (2 * STEP)
    assert np.abs(ahead["J"] @ way - slope).max() < 1e-7
    here = oracle.transform(q, frm, to)
    assert np.abs(ahead["placed"] - [here[r, c] for r, c in made.entries]).max() < 1e-12
    still = ~np.array(made.moving)
    assert not ahead["J"][:, still].any()
    assert made.lengths == tuple(k < sum(c == 3 for _, c in made.entries) for k in range(len(made.lengths)))


def run(made: PoseError, robot: Robot, q: np.ndarray, T: np.ndarray) -> dict[str, np.ndarray]:
    return interpret(made.program, {"q": q, "T": T}, dict(robot.nominal))


def test_error_of_a_rotation_is_angle_times_axis() -> None:
    robot = symoro.load("rx90")
    made = pose_error(robot)
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    here = Numeric(robot).transform(q, 0, 6)
    axis = np.array([1.0, -2.0, 2.0]) / 3
    hat = np.cross(np.eye(3), axis)
    for angle in (0.0, 1e-14, 1e-9, 1e-3, 1.5, np.pi / 2, 3.0, np.pi - 1e-6):
        turn = np.eye(3) + np.sin(angle) * hat + (1 - np.cos(angle)) * hat @ hat
        T = here.copy()
        T[:3, :3] = turn @ here[:3, :3]
        error = run(made, robot, q, T)["error"][3:]
        assert np.abs(error - angle * axis).max() < 1e-9 * max(angle, 1e-6), angle


def test_refusals() -> None:
    with pytest.raises(NotApplicableError, match="closed loops"):
        pose_error(symoro.load("sr400"))
    with pytest.raises(NotApplicableError, match="no joint"):
        pose_error(symoro.load("rx90"), to=0)
    with pytest.raises(NotApplicableError, match="world"):
        pose_error(symoro.load("rx90"), to="world")
    with pytest.raises(OptionError, match="is not an entry"):
        pose_error(symoro.load("rx90"), pose="zz")
