"""The public functions: a robot may be given as itself, by name or by path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro


def test_a_robot_by_name_or_path(tmp_path: Path) -> None:
    robot = symoro.load("planar2r")
    path = tmp_path / "arm.yaml"
    symoro.save("planar2r", path)
    for given in ("planar2r", path, str(path), robot):
        assert symoro.generate(given, "fast-geometry").robot == robot
        assert symoro.singularities(given) == symoro.singularities(robot)
        assert symoro.base_parameters(given).names == symoro.base_parameters(robot).names
        assert symoro.solutions.within_limits(given, [0, 0]) == symoro.solutions.within_limits(robot, [0, 0])
        np.testing.assert_array_equal(
            symoro.solutions.windings(given, [0, 0]), symoro.solutions.windings(robot, [0, 0])
        )


def test_a_name_that_does_not_exist() -> None:
    for ask in (
        lambda: symoro.generate("rx91", "jacobian"),
        lambda: symoro.singularities("rx91"),
        lambda: symoro.base_parameters("rx91"),
    ):
        with pytest.raises(symoro.SymoroError, match="rx90"):
            ask()


def test_base_parameters_near_a_posture_by_name() -> None:
    robot = symoro.load("fourbar")
    near = dict(zip((1, 2, 3), (0.3, -0.8, 0.9), strict=True))
    named = robot.replace(postures={"home": list(near.values())})
    assert (
        symoro.base_parameters(named, posture="home").names
        == symoro.base_parameters(robot, posture=near).names
    )
    with pytest.raises(symoro.SymoroError, match="no posture called 'hom'"):
        symoro.base_parameters(named, posture="hom")
