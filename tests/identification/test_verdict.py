"""Verdict on an identification: levels of the criteria just below and above their limits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import nan

import numpy as np
import pytest

import symoro
from symoro.identification.consistent import Consistent
from symoro.identification.diagnostics import DIAGNOSTICS, DiagnosticWarning
from symoro.identification.dynamic import Identification
from symoro.identification.essential_parameters import essential
from symoro.identification.log import log_of_arrays
from symoro.identification.regression import Residual, Residuals
from symoro.identification.tolerances import VERDICT_LIMITS
from symoro.identification.verdict import INFORMATIVE, INVALIDATING, LEVELS, Criterion, Verdict
from tests.identification.truth import smooth, two_links


@cache
def good() -> Identification:
    """A log of good quality, with a second one for validation."""
    t = smooth(two_links())
    first, second = (t.log(np.random.default_rng(seed), torque=0.2) for seed in (0, 1))
    return symoro.identify(two_links(), first, decimation=10, validate=[replace(second, name="second")])


def of(result: Identification, name: str) -> Criterion:
    return next(one for one in result.verdict.criteria if one.name == name)


def residual(relative: float, *equations: float) -> Residual:
    """Residual whose white noise is negligible."""
    return Residual(100, relative, np.array(equations), np.full(2, np.inf))


def with_fit(value: float) -> Identification:
    return replace(good(), residuals=replace(good().residuals, kept=residual(0.1, 0.01, value)))


def with_validation(value: float) -> Identification:
    other = residual(good().residuals.kept.relative, value, 0.01)
    return replace(good(), validation={"other": Residuals(other, other)})


def with_ratio(value: float) -> Identification:
    fit, other = residual(0.01, 0.01, 0.01), residual(0.01 * value, 0.01, 0.01)
    return replace(
        good(), residuals=replace(good().residuals, kept=fit), validation={"other": Residuals(other, other)}
    )


def with_autocorrelation(value: float) -> Identification:
    return replace(good(), estimate=replace(good().estimate, autocorrelation=value))


def with_condition(value: float) -> Identification:
    """Replace the columns by unit columns, of which two enclose an angle that gives the condition number."""
    P = len(good().estimate.names)
    c = (value**2 - 1) / (value**2 + 1)  # eigenvalues of their products: 1 + c, 1 - c
    A = np.eye(P)
    A[:2, 1] = c, np.sqrt(1 - c * c)
    factor = np.zeros((P + 1, P + 1))
    factor[:P, :P] = A
    factor[P, P] = 1.0
    data = replace(good().data, factors=(factor,), counts=(500,), support=np.ones((1, P), dtype=bool))
    reduced = essential(good().estimate, good().data)
    estimate = replace(good().estimate, sigma=np.ones(1))
    return replace(good(), data=data, estimate=estimate, essential=reduced)


def with_deviation(value: float) -> Identification:
    reduced = essential(good().estimate, good().data)
    P = len(reduced.estimate.names)
    covariance = np.diag((0.01 * reduced.estimate.values) ** 2)
    covariance[P - 1, P - 1] = (value * reduced.estimate.values[P - 1]) ** 2
    return replace(
        good(), essential=replace(reduced, estimate=replace(reduced.estimate, covariance=covariance))
    )


def with_parameters_per_row(value: float) -> Identification:
    P = len(good().estimate.names)
    return replace(good(), estimate=replace(good().estimate, freedom=P / value - P))


def with_consistency(value: float) -> Identification:
    return replace(good(), consistent=Consistent({}, np.zeros(0), {}, 0.0, 1 + value, 1))


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("fit-residual", with_fit),
        ("validation-residual", with_validation),
        ("validation-ratio", with_ratio),
        ("autocorrelation", with_autocorrelation),
        ("condition", with_condition),
        ("deviation", with_deviation),
        ("parameters-per-row", with_parameters_per_row),
        ("consistency", with_consistency),
    ],
)
def test_levels_change_at_the_limits(name: str, made) -> None:
    for k, limit in enumerate(VERDICT_LIMITS[name]):
        for factor, level in ((0.999, LEVELS[k]), (1.001, LEVELS[k + 1])):
            result = made(factor * limit)
            assert of(result, name).value == pytest.approx(factor * limit, rel=1e-6)
            assert of(result, name).level == level
            others = [one.level for one in result.verdict.criteria if one.name != name]
            assert others == ["pass"] * len(others) and result.verdict.level == level


@pytest.mark.parametrize(("name", "limits"), VERDICT_LIMITS.items())
def test_a_value_at_a_limit_has_the_better_level(name: str, limits: tuple[float, float]) -> None:
    for k, limit in enumerate(limits):
        assert Criterion(name, limit, "").level == LEVELS[k]
        assert Criterion(name, float(np.nextafter(limit, np.inf)), "").level == LEVELS[k + 1]


def test_a_good_log_passes() -> None:
    result = good()
    assert result.verdict.level == "pass" and result.verdict.line == "verdict: pass"
    assert "verdict: pass" in str(result) and "validation log second" in str(result.verdict)
    assert all(result.verdict.satisfies(level) for level in LEVELS)


def test_noise_of_a_joint_is_not_an_error_of_the_model() -> None:
    """A wrist whose torques are mostly noise does not fail; the same residual of a wrong model does."""
    noise = np.array([0.5, 0.2])
    for deviation, value, level in ((0.2, 0.0, "pass"), (0.25, 0.54, "fail"), (2.0, 0.8955, "fail")):
        kept = Residual(100, 0.1, np.array([0.01, 0.9]), np.array([0.5, deviation]))
        result = replace(good(), residuals=replace(good().residuals, kept=kept), noise=noise)
        assert of(result, "fit-residual").value == pytest.approx(value, rel=1e-3)
        assert of(result, "fit-residual").level == level
    assert of(replace(result, noise=None), "fit-residual").value == 0.9


def test_every_warning_has_a_level() -> None:
    assert set(DIAGNOSTICS) >= INFORMATIVE | INVALIDATING and not INFORMATIVE & INVALIDATING
    for names, level in (
        (["uneven-times"], "pass"),
        (["uneven-times", "low-pass"], "doubtful"),
        (["low-pass", "torque-unit"], "fail"),
    ):
        warnings = tuple(DiagnosticWarning(name, "text") for name in names)
        result = replace(good(), warnings=warnings)
        assert result.verdict.level == level
        assert of(result, "warnings").quantity == ("none" if level == "pass" else names[-1])
        assert (level == "pass") == (result.verdict.line == "verdict: pass")


def test_results_without_validation_are_doubtful() -> None:
    result = replace(good(), validation={}, residuals=replace(good().residuals, held_out=None))
    assert result.verdict.level == "doubtful" and "no validation log" in result.verdict.line
    third = replace(good(), validation={})
    assert third.verdict.level == "pass" and "last third" in of(third, "validation-residual").quantity


@pytest.mark.parametrize(("measured", "level"), [([1, 0], "fail"), ([0, 0], "doubtful")])
def test_a_validation_log_without_the_torques_of_a_joint_does_not_pass(
    measured: list[int], level: str
) -> None:
    t = smooth(two_links())
    other = log_of_arrays(t.rate, t.q, t.tau * measured, name="other")
    log = t.log(np.random.default_rng(0), torque=0.2)
    result = symoro.identify(two_links(), log, decimation=10, validate=[other])
    assert result.verdict.level == level and of(result, "fit-residual").level == "pass"


def test_a_wrong_sign_fails() -> None:
    t = smooth(two_links())
    tau = t.tau + 0.2 * np.random.default_rng(0).standard_normal(t.tau.shape)
    wrong = log_of_arrays(t.rate, t.q, tau * [1, -1])
    result = symoro.identify(two_links(), wrong, decimation=10)
    assert result.verdict.level == "fail" and not result.verdict.satisfies("doubtful")
    assert "warnings" in result.verdict.line


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("torque-factor", lambda q, tau: (q, tau * [1, 1.1])),
        ("torque-factor", lambda q, tau: (q * [1, 1.05], tau)),
        ("joint-consistency", lambda q, tau: (q[:, ::-1], tau[:, ::-1])),
        ("joint-consistency", lambda q, tau: (q, tau[:, ::-1])),
    ],
    ids=["gear of the torques", "gear of the positions", "swapped joints", "swapped torques"],
)
def test_a_wrong_gear_or_order_of_joints_does_not_pass(name: str, changed) -> None:
    """The residuals of these logs are below the limits of other criteria or near them."""
    t = smooth(two_links())
    tau = t.tau + np.array([0.4, 0.2]) * np.random.default_rng(0).standard_normal(t.tau.shape)
    result = symoro.identify(two_links(), log_of_arrays(t.rate, *changed(t.q, tau)), decimation=10)
    assert result.verdict.level != "pass" and of(result, name).level != "pass"
    right = symoro.identify(two_links(), log_of_arrays(t.rate, t.q, tau), decimation=10)
    assert right.verdict.level == "pass" and of(right, name).level == "pass"


def test_a_wrong_length_does_not_pass() -> None:
    t = smooth(two_links())
    log = t.log(np.random.default_rng(0), torque=np.array([0.1, 0.05]))
    for factor in (0.95, 1.05):
        result = symoro.identify(two_links().with_frame(2, d=0.8 * factor), log, decimation=10)
        assert result.verdict.level != "pass"


@pytest.mark.parametrize("method", ["ols", "irls", "tls"])
def test_joints_of_different_noise_are_consistent(method: str) -> None:
    """The criteria of the joints do not depend on the weights of the method."""
    t = smooth(two_links())
    log = t.log(np.random.default_rng(0), torque=np.array([1.0, 0.01]))
    result = symoro.identify(two_links(), log, decimation=10, method=method)
    assert [of(result, name).level for name in ("joint-consistency", "torque-factor")] == ["pass", "pass"]


def test_residuals_of_rounding_need_not_be_white() -> None:
    tiny = residual(1e-6, 1e-6, 1e-6)
    exact = replace(
        good(),
        estimate=replace(good().estimate, autocorrelation=50.0),
        residuals=Residuals(tiny, tiny),
        validation={"other": Residuals(residual(9e-6, 9e-6, 9e-6), tiny)},
    )
    assert exact.verdict.level == "pass"


@pytest.mark.parametrize("method", ["IDIM-IV", "DIDIM", "CLOE"])
def test_methods_that_simulate_have_no_criteria_of_the_rows(method: str) -> None:
    result = replace(good(), estimate=replace(good().estimate, method=method))
    names = {one.name for one in result.verdict.criteria}
    assert not names & {"autocorrelation", "joint-consistency", "torque-factor"}


def test_a_value_that_is_not_known_is_doubtful() -> None:
    assert Criterion("condition", nan, "q").level == "doubtful"
    assert Criterion("condition", np.inf, "q").level == "fail"
    assert Verdict((Criterion("validation-ratio", 5.0, "q"),)).line == "verdict: fail (validation-ratio 5, q)"
