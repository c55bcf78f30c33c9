"""A long function in parts.

A compiler takes more than proportionally long over a function of many thousand statements: gcc spends minutes on the
registers of one that it compiles in seconds when it is cut. The statements stay in their order. What one part defines
and a later one reads goes through an array, in which a place is used again once its value is no longer needed; inputs
and constants are fetched again where they are needed. A plain copy into an output goes with what defines its value: in
another part it would be a move from array to array, and gcc 12 asks of each pair of the moves in a loop whether they
overlap, in a time that grows with the fourth power of their number: eighty take ten seconds, hundreds have no end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

LONGEST = 300  # units of a part
WHOLE = 2000  # units up to which a function is left in one piece

_WORD = re.compile(r"\b[A-Za-z_]\w*")


@dataclass(frozen=True)
class LineGroup:
    """Lines that stay together, and the variables that they define.

    Attributes:
        fetched: the line copies an entry of an argument, so that it may as well be repeated in another part.
        copied: the variable of which the line is a plain copy into an output, if it is one.
    """

    lines: list[str]
    names: tuple[str, ...] = ()
    fetched: bool = False
    copied: str = ""


@dataclass(frozen=True)
class Parts:
    """The lines of all parts, and how many places the array between them has."""

    lines: list[list[str]]
    places: int


def whole(units: Sequence[LineGroup]) -> list[str]:
    return [line for unit in units for line in unit.lines]


def words(lines: Sequence[str]) -> set[str]:
    """All identifiers in some lines."""
    return {word for line in lines for word in _WORD.findall(line)}


def cut(units: Sequence[LineGroup], place: Callable[[int], str], constant: str, indent: str) -> Parts:
    """Units in parts of about LONGEST each.

    Arguments:
        place: the text of a place in the array between the parts.
        constant: what stands before the name of a variable.
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
    made = []
    for at, piece in enumerate(pieces):
        lines: list[str] = []
        missing = set(fetched) | {name for name in slots if home[name] < at}
        for unit in piece:
            for name in dict.fromkeys(_WORD.findall("\n".join(unit.lines))):
                if name in missing:
                    missing.remove(name)
                    lines += fetched.get(name) or [f"{indent}{constant}{name} = {place(slots[name])};"]
            lines += unit.lines
            lines += [f"{indent}{place(slots[name])} = {name};" for name in unit.names if name in slots]
        made.append(lines)
    return Parts(made, places)


def _copies_home(pieces: Sequence[Sequence[LineGroup]]) -> list[list[LineGroup]]:
    """The pieces, each copy at the end of the one that defines its value if that is an earlier one."""
    home = {name: at for at, piece in enumerate(pieces) for unit in piece for name in unit.names}
    moved: list[list[LineGroup]] = [[] for _ in pieces]
    for at, piece in enumerate(pieces):
        for unit in piece:
            moved[home.get(unit.copied, at)].append(unit)
    return [piece for piece in moved if piece]


def _places(pieces: Sequence[Sequence[LineGroup]], last_read: dict[str, int]) -> tuple[dict[str, int], int]:
    """Places of the variables that a later part reads, and their number."""
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
