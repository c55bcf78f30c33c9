"""Inverse geometry that is rejected or has no solution: joints of closed loops, lengths that are not finite."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from tests.oracle.inverse_geometry import Loops


def test_the_path_alone_is_that_of_the_tree() -> None:
    """The joints on the path are solved; the loop's relation gives its other joints."""
    robot = symoro.load("sr400")
    q2, q7 = 0.4, 1.1
    q = np.array([0.3, q2, q7 - q2 - np.pi / 2, 0.2, 0.7, -0.4, q7, q2 - q7])
    assert Loops(robot).gap(q[None], np.array([[q7 - q2]]))[0] < 1e-12
    T = symoro.generate(robot.tree(), "fast-geometry", to=6).function(compiled=False)(q=q)["T"]
    model = symoro.generate(robot.tree(), "inverse-geometry", to=6).function(compiled=False)(T=T, q0=q)
    rows = symoro.solutions.valid(model)
    assert min(abs(rows - q).max(axis=1)) < 1e-9


def test_a_path_without_joints_of_loops_is_solved() -> None:
    """The motors of the loop stay at q0, and the loop is closed for their positions."""
    robot = symoro.load("sr400")
    wrist = symoro.generate(robot, "inverse-geometry", frm=3, to=6, pose="orientation").function(
        compiled=False
    )
    q = np.array([0.1, 0.4, 1.1 - 0.4 - np.pi / 2, 0.2, 0.7, -0.4, 1.1, -0.7])
    T = symoro.generate(robot, "fast-geometry", frm=3, to=6).function(compiled=False)(q=q)["T"]
    for away in (0, 0.3):
        start = q + away * np.array([0, 0, 1, 0, 0, 0, 0, 1])
        rows = symoro.solutions.valid(wrist(T=T, q0=start))
        assert len(rows) == 2
        np.testing.assert_allclose(rows[:, [0, 1, 2, 6, 7]], np.tile(q[[0, 1, 2, 6, 7]], (2, 1)), atol=1e-15)


def test_joints_of_a_loop_that_are_locked_are_not_moved() -> None:
    robot = symoro.load("sr400")
    q = np.array([0.1, 0.4, -0.9, 0.2, 0.7, -0.4, 0.4 - 0.9 + np.pi / 2, 0.9 - np.pi / 2])
    T = symoro.generate(robot, "fast-geometry", to=6).function(compiled=False)(q=q)["T"]
    solve = symoro.generate(robot, "inverse-geometry", to=6, pose="orientation", locked="1,2,3")
    rows = symoro.solutions.valid(solve.function(compiled=False)(T=T, q0=q))
    assert len(rows) == 2
    np.testing.assert_allclose(rows[:, [0, 1, 2, 6, 7]], np.tile(q[[0, 1, 2, 6, 7]], (2, 1)), atol=1e-15)


def test_a_way_to_an_opened_joint_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="contains the cut joint 9 of a loop") as refused:
        symoro.generate("sr400", "inverse-geometry", to=9)
    assert "1 to 8" in str(refused.value)


def test_joints_of_the_path_that_loops_constrain_are_named() -> None:
    """Coupler and crank are two joints with one degree of freedom: the tree has one joint too many for an angle."""
    with pytest.raises(NotApplicableError, match="the loops determine q2 by nonlinear equations"):
        symoro.generate("fourbar", "inverse-geometry", to=2, pose="orientation")


def test_a_pose_in_the_world_is_not_taken_for_one_in_frame_0() -> None:
    """If frame 0 is not the world frame, a solution of another pose was reported as valid."""
    Z = tuple(formula(z) for z in (1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1))
    robot = symoro.load("rx90")
    assert symoro.generate(robot, "inverse-geometry", frm="world").outputs["q"] == (8, 6)
    with pytest.raises(NotApplicableError, match="a pose in the world frame is not supported"):
        symoro.generate(replace(robot, base=replace(robot.base, Z=Z)), "inverse-geometry", frm="world")


def test_all_joints_locked_leave_nothing_to_solve() -> None:
    with pytest.raises(NotApplicableError, match="no joint of robot 'planar2R' changes the given entries"):
        symoro.generate(symoro.load("planar2r"), "inverse-geometry", locked="1,2")


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e200])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ["stanford", "rx90", "planar3r"])
def test_lengths_that_are_not_finite_give_no_solution(name: str, compiled: bool, value: float) -> None:
    robot = symoro.load(name)
    T = symoro.generate(robot, "fast-geometry").function(compiled=False)(q=np.full(robot.NL, 0.3))["T"]
    model = symoro.generate(robot, "inverse-geometry")
    for parameter in model.program.used_parameters:
        result = model.function({parameter: value}, compiled=compiled)(T=T)
        assert not np.isin(result["status"], (0, 2)).any()


@pytest.mark.parametrize("pose", ["position", "full"])
def test_a_triangle_with_a_vanishing_side_is_rejected(pose: str) -> None:
    """The parallelograms of the Delta robot give triangles with a side of length zero."""
    with pytest.raises(NotApplicableError, match="a side of length zero"):
        symoro.generate("delta", "inverse-geometry", pose=pose)
