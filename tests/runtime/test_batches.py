"""Test batches: number types, threads, storage, arrays of the caller, other values of parameters."""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import ArgumentError, UnknownNameError
from symoro.model import Model
from symoro.runtime import compiler, rows, workers
from symoro.runtime.compiler import find_compiler
from tests.runtime.fresh import uncompiled

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
BOTH = [pytest.param(True, marks=needs_compiler, id="compiled"), pytest.param(False, id="numpy")]

# Models with few and many entries, matrices, scalars, and a kernel; each input and output is small and large somewhere.
MODELS = [
    ("rx90", "inverse-dynamics"),
    ("panda", "inertia-matrix"),
    ("planar3r", "fast-geometry"),
    ("scara", "dynamic-identification"),
    ("rx90", "inverse-kinematics"),
]


def model_of(name: str, model: str) -> Model:
    return symoro.generate(name, model, **({"method": "damped"} if model == "inverse-kinematics" else {}))


def values_of(model: Model) -> dict[str, float]:
    return {name: 0.3 + 0.01 * k for k, name in enumerate(model.parameters)}


def samples_of(model: Model, samples: int | None, seed: int = 0, dtype: str = "float64") -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    lead = () if samples is None else (samples,)
    return {
        name: rng.uniform(-1, 1, (*lead, *shape)).astype(dtype)
        for name, shape in model.inputs.items()
        if name not in ("damping", "qd0")
    }


def first(arrays: dict[str, Any], samples: int) -> dict[str, Any]:
    return {name: array[:samples] for name, array in arrays.items()}


def same(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads share small batches."""
    monkeypatch.setattr(workers, "GRAIN", 1)


# -- independent of the number of samples and of threads


@needs_compiler
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "model"), MODELS)
def test_results_depend_neither_on_the_length_nor_on_threads(
    name: str, model: str, dtype: str, eager: None
) -> None:
    made = model_of(name, model)
    given = samples_of(made, 1003, dtype=dtype)
    one = made.function(values_of(made), dtype=dtype, compiled=True)
    whole = one(**given)
    assert all(array.dtype == np.dtype(dtype) for array in whole.values())
    many = made.function(values_of(made), dtype=dtype, threads=3, compiled=True)
    same(many(**given), whole)
    for samples in (0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65):
        same(many(**first(given, samples)), first(whole, samples))
    exact = made.function(values_of(made), compiled=False)(**given)
    for output, array in whole.items():
        scale = np.max(np.abs(exact[output]))
        tolerance = 1e-11 if dtype == "float64" else 2e-4
        np.testing.assert_allclose(array / scale, exact[output] / scale, rtol=0, atol=tolerance)


@needs_compiler
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_samples_with_many_entries_have_small_tiles(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = model_of("panda", "inertia-matrix")
    given = samples_of(made, 37, dtype=dtype)
    wanted = made.function(values_of(made), dtype=dtype, compiled=True)(**given)["A"]
    monkeypatch.setattr(rows, "LARGEST", 100)
    assert rows.tile_of(made.program) == rows.SMALL_TILE
    f = uncompiled(made).function(values_of(made), dtype=dtype, compiled=True)
    result = f(**given)["A"]
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-5 if dtype == "float32" else 1e-13)
    for samples in (1, 8, 9, 36):
        np.testing.assert_array_equal(f(**first(given, samples))["A"], result[:samples])


@needs_compiler
@settings(max_examples=25, deadline=None)
@given(
    samples=st.integers(0, 80), threads=st.integers(1, 4), shared=st.sets(st.sampled_from(["q", "qd", "qdd"]))
)
def test_any_batch_is_its_samples(samples: int, threads: int, shared: set[str]) -> None:
    model = model_of("rx90", "inverse-dynamics")
    shared = shared if len(shared) < 3 else set()
    given = samples_of(model, samples, seed=samples)
    fixed = samples_of(model, None, seed=1)
    given |= {name: fixed[name] for name in shared}
    f = model.function(values_of(model), threads=threads, compiled=True)
    result = f(**given)["tau"]
    assert result.shape == (samples, 6)
    for i in range(samples):
        one = f(**{name: a if name in shared else a[i] for name, a in given.items()})["tau"]
        np.testing.assert_allclose(result[i], one, rtol=1e-11, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("wild", [np.nan, np.inf, 1e9])
def test_a_sample_does_not_affect_its_neighbours(wild: float, dtype: str) -> None:
    """Check values that are not numbers, and angles that the polynomials do not cover."""
    model = model_of("panda", "inverse-dynamics")
    given = samples_of(model, 40, dtype=dtype)
    f = model.function(values_of(model), dtype=dtype, compiled=True)
    before = f(**given)["tau"]
    given["q"][5] = wild
    after = f(**given)["tau"]
    others = np.arange(40) != 5
    np.testing.assert_array_equal(after[others], before[others])
    one = f(**{name: array[5] for name, array in given.items()})["tau"]
    np.testing.assert_array_equal(after[5], one)
    assert np.isfinite(after[5]).all() == np.isfinite(wild)


@needs_compiler
def test_several_threads_of_python_use_one_function(eager: None) -> None:
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), threads=2, compiled=True)
    given = [samples_of(model, 300 + k, seed=k) for k in range(4)]
    wanted = [f(**each)["tau"] for each in given]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(50):
            if not np.array_equal(f(**given[k])["tau"], wanted[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own(eager: None) -> None:
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), threads=2, compiled=True)
    given = samples_of(model, 300)
    wanted = f(**given)["tau"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork in a process with threads
        child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(f(**given)["tau"], wanted) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_portions_cover_all_samples_once(eager: None) -> None:
    for samples in (1, 16, 17, 1000, 1003):
        for threads in (1, 2, 5):
            done = np.zeros(samples, int)

            def part(start: int, stop: int, done: np.ndarray = done) -> None:
                assert start % 16 == 0
                done[start:stop] += 1

            workers.shared_out(part, samples, 16, threads, samples)
            np.testing.assert_array_equal(done, 1)


def test_errors_of_threads_reach_the_caller(eager: None) -> None:
    def fails(start: int, stop: int) -> None:
        raise ValueError(f"{start}")

    with pytest.raises(ValueError, match=r"\d"):
        workers.shared_out(fails, 1000, 16, 4, 1000)


# -- storage of the arrays


@pytest.mark.parametrize("compiled", BOTH)
@pytest.mark.parametrize(("name", "model"), MODELS)
def test_entry_after_entry(name: str, model: str, compiled: bool, eager: None) -> None:
    made = model_of(name, model)
    plain = made.function(values_of(made), compiled=compiled)
    f = made.function(values_of(made), layout="entries", threads=2, compiled=compiled)
    for samples in (0, 1, 37, 1003):
        given = samples_of(made, samples)
        wanted, result = plain(**given), f(**given)
        for output, array in result.items():
            assert array.shape == wanted[output].shape
            assert np.moveaxis(array, 0, -1).flags.c_contiguous
            np.testing.assert_array_equal(array, wanted[output])
        stored = {
            k: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0) for k, a in given.items()
        }
        same(f(**stored, out=result), wanted)
    alone = samples_of(made, None)
    same(f(**alone), plain(**alone))
    shared = next(iter(alone))
    same(f(**given | {shared: alone[shared]}), plain(**given | {shared: alone[shared]}))


@pytest.mark.parametrize("compiled", BOTH)
def test_inputs_in_any_storage(compiled: bool) -> None:
    """Check columns of a larger array, every second row, reversed rows and overlapping rows."""
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), compiled=compiled)
    state = np.random.default_rng(0).uniform(-1, 1, (80, 18))
    windows = np.lib.stride_tricks.sliding_window_view(state.ravel(), 6)
    for q, qd, qdd in (
        (state[:, :6], state[:, 6:12], state[:, 12:]),
        (state[::2, :6], state[1::2, 6:12], state[::2, 12:]),
        (state[::-1, :6], state[:, 6:12][:, ::-1], np.asfortranarray(state[:, 12:])),
        (windows[:50], windows[50:100], np.broadcast_to(state[0, :6], (50, 6))),
    ):
        wanted = f(q=q.copy(), qd=qd.copy(), qdd=qdd.copy())["tau"]
        np.testing.assert_array_equal(f(q=q, qd=qd, qdd=qdd)["tau"], wanted)


# -- arrays of the caller


@pytest.mark.parametrize("compiled", BOTH)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("samples", [None, 0, 1, 100])
def test_outputs_of_the_caller(samples: int | None, dtype: str, compiled: bool) -> None:
    model = model_of("ur5e", "inverse-dynamics")
    f = model.function(values_of(model), dtype=dtype, compiled=compiled)
    given = samples_of(model, samples, dtype=dtype)
    wanted = f(**given)
    out = {name: np.full_like(array, 7) for name, array in wanted.items()}
    result = f(**given, out=out)
    assert all(result[name] is out[name] for name in out)
    same(result, wanted)


@pytest.mark.parametrize("compiled", BOTH)
def test_some_outputs_of_the_caller(compiled: bool) -> None:
    model = symoro.generate("rx90", "velocities")
    f = model.function(compiled=compiled)
    given = samples_of(model, 9)
    wanted = f(**given)
    assert len(wanted) > 1
    for name in wanted:
        out = {name: np.zeros_like(wanted[name])}
        result = f(**given, out=out)
        assert result[name] is out[name]
        same(result, wanted)


@pytest.mark.parametrize("compiled", BOTH)
def test_invalid_outputs(compiled: bool) -> None:
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), compiled=compiled)
    given = samples_of(model, 5)
    fixed = np.empty((5, 6))
    fixed.flags.writeable = False
    room = np.empty((12, 6))
    odd = np.empty(5 * 6 * 8 + 1, np.uint8)[1:].view(float).reshape(5, 6)
    for out, message in (
        (np.empty((5, 6)), "out: expected a dictionary"),
        ({"torque": np.empty((5, 6))}, r"no output 'torque'\nhint: outputs: tau \(6,\)"),
        ({"tau": [[0.0] * 6] * 5}, "'tau' is not a NumPy array"),
        ({"tau": np.empty((4, 6))}, r"'tau' has shape \(4, 6\)\nhint: .*float64 with shape \(5, 6\)"),
        ({"tau": np.empty(6)}, r"'tau' has shape \(6,\)"),
        ({"tau": np.empty((5, 6), np.float32)}, "'tau' has the type float32"),
        ({"tau": np.empty((5, 6), ">f8")}, "'tau' has the type >f8"),
        ({"tau": fixed}, "'tau' is read-only"),
        ({"tau": np.broadcast_to(np.zeros(6), (5, 6))}, "'tau' is read-only"),
        ({"tau": np.empty((6, 5)).T}, "'tau' has strides"),
        ({"tau": np.empty((10, 6))[::2]}, "'tau' has strides"),
        ({"tau": odd}, "'tau' is not aligned"),
        ({"tau": given["qd"]}, "output 'tau' and that of input 'qd' overlap"),
    ):
        with pytest.raises(ArgumentError, match=message):
            f(**given, out=out)
    with pytest.raises(ArgumentError, match="output 'tau' and that of input 'q' overlap"):
        f(**given | {"q": room[:5]}, out={"tau": room[4:9]})
    f(**given | {"q": room[:5]}, out={"tau": room[5:10]})
    by_entries = model.function(values_of(model), layout="entries", compiled=compiled)
    with pytest.raises(ArgumentError, match="stored entry after entry"):
        by_entries(**given, out={"tau": np.empty((5, 6))})
    placed = symoro.generate("rx90", "velocities")
    both = {name: np.empty((5, *shape)) for name, shape in placed.outputs.items()}
    one, other = list(both)[:2]
    with pytest.raises(ArgumentError, match=f"output '{other}' and that of output '{one}' overlap"):
        placed.function(compiled=compiled)(**samples_of(placed, 5), out=both | {other: both[one]})


# -- single precision


@pytest.mark.parametrize("compiled", BOTH)
def test_inputs_in_single_precision(compiled: bool) -> None:
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), dtype=np.float32, compiled=compiled)
    for samples in (None, 4):
        given = samples_of(model, samples, dtype="float32")
        wanted = f(**given)["tau"]
        assert wanted.dtype == np.float32
        listed = {name: array.tolist() for name, array in given.items()}
        np.testing.assert_array_equal(f(**listed)["tau"], wanted)
        shape = wanted.shape
        whole = {"q": np.zeros(shape, int), "qd": np.ones(shape, np.int8), "qdd": np.zeros(shape, bool)}
        assert f(**whole)["tau"].dtype == np.float32
        with pytest.raises(
            ArgumentError,
            match=r"input 'qd' is an array of float64.*\nhint: convert the array 'qd' to float32",
        ):
            f(**given | {"qd": given["qd"].astype(float)})
    double = model.function(values_of(model), compiled=compiled)
    assert double(**samples_of(model, 4, dtype="float32"))["tau"].dtype == np.float64


@pytest.mark.parametrize("compiled", BOTH)
def test_raw_in_single_precision(compiled: bool) -> None:
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), dtype="float32", compiled=compiled)
    given, tau = samples_of(model, None, dtype="float32"), np.zeros(6, np.float32)
    f.raw(*given.values(), tau)
    np.testing.assert_array_equal(tau, f(**given)["tau"])
    with pytest.raises(ArgumentError, match="array 4 of raw is not a writable contiguous buffer of 6 floats"):
        f.raw(*given.values(), np.zeros(6))
    solver = model_of("rx90", "inverse-kinematics").function(dtype="float32", compiled=compiled)
    q, V = np.ones(6, np.float32), np.ones(6, np.float32)
    wanted = solver(q=q, V=V, damping=0.5)["qd"]
    np.testing.assert_array_equal(solver(q=q, V=V, damping=np.array(0.5, np.float32))["qd"], wanted)
    assert not np.array_equal(solver(q=q, V=V)["qd"], wanted)


@needs_compiler
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_trigonometry_of_the_library(dtype: str) -> None:
    model = model_of("panda", "inverse-dynamics")
    given = samples_of(model, 50, dtype=dtype)
    own = model.function(values_of(model), dtype=dtype, compiled=True)(**given)["tau"]
    libm = model.function(values_of(model), dtype=dtype, trig="libm", compiled=True)(**given)["tau"]
    np.testing.assert_allclose(
        own, libm, rtol=0, atol=abs(libm).max() * (1e-14 if dtype == "float64" else 1e-5)
    )


# -- other values of the parameters


@pytest.mark.parametrize("compiled", BOTH)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bind(dtype: str, compiled: bool) -> None:
    model = model_of("rx90", "inverse-dynamics")
    values = values_of(model)
    f = model.function(values, dtype=dtype, compiled=compiled)
    for samples in (None, 20):
        given = samples_of(model, samples, dtype=dtype)
        before = f(**given)["tau"]
        g = f.bind({"D3": 0.5, "M3": 2})
        wanted = model.function(values | {"D3": 0.5, "M3": 2.0}, dtype=dtype, compiled=compiled)(**given)
        same(g(**given), wanted)
        same(g.bind({"D3": 0.6}).bind({"D3": 0.5})(**given), wanted)
        np.testing.assert_array_equal(f(**given)["tau"], before)
        assert not np.array_equal(before, wanted["tau"])
    assert g.values["D3"] == 0.5 and f.values == values and g.compiled == f.compiled
    tau = np.zeros(6, dtype)
    alone = samples_of(model, None, dtype=dtype)
    g.raw(*alone.values(), tau)
    np.testing.assert_array_equal(tau, g(**alone)["tau"])
    assert repr(g) == repr(f)


def test_bind_of_invalid_values() -> None:
    model = model_of("rx90", "inverse-dynamics")
    f = model.function(values_of(model), compiled=False)
    with pytest.raises(UnknownNameError, match="D33"):
        f.bind({"D33": 1.0})
    with pytest.raises(ArgumentError, match="'D3' is not a number: 'long'"):
        f.bind({"D3": "long"})  # type: ignore[dict-item]
    unused = next(name for name in model.robot.symbols() if name not in model.parameters)
    assert f.bind({unused: 1.0}).values == f.values


@needs_compiler
def test_nothing_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = uncompiled(model_of("rx90", "inverse-dynamics"))
    given = samples_of(model, 20)
    f = model.function(values_of(model), compiled=True)
    f(**given)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("compiled or loaded again")

    monkeypatch.setattr(compiler, "_build", refuse)
    monkeypatch.setattr(compiler.ctypes, "CDLL", refuse)
    other = values_of(model) | {"D3": 0.7}
    same(f.bind({"D3": 0.7})(**given), model.function(other, compiled=True)(**given))


@pytest.mark.parametrize("compiled", BOTH)
def test_bind_of_inverse_geometry(compiled: bool) -> None:
    robot = symoro.load("rx90")
    model = symoro.generate(robot, "inverse-geometry")
    f = model.function(compiled=compiled)
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    longer = {name: 1.1 * value for name, value in dict(robot.nominal).items() if name in model.parameters}
    q = np.random.default_rng(1).uniform(-1, 1, (5, 6))
    far = place(q=q)["T"]
    far[:, :3, 3] += 9
    for T in (place(q=q)["T"], place.bind(longer)(q=q)["T"], far):
        for pose in (T, T[0]):
            f(T=pose)
            same(f.bind(longer)(T=pose), model.function(longer, compiled=compiled)(T=pose))


@pytest.mark.parametrize("compiled", BOTH)
def test_inverse_geometry_into_arrays_of_the_caller(compiled: bool) -> None:
    """Check exact, rounded and unreachable poses, whose results are corrected after the call."""
    model = symoro.generate("ur5e", "inverse-geometry")
    f = model.function(compiled=compiled)
    T = symoro.generate("ur5e", "fast-geometry").function(compiled=False)(q=np.full((3, 6), 0.4))["T"]
    T[1] = T[1].astype(np.float32)
    T[2, :3, 3] = 9
    for pose in (T, *T):
        wanted = f(T=pose)
        out = {name: np.full_like(array, 7) for name, array in wanted.items()}
        result = f(T=pose, out=out)
        assert all(result[name] is out[name] for name in out)
        same(result, wanted)


@pytest.mark.parametrize("compiled", BOTH)
def test_inverse_geometry_in_single_precision(compiled: bool) -> None:
    model = symoro.generate("ur5e", "inverse-geometry")
    place = symoro.generate("ur5e", "fast-geometry").function(compiled=False)
    T = place(q=np.random.default_rng(0).uniform(-2, 2, (20, 6)))["T"]
    T[3, :3, 3] = 9
    exact = model.function(compiled=compiled)(T=T)
    f = model.function(dtype="float32", compiled=compiled)
    result = f(T=T.astype(np.float32))
    assert all(array.dtype == np.float32 for array in result.values())
    solved = (exact["status"] == 0).any(axis=1)
    np.testing.assert_array_equal((result["status"] == 0).any(axis=1), solved)
    reached = place(q=result["q"][result["status"] == 0].astype(float))["T"]
    wanted = np.broadcast_to(T[:, None], (20, exact["q"].shape[1], 4, 4))[result["status"] == 0]
    assert np.max(np.abs(reached - wanted)) < 1e-3
    np.testing.assert_allclose(result["residual"][3], exact["residual"][3], rtol=1e-3)
