"""Motions without collisions: distances verified on dense samples, certificates between samples, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.expr.formula import ZERO, formula
from symoro.identification.collision import CollisionOptions, clearance_of
from symoro.identification.excitation import excite
from symoro.robot.description import Capsule, Limits, Robot
from symoro.ui.cli import main


def arm(radius: float = 0.2) -> Robot:
    """Planar arm whose third link can touch its first link within the limits."""
    robot = symoro.load("planar3r").bind({"g": 9.81})
    for j in range(1, 4):
        robot = robot.with_frame(j, limits=Limits(-2.9, 2.9, 3.0))
    return robot.replace(
        capsules=tuple(Capsule(j, end=(formula(2), ZERO, ZERO), radius=formula(radius)) for j in (1, 2, 3))
    )


def smallest_on_samples(robot: Robot, trajectory: symoro.trajectory.Trajectory) -> float:
    """Smallest distance of the axes of links 1 and 3 at 1000 samples, from points of the links in the plane."""
    q = np.cumsum(symoro.trajectory.sampled(robot, trajectory, step=0.01).q, axis=1)
    ways = 2 * np.stack([np.cos(q), np.sin(q)], axis=-1)
    share = np.linspace(0, 1, 61)[:, None]
    one = share * ways[:, None, 0]
    three = ways[:, None, 0] + ways[:, None, 1] + share * ways[:, None, 2]
    gaps = np.linalg.norm(one[:, :, None] - three[:, None], axis=-1)
    return float(gaps.min())


def test_the_motion_keeps_its_links_apart() -> None:
    """Without avoidance the same search lets links 1 and 3 pass through each other."""
    robot = arm()
    options = symoro.ExcitationOptions(starts=1, seed=1, collision=CollisionOptions(clearance=0.1))
    alone = symoro.ExcitationOptions(starts=1, seed=1, collision=False)
    free = excite(robot, harmonics=2, torque=False, options=alone)
    assert free.smallest is None and smallest_on_samples(robot, free.trajectory) < 0.4
    result = excite(robot, harmonics=2, torque=False, options=options)
    assert result.smallest is not None and result.clearance == 0.1
    reached = smallest_on_samples(robot, result.trajectory) - 0.4
    assert reached >= 0.1 - 1e-9
    assert reached == pytest.approx(result.smallest.distance, abs=0.02)  # points 3 cm apart on each link
    assert result.smallest.pair == "link 3 and link 1"
    assert "smallest distance" in str(result) and "capsules" in str(result)
    assert result.condition < 20


def test_described_capsules_are_avoided_by_default() -> None:
    result = excite(arm(), harmonics=2, torque=False, options=symoro.ExcitationOptions(starts=1))
    assert result.smallest is not None and result.smallest.distance >= (result.clearance or 0)
    plain = excite("planar3r", harmonics=2, torque=False, options=symoro.ExcitationOptions(starts=1))
    assert plain.smallest is None and not plain.notes


def test_the_smallest_distance_is_certified_between_samples() -> None:
    """Three samples of a motion miss a close passage, which the bound of the rates finds."""
    robot = arm()
    clearance = clearance_of(robot, CollisionOptions(clearance=0.05), (0.0, 0.0, 0.0))

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bend = 1.3 + 0.6 * np.exp(-(((t - 0.37) / 0.02) ** 2))
        rate = -1.2 * (t - 0.37) / 0.02**2 * np.exp(-(((t - 0.37) / 0.02) ** 2))
        return np.stack([0 * t, bend, bend], 1), np.stack([0 * t, rate, rate], 1)

    fine = np.linspace(0, 1, 100001)
    expected = clearance.model.distances(motion(fine)[0]).min()
    fastest = np.full(3, 1.2 / 0.02**2 * 1.0)  # the largest second derivative of the bend
    smallest = clearance.smallest(motion, np.linspace(0, 1, 3), fastest, {})
    assert expected > clearance.least
    assert smallest.distance == pytest.approx(expected, abs=2 * smallest.tolerance)
    assert smallest.time == pytest.approx(0.37, abs=0.05)


def test_the_floor_is_kept() -> None:
    rows = [("q1", 0.2, 0, "pi/2"), ("q2", 0, 0.5, 0), ("q3", 0, 0.4, 0)]
    robot = symoro.Robot.from_dh(rows, "standard", inertia="symbolic", tool={})
    for j in range(1, 4):
        robot = robot.with_frame(j, limits=Limits(-2.0, 2.0))
    collision = CollisionOptions(floor=0.0, clearance=0.02, radius=0.04)
    options = symoro.ExcitationOptions(starts=1, collision=collision)
    result = excite(robot, harmonics=2, torque=False, friction=(), options=options)
    q = np.cumsum(symoro.trajectory.sampled(robot, result.trajectory, step=0.005).q[:, 1:], axis=1)
    heights = 0.2 + np.sin(q[:, 0]) * 0.5 + np.sin(q[:, 1]) * 0.4
    assert heights.min() - 0.04 >= 0.02 - 1e-9
    assert any("the floor" in note for note in result.notes)  # the column stands on it


def test_links_that_always_touch_are_named() -> None:
    with pytest.raises(ArgumentError, match="all links that are not adjacent are closer"):
        excite(arm(1.9), harmonics=2, torque=False)
    notes = clearance_of(symoro.load("panda"), CollisionOptions(), [0, 0, 0, -1.5, 0, 1.8, 0]).notes()
    assert any("not checked" in note and "link 5 (panda_link5) and link 3" in note for note in notes)


def test_a_floor_above_all_links_is_rejected() -> None:
    with pytest.raises(ArgumentError, match=r"floor: all links of robot .* are below the height 9 m"):
        clearance_of(arm(), CollisionOptions(floor=9.0), [0.0, 0.0, 0.0])
    with pytest.raises(ArgumentError, match="all its links with a shape are adjacent"):
        clearance_of(symoro.load("planar2r"), CollisionOptions(), [0.0, 0.0])


def test_no_posture_without_collision_is_an_error_that_names_the_links() -> None:
    robot = arm().replace(postures={"home": (0.0, 0.0, 0.0)})
    for j in (2, 3):
        robot = robot.with_frame(j, limits=Limits(2.2, 2.6, 3.0))
    options = symoro.ExcitationOptions(starts=1, collision=CollisionOptions(clearance=1.0))
    with pytest.raises(ProgramError, match="link 3 and link 1"):
        excite(robot, harmonics=2, torque=False, options=options)


def test_wrong_options_are_rejected() -> None:
    for wrong in ({"clearance": 0.0}, {"radius": -1.0}, {"floor": float("nan")}, {"clearance": float("inf")}):
        with pytest.raises(OptionError):
            CollisionOptions(**wrong)
    with pytest.raises(NotApplicableError):
        clearance_of(symoro.load("sr400"), CollisionOptions(), ())


def test_the_command_reports_the_smallest_distance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "arm.yaml"
    symoro.save(arm(), file)
    common = ["excite", str(file), "--harmonics", "2", "--no-torque", "--starts", "1", "--json"]
    assert main([*common, "--clearance", "0.1"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["smallest_distance"]["distance"] >= data["clearance"] == 0.1
    assert data["smallest_distance"]["pair"] == "link 3 and link 1" and data["notes"]
    assert main([*common, "--no-collision"]) == 0
    assert "smallest_distance" not in json.loads(capsys.readouterr().out)
    output = tmp_path / "motion.yaml"
    assert main([*common[:-1], "--no-collision", "--floor", "-1", "-o", str(output)]) == 2
    assert "--no-collision excludes" in capsys.readouterr().err and not output.exists()
