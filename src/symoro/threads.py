"""Limit threads: number of usable processors, and single-threaded linear algebra for many small matrices.

    @one_thread
    def identify(...): ...

OpenBLAS distributes each factorisation over all cores. Matrices with a hundred columns gain little from this, and
waiting threads use processor time: when other processes used a core, an identification took 28 s instead of 5 s, and
the optimisation of an excitation more than 200 s instead of 14 s (on two cores). The limit applies to the whole process
during the call; the previous limit is restored afterwards.
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
    """Return the function wrapped so that NumPy and SciPy use one thread for linear algebra while it runs."""

    @wraps(work)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        if sys.platform == "emscripten":  # a browser's Python has one thread
            return work(*args, **kwargs)
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1, user_api="blas"):
            return work(*args, **kwargs)

    return limited


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
