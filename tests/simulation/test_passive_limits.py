"""Limits of the passive joints of loops along a motion."""

import numpy as np
import pytest

import symoro
from symoro.robot.coordinates import independent
from symoro.robot.description import Limits
from symoro.trajectory.sampling import coordinates_of
from symoro.trajectory.trajectory import Move, Trajectory
from tests.simulation.robots import numbered, without_drives

SWING = Trajectory((Move((2.0, 0.9), duration=1),), (2.2, 0.6))


def test_velocities_of_passive_joints_are_looked_at():
    robot = symoro.load("fivebar")
    for j in (2, 4):
        robot = robot.with_frame(j, limits=Limits(velocity=0.01))
    result = symoro.torques(robot, SWING, step=0.001)
    true = np.abs(np.gradient(result.samples.tree, result.samples.t, axis=0)).max(axis=0)
    worst = {one.joint: abs(one.worst) for one in result.passed if one.what == "velocity"}
    assert sorted(worst) == [2, 4]
    assert worst[2] == pytest.approx(true[1], rel=1e-4) and worst[4] == pytest.approx(true[3], rel=1e-4)
    assert {one.joint for one in symoro.torques(robot, result.samples).passed} == {2, 4}


def test_limits_of_opened_joints_give_a_warning():
    robot = symoro.load("fivebar").with_frame(5, limits=Limits(velocity=0.01))
    result = symoro.torques(robot, SWING)
    assert any("the limits of the cut joints 5 are not checked" in warning for warning in result.warnings)
    assert not symoro.torques("fivebar", SWING).warnings


def test_velocities_of_parallelograms_are_the_derivative_of_the_positions():
    robot = numbered(symoro.load("sr400"))
    for j in independent(robot):
        robot = robot.with_frame(j, limits=Limits(velocity=1e-6))
    own = coordinates_of(robot)
    result = symoro.torques(robot, Trajectory((Move((0.1,) * len(own), duration=1),), (0.0,) * len(own)))
    slopes = np.abs(np.gradient(result.samples.tree, result.samples.t, axis=0)).max(axis=0)
    worst = {one.joint: abs(one.worst) for one in result.passed if one.what == "velocity"}
    for k, j in enumerate(independent(robot)):
        assert worst.get(j, 0.0) == pytest.approx(slopes[k], rel=1e-2, abs=1e-6)


def test_velocities_of_wheels_that_roll_along_are_looked_at():
    robot = without_drives(numbered(symoro.load("diffdrive")))
    for j in independent(robot):
        robot = robot.with_frame(j, limits=Limits(velocity=1e-6))
    own = coordinates_of(robot)
    path = Trajectory((Move((1.0, 1.5), duration=1),), (0.0,) * len(own))
    result = symoro.torques(robot, path, step=0.002)
    slopes = np.abs(np.gradient(result.follows.q, result.follows.t, axis=0)).max(axis=0)
    worst = {one.joint: abs(one.worst) for one in result.passed if one.what == "velocity"}
    passive = [j for j in independent(robot) if j not in own]
    assert passive and sorted(worst) == independent(robot)
    for k, j in enumerate(independent(robot)):
        assert worst[j] == pytest.approx(slopes[k], rel=1e-2)
