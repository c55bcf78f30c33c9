"""Test single precision: tolerances of the precision, at and near singular configurations of loops."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares

import symoro
from symoro.emit import emit
from symoro.expr.number import Tolerance, in_single
from symoro.expr.scalar import absolute, less, select
from symoro.program.builder import Builder
from symoro.robot.description import Robot
from tests.emit.programs import Case
from tests.emit.run import WRAPPER_NAMES, c_library, cpp_library, run_library
from tests.models.loop_cases import heavy
from tests.oracle.closed import Closed
from tests.oracle.platforms import robots as platforms

Array = np.ndarray
EPS = 2.0**-23
DISTANCES = (0.3, 0.1, 0.01, -0.01, 1e-3, 1e-4, 1e-6, 0.0)  # rad from the singular configuration


@cache
def mechanism(name: str, lengths: tuple[tuple[str, float], ...] = ()) -> Robot:
    """Return a bundled robot with numbers and inertias."""
    robot = heavy(symoro.load(name).bind(dict(lengths)), np.random.default_rng(2))
    known = dict(symoro.load(name).nominal)
    return robot.bind({s: known.get(s, 0.4) for s in robot.symbols()})


def four_bar(beside: float, scale: float) -> tuple[Robot, Array]:
    """Return a four-bar with coupler and rocker in line, or at an angle."""
    crank, ground, coupler, rocker = 0.7 * scale, 0.8 * scale, 0.4 * scale, 0.5 * scale
    across = coupler**2 + rocker**2 + 2 * coupler * rocker * np.cos(beside)
    a = np.arccos((crank**2 + ground**2 - across) / (2 * crank * ground))
    to_ground = np.array([ground - crank * np.cos(a), -crank * np.sin(a)])
    tilt = np.arctan2(rocker * np.sin(beside), coupler + rocker * np.cos(beside))
    phi2 = np.arctan2(to_ground[1], to_ground[0]) - tilt
    q = np.array([a, phi2 - a, phi2 + beside + np.pi])
    return mechanism("fourbar", (("D2", crank), ("D3", ground), ("D4", coupler), ("D5", rocker))), q


def slider_crank(beside: float, scale: float) -> tuple[Robot, Array]:
    """Return a slider-crank with the rod perpendicular to the slide, or at an angle."""
    crank, rod = 0.3 * scale, 0.2 * scale
    a = np.arcsin(rod * np.cos(beside) / crank)
    q = np.array([a, -np.pi / 2 + beside - a, crank * np.cos(a) + rod * np.sin(beside)])
    return mechanism("slidercrank", (("D2", crank), ("D4", rod))), q


def five_bar(beside: float, scale: float) -> tuple[Robot, Array]:
    """Return a symmetric five-bar with distal links in line, or at an angle."""
    base, crank, rod = 0.3 * scale, 0.4 * scale, 0.45 * scale
    half = rod * np.cos(beside / 2)  # of the distance between the tips of the cranks
    a = np.arccos((base / 2 - half) / crank)
    q = np.array([a, beside / 2 - a, np.pi - a, np.pi - beside / 2 - (np.pi - a)])
    return mechanism("fivebar", (("D2", crank), ("D3", base), ("D4", crank), ("D5", rod), ("D6", rod))), q


PLANAR: dict[str, Callable[[float, float], tuple[Robot, Array]]] = {
    "fourbar": four_bar,
    "slidercrank": slider_crank,
    "fivebar": five_bar,
}


def results(folder: Path, robot: Robot, q: Array) -> dict[str, Array]:
    """Return torques of the emitted code in both precisions and languages, one row per posture."""
    program = replace(symoro.generate(robot, "inverse-dynamics").program, name="model")
    shapes = {port.name: port.shape for port in program.inputs}
    inputs = {
        name: np.broadcast_to(np.linspace(0.5, 1.0, shape[0]), (len(q), *shape))
        for name, shape in shapes.items()
    }
    case = Case(program, inputs | {"q": q}, {})
    torques = {}
    for scalar, dtype in (("double", "float64"), ("float", "float32")):
        for language in ("c", "cpp"):
            place = folder / f"{language}_{scalar}"
            place.mkdir(parents=True)
            if language == "c":
                library = c_library(place, [case], parts=[""], scalar=scalar)
                (made,) = run_library(library, [case], scalar=dtype)
            else:
                library = cpp_library(place, [case], scalar)
                (made,) = run_library(library, [case], scalar=dtype, names=WRAPPER_NAMES)
            torques[f"{language} {scalar}"] = made["tau"]
    return torques


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("fourbar", 1.0),
        ("fourbar", 1e-3),
        ("slidercrank", 1.0),
        ("slidercrank", 0.1),
        ("fivebar", 1.0),
        ("fivebar", 1e-3),
    ],
)
def test_planar_mechanisms(tmp_path: Path, name: str, scale: float) -> None:
    robot, _ = PLANAR[name](0.0, scale)
    postures = np.array([PLANAR[name](beside, scale)[1] for beside in DISTANCES])
    truth, cut = Closed(robot), robot.NL + 1
    for q in postures:
        at = truth.placements(np.r_[q, 0.0], np.zeros(len(q) + 1), np.zeros(len(q) + 1))
        assert np.abs((at[cut][0] - at[cut + 1][0])[:3, 3]).max() < 1e-12 * scale
    torques = results(tmp_path, robot, postures)
    for which, tau in torques.items():
        assert np.isnan(tau[-1]).all(), which
    expected = torques["c double"]
    assert np.isfinite(expected[:-2]).all()
    for which in ("c float", "cpp float"):
        for beside, tau, want in zip(DISTANCES, torques[which], expected, strict=True):
            if abs(beside) >= 0.01:
                assert np.isfinite(tau).all()
            if np.isfinite(tau).all() and beside:
                assert np.abs(tau - want).max() < 200 * EPS / abs(beside) * np.abs(want).max(), (
                    which,
                    beside,
                )


@cache
def singular_posture(name: str) -> Array:
    """Return a closed posture in which the passive joints can move with locked active joints: J_p v = 0, |v| = 1."""
    truth, rng = Closed(mechanism(name)), np.random.default_rng(4)
    n = len(truth.joints)

    def residual(y: Array) -> Array:
        x, v = y[:n], y[n:]
        return np.concatenate(
            [truth.gaps(x, 0 * x, 0 * x)[0], truth.jacobian(x)[:, truth.rest] @ v, [v @ v - 1]]
        )

    for _ in range(40):
        start = truth.close(rng.uniform(-1.5, 1.5, n))
        if start is None:
            continue
        v = np.linalg.svd(truth.jacobian(start)[:, truth.rest])[2][-1]
        done = least_squares(residual, np.r_[start, v], xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
        if np.abs(done.fun).max() < 1e-13:
            return np.asarray(done.x[:n])
    raise AssertionError("no singular posture")


@pytest.mark.parametrize(
    "name",
    ["3rrr", *(pytest.param(name, marks=pytest.mark.slow) for name in ("delta", "orthoglide", "hybrid"))],
)
def test_platforms(tmp_path: Path, name: str) -> None:
    robot, truth, rng = mechanism(name), Closed(mechanism(name)), np.random.default_rng(5)
    x = singular_posture(name)
    postures, conditions = [x], [0.0]
    for distance in (0.3, 0.1, 0.03, 0.01, 1e-3):
        near = truth.close(x + distance * rng.uniform(-1, 1, len(x)))
        if near is not None:
            postures.append(near)
            ones = np.ones(truth.na)
            conditions.append(truth.moved(near, ones, ones).condition)
    torques = results(tmp_path, robot, np.array(postures)[:, : truth.n])
    for which, tau in torques.items():
        assert np.isnan(tau[0]).all(), which
    expected = torques["c double"]
    for which in ("c float", "cpp float"):
        for condition, tau, want in zip(conditions, torques[which], expected, strict=True):
            if condition > 1e-2:
                assert np.isfinite(tau).all()
            if np.isfinite(tau).all():
                assert np.abs(tau - want).max() < 100 * EPS / condition**2 * np.abs(want).max(), which


def test_solutions_of_inverse_geometry(tmp_path: Path) -> None:
    """Check the tolerance of a residual: with 1e-9 no solution would be valid in single precision."""
    made = symoro.generate("rx90", "inverse-geometry")
    robot = symoro.load("rx90")
    q = np.array([0.3, -0.7, 1.1, 0.4, 0.9, -0.2])
    T = symoro.generate("rx90", "fast-geometry").function()(q=q)["T"]
    values = {name: float(value) for name, value in robot.nominal if name in made.parameters}
    inputs = {port.name: np.zeros((1, *port.shape)) for port in made.program.inputs} | {"T": T[None]}
    case = Case(made.program, inputs, values)
    (outputs,) = run_library(
        c_library(tmp_path, [case], parts=[""], scalar="float"), [case], scalar="float32"
    )
    rows = outputs["q"][0][outputs["status"][0] == 0]
    assert len(rows) == 8 and np.abs(rows - q).max(1).min() < 1e-4


@pytest.mark.parametrize("name", ["3-RPS", "3-UPU", "6-RUS", "delta", "gough_stewart"])
@pytest.mark.parametrize("model", ["inverse-dynamics", "direct-dynamics", "inverse-geometry"])
def test_no_threshold_of_a_platform_is_below_the_round_off(name: str, model: str) -> None:
    robots = platforms()
    robot = robots[name] if name in robots else symoro.load(name)
    text = "".join(symoro.generate(robot, model, space="platform").code("c", scalar="float").values())
    literals = [float(x) for x in re.findall(r"\b(\d[\d.]*(?:e[+-]?\d+)?)f\b", text)]
    least, smallest = in_single(1e-20), 1e-30  # the square of 1e-10, and the least size of a robot
    assert len(literals) > 3 and not [x for x in literals if smallest < x < least]


def test_a_tolerance_keeps_its_share_of_the_digits() -> None:
    assert in_single(2.0**-52) == pytest.approx(2.0**-23, rel=0.2)
    assert in_single(1e-10) == 4e-5
    assert float(Tolerance(1e-10) ** 2) == 1e-20 and isinstance(-Tolerance(1e-10), Tolerance)


def test_every_language_writes_the_tolerance_of_its_precision() -> None:
    b = Builder("pivot")
    (x,) = b.input("x", (1,))
    b.output("y", [select(less(Tolerance(1e-10), absolute(x)), 1 / x, 0) + 1e-10 * x])
    program = b.program()
    for language, options, text in (
        ("c", {"scalar": "float"}, "4e-05f < fabsf"),
        ("c", {}, "1e-10 < fabs"),
        ("cpp", {}, "digits == 24 ? 4e-05 : 1e-10"),
        ("text", {}, "1e-10 < abs"),
        ("python", {}, "1e-10 < np.abs"),
    ):
        written = " ".join("".join(emit(program, language, **options).values()).split())
        assert text in written
        assert "1e-10f*" in written or options.get("scalar") != "float"  # an ordinary number stays what it is
