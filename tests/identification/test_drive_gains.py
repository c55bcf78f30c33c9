"""Drive gains from logs with and without a payload of known mass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.identification.drive_gains import DriveGains, estimated_gains, gain_warnings
from symoro.identification.log_description import transmission
from symoro.identification.rows import RFactors, r_factor
from tests.identification.test_payloads import BOX, TRUE, UNKNOWN, WEIGHED, identified, recorded
from tests.identification.truth import base_values, two_links

GAINS = np.array([12.0, -7.0])


def logs(payload: Any = WEIGHED, **given: Any) -> list[symoro.Log]:
    return [recorded(gains=GAINS, **given), recorded(payload, gains=GAINS, **given)]


@pytest.mark.parametrize("model", ["dynamic", "filtered"])
@pytest.mark.parametrize("payload", [WEIGHED, BOX])
def test_gains_are_recovered(model: str, payload: dict[str, Any]) -> None:
    result = identified(*logs(payload, noise=0), drive_gains="estimate", model=model)
    assert result.drive_gains is not None
    assert result.drive_gains.values == pytest.approx(GAINS, rel=1e-6)
    truth = base_values(two_links())
    for name, value in result.estimate.as_dict().items():
        known = TRUE.get(name, truth.get(name))
        assert value == pytest.approx(known, rel=1e-5, abs=1e-6), name


def test_intervals_contain_gains_and_parameters() -> None:
    of_gains, of_parameters = [], []
    truth = base_values(two_links()) | TRUE
    for seed in range(16):
        result = identified(*logs(seed=seed, noise=3.0), drive_gains="estimate")
        assert result.drive_gains is not None and result.estimate.method == "WLS with drive gains"
        of_gains.append((result.drive_gains.values - GAINS) / result.drive_gains.deviations)
        known = np.array([truth[name] for name in result.estimate.names])
        of_parameters.append((result.estimate.values - known) / result.estimate.deviations)
    for z in (of_gains, of_parameters):
        assert 0.7 < float(np.mean(np.square(z))) < 1.35
        assert 0.88 < float(np.mean(np.abs(z) < 1.96)) <= 1
    assert (
        np.abs(np.mean(of_gains, axis=0)).max() < 3 / 16**0.5
    )  # noise of the currents does not bias the gains


def test_the_units_of_the_currents_have_no_effect() -> None:
    """One current may be in A and another one in counts."""
    results = []
    for unit in (1.0, 1e-9):
        made = [recorded(payload, gains=GAINS * [1, unit], noise=30.0) for payload in (None, WEIGHED)]
        result = identified(*made, drive_gains="estimate")
        assert result.drive_gains is not None
        scale = GAINS * [1, unit]
        results.append(
            (
                result.drive_gains.values / scale,
                result.drive_gains.deviations / np.abs(scale),
                result.estimate.deviations,
            )
        )
    for one, other in zip(*results, strict=True):
        assert one == pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_mass_of_the_robot_has_no_effect(factor: float) -> None:
    """The same currents belong to a robot whose masses and gains are larger by this factor."""
    small, large = (
        identified(*logs(WEIGHED | {"mass": mass}, noise=3.0), drive_gains="estimate").drive_gains
        for mass in (WEIGHED["mass"], factor * WEIGHED["mass"])
    )
    assert small is not None and large is not None
    assert large.values == pytest.approx(factor * small.values, rel=1e-6)
    assert large.deviations == pytest.approx(factor * small.deviations, rel=1e-6)


def test_the_lengths_of_the_robot_have_no_effect() -> None:
    """The column of a parameter of joint 1 is larger by a factor, as that of a mass is in a long robot."""
    rng = np.random.default_rng(0)
    A, noise = rng.standard_normal((2, 400, 3)), rng.standard_normal((2, 400))
    A[1, :, 0] = 0  # the first parameter and the known torques act on joint 1 only
    known = np.stack([10 * rng.standard_normal(400), np.zeros(400)])
    currents = (A @ [2.0, 1.0, -0.5] + known + 0.3 * noise) / GAINS[:, None]
    results = []
    for factor in (1e-5, 1.0, 1e5):
        scaled = zip(A * [factor, 1.0, 1.0], known, currents, strict=True)
        parts = tuple(r_factor(np.column_stack(part)) for part in scaled)
        data = RFactors(parts, (400, 400), np.ones((2, 4), dtype=bool))
        results.append(estimated_gains(("1", "2"), data))
        assert results[-1].values == pytest.approx(results[0].values, rel=1e-9)
        assert results[-1].deviations == pytest.approx(results[0].deviations, rel=1e-6)
    z = (results[0].values - GAINS) / results[0].deviations
    assert (np.abs(z) < 3).all() and (results[0].deviations < 0.05 * np.abs(GAINS)).all()


def test_the_deviations_contain_those_of_the_gains() -> None:
    estimated = identified(*logs(noise=3.0), drive_gains="estimate")
    assert estimated.drive_gains is not None
    given = identified(*logs(noise=3.0), drive_gains=estimated.drive_gains.values.tolist())
    assert given.estimate.values == pytest.approx(estimated.estimate.values, rel=1e-9)
    assert (given.estimate.deviations < estimated.estimate.deviations).all()
    assert given.drive_gains is None


def test_gains_with_further_options() -> None:
    result = identified(
        *logs(), drive_gains="estimate", find_consistent=True, find_essential=True, delay="estimate"
    )
    assert result.consistent is not None and result.drive_gains is not None and result.essential is not None
    assert result.drive_gains.values == pytest.approx(GAINS, rel=5e-3)
    assert result.consistent.standard["MX2"] == pytest.approx(0.5, rel=0.02)
    assert "drive gains: 1: 1" in str(result) and "payload 'box': mass 2 kg (weighed)" in str(result)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ([None], {}, "no log has a payload of known mass"),
        ([None, UNKNOWN], {}, "no log has a payload of known mass"),
        ([BOX, BOX], {}, "no known torque distinguishes the logs"),
        ([None, WEIGHED], {"model": "power"}, "with the power model"),
        ([None, WEIGHED], {"drive_gains": "guess"}, "expected numbers or 'estimate'"),
        ([None, WEIGHED], {"drive_gains": [1.0]}, "expected 2 numbers, one per joint"),
    ],
)
def test_rejected_gains(given: list[Any], options: dict[str, Any], words: str) -> None:
    made = [recorded(payload, gains=GAINS, seed=k) for k, payload in enumerate(given)]
    with pytest.raises((ArgumentError, NotApplicableError, OptionError), match=words):
        identified(*made, **{"drive_gains": "estimate", **options})


def test_coupled_motors_are_rejected() -> None:
    from dataclasses import replace

    gear = transmission([10, 10], {2: {1: 10}})
    made = [replace(log, transmission=gear) for log in logs()]
    with pytest.raises(NotApplicableError, match="turns with several joints"):
        identified(*made, drive_gains="estimate")


def test_a_payload_that_is_too_light_is_rejected() -> None:
    light = {"mass": 1e-4}
    with pytest.raises((ArgumentError, ProgramError), match="drive gains") as error:
        identified(*logs(light, loaded=False, noise=30.0), drive_gains="estimate")
    assert "heavier payload" in (error.value.hint or "")


@pytest.mark.parametrize(("share", "count"), [(0.19, 0), (0.21, 1)])
def test_uncertain_gains_give_a_warning(share: float, count: int) -> None:
    gains = DriveGains(("1", "2"), GAINS, np.diag((np.array([0.01, share]) * GAINS) ** 2), np.zeros((0, 2)))
    lines = gain_warnings(gains)
    assert [line.name for line in lines] == ["uncertain-drive-gain"] * count
    assert all("2 (21 %)" in line for line in lines)


def test_six_joints_against_pinocchio() -> None:
    """Gains of a PUMA 560 with a payload of which the mass is known."""
    pytest.importorskip("pinocchio")
    from benchmarks.identification_payload import identified as case
    from benchmarks.identification_payload import normalised_errors

    z = normalised_errors(case(1, "drive gains"))
    assert len(z) == 15 and np.abs(z).max() < 4 and 0.1 < float(np.mean(z**2)) < 3
