"""Display of robots, models and results: HTML for notebooks, plain text for terminals.

`Robot` and `Model` are defined in layers below the user interface, which draws them. `symoro/__init__.py` registers the
drawing functions here, so that no module imports from a higher layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch


@singledispatch
def html(item: object) -> str | None:
    """Return an object as HTML for a notebook; None if no HTML function is registered for its class.

    If the result is None, a notebook displays the object as text.
    """
    return None


class OneLineRepr:
    """Base class of results whose `repr` is one line: the class name and the first line of `str`.

    Dataclasses that derive from it are declared with repr=False.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self).splitlines()[0]}>"


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with aligned columns: names of the columns, a rule, and the rows."""
    widths = [max(len(row[c]) for row in (columns, *rows)) for c in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *rows)
    ]
    return [lines[0], "  ".join("-" * w for w in widths), *lines[1:]]
