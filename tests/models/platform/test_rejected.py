"""Robots and options that the models in platform coordinates reject."""

from __future__ import annotations

import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.robot.description import Robot
from tests.oracle.platforms import platform, robots

MOTOR = "{alpha: pi/2, active: true}"


def upu() -> Robot:
    """Return three legs U P U whose last axes are parallel to the first ones in no orientation."""
    slide = "{joint: prismatic, alpha: pi/2, active: true}"
    return platform("upu", ["{joint: universal, alpha: pi/2}", slide], "{joint: universal, alpha: -pi/2}")


def unequal_rods() -> Robot:
    robot = symoro.load("delta")
    cut = next(k for k in range(robot.NL + 1, robot.NJ + 1) if robot.frame(k).d.text == "LF")
    return robot.with_frame(cut, d="LF + 1/1000000")


def test_robots() -> None:
    """The error states the cause; for a leg it also names the models that apply."""
    skew = platform("skew", [MOTOR, "{alpha: 0.3, d: LA}"], "{joint: ball, d: LB}")
    off = platform("off", [MOTOR, "{d: LA}", "{alpha: pi/2, d: 0.1}"], "{joint: ball, d: LB}", six=True)
    cases = [
        (symoro.load("rx90"), "no loops|has no platform"),
        (symoro.load("sr400"), "leg"),
        (symoro.load("hybrid"), "."),
        (symoro.load("3rrr").with_frame(1, mu=False), "active joints"),
        (robots()["3-RPS"].with_frame(1, mu=True), "3 degrees of freedom and 4 active joints"),
        (unequal_rods(), "opposite sides differ"),
        (upu(), "in no orientation of the platform"),
        (skew, "revolute axes are not parallel"),
        (off, "do not intersect at a right angle"),
    ]
    for robot, cause in cases:
        with pytest.raises(NotApplicableError, match=cause) as error:
            symoro.generate(robot, "inverse-dynamics", space="platform")
        if "is not supported in platform space" in str(error.value):
            assert "without the option 'space'" in str(error.value)


def test_working_modes() -> None:
    for working_mode in ("3", "11", "", "x"):
        with pytest.raises(OptionError, match="working_mode"):
            symoro.generate("3rrr", "inverse-dynamics", space="platform", working_mode=working_mode)


def test_the_former_name_of_the_working_mode_warns() -> None:
    """`fold` is accepted for one release by models and by `platform_pose`."""
    with pytest.warns(DeprecationWarning, match="fold= is deprecated: use working_mode="):
        former = symoro.generate("3rrr", "inverse-dynamics", space="platform", fold="112")
    current = symoro.generate("3rrr", "inverse-dynamics", space="platform", working_mode="112")
    assert former.code("c") == current.code("c")
    with pytest.warns(DeprecationWarning, match="use working_mode="):
        symoro.platform_pose("delta", [0.1, 0.2, 0.3], fold="1")
