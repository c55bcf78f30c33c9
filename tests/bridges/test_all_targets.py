"""Run twenty random robots of all structures through every export target: six models each, against the C code.

python -m pytest -n 2 -m slow tests/bridges/test_all_targets.py
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro import Model
from tests.bridges.random_robots import STRUCTURES, inputs_of, models, random_robot

pytestmark = pytest.mark.slow
ROBOTS = [(STRUCTURES[k % len(STRUCTURES)], k // len(STRUCTURES)) for k in range(20)]
TARGETS = {  # target -> module with the function `evaluate`, precision
    "cmake": ("tests.bridges.test_cmake", "double"),
    "cortex-m": ("tests.bridges.test_cortex_m", "float"),
    "fmu": ("tests.bridges.test_fmu", "double"),
    "mex": ("tests.bridges.test_mex", "double"),
    "ros2": ("tests.bridges.test_ros2", "double"),
    "rust": ("tests.bridges.test_rust", "double"),
    "rust-float": ("tests.bridges.test_rust", "float"),
    "simulink": ("tests.emit.targets.test_simulink", "double"),
}
CLOSE = {"double": 1e-12, "float": 1e-5}  # relative to the largest entry of all outputs


@pytest.mark.parametrize(("structure", "seed"), ROBOTS)
@pytest.mark.parametrize("target", TARGETS)
def test_numbers(target: str, structure: str, seed: int, tmp_path: Path) -> None:
    module, scalar = TARGETS[target]
    evaluate: Callable[..., dict[str, Any]] = import_module(module).evaluate
    case = random_robot(structure, seed)
    for k, model in enumerate(models(case)):
        folder = tmp_path / str(k)
        folder.mkdir()
        inputs = inputs_of(case, model)
        compare(model, evaluate(model, inputs, folder, scalar), model.function()(**inputs), CLOSE[scalar])


def compare(model: Model, results: dict[str, Any], expected: dict[str, Any], close: float) -> None:
    assert set(results) >= set(expected)
    largest = max([1e-300, *(np.nanmax(np.abs(value), initial=0) for value in expected.values())])
    for name, value in expected.items():
        result = np.asarray(results[name])
        assert np.array_equal(np.isnan(result), np.isnan(value)), f"{model.entry.id}: {name}"
        difference = np.nanmax(np.abs(result - value), initial=0)
        assert difference <= close * largest, f"{model.entry.id}: {name} {difference / largest:.1e}"
