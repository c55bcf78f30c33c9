"""Test the fast call path to compiled functions, `raw`, and batches compiled on demand."""

from __future__ import annotations

import array
import ctypes
import gc
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, MissingDependencyError
from symoro.model import Model
from symoro.runtime import native
from symoro.runtime.compiler import find_compiler
from symoro.runtime.function import Function
from symoro.runtime.native import fast_call_library
from tests.oracle.robots import numbers
from tests.runtime.fresh import uncompiled

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
needs_fast_call = pytest.mark.skipif(
    find_compiler() is None or sys.implementation.name != "cpython",
    reason="no fast call path on this machine",
)
BOTH = [pytest.param(True, marks=needs_compiler, id="compiled"), pytest.param(False, id="numpy")]


@pytest.fixture(scope="module")
def model() -> Model:
    robot = symoro.load("rx90")
    asked = symoro.generate(robot, "inverse-dynamics").parameters
    nominal = dict.fromkeys(asked, 0.3) | dict(robot.nominal)
    return symoro.generate(robot.replace(nominal=tuple(nominal.items())), "inverse-dynamics")


@pytest.fixture(scope="module")
def solver() -> Model:
    """Return a model with a scalar input and optional inputs."""
    return symoro.generate(symoro.load("rx90"), "inverse-kinematics", method="damped")


def motion() -> dict[str, Any]:
    return {name: numbers(k, 6) for k, name in enumerate(("q", "qd", "qdd"), 1)}


@needs_fast_call
def test_right_arrays_pass_at_once(model: Model, solver: Model) -> None:
    f = model.function(compiled=True)
    assert f._at_once is not None
    result = f._at_once(motion())
    assert result is not None
    wanted = model.function(compiled=False)(**motion())["tau"]
    np.testing.assert_allclose(result["tau"], wanted, rtol=1e-12, atol=1e-12)
    assert result["tau"].flags.owndata and result["tau"].flags.writeable
    g = solver.function(compiled=True)
    assert g._at_once is not None
    for more in ({}, {"damping": 0.01}, {"damping": np.array(0.01)}, {"qd0": np.zeros(6)}):
        result = g._at_once({"q": numbers(1, 6), "V": numbers(2, 6), **more})
        assert result is not None
        slow = solver.function(compiled=False)(q=numbers(1, 6), V=numbers(2, 6))["qd"]
        np.testing.assert_allclose(result["qd"], slow, rtol=1e-9, atol=1e-12)


def unaligned(values: Any) -> Any:
    room = np.zeros(8 * len(values) + 1, dtype=np.uint8)
    made = room[1:].view(float)
    made[:] = values
    return made


OTHERS = {
    "single": lambda q: q.astype(np.float32),
    "swapped": lambda q: q.astype(">f8" if sys.byteorder == "little" else "<f8"),
    "whole": lambda q: np.arange(6),
    "strided": lambda q: np.repeat(q, 2)[::2],
    "backwards": lambda q: q[::-1],
    "unaligned": unaligned,
    "list": list,
    "buffer": lambda q: array.array("d", q),
    "masked": np.ma.masked_array,
    "objects": lambda q: q.astype(object),
}


@needs_fast_call
@pytest.mark.parametrize("kind", OTHERS)
def test_other_arrays_are_declined_and_taken_the_long_way(model: Model, kind: str) -> None:
    f = model.function(compiled=True)
    given = motion()
    given["qd"] = OTHERS[kind](given["qd"])
    assert f._at_once is not None and f._at_once(given) is None
    plain = given | {"qd": np.array(given["qd"], dtype=float)}
    np.testing.assert_array_equal(f(**given)["tau"], f(**plain)["tau"])


@needs_fast_call
@pytest.mark.parametrize(
    "wrong",
    [
        {"q": np.zeros(5)},
        {"q": np.zeros((6, 1))},
        {"q": np.zeros((3, 6))},
        {"q": np.zeros(())},
        {"q": None},
        {"q": 0.5},
        {"q": "abc"},
        {"Q": np.zeros(6)},
    ],
)
def test_what_is_wrong_is_declined(model: Model, wrong: dict[str, Any]) -> None:
    f = model.function(compiled=True)
    assert f._at_once is not None and f._at_once(motion() | wrong) is None
    short = motion()
    del short["qdd"]
    assert f._at_once(short) is None and f._at_once({}) is None


@needs_fast_call
def test_nothing_is_kept(model: Model) -> None:
    """Check that references to inputs, outputs and None are released, also if a call is declined."""
    f, given, tau = model.function(compiled=True), motion(), np.empty(6)
    watched = [*given.values(), tau]

    def use() -> None:
        for _ in range(50):
            f(**given)
            f.raw(*given.values(), tau)
            f(**given | {"q": list(given["q"])})
            with pytest.raises(ArgumentError):
                f.raw(*given.values(), given["q"])
            with pytest.raises(ArgumentError):
                f(**given | {"q": np.zeros(4)})

    use()
    before = [sys.getrefcount(each) for each in watched]
    use()
    gc.collect()
    assert [sys.getrefcount(each) for each in watched] == before
    growing = array.array("d", given["q"])
    f.raw(growing, given["qd"], given["qdd"], tau)
    growing.append(1.0)  # which an open buffer would not let it
    with pytest.raises(ArgumentError):
        f.raw(growing, given["qd"], given["qdd"], tau)
    growing.append(1.0)


@needs_fast_call
def test_threads_pass_at_once(model: Model) -> None:
    f = model.function(compiled=True)
    given = [{name: numbers(10 * k + j, 6) for j, name in enumerate(motion())} for k in range(6)]
    wanted = [f(**each)["tau"] for each in given]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(2000):
            if not np.array_equal(f(**given[k])["tau"], wanted[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# -- raw


@pytest.mark.parametrize("compiled", BOTH)
def test_raw_fills_the_buffers_of_the_caller(model: Model, compiled: bool) -> None:
    f, given = model.function(compiled=compiled), motion()
    wanted, tau = f(**given)["tau"], np.zeros(6)
    assert f.raw(*given.values(), tau) is None
    np.testing.assert_array_equal(tau, wanted)
    other = array.array("d", [0] * 6)
    wide = np.zeros((4, 6))
    f.raw(given["q"].reshape(2, 3), memoryview(given["qd"]), array.array("d", given["qdd"]), other)
    f.raw(*given.values(), wide[2])
    np.testing.assert_array_equal(other, wanted)
    np.testing.assert_array_equal(wide, [np.zeros(6), np.zeros(6), wanted, np.zeros(6)])


@pytest.mark.parametrize("compiled", BOTH)
def test_what_raw_checks(model: Model, compiled: bool) -> None:
    f = model.function(compiled=compiled)
    q, tau = np.zeros(6), np.zeros(6)
    fixed = np.zeros(6)
    fixed.flags.writeable = False
    both = np.zeros(10)
    for given, message in (
        ((q, q, q), r"raw requires 4 arrays, 3 inputs and 1 outputs, got 3"),
        ((q, q, np.zeros(5), tau), "array 3 of raw is not a contiguous buffer of 6 doubles"),
        ((q, q[::-1], q, tau), "array 2 of raw"),
        ((q.astype(np.float32), q, q, tau), "array 1 of raw"),
        ((np.zeros(12, dtype=np.float32), q, q, tau), "array 1 of raw"),
        ((np.zeros(6, dtype=np.int64), q, q, tau), "array 1 of raw"),
        ((unaligned(q), q, q, tau), "array 1 of raw"),
        (([0.0] * 6, q, q, tau), "array 1 of raw"),
        ((None, q, q, tau), "array 1 of raw"),
        ((q, q, q, fixed), "array 4 of raw is not a writable contiguous buffer of 6 doubles"),
        ((q, tau, q, tau), "arrays 2 and 4 of raw overlap"),
        ((both[:6], q, q, both[4:]), "arrays 1 and 4 of raw overlap"),
    ):
        with pytest.raises(ArgumentError, match=message):
            f.raw(*given)
    assert not tau.any()


@needs_compiler
def test_the_address_is_that_of_the_C_function(model: Model) -> None:
    f, given, tau = model.function(compiled=True), motion(), np.zeros(6)
    assert f.address and len(f.constants)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(f.address)
    call(*(a.ctypes.data for a in (*given.values(), f.constants, tau)))
    np.testing.assert_array_equal(tau, f(**given)["tau"])
    with pytest.raises(ValueError, match="read-only"):
        f.constants[0] = 1
    assert model.function(compiled=False).address is None


# -- batches


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fast_call_library()
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path))
    return tmp_path / "libraries"


def many() -> dict[str, Any]:
    return {name: numbers(k, 66).reshape(11, 6) for k, name in enumerate(motion(), 1)}


@needs_compiler
def test_the_batch_function_is_built_with_the_first_batch(model: Model, cache: Path) -> None:
    f = uncompiled(model).function(compiled=True)
    f(**motion())
    assert len(list(cache.iterdir())) == 1
    result: list[Any] = [None] * 4
    start = threading.Barrier(4)

    def work(k: int) -> None:
        start.wait()
        result[k] = f(**many())["tau"]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(cache.iterdir())) == 2
    one = [f(**{name: a[k] for name, a in many().items()})["tau"] for k in range(11)]
    for each in result:
        np.testing.assert_allclose(each, one, rtol=1e-12, atol=1e-12)


@needs_compiler
def test_where_samples_go_one_by_one_nothing_more_is_built(solver: Model, cache: Path) -> None:
    f = uncompiled(solver).function(compiled=True)
    assert f(q=np.ones((3, 6)), V=np.ones(6))["qd"].shape == (3, 6)
    assert len(list(cache.iterdir())) == 1


@needs_compiler
def test_a_compiler_that_is_gone_when_the_first_batch_comes(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    f: Function = uncompiled(model).function(compiled=True)

    def refuse(files: dict[str, str]) -> None:
        raise MissingDependencyError("there is no C compiler")

    monkeypatch.setattr(native, "library", refuse)
    with pytest.warns(
        UserWarning, match="there is no C compiler: batches run one sample at a time"
    ) as caught:
        torques = f(**many())["tau"]
    assert Path(caught[0].filename) == Path(__file__), "the warning points at the caller"
    one = [f(**{name: a[k] for name, a in many().items()})["tau"] for k in range(11)]
    np.testing.assert_array_equal(torques, one)
