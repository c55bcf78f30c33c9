"""Division of a long function into several functions (parts), which are called one after the other.

The compilation time of a function with many thousand statements is more than proportional: gcc spends minutes on the
register allocation of a function that it compiles in seconds if it is divided. The order of the statements does not
change. Values that one part defines and a later one reads are passed in an array. A position of it is reused when its
value is no longer needed. Inputs and constants are loaded again where they are needed. A plain copy into an output is
placed in the part that defines its value. In another part it would be a copy from array to array. gcc 12 checks every
pair of such copies in a loop for overlap, in a time that grows with the fourth power of their number: eighty take ten
seconds, hundreds do not end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

LONGEST = 300  # line groups per part
WHOLE = 2000  # up to this number of line groups a function is not divided

_WORD = re.compile(r"\b[A-Za-z_]\w*")


@dataclass(frozen=True)
class LineGroup:
    """Lines of code that must not be separated, and the variables that they define.

    Attributes:
        fetched: whether the line loads an entry of an argument, so that it can be repeated in another part.
        copied: variable that the line copies to an output, if it is a plain copy.
    """

    lines: list[str]
    names: tuple[str, ...] = ()
    fetched: bool = False
    copied: str = ""


@dataclass(frozen=True)
class Parts:
    """Function divided into parts.

    Attributes:
        lines: lines of code of each part.
        places: length of the array in which values are passed between parts.
    """

    lines: list[list[str]]
    places: int


def whole(units: Sequence[LineGroup]) -> list[str]:
    return [line for unit in units for line in unit.lines]


def words(lines: Sequence[str]) -> dict[str, None]:
    """Return all identifiers that occur in lines of code, in order; comments have separate lines and are ignored."""
    code = (line for line in lines if not line.lstrip().startswith(("/*", "//")))
    return {word: None for line in code for word in _WORD.findall(line)}


def cut(units: Sequence[LineGroup], place: Callable[[int], str], constant: str, indent: str) -> Parts:
    """Divide a function into parts of about LONGEST line groups each.

    Args:
        units: line groups of the function, in order.
        place: returns the text of an entry of the array in which values are passed between parts, from its index.
        constant: text before the name in the declaration of a variable.
        indent: beginning of a line.
    """
    fetched = {name: unit.lines for unit in units if unit.fetched for name in unit.names}
    work = [unit for unit in units if not unit.fetched]
    count = -(-len(work) // LONGEST)
    pieces = _copies_home(
        [work[first:last] for first, last in pairwise(len(work) * at // count for at in range(count + 1))]
    )
    home = {name: at for at, piece in enumerate(pieces) for unit in piece for name in unit.names}
    last_read = {word: at for at, piece in enumerate(pieces) for word in words(whole(piece)) if word in home}
    slots, places = _places(pieces, last_read)
    parts = []
    for at, piece in enumerate(pieces):
        lines: list[str] = []
        missing = set(fetched) | {name for name in slots if home[name] < at}
        for unit in piece:
            for name in words(unit.lines):
                if name in missing:
                    missing.remove(name)
                    lines += fetched.get(name) or [f"{indent}{constant}{name} = {place(slots[name])};"]
            lines += unit.lines
            lines += [f"{indent}{place(slots[name])} = {name};" for name in unit.names if name in slots]
        parts.append(lines)
    return Parts(parts, places)


def _copies_home(pieces: Sequence[Sequence[LineGroup]]) -> list[list[LineGroup]]:
    """Move each plain copy to an output to the end of the part that defines its value, and return the parts."""
    home = {name: at for at, piece in enumerate(pieces) for unit in piece for name in unit.names}
    moved: list[list[LineGroup]] = [[] for _ in pieces]
    for at, piece in enumerate(pieces):
        for unit in piece:
            moved[home.get(unit.copied, at)].append(unit)
    return [piece for piece in moved if piece]


def _places(pieces: Sequence[Sequence[LineGroup]], last_read: dict[str, int]) -> tuple[dict[str, int], int]:
    """Assign array positions to the variables that are passed between parts.

    Args:
        pieces: line groups of each part.
        last_read: variable -> number of the last part that reads it.

    Returns:
        Variable -> position in the array, and the length of the array.
    """
    slots: dict[str, int] = {}
    free: list[int] = []
    count = 0
    for at, piece in enumerate(pieces):
        for name in (name for unit in piece for name in unit.names):
            if last_read.get(name, at) > at:
                if not free:
                    free.append(count)
                    count += 1
                slots[name] = free.pop()
        free += [slot for name, slot in slots.items() if last_read[name] == at]
    return slots, count
