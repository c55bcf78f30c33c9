"""Inverse geometry of arms with one redundant joint without options, and the spherical arm nearest to an arm."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.models.geometric.inverse.redundancy import spherical_arm
from tests.seven_joint_arms import arm, arms

# closed form with a given joint, and the general method
EXAMPLES = {"panda": 7, "iiwa14": 3, "lwr4plus": 3}


@pytest.mark.parametrize("name", EXAMPLES)
def test_position_of_one_joint_is_taken_from_q0(name: str) -> None:
    model = symoro.generate(name, "inverse-geometry")
    given = EXAMPLES[name]
    assert any(f"q{given} is taken from q0" in choice for choice in model.program.choices)
    solve = model.function(compiled=False)
    place = symoro.generate(name, "fast-geometry").function(compiled=False)
    for q in np.random.default_rng(1).uniform(-2, 2, (20, 7)):
        result = solve(T=place(q=q)["T"], q0=q)
        rows = symoro.solutions.valid(result, singular=True)
        apart = np.arctan2(np.sin(rows - q), np.cos(rows - q))
        assert np.abs(apart).max(axis=1).min() < 1e-6
        assert (rows[:, given - 1] == q[given - 1]).all()


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_joint_does_not_depend_on_the_unit_of_length(scale: float) -> None:
    notes = [
        next(choice for choice in model.program.choices if "redundant" in choice)
        for model in (symoro.generate(arm("fr3", s), "inverse-geometry") for s in (1.0, scale))
    ]
    assert notes[0] == notes[1] and "q7 is taken from q0" in notes[0]


def test_the_formulas_are_valid_for_the_default_q0() -> None:
    """With q6 given, Panda's formulas divide by sin(q6); another joint is chosen."""
    model = symoro.generate("panda", "inverse-geometry")
    assert model.conditions == []
    place = symoro.generate("panda", "fast-geometry").function(compiled=False)
    T = place(q=[0.3, 0.4, -0.2, -1.8, 0.1, 2.1, 0.0])["T"]
    assert len(symoro.solutions.valid(model.function(compiled=False)(T=T)))


def test_locked_joints_of_the_user_are_not_extended() -> None:
    with pytest.raises(NotApplicableError, match="6 unknown joints for 5 independent conditions"):
        symoro.generate(
            "iiwa14", "inverse-geometry", locked="4"
        )  # the elbow does not move along the self-motion
    assert symoro.generate("panda", "inverse-geometry", locked="7").outputs["q"] == (8, 7)


def test_partly_given_poses_are_rejected() -> None:
    with pytest.raises(NotApplicableError, match="infinitely many solutions"):
        symoro.generate("panda", "inverse-geometry", pose="position")


def test_spherical_arm() -> None:
    robot = arm("gen3")
    both, changed = spherical_arm(robot, 0, "tool")
    assert 0.01 < changed < 0.02
    model = symoro.generate(both, "inverse-geometry", swivel=True)
    assert model.outputs["q"] == (8, 7)
    with pytest.raises(NotApplicableError, match="requires seven revolute joints"):
        symoro.generate(robot, "inverse-geometry", swivel=True)
    lengths = [spherical_arm(robot, 0, "tool", *parts)[1] for parts in ((True, False), (False, True))]
    assert abs(sum(lengths) - changed) < 1e-12
    with pytest.raises(NotApplicableError, match="seven revolute joints in a row"):
        spherical_arm(symoro.load("rx90"), 0, 6)


def test_data_of_the_arms() -> None:
    assert len(arms()) == 19
    assert all(len(described["joints"]) == 7 and described["source"] for described in arms().values())
