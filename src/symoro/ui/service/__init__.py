"""Answer the requests of the workbench's page: functions from one JSON value to another.

    call("model", {"robot": {...}, "model": "inverse-dynamics"})  ->  {"text": ..., "latex": ..., "count": ...}

The functions have no state, threads or network access. A web server calls them, and so does a page that runs Python in
the browser. A robot is transferred as its document, the tree of its YAML file, so that files and service have the same
schema. Errors of the user are returned as {"error": {...}}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from symoro.errors import MissingDependencyError, SymoroError, UnknownNameError
from symoro.ui import failure
from symoro.ui.service import (
    answers,
    gallery,
    identification,
    mechanics,
    missing_package,
    motions,
    postures,
    simulation,
    view,
    workspace,
)
from symoro.ui.service.answer_types import to_json
from symoro.ui.service.edits import CellError

Call = Callable[[Mapping[str, Any]], Any]  # an answer of `answer_types`

CALLS: dict[str, Call] = {
    "about": answers.about,
    "catalogue": answers.catalogue_of,
    "robots": gallery.robots,
    "robot_open": gallery.opened,
    "robot_new": gallery.new,
    "robot_dh": gallery.from_rows,
    "robot_view": view.view_of,
    "robot_edit": view.edited,
    "robot_write": gallery.written,
    "frames": answers.frames,
    "close": answers.closed,
    "solve": postures.solve,
    "inverse": postures.inverse,
    "workspace": workspace.cloud,
    "mechanics": mechanics.loads,
    "model": answers.model,
    "explain": answers.explain,
    "code": answers.code,
    "export": answers.export,
    "evaluate": answers.evaluate,
    "variables": answers.variables,
    "base": answers.base,
    "singularities": answers.singular,
    "singularity_distances": answers.singularity_distances,
    "trajectory": motions.trajectory,
    "excitation": motions.excitation,
    "simulate": simulation.simulated,
    "identify": identification.identified,
}


def call(name: str, payload: Mapping[str, Any], more: Mapping[str, Call] = {}) -> dict[str, Any]:
    """Answer a call of the page.

    Args:
        name: name of the call, for example "model".
        payload: JSON object with its arguments.
        more: further calls by name.

    Returns:
        The answer as a JSON object; nan and infinities become null. Errors are returned under the key "error".
    """
    try:
        calls = {**CALLS, **more}
        if name not in calls:
            raise UnknownNameError("call", name, list(calls))
        answer: dict[str, Any] = to_json(calls[name](payload))
    except (ModuleNotFoundError, MissingDependencyError) as error:
        return missing_package.answer(error)
    except CellError as wrong:
        data = failure.as_data(wrong.error, failure.on_the_page)
        return {"error": {**data, "place": {**data.get("place", {}), **wrong.at}}}
    except SymoroError as error:
        return {"error": failure.as_data(error, failure.on_the_page)}
    return answer


def call_text(name: str, payload: str) -> str:
    """Answer a call of the page with arguments and answer as JSON texts, for callers that cannot pass objects."""
    return json.dumps(call(name, json.loads(payload)), allow_nan=False)
