"""Check that small matrices are factored on one thread and the previous limit is restored."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import symoro
from symoro.identification import dynamic, excitation
from symoro.models.identification.base import compare
from symoro.threads import one_thread


def threads() -> int:
    """Of the library with most; some are built for one."""
    return max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")


@pytest.fixture(autouse=True)
def two_threads():
    np.linalg.qr(np.eye(3))
    with threadpool_limits(2, user_api="blas"):
        yield


@one_thread
def count() -> int:
    """How many there are."""
    return threads()


@one_thread
def fail() -> None:
    raise ValueError


def test_one_thread_inside_and_the_callers_after() -> None:
    assert threads() == 2
    assert count() == 1
    assert threads() == 2


def test_the_thread_limit_is_restored_after_a_failure() -> None:
    with pytest.raises(ValueError):
        fail()
    assert threads() == 2


def test_name_and_words_stay() -> None:
    assert count.__name__ == "count" and count.__doc__ == "How many there are."


@pytest.mark.parametrize(
    ("module", "inner", "call"),
    [
        (dynamic, "symbolic_robot", lambda: symoro.identify("planar2r", "none.csv")),
        (excitation, "as_robot", lambda: symoro.excite("planar2r")),
        (compare, "ordered", lambda: symoro.base_parameters("planar2r", method="numeric")),
    ],
)
def test_long_work_runs_on_one_thread(monkeypatch, module, inner, call) -> None:
    seen = []

    def look(*args: object, **kwargs: object) -> None:
        seen.append(threads())
        raise KeyboardInterrupt

    monkeypatch.setattr(module, inner, look)
    with pytest.raises(KeyboardInterrupt):
        call()
    assert seen == [1]
