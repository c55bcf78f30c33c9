"""Compile and run emitted code: for each program {output: array} with a leading axis of samples."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro.emit import emit
from symoro.emit.c import call_sources
from symoro.emit.rust import SCALARS
from symoro.program.program import Program, size
from tests.emit.programs import Case

Results = list[dict[str, np.ndarray]]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
C_NAMES = ("{0}_setup", "{0}", "{0}_batch")
WRAPPER_NAMES = ("setup_{0}", "call_{0}", "batch_{0}")


def need(tool: str) -> str:
    """Return the path of a tool that works; the test is skipped if the machine does not have it."""
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"{tool} is not installed")
    if tool in ("cargo", "rustc") and not _has_toolchain(path):
        pytest.skip(f"{tool} has no toolchain: rustup looks for it in the home folder")
    return path


@cache
def _has_toolchain(path: str) -> bool:
    """Return whether a compiler of Rust runs: the one of rustup only chooses a toolchain of the user."""
    return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0


def command(*parts: object, cwd: Path | None = None) -> str:
    done = subprocess.run([str(p) for p in parts], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{parts[0]} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def assert_close(results: Results, cases: Sequence[Case], tolerance: float = 1e-12) -> None:
    for case, result in zip(cases, results, strict=True):
        for name, expected in case.expected().items():
            np.testing.assert_allclose(
                result[name], expected, rtol=tolerance, atol=tolerance, err_msg=f"{case.program.name}.{name}"
            )


# -- shared libraries: C, C++ and Fortran


def run_library(
    library: Path,
    cases: Sequence[Case],
    *,
    names: tuple[str, str, str] = C_NAMES,
    scalar: str = "float64",
    batch: bool = False,
    fortran: bool = False,
) -> Results:
    """Call setup, then the call function per sample, or the batch function once.

    Args:
        names: templates of the names of setup, call and batch.
        fortran: arrays have the shapes of the model, by columns, samples first; otherwise by rows, samples last.
    """
    lib = ctypes.CDLL(str(library))
    results = []
    for case in cases:
        setup, call, many = (getattr(lib, name.format(case.program.name), None) for name in names)
        constants = np.zeros(_constants(case.program), dtype=scalar)
        if len(constants):
            _invoke(setup, [np.array(case.parameter_list(), dtype=scalar), constants])
        if batch:
            results.append(_run_batch(many, case, constants, fortran))
        else:
            results.append(_run_samples(call, case, constants, fortran))
    return results


def _invoke(function: Any, arrays: Sequence[np.ndarray], *first: Any) -> None:
    function(*first, *(a.ctypes.data_as(ctypes.c_void_p) for a in arrays if a is not None))


def _constants(program: Program) -> int:
    """Return an upper bound of the number of constants in every language: C groups sums differently."""
    return max(len(program.constants), call_sources(program, program.name).constants)


def _run_samples(call: Any, case: Case, constants: np.ndarray, fortran: bool) -> dict[str, np.ndarray]:
    order = "F" if fortran else "C"
    rows: list[list[np.ndarray]] = []
    for i in range(case.samples):
        given = [np.array(a[i], dtype=constants.dtype, order=order) for a in case.inputs.values()]
        out = [np.zeros(port.shape, dtype=constants.dtype, order=order) for port in case.program.outputs]
        _invoke(call, [*given, *([constants] if len(constants) else []), *out])
        rows.append(out)
    return {
        port.name: np.stack([row[k] for row in rows]).astype(float)
        for k, port in enumerate(case.program.outputs)
    }


def _run_batch(many: Any, case: Case, constants: np.ndarray, fortran: bool) -> dict[str, np.ndarray]:
    outputs = case.program.outputs
    shared = [constants] if len(constants) else []
    if fortran:
        given = [np.array(a, dtype=constants.dtype, order="F") for a in case.inputs.values()]
        outs = [np.zeros((case.samples, *port.shape), order="F") for port in outputs]
        _invoke(many, [*given, *shared, *outs], ctypes.byref(ctypes.c_int(case.samples)))
        return {port.name: o for port, o in zip(outputs, outs, strict=True)}
    turned = [a.reshape(case.samples, -1).T for a in case.inputs.values()]
    given = [np.array(a, dtype=constants.dtype, order="C") for a in turned]
    outs = [np.zeros((size(port.shape), case.samples), dtype=constants.dtype) for port in outputs]
    _invoke(many, [*given, *shared, *outs], ctypes.c_size_t(case.samples))
    pairs = zip(outputs, outs, strict=True)
    return {port.name: o.T.reshape(case.samples, *port.shape).astype(float) for port, o in pairs}


def c_library(
    folder: Path,
    cases: Sequence[Case],
    *flags: str,
    parts: Sequence[str] = ("", "_batch"),
    unity: bool = False,
    **options: Any,
) -> Path:
    """Compile without optimisation unless flags request it: the results are the same, and it is faster.

    With `unity` all sources are one unit, which is faster for many small ones.
    """
    compiler = need("gcc")
    for case in cases:
        put(folder, emit(case.program, "c", **options))
    sources = [f"{case.program.name}{part}.c" for case in cases for part in parts]
    if unity:
        put(folder, {"unity.c": _unity(folder, sources)})
        sources = ["unity.c"]
    command(
        compiler,
        "-std=c99",
        *WARNINGS,
        *flags,
        "-shared",
        "-fPIC",
        "-o",
        "lib.so",
        *sources,
        "-lm",
        cwd=folder,
    )
    return folder / "lib.so"


_OWN = re.compile(r"\b[a-z]\w*_\b")  # names of helpers and kernels end with it, exported names do not


def _unity(folder: Path, sources: Sequence[str]) -> str:
    """Return a unit that includes sources; static functions get different names."""
    lines = []
    for number, source in enumerate(sources):
        own = sorted(set(_OWN.findall((folder / source).read_text())))
        lines += [f"#define {name} {name}{number}_" for name in own]
        lines += [f'#include "{source}"', *(f"#undef {name}" for name in own)]
    return "\n".join(lines) + "\n"


def cpp_library(folder: Path, cases: Sequence[Case], scalar: str = "double", first: str = "") -> Path:
    compiler = need("g++")
    lines = [first]
    for case in cases:
        put(folder, emit(case.program, "cpp"))
        lines += [f'#include "{case.program.name}.hpp"', *_cpp_wrappers(case.program, scalar)]
    put(folder, {"wrappers.cpp": "\n".join(lines) + "\n"})
    command(compiler, "-std=c++11", *WARNINGS, "-shared", "-fPIC", "-o", "lib.so", "wrappers.cpp", cwd=folder)
    return folder / "lib.so"


def _cpp_wrappers(program: Program, scalar: str) -> list[str]:
    """Return plain functions around the templates."""
    name = program.name
    listed = [f"const {scalar} *i{k}" for k in range(len(program.inputs))]
    if program.constants:
        listed.append(f"const {scalar} *k")
    listed += [f"{scalar} *o{k}" for k in range(len(program.outputs))]
    arguments, names = ", ".join(listed), ", ".join(a.split("*")[1] for a in listed)
    lines = [
        f'extern "C" void call_{name}({arguments}) {{ symoro::{name}::call<{scalar}>({names}); }}',
        f'extern "C" void batch_{name}(size_t n, {arguments}) {{ symoro::{name}::batch<{scalar}>(n, {names}); }}',
    ]
    if program.constants:
        start = f'extern "C" void setup_{name}(const {scalar} *p, {scalar} *k)'
        lines.append(f"{start} {{ symoro::{name}::setup<{scalar}>(p, k); }}")
    return lines


def fortran_library(folder: Path, cases: Sequence[Case]) -> Path:
    """Compile all modules in one file, and the kernels that they call in C."""
    compiler = need("gfortran")
    modules, lines, objects = [], [], []
    for case in cases:
        files = emit(case.program, "fortran")
        put(folder, files)
        modules += [text for name, text in files.items() if name.endswith(".f90")]
        objects += [name.replace(".c", ".o") for name in files if name.endswith(".c")]
        lines += _fortran_wrappers(case.program)
    put(folder, {"all.f90": "\n".join([*modules, *lines]) + "\n"})
    if objects:
        kernels = [name.replace(".o", ".c") for name in objects]
        command(need("gcc"), "-std=c99", *WARNINGS, "-fPIC", "-c", *kernels, cwd=folder)
    flags = ["-std=f2008", "-Wall", "-Wno-unused-dummy-argument", "-Werror", "-shared", "-fPIC"]
    command(compiler, *flags, "-o", "lib.so", "all.f90", *objects, cwd=folder)
    return folder / "lib.so"


def _fortran_wrappers(program: Program) -> list[str]:
    """Return bind(C) subroutines around those of the module."""
    name = program.name
    ports = [(f"i{k}", "in", port.shape) for k, port in enumerate(program.inputs)]
    if program.constants:
        ports.append(("k", "in", (len(program.constants),)))
    ports += [(f"o{k}", "out", port.shape) for k, port in enumerate(program.outputs)]
    lines = []
    for kind, first in (("call", []), ("batch", ["n"])):
        arguments = ", ".join([*first, *(a for a, _, _ in ports)])
        lines += [f'subroutine w_{kind}_{name}({arguments}) bind(c, name="{kind}_{name}")']
        lines += [f"  use {name}_module", "  use, intrinsic :: iso_c_binding"]
        lines += ["  integer(c_int), intent(in) :: n"] if first else []
        for a, intent, shape in ports:
            axes = shape if a == "k" else (*first, *shape)
            dimension = f"({', '.join(map(str, axes))})" if axes else ""
            lines.append(f"  real(c_double), intent({intent}) :: {a}{dimension}")
        lines += [f"  call {name}{'_batch' if first else ''}({arguments})", "end subroutine"]
    if program.constants:
        sizes = f"p({len(program.used_parameters)})", f"k({len(program.constants)})"
        lines += [f'subroutine w_setup_{name}(p, k) bind(c, name="setup_{name}")', f"  use {name}_module"]
        lines += ["  use, intrinsic :: iso_c_binding"]
        lines += [
            f"  real(c_double), intent(in) :: {sizes[0]}",
            f"  real(c_double), intent(out) :: {sizes[1]}",
        ]
        lines += [f"  call {name}_setup(p, k)", "end subroutine"]
    return lines


# -- Rust: one program with a module per case


def run_rust(folder: Path, cases: Sequence[Case], *flags: str, scalar: str = "double") -> Results:
    """Compile all cases as one program, which prints every number on a separate line.

    Without optimisation, the program also stops at an overflow of integers.
    """
    compiler = need("rustc")
    lines = [
        "#![allow(dead_code, non_snake_case, overflowing_literals)]",
        'fn show(x: &[Real]) { for e in x { println!("{e:?}"); } }',
        f"type Real = {SCALARS[scalar]};",
    ]
    for at, case in enumerate(cases):
        files = emit(case.program, "rust", scalar=scalar)
        put(folder, files)
        lines += [f'#[path = "{next(iter(files))}"]', f"mod m{at};", *_rust_case(case, at)]
    lines += ["fn main() {", *(f"    case{at}();" for at in range(len(cases))), "}"]
    put(folder, {"driver_.rs": "\n".join(lines) + "\n"})
    command(compiler, "--edition", "2021", "-D", "warnings", *flags, "driver_.rs", cwd=folder)
    return read_numbers(command("./driver_", cwd=folder).split(), cases)


def _rust_case(case: Case, at: int) -> list[str]:
    """Return a function that computes all samples of a case and prints the outputs."""
    program = case.program
    lines = [f"fn case{at}() {{"]
    passed, shown = [], []
    for k, (port, array) in enumerate(zip(program.inputs, case.inputs.values(), strict=True)):
        rows = ", ".join(_rust(row) for row in np.reshape(array, (case.samples, size(port.shape))))
        lines.append(f"    let i{k}: [[Real; {size(port.shape)}]; {case.samples}] = [{rows}];")
        passed.append(f"&i{k}[s]" if port.shape else f"i{k}[s][0]")
    if program.constants:
        lines.append(f"    let k = m{at}::setup(&{_rust(np.array(case.parameter_list()))});")
        passed.append("&k")
    lines.append(f"    for s in 0..{case.samples} {{")
    for k, out in enumerate(program.outputs):
        lines.append(f"        let mut o{k} = {f'[0.0; {size(out.shape)}]' if out.shape else '0.0'};")
        passed.append(f"&mut o{k}")
        shown.append(f"        show(&{f'o{k}' if out.shape else f'[o{k}]'});")
    unused = [] if program.inputs else ["        let _ = s;"]
    return [*lines, *unused, f"        m{at}::call({', '.join(passed)});", *shown, "    }", "}"]


def _rust(numbers: np.ndarray) -> str:
    special = {"nan": "Real::NAN", "inf": "Real::INFINITY", "-inf": "-Real::INFINITY"}
    return f"[{', '.join(special.get(repr(x), repr(x)) for x in map(float, numbers.ravel()))}]"


def read_numbers(printed: Sequence[str], cases: Sequence[Case]) -> Results:
    """Return the results of several cases from printed numbers: cases, samples, outputs, entries by rows."""
    numbers = iter(printed)
    results: Results = []
    for case in cases:
        result: dict[str, list[np.ndarray]] = {port.name: [] for port in case.program.outputs}
        for _ in range(case.samples):
            for port in case.program.outputs:
                flat = [float(next(numbers)) for _ in range(size(port.shape))]
                result[port.name].append(np.reshape(flat, port.shape))
        results.append({name: np.stack(arrays) for name, arrays in result.items()})
    assert next(numbers, None) is None
    return results


# -- interpreters: Python, Octave and node


def run_python(folder: Path, cases: Sequence[Case], *, batch: bool) -> Results:
    results = []
    for case in cases:
        put(folder, emit(case.program, "python"))
        spec = importlib.util.spec_from_file_location("emitted", folder / f"{case.program.name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        k = [module.setup(case.parameters)] if case.program.constants else []
        if batch:
            results.append(module.call(*case.inputs.values(), *k))
            continue
        rows = [module.call(*case.sample(i).values(), *k) for i in range(case.samples)]
        results.append({name: np.stack([row[name] for row in rows]) for name in rows[0]})
    return results


def run_octave(folder: Path, cases: Sequence[Case]) -> Results:
    octave = need("octave")
    lines = []
    for case in cases:
        program = case.program
        put(folder, emit(program, "matlab"))
        if program.constants:
            lines.append(f"k = {program.name}_setup({_octave(np.array(case.parameter_list()))});")
        for i in range(case.samples):
            given = [_octave(a) for a in case.sample(i).values()] + (["k"] if program.constants else [])
            outs = [f"o{j}" for j in range(len(program.outputs))]
            lines.append(f"[{', '.join(outs)}] = {program.name}({', '.join(given)});")
            for o, port in zip(outs, program.outputs, strict=True):
                turned = f"permute({o}, {list(range(len(port.shape), 0, -1))})" if len(port.shape) > 1 else o
                lines.append(f"printf('%.17g\\n', {turned});")
    put(folder, {"driver_.m": "1;\n" + "\n".join(lines) + "\n"})
    printed = command(octave, "--no-gui", "--norc", "--quiet", "driver_.m", cwd=folder).split()
    return read_numbers(printed, cases)


def _octave(array: np.ndarray) -> str:
    if array.ndim > 2:
        return f"reshape({_octave(array.ravel(order='F'))}, {list(array.shape)})"
    rows = array.reshape(array.shape[0], -1) if array.ndim > 1 else array.reshape(1, -1)
    return "[" + "; ".join(", ".join(map(repr, map(float, row))) for row in rows) + "]"


def run_javascript(folder: Path, cases: Sequence[Case], *, batch: bool = False) -> Results:
    """Run all cases in one process of node, which prints every number on a separate line."""
    node = need("node")
    lines = [
        "const show = (value) => console.log(typeof value === 'number' ? value : Array.from(value).join('\\n'));",
        "const { NaN: nan, Infinity: inf } = globalThis;",
    ]
    for at, case in enumerate(cases):
        files = emit(case.program, "javascript")
        put(folder, files)
        inputs = list(case.inputs.values())
        lines.insert(0, f'import * as m{at} from "./{next(iter(files))}";')
        # parameters in order and by name are both accepted
        values = case.parameter_list() if batch else case.parameters
        constants = [f"m{at}.setup({json.dumps(values)})"] if case.program.constants else []
        if batch:
            calls = [("batch", [str(case.samples), *(_javascript(array.ravel()) for array in inputs)])]
        else:
            calls = [("call", [_javascript(array[i]) for array in inputs]) for i in range(case.samples)]
        for function, given in calls:
            lines.append(f"Object.values(m{at}.{function}({', '.join([*given, *constants])})).forEach(show);")
    put(folder, {"driver_.js": "\n".join(lines) + "\n", "package.json": '{"type": "module"}\n'})
    numbers = iter(command(node, "driver_.js", cwd=folder).split())
    results: Results = []
    for case in cases:
        ports = case.program.outputs
        result: dict[str, list[np.ndarray]] = {port.name: [] for port in ports}
        for _ in range(1 if batch else case.samples):
            for port in ports:
                shape = (case.samples, *port.shape) if batch else port.shape
                result[port.name].append(
                    np.reshape([float(next(numbers)) for _ in range(size(shape))], shape)
                )
        results.append({name: a[0] if batch else np.stack(a) for name, a in result.items()})
    assert next(numbers, None) is None
    return results


def _javascript(array: np.ndarray) -> str:
    flat = ", ".join(map(repr, array.ravel().tolist()))
    return f"new Float64Array([{flat}])" if array.ndim else flat
