"""Robots on wheels that steer to where their active joints cannot drive them."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.trajectory.trajectory import Move, Trajectory
from tests.simulation.robots import numbered, without_drives

STUCK = "cannot drive the robot, at t = "


def car():
    """Driven at the rear: det = 0 with the steering at a right angle."""
    return without_drives(numbered(symoro.load("car")))


def steered(t):
    return 1.2 * t, 1.2, 0.0


@pytest.mark.parametrize(
    "options",
    [
        {"driven": {2: steered}, "qd": [0.5, 1.2]},
        {"qd": [0.5, 1.2]},
        {"qd": [0.5, -1.2]},
        {"qd": [0.0, 2.0]},
        {"qd": [0.5, 1.2], "method": "rk4", "step": 0.001},
        {"qd": [0.5, 1.2], "method": "RK23", "rtol": 1e-3, "atol": 1e-3},
    ],
)
def test_a_simulation_ends_where_the_steering_is_at_a_right_angle(options):
    motion = symoro.simulate(car(), 3.0, q=[0, 0, 0], **options)
    assert not motion.finished and STUCK in motion.why
    assert abs(motion.q[-1, 1]) == pytest.approx(np.pi / 2, abs=2e-3)
    assert abs(motion.q[-1, 1]) < np.pi / 2


def test_a_steering_that_comes_near_a_right_angle_goes_on():
    most = np.pi / 2 - 1e-3

    def swayed(t):
        return most * np.sin(t), most * np.cos(t), -most * np.sin(t)

    motion = symoro.simulate(car(), 3.0, q=[0, 0, 0], qd=[0.5, most], driven={2: swayed})
    assert motion.finished, motion.why


def test_a_right_angle_touched_between_samples_is_located():
    most = np.pi / 2

    def swayed(t):
        return most * np.sin(t), most * np.cos(t), -most * np.sin(t)

    motion = symoro.simulate(car(), 3.0, q=[0, 0, 0], qd=[0.0, most], driven={2: swayed}, step=1.0)
    assert STUCK in motion.why and motion.t[-1] == pytest.approx(np.pi / 2, abs=0.02)


def test_a_start_at_a_right_angle_and_a_path_through_it_are_rejected():
    with pytest.raises(ArgumentError, match="configuration of the wheels is singular"):
        symoro.simulate(car(), 1.0, q=[0, np.pi / 2, 0])
    path = Trajectory((Move((0.5, 2.5), duration=1),), (0, 0))
    with pytest.raises(ArgumentError, match=f"followed to its end.*{STUCK}"):
        symoro.torques(car(), path)


@pytest.mark.parametrize("name", ["diffdrive", "omni3"])
def test_wheels_that_can_always_drive_are_not_watched(name):
    robot = without_drives(numbered(symoro.load(name)))
    n = {"diffdrive": 2, "omni3": 3}[name]
    motion = symoro.simulate(robot, 1.0, q=np.full(n + 2 * (name == "diffdrive"), 0.3), qd=np.ones(n))
    assert motion.finished
