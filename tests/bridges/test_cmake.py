"""CMake packages: built, tested by ctest, installed, and used by a second project in C and in C++ with Eigen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro import Model
from symoro.emit.c import call_sources
from symoro.emit.sample import sample_of
from symoro.files import write_folder
from symoro.program.program import size
from symoro.runtime.demo import demo_sample
from tests.emit.run import command, need

Array = np.ndarray
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Werror"
WITHOUT_EIGEN = "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON"
MODELS = [
    ("planar2r", "energy", "double"),  # scalars as outputs, parameters
    ("planar2r", "lagrange", "float"),  # an array with three axes
    ("fivebar", "loop-geometry", "double"),  # a closed loop, optional inputs, NaN
    ("rx90_floating", "direct-dynamics", "float"),  # a floating base
    ("diffdrive", "inverse-dynamics", "double"),  # wheels
    ("ur5e", "inverse-geometry", "float"),
]
PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C CXX)
find_package({0} 1.0 REQUIRED {1})
add_executable(app {2})
target_link_libraries(app PRIVATE {0}::{0}{3})
"""
EIGEN_MAIN = """\
#include <panda/panda.hpp>
#include <panda/panda_eigen.hpp>

#include <cstdio>

namespace model = symoro::panda;

int main()
{
    Eigen::Matrix<double, 7, 3> motion = Eigen::Matrix<double, 7, 3>::Constant(0.3);
    motion.col(1) *= -1.5;
    motion(3, 2) = 2;
    Eigen::MatrixXd table(3, 20);
    table.setZero();
    table.block<3, 7>(0, 5) = motion.transpose();
    // columns of a matrix, and rows of a larger one, which are not contiguous
    const auto outputs = model::eigen::evaluate(motion.col(0), motion.col(1), motion.col(2));
    Eigen::VectorXd tau(7);
    model::eigen::evaluate(table.row(0).segment(5, 7).transpose(), table.row(1).segment(5, 7).transpose(),
                           table.row(2).segment(5, 7).transpose(), tau);
    double header[model::SIZE_tau];
    model::call<double>(motion.col(0).data(), motion.col(1).data(), motion.col(2).data(), header);
    for (int i = 0; i < 7; ++i) std::printf("%.17g %.17g %.17g\\n", outputs.tau[i], tau[i], header[i]);
}
"""


def export(model: Model, folder: Path, name: str | None = None, **options: str) -> Path:
    """Write the package to a folder with a space in its path."""
    source = folder / "the package"
    write_folder(source, model.export("cmake", name=name, **options))
    return source


def build(source: Path, *options: str) -> None:
    """Configure and build without optimisation: speed is not tested here."""
    need("cmake")
    flags = [f"-DCMAKE_{language}_FLAGS={WARNINGS}" for language in ("C", "CXX")]
    command("cmake", "-S", source, "-B", source / "build", "-DCMAKE_BUILD_TYPE=Debug", *flags, *options)
    command("cmake", "--build", source / "build")


def install(source: Path, *options: str) -> Path:
    build(source, *options)
    prefix = source.parent / "the prefix"
    command("cmake", "--install", source / "build", "--prefix", prefix)
    return prefix


def run_user(folder: Path, prefix: Path, name: str, main: str, text: str, eigen: bool = False) -> str:
    """Build a second project that finds the installed package, and return what its program prints."""
    user = folder / "the user"
    user.mkdir()
    (user / main).write_text(text)
    parts = ("COMPONENTS eigen", "_eigen") if eigen else ("", "")
    (user / "CMakeLists.txt").write_text(PROJECT.format(name, parts[0], main, parts[1]))
    command("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    command("cmake", "--build", user / "build")
    return command(user / "build" / "app")


def evaluate(
    model: Model, inputs: dict[str, Array], folder: Path, scalar: str = "double"
) -> dict[str, Array]:
    """Return the outputs of the C functions of the installed package, called by another project."""
    name, program = "model", model.program
    prefix = install(export(model, folder, name, scalar=scalar), "-DBUILD_TESTING=OFF", WITHOUT_EIGEN)
    suffix = "f" if scalar == "float" else ""

    def array(declared: str, numbers: Array | list[float]) -> str:
        entries = ", ".join(f"{x:.17e}{suffix}" for x in np.ravel(numbers)) or f"0.0{suffix}"
        return f"static const {scalar} {declared}[] = {{{entries}}};"

    lines = ["#include <model/model.h>", "#include <stdio.h>"]
    lines += [array(f"input{k}", inputs[port.name]) for k, port in enumerate(program.inputs)]
    lengths = [max(1, size(out.shape)) for out in program.outputs]
    lines += [f"static {scalar} output{k}[{length}];" for k, length in enumerate(lengths)]
    names = [f"input{k}" for k in range(len(program.inputs))]
    setup = ""
    if call_sources(program, name, scalar).constants:
        values = sample_of(program, dict(model.robot.nominal)).parameters
        lines += [array("p", list(values)), f"static {scalar} k[MODEL_CONSTANTS];"]
        names, setup = [*names, "k"], "model_setup(p, k); "
    names += [f"output{k}" for k in range(len(lengths))]
    lines.append(f"int main(void) {{ {setup}model({', '.join(names)});")
    for k, out in enumerate(program.outputs):
        lines.append(f'for (int e = 0; e < {size(out.shape)}; ++e) printf("%.17g\\n", (double)output{k}[e]);')
    numbers = iter(run_user(folder, prefix, name, "main.c", "\n".join([*lines, "return 0; }", ""])).split())
    return {
        out.name: np.reshape([float(next(numbers)) for _ in range(size(out.shape))], out.shape)
        for out in program.outputs
    }


@pytest.mark.parametrize(("robot", "model", "scalar"), MODELS)
def test_ctest_accepts_the_numbers_of_every_interface(
    tmp_path: Path, robot: str, model: str, scalar: str
) -> None:
    source = export(symoro.generate(robot, model), tmp_path, scalar=scalar)
    build(source)
    shown = command("ctest", "--test-dir", source / "build", "--output-on-failure")
    assert "100% tests passed, 0 tests failed out of " in shown
    assert shown.count("Passed") == (3 if Path("/usr/include/eigen3").exists() else 2)


def test_ctest_reports_a_number_that_differs(tmp_path: Path) -> None:
    """Check that the examples can fail: one expected number is changed by 1e-8 of the largest."""
    model = symoro.generate("planar2r", "inverse-dynamics")
    source = export(model, tmp_path)
    example = next(source.glob("examples/*_example.c"))
    before, _, after = example.read_text().partition("tau_expected[2] = {")
    number = after.partition(",")[0]
    example.write_text(f"{before}tau_expected[2] = {{{float(number) * (1 + 1e-8)!r}{after[len(number) :]}")
    build(source, WITHOUT_EIGEN)
    ran = subprocess.run(["ctest", "--test-dir", source / "build"], capture_output=True, text=True)
    assert ran.returncode != 0 and "1 tests failed out of 2" in ran.stdout


@pytest.mark.parametrize(
    ("robot", "model", "scalar", "tolerance"),
    [
        ("fivebar", "inverse-dynamics", "double", 1e-12),
        ("panda", "jacobian", "float", 1e-5),
    ],
)
def test_second_project(tmp_path: Path, robot: str, model: str, scalar: str, tolerance: float) -> None:
    generated = symoro.generate(robot, model)
    numbers = dict(generated.robot.nominal)
    sample = demo_sample(generated.robot, generated.program, {}, numbers)  # a closed loop has one
    chosen = sample_of(generated.program, numbers, sample)
    values = dict(zip(generated.parameters, chosen.parameters, strict=True))
    inputs = {
        name: np.reshape(entries, shape)
        for (name, shape), entries in zip(generated.inputs.items(), chosen.inputs, strict=True)
    }
    outputs = evaluate(generated, inputs, tmp_path, scalar)
    for name, expected in generated.function(values)(**inputs).items():
        np.testing.assert_allclose(
            outputs[name], expected, rtol=0, atol=tolerance * np.nanmax(np.abs(expected))
        )


def test_second_project_in_cpp_with_eigen_and_a_shared_library(tmp_path: Path) -> None:
    if not Path("/usr/include/eigen3").exists():
        pytest.skip("Eigen (libeigen3-dev) is not installed")
    model = symoro.generate(symoro.load("panda").bind({"G3": -9.81}), "inverse-dynamics")
    prefix = install(export(model, tmp_path, "panda"), "-DBUILD_TESTING=OFF", "-DBUILD_SHARED_LIBS=ON")
    shown = run_user(tmp_path, prefix, "panda", "main.cpp", EIGEN_MAIN, eigen=True)
    columns = np.array(shown.split(), dtype=float).reshape(7, 3).T
    qdd = np.full(7, 0.3)
    qdd[3] = 2
    tau = model.function(compiled=False)(q=np.full(7, 0.3), qd=np.full(7, -0.45), qdd=qdd)["tau"]
    for column in columns:
        np.testing.assert_allclose(column, tau, rtol=0, atol=1e-12 * np.abs(tau).max())


def test_component_that_is_not_available(tmp_path: Path) -> None:
    prefix = install(
        export(symoro.generate("planar2r", "energy"), tmp_path, "arm"), "-DBUILD_TESTING=OFF", WITHOUT_EIGEN
    )
    user = tmp_path / "the user"
    user.mkdir()
    (user / "CMakeLists.txt").write_text(PROJECT.format("arm", "COMPONENTS eigen", "main.c", "_eigen"))
    ran = subprocess.run(
        ["cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={prefix}", WITHOUT_EIGEN],
        capture_output=True,
        text=True,
    )
    assert ran.returncode != 0 and "the component eigen is not available" in ran.stderr


@pytest.mark.parametrize("name", ["math", "test", "class"])
def test_names_that_other_things_have(tmp_path: Path, name: str) -> None:
    """Check base names that are headers, targets of CMake, or keywords."""
    source = export(symoro.generate("planar2r", "energy"), tmp_path, name)
    build(source, WITHOUT_EIGEN)
    assert "0 tests failed out of 2" in command("ctest", "--test-dir", source / "build")
