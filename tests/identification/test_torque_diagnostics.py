"""Torques that do not go with the motion, or with each other: signs, factors, order, delays; and sound logs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, OptionError
from symoro.identification.autocorrelation import first_rows
from symoro.identification.delay import aligned, estimated_delay
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_description import parse_description
from symoro.identification.log_diagnostics import saturation_warnings
from symoro.identification.rows import picked
from tests.identification.test_statistics import squared_errors
from tests.identification.truth import base_values, torque_warnings, truth, two_links

Torques = np.ndarray
RATE = 200.0


@cache
def sines(
    robot: str | symoro.Robot, base: float, lag: float = 0.0, rate: float = RATE, seconds: float = 15.0
) -> tuple[np.ndarray, ...]:
    """Positions, and torques with friction that were measured `lag` seconds late."""
    arm = symoro.load(robot) if isinstance(robot, str) else robot
    n, rng = arm.NJ, np.random.default_rng(0)
    size = 0.6 * rng.standard_normal((n, 5)) / np.arange(1, 6)
    phase, w = rng.uniform(0, 2 * np.pi, (n, 5)), 2 * np.pi * base * np.arange(1, 6)

    def motion(t: np.ndarray) -> tuple[np.ndarray, ...]:
        angle = t[:, None, None] * w + phase
        return (
            (size * np.sin(angle)).sum(2),
            (size * w * np.cos(angle)).sum(2),
            -(size * w**2 * np.sin(angle)).sum(2),
        )

    t = np.arange(int(seconds * rate)) / rate
    q, qd, qdd = motion(t - lag)
    tau = symoro.generate(arm, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    if isinstance(robot, str):
        tau = tau + np.linspace(2, 0.5, n) * qd + np.linspace(3, 0.5, n) * np.sign(qd)
    return motion(t)[0], tau


def identified(
    robot: str, change: Callable[[Torques], Torques], base: float = 0.3, noise: float = 0.02
) -> Identification:
    q, tau = sines(robot, base)
    noisy = tau + noise * tau.std(0) * np.random.default_rng(1).standard_normal(tau.shape)
    return symoro.identify(robot, log_of_arrays(RATE, q, change(noisy)), decimation=10, slow=0.05)


def scaled(joint: int, factor: float) -> Callable[[Torques], Torques]:
    return lambda tau: tau * np.where(np.arange(tau.shape[1]) == joint - 1, factor, 1.0)


def swapped(first: int, second: int) -> Callable[[Torques], Torques]:
    def change(tau: Torques) -> Torques:
        tau = tau.copy()
        tau[:, [first - 1, second - 1]] = tau[:, [second - 1, first - 1]]
        return tau

    return change


def together(identification: Identification) -> list[str]:
    return [
        line for line in identification.warnings if line.name in ("torque-factor", "inconsistent-torques")
    ]


# -- torques of the joints beside each other


@pytest.mark.parametrize("pair", [(2, 3), pytest.param((1, 2), marks=pytest.mark.slow), (3, 4)])
def test_swapped_torques_are_reported_by_joint(pair: tuple[int, int]) -> None:
    (line,) = together(identified("ur5e", swapped(*pair)))
    assert any(f"joint {j}" in line for j in pair)


@pytest.mark.parametrize(("joint", "factor"), [(1, 2.0), (3, -1.0), (4, 0.5), (5, 2.0), (2, 100.0)])
def test_the_factor_of_one_joints_torques_is_estimated(joint: int, factor: float) -> None:
    (line,) = together(identified("ur5e", scaled(joint, factor)))
    ((estimate, deviation),) = re.findall(rf"joint {joint} are (\S+) times \(deviation (\S+)\)", line)
    assert abs(float(estimate) - factor) < 5 * float(deviation) + 0.02 * abs(factor)


@pytest.mark.parametrize("joint", [1, 2])
@pytest.mark.parametrize("factor", [-1.0, 2.0])
def test_of_two_joints_either_may_be_wrong(joint: int, factor: float) -> None:
    (line,) = together(identified("planar2r", scaled(joint, factor)))
    assert "joint 1 are" in line and " or those of joint 2 are" in line


def test_torques_that_belong_to_no_joint_are_hardly_explained() -> None:
    def drift(tau: Torques) -> Torques:
        tau = tau.copy()
        tau[:, 3] = np.cumsum(np.random.default_rng(0).standard_normal(len(tau)))
        return tau

    identification = identified("ur5e", drift)
    assert [line for line in identification.warnings if "of joint 4" in line]


@pytest.mark.parametrize("robot", [pytest.param("puma560", marks=pytest.mark.slow), "ur5e", "planar2r"])
@pytest.mark.parametrize(
    ("noise", "base"), [(0.0, 0.3), (0.02, 0.1), pytest.param(0.02, 0.3, marks=pytest.mark.slow), (0.5, 0.3)]
)
def test_honest_torques_give_no_warning(robot: str, noise: float, base: float) -> None:
    assert not torque_warnings(identified(robot, lambda tau: tau, base, noise))


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("coarse", [0.0, 0.05])
@pytest.mark.parametrize("jitter", [0.0, 0.2])
def test_only_limited_torques_give_a_warning(noise: float, coarse: float, jitter: float) -> None:
    """Also if they are interpolated at uniform times, and not for the coarse steps of a current."""
    rng = np.random.default_rng(0)
    t = (np.arange(3000) + jitter * rng.uniform(-1, 1, 3000)) / RATE
    q = np.column_stack([np.sin(2 * t), np.cos(3 * t)])
    tau = np.column_stack([10 * np.sin(5 * t), 4 * np.sin(3 * t) + np.sign(np.cos(3 * t))])
    tau += noise * tau.std(0) * rng.standard_normal(tau.shape)
    for limit in (np.inf, 7.0, 2.0):
        limited = np.column_stack([np.clip(tau[:, 0], -1.2 * limit, limit), tau[:, 1]])
        if coarse:
            limited = coarse * np.round(limited / coarse)
        log = Log.from_arrays(t=t, q=q, tau=limited)
        assert (log.resampling is not None) == bool(jitter)
        lines = saturation_warnings([log], (1, 2))
        if noise or limit == np.inf:  # without noise an interpolated limit may not differ from the motion
            assert len(lines) == (limit < np.inf), lines
        assert all(f"of joint 1 is constant at {limit:g}, the largest" in line for line in lines)


def test_a_joint_whose_torques_are_mostly_noise_gives_no_warning() -> None:
    def noisy(tau: Torques) -> Torques:
        wide = 20 * tau.std(0) * (np.arange(6) == 5)
        return tau + wide * np.random.default_rng(0).standard_normal(tau.shape)

    identification = identified("ur5e", noisy)
    assert identification.residuals.kept.equations[5] > 0.5 and not torque_warnings(identification)


# -- torques that lag behind the motion, or lead it


def lagging(
    lag: float, seed: int, rate: float = RATE, **given: object
) -> tuple[Identification, dict[str, float]]:
    robot = two_links()
    q, tau = sines(robot, 0.4, lag, rate, 12.0)
    noisy = tau + np.array([0.5, 0.1]) * np.random.default_rng(seed).standard_normal(tau.shape)
    return symoro.identify(robot, log_of_arrays(rate, q, noisy), slow=0.05, **given), base_values(robot)


@pytest.mark.parametrize(
    ("lag", "decimation"), [(0.015, 1), (0.015, 8), (-0.0025, 1), (0.004, 8), (0.03, 1), (0.03, 8)]
)
def test_a_delay_is_estimated_with_its_deviation_and_reported(lag: float, decimation: int) -> None:
    identification, _ = lagging(lag, 0, decimation=decimation)
    assert identification.delay is not None
    assert abs(identification.delay.seconds - lag) < 4 * identification.delay.deviation < 1e-3
    (line,) = torque_warnings(identification)
    assert ("lag behind" if lag > 0 else "lead") in line and "--delay" in line
    assert ("zero-order hold" in line) == (lag == -0.5 / RATE)


@pytest.mark.parametrize("cutoff", [None, 10.0])
def test_a_delay_is_estimated_from_every_sample_of_a_simulated_motion(cutoff: float | None) -> None:
    """Dry friction reverses between samples; without decimation its column is not filtered."""
    t, late = truth(), 7
    noise = np.array([0.5, 0.2]) * np.random.default_rng(0).standard_normal(t.q[late:].shape)
    log = log_of_arrays(t.rate, t.q[late:], t.tau[:-late] + noise)
    options = symoro.IdentificationOptions(delay="estimate")
    identification = symoro.identify(two_links(), log, cutoff=cutoff, options=options)
    assert identification.delay is not None and identification.delay.deviation < 1e-3
    assert identification.logs[0].delay == pytest.approx(
        late / t.rate, abs=4 * identification.delay.deviation
    )


@pytest.mark.parametrize("noise", [0.02, 0.002])
def test_an_estimated_delay_is_corrected_completely(noise: float) -> None:
    """Jumps of dry friction, whose time is known to one sample only, do not determine the delay."""
    lag, robot = 0.0134, two_links()
    q, tau = sines(robot, 0.2, lag, RATE, 20.0)
    known, z = base_values(robot), []
    for seed in range(2):
        noisy = tau + noise * np.array([0.5, 0.1]) * np.random.default_rng(seed).standard_normal(tau.shape)
        options = symoro.IdentificationOptions(delay="estimate")
        result = symoro.identify(
            robot, log_of_arrays(RATE, q, noisy), decimation=4, slow=0.05, options=options
        )
        assert result.delay is not None and not torque_warnings(result)
        assert abs(result.logs[0].delay - lag) < 4 * result.delay.deviation < 4e-4
        z.append(squared_errors(result.estimate, known))
    assert np.mean(z) < 2


def test_the_deviation_of_a_delay_accounts_for_jumps_between_uneven_samples() -> None:
    """Resampled torques jump up to one sample too early or too late."""
    robot, z = two_links(), []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        start, stamps = 5 * rng.uniform(), (np.arange(3000) + 0.2 * rng.uniform(-1, 1, 3000)) / RATE
        angle = (stamps + start)[:, None] * np.array([1.9, 2.7]) + 3 * start
        q, qd, qdd = (
            np.sin(angle),
            np.array([1.9, 2.7]) * np.cos(angle),
            -np.array([3.61, 7.29]) * np.sin(angle),
        )
        tau = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
        log = symoro.Log.from_arrays(t=stamps, q=q, tau=tau + 0.01 * rng.standard_normal(tau.shape))
        result = symoro.identify(robot, log, decimation=5, slow=0.05)
        assert result.delay is not None and not torque_warnings(result)
        z.append(result.delay.seconds / result.delay.deviation)
    assert np.mean(np.square(z)) < 4


def test_a_delay_is_estimated_from_rows_in_which_a_joint_rests() -> None:
    """Only the rows at the beginning of a long log are examined, and a joint may not move there."""
    lag, robot = 0.01, two_links()
    q = sines(robot, 0.4, 0.0, RATE, 12.0)[0].copy()
    t = np.arange(len(q)) / RATE
    q[:, 1] = 0.4 + np.where(t > 6, 0.5 * np.sin(2 * np.pi * (t - 6)) ** 3, 0.0)
    qd = np.gradient(q, 1 / RATE, axis=0)
    qdd = np.gradient(qd, 1 / RATE, axis=0)
    tau = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    tau = np.roll(tau, round(lag * RATE), axis=0) + 0.1 * np.random.default_rng(0).standard_normal(tau.shape)
    result = symoro.identify(robot, log_of_arrays(RATE, q, tau), slow=0.05, decimation=4)
    (whole,) = first_rows(result.rows)
    early = picked(whole, np.flatnonzero(whole.time < 5))
    assert not early.A[:, :, result.estimate.names.index("FV2")].any()
    delay = estimated_delay([early], result.estimate, 0.8)
    assert delay is not None and abs(delay.seconds - lag) < 5 * delay.deviation < 2e-3


@pytest.mark.parametrize("runs", [12, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", ["dynamic", pytest.param("filtered", marks=pytest.mark.slow)])
def test_the_deviation_of_the_delay_is_right_and_no_delay_is_reported_where_there_is_none(
    runs: int, model: str
) -> None:
    z = []
    for seed in range(runs):
        identification, _ = lagging(0.0, seed, decimation=4, model=model)
        assert not torque_warnings(identification) and identification.delay is not None
        z.append(identification.delay.seconds / identification.delay.deviation)
    assert 0.3 < np.mean(np.square(z)) < 2.2 and abs(np.mean(z)) < 4 / runs**0.5


@pytest.mark.parametrize("runs", [8, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("lag", "delay"), [(0.0123, 0.0123), (-0.5 / RATE, "hold")])
def test_deviations_are_true_where_the_delay_is_given(lag: float, delay: float | str, runs: int) -> None:
    squares = []
    for seed in range(runs):
        identification, known = lagging(lag, seed, decimation=4, delay=delay)
        assert not torque_warnings(identification)
        squares.append(squared_errors(identification.estimate, known))
    assert 0.6 < np.mean(squares) < 1.5
    without, known = lagging(lag, 0, decimation=4)
    assert np.mean(squared_errors(without.estimate, known)) > 3


@cache
def held_torques(rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions and torques of a controller that computes its torque at a sample and holds it up to the next."""
    robot = two_links()
    forward = symoro.generate(robot, "direct-dynamics").function()
    kp, kd, w = np.array([400.0, 150.0]), np.array([60.0, 20.0]), 2 * np.pi * 0.4 * np.arange(1, 4)
    size, phase = np.array([[0.4, 0.2, 0.15], [0.3, 0.3, 0.2]]), np.array([[0.3, 1.2, 2.1], [1.1, 0.4, 2.5]])

    def slope(x: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], forward(q=x[:2], qd=x[2:], tau=tau)["qdd"]])

    x, h, states, torques = (
        np.concatenate([(size * np.sin(phase)).sum(1), np.zeros(2)]),
        1 / (4 * rate),
        [],
        [],
    )
    for k in range(int(12 * rate)):
        angle = w * k / rate + phase
        r, rd = (size * np.sin(angle)).sum(1), (size * w * np.cos(angle)).sum(1)
        tau = kp * (r - x[:2]) + kd * (rd - x[2:])
        states.append(x[:2])
        torques.append(tau)
        for _ in range(4):
            a = slope(x, tau)
            b = slope(x + h / 2 * a, tau)
            c = slope(x + h / 2 * b, tau)
            x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c, tau))
    first = int(2 * rate)
    return np.array(states)[first:], np.array(torques)[first:]


@pytest.mark.parametrize("rate", [100.0, 200.0])
def test_torques_of_a_zero_order_hold_lead_by_half_a_sample(rate: float) -> None:
    q, tau = held_torques(rate)
    noisy = tau + np.array([0.1, 0.03]) * np.random.default_rng(0).standard_normal(tau.shape)
    identification = symoro.identify(two_links(), log_of_arrays(rate, q, noisy), slow=0.05, decimation=2)
    assert identification.delay is not None and abs(identification.delay.seconds * rate + 0.5) < 0.1
    (line,) = torque_warnings(identification)
    assert "zero-order hold" in line and "--delay hold" in line
    corrected = symoro.identify(
        two_links(),
        log_of_arrays(rate, q, noisy),
        slow=0.05,
        decimation=2,
        options=symoro.IdentificationOptions(delay="hold"),
    )
    known = base_values(two_links())
    for j in (1, 2):
        k = identification.estimate.names.index(f"FV{j}")
        before, after = (abs(one.estimate.values[k] - known[f"FV{j}"]) for one in (identification, corrected))
        assert after < 0.3 * before


def test_a_motion_is_shifted_to_the_moments_of_its_torques() -> None:
    """By whole samples exactly, by fractions to the interpolation's error; pieces give what the whole gives."""
    t = np.arange(400) / 100
    log = log_of_arrays(100, np.sin(7 * t)[:, None], np.cos(t)[:, None], velocity=7 * np.cos(7 * t)[:, None])
    for delay in (0.03, -0.02, 0.0234, -0.005):
        moved = aligned(log, delay)
        part = moved.part(0, moved.samples)
        first = np.argmin(np.abs(np.cos(t) - part["torque"][0, 0]))
        at = t[first : first + moved.samples]
        assert np.abs(part["torque"][:, 0] - np.cos(at)).max() == 0
        assert np.abs(part["position"][:, 0] - np.sin(7 * (at - delay))).max() < 1e-10
        assert np.abs(part["velocity"][:, 0] - 7 * np.cos(7 * (at - delay))).max() < 1e-9
        chunks = list(moved.chunks(37))
        for kind, x in part.items():
            assert np.array_equal(np.concatenate([chunk[kind] for chunk in chunks]), x)
            assert np.array_equal(moved.part(50, 90)[kind], x[50:90])
        assert moved.place(0) == log.place(int(first)) and moved.delay == delay
    with pytest.raises(ArgumentError, match="a delay of 1 s is more than"):
        aligned(log, 1.0)


def test_a_joint_that_rests_still_rests_after_a_shift() -> None:
    q = np.concatenate([np.full(60, 0.3), np.linspace(0.3, 1, 60), np.full(60, 1.0)])[:, None]
    moved = aligned(log_of_arrays(100, q, q), 0.0137).part(0, 150)["position"]
    assert len(np.unique(moved[:30])) == 1


def test_the_description_of_a_log_has_the_delay() -> None:
    text = "symoro-log: 1\nrate: 100\ndelay: %s\nposition: {columns: [a]}\ntorque: {columns: [b]}\n"
    assert parse_description(text % "0.015", [1]).delay == 0.015
    assert parse_description(text % "hold", [1]).delay == "hold"
    with pytest.raises(FormatError, match="delay: expected seconds or 'hold', got 'estimate'") as error:
        parse_description(text % "estimate", [1])
    assert "the option 'delay'" in (error.value.hint or "")
    with pytest.raises(FormatError, match="delay"):
        parse_description(text % "soon", [1])
    q, tau = sines(two_links(), 0.4)
    for delay in ("soon", float("nan")):
        with pytest.raises(OptionError, match="delay: expected seconds"):
            symoro.identify(
                two_links(), log_of_arrays(RATE, q, tau), options=symoro.IdentificationOptions(delay=delay)
            )


@pytest.mark.parametrize(("given", "total"), [(0.005, 0.015), (0.025, 0.015), ("hold", 0.015)])
def test_the_suggested_delay_includes_the_given_one(given: float | str, total: float) -> None:
    """The warning is about the rest, and the option replaces the given delay."""
    identification, _ = lagging(total, 0, delay=given)
    (line,) = torque_warnings(identification)
    assert "beyond the given delay" in line
    (suggested,) = re.findall(r"--delay (\S+) ", line)
    assert float(suggested) == pytest.approx(total, abs=5e-4)


def test_the_option_takes_the_place_of_the_description(tmp_path: Path) -> None:
    q, tau = sines(two_links(), 0.4, 0.015, RATE, 6.0)
    table = np.column_stack([q, tau])
    np.savetxt(tmp_path / "log.csv", table, delimiter=",", header="a,b,c,d", comments="", fmt="%.12g")
    text = "symoro-log: 1\nrate: 200\ndelay: 0.015\nposition: {file: log.csv, columns: [a, b]}\n"
    (tmp_path / "log.yaml").write_text(text + "torque: {file: log.csv, columns: [c, d]}\n", encoding="utf-8")
    given = symoro.identify(two_links(), tmp_path / "log.yaml", decimation=2)
    none = symoro.identify(
        two_links(), tmp_path / "log.yaml", decimation=2, options=symoro.IdentificationOptions(delay=0.0)
    )
    assert given.logs[0].delay == 0.015 and none.logs[0].delay == 0
    assert given.residuals.kept.relative < 0.2 * none.residuals.kept.relative
