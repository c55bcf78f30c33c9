"""Comparison of two identifications and of robots: differences, statistics, base parameters."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError
from symoro.expr.formula import formula
from symoro.identification.dynamic import Identification
from symoro.identification.log import log_of_arrays
from symoro.identification.tolerances import SAME_GROUPING, SIGNIFICANT
from symoro.robot.description import CoupledMotor, Robot
from symoro.ui.identification_report import as_data
from tests.identification.truth import smooth, two_links


@cache
def identified(seed: int) -> Identification:
    log = smooth(two_links()).log(np.random.default_rng(seed), torque=0.3)
    return symoro.identify(two_links(), replace(log, name=f"log {seed}"), decimation=10)


def changed(result: Identification, name: str, deviations: float) -> Identification:
    """Add a multiple of the deviation of the difference to one parameter."""
    k = result.estimate.names.index(name)
    values = result.estimate.values.copy()
    values[k] += deviations * np.sqrt(2) * result.estimate.deviations[k]
    return replace(result, estimate=replace(result.estimate, values=values))


def test_estimates_of_independent_logs_agree() -> None:
    """Chi-square has the mean P and the deviation sqrt(2 P): 12 pairs give the mean to 12 %."""
    pairs = [symoro.compare(identified(2 * k), identified(2 * k + 1)) for k in range(12)]
    freedom = len(identified(0).estimate.names)
    assert all(one.freedom == freedom for one in pairs)
    assert np.mean([one.chi_square for one in pairs]) / freedom == pytest.approx(1, abs=0.35)
    assert 0.2 < np.mean([one.p_value for one in pairs]) < 0.8
    z = np.array([[one.normalised for one in pair.parameters] for pair in pairs])
    assert np.mean(z**2) == pytest.approx(1, abs=0.35)


def test_the_statistic_is_that_of_the_full_covariance() -> None:
    from scipy import stats

    a, b = identified(0), identified(1)
    got = symoro.compare(a, b)
    d = b.estimate.values - a.estimate.values
    statistic = d @ np.linalg.solve(a.estimate.covariance + b.estimate.covariance, d)
    assert got.chi_square == pytest.approx(statistic, rel=1e-6)
    assert got.p_value == pytest.approx(stats.chi2.sf(statistic, len(d)), rel=1e-6)
    assert [one.difference for one in got.parameters] == pytest.approx(d)
    assert got.parameters[0].unit == "kg m^2" and got.residual_rows()[0][0] == "kept rows"


def test_correlated_residuals_are_noted() -> None:
    """The covariance is widened parameter by parameter, but the statistic of all needs their correlations too."""
    a, b = identified(0), identified(1)
    wider = replace(b, estimate=replace(b.estimate, autocorrelation=2.0))
    assert "correlated in time" in " ".join(symoro.compare(a, wider).notes)
    assert "correlated in time" not in " ".join(symoro.compare(a, b).notes)


@pytest.mark.parametrize(("factor", "differs"), [(0.999, False), (1.001, True)])
def test_a_difference_is_significant_beyond_three_deviations(factor: float, differs: bool) -> None:
    a = identified(0)
    got = symoro.compare(a, replace(changed(a, "MX2", factor * SIGNIFICANT), logs=identified(1).logs))
    assert got.significant == (["MX2"] if differs else [])
    one = next(one for one in got.parameters if one.name == "MX2")
    assert one.normalised == pytest.approx(factor * SIGNIFICANT)


def test_the_file_of_a_result_gives_the_same_comparison(tmp_path: Path) -> None:
    a, b = identified(0), identified(1)
    for name, result in (("a.json", a), ("b.json", b)):
        (tmp_path / name).write_text(json.dumps(as_data(result)))
    direct, read = symoro.compare(a, b), symoro.compare(tmp_path / "a.json", str(tmp_path / "b.json"))
    assert read.chi_square == pytest.approx(direct.chi_square) and read.first.name == "a.json"
    assert [one.row() for one in read.parameters] == [one.row() for one in direct.parameters]
    assert read.residual_rows() == direct.residual_rows() and read.notes == direct.notes
    mixed = symoro.compare(a, tmp_path / "b.json")
    assert mixed.chi_square == pytest.approx(direct.chi_square)


def test_a_result_is_compared_with_its_robot() -> None:
    """The robot counts as exact; its friction and base parameters are the true values."""
    got = symoro.compare(identified(0), two_links())
    assert got.freedom == len(identified(0).estimate.names) and got.p_value > 1e-3
    assert "standard parameters are not unique" in " ".join(got.notes)
    for one in got.parameters:
        k = identified(0).estimate.names.index(one.name)
        assert one.deviation == pytest.approx(identified(0).estimate.deviations[k])


def test_robots_with_the_same_torques_do_not_differ() -> None:
    """Mass moved between M2 and the base parameters with which it is grouped changes no torque."""
    robot = two_links()
    M2, d = 0.4, 0.8
    other = robot.with_link(2, M=robot.link(2).M.number + M2)
    other = other.with_link(1, ZZ=1.2 - M2 * d**2, MX=1.5 - M2 * d)
    assert symoro.compare(robot, other).significant == []
    assert symoro.compare(robot, robot.with_link(2, MX=0.5 * (1 + 1e-10))).significant == []
    different = symoro.compare(robot, robot.with_link(2, MX=0.5 * (1 + 1e-6)))
    assert different.significant == ["MX2"]
    assert np.isnan(different.chi_square) and different.line.endswith("base parameters differ")


def test_parameters_of_one_result_only_are_listed() -> None:
    log = smooth(two_links()).log(np.random.default_rng(9), torque=0.3)
    fewer = symoro.identify(two_links(), log, decimation=10, friction=("viscous", "coulomb"))
    got = symoro.compare(fewer, identified(0))
    assert got.only_first == () and got.only_second == ("FO1", "FO2")
    assert "only in two links: FO1, FO2" in str(got)


def test_logs_of_one_name_are_reported() -> None:
    assert "Both results use a log named log 0" in " ".join(
        symoro.compare(identified(0), identified(0)).notes
    )
    assert "assumed to be independent" in " ".join(symoro.compare(identified(0), identified(1)).notes)


def test_other_sums_are_rejected() -> None:
    with pytest.raises(ArgumentError, match="base parameter ZZ1 is a sum of"):
        symoro.compare(two_links(), "puma560")


@pytest.mark.parametrize(("factor", "noted"), [(0.9, False), (1.1, True)])
def test_another_geometry_is_noted(factor: float, noted: bool) -> None:
    """The coefficient of M2 in ZZ1 is d^2, and twice the relative change of d."""
    other = two_links().with_frame(2, d=0.8 * (1 + factor * SAME_GROUPING / 2))
    notes = " ".join(symoro.compare(two_links(), other).notes)
    assert ("different geometry" in notes) == noted


@pytest.mark.parametrize("name", ["car", "eel", "fourbar"])
def test_wheels_floating_bases_and_loops_are_compared(name: str) -> None:
    robot = symoro.load(name)
    assert symoro.compare(robot, name).significant == []
    heavy = robot.with_link(1, MX=(robot.link(1).MX.value(dict(robot.nominal)) or 0.0) + 1.0)
    assert symoro.compare(robot, heavy).significant


def test_symbols_without_numbers_are_rejected() -> None:
    with pytest.raises(ArgumentError, match=r"has symbols without numbers: ZZ1, IA1, YY2"):
        symoro.compare("rx90", "rx90")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "invalid JSON"),
        ("[]", "not the JSON output of an identification"),
        ('{"parameters": {}}', "not the JSON output of an identification"),
        ('{"parameters": {"M1": {"value": "x"}}}', "not the JSON output of an identification"),
    ],
)
def test_other_files_are_rejected(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(FormatError, match=message):
        symoro.compare(tmp_path / "result.json", two_links())


def test_a_damaged_result_is_rejected(tmp_path: Path) -> None:
    for key, value in (("covariance", [[1.0]]), ("residuals", {"kept": {"relative": 1, "equations": [1]}})):
        (tmp_path / "result.json").write_text(json.dumps(as_data(identified(0)) | {key: value}))
        with pytest.raises(FormatError, match="not the JSON output"):
            symoro.compare(tmp_path / "result.json", two_links())
    with pytest.raises(FormatError, match=r"missing\.json"):
        symoro.compare(tmp_path / "missing.json", two_links())


def with_motor(ratio: float = 0.5, FSM: float = 0.3) -> Robot:
    motor = CoupledMotor(2, ((1, formula(ratio)),), formula(0.02), formula(0.1), formula(FSM))
    return two_links().replace(motors=(motor,))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"FB": 0.3, "VS": 0.2}, ["FB2"]),
        ({"FL": 0.1}, ["FL2"]),
        ({"FB": 0.3, "VS": 0.2, "FL": 0.1}, ["FB2", "FL2"]),
    ],
)
def test_further_friction_is_compared(change: dict[str, float], names: list[str]) -> None:
    robot = two_links().with_frame(2, **change)
    assert symoro.compare(two_links(), robot).significant == names
    assert symoro.compare(robot, two_links()).significant == names
    same = symoro.compare(robot, robot)
    assert same.significant == [] and {one.name for one in same.parameters} >= set(names)
    assert symoro.compare(two_links(), two_links()).only_first == ()


def test_coupled_motors_are_compared() -> None:
    names = ["IAM2", "FVM2", "FSM2"]
    assert symoro.compare(two_links(), with_motor()).significant == names
    assert symoro.compare(with_motor(), with_motor(FSM=0.4)).significant == ["FSM2"]


@pytest.mark.parametrize(("factor", "compared"), [(0.9, True), (1.1, False)])
def test_friction_with_other_constants_is_not_compared(factor: float, compared: bool) -> None:
    """FB depends on Stribeck's velocity, and the parameters of a coupled motor on its ratios."""
    change = 1 + factor * SAME_GROUPING
    robots = (two_links().with_frame(2, FB=0.3, VS=0.2), with_motor(0.5))
    others = (two_links().with_frame(2, FB=0.3, VS=0.2 * change), with_motor(0.5 * change))
    for robot, other, name in zip(robots, others, ("FB2", "FSM2"), strict=True):
        got = symoro.compare(robot, other)
        assert (name in [one.name for one in got.parameters]) == compared
        assert any(note.startswith(f"{name} is not compared") for note in got.notes) != compared


def test_a_result_with_further_friction_is_compared_with_a_robot(tmp_path: Path) -> None:
    true = two_links().with_frame(1, FB=0.8, VS=0.3).with_frame(2, FB=0.4, VS=0.3)
    t = smooth(two_links())
    tau = symoro.derive.inverse_dynamics(true).function()(q=t.q, qd=t.qd, qdd=t.qdd)["tau"]
    log = log_of_arrays(t.rate, t.q, tau + 0.1 * np.random.default_rng(1).standard_normal(tau.shape))
    options = symoro.IdentificationOptions(stribeck_velocity=0.3)
    terms = ("viscous", "coulomb", "offset", "stribeck")
    result = symoro.identify(two_links(), log, decimation=10, friction=terms, options=options)
    (tmp_path / "a.json").write_text(json.dumps(as_data(result)))
    for one in (result, tmp_path / "a.json"):
        got = symoro.compare(one, true)
        assert got.freedom == len(result.estimate.names) and got.p_value > 1e-3
        assert set(symoro.compare(one, two_links()).significant) >= {"FB1", "FB2"}
    without = symoro.compare(identified(0), true)
    assert without.only_second == ("FB1", "FB2")
    assert "FB1, FB2 of two links are not zero and are not estimated" in " ".join(without.notes)
