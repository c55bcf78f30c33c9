"""Test the target cortex-m: the program is built by arm-none-eabi-gcc and run by QEMU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Model
from symoro.emit.project import project
from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.bridges.random_robots import STRUCTURES, inputs_of, models, random_robot
from tests.emit.run import command, need

Array = np.ndarray
TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")
CPUS = ("cortex-m4", "cortex-m7")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[-+]\d+)?|inf|nan)(?![\w.])")


def build(files: dict[str, Any], folder: Path, cpu: str = CPUS[0]) -> str:
    """Write the files of an export, build and run them, and return what the program prints."""
    for tool in TOOLS:
        need(tool)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return command("make", "-s", "-C", folder, "run", f"CPU={cpu}")


def values(text: str, program: Program) -> dict[str, Array]:
    """Return the outputs that a program prints."""
    outputs = {}
    for out in program.outputs:
        lines = text[text.index(f"{out.name} =\n") + len(out.name) + 3 :]
        count = int(np.prod(out.shape))
        outputs[out.name] = np.array([float(x) for x in NUMBER.findall(lines)[:count]]).reshape(out.shape)
    return outputs


def figure(text: str, words: str) -> float:
    """Return the number after some words of the output."""
    return float(text[text.index(words) + len(words) :].split()[0].rstrip(","))


def evaluate(
    model: Model, inputs: dict[str, Array], folder: Path, scalar: str = "float", cpu: str = CPUS[0]
) -> dict[str, Array]:
    """Return the outputs of a model on an emulated microcontroller, for one sample; it has single precision only."""
    assert scalar == "float"
    sample = {name: np.ravel(array).tolist() for name, array in inputs.items()}
    numbers = dict(model.robot.nominal)
    files = project(model.program, ["cortex-m"], values=numbers, sample=sample)
    return values(build(files, folder, cpu), model.program)


def error(result: dict[str, Array], expected: dict[str, Array]) -> float:
    """Return the largest difference, relative to the largest entry of the output."""
    errors = [0.0]
    for name, wanted in expected.items():
        assert np.array_equal(np.isnan(result[name]), np.isnan(wanted)), name
        largest = np.nanmax(np.abs(wanted), initial=0)
        errors.append(np.nanmax(np.abs(result[name] - wanted), initial=0) / (largest or 1))
    return max(errors)
