"""Base parameters and base regressors in the assembly mode in which a closed-loop robot is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr.formula import formula
from symoro.robot.description import Link, Robot
from tests.oracle.branches import (
    VERTICAL,
    F,
    bodies,
    braced_arm,
    five_bar,
    four_bar,
    frame,
    samples,
    scaled,
    slider_crank,
)

MODELS = ("dynamic", "filtered", "power", "energy")
UP, DOWN = 1, -1


def checked(robot: Robot, **options: Any) -> int:
    """Compare W K with the torques of the oracle, and the columns with the rank; return the number of columns."""
    truth = samples(robot)
    model = symoro.generate(robot, "dynamic-identification", parameters="base", friction="none", **options)
    W = model.function(compiled=False)(q=truth.q, qda=truth.qda, qdda=truth.qdda)["W"]
    base = symoro.base_parameters(robot, **options)
    K = [
        truth.values.get(kept, 0.0)
        + sum(float(c) * truth.values.get(name, 0.0) for name, c in base.relations[kept].items())
        for kept in model.columns
    ]
    assert np.abs(W @ K - truth.tau).max() < 1e-9 * np.abs(truth.tau).max()
    assert len(model.columns) == len(base) == truth.rank
    return truth.rank


def moved_home(robot: Robot) -> Robot:
    """Return the robot with the posture under another name."""
    return robot.replace(postures={"work": robot.postures["home"]})


ROBOTS: dict[str, tuple[Robot, int]] = {
    "slider-crank, crank = rod, moving": (slider_crank(0.4, 0.4, UP), 5),
    "slider-crank, crank = rod, folded": (slider_crank(0.4, 0.4, DOWN), 3),
    "kite, rocker driven": (four_bar(0.5, 0.5, 0.3, 0.3, UP, drive=3), 8),
    "kite, rocker driven, other side": (four_bar(0.3, 0.3, 0.5, 0.5, DOWN, drive=3), 8),
    "braced arm": (braced_arm(0.5, 0.4, 0.3, UP), 3),
    "braced arm, other side": (braced_arm(0.5, 0.41, 0.33, DOWN), 3),
    "parallelogram": (four_bar(0.5, 0.7, 0.7, 0.5, UP), 3),
    "antiparallelogram": (four_bar(0.5, 0.7, 0.7, 0.5, DOWN), 8),
    "rhombus, folded": (four_bar(0.5, 0.5, 0.5, 0.5, DOWN), 3),
}
MORE: dict[str, Robot] = {
    f"{name}, {side}": robot
    for side in (UP, DOWN)
    for name, robot in {
        "slider-crank": slider_crank(0.3, 0.5, side),
        "kite, crank driven": four_bar(0.5, 0.5, 0.3, 0.3, side),
        "kite, short sides first": four_bar(0.3, 0.3, 0.5, 0.5, side, drive=3),
        "kite": four_bar(0.5, 0.5, 0.3, 0.3, side, drive=3),
        "parallelogram, long crank": four_bar(0.7, 0.5, 0.5, 0.7, side),
        "parallelogram, rocker driven": four_bar(0.5, 0.3, 0.3, 0.5, side, drive=3),
        "rhombus": four_bar(0.5, 0.5, 0.5, 0.5, side),
        "four-bar": four_bar(0.3, 0.8, 0.9, 0.6, side),
        "four-bar that can be flat": four_bar(0.3, 0.8, 0.6, 0.5, side),
        "four-bar with three equal sides": four_bar(0.3, 0.6, 0.6, 0.6, side),
        "five-bar": five_bar((0.4, 0.6, 0.5, 0.3, 0.7), side),
        "five-bar, symmetric": five_bar((0.4, 0.6, 0.5, 0.4, 0.6), side),
        "five-bar of equal lengths": five_bar((0.4, 0.4, 0.4, 0.4, 0.4), side),
        "motors on one axis": five_bar((0.4, 0.4, 0.0, 0.4, 0.4), side),
        "braced arm, equal sides": braced_arm(0.5, 0.5, 0.5, side),
        "braced arm": braced_arm(0.5, 0.41, 0.33, side),
    }.items()
}


@pytest.mark.parametrize("name", ROBOTS)
def test_the_posture_home_selects_the_mode(name: str) -> None:
    robot, rank = ROBOTS[name]
    assert checked(robot) == rank


@pytest.mark.slow
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
@pytest.mark.parametrize("name", [*ROBOTS, *MORE])
def test_every_mode_in_every_unit(name: str, size: float) -> None:
    robot = MORE[name] if name in MORE else ROBOTS[name][0]
    checked(scaled(robot, size))


def test_the_option_posture_selects_the_mode() -> None:
    robot = moved_home(slider_crank(0.4, 0.4, UP))
    numbers = robot.postures["work"]
    assert len(symoro.base_parameters(robot)) == 3
    for posture in ("work", numbers, list(numbers), np.array(numbers), ", ".join(map(str, numbers))):
        model = symoro.generate(robot, "dynamic-identification", parameters="base", posture=posture)
        assert model.columns == ["ZZ1", "MX1", "MY1", "MX2", "MY2"]
    for name in MODELS:
        model = symoro.generate(robot, f"{name}-identification", parameters="base", posture="work")
        assert model.columns == ["ZZ1", "MX1", "MY1", "MX2", "MY2"]
    model = symoro.generate(robot, "base-parameters", posture="work")
    assert model.columns == ["ZZ1", "MX1", "MY1", "MX2", "MY2"]


def test_the_option_posture_beats_home_where_a_parallelogram_is_crossed() -> None:
    crossed, plain = four_bar(0.5, 0.7, 0.7, 0.5, DOWN), four_bar(0.5, 0.7, 0.7, 0.5, UP)
    both = plain.replace(postures={**plain.postures, "crossed": crossed.postures["home"]})
    truth = samples(crossed)
    model = symoro.generate(both, "dynamic-identification", posture="crossed")
    W = model.function(compiled=False)(q=truth.q, qda=truth.qda, qdda=truth.qdda)["W"]
    K = [truth.values[name] for name in model.columns]
    assert np.abs(W @ K - truth.tau).max() < 1e-9 * np.abs(truth.tau).max()
    assert len(symoro.base_parameters(both)) == 3
    assert len(symoro.base_parameters(both, posture="crossed")) == 8


def test_torques_of_a_robot_with_a_crossed_home() -> None:
    robot = four_bar(0.7, 0.5, 0.5, 0.7, DOWN)
    truth = samples(robot, 4)
    model = symoro.generate(robot, "inverse-dynamics")
    tau = model.function(compiled=False)(q=truth.q, qda=truth.qda, qdda=truth.qdda)["tau"]
    assert np.abs(tau - truth.tau).max() < 1e-9 * np.abs(truth.tau).max()


@pytest.mark.parametrize("robot", [slider_crank(0.4, 0.4, UP), braced_arm(0.5, 0.4, 0.3, UP)])
def test_modes_that_differ_are_reported_where_no_posture_is_known(robot: Robot) -> None:
    unknown = robot.replace(postures={})
    note = "several assembly modes with different base parameters"
    assert note in symoro.base_parameters(unknown).report()
    assert note not in symoro.base_parameters(robot).report()
    for name in ("dynamic-identification", "energy-identification"):
        for one, expected in ((unknown, True), (robot, False)):
            assert (note in " ".join(symoro.generate(one, name, parameters="base").notes)) == expected
    assert note in " ".join(str(symoro.generate(unknown, "base-parameters")).split())


@pytest.mark.parametrize("robot", [four_bar(0.3, 0.8, 0.9, 0.6, UP), four_bar(0.5, 0.7, 0.7, 0.5, UP)])
def test_modes_with_the_same_parameters_are_not_reported(robot: Robot) -> None:
    """Both modes of a four-bar have the same relations; a parallelogram is crossed only if 'home' is."""
    assert symoro.base_parameters(robot.replace(postures={})).notes == ()


def test_a_posture_that_does_not_fit_is_rejected() -> None:
    robot = slider_crank(0.4, 0.4, UP)
    cases: Mapping[Any, tuple[type[Exception], str]] = {
        "hme": (UnknownNameError, "no posture called 'hme'"),
        (0.7, -1.4): (OptionError, "expected 3 numbers, q1, q2, q3; got 2"),
        (0.7, 1.0, 3.0): (OptionError, "do not close near the given posture"),
        (0.7, float("nan"), 0.6): (OptionError, "finite numbers"),
        "0.7, q2, 0.6": (OptionError, "the name of a posture, or finite numbers"),
        7: (OptionError, "the name of a posture, or finite numbers"),
    }
    for posture, (kind, message) in cases.items():
        with pytest.raises(kind, match=message):
            symoro.generate(robot, "dynamic-identification", parameters="base", posture=posture)


@pytest.mark.parametrize("offset", [0.0, 1e-4, 0.02])
def test_a_home_of_few_digits(offset: float) -> None:
    robot = slider_crank(0.4, 0.4, UP)
    home = [x + offset for x in robot.postures["home"]]
    assert len(symoro.base_parameters(robot.replace(postures={"home": home}))) == 5


def test_a_home_that_closes_no_loop_selects_no_mode() -> None:
    robot = slider_crank(0.4, 0.4, UP).replace(postures={"home": (0.0, 0.0, 0.0)})
    parameters = symoro.base_parameters(robot)
    assert "several assembly modes" in parameters.report()


@pytest.mark.parametrize("turned", [False, True])
def test_a_loop_that_is_flat_and_cannot_move(turned: bool) -> None:
    """A triangle whose corners are in line: Newton's method sees a motion that there is none.

    Link 2 has the angle 0, or half a turn with its x-axis reversed.
    """
    side, angle = (-1, np.pi) if turned else (1, 0.0)
    frames = (frame(0, mu=True), frame(1, d=0.5), frame(1), frame(2, d=-0.2 * side), frame(3, F, d=0.3))
    robot = Robot("flat", frames, bodies(3), VERTICAL, postures={"home": (0.4, angle, 0.0)})
    parameters = symoro.base_parameters(robot)
    assert parameters.names == ("ZZ1", "MX1", "MY1")
    assert {name: float(c) for name, c in parameters.relations["MX1"].items()} == pytest.approx(
        {"MX2": side, "M2": 0.5, "MX3": 1}
    )


def test_numbers_that_do_not_close_are_still_rejected() -> None:
    frames = (frame(0, mu=True), frame(1, d=0.5), frame(1), frame(2, d=0.1), frame(3, F, d=0.1))
    robot = Robot("open", frames, (Link(M=formula(1)),) * 3, VERTICAL, postures={"home": (0, 0, 0)})
    with pytest.raises(NotApplicableError, match="do not close at its nominal values"):
        symoro.base_parameters(robot)
