"""Read entries of a payload, with errors that name the entry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from symoro.errors import ArgumentError
from symoro.robot import formats
from symoro.robot.description import Robot

if TYPE_CHECKING:
    from symoro.runtime.function import Array

MOST_FRAMES = 300
MOST_KEPT = 32  # largest number of cached robots per process
T = TypeVar("T")
MISSING: Any = object()
NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def item(payload: Mapping[str, Any], name: str, kind: type[T], default: Any = MISSING) -> T:
    """Return an entry of the JSON object of a request.

    Args:
        payload: the JSON object.
        name: key of the entry.
        kind: expected Python type.
        default: value if the entry is absent; without a default the entry is required.

    Raises:
        ArgumentError: the entry is missing or has a wrong type.
    """
    value = payload.get(name, default)
    if value is MISSING:
        raise ArgumentError(f"'{name}' is missing", hint=f"expected {NAMES[kind]}")
    if value is default:
        checked: T = value
        return checked
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ArgumentError(f"'{name}': expected {NAMES[kind]}, got {type(value).__name__}")
    return value


def finite_numbers(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Return an array of the given shape.

    Raises:
        ArgumentError: the shape differs, or an entry is not a finite number.
    """
    import numpy as np

    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != shape or not np.isfinite(array).all():
        raise ArgumentError(f"'{name}': expected {' x '.join(map(str, shape))} finite numbers")
    return array


def robot_of(payload: Mapping[str, Any]) -> Robot:
    """Return the robot that the entry `robot` of a request describes.

    JSON is a subset of YAML, so the YAML reader is used.

    Raises:
        SymoroError: the description is invalid or too large for the page.
    """
    document = item(payload, "robot", dict)
    frames = document.get("frames", ())
    if isinstance(frames, list) and len(frames) > MOST_FRAMES:
        raise ArgumentError(
            f"a robot in the workbench has at most {MOST_FRAMES} frames, got {len(frames)}",
            hint="use the command line for larger robots",
        )
    try:
        return _read(json.dumps(document, allow_nan=False))
    except (RecursionError, ValueError):  # nested too deeply, or numbers that are not JSON
        raise ArgumentError(
            "'robot' is not the description of a robot",
            hint="expected an object with the keys of a robot's YAML file",
        ) from None


@lru_cache(maxsize=MOST_KEPT)
def _read(text: str) -> Robot:
    return formats.loads(text, "yaml", file="robot")
