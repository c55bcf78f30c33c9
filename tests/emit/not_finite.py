"""Poses with entries that are not finite, which have no solution in any model and language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import symoro
from symoro.models.geometric.inverse.branches import EMPTY, SINGULAR, VALID
from symoro.models.geometric.inverse.chain.pose import given_entries
from tests.emit.programs import Case
from tests.emit.run import Results

Job = tuple[str, str, dict[str, Any]]

# Robots for which some language once returned such a pose as valid, and one robot of each method.
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

READ = ("ur5e", "scara", "planar3r", "gantry")  # languages that the evaluator computes


def robot_of(name: str) -> symoro.Robot:
    tree = name.startswith("tree of ")
    robot = symoro.load(name.removeprefix("tree of "))
    return robot.tree() if tree else robot


def _case(job: Job, number: int, values: Sequence[float]) -> tuple[Case, np.ndarray]:
    """Return one valid sample, then one per entry and bad value; and whether that entry is used."""
    name, model, options = job
    robot = robot_of(name)
    program = replace(symoro.generate(robot, model, **options).program, name=f"job{number}")
    rng = np.random.default_rng(5)
    clean = {port.name: rng.uniform(0.2, 1.2, port.shape) for port in program.inputs}
    counts = {port: np.ones(array.shape, bool) for port, array in clean.items()}
    if "T" in clean:
        clean["T"] = symoro.generate(robot, "fast-geometry").function(compiled=False)(q=clean["q0"])["T"]
        counts["T"][:3] = given_entries(options.get("pose", "full"))
        counts["T"][3] = False
    samples, counted = [clean], [False]
    for port, array in clean.items():
        for index in np.ndindex(array.shape):
            for value in values:
                spoilt = array.copy()
                spoilt[index] = value
                samples.append({**clean, port: spoilt})
                counted.append(bool(counts[port][index]))
    inputs = {port: np.stack([sample[port] for sample in samples]) for port in clean}
    return Case(program, inputs, dict(robot.nominal)), np.array(counted)


Made = list[tuple[Case, np.ndarray]]


def cases_of(jobs: list[Job], values: Sequence[float]) -> Made:
    return [_case(job, number, values) for number, job in enumerate(jobs)]


@cache
def known_cases() -> Made:
    return cases_of(KNOWN, (np.nan, np.inf))


def assert_no_solution(results: Results, jobs: list[Job], made: Made, *, guarded: bool = True) -> None:
    for job, (_, counts), outputs in zip(jobs, made, results, strict=True):
        status = np.asarray(outputs["status"])
        assert (status[counts] == EMPTY).all(), f"{job}: a pose that is not finite has a solution"
        assert (status[~counts] == status[0]).all(), f"{job}: an entry that is not given counts"
        residual = np.asarray(outputs["residual"])
        assert not guarded or np.isnan(residual[counts]).all(), f"{job}: the residual is not NaN"
        solved = (status == VALID) | (status == SINGULAR)
        assert solved[0].any() or "loop" in job[1], f"{job}: the pose without a flaw has none"
        for output in ("q", "residual", *(["qc"] if "qc" in outputs else [])):
            rows = np.asarray(outputs[output])[solved]
            assert np.isfinite(rows).all(), f"{job}: a solution has a {output} that is not finite"
