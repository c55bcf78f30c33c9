"""Peaks, limits and energies are those of the whole motion, whatever the step of its samples."""

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.robot.description import Limits
from symoro.simulation.extremes import SampledQuantities, missed_peak_warnings
from symoro.simulation.piecewise_chebyshev import Piece, resolved
from symoro.simulation.tolerances import NARROWEST
from symoro.trajectory.trajectory import Fourier, Hold, Line, Move, Trajectory, Via
from tests.simulation.robots import slider

FREE = {f"{name}{j}": 0 for name in ("FV", "FS") for j in range(1, 7)}


# -- near a singular posture


def past_the_wrist(offset, step, **limits):
    """A line that leads the wrist of the PUMA past its singular posture."""
    robot = symoro.load("puma560").bind(FREE)
    for j in range(1, 7):
        robot = robot.with_frame(j, limits=Limits(**limits))
    start = np.array([0.2, -0.8, 2.4, 0.0, 0.4, 0.1])
    aim = start + np.array([0, 0, 0, 5 * offset, -0.8, 0])
    T = symoro.generate(robot, "fast-geometry").function()(q=aim)["T"]
    path = Trajectory((Line(to=tuple(T.ravel()), duration=2),), tuple(start))
    return robot, symoro.torques(robot, path, step=step)


def test_a_singular_posture_that_is_passed_between_two_samples_shows():
    robot, result = past_the_wrist(1e-4, 0.05, velocity=10.0)
    _, other = past_the_wrist(1e-4, 0.013, velocity=10.0)
    assert np.abs(result.samples.qd).max() < 10  # nothing of it in the samples
    assert {(one.joint, one.what) for one in result.passed} == {(4, "velocity"), (6, "velocity")}
    for one, again in zip(result.peaks, other.peaks, strict=True):
        assert one.velocity == pytest.approx(again.velocity, rel=1e-6)
        assert one.torque == pytest.approx(again.torque, rel=1e-6)
        assert one.rms == pytest.approx(again.rms, rel=1e-6)
    assert any("samples miss peaks" in warning for warning in result.warnings)
    energy = symoro.generate(robot, "energy").function({"MZ1": 0.0})
    U = energy(q=result.samples.q[[0, -1]], qd=np.zeros((2, 6)))["U"]
    turned_over = np.abs(result.peaks[3].power) * 1e-4  # half of what joint 4 takes, and gives back
    assert result.energy.sum() == pytest.approx(U[1] - U[0], abs=1e-9 * turned_over)


def test_the_velocity_there_grows_as_the_distance_shrinks():
    near, nearer = (past_the_wrist(offset, 0.05)[1].peaks[3].velocity for offset in (1e-2, 1e-3))
    assert nearer / near == pytest.approx(10, rel=0.01)


# -- short moves


def test_a_move_shorter_than_the_step_shows():
    path = Trajectory((Move((1, 0, 0), duration=0.01), Hold(1)), (0, 0, 0))
    robot = symoro.load("filip3r").with_frame(1, limits=Limits(velocity=10))
    result = symoro.torques(robot, path)
    assert result.peaks[0].velocity == pytest.approx(15 / 8 * 100, rel=1e-9)
    assert result.passed[0].what == "velocity" and result.passed[0].worst_time == pytest.approx(0.005)
    assert len(result.samples.t) == 102 and result.between


@pytest.mark.parametrize("share, passes", [(1.001, True), (1 + 1e-5, True), (1.0, False), (0.999, False)])
def test_a_limit_exceeded_between_two_samples_is_reported(share, passes):
    robot = slider(2.0, velocity=0.5)
    for duration in (0.05, 0.062, 0.08, 0.11):
        way = 0.5 * share * duration * 8 / 15
        result = symoro.torques(robot, Trajectory((Move((way,), duration=duration),), (0,)), step=0.03)
        assert bool(result.passed) == passes
        assert result.peaks[0].velocity == pytest.approx(0.5 * share, rel=1e-9)


# -- jumps


@pytest.mark.parametrize("step", [1.0, 0.07, 0.01])
def test_jumps_of_the_acceleration_count_on_both_sides(step):
    move = Move((2, -1, 0.5), law="trapezoidal", velocity=(3,), acceleration=(20,))
    result = symoro.torques("filip3r", Trajectory((move,), (0, 0.5, -0.2)), step=step)
    energy = symoro.generate("filip3r", "energy").function()
    U = energy(q=np.array([(0, 0.5, -0.2), (2, -1, 0.5)]), qd=np.zeros((2, 3)))["U"]
    assert result.energy.sum() == pytest.approx(U[1] - U[0], rel=1e-10)
    assert result.peaks[0].acceleration == pytest.approx(20) and result.peaks[1].velocity == pytest.approx(
        -2.25
    )
    # a mass on a slide: 2 kg at 10 m/s^2, until it has 1 m/s at the very end of a ramp of 0.1 s
    path = Trajectory((Move((1,), law="trapezoidal", velocity=(1,), acceleration=(10,)),), (0,))
    (peak,) = symoro.torques(slider(2.0), path, step=step).peaks
    assert peak.power == pytest.approx(20.0, rel=1e-6) and abs(peak.torque) == pytest.approx(20.0)
    assert peak.rms == pytest.approx(20 * np.sqrt(0.2 / 1.1), rel=1e-7)


@pytest.mark.parametrize("step", [0.4, 0.01])
def test_friction_that_turns_round_counts_on_both_sides(step):
    """FS sign(qd) jumps where a joint turns round, and is there from the first moment of a motion."""
    robot = slider(2.0, FS=3.0, FV=0.5)
    points = ((0.4,), (-0.3,), (0.1,))
    result = symoro.torques(robot, Trajectory((Via(points, (0.5, 1.2, 2.0)),), (0,)), step=step)
    t = np.linspace(0, 2, 200_001)
    fine = symoro.trajectory.sampled(robot, Trajectory((Via(points, (0.5, 1.2, 2.0)),), (0,)), step=1e-5)
    lost = np.trapezoid(3 * np.abs(fine.qd[:, 0]) + 0.5 * fine.qd[:, 0] ** 2, t)
    assert result.energy[0] == pytest.approx(lost, rel=1e-7)
    tau = 2 * fine.qdd + 3 * np.sign(fine.qd) + 0.5 * fine.qd
    assert abs(result.peaks[0].torque) == pytest.approx(np.abs(tau).max(), rel=1e-7)
    hold = symoro.torques(robot, Trajectory((Move((1,), law="trapezoidal", duration=3),), (0,)), step=step)
    assert hold.peaks[0].torque == pytest.approx(2 * 0.5 + 3 + 0.25, rel=1e-6)  # at the end of the first ramp


def test_a_fast_series_is_not_taken_for_a_slow_one():
    """A harmonic of 50 Hz, at samples that all fall on its zeros."""
    sine = np.zeros((1, 5))
    sine[0, 4] = 1.0
    series = Fourier(10.0, sine, np.zeros((1, 5)), (0,), duration=1)
    result = symoro.torques(slider(2.0, velocity=0.9), Trajectory((series,)), step=0.005)
    assert abs(result.peaks[0].acceleration) == pytest.approx(100 * np.pi, rel=1e-7)
    assert len(result.passed) == 2


def test_loops_are_followed_between_samples():
    path = Trajectory((Move((1.6, 1.2), duration=1),), (1.9, 0.9))
    one, other = (symoro.torques("fivebar", path, step=step) for step in (0.5, 0.02))
    for a, b in zip(one.peaks, other.peaks, strict=True):
        assert a.torque == pytest.approx(b.torque, rel=1e-8) and a.energy == pytest.approx(b.energy, rel=1e-8)


def test_a_table_is_evaluated_at_its_samples_only():
    result = symoro.torques("filip3r", symoro.trajectory.load("filip3r"), step=0.05)
    again = symoro.torques("filip3r", replace(result.samples))
    assert result.between and not again.between
    assert np.abs(again.peaks[1].torque) == np.abs(result.tau[:, 1]).max()
    assert abs(result.peaks[1].torque) >= abs(again.peaks[1].torque)


# -- panels


KEYS = [("position", 1), ("velocity", 1)]


def one_piece(q, qd, end=1.0):
    def evaluate(_, t):
        return np.stack([q(t), qd(t)], axis=1)

    return resolved(evaluate, [Piece(0, 0.0, 0.0, end)], KEYS, [])


@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-5, 1e-7])
def test_a_spike_is_located_by_the_motion_that_it_causes(width):
    panels = one_piece(
        lambda t: np.arctan((t - 0.61803) / width), lambda t: width / (width**2 + (t - 0.61803) ** 2)
    )
    most, when = panels.extreme(("velocity", 1), 1)
    assert most == pytest.approx(1 / width, rel=1e-6) and when == pytest.approx(0.61803, abs=1e-3 * width)
    moved = np.arctan(0.38197 / width) + np.arctan(0.61803 / width)
    assert panels.integral(("velocity", 1)) == pytest.approx(moved, rel=1e-7)
    assert panels.grows(("velocity", 1)) is None and not panels.cut


def test_unbounded_quantities_are_reported():
    panels = one_piece(
        lambda t: -np.sqrt(np.abs(0.3 - t)) * np.sign(0.3 - t), lambda t: 0.5 / np.sqrt(np.abs(0.3 - t))
    )
    assert panels.grows(("velocity", 1)) == pytest.approx(0.3, abs=10 * NARROWEST)


def test_noise_is_not_resolved():
    noise = np.random.default_rng(0)
    panels = one_piece(lambda t: noise.normal(size=len(t)), lambda t: noise.normal(size=len(t)))
    assert panels.cut


def test_peaks_of_round_off_are_not_missed():
    """A torque of 1e-18 N m beside one of 20 N m is round-off; one of 0.02 N m is not."""
    robot = symoro.load("filip3r")
    for size, missed in ((1e-18, False), (0.02, True)):
        rows = {(what, j): np.array([20.0, 10.0]) for what in ("velocity", "effort") for j in (1, 2)}
        whole, sampled = (
            SampledQuantities(np.array([0.0, 1.0]), rows | {("effort", 2): np.array([0.0, peak])})
            for peak in (size, size / 2)
        )
        lines = list(missed_peak_warnings(whole, sampled, robot, (1, 2)))
        assert bool(lines) is missed
    assert "effort of joint 2 reaches 0.02 N m" in lines[0] and "0.01 N m (50 %)" in lines[0]


def test_the_text_of_a_report_is_a_table_and_its_repr_one_line():
    report = symoro.torques("filip3r", symoro.trajectory.load("filip3r"))
    lines = str(report).splitlines()
    assert lines[0] == "Filip3R: 3.7 s in 371 samples" and repr(report) == f"<TorqueReport {lines[0]}>"
    assert lines[1].startswith("joint  peak torque") and "no limit of the robot is exceeded" in lines
    assert repr(report.samples) == "<Samples motion of joints 1, 2, 3: 371 samples, 0 to 3.7 s>"
    assert repr(symoro.load("rx90")).startswith("<Robot RX90: ") and len(repr(symoro.load("rx90"))) < 100
    result = symoro.simulate("planar2r", duration=0.1, q=[0, 0])
    assert repr(result) == "<Simulation planar2R: 0.1 s in 11 samples>"
    assert str(result).splitlines()[1].startswith("joint  q at the start")
