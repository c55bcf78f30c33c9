"""Test sines, cosines and arctangents of emitted C in single precision, computed by its own polynomials."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.expr import scalar as sc
from symoro.program import Builder, Program
from tests.emit.programs import Case
from tests.emit.run import c_library, command, need, put, run_library

Array = np.ndarray
LIMIT = math.sqrt(1e7)  # rad: largest angle of the polynomials
NEAREST = 16367173 * 2.0**72  # the number of single precision that is nearest to a multiple of pi/2
WIDTH = 5  # one vector of four, and one that is filled up
FLAGS = {
    "vectors": ("-O3", "-march=native"),
    "plain": ("-O1", "-ffp-contract=off", "-U__SSE2__"),  # one angle at a time, as on a microcontroller
}


def turns() -> Program:
    b = Builder("turns")
    b.output("y", [f(x) for x in b.input("q", (WIDTH,)) for f in (sc.sin, sc.cos)])
    return b.program()


def arcs() -> Program:
    b = Builder("arcs")
    y, x = b.input("y", (WIDTH,)), b.input("x", (WIDTH,))
    b.output("angle", [sc.atan2(*pair) for pair in zip(y, x, strict=True)])
    return b.program()


@pytest.fixture(scope="module", params=["vectors", "plain"])
def outputs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Iterator[Array]]:
    """Return a function of the inputs that yields the output of the batch function and of single calls."""
    programs = {program.name: program for program in (turns(), arcs())}
    nothing = [Case(program, {}, {}) for program in programs.values()]
    folder = tmp_path_factory.mktemp("single")
    library = c_library(folder, nothing, *FLAGS[request.param], scalar="float")

    def run(name: str, single: int = 300, **inputs: Array) -> Iterator[Array]:
        for count in (len(next(iter(inputs.values()))), single):
            part = {port: array[:count] for port, array in inputs.items()}
            case = Case(programs[name], part, {})
            (made,) = run_library(library, [case], scalar="float32", batch=count != single)
            yield next(iter(made.values()))

    return run


def rows(values: Array) -> Array:
    """Return numbers of single precision as samples, the first ones repeated at the end."""
    flat = np.asarray(values, np.float32).ravel()
    return np.resize(flat, (-(-flat.size // WIDTH), WIDTH))


def ulps(result: Array, wanted: Array) -> float:
    """Return the largest error in units in the last place of single precision."""
    return float(np.max(np.abs(result - wanted) / np.spacing(np.abs(wanted).astype(np.float32))))


def neighbours(values: Array, steps: int = 3) -> Array:
    """Return the numbers of single precision next to some numbers."""
    near = np.asarray(values, np.float32).view(np.int32)
    return (near[..., None] + np.arange(-steps, steps + 1, dtype=np.int32)).view(np.float32)


def sines(q: Array) -> Array:
    q = q.astype(float)
    with np.errstate(invalid="ignore"):
        return np.stack([np.sin(q), np.cos(q)], -1).reshape(len(q), -1)


def test_sines_to_one_ulp(outputs: Callable[..., Iterator[Array]]) -> None:
    """Check random angles, and those next to all multiples of pi/4, where sine or cosine vanish or polynomials end."""
    rng = np.random.default_rng(1)
    most = int(LIMIT / math.sqrt(WIDTH) / (math.pi / 4))
    multiples = np.arange(-most, most + 1) * (math.pi / 4)
    spread = rng.uniform(-1, 1, 100_000) * np.repeat([0.8, 4, 100, LIMIT / math.sqrt(WIDTH)], 25_000)
    for q in (rows(neighbours(multiples[multiples != 0])), rows(spread)):
        for result in outputs("turns", q=q):
            assert ulps(result, sines(q[: len(result)])) <= 1.0


def test_sines_up_to_the_limit_and_beyond(outputs: Callable[..., Iterator[Array]]) -> None:
    rng = np.random.default_rng(4)
    spread = rng.choice([-1, 1], 300) * 2.0 ** rng.uniform(math.log2(LIMIT), 127.9, 300)
    multiples = rng.integers(2100, 1 << 22, 300) * (math.pi / 2)
    largest = rows([*neighbours([LIMIT, -LIMIT, 1e5, 1e12, 3e38], 1).ravel(), NEAREST, *spread, *multiples])
    alone = np.zeros((len(largest) * WIDTH, WIDTH), np.float32)
    alone[:, 0] = largest.ravel()
    for q in (alone, largest):
        for result in outputs("turns", q=q):
            assert ulps(result, sines(q[: len(result)])) <= 1.5  # with vectors, the error of the library


def test_sines_of_what_is_small_or_no_number(outputs: Callable[..., Iterator[Array]]) -> None:
    small = rows([0.0, -0.0, 1e-45, -1e-45, 1.2e-38, -1.1e-38, 1e-30, 3e-4, -1e-10, 1.0])
    for result in outputs("turns", q=small):
        wanted = sines(small).astype(np.float32)
        np.testing.assert_allclose(result, wanted, rtol=1.2e-7, atol=0)
        np.testing.assert_array_equal(np.signbit(result), np.signbit(wanted))
    special = np.tile(np.float32([0.5, 1, 2, 3, 4]), (3, 1))
    special[0, 1], special[1, 3], special[2, 4] = np.nan, np.inf, -np.inf
    for result in outputs("turns", q=special):
        np.testing.assert_array_equal(np.isnan(result), np.isnan(sines(special)))
        np.testing.assert_allclose(result, sines(special), rtol=1.2e-7)


def test_arctangents(outputs: Callable[..., Iterator[Array]]) -> None:
    """Check all quadrants and magnitudes, and angles next to the multiples of pi/8."""
    rng = np.random.default_rng(2)
    exponents = rng.integers(-60, 60, (2, 50_000)) * np.repeat([0, 1], 25_000)
    y, x = rng.uniform(-1, 1, (2, 50_000)) * 2.0**exponents
    steps = np.concatenate([[0.0], 2.0 ** np.arange(-30, -4)])
    turned = ((np.arange(-8, 9) * math.pi / 8)[:, None] + np.concatenate([steps, -steps])).ravel()
    for pair in ((y, x), (np.sin(turned), np.cos(turned))):
        at = dict(zip("yx", map(rows, pair), strict=True))
        wanted = np.arctan2(at["y"].astype(float), at["x"].astype(float))
        for result in outputs("arcs", **at):
            assert ulps(result, wanted[: len(result)]) <= 2.5


def test_arctangents_of_what_is_special(outputs: Callable[..., Iterator[Array]]) -> None:
    finite = [0.0, -0.0, 1.0, -1.0, 2.41421356, -0.41421356, 1e-40, -1e-45, 1.2e-38, 1e9]
    beyond = [1e37, 3e38, -3e38, math.inf, -math.inf, math.nan]
    pairs = np.array([*itertools.product(finite, repeat=2), *itertools.product([*finite, *beyond], repeat=2)])
    y, x = rows(pairs[:, 0]), rows(pairs[:, 1])
    wanted = np.arctan2(y.astype(float), x.astype(float))
    known = ~np.isnan(wanted)
    for result in outputs("arcs", single=len(y), y=y, x=x):
        np.testing.assert_array_equal(np.isnan(result), ~known)
        np.testing.assert_allclose(result, wanted, rtol=3e-7, atol=1.5e-45)
        np.testing.assert_array_equal(np.signbit(result)[known], np.signbit(wanted)[known])


MODELS = [
    ("panda", "inverse-dynamics", 1e-5),
    ("rx90", "direct-dynamics", 1e-3),
    ("ur5e", "jacobian", 1e-5),
    ("fivebar", "inverse-dynamics", 1e-4),
    ("rx90", "dynamic-identification", 1e-5),
]


@pytest.mark.parametrize(("robot", "model", "tolerance"), MODELS)
def test_models_in_both_precisions(tmp_path: Path, robot: str, model: str, tolerance: float) -> None:
    made = symoro.generate(symoro.load(robot), model)
    values = dict.fromkeys(made.parameters, 0.4) | dict(symoro.load(robot).nominal)
    rng = np.random.default_rng(3)
    at = {port.name: rng.uniform(-1, 1, (19, *port.shape)) for port in made.program.inputs}
    case = Case(made.program, at, {name: float(values[name]) for name in made.parameters})
    wanted = made.function(values=case.parameters)(**at)
    flags = ("-O2", "-march=native", "-Wno-conversion", "-Wdouble-promotion")
    for trig in ("polynomial", "libm"):
        folder = tmp_path / trig
        folder.mkdir()
        library = c_library(folder, [case], *flags, scalar="float", trig=trig)
        for batch in (False, True):
            (result,) = run_library(library, [case], scalar="float32", batch=batch)
            for name, array in wanted.items():
                assert np.abs(result[name] - array).max() < tolerance * np.abs(array).max()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "flags", ["-O2", "-O3 -march=native", "-O2 -ffast-math -fno-finite-math-only", "-Os"]
)
def test_single_precision_contains_no_double(tmp_path: Path, compiler: str, flags: str) -> None:
    for program in (turns(), arcs()):
        files = emit(program, "c", scalar="float")
        assert not re.search(
            r"\bdouble\b", re.sub(r"/\*.*?\*/", "", files[f"{program.name}_batch.c"], flags=re.S)
        )
        put(tmp_path, files)
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Werror"]
    sources = ["turns.c", "turns_batch.c", "arcs.c", "arcs_batch.c"]
    command(need(compiler), "-std=c99", *warnings, *flags.split(), "-c", *sources, cwd=tmp_path)


def test_the_loop_over_samples_is_vectorised(tmp_path: Path) -> None:
    """Check gcc's report: eight samples per vector of AVX, sines included."""
    put(tmp_path, emit(symoro.generate("rx90", "inverse-dynamics").program, "c", name="rx90", scalar="float"))
    if "__x86_64__" not in command(need("gcc"), "-dM", "-E", "-x", "c", "/dev/null"):
        pytest.skip("the vectors of another processor")
    flags = ["-std=c99", "-O3", "-mavx2", "-mfma", "-fno-math-errno", "-fno-trapping-math"]
    command(need("gcc"), *flags, "-fopt-info-vec-optimized=report", "-c", "rx90_batch.c", cwd=tmp_path)
    assert "loop vectorized using 32 byte vectors" in (tmp_path / "report").read_text()
