"""Test complete folders: they can be built and run and print the numbers of their README."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit import LANGUAGES
from symoro.emit.project import project
from symoro.emit.target import missing_numbers
from symoro.errors import ArgumentError, OptionError, UnknownNameError
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.ui.failure import in_a_shell
from tests.emit.programs import chain, everything, polynomials, solver, trivial
from tests.emit.run import command, need

TOOLS = {
    "c": "cc",
    "cpp": "g++",
    "fortran": "gfortran",
    "python": "python3",
    "matlab": "octave",
    "javascript": "node",
}
FLAGS = ("CFLAGS=-O0", "CXXFLAGS=-O0", "FFLAGS=-O0")  # speed is not tested here
SAMPLE = {"q": [0.3, -0.4]}
VALUES = {"D1": 0.5, "R1": 0.25, "D2": 0.125, "R2": 1.0, "of another model": 3.0}


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def printed(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.\d+(?:[eE][+-]?\d+)?|(?<![\w.])-?\d(?![\w.])", text)]


@pytest.mark.parametrize("language", ["c", "cpp", "fortran", "matlab", "javascript"])
def test_make_run(tmp_path: Path, language: str) -> None:
    need("make")
    need(TOOLS[language])
    program = chain(2)
    write(tmp_path, project(program, [language], values=VALUES, sample=SAMPLE))
    shown = command("make", "-s", "-C", tmp_path, "run", *FLAGS)
    assert shown.startswith("P =")
    expected = interpret(program, {"q": np.array(SAMPLE["q"])}, VALUES)["P"]
    digits = 1e-4 if language == "matlab" else 1e-8
    np.testing.assert_allclose(printed(shown), expected.reshape(-1), rtol=digits, atol=digits)
    command("make", "-s", "-C", tmp_path, "clean")
    assert not (tmp_path / "chain_example").exists()


def test_every_language_at_once(tmp_path: Path) -> None:
    for tool in ("make", *TOOLS.values()):
        need(tool)
    files = project(everything(), list(TOOLS))
    assert {"Makefile", "README.md", "c/Makefile", "fortran/everything.f90"} <= set(files)
    write(tmp_path, files)
    shown = command("make", "-s", "-C", tmp_path, "run", "PYTHON=python3", *FLAGS)
    assert shown.count("last =") >= len(TOOLS) - 1


def test_solver_and_trivial_run(tmp_path: Path) -> None:
    need("make")
    need("cc")
    for program in (solver(), trivial()):
        folder = tmp_path / program.name
        write(folder, project(program, ["c"]))
        assert " =" in command("make", "-s", "-C", folder, "run", *FLAGS)


def test_fortran_with_kernels_in_c(tmp_path: Path) -> None:
    need("make")
    need("gfortran")
    program = polynomials()
    sample = {"a": [1, 0, -5, 0, 4], "k": [0.2, 1, -0.4, 0.3, 0.1]}
    files = project(program, ["fortran"], values={"m": 0.5}, sample=sample)
    assert "polynomials_kernels.c" in files
    write(tmp_path, files)
    shown = command("make", "-s", "-C", tmp_path, "run", *FLAGS)
    expected = interpret(program, {name: np.array(row) for name, row in sample.items()}, {"m": 0.5})
    numbers = np.concatenate([np.ravel(expected[out.name]) for out in program.outputs])
    np.testing.assert_allclose(printed(shown), numbers, rtol=1e-8, atol=1e-8)


def test_readme_states_the_sample(tmp_path: Path) -> None:
    files = project(chain(2), ["c"], {"chain.yaml": "name: chain\n"}, values=VALUES, sample=SAMPLE)
    assert files["chain.yaml"] == "name: chain\n"
    for text in ("make run", "D1 = 0.5", "q = [0.3, -0.4]", "P =", "`chain.c`"):
        assert text in files["README.md"]
    assert "0.3, -0.4" in files["chain_example.c"]
    outputs = files["README.md"].partition("P =")[2].partition("```")[0]
    expected = interpret(chain(2), {"q": np.array(SAMPLE["q"])}, VALUES)["P"]
    np.testing.assert_allclose(np.loadtxt(outputs.splitlines()), expected, rtol=1e-8)


def test_errors() -> None:
    with pytest.raises(UnknownNameError):
        project(chain(2), ["c", "cobol"])
    with pytest.raises(OptionError, match="at least one language"):
        project(chain(2), [])
    with pytest.raises(OptionError, match="already contains a file"):
        project(chain(2), ["c"], {"README.md": ""})
    with pytest.raises(OptionError, match="has 3 numbers"):
        project(chain(2), ["c"], sample={"q": [1, 2, 3]})
    with pytest.raises(UnknownNameError, match="no input called 'p'"):
        project(chain(2), ["c"], sample={"p": [1, 2, 3]})


@pytest.mark.parametrize(
    ("targets", "head", "row"),
    [
        (["c"], "| position, from 0 |", "| 0 |"),
        (["rust"], "| position, from 0 |", "| 0 |"),
        (["mex"], "| position, from 1 |", "| 1 |"),
        (["simulink"], "| position, from 1 |", "| 1 |"),
        (["julia"], "| position, from 1 |", "| 1 |"),
        (
            ["c", "fortran", "python"],
            "| position, from 0 (c, python) | position, from 1 (fortran) |",
            "| 0 | 1 |",
        ),
    ],
)
def test_readme_counts_the_joints_as_the_language(targets: list[str], head: str, row: str) -> None:
    model = symoro.generate("planar2r", "gravity-torques")
    text = str(model.export(targets, values=dict.fromkeys(model.parameters, 1.0))["README.md"])
    assert f"| joint | in arrays with {head}" in text
    assert f"| q1 | all joints {row}" in text
    assert "- `planar2R.yaml`: the robot as symoro read it" in text


def test_first_index_of_every_language() -> None:
    ones = {name for name, language in LANGUAGES.items() if language.first_index == 1}
    assert ones == {"fortran", "matlab", "julia", "maple", "mathematica", "latex", "text"}


def test_readme_states_which_numbers_are_invented() -> None:
    program = chain(2)
    names = program.used_parameters
    for values, text in (
        (VALUES, "Numbers for a test.\n"),
        ({}, "for them: all parameters."),
        (dict.fromkeys(names[1:], 1.0), f"for them: {names[0]}."),
    ):
        readme = str(project(program, ["c"], values=values)["README.md"])
        assert text in readme.partition("## Sample")[2].partition("```")[0]


def test_parameters_without_numbers_are_all_named() -> None:
    model = symoro.generate("rx90", "inverse-dynamics")
    with pytest.raises(ArgumentError, match=r"67 without a number: ZZ1, .*, FS6\b") as caught:
        model.export("mex")
    assert caught.value.hint is not None and "nominal" in caught.value.hint
    shown = in_a_shell(caught.value.hint)
    assert shown.endswith("replace the symbols by numbers: --bind ZZ1=1.0")
    many = missing_numbers("MEX", chain(2), [f"D{k}" for k in range(102)])
    assert many.message.endswith(", D99 and 2 more")


def test_readme_states_the_units() -> None:
    b = Builder("spring")
    (x,) = b.input("x", (1,), title="stretch")
    b.output("F", [b.parameter("K1") * x + b.parameter("F0")], title="force")
    made = b.program()
    inputs = tuple(replace(port, unit="m") for port in made.inputs)
    outputs = tuple(replace(port, unit="N") for port in made.outputs)
    text = project(replace(made, inputs=inputs, outputs=outputs, units={"K1": "N/m"}), ["c"])["README.md"]
    assert "| input `x` | (1) | m | stretch | x1 |" in text
    assert "| output `F` | (1) | N | force |  |" in text
    assert "| K1 | N/m |" in text and "| F0 |  |" in text  # an unknown unit is omitted
