"""Progress of long work, told to whoever listens.

    with listening(callback):             in a program that wants to know: callback(Progress(...)) at each step
        model = generate(robot, "inverse-dynamics", effort="search")

    with task("searching", total=400) as work:      where the work is done
        work.to(17)

The listener belongs to the context that set it (`contextvars`): other threads neither hear nor disturb it. Without one
a step costs a comparison. An exception that the listener raises ends the work, as an interrupt does.
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
    """Where one task stands.

    Attributes:
        task: a number that tells this task from others under way.
        total: what `done` will have come to at the end, perhaps an estimate; None when nothing is known.
        finished: whether the task has ended, done or not.
        came: what has come of the result since it was last told, for those who watch it grow; None elsewhere.
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
    """Hear of the tasks that are begun inside; None is silence."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


class Task:
    """A piece of work under way; made by `task`."""

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
        """Tell how much is done, which never goes back, and what has come of the result."""
        if self._listener is not None:
            self._done = max(self._done, done)
            self._listener(Progress(id(self), self.title, self._done, self.total, came=came))


def task(title: str, total: float | None = None) -> Task:
    """A task that the listener of this context hears of."""
    return Task(title, total, _LISTENER.get())


def each(items: Collection[T], title: str) -> Iterator[T]:
    """The items one after the other, as a task."""
    with task(title, len(items)) as work:
        for done, item in enumerate(items):
            work.to(done)
            yield item
