"""Charts of residuals: what a complete model, missing friction and coloured noise show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.identification.autocorrelation import autocorrelations, white_autocorrelations
from symoro.identification.equations import row_noise
from symoro.identification.signals import Preparation, row_velocities
from symoro.ui.residual_charts import _means, charts, residual_charts
from tests.identification.truth import smooth, two_links


def outside(chart: str) -> float:
    match = re.search(r"(\d+) % outside the bounds", chart)
    assert match is not None
    return float(match[1])


@pytest.mark.parametrize("decimation", [1, 10])
def test_white_noise_is_within_the_bounds(decimation: int) -> None:
    t = smooth(two_links(), 1500 * max(1, decimation // 5))
    log = t.log(np.random.default_rng(3), torque=0.3)
    result = symoro.identify(two_links(), log, decimation=decimation)
    for chart in residual_charts(result).values():
        ET.fromstring(chart)
        assert outside(chart) <= 18  # 5 % expected; neighbouring lags are correlated
        assert "over velocity" in chart and "normal quantiles" in chart


def test_coloured_noise_is_outside_the_bounds() -> None:
    from scipy.signal import lfilter

    t = smooth(two_links())
    noise = lfilter([1.0], [1, -0.95], np.random.default_rng(0).standard_normal(t.tau.shape), axis=0)
    log = symoro.Log.from_arrays(rate=t.rate, q=t.q, tau=t.tau + 0.3 * noise)
    assert outside(residual_charts(symoro.identify(two_links(), log))["1"]) > 20


@pytest.mark.parametrize(
    ("kind", "decimation"), [("dynamic", 1), ("dynamic", 10), ("power", 5), ("energy", 4)]
)
def test_autocorrelations_of_white_noise(kind: str, decimation: int) -> None:
    """The weights of the samples give the autocorrelation of simulated rows, and Bartlett's deviation."""
    count, lags = 4000, 12
    white, spread = white_autocorrelations(kind, decimation, lags)
    rng = np.random.default_rng(1)
    every = np.ones(count, dtype=bool)
    drawn = np.array(
        [autocorrelations(row_noise(kind, decimation, count, rng), every, lags) for _ in range(40)]
    )
    assert drawn.mean(axis=0) == pytest.approx(white, abs=0.012)
    assert drawn[:, -1].std() == pytest.approx(spread / count**0.5, rel=0.35)


def test_only_used_pairs_contribute_to_an_autocorrelation() -> None:
    e = np.array([1.0, 1.0, 9.0, 9.0, -1.0])
    kept = np.array([True, True, False, False, True])
    assert autocorrelations(e, kept, 4) == pytest.approx([1.0, np.nan, -1.0, -1.0], nan_ok=True)


def test_velocities_are_those_of_the_rows() -> None:
    t = smooth(two_links())
    preparation = Preparation(None, 7, 0.0, piece=400)
    log = t.log(np.random.default_rng(0))
    result = symoro.identify(two_links(), log, decimation=7)
    got = row_velocities(log, preparation)
    time = result.predicted()[0]
    assert got.shape == (len(time), 2)
    assert got == pytest.approx(t.qd[np.round(time * t.rate).astype(int)], abs=1e-5)


def test_missing_friction_is_visible_over_velocity() -> None:
    """Without a column of Coulomb friction the means of the residuals change their sign with the velocity."""
    t = smooth(two_links())
    log = t.log(np.random.default_rng(0), torque=0.05)
    for friction, least, largest in (
        (("viscous", "offset"), 0.3, 3.0),
        (("viscous", "coulomb", "offset"), 0, 0.05),
    ):
        result = symoro.identify(two_links(), log, friction=friction)
        _, measured, predicted = result.predicted()
        velocity = row_velocities(log, result.preparation)[:, 0]
        centres, means = _means(velocity, (measured - predicted)[:, 0])
        near = means[np.abs(centres) < 0.4]
        assert least <= np.abs(near).max() <= largest


def test_validation_logs_have_charts() -> None:
    t = smooth(two_links())
    first, second = (t.log(np.random.default_rng(seed), torque=0.2) for seed in (0, 1))
    result = symoro.identify(two_links(), first, decimation=10, validate=[replace(second, name="second")])
    share = 100 * result.validation["second"].every.equations[0]
    assert f"residual {share:.1f} % on all rows" in charts(result, validation=True)["1"]
    with pytest.raises(ArgumentError, match="there is no validation log"):
        charts(replace(result, validation_rows=None), validation=True)


@pytest.mark.parametrize("model", ["power", "energy", "filtered"])
def test_other_models_have_charts(model: str) -> None:
    log = smooth(two_links()).log(np.random.default_rng(0), torque=0.2)
    options = symoro.IdentificationOptions(model=model, without=["FO1"] if model == "energy" else [])
    result = symoro.identify(two_links(), log, decimation=5, options=options)
    for label, chart in residual_charts(result).items():
        ET.fromstring(chart)
        assert ("over velocity" in chart) == label.isdigit()
