"""Where emitted code says which part of the model begins: `link 3: velocities`.

A model says of its named variables what they are a part of (`Program.sections`). Passes and scheduling may mix the
parts; a remark stands at the start of each run of statements of one part, while there are not many more runs than
parts. Else the phase alone is told, what stands behind the colon, and where that is mixed too, nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symoro.emit.listing import Listing
from symoro.expr import ops

OFTEN = 2  # times that a part may be taken up, on an average


def remarks(listing: Listing, nodes: Sequence[int]) -> dict[int, str]:
    """Statement -> the remark before it, for the statements of the setup or of the call part."""
    names, sections = listing.program.names, listing.program.sections
    told = [sections.get(names[i][0], "") if i in names else "" for i in nodes]
    for level in _LEVELS:
        titles = [level(title) for title in told]
        starts = _starts(titles)
        if len(starts) <= OFTEN * len(set(titles) - {""}):
            leading = _leading(listing)
            return {nodes[_with_its_own(leading, nodes, at)]: titles[at] for at in starts}
    return {}


def _phase(title: str) -> str:
    return title.rpartition(": ")[2]


_LEVELS: tuple[Callable[[str], str], ...] = (str, _phase)


def _starts(titles: Sequence[str]) -> list[int]:
    """Where a title differs from the one before; statements without a title belong to any."""
    current, found = "", []
    for at, title in enumerate(titles):
        if title and title != current:
            current = title
            found.append(at)
    return found


def _leading(listing: Listing) -> Callable[[int], bool]:
    """Whether a statement is nameless, and so a step on the way to the next that has a name."""
    op, names, constants = listing.program.graph.op, listing.program.names, frozenset(listing.constants)
    return lambda i: i not in names and i not in constants and op[i] not in (ops.KERNEL, ops.SIN, ops.COS)


def _with_its_own(leading: Callable[[int], bool], nodes: Sequence[int], at: int) -> int:
    """The first of the nameless statements that lead to a statement."""
    while at and leading(nodes[at - 1]):
        at -= 1
    return at
