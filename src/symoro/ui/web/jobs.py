"""Manage jobs: long calls that a page starts, watches and cancels."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from symoro.ui.web.pool import Pool, PoolFullError
from symoro.ui.web.workers import Answer

MOST_JOBS = 200  # largest number of jobs that wait, run, or have an unread result
KEPT_SECONDS = 120.0  # s; lifetime of an unread result
LOST_SECONDS = 60.0  # s; time after which an unwatched job is cancelled
SWEEP_SECONDS = 10.0
ALIVE_SECONDS = 15.0  # s; interval of keep-alive messages


@dataclass
class Job:
    """Long call of the service, which runs in a worker process.

    Attributes:
        state: queued, running, done, failed or cancelled.
        pieces: partial results so far, for calls that deliver results piecewise.
        news: event that is set whenever the job changes.
        seen: time of the last request for the job; `watchers` counts the open event streams.
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
        """Return the state of the job as a dictionary for the page."""
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
    """All jobs (long calls) of a server."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._jobs: dict[str, Job] = {}
        self._watched = True

    def get(self, id: str) -> Job | None:
        job = self._jobs.get(id)
        if job is not None:
            job.seen = _now()
        return job

    def start(self, call: str, payload: Any) -> Job | None:
        """Start a job that runs a call with the arguments `payload`; return None if there are too many jobs."""
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
            data = dict(progress)
            if (piece := data.pop("came", None)) is not None:
                job.pieces.append(piece)
            job.progress = data
            job.change()

        try:
            job.result = await self.pool.call(job.call, payload, listen, begun)
            job.state = "failed" if "error" in job.result else "done"
        except asyncio.CancelledError:
            job.state = "cancelled"
        except PoolFullError:
            message = "too many jobs are waiting: try again after one of them has ended"
            job.result, job.state = {"error": {"kind": "BusyError", "message": message}}, "failed"
        job.ended = _now()
        job.change()

    async def cancel(self, job: Job) -> None:
        """Cancel a job and wait until it has ended."""
        if job.task is not None and not job.over:
            job.task.cancel()
            with suppress(asyncio.CancelledError):
                await job.task
            if not job.over:  # it was cancelled before it started
                job.state, job.ended = "cancelled", _now()
                job.change()

    async def close(self) -> None:
        """Cancel all jobs and end their worker processes."""
        for job in self._jobs.values():
            await self.cancel(job)
        await self.pool.close()

    async def watch(self, job: Job) -> AsyncIterator[dict[str, Any] | None]:
        """Yield the states of a job until it has ended, and None at intervals to keep the connection open.

        Each partial result is sent once, with the number of the partial results before it.
        """
        job.watchers += 1
        sent = 0
        try:
            while True:
                news = job.news
                came = {"pieces": job.pieces[sent:], "before": sent} if len(job.pieces) > sent else {}
                sent = len(job.pieces)
                yield {**job.data(), **came}
                if job.over or not self._watched:
                    return
                while not news.is_set():
                    try:
                        await asyncio.wait_for(news.wait(), ALIVE_SECONDS)
                    except TimeoutError:
                        yield None
        finally:
            job.watchers -= 1
            job.seen = _now()

    def end_streams(self) -> None:
        """End all event streams, because a server that stops waits for its connections."""
        self._watched = False
        for job in self._jobs.values():
            job.change()

    async def sweep(self) -> None:
        """Periodically delete old results and cancel jobs that no page watches."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.forget()
            for job in list(self._jobs.values()):
                if not job.over and not job.watchers and _now() - job.seen > LOST_SECONDS:
                    await self.cancel(job)

    def forget(self) -> None:
        """Delete results that no page has requested for a long time."""
        now = _now()
        for id, job in list(self._jobs.items()):
            if job.over and now - job.ended > KEPT_SECONDS:
                del self._jobs[id]


def _now() -> float:
    return asyncio.get_running_loop().time()
