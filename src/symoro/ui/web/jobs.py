"""Jobs: long calls that a page starts, watches, and cancels."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from symoro.ui.web.workers import Answer, Pool

MOST_JOBS = 200  # those that wait, run, or were done and not asked for
KEPT_SECONDS = 600.0


@dataclass
class Job:
    """A call under way.

    Attributes:
        state: queued, running, done, failed or cancelled.
        news: set whenever something of it changes, for those who watch.
    """

    id: str
    call: str
    state: str = "queued"
    progress: Mapping[str, Any] | None = None
    result: Answer | None = None
    ended: float = 0.0
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
        return self._jobs.get(id)

    def start(self, call: str, payload: Any) -> Job | None:
        """A new job; None when there are too many."""
        self._forget()
        if len(self._jobs) >= MOST_JOBS:
            return None
        job = Job(secrets.token_urlsafe(12), call)
        self._jobs[job.id] = job
        job.task = asyncio.get_running_loop().create_task(self._run(job, payload))
        return job

    async def _run(self, job: Job, payload: Any) -> None:
        def begun() -> None:
            job.state = "running"
            job.change()

        def listen(progress: Mapping[str, Any]) -> None:
            job.progress = progress
            job.change()

        try:
            job.result = await self.pool.call(job.call, payload, listen, begun)
            job.state = "failed" if "error" in job.result else "done"
        except asyncio.CancelledError:
            job.state = "cancelled"
        job.ended = asyncio.get_running_loop().time()
        job.change()

    async def cancel(self, job: Job) -> None:
        """End a job, and be sure that it has ended."""
        if job.task is not None and not job.over:
            job.task.cancel()
            with suppress(asyncio.CancelledError):
                await job.task

    async def watch(self, job: Job) -> AsyncIterator[dict[str, Any]]:
        """What becomes of a job, until it is over."""
        while True:
            news = job.news
            yield job.data()
            if job.over:
                return
            await news.wait()

    def _forget(self) -> None:
        now = asyncio.get_running_loop().time()
        for id, job in list(self._jobs.items()):
            if job.over and now - job.ended > KEPT_SECONDS:
                del self._jobs[id]
