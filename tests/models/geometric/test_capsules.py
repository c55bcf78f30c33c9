"""Distances of capsules: segments against SciPy and samples, gradients against differences, and derived shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import symoro
from symoro.errors import ArgumentError, FormatError, NotApplicableError, RobotError
from symoro.expr.formula import ZERO, formula
from symoro.models.geometric.capsules import FLOOR, body_of, capsule_model, closest_points
from symoro.models.geometric.posture import figure
from symoro.robot.description import Capsule, JointType, Robot
from symoro.robot.formats.yaml_file import read_yaml, write_yaml

RNG = np.random.default_rng(5)


def segments(kind: str, count: int = 300) -> tuple[np.ndarray, ...]:
    """Random segments p + s u and o + t v of one kind."""
    p, u, o, v = RNG.uniform(-1, 1, (4, count, 3))
    if kind == "parallel":
        v = u * RNG.uniform(-2, 2, (count, 1))
    if kind == "nearly parallel":
        v = u * RNG.uniform(-2, 2, (count, 1)) + 1e-9 * v
    if kind == "collinear":
        o, v = p + RNG.uniform(-3, 3, (count, 1)) * u, u * RNG.uniform(-2, 2, (count, 1))
    if kind == "point and segment":
        u = 0 * u
    if kind == "two points":
        u, v = 0 * u, 0 * v
    if kind == "crossing":
        o = p + 0.3 * u - 0.6 * v
    if kind == "large and small":
        u, v = 1e-7 * u, 1e4 * v
    return p, u, o, v


KINDS = ("general", "parallel", "nearly parallel", "collinear", "point and segment", "two points", "crossing")


@pytest.mark.parametrize("kind", [*KINDS, "large and small"])
def test_distances_of_segments_are_minima(kind: str) -> None:
    """No point of a fine grid is closer, and a bounded minimisation of the squared distance agrees."""
    p, u, o, v = segments(kind)
    distances, s, t = closest_points(p, u, o, v)
    assert ((s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)).all()
    between = p + s[:, None] * u - o - t[:, None] * v
    assert distances == pytest.approx(np.linalg.norm(between, axis=1))
    steps = np.linspace(0, 1, 41)
    grid = (p + steps[:, None, None, None] * u) - (o + steps[None, :, None, None] * v)
    size = np.linalg.norm(u, axis=1) + np.linalg.norm(v, axis=1) + 1
    assert (distances <= np.linalg.norm(grid, axis=-1).min((0, 1)) + 1e-12 * size).all()
    for k in range(0, 60, 6):
        best = min(
            minimize(
                lambda x, k=k: ((p[k] + x[0] * u[k] - o[k] - x[1] * v[k]) ** 2).sum(),
                start,
                bounds=[(0, 1)] * 2,
                options={"ftol": 1e-15, "gtol": 1e-12},
            ).fun
            for start in ((0.2, 0.7), (0.9, 0.1))
        )
        assert distances[k] <= np.sqrt(best) + 1e-7 * size[k]


def test_crossing_segments_have_no_distance() -> None:
    assert closest_points(*segments("crossing"))[0] == pytest.approx(0, abs=1e-12)


def sphere_arm(**changes: Any) -> Robot:
    """Planar arm of three links with described capsules."""
    robot = symoro.load("planar3r")
    capsules = tuple(Capsule(j, end=(formula(2), ZERO, ZERO), radius=formula(0.1)) for j in (1, 2, 3))
    return robot.replace(capsules=capsules, **changes)


@pytest.mark.parametrize("name", ["panda", "puma560", "scara", "stanford"])
def test_gradients_are_derivatives(name: str) -> None:
    """Also for prismatic joints, and for the distances from a floor."""
    robot = symoro.load(name)
    model = capsule_model(robot, radius=0.02, floor=-0.4)
    n = len(model.tree.coordinates)
    assert any(pair[0] == FLOOR for pair in model.pairs)
    q, way = RNG.uniform(-1.5, 1.5, (20, n)), RNG.standard_normal((20, n))
    _, slope = model.violation(q, 0.6)
    columns = [model.joints.index(j) for j in model.tree.coordinates]
    step = 1e-6
    up, down = (model.violation(q + sign * step * way, 0.6)[0] for sign in (1, -1))
    assert np.abs(slope).max() > 0
    difference = (up - down) / (2 * step)
    apart = model.distances(q).min(1) > -0.0399  # the axes do not cross, where there is no derivative
    assert apart.sum() > 5
    assert (slope[:, columns] * way).sum(1)[apart] == pytest.approx(difference[apart], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("name", ["panda", "scara", "stanford"])
def test_rates_are_bounded(name: str) -> None:
    robot = symoro.load(name)
    model = capsule_model(robot, floor=0.0)
    q = RNG.uniform(-1, 1, (400, len(model.tree.coordinates)))
    step = 1e-5 * RNG.uniform(-1, 1, q.shape)
    slides = {j: 1.1 for j in model.joints if robot.frame(j).sigma == JointType.PRISMATIC}
    change = np.abs(model.row_distances(q + step) - model.row_distances(q))
    assert (change <= np.abs(step) @ model.rate_bounds(slides).T * (1 + 1e-6) + 1e-12).all()


@pytest.mark.parametrize("name", ["panda", "scara", "tx40", "stanford"])
def test_derived_capsules_follow_the_drawn_lines(name: str) -> None:
    robot = symoro.load(name)
    q = RNG.uniform(
        0.1, 1, len(symoro.load(name).postures.get("home", capsule_model(robot).tree.coordinates))
    )
    drawn = {
        tuple(np.round(sorted([a, b]), 9).reshape(-1))
        for line in figure(robot, {}, q).segments
        for a, b in zip(line.points, line.points[1:], strict=False)
        if np.linalg.norm(np.subtract(a, b)) > 1e-9
    }
    model = capsule_model(robot)
    ends = model._ends(model._placed(q[None]))[0]
    followed = {tuple(np.round(sorted(map(tuple, pair)), 9).reshape(-1)) for pair in ends}
    assert {tuple(x + 0.0 for x in line) for line in drawn} == {
        tuple(x + 0.0 for x in one) for one in followed
    }


def test_adjacent_links_are_no_pair_even_with_shapeless_links_between() -> None:
    model = capsule_model(symoro.load("panda"))
    shaped = {one.body for one in model.capsules}
    assert 2 not in shaped and (1, 3) not in model.pairs and (1, 5) in model.pairs


def test_described_capsules_replace_derived_ones() -> None:
    model = capsule_model(sphere_arm())
    assert model.described and model.pairs == ((1, 3),)
    straight, folded = model.distances(np.array([[0.0, 0, 0], [0, np.pi, 0]]))[:, 0]
    assert straight == pytest.approx(4 - 2 - 0.2)  # link 1 ends at 2, link 3 begins at 4
    assert folded == pytest.approx(-0.2)


def test_frames_of_fixed_joints_belong_to_one_body() -> None:
    robot = symoro.load("planar3r").with_frame(3, sigma=JointType.FIXED, mu=False)
    assert [body_of(robot, j) for j in range(4)] == [0, 1, 2, 2]


def test_capsules_are_kept_in_the_robot_file() -> None:
    robot = sphere_arm()
    text = write_yaml(robot)
    assert "capsules:" in text and read_yaml(text).capsules == robot.capsules


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{start: [0, 0, 0], radius: 1}", "'frame' of the capsule is missing"),
        ("{frame: 1, end: [0, 0, 1]}", "'radius' of the capsule is missing"),
        ("{frame: 7, radius: 1}", "expected a frame, 0 to 3"),
        ("{frame: 1, radius: 0}", "not positive"),
        ("{frame: 1, radius: 1, width: 2}", "unknown key 'width'"),
    ],
)
def test_wrong_capsules_are_rejected(line: str, message: str) -> None:
    text = write_yaml(symoro.load("planar3r")) + f"capsules:\n  - {line}\n"
    with pytest.raises((FormatError, RobotError), match=message):
        read_yaml(text)


def test_robots_without_fixed_tree_are_rejected() -> None:
    for robot in (symoro.load("delta"), symoro.load("planar3r").floating()):
        with pytest.raises(NotApplicableError):
            capsule_model(robot)
    with pytest.raises(ArgumentError, match="no number is given for"):
        capsule_model(symoro.load("planar3r").with_frame(2, d="D2"))
