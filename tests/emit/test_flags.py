"""Test usual compiler flags: the C code returns correct numbers or reports the flag to be removed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.emit.c import call_sources
from symoro.model import Model
from tests.emit.run import command, need, put

Outputs = dict[str, np.ndarray]
PLAIN = [
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-Os",
    "-O3 -march=native",
    "-O2 -ffp-contract=off",
    "-O2 -ffp-contract=fast -march=native",
    "-O2 -freciprocal-math",
    "-O2 -fno-signed-zeros",
    "-O2 -fno-math-errno -fno-trapping-math",
    "-O2 -frounding-math",
    "-O2 -std=c11",
    "-O2 -std=c17",
    "-O2 -std=gnu17",
]
LOOSE = [
    "-O2 -funsafe-math-optimizations",
    "-O3 -march=native -funsafe-math-optimizations",
    "-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math",
    "-O3 -march=native -fassociative-math -fno-signed-zeros -fno-trapping-math",
    "-Ofast -fno-finite-math-only",
    "-O2 -ffast-math -fno-finite-math-only -march=native",
]
FINITE = ["-O2 -ffinite-math-only", "-O2 -ffast-math", "-Ofast", "-Ofast -march=native"]
ONLY_GCC = ["-O2 -mfpmath=387", "-O2 -mfpmath=both", "-O2 -flto"]
SAMPLES = 30


@cache
def torque_model(model: str = "gravity-torques") -> tuple[Model, Outputs]:
    """Return torques of seven joints: sums of products, and sines and cosines in vectors of four."""
    rng = np.random.default_rng(2)
    made = symoro.generate(symoro.load("panda"), model)
    at = {port.name: rng.uniform(-3, 3, (SAMPLES, 7)) for port in made.program.inputs}
    at["q"][0] *= 1e4  # outside the range of the polynomials
    return made, at


@cache
def inverse_geometry(name: str) -> tuple[Model, Outputs]:
    robot = symoro.load(name)
    place = symoro.generate(robot, "transform").function(compiled=False)
    q = np.random.default_rng(3).uniform(-2, 2, (SAMPLES, 6))
    T = place(q=q)["T"]
    T[0, :3, 3] = 20  # out of reach
    T[1, 2, 3] = np.nan
    return symoro.generate(robot, "inverse-geometry"), {"T": T, "q0": np.zeros((SAMPLES, 6))}


def compiled(model: Model, folder: Path, compiler: str, flags: str) -> subprocess.CompletedProcess[str]:
    """Compile, and link without the flags: -ffast-math there would change the rounding of this process."""
    put(folder, model.code("c", name="model"))
    words = [need(compiler), *([] if "-std" in flags else ["-std=c99"]), *flags.split()]
    words += ["-Wall", "-Wextra", "-Werror", "-fPIC", "-c", "model.c", "model_batch.c"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode == 0:
        lto = ["-flto"] if "-flto" in flags else []
        command(words[0], *lto, "-shared", "-o", "lib.so", "model.o", "model_batch.o", "-lm", cwd=folder)
    return done


def run(model: Model, at: Outputs, folder: Path, *, batch: bool) -> Outputs:
    lib = ctypes.CDLL(str(folder / "lib.so"))

    def pointer(a: np.ndarray) -> Any:
        return a.ctypes.data_as(ctypes.c_void_p)

    k = np.zeros(call_sources(model.program, "model").constants)
    values = dict(model.robot.nominal)
    if len(k):
        lib.model_setup(
            pointer(np.array([values[name] for name in model.program.used_parameters])), pointer(k)
        )
    constants = [k] if len(k) else []
    shapes = {port.name: port.shape for port in model.program.outputs}
    given = [np.ascontiguousarray(at[port.name].reshape(SAMPLES, -1)) for port in model.program.inputs]
    if batch:
        out = {name: np.zeros((int(np.prod(shape)), SAMPLES)) for name, shape in shapes.items()}
        turned = [np.ascontiguousarray(a.T) for a in given]
        lib.model_batch(ctypes.c_size_t(SAMPLES), *map(pointer, [*turned, *constants, *out.values()]))
        return {name: out[name].T.reshape(SAMPLES, *shape) for name, shape in shapes.items()}
    out = {name: np.zeros((SAMPLES, *shape)) for name, shape in shapes.items()}
    for i in range(SAMPLES):
        lib.model(*map(pointer, [*(a[i] for a in given), *constants, *(o[i] for o in out.values())]))
    return out


def check_torques(folder: Path, compiler: str, flags: str, name: str = "gravity-torques") -> None:
    model, at = torque_model(name)
    done = compiled(model, folder, compiler, flags)
    assert done.returncode == 0, done.stderr[-2000:]
    (output,) = (port.name for port in model.program.outputs)
    expected = model.function(compiled=False)(**at)[output]
    for batch in (False, True):
        result = run(model, at, folder, batch=batch)[output]
        assert np.abs(result - expected).max() < 1e-12 * np.abs(expected).max()


def check_solutions(folder: Path, compiler: str, flags: str, name: str = "ur5e") -> None:
    model, at = inverse_geometry(name)
    done = compiled(model, folder, compiler, flags)
    assert done.returncode == 0, done.stderr[-2000:]
    expected = model.function(compiled=False)(**at)
    place = symoro.generate(model.robot, "transform").function(compiled=False)
    for batch in (False, True):
        result = run(model, at, folder, batch=batch)
        numbers = np.arange(SAMPLES) != 1
        assert np.array_equal(result["status"][numbers], expected["status"][numbers])
        valid = result["status"] == 0
        assert valid.sum() > SAMPLES
        for i, row in np.argwhere(valid & numbers[:, None]):
            assert np.abs(place(q=result["q"][i, row])["T"] - at["T"][i]).max() < 1e-8


def gcc_or_clang(flags: list[str]) -> list[tuple[str, str]]:
    return [(compiler, words) for compiler in ("gcc", "clang") for words in flags]


@pytest.mark.parametrize(
    ("compiler", "flags"), [*gcc_or_clang([*PLAIN[2:6], *LOOSE, *FINITE]), ("gcc", ONLY_GCC[0])]
)
def test_torques(tmp_path: Path, compiler: str, flags: str) -> None:
    """Check inverse dynamics with the flags that change most, and in the slow test with all of them."""
    check_torques(tmp_path, compiler, flags, "inverse-dynamics" if flags == LOOSE[1] else "gravity-torques")


@pytest.mark.parametrize(("compiler", "flags"), gcc_or_clang([PLAIN[3], *LOOSE[::2]]))
def test_solutions(tmp_path: Path, compiler: str, flags: str) -> None:
    check_solutions(tmp_path, compiler, flags)


@pytest.mark.parametrize(("compiler", "flags"), gcc_or_clang(FINITE))
def test_code_that_distinguishes_nan_rejects_the_flags(tmp_path: Path, compiler: str, flags: str) -> None:
    done = compiled(inverse_geometry("ur5e")[0], tmp_path, compiler, flags)
    assert done.returncode != 0 and "this code must detect NaN" in done.stderr


def test_the_header_of_cpp_refuses_alike(tmp_path: Path) -> None:
    put(tmp_path, inverse_geometry("ur5e")[0].code("cpp", name="model"))
    (tmp_path / "use.cpp").write_text('#include "model.hpp"\nint main() { return 0; }\n')
    words = [need("g++"), "-std=c++11", "-O2", "use.cpp", "-o", "use"]
    command(*words, cwd=tmp_path)
    done = subprocess.run([*words, "-ffast-math"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and "this code must detect NaN" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "flags"), [*gcc_or_clang([*PLAIN, *LOOSE]), *(("gcc", flags) for flags in ONLY_GCC)]
)
def test_every_set_of_flags(tmp_path: Path, compiler: str, flags: str) -> None:
    folders = [
        tmp_path / name for name in ("torques", "ur5e", "irb120")
    ]  # a library with the same path is loaded only once
    for folder in folders:
        folder.mkdir()
    check_torques(folders[0], compiler, flags, "inverse-dynamics")
    for folder in folders[1:]:
        check_solutions(folder, compiler, flags, folder.name)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_thirty_two_bits(tmp_path: Path) -> None:
    (tmp_path / "empty.c").write_text("int main(void) { return 0; }\n")
    if subprocess.run(["gcc", "-m32", "empty.c"], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("no libraries of 32 bits")
    files = torque_model("inverse-dynamics")[0].code("c", name="model")
    put(tmp_path, files)
    results = []
    for flags in (["-m32"], ["-m64"]):
        command(
            "gcc", "-std=c99", "-O2", *flags, "model.c", "model_example.c", "-o", "demo", "-lm", cwd=tmp_path
        )
        results.append(command("./demo", cwd=tmp_path))
    assert results[0] == results[1]
