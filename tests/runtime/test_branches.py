"""Branches of redundant arms: completeness, limits, verification, edge cases, intervals and self-motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.robot.records import Limits
from symoro.runtime.branches import BranchSolver
from tests.seven_joint_arms import arm, arms

POSES = 40
# One arm of each kind: spherical, spherical shoulder, nearly spherical; the others are slow tests.
KINDS = ("iiwa14", "franka_panda", "gen3")
SLOW = tuple(name for name in arms() if name not in KINDS)


def limited(robot: symoro.Robot, limits: dict[int, tuple[float | None, float | None]]) -> symoro.Robot:
    frames = list(robot.frames)
    for j, (lower, upper) in limits.items():
        frames[j - 1] = replace(frames[j - 1], limits=Limits(lower, upper, 2.0))
    return replace(robot, frames=tuple(frames))


def postures(solver: BranchSolver, count: int, seed: int = 1) -> Any:
    data = solver.data
    first = np.where(np.isinf(data.lower), -np.pi, data.lower)
    last = np.where(np.isinf(data.upper), np.pi, data.upper)
    return np.random.default_rng(seed).uniform(first, last, (count, len(data.lower)))


@cache
def solver_of(name: str) -> BranchSolver:
    return symoro.branch_solver(arm(name))


@cache
def geometry(robot: symoro.Robot) -> Any:
    return symoro.generate(robot, "fast-geometry").function(compiled=False)


def direct_geometry(robot: symoro.Robot, q: Any) -> Any:
    return geometry(robot)(q=q)["T"]


def apart(solver: BranchSolver, rows: Any, q: Any) -> Any:
    """Return the Euclidean distance (rad) of each row from q; joints without limits are compared on the circle."""
    d = rows - q
    turned = d - 2 * np.pi * np.round(d / (2 * np.pi))
    return np.linalg.norm(np.where(np.isinf(solver.data.lower), turned, d), axis=1)


def check(name: str, count: int) -> None:
    robot = arm(name)
    solver = solver_of(name)
    q = postures(solver, count)
    poses = direct_geometry(robot, q)
    results = solver(poses)
    assert [result.status for result in results] == ["solved"] * count
    distances = [apart(solver, result.q, one).min() for result, one in zip(results, q, strict=True)]
    assert np.median(distances) <= 0.1
    reach = 1 / min(solver.data.scales)
    for result, pose in zip(results, poses, strict=True):
        assert symoro.solutions.within_limits(robot, result.q).all()
        assert (np.diff(result.distance) >= 0).all()
        reached = direct_geometry(robot, result.q)
        assert np.abs(reached[:, :3, :3] - pose[:3, :3]).max() < 1.1e-9
        assert np.abs(reached[:, :3, 3] - pose[:3, 3]).max() < 1.1e-9 * reach


@pytest.mark.first(1)
@pytest.mark.parametrize("name", KINDS)
def test_commercial_arms(name: str) -> None:
    check(name, POSES)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_further_commercial_arms(name: str) -> None:
    check(name, 200)


@pytest.fixture(scope="module")
def panda() -> BranchSolver:
    return symoro.branch_solver("panda")


@pytest.fixture(scope="module")
def iiwa() -> BranchSolver:
    return symoro.branch_solver("iiwa14")


def test_free_parameter_is_chosen(panda: BranchSolver, iiwa: BranchSolver) -> None:
    assert panda.exact and panda.parameter == 6
    assert iiwa.exact and iiwa.parameter == "swivel"
    gen3 = solver_of("gen3")
    assert not gen3.exact and "similar arm" in gen3.method
    given = symoro.branch_solver("panda", free=7)
    assert given.parameter == 7
    nearly = symoro.branch_solver("panda", free="swivel")  # offset wrist: seeds of a spherical arm
    assert nearly.parameter == "swivel" and not nearly.exact


def test_swivel_of_a_nearly_spherical_arm() -> None:
    solver = symoro.branch_solver(arm("gen3"), free="swivel")
    assert not solver.exact and solver.parameter == "swivel"
    q = postures(solver, POSES)
    results = solver(direct_geometry(solver.robot, q))
    distances = [apart(solver, result.q, one).min() for result, one in zip(results, q, strict=True)]
    assert np.median(distances) < 0.1 and np.mean(np.array(distances) < 0.3) >= 0.9


def test_rows_at_a_sample_contain_the_posture(panda: BranchSolver) -> None:
    """At the true value of the free parameter, the posture itself is one of the rows."""
    for q in postures(panda, POSES):
        rows, solved = panda.rows_at(direct_geometry(panda.robot, q), q, q[5:6])
        assert np.abs(rows[0][solved[0]] - q).max(axis=1).min() < 1e-6


def test_the_given_posture_is_the_first_row(panda: BranchSolver) -> None:
    for q in postures(panda, 10):
        result = panda(direct_geometry(panda.robot, q), near=q)
        assert result.distance[0] < 1e-6 and result.branch[0] == -1


def test_numpy_returns_the_same_solutions(iiwa: BranchSolver) -> None:
    slow = symoro.branch_solver("iiwa14", compiled=False)
    assert not slow.compiled
    for q in postures(iiwa, 3):
        pose = direct_geometry(iiwa.robot, q)
        few, many = slow(pose, samples=8), iiwa(pose, samples=8)
        assert len(few) == len(many)
        for row in few.q:
            assert np.abs(many.q - row).max(axis=1).min() < 1e-6


def test_full_turns_are_included() -> None:
    robot = limited(symoro.load("iiwa14"), {7: (-6.2, 6.2)})
    solver = symoro.branch_solver(robot)
    q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5])
    result = solver(direct_geometry(robot, q), near=q, samples=16)
    turned = q - 2 * np.pi * np.eye(7)[6]
    assert np.abs(result.q - q).max(axis=1).min() < 1e-6
    assert np.abs(result.q - turned).max(axis=1).min() < 1e-6


def test_continuous_joints_are_near_the_given_posture() -> None:
    robot = limited(symoro.load("iiwa14"), dict.fromkeys(range(1, 8), (None, None)))
    solver = symoro.branch_solver(robot)
    q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5]) + 2 * np.pi * np.array([3, 0, -2, 0, 1, 0, 5])
    result = solver(direct_geometry(robot, q), near=q)
    assert result.distance[0] < 1e-6
    assert (np.abs(result.q - q) <= np.pi + 1e-9).all()


def test_pose_out_of_reach(panda: BranchSolver) -> None:
    pose = np.eye(4)
    pose[0, 3] = 3.0
    result = panda(pose)
    assert len(result) == 0 and result.status == "out of reach"


def test_limits_that_exclude_every_solution() -> None:
    robot = symoro.load("iiwa14")
    q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5])
    pose = direct_geometry(robot, q)
    narrow = symoro.branch_solver(limited(robot, {4: (-0.2, 0.2)}))  # the elbow angle of the pose is 1 or -1
    result = narrow(pose)
    assert len(result) == 0 and result.status == "outside limits"
    assert len(symoro.branch_solver(limited(robot, {4: (-0.2, 0.2)}), limits=False)(pose))


def test_narrow_limits_are_met(iiwa: BranchSolver) -> None:
    """A solution interval far shorter than the distance between two samples is not lost."""
    robot = symoro.load("iiwa14")
    for q, compiled in zip(postures(iiwa, 3, seed=3), (None, False, False), strict=True):
        narrow = {j: (float(q[j - 1]) - 1e-4, float(q[j - 1]) + 1e-4) for j in (1, 3, 5)}
        result = symoro.branch_solver(limited(robot, narrow), compiled=compiled)(direct_geometry(robot, q))
        assert len(result) and np.abs(result.q - q).max(axis=1).min() < 0.02


@pytest.mark.parametrize("bad", [np.full((4, 4), np.nan), np.diag([1.0, 1, -1, 1]), 2 * np.eye(4)])
def test_invalid_poses(panda: BranchSolver, bad: Any) -> None:
    good = direct_geometry(panda.robot, postures(panda, 1)[0])
    results = panda(np.array([bad, good]))
    assert [result.status for result in results] == ["invalid pose", "solved"]
    assert len(results[0]) == 0


def test_rounded_rotations_are_corrected(panda: BranchSolver) -> None:
    pose = np.round(direct_geometry(panda.robot, postures(panda, 1)[0]), 7)
    assert panda(pose).status == "solved"


def test_stretched_arm(iiwa: BranchSolver) -> None:
    """At the boundary of the workspace the elbow is straight: all swivel angles are the same posture of the elbow."""
    q = np.array([0.4, 0.6, 0.3, 0.0, -0.2, 0.5, 0.1])
    result = iiwa(direct_geometry(iiwa.robot, q), near=q)
    assert len(result) and np.abs(result.q[:, 3]).max() < 1e-3


@pytest.mark.parametrize("scale", [1e-3, pytest.param(1e3, marks=pytest.mark.slow)])
def test_scaled_arms(scale: float) -> None:
    """Lengths in other units give the same branches."""
    for name in ("franka_panda", "gen3"):
        plain, scaled = solver_of(name), symoro.branch_solver(arm(name, scale))
        assert plain.parameter == scaled.parameter
        q = postures(plain, 5)
        for one in q:
            pose = direct_geometry(plain.robot, one)
            large = pose.copy()
            large[:3, 3] *= scale
            a, b = plain(pose), scaled(large)
            assert abs(len(a) - len(b)) <= 2  # rows at the ends of branches
            assert abs(apart(plain, a.q, one).min() - apart(scaled, b.q, one).min()) < 1e-6


def test_six_joints_have_no_free_parameter() -> None:
    solver = symoro.branch_solver("rx90")
    assert solver.parameter is None
    q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7])
    result = solver(direct_geometry(solver.robot, q), near=q)
    assert result.distance[0] < 1e-6
    with pytest.raises(NotApplicableError, match="not redundant"):
        symoro.solutions.intervals(solver, np.eye(4))
    with pytest.raises(NotApplicableError, match="not redundant"):
        symoro.solutions.self_motion(solver, q)


def test_arguments(panda: BranchSolver) -> None:
    with pytest.raises(ArgumentError, match="shape"):
        panda(np.eye(3))
    with pytest.raises(ArgumentError, match="samples"):
        panda(np.eye(4), samples=0)
    with pytest.raises(ArgumentError, match="posture"):
        panda(np.eye(4), near=[0, 0])
    with pytest.raises(ArgumentError, match="tolerance"):
        symoro.branch_solver("panda", tolerance=0)
    with pytest.raises(NotApplicableError):
        symoro.branch_solver("sr400")


# -- intervals and self-motion


def test_intervals_contain_exactly_the_rows(panda: BranchSolver) -> None:
    q = np.array([0.3, 0.4, -0.2, -1.8, 0.1, 2.1, 0.6])
    pose = direct_geometry(panda.robot, q)
    parts = symoro.solutions.intervals(panda, pose)
    assert parts and any(part.lower <= 2.1 <= part.upper for part in parts)
    near = panda.posture(None)[0]
    for part in parts:
        inside = np.linspace(part.lower, part.upper, 9)
        rows, solved = panda.rows_at(pose, near, inside)
        assert (solved & panda.within(rows))[:, part.branch].all()
        for end, beyond in ((part.lower, part.lower - 1e-5), (part.upper, part.upper + 1e-5)):
            if panda.data.first < beyond < panda.data.last:
                rows, solved = panda.rows_at(pose, near, np.array([beyond]))
                assert not (solved & panda.within(rows))[0, part.branch], (part, end)


def test_intervals_of_the_swivel_angle(iiwa: BranchSolver) -> None:
    robot = limited(symoro.load("iiwa14"), dict.fromkeys(range(1, 8), (None, None)))
    solver = symoro.branch_solver(robot)
    pose = direct_geometry(robot, np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5]))
    parts = symoro.solutions.intervals(solver, pose)
    assert len(parts) == 8  # without limits every branch exists for every swivel angle
    assert all(abs(part.upper - part.lower - 2 * np.pi) < 1e-12 for part in parts)
    assert len(symoro.solutions.intervals(iiwa, pose)) > 0


def test_self_motion(iiwa: BranchSolver) -> None:
    q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5])
    pose = direct_geometry(iiwa.robot, q)
    curve = symoro.solutions.self_motion(iiwa, q)
    assert np.abs(direct_geometry(iiwa.robot, curve.q) - pose).max() < 1e-9
    assert np.abs(curve.q - q).max(axis=1).min() < 1e-12
    assert symoro.solutions.within_limits(iiwa.robot, curve.q).all()
    J = symoro.generate(iiwa.robot, "jacobian").function(compiled=False)(q=curve.q)["J"]
    assert np.abs(J @ curve.tangent[..., None]).max() < 1e-9
    assert np.allclose(np.linalg.norm(curve.tangent, axis=1), 1)
    steps = np.diff(curve.q, axis=0)
    assert np.linalg.norm(steps, axis=1).max() < 0.06
    assert (np.einsum("ij,ij->i", steps, curve.tangent[:-1]) > 0).all()
    assert curve.closed or all(curve.limited)


def test_self_motion_without_limits_is_closed(iiwa: BranchSolver) -> None:
    q = np.array([0.3, 0.5, -0.4, 1.0, 0.2, 0.7, 0.5])
    curve = symoro.solutions.self_motion(iiwa, q, limits=False)
    assert curve.closed and curve.limited == (False, False)
    with pytest.raises(ArgumentError, match="outside the joint limits"):
        symoro.solutions.self_motion(iiwa, [3.1, 0, 0, 1, 0, 1, 0])
    with pytest.raises(ArgumentError, match="step"):
        symoro.solutions.self_motion(iiwa, q, step=0)


def test_branches_of_several_given_joints_are_rejected() -> None:
    with pytest.raises((OptionError, NotApplicableError)):
        symoro.branch_solver("iiwa14", free="3,5")
