"""Test named postures: in descriptions, their checks, and in files."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, OptionError, RobotError, UnknownNameError
from symoro.robot.description import JointType
from symoro.robot.formats import dumps, loads
from symoro.robot.postures import Postures


def test_a_mapping_that_cannot_be_changed() -> None:
    robot = symoro.load("planar2r").replace(postures={"home": [0, "pi/2"], "far": np.ones(2)})
    assert robot.postures["home"] == (0.0, math.pi / 2) and list(robot.postures) == ["home", "far"]
    assert robot.postures == {"home": (0.0, math.pi / 2), "far": (1.0, 1.0)} and len(robot.postures) == 2
    with pytest.raises(TypeError):
        robot.postures["home"] = (1, 2)  # type: ignore[index]
    assert "home" in robot.postures and "zero" not in robot.postures and robot.postures.get("zero") is None
    with pytest.raises(UnknownNameError, match="did you mean 'home'"):
        robot.postures["hom"]


def test_part_of_equality_and_hash() -> None:
    robot = symoro.load("planar2r")
    with_home = robot.replace(postures={"home": [0, 1]})
    assert with_home != robot and with_home == robot.replace(postures={"home": [0.0, 1.0]})
    assert hash(with_home) == hash(robot.replace(postures={"home": (0, 1)}))
    assert pickle.loads(pickle.dumps(with_home)) == with_home  # noqa: S301
    assert with_home.bind({"L1": 1} if "L1" in robot.symbols() else {}).postures == with_home.postures
    assert with_home.tree().postures == with_home.postures
    assert robot.postures == {} == Postures()


@pytest.mark.parametrize("values", [[0], [0, 0, 0], []])
def test_one_number_a_coordinate(values: list[float]) -> None:
    with pytest.raises(RobotError, match="posture 'home'"):
        symoro.load("planar2r").replace(postures={"home": values})


def test_a_robot_made_from_another_keeps_those_that_fit() -> None:
    """Check that coupled or fixed joints reduce the number of coordinates of the postures."""
    robot = symoro.load("sr400").replace(postures={"home": [0] * 8})
    assert robot.tree().postures == robot.postures
    fixed = robot.tree().with_frame(8, sigma=JointType.FIXED)
    assert fixed.postures == {} and fixed.replace(postures={"home": [0] * 7}).postures["home"] == (0,) * 7
    assert symoro.base_parameters(robot).names == symoro.base_parameters("sr400").names


@pytest.mark.parametrize("name", ["", "pi", "two words", "1st", "a-b", "sin"])
def test_names_that_look_like_values(name: str) -> None:
    with pytest.raises(RobotError, match="posture"):
        symoro.load("planar2r").replace(postures={name: [0, 0]})


@pytest.mark.parametrize("value", ["L", math.nan, math.inf, "1 +", None, "__import__('os')"])
def test_values_that_are_no_numbers(value: object) -> None:
    with pytest.raises(OptionError, match="posture 'home'"):
        symoro.load("planar2r").replace(postures={"home": [0, value]})


def test_in_a_file() -> None:
    text = dumps(symoro.load("planar2r"), "yaml") + "postures: {home: [0, pi/2], folded: [0, 3]}\n"
    robot = loads(text, "yaml")
    assert robot.postures["home"] == (0, math.pi / 2) and robot.postures["folded"] == (0, 3)
    assert loads(dumps(robot, "yaml"), "yaml") == robot
    assert (
        "postures" in str(robot) and "not kept" in dumps(robot, "par") and "postures" in dumps(robot, "par")
    )
    for bad in ("{home: [0]}", "{home: [0, x]}", "{home: 3}", "[1, 2]", "{home: [[0, 1], 3]}"):
        with pytest.raises(FormatError, match="posture"):
            loads(dumps(symoro.load("planar2r"), "yaml") + f"postures: {bad}\n", "yaml")


def test_panda_is_ready() -> None:
    """Check the usual start posture: the flange points down, in front of the base."""
    robot = symoro.load("panda")
    T = symoro.generate(robot, "fast-geometry").function(compiled=False)(q=robot.postures["ready"])["T"]
    np.testing.assert_allclose(T[:3, 2], [0, 0, -1], atol=1e-15)
    assert symoro.solutions.within_limits("panda", robot.postures["ready"])


def test_nearest_to_a_posture_by_name() -> None:
    robot = symoro.load("planar2r").replace(postures={"home": [0.3, 0.9]})
    place, solve = (symoro.generate(robot, name) for name in ("fast-geometry", "inverse-geometry"))
    values = dict.fromkeys(robot.symbols(), 0.5)
    T = place.function(values, compiled=False)(q=robot.postures["home"])["T"]
    result = solve.function(values, compiled=False)(T=T)
    best = symoro.solutions.nearest(result, "home", robot=robot)
    np.testing.assert_allclose(best.q, robot.postures["home"], atol=1e-12)
    with pytest.raises(symoro.SymoroError, match="no robot is given"):
        symoro.solutions.nearest(result, "home")
