"""Test the Cargo package: cargo builds it offline without warnings, and its numbers are those of the C code."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Model
from symoro.program.program import size
from symoro.robot import library
from symoro.robot.formats import loads
from tests.bridges.random_robots import STRUCTURES, inputs_of, models, random_robot
from tests.emit.run import need, run_rust
from tests.emit.test_header import NAMED
from tests.emit.test_javascript import check as check_models

TOLERANCES = {"double": 1e-12, "float": 1e-5}  # relative to the largest entry of an output


def cargo(folder: Path, *arguments: str) -> str:
    """Run cargo offline, with warnings as errors, and return what it prints."""
    environment = {**os.environ, "RUSTFLAGS": "-D warnings", "CARGO_TARGET_DIR": str(folder / "target")}
    command = [need("cargo"), arguments[0], "--offline", "--quiet", *arguments[1:]]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def write(folder: Path, model: Model, **options: Any) -> None:
    for path, contents in model.export("rust", name="model", **options).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(str(contents))


def evaluate(
    model: Model, inputs: dict[str, np.ndarray], folder: Path, scalar: str = "double"
) -> dict[str, np.ndarray]:
    """Export, build and run a package for given inputs and the robot's numbers, and return the outputs."""
    write(folder, model, scalar=scalar)
    program, real = model.program, {"double": "f64", "float": "f32"}[scalar]

    def array(numbers: Any) -> str:
        return f"[{', '.join(f'{float(x)!r}_{real}' for x in np.ravel(numbers))}]"

    lines, passed = ["fn main() {"], []
    for port in program.inputs:
        value = array(inputs[port.name])
        passed.append(f"&{value}" if port.shape else value[1:-1])
    if program.constants:
        nominal = dict(model.robot.nominal)
        values = array([nominal[name] for name in program.used_parameters])
        passed.append(f"&model::setup(&{values})")
    for at, out in enumerate(program.outputs):
        lines.append(f"    let mut o{at} = {f'[0.0; {size(out.shape)}]' if out.shape else '0.0'};")
        passed.append(f"&mut o{at}")
    lines.append(f"    model::call({', '.join(passed)});")
    for at, out in enumerate(program.outputs):
        entries = f"o{at}" if out.shape else f"[o{at}]"
        lines.append(f'    for x in {entries} {{ println!("{{x:e}}"); }}')
    (folder / "examples" / "evaluate.rs").write_text("\n".join([*lines, "}"]) + "\n")
    numbers = iter(cargo(folder, "run", "--release", "--example", "evaluate").split())
    return {
        out.name: np.reshape([float(next(numbers)) for _ in range(size(out.shape))], out.shape)
        for out in program.outputs
    }


def check(model: Model, inputs: dict[str, np.ndarray], folder: Path, scalar: str) -> None:
    results, expected = evaluate(model, inputs, folder, scalar), model.function()(**inputs)
    for name, value in expected.items():
        scale = np.max(np.abs(value), initial=0, where=np.isfinite(value))
        np.testing.assert_allclose(
            results[name],
            value,
            rtol=0,
            atol=TOLERANCES[scalar] * scale,
            err_msg=f"{model.program.name} {name}",
        )


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_random_robots(tmp_path: Path, structure: str, scalar: str) -> None:
    case = random_robot(structure, 1)
    for model in models(case):
        check(model, inputs_of(case, model), tmp_path / model.entry.id, scalar)


@pytest.mark.parametrize(
    ("robot", "name", "scalar"),
    [
        ("panda", "inverse-dynamics", "double"),
        ("panda", "inverse-dynamics", "float"),
        ("rx90", "inverse-dynamics", "double"),
        ("ur5e", "inverse-geometry", "double"),
        ("ur5e", "inverse-geometry", "float"),
        ("stanford", "inverse-geometry", "double"),
        ("jaco2", "inverse-geometry", "double"),
        ("jaco2", "inverse-geometry", "float"),
        ("fivebar", "direct-dynamics", "double"),
        ("humanoid_torso", "direct-dynamics-derivatives", "double"),  # a function in parts
        ("planar2r", "energy", "double"),  # scalar outputs
    ],
)
def test_demo_prints_the_numbers_of_c_and_the_test_passes(
    tmp_path: Path, robot: str, name: str, scalar: str
) -> None:
    model = symoro.generate(robot, name)
    write(tmp_path / "rust", model, scalar=scalar)
    shown = cargo(tmp_path / "rust", "run", "--release", "--example", "demo")
    cargo(tmp_path / "rust", "test", "--release")
    (tmp_path / "c").mkdir()
    for path, text in model.export("c", name="model", scalar=scalar).items():
        (tmp_path / "c" / path).write_text(str(text))
    need("make")
    expected = subprocess.run(
        ["make", "-s", "run", "CFLAGS=-O1"], cwd=tmp_path / "c", capture_output=True, text=True, check=True
    ).stdout
    layout = re.compile(r"\s*-?(nan|inf|\d\S*)")
    assert layout.sub("x", shown) == layout.sub("x", expected)
    numbers, same = (_numbers(text) for text in (shown, expected))
    tolerance = {"double": 1e-8, "float": 1e-4}[scalar]
    np.testing.assert_allclose(numbers, same, rtol=tolerance, atol=tolerance * np.nanmax(np.abs(same)))


@pytest.mark.parametrize("name", ["rx90", "sr400"])
def test_every_model(tmp_path: Path, name: str) -> None:
    check_models(tmp_path, name, run_rust)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(library.names()) - {"rx90", "sr400"}))
def test_every_model_of_any_robot(tmp_path: Path, name: str) -> None:
    check_models(tmp_path, name, run_rust)


def _numbers(text: str) -> list[float]:
    return [float(word) for line in text.splitlines() if "=" not in line for word in line.split()]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["jaco2 inverse-geometry", "panda inverse-dynamics"])
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_clippy(tmp_path: Path, model: str, scalar: str) -> None:
    need("cargo-clippy")
    robot, name = model.split()
    write(tmp_path, symoro.generate(robot, name), scalar=scalar)
    cargo(tmp_path, "clippy", "--all-targets")


def test_joint_names_and_parameters_are_usable(tmp_path: Path) -> None:
    """Compile code that uses the constants as indices and names."""
    write(tmp_path, symoro.generate(loads(NAMED, "urdf"), "inverse-dynamics"))
    (tmp_path / "examples" / "names.rs").write_text(
        "fn main() {\n    let mut q = [0.0; model::sizes::q];\n    q[model::joints::SLIDE_JOINT] = 1.0;\n"
        '    println!("{q:?} {} {:?}", model::CONSTANTS, model::PARAMETERS);\n}\n'
    )
    assert cargo(tmp_path, "run", "--example", "names").startswith("[0.0, 1.0] ")
