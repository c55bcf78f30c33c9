"""Mobility and kinds of loops from numbers: overconstrained mechanisms, and dependences across loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.models.geometric.loop.mobility import constraints, loop_mobility
from symoro.robot.description import Link, Robot
from tests.models.geometric.loops import (
    arm_with_four_bar,
    frame,
    planar_platform,
    rhombus,
    ring,
    six_bar,
    two_loops,
)


def bennett(excess: float = 0.0) -> Robot:
    """Return a Bennett linkage: four skew axes with one degree of freedom, d / sin(alpha) equal for all links."""
    a, b, length = 0.7, 1.1, 0.6
    return Robot(
        "bennett",
        (
            frame(0, mu=True),
            frame(1, alpha=a, d=length * np.sin(a)),
            frame(2, alpha=b, d=length * np.sin(b)),
            frame(3, alpha=a, d=length * np.sin(a) + excess),
            frame(0, sigma=2, alpha=-b, d=-length * np.sin(b)),
        ),
        (Link(),) * 3,
    )


def spherical() -> Robot:
    joints = [(0, {"alpha": a}) for a in (0.5, 0.9, 1.2, 0.8)]
    return ring(joints, [0.3, 0.8, -0.5, 1.1], [1])


CASES = {
    # mobility, rank, kind and rank of each loop
    "fourbar": (symoro.load("fourbar"), 1, 3, [("planar", 3)]),
    "fivebar": (symoro.load("fivebar"), 2, 3, [("planar", 3)]),
    "slidercrank": (symoro.load("slidercrank"), 1, 3, [("planar", 3)]),
    "sr400": (symoro.load("sr400"), 6, 3, [("parallelogram", 3)]),
    "akr3000": (symoro.load("akr3000"), 6, 6, [("planar", 3), ("planar", 3)]),
    "rhombus": (rhombus(), 2, 3, [("parallelogram", 3)]),
    "six bars": (six_bar(), 1, 6, [("planar", 3)] * 2),
    "two loops": (two_loops(), 4, 6, [("parallelogram", 3), ("planar", 3)]),
    "platform": (planar_platform(), 3, 6, [("planar", 3)] * 2),
    "geared": (arm_with_four_bar(0.07), 6, 3, [("planar", 3)]),
    "next to a parallelogram": (arm_with_four_bar(1e-4), 6, 3, [("planar", 3)]),
    "parallelogram in numbers": (arm_with_four_bar(), 6, 3, [("parallelogram", 3)]),
    "spherical": (spherical(), 1, 3, [("spherical", 3)]),
    "bennett": (bennett(), 1, 3, [("spatial", 3)]),
    "3rrr": (symoro.load("3rrr"), 3, 6, [("planar", 3)] * 2),
    "gough-stewart": (symoro.load("gough_stewart"), 6, 30, [("spatial", 6)] * 5),
}


@pytest.mark.parametrize("name", CASES)
def test_mobility_and_kinds(name: str) -> None:
    robot, mobility, rank, kinds = CASES[name]
    result = loop_mobility(robot)
    assert (result.mobility, result.rank) == (mobility, rank)
    assert [(one.kind, one.rank) for one in result.loops] == kinds
    assert len(result.active) == mobility and not result.remarks


@pytest.mark.parametrize("name", ["delta", "orthoglide"])
@pytest.mark.parametrize("named", [True, False])
def test_rows_that_depend_across_loops(name: str, named: bool) -> None:
    """Three parallelograms (3 rows each) and two loops of legs (6 each): 21 rows of rank 18."""
    robot = symoro.load(name)
    result = loop_mobility(robot if named else replace(robot, postures={}))
    assert (result.mobility, result.rank) == (3, 18)
    assert (
        sorted((one.kind, one.rank) for one in result.loops)
        == [("parallelogram", 3)] * 3 + [("spatial", 6)] * 2
    )
    assert not result.remarks


@pytest.mark.parametrize("excess", [1e-3, 1e-5, 1e-7])
def test_a_linkage_that_almost_moves_is_not_reported_as_movable(excess: float) -> None:
    """A Bennett linkage with a wrong length cannot move, and is never reported as movable."""
    try:
        result = loop_mobility(bennett(excess))
    except NotApplicableError as refusal:
        assert "cannot be determined" in str(refusal) or "no configuration closes" in str(refusal)
    else:
        assert result.mobility == 0


def driving(robot: Robot, *joints: int) -> Robot:
    return replace(robot, frames=tuple(replace(f, mu=j in joints) for j, f in enumerate(robot.frames, 1)))


def test_active_joints_that_do_not_fit() -> None:
    robot = symoro.load("fivebar")
    assert loop_mobility(driving(robot, 1, 2)).remarks == ()
    (few,) = loop_mobility(driving(robot, 1)).remarks
    assert few == "the active joints leave 1 of its degrees of freedom undetermined; make q2 active"
    (many,) = loop_mobility(driving(robot, 1, 2, 3)).remarks
    assert many == "the loops determine the active joints q3 from the other active joints"
    wrong = loop_mobility(driving(symoro.load("sr400"), 1, 2, 4, 5, 6, 3, 7)).remarks
    assert wrong == ("the loops determine the active joints q7 from the other active joints",)


def test_which_joints_can_be_chosen() -> None:
    at = constraints(symoro.load("sr400"))
    assert at.independent([2, 3, 7, 8]) == [2, 3]
    assert at.independent([7, 8, 2]) == [7, 8]
    assert at.independent([1]) == [1]  # in no loop


def test_what_cannot_be_told() -> None:
    with pytest.raises(NotApplicableError, match="has no closed loop"):
        loop_mobility(symoro.load("rx90"))
    short = symoro.load("fourbar").bind({"D2": 0.1, "D3": 5, "D4": 0.1, "D5": 0.1})
    with pytest.raises(NotApplicableError, match="no configuration closes"):
        loop_mobility(short)
