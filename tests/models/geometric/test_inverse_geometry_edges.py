"""Inverse geometry with no or infinitely many solutions: singularities, workspace boundary, invalid poses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.models.geometric.postures import (
    EXACT,
    OUT_OF_REACH,
    SINGULAR,
    VALID,
    Answer,
    Solver,
    bundled,
    solver,
)
from tests.oracle.arms import Arm, general, oblique_wrist, quartic_wrist, three_prismatic, ur_like


def straight(name: str) -> np.ndarray:
    """Return a configuration in which only the wrist is singular: its outer axes coincide or are parallel."""
    if name == "iiwa14":
        return np.array([0.4, -0.8, 0.2, 1.1, 0.3, 0.0, 0.9])
    return np.array([0.4, -0.8, 0.5, 0.3, 0.0, 0.9])


WRISTS = ("rx90", "puma560", "tx40", "stanford", "ur5e", "iiwa14")


def singular_slot(made: Solver, answer: Answer, q: np.ndarray) -> int:
    """Return the slot that contains a configuration, whose status must be singular."""
    distance = np.where(
        answer.status == SINGULAR, made.chain.distance(answer.q, q[made.unknown_columns]), np.inf
    )
    assert distance.min() < 1e-6, "the posture is not among the singular solutions"
    return int(distance.argmin())


@pytest.mark.parametrize("name", WRISTS)
def test_a_straight_wrist_leaves_a_joint_free(name: str) -> None:
    made = solver(bundled(name))
    q = straight(name)
    T = made.pose(q)
    answer = made(T, q)
    made.check(answer, T, q)
    k = singular_slot(made, answer, q)
    assert answer.free[k].any()
    assert made.at(q).error(answer.q[k : k + 1], T)[0] <= EXACT


@pytest.mark.parametrize("name", WRISTS)
def test_a_free_joint_takes_the_value_that_is_asked(name: str) -> None:
    made = solver(bundled(name))
    q = straight(name)
    T = made.pose(q)
    given = q.copy()
    given[made.unknown_columns] += (
        0.05  # a small change: with a different q6 the elbow of a UR arm is out of reach
    )
    answer = made(T, given)
    made.check(answer, T, q)
    loose = np.flatnonzero((answer.status == SINGULAR) & answer.free.any(axis=1))
    assert len(loose)
    chain = made.at(q)
    right = [k for k in loose if chain.error(answer.q[k : k + 1], T)[0] <= EXACT]
    assert right
    for k in right:
        free = answer.free[k] == 1
        difference = chain.wrapped(answer.q[k] - given[made.unknown_columns])[free]
        np.testing.assert_allclose(difference, 0, atol=1e-9)


def test_a_wrist_above_the_shoulder_leaves_the_waist_free() -> None:
    """RX-90 with the centre of the wrist on axis 1: D3 cos(q2) = RL4 sin(q2 + q3)."""
    made = solver(bundled("rx90"))
    q2 = 1.1
    q = np.array([0.4, q2, np.arcsin(np.cos(q2)) - q2, 0.3, 0.8, 0.9])
    T = made.pose(q)
    answer = made(T, q)
    made.check(answer, T, q)
    k = singular_slot(made, answer, q)
    assert answer.free[k, 0] == 1
    assert made.chain.error(answer.q[k : k + 1], T)[0] <= EXACT


def stretched(name: str) -> np.ndarray:
    """Return a configuration on the workspace boundary, where two solutions coincide."""
    if name == "rx90":
        return np.array([0.4, 0.7, -np.pi / 2, 0.3, 0.8, 0.9])
    if name == "puma560":
        return np.array([0.4, -0.7, np.arctan2(0.4331, -0.0203), 0.3, 0.8, 0.9])
    if name == "scara":
        return np.array([0.4, 0.0, 0.1, 0.9])
    return np.array([0.4, 0.0, 0.3])


@pytest.mark.parametrize("name", ["rx90", "puma560", "scara", "planar3r"])
def test_a_stretched_elbow_is_returned_once(name: str) -> None:
    """Rounding may put the pose out of reach by one bit: the solution is returned, once."""
    made = solver(bundled(name))
    q = stretched(name)
    assert made.at(q).sensitivity(q[made.unknown_columns])[0] < 1e-9
    T = made.pose(q)
    answer = made(T, q)
    made.check(answer, T, q)
    kept = (answer.status == VALID) | (answer.status == SINGULAR)
    near = kept & (made.chain.distance(answer.q, q[made.unknown_columns]) < 1e-5)
    assert near.sum() == 1
    assert made.chain.error(answer.q[near], T)[0] <= EXACT
    assert not answer.free[near].any(), "the elbow is stretched, but no joint is free"


@pytest.mark.parametrize(
    ("name", "elbow", "end"), [("rx90", 3, 4), ("puma560", 3, 4), ("scara", 2, 3), ("planar3r", 2, 3)]
)
def test_just_beyond_the_edge_there_is_nothing(name: str, elbow: int, end: int) -> None:
    """The pose moves outward from a stretched elbow, in the plane of the arm."""
    made = solver(bundled(name))
    q = stretched(name)
    T = made.pose(q)
    joints = dict(zip(made.columns, q[:, None], strict=True))
    frames = made.chain.tree.placements(joints, [end])
    arm, axis = (frames[end] - frames[elbow - 1])[0, :3, 3], frames[elbow][0, :3, 2]
    outward = arm - axis * (axis @ arm)
    T[:3, 3] += 0.01 * outward / np.linalg.norm(outward)
    answer = made(T, q)
    assert not np.isin(answer.status, (VALID, SINGULAR)).any()


ARMS = [
    *(bundled(name) for name in ("puma560", "rx90", "ur5e", "jaco2", "panda", "scara")),
    ur_like(np.random.default_rng(1)),
    quartic_wrist(np.random.default_rng(2)),
    general()(np.random.default_rng(3)),
]


@pytest.mark.parametrize("arm", ARMS, ids=str)
def test_a_pose_out_of_reach_has_no_solution(arm: Arm) -> None:
    made = solver(arm)
    q = made.postures(np.random.default_rng(1), 6)
    T = np.array([made.pose(one) for one in q])
    T[:, :2, 3] += 20
    for answer in made.batch(T, q):
        assert not np.isin(answer.status, (VALID, SINGULAR)).any()


@pytest.mark.parametrize("name", ["rx90", "puma560", "ur5e", "scara"])
def test_out_of_reach_is_said(name: str) -> None:
    made = solver(bundled(name))
    q = made.postures(np.random.default_rng(2), 1)[0]
    T = made.pose(q)
    T[0, 3] += 20
    assert (made(T, q).status == OUT_OF_REACH).any()


@pytest.mark.parametrize(
    "arm", [oblique_wrist(np.random.default_rng(4)), three_prismatic(np.random.default_rng(5))], ids=str
)
def test_any_orientation(arm: Arm) -> None:
    """Axes that are not perpendicular cannot reach every orientation: every answer agrees with the search."""
    made, rng = solver(arm), np.random.default_rng(3)
    for q in made.postures(rng, 6):
        T = made.pose(q)
        T[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        T[:3, 2] *= np.linalg.det(T[:3, :3])
        answer = made(T, q)
        made.check(answer, T, q)
        made.check_all(answer, T, q, rng)


# The error of a zero or mirrored rotation may not be visible in the entries of a partial pose.
NO_POSES = [
    (arm, kind)
    for kind in ("nan", "infinite", "zero", "huge", "mirror")
    for arm in ARMS
    if arm.pose == "full" or kind not in ("zero", "mirror")
]


@pytest.mark.parametrize(("arm", "kind"), NO_POSES, ids=str)
def test_what_is_no_pose_has_no_solution(arm: Arm, kind: str) -> None:
    made = solver(arm)
    q = made.postures(np.random.default_rng(4), 1)[0]
    T = made.pose(q)
    if kind == "nan":
        T[0, 3] = np.nan
    elif kind == "infinite":
        T[1, 3] = np.inf
    elif kind == "huge":
        T[:3, 3] = 1e200
    elif kind == "mirror":
        T[:3, 0] *= -1
    else:
        T[:3] = 0
    with np.errstate(all="ignore"):
        answer = made(T, q)
    assert not (answer.status == VALID).any()


@pytest.mark.parametrize("name", ["rx90", "puma560", "stanford", "ur5e", "jaco2", "panda"])
def test_round_postures_crash_nothing(name: str) -> None:
    """Multiples of a right angle: most are singular, and no answer may be wrong."""
    made = solver(bundled(name))
    rng = np.random.default_rng(5)
    q = rng.integers(-1, 3, (20, len(made.columns))) * np.pi / 2
    T = np.array([made.pose(one) for one in q])
    for answer, pose, one in zip(made.batch(T, q), T, q, strict=True):
        made.check(answer, pose, one)
        regular = made.at(one).sensitivity(one[made.unknown_columns])[0] > 1e-3
        assert not regular or made.has(answer, one)
