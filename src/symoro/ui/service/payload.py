"""What a payload must hold, taken out with an error that names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from symoro.errors import ArgumentError
from symoro.robot import formats
from symoro.robot.description import Robot

MOST_FRAMES = 300
MOST_KEPT = 32  # robots, in one process
T = TypeVar("T")
MISSING: Any = object()
NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def item(payload: Mapping[str, Any], name: str, kind: type[T], default: Any = MISSING) -> T:
    """An entry of a payload.

    Raises:
        ArgumentError: it is missing, or of another kind.
    """
    value = payload.get(name, default)
    if value is MISSING:
        raise ArgumentError(f"'{name}' is missing", hint=f"it is {NAMES[kind]}")
    if value is default:
        found: T = value
        return found
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ArgumentError(f"'{name}': expected {NAMES[kind]}, got {type(value).__name__}")
    return value


def robot_of(payload: Mapping[str, Any]) -> Robot:
    """The robot whose document the payload holds: JSON is YAML, so the reader of files reads it.

    Raises:
        SymoroError: it is none, or is too large for a workbench.
    """
    document = item(payload, "robot", dict)
    frames = document.get("frames", ())
    if isinstance(frames, list) and len(frames) > MOST_FRAMES:
        raise ArgumentError(
            f"a robot on the workbench has at most {MOST_FRAMES} frames, got {len(frames)}",
            hint="work with larger ones on the command line",
        )
    try:
        return _read(json.dumps(document, allow_nan=False))
    except (RecursionError, ValueError):  # nested without end, or numbers that JSON lacks
        raise ArgumentError(
            "'robot' is no robot's document", hint="it is the tree of a robot's YAML file"
        ) from None


@lru_cache(maxsize=MOST_KEPT)
def _read(text: str) -> Robot:
    return formats.loads(text, "yaml", file="robot")
