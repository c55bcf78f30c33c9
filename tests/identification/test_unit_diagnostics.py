"""Logs in another unit than was said."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError
from symoro.identification.diagnostics import DiagnosticWarning
from symoro.identification.estimate_diagnostics import parameter_warnings
from symoro.identification.log import log_of_arrays
from symoro.identification.log_diagnostics import rate_warnings
from symoro.identification.regression import Estimate, Residual, Residuals
from symoro.identification.rows import RFactors, r_factor
from symoro.robot.description import Limits
from symoro.robot.formats import loads
from tests.identification.loops import sr400_motion
from tests.identification.truth import Truth, inverse_dynamics, smooth, truth, two_links, unit_warnings

NOISE = np.array([0.5, 0.1])


def warnings_of(
    t: Truth, q: float = 1.0, qd: float | None = None, qdd: float | None = None, **more: object
) -> list[DiagnosticWarning]:
    """Of a log whose numbers are these factors too large."""
    tau = t.tau + NOISE * np.random.default_rng(0).standard_normal(t.tau.shape)
    given = {
        "velocity": None if qd is None else t.qd * qd,
        "acceleration": None if qdd is None else t.qdd * qdd,
    }
    log = log_of_arrays(t.rate, t.q * q, tau, **given)
    return list(symoro.identify(two_links(), log, **more).warnings)


@pytest.mark.parametrize(
    ("q", "words"),
    [
        (180 / pi, "positions are in degrees"),
        (0.5 / pi, "positions are in turns"),
        (pi / 180, "positions are in radians but were read as degrees"),
    ],
)
@pytest.mark.parametrize("model", ["dynamic", "power"])
def test_positions_in_another_unit_are_reported(q: float, words: str, model: str) -> None:
    (first, *_) = warnings_of(smooth(two_links()), q, model=model, decimation=4)
    assert words in first and "%" in first


@pytest.mark.parametrize(
    ("factors", "words"),
    [
        ({"qd": 180 / pi}, "velocities of joint 1 are 57.3 times the derivative (degrees for radians?)"),
        ({"qd": 30 / pi}, "velocities of joint 1 are 9.55 times the derivative (rpm for rad/s?)"),
        ({"qd": 1000.0}, "1e+03 times the derivative (milli?)"),
        ({"qd": -1.0}, "-1 times the derivative (wrong sign?)"),
        ({"qd": 80.0}, "velocities of joint 2 are 80 times the derivative of its positions"),
        ({"q": 180 / pi, "qd": 1.0}, "0.0175 times the derivative (radians for degrees?) of its positions"),
        ({"qd": 1.0, "qdd": 180 / pi}, "accelerations of joint 1 are 57.3 times the derivative"),
    ],
)
def test_rates_in_another_unit_than_positions_are_reported(factors: dict[str, float], words: str) -> None:
    assert any(words in line for line in warnings_of(smooth(two_links()), **factors))


def test_velocities_of_other_joints_are_reported() -> None:
    t = smooth(two_links())
    log = log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd[:, ::-1])
    assert any("are not the derivative" in line for line in symoro.identify(two_links(), log).warnings)


def test_a_joint_without_gravity_torque_is_reported_by_its_speed() -> None:
    """One joint about a vertical axis: any unit of its position explains its torques."""
    one = loads("symoro: 1\nname: one\nframes:\n  - {link: {ZZ: 1, M: 1}}\n", "yaml")
    t = np.arange(4000)[:, None] / 500
    q, qd, qdd = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    tau = 3 * qdd + 0.5 * qd + np.sign(qd)
    assert symoro.identify(one, log_of_arrays(500, q, tau), decimation=4).warnings == ()
    (line,) = symoro.identify(one, log_of_arrays(500, np.degrees(q), tau), decimation=4).warnings
    assert line.name == "wound-up-joint" and "joint 1 reaches 57.3 rad" in line


@pytest.mark.parametrize("speed", [30.0, 100.0])
def test_fast_joints_give_no_warning_about_degrees(speed: float) -> None:
    """By the fit where gravity determines the unit; otherwise by whole turns or by the limit of the robot."""
    t = smooth(two_links(), 3000)
    time = np.arange(len(t.q))[:, None] / t.rate
    turns = np.array([speed, 0.0])
    q, qd = t.q + turns * time, t.qd + turns
    model = inverse_dynamics(two_links())
    tau = model(q=q, qd=qd, qdd=t.qdd)["tau"] + NOISE * np.random.default_rng(2).standard_normal(q.shape)
    log = log_of_arrays(t.rate, q, tau, velocity=qd)
    assert not unit_warnings(
        symoro.identify(two_links(), log, options=symoro.IdentificationOptions(without=["FO1"]))
    )
    one = loads("symoro: 1\nname: one\nframes:\n  - {link: {ZZ: 1, M: 1}}\n", "yaml")
    turning = t.q[:, :1] + speed * time
    tau = 3 * t.qdd[:, :1] + 0.5 * (t.qd[:, :1] + speed)
    assert symoro.identify(one, log_of_arrays(t.rate, turning, tau), friction=["viscous"]).warnings == ()
    to_and_fro = 10 * np.sin(speed / 5 * time)
    tau = 3 * -((speed / 5) ** 2) * to_and_fro
    log = log_of_arrays(t.rate, to_and_fro, tau)
    assert symoro.identify(one, log, friction=["viscous"]).warnings[0].name == "wound-up-joint"
    fast = one.replace(frames=(replace(one.frames[0], limits=Limits(velocity=3 * speed)),))
    assert symoro.identify(fast, log, friction=["viscous"]).warnings == ()


def test_good_logs_give_no_warning() -> None:
    """Noise on all that was measured, coarse encoders, low rates, whole turns, poor explanations, loops."""
    chance = np.random.default_rng(4)
    t = truth(4000, 500.0)
    assert warnings_of(t) == [] == warnings_of(t, qd=1.0, qdd=1.0)
    noisy = log_of_arrays(
        t.rate,
        np.round((t.q + 1e-3 * chance.standard_normal(t.q.shape)) / 1e-3) * 1e-3,
        t.tau + NOISE * chance.standard_normal(t.q.shape),
        velocity=t.qd + 0.3 * chance.standard_normal(t.q.shape),
    )
    assert symoro.identify(two_links(), noisy, cutoff=20, decimation=10).warnings == ()
    still = np.array([1.0, 2e-3])  # a joint that moves less than its sensors' noise
    slow = log_of_arrays(
        t.rate,
        t.q * still + 1e-3 * chance.standard_normal(t.q.shape),
        t.tau,
        velocity=t.qd * still + 0.05 * chance.standard_normal(t.q.shape),
    )
    assert rate_warnings(slow, [1, 2]) == []
    with pytest.raises(FormatError, match="joint 2 never moved"):
        symoro.identify(two_links(), slow, decimation=10)
    friction = 15 * np.sign(t.qd) * np.abs(t.qd) ** 0.3  # a friction that no column has
    rough = log_of_arrays(t.rate, t.q, t.tau + friction + 5 * chance.standard_normal(t.q.shape))
    estimate = symoro.identify(two_links(), rough, friction=("viscous",), decimation=10)
    assert estimate.residuals.kept.relative > 0.1 and estimate.warnings == ()
    time = np.arange(1500)[:, None] / t.rate
    turning, speed = smooth(two_links()), np.array([12.0, 0.0])
    q, qd = turning.q + speed * time, turning.qd + speed
    model = inverse_dynamics(two_links())
    tau = model(q=q, qd=qd, qdd=turning.qdd)["tau"]
    log = log_of_arrays(t.rate, q, tau + NOISE * chance.standard_normal(q.shape), velocity=qd)
    assert (
        symoro.identify(
            two_links(), log, decimation=4, options=symoro.IdentificationOptions(without=["FO1"])
        ).warnings
        == ()
    )
    arm = sr400_motion(3, 1000).log(np.array([4.0, 6.0, 1.0, 0.5, 0.3, 5.0]))
    assert not unit_warnings(symoro.identify("sr400", arm, decimation=2))


def test_parameters_that_are_zero_but_for_round_off_give_no_warning() -> None:
    fit = Residual(10, 1e-15, np.zeros(1), np.zeros(1))
    base = symoro.base_parameters(two_links().symbolic(inertia="all"))
    chance = np.random.default_rng(0)
    for value, count in ((-1e-14, 0), (-1e-3, 0), (-1e-2, 1)):
        K = np.array([1.0, value])
        A = chance.standard_normal((20, 2))
        data = RFactors((r_factor(np.column_stack([A, A @ K])),), (20,), np.ones((1, 2), dtype=bool))
        result = Estimate("WLS", ("ZZ1", "FS1"), K, 1e-32 * np.eye(2), np.array([1e-12]), 8)
        assert len(parameter_warnings(base, result, Residuals(fit, fit), data)) == count


def test_warnings_are_in_the_report_and_in_the_data() -> None:
    from symoro.ui.identification_report import as_data, report_files

    t = smooth(two_links())
    log = log_of_arrays(t.rate, t.q, t.tau, velocity=np.degrees(t.qd))
    estimate = symoro.identify(two_links(), log, decimation=4)
    assert any("57.3 times" in line for line in as_data(estimate)["doubts"])
    report = report_files(estimate)["report.md"]
    assert "Warnings" in report and "The velocities of joint 1 are 57.3 times" in report


def test_zero_velocities_are_reported_instead_of_the_motion() -> None:
    """No row is left then; to move the joints more would not help."""
    t = smooth(two_links())
    q = t.q + 1e-6 * np.random.default_rng(0).standard_normal(t.q.shape)
    with pytest.raises(ArgumentError, match="0 rows for 13 parameters") as caught:
        symoro.identify(two_links(), log_of_arrays(t.rate, q, t.tau, velocity=0 * t.qd))
    assert "velocities of joint 1 are not the derivative" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (
            -1.0,
            "accelerations of joint 1 are -1 times the derivative (wrong sign?) of the change of its positions",
        ),
        (180 / pi, "57.3 times the derivative (degrees for radians?) of the change of its positions"),
    ],
)
def test_accelerations_alone_are_compared_with_positions(factor: float, words: str) -> None:
    reported = warnings_of(smooth(two_links()), qdd=factor)
    assert any(words in line for line in reported)
    assert not any("if the positions are" in line for line in reported)


def test_accelerations_that_are_right_give_no_warning() -> None:
    assert warnings_of(smooth(two_links()), qdd=1.0) == []


def test_accelerations_of_other_joints_are_reported() -> None:
    t = smooth(two_links())
    log = log_of_arrays(t.rate, t.q, t.tau, acceleration=t.qdd[:, ::-1])
    assert any("are not the derivative" in line for line in symoro.identify(two_links(), log).warnings)


@pytest.mark.parametrize("factor", [100.0, 1000.0])
def test_time_in_another_unit_is_reported(factor: float) -> None:
    t = smooth(two_links())
    reported = warnings_of(replace(t, rate=t.rate * factor))
    assert any(line.name == "time-unit" for line in reported)


def test_fast_joints_within_their_limits_give_no_warning() -> None:
    t = smooth(two_links())
    robot = two_links()
    fast = robot.replace(frames=tuple(replace(f, limits=Limits(velocity=1e4)) for f in robot.frames))
    tau = t.tau + NOISE * np.random.default_rng(0).standard_normal(t.tau.shape)
    estimate = symoro.identify(fast, log_of_arrays(100 * t.rate, t.q, tau))
    assert not any(line.name == "time-unit" for line in estimate.warnings)


def test_positions_of_the_wrong_sign_are_not_called_degrees() -> None:
    assert not any(
        "if the positions are" in line for line in warnings_of(smooth(two_links()), -1.0, decimation=4)
    )


def test_a_validation_log_in_degrees_is_reported() -> None:
    """The units of a validation log are checked like those of the logs that are fitted."""
    t = smooth(two_links())
    rng = np.random.default_rng(0)
    log, other = (
        log_of_arrays(t.rate, t.q * factor, t.tau + NOISE * rng.standard_normal(t.tau.shape), name=name)
        for factor, name in ((1.0, "day"), (180 / pi, "night"))
    )
    lines = unit_warnings(symoro.identify(two_links(), log, decimation=4, validate=[other]))
    assert len(lines) == 1 and lines[0].startswith("validation log night: ")
    assert "positions are in degrees" in lines[0]
    assert not unit_warnings(symoro.identify(two_links(), log, decimation=4, validate=[replace(log)]))
