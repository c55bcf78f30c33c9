"""Optimised motions: slopes against differences, limits kept on a finer grid than they were sought on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, OptionError, ProgramError
from symoro.estimation.excite import Excitation, _limits, excite, trajectory_text
from symoro.estimation.series_search import SeriesSearch, condition
from symoro.model import generate
from symoro.motion.files import load_trajectory
from symoro.motion.paths import FourierPath
from symoro.motion.samples import Samples
from symoro.motion.trajectory import Fourier, Trajectory
from symoro.motion.trajectory_yaml import read_trajectory_text
from symoro.robot.description import Limits, Robot


def arm() -> Robot:
    """Three joints with limits and numbers."""
    robot = symoro.load("planar3r")
    limits = Limits(-1.5, 1.2, 2.0, 300.0)
    for j in range(1, 4):
        robot = robot.with_frame(j, limits=limits)
        robot = robot.with_link(j, ZZ=0.1 * j, MX=0.2 * j, M=1.0 * j)
    return robot


@pytest.mark.parametrize("criterion", ["condition", "determinant"])
@pytest.mark.parametrize("grown", [1.0, 3.0])
def test_the_slope_is_the_derivative(criterion: str, grown: float) -> None:
    """Also where limits are passed, torques among them."""
    robot = arm()
    limits = _limits(robot, 5.0, 0.9, torque=True)
    work = SeriesSearch(robot, dict(robot.nominal), limits, 3, 0.2, criterion, "all", True, 30)
    rng = np.random.default_rng(2)
    x = grown * work.start(rng).reshape(-1)
    way = rng.standard_normal(x.size)
    _, slope = work.objective(x, 10.0)
    step = 1e-6
    up, down = (work.objective(x + s * step * way, 10.0)[0] for s in (1, -1))
    assert slope @ way == pytest.approx((up - down) / (2 * step), rel=1e-5)


def test_limits_are_kept_and_the_motion_is_better_than_chance() -> None:
    robot = arm()
    found = excite(robot, harmonics=3, frequency=0.2, acceleration=8.0, starts=1)
    samples = symoro.sampled(robot, found.trajectory, step=0.001)
    for k in range(3):
        assert samples.q[:, k].min() >= -1.5 and samples.q[:, k].max() <= 1.2
        assert np.abs(samples.qd[:, k]).max() <= 2.0
        assert np.abs(samples.qdd[:, k]).max() <= 8.0
    assert np.abs(samples.qd[[0, -1]]).max() < 1e-9 and np.abs(samples.qdd[[0, -1]]).max() < 1e-8
    told = symoro.torques(robot, found.trajectory)
    assert not told.passed
    limits = _limits(robot, 8.0, 0.95, torque=True)
    work = SeriesSearch(robot, dict(robot.nominal), limits, 3, 0.2, "condition", "all", True, 24)
    chance = [condition(work.matrix(work.start(np.random.default_rng(s)))) for s in range(20)]
    assert found.condition < min(chance)


def most(robot: Robot, found: Excitation) -> dict[str, float]:
    """The largest shares of the limits that the motion takes, between the samples that it was found on too."""
    (part,) = found.trajectory.parts
    assert isinstance(part, Fourier)
    series = FourierPath(
        np.array(part.offset), np.array(part.sine), np.array(part.cosine), part.frequency, 5.0
    )
    q, qd, qdd = series.at(np.linspace(0, 1 / part.frequency, 20001))
    tau = np.asarray(generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"])
    limits = robot.frame(1).limits
    lower, upper, fastest, effort = limits.lower, limits.upper, limits.velocity, limits.effort
    assert lower is not None and upper is not None and fastest is not None and effort is not None
    return {
        "position": float(np.abs(q - (lower + upper) / 2).max() / ((upper - lower) / 2)),
        "velocity": float(np.abs(qd).max() / fastest),
        "acceleration": float(np.abs(qdd).max() / 6.0),
        "effort": float(np.abs(tau).max() / effort),
    }


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("effort", [3000.0, 300.0])
def test_limits_hold_between_samples_without_a_margin(seed: int, effort: float) -> None:
    """Friction that jumps is part of the efforts."""
    robot = arm()
    for j in range(1, 4):
        robot = robot.with_frame(j, limits=Limits(-1.5, 1.2, 2.0, effort), FS=2.0)
    found = excite(robot, harmonics=2, frequency=0.5, acceleration=6.0, margin=1, starts=1, seed=seed)
    shares = most(robot, found)
    assert max(shares.values()) <= 1
    assert found.used == pytest.approx(shares, rel=2e-4)
    assert max(shares.values()) > 0.99, "the limits are used"


def test_the_condition_told_is_that_of_the_regressor() -> None:
    robot = arm()
    found = excite(robot, harmonics=3, frequency=0.2, starts=1, torque=False)
    model = generate(robot, "dynamic-identification", parameters="base", friction="all")
    assert tuple(model.columns) == found.columns
    (part,) = found.trajectory.parts
    assert isinstance(part, Fourier)
    series = FourierPath(
        np.array(part.offset), np.array(part.sine), np.array(part.cosine), part.frequency, 5.0
    )
    q, qd, qdd = series.at((np.arange(24) + 0.5) / 24 / 0.2)
    rows = model.function()(q=q, qd=qd, qdd=qdd)["W"]
    assert condition(np.asarray(rows).reshape(-1, len(found.columns))) == pytest.approx(
        found.condition, rel=1e-6
    )


def test_efforts_that_do_not_carry_the_robot_are_told() -> None:
    robot = arm()
    weak = robot.with_frame(1, limits=Limits(-0.2, 0.2, 2.0, 1.0))
    with pytest.raises(ProgramError, match="within its limits"):
        excite(weak, harmonics=2, frequency=0.2, starts=1)


def test_the_file_says_the_same() -> None:
    found = excite(arm(), harmonics=2, frequency=0.2, starts=1, torque=False)
    again = read_trajectory_text(trajectory_text(found))
    one, other = (symoro.sampled(arm(), t, step=0.01) for t in (found.trajectory, again))
    assert one.q == pytest.approx(other.q, abs=1e-7)


def test_what_cannot_be() -> None:
    with pytest.raises(OptionError, match="criterion"):
        excite(arm(), criterion="beauty")
    with pytest.raises(OptionError, match="harmonics"):
        excite(arm(), harmonics=0)
    with pytest.raises(OptionError, match="2 to 50 harmonics"):
        excite(arm(), harmonics=1)
    with pytest.raises(OptionError, match="frequency"):
        excite(arm(), frequency=float("inf"))
    with pytest.raises(ArgumentError, match="acceleration"):
        excite(arm(), acceleration=-1.0)
    for wrong in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0], [[1.0], [2.0], [3.0]], [], [1.0, float("nan"), 1.0]):
        with pytest.raises(ArgumentError, match="one or 3"):
            excite(arm(), acceleration=wrong)
    with pytest.raises(OptionError, match="seed"):
        excite(arm(), seed=-1)
    with pytest.raises(OptionError, match="at least one sample"):
        excite(arm(), samples=0)
    with pytest.raises(ArgumentError, match="no number is known"):
        excite(symoro.load("rx90"), torque=True)
    with pytest.raises(ArgumentError, match="no range is known for q1"):
        excite(symoro.load("gantry").with_frame(1, limits=Limits()))


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symoro.ui.cli import main

    path = tmp_path / "motion.yaml"
    wanted = ["excite", "planar2r", "-o", str(path), "--harmonics", "2", "--starts", "1", "--no-torque"]
    assert main(wanted) == 0
    assert "condition" in capsys.readouterr().out
    assert main(["torques", "planar2r", str(path), "--csv"]) == 0
    table = tmp_path / "motion.csv"
    assert main([*wanted[:3], str(table), *wanted[4:]]) == 0
    assert "used of 95 % of the limits" in capsys.readouterr().out
    series, samples = load_trajectory(path), load_trajectory(table)
    assert isinstance(series, Trajectory) and isinstance(samples, Samples)
    assert symoro.sampled("planar2r", series, step=0.01).q == pytest.approx(samples.q, abs=1e-7)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["planar2r", "-o", "motion.txt"], "written as .yaml"),
        (["planar2r", "--acceleration", "1,2,3"], "one or 2"),
        (["planar2r", "--seed", "-1"], "seed"),
        (["fivebar"], "closed loops"),
        (["rx90_floating"], "floating base"),
        (["car"], "wheeled base"),
    ],
)
def test_what_the_command_line_refuses(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from symoro.ui.cli import main

    assert main(["excite", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("frequency", [0.0, -1.0, np.nan, np.inf, 1e-308, 1e300])
def test_frequencies_that_no_robot_has_are_refused(frequency: float) -> None:
    with pytest.raises(OptionError, match="frequency of 1e-06 to 1e"):
        excite("planar2r", frequency=frequency)


def test_lengths_that_overflow_are_told() -> None:
    with pytest.raises(ArgumentError, match="does not stay finite"):
        excite("planar2r", harmonics=2, starts=1, values={"D2": 1e200})
