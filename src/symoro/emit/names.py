"""Identifiers: readable, legal in the language, never two meanings for one name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from symoro.emit.dialect import Dialect

_ILLEGAL = re.compile(r"[^A-Za-z0-9_]")


def identifier(name: str, fallback: str = "x") -> str:
    """Letters, digits and underscores only, starting with a letter or an underscore."""
    text = _ILLEGAL.sub(_spelled, name)
    if not text.strip("_"):
        return fallback
    return text if not text[0].isdigit() else f"{fallback}{text}"


def _spelled(match: re.Match[str]) -> str:
    """A character that no language accepts: a letter of another script by its code, the rest as _."""
    character = match.group()
    return f"u{ord(character):04x}" if character.isalpha() else "_"


class Names:
    """Hands out the names of one scope; the first to ask gets the name, the next one a suffix."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._fold = str.lower if dialect.fold_case else dialect.symbol
        self._taken = {self._fold(word) for word in dialect.reserved}

    def claim(self, wanted: str) -> str:
        """A legal name that nobody has, as near to the wanted one as possible."""
        base = self._legal(wanted)
        name = base
        if self._fold(name) in self._taken:
            k = 2
            while self._fold(name := self._suffixed(base, k)) in self._taken:
                k += 1
        self._taken.add(self._fold(name))
        return name

    def free(self, wanted: str) -> bool:
        """Whether the name is legal and nobody has it."""
        return self._legal(wanted) == wanted and self._fold(wanted) not in self._taken

    def _suffixed(self, base: str, k: int) -> str:
        suffix = f"{self._dialect.underscore}{k}"
        return base[: self._dialect.longest - len(suffix)] + suffix

    def _legal(self, wanted: str) -> str:
        text = identifier(wanted)
        if not self._dialect.leading_underscore and text[0] == "_":
            text = "x" + text
        if not self._dialect.trailing_underscore and text[-1] == "_":
            text = text[: self._dialect.longest - 1] + "x"
        if self._dialect.underscore != "_":
            text = re.sub(r"_([a-z])", lambda m: m.group(1).upper(), text)
            text = text.replace("_", self._dialect.underscore)
        return text[: self._dialect.longest]


def numbered(names: Names, stem: str) -> Iterator[str]:
    """Names t1, t2 ... that skip those which are taken; to be claimed by whoever takes one."""
    return (name for k in count(1) if names.free(name := f"{stem}{k}"))
