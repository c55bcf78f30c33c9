"""What a payload must hold, taken out with an error that names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from symoro.errors import ArgumentError
from symoro.robot import formats
from symoro.robot.description import Robot

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
    """The robot whose document the payload holds: JSON is YAML, so the reader of files reads it."""
    return formats.loads(json.dumps(item(payload, "robot", dict)), "yaml", file="robot")
