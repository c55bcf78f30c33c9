"""Check the pool: calls with much processor time get a lower priority, waiting calls do not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from symoro.ui.web import pool
from symoro.ui.web.workers import Limits, Worker


class Slow:
    """Worker with a given ratio of processor time to wall-clock time; None if the time is unknown."""

    def __init__(self, share: float | None) -> None:
        self.share, self.looks, self.nice = share, 0, 0

    def computed(self) -> float | None:
        self.looks += 1
        return None if self.share is None else self.share * pool.PATIENCE * (self.looks - 1)

    def later(self, nice: int) -> None:
        self.nice = nice


@pytest.mark.parametrize(("share", "looks"), [(1.0, 2), (0.25, 5), (None, 2)])
def test_a_long_call_gets_a_lower_priority(
    share: float | None, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE", 0.01)
    monkeypatch.setattr(pool, "SOONEST", 0.001)

    async def watched() -> Slow:
        worker = Slow(share)
        behind = pool._PriorityTimer(worker)  # type: ignore[arg-type]
        assert not behind.expired
        while not behind.expired:
            await asyncio.sleep(0.001)
        return worker

    worker = asyncio.run(watched())
    assert worker.nice == pool.LAST and worker.looks == looks


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell")
def test_a_worker_reports_its_processor_time() -> None:
    worker = Worker(Limits(seconds=60))
    try:
        worker.ask("about", {}, lambda _: None)
        before = worker.computed()
        worker.ask("catalogue", {}, lambda _: None)
        after = worker.computed()
    finally:
        worker.end()
    assert before is not None and after is not None and 0 <= before <= after  # in ticks of 10 ms
    assert after > 0
