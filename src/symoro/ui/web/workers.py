"""Work in processes of its own: with progress, and with an end when it is cancelled or takes too much.

A worker is a process that answers one call at a time over a pipe:

    parent -> worker   (name, payload)
    worker -> parent   ("progress", {...}) any number of times, then ("done", answer)

A call that is cancelled, or passes its time, ends with its process, and another process takes its place: what runs in a
call cannot be trusted to stop by itself. Memory is limited by the system (RLIMIT_AS), where there is such a limit.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

Answer = dict[str, Any]
Listen = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class Limits:
    """What one call may take: seconds, and bytes of memory (0: as much as there is)."""

    seconds: float
    memory: int = 4 * 2**30


TOO_LONG = "it took longer than {0:g} s and was stopped"
TOO_MUCH = "it needed more memory than it may have, or its process ended otherwise"


def stopped(message: str, hint: str) -> Answer:
    """The answer of a call that was ended."""
    return {"error": {"kind": "StoppedError", "message": message, "hint": hint}}


def serve(pipe: Connection, memory: int) -> None:
    """What a worker does: answer calls until the pipe is closed."""
    _limit(memory)
    from symoro.models.catalogue import catalogue
    from symoro.progress import Progress, listening
    from symoro.ui.bench import call

    catalogue()  # loaded before the first call needs it

    def tell(progress: Progress) -> None:
        if not progress.finished:
            pipe.send(("progress", {"title": progress.title, "done": progress.done, "total": progress.total}))

    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            name, payload = pipe.recv()
            with listening(tell):
                answer = _answer(call, name, payload)
            pipe.send(("done", answer))


def _answer(call: Callable[[str, Any], Answer], name: str, payload: Any) -> Answer:
    try:
        return call(name, payload)
    except (MemoryError, RecursionError):
        return stopped(TOO_MUCH, "make the robot smaller, or run symoro on the command line")


def _limit(memory: int) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


class Worker:
    """One process with its pipe."""

    def __init__(self, limits: Limits) -> None:
        context = multiprocessing.get_context("spawn")  # threads of the server are not copied
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, limits.memory), daemon=True)
        self.process.start()
        other.close()

    def ask(self, name: str, payload: Any, listen: Listen) -> Answer:
        """The answer of a call; waits for it, in a thread."""
        try:
            self.pipe.send((name, payload))
            while True:
                kind, value = self.pipe.recv()
                if kind == "done":
                    answer: Answer = value
                    return answer
                listen(value)
        except (EOFError, OSError):
            return stopped(TOO_MUCH, "make the robot smaller, or run symoro on the command line")

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    @property
    def alive(self) -> bool:
        return self.process.is_alive()


class Pool:
    """Some workers, each taken by one call at a time; calls wait in the order in which they came."""

    def __init__(self, size: int, limits: Limits) -> None:
        self.size, self.limits = size, limits
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()

    def start(self) -> None:
        for _ in range(self.size):
            self._add()

    def _add(self) -> None:
        worker = Worker(self.limits)
        self._all.add(worker)
        self._idle.put_nowait(worker)

    def close(self) -> None:
        for worker in self._all:
            worker.end()
        self._all.clear()

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
        """
        worker = await self._idle.get()
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
        try:
            return await asyncio.wait_for(asyncio.shield(answer), self.limits.seconds)
        except TimeoutError:
            return stopped(
                TOO_LONG.format(self.limits.seconds), "run it on the command line, without a limit"
            )
        finally:
            if answer.done() and worker.alive:
                self._idle.put_nowait(worker)
            else:
                self._all.discard(worker)
                await asyncio.to_thread(worker.end)
                self._add()
