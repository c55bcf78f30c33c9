"""Emitted code of dynamic models: compiled C of a real arm, and every language on a small one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.model import Model
from symoro.robot.description import Robot
from symoro.runtime.compiler import find_compiler
from tests.emit.evaluator import run_functions, run_text
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import (
    WRAPPER_NAMES,
    Results,
    assert_close,
    c_library,
    cpp_library,
    fortran_library,
    run_javascript,
    run_library,
    run_octave,
    run_python,
)
from tests.models.dynamic.cases import error, masses, state

MODELS = ("inverse-dynamics", "direct-dynamics", "inertia-matrix")


def heavy(robot: Robot) -> Robot:
    """Return the robot with nominal values of all symbols and feasible inertias."""
    rng = np.random.default_rng(1)
    values = {name: float(rng.uniform(0.2, 1.0)) for name in robot.symbols()}
    for j in range(1, robot.NL + 1):
        values |= {f"{name}{j}": x for name, x in masses(rng).items() if f"{name}{j}" in values}
    return robot.replace(nominal=tuple(values.items()))


def case(robot: Robot, model: str) -> Case:
    made = symoro.generate(robot, model)
    rows = [state(robot, seed) for seed in range(SAMPLES)]
    inputs = {name: np.stack([row[name] for row in rows]) for name in made.inputs}
    return Case(made.program, inputs, {p: dict(robot.nominal)[p] for p in made.program.parameters})


@pytest.fixture(scope="module")
def arm() -> Robot:
    return heavy(symoro.load("rx90"))


@pytest.mark.parametrize("batch", [False, True])
def test_c_of_the_rx90(tmp_path: Path, arm: Robot, batch: bool) -> None:
    """The code compiles without warnings; the wrench of the last link is an input."""
    cases = [case(arm, model) for model in MODELS]
    assert_close(run_library(c_library(tmp_path, cases), cases, batch=batch), cases, 1e-11)


@pytest.mark.parametrize("model", MODELS)
def test_function_compiled_and_not(arm: Robot, model: str) -> None:
    if find_compiler() is None:
        pytest.skip("no C compiler")
    made: Model = symoro.generate(arm, model)
    rows = [state(arm, seed) for seed in range(5)]
    at = {name: np.stack([row[name] for row in rows]) for name in made.inputs}
    compiled, plain = made.function(compiled=True), made.function(compiled=False)
    for name, expected in plain(**at).items():
        assert error(compiled(**at)[name], expected) < 1e-12
        one = compiled(**{key: x[2] for key, x in at.items()})[name]
        assert error(one, expected[2]) < 1e-12


# -- every language on a 2R


@pytest.fixture(scope="module")
def small() -> list[Case]:
    robot = symoro.load("planar2r").with_frame(1, FS="FS1", FV="FV1").with_frame(2, IA="IA2")
    robot = heavy(robot.with_link(2, FX="FX2", CZ="CZ2"))
    return [case(robot, model) for model in (*MODELS, "lagrange", "energy")]


def test_c(tmp_path: Path, small: list[Case]) -> None:
    assert_close(run_library(c_library(tmp_path, small), small), small)


def test_cpp(tmp_path: Path, small: list[Case]) -> None:
    assert_close(run_library(cpp_library(tmp_path, small), small, names=WRAPPER_NAMES), small)


def test_fortran(tmp_path: Path, small: list[Case]) -> None:
    library = fortran_library(tmp_path, small)
    assert_close(run_library(library, small, names=WRAPPER_NAMES, fortran=True), small)


def test_python(tmp_path: Path, small: list[Case]) -> None:
    assert_close(run_python(tmp_path, small, batch=False), small)
    assert_close(run_python(tmp_path, small, batch=True), small)


def test_octave(tmp_path: Path, small: list[Case]) -> None:
    assert_close(run_octave(tmp_path, small), small)


def test_javascript(tmp_path: Path, small: list[Case]) -> None:
    assert_close(run_javascript(tmp_path, small), small)


@pytest.mark.parametrize("language", ["text", "julia", "maple", "mathematica"])
def test_read_back(small: list[Case], language: str) -> None:
    result: Results = [run_text(c) if language == "text" else run_functions(c, language) for c in small]
    assert_close(result, small)
