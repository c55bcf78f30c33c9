"""Inverse geometry of arms with fewer than six joints at poses where an equation degenerates but the arm is regular."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from tests.models.geometric.postures import VALID, Solver, solver
from tests.oracle.arms import DOWN, UP, Arm, serial

REGULAR = 1e-3  # smallest singular value of the configurations that are tested
TABLE = {
    "plain": ((0, 0.3, 0.25, 0), (0.4, 0, 0, 0, 0.1)),
    "without_tool_length": ((0, 0.3, 0.25, 0), (0.4, 0, 0, 0, 0)),
    "shoulder_offset": ((0.1, 0.3, 0.25, 0), (0.4, 0, 0, 0, 0.2)),
    "lateral_offset": ((0.1, 0.3, 0.25, 0), (0.4, 0.08, 0, 0.05, 0.1)),
    "wrist_offset": ((0.1, 0.3, 0.25, 0.07), (0.4, 0, 0, 0, 0.1)),
}


def five_joints(name: str) -> Arm:
    """Return an arm of a yaw, three parallel pitch axes and a roll."""
    d, r = TABLE[name]
    return Arm(serial(name, [0, UP, 0, 0, DOWN], [0, *d], r), 5)


def four_joints() -> Arm:
    """Return an arm without a roll, for which position and tool axis are given."""
    robot = serial(
        "no_roll", [0, UP, 0, 0], [0, 0.1, 0.3, 0.25], [0.4, 0, 0, 0], tool={"alpha": DOWN, "r": 0.1}
    )
    return Arm(robot, "tool", "axis")


ARMS = [*map(five_joints, TABLE), four_joints()]


def check_regular(made: Solver, q: np.ndarray) -> None:
    """Check that every regular configuration is among the valid solutions of its pose."""
    rng = np.random.default_rng(3)
    T = np.array([made.pose(one) for one in q])
    T[:, :3] += 1e-16 * rng.uniform(-1, 1, T[:, :3].shape)  # round-off of a computed pose
    regular = 0
    for answer, pose, one in zip(made.batch(T), T, q, strict=True):
        made.check(answer, pose, one)
        if made.at(one).sensitivity(one[made.unknown_columns])[0] > REGULAR:
            regular += 1
            assert made.has(answer, one), f"the configuration {one} is not among the solutions"
    assert regular > len(q) / 2


@pytest.mark.parametrize("arm", ARMS, ids=str)
def test_vertical_and_horizontal_tool(arm: Arm) -> None:
    made = solver(arm)
    q = made.postures(np.random.default_rng(1), 40)
    q[:, 3] = np.arange(40) % 4 * np.pi / 2 - q[:, 1] - q[:, 2]
    check_regular(made, q)


@pytest.mark.parametrize("arm", ARMS, ids=str)
@pytest.mark.parametrize("along", [0.0, -0.1, -0.2])
def test_point_of_the_tool_axis_on_the_base_axis(arm: Arm, along: float) -> None:
    """Points of the tool axis are moved to the distance of the lateral offset from the base axis, or onto it."""
    made = solver(arm)
    q = made.postures(np.random.default_rng(2), 20)
    q[:, 0] = 0.0  # the plane of the arm is then y = constant

    def radius(one: np.ndarray) -> float:
        T = made.pose(one)
        return float(T[0, 3] + along * T[0, 2])

    for one in q:
        for _ in range(40):
            value = radius(one)
            slope = np.array([radius(one + 1e-7 * e) - value for e in np.eye(len(one))[1:4]]) / 1e-7
            step = -slope * value / max(slope @ slope, 1e-12)
            one[1:4] += step * min(1, 0.5 / max(float(np.linalg.norm(step)), 1e-300))
    q[:, 0] = np.linspace(-3, 3, len(q))
    check_regular(made, q)


def test_a_path_through_the_vertical_tool_is_continuous() -> None:
    made = solver(five_joints("plain"))
    pitch = np.linspace(-0.3, 0.3, 61)  # the tool points straight down at the middle sample
    q = np.array([[-0.588, 0.9, -1.3, np.pi - 0.9 + 1.3 + x, 0.4] for x in pitch])
    rows = [made(made.pose(one)) for one in q]
    assert all(made.has(answer, one, 1e-8) for answer, one in zip(rows, q, strict=True))
    assert all((answer.status == VALID).sum() == 4 for answer in rows)


def test_tool_and_wrist_on_the_base_axis_are_singular() -> None:
    """Vertical tool on the base axis: only the difference of yaw and roll is determined."""
    made = solver(five_joints("plain"))
    q = np.array([0.7, np.arccos(0.0), 0.0, -np.pi / 2, 0.2])  # the arm is stretched upwards
    answer = made(made.pose(q), q)
    assert not (answer.status == VALID).any()
    assert answer.free[:, 0].any()


def test_arms_with_six_joints_have_no_second_equation() -> None:
    for name in ("rx90", "puma560", "ur5e", "stanford"):
        text = "\n".join(symoro.generate(symoro.load(name), "inverse-geometry").explain())
        assert "other1" not in text, name


# -- a roll of the forearm: if it is a multiple of pi, the last pitch axis is parallel to those of shoulder and elbow

FOREARMS = {
    "roll": ((0, 0.4, 0, 0), (0.3, 0, 0, 0.35, 0)),
    "roll_shoulder_offset": ((0.1, 0.4, 0, 0), (0.3, 0, 0, 0.35, 0)),
    "roll_elbow_offset": ((0.1, 0.4, 0.05, 0), (0.3, 0, 0, 0.35, 0)),
    "roll_lateral_offset": ((0, 0.4, 0, 0), (0.3, 0, 0.1, 0.35, 0)),
}


@pytest.mark.parametrize("name", FOREARMS)
def test_right_angles_of_an_arm_with_a_roll_of_the_forearm(name: str) -> None:
    """Axes yaw, pitch, pitch, roll, pitch: the equation of the last joint degenerates where the roll is 0 or pi."""
    d, r = FOREARMS[name]
    made = solver(Arm(serial(name, [0, UP, 0, UP, DOWN], [0, *d], r), 5))
    rng = np.random.default_rng(2)
    q = np.pi / 2 * rng.integers(-1, 3, (60, 5))
    q[:, 3] = np.where(rng.random(60) < 0.7, rng.integers(0, 2, 60) * np.pi, q[:, 3])
    q[30:, :3] = rng.uniform(-2, 2, (30, 3))
    check_regular(made, q)
