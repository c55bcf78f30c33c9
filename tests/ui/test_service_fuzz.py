"""Check the service with arbitrary requests: an answer or an error, never an exception or a hang."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symoro.ui.service import CALLS, call
from symoro.ui.service.edits import EDITS

QUICK = (
    "catalogue",
    "robot_view",
    "robot_edit",
    "robot_write",
    "robot_open",
    "robot_new",
    "robot_dh",
    "frames",
)
ROBOTS = ("planar2r", "fourbar", "diffdrive", "flexible2r", "rx90_elastic", "3rrr")
DOCUMENTS = [call("robot_open", {"id": name})["robot"] for name in ROBOTS]
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", "0", "1", "-1", "q1", "q1 + q2", "pi/2", "1/0", "1e999", "nan", "L" * 300, "((", "x^y", "__a"]
    ),
    st.sampled_from(
        ["fixed", "castor", "swedish", "floating", "clamped", "R", "P", "F", "revolute", "home", "tool"]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 300), st.floats(), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=8,
)
FIELDS = [
    column
    for name in ROBOTS
    for table in call("robot_open", {"id": name})["tables"]
    for column in table["columns"]
]
KEYS = (
    "part",
    "j",
    "field",
    "text",
    "after",
    "ant",
    "carry",
    "from",
    "to",
    "frame",
    "kind",
    "on",
    "name",
    "q",
    "sigma",
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    result = [at]
    if isinstance(value, dict):
        result += [path for key, inner in value.items() for path in paths(inner, (*at, key))]
    if isinstance(value, list):
        result += [path for k, inner in enumerate(value) for path in paths(inner, (*at, k))]
    return result


PATHS = [paths(document) for document in DOCUMENTS]


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """A robot's document with some of its values replaced, taken away, or put elsewhere."""
    which = draw(st.integers(0, len(DOCUMENTS) - 1))
    document = json.loads(json.dumps(DOCUMENTS[which]))
    for _ in range(draw(st.integers(0, 4))):
        path = draw(st.sampled_from(PATHS[which]))
        if not path:
            return draw(VALUES)
        held, gone = document, False
        for key in path[:-1]:
            try:
                held = held[key]
            except (KeyError, IndexError, TypeError):
                gone = True
                break
        if gone or not isinstance(held, dict | list):
            continue
        if isinstance(held, dict) and draw(st.booleans()):
            held.pop(path[-1], None)
        elif isinstance(held, dict) or (isinstance(path[-1], int) and path[-1] < len(held)):
            held[path[-1]] = draw(VALUES)
    return document


EDIT = st.fixed_dictionaries(
    {"part": st.sampled_from(list(EDITS))},
    optional={
        **{key: VALUES for key in KEYS if key not in ("part", "j", "field", "text")},
        "j": st.one_of(st.integers(-1, 8), st.sampled_from(["G", "V0", "home", "L1", "tool"]), VALUES),
        "field": st.one_of(st.sampled_from(FIELDS), TEXTS),
        "text": st.one_of(TEXTS, SCALARS),
    },
)


def answered(name: str, payload: Any) -> dict[str, Any]:
    result = call(name, payload)
    assert isinstance(result, dict)
    json.dumps(result, allow_nan=False)
    if "error" in result:
        assert result["error"]["kind"] and result["error"]["message"]
    return result


def mutated(document: Any, edits: list[Any], name: str, extra: dict[str, Any]) -> None:
    result = answered(name, {"robot": document, "edits": edits, "model": "fast-geometry", **extra})
    if (
        name == "robot_edit" and "error" not in result
    ):  # what came of it is a robot, and the same when read again
        again = answered("robot_view", {"robot": result["robot"]})
        assert again["robot"] == result["robot"]


PAYLOADS = (
    documents(),
    st.lists(EDIT, max_size=4),
    st.sampled_from(QUICK),
    st.dictionaries(
        st.sampled_from(["format", "id", "text", "file", "links", "rows", "convention", "base"]), VALUES
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(*PAYLOADS)
def test_mutated_documents(document: Any, edits: list[Any], name: str, extra: dict[str, Any]) -> None:
    mutated(document, edits, name, extra)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(DOCUMENTS), st.lists(EDIT, min_size=1, max_size=3))
def test_edits_of_sound_robots(document: Any, edits: list[Any]) -> None:
    mutated(document, edits, "robot_edit", {})


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(*PAYLOADS)
def test_many_mutated_documents(document: Any, edits: list[Any], name: str, extra: dict[str, Any]) -> None:
    mutated(document, edits, name, extra)


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(DOCUMENTS), st.lists(EDIT, min_size=1, max_size=3))
def test_many_edits_of_sound_robots(document: Any, edits: list[Any]) -> None:
    mutated(document, edits, "robot_edit", {})


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(CALLS)), VALUES)
def test_payloads_of_anything(name: str, payload: Any) -> None:
    answered(name, payload if isinstance(payload, dict) else {"robot": payload})
