"""Work in processes of its own: with progress, and with an end when it is cancelled or takes too much.

A worker is a process that answers one call at a time over a pipe:

    parent -> worker   (name, payload)
    worker -> parent   ("progress", {...}) any number of times, then ("done", answer), or ("last", answer) and its end

A call that is cancelled, or passes its time, ends with its process, and another process takes its place: what runs in a
call cannot be trusted to stop by itself. Memory is limited by the system (RLIMIT_AS), where there is such a limit.
Processes come from one that has loaded symoro already and does nothing else (forkserver), where the system has forks.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext, ForkServerContext
from pathlib import Path
from typing import Any

Answer = dict[str, Any]
Listen = Callable[[Mapping[str, Any]], None]

LARGE = 4  # a worker that has had this part of its memory is not used again
HEARTBEAT = 1.0  # seconds between looks whether the server is still there


@dataclass(frozen=True)
class Limits:
    """What one call may take.

    Attributes:
        seconds: of wall-clock time.
        memory: bytes of the process, 0 for as much as there is.
        nice: how far behind others the process stands in line for a core.
    """

    seconds: float
    memory: int = 4 * 2**30
    nice: int = 0


TOO_LONG = "it took longer than {0:g} s and was stopped"
TOO_MUCH = "it needed more memory than it may have, or its process ended otherwise"
SMALLER = "make the robot smaller, or run symoro on the command line"
INTERNAL = "InternalError"


def stopped(message: str, hint: str) -> Answer:
    """The answer of a call that was ended."""
    return {"error": {"kind": "StoppedError", "message": message, "hint": hint}}


def context() -> BaseContext:
    """How processes are made: never a copy of the server, whose threads would be cut short."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["symoro.ui.web.preload"])
    return made


def prepare() -> None:
    """Let the process that workers come from begin to load what they need, beside whatever the server does."""
    if isinstance(context(), ForkServerContext):
        forkserver.ensure_running()


def serve(pipe: Connection, limits: Limits) -> None:
    """What a worker does: answer calls until the pipe is closed."""
    _stand(limits)
    from symoro.progress import Progress, listening
    from symoro.ui.service import call
    from symoro.ui.service.answer_types import to_json
    from symoro.ui.web import preload  # noqa: F401  (loaded before the first call needs it)

    def tell(progress: Progress) -> None:
        if not progress.finished:
            told = {"title": progress.title, "done": progress.done, "total": progress.total}
            pipe.send(
                ("progress", told if progress.came is None else {**told, "came": to_json(progress.came)})
            )

    with suppress(EOFError, OSError):
        while True:
            name, payload = pipe.recv()
            with listening(tell):
                answer = _answer(call, name, payload)
            if _grown(limits):  # with what it keeps for later calls: a new process takes its place
                pipe.send(("last", answer))
                return
            pipe.send(("done", answer))


def _answer(call: Callable[[str, Any], Answer], name: str, payload: Any) -> Answer:
    try:
        return call(name, payload)
    except MemoryError:
        return stopped(TOO_MUCH, SMALLER)
    except OSError:  # the pipe: nobody listens
        raise
    except (
        Exception
    ) as error:  # a mistake of ours: told to the user, and to whoever reads the server's output
        traceback.print_exc(file=sys.stderr)
        message = f"symoro made a mistake in '{name}': {type(error).__name__}"
        return {
            "error": {"kind": INTERNAL, "message": message, "hint": "please report it, with the robot's file"}
        }


def _grown(limits: Limits) -> bool:
    """Whether the process has once had a large part of the memory that it may have."""
    try:
        import resource
    except ImportError:
        return False
    unit = 1 if sys.platform == "darwin" else 1024
    return 0 < limits.memory < LARGE * unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _stand(limits: Limits) -> None:
    """The process in its place: limits, turn, and an end with its parent. Ctrl-C is for the server to hear."""
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
    """One process with its pipe."""

    def __init__(self, limits: Limits) -> None:
        made = context()
        self._over = False
        self.pipe, other = made.Pipe()
        self.process = made.Process(target=serve, args=(other, limits), daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        other.close()

    def ask(self, name: str, payload: Any, listen: Listen) -> Answer:
        """The answer of a call; waits for it, in a thread."""
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
        except RecursionError:  # of the pickle: nothing was sent
            return {"error": {"kind": "ArgumentError", "message": "the request is nested too deeply"}}

    def computed(self) -> float | None:
        """Seconds that the process has computed, its compilers included; None where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, AttributeError):
            return None

    def later(self, nice: int) -> None:
        """Stand further behind in line, where the system lets one."""
        with suppress(AttributeError, OSError, ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, nice)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    @property
    def alive(self) -> bool:
        return not self._over and bool(self.process.is_alive())
