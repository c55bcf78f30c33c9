"""Physically consistent estimates: pseudo-inertias, the LMI, priors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, OptionError, SymoroError
from symoro.identification.consistent import checked_masses, consistent, pseudo_inertia
from symoro.identification.dynamic import Identification
from symoro.identification.estimate_diagnostics import consistency_warnings
from symoro.identification.log import log_of_arrays
from symoro.robot.description import INERTIAL
from symoro.robot.formats import loads
from symoro.robot.size import characteristic_length
from tests.identification.truth import TWO_LINKS, smooth, truth, two_links

pytest.importorskip("cvxpy")
pytest.importorskip("clarabel")


def points(seed: int, count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2.0, count), rng.standard_normal((count, 3))


def ten(masses: np.ndarray, places: np.ndarray) -> list[float]:
    """XX .. M of point masses, by their definition."""
    J = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, places, strict=True))
    S = masses @ places
    return [J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *S, masses.sum()]


@pytest.mark.parametrize("seed", range(3))
def test_the_pseudo_inertia_is_the_second_moment_of_the_mass(seed: int) -> None:
    masses, places = points(seed)
    one = np.column_stack([places, np.ones(len(masses))])
    assert pseudo_inertia(ten(masses, places)) == pytest.approx((one.T * masses) @ one)


def noisy(torque: float = 2.0) -> Identification:
    """A log so noisy that the plain estimate is of no body."""
    t = truth(1500, 500.0)
    return symoro.identify(two_links(), t.log(np.random.default_rng(4), torque=torque * np.array([5, 1])))


def test_the_result_is_a_body_on_every_link_and_near_the_data() -> None:
    result = noisy()
    got = consistent(result.base, result.estimate, result.data)
    for j, least in got.eigenvalues.items():
        lengths = np.diag([1 / characteristic_length(result.original)] * 3 + [1])
        values = pseudo_inertia([got.standard[f"{kind}{j}"] for kind in INERTIAL])
        assert least == pytest.approx(np.linalg.eigvalsh(lengths @ values @ lengths)[0])
        assert least > 0
    assert all(value >= -1e-9 for name, value in got.standard.items() if name[:2] in ("IA", "FV", "FS"))
    assert 1 <= got.ratio < 1.05


def test_constraints_that_do_not_bind_change_nothing() -> None:
    """Parameters of a real body, hardly any noise: the estimate is what it is without constraints."""
    t = truth(1500, 500.0)
    estimate = symoro.identify(two_links(), t.log(np.random.default_rng(4), torque=0.01))
    got = consistent(estimate.base, estimate.estimate, estimate.data, weight=1e-9)
    z = (got.values - estimate.estimate.values) / estimate.estimate.deviations
    assert np.abs(z).max() < 0.1 and got.ratio == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("size", [1e-4, 100.0])
def test_the_size_of_a_robot_has_no_effect(size: float) -> None:
    """A robot with lengths and gravity times s and the same density has masses times s^3, torques times s^5."""
    t = truth(1500, 500.0)
    torque = (t.tau + np.random.default_rng(4).standard_normal(t.tau.shape)) * size**5
    scaled = loads(TWO_LINKS.replace("-9.81", f"{-9.81 * size}"), "yaml").with_frame(2, d=0.8 * size)
    for j in (1, 2):
        link = two_links().link(j)
        powers = {kind: 5 - (len(kind) == 1) * 2 - (kind in ("MX", "MY", "MZ")) for kind in INERTIAL}
        scaled = scaled.with_link(
            j, **{kind: getattr(link, kind).number * size**power for kind, power in powers.items()}
        )
    options = symoro.IdentificationOptions(find_consistent=True)
    other = symoro.identify(scaled, log_of_arrays(t.rate, t.q, torque), options=options).consistent
    noisy_log = log_of_arrays(t.rate, t.q, torque / size**5)
    usual = symoro.identify(two_links(), noisy_log, options=options).consistent
    assert other is not None and usual is not None
    assert other.ratio == pytest.approx(usual.ratio, rel=1e-5) and min(other.eigenvalues.values()) > 0
    for j in (1, 2):
        assert other.standard[f"M{j}"] / size**3 == pytest.approx(usual.standard[f"M{j}"], rel=1e-3)


@pytest.mark.parametrize("prior", ["euclidean", "entropic"])
def test_a_strong_prior_gives_the_robots_own_numbers(prior: str) -> None:
    robot = two_links()
    for j in (1, 2):
        inertia = [[0.2, 0.01, 0.02], [0.01, 0.3, 0.03], [0.02, 0.03, 0.4]]
        robot = robot.with_link(j, mass=3, com=[0.3, 0.1, 0.05], inertia=inertia)
    t = truth(1500, 500.0)
    log = t.log(np.random.default_rng(4), torque=1.0)
    estimate = symoro.identify(
        robot, log, options=symoro.IdentificationOptions(find_consistent=True, prior=prior, prior_weight=1e11)
    )
    assert estimate.consistent is not None
    known = dict(robot.symbolic(inertia="all").nominal)
    for j in (1, 2):
        for kind in INERTIAL:
            assert estimate.consistent.standard[f"{kind}{j}"] == pytest.approx(known[f"{kind}{j}"], abs=2e-3)


def test_the_entropic_prior_needs_bodies() -> None:
    result = noisy()
    with pytest.raises(
        ArgumentError, match="entropic prior requires physically consistent nominal parameters of link 1"
    ):
        consistent(
            result.base, result.estimate, result.data, prior="entropic", cad=dict.fromkeys(["M1"], -1.0)
        )


def test_the_mass_can_be_bounded() -> None:
    result = noisy()
    got = consistent(result.base, result.estimate, result.data, total_mass=4.5)
    assert got.standard["M1"] + got.standard["M2"] <= 4.5 + 1e-6


def test_the_robot_has_the_standard_parameters() -> None:
    t = truth(1500, 500.0)
    log = t.log(np.random.default_rng(4), torque=0.5)
    estimate = symoro.identify(two_links(), log, options=symoro.IdentificationOptions(find_consistent=True))
    assert estimate.consistent is not None
    M = symoro.generate(estimate.robot, "inertia-matrix").function()(q=t.q)["A"]
    assert np.linalg.eigvalsh(M).min() > 0
    assert estimate.robot.link(2).M.number == pytest.approx(estimate.consistent.standard["M2"])


def test_parameters_that_are_left_out_are_zero() -> None:
    """The estimate does not contain them, so that the robot of the result must not contain them either."""
    t = truth(1500, 500.0)
    log = t.log(np.random.default_rng(4), torque=0.5)
    options = symoro.IdentificationOptions(find_consistent=True, without=["IA2", "MY2"])
    result = symoro.identify(two_links(), log, options=options)
    assert result.consistent is not None and "IA2" not in result.consistent.standard
    assert result.robot.frame(2).IA.is_zero
    assert abs(result.consistent.standard["MY2"]) < 1e-9 * result.consistent.standard["M2"]
    impossible = symoro.IdentificationOptions(find_consistent=True, without=["ZZ2"])
    with pytest.raises(SymoroError, match="ZZ2 is left out, that is zero"):
        symoro.identify(two_links(), log, options=impossible)


@pytest.mark.parametrize("method", ["ols", "irls", "tls", "iv", "didim"])
def test_consistent_and_essential_parameters_are_those_of_the_method(method: str) -> None:
    """Noise on positions takes WLS far from the others; nothing binds here, so that all three are one estimate."""
    t = truth(3000, 500.0)
    log = t.log(np.random.default_rng(2), torque=0.1, position=1e-4)
    more = {"controller": t.controller, "start": "nominal"} if method in ("iv", "didim") else {}
    options = {"cutoff": 30, "decimation": 5, "slow": 0.05, **more}
    estimate = symoro.identify(
        two_links(),
        log,
        method=method,
        **options,
        options=symoro.IdentificationOptions(find_consistent=True, find_essential=True, prior_weight=1e-9),
    )
    assert estimate.consistent is not None and estimate.essential is not None
    e, c, left = estimate.estimate, estimate.consistent, estimate.essential.estimate
    z = (c.values - e.values) / e.deviations
    assert np.abs(z).max() < 1e-3 and c.ratio == pytest.approx(1, abs=1e-6)
    assert left.method == f"{e.method}, essential"
    here = [e.names.index(name) for name in left.names]
    assert np.abs((left.values - e.values[here]) / e.deviations[here]).max() < 4
    assert not any(line.name == "constraints-explain-more" for line in estimate.warnings)


@pytest.mark.parametrize("method", ["ols", "wls", "irls", "tls"])
def test_data_without_noise_have_consistent_parameters(method: str) -> None:
    robot = two_links("0.7")
    for j in (1, 2):
        robot = robot.with_link(j, mass=3, com=[0.3, 0.1, 0.05], inertia=[0.2, 0.3, 0.4])
    t = smooth(robot)
    log = log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd, acceleration=t.qdd)
    estimate = symoro.identify(
        robot, log, method=method, options=symoro.IdentificationOptions(find_consistent=True)
    )
    assert estimate.consistent is not None
    assert estimate.consistent.values == pytest.approx(estimate.estimate.values, rel=1e-6, abs=1e-6)
    assert estimate.consistent.ratio == pytest.approx(1, abs=1e-3)


def test_constraints_that_explain_more_give_a_warning() -> None:
    t = truth(1500, 500.0)
    estimate = symoro.identify(
        two_links(),
        t.log(np.random.default_rng(4), torque=0.5),
        options=symoro.IdentificationOptions(find_consistent=True),
    )
    assert estimate.consistent is not None and not estimate.warnings
    better = replace(estimate.consistent, relative=0.9 * estimate.consistent.relative)
    (line,) = consistency_warnings(estimate.estimate, estimate.residuals, better)
    assert line.name == "constraints-explain-more" and "WLS" in line


def test_masses_and_their_sum_are_within_their_bounds() -> None:
    result = noisy()
    free = consistent(result.base, result.estimate, result.data)
    low, high = free.standard["M1"] + 1.0, free.standard["M1"] + 2.0
    got = consistent(
        result.base, result.estimate, result.data, masses={1: (low, high), 2: (1.5, 1.5)}, total_mass=(0, 30)
    )
    assert got.standard["M1"] == pytest.approx(low, rel=1e-6)  # the prior pulls it to the nearer bound
    assert got.standard["M2"] == pytest.approx(1.5, rel=1e-6)
    assert got.total_mass == pytest.approx(low + 1.5, rel=1e-6)
    assert got.mass_bounds == {"M1": (low, high), "M2": (1.5, 1.5), "total mass": (0.0, 30.0)}
    heavy = consistent(result.base, result.estimate, result.data, total_mass=(20.0, np.inf))
    assert heavy.total_mass == pytest.approx(20.0, rel=1e-5)
    wide = consistent(result.base, result.estimate, result.data, masses={1: (0.0, 100.0)})
    assert np.abs((wide.values - free.values) / result.estimate.deviations).max() < 0.05
    assert wide.standard["M1"] == pytest.approx(free.standard["M1"], rel=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"masses": {3: (1, 2)}}, "no link of robot 'two links' called '3'"),
        ({"masses": {1: (2, 1)}}, "mass of link 1: the lower bound 2 kg exceeds the upper bound 1 kg"),
        ({"masses": {1: (-1, 1)}}, "mass of link 1: a mass in kg is not negative"),
        ({"masses": {1: (np.nan, 1)}}, "mass of link 1: a mass in kg is not negative"),
        ({"masses": {1: (0, 0)}}, "mass of link 1: the upper bound 0 kg does not permit a body"),
        ({"masses": {1: "heavy"}}, "mass of link 1: expected a lower and an upper bound"),
        ({"total_mass": -1}, "total mass: a mass in kg is not negative"),
        ({"masses": {1: (3, 4), 2: (2, 4)}, "total_mass": 4.9}, "lower bounds of the links sum to 5 kg"),
        ({"masses": {1: (3, 4), 2: (2, 4)}, "total_mass": (8.1, 9)}, "upper bounds of the links sum to 8 kg"),
        ({"link_weights": {2: 0}}, "prior weight of link 2: expected a positive number"),
        ({"link_weights": {5: 1}}, "no link of robot 'two links' called '5'"),
        ({"cad": {"M9": 1.0}}, "no inertial parameter of robot 'two links' called 'M9'"),
        ({"cad": {"M1": np.nan}}, "nominal value of M1: expected a finite number"),
    ],
)
def test_invalid_bounds_and_priors_are_rejected(options: dict, message: str) -> None:
    result = noisy()
    with pytest.raises(SymoroError, match=message):
        consistent(result.base, result.estimate, result.data, **options)


def test_bounds_that_just_agree_are_accepted() -> None:
    result = noisy()
    for total in (5.0, np.int64(5), (8.0, 9.0)):
        got = consistent(
            result.base, result.estimate, result.data, masses={1: (3, 4), 2: (2, 4)}, total_mass=total
        )
        assert got.total_mass == pytest.approx(5.0 if total == 5.0 else 8.0, rel=1e-5)
    robot = two_links()
    for low, total in (
        (0.1, (0.3, 0.3)),
        (0.7, (0.9, 0.9)),
    ):  # 0.1 + 0.2 > 0.3 and 0.7 + 0.2 < 0.9 by rounding
        assert checked_masses(robot, {1: (low, low), 2: (0.2, 0.2)}, total)["total mass"] == total
        for share in (1 - 1e-8, 1 + 1e-8):
            with pytest.raises(ArgumentError, match="no masses satisfy all bounds"):
                checked_masses(robot, {1: (low, low), 2: (0.2, 0.2)}, (share * total[0], share * total[0]))


def test_a_link_with_a_large_prior_weight_keeps_its_nominal_values() -> None:
    """M1 has no effect on the torques, so the prior alone determines it; MX2 is determined by the data."""
    result = noisy()
    nominal = {"M2": 1.2, "XX2": 0.02, "YY2": 0.3, "ZZ2": 0.35, "MX2": 0.55, "MY2": -0.05}
    errors = []
    for factor in (1e-3, 1.0, 1e12):
        got = consistent(result.base, result.estimate, result.data, cad=nominal, link_weights={2: factor})
        errors.append(abs(got.standard["MX2"] - 0.55))
    assert errors[0] >= errors[1] > 10 * errors[2] and errors[2] < 2e-3


@pytest.mark.parametrize("name", ["masses", "total_mass", "link_priors", "nominal"])
def test_bounds_require_consistent_parameters(name: str) -> None:
    value = {"masses": {1: (1, 2)}, "total_mass": 3.0, "link_priors": {1: 2.0}, "nominal": {"M1": 1.0}}[name]
    with pytest.raises(OptionError, match=f"the option '{name}' applies to physically consistent"):
        symoro.IdentificationOptions(**{name: value})
    symoro.IdentificationOptions(find_consistent=True, **{name: value})
