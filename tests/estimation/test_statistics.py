"""Are deviations true? Small samples of runs; `benchmarks/identification_statistics.py` takes hundreds."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import ProgramError
from symoro.estimation.equations import row_share
from symoro.estimation.estimate import Estimate
from symoro.estimation.log import log_of_arrays
from symoro.estimation.resolution import resolved
from tests.estimation.truth import smooth, two_links

NOISE = np.array([0.5, 0.1])
COVERED = 1.959963984540054


# -- the share of independent rows


@pytest.mark.parametrize("decimation", [1, 2, 4, 20])
def test_trapezia_that_share_an_end_are_worth_less(decimation: int) -> None:
    """The mean of neighbouring integrals has the variance of fewer independent ones."""
    count = 500
    x = np.random.default_rng(0).standard_normal((400, count * decimation + 1))
    means = (x[:, 1:] + x[:, :-1]) / 2
    rows = means.reshape(400, count, decimation).sum(axis=2)
    worth = rows.var() / rows.mean(axis=1).var()
    assert row_share("energy", decimation) * count == pytest.approx(worth, rel=0.2)


@pytest.mark.parametrize("decimation", [1, 2, 4])
@pytest.mark.parametrize("runs", [25, pytest.param(120, marks=pytest.mark.slow)])
def test_the_energy_model_tells_its_deviations_at_any_decimation(decimation: int, runs: int) -> None:
    t = smooth(two_links(), 1200, 200.0)
    squares = []
    for seed in range(runs):
        tau = t.tau + NOISE * np.random.default_rng(seed).standard_normal(t.tau.shape)
        log = log_of_arrays(t.rate, t.q, tau, velocity=t.qd)
        found = symoro.identify(two_links(), log, model="energy", decimation=decimation, method="irls")
        squares.append(squared_errors(found.estimate, t.K))
    assert 0.7 < np.mean(squares) < 1.3
    assert 0.93 - 0.4 / runs**0.5 / 2 < np.mean(np.array(squares) < COVERED**2) < 0.98


def squared_errors(estimate: Estimate, known: dict[str, float]) -> np.ndarray:
    truth = np.array([known[name] for name in estimate.names])
    return ((estimate.values - truth) / estimate.deviations) ** 2


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


def test_one_of_many_parameters_that_moves_by_less_than_noise_is_no_reason_to_refuse() -> None:
    given = dict(zip((1, 4, 16), estimates(0.0, 0.7, 1.4), strict=True))
    assert resolved(given.__getitem__).values[3] == 0.7


@pytest.mark.parametrize("off", [(0.0, 3.0, 6.0), (0.0, 1.6, 3.2)])
def test_an_estimate_that_goes_on_changing_is_refused(off: tuple[float, ...]) -> None:
    given = dict(zip((1, 4, 16), estimates(*off), strict=True))
    with pytest.raises(ProgramError, match="changes with the steps") as told:
        resolved(given.__getitem__)
    assert "--slow 0.05" in (told.value.hint or "")
    with pytest.raises(ProgramError) as told:
        resolved(given.__getitem__, slow=0.1)
    assert "--slow" not in (told.value.hint or "")


def test_parameters_that_move_together_against_their_correlation_are_refused() -> None:
    """Each by a third of its deviation, yet their sum, which the data tell well, by thirty of its own."""
    covariance = np.array([[1.0, -0.9999], [-0.9999, 1.0]])
    names = ("A", "B")
    given = {
        s: Estimate("X", names, np.full(2, 0.3 * s**0.5), covariance, np.ones(1), 100) for s in (1, 4, 16)
    }
    with pytest.raises(ProgramError, match="changes with the steps"):
        resolved(given.__getitem__)
