"""Test MEX functions in Octave: numbers of every kind of model, batches, parameters, messages, the example."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit.matlab import literal
from symoro.emit.project import project
from symoro.errors import ArgumentError, OptionError
from symoro.files import is_ours
from symoro.model import Model
from tests.emit.programs import everything, polynomials, solver, trivial
from tests.emit.run import command, need
from tests.emit.targets import models
from tests.emit.targets.models import CASES, assert_equal


def build(folder: Path, files: dict[str, str | bytes]) -> str:
    """Write and compile an exported folder, and return the name of the MEX function."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(str(text))
    (source,) = folder.glob("*_mex.c")
    name = source.stem
    command(
        "env",
        "CFLAGS=-O0",
        need("mkoctfile"),
        "--mex",
        source.name,
        f"{name.removesuffix('_mex')}.c",
        cwd=folder,
    )
    return name


def octave(folder: Path, lines: Sequence[str]) -> list[str]:
    """Return the words that Octave prints."""
    (folder / "driver_.m").write_text("\n".join(["1;", *lines]) + "\n")
    return command(need("octave"), "--no-gui", "--norc", "--quiet", "driver_.m", cwd=folder).split()


def call_lines(name: str, outputs: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Return statements that call a MEX function, and print the sizes and the entries of its outputs."""
    results = [f"o{at}" for at in range(len(outputs))]
    lines = [f"[{', '.join(results)}] = {name}({', '.join(arguments)});"]
    for result in results:
        lines += [f"printf('%d\\n', ndims({result}), size({result}));", f"printf('%.17g\\n', {result});"]
    return lines


def read_outputs(words: Sequence[str], outputs: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the arrays that `call_lines` printed, with the sizes of MATLAB."""
    rest, arrays = iter(words), {}
    for name in outputs:
        shape = [int(next(rest)) for _ in range(int(next(rest)))]
        entries = [float(next(rest)) for _ in range(int(np.prod(shape)))]
        arrays[name] = np.reshape(entries, shape, order="F")
    assert next(rest, None) is None
    return arrays


def evaluate(
    model: Model,
    inputs: dict[str, np.ndarray],
    folder: Path,
    scalar: str = "double",
    values: dict[str, float] | None = None,
) -> dict[str, np.ndarray]:
    """Export, build and run a MEX function, and return its outputs with the shapes of the model.

    Args:
        values: exported numbers of the parameters; by default those of the robot.
    """
    assert scalar == "double"
    name = build(folder, model.export("mex", values))
    lines = [literal(f"i_{key}", array.shape, np.ravel(array).tolist()) for key, array in inputs.items()]
    lines += call_lines(name, list(model.outputs), [f"i_{key}" for key in inputs])
    results = read_outputs(octave(folder, lines), list(model.outputs))
    for key, shape in model.outputs.items():
        expected = shape if len(shape) > 1 else (*(shape or (1,)), 1)
        while len(expected) > 2 and expected[-1] == 1:
            expected = expected[:-1]
        assert results[key].shape == expected
    return {key: results[key].reshape(shape, order="F") for key, shape in model.outputs.items()}


@pytest.mark.parametrize("case", CASES)
def test_numbers(tmp_path: Path, case: str) -> None:
    model = models.model(case)
    inputs = models.inputs(model)
    assert_equal(
        evaluate(model, inputs, tmp_path, values=models.values(model)), models.expected(model, inputs)
    )


def test_batch(tmp_path: Path) -> None:
    """Inputs with a further axis contain samples; others are used for all of them; R0 is a matrix per sample."""
    model = models.model("rotation input")
    name = build(tmp_path, model.export("mex", models.values(model)))
    samples = [models.inputs(model, seed) for seed in range(3)]
    shared = samples[0]["tau"]
    lines = []
    for key, shape in model.inputs.items():
        stack = np.stack([sample[key] for sample in samples], axis=-1) if key != "tau" else shared
        lines.append(literal(f"i_{key}", (*shape, *([3] if key != "tau" else [])), np.ravel(stack).tolist()))
    lines += call_lines(name, list(model.outputs), [f"i_{key}" for key in model.inputs])
    results = read_outputs(octave(tmp_path, lines), list(model.outputs))
    for at, sample in enumerate(samples):
        expected = models.expected(model, {**sample, "tau": shared})
        assert_equal({key: array[..., at] for key, array in results.items()}, expected)


def test_batch_of_scalars_and_matrices(tmp_path: Path) -> None:
    energy = models.model("scalars")
    name = build(tmp_path, energy.export("mex", models.values(energy)))
    samples = [models.inputs(energy, seed) for seed in range(4)]
    lines = [
        literal(f"i_{key}", (*shape, 4), np.ravel(np.stack([s[key] for s in samples], axis=-1)).tolist())
        for key, shape in energy.inputs.items()
    ]
    lines += call_lines(name, list(energy.outputs), [f"i_{key}" for key in energy.inputs])
    results = read_outputs(octave(tmp_path, lines), list(energy.outputs))
    for at, sample in enumerate(samples):
        assert_equal({key: array[0, at] for key, array in results.items()}, models.expected(energy, sample))


def test_changed_parameters_and_omitted_arguments(tmp_path: Path) -> None:
    """The constants are computed again for other parameters, and those compiled in return afterwards."""
    model = symoro.generate("rx90", "inverse-geometry")
    first, other = models.values(model), models.values(model, seed=8)
    name = build(tmp_path, model.export("mex", first))
    inputs = models.inputs(model)
    outputs = list(model.outputs)
    lines = [
        literal("i_T", (4, 4), np.ravel(inputs["T"]).tolist()),
        literal("p", (), [other[key] for key in model.parameters]),
    ]
    cases = [["i_T"], ["i_T", "[]", "p"], ["i_T", "zeros(1, 6)", "[]"], ["i_T", "[]", "p'"], ["i_T", "[]"]]
    for arguments in cases:
        lines += call_lines(name, outputs, arguments)
    words = octave(tmp_path, lines)
    length = len(words) // len(cases)
    for at, arguments in enumerate(cases):
        values = other if arguments[-1].startswith("p") else first
        expected = models.expected(model, {"T": inputs["T"], "q0": np.zeros(6)}, values)
        results = read_outputs(words[at * length : (at + 1) * length], outputs)
        shaped = {key: results[key].reshape(shape, order="F") for key, shape in model.outputs.items()}
        assert_equal(shaped, expected)


def test_wrong_arguments(tmp_path: Path) -> None:
    model = models.model("closed loops")
    f = build(tmp_path, model.export("mex"))
    size = "q must be 4 x 1 or 1 x 4 (or 4 x N for N samples), got "
    expected = {
        f"{f}()": "arguments|has the inputs q, [p]; those in brackets are optional; got 0",
        f"{f}(1:4, 1:4, 1)": "arguments|got 3",
        f"[a, b] = {f}(1:4)": "arguments|has the outputs J; got 2",
        f"{f}(1:3)": f"size|{size}1 x 3",
        f"{f}([])": f"size|{size}0 x 0",
        f"{f}(ones(4, 2, 3))": f"size|{size}4 x 2 x 3",
        f"{f}(ones(2, 4))": f"size|{size}2 x 4",
        f"{f}(single(1:4))": "class|q must be a full real array of class double, got single",
        f"{f}(int32(1:4))": "class|got int32",
        f"{f}(sparse(1:4))": "class|got a sparse double",
        f"{f}(1i*(1:4))": "class|got complex double",
        f"{f}({{1, 2, 3, 4}})": "class|got cell",
        f"{f}(1:4, 1:3)": "size|p must be 4 x 1, the parameters in the order of the help text, got 1 x 3",
        f"{f}(1:4, ones(4, 2))": "size|got 4 x 2",
    }
    lines = [
        f"try\n{call};\ncatch e\ndisp([e.identifier ' ' e.message])\nend\ndisp('--')" for call in expected
    ]
    shown = " ".join(octave(tmp_path, lines)).split("--")
    for text, (call, message) in zip(shown, expected.items(), strict=False):
        kind, _, words = message.partition("|")
        assert f"symoro:fivebar_jacobian:{kind}" in text, call
        assert words in text, call


def test_different_numbers_of_samples(tmp_path: Path) -> None:
    model = models.model("vectors")
    f = build(tmp_path, model.export("mex"))
    call = f"try\n{f}(ones(7, 3), ones(7, 1), ones(7, 2));\ncatch e\ndisp(e.message)\nend"
    assert "qdd has 2 samples, expected 1 or 3" in " ".join(octave(tmp_path, [call]))


@pytest.mark.parametrize("case", ["several outputs", "3-D output", "scalars"])
def test_example_prints_the_expected_numbers(tmp_path: Path, case: str) -> None:
    model = models.model(case)
    files = model.export("mex", models.values(model))
    base = build(tmp_path, files).removesuffix("_mex")
    shown = command("octave", "--no-gui", "--quiet", f"{base}_example.m", cwd=tmp_path)
    assert [line[:-2] for line in shown.split("\n") if line.endswith(" =")] == list(model.outputs)
    text = (tmp_path / f"{base}_example.m").read_text()
    (tmp_path / "wrong.m").write_text(text.replace("computed_ = ", "computed_ = 1e-6 + "))
    done = subprocess.run(
        ["octave", "--no-gui", "--quiet", "wrong.m"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0 and "differs from the expected numbers" in done.stderr


def test_special_programs(tmp_path: Path) -> None:
    """The examples of programs with kernels, colliding names, a scalar input, an empty setup return no error."""
    for program in (everything(), solver(), polynomials(), trivial()):
        values = dict.fromkeys(program.used_parameters, 0.7)
        sample = {
            port.name: np.linspace(0.2, 0.9, max(1, len(port.symbols))).tolist() for port in program.inputs
        }
        folder = tmp_path / program.name
        base = build(folder, project(program, ["mex"], values=values, sample=sample)).removesuffix("_mex")
        assert " =" in command("octave", "--no-gui", "--quiet", f"{base}_example.m", cwd=folder)


def test_help_and_message_without_compilation(tmp_path: Path) -> None:
    files = models.model("closed loops").export("mex")
    (tmp_path / "fivebar_jacobian_mex.m").write_text(str(files["fivebar_jacobian_mex.m"]))
    lines = [
        "disp(help('fivebar_jacobian_mex'))",
        "try, fivebar_jacobian_mex(1:4); catch e, disp(e.message), end",
    ]
    shown = " ".join(octave(tmp_path, lines))
    assert "[J] = fivebar_jacobian_mex(q, [p])" in shown and "D2 = 0.2, D5 = 0.3" in shown
    assert "is not compiled; run: mex fivebar_jacobian_mex.c fivebar_jacobian.c" in shown


def test_hostile_names(tmp_path: Path) -> None:
    model = models.hostile_model()
    files = model.export("mex")
    assert all("/" not in name for name in files)
    assert all(
        len(name) <= 63 + len(".c") for name in files if name.endswith((".c", ".m"))
    )  # limit of MATLAB
    inputs = models.inputs(model)
    assert_equal(
        evaluate(model, inputs, tmp_path, values=models.values(model)), models.expected(model, inputs)
    )


def test_readme_and_marks(tmp_path: Path) -> None:
    files = models.model("vectors").export("mex")
    readme = " ".join(str(files["README.md"]).split())
    assert "was not run with MATLAB" in readme and "mkoctfile --mex Panda_inverse_dynamics_mex.c" in readme
    for name, text in files.items():
        (tmp_path / name).write_text(str(text))
        assert is_ours(tmp_path / name), name


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="needs a number for every parameter"):
        symoro.generate("rx90", "inverse-dynamics").export("mex")
    with pytest.raises(OptionError, match="trig = 'fast' is not supported"):
        models.model("vectors").export("mex", trig="fast")
    with pytest.raises(OptionError, match="has no option 'scalar'"):
        models.model("vectors").export("mex", scalar="float")
