"""Test CUDA code: it compiles with nvcc, and its text computes the right values when it is compiled for the CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit import cuda
from symoro.emit.cuda import device_code, rows_of
from symoro.errors import OptionError
from symoro.expr.scalar import cos, sin
from symoro.model import Model
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.program.program import size
from symoro.robot.library import names as bundled
from tests.emit.cuda_on_cpu import device_on_cpu
from tests.emit.run import command, need, put

COUNT = 131  # more than one block, and not a multiple of it
CASES = [
    ("panda", "inverse-dynamics"),
    ("rx90", "direct-dynamics"),
    ("rx90", "dynamic-identification"),
    ("scara", "inertia-matrix"),
    ("gough_stewart", "inverse-geometry"),
    ("rx90_floating", "direct-dynamics"),
]
NVCC = ["-std=c++17", "-arch=sm_90", "-Werror", "all-warnings"]


def sample(model: Model, seed: int = 1) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return inputs of a batch and values of the parameters."""
    rng = np.random.default_rng(seed)
    values = {name: rng.uniform(0.3, 1.0) for name in model.parameters} | dict(model.robot.nominal)
    inputs = {}
    for port in model.program.inputs:
        numbers = rng.uniform(-1, 1, (COUNT, *port.shape))
        if port.default is not None:
            numbers = np.array(port.default).reshape(port.shape)
        inputs[port.name] = numbers
    return inputs, values


def reference(model: Model, inputs: dict[str, np.ndarray], values: dict[str, float]) -> dict[str, np.ndarray]:
    """Return the outputs of the program itself, without the corrections of poses that functions make."""
    whole = {p.name: np.broadcast_to(inputs[p.name], (COUNT, *p.shape)) for p in model.program.inputs}
    return interpret(model.program, whole, values)


def assert_near(results: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float) -> None:
    for name, array in expected.items():
        scale = np.nanmax(np.abs(array)) or 1
        np.testing.assert_allclose(results[name] / scale, array / scale, rtol=0, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("layout", cuda.LAYOUTS)
@pytest.mark.parametrize(("robot", "name"), CASES)
def test_values_in_double(tmp_path: Path, robot: str, name: str, layout: str) -> None:
    model = symoro.generate(robot, name)
    inputs, values = sample(model)
    results = device_on_cpu(tmp_path, model.program, inputs, values, layout=layout)
    assert_near(results, reference(model, inputs, values), 1e-11)


@pytest.mark.parametrize("trig", cuda.TRIG)
@pytest.mark.parametrize("layout", cuda.LAYOUTS)
def test_values_in_float(tmp_path: Path, layout: str, trig: str) -> None:
    model = symoro.generate("panda", "inverse-dynamics")
    inputs, values = sample(model)
    single = {key: array.astype(np.float32).astype(float) for key, array in inputs.items()}
    results = device_on_cpu(tmp_path, model.program, single, values, scalar="float", trig=trig, layout=layout)
    assert_near(results, reference(model, single, values), 3e-6)


def test_not_a_number_stays_in_its_sample(tmp_path: Path) -> None:
    model = symoro.generate("panda", "inverse-dynamics")
    inputs, values = sample(model)
    clean = device_on_cpu(tmp_path, model.program, inputs, values)["tau"]
    inputs["q"][7, 2] = np.nan
    inputs["q"][9, 1] = np.inf
    damaged = device_on_cpu(tmp_path, model.program, inputs, values)["tau"]
    assert np.isnan(damaged[[7, 9]]).any(axis=1).all()
    others = np.delete(np.arange(COUNT), [7, 9])
    np.testing.assert_array_equal(damaged[others], clean[others])


def test_shared_inputs(tmp_path: Path) -> None:
    model = symoro.generate("panda", "inverse-dynamics")
    inputs, values = sample(model)
    whole = inputs | {"qdd": np.broadcast_to(inputs["qdd"][0], (COUNT, 7)).copy()}
    shared = inputs | {"qdd": inputs["qdd"][0]}
    expected = device_on_cpu(tmp_path, model.program, whole, values)
    np.testing.assert_array_equal(
        device_on_cpu(tmp_path, model.program, shared, values)["tau"], expected["tau"]
    )


@pytest.mark.parametrize(("scalar", "tolerance", "far"), [("double", 4e-16, 1e9), ("float", 2.5e-7, 1e5)])
def test_sines_and_cosines(tmp_path: Path, scalar: str, tolerance: float, far: float) -> None:
    """Check the accuracy from small angles to those that the library computes, for one angle and for several."""
    builder = Builder("turns")
    angles = builder.input("x", (3,))
    builder.output("s", [sin(x) for x in angles])
    builder.output("c", [cos(x) for x in angles])
    builder.output("late", [sin(sin(angles[0]) * 3)])
    program = builder.program()
    rng = np.random.default_rng(3)
    steps = np.linspace(-9, 9, 721) * np.pi / 2
    x = np.concatenate([steps, rng.uniform(-3e3, 3e3, 2000), rng.uniform(-far, far, 279)])[:, None]
    x = (x + np.array([0, 1e-9, 0.3])).astype("float32" if scalar == "float" else "float64").astype(float)
    results = device_on_cpu(tmp_path, program, {"x": x}, {}, scalar=scalar)
    assert np.abs(results["s"] - np.sin(x)).max() < tolerance
    assert np.abs(results["c"] - np.cos(x)).max() < tolerance
    assert np.abs(results["late"][:, 0] - np.sin(np.sin(x[:, 0]) * 3)).max() < 4 * tolerance


def test_single_precision_contains_no_double() -> None:
    for robot, name in CASES:
        model = symoro.generate(robot, name)
        device = device_code(model.program, "model", "float")
        assert "double" not in device.text(rows_of(model.program, "samples"))


def test_large_outputs_are_stored_by_entries() -> None:
    program = symoro.generate("panda", "inertia-matrix").program
    assert rows_of(program, "samples") == [True, False]
    assert rows_of(program, "entries") == [False, False]
    header = symoro.generate("panda", "inertia-matrix").code("cuda", name="h")["h.h"]
    assert "A: entry e of sample i is x[e * n + i]" in header


def test_shared_memory_is_used_where_registers_do_not_suffice() -> None:
    for name, scalar, needed in (
        ("inverse-dynamics", "float", False),
        ("inverse-dynamics-derivatives", "double", True),
    ):
        program = symoro.generate("panda", name).program
        text = device_code(program, "model", scalar).text(rows_of(program, "entries"))
        assert ("enable_smem_spilling" in text) == needed


def test_runs_of_zeros_in_an_array_with_a_digit_in_its_name(tmp_path: Path) -> None:
    builder = Builder("digits")
    (x,) = builder.input("x", (1,))
    builder.output("y2", [x, *[builder.number(0)] * 20])
    results = device_on_cpu(tmp_path, builder.program(), {"x": np.ones((COUNT, 1))}, {})
    np.testing.assert_array_equal(results["y2"], np.eye(1, 21).repeat(COUNT, 0))


def test_many_constants_are_passed_by_address(tmp_path: Path) -> None:
    builder = Builder("many")
    (x,) = builder.input("x", (1,))
    parameters = [builder.parameter(f"a{k}") for k in range(500)]
    builder.output("y", [sum((p * sin(x * k) for k, p in enumerate(parameters)), start=builder.number(0))])
    program = builder.program()
    assert not device_code(program, "model").by_value
    assert device_code(program, "model", "float").by_value
    values = {f"a{k}": 1 / (1 + k) for k in range(500)}
    x_numbers = np.linspace(-1, 1, COUNT)[:, None]
    expected = sum(value * np.sin(x_numbers * k) for k, value in enumerate(values.values()))
    results = device_on_cpu(tmp_path, program, {"x": x_numbers}, values)
    np.testing.assert_allclose(results["y"], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("option", "value", "valid"), [("scalar", "half", "float"), ("trig", "libm", "fast")]
)
def test_unsupported_options(option: str, value: str, valid: str) -> None:
    with pytest.raises(OptionError, match="not supported in CUDA") as caught:
        symoro.generate("planar2r", "inverse-dynamics").code("cuda", **{option: value})
    assert valid in (caught.value.hint or "")


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("robot", "name", "options"),
    [
        ("rx90", "inverse-dynamics", {"scalar": "float"}),
        ("rx90_floating", "direct-dynamics", {"layout": "entries"}),
        ("ur5e", "inverse-geometry", {"scalar": "float", "trig": "fast"}),
        ("panda", "inverse-dynamics-derivatives", {}),
    ],
)
def test_compiles_with_nvcc(tmp_path: Path, robot: str, name: str, options: dict[str, str]) -> None:
    tool = need("nvcc")
    files = symoro.generate(robot, name).export("cuda", **options)
    put(tmp_path, files)
    for file in files:
        if file.endswith(".cu"):
            command(tool, *NVCC, "-Xptxas", "-O0", "-c", file, "-o", "out.o", cwd=tmp_path)


def test_the_example_is_built_by_make(tmp_path: Path) -> None:
    need("nvcc")
    put(tmp_path, symoro.generate("planar2r", "inertia-matrix").export("cuda", name="model"))
    command(need("make"), "NVCC=nvcc -arch=sm_90 -Werror all-warnings", cwd=tmp_path)
    assert (tmp_path / "model_example").exists()


@pytest.mark.slow
@pytest.mark.parametrize("robot", bundled())
def test_every_robot_compiles_with_nvcc(tmp_path: Path, robot: str) -> None:
    tool = need("nvcc")
    for name in ("inverse-dynamics", "direct-dynamics", "inverse-geometry", "inertia-matrix", "jacobian"):
        try:
            model = symoro.generate(robot, name)
        except symoro.errors.SymoroError:
            continue
        if sum(map(size, model.outputs.values())) == 0:
            continue
        for scalar in cuda.SCALARS:
            files = model.code("cuda", scalar=scalar, name="model")
            put(tmp_path, files)
            command(tool, *NVCC, "-ptx", "model.cu", "-o", "model.ptx", cwd=tmp_path)
