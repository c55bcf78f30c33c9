"""Test the workspace of the scene: points reached by the robot, and robots for which there is none."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.ui.service import call, workspace
from symoro.ui.service.answer_types import to_json
from symoro.ui.service.gallery import opened


def document(name: str) -> dict:
    return to_json(opened({"id": name}))["robot"]


def test_points_are_within_the_reach() -> None:
    answer = call("workspace", {"robot": document("puma560"), "count": 200})
    points = np.reshape(answer["points"], (-1, 3))
    assert points.shape == (200, 3)
    shares = np.array(answer["manipulability"])
    assert shares.min() >= 0 and shares.max() == 1
    f = symoro.generate("puma560", "fast-geometry").function(compiled=False)
    reach = max(np.linalg.norm(f(q=q)["T"][:3, 3]) for q in np.random.default_rng(0).uniform(-3, 3, (500, 6)))
    assert np.linalg.norm(points, axis=1).max() <= 1.1 * reach


def test_values_of_symbols_scale_the_points() -> None:
    def size(length: float) -> float:
        values = {"D2": length, "D3": length}
        answer = call("workspace", {"robot": document("planar2r"), "count": 64, "values": values})
        return float(np.abs(answer["points"]).max())

    assert size(1.0) == pytest.approx(1e4 * size(1e-4), rel=1e-6)


def points_of(name: str, **payload: object) -> np.ndarray:
    return np.reshape(
        call("workspace", {"robot": document(name), "count": 400, **payload})["points"], (-1, 3)
    )


def test_points_of_a_five_bar_are_within_both_chains() -> None:
    """Each chain has bars of 0.2 m and 0.3 m; the active joints are at x = 0 and x = 0.24 m."""
    points = points_of("fivebar")
    assert 300 < len(points) < 400  # in the other postures the loop does not close
    distances = np.linalg.norm(points[:, None] - [[0, 0, 0], [0.24, 0, 0]], axis=2)
    assert distances.min() > 0.1 - 1e-9 and distances.max() < 0.5 + 1e-9


def test_points_of_a_delta_are_reached_by_all_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A leg reaches a point if the circle of its elbow and the sphere of its forearm about the point intersect."""
    numbers = dict(symoro.load("delta").nominal)
    shoulder, arm, forearm = numbers["RB"] - numbers["RP"], numbers["LA"], numbers["LF"]

    def reached(points: np.ndarray) -> np.ndarray:
        legs = []
        for angle in (0, 2 * np.pi / 3, 4 * np.pi / 3):
            x = points @ [np.cos(angle), np.sin(angle), 0] - shoulder
            y = points @ [-np.sin(angle), np.cos(angle), 0]
            # |arm (cos t, 0, sin t) - (x, y, z)| = forearm has a solution t
            level = (x**2 + y**2 + points[:, 2] ** 2 + arm**2 - forearm**2) / (2 * arm)
            legs.append(np.hypot(x, points[:, 2]) - np.abs(level))
        return np.min(legs, axis=0)

    monkeypatch.setattr(
        workspace, "TRIALS", 1
    )  # the share of possible positions is that of the workspace in its box
    points = points_of("delta")
    assert reached(points).min() > -1e-9
    center, half = np.array([0, 0, -0.6]), 0.7  # the displayed position, and the length of the robot
    box = center + np.random.default_rng(0).uniform(-half, half, (40_000, 3))
    assert len(points) / 400 == pytest.approx(np.mean(reached(box) > 0), abs=0.03)


@pytest.mark.parametrize("stroke", [0.2, 0.004])
def test_limits_of_legs_bound_the_workspace(stroke: float) -> None:
    """Each leg connects points whose distance is within its limits."""
    robot, numbers = document("gough_stewart"), dict(symoro.load("gough_stewart").nominal)
    answer = call("workspace", {"robot": robot, "count": 20})
    assert "its legs have no limits" in answer["error"]["message"]
    for frame in robot["frames"]:
        if frame["joint"] == "prismatic":
            frame["limits"] = {"lower": repr(0.9 - stroke / 2), "upper": repr(0.9 + stroke / 2)}
    points = np.reshape(call("workspace", {"robot": robot, "count": 200})["points"], (-1, 3))
    pairs = [
        k * 2 * np.pi / 3 + side * np.array([numbers["GB"], numbers["GP"]])
        for k in range(3)
        for side in (-1, 1)
    ]

    def circle(radius: float, angle: float) -> np.ndarray:
        return radius * np.array([np.cos(angle), np.sin(angle), 0])

    legs = [points + circle(numbers["RP"], at) - circle(numbers["RB"], on) for on, at in pairs]
    lengths = np.linalg.norm(legs, axis=2)
    assert len(points) >= 50 and np.abs(lengths - 0.9).max() <= stroke / 2 + 1e-9
    assert lengths.max() - lengths.min() > 0.5 * stroke


def test_the_colours_of_a_five_bar_are_those_of_its_condition_number() -> None:
    robot = symoro.load("fivebar")
    answer = call("workspace", {"robot": document("fivebar"), "count": 100})
    ranges = {f"q{j}": (-np.pi, np.pi) for j in (1, 3)}
    loops = symoro.generate(robot, "loop-geometry").function(compiled=False)
    home = loops(qa=np.zeros(2))["q"]
    mode = int(np.abs(2 * np.sin(home / 2)).sum(1).argmin()) + 1
    same = symoro.sweep(
        robot,
        "jacobian",
        sample=ranges,
        count=100,
        sampling="sobol",
        measures=["condition"],
        task="x,y",
        mode=mode,
    )
    assert same.numbers is not None
    expected = 1 / same.numbers["condition"][np.isfinite(same.numbers["condition"])]
    assert np.array(answer["manipulability"]) == pytest.approx(expected / expected.max(), abs=1e-12)


def test_a_posture_without_velocities_is_rejected() -> None:
    answer = call("workspace", {"robot": document("delta"), "count": 16, "q": [1e300] * 16})
    assert "singular or not closed" in answer["error"]["message"]


def test_wheels_are_rejected() -> None:
    answer = call("workspace", {"robot": document("diffdrive")})
    assert "wheels" in answer["error"]["message"]


def test_the_mode_is_that_of_the_displayed_posture() -> None:
    """The five-bar is symmetric about the axis x, and so are its two assembly modes to each other."""
    f = symoro.generate("fivebar", "loop-geometry").function(compiled=False)
    one, other = f(qa=np.array([1.2, 1.9]))["q"]
    first, second = points_of("fivebar", q=one.tolist()), points_of("fivebar", q=other.tolist())
    mirrored = second * [1, -1, 1]
    assert first.shape == second.shape and np.abs(first - second).max() > 0.1
    assert first.max(0) == pytest.approx(mirrored.max(0), abs=0.05)
    assert points_of("fivebar", q=one.tolist(), count=1).shape == (1, 3)


def test_a_posture_of_another_length_is_rejected() -> None:
    answer = call("workspace", {"robot": document("fivebar"), "q": [0.0, 1.0]})
    assert answer["error"]["kind"] == "ArgumentError"


def test_manipulability_of_a_planar_robot_is_that_in_its_plane() -> None:
    answer = call("workspace", {"robot": document("planar3r"), "count": 100})
    robot = symoro.load("planar3r")
    function = symoro.generate(robot, "jacobian").function(compiled=False)
    geometry = symoro.generate(robot, "fast-geometry").function(compiled=False)
    ranges = {f"q{j}": (-np.pi, np.pi) for j in (1, 2, 3)}
    same = symoro.sweep(robot, "jacobian", sample=ranges, count=100, sampling="sobol", measures=["rank"])
    assert same.numbers is not None
    postures = np.column_stack([same.numbers[name] for name in ranges])
    J = np.array([function(q=q)["J"][:2] for q in postures])
    expected = np.sqrt(np.linalg.det(J @ J.transpose(0, 2, 1)))
    places = np.array([geometry(q=q)["T"][:3, 3] for q in postures])
    assert np.reshape(answer["points"], (-1, 3)) == pytest.approx(places, abs=1e-12)
    assert np.array(answer["manipulability"]) == pytest.approx(expected / expected.max(), abs=1e-12)
