"""Check that values which are not finite or too large never give a solution, for any robot and language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.robot import library
from symoro.runtime.function import Function
from tests.emit.not_finite import Job, assert_no_solution, cases_of, robot_of
from tests.emit.run import (
    WRAPPER_NAMES,
    c_library,
    cpp_library,
    fortran_library,
    run_javascript,
    run_library,
    run_octave,
    run_python,
    run_rust,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of emitted Python with such values

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "inverse-geometry": [
        {},
        {"pose": "planar"},
        {"pose": "axis"},
        {"pose": "position"},
        {"pose": "sx,sy,P"},
        {"method": "pieper"},
        {"method": "general"},
        {"locked": "3"},
        {"locked": "7"},
        {"locked": "7", "method": "general"},
        {"swivel": True},
    ],
    "loop-geometry": [{}, {"modes": "all"}, {"method": "numeric"}],
}


def every_job(name: str) -> Iterator[Job]:
    """Yield the inverse problems of a robot; for one with loops also its tree, `tree of NAME`."""
    for model, choices in OPTIONS.items():
        for options in choices:
            for robot in (name, f"tree of {name}") if symoro.load(name).B else (name,):
                try:
                    symoro.generate(robot_of(robot), model, **options)
                except (NotApplicableError, OptionError, UnknownNameError):
                    continue
                yield robot, model, options


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(library.names()) - {"humanoid_torso"}))  # neither model applies
def test_what_is_not_finite_has_no_solution_for_any_robot(tmp_path: Path, name: str) -> None:
    jobs = list(every_job(name))
    assert jobs
    made = cases_of(jobs, (np.nan, np.inf, -np.inf, 1e200))
    cases = [case for case, _ in made]
    folders = {kind: tmp_path / kind for kind in ("c", "optimised", "cpp", "fortran", "scripts")}
    for folder in folders.values():
        folder.mkdir()
    plain = c_library(folders["c"], cases, "-O1", parts=("",))
    optimised = c_library(folders["optimised"], cases, "-O3", "-march=native")
    cpp, fortran = cpp_library(folders["cpp"], cases), fortran_library(folders["fortran"], cases)
    for results in (
        [case.expected() for case in cases],
        [Function(case.program, case.parameters, compiled=False)(**case.inputs) for case in cases],
        run_library(plain, cases),
        run_library(optimised, cases, batch=True),
        run_library(cpp, cases, names=WRAPPER_NAMES),
        run_library(fortran, cases, names=WRAPPER_NAMES, fortran=True),
        run_python(folders["scripts"], cases, batch=True),
        run_octave(folders["scripts"], cases),
        run_javascript(folders["scripts"], cases),
        run_rust(folders["scripts"], cases, "-O"),
    ):
        assert_no_solution(results, jobs, made)
