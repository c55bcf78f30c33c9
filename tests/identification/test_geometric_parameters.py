"""Geometric parameters: the regressor against finite differences, and the identifiable set against numeric ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.expr.formula import formula
from symoro.models.calibration.chain import end_poses, numeric_chain
from symoro.models.calibration.columns import columns, path_to
from symoro.models.calibration.identifiable import geometric_parameters
from symoro.models.numeric.rotation import logarithm
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.oracle.numeric import Numeric
from tests.oracle.robots import trees

STEP = 1e-6


def differences(robot: Robot, q: np.ndarray, names: list[str], to: int | str | None = None) -> np.ndarray:
    """The motion of the end by each parameter, by central differences of its placement."""
    chain = numeric_chain(path_to(robot, to))
    result = np.zeros((len(q), 6, len(names)))
    middle = end_poses(chain, q, {})
    for k, name in enumerate(names):
        up, down = (end_poses(chain, q, {name: s * STEP}) for s in (1, -1))
        result[:, :3, k] = (up - down)[:, :3, 3] / (2 * STEP)
        turn = [logarithm(x[:, :3, :3] @ middle[:, :3, :3].transpose(0, 2, 1)) for x in (up, down)]
        result[:, 3:, k] = (turn[0] - turn[1]) / (2 * STEP)
    return result


def rank(rows: np.ndarray) -> int:
    size = np.linalg.norm(rows, axis=0)
    values = np.linalg.svd(rows / np.where(size > 1e-7, size, 1), compute_uv=False)
    return int((values > 1e-7 * values[0]).sum())


@pytest.mark.parametrize(
    "name", ["rx90", "puma560", "stanford", "scara", "panda", "planar3r", "gantry", "tx40"]
)
@pytest.mark.parametrize("gains", [False, True])
def test_the_regressor_is_the_derivative(name: str, gains: bool) -> None:
    robot = symoro.load(name)
    model = symoro.generate(robot, "geometric-identification", gains=gains)
    rng = np.random.default_rng(1)
    q = rng.uniform(-2, 2, (3, model.inputs["q"][0]))
    f = model.function()
    wanted = differences(robot, q, list(model.columns))
    for row, expected in zip(q, wanted, strict=True):
        assert f(q=row)["W"] == pytest.approx(expected, abs=2e-8)


def test_rows_of_positions_distances_and_planes_are_parts_of_those_of_poses() -> None:
    robot, q = symoro.load("puma560"), np.array([0.3, -0.4, 0.5, 0.6, -0.7, 0.8])
    whole = symoro.generate(robot, "geometric-identification").function()(q=q)["W"]
    place = end_poses(numeric_chain(path_to(robot, None)), q[None], {})[0, :3, 3]
    position = symoro.generate(robot, "geometric-identification", measure="position").function()(q=q)["W"]
    assert position == pytest.approx(whole[:3])
    normal, point = np.array([0.6, 0.0, 0.8]), np.array([0.1, 0.2, 0.3])
    plane = symoro.generate(robot, "geometric-identification", measure="plane").function()(q=q, N=normal)["W"]
    assert plane[0] == pytest.approx(normal @ whole[:3])
    away = (place - point) / np.linalg.norm(place - point)
    distance = symoro.generate(robot, "geometric-identification", measure="distance").function()(
        q=q, C=point
    )["W"]
    assert distance[0] == pytest.approx(away @ whole[:3])


@settings(max_examples=20, deadline=None)
@given(trees())
def test_the_chain_without_errors_is_the_robot(robot: Robot) -> None:
    try:
        way = path_to(robot, None)
    except NotApplicableError:
        return
    oracle = Numeric(robot)
    q = [0.2 * (k + 1) for k in range(len(oracle.own))]
    end = "tool" if robot.tool else robot.NL
    assert end_poses(numeric_chain(way), np.array([q]), {})[0] == pytest.approx(
        oracle.transform(q, "world", end), abs=1e-10
    )


def random_robot(seed: int) -> Robot:
    """A serial robot with special and general geometry mixed."""
    rng = np.random.default_rng(seed)
    frames = []
    for j in range(1, int(rng.integers(2, 8))):
        sigma = JointType.PRISMATIC if rng.random() < 0.25 else JointType.REVOLUTE
        alpha = rng.choice([0, math.pi / 2, -math.pi / 2, math.pi, round(rng.uniform(-1.5, 1.5), 2)])
        d, r = (float(rng.choice([0, round(rng.uniform(0.1, 1), 2)])) for _ in range(2))
        frames.append(
            Frame(j - 1, sigma, alpha=formula(float(alpha)), d=formula(d), r=formula(r), theta=formula(0.3))
        )
    return Robot(f"random{seed}", frames=tuple(frames), links=tuple(Link() for _ in frames))


@pytest.mark.parametrize("seed", range(50))
def test_the_identifiable_set_has_the_numeric_rank(seed: int) -> None:
    robot = random_robot(seed)
    way = path_to(robot, None)
    gains = seed % 3 == 0
    names = [c.name for c in columns(way, gains=gains)]
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, (60, len(robot.frames)))
    rows = differences(robot, q, names)
    result = geometric_parameters(robot, gains=gains)
    assert len(result) == rank(rows.reshape(-1, len(names)))
    kept = rows[:, :, [names.index(n) for n in result.names]].reshape(-1, len(result))
    assert rank(kept) == len(result), "the kept ones are independent"
    for name in names:  # and each relation holds
        if name in result.names:
            continue
        own = rows[:, :, names.index(name)].reshape(-1)
        stated = sum(
            float(others[name]) * rows[:, :, names.index(k)].reshape(-1)
            for k, others in result.relations.items()
            if name in others
        )
        assert own == pytest.approx(stated, abs=1e-6), name


@pytest.mark.parametrize("seed", range(0, 50, 7))
def test_positions_show_as_many_as_their_rank(seed: int) -> None:
    robot = random_robot(seed)
    names = [c.name for c in columns(path_to(robot, None))]
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, (80, len(robot.frames)))
    rows = differences(robot, q, names)[:, :3].reshape(-1, len(names))
    assert len(geometric_parameters(robot, measure="position")) == rank(rows)


@pytest.mark.parametrize(("name", "count"), [("rx90", 30), ("puma560", 30), ("stanford", 28), ("scara", 20)])
def test_four_a_turn_two_a_slide_and_six(name: str, count: int) -> None:
    assert len(geometric_parameters(symoro.load(name))) == count


def test_symbols_stay_symbols() -> None:
    robot = symoro.load("rx90").with_frame(2, alpha="A2")
    result = geometric_parameters(robot)
    assert len(result) == 30 and result.method == "exact"


@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-8, 0.0])
def test_axes_that_are_almost_parallel_have_a_beta_and_lose_nothing(tilt: float) -> None:
    robot = symoro.load("puma560").with_frame(3, alpha=tilt)
    result = geometric_parameters(robot)
    assert len(result) == 30
    assert "beta3" in result.names


@pytest.mark.parametrize(
    ("name", "said"), [("fourbar", "loops"), ("rx90_floating", "base"), ("flexible2r", "flexible links")]
)
def test_robots_that_have_none(name: str, said: str) -> None:
    with pytest.raises(NotApplicableError, match=said):
        geometric_parameters(symoro.load(name))


def test_unknown_measures() -> None:
    with pytest.raises(OptionError, match="measure"):
        geometric_parameters(symoro.load("rx90"), measure="colour")


def distance_rank(robot: Robot, point: list[float]) -> int:
    """Of the derivative of the distances to a point, by differences."""
    names = [c.name for c in columns(path_to(robot, None))]
    q = np.random.default_rng(3).uniform(-2.5, 2.5, (300, len(robot.frames)))
    away = end_poses(numeric_chain(path_to(robot, None)), q, {})[:, :3, 3] - point
    away /= np.linalg.norm(away, axis=1)[:, None]
    return rank(np.einsum("sk,skp->sp", away, differences(robot, q, names)[:, :3]))


@pytest.mark.parametrize(
    ("point", "count"), [([1.2, 0.0, 0.4], 22), ([-0.3, 2.0, 0.0], 22), ([0.0, 0.0, 0.0], 18)]
)
def test_distances_determine_parameters_depending_on_their_point(point: list[float], count: int) -> None:
    robot = symoro.load("puma560")
    assert len(geometric_parameters(robot, measure="distance", point=point)) == count
    assert distance_rank(robot, point) == count
    if count == 22:  # a plane says nothing of distances
        again = geometric_parameters(robot, measure="distance", point=point, plane=[0, 0, 1, 0])
        assert len(again) == count


@pytest.mark.parametrize("off", [1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 0.0])
def test_a_point_almost_on_an_axis_is_treated_exactly_or_rejected(off: float) -> None:
    try:
        result = geometric_parameters(symoro.load("puma560"), measure="distance", point=[off, 0, 0.4])
    except ProgramError as error:
        assert 0 < off < 1e-6 and "axis" in str(error.hint)
    else:
        assert len(result) == (22 if off > 0 else 20)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"measure": "distance", "point": [1, 2]}, "expected 3 numbers"),
        ({"measure": "distance", "point": [1, 2, math.nan]}, "expected 3 numbers"),
        ({"measure": "plane", "plane": [0, 0, 0, 1]}, "normal \\(nx, ny, nz\\) is zero"),
    ],
)
def test_places_that_are_none(place: dict[str, object], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        geometric_parameters(symoro.load("puma560"), **place)  # type: ignore[arg-type]
