"""Threads: how many can run at once, and linear algebra on one, for work whose matrices are small and many.

    @one_thread
    def identify(...): ...

OpenBLAS shares each factorisation among all cores. With a hundred columns there is little to share, and threads that
wait for each other spin: where other processes hold a core, an identification took 28 s instead of 5, a search for an
excitation 200 s and more instead of 14 (on two cores). What runs here is the process's own limit for the time of the
call; the caller's comes back after it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def one_thread(work: Callable[P, T]) -> Callable[P, T]:
    """The function, with one thread to NumPy's and SciPy's linear algebra while it runs."""

    @wraps(work)
    def calm(*args: P.args, **kwargs: P.kwargs) -> T:
        if sys.platform == "emscripten":  # a browser's Python has one thread
            return work(*args, **kwargs)
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1, user_api="blas"):
            return work(*args, **kwargs)

    return calm


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
