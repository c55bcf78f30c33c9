"""Test S-functions for Simulink: compiled and called with a substitute for simstruc.h, as Simulink calls them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, OptionError
from symoro.files import is_ours
from symoro.model import Model
from symoro.program.program import size
from tests.emit.run import WARNINGS, command, need
from tests.emit.targets import models
from tests.emit.targets.models import CASES, assert_equal

MOCK = Path(__file__).parent / "simstruc"


def build(model: Model, folder: Path, values: dict[str, float] | None = None) -> Path:
    """Export a model, compile its S-function with the driver, and return the program."""
    for name, text in model.export("simulink", values).items():
        assert isinstance(text, str)
        (folder / name).write_text(text)
    (source,) = folder.glob("*_sfun.c")
    base = source.name.removesuffix("_sfun.c")
    command(
        need("gcc"),
        "-std=c99",
        *WARNINGS,
        "-DMATLAB_MEX_FILE",
        f'-DSFUNCTION="{source.name}"',
        "-I.",
        f"-I{MOCK}",
        "-o",
        "block",
        MOCK / "driver.c",
        f"{base}.c",
        "-lm",
        cwd=folder,
    )
    return folder / "block"


def run(program: Path, numbers: list[float]) -> subprocess.CompletedProcess[str]:
    given = "\n".join(map(repr, numbers))
    return subprocess.run([program], input=given, capture_output=True, text=True, timeout=60)


def evaluate(
    model: Model,
    inputs: dict[str, np.ndarray],
    folder: Path,
    scalar: str = "double",
    values: dict[str, float] | None = None,
    parameters: list[float] | None = None,
) -> dict[str, np.ndarray]:
    """Export, build and run an S-function, and return its outputs.

    Args:
        values: exported numbers of the parameters; by default those of the robot.
        parameters: numbers of the dialog parameter; by default it is empty, and the exported numbers are used.
    """
    assert scalar == "double"
    given = parameters or []
    numbers = [float(len(given)), 1.0, *given]
    for array in inputs.values():
        numbers += np.ravel(array, order="F").tolist()
    done = run(build(model, folder, values), numbers)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.split("\n")
    ports = [*model.program.inputs, *model.program.outputs]
    for line, port in zip(lines, ports, strict=False):
        rows, columns, feed = map(int, line.split()[1:])
        assert [rows, columns] == (list(port.shape) if len(port.shape) == 2 else [size(port.shape), 0])
        assert feed == (port in model.program.inputs)
    results, entries = {}, iter(map(float, lines[len(ports) : -1]))
    for out in model.program.outputs:
        flat = [next(entries) for _ in range(size(out.shape))]
        results[out.name] = np.reshape(flat, out.shape, order="F")
    return results


@pytest.mark.parametrize("case", CASES)
def test_numbers(tmp_path: Path, case: str) -> None:
    model = models.model(case)
    inputs = models.inputs(model)
    assert_equal(
        evaluate(model, inputs, tmp_path, values=models.values(model)), models.expected(model, inputs)
    )


def test_changed_parameters(tmp_path: Path) -> None:
    model = models.model("closed loops")
    inputs, other = models.inputs(model), models.values(model, seed=9)
    results = evaluate(model, inputs, tmp_path, parameters=[other[name] for name in model.parameters])
    assert_equal(results, models.expected(model, inputs, other))


def test_wrong_parameters_are_reported(tmp_path: Path) -> None:
    model = models.model("closed loops")
    program = build(model, tmp_path)
    for given in ([3.0, 1.0, 1.0, 1.0, 1.0], [4.0, 0.0, 1.0, 1.0, 1.0, 1.0]):
        done = run(program, given)
        assert done.returncode == 3
        assert "p must be [] or a real vector of 4 numbers of class double" in done.stdout


def test_models_without_parameters_use_no_work_vector() -> None:
    text = models.model("matrix output").export("simulink")["Panda_inertia_matrix_sfun.c"]
    assert isinstance(text, str)
    assert "ssSetNumSFcnParams(S, 0);" in text
    assert "RWork" not in text and "mdlStart" not in text


def test_scripts_of_matlab_are_valid(tmp_path: Path) -> None:
    octave = need("octave")
    files = models.model("rotation input").export("simulink", models.values(models.model("rotation input")))
    scripts = [name for name in files if name.endswith(".m")]
    assert len(scripts) == 2
    for name in scripts:
        (tmp_path / name).write_text(str(files[name]))
    checks = "; ".join(f"__parse_file__('{tmp_path / name}')" for name in scripts)
    command(octave, "--no-gui", "--norc", "--quiet", "--eval", checks)


def test_readme_and_marks(tmp_path: Path) -> None:
    files = models.model("vectors").export("simulink")
    assert "were not run with MATLAB and Simulink" in " ".join(str(files["README.md"]).split())
    for name, text in files.items():
        (tmp_path / name).write_text(str(text))
        assert is_ours(tmp_path / name), name


def test_hostile_names(tmp_path: Path) -> None:
    model = models.hostile_model()
    inputs = models.inputs(model)
    assert all("/" not in name and ".." not in name for name in model.export("simulink"))
    assert_equal(
        evaluate(model, inputs, tmp_path, values=models.values(model)), models.expected(model, inputs)
    )


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="needs a number for every parameter"):
        symoro.generate("rx90", "inverse-dynamics").export("simulink")
    with pytest.raises(OptionError, match="trig = 'fast' is not supported"):
        models.model("vectors").export("simulink", trig="fast")
    with pytest.raises(OptionError, match="has no option 'scalar'"):
        models.model("vectors").export("simulink", scalar="float")
