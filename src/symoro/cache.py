"""The user's cache folder: results that cost time and can always be made again.

SYMORO_CACHE names another place. Where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(kind: str) -> Path | None:
    """The folder for one kind of results, or None when it cannot be written."""
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
    """Write a file under a private name, then give it its own: readers see all of it or nothing."""
    descriptor, private = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(private).replace(path)
    except BaseException:  # an interrupt leaves nothing behind either
        Path(private).unlink(missing_ok=True)
        raise
