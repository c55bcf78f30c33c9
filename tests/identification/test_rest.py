"""Logs whose joints stick for most of the time: rows at rest do not obey the model."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.signals import rests
from tests.identification.truth import base_values, inverse_dynamics, motion_warnings, two_links

RATE, SECONDS, FS = 500.0, 8.0, np.array([1.5, 0.8])


def stuck(share: float, noise: float = 0.0) -> Log:
    """From place to place, each joint at rest for this share of the time, its friction anything up to FS there."""
    t = np.arange(int(RATE * SECONDS)) / RATE
    chance = np.random.default_rng(0)
    places = chance.uniform(-0.8, 0.8, (int(SECONDS) + 2, 2))
    when = t[:, None] + [0.0, 0.17]
    number, moves = np.floor(when).astype(int), 1 - share
    u = np.clip((when - number) / moves, 0, 1)
    here, there = (np.take_along_axis(places, number + k, 0) for k in (0, 1))
    way = there - here
    q = here + way * u**4 * (35 - 84 * u + 70 * u**2 - 20 * u**3)
    qd = way / moves * 140 * u**3 * (1 - u) ** 3
    qdd = way / moves**2 * 420 * u**2 * (1 - u) ** 2 * (1 - 2 * u)
    q = np.where(u < 1, q, there)
    tau = inverse_dynamics(two_links())(q=q, qd=qd, qdd=qdd)["tau"]
    tau = tau + (u == 1) * FS * np.sin(2.3 * t)[:, None]
    return log_of_arrays(RATE, q, tau + noise * np.array([0.5, 0.1]) * chance.standard_normal(q.shape))


def errors(result: Identification) -> NDArray[np.float64]:
    known = base_values(two_links())
    e = result.estimate
    return np.asarray((e.values - [known[name] for name in e.names]) / e.deviations)


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("share", [0.3, 0.7])
@pytest.mark.parametrize("decimation", [1, 5])
def test_rows_at_rest_do_not_take_part(share: float, noise: float, decimation: int) -> None:
    estimate = symoro.identify(two_links(), stuck(share, noise), decimation=decimation)
    assert (
        estimate.data.rows
        < 1.05 * (1 - share) * estimate.model.support.shape[0] * RATE * SECONDS / decimation
    )
    assert np.abs(errors(estimate)).max() < 4
    assert not motion_warnings(estimate)


def test_rest_is_one_position_for_longer_than_differences_reach() -> None:
    q = np.concatenate([np.arange(5), np.full(20, 4.0), np.arange(4, 8), np.full(6, 7.0)])[:, None]
    assert np.flatnonzero(rests(q, 16)[:, 0]).tolist() == list(range(4, 26))
    assert not rests(q, 30).any() and rests(np.zeros((20, 2)), 16).all()


def test_rows_at_rest_remain_without_dry_friction() -> None:
    """Gravity shows at rest as well."""
    estimate = symoro.identify(two_links(), stuck(0.5), friction=["viscous", "offset"])
    assert estimate.data.rows == 2 * (RATE * SECONDS - 32)
