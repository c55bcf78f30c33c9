"""The quartic and circle kernels in the languages that run here, where the algebra degenerates."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import (
    WRAPPER_NAMES,
    Results,
    c_library,
    cpp_library,
    fortran_library,
    run_javascript,
    run_library,
    run_octave,
    run_python,
)

CALLS = 8  # a sample

QUARTICS = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 3],
    [0, 0, 0, 2, 1],
    [0, 0, 1, 0, -2],
    [0, 1, 0, -1, 0],
    [1, 0, 0, 0, -1],
    [1, 0, 0, 0, 1],
    [math.nan, 1, 2, 3, 4],
    [1, 2, 3, 4, math.nan],
    [1, math.inf, 0, 0, 1],
    [1e-17, 1, -6, 11, -6],
    [1e-18, 1e-17, 1, -3, 2],
    [1e-17, -1e-17, 1e-17, 2, 1],
    [1e150, -10e150, 35e150, -50e150, 24e150],
    [1e-150, -10e-150, 35e-150, -50e-150, 24e-150],
    [1, 0, -1e12, 3e14, 5e18],
    [1, -1, 6e-20, -1.1e-39, 6e-60],
    [3, -0.2, -5, 1, 1],
    [-3, 0.2, 5, -1, 1],
    [1, 0, -5, 0, 4],
    [2, 1, -4, 0.5, 0.5],
    [1, 1, 1, 1, 1],
    [1e-5, 1, 1, -2, -0.1],
    [1, 1, -2, -0.1, 1e-5],
]
CIRCLES = [
    [0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0],
    [0.5, 1, 0, 0, 0],
    [0, 1, 0.5, 0, 0],
    [2, 1, 1, 0, 0],
    [0, 0, 0, 1, 0],
    [0, 0, 0, 0, -3],
    [0.2, 0, 0, 1, 0],
    [math.nan, 1, 0, 0, 0],
    [1, 1, 1, 1, math.nan],
    [1, math.inf, 0, 0, 0],
    [1e150, 2e150, -3e150, 1e150, 0.5e150],
    [1e-150, 2e-150, -3e-150, 1e-150, 0.5e-150],
    [0, 1, 1, 1, 0.2],
    [0.3, 0.7, -0.2, -0.4, 0.6],
    [0.3, 0.7, -0.2, -0.4, -0.6],
    [0.1, -1, 0.1, 2, 1],
    [-0.1, 1, -0.1, -2, -1],
    [0, 1e-9, 1, 0, 1e-9],
    [0, 1, 0, 1e-14, 0],
    [1, 0.1, 0.1, 0.1, 1.5],
    [0.9, 1, 0.2, 0.1, 0.5],
    [-0.5, -0.3, 0, 0.25, 0],
    [0.5, 0.2, 0, -0.3, 1],
]
DOUBLES = [
    ([1, -6, 13, -12, 4], [1, 1, 2, 2]),
    ([0, 0, 1, -2, 1], [1, 1]),
    ([1, -3, -3, 11, -6], [-2, 1, 1, 3]),
    ([0, 1, 0, -3, 2], [-2, 1, 1]),
]

Run = Callable[[Path, list[Case]], Results]


def _program(name: str, kernel: str) -> Program:
    b = Builder(name)
    entries = b.input("k", (CALLS, 5))
    b.output("y", [b.call(kernel, entries[5 * j : 5 * j + 5]) for j in range(CALLS)])
    return b.program()


def _case(name: str, kernel: str, rows: list[list[float]]) -> Case:
    inputs = {"k": np.array(rows, dtype=float).reshape(SAMPLES, CALLS, 5)}
    return Case(_program(name, kernel), inputs, {})


def _python(folder: Path, cases: list[Case]) -> Results:
    return run_python(folder, cases, batch=True)


def _c(folder: Path, cases: list[Case]) -> Results:
    return run_library(c_library(folder, cases, "-O1", parts=("",)), cases)


def _cpp(folder: Path, cases: list[Case]) -> Results:
    return run_library(cpp_library(folder, cases), cases, names=WRAPPER_NAMES)


def _fortran(folder: Path, cases: list[Case]) -> Results:
    return run_library(fortran_library(folder, cases), cases, names=WRAPPER_NAMES, fortran=True)


@pytest.mark.parametrize("run", [_python, _c, _cpp, _fortran, run_octave, run_javascript])
def test_roots(tmp_path: Path, run: Run) -> None:
    """As NumPy has it where the roots are simple; where they are double, the roots and a small defect."""
    doubles = [a for a, _ in DOUBLES] * (SAMPLES * CALLS // len(DOUBLES))
    cases = [
        _case("quartics", "quartic", QUARTICS),
        _case("circles", "circle", CIRCLES),
        _case("doubles", "quartic", doubles),
    ]
    found = [result["y"].reshape(SAMPLES * CALLS, -1) for result in run(tmp_path, cases)]
    for rows, mine, case in zip((QUARTICS, CIRCLES), found, cases, strict=False):
        expected = case.expected()["y"].reshape(SAMPLES * CALLS, -1)
        for row, x, y in zip(rows, mine, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12, err_msg=str(row))
    for (_, roots), row in zip(DOUBLES, found[2], strict=False):
        np.testing.assert_allclose(row[: len(roots)], roots, rtol=1e-6)
        np.testing.assert_allclose(row[4:], [0] * len(roots) + [1] * (4 - len(roots)), atol=1e-6)
