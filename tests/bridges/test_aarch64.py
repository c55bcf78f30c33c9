"""Test emitted C on aarch64, by a cross compiler and the emulator of user programs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import symoro
from tests.emit.run import command, need, put

COUNT = 67  # samples: not a multiple of a vector


@pytest.mark.parametrize(("scalar", "tolerance"), [("double", 1e-13), ("float", 1e-5)])
def test_batches(tmp_path: Path, scalar: str, tolerance: float) -> None:
    """Check values, and that the loop over samples consists of fused operations on vectors."""
    compiler, emulator = need("aarch64-linux-gnu-gcc"), need("qemu-aarch64")
    robot = symoro.load("panda")
    model = symoro.generate(robot.bind(dict(robot.nominal)), "inverse-dynamics")
    rng = np.random.default_rng(1)
    inputs = {name: rng.uniform(-2, 2, (COUNT, *shape)) for name, shape in model.inputs.items()}
    arrays = [
        f"static const {scalar} {name}[] = {{{', '.join(map(repr, array.T.ravel().tolist()))}}};"
        for name, array in inputs.items()
    ]
    lines = [
        '#include "model.h"',
        "#include <stdio.h>",
        *arrays,
        "int main(void)",
        "{",
        f"    static {scalar} tau[7 * {COUNT}];",
        f"    model_batch({COUNT}, q, qd, qdd, tau);",
        f'    for (int e = 0; e < 7 * {COUNT}; ++e) printf("%.17g\\n", (double)tau[e]);',
        "    return 0;",
        "}",
    ]
    put(tmp_path, {**model.code("c", name="model", scalar=scalar), "main.c": "\n".join(lines) + "\n"})
    sources = ["main.c", "model.c", "model_batch.c"]
    command(compiler, "-O3", "-static", "-o", "batch", *sources, "-lm", cwd=tmp_path)
    result = np.array(command(emulator, "batch", cwd=tmp_path).split(), float).reshape(7, COUNT).T
    expected = model.function()(**inputs)["tau"]
    assert np.abs(result - expected).max() < tolerance * np.abs(expected).max()
    listing = command("aarch64-linux-gnu-objdump", "-d", "batch", cwd=tmp_path)
    assert len(re.findall(r"fml[as]\s+v\d+\.(?:2d|4s)", listing)) > 100
