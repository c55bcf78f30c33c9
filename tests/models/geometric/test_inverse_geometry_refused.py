"""Inverse geometry that is refused, or gives no solution: joints of closed loops, lengths that are not finite."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from tests.oracle.inverse_geometry import Loops

LINKAGES = ("sr400", "akr3000", "fivebar", "slidercrank")


@pytest.mark.parametrize("name", LINKAGES)
def test_a_way_through_a_loop_is_refused(name: str) -> None:
    """The joints off the way would stay where they are: sr400 left its parallelogram open and called it valid."""
    robot = symoro.load(name)
    to = 6 if robot.NL > 6 else None
    with pytest.raises(NotApplicableError, match=r"the way moves q\d.* of the closed loop") as refused:
        symoro.generate(robot, "inverse-geometry", pose="P,a" if to else "P", to=to)
    assert "robot.tree()" in str(refused.value)
    assert "loop-geometry" in str(refused.value)


def test_the_way_alone_is_that_of_the_tree() -> None:
    """As the refusal says: the joints on the way, to which the loop's other joints belong by its own relation."""
    robot = symoro.load("sr400")
    q2, q7 = 0.4, 1.1
    q = np.array([0.3, q2, q7 - q2 - np.pi / 2, 0.2, 0.7, -0.4, q7, q2 - q7])
    assert Loops(robot).gap(q[None], np.array([[q7 - q2]]))[0] < 1e-12
    T = symoro.generate(robot.tree(), "fast-geometry", to=6).function(compiled=False)(q=q)["T"]
    found = symoro.generate(robot.tree(), "inverse-geometry", to=6).function(compiled=False)(T=T, q0=q)
    rows = symoro.valid(found)
    assert min(abs(rows - q).max(axis=1)) < 1e-9


def test_a_way_that_leaves_the_loops_alone_is_solved() -> None:
    """The joints of the loop stay at q0, closed or not as they were given."""
    robot = symoro.load("sr400")
    wrist = symoro.generate(robot, "inverse-geometry", frm=3, to=6, pose="orientation").function(
        compiled=False
    )
    q = np.array([0.1, 0.4, -0.9, 0.2, 0.7, -0.4, 1.1, -0.7])
    T = symoro.generate(robot, "fast-geometry", frm=3, to=6).function(compiled=False)(q=q)["T"]
    rows = symoro.valid(wrist(T=T, q0=q))
    assert len(rows) == 2
    np.testing.assert_array_equal(rows[:, [0, 1, 2, 6, 7]], np.tile(q[[0, 1, 2, 6, 7]], (2, 1)))


def test_joints_of_a_loop_that_are_locked_are_not_moved() -> None:
    robot = symoro.load("sr400")
    q = np.array([0.1, 0.4, -0.9, 0.2, 0.7, -0.4, 1.1, -0.7])
    T = symoro.generate(robot, "fast-geometry", to=6).function(compiled=False)(q=q)["T"]
    solve = symoro.generate(robot, "inverse-geometry", to=6, pose="orientation", locked="1,2,3")
    assert len(symoro.valid(solve.function(compiled=False)(T=T, q0=q))) == 2


def test_all_joints_locked_leave_nothing_to_solve() -> None:
    with pytest.raises(NotApplicableError, match="no joint of robot 'planar2R' moves what is given"):
        symoro.generate(symoro.load("planar2r"), "inverse-geometry", locked="1,2")


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e200])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", ["stanford", "rx90", "planar3r"])
def test_lengths_that_are_not_finite_give_no_solution(name: str, compiled: bool, value: float) -> None:
    robot = symoro.load(name)
    T = symoro.generate(robot, "fast-geometry").function(compiled=False)(q=np.full(robot.NL, 0.3))["T"]
    model = symoro.generate(robot, "inverse-geometry")
    for parameter in model.program.used_parameters:
        found = model.function({parameter: value}, compiled=compiled)(T=T)
        assert not np.isin(found["status"], (0, 2)).any()
