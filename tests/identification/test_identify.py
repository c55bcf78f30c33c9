"""`identify` on motions whose parameters are known."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.identification.dynamic import Identification
from symoro.identification.equations import RowModel, equations, row_share
from symoro.identification.friction import Friction
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.regression import KEPT, weighted
from symoro.identification.robust import robust
from symoro.identification.rows import LogRows, compressed, merged
from symoro.identification.signals import Preparation, decimated, decimation_filter, independent_share
from symoro.robot.formats import loads
from tests.identification.truth import TWO_LINKS, Truth, inverse_dynamics, smooth, truth, two_links

NOISE = np.array([0.5, 0.1])


def clean() -> Truth:
    return truth(1500, 500.0)


def exact_log(t: Truth) -> Log:
    """Velocities and accelerations as they were, so that nothing is lost in differences."""
    return log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd, acceleration=t.qdd)


def errors(result: Identification, known: dict[str, float]) -> np.ndarray:
    """In deviations."""
    e = result.estimate
    return (e.values - np.array([known[name] for name in e.names])) / e.deviations


@pytest.mark.parametrize(
    ("method", "tolerance", "left"),
    [("ols", 1e-11, 1e-13), ("wls", 1e-11, 1e-13), ("irls", 1e-11, 1e-13), ("tls", 1e-5, 1e-6)],
)
def test_exact_data_give_the_parameters(method: str, tolerance: float, left: float) -> None:
    """Total least squares expects errors in columns, a hundredth of them, and finds none."""
    t = clean()
    estimate = symoro.identify(two_links(), exact_log(t), method=method)
    assert sorted(estimate.estimate.names) == sorted(t.K)
    for name, value in estimate.estimate.as_dict().items():
        assert value == pytest.approx(t.K[name], abs=tolerance)
    assert estimate.residuals.every.relative < left


@pytest.mark.parametrize("method", ["ols", "wls", "irls", "tls"])
def test_noise_on_torques_keeps_within_the_deviations(method: str) -> None:
    t = clean()
    log = t.log(np.random.default_rng(7), torque=NOISE)
    estimate = symoro.identify(two_links(), log, method=method, decimation=10, slow=0.02)
    z = errors(estimate, t.K)
    assert np.abs(z).max() < 4 and 0.1 < np.mean(z**2) < 3
    assert (estimate.estimate.relative[[0, 1]] < 2).all()


@pytest.mark.parametrize("method", ["iv", "didim", "cloe"])
def test_noise_on_positions_too_keeps_within_the_deviations(method: str) -> None:
    t = truth(600, 250.0)
    log = t.log(np.random.default_rng(3), torque=NOISE, position=2e-4)
    estimate = symoro.identify(
        two_links(),
        log,
        method=method,
        cutoff=20,
        decimation=5,
        slow=0.02,
        options=symoro.IdentificationOptions(controller=t.controller),
    )
    z = errors(estimate, t.K)
    assert estimate.estimate.method in ("IDIM-IV", "DIDIM", "CLOE") and estimate.estimate.rounds >= 1
    assert np.abs(z).max() < 4 and np.mean(z**2) < 3


def test_instruments_take_the_bias_away_that_noisy_positions_bring() -> None:
    """With noise on positions least squares is off by more than the deviations of IDIM-IV, which is not."""
    t = truth(600, 250.0)
    log = t.log(np.random.default_rng(11), torque=0.1 * NOISE, position=5e-4)
    given = {"cutoff": 60.0, "decimation": 2, "slow": 0.02, "controller": t.controller}
    plain = symoro.identify(two_links(), log, method="wls", **given)
    estimate = symoro.identify(two_links(), log, method="iv", **given)
    assert plain.estimate.autocorrelation > 1  # and deviations of white noise would be too small
    assert (
        np.abs((plain.estimate.values - estimate.estimate.values) / estimate.estimate.deviations).max() > 4.5
    )
    assert np.abs(errors(estimate, t.K)).max() < 4


@pytest.mark.parametrize(("model", "tolerance"), [("filtered", 5e-4), ("power", 2e-3), ("energy", 2e-3)])
def test_models_without_accelerations_find_the_same(model: str, tolerance: float) -> None:
    t = smooth(two_links(), 6000, 2000.0)
    log = log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd)
    estimate = symoro.identify(
        two_links(), log, decimation=40, options=symoro.IdentificationOptions(model=model)
    )
    for name, value in estimate.estimate.as_dict().items():
        assert value == pytest.approx(t.K[name], abs=tolerance), name
    assert estimate.residuals.every.relative < 1e-5


def test_pieces_of_any_size_give_the_same_numbers() -> None:
    t = truth(4000, 500.0)
    log = t.log(np.random.default_rng(1), torque=NOISE, position=1e-4)
    given = {"cutoff": 60.0, "decimation": 7, "slow": 0.05}
    whole = symoro.identify(two_links(), log, **given, options=symoro.IdentificationOptions(piece=10_000))
    for piece in (1, 1500):
        estimate = symoro.identify(
            two_links(), log, **given, options=symoro.IdentificationOptions(piece=piece)
        )
        assert estimate.data.counts == whole.data.counts
        assert estimate.estimate.values == pytest.approx(whole.estimate.values, rel=1e-9)
        assert estimate.estimate.deviations == pytest.approx(whole.estimate.deviations, rel=1e-9)
        assert estimate.residuals.every.relative == pytest.approx(whole.residuals.every.relative, rel=1e-9)


def test_several_logs_are_one_and_others_validate() -> None:
    t = clean()
    logs = [t.log(np.random.default_rng(k), torque=NOISE) for k in range(3)]
    one = symoro.identify(two_links(), logs[0], decimation=10)
    both = symoro.identify(two_links(), logs[:2], decimation=10, validate=[logs[2]])
    assert both.data.rows == 2 * one.data.rows
    assert np.linalg.norm(both.estimate.deviations) < 0.8 * np.linalg.norm(one.estimate.deviations)
    (other,) = both.validation.values()
    assert other.kept.relative == pytest.approx(both.residuals.kept.relative, rel=0.2)


def test_the_held_out_third_was_not_seen() -> None:
    t = clean()
    log = t.log(np.random.default_rng(5), torque=NOISE)
    bad = t.tau.copy()
    bad[1000:] += 20.0
    spoiled = log_of_arrays(t.rate, t.q, bad)
    good = symoro.identify(two_links(), log, decimation=10).residuals
    worse = symoro.identify(two_links(), spoiled, decimation=10).residuals
    assert good.held_out is not None and worse.held_out is not None
    assert good.held_out.relative < 0.05 < 0.2 < worse.held_out.relative


def test_the_identified_robot_has_the_torques() -> None:
    t = clean()
    estimate = symoro.identify(two_links(), exact_log(t))
    torques = symoro.generate(estimate.robot, "inverse-dynamics").function()(q=t.q, qd=t.qd, qdd=t.qdd)["tau"]
    assert torques == pytest.approx(t.tau, abs=1e-10)
    time, measured, predicted = estimate.predicted()
    assert len(time) == len(measured) and measured == pytest.approx(predicted, abs=1e-10)


def test_identified_robots_can_be_written_and_read(tmp_path: Path) -> None:
    estimate = symoro.identify(two_links(), exact_log(clean())).robot
    symoro.save(estimate, tmp_path / "found.yaml")
    assert symoro.load(tmp_path / "found.yaml") == estimate


@pytest.mark.parametrize("described", [False, True])
def test_further_friction_terms_are_identified(described: bool) -> None:
    """Stribeck's velocity of each joint is given, or that of the robot; `-o` writes it."""
    t = clean()
    stribeck, load, scale = np.array([1.2, 0.7]), np.array([0.05, 0.08]), np.array([0.3, 0.2])
    signs = np.sign(t.qd)
    rest = t.tau + stribeck * signs * np.exp(-((t.qd / scale) ** 2))
    tau = rest / (1 - load * signs * np.sign(rest))
    log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd, acceleration=t.qdd)
    terms = ("viscous", "coulomb", "offset", "stribeck", "load")
    robot = two_links()
    options = symoro.IdentificationOptions(stribeck_velocity=scale.tolist())
    if described:
        robot = robot.with_frame(1, FB=1, VS=0.3).with_frame(2, FB=1, VS=0.2)
        options = symoro.IdentificationOptions()
    result = symoro.identify(robot, log, friction=terms, options=options)
    known = t.K | {"FB1": 1.2, "FB2": 0.7, "FL1": 0.05, "FL2": 0.08}
    assert result.estimate.as_dict() == pytest.approx(known, abs=1e-7)
    assert [result.robot.frame(j).VS.number for j in (1, 2)] == [0.3, 0.2]
    with pytest.raises(ArgumentError, match="expected one number, or 2, one per joint, got 3"):
        three = symoro.IdentificationOptions(stribeck_velocity=[0.1, 0.2, 0.3])
        symoro.identify(robot, log, friction=terms, options=three)


def test_coupled_motors_bring_their_own_columns() -> None:
    """Motor 2 also turns with joint 1: its rotor and friction act on both joints."""
    from symoro.identification.log_description import transmission

    robot = two_links("pi/2")  # of parallel axes the cross term is that of other parameters
    t = smooth(robot)
    gear = transmission([100.0, -50.0], {2: {1: 25.0}})
    c = np.array([-0.5, 1.0])
    inertia, viscous, dry = 0.04, 0.3, 0.6
    speed = t.qd @ c
    cross = np.outer(c, c) - np.diag(c * c)
    tau = t.tau + inertia * t.qdd @ cross + viscous * t.qd @ cross + dry * np.sign(speed)[:, None] * c
    log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd, acceleration=t.qdd, transmission=gear)
    estimate = symoro.identify(robot, log)
    assert estimate.estimate.as_dict() == pytest.approx(
        t.K | {"IAM2": inertia, "FVM2": viscous, "FSM2": dry}, abs=1e-7
    )
    for model in ("filtered", "power", "energy"):
        other = symoro.identify(
            robot, log, decimation=5, options=symoro.IdentificationOptions(model=model)
        ).estimate.as_dict()
        assert other["IAM2"] == pytest.approx(inertia, abs=1e-3)
        assert other["FSM2"] == pytest.approx(dry, abs=3e-3)


def test_columns_are_left_out_or_rejected_with_the_reason() -> None:
    log = exact_log(clean())
    estimate = symoro.identify(two_links(), log, options=symoro.IdentificationOptions(without=["FO1", "MY2"]))
    assert not {"FO1", "MY2"} & set(estimate.estimate.names)
    with pytest.raises(ArgumentError, match="'M2': M2 is grouped with ZZ1, MX1"):
        symoro.identify(two_links(), log, options=symoro.IdentificationOptions(without=["M2"]))
    with pytest.raises(ArgumentError, match="XX1 has no effect on any torque"):
        symoro.identify(two_links(), log, options=symoro.IdentificationOptions(without=["XX1"]))
    with pytest.raises(ArgumentError, match="no column 'FQ7'"):
        symoro.identify(two_links(), log, options=symoro.IdentificationOptions(without=["FQ7"]))


def test_motions_that_do_not_distinguish_columns_are_rejected() -> None:
    """A joint that only ever turns one way has no Coulomb friction apart from its offset."""
    t = clean()
    time = np.arange(len(t.q)) / t.rate
    q, qd, qdd = t.q.copy(), t.qd.copy(), t.qdd.copy()
    q[:, 0], qd[:, 0], qdd[:, 0] = 2 * time - 0.3 * np.cos(time), 2 + 0.3 * np.sin(time), 0.3 * np.cos(time)
    torques = inverse_dynamics(two_links())(q=q, qd=qd, qdd=qdd)["tau"]
    log = log_of_arrays(t.rate, q, torques, velocity=qd, acceleration=qdd)
    with pytest.raises(
        ArgumentError, match=r"1 of 13 parameters.*\n  - FO1: .* \+1 FS1: the motion does not"
    ):
        symoro.identify(two_links(), log)


def test_rows_that_are_too_few_or_too_slow_are_rejected() -> None:
    t = clean()
    with pytest.raises(ArgumentError, match="rows for 13 parameters are too few"):
        symoro.identify(two_links(), log_of_arrays(t.rate, t.q[:38], t.tau[:38]))
    with pytest.raises(ArgumentError, match="samples are too few: the filters discard"):
        symoro.identify(two_links(), log_of_arrays(t.rate, t.q[:50], t.tau[:50]), cutoff=10, decimation=20)
    with pytest.raises(ArgumentError, match="no row of joint 1 remains"):
        symoro.identify(two_links(), exact_log(t), slow=t.qd[:, 0].max() + 0.01)
    with pytest.raises(ArgumentError, match="torque of joint 2 is zero in all samples"):
        symoro.identify(two_links(), log_of_arrays(t.rate, t.q, t.tau * [1, 0]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "magic"}, "expected one of ols"),
        ({"model": "magic"}, "expected one of dynamic"),
        ({"friction": ("wet",)}, "got 'wet'"),
        ({"cutoff": -1.0}, "cutoff"),
        ({"cutoff": 400.0}, "must be below half"),
        ({"decimation": 0}, "decimation"),
        ({"slow": float("nan")}, "slow"),
        ({"method": "iv"}, "require the reference"),
        ({"method": "iv", "model": "power"}, "dynamic model"),
        ({"find_consistent": True, "prior": "magic"}, "expected one of euclidean"),
    ],
)
def test_invalid_options_are_reported(options: dict[str, object], words: str) -> None:
    with pytest.raises((OptionError, ArgumentError), match=words):
        symoro.identify(two_links(), exact_log(clean()), **options)


def test_wrong_signs_and_strange_torques_give_warnings() -> None:
    t = clean()
    assert symoro.identify(two_links(), exact_log(t)).warnings == ()
    turned = log_of_arrays(t.rate, t.q, -t.tau, velocity=t.qd, acceleration=t.qdd)
    assert any(line.name == "negative-parameter" for line in symoro.identify(two_links(), turned).warnings)
    strange = log_of_arrays(t.rate, t.q, np.random.default_rng(0).standard_normal(t.tau.shape))
    assert any(line.name == "unexplained-torques" for line in symoro.identify(two_links(), strange).warnings)


def test_robots_with_a_wheeled_base_are_rejected_with_a_hint() -> None:
    with pytest.raises(NotApplicableError, match="its base is wheeled") as caught:
        symoro.identify("diffdrive", exact_log(clean()))
    assert "dynamic-identification" in (caught.value.hint or "")


def test_friction_of_joints_that_follow_others_is_part_of_theirs() -> None:
    """A wrist joint that turns with another one by a ratio has no separate friction parameters."""
    arm = """
symoro: 1
name: coupled
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {IA: 0.3, FV: 2.0, FS: 1.5}, link: {ZZ: 1.2, MX: 1.5, MY: 0.1, M: 3}}
  - {d: 0.8, drive: {FV: 1.0, FS: 0.8}, link: {ZZ: 0.35, MX: 0.5, MY: -0.05, M: 1.2}}
  - {d: 0.5, drive: {FV: 0.25, FS: 0.4}, link: {ZZ: 0.1, MX: 0.2, MY: 0.03, M: 0.7}, coupled: {joints: {2: -2}}}
"""
    robot = loads(arm, "yaml")
    t = smooth(robot)
    for model in ("dynamic", "energy"):
        log = log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd, acceleration=t.qdd)
        estimate = symoro.identify(
            robot,
            log,
            decimation=1 if model == "dynamic" else 5,
            options=symoro.IdentificationOptions(model=model),
        )
        assert estimate.model.absorbed == {"FV3": ("FV2",), "FS3": ("FS2",), "FO3": ("FO2",)}
        value = estimate.estimate.as_dict()
        assert value["FV2"] == pytest.approx(1.0 + 4 * 0.25, abs=1e-7 if model == "dynamic" else 1e-2)
        assert value["FS2"] == pytest.approx(0.8 + 2 * 0.4, abs=1e-7 if model == "dynamic" else 1e-2)


def test_the_decimation_filter_has_no_phase_and_unit_gain() -> None:
    weights = decimation_filter(8)
    taps = weights.ravel()
    assert taps.sum() == pytest.approx(1.0)
    assert taps[1:] == pytest.approx(taps[1:][::-1], abs=1e-15)
    k = np.arange(400)
    slow = np.sin(2 * np.pi * k / 100)
    centres = 80 + 8 * np.arange(len(decimated(slow, weights)))
    assert decimated(slow, weights) == pytest.approx(slow[centres], abs=2e-3)
    assert np.abs(decimated((-1.0) ** k, weights)).max() < 1e-2


def test_decimated_noise_is_worth_the_share_of_its_rows() -> None:
    rng = np.random.default_rng(0)
    rows = decimated(rng.standard_normal((200_000, 4)), decimation_filter(10))
    sums = rows[:19_900].reshape(100, 199, 4).sum(axis=1)
    ratio = 199 * rows.var() / sums.var()
    assert independent_share(10) == pytest.approx(0.8, abs=0.05)
    assert ratio == pytest.approx(independent_share(10), rel=0.2)
    assert independent_share(1) == 1.0


def two_links_without_numbers() -> str:
    return """
symoro: 1
name: two links
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {IA: IA1, FV: FV1, FS: FS1}, link: {ZZ: ZZ1, MX: MX1, MY: MY1, M: M1}}
  - {d: 0.8, drive: {IA: IA2}, link: {ZZ: ZZ2, MX: MX2, MY: MY2, M: M2}}
"""


@pytest.mark.parametrize(("factor", "unit"), [(1000.0, "N.mm"), (-1000.0, "N.mm"), (1e-3, "kN.m")])
def test_torques_a_thousand_times_those_of_the_nominal_values_give_a_warning(
    factor: float, unit: str
) -> None:
    t = clean()
    log = log_of_arrays(t.rate, t.q, factor * t.tau, velocity=t.qd, acceleration=t.qdd)
    assert any(
        line.name == "torque-unit" and f" in {unit}" in line
        for line in symoro.identify(two_links(), log).warnings
    )
    bare = loads(two_links_without_numbers(), "yaml")
    assert not any(line.name == "torque-unit" for line in symoro.identify(bare, log).warnings)


@pytest.mark.parametrize("factor", [0.05, 0.5, 3.0, 50.0])
def test_nominal_values_that_are_a_little_off_give_no_warning(factor: float) -> None:
    t = clean()
    log = log_of_arrays(t.rate, t.q, factor * t.tau, velocity=t.qd, acceleration=t.qdd)
    assert symoro.identify(two_links(), log).warnings == ()


def test_zero_parameters_biased_by_differences_are_not_called_negative() -> None:
    """Samples without noise have tiny deviations: rotors and friction that are none would be off by many."""
    robot = loads(re.sub(r"drive: \{[^}]*\}, ", "", TWO_LINKS), "yaml")
    t = smooth(robot, 500, 15.0)
    estimate = symoro.identify(robot, log_of_arrays(t.rate, t.q, t.tau), decimation=2)
    assert any(
        value < 0 for name, value in estimate.estimate.as_dict().items() if name[:2] in ("IA", "FV", "FS")
    )
    assert np.abs(errors(estimate, t.K)).max() < 4
    assert estimate.warnings == ()


def test_columns_that_no_motion_determines_must_be_left_out() -> None:
    """Of parallel axes the rotor of a coupled motor acts as other inertias do: more motion would not help."""
    from symoro.identification.log_description import transmission

    t = clean()
    gear = transmission([100.0, -50.0], {2: {1: 25.0}})
    log = log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd, acceleration=t.qdd, transmission=gear)
    with pytest.raises(ArgumentError, match=r"IAM2: its column equals .* for every motion") as caught:
        symoro.identify(two_links(), log)
    assert (
        caught.value.hint
        == "no motion of this robot determines IAM2: leave these out with the option 'without'"
    )
    estimate = symoro.identify(
        two_links(), log, options=symoro.IdentificationOptions(without=["IAM2"])
    ).estimate.as_dict()
    assert estimate["MX2"] == pytest.approx(t.K["MX2"], abs=1e-7)
    on = 20 * np.arange(len(t.q))[:, None] / t.rate  # and what this motion does not tell stays the motion's
    both = log_of_arrays(t.rate, t.q + on, t.tau, velocity=t.qd + 20, acceleration=t.qdd, transmission=gear)
    with pytest.raises(ArgumentError, match=r"FO1: in this log") as caught:
        symoro.identify(two_links(), both)
    assert "with the option 'without'; for the others, move" in (caught.value.hint or "")


@pytest.mark.parametrize("model", ["energy", "power"])
def test_robust_deviations_hold_where_noise_grows_with_speed(model: str) -> None:
    """Rows of these models have noise proportional to the speed: the deviations of the parameters are correct."""
    t = smooth(two_links(), 6000, 1000.0)
    squares = []
    for seed in range(60):
        tau = t.tau + NOISE * np.random.default_rng(seed).standard_normal(t.tau.shape)
        log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd)
        rows = LogRows(energies(model), (log,), Preparation(decimation=20))
        parts = compressed(rows.of(0), rows.model.support, log.samples / log.rate, row_share(model, 20))
        data = merged(parts, rows.model.support, KEPT)
        e = robust(rows.model.names, rows, weighted(rows.model.names, data), data)
        squares.append(
            [((x - t.K[n]) / d) ** 2 for n, x, d in zip(e.names, e.values, e.deviations, strict=True)]
        )
    assert np.mean(squares) == pytest.approx(1.0, abs=0.2)
    assert np.max(np.mean(squares, axis=0)) < 1.6


@cache
def energies(model: str) -> RowModel:
    return equations(two_links().symbolic(inertia="all"), model, Friction(), None)


def test_simulating_methods_start_from_the_nominal_values_where_noise_spoils_least_squares() -> None:
    t = truth(2000, 500.0)
    log = t.log(np.random.default_rng(3), torque=NOISE, position=6e-3)
    given = {"method": "iv", "cutoff": 60.0, "decimation": 5, "slow": 0.02, "controller": t.controller}
    with pytest.raises(ProgramError) as caught:
        symoro.identify(two_links(), log, **given)
    assert "start='nominal'" in (caught.value.hint or "")
    off = two_links().symbolic(inertia="all")
    off = off.replace(nominal=tuple((name, 0.8 * value) for name, value in off.nominal))
    for robot, start in ((two_links(), "nominal"), (off, "nominal"), (two_links(), dict(t.K))):
        z = errors(
            symoro.identify(robot, log, **given, options=symoro.IdentificationOptions(start=start)), t.K
        )
        assert np.abs(z).max() < 4 and np.mean(z**2) < 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start": "magic"}, "start: expected one of wls, nominal"),
        ({"start": "nominal"}, "only the methods iv, didim and cloe"),
        ({"start": {"ZZ9": 1.0}, "method": "didim"}, "there is no column 'ZZ9'"),
        ({"start": {"ZZ1": float("nan")}, "method": "didim"}, "a finite number for 'ZZ1'"),
    ],
)
def test_invalid_starts_are_reported(options: dict[str, object], words: str) -> None:
    t = clean()
    log = t.log(np.random.default_rng(3), torque=NOISE)
    with pytest.raises((OptionError, ArgumentError), match=words):
        symoro.identify(
            two_links(), log, **options, options=symoro.IdentificationOptions(controller=t.controller)
        )


def test_a_robot_without_numbers_has_no_nominal_start() -> None:
    t = clean()
    bare = loads(two_links_without_numbers(), "yaml")
    log = t.log(np.random.default_rng(3), torque=NOISE)
    with pytest.raises(ArgumentError, match="has no nominal values"):
        symoro.identify(
            bare,
            log,
            method="iv",
            decimation=5,
            options=symoro.IdentificationOptions(start="nominal", controller=t.controller),
        )


@pytest.mark.parametrize("method", ["didim", "cloe"])
def test_gains_that_are_stiff_for_the_rate_of_the_log_are_simulated_in_shorter_steps(method: str) -> None:
    """At fifty samples a second one step from sample to sample is too long for a loop of 120 / 0.5 a second."""
    made = truth(samples=4000, rate=500.0)
    thin = replace(
        made,
        rate=50.0,
        **{name: getattr(made, name)[::10] for name in ("q", "qd", "qdd", "tau", "reference")},
    )
    log = thin.log(np.random.default_rng(1), torque=np.array([0.5, 0.1]), position=1e-5)
    estimate = symoro.identify(
        two_links(),
        log,
        method=method,
        cutoff=10.0,
        slow=0.05,
        options=symoro.IdentificationOptions(controller=made.controller),
    )
    z = [(value - made.K[name]) / off for name, value, off in _told(estimate)]
    assert np.abs(z).max() < 4


def _told(result: Identification) -> list[tuple[str, float, float]]:
    e = result.estimate
    return list(zip(e.names, e.values.tolist(), e.deviations.tolist(), strict=True))


def test_the_text_of_a_result_is_a_table_and_its_repr_one_line() -> None:
    t = smooth(two_links())
    log = symoro.Log.from_arrays(rate=t.rate, q=t.q, tau=t.tau, name="day")
    result = symoro.identify(two_links(), log, decimation=4)
    lines = str(result).splitlines()
    assert lines[0].startswith(
        f"{result.original.name}: {len(result.estimate.names)} parameters by WLS; weighted residual "
    )
    assert lines[2].split() == ["parameter", "value", "unit", "deviation", "relative"]
    assert [line.split()[0] for line in lines[4 : 4 + len(result.estimate.names)]] == list(
        result.estimate.names
    )
    assert repr(result) == f"<Identification {lines[0]}>"
    assert repr(result.logs[0]) == f"<Log day: 2 joints, {log.samples} samples at {log.rate:g} Hz>"
