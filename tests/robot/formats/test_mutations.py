"""Test thousands of damaged files: each gives a robot or a SymoroError."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError
from symoro.robot import formats
from tests.robot.formats.mutations import samples, survive
from tests.robot.urdf.test_mjcf import cart

pytest.importorskip("mujoco")
pytest.importorskip("xacrodoc")

FEW, MANY, TOGETHER = 4_000, 100_000, 500


@pytest.mark.first(2)
@pytest.mark.parametrize("start", range(0, FEW, TOGETHER))
def test_mutated_files(start: int, tmp_path: Path) -> None:
    read = sum(survive(number, tmp_path) for number in range(start, start + TOGETHER))
    assert TOGETHER // 20 < read < TOGETHER // 2  # of either kind there are enough


@pytest.mark.slow
@pytest.mark.parametrize("start", range(FEW, FEW + MANY, TOGETHER))
def test_many_mutated_files(start: int, tmp_path: Path) -> None:
    read = sum(survive(number, tmp_path) for number in range(start, start + TOGETHER))
    assert TOGETHER // 20 < read < TOGETHER // 2  # of either kind there are enough


def test_every_format_has_samples() -> None:
    assert set(samples()) == {"yaml", "par", "table", "urdf", "xacro", "mjcf"}


# -- numbers that overflow

LARGE = {
    "yaml angle": (
        "yaml",
        "symoro: 1\nname: x\nframes: [{alpha: 1e308}]\n",
        "frame 1: alpha = 1e+308 is too large",
    ),
    "yaml length": ("yaml", "symoro: 1\nname: x\nframes: [{}, {d: -1e200}]\n", "frame 2: d = "),
    "yaml mass": (
        "yaml",
        "symoro: 1\nname: x\nframes: [{link: {M: 1e31}}]\n",
        "link 1: M = 1e+31 is too large",
    ),
    "yaml product": ("yaml", "symoro: 1\nname: x\nframes: [{d: 1e200*1e200}]\n", "too large"),
    "yaml power": ("yaml", "symoro: 1\nname: x\nframes: [{d: sqrt(2)^4000}]\n", "too large"),
    "yaml exact": ("yaml", "symoro: 1\nname: x\nframes: [{d: 3*10^40*pi}]\n", "frame 1: d = "),
    "yaml nominal": (
        "yaml",
        "symoro: 1\nname: x\nframes: [{d: D}]\nnominal: {D: 1e300}\n",
        "nominal value of D is 1e+300",
    ),
    "yaml gravity": (
        "yaml",
        "symoro: 1\nname: x\nbase: {gravity: [0, 0, 1e99]}\nframes: [{}]\n",
        "the base: G = ",
    ),
    "par": ("par", "NL = 1\nNJ = 1\nant = {0}\nsigma = {0}\nalpha = {1e308}\n", "frame 1: alpha = 1e+308"),
    "table": (
        "table",
        "# convention: kk\njoint, alpha, d, theta, r\nR, -1e308, 0, 0, 0\n",
        "frame 1: alpha = -1e+308",
    ),
    "mjcf": ("mjcf", cart().replace('pos="0.1 0 0.05"', 'pos="1e300 0 0.05"'), "body 'pole': body_pos"),
    "mjcf axis": ("mjcf", cart().replace('axis="1 0 0"', 'axis="0 0 0"'), "cannot compile|has zero length"),
}


@pytest.mark.parametrize("case", LARGE)
def test_numbers_that_overflow_are_named(case: str) -> None:
    fmt, text, message = LARGE[case]
    with pytest.raises(FormatError, match=message.replace("+", r"\+")):
        formats.loads(text, fmt)


@pytest.mark.parametrize("value", ["1e29", "1e-300", "1e9", "-999999999"])
def test_large_numbers_that_can_be_computed_with(value: str) -> None:
    field = "alpha" if value == "-999999999" else "d"
    robot = formats.loads(
        f"symoro: 1\nname: x\nframes: [{{}}, {{{field}: {value}, link: {{M: 1e29}}}}]\n", "yaml"
    )
    model = symoro.generate(robot, "inverse-dynamics")
    result = model.function({"G3": 9.81}, compiled=False)(q=[1, 1], qd=[1, 1], qdd=[1, 1])
    assert all(np.isfinite(array).all() for array in result.values())
