"""Laws, splines and paths: ends, derivatives against differences, limits reached and not passed."""

import numpy as np
import pytest

from symoro.errors import ArgumentError
from symoro.models.numeric.rotation import exponential, hat
from symoro.trajectory.paths import (
    LAWS,
    Between,
    FourierPath,
    Law,
    PosesThrough,
    Round,
    Straight,
    Through,
    made_law,
)
from symoro.trajectory.splines import (
    cubic_rates,
    quintic_pieces,
    quintic_through,
    values_at,
    with_derivatives,
)

rng = np.random.default_rng(5)


def differences(function, t, h=1e-5):
    before, after = function(t - h), function(t + h)
    return (after[0] - before[0]) / (2 * h), (after[1] - before[1]) / (2 * h)


@pytest.mark.parametrize("kind", LAWS)
def test_a_law_goes_from_rest_to_rest(kind):
    law = made_law(kind, np.array([1.0]), duration=2.5)
    s, sd, _ = law.at(np.array([-1.0, 0.0, 2.5, 9.0]))
    assert s.tolist() == [0, 0, 1, 1] and sd.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("kind", LAWS)
def test_the_derivatives_of_a_law_are_its_own(kind):
    law = made_law(kind, np.array([1.0]), duration=2.4)
    t = np.linspace(0.05, 2.35, 57)  # misses the corners of the trapezoid
    first, second = differences(law.at, t)
    _, sd, sdd = law.at(t)
    assert np.abs(first - sd).max() < 1e-8 and np.abs(second - sdd).max() < 1e-5


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("velocity, acceleration", [([1.0, 2.0], [3.0, 3.0]), ([50.0, 50.0], [1.0, 4.0])])
def test_a_timed_move_reaches_one_limit_and_passes_none(kind, velocity, acceleration):
    way = np.array([2.0, -3.0])
    law = made_law(kind, way, velocity=np.array(velocity), acceleration=np.array(acceleration))
    _, sd, sdd = law.at(np.linspace(0, law.duration, 200_001))
    shares = [np.abs(way) * peak / limit for peak, limit in ((sd.max(), velocity), (sdd.max(), acceleration))]
    assert max(map(max, shares)) == pytest.approx(1, abs=1e-8)


def test_a_move_by_nothing_is_over_at_once():
    law = made_law("quintic", np.zeros(2), velocity=np.ones(2), acceleration=np.ones(2))
    assert law.duration == 0 and law.at(np.zeros(1))[1] == 0


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"velocity": [1]},
        {"duration": 0},
        {"duration": np.nan},
        {"duration": 1e9},
        {"velocity": [0], "acceleration": [1]},
        {"velocity": [np.nan], "acceleration": [1]},
        {"duration": 1, "velocity": [1], "acceleration": [1]},
    ],
)
def test_invalid_laws_are_rejected(given):
    with pytest.raises(ArgumentError):
        made_law("quintic", np.ones(1), **given)


def test_the_quintic_spline_is_four_times_smooth_through_its_points():
    times, points = np.array([0.0, 0.3, 1.1, 1.2, 2.0]), rng.normal(size=(5, 2))
    rates, seconds = quintic_through(times, points)
    path = Through(times, points, rates, seconds)
    assert np.abs(path.at(times)[0] - points).max() < 1e-12
    assert np.abs(path.at(np.array([0.0, 2.0]))[1:]).max() < 1e-12
    h = 1e-4
    for t in times[1:-1]:
        before = path.at(np.array([t - 2 * h, t - h]))[2]
        after = path.at(np.array([t + h, t + 2 * h]))[2]
        here = path.at(np.array([t]))[2]
        third = ((here - before[1:]) / h, (after[:1] - here) / h)
        scale = np.abs(np.diff(points, axis=0)).max() / 0.1**3
        assert np.abs(third[0] - third[1]).max() < 0.05 * scale


def test_the_cubic_spline_meets_a_smooth_curve():
    t = np.linspace(0, 2 * np.pi, 401)
    rates, seconds = cubic_rates(t, np.sin(t)[:, None])  # zero second derivative at the ends, as the spline
    assert np.abs(rates[:, 0] - np.cos(t)).max() < 1e-6 and np.abs(seconds[:, 0] + np.sin(t)).max() < 1e-3


def test_hermite_keeps_what_it_is_given():
    times = np.array([0.0, 0.7, 1.0])
    given = [rng.normal(size=(3, 2)) for _ in range(3)]
    for result, wanted in zip(
        values_at(with_derivatives(quintic_pieces(times, *given)), times), given, strict=True
    ):
        assert np.abs(result - wanted).max() < 1e-11


def pose(*vector):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = exponential(vector[3:]), vector[:3]
    return T


LAW = Law("quintic", 1.5)
POSES = [pose(*rng.normal(size=6)) for _ in range(4)]
PLACES = np.array([T[:3, 3] for T in POSES])
TIMES = np.array([0.0, 0.5, 0.9, 1.5])
PATHS = {
    "line": Straight(POSES[0], POSES[1], LAW),
    "circle": Round(POSES[0], np.array([0.1, 0.2, 0.3]), np.array([0.6, 0.0, 0.8]), 2.0, LAW),
    "turning circle": Round(POSES[0], np.zeros(3), np.array([0.6, 0.0, 0.8]), -2.0, LAW, turning=True),
    "poses": PosesThrough(Through(TIMES, PLACES, *quintic_through(TIMES, PLACES)), tuple(POSES)),
}


@pytest.mark.parametrize("name", PATHS)
def test_twists_are_the_derivatives_of_poses(name):
    path, h = PATHS[name], 1e-5
    t = np.linspace(0.03, 1.47, 47)  # none within h of a pose on the way
    here, before, after = path.at(t), path.at(t - h), path.at(t + h)
    R = here.T[:, :3, :3]
    assert np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max() < 1e-14
    place = (after.T[:, :3, 3] - before.T[:, :3, 3]) / (2 * h)
    turn = (after.T[:, :3, :3] - before.T[:, :3, :3]) / (2 * h) - hat(here.V[:, 3:]) @ R
    assert np.abs(place - here.V[:, :3]).max() < 1e-7 and np.abs(turn).max() < 1e-7
    assert np.abs((after.V - before.V) / (2 * h) - here.Vd).max() < 1e-5


def test_a_path_through_poses_passes_them():
    assert np.abs(PATHS["poses"].at(TIMES).T - np.array(POSES)).max() < 1e-12


def test_a_circle_keeps_its_distances():
    path = PATHS["circle"]
    away = path.at(np.linspace(0, 1.5, 30)).T[:, :3, 3] - path.centre
    assert np.ptp(np.linalg.norm(away, axis=1)) < 1e-14 and np.ptp(away @ path.axis) < 1e-14


@pytest.mark.parametrize(
    "path",
    [
        Between(rng.normal(size=2), rng.normal(size=2), LAW),
        FourierPath(rng.normal(size=2), rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), 0.4, 2.5),
    ],
)
def test_the_derivatives_of_joint_paths(path):
    t = np.linspace(0.1, 1.4, 30)
    first, second = differences(path.at, t)
    _, qd, qdd = path.at(t)
    assert np.abs(first - qd).max() < 1e-7 and np.abs(second - qdd).max() < 1e-6


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("angle", [0.01, 0.7, 2 * np.pi, -40.0])
@pytest.mark.parametrize(("radius", "velocity"), [(0.01, 0.2), (0.05, 0.2), (0.3, 5.0), (2.0, 0.01)])
@pytest.mark.parametrize("spin", [0.0, 3.0])
def test_a_circle_keeps_its_whole_acceleration(
    kind: str, angle: float, radius: float, velocity: float, spin: float
) -> None:
    """Along and across together, by second differences of the path; and one of the limits is met."""
    way = abs(angle) * np.array([radius, spin])
    limits = {"velocity": np.array([velocity, 9.0]), "acceleration": np.array([1.0, 8.0])}
    law = made_law(kind, way, **limits, turn=angle)
    start = np.eye(4)
    start[0, 3] = radius
    path = Round(start, np.zeros(3), np.array([0.0, 0.0, 1.0]), angle, law)
    t = np.append(np.linspace(0, law.duration, 4001)[1:-1], law.ramp * (1 - 1e-9))
    result, h = path.at(t), law.duration * 1e-4
    fast, hard = (np.linalg.norm(x[:, :3], axis=1).max() for x in (result.V, result.Vd))
    inside = (
        (t > h)
        & (t < law.duration - h)
        & (np.abs(t - law.ramp) > h)
        & (np.abs(t - law.duration + law.ramp) > h)
    )
    before, here, after = (path.at(t[inside] + x).T[:, :3, 3] for x in (-h, 0.0, h))
    second = np.linalg.norm(before - 2 * here + after, axis=1) / h**2
    np.testing.assert_allclose(
        second, np.linalg.norm(result.Vd[inside, :3], axis=1), rtol=0, atol=2e-3 * hard
    )
    assert fast <= velocity * (1 + 1e-9) and hard <= 1 + 1e-9
    _, sd, sdd = law.at(t)
    spun = abs(angle) * spin
    shares = (fast / velocity, hard, spun * sd.max() / 9, spun * np.abs(sdd).max() / 8)
    assert max(shares) > 0.995


def test_a_trapezoidal_circle_is_over_soonest() -> None:
    """Against every trapezoid of a fine grid that keeps the limits."""
    length, angle, most, hardest = 0.3 * 2.0, 2.0, 0.8, 1.0
    law = made_law(
        "trapezoidal",
        np.array([length, 0.0]),
        velocity=np.array([most]),
        acceleration=np.array([hardest]),
        turn=angle,
    )
    T, r = (x.ravel() for x in np.meshgrid(np.linspace(0.5, 4, 700), np.linspace(0.01, 2, 400)))
    keep = r <= T / 2
    T, r = T[keep], r[keep]
    sd = 1 / (T - r)
    whole = length * np.hypot(sd / r, angle * sd**2)
    allowed = (length * sd <= most) & (whole <= hardest)
    assert T[allowed].min() == pytest.approx(law.duration, rel=0.01)
    assert law.duration <= T[allowed].min() * (1 + 1e-9)
