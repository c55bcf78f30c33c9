"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from symoro.errors import OptionError


def write_folder(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write texts under a folder; each file appears complete, under its own name, or not at all."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(target, text)
            written.append(target)
    except UnicodeEncodeError:
        raise OptionError(f"cannot write to '{folder}': a name holds signs that UTF-8 cannot write") from None
    except OSError as error:
        raise OptionError(f"cannot write to '{folder}': {error.strerror or error}") from None
    return written


def _write(target: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent)
    private = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        private.chmod(0o644)
        private.replace(target)
    except BaseException:
        private.unlink(missing_ok=True)
        raise
