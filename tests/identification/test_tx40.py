"""A measured log: a Stäubli TX40, every fifth sample of a run of nine seconds."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.identification.dynamic import Identification
from symoro.identification.log import log_of_arrays, open_log

LOG = Path(__file__).parents[1] / "data" / "tx40" / "log.yaml"
GIVEN = {"cutoff": 100.0, "decimation": 20, "slow": 0.1}

pytest.importorskip("pyarrow")


@cache
def identified() -> Identification:
    return symoro.identify("tx40", LOG, **GIVEN, options=symoro.IdentificationOptions(find_consistent=True))


def test_the_parameters_explain_the_torques() -> None:
    result = identified()
    assert len(result.estimate.names) == 61 and result.data.rows == 1937  # those near rest are left out
    r = result.residuals
    assert r.held_out is not None
    assert r.kept.relative < 0.064 and r.every.relative < 0.098 and r.held_out.relative < 0.095
    assert r.kept.equations.max() < 0.13
    assert result.warnings == ()


def test_friction_and_rotors_are_known_well() -> None:
    e = identified().estimate
    assert 1.4 < e.autocorrelation < 2  # the model lacks something that is alike from row to row
    value, off = e.as_dict(), dict(zip(e.names, e.relative / e.autocorrelation, strict=True))
    for j in range(1, 7):
        assert value[f"FV{j}"] > 0 and value[f"FS{j}"] > 0 and off[f"FV{j}"] < 10
        assert off["FSM6" if j == 6 else f"FS{j}"] < 10
    assert sum(off[name] < 10 for name in e.names) >= 20


def test_consistent_parameters_cost_little() -> None:
    result = identified().consistent
    assert result is not None and min(result.eigenvalues.values()) > 0 and len(result.eigenvalues) == 6
    assert 1 <= result.ratio < 1.02
    assert all(result.standard[f"M{j}"] > 0 and result.standard[f"FV{j}"] >= 0 for j in range(1, 7))


def test_a_wrist_without_its_coupling_explains_less() -> None:
    """Motor 6 turns with joint 5 too; a description that leaves that out must show."""
    part = open_log(LOG, symoro.load("tx40")).part(0, 9000)
    ratios = np.array([32, 32, 45, -48, 45, 32])
    coupled = np.diag(ratios).astype(float)
    coupled[5, 4] = 32
    motor, current = part["position"] @ coupled.T, part["torque"] @ np.linalg.inv(coupled)
    apart = log_of_arrays(1000, motor / ratios, current * ratios)
    estimate = symoro.identify("tx40", apart, **GIVEN)
    assert estimate.residuals.kept.equations[4] > 1.4 * identified().residuals.kept.equations[4]


def test_degrees_instead_of_radians_are_reported() -> None:
    log = open_log(LOG, symoro.load("tx40"))
    part = log.part(0, log.samples)
    wrong = log_of_arrays(1000, np.degrees(part["position"]), part["torque"], transmission=log.transmission)
    assert any("in degrees" in line for line in symoro.identify("tx40", wrong, **GIVEN).warnings)
