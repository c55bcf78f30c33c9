"""Emitted code of one model per structure other than a rigid tree on a fixed base, in the installed languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.description import Robot
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import (
    WRAPPER_NAMES,
    assert_close,
    c_library,
    cpp_library,
    fortran_library,
    run_javascript,
    run_library,
    run_octave,
    run_python,
)


def sprung() -> Robot:
    """Return a planar arm with a spring in its elbow, in numbers."""
    robot = symoro.load("planar2r").with_frame(2, eta=True, k=30, rest=0.1, IA=0.2, FV=0.3)
    for j in (1, 2):
        robot = robot.with_link(j, mass=1, com=[0.2, 0, 0], inertia=[0.01, 0.01, 0.02])
    return robot


MODELS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "elastic joint": (sprung, "inverse-dynamics", {}),
    "elastic actuator": (sprung, "direct-dynamics", {"actuators": "elastic"}),
    "flexible links": (lambda: symoro.load("flexible2r"), "bias-torques", {}),
    "flexible and floating": (
        lambda: symoro.load("flexible_satellite").replace(name="beams"),
        "inverse-dynamics",
        {"rotation": "quaternion"},
    ),
    "wheels": (lambda: symoro.load("car"), "direct-dynamics", {}),
    "linked steering": (lambda: symoro.load("car_ackermann"), "wheel-kinematics", {}),
    "floating base": (lambda: sprung().floating().with_link(0, M=5, XX=1, YY=2, ZZ=2), "energy", {}),
    "floating loops": (lambda: symoro.load("fivebar").floating().with_link(0, M=5, ZZ=2), "bias-torques", {}),
}


@pytest.fixture(scope="module")
def kinds() -> list[Case]:
    results = []
    for which, (robot, model, options) in MODELS.items():
        made = symoro.generate(robot(), model, **options)
        rng = np.random.default_rng(len(which))
        inputs = {name: rng.uniform(-1, 1, (SAMPLES, *shape)) for name, shape in made.inputs.items()}
        program, numbers = made.program, dict(robot().nominal)
        results.append(Case(program, inputs, {p: numbers[p] for p in program.parameters}))
    assert len({case.program.name for case in results}) == len(results)
    return results


def test_c(tmp_path: Path, kinds: list[Case]) -> None:
    assert_close(run_library(c_library(tmp_path, kinds), kinds), kinds)


def test_cpp(tmp_path: Path, kinds: list[Case]) -> None:
    assert_close(run_library(cpp_library(tmp_path, kinds), kinds, names=WRAPPER_NAMES), kinds)


def test_fortran(tmp_path: Path, kinds: list[Case]) -> None:
    library = fortran_library(tmp_path, kinds)
    assert_close(run_library(library, kinds, names=WRAPPER_NAMES, fortran=True), kinds)


@pytest.mark.parametrize("batch", [False, True])
def test_python_and_javascript(tmp_path: Path, kinds: list[Case], batch: bool) -> None:
    assert_close(run_python(tmp_path, kinds, batch=batch), kinds)
    assert_close(run_javascript(tmp_path, kinds, batch=batch), kinds)


def test_octave(tmp_path: Path, kinds: list[Case]) -> None:
    assert_close(run_octave(tmp_path, kinds), kinds)
