"""Test that demos of inverse models use reachable poses and loops that can be closed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.program.interpret import interpret
from symoro.robot import library
from tests.emit.run import command, need

TOOLS = {"c": "cc", "cpp": "g++", "fortran": "gfortran", "python": "python3", "matlab": "octave"}
TOOLS |= {"javascript": "node"}


generated = cache(symoro.generate)


def statuses(text: str) -> list[float]:
    """Return the status that a demo prints."""
    block = re.split(r"\n\s*\w+ =", text.split("status =")[1])[0]
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", block)]


CLOSED = ("akr3000", "fivebar", "fourbar", "slidercrank", "sr400")  # robots with loops
PARALLEL = ("3rrr", "delta", "gough_stewart", "gough_stewart_general", "hybrid", "orthoglide")
REDUNDANT = ("eel", "humanoid_torso")  # with more than one redundant joint
FLEXIBLE = ("flexible2r", "flexible_satellite")
LONG = ("snake",)  # must be rejected as well, although a hundred joints have many solutions


def test_the_other_robots_are_refused() -> None:
    for name in (*REDUNDANT, *FLEXIBLE):
        with pytest.raises(NotApplicableError):
            symoro.generate(name, "inverse-geometry")
    for name in set(library.names()) - set(CLOSED) - set(PARALLEL):
        with pytest.raises(NotApplicableError):
            symoro.generate(name, "loop-geometry")


@pytest.mark.parametrize(
    ("name", "model"),
    [
        *(
            (name, "inverse-geometry")
            for name in library.names()
            if name not in (*CLOSED, *REDUNDANT, *FLEXIBLE, *LONG, "hybrid")
        ),
        *((name, "loop-geometry") for name in CLOSED),
    ],
)
def test_every_bundled_robot(name: str, model: str) -> None:
    made = generated(name, model)
    demo = made._demo(None)
    assert demo["sample"] is not None
    inputs = {port.name: np.reshape(demo["sample"][port.name], port.shape) for port in made.program.inputs}
    numbers = {**dict.fromkeys(made.parameters, 0.0), **demo["values"]}
    assert set(demo["values"]) == set(made.parameters), "the library has numbers for all"
    result = interpret(made.program, inputs, numbers)
    valid = result["status"] == 0
    assert valid.any() and np.isfinite(result["q"][valid]).all()
    if "T" in inputs:
        assert np.allclose(inputs["T"][:3, :3] @ inputs["T"][:3, :3].T, np.eye(3))


@pytest.mark.parametrize(
    ("robot", "model", "options", "language"),
    [
        *(("ur5e", "inverse-geometry", {}, language) for language in TOOLS),
        *(("fourbar", "loop-geometry", {}, language) for language in TOOLS),
        (
            "panda",
            "inverse-geometry",
            {"locked": "3"},
            "python",
        ),  # compilers take long over the general method
    ],
)
def test_the_exported_demo_prints_valid_rows(
    tmp_path: Path, robot: str, model: str, options: dict[str, Any], language: str
) -> None:
    need("make")
    need(TOOLS[language])
    made = generated(robot, model, **options)
    for path, text in made.export(language, name="demo").items():
        (tmp_path / path).write_text(text)
    flags = ("CFLAGS=-O0", "CXXFLAGS=-O0", "FFLAGS=-O0")  # speed is not tested here
    printed = command("make", "-s", "-C", tmp_path, "run", "PYTHON=python3", *flags)
    result = statuses(printed)
    assert 0 in result and len(result) == made.outputs["status"][0]
    assert statuses((tmp_path / "README.md").read_text()) == result


def test_a_robot_without_numbers() -> None:
    """Check that symbols get small numbers in a demo, and that the pose is computed with the same numbers."""
    robot = symoro.Robot.from_dh([(0, "L1", "A1", 0), (0, 0, "A2", 0), ("P", 0, 0, 0, 0)], "dh", "arm")
    made = symoro.generate(robot, "inverse-geometry")
    assert made._demo(None)["sample"] is not None


def test_within_the_limits() -> None:
    rows = [{"a": 1, "limits": (2.0, 2.5)}, {"a": 1, "limits": (-2.5, -2.0)}]
    robot = symoro.Robot.from_dh(rows, "dh", "arm")
    made = symoro.generate(robot, "inverse-geometry")
    sample = made._demo(None)["sample"]
    result = made.function(compiled=False)(T=np.reshape(sample["T"], (4, 4)))
    inside = symoro.solutions.within_limits(robot, result["q"])
    assert (inside & (result["status"] == 0)).any()


def test_the_example_of_plain_code_too() -> None:
    """Check that generate --lang c writes an example with the sources."""
    model = generated("ur5e", "inverse-geometry")
    text = model.code("c", name="ik")["ik_example.c"]
    numbers = model._demo(None)["sample"]["T"]
    assert f"{numbers[3]!r}"[:8] in text


def test_other_models_keep_their_numbers() -> None:
    made = symoro.generate("rx90", "fast-geometry")
    assert made._demo(None)["sample"] is None
    assert made._demo({"D3": 2.0})["values"] == {"D3": 2.0, "RL4": 0.45}
