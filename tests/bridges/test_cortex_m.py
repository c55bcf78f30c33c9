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
from symoro.expr import scalar as sc
from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.bridges.random_robots import STRUCTURES, inputs_of, models, random_robot
from tests.emit.programs import Case, case_of, polynomials, solver
from tests.emit.run import command, need

Array = np.ndarray
TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")
CPUS = ("cortex-m4", "cortex-m7")
EXCLUDED = re.compile(
    r"__aeabi_d|alloc|sbrk|printf"
)  # symbols of double precision, of a heap, of formatted output
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


@pytest.mark.parametrize("structure", STRUCTURES)
def test_random_robots(tmp_path: Path, structure: str) -> None:
    """Check one robot of each structure; its inertial parameters are symbols with nominal values."""
    case = random_robot(structure, 1)
    for model in models(case):
        if model.entry.id in ("inverse-dynamics", "direct-dynamics"):
            inputs = inputs_of(case, model)
            result = evaluate(model, inputs, tmp_path / model.entry.id)
            assert error(result, model.function(values=dict(model.robot.nominal))(**inputs)) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2, 3])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_more_random_robots(tmp_path: Path, structure: str, seed: int) -> None:
    case = random_robot(structure, seed)
    for model in models(case):
        inputs = inputs_of(case, model)
        result = evaluate(model, inputs, tmp_path / model.entry.id)
        assert error(result, model.function(values=dict(model.robot.nominal))(**inputs)) < 1e-5


# Instructions per call, bytes of code and of stack on the Cortex-M4.
LIMITS = {
    "inverse-dynamics": (1500, 4096, 512),
    "direct-dynamics": (2100, 7168, 640),
    "inverse-dynamics-derivatives": (5500, 24576, 1536),
}
MARGIN = {"cortex-m4": 1.0, "cortex-m7": 1.05}  # the compiler orders instructions for another pipeline


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("model", LIMITS)
def test_sizes_of_panda(tmp_path: Path, model: str, cpu: str) -> None:
    text = build(symoro.generate("panda", model).export("cortex-m", name="panda"), tmp_path, cpu)
    words = ("instructions per call:", "code of panda.c, bytes:", "stack of panda, bytes:")
    for what, most in zip(words, LIMITS[model], strict=True):
        assert 0 < figure(text, what) <= most * MARGIN[cpu], what
    assert figure(text, "largest entry:") < 1e-5
    symbols = command("arm-none-eabi-nm", *tmp_path.glob("build-*/*.elf"))
    assert not EXCLUDED.search(symbols) and "sinf" not in symbols


@pytest.mark.parametrize("spec", ["ur5e inverse-geometry", "cartpole direct-dynamics", "sr400 jacobian"])
def test_other_models(tmp_path: Path, spec: str) -> None:
    """Check models with functions of the C library, several outputs, or passive joints; the example checks itself."""
    robot, model = spec.split()
    described = symoro.load(robot)
    numbers = dict.fromkeys(described.symbols(), 0.4) | dict(described.nominal)
    build(symoro.generate(described, model).export("cortex-m", numbers, name="model"), tmp_path)
    assert not EXCLUDED.search(command("arm-none-eabi-nm", *tmp_path.glob("build-*/*.elf")))


@pytest.mark.parametrize(
    "case", [case_of(solver()), case_of(polynomials())], ids=lambda case: case.program.name
)
def test_kernels(tmp_path: Path, case: Case) -> None:
    """Check kernels, which compute in single precision."""
    sample = {name: array[0].ravel().tolist() for name, array in case.inputs.items()}
    files = project(case.program, ["cortex-m"], values=case.parameters, sample=sample)
    assert figure(build(files, tmp_path), "largest entry:") < 1e-5
    assert not EXCLUDED.search(command("arm-none-eabi-nm", *tmp_path.glob("build-*/*.elf")))


def test_numbers_as_printf_writes_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    special = (
        "0 -0 1 -1 0.1 1e-4 9.9999e-5 999999936 1e9 1e-38 1e-45 3.4028235e38 16777216 123456789 1.5 1e10 100"
    )
    powers = [2.0**-20, 2.0**-30, 2.0**30, 0.001220703125]  # the last one is a tie of the ninth digit
    random = rng.normal(size=40) * 10.0 ** rng.integers(-36, 38, 40)
    shown = np.float32([*map(float, special.split()), *powers, *random, np.inf, -np.inf, np.nan])
    b = Builder("same")
    x = b.input("x", (len(shown),))
    b.output("y", [entry + 0 for entry in x])
    files = project(b.program(), ["cortex-m"], sample={"x": shown.astype(float).tolist()})
    text = build(files, tmp_path)
    row = text.splitlines()[1]
    assert row == " ".join(f"{float(entry):16.9g}" for entry in shown)


def test_sines_of_any_angle(tmp_path: Path) -> None:
    """Check angles near 0, near multiples of pi/2, and beyond the limit of the polynomials."""
    q = np.float32([0.5, -1.5707964, 3162.2, -3162.3, 1e4, -5e7, 3e38, 16367173 * 2.0**72])
    b = Builder("turns")
    b.output("y", [f(x) for x in b.input("q", q.shape) for f in (sc.sin, sc.cos)])
    files = project(b.program(), ["cortex-m"], sample={"q": q.astype(float).tolist()})
    result = values(build(files, tmp_path), b.program())["y"]
    wanted = np.stack([np.sin(q.astype(float)), np.cos(q.astype(float))], -1).ravel()
    assert np.max(np.abs(result - wanted) / np.spacing(np.abs(wanted).astype(np.float32))) <= 1.0


def test_a_wrong_output_is_an_error(tmp_path: Path) -> None:
    files = symoro.generate("gantry", "fast-geometry").export("cortex-m", dict.fromkeys(("D2", "R1"), 0.4))
    main = str(files["main.c"])
    wrong = re.sub(r"(expected_T\[16\] = \{)", r"\g<1>0.5f + ", main)
    assert wrong != main
    with pytest.raises(AssertionError, match="largest error"):
        build({**files, "main.c": wrong}, tmp_path)
