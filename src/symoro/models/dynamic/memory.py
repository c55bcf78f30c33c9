"""Formulations found by a search, kept in the user's cache folder under the robot, the model and this version."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from symoro._version import __version__
from symoro.cache import cache_folder, write_whole
from symoro.models.dynamic.formulation import Choice, Formulation
from symoro.robot.description import Robot


def recall(robot: Robot, model: str) -> Formulation | None:
    """What an earlier search found, or None; a damaged file counts as nothing found."""
    path = _path(robot, model)
    if path is None or not path.exists():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        links = tuple(Choice(**choice) for choice in data["links"])
        found = Formulation(links, bool(data["parallel_out"]), bool(data["parallel_in"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if len(links) == robot.NL else None


def remember(robot: Robot, model: str, formulation: Formulation) -> None:
    """Keep what a search found, if there is a place for it."""
    path = _path(robot, model)
    if path is not None:
        write_whole(path, json.dumps(asdict(formulation)))


def _path(robot: Robot, model: str) -> Path | None:
    folder = cache_folder("formulations")
    key = hashlib.sha256(f"{__version__}\0{model}\0{robot!r}".encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{key}.json"
