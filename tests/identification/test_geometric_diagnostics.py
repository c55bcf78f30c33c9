"""Warnings of a calibration: wrong units and conventions are named; sound measurements give none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, ProgramError
from symoro.identification import Measurements, calibrate, simulated, write_measurements
from symoro.models.numeric.rotation import from_quaternion, quaternion
from symoro.robot.description import JointType, Robot

ERRORS = {"theta2": 3e-3, "d3": 2e-3}


def sound(name: str, count: int = 25, **more: float) -> tuple[Robot, Measurements]:
    robot = symoro.load(name)
    n = sum(f.moving for f in robot.frames)
    q = np.random.default_rng(7).uniform(-2, 2, (count, n))
    noise = {"length": 1e-4, "angle": 1e-4}
    errors = {**ERRORS, **{k: v for k, v in more.items() if k not in noise}}
    return robot, simulated(robot, q, errors, **{**noise, **{k: v for k, v in more.items() if k in noise}})  # type: ignore[arg-type]


def millimetres(m: Measurements) -> Measurements:
    poses = m.poses.copy()
    poses[:, :3, 3] *= 1000
    return replace(m, poses=poses, distances=1000 * m.distances)


def degrees(m: Measurements) -> Measurements:
    return replace(m, q=np.degrees(m.q))


def radians_twice(m: Measurements) -> Measurements:
    return replace(m, q=np.radians(m.q))


def last_w(m: Measurements) -> Measurements:
    """Columns x, y, z, w read as w, x, y, z."""
    poses = m.poses.copy()
    poses[:, :3, :3] = from_quaternion(np.roll(quaternion(poses[:, :3, :3]), -1, -1))
    return replace(m, poses=poses)


def said_of(robot: Robot, measured: Measurements, **places: Any) -> str:
    """The last warning; the hint, where nothing fits at all."""
    try:
        return calibrate(robot, measured, **places).warnings[-1]
    except ProgramError as error:
        return str(error.hint)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([millimetres], ["measured lengths are in millimetres"]),
        ([degrees], ["angles are in degrees"]),
        pytest.param([radians_twice], ["without --degrees"], marks=pytest.mark.slow),
        ([last_w], ["order x, y, z, w"]),
        pytest.param(
            [millimetres, last_w],
            ["measured lengths are in millimetres", "order x, y, z, w"],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_mistaken_units_and_columns_are_named(changes: list[object], said: list[str]) -> None:
    robot, measured = sound("puma560")
    for change in changes:
        measured = change(measured)  # type: ignore[operator]
    reported = said_of(robot, measured)
    assert all(words in reported for words in said), reported


def test_positions_distances_and_slides_in_millimetres() -> None:
    robot, poses = sound("stanford", 60)
    positions = replace(poses, measure="position")
    assert "measured lengths are in millimetres" in said_of(robot, millimetres(positions))
    slides = [1000.0 if robot.frame(j).sigma == JointType.PRISMATIC else 1.0 for j in range(1, 7)]
    assert "the positions of prismatic joints are in millimetres" in said_of(
        robot, replace(poses, q=poses.q * slides)
    )
    point = np.array([1.2, 0.3, 0.4])
    far = np.linalg.norm(poses.poses[:, :3, 3] - point, axis=1)
    distances = Measurements("distance", poses.q, np.zeros((0, 4, 4)), far)
    assert calibrate(robot, distances, options=symoro.CalibrationOptions(point=point)).warnings == ()
    assert "measured lengths are in millimetres" in said_of(robot, millimetres(distances), point=point)
    assert "including the point" in said_of(robot, millimetres(distances), point=1000 * point)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("puma560", {}),
        ("puma560", {"length": 2e-3, "angle": 1e-2}),  # by a camera
        ("puma560", {"TX0": 3.0, "TY0": -2.0, "RZ0": 0.8}),  # in the axes of a tracker
        ("puma560", {"TZE": 0.3, "TXE": 0.1, "RXE": 0.7}),  # a tool that the description lacks
        ("rx90", {}),
        ("scara", {}),
        ("stanford", {}),
        ("panda", {}),
    ],
)
def test_sound_measurements_give_no_warning(name: str, more: dict[str, float]) -> None:
    robot, measured = sound(name, **more)
    assert calibrate(robot, measured).warnings == ()


@pytest.mark.parametrize("away", [0.2, 0.5, 1.5])
def test_a_marker_far_off_a_low_frame_gives_no_warning(away: float) -> None:
    """Way and marker are of very different sizes."""
    robot = symoro.load("ur5e")
    q = np.random.default_rng(7).uniform(-2, 2, (25, 6))
    for noise in (0.0, 1e-4):
        measured = simulated(robot, q, {"TXE": away}, to=1, length=noise, angle=noise)
        assert calibrate(robot, measured, to=1).warnings == ()


def test_a_marker_beyond_the_robot_is_reported_without_a_unit_warning() -> None:
    robot = symoro.load("ur5e")
    q = np.random.default_rng(7).uniform(-2, 2, (25, 6))
    (reported,) = calibrate(robot, simulated(robot, q, {"TXE": 30.0}, to=1), to=1).warnings
    assert "TXE (30 m)" in reported and "millimetres" not in reported


def test_large_joint_errors_and_large_noise_are_reported() -> None:
    robot, measured = sound("puma560", theta4=0.4)
    (reported,) = calibrate(robot, measured).warnings
    assert "theta4 (0.4 rad)" in reported and "zeros" in reported
    robot, measured = sound("puma560")
    (reported,) = calibrate(robot, measured, noise={"length": 1e-6, "angle": 1e-4}).warnings
    assert "times (length)" in reported and "the given noise" in reported


def test_warnings_are_printed_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symoro.ui.cli import main

    robot, measured = sound("puma560")
    log = tmp_path / "mm.csv"
    write_measurements(robot, millimetres(measured), log)
    assert main(["calibrate", "puma560", str(log)]) == 0
    out = capsys.readouterr().out
    assert "\nWarnings:\n" in out and "fit if measured lengths are in millimetres" in out
    assert main(["calibrate", "puma560", str(log), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert "millimetres" in data["doubts"][-1] and data["warnings"][-1]["name"] == "misread-data"


def test_rotation_vectors_in_degrees_are_rejected(tmp_path: Path) -> None:
    from symoro.identification import read_measurements

    robot, path = symoro.load("puma560"), tmp_path / "log.csv"
    path.write_text("q1,q2,q3,q4,q5,q6,x,y,z,rx,ry,rz\n" + "0," * 11 + "90\n")
    with pytest.raises(FormatError, match="more than one turn") as caught:
        read_measurements(robot, path)
    assert "radians" in str(caught.value.hint)
