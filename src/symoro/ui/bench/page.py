"""The service for a page that runs Python itself, in a web worker: from text to text, with progress."""

from __future__ import annotations

import json
from collections.abc import Callable

from symoro.progress import Progress, listening
from symoro.ui import bench

Tell = Callable[[str, float, float | None], None]
STOPPED = "it needed more memory or depth than a page has"


def answer(name: str, payload: str, tell: Tell) -> str:
    """The answer of a call as JSON.

    Where a package is missing that symoro needs for this call the answer begins with "missing" and its
    name, so that the page can load it and ask again.
    """

    def hear(progress: Progress) -> None:
        if not progress.finished:
            tell(progress.title, progress.done, progress.total)

    try:
        with listening(hear):
            return bench.call_text(name, payload)
    except (MemoryError, RecursionError):
        hint = "make the robot smaller, or run symoro on your machine"
        return json.dumps({"error": {"kind": "StoppedError", "message": STOPPED, "hint": hint}})
