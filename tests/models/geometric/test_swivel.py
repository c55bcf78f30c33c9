"""Seven joints with the swivel angle: every solution reaches the pose, with the elbow at the given angle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError

POSES = 40


def model_of(name: str) -> tuple[Any, Any, Any]:
    robot = symoro.load(name)
    solve = symoro.generate(robot, "inverse-geometry", swivel=True).function(compiled=False)
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    elbow = symoro.generate(robot, "fast-geometry", to=4).function(compiled=False)
    return solve, place, elbow


@pytest.mark.parametrize("name", ["iiwa14", "lwr4plus"])
def test_all_solutions_reach_the_pose_with_one_elbow(name: str) -> None:
    solve, place, elbow = model_of(name)
    rng = np.random.default_rng(1)
    q = rng.uniform(-3, 3, (POSES, 7))
    T = place(q=q)["T"]
    result = solve(T=T, swivel=rng.uniform(-3, 3, POSES))
    assert (result["status"] == 0).all()
    assert result["residual"].max() < 1e-12
    flat = result["q"].reshape(-1, 7)
    assert abs(place(q=flat)["T"].reshape(POSES, 8, 4, 4) - T[:, None]).max() < 1e-12
    where = elbow(q=flat)["T"][:, :3, 3].reshape(POSES, 8, 3)
    assert abs(where - where[:, :1]).max() < 1e-12


@pytest.mark.parametrize("name", ["iiwa14", "lwr4plus"])
def test_the_angle_turns_the_elbow_about_the_line_from_shoulder_to_wrist(name: str) -> None:
    solve, place, elbow = model_of(name)
    T = place(q=np.array([0.3, 0.7, -0.4, 1.1, 0.5, -0.8, 0.2]))["T"]
    angles = np.linspace(-3, 3, 25)
    q = solve(T=T, swivel=angles)["q"][:, 0]
    where = elbow(q=q)["T"][:, :3, 3]
    centre = where[0] + 0  # the elbow's circle: same height along the line, same distance from it
    shoulder = symoro.generate(symoro.load(name), "fast-geometry", to=2).function(compiled=False)(q=q)["T"][
        :, :3, 3
    ]
    assert abs(shoulder - shoulder[0]).max() < 1e-12
    radius = np.linalg.norm(where - shoulder[0], axis=1)
    assert abs(radius - radius[0]).max() < 1e-12
    axis = np.cross(where[1] - centre, where[2] - where[1])
    axis /= np.linalg.norm(axis)
    across = where - shoulder[0] - np.outer((where - shoulder[0]) @ axis, axis)
    turned = np.unwrap(np.arctan2(np.cross(across[0], across) @ axis, across @ across[0]))
    assert abs(turned - (angles - angles[0])).max() < 1e-9


def test_zero_is_the_plane_of_the_first_axis() -> None:
    solve, place, _ = model_of("iiwa14")
    T = place(q=np.array([0.3, 0.7, -0.4, 1.1, 0.5, -0.8, 0.2]))["T"]
    third = solve(T=T)["q"][:, 2]
    assert abs(np.sin(third)).max() < 1e-12


def test_the_stretched_arm_is_singular_and_close_to_it_is_not_wrong() -> None:
    solve, place, _ = model_of("iiwa14")
    posture = np.array([0.3, 0.7, -0.4, 0.0, 0.5, -0.8, 0.2])
    result = solve(T=place(q=posture)["T"])
    assert not (result["status"] == 0).any()
    assert (result["status"] == 2).any()
    posture[3] = 1e-3
    result = solve(T=place(q=posture)["T"], swivel=0.4)
    assert (result["status"] == 0).sum() == 8


def test_another_arm_is_told_why_not() -> None:
    for name in ("panda", "rx90"):
        with pytest.raises(NotApplicableError, match="axes 1-2-3 intersect in one point"):
            symoro.generate(symoro.load(name), "inverse-geometry", swivel=True)
