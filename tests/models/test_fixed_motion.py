"""QP, QDP and GAM in every model: results equal those at the prescribed values, with zero derivative columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import RobotError
from symoro.models.catalogue import Entry
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from tests.models.dynamic.cases import error, outputs, seeded_tree
from tests.models.dynamic.floating.cases import floating_tree, state

FIXED_BY = {"qd": "QP", "qdd": "QDP", "tau": "GAM"}
CLOSE = 1e-11
ROBOTS = {
    "planar2r": symoro.load("planar2r"),
    "slide": seeded_tree(11, 4, coupled=False),
    "tree": seeded_tree(3, 4, coupled=False),
    "small tree": seeded_tree(3, 3, coupled=False),
    "coupled": seeded_tree(8, 6, coupled=True),
    "floating": floating_tree(3, 3, coupled=False),
}
MOVED = [e for e in symoro.catalogue().values() if {port.name for port in e.inputs} & set(FIXED_BY)]
TAKERS = [
    e for e in MOVED if e.id != "loop-kinematics"
]  # of robots with loops, which have a test of their own
DERIVATIVES = {
    "dtau_dqd": "qd",
    "dtau_dqdd": "qdd",
    "dqdd_dqd": "qd",
    "dqdd_dtau": "tau",
    "dVd0_dqd": "qd",
    "dVd0_dqdd": "qdd",
    "dVd0_dtau": "tau",
    "dwrench0_dqd": "qd",
    "dwrench0_dqdd": "qdd",
}


def variants(model: Entry) -> Iterator[dict[str, Any]]:
    """Return the options of a model: the defaults, and each option changed."""
    yield {}
    if model.id == "contact-dynamics":
        yield {"damping": 1e-3}
    for option in model.options:
        if option.kind == "flag":
            yield {option.name: not option.default}
        elif option.name != "effort":  # a search changes what is saved, not what is read
            yield from ({option.name: choice} for choice in option.choices if choice != option.default)


def fixed(robot: Robot, numbers: dict[str, dict[int, Any]]) -> Robot:
    """Return the robot with given values of qd, qdd and tau prescribed, the first of each as a symbol."""
    nominal = dict(robot.nominal)
    for name, values in numbers.items():
        for at, (j, value) in enumerate(values.items()):
            if at == 0:
                nominal[f"{name}_given"] = value
            robot = robot.with_frame(j, **{FIXED_BY[name]: f"{name}_given" if at == 0 else value})
    return robot.replace(nominal=tuple(nominal.items()))


def applies(robot: Robot, model: Entry, options: dict[str, Any]) -> bool:
    if (
        options == {"expanded": True}
        and model.id == "lagrange"
        and robot in (ROBOTS["tree"], ROBOTS["floating"])
    ):
        return False  # the small tree shows the same, in a tenth of the time
    coupled = len(independent(robot)) < len([f for f in robot.frames if f.moving])
    if "recursive" in options.values() and (
        coupled or (model.id == "lagrange" and robot.base.kind == "floating")
    ):
        return False
    if model.id == "contact-dynamics" and "damping" not in options and robot.base.kind != "floating":
        return False  # arms of few joints do not move a point in three directions: the forces need damping
    return model.why_not(robot, options) is None


CASES = [
    pytest.param(name, model, options, id=f"{name}-{model.id}-{options}")
    for model in TAKERS
    for options in variants(model)
    for name, robot in ROBOTS.items()
    if applies(robot, model, options)
]


def test_all_models_that_take_motion_are_here() -> None:
    assert len(TAKERS) >= 14
    assert {case.values[1].id for case in CASES} == {model.id for model in TAKERS}
    assert {"velocities", "accelerations", "jdot-qdot", "lagrange"} <= {model.id for model in TAKERS}


@pytest.mark.parametrize(("name", "model", "options"), CASES)
def test_a_fixed_value_stands_for_the_entry(name: str, model: Entry, options: dict[str, Any]) -> None:
    robot = ROBOTS[name]
    own = independent(robot)
    numbers = {
        "qd": {own[0]: 0.7, own[-1]: -1.3},
        "qdd": {own[-1]: 2.1},
        "tau": {own[0]: -0.4, own[-1]: 0.0},
    }
    at = state(robot, 5)
    there = {key: value.copy() for key, value in at.items()}
    for key, values in numbers.items():
        for j, value in values.items():
            there[key][own.index(j)] = value
    expected = outputs(robot, model.id, there, **options)
    result = outputs(fixed(robot, numbers), model.id, at, **options)
    for output, value in expected.items():
        if output in DERIVATIVES:
            columns = [own.index(j) for j in numbers[DERIVATIVES[output]]]
            assert np.abs(value[:, columns]).max() > 0, "nothing that could be zero"
            value = value.copy()
            value[:, columns] = 0
        assert error(result[output], value) < CLOSE, output


def test_the_entry_has_no_effect() -> None:
    """An ignored entry has no effect, even if it is NaN."""
    robot = seeded_tree(3, 4, coupled=False).with_frame(2, QP=0.5, QDP=1)
    at = state(robot, 1)
    other = {key: value.copy() for key, value in at.items()}
    other["qd"][1] = other["qdd"][1] = np.nan
    for model in ("velocities", "accelerations", "jdot-qdot", "inverse-dynamics", "energy", "lagrange"):
        result, same = outputs(robot, model, at), outputs(robot, model, other)
        assert all(np.array_equal(result[output], same[output]) for output in result), model


@pytest.mark.parametrize("what", FIXED_BY.values())
def test_a_coupled_joint_has_nothing_to_fix(what: str) -> None:
    robot = ROBOTS["coupled"]
    j = next(j for j in range(1, robot.NL + 1) if robot.frame(j).coupling)
    with pytest.raises(RobotError, match=f"joint {j} is coupled and cannot have a prescribed {what}"):
        robot.with_frame(j, **{what: 0})
