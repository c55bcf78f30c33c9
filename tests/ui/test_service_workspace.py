"""Test the workspace of the scene: points reached by the robot, and robots for which there is none."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.ui.service import call
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


def test_closed_loops_are_rejected() -> None:
    answer = call("workspace", {"robot": document("fivebar")})
    assert "not independent" in answer["error"]["message"]


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
