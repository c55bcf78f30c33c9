"""HTML of robots and models for notebooks.

`Robot` and `Model` are defined below the user interface, which draws them. `symoro/__init__.py` registers the
functions that draw them, so that no module imports from a layer above its own.
"""

from __future__ import annotations

from functools import singledispatch


@singledispatch
def html(item: object) -> str | None:
    """Return an object as HTML; None, so that a notebook shows its text, if its class is not registered."""
    return None
