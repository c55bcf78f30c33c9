"""Calibration: errors that were put in come out, with deviations that are true; bad measurements are refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, NotApplicableError, ProgramError
from symoro.identification import calibrate, read_measurements, simulated, write_measurements
from symoro.identification.identified_robot import corrected, parameters_of
from symoro.identification.measurements import Measurements
from symoro.models.calibration.chain import end_poses, numeric_chain
from symoro.models.calibration.columns import path_to
from symoro.models.calibration.identifiable import geometric_parameters
from symoro.models.numeric.rotation import exponential
from symoro.robot.description import Robot


def truth(name: str, seed: int) -> dict[str, float]:
    """Errors of a few millimetres and milliradians, in identifiable parameters alone."""
    rng = np.random.default_rng(seed)
    return {n: float(3e-3 * rng.standard_normal()) for n in geometric_parameters(symoro.load(name)).names}


def postures(name: str, count: int, seed: int) -> np.ndarray:
    robot = symoro.load(name)
    n = sum(f.moving for f in robot.frames)
    return np.random.default_rng(seed).uniform(-2, 2, (count, n))


@pytest.mark.parametrize("name", ["puma560", "rx90"])
def test_errors_are_recovered_with_correct_deviations(name: str) -> None:
    robot, squares = symoro.load(name), []
    for seed in range(6):
        errors = truth(name, seed)
        measured = simulated(robot, postures(name, 50, seed), errors, length=1e-4, angle=1e-4, seed=seed)
        result = calibrate(robot, measured)
        normalised = [
            (result.errors[k] - errors[n]) / result.deviations[k] for k, n in enumerate(result.names)
        ]
        assert max(map(abs, normalised)) < 4
        squares += [x * x for x in normalised]
        assert result.after["length"] == pytest.approx(1e-4, rel=0.2)
        assert result.after["angle"] == pytest.approx(1e-4, rel=0.2)
    assert 0.7 < float(np.mean(squares)) < 1.3


def test_without_noise_everything_is_exact() -> None:
    robot, errors = symoro.load("puma560"), truth("puma560", 3)
    result = calibrate(
        robot, simulated(robot, postures("puma560", 20, 1), errors), noise={"length": 1, "angle": 1}
    )
    assert dict(zip(result.names, result.errors, strict=True)) == pytest.approx(errors, abs=1e-11)


@pytest.mark.parametrize("name", ["puma560", "rx90", "scara", "stanford"])
def test_the_calibrated_robot_has_the_measured_poses(name: str) -> None:
    robot, errors, q = symoro.load(name), truth(name, 5), postures(name, 30, 2)
    measured = simulated(robot, q, errors)
    result = calibrate(robot, measured, noise={"length": 1, "angle": 1}).calibrated
    again = end_poses(numeric_chain(path_to(result, "tool")), q, {})
    assert again == pytest.approx(measured.poses, abs=1e-9)


def test_gains_are_recovered_and_not_written_to_a_description() -> None:
    robot, q = symoro.load("puma560"), postures("puma560", 40, 8)
    measured = simulated(robot, q, {"k2": 1e-3, "theta3": 2e-3})
    result = calibrate(
        robot, measured, noise={"length": 1, "angle": 1}, options=symoro.CalibrationOptions(gains=True)
    )
    errors = dict(zip(result.names, result.errors, strict=True))
    assert errors["k2"] == pytest.approx(1e-3, abs=1e-10)
    with pytest.raises(NotApplicableError, match="k2") as caught:
        _ = result.calibrated
    assert "multiply the measured joint positions by 1 + k" in str(caught.value.hint)
    true = q * (1 + np.array([errors.get(f"k{j}", 0.0) for j in range(1, 7)]))  # as the hint says
    corrected_readings = end_poses(numeric_chain(path_to(robot, None)), true, {"theta3": 2e-3})
    assert corrected_readings == pytest.approx(measured.poses, abs=1e-9)


@pytest.mark.parametrize("measure", ["position", "distance", "plane"])
def test_other_measurements_take_the_misses_out(measure: str) -> None:
    robot, q = symoro.load("puma560"), postures("puma560", 120, 4)
    errors = dict.fromkeys(("alpha2", "d3", "theta3", "r4", "theta5"), 0.001)
    if measure == "plane":
        from symoro.models.calibration.identifiable import on_plane

        true = numeric_chain(path_to(corrected(robot, errors), None))
        q = on_plane(true, q, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.2]))
        measured = Measurements("plane", q, np.zeros((0, 4, 4)), np.zeros(0))
    else:
        poses = simulated(robot, q, errors).poses
        distances = np.linalg.norm(poses[:, :3, 3] - [1.0, 2.0, 0.5], axis=1)
        measured = Measurements(measure, q, poses, distances)
    result = calibrate(
        robot,
        measured,
        noise={"length": 1e-4},
        options=symoro.CalibrationOptions(point=[1.0, 2.0, 0.5], plane=[0, 0, 1, 0.2]),
    )
    assert result.before["length"] > 1e-4
    assert result.after["length"] < 1e-9


def test_poses_that_point_down_are_read_as_they_were_written(tmp_path: Path) -> None:
    robot, q = symoro.load("puma560"), postures("puma560", 3, 0)
    poses = np.repeat(np.eye(4)[None], 3, 0)
    poses[:, :3, :3] = [np.diag([1, -1, -1]), np.diag([-1, 1, -1]), np.diag([-1, -1, 1])]
    write_measurements(robot, Measurements("pose", q, poses, np.zeros(0)), tmp_path / "log.csv")
    assert read_measurements(robot, tmp_path / "log.csv").poses == pytest.approx(poses, abs=1e-15)


@pytest.mark.parametrize("short", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
def test_almost_half_turns_and_right_angles_are_read_as_they_were_written(
    tmp_path: Path, short: float
) -> None:
    """Right-angle postures of the robot, turned about several axes by half a turn less a little."""
    robot, right = symoro.load("puma560"), [0, math.pi / 2, -math.pi / 2, math.pi]
    q = np.array([[0, a, b, 0, c, 0] for a in right for b in right for c in right], dtype=float)
    poses = end_poses(numeric_chain(path_to(robot, None)), q, {})
    axes = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 1], [1, -1, 0], [1, 2, -3], [0, -1e-9, 1]])
    axes = axes / np.linalg.norm(axes, axis=1)[:, None]
    turns = np.concatenate([(math.pi - short) * axes, (short - math.pi) * axes])
    poses[:12, :3, :3] = exponential(turns)
    write_measurements(robot, Measurements("pose", q, poses, np.zeros(0)), tmp_path / "log.csv")
    assert read_measurements(robot, tmp_path / "log.csv").poses == pytest.approx(poses, abs=1e-14)


@pytest.mark.parametrize("alpha", [0.0, math.pi, 1e-10, 2e-9, 1e-8, 1e-6, 1e-3, 0.4, -0.4, math.pi / 2, 3.1])
def test_six_parameters_of_any_placement(alpha: float) -> None:
    from symoro.expr.formula import formula
    from symoro.identification.identified_robot import _pose
    from symoro.robot.description import Placement

    values = {"gamma": 0.3, "b": 0.2, "alpha": alpha, "d": 0.5, "theta": -0.7, "r": 0.4}
    pose = _pose(Placement(0, **{k: formula(v) for k, v in values.items()}))
    again = _pose(Placement(0, **parameters_of(pose)))
    assert again == pytest.approx(pose, abs=2e-10)


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symoro.ui.cli import main

    robot, errors = symoro.load("puma560"), truth("puma560", 1)
    log, out = tmp_path / "poses.csv", tmp_path / "better.yaml"
    write_measurements(
        robot, simulated(robot, postures("puma560", 40, 1), errors, length=1e-4, angle=1e-4), log
    )
    assert main(["calibrate", "puma560", str(log), "-o", str(out)]) == 0
    reported = capsys.readouterr().out
    assert "30 geometric parameters from 40 measurements" in reported and "alpha2" in reported
    better = symoro.load(out)
    again = read_measurements(better, log)
    assert calibrate(better, again, known_base=True, known_tool=True).before["length"] < 2e-4
    assert main(["calibrate", "puma560", str(log), "--json"]) == 0
    positions = ["calibrate", "puma560", str(log), "--measure", "distance", "--point", "-1,0,2"]
    assert main(positions) == 2 and "no column distance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("", "no rows", None),
        ("q1,q2\n", "no rows", None),
        ("q1,q1\n1,2\n", "twice", 1),
        ("q1,q2,q3,q4,q5,q6,x,y,z\n1,2\n", "2 values, but the first line has 9 columns", 2),
        ("q1,q2,q3,q4,q5,q6,x,y,z,rx,ry,rz\n" + "0," * 11 + "nan\n", "'nan' is not a finite number", 2),
        ("q1,q2,q3,q4,q5,q6,x,y,z,rx,ry,rz\n" + "0," * 11 + "a\n", "got 'a'", 2),
        ("q1,q2,q3,q4,q5,x,y,z,rx,ry,rz\n" + "0," * 10 + "0\n", "no column q6", None),
        ("q1,q2,q3,q4,q5,q6,x,y,z\n" + "0," * 8 + "0\n", "orientation", None),
        ("q1,q2,q3,q4,q5,q6,x,y,z,qw,qx,qy,qz\n" + "0," * 12 + "0\n", "quaternion has the length 0", 2),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, text: str, said: str, line: int | None) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=said) as caught:
        read_measurements(symoro.load("puma560"), path)
    if line:
        assert caught.value.place is not None and caught.value.place.line == line


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_measurements_that_are_not_numbers(bad: float) -> None:
    robot = symoro.load("puma560")
    sound = simulated(robot, postures("puma560", 40, 0), {})
    for part in ("q", "poses"):
        spoilt = getattr(sound, part).copy()
        spoilt[3].flat[0] = bad
        with pytest.raises(ArgumentError, match="measurement 4"):
            calibrate(robot, replace(sound, **{part: spoilt}))
    with pytest.raises(ArgumentError, match="expected 6 joint positions"):
        calibrate(robot, replace(sound, q=sound.q[:, :5]))


def test_too_few_and_too_similar_postures() -> None:
    robot = symoro.load("puma560")
    few = simulated(robot, postures("puma560", 5, 0), {})
    with pytest.raises(ArgumentError, match="30 equations for 30 parameters"):
        calibrate(robot, few)
    same = np.repeat(postures("puma560", 1, 0), 40, 0)
    same[:, 0] = np.linspace(-1, 1, 40)
    with pytest.raises(ProgramError, match="do not determine"):
        calibrate(robot, simulated(robot, same, {}))


def test_distances_to_a_point_find_the_error_that_there_is() -> None:
    """Only one joint has an error, and the point is not on an axis."""
    robot, q, point = symoro.load("puma560"), postures("puma560", 150, 5), [1.2, 0.0, 0.4]
    poses = simulated(robot, q, {"theta3": 5e-3}, length=1e-5).poses
    far = np.linalg.norm(poses[:, :3, 3] - point, axis=1)
    result = calibrate(
        robot,
        Measurements("distance", q, np.zeros((0, 4, 4)), far),
        options=symoro.CalibrationOptions(point=point),
    )
    wanted = np.array([5e-3 if name == "theta3" else 0.0 for name in result.names])
    assert "theta3" in result.names
    assert np.abs((result.errors - wanted) / result.deviations).max() < 4
    assert result.after["length"] == pytest.approx(1e-5, rel=0.2)


MARKER = {"TXE": 0.1, "TYE": -0.03, "TZE": 0.02, "RYE": 0.05}


def ends(robot: Robot, to: int | str | None, q: np.ndarray, errors: dict[str, float]) -> np.ndarray:
    return end_poses(numeric_chain(path_to(robot, to)), q, errors)


@pytest.mark.parametrize(
    ("name", "to", "left"), [("puma560", 4, 1e-5), ("puma560", 6, 1e-5), ("rx90", 4, 1e-5), ("scara", 2, 1.0)]
)
def test_a_marker_on_another_frame_does_not_change_the_tool(name: str, to: int, left: float) -> None:
    """The calibrated robot predicts the marker at new postures, and its end effector at least as well as before.

    For scara the error of joint 2 is part of the marker pose: the measurements do not distinguish both.
    """
    robot, errors = symoro.load(name), {"theta2": 3e-3, "d2": 2e-3}
    measured = simulated(robot, postures(name, 60, 3), {**errors, **MARKER}, to=to)
    result = calibrate(robot, measured, to=to, noise={"length": 1, "angle": 1})
    new, fresh = result.calibrated, postures(name, 20, 9)
    assert new.tool == robot.tool
    assert result.marker is not None and result.marker.place.ant == to
    reported = ends(new.replace(tool=result.marker), "tool", fresh, {})
    assert reported == pytest.approx(ends(robot, to, fresh, {**errors, **MARKER}), abs=1e-8)
    true = ends(robot, None, fresh, errors)
    before, after = (np.abs(ends(r, None, fresh, {}) - true)[:, :3, 3].max() for r in (robot, new))
    assert after <= left * before


def test_a_marker_is_reported_and_the_tool_of_the_file_is_unchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from symoro.ui.cli import main

    robot, log, out = symoro.load("puma560"), tmp_path / "log.csv", tmp_path / "better.yaml"
    measured = simulated(robot, postures("puma560", 60, 3), {"theta2": 3e-3, **MARKER}, to=4, length=1e-5)
    write_measurements(robot, measured, log)
    assert main(["calibrate", "puma560", str(log), "--to", "4", "-o", str(out)]) == 0
    assert "the marker is on frame 4 at " in capsys.readouterr().out
    assert symoro.load(out).tool == robot.tool
    assert main(["calibrate", "puma560", str(log), "--to", "4", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)["marker"]
    assert reported["frame"] == 4
    assert reported["position"] == pytest.approx([0.1, -0.03, 0.02], abs=1e-4)
    assert reported["rotation"] == pytest.approx([0, 0.05, 0], abs=1e-4)
    assert calibrate(robot, simulated(robot, measured.q, {})).marker is None


def test_deviations_are_numbers_where_angles_are_exact_and_lengths_are_not() -> None:
    robot, q = symoro.load("puma560"), postures("puma560", 60, 3)
    result = calibrate(robot, simulated(robot, q, {"theta2": 3e-3, **MARKER}, to=4, length=1e-5), to=4)
    assert np.isfinite(result.deviations).all() and np.isfinite(result.correlations).all()


@pytest.mark.parametrize(
    ("to", "measure"), [(4, "position"), (6, "position"), pytest.param(6, "distance", marks=pytest.mark.slow)]
)
def test_positions_of_a_marker_off_the_axes_leave_no_misses(to: int, measure: str) -> None:
    """The pose of the marker is estimated first, then the parameters that it makes identifiable."""
    robot, q = symoro.load("puma560"), postures("puma560", 120, 0)
    errors = {
        "theta2": 3e-3,
        "d3": 2e-3,
        "alpha4": 4e-3,
        "theta4": 2e-3,
        "TXE": 0.1,
        "TYE": -0.03,
        "TZE": 0.05,
    }
    if to == 6:
        errors |= {"theta5": 1e-3, "alpha5": -3e-3}
    poses = simulated(robot, q, errors, to=to).poses
    far = np.linalg.norm(poses[:, :3, 3] - [1.2, 0.3, 0.4], axis=1)
    measured = Measurements(measure, q, poses, far)
    result = calibrate(
        robot,
        measured,
        to=to,
        noise={"length": 1e-4},
        options=symoro.CalibrationOptions(point=[1.2, 0.3, 0.4]),
    )
    assert result.after["length"] < 1e-9
    assert len(result.names) == len(result.parameters.names)
    fresh = postures("puma560", 10, 7)
    assert result.marker is not None
    reported = ends(result.calibrated.replace(tool=result.marker), "tool", fresh, {})[:, :3, 3]
    assert reported == pytest.approx(ends(robot, to, fresh, errors)[:, :3, 3], abs=1e-7)


def test_a_marker_almost_on_an_axis_makes_up_no_parameters() -> None:
    """A lever of the noise's size would show parameters by numbers that mean nothing."""
    robot, q = symoro.load("rx90"), postures("rx90", 80, 2)
    errors = {"theta2": 3e-3, "TZE": 0.1, "TXE": 1e-5}
    poses = simulated(robot, q, errors, length=1e-5).poses
    result = calibrate(robot, Measurements("position", q, poses, np.zeros(0)))
    wanted = np.array([errors.get(name, 0.0) for name in result.names])
    assert result.deviations.max() < 1e-4
    assert np.abs((result.errors - wanted) / result.deviations).max() < 4
