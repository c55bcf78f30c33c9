"""Manage the user's cache folder, which contains results that can be recomputed.

The environment variable SYMORO_CACHE selects another folder. If the folder is not writable, nothing is cached.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(kind: str) -> Path | None:
    """Return the cache folder for one kind of results, or None if the folder is not writable.

    Args:
        kind: name of the subfolder.
    """
    from platformdirs import user_cache_path

    named = os.environ.get("SYMORO_CACHE")
    folder = (Path(named) if named else user_cache_path("symoro")) / kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def write_whole(path: Path, text: str) -> None:
    """Write a text file under a temporary name and rename it, so that no reader sees an incomplete file."""
    descriptor, private = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(private).replace(path)
    except BaseException:  # also removes the temporary file after an interrupt
        Path(private).unlink(missing_ok=True)
        raise
