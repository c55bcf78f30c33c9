"""Optimal postures: better than chance, equal to exhaustive search, and with the predicted deviations."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.identification.posture_design import _gains, exchange, optimal_postures
from symoro.models.calibration.chain import end_poses, numeric_chain
from symoro.models.calibration.columns import path_to
from symoro.models.geometric.capsules import capsule_model
from symoro.robot.description import Robot
from symoro.ui.cli import main


@pytest.mark.parametrize("measure", ["pose", "position", "distance"])
def test_better_than_the_best_random_set(measure: str) -> None:
    options = symoro.PostureOptions(point=(0.4, 1.3, 0.2))
    design = optimal_postures("rx90", 40, measure=measure, options=options)
    assert design.postures.shape == (40, 6)
    assert design.index > 1.02 * design.random_best > 1.02 * design.random_median


def test_the_same_seed_gives_the_same_postures() -> None:
    one, again, other = (
        optimal_postures("planar3r", 8, options=symoro.PostureOptions(candidates=40, seed=seed))
        for seed in (1, 1, 2)
    )
    assert (again.postures == one.postures).all() and not (other.postures == one.postures).any()


def log_determinant(blocks: np.ndarray) -> float:
    w = blocks.reshape(-1, blocks.shape[2])
    return float(np.linalg.slogdet(w.T @ w)[1])


@pytest.mark.parametrize("seed", range(6))
def test_exchanges_reach_the_exhaustive_optimum(seed: int) -> None:
    """On small sets the best of a few starts is the best of all selections."""
    rng = np.random.default_rng(seed)
    blocks = rng.standard_normal((12, 2, 5))
    every = max(log_determinant(blocks[list(one)]) for one in combinations(range(12), 5))
    starts = [rng.permutation(12)[:5] for _ in range(8)]
    best = max(log_determinant(blocks[exchange(blocks, start)]) for start in starts)
    assert best == pytest.approx(every, abs=1e-9)


def test_gains_are_those_of_the_determinant() -> None:
    blocks = np.random.default_rng(1).standard_normal((9, 3, 4))
    gained = [log_determinant(np.concatenate([blocks[:5], one[None]])) for one in blocks[5:]]
    assert _gains(blocks[:5], blocks[5:]) == pytest.approx(np.array(gained) - log_determinant(blocks[:5]))


def scaled_robot(scale: float) -> Robot:
    """A serial robot with all lengths multiplied by a factor."""
    rows = [("q1", 0.3 * scale, 0, "pi/2"), ("q2", 0, 0.5 * scale, 0), ("q3", 0.1 * scale, 0.4 * scale, 0)]
    return symoro.Robot.from_dh(rows, "standard")


def test_index_and_postures_do_not_depend_on_the_unit_of_length() -> None:
    metres = optimal_postures(scaled_robot(1.0), 12, measure="position", noise={"length": 1e-4})
    millimetres = optimal_postures(scaled_robot(1000.0), 12, measure="position", noise={"length": 0.1})
    assert millimetres.index == pytest.approx(metres.index, rel=1e-9)
    assert millimetres.postures == pytest.approx(metres.postures, abs=1e-9)


def test_a_calibration_has_the_predicted_deviations() -> None:
    """The mean squared normalised error of all parameters over 14 noisy calibrations is one."""
    robot = symoro.load("rx90")
    noise = {"length": 2e-4, "angle": 3e-4}
    design = optimal_postures(robot, 20, noise=noise)
    errors = {"theta2": 0.003, "d3": 0.001}
    ratios = []
    for seed in range(14):
        measured = symoro.simulated_measurements(robot, design.postures, errors, **noise, seed=seed)
        result = symoro.calibrate(robot, measured, noise=noise)
        assert result.names == design.names
        truth = np.array([errors.get(name, 0.0) for name in result.names])
        ratios.append((result.errors - truth) / design.deviations)
    assert 0.8 < np.mean(np.square(ratios)) < 1.2  # 420 squares: a deviation of 0.07
    assert (np.sqrt(np.mean(np.square(ratios), axis=0)) < 1.8).all()


def test_restrictions_are_kept() -> None:
    robot = symoro.load("panda")
    region = [0.1, 0.8, -0.5, 0.5, 0.1, 0.9]
    options = symoro.PostureOptions(region=region, collision=True, candidates=200, margin=0.9)
    design = optimal_postures(robot, 15, measure="position", options=options)
    place = end_poses(numeric_chain(path_to(robot, None)), design.postures, {})[:, :3, 3]
    assert (place >= np.array(region[::2])).all() and (place <= np.array(region[1::2])).all()
    for k, frame in enumerate(robot.frames[:7]):
        low, high = frame.limits.lower or 0.0, frame.limits.upper or 0.0
        middle, half = (low + high) / 2, 0.9 * (high - low) / 2
        assert (np.abs(design.postures[:, k] - middle) <= half + 1e-9).all()
    model = capsule_model(robot)
    checked = [k for k, pair in enumerate(model.pairs) if pair not in ((3, 5), (5, 7))]
    assert design.smallest is not None
    assert model.distances(design.postures)[:, checked].min() == pytest.approx(design.smallest[0])
    assert design.smallest[0] > 0.013 and "not checked" in str(design)


def test_contacts_are_on_the_plane() -> None:
    robot = symoro.load("rx90")
    options = symoro.PostureOptions(plane=(0, 0, 1, 0.2), candidates=150)
    design = optimal_postures(robot, 20, measure="plane", options=options)
    place = end_poses(numeric_chain(path_to(robot, None)), design.postures, {})[:, :3, 3]
    assert place[:, 2] == pytest.approx(0.2, abs=1e-6)
    assert design.index > design.random_best


def test_bad_input_is_rejected() -> None:
    with pytest.raises(ArgumentError, match="4 postures give 24 equations for 30 parameters"):
        optimal_postures("rx90", 4)
    with pytest.raises(ProgramError, match="random postures satisfy the joint limits, the region"):
        options = symoro.PostureOptions(region=[50, 51, 50, 51, 0, 1], candidates=50)
        optimal_postures("rx90", 30, options=options)
    with pytest.raises(NotApplicableError):
        optimal_postures("sr400", 30)
    with pytest.raises(ArgumentError, match="region"):
        symoro.PostureOptions(region=[1, 0, 0, 1, 0, 1])
    with pytest.raises(OptionError, match="candidates"):
        symoro.PostureOptions(candidates=1)
    with pytest.raises(ArgumentError, match="noise"):
        optimal_postures("rx90", 30, noise={"length": -1.0})


def test_the_command_writes_postures_that_calibrate_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "postures.csv"
    plane = ["--measure", "plane", "--plane", "0,0,1,0.2"]
    common = ["postures", "rx90", "--count", "15", "--candidates", "40", *plane]
    assert main([*common, "-o", str(file), "--degrees"]) == 0
    assert "observability index" in capsys.readouterr().out
    robot = symoro.load("rx90")
    measured = symoro.read_measurements(robot, file, "plane", degrees=True)
    place = end_poses(numeric_chain(path_to(robot, None)), measured.q, {})[:, :3, 3]
    assert len(measured) == 15 and place[:, 2] == pytest.approx(0.2, abs=1e-6)
    missing = tmp_path / "none.csv"
    assert main(["postures", "rx90", "--count", "2", "-o", str(missing)]) == 2
    assert not missing.exists()
