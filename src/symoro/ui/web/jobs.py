"""Jobs: long calls that a page starts, watches, and cancels."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from symoro.ui.web.pool import Pool, PoolFullError
from symoro.ui.web.workers import Answer

MOST_JOBS = 200  # those that wait, run, or were done and not asked for
KEPT_SECONDS = 120.0  # that a result waits for its page
LOST_SECONDS = 60.0  # that a job goes on with nobody to watch it
SWEEP_SECONDS = 10.0
ALIVE_SECONDS = 15.0  # between two signs of life to those who watch


@dataclass
class Job:
    """A call under way.

    Attributes:
        state: queued, running, done, failed or cancelled.
        pieces: what has come of the result so far, where a call tells it.
        news: set whenever something of it changes, for those who watch.
        seen: when somebody last asked for it; `watchers` are asking now.
    """

    id: str
    call: str
    state: str = "queued"
    progress: Mapping[str, Any] | None = None
    result: Answer | None = None
    pieces: list[Any] = field(default_factory=list)
    ended: float = 0.0
    seen: float = 0.0
    watchers: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    def data(self) -> dict[str, Any]:
        """What a page is told."""
        return {
            "id": self.id,
            "call": self.call,
            "state": self.state,
            "progress": self.progress,
            "result": self.result,
        }

    def change(self) -> None:
        self.news.set()
        self.news = asyncio.Event()


class Jobs:
    """All jobs of a server."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._jobs: dict[str, Job] = {}

    def get(self, id: str) -> Job | None:
        job = self._jobs.get(id)
        if job is not None:
            job.seen = _now()
        return job

    def start(self, call: str, payload: Any) -> Job | None:
        """A new job; None when there are too many."""
        self.forget()
        if len(self._jobs) >= MOST_JOBS:
            return None
        job = Job(secrets.token_urlsafe(12), call, seen=_now())
        self._jobs[job.id] = job
        job.task = asyncio.get_running_loop().create_task(self._run(job, payload))
        return job

    async def _run(self, job: Job, payload: Any) -> None:
        def begun() -> None:
            job.state = "running"
            job.change()

        def listen(progress: Mapping[str, Any]) -> None:
            told = dict(progress)
            if (piece := told.pop("came", None)) is not None:
                job.pieces.append(piece)
            job.progress = told
            job.change()

        try:
            job.result = await self.pool.call(job.call, payload, listen, begun)
            job.state = "failed" if "error" in job.result else "done"
        except asyncio.CancelledError:
            job.state = "cancelled"
        except PoolFullError:
            message = "too many jobs are waiting"
            job.result, job.state = {"error": {"kind": "BusyError", "message": message}}, "failed"
        job.ended = _now()
        job.change()

    async def cancel(self, job: Job) -> None:
        """End a job, and be sure that it has ended."""
        if job.task is not None and not job.over:
            job.task.cancel()
            with suppress(asyncio.CancelledError):
                await job.task
            if not job.over:  # it was cancelled before it began
                job.state, job.ended = "cancelled", _now()
                job.change()

    async def close(self) -> None:
        """End all jobs and their workers."""
        for job in self._jobs.values():
            await self.cancel(job)
        await self.pool.close()

    async def watch(self, job: Job) -> AsyncIterator[dict[str, Any] | None]:
        """What becomes of a job, until it is over; None now and then, as a sign of life.

        Pieces of the result are told once, with the number of those before them.
        """
        job.watchers += 1
        told = 0
        try:
            while True:
                news = job.news
                came = {"pieces": job.pieces[told:], "before": told} if len(job.pieces) > told else {}
                told = len(job.pieces)
                yield {**job.data(), **came}
                if job.over:
                    return
                while not news.is_set():
                    try:
                        await asyncio.wait_for(news.wait(), ALIVE_SECONDS)
                    except TimeoutError:
                        yield None
        finally:
            job.watchers -= 1
            job.seen = _now()

    async def sweep(self) -> None:
        """Forget old results, and end what nobody waits for, for ever."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.forget()
            for job in list(self._jobs.values()):
                if not job.over and not job.watchers and _now() - job.seen > LOST_SECONDS:
                    await self.cancel(job)

    def forget(self) -> None:
        """Drop the results that have waited long enough."""
        now = _now()
        for id, job in list(self._jobs.items()):
            if job.over and now - job.ended > KEPT_SECONDS:
                del self._jobs[id]


def _now() -> float:
    return asyncio.get_running_loop().time()
