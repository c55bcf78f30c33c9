"""Energies of simulated robots whose base moves as given: those in the world, or none."""

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.expr.formula import formula

MASSES = np.array([0.3, 0.2, 0.4, 0.1])
POINTS = np.array([[0.5, 0.1, 0], [0.1, -0.2, 0.3], [0.3, 0.2, 0.2], [0, 0, -0.4]])
FALL = [0, 0, -9.81]


def triple(*entries):
    return tuple(formula(str(x)) for x in entries)


def pendulum(**motion):
    """About a level axis, on a base that moves so."""
    robot = symoro.Robot.from_dh([("R", "pi/2", 0.2, 0, 0)], "kk", gravity=FALL).with_link(1, **link())
    return robot.replace(base=replace(robot.base, **{name: triple(*x) for name, x in motion.items()}))


def link():
    """The inertial parameters of the mass points."""
    squares = (MASSES[:, None, None] * POINTS[:, :, None] * POINTS[:, None, :]).sum(axis=0)
    J = np.trace(squares) * np.eye(3) - squares
    first = MASSES @ POINTS
    names = {"XX": (0, 0), "XY": (0, 1), "XZ": (0, 2), "YY": (1, 1), "YZ": (1, 2), "ZZ": (2, 2)}
    return {name: J[k] for name, k in names.items()} | dict(
        zip(("MX", "MY", "MZ", "M"), (*first, MASSES.sum()), strict=True)
    )


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        ({"VP0": (0, 0, 2)}, "its base accelerates"),
        ({"VP0": (1e-3, 0, 0)}, "its base accelerates"),
        ({"V0": (0, 0, 0.1)}, "its base moves vertically"),
        ({"V0": (1, 0, 0), "W0": (0, 0, 2)}, "its base accelerates"),  # straight on while it turns
    ],
)
def test_undefined_energies_are_not_reported(motion, words):
    result = symoro.simulate(pendulum(**motion), 0.2, q=[0.2])
    assert result.E is None and result.U is None and result.energy is None
    assert any("the energies are unknown" in warning and words in warning for warning in result.warnings)
    assert "E" not in result.columns


@pytest.mark.parametrize(
    "motion", [{}, {"V0": (0.7, -0.2, 0)}, {"V0": (1, 0, 0), "W0": (0, 0, 2), "VP0": (0, 2, 0)}]
)
def test_energies_of_a_steady_base_are_those_in_the_world(motion):
    """Of the mass points of the link: E from their velocities by differences, U from their heights."""
    robot = pendulum(**motion)
    result = symoro.simulate(
        robot, 0.3, q=[0.2], qd=[1.0], step=1e-3, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-12)
    )
    assert not result.warnings
    place = symoro.generate(robot, "fast-geometry").function()(q=result.q)["T"]
    t, w = result.t, np.array(motion.get("W0", (0, 0, 0)), float)[2]
    turn = np.zeros((len(t), 4, 4))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(w * t)
    turn[:, 1, 0], turn[:, 0, 1] = np.sin(w * t), -np.sin(w * t)
    turn[:, 2, 2] = turn[:, 3, 3] = 1
    v = np.array(motion.get("V0", (0, 0, 0)), float)
    if w:
        turn[:, 0, 3], turn[:, 1, 3] = v[0] / w * np.sin(w * t), v[0] / w * (1 - np.cos(w * t))
    else:
        turn[:, :3, 3] = t[:, None] * v
    world = turn @ place
    paths = world @ np.c_[POINTS, np.ones(4)].T  # (N, 4, points)
    speeds = np.gradient(paths[:, :3], t, axis=0)
    E = (MASSES * (speeds**2).sum(axis=1)).sum(axis=1) / 2
    U = 9.81 * (MASSES * paths[:, 2]).sum(axis=1)
    assert np.abs(result.E - E)[2:-2].max() < 1e-4
    assert np.abs(result.U - U).max() < 1e-9


def test_a_base_whose_motion_is_given_as_an_input():
    robot = pendulum(V0=("vx", "0", "0"), VP0=("ax", "0", "0"))
    given = {"V0": [0.5, 0, 0, 0, 0, 0], "Vd0": [0, 0, 0, 0, 0, 0]}
    assert symoro.simulate(robot, 0.1, q=[0.2], options=symoro.SimulationOptions(inputs=given)).E is not None
    given["Vd0"] = [1, 0, 0, 0, 0, 0]
    assert symoro.simulate(robot, 0.1, q=[0.2], options=symoro.SimulationOptions(inputs=given)).E is None
