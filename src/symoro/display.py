"""Return HTML of robots and models for notebooks.

`Robot` and `Model` are defined in layers below the user interface, which draws them. `symoro/__init__.py` registers the
drawing functions here, so that no module imports from a higher layer.
"""

from __future__ import annotations

from functools import singledispatch


@singledispatch
def html(item: object) -> str | None:
    """Return an object as HTML, or None if its class is not registered (a notebook then shows its text)."""
    return None
