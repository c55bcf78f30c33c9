"""Test compiled batches: the result of a sample depends neither on its place nor on the other samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

import symoro
from symoro.runtime.compiler import find_compiler
from symoro.runtime.function import Function

Arrays = dict[str, np.ndarray]
Case = Callable[[], tuple[Function, Arrays]]
SAMPLES = 150
LENGTHS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 80, 127)
ARMS = ("puma560", "rx90", "ur5e")

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


@cache
def inverse_geometry(name: str) -> tuple[Function, Arrays]:
    """Return a closed-form inverse geometric model, and poses: regular, singular, out of reach, not a number."""
    robot = symoro.load(name)
    q = np.random.default_rng(1).uniform(-3, 3, (SAMPLES, 6))
    q[10:20, 4] = 0  # wrist
    q[20:30, 2] = 0  # elbow
    q[30:35] = np.round(q[30:35] / (np.pi / 2)) * (np.pi / 2)
    T = symoro.generate(robot, "fast-geometry").function()(q=q)["T"]
    T[40:50, :3, 3] *= 20
    T[50, 0, 3] = np.nan
    T[55, 1, 1] = np.nan
    T[60, 2, 3] = np.inf
    q0 = np.random.default_rng(2).uniform(-3, 3, (SAMPLES, 6))
    q0[70, 0] = 1e7  # outside the range of the polynomials
    return symoro.generate(robot, "inverse-geometry").function(), {"T": T, "q0": q0}


@cache
def torques() -> tuple[Function, Arrays]:
    rng = np.random.default_rng(3)
    return symoro.generate("panda", "inverse-dynamics").function(), {
        name: rng.uniform(-3, 3, (SAMPLES, 7)) for name in ("q", "qd", "qdd")
    }


@cache
def loop() -> tuple[Function, Arrays]:
    """Return a model with closed loops, of which some cannot be closed."""
    model = symoro.generate("fivebar", "inverse-dynamics")
    values = dict.fromkeys(model.parameters, 0.4) | dict(symoro.load("fivebar").nominal)
    rng = np.random.default_rng(4)
    inputs = {port.name: rng.uniform(-2, 2, (SAMPLES, *port.shape)) for port in model.program.inputs}
    return model.function(values=values), inputs


CASES: list[Case] = [torques, loop, *(partial(inverse_geometry, name) for name in ARMS)]
NAMES = ["panda", "fivebar", *ARMS]


@pytest.mark.parametrize("name", ARMS)
def test_solutions_of_batches_and_single_calls(name: str) -> None:
    function, inputs = inverse_geometry(name)
    batch = function(**inputs)
    single = [function(**{key: array[i] for key, array in inputs.items()}) for i in range(SAMPLES)]
    for key, array in batch.items():
        rows = np.stack([row[key] for row in single])
        np.testing.assert_array_equal(np.isnan(array), np.isnan(rows))
        if key in ("status", "free"):
            np.testing.assert_array_equal(array, rows)
    valid = batch["status"] == 0
    assert valid.sum() > SAMPLES
    rows = np.stack([row["q"] for row in single])
    turned = np.angle(np.exp(1j * (batch["q"] - rows)))[valid]  # pi and -pi are one angle
    assert np.abs(turned).max() < 1e-9


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_same_bits_at_any_place(case: Case) -> None:
    function, inputs = case()
    whole = function(**inputs)
    for length in LENGTHS:
        part = function(**{key: array[SAMPLES - length :] for key, array in inputs.items()})
        for key, array in part.items():
            np.testing.assert_array_equal(array, whole[key][SAMPLES - length :])


@pytest.mark.parametrize("case", CASES, ids=NAMES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e7, -1e305])
def test_one_sample_does_not_change_the_others(case: Case, bad: float) -> None:
    function, inputs = case()
    whole = function(**inputs)
    for place in (0, 77, SAMPLES - 1):
        others = np.arange(SAMPLES) != place
        for name in inputs:
            spoilt = {key: array.copy() for key, array in inputs.items()}
            spoilt[name][place].flat[0] = bad
            for key, array in function(**spoilt).items():
                np.testing.assert_array_equal(array[others], whole[key][others])
