"""Some workers, each taken by one call at a time; calls wait in the order in which they came.

A pool begins with a few workers, adds others while all are taken, up to a limit, and lets those go that it no longer
needs. So a short call need not wait for long ones: the cores are shared, and a call that has taken long stands further
behind in line for them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from symoro.ui.web.workers import TOO_LONG, Answer, Limits, Listen, Worker, stopped

PATIENCE = 5.0  # seconds of computing after which a call stands further behind
SOONEST = 0.2  # seconds between two looks
LAST = 19  # in line


class PoolFullError(Exception):
    """Too many calls wait already."""


class _Behind:
    """Sends a worker further behind when it has computed for long.

    Time in which others had the cores does not count: on a machine that does much else a call would lose its turn
    before it has had one.
    """

    def __init__(self, worker: Worker) -> None:
        self.stands = False
        self._worker, self._before = worker, worker.computed()
        self._next = asyncio.get_running_loop().call_later(PATIENCE, self._look)

    def _look(self) -> None:
        now = self._worker.computed()
        left = 0.0 if now is None or self._before is None else PATIENCE - (now - self._before)
        if left > 0:
            self._next = asyncio.get_running_loop().call_later(max(left, SOONEST), self._look)
            return
        self._worker.later(LAST)
        self.stands = True

    def cancel(self) -> None:
        self._next.cancel()


class Pool:
    """Workers with one kind of limits.

    Attributes:
        size: how many workers there are when nothing is to be done.
        most: how many there may be.
        queue: how many calls may wait.
    """

    def __init__(self, size: int, limits: Limits, *, most: int | None = None, queue: int = 100) -> None:
        self.size, self.limits, self.most, self.queue = size, limits, max(size, most or size), queue
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()
        self._coming = self._waiting = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self) -> None:
        """Begin to make the first workers; calls wait for them."""
        for _ in range(self.size):
            self._grow()

    def _grow(self) -> None:
        self._coming += 1
        self._later(self._add())

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _add(self) -> None:
        try:
            worker = await asyncio.to_thread(Worker, self.limits)
        finally:
            self._coming -= 1
        if self._closed:
            worker.end()
            return
        self._all.add(worker)
        self._idle.put_nowait(worker)

    async def close(self) -> None:
        """End all workers, those under way included."""
        self._closed = True
        for worker in self._all:
            worker.end()
        self._all.clear()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def call(
        self,
        name: str,
        payload: Any,
        listen: Listen = lambda _: None,
        begun: Callable[[], None] = lambda: None,
    ) -> Answer:
        """The answer of a call; cancelling the task that awaits it ends the work.

        Arguments:
            listen: hears of progress, in the loop's own thread.
            begun: called when the call is no longer waiting.

        Raises:
            PoolFullError: too many calls wait.
        """
        worker = await self._taken()
        begun()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()

        def told(value: Mapping[str, Any]) -> None:
            loop.call_soon_threadsafe(listen, value)

        def finish(value: Answer) -> None:
            if not answer.done():
                answer.set_result(value)

        def work() -> None:
            value = worker.ask(name, payload, told)
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(finish, value)

        threading.Thread(target=work, daemon=True).start()
        behind = _Behind(worker) if self.limits.nice else None
        try:
            return await asyncio.wait_for(asyncio.shield(answer), self.limits.seconds)
        except TimeoutError:
            return stopped(
                TOO_LONG.format(self.limits.seconds), "run it on the command line, without a limit"
            )
        finally:
            if behind is not None:
                behind.cancel()
            self._given_back(worker, sound=answer.done(), fresh=behind is None or not behind.stands)

    async def _taken(self) -> Worker:
        """A worker that has nothing to do; one more is made where all have."""
        if self._waiting >= self.queue:
            raise PoolFullError
        self._waiting += 1
        try:
            while True:
                if (
                    self._idle.qsize() + self._coming < self._waiting
                    and len(self._all) + self._coming < self.most
                ):
                    self._grow()
                worker = await self._idle.get()
                if worker.alive:
                    return worker
                self._all.discard(worker)  # ended by another
        finally:
            self._waiting -= 1

    def _given_back(self, worker: Worker, *, sound: bool, fresh: bool) -> None:
        """Keep a worker that can be used again; let go of one that was cut short, or stands behind, or is too many."""
        too_many = len(self._all) > self.size and not self._waiting
        if sound and fresh and worker.alive and not too_many and not self._closed:
            self._idle.put_nowait(worker)
            return
        self._all.discard(worker)
        if not self._closed:
            self._later(asyncio.to_thread(worker.end))
            if len(self._all) + self._coming < max(self.size, min(self.most, self._waiting)):
                self._grow()
