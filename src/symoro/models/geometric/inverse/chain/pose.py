"""Entries of the pose U0 = [s n a P] of inverse geometry: their names, and which of them are given."""

from __future__ import annotations

from symoro.errors import OptionError

COLUMNS = "snaP"
ROWS = "xyz"
WHOLE = {
    "full": "s,n,a,P",
    "position": "P",
    "axis": "a,P",
    "orientation": "s,n,a",
    "planar": "sx,sy,nx,ny,Px,Py",
}
Given = tuple[tuple[bool, ...], ...]


def entry_name(row: int, column: int) -> str:
    """Return the name of an entry of the pose: sx to Pz in the upper rows, T41 to T44 in the last row.

    Args:
        row, column: indices from 0.
    """
    return f"{COLUMNS[column]}{ROWS[row]}" if row < 3 else f"T4{column + 1}"


def given_entries(pose: str) -> Given:
    """Return which entries of the pose U0 = [s n a P] are given, as three rows of four flags.

    Args:
        pose: 'full', 'position', 'axis', 'orientation', 'planar', or a list of entries such as 'sx,sy,Px'.

    Raises:
        OptionError: a word is not a column (s, n, a, P), an entry (Px), or a row and column (14).
    """
    chosen: set[tuple[int, int]] = set()
    for word in WHOLE.get(pose, pose).replace(" ", "").split(","):
        chosen |= _entries(word, pose)
    return tuple(tuple((r, c) in chosen for c in range(4)) for r in range(3))


def _entries(word: str, pose: str) -> set[tuple[int, int]]:
    if word in tuple(COLUMNS):
        return {(r, COLUMNS.index(word)) for r in range(3)}
    if len(word) == 2 and word[0] in COLUMNS and word[1] in ROWS:
        return {(ROWS.index(word[1]), COLUMNS.index(word[0]))}
    if len(word) == 2 and word[0] in "123" and word[1] in "1234":
        return {(int(word[0]) - 1, int(word[1]) - 1)}
    raise OptionError(
        f"option pose: '{word}' in '{pose}' is not an entry of the pose",
        hint=f"give {', '.join(WHOLE)}, or a list such as a,P or sx,sy,Px,Py,Pz or 11,21,14,24",
    )
