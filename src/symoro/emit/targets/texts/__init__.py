"""Fixed texts of the export targets, with placeholders @NAME@."""

from __future__ import annotations

import re
from importlib import resources

_PLACEHOLDER = re.compile(r"@([A-Z_]+)@")


def filled_text(file: str, **values: str) -> str:
    """Return the text of a file of this folder, with a value for each of its placeholders @NAME@."""
    text = (resources.files("symoro.emit.targets.texts") / file).read_text(encoding="ascii")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)
