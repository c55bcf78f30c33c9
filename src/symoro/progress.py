"""Report the progress of long computations to a listener.

    with listening(callback):             the program that displays progress: callback(Progress(...)) at each step
        model = generate(robot, "inverse-dynamics", effort="search")

    with task("searching", total=400) as work:      the computation
        work.to(17)

A listener applies to the context that set it (`contextvars`) and not to other threads. Without a listener a step costs
one comparison. An exception raised by the listener ends the computation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Progress:
    """Progress of one task.

    Attributes:
        task: number that identifies the task.
        title: name of the task for display.
        done: completed amount, in units of the task.
        total: final value of `done`, possibly estimated; None if it is unknown.
        finished: whether the task has ended, successfully or not.
        came: partial result since the last report, for tasks that deliver results piecewise; otherwise None.
    """

    task: int
    title: str
    done: float
    total: float | None
    finished: bool = False
    came: Any = None


Listener = Callable[[Progress], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("symoro_progress", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Report the progress of tasks that start inside this context to a listener; None disables reports."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


class Task:
    """Running task, created by `task`."""

    __slots__ = ("_done", "_listener", "title", "total")

    def __init__(self, title: str, total: float | None, listener: Listener | None) -> None:
        self.title, self.total = title, total
        self._listener, self._done = listener, 0.0

    def __enter__(self) -> Task:
        self.to(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._listener is not None:
            self._listener(Progress(id(self), self.title, self._done, self.total, finished=True))

    def to(self, done: float, came: Any = None) -> None:
        """Report the completed amount `done`; a value smaller than before is ignored.

        Args:
            came: partial result since the last report, if there is one.
        """
        if self._listener is not None:
            self._done = max(self._done, done)
            self._listener(Progress(id(self), self.title, self._done, self.total, came=came))


def task(title: str, total: float | None = None) -> Task:
    """Return a new task whose progress is reported to the listener of this context.

    Args:
        title: name of the task for display.
        total: final amount, or None if it is unknown.
    """
    return Task(title, total, _LISTENER.get())


def each(items: Collection[T], title: str) -> Iterator[T]:
    """Yield the items one after the other, and report the number of completed items as progress.

    Args:
        title: name of the task for display.
    """
    with task(title, len(items)) as work:
        for done, item in enumerate(items):
            work.to(done)
            yield item
