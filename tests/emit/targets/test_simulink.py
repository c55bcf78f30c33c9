"""Test S-functions for Simulink: compiled and called with a substitute for simstruc.h, as Simulink calls them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit.sample import sample_of
from symoro.errors import ArgumentError, OptionError
from symoro.files import is_ours
from symoro.model import Model
from symoro.program.program import size
from symoro.ui.cli import main
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


# Substitutes for functions of MATLAB and Simulink, which write their arguments to the file log.txt.
LOG = """function varargout = NAME(varargin)
texts = cellfun(@(x) [' ' num2str(x)], varargin(cellfun(@(x) ischar(x) || isnumeric(x), varargin)), ...
    'UniformOutput', false);
file = fopen('log.txt', 'a'); fprintf(file, '%s\\n', ['NAME' texts{:}]); fclose(file);
varargout = {RESULT};
end
"""
SUBSTITUTES = {
    "mex": "[]",
    "bdIsLoaded": "true",
    **dict.fromkeys(("new_system", "load_system", "close_system", "save_system"), "[]"),
    **dict.fromkeys(("add_block", "add_line", "set_param"), "[]"),
    "sim": "struct('get', @(name) signals_().(name))",
    "+Simulink/+Mask/create": "struct('addParameter', @add_mask_parameter)",
    "add_mask_parameter": "[]",
}


@pytest.mark.parametrize("case", ["rotation input", "3-D output", "matrix output"])
def test_scripts_run_with_substitutes(tmp_path: Path, case: str) -> None:
    """The scripts compile the right files, connect every port, and compare the outputs of the simulation."""
    octave = need("octave")
    model = models.model(case)
    files = model.export("simulink", models.values(model))
    (base,) = (name.removesuffix("_sfun.c") for name in files if name.endswith("_sfun.c"))
    for name, text in files.items():
        (tmp_path / name).write_text(str(text))
    for name, result in SUBSTITUTES.items():
        path = tmp_path / f"{name}.m"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LOG.replace("NAME", path.stem).replace("RESULT", result))
    sample = model._demo(models.values(model))["sample"] or {}
    shown = sample_of(model.program, models.values(model), sample)
    inputs = {
        port.name: np.reshape(entries, port.shape)
        for port, entries in zip(model.program.inputs, shown.inputs, strict=True)
    }
    outputs = models.expected(model, inputs)
    signals = [
        f"s.{key} = [{' '.join(map(repr, np.ravel(x, order='F').tolist()))}];" for key, x in outputs.items()
    ]
    (tmp_path / "signals_.m").write_text("\n".join(["function s = signals_()", *signals, "end"]) + "\n")
    command(octave, "--no-gui", "--norc", "--quiet", "--eval", f"build_{base}; {base}_example", cwd=tmp_path)
    log = (tmp_path / "log.txt").read_text()
    folder = tmp_path.resolve()
    assert f"mex -outdir {folder} -I{folder} {folder}/{base}_sfun.c {folder}/{base}.c" in log
    for at, name in enumerate(model.inputs, 1):
        assert f"add_line {base}_model {name}/1 block/{at}" in log
        assert f"port_label('input', {at}, '{name}')" in log
    for at, name in enumerate(model.outputs, 1):
        assert f"port_label('output', {at}, '{name}')" in log
    assert ("add_mask_parameter" in log) == bool(model.parameters)


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


@pytest.mark.parametrize("target", ["mex", "simulink"])
def test_command_line(tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder is written completely, or not at all if a parameter has no number."""
    folder = tmp_path / "folder"
    assert main(["export", "inverse-dynamics", "rx90", "--lang", target, "-o", str(folder)]) != 0
    assert "without a number: ZZ1" in capsys.readouterr().err.replace("\n", " ")
    assert not folder.exists()
    assert (
        main(["export", "fast-geometry", "rx90", "--lang", target, "--trig", "libm", "-o", str(folder)]) == 0
    )
    assert {"RX90_fast_geometry.c", "RX90_fast_geometry_example.m"} <= {
        path.name for path in folder.iterdir()
    }
