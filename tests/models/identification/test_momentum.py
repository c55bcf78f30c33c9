"""D1 and D2 of the filtered model, its filters, and the four models on one motion."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.errors import ArgumentError
from symoro.models.identification.filters import filter_program, low_pass_and_derivative
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.runtime.function import Function
from tests.models.dynamic.cases import error, examples, heavy_trees, outputs, seeded_tree, state
from tests.models.identification.linear import library, numbers, rate, resting, run, smooth
from tests.models.identification.test_dynamic import ROBOTS, massive

CLOSE = 1e-11


def check(robot: Robot, seed: int, parameters: str = "standard") -> None:
    robot = resting(robot)
    at = state(robot, seed)
    model = symoro.generate(robot, "filtered-identification", parameters=parameters)
    result = (rate(model, "D1", at) + run(model, at)["D2"]) @ numbers(model, parameters)
    assert error(result, outputs(robot, "inverse-dynamics", at)["tau"]) < CLOSE


@given(heavy_trees(most=5).filter(massive), st.integers(0, 1000))
@examples(20)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(12))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.parametrize("name", ROBOTS)
def test_base_parameters(name: str) -> None:
    check(library(name), 5, "base")


@pytest.mark.parametrize("name", ROBOTS)
def test_momenta(name: str) -> None:
    """D1 K = A qd; at rest D2 K is the gravity torque."""
    robot = library(name)
    model = symoro.generate(robot, "filtered-identification", friction="none")
    at, K = state(robot, 6), numbers(model)
    assert error(run(model, at)["D1"] @ K, outputs(robot, "inertia-matrix", at)["A"] @ at["qd"]) < CLOSE
    rest = {**at, "qd": np.zeros_like(at["qd"])}
    assert error(run(model, rest)["D2"] @ K, outputs(robot, "gravity-torques", at)["Q"]) < CLOSE


# -- four models, one motion


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
@pytest.mark.parametrize("parameters", ["standard", "base"])
def test_four_models(name: str, parameters: str) -> None:
    """All models give the same torques and power along a motion."""
    robot = library(name)
    made = {
        word: symoro.generate(robot, f"{word}-identification", parameters=parameters)
        for word in ("dynamic", "energy", "power", "filtered")
    }
    K = {word: numbers(model, parameters) for word, model in made.items()}
    motion = smooth(len(independent(robot)), 11)
    for t in np.linspace(0.1, 2.0, 5):
        at = motion(t)
        tau = outputs(robot, "inverse-dynamics", at)["tau"]
        assert error(run(made["dynamic"], at)["W"] @ K["dynamic"], tau) < 1e-10
        slope = rate(made["filtered"], "D1", at) + run(made["filtered"], at)["D2"]
        assert error(slope @ K["filtered"], tau) < 1e-10
        loss = run(made["power"], at)["p"] @ K["power"]
        assert error(rate(made["power"], "h", at) @ K["power"] + loss, at["qd"] @ tau) < 1e-10
        assert error(rate(made["energy"], "h", at) @ K["energy"] + loss, at["qd"] @ tau) < 1e-10


def test_filtered_samples() -> None:
    """F[tau] = (F'[D1] + F[D2]) K, to the order of the bilinear transform."""
    robot = library("scara")
    model = symoro.generate(robot, "filtered-identification")
    torque = symoro.generate(robot, "inverse-dynamics").function(compiled=False)
    K, motion = numbers(model), smooth(len(independent(robot)), 3)
    off = []
    for step in (2e-3, 1e-3):
        samples = [motion(t) for t in np.arange(0.0, 0.8, step)]
        at = {name: np.array([x[name] for x in samples]) for name in ("q", "qd", "qdd")}
        parts = model.function(compiled=False)(q=at["q"], qd=at["qd"])
        tau, _ = low_pass_and_derivative(torque(**at)["tau"], 60.0, step)
        _, first = low_pass_and_derivative(parts["D1"], 60.0, step)
        second, _ = low_pass_and_derivative(parts["D2"], 60.0, step)
        late = len(samples) * 3 // 4  # the start is forgotten as exp(-60 t)
        off.append(error((first[late:] + second[late:]) @ K, tau[late:]))
    assert off[1] < 1e-5
    assert 3.5 < off[0] / off[1] < 4.5


# -- filters


def test_filters_of_sines() -> None:
    """Gain and phase of F and s F at the frequency warped by the bilinear transform."""
    a, step, omega = 30.0, 1e-3, 12.0
    t = np.arange(0, 3, step)
    low, slope = low_pass_and_derivative(np.sin(omega * t), a, step)
    s = 2j / step * np.tan(omega * step / 2)
    F = a**2 / (s + a) ** 2
    wave = np.exp(1j * omega * t[-500:])
    assert np.abs(low[-500:] - (F * wave).imag).max() < 1e-12
    assert np.abs(slope[-500:] - (s * F * wave).imag).max() < 1e-11


def test_filters_of_constants_and_ramps() -> None:
    low, slope = low_pass_and_derivative(np.full((50, 2, 3), 4.0), 20.0, 0.01)
    assert np.allclose(low, 4.0, rtol=0, atol=1e-14)
    assert np.allclose(slope, 0.0, rtol=0, atol=1e-12)
    t = np.arange(0, 4, 0.01)
    low, slope = low_pass_and_derivative(3 * t, 20.0, 0.01)
    assert abs(slope[-1] - 3) < 1e-12
    assert abs(low[-1] - (3 * t[-1] - 3 * 2 / 20)) < 1e-10  # the delay of F is 2/a


@pytest.mark.parametrize(
    ("x", "a", "step"), [([], 1.0, 1.0), ([1.0], 0.0, 1.0), ([1.0], 1.0, -1.0), (3.0, 1, 1)]
)
def test_bad_filters(x: object, a: float, step: float) -> None:
    with pytest.raises(ArgumentError):
        low_pass_and_derivative(x, a, step)


@pytest.mark.parametrize("compiled", [False, True])
def test_filter_as_code(compiled: bool) -> None:
    if compiled and not shutil.which("cc"):
        pytest.skip("no C compiler")
    a, step = 40.0, 2e-3
    x = np.random.default_rng(1).uniform(-1, 1, 30)
    function = Function(filter_program(), {"a": a, "T": step}, compiled=compiled)
    now = np.full(3, x[0])
    low, slope = low_pass_and_derivative(x, a, step)
    for n, sample in enumerate(x):
        out = function(x=np.array(sample), state=now)
        now = out["state_next"]
        assert abs(out["y"] - low[n]) < 1e-14
        assert abs(out["yd"] - slope[n]) < 1e-12
