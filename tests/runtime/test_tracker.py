"""The solver for control loops: speed limits, joint limits, poses without a solution, changes of branch."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.runtime.branches import BranchSolver
from symoro.solutions import Tracker
from tests.seven_joint_arms import arm

Q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5])
DT = 0.01


@pytest.fixture(scope="module", params=["iiwa14", "gen3"])
def solver(request: pytest.FixtureRequest) -> BranchSolver:
    return symoro.branch_solver(arm(request.param))


@pytest.fixture(scope="module")
def iiwa() -> BranchSolver:
    return symoro.branch_solver(arm("iiwa14"))


@cache
def geometry(robot: symoro.Robot) -> Any:
    return symoro.generate(robot, "fast-geometry").function(compiled=False)


def placed(solver: BranchSolver, q: Any) -> Any:
    return geometry(solver.robot)(q=q)["T"]


def turned(pose: Any, angle: float) -> Any:
    """Return the pose rotated about its own z axis."""
    s, c = np.sin(angle), np.cos(angle)
    return pose @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def line(solver: BranchSolver, count: int, length: float) -> Any:
    """Return poses along a straight line from the posture Q, towards the first axis."""
    poses = np.repeat(placed(solver, Q)[None], count, axis=0)
    towards = -poses[0, :3, 3] * [1, 1, 0]
    towards /= np.linalg.norm(towards)
    poses[:, :3, 3] += np.linspace(0, length, count)[:, None] * towards
    return poses


def test_slow_path_is_followed(solver: BranchSolver) -> None:
    tracker = Tracker(solver, Q)
    previous = Q
    for pose in line(solver, 100, 0.1):
        step = tracker.step(pose, DT)
        assert step.state == "ok" and step.residual < 1e-9
        assert np.abs(placed(solver, step.q) - pose).max() < 1e-8
        assert np.abs(step.q - previous).max() <= 2 * DT + 1e-12  # the speed of the robot's file
        previous = step.q


def test_joint_speeds_delay_the_motion(solver: BranchSolver) -> None:
    tracker = Tracker(solver, Q, speed=0.5)
    pose = line(solver, 2, 0.08)[1]
    states = []
    for _ in range(200):
        before = tracker.q
        step = tracker.step(pose, DT)
        assert np.abs(step.q - before).max() <= 0.5 * DT + 1e-12
        states.append(step.state)
        if step.state == "ok":
            break
    assert states[0] == "limited" and states[-1] == "ok"
    assert np.abs(placed(solver, tracker.q) - pose).max() < 1e-8


def test_unreachable_segment_is_held(solver: BranchSolver) -> None:
    tracker = Tracker(solver, Q, speed=50.0)
    poses = line(solver, 30, 0.03)
    for k, pose in enumerate(poses):
        away = pose.copy()
        if 10 <= k < 20:
            away[:3, 3] += 3.0
        before = tracker.q
        step = tracker.step(away, DT)
        if 10 <= k < 20:
            assert step.state == "held" and (step.q == before).all() and step.residual > 0.1
        else:
            assert step.state == "ok"
    assert np.abs(placed(solver, tracker.q) - poses[-1]).max() < 1e-8


def test_poses_that_are_not_finite_are_held(iiwa: BranchSolver) -> None:
    tracker = Tracker(iiwa, Q)
    step = tracker.step(np.full((4, 4), np.nan), DT)
    assert step.state == "held" and (step.q == Q).all() and np.isnan(step.residual)
    assert tracker.step(placed(iiwa, Q), DT).state == "ok"


def rotate(iiwa: BranchSolver, **options: Any) -> tuple[list[str], Any]:
    """Rotate the tool about its axis by more than a turn, which joint 7 cannot follow."""
    tracker = Tracker(iiwa, Q, speed=50.0, **options)
    start = placed(iiwa, Q)
    states, postures = [], []
    for angle in np.arange(0, 7.0, 0.02):
        step = tracker.step(turned(start, angle), DT)
        states.append(step.state)
        postures.append(step.q)
        assert symoro.solutions.within_limits(iiwa.robot, step.q)
        if step.state == "ok":
            assert np.abs(placed(iiwa, step.q) - turned(start, angle)).max() < 1e-8
    return states, np.array(postures)


def test_joint_limit_is_respected_and_the_branch_ends(iiwa: BranchSolver) -> None:
    states, q = rotate(iiwa)
    limit = float(iiwa.data.upper[6])
    reached = np.flatnonzero(q[:, 6] > limit - 1e-6)
    assert len(reached)  # joint 7 meets its limit ...
    assert states[reached[0]] == "ok"  # ... and the other joints continue
    assert "held" in states and "jumped" not in states
    assert np.abs(np.diff(q, axis=0)).max() < 0.5


def test_change_of_branch(iiwa: BranchSolver) -> None:
    states, _ = rotate(iiwa, allow_jump=True)
    assert "jumped" in states
    first = states.index("jumped")
    assert set(states[:first]) <= {"ok", "limited"}
    assert "ok" in states[first:]


def test_arguments(iiwa: BranchSolver) -> None:
    tracker = Tracker(iiwa, Q)
    assert (tracker.goal == Q).all()
    with pytest.raises(ArgumentError, match="shape"):
        tracker.step(np.eye(3), DT)
    with pytest.raises(ArgumentError, match="dt"):
        tracker.step(np.eye(4), -1)
    for options in ({"jump": 0}, {"samples": 0}, {"speed": 0}):
        with pytest.raises(ArgumentError, match=next(iter(options))):
            Tracker(iiwa, Q, **options)
    with pytest.raises(ArgumentError, match="posture"):
        Tracker(iiwa, Q[:3])
