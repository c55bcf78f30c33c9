"""Inverse geometry in the languages that run here: all solutions of reachable, singular and unreachable poses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import run_javascript, run_octave
from tests.emit.test_roots import Run, _c, _cpp, _fortran, _python

ROBOTS = (("rx90", {}), ("stanford", {}), ("iiwa14", {"swivel": True}), ("scara", {"pose": "sx,sy,P"}))


def _case(name: str, options: dict[str, Any]) -> Case:
    robot = symoro.load(name)
    program = symoro.generate(robot, "inverse-geometry", **options).program
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    joints = next(port.shape[0] for port in program.inputs if port.name == "q0")
    q = np.random.default_rng(2).uniform(-1.5, 1.5, (SAMPLES, joints))
    q[1, joints - 2] = 0  # a wrist that is straight
    T = np.array([place(q=one)["T"] for one in q])
    T[2, :3, 3] *= 50  # and a pose far away
    inputs = {"T": T, "q0": q}
    if "swivel" in options:
        inputs["swivel"] = np.linspace(-1, 1, SAMPLES)
    return Case(program, inputs, dict(robot.nominal))


@pytest.mark.parametrize("run", [_python, _c, _cpp, _fortran, run_octave, run_javascript])
def test_every_language_finds_the_same_solutions(tmp_path: Path, run: Run) -> None:
    cases = [_case(name, options) for name, options in ROBOTS]
    for case in cases:
        status = case.expected()["status"]
        assert (status == 0).any()
        assert (status == 2).any() == case.program.name.startswith(("RX90", "Stanford"))
    for case, found in zip(cases, run(tmp_path, cases), strict=True):
        expected = case.expected()
        turned = (found.pop("q") - expected["q"] + np.pi) % (2 * np.pi) - np.pi  # -pi is pi
        assert abs(turned).max() < 1e-8
        for name, values in found.items():
            np.testing.assert_allclose(values, expected[name], atol=1e-8, err_msg=case.program.name)
