"""Logs without noise, of a closed loop simulated in far shorter steps: methods that simulate find the truth."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from symoro.identification.control_loop import ControlLoop, simulated
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations
from symoro.identification.friction import USUAL, Friction
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_description import PdController
from tests.identification.truth import FOURIER, PHASE, base_values, two_links

RATE, FINE, BEFORE, SAMPLES = 250.0, 8, 300, 400
LAW = PdController((900.0, 400.0), (120.0, 50.0))
FRICTION = ("FV", "FS", "FO")


@cache
def clean(dry: bool) -> Log:
    """The two links, with their friction or without any, once the start is forgotten."""
    model = equations(symbolic_robot(two_links()), "dynamic", Friction(), None)
    known = base_values(two_links())
    K = np.array([known[name] if dry or name[:2] not in FRICTION else 0.0 for name in model.names])
    w = 2 * np.pi * 0.4 * np.arange(1, 5)
    angle = np.arange((BEFORE + SAMPLES) * FINE)[:, None, None] / (FINE * RATE) * w + PHASE
    r, rd = (FOURIER * np.sin(angle)).sum(2), (FOURIER * w * np.cos(angle)).sum(2)
    made = simulated(
        model, K, ControlLoop(FINE * RATE, np.array(LAW.kp), np.array(LAW.kd), r, rd, r[0], rd[0])
    )
    chosen = slice(BEFORE * FINE, None, FINE)
    return log_of_arrays(RATE, made.q[0, chosen], made.tau[0, chosen], reference=r[chosen])


@pytest.mark.parametrize(
    ("method", "start"), [("cloe", "wls"), ("cloe", "nominal"), ("didim", "wls"), ("didim", "nominal")]
)
@pytest.mark.parametrize(("dry", "friction", "off"), [(True, USUAL, 2e-3), (False, (), 2e-6)])
def test_logs_without_noise_give_the_parameters(
    method: str, start: str, dry: bool, friction: tuple[str, ...], off: float
) -> None:
    given = {"method": method, "start": start, "controller": LAW, "friction": friction}
    estimate = symoro.identify(two_links(), clean(dry), **given)
    known = base_values(two_links())
    truth = np.array([known[name] for name in estimate.estimate.names])
    assert np.abs(estimate.estimate.values - truth).max() < off
    assert (estimate.estimate.deviations < 3 * off).all()
    assert (np.abs(estimate.estimate.values - truth) < 5 * estimate.estimate.deviations).all()
    assert estimate.warnings == ()
