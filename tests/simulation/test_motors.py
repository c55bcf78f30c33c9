"""Torques of motors behind springs along a trajectory of the links."""

import json

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.robot.formats import dumps
from symoro.simulation.motors import MotorDrives
from symoro.trajectory.paths import Between, FourierPath, Law, Through, made_law
from symoro.trajectory.sampling import planned
from symoro.trajectory.splines import quintic_through
from symoro.trajectory.trajectory import Fourier, Hold, Line, Move, Trajectory, Via
from symoro.ui.cli import main
from tests.simulation.robots import numbered

HOME = (0.0, 0.0, 0.0)
SMOOTH = Trajectory(
    (Move((0.5, -0.3, 0.4), duration=1, law="nonic"), Hold(0.2), Move(HOME, duration=0.8, law="nonic")), HOME
)


def elastic():
    """Filip's arm with the motor of joint 2 behind a spring."""
    return symoro.load("filip3r").with_frame(2, eta=True, k=20.0, rest=0.1, IA=0.05, FV=0.1)


@pytest.mark.parametrize("kind", ["quintic", "nonic", "via", "fourier"])
def test_higher_derivatives_are_those_of_the_lower_ones(kind):
    start, end = np.array([0.1, -0.2]), np.array([1.0, 0.5])
    times = np.array([0.0, 0.6, 1.0, 2.0])
    points = np.array([start, [0.5, 0.9], [0.2, -0.4], end])
    path = {
        "quintic": Between(start, end, Law("quintic", 2.0)),
        "nonic": Between(start, end, Law("nonic", 2.0)),
        "via": Through(times, points, *quintic_through(times, points)),
        "fourier": FourierPath(
            start, np.array([[1, 2.0], [0.3, 1]]), np.array([[0.5, 1], [2, 0.1]]), 0.5, 2.0
        ),
    }[kind]
    t, h = np.array([0.31, 0.83, 1.57]), 1e-5
    third = (path.at(t + h)[2] - path.at(t - h)[2]) / (2 * h)
    fourth = (path.higher(t + h)[0] - path.higher(t - h)[0]) / (2 * h)
    np.testing.assert_allclose(path.higher(t)[0], third, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(path.higher(t)[1], fourth, rtol=1e-6, atol=1e-6)
    if kind != "fourier":
        rates = (
            (path.at(t + h)[0] - path.at(t - h)[0]) / (2 * h),
            (path.at(t + h)[1] - path.at(t - h)[1]) / (2 * h),
        )
        np.testing.assert_allclose(path.at(t)[1:], rates, rtol=1e-6, atol=1e-6)


def test_a_nonic_move_keeps_to_its_limits_and_rests_at_its_ends():
    law = made_law("nonic", np.array([1.0]), velocity=np.array([0.5]), acceleration=np.array([2.0]))
    x = np.linspace(0, law.duration, 100_001)
    _, sd, sdd = law.at(x)
    assert sd.max() == pytest.approx(0.5, rel=1e-6) and np.abs(sdd).max() < 2.0
    tight = made_law("nonic", np.array([1.0]), velocity=np.array([50.0]), acceleration=np.array([2.0]))
    assert np.abs(tight.at(np.linspace(0, tight.duration, 100_001))[2]).max() == pytest.approx(2.0, rel=1e-6)
    ends = np.array([0.0, law.duration])
    assert np.abs(law.higher(ends)).max() < 1e-9 and law.at(ends)[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["filip3r", "rx90_elastic"])
def test_the_direct_model_under_these_torques_goes_along_the_trajectory(name):
    """Integrated from where motors and links stand at the start."""
    from scipy import integrate

    robot = elastic() if name == "filip3r" else numbered(symoro.load(name))
    n = 3 if name == "filip3r" else 6
    path = Trajectory((Move(tuple(np.linspace(0.5, -0.4, n)), duration=1, law="nonic"),), (0.1,) * n)
    values = dict(robot.nominal)
    drives = MotorDrives.of(robot, values)
    (part,) = planned(drives.links, path, values, 0.01)[1]
    direct = symoro.generate(robot, "direct-dynamics", actuators="elastic").function()
    rigid = [k for k in range(n) if k + 1 not in drives.elastic]

    def rates(t, y):
        q, qd, qm, qmd = y.reshape(4, n)
        tau = drives.rows(part, np.array([t]))["tau"][0]
        result = direct(q=q, qd=qd, qm=qm, qmd=qmd, tau=tau)
        return np.concatenate([qd, result["qdd"], qmd, np.where(np.isin(range(n), rigid), 0, result["qmdd"])])

    at = drives.rows(part, np.array([0.0, 0.4]))
    y = np.concatenate([at[key][0] for key in ("q", "qd", "qm", "qmd")])
    end = (
        integrate.solve_ivp(rates, (0, 0.4), y, method="DOP853", rtol=1e-10, atol=1e-12)
        .y[:, -1]
        .reshape(4, n)
    )
    assert np.abs(end[0] - at["q"][1]).max() < 1e-7 and np.abs(at["q"][1] - at["q"][0]).max() > 0.05
    for k in drives.elastic:
        assert abs(end[2, k - 1] - at["qm"][1, k - 1]) < 1e-7


def test_drives_put_in_what_friction_takes():
    """The trajectory ends as it began: what is left is FV qmd^2, of the motor."""
    result = symoro.torques(elastic(), SMOOTH, actuators="elastic")
    assert result.between and not result.warnings
    fine = symoro.torques(elastic(), SMOOTH, actuators="elastic", step=0.0005)
    lost = 0.1 * np.trapezoid(fine.motors["qmd2"] ** 2, fine.samples.t)
    assert result.energy.sum() == pytest.approx(lost, rel=1e-5)
    assert [peak.torque for peak in result.peaks] == pytest.approx(
        [peak.torque for peak in fine.peaks], rel=1e-6
    )
    assert {"qm2", "qmd2", "tau2"} <= set(result.columns) and "qm1" not in result.columns


def test_a_stiff_spring_requires_the_torque_of_a_rigid_joint():
    hard = symoro.torques(elastic().with_frame(2, k=1e9, rest=0), SMOOTH, actuators="elastic")
    rigid = symoro.torques(elastic().with_frame(2, eta=False, k=0, rest=0), SMOOTH)
    np.testing.assert_allclose(hard.tau, rigid.tau, atol=1e-5)


@pytest.mark.parametrize(
    "parts, words",
    [
        ((Move((0.5, -0.3, 0.4), duration=1), Hold(0.2)), "third derivative of joint 1 jumps at t = 1 s"),
        (
            (Move((0.5, -0.3, 0.4), duration=1.5, law="trapezoidal"),),
            "acceleration of joint 1 jumps at t = 0.5 s",
        ),
    ],
)
def test_a_motion_that_no_motor_can_follow_is_rejected(parts, words):
    with pytest.raises(ArgumentError, match=words):
        symoro.torques(elastic(), Trajectory(parts, HOME), actuators="elastic")


def test_motors_that_do_not_rest_with_their_links_give_a_warning():
    path = Trajectory((Via(((0.1, 0.2, 0.3), (0.5, 0.5, 0.5)), (0.5, 1.0)),), HOME)
    result = symoro.torques(elastic(), path, actuators="elastic")
    assert any("motor of joint 2 starts with a velocity" in warning for warning in result.warnings)
    series = Fourier(0.5, ((0.5,), (0.4,), (0.3,)), ((0.1,), (0.2,), (0.3,)), (0.1, 0.2, 0.3))
    assert not symoro.torques(elastic(), Trajectory((series,)), actuators="elastic").warnings


def test_robots_without_motors_behind_springs_are_rejected():
    with pytest.raises(NotApplicableError, match="none of its joints is elastic"):
        symoro.torques("filip3r", SMOOTH, actuators="elastic")
    with pytest.raises(NotApplicableError, match="its base is free"):
        symoro.torques(numbered(symoro.load("rx90_floating_elastic")), SMOOTH, actuators="elastic")
    with pytest.raises(OptionError, match="expected 'elastic'"):
        symoro.torques(elastic(), SMOOTH, actuators="soft")
    with pytest.raises(ArgumentError, match="'start' must not be given"):
        symoro.torques(elastic(), SMOOTH, actuators="elastic", start={"q": HOME})
    table = symoro.torques(elastic(), SMOOTH, actuators="elastic").samples
    with pytest.raises(ArgumentError, match="fourth derivative"):
        symoro.torques(elastic(), table, actuators="elastic")
    pose = symoro.generate("filip3r", "fast-geometry").function()(q=[0.1, 0.3, 0.4])["T"]
    line = Trajectory((Line(to=tuple(pose.ravel()), duration=1),), (0.1, 0.4, 0.4), pose="planar")
    with pytest.raises(NotApplicableError, match="paths of poses"):
        symoro.torques(elastic(), line, actuators="elastic")


def test_from_the_command_line(tmp_path, capsys):
    (tmp_path / "robot.yaml").write_text(dumps(elastic(), "yaml"))
    (tmp_path / "path.yaml").write_text(
        "symoro-trajectory: 1\nstart: [0, 0, 0]\nparts:\n  - {joints: [0.5, -0.3, 0.4], duration: 1, law: nonic}\n"
    )
    words = [
        "torques",
        str(tmp_path / "robot.yaml"),
        str(tmp_path / "path.yaml"),
        "--actuators",
        "elastic",
        "--json",
    ]
    assert main(words) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["between"] and reported["joints"] == [1, 2, 3] and not reported["warnings"]
