"""The service for a page that runs Python itself, in a web worker: from text to text, with progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from symoro.progress import Progress, listening
from symoro.ui import service
from symoro.ui.service import answers
from symoro.ui.service.missing_package import LOADED_LATE

Tell = Callable[[str, float, float | None], None]
STOPPED = "it needed more memory or depth than a page has"


class _Missed:
    """Comes last in the search for a module: whoever asks it has found none."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, *_: Any) -> None:
        if name in LOADED_LATE:
            self.names.append(name)


_MISSED = _Missed()
sys.meta_path.append(_MISSED)


def answer(name: str, payload: str, tell: Tell) -> str:
    """The answer of a call as JSON.

    Where a package is missing that would have made it another, or made it at all, it begins with "missing" and the
    package's name, so that the page can load that and ask again.
    """

    def hear(progress: Progress) -> None:
        if not progress.finished:
            tell(progress.title, progress.done, progress.total)

    _MISSED.names.clear()
    try:
        with listening(hear):
            found = service.call(name, json.loads(payload))
    except (MemoryError, RecursionError):
        hint = "make the robot smaller, or run symoro on your machine"
        found = {"error": {"kind": "StoppedError", "message": STOPPED, "hint": hint}}
    if _MISSED.names:
        answers.forget()  # with the package the model may be another
        found = {"missing": _MISSED.names[0], **found}
    return json.dumps(found, allow_nan=False)
