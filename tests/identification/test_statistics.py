"""Are deviations true? Small samples of runs; `benchmarks/identification_statistics.py` takes hundreds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

import symoro
from symoro.errors import ProgramError
from symoro.identification import output_error
from symoro.identification.control_loop import ControlLoop, Simulated
from symoro.identification.equations import RowModel, row_noise, row_share
from symoro.identification.log import log_of_arrays
from symoro.identification.regression import Estimate, own_deviations
from symoro.identification.rows import RFactors, r_factor
from symoro.identification.signals import HALF, beside, step_integrals
from symoro.identification.simulated_rows import resolved
from symoro.progress import listening
from tests.identification.truth import Truth, smooth, truth, two_links

NOISE = np.array([0.5, 0.1])
COVERED = 1.959963984540054


# -- the share of independent rows


@pytest.mark.parametrize("decimation", [1, 2, 4, 20])
def test_trapezia_that_share_an_end_are_worth_less(decimation: int) -> None:
    """The mean of neighbouring integrals has the variance of fewer independent ones."""
    count = 500
    x = np.random.default_rng(0).standard_normal((count * decimation + 1 + 2 * beside(HALF), 400))
    rows = step_integrals(x, 1.0).T.reshape(400, count, decimation).sum(axis=2)
    worth = rows.var() / rows.mean(axis=1).var()
    assert row_share("energy", decimation) * count == pytest.approx(worth, rel=0.2)


@pytest.mark.parametrize("decimation", [1, 2, 4])
@pytest.mark.parametrize("runs", [25, pytest.param(120, marks=pytest.mark.slow)])
def test_the_energy_model_has_correct_deviations_at_any_decimation(decimation: int, runs: int) -> None:
    t = smooth(two_links(), 1200, 200.0)
    squares = []
    for seed in range(runs):
        tau = t.tau + NOISE * np.random.default_rng(seed).standard_normal(t.tau.shape)
        log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd)
        estimate = symoro.identify(
            two_links(),
            log,
            decimation=decimation,
            method="irls",
            options=symoro.IdentificationOptions(model="energy"),
        )
        squares.append(squared_errors(estimate.estimate, t.K))
    assert 0.7 < np.mean(squares) < 1.3
    assert np.mean(np.array(squares) < COVERED**2) > 0.92


def squared_errors(estimate: Estimate, known: dict[str, float]) -> np.ndarray:
    right = np.array([known[name] for name in estimate.names])
    return np.asarray(((estimate.values - right) / estimate.deviations) ** 2)


# -- steps that are short enough


def estimates(*off: float, size: int = 35) -> list[Estimate]:
    """Of unit deviations; each differs in one parameter from zero."""
    made = []
    for x in off:
        values = np.zeros(size)
        values[3] = x
        names = tuple(f"X{k}" for k in range(size))
        made.append(Estimate("X", names, values, np.eye(size), np.ones(1), 100))
    return made


def test_a_change_of_one_parameter_below_its_noise_is_accepted() -> None:
    given = dict(zip((1, 4, 16), estimates(0.0, 0.7, 1.4), strict=True))
    assert resolved(given.__getitem__).values[3] == 0.7


@pytest.mark.parametrize("off", [(0.0, 3.0, 6.0), (0.0, 1.6, 3.2)])
def test_an_estimate_that_goes_on_changing_is_rejected(off: tuple[float, ...]) -> None:
    given = dict(zip((1, 4, 16), estimates(*off), strict=True))
    with pytest.raises(ProgramError, match="depends on the step") as caught:
        resolved(given.__getitem__)
    assert "--slow 0.05" in (caught.value.hint or "")
    with pytest.raises(ProgramError) as caught:
        resolved(given.__getitem__, slow=0.1)
    assert "--slow" not in (caught.value.hint or "")


def test_parameters_that_move_together_against_their_correlation_are_rejected() -> None:
    """Each by a third of its deviation, yet their sum, which the data tell well, by thirty of its own."""
    covariance = np.array([[1.0, -0.9999], [-0.9999, 1.0]])
    names = ("A", "B")
    given = {
        s: Estimate("X", names, np.full(2, 0.3 * s**0.5), covariance, np.ones(1), 100) for s in (1, 4, 16)
    }
    with pytest.raises(ProgramError, match="depends on the step"):
        resolved(given.__getitem__)


# -- friction that grows with the load


LOAD = np.array([0.15, 0.1])
TERMS = ("viscous", "coulomb", "offset", "load")


def with_load(t: Truth) -> tuple[np.ndarray, dict[str, float]]:
    """Torques tau = t + FL |tau| sign(qd), and the parameters."""
    signs = np.sign(t.qd)
    return t.tau / (1 - LOAD * signs * np.sign(t.tau)), t.K | {"FL1": LOAD[0], "FL2": LOAD[1]}


@pytest.mark.parametrize("method", ["ols", "wls", "irls"])
@pytest.mark.parametrize(
    ("runs", "level", "decimation"),
    [
        (12, 1.0, 1),
        *(pytest.param(80, *more, marks=pytest.mark.slow) for more in ((0.2, 1), (3.0, 1), (1.0, 10))),
    ],
)
def test_noise_on_torques_does_not_bias_friction_that_grows_with_the_load(
    method: str, runs: int, level: float, decimation: int
) -> None:
    t = smooth(two_links(), 1500, 250.0)
    tau, known = with_load(t)
    squares, off = [], []
    for seed in range(runs):
        noise = level * NOISE * np.random.default_rng(seed).standard_normal(tau.shape)
        log = log_of_arrays(t.rate, t.q, tau + noise, velocity=t.qd, acceleration=t.qdd)
        e = symoro.identify(two_links(), log, friction=TERMS, method=method, decimation=decimation).estimate
        squares.append(squared_errors(e, known))
        off.append(
            [
                (e.as_dict()[f"FL{j}"] - known[f"FL{j}"]) / e.deviations[e.names.index(f"FL{j}")]
                for j in (1, 2)
            ]
        )
    assert 0.7 < np.mean(squares) < 1.3
    assert np.abs(np.mean(off, axis=0)).max() < 4 / runs**0.5


def test_exact_torques_give_the_load_and_the_report_has_them_as_measured() -> None:
    t = smooth(two_links(), 800, 250.0)
    tau, known = with_load(t)
    log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd, acceleration=t.qdd)
    estimate = symoro.identify(two_links(), log, friction=TERMS)
    assert estimate.estimate.as_dict() == pytest.approx(known, abs=1e-7)
    time, measured, predicted = estimate.predicted()
    assert measured == pytest.approx(tau[np.round(time * t.rate).astype(int)], abs=1e-12)
    assert measured == pytest.approx(predicted, abs=1e-7)


@pytest.mark.parametrize("model", ["filtered", "power", "energy"])
def test_models_without_accelerations_warn_about_the_load(model: str) -> None:
    t = smooth(two_links(), 1500, 250.0)
    tau, _ = with_load(t)
    log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd)
    estimate = symoro.identify(
        two_links(), log, friction=TERMS, decimation=5, options=symoro.IdentificationOptions(model=model)
    )
    assert any(line.startswith("FL1, FL2 may be biased") for line in estimate.warnings)


def test_a_joint_that_would_lose_its_load_is_rejected() -> None:
    """Torques that are 30 times larger one way than the other."""
    t = smooth(two_links(), 1500, 250.0)
    tau = t.tau / (1 - 0.95 * np.sign(t.qd) * np.sign(t.tau))
    log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd, acceleration=t.qdd)
    with pytest.raises(ProgramError, match=r"FL\d = .* of the torque|did not converge"):
        symoro.identify(two_links(), log, friction=TERMS)


# -- residuals that are correlated in time


def autoregressive(a: float, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Unit noise x(k) = a x(k-1) + u(k) of two joints."""
    u = (1 - a * a) ** 0.5 * rng.standard_normal((samples + 200, 2))
    return np.asarray(signal.lfilter([1.0], [1.0, -a], u, axis=0)[200:])


@pytest.mark.parametrize(
    ("runs", "a", "decimation"),
    [
        (12, 0.9, 1),
        *(pytest.param(80, *more, marks=pytest.mark.slow) for more in ((0.9, 5), (0.5, 1), (0.3, 1))),
    ],
)
@pytest.mark.parametrize("method", ["ols", "wls"])
def test_coloured_noise_gives_larger_deviations_and_a_warning(
    method: str, runs: int, a: float, decimation: int
) -> None:
    t = smooth(two_links(), 2000, 250.0)
    squares, reported = [], []
    for seed in range(runs):
        noise = NOISE * autoregressive(a, len(t.q), np.random.default_rng(seed))
        log = log_of_arrays(t.rate, t.q, t.tau + noise, velocity=t.qd, acceleration=t.qdd)
        e = symoro.identify(two_links(), log, method=method, decimation=decimation).estimate
        squares.append(squared_errors(e, t.K))
        reported.append(e.autocorrelation)
    assert np.median(reported) > 1.1
    assert 0.7 < np.mean(squares) < 1.35
    if decimation == 1:
        slowest = ((1 + a) / (1 - a)) ** 0.5  # of columns that do not change
        assert 0.75 * slowest < np.median(reported) < 1.05 * slowest


@pytest.mark.parametrize(
    ("model", "decimation", "slow"),
    [("dynamic", 1, 0.0), ("dynamic", 10, 0.3), ("power", 5, 0.0), ("energy", 1, 0.0), ("filtered", 4, 0.0)],
)
def test_white_noise_has_no_autocorrelation_for_any_filter(model: str, decimation: int, slow: float) -> None:
    t = smooth(two_links(), 2000, 250.0)
    for seed in range(5):
        tau = t.tau + NOISE * np.random.default_rng(seed).standard_normal(t.tau.shape)
        log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd, acceleration=t.qdd)
        e = symoro.identify(
            two_links(),
            log,
            decimation=decimation,
            slow=slow,
            options=symoro.IdentificationOptions(model=model),
        ).estimate
        assert e.autocorrelation == 1.0


def test_drawn_rows_are_those_that_white_noise_becomes() -> None:
    rng = np.random.default_rng(0)
    for kind, decimation in (("dynamic", 1), ("dynamic", 5), ("energy", 1), ("energy", 3)):
        rows = np.array([row_noise(kind, decimation, 100, rng) for _ in range(2000)])
        worth = rows.var() / rows.mean(axis=1).var() / 100
        assert rows.shape == (2000, 100) and worth == pytest.approx(row_share(kind, decimation), rel=0.1)


# -- the cost of CLOE


def test_shorter_steps_go_on_from_longer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """After convergence, shorter steps need the sensitivities once; progress reports the iterations."""
    t = truth(600, 250.0)
    log = t.log(np.random.default_rng(3), torque=NOISE, position=2e-4)
    counts: dict[int, int] = {}
    plain = output_error.simulated

    def counted(model: RowModel, K: np.ndarray, loop: ControlLoop) -> Simulated:
        counts[loop.steps] = counts.get(loop.steps, 0) + len(np.atleast_2d(K))
        return plain(model, K, loop)

    monkeypatch.setattr(output_error, "simulated", counted)
    heard: list[str] = []
    with listening(lambda news: heard.append(news.title)):
        estimate = symoro.identify(
            two_links(),
            log,
            method="cloe",
            cutoff=20,
            decimation=5,
            slow=0.02,
            options=symoro.IdentificationOptions(controller=t.controller),
        )
    central = 2 * (len(estimate.estimate.names) + 4)
    assert central < counts[4] <= central + 20
    assert {"iterations of CLOE, 1 steps per sample", "iterations of CLOE, 4 steps per sample"} <= set(heard)
    assert squared_errors(estimate.estimate, t.K).max() < 16


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1.0, 1e6])
def test_deviations_of_equations_do_not_depend_on_the_units_of_others(size: float) -> None:
    """A torque of a small robot beside a force: two parameters are in both, the third is in the torque alone."""
    rng = np.random.default_rng(3)
    support = np.ones((2, 3), dtype=bool)
    rows = rng.standard_normal((2, 40, 3)) * np.array([[1, 1, 0], [1, 1, 1]])[:, None]
    y = rows @ np.array([1.0, -2.0, 3.0]) + 0.1 * rng.standard_normal((2, 40))
    factors = [r_factor(np.column_stack([A, b])) for A, b in zip(rows, y, strict=True)]
    expected = own_deviations(RFactors(tuple(factors), (40, 40), support))
    result = own_deviations(RFactors((factors[0], size * factors[1]), (40, 40), support))
    assert result == pytest.approx(expected * [1, size], rel=1e-9)
