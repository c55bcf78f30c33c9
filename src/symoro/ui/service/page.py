"""Answer calls of a page that runs Python in a web worker: arguments and answers are JSON texts.

Progress of the computation is reported by a function of the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from symoro.progress import Progress, listening
from symoro.ui import arrays, service
from symoro.ui.failure import internal
from symoro.ui.service import answers, page_simulation
from symoro.ui.service.missing_package import LOADED_LATE

Tell = Callable[[str, float, float | None], None]
STOPPED = "the computation exceeds the memory or recursion limit of a page"


class _MissingModules:
    """Finder of Python's import system that is tried last and records the names of modules that do not exist."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, *_: Any) -> None:
        if name in LOADED_LATE:
            self.names.append(name)


_MISSED = _MissingModules()
sys.meta_path.append(_MISSED)

PAGE_CALLS = {
    "simulation_plan": page_simulation.plan,
    "simulation_piece": page_simulation.piece,
    "simulation_answer": page_simulation.answer,
}
"""Calls of the page itself; a server has none of them."""


def use_plain_arrays() -> None:
    """Compute with arrays in plain Python, because the page's site does not contain NumPy."""
    arrays.install()


def answer(name: str, payload: str, tell: Tell) -> str:
    """Answer a call of the page as JSON text, with progress.

    If a missing package prevented or may have changed the answer, the text begins with "missing" and the name of
    the package, so that the page can load it and repeat the call.

    Args:
        name: name of the call.
        payload: its arguments as JSON text.
        tell: function that receives progress: title, work done and total work.
    """

    def hear(progress: Progress) -> None:
        if not progress.finished:
            tell(progress.title, progress.done, progress.total)

    _MISSED.names.clear()
    try:
        with listening(hear):
            result = service.call(name, json.loads(payload), PAGE_CALLS)
    except (MemoryError, RecursionError):
        hint = "make the robot smaller, or run symoro on your machine"
        result = {"error": {"kind": "StoppedError", "message": STOPPED, "hint": hint}}
    except Exception as error:  # a bug: reported to the user and printed in the console of the browser
        result = internal(name, error)
    problem = result.get("error", {})
    if str(problem.get("hint")).startswith("pip install"):  # of an optional package, such as MuJoCo
        problem["hint"] = f"run symoro on your machine: {problem['hint']}"
    if _MISSED.names:
        answers.forget()  # with this package the answer may differ
        result = {"missing": _MISSED.names[0], **result}
    return json.dumps(result, allow_nan=False)
