"""Test the files of the target cortex-m, without its compiler."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from symoro.emit.project import project
from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.expr import scalar as sc
from symoro.files import is_ours, write_folder
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.ui.cli import main
from tests.emit.kernel_cases import LOOP_ARMS, loop_case
from tests.emit.programs import comparisons, everything
from tests.emit.run import command, need

WARNINGS = ["-Wall", "-Wextra", "-Wdouble-promotion", "-Werror", "-fsyntax-only"]
FILES = {"main.c", "board.h", "board.c", "startup.c", "link.ld", "Makefile", "README.md"}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_files(tmp_path: Path) -> None:
    files = symoro.generate("planar2r", "inverse-dynamics").export(
        "cortex-m", dict.fromkeys(symoro.load("planar2r").symbols(), 0.4), name="arm"
    )
    assert set(files) == FILES | {"arm.c", "arm.h", "planar2R.yaml"}
    assert all(map(is_ours, write_folder(tmp_path, files)))
    for name in ("arm.c", "arm.h", "main.c", "board.c", "startup.c"):
        code = without_comments(str(files[name]))
        assert "double" not in code and "@" not in code, name
    assert "setup" not in files["arm.h"] and "batch" not in files["arm.h"]
    assert "make run" in files["README.md"]
    command(need("gcc"), "-std=c99", *WARNINGS, "arm.c", "main.c", cwd=tmp_path)


def test_numbers_of_the_parameters_are_in_the_code() -> None:
    b = Builder("product")
    (x,) = b.input("x", (1,))
    b.output("y", x * b.parameter("a"))
    files = project(b.program(), ["cortex-m"], values={"a": 0.1}, sample={"x": [3.0]})
    assert "y[0] = 0.1f*x1;" in files["product.c"]
    assert re.search(r"expected_y\[1\] = \{0\.30000000000000004f\};", str(files["main.c"]))


@pytest.mark.parametrize("program", [everything(), comparisons()], ids=lambda program: program.name)
def test_every_operation(tmp_path: Path, program: Program) -> None:
    write_folder(tmp_path, project(program, ["cortex"], values=dict.fromkeys(program.used_parameters, 0.7)))
    command(need("gcc"), "-std=c99", *WARNINGS, f"{program.name}.c", "main.c", cwd=tmp_path)


def test_numbers_beyond_single_precision(tmp_path: Path) -> None:
    b = Builder("roots")
    (x,) = b.input("x", (1,))
    b.output("y", [1 / x, x])
    files = project(b.program(), ["cortex-m"], sample={"x": [1e-300]})
    assert "expected_y[2] = {INFINITY, 0.0f}" in files["main.c"]
    write_folder(tmp_path, files)
    command(need("gcc"), "-std=c99", *WARNINGS, "main.c", cwd=tmp_path)


def test_a_residual_is_compared_relative_to_the_inputs() -> None:
    b = Builder("residual")
    x, y = b.input("x", (2,))
    b.output("sum", x + y)
    b.output("rest", (x + y) - (y + x) + 1e-17)
    files = project(b.program(), ["cortex-m"], sample={"x": [3.0, 4.0]})
    assert "compare(sum, expected_sum, 1, 7.0f);" in files["main.c"]
    assert "compare(rest, expected_rest, 1, 7.0f);" in files["main.c"]


def test_a_single_sine_does_not_need_the_library() -> None:
    b = Builder("pendulum")
    (q,) = b.input("q", (1,))
    b.output("y", [sc.sin(q), 2 * sc.cos(q)])
    text = str(project(b.program(), ["cortex-m"])["pendulum.c"])
    assert "sinf(" not in text[text.index("void pendulum(") :]


def test_hostile_names(tmp_path: Path) -> None:
    robot = symoro.load("planar2r")
    frames = (replace(frame, name=f'*/ "\\\n@NAME@ {at}') for at, frame in enumerate(robot.frames))
    robot = replace(robot, name='../../x */ "\\', frames=tuple(frames))
    model = symoro.generate(robot, "inverse-dynamics")
    files = model.export("cortex-m", dict.fromkeys(robot.symbols(), 0.4))
    assert not any("/" in name or ".." in name for name in files)
    write_folder(tmp_path, files)
    (header,) = (name for name in files if name.endswith(".h") and name != "board.h")
    assert str(files[header]).count("_JOINT_") == 2
    command(need("gcc"), "-std=c99", *WARNINGS, "main.c", header.replace(".h", ".c"), cwd=tmp_path)


def test_rejections(tmp_path: Path) -> None:
    model = symoro.generate("rx90", "inverse-dynamics")
    with pytest.raises(ArgumentError, match="number for every parameter"):
        model.export("cortex-m")
    with pytest.raises(OptionError, match="scalar"):
        model.export("cortex-m", dict.fromkeys(model.parameters, 0.4), scalar="double")
    plain, single = (
        model.export("cortex-m", dict.fromkeys(model.parameters, 0.4), **given)
        for given in ({}, {"scalar": "float"})
    )
    assert {path for path in plain if plain[path] != single[path]} == {"README.md"}  # it states the option
    with pytest.raises(NotApplicableError, match="closed_chain"):
        project(loop_case("jaco2", LOOP_ARMS["jaco2"]).program, ["cortex-m"])
    for name in ("board", "Startup"):
        with pytest.raises(OptionError, match="is a file of the example"):
            symoro.generate("panda", "inverse-dynamics").export("cortex-m", name=name)
    folder = tmp_path / "none"
    assert main(["export", "inverse-dynamics", "rx90", "--lang", "cortex-m", "-o", str(folder)]) != 0
    assert not folder.exists()


def test_unknown_processor(tmp_path: Path) -> None:
    write_folder(tmp_path, symoro.generate("planar2r", "fast-geometry").export("cortex-m", name="arm"))
    make = need("make")
    done = subprocess.run(
        [make, "-n", "CPU=cortex-m33"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2 and "CPU must be cortex-m4 or cortex-m7" in done.stderr
    assert "-mfpu=fpv5-sp-d16" in command(make, "-n", "CPU=cortex-m7", cwd=tmp_path)
