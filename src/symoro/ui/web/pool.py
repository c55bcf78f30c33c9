"""Manage a pool of worker processes; each handles one call at a time, and calls wait in order of arrival.

A pool starts with a few workers, adds workers while all are busy (up to a limit), and ends those that are no longer
needed. A short call therefore does not wait for long ones: they share the cores, and a call that has computed for a
long time gets a lower scheduling priority.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from symoro.ui.web.workers import TOO_LONG, Answer, Limits, Listen, Worker, stopped

PATIENCE = 5.0  # s of processor time after which a call gets a lower priority
SOONEST = 0.2  # s; shortest interval between two checks
LAST = 19  # niceness of a call with lower priority


class PoolFullError(Exception):
    """Error that is raised if too many calls are waiting for a worker."""


class _PriorityTimer:
    """Timer that lowers the priority of a worker after it has used much processor time.

    Time in which other processes used the cores is not counted; otherwise a call on a busy machine would lose its
    priority before it could compute.
    """

    def __init__(self, worker: Worker) -> None:
        self.expired = False
        self._worker, self._before = worker, worker.computed()
        self._next = asyncio.get_running_loop().call_later(PATIENCE, self._look)

    def _look(self) -> None:
        now = self._worker.computed()
        left = 0.0 if now is None or self._before is None else PATIENCE - (now - self._before)
        if left > 0:
            self._next = asyncio.get_running_loop().call_later(max(left, SOONEST), self._look)
            return
        self._worker.later(LAST)
        self.expired = True

    def cancel(self) -> None:
        self._next.cancel()


class Pool:
    """Pool of worker processes with common limits.

    Attributes:
        size: number of workers when idle.
        most: largest number of workers.
        queue: largest number of waiting calls.
    """

    def __init__(self, size: int, limits: Limits, *, most: int | None = None, queue: int = 100) -> None:
        self.size, self.limits, self.most, self.queue = size, limits, max(size, most or size), queue
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()
        self._coming = self._waiting = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self) -> None:
        """Start the first worker processes in the background; calls wait for them."""
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
        """End all workers, including busy ones."""
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
        """Run a call in a worker and return its answer; cancelling the awaiting task ends the computation.

        Args:
            name: name of the call.
            payload: its arguments.
            listen: function that receives progress, in the thread of the event loop.
            begun: function that is called when a worker starts the call.

        Raises:
            PoolFullError: too many calls are waiting.
        """
        worker = await self._taken()
        begun()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()

        def report(value: Mapping[str, Any]) -> None:
            loop.call_soon_threadsafe(listen, value)

        def finish(value: Answer) -> None:
            if not answer.done():
                answer.set_result(value)

        def work() -> None:
            value = worker.ask(name, payload, report)
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(finish, value)

        threading.Thread(target=work, daemon=True).start()
        behind = _PriorityTimer(worker) if self.limits.nice else None
        try:
            return await asyncio.wait_for(asyncio.shield(answer), self.limits.seconds)
        except TimeoutError:
            return stopped(
                TOO_LONG.format(self.limits.seconds),
                "run the computation on the command line, which has no time limit",
            )
        finally:
            if behind is not None:
                behind.cancel()
            self._given_back(worker, sound=answer.done(), fresh=behind is None or not behind.expired)

    async def _taken(self) -> Worker:
        """Return an idle worker, or a new worker if all are busy; wait if the largest number of workers is reached."""
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
                self._all.discard(worker)  # ended by another task
        finally:
            self._waiting -= 1

    def _given_back(self, worker: Worker, *, sound: bool, fresh: bool) -> None:
        """Return a worker to the pool, or end it if it cannot be reused or the pool is too large.

        Args:
            sound: whether the worker completed its call and can be reused.
            fresh: whether the worker still has its initial scheduling priority.
        """
        too_many = len(self._all) > self.size and not self._waiting
        if sound and fresh and worker.alive and not too_many and not self._closed:
            self._idle.put_nowait(worker)
            return
        self._all.discard(worker)
        if not self._closed:
            self._later(asyncio.to_thread(worker.end))
            if len(self._all) + self._coming < max(self.size, min(self.most, self._waiting)):
                self._grow()
