"""Emitted Python, MATLAB and JavaScript, run by their interpreters, against our own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from tests.emit.programs import Case, batches, case_of, few, solver, special_cases
from tests.emit.run import assert_close, run_javascript, run_octave, run_python


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return special_cases()


@pytest.mark.parametrize("batch", [False, True])
def test_python(tmp_path: Path, cases: list[Case], batch: bool) -> None:
    assert_close(run_python(tmp_path, cases, batch=batch), cases)


@given(batches())
@few(5)
def test_python_random(batch: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_close(run_python(Path(folder), batch, batch=True), batch)


def test_python_solves_regular_samples_beside_a_singular_one(tmp_path: Path) -> None:
    case = case_of(solver(n=2))
    case.inputs["A"][1] = [[0, -case.parameters["m"]], [1, 1]]
    found = run_python(tmp_path, [case], batch=True)[0]["x"]
    assert np.all(np.isnan(found[1]))
    np.testing.assert_allclose(found[[0, 2]], case.expected()["x"][[0, 2]], rtol=1e-12)


def test_octave(tmp_path: Path, cases: list[Case]) -> None:
    assert_close(run_octave(tmp_path, cases), cases)


@given(batches())
@few(1)
def test_octave_random(batch: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_close(run_octave(Path(folder), batch), batch)


@pytest.mark.parametrize("batch", [False, True])
def test_javascript(tmp_path: Path, cases: list[Case], batch: bool) -> None:
    assert_close(run_javascript(tmp_path, cases, batch=batch), cases)


@given(batches())
@few(5)
def test_javascript_random(batch: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_close(run_javascript(Path(folder), batch), batch)
