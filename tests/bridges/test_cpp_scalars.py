"""The C++ header with other scalars: own dual numbers, CppAD and CasADi, against the derivatives of symoro.

Records and expressions are made once, at the first point, and evaluated at the others, where joints move in the other
direction, other pivots are larger, or the configuration is regular and not singular.
"""

from __future__ import annotations

import importlib.util
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro import Model
from symoro.emit.code import code_of
from symoro.emit.cpp import DIALECT
from symoro.emit.sample import sample_of
from symoro.program.interpret import interpret
from symoro.program.program import size
from tests.emit.run import command, need, put

Array = np.ndarray
POINTS = 4

DUAL = """\
#include <cmath>
#include <cstdio>
namespace dual {
struct Number {
    double v, d;
    Number(double value = 0, double slope = 0) : v(value), d(slope) {}
};
inline Number operator+(Number a, Number b) { return {a.v + b.v, a.d + b.d}; }
inline Number operator-(Number a, Number b) { return {a.v - b.v, a.d - b.d}; }
inline Number operator*(Number a, Number b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
inline Number operator/(Number a, Number b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline Number operator-(Number a) { return {-a.v, -a.d}; }
inline Number &operator-=(Number &a, Number b) { return a = a - b; }
inline bool operator<(Number a, Number b) { return a.v < b.v; }
inline bool operator>(Number a, Number b) { return a.v > b.v; }
inline bool operator<=(Number a, Number b) { return a.v <= b.v; }
inline bool operator==(Number a, Number b) { return a.v == b.v; }
inline bool operator!=(Number a, Number b) { return a.v != b.v; }
inline Number sin(Number a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
inline Number cos(Number a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
inline Number sqrt(Number a) { return {std::sqrt(a.v), a.d == 0 ? 0 : a.d / (2 * std::sqrt(a.v))}; }  // sqrt(max(0, x))
inline Number abs(Number a) { return a.v < 0 ? -a : a; }
inline Number exp(Number a) { return {std::exp(a.v), a.d * std::exp(a.v)}; }
inline Number acos(Number a) { return {std::acos(a.v), -a.d / std::sqrt(1 - a.v * a.v)}; }
inline Number atan2(Number y, Number x)
{
    return {std::atan2(y.v, x.v), (x.v * y.d - y.v * x.d) / (x.v * x.v + y.v * y.v)};
}
}
using Scalar = dual::Number;
template <class Model> void differentiate(const Model &model, int inputs, int outputs, const double *points)
{
    std::vector<Scalar> x(inputs), y(outputs);
    for (int point = 0; point < POINTS; ++point) {
        std::vector<double> slopes(outputs * inputs);
        for (int j = 0; j < inputs; ++j) {
            for (int i = 0; i < inputs; ++i) x[i] = {points[point * inputs + i], i == j ? 1.0 : 0.0};
            model(x.data(), y.data());
            for (int i = 0; i < outputs; ++i) slopes[i * inputs + j] = y[i].d;
        }
        for (const Scalar &entry : y) std::printf("%.17g\\n", entry.v);
        for (double slope : slopes) std::printf("%.17g\\n", slope);
    }
}
"""
CPPAD = """\
#include <cppad/cppad.hpp>
#include <cstdio>
using Scalar = CppAD::AD<double>;
template <class Model> void differentiate(const Model &model, int inputs, int outputs, const double *points)
{
    std::vector<Scalar> x(points, points + inputs), y(outputs);
    CppAD::Independent(x);
    model(x.data(), y.data());
    CppAD::ADFun<double> record;
    record.check_for_nan(false);  // in singular configurations a model returns NaN
    record.Dependent(x, y);
    for (int point = 0; point < POINTS; ++point) {
        const std::vector<double> at(points + point * inputs, points + (point + 1) * inputs);
        for (double value : record.Forward(0, at)) std::printf("%.17g\\n", value);
        for (double slope : record.Jacobian(at)) std::printf("%.17g\\n", slope);
    }
}
"""
CASADI = """\
#include <casadi/casadi.hpp>
#include <cstdio>
using Scalar = casadi::SX;
template <class Model> void differentiate(const Model &model, int inputs, int outputs, const double *points)
{
    const Scalar symbols = Scalar::sym("x", inputs);
    std::vector<Scalar> x, y(outputs);
    for (int i = 0; i < inputs; ++i) x.push_back(symbols(i));
    model(x.data(), y.data());
    const Scalar all = Scalar::vertcat(y), slopes = Scalar::jacobian(all, symbols).T();  // DM is stored by columns
    const casadi::Function function("f", {symbols}, {casadi::SX::densify(all), casadi::SX::densify(slopes)});
    for (int point = 0; point < POINTS; ++point) {
        const std::vector<double> at(points + point * inputs, points + (point + 1) * inputs);
        const std::vector<casadi::DM> results = function(std::vector<casadi::DM>{at});
        for (const casadi::DM &result : results) {
            const std::vector<double> numbers = casadi::DM::densify(result).nonzeros();
            for (double number : numbers) std::printf("%.17g\\n", number);
        }
    }
}
"""


def package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"the package {package} is not installed")
    return Path(spec.origin).parent


def flags(scalar: str) -> list[str]:
    """Return the compiler flags for the library of a scalar; the test is skipped if it is not installed."""
    if scalar == "casadi":
        folder = package_folder("casadi")
        return [f"-isystem{folder / 'include'}", f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"]
    if scalar == "cppad":
        if Path("/usr/include/cppad").exists():
            return []
        prefix = package_folder("cmeel").parent / "cmeel.prefix"
        if not (prefix / "include" / "cppad").exists():
            pytest.skip("CppAD is not installed (Debian's cppad, or the package cmeel-cppad)")
        library = prefix / "lib"
        return [f"-isystem{prefix / 'include'}", f"-L{library}", "-lcppad_lib", f"-Wl,-rpath,{library}"]
    return []


SCALARS = {"dual": DUAL, "cppad": CPPAD, "casadi": CASADI}


# -- models


def bound(name: str) -> symoro.Robot:
    """Return a robot with a number for each symbol."""
    robot, rng = symoro.load(name), np.random.default_rng(3)
    nominal = dict(robot.nominal)
    return robot.bind({s: nominal.get(s, float(rng.uniform(0.2, 1.0))) for s in robot.symbols()})


def samples(model: Model) -> dict[str, Array]:
    """Return random inputs with a leading axis of points."""
    rng = np.random.default_rng(7)
    return {name: rng.uniform(-1, 1, (POINTS, *shape)) for name, shape in model.inputs.items()}


def friction() -> tuple[Model, dict[str, Array]]:
    """Return a model with Coulomb friction, sign(qd): the joints move in other directions at each point."""
    model = symoro.generate(bound("rx90"), "inverse-dynamics")
    assert "sign" in model.code("cpp", name="model")["model.hpp"]
    return model, samples(model)


def parameters() -> tuple[Model, dict[str, Array]]:
    """Return a model with parameters, whose constants are computed in the scalar type too."""
    model = symoro.generate("planar2r", "direct-dynamics")
    return model, samples(model)


def closed_loop() -> tuple[Model, dict[str, Array]]:
    """Return a model of a closed loop; the first point is a singular configuration, where all outputs are NaN."""
    robot = bound("fivebar")
    model = symoro.generate(robot, "inverse-dynamics")
    inputs = samples(model)
    solve = symoro.generate(robot, "loop-geometry").function(compiled=False)
    rng, closed = np.random.default_rng(1), []
    for _ in range(200):
        result = solve(qa=rng.uniform(-2, 2, 2))
        closed += [q for q, status in zip(result["q"], result["status"], strict=True) if status == 0]
    assert len(closed) >= POINTS
    inputs["q"][0] = 0
    inputs["q"][1:] = closed[: POINTS - 1]
    return model, inputs


def linear_system() -> tuple[Model, dict[str, Array]]:
    """Return a model that solves a linear system with pivots."""
    model = symoro.generate("panda", "inverse-kinematics")
    assert "solve_kernel" in model.code("cpp", name="model")["model.hpp"]
    return model, samples(model)


def inverse_geometry() -> tuple[Model, dict[str, Array]]:
    """Return a model with many choices; the first pose is out of reach."""
    robot = bound("scara")
    model = symoro.generate(robot, "inverse-geometry")
    inputs = samples(model)
    forward = symoro.generate(robot, "fast-geometry").function(compiled=False)
    inputs["T"] = forward(q=np.random.default_rng(2).uniform(0.2, 1.2, (POINTS, 4)))["T"]
    inputs["T"][0, :2, 3] *= 10
    return model, inputs


CASES = {
    "friction": friction,
    "parameters": parameters,
    "closed_loop": closed_loop,
    "linear_system": linear_system,
    "inverse_geometry": inverse_geometry,
}


def source(name: str, model: Model, inputs: dict[str, Array]) -> str:
    """Return a function that differentiates a model with respect to all of its inputs."""
    program, code = model.program, code_of(model.program, DIALECT, name=name)
    points = np.concatenate([inputs[port.name].reshape(POINTS, -1) for port in program.inputs], axis=1)
    starts = np.cumsum([0, *(size(port.shape) for port in program.inputs)])
    ends = np.cumsum([0, *(size(out.shape) for out in program.outputs)])
    arguments = [f"x + {start}" for start in starts[:-1]]
    lines = [f'#include "{name}.hpp"', f"void differentiate_{name}()\n{{"]
    lines.append(f"    static const double points[] = {{{', '.join(map(repr, points.ravel().tolist()))}}};")
    setup = ""
    if code.constants:
        values = ", ".join(f"Scalar({x!r})" for x in sample_of(program).parameters)
        lines.append(f"    const Scalar p[] = {{{values}}};")
        setup, arguments = (
            f"Scalar k[{len(code.constants)}]; symoro::{name}::setup<Scalar>(p, k); ",
            [*arguments, "k"],
        )
    arguments += [f"y + {end}" for end in ends[:-1]]
    call = f"{setup}symoro::{name}::call<Scalar>({', '.join(arguments)});"
    capture = "&" if setup else ""
    lines.append(
        f"    differentiate([{capture}](const Scalar *x, Scalar *y) {{ {call} }}, {starts[-1]}, {ends[-1]}, points);"
    )
    return "\n".join([*lines, "}\n"])


@cache
def cases() -> dict[str, tuple[Model, dict[str, Array]]]:
    return {name: make() for name, make in CASES.items()}


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def expected(model: Model, inputs: dict[str, Array]) -> tuple[Array, Array]:
    """Return values (POINTS, outputs) and Jacobian matrices (POINTS, outputs, inputs) by symoro."""
    values = dict(zip(model.parameters, sample_of(model.program).parameters, strict=True))
    # `function` would replace the residuals of poses that are out of reach
    result, slopes = (
        _stacked(
            [interpret(program, {name: x[k] for name, x in inputs.items()}, values) for k in range(POINTS)]
        )
        for program in (model.program, model.derivative("jacobian").program)
    )
    rows = [
        np.concatenate(
            [
                slopes[f"d{out}_d{name}"].reshape(POINTS, size(model.outputs[out]), size(shape))
                for name, shape in model.inputs.items()
            ],
            axis=2,
        )
        for out in model.outputs
    ]
    return np.concatenate([result[out].reshape(POINTS, -1) for out in model.outputs], axis=1), np.concatenate(
        rows, axis=1
    )


@pytest.mark.parametrize("scalar", SCALARS)
def test_values_and_derivatives(tmp_path: Path, scalar: str) -> None:
    compiler, library = need("g++"), flags(scalar)
    lines = ["#include <vector>", f"constexpr int POINTS = {POINTS};", SCALARS[scalar]]
    for name, (model, inputs) in cases().items():
        put(tmp_path, model.code("cpp", name=name))
        lines.append(source(name, model, inputs))
    calls = " ".join(f"differentiate_{name}();" for name in CASES)
    put(tmp_path, {"main.cpp": "\n".join([*lines, f"int main() {{ {calls} }}\n"])})
    command(compiler, "-std=c++17", "-O0", "main.cpp", "-o", "main", *library, cwd=tmp_path)
    numbers = iter(np.array(command(tmp_path / "main").split(), dtype=float))
    for name, (model, inputs) in cases().items():
        values, slopes = expected(model, inputs)
        for point in range(POINTS):
            value = np.array([next(numbers) for _ in range(values.shape[1])])
            slope = np.array([next(numbers) for _ in range(slopes[point].size)]).reshape(slopes[point].shape)
            where = f"{scalar} {name} at point {point}"
            np.testing.assert_allclose(value, values[point], rtol=1e-12, atol=1e-12, err_msg=where)
            valid = np.isfinite(values[point])  # where a model has no value, its derivative has no meaning
            reference = np.abs(slopes[point][valid]).max(initial=1e-300)
            np.testing.assert_allclose(
                slope[valid], slopes[point][valid], rtol=0, atol=1e-10 * reference, err_msg=where
            )
            if name == "closed_loop":
                assert valid.all() == (point > 0), where
    assert next(numbers, None) is None


@pytest.mark.parametrize("scalar", SCALARS)
def test_kernels_that_drop_derivatives_are_rejected(tmp_path: Path, scalar: str) -> None:
    """Check that the compiler names the kernel; the same header compiles with double."""
    compiler, library = need("g++"), flags(scalar)
    model = symoro.generate("jaco2", "inverse-geometry")
    put(tmp_path, model.code("cpp", name="model"))
    text = '#include "model.hpp"\nauto *const function = &symoro::model::call<{}>;\n'
    put(tmp_path, {"double.cpp": text.format("double")})
    put(
        tmp_path,
        {
            "other.cpp": f"#include <vector>\nconstexpr int POINTS = 1;\n{SCALARS[scalar]}"
            + text.format("Scalar")
        },
    )
    compile_only = [
        compiler,
        "-std=c++17",
        "-fsyntax-only",
        *[flag for flag in library if flag.startswith("-isystem")],
    ]
    command(*compile_only, "double.cpp", cwd=tmp_path)
    ran = subprocess.run([*compile_only, "other.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode != 0
    assert "this model calls the kernel closed_chain" in ran.stderr and "drops derivatives" in ran.stderr
