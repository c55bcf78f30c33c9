"""Run calls in separate processes, with progress, cancellation and limits on time and memory.

A worker is a process that answers one call at a time over a pipe:

    parent -> worker   (name, payload)
    worker -> parent   ("progress", {...}) any number of times, then ("done", answer), or ("last", answer) and its end

A call that is cancelled or exceeds its time limit ends with its process, and another process replaces it, because code
inside a call cannot be interrupted reliably. The system limits memory (RLIMIT_AS) where it supports this. Processes are
forked from a server process that has already loaded symoro (forkserver), where the system supports fork.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext, ForkServerContext
from pathlib import Path
from typing import Any

from symoro.ui.failure import internal

Answer = dict[str, Any]
Listen = Callable[[Mapping[str, Any]], None]

LARGE = 4  # a worker that has used this fraction of its memory is replaced
HEARTBEAT = 1.0  # s; interval of checks whether the server still runs


@dataclass(frozen=True)
class Limits:
    """Limits of one call in a worker process.

    Attributes:
        seconds: wall-clock time in seconds.
        memory: address space of the process in bytes; 0 for no limit.
        nice: niceness of the process; larger values mean a lower scheduling priority.
    """

    seconds: float
    memory: int = 4 * 2**30
    nice: int = 0


TOO_LONG = "the computation exceeded {0:g} s and was stopped"
TOO_MUCH = "the computation exceeded its memory limit, or its process ended unexpectedly"
SMALLER = "make the robot smaller, or run symoro on the command line"


def stopped(message: str, hint: str) -> Answer:
    """Return the error answer of a call that exceeded a limit."""
    return {"error": {"kind": "StoppedError", "message": message, "hint": hint}}


def context() -> BaseContext:
    """Return the multiprocessing context in which workers are started.

    It never forks the server itself, because the threads of the server would be lost.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["symoro.ui.web.preload"])
    return made


def prepare() -> None:
    """Start the fork server, so that it loads the modules of the workers in the background."""
    if isinstance(context(), ForkServerContext):
        forkserver.ensure_running()


def serve(pipe: Connection, limits: Limits) -> None:
    """Answer the calls that arrive at a pipe, in a worker process, until the pipe is closed."""
    _apply_limits(limits)
    from symoro.progress import Progress, listening
    from symoro.ui.service import call
    from symoro.ui.service.answer_types import to_json
    from symoro.ui.web import preload  # noqa: F401  (loaded before the first call needs it)

    def report(progress: Progress) -> None:
        if not progress.finished:
            data = {"title": progress.title, "done": progress.done, "total": progress.total}
            pipe.send(
                ("progress", data if progress.came is None else {**data, "came": to_json(progress.came)})
            )

    with suppress(EOFError, OSError):
        while True:
            name, payload = pipe.recv()
            with listening(report):
                answer = _answer(call, name, payload)
            if _grown(limits):  # including its caches; a new process replaces it
                pipe.send(("last", answer))
                return
            pipe.send(("done", answer))


def _answer(call: Callable[[str, Any], Answer], name: str, payload: Any) -> Answer:
    try:
        return call(name, payload)
    except MemoryError:
        return stopped(TOO_MUCH, SMALLER)
    except OSError:  # the pipe is closed
        raise
    except Exception as error:  # a bug: reported to the user and printed by the server
        return internal(name, error)


def _grown(limits: Limits) -> bool:
    """Return whether the process uses so much of its allowed memory that it should be replaced."""
    try:
        import resource
    except ImportError:
        return False
    unit = 1 if sys.platform == "darwin" else 1024
    return 0 < limits.memory < LARGE * unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _apply_limits(limits: Limits) -> None:
    """Apply the limits to the calling process, which is a worker.

    The worker also ends when its parent ends. It ignores Ctrl-C, which the server handles.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError, ValueError, OSError):
        import resource

        if limits.memory:
            resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    with suppress(AttributeError, OSError):
        os.nice(limits.nice)
    if hasattr(signal, "setitimer"):
        parent = os.getppid()
        signal.signal(signal.SIGALRM, lambda *_: os._exit(1) if os.getppid() != parent else None)
        signal.setitimer(signal.ITIMER_REAL, HEARTBEAT, HEARTBEAT)


class Worker:
    """Worker process and the pipe to it."""

    def __init__(self, limits: Limits) -> None:
        made = context()
        self._over = False
        self.pipe, other = made.Pipe()
        self.process = made.Process(target=serve, args=(other, limits), daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        other.close()

    def ask(self, name: str, payload: Any, listen: Listen) -> Answer:
        """Send a call to the worker and return its answer. The function blocks, so it runs in a thread.

        Args:
            name: name of the call.
            payload: its arguments.
            listen: function that receives progress.
        """
        try:
            self.pipe.send((name, payload))
            while True:
                kind, value = self.pipe.recv()
                if kind == "progress":
                    listen(value)
                    continue
                self._over = kind == "last"
                answer: Answer = value
                return answer
        except (EOFError, OSError):
            self._over = True
            return stopped(TOO_MUCH, SMALLER)
        except RecursionError:  # raised by pickle, nothing was sent
            return {"error": {"kind": "ArgumentError", "message": "the request is nested too deeply"}}

    def computed(self) -> float | None:
        """Return the processor time in seconds that the worker and its compilers have used; None if unknown."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, AttributeError):
            return None

    def later(self, nice: int) -> None:
        """Lower the scheduling priority of the worker by `nice`, where the system allows it."""
        with suppress(AttributeError, OSError, ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, nice)

    def end(self) -> None:
        """End the process; a thread that waits in `ask` then reads the end of the pipe."""
        self.process.kill()
        self.process.join()

    @property
    def alive(self) -> bool:
        return not self._over and bool(self.process.is_alive())
