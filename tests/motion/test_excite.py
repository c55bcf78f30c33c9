"""Optimised motions: slopes against differences, limits kept on a finer grid than they were sought on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, OptionError, ProgramError
from symoro.model import generate
from symoro.motion.excite import _limits, excite, trajectory_text
from symoro.motion.paths import FourierPath
from symoro.motion.series_search import SeriesSearch, condition
from symoro.motion.trajectory import Fourier
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
