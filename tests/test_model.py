"""The public functions: a robot may be given as itself, by name or by path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError


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


def test_inputs_without_a_name_are_rejected() -> None:
    for name, names in (
        ("inverse-dynamics", "q=..., qd=..., qdd=..."),
        ("inverse-geometry", "T=..., q0=..."),
    ):
        function = symoro.generate(
            "planar2r", name, **({"pose": "planar"} if "geometry" in name else {})
        ).function()
        with pytest.raises(
            ArgumentError, match="must be given by name; 3 of the arguments have no name"
        ) as caught:
            function([0, 0], [0, 0], [0, 0])
        assert caught.value.hint == f"call it with ({names})"


@pytest.mark.parametrize("given", [None, 3, ["rx90"], {"robot": "rx90"}])
def test_a_robot_that_is_neither_a_name_nor_a_path_is_rejected(given: Any) -> None:
    for call in (symoro.load, symoro.base_parameters, lambda robot: symoro.generate(robot, "energy")):
        with pytest.raises(ArgumentError, match=f"its name or a path, got {type(given).__name__}"):
            call(given)


def test_the_example_of_to_sympy_is_right() -> None:
    import doctest

    examples = doctest.DocTestFinder().find(symoro.Model.to_sympy, globs={})
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    assert runner.summarize(verbose=False).attempted == 3 and not runner.failures


def test_parameters_of_links_and_joints_have_separate_methods() -> None:
    robot = symoro.load("rx90")
    with pytest.raises(symoro.SymoroError, match="FV is a parameter of the joint: use with_frame"):
        robot.with_link(2, FV=1)
    with pytest.raises(symoro.SymoroError, match="mass is a parameter of the link: use with_link"):
        robot.with_frame(2, mass=1)


def test_motions_are_given_as_files_or_names() -> None:
    motion = symoro.trajectory.load("filip3r")
    assert str(symoro.trajectory.sampled("filip3r", "filip3r")) == str(
        symoro.trajectory.sampled("filip3r", motion)
    )
    assert symoro.torques("filip3r", "filip3r").peaks == symoro.torques("filip3r", motion).peaks
    with pytest.raises(
        ArgumentError, match="expected a trajectory, samples of a motion, or the path of a file"
    ):
        symoro.torques("filip3r", 3.0)
    with pytest.raises(ArgumentError, match="already sampled"):
        symoro.trajectory.sampled("filip3r", symoro.trajectory.sampled("filip3r", motion))
