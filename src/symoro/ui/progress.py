"""Bars on standard error for whatever takes longer than a moment, and only on a terminal.

A bar appears when the outermost task (`symoro.progress`) has lasted `DELAY` seconds and is gone when it ends, so that
results are printed on a clean line. What is left is estimated from the share that is done.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

from symoro.progress import Progress, listening

DELAY = 2.0


@contextmanager
def shown(delay: float | None = None) -> Iterator[None]:
    """Show the tasks that are begun inside."""
    if not sys.stderr.isatty():
        yield
        return
    display = Display(DELAY if delay is None else delay)
    try:
        with listening(display.tell):
            yield
    finally:
        display.clear()


class Display:
    """The tasks under way, and the bars that show them once they last."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.tasks: dict[int, Progress] = {}
        self.lock = Lock()
        self.timer: Timer | None = None
        self.bars: Any = None
        self.rows: dict[int, Any] = {}

    def tell(self, news: Progress) -> None:
        """Take down where a task stands."""
        with self.lock:
            if news.finished:
                self.tasks.pop(news.task, None)
                if self.bars is not None and news.task in self.rows:
                    self.bars.remove_task(self.rows.pop(news.task))
            else:
                self.tasks[news.task] = news
                self._update(news)
            idle = not self.tasks
            if not idle and self.timer is None:
                self.timer = Timer(self.delay, self._appear)
                self.timer.daemon = True
                self.timer.start()
        if idle:
            self.clear()

    def clear(self) -> None:
        """Take all bars away."""
        with self.lock:
            timer, bars = self.timer, self.bars
            self.timer = self.bars = None
            self.rows.clear()
            self.tasks.clear()
        if timer is not None:
            timer.cancel()
        if bars is not None:
            bars.stop()

    def _appear(self) -> None:
        bars = _bars()
        with self.lock:
            if self.timer is None:
                return  # all is done
            self.bars = bars
            for known in self.tasks.values():
                self._update(known)
            bars.start()

    def _update(self, news: Progress) -> None:
        if self.bars is None:
            return
        total = (
            None if news.total is None or news.done > news.total else news.total
        )  # a wrong estimate is none
        if news.task not in self.rows:
            self.rows[news.task] = self.bars.add_task(news.title, total=total)
        self.bars.update(self.rows[news.task], completed=news.done, total=total)


def _bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TimeElapsedColumn
    from rich.text import Text

    class Left(ProgressColumn):
        def render(self, task: Any) -> Text:
            seconds = task.time_remaining
            return Text("" if seconds is None or task.total is None else f"about {seconds:.0f} s left")

    class Title(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(f"symoro: {task.description}")

    columns = (Title(), BarColumn(), TimeElapsedColumn(), Left())
    console = Console(stderr=True)
    return Progress(
        *columns,
        console=console,
        transient=True,
        refresh_per_second=5,
        redirect_stdout=False,
        redirect_stderr=False,
    )
