"""Threads of batches: consecutive samples are divided into portions, which the threads process one after the other.

The C functions release the interpreter lock. Threads start with the first large batch and wait for the next one; the
calling thread works as well. They are shared by all functions.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

GRAIN = (
    2_000_000  # minimum number of operations per thread, about 0.1 ms; starting a thread's work takes 0.02 ms
)
PORTIONS = 4  # per thread, so that a thread that is interrupted does not delay the others for long


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, thread_name_prefix="symoro")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a new process has none of the threads


def shared_out(
    part: Callable[[int, int], None], samples: int, tile: int, threads: int, operations: int
) -> None:
    """Call `part(start, stop)` for consecutive portions of all samples, in several threads if the work is large.

    Args:
        samples: number of samples.
        tile: all portions but the last are multiples of this number of samples.
        threads: largest number of threads.
        operations: number of operations for all samples.
    """
    used = min(threads, operations // GRAIN)
    if used < 2:
        part(0, samples)
        return
    length = -(-samples // (used * PORTIONS * tile)) * tile
    portions = deque((start, min(start + length, samples)) for start in range(0, samples, length))

    def work() -> None:
        while portions:
            try:
                portion = portions.popleft()
            except IndexError:  # another thread took the last one
                return
            part(*portion)

    others = [_pool(threads - 1).submit(work) for _ in range(used - 1)]
    try:
        work()
    finally:
        portions.clear()  # after an interrupt
        for other in others:
            if not other.cancel():
                other.result()
