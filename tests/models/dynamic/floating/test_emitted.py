"""Emitted code of the models of a floating base in every language, and its NaN outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.program.program import Program
from symoro.robot.description import Robot
from tests.emit.evaluator import run_functions, run_text
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import (
    WRAPPER_NAMES,
    Results,
    assert_close,
    c_library,
    cpp_library,
    fortran_library,
    run_library,
    run_octave,
    run_python,
)
from tests.models.dynamic.floating.cases import afloat, state
from tests.models.dynamic.test_emitted import heavy

CONTACT = {"contacts": [(2, (0.3, 0.1, 0.0))]}
MODELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("inverse-dynamics", {}),
    ("inverse-dynamics", {"base": "given", "rotation": "quaternion"}),
    ("direct-dynamics", {"method": "recursive"}),
    ("inertia-matrix", {}),
    ("energy", {}),
    ("centroidal-momentum", {}),
    ("contact-dynamics", CONTACT),
)


def case(robot: Robot, model: str, options: dict[str, Any]) -> Case:
    made = symoro.generate(robot, model, **options)
    rows = [state(robot, seed) for seed in range(SAMPLES)]
    inputs = {name: np.stack([row[name] for row in rows]) for name in made.inputs}
    program: Program = made.program
    return Case(program, inputs, {p: dict(robot.nominal)[p] for p in program.parameters})


@pytest.fixture(scope="module")
def small() -> list[Case]:
    arm = heavy(symoro.load("planar2r").with_frame(1, FS="FS1", FV="FV1").with_frame(2, IA="IA2"))
    robot = afloat(arm, 1)
    results: dict[str, Case] = {}
    for model, options in MODELS:
        made = case(robot, model, options)
        results.setdefault(made.program.name, made)  # two of one name cannot be compiled together
    return list(results.values())


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


@pytest.mark.parametrize("language", ["text", "julia", "maple", "mathematica"])
def test_read_back(small: list[Case], language: str) -> None:
    result: Results = [run_text(c) if language == "text" else run_functions(c, language) for c in small]
    assert_close(result, small)


@pytest.mark.parametrize("model", ["inverse-dynamics", "direct-dynamics", "contact-dynamics"])
def test_compiled_functions_and_batches(model: str) -> None:
    robot = afloat(heavy(symoro.load("rx90")), 2)
    made = symoro.generate(robot, model)
    rows = [state(robot, seed) for seed in range(9)]
    at = {name: np.stack([row[name] for row in rows]) for name in made.inputs}
    plain, compiled = made.function(compiled=False)(**at), made.function()(**at)
    for name, value in plain.items():
        np.testing.assert_allclose(compiled[name], value, rtol=1e-9, atol=1e-9)


def test_redundant_contacts_are_nan_when_compiled() -> None:
    """Two points of a straight planar arm, whose distance the second joint does not change to first order."""
    arm = heavy(symoro.load("planar2r"))
    robot = afloat(arm, 1)
    made = symoro.generate(robot, "contact-dynamics", contacts=[(0, (0, 0, 0)), (2, (0.4, 0, 0))])
    at = {name: np.array(value) for name, value in state(robot).items() if name in made.inputs}
    assert np.all(np.isfinite(made.function()(**at)["forces"]))
    at["q"] = np.array([0.3, 0.0])
    for compiled in (True, False):
        result = made.function(compiled=compiled)(**at)
        assert all(np.all(np.isnan(value)) for value in result.values())
