"""Show progress bars on standard error, if it is a terminal.

A bar appears after the outermost task (`symoro.progress`) has run for `DELAY` seconds and disappears when the task
ends. The remaining time is estimated from the completed fraction.
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
    """Show progress bars of the tasks that start inside this context.

    Args:
        delay: seconds before the first bar appears; `DELAY` by default.
    """
    if not sys.stderr.isatty():
        yield
        return
    display = Display(DELAY if delay is None else delay)
    try:
        with listening(display.update):
            yield
    finally:
        display.clear()


class Display:
    """Display of the running tasks as progress bars."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.tasks: dict[int, Progress] = {}
        self.lock = Lock()
        self.timer: Timer | None = None
        self.bars: Any = None
        self.rows: dict[int, Any] = {}

    def update(self, news: Progress) -> None:
        """Update the progress bar of a task.

        Args:
            news: the task with its title, work done and total work.
        """
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
        """Remove all progress bars from the terminal."""
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
                return  # complete
            self.bars = bars
            for known in self.tasks.values():
                self._update(known)
            bars.start()

    def _update(self, news: Progress) -> None:
        if self.bars is None:
            return
        total = (
            None if news.total is None or news.done > news.total else news.total
        )  # no estimate is better than a wrong one
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
