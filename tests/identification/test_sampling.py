"""Effects of the sampling rate, of filters and of position noise on parameters are negligible or give warnings."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.signals import (
    HALF,
    beside,
    inner_slopes,
    slope_gain,
    slopes,
    step_integrals,
    white_noise,
)
from tests.identification.truth import (
    FOURIER,
    PHASE,
    base_values,
    inverse_dynamics,
    sampling_warnings,
    two_links,
)

TORQUE = np.array([0.5, 0.1])


@cache
def fourier(
    rate: float, base: float, seconds: float = 8.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions and torques of the two links along sines of 1 to 4 times a frequency."""
    w = 2 * np.pi * base * np.arange(1, 5)
    angle = np.arange(int(seconds * rate))[:, None, None] / rate * w + PHASE
    q, qd = (FOURIER * np.sin(angle)).sum(2), (FOURIER * w * np.cos(angle)).sum(2)
    qdd = -(FOURIER * w**2 * np.sin(angle)).sum(2)
    return q, inverse_dynamics(two_links())(q=q, qd=qd, qdd=qdd)["tau"]


def log(rate: float, base: float, torque: float = 0.0, position: float = 0.0, seed: int = 5) -> Log:
    chance = np.random.default_rng(seed)
    q, tau = fourier(rate, base)
    tau = tau + torque * TORQUE * chance.standard_normal(tau.shape)
    return log_of_arrays(rate, q + position * chance.standard_normal(q.shape), tau)


def errors(result: Identification) -> NDArray[np.float64]:
    known = base_values(two_links())
    e = result.estimate
    return np.asarray((e.values - [known[name] for name in e.names]) / e.deviations)


@pytest.mark.parametrize("half", [1, 2, 8, 16])
def test_slopes_are_exact_for_polynomials(half: int) -> None:
    t = np.linspace(-1, 1, 2 * half + 41)
    rate = 1 / (t[1] - t[0])
    p = np.polynomial.Polynomial(np.random.default_rng(1).uniform(-1, 1, 2 * half + 1))
    x = np.column_stack([p(t), t])
    assert inner_slopes(x, rate, half)[:, 0] == pytest.approx(p.deriv()(t[half:-half]), abs=1e-10)
    assert slopes(x, rate, half)[:, 1] == pytest.approx(np.ones(len(t)))


def test_the_gain_of_slopes_equals_their_effect_on_sines() -> None:
    w = 1.3
    k = np.arange(80)
    result = inner_slopes(np.sin(w * k)[:, None], 1.0)[:, 0]
    assert result == pytest.approx(slope_gain(np.array([w]))[0] * np.cos(w * k[HALF:-HALF]), abs=1e-12)
    assert slope_gain(np.array([0.5, 1.0])) / [0.5, 1.0] == pytest.approx([1, 1], abs=3e-6)


@pytest.mark.parametrize("half", [4, 8, 16])
def test_integrals_of_steps_are_exact_for_polynomials(half: int) -> None:
    t = np.arange(30) / 15
    p = np.polynomial.Polynomial(np.random.default_rng(1).uniform(-1, 1, half))
    steps = np.diff(p.integ()(t))
    cut = slice(beside(half), len(steps) - beside(half))
    assert step_integrals(p(t)[:, None], 15.0, half)[:, 0] == pytest.approx(steps[cut], rel=1e-9)


@pytest.mark.parametrize("rate", [20.0, 30.0, 50.0, 100.0, 1000.0])
@pytest.mark.parametrize(("model", "rel"), [("dynamic", 1e-6), ("filtered", 1e-3)])
def test_clean_logs_of_any_rate_give_the_parameters(model: str, rel: float, rate: float) -> None:
    """Up to 1.6 Hz at 20 samples a second; momenta have twice the frequencies."""
    estimate = symoro.identify(two_links(), log(rate, 0.4), options=symoro.IdentificationOptions(model=model))
    known = base_values(two_links())
    for name, value in estimate.estimate.as_dict().items():
        assert value == pytest.approx(known[name], rel=rel, abs=rel / 10), name
    assert np.abs(errors(estimate)).max() < 4 and estimate.warnings == ()


@pytest.mark.parametrize("rate", [20.0, 50.0, 200.0])
@pytest.mark.parametrize(("model", "rel"), [("power", 1e-4), ("energy", 2e-2)])
def test_models_without_accelerations_take_few_samples_too(model: str, rel: float, rate: float) -> None:
    """Integrals of Coulomb's friction are off where a joint turns back between two samples."""
    estimate = symoro.identify(
        two_links(),
        log(rate, 0.4),
        friction=["viscous", "coulomb", "offset"],
        options=symoro.IdentificationOptions(model=model),
    )
    assert estimate.residuals.kept.relative < rel
    assert np.abs(errors(estimate)).max() < 4 or estimate.warnings


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("cutoff", [None, 0.2, 0.33])
@pytest.mark.parametrize("rate", [20.0, 30.0, 50.0, 100.0])
def test_fast_motion_is_correct_within_deviations_or_reported(
    rate: float, cutoff: float | None, noise: float
) -> None:
    """Up to 4 Hz: five samples a period at 20 samples a second, and cut-offs on top of the motion."""
    given = None if cutoff is None else cutoff * rate
    estimate = symoro.identify(two_links(), log(rate, 1.0, noise), cutoff=given)
    assert np.abs(errors(estimate)).max() < 4 or sampling_warnings(estimate)
    if rate == 20 and cutoff == 0.2:
        assert any(line.name == "low-pass" for line in estimate.warnings)
    if rate == 20 and cutoff is None and noise == 0:
        assert any(line.name == "sampling-rate" and "changes by" in line for line in estimate.warnings)
    if rate >= 50 and cutoff != 0.2:
        assert estimate.warnings == ()


@pytest.mark.parametrize("position", [1e-6, 1e-5, 1e-4, 1e-3])
def test_unfiltered_noise_on_positions_is_reported(position: float) -> None:
    estimate = symoro.identify(two_links(), log(1000.0, 0.4, 1.0, position), slow=0.05)
    assert (
        np.abs(errors(estimate)).max() * estimate.estimate.autocorrelation > 5
    )  # in deviations of white noise
    assert any(line.name == "position-noise" for line in estimate.warnings)


@pytest.mark.parametrize("position", [1e-6, 1e-5, 1e-4])
@pytest.mark.parametrize("cutoff", [20.0, 50.0])
def test_filtered_noise_on_positions_is_not_reported(position: float, cutoff: float) -> None:
    given = {"cutoff": cutoff, "decimation": 20, "slow": 0.05}
    estimate = symoro.identify(two_links(), log(1000.0, 0.4, 1.0, position), **given)
    assert np.abs(errors(estimate)).max() < 4 and estimate.warnings == ()


@pytest.mark.parametrize("w", [0.1, 0.5, 1.0])
def test_white_noise_is_estimated_for_coarsely_sampled_motion(w: float) -> None:
    k = np.arange(2000)
    noise = 1e-3 * np.random.default_rng(0).standard_normal((2000, 1))
    assert white_noise(noise) == pytest.approx([1e-3], rel=0.1)
    assert white_noise(0.3 * np.sin(w * k)[:, None] + noise) == pytest.approx([1e-3], rel=0.2)
