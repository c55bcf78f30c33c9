"""C code of the branches of an inverse geometric model, compiled and run beside the solver in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import OptionError
from symoro.solutions import Tracker
from tests.emit.run import WARNINGS, command, need, put

MAIN = """
#include <stdio.h>
#include "arm_branches.h"

static double rows[4000 * ARM_ROW];
static size_t order[4000];

int main(int argc, char **argv)
{
    double T[16], q[ARM_JOINTS], mode;
    arm_tracker tracker;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) return 2;
    for (int j = 0; j < ARM_JOINTS; ++j)
        if (fscanf(file, "%lf", q + j) != 1) return 2;
    arm_start(&tracker, q);
    tracker.allow_jump = 1;
    while (fscanf(file, "%lf", &mode) == 1) {
        for (int i = 0; i < 16; ++i)
            if (fscanf(file, "%lf", T + i) != 1) return 2;
        const size_t count = arm_branches(T, mode > 0 ? q : NULL, 32, 4000, rows, order);
        const int state = arm_track(&tracker, T, 0.01);
        printf("%lu %d", (unsigned long)count, state);
        for (int j = 0; j < ARM_JOINTS; ++j) printf(" %.17g", tracker.q[j]);
        for (size_t j = 0; j < ARM_JOINTS; ++j) printf(" %.17g", count ? rows[order[0] * ARM_ROW + j] : 0.0);
        printf(" %.17g\\n", count ? rows[order[count - 1] * ARM_ROW + ARM_JOINTS] : 0.0);
    }
    return 0;
}
"""


@pytest.mark.parametrize(("robot", "options"), [("panda", {}), ("iiwa14", {"swivel": True}), ("rx90", {})])
def test_compiled_code_equals_the_solver(robot: str, options: dict[str, bool], tmp_path: Path) -> None:
    gcc = need("gcc")
    model = symoro.generate(robot, "inverse-geometry", **options)
    files = model.code("c", branches=True, name="arm")
    files.pop("arm_example.c")
    put(tmp_path, {**files, "main.c": MAIN})
    sources = sorted(name for name in files if name.endswith(".c"))
    command(gcc, "-std=c99", "-O1", *WARNINGS, *sources, "main.c", "-lm", "-o", "main", cwd=tmp_path)
    solver = symoro.branch_solver(robot, free="swivel" if options else None)
    lower, upper = np.array(solver.data.lower), np.array(solver.data.upper)
    q = lower + (upper - lower) * np.random.default_rng(4).uniform(0.3, 0.7, len(lower))
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    path = q + np.linspace(0, 0.3, 12)[:, None] * np.cos(np.arange(len(q)))
    poses = place(q=path)["T"]
    poses[5, :3, 3] += 5.0  # out of reach
    poses[6] = np.nan
    words = [" ".join(map(repr, q.tolist()))]
    words += [" ".join(map(repr, [1.0, *pose.ravel().tolist()])) for pose in poses]
    (tmp_path / "path.txt").write_text("\n".join(words))
    lines = command(tmp_path / "main", "path.txt", cwd=tmp_path).splitlines()
    assert len(lines) == len(poses)
    tracker = Tracker(solver, q, allow_jump=True)
    states = []
    for line, pose in zip(lines, poses, strict=True):
        count, state, *numbers = map(float, line.split())
        n = len(q)
        step = tracker.step(pose, 0.01)
        states.append(step.state)
        assert ("ok", "limited", "held", "jumped")[int(state)] == step.state
        assert np.abs(np.array(numbers[:n]) - step.q).max() < 1e-9
        result = solver(pose, near=q, samples=32)
        assert abs(count - len(result)) <= 2  # rows at the ends of branches depend on round-off
        if len(result):
            assert np.abs(np.array(numbers[n : 2 * n]) - result.q[0]).max() < 1e-6
            assert abs(numbers[-1] - result.distance[-1]) < 1e-3
    assert states[5] == states[6] == "held" and states[7] != "held"


def test_example_and_makefile(tmp_path: Path) -> None:
    need("make"), need("gcc")
    files = symoro.generate("panda", "inverse-geometry").export("c", branches=True, name="arm")
    put(tmp_path, files)
    printed = command("make", "run", "CC=gcc", cwd=tmp_path)
    assert "branches = " in printed and "state = 0" in printed


def test_options() -> None:
    model = symoro.generate("panda", "inverse-geometry")
    with pytest.raises(OptionError, match="double precision"):
        model.code("c", branches=True, scalar="float")
    assert "branches" not in "".join(model.code("c", branches=False))
    with pytest.raises(OptionError, match="requires the model inverse-geometry"):
        symoro.generate("panda", "fast-geometry").code("c", branches=True)
    with pytest.raises(OptionError, match="requires the model inverse-geometry"):
        symoro.generate("panda", "inverse-geometry", pose="axis", locked="7,6").code("c", branches=True)
