"""Numbers that are not finite, or too large to compute with, never give a solution: in any model, entry, language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.models.geometric.inverse.branches import EMPTY, SINGULAR, VALID
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.robot import library
from symoro.runtime.function import Function
from tests.emit.evaluator import run_functions, run_text
from tests.emit.programs import Case
from tests.emit.run import Results, c_library, run_javascript, run_library, run_octave
from tests.emit.test_roots import Run, _c, _cpp, _fortran, _python

BAD = (np.nan, np.inf, -np.inf, 1e200)
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning"
)  # of emitted Python, which computes with them
Job = tuple[str, str, dict[str, Any]]


def _c_batch(folder: Path, cases: list[Case]) -> Results:
    return run_library(c_library(folder, cases, "-O3", "-march=native"), cases, batch=True)


def _interpreter(folder: Path, cases: list[Case]) -> Results:
    return [case.expected() for case in cases]


def _interpreter_batch(folder: Path, cases: list[Case]) -> Results:
    return [Function(c.program, c.parameters, compiled=False)(**c.inputs) for c in cases]


LANGUAGES: list[Run] = [
    _interpreter,
    _interpreter_batch,
    _python,
    _c,
    _c_batch,
    _cpp,
    _fortran,
    run_octave,
    run_javascript,
]

# Where one or the other language once called such a pose valid, and one robot of each method.
KNOWN: list[Job] = [
    ("ur5e", "inverse-geometry", {}),
    ("scara", "inverse-geometry", {"pose": "planar"}),
    ("planar3r", "inverse-geometry", {"pose": "planar"}),
    ("gantry", "inverse-geometry", {}),
    ("iiwa14", "inverse-geometry", {"swivel": True}),
    ("rx90", "inverse-geometry", {"method": "general"}),
    ("stanford", "inverse-geometry", {"method": "pieper"}),
    ("panda", "inverse-geometry", {"locked": "3"}),
    ("sr400", "loop-geometry", {}),
    ("fourbar", "loop-geometry", {"method": "numeric"}),
]

READ = ("ur5e", "scara", "planar3r", "gantry")  # what the evaluator of emitted text computes

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
    """What can be solved for a robot; of one with loops, its tree is `tree of NAME`."""
    for model, choices in OPTIONS.items():
        for options in choices:
            for robot in (name, f"tree of {name}") if symoro.load(name).B else (name,):
                try:
                    symoro.generate(_robot(robot), model, **options)
                except (NotApplicableError, OptionError, UnknownNameError):
                    continue
                yield robot, model, options


def _robot(name: str) -> symoro.Robot:
    tree = name.startswith("tree of ")
    robot = symoro.load(name.removeprefix("tree of "))
    return robot.tree() if tree else robot


def _case(job: Job, number: int, values: Sequence[float]) -> tuple[Case, np.ndarray]:
    """One clean sample, then one for every entry and bad value; and whether that entry counts."""
    name, model, options = job
    robot = _robot(name)
    program = replace(symoro.generate(robot, model, **options).program, name=f"job{number}")
    rng = np.random.default_rng(5)
    clean = {port.name: rng.uniform(0.2, 1.2, port.shape) for port in program.inputs}
    counts = {port: np.ones(array.shape, bool) for port, array in clean.items()}
    if "T" in clean:
        clean["T"] = symoro.generate(robot, "fast-geometry").function(compiled=False)(q=clean["q0"])["T"]
        counts["T"][:3] = given_entries(options.get("pose", "full"))
        counts["T"][3] = False
    samples, told = [clean], [False]
    for port, array in clean.items():
        for index in np.ndindex(array.shape):
            for value in values:
                spoilt = array.copy()
                spoilt[index] = value
                samples.append({**clean, port: spoilt})
                told.append(bool(counts[port][index]))
    inputs = {port: np.stack([sample[port] for sample in samples]) for port in clean}
    return Case(program, inputs, dict(robot.nominal)), np.array(told)


Made = list[tuple[Case, np.ndarray]]


def cases(jobs: list[Job], values: Sequence[float]) -> Made:
    return [_case(job, number, values) for number, job in enumerate(jobs)]


@cache
def known_cases() -> Made:
    return cases(KNOWN, (np.nan, np.inf))


def check(folder: Path, run: Run, jobs: list[Job], made: Made, *, guarded: bool = True) -> None:
    found = run(folder, [case for case, _ in made])
    for job, (_, counts), results in zip(jobs, made, found, strict=True):
        status = np.asarray(results["status"])
        assert (status[counts] == EMPTY).all(), f"{job}: a pose that is not finite has a solution"
        assert (status[~counts] == status[0]).all(), f"{job}: an entry that is not given counts"
        residual = np.asarray(results["residual"])
        assert not guarded or np.isnan(residual[counts]).all(), f"{job}: the residual is not NaN"
        solved = (status == VALID) | (status == SINGULAR)
        assert solved[0].any() or "loop" in job[1], f"{job}: the pose without a flaw has none"
        for output in ("q", "residual", *(["qc"] if "qc" in results else [])):
            rows = np.asarray(results[output])[solved]
            assert np.isfinite(rows).all(), f"{job}: a solution has a {output} that is not finite"


@pytest.mark.parametrize("run", LANGUAGES)
def test_what_is_not_finite_has_no_solution(tmp_path: Path, run: Run) -> None:
    check(tmp_path, run, KNOWN, known_cases())


@pytest.mark.parametrize("language", ["text", "julia", "maple"])
def test_what_is_no_number_has_no_solution_in_languages_that_are_read(language: str) -> None:
    def run(folder: Path, cases: list[Case]) -> Results:
        return [run_text(case) if language == "text" else run_functions(case, language) for case in cases]

    jobs = [job for job in KNOWN if job[0] in READ]
    # Formulas that are read have no guards against numbers that are not finite; a note states this.
    check(Path(), run, jobs, cases(jobs, (np.nan,)), guarded=language != "text")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(library.names()) - {"humanoid_torso"}))  # neither model applies
def test_what_is_not_finite_has_no_solution_for_any_robot(tmp_path: Path, name: str) -> None:
    jobs = list(every_job(name))
    assert jobs
    made = cases(jobs, BAD)
    for run in LANGUAGES:
        folder = tmp_path / run.__name__
        folder.mkdir()
        check(folder, run, jobs, made)
