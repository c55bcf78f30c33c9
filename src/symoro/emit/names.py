"""Identifiers in emitted code: readable, valid in the language, and unique."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from symoro.emit.dialect import Dialect

_ILLEGAL = re.compile(r"[^A-Za-z0-9_]")


def identifier(name: str, fallback: str = "x") -> str:
    """Return a name reduced to letters, digits and underscores, starting with a letter or an underscore.

    If nothing remains, `fallback` is returned.
    """
    text = _ILLEGAL.sub(_spelled, name)
    if not text.strip("_"):
        return fallback
    return text if not text[0].isdigit() else f"{fallback}{text}"


def _spelled(match: re.Match[str]) -> str:
    """Return the replacement of an invalid character: the code of a letter of another script, otherwise _."""
    character = match.group()
    return f"u{ord(character):04x}" if character.isalpha() else "_"


class Names:
    """Set of the names used in one scope. If a requested name is already in use, a suffix is added."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._fold = str.lower if dialect.fold_case else dialect.symbol
        self._taken = {self._fold(word) for word in dialect.reserved}
        # A name with the symbol of another one gets the ending __2, which LaTeX writes as a prime.
        self._mark = dialect.underscore * (1 if dialect.symbol is str else 2)

    def claim(self, requested: str) -> str:
        """Return a valid unused name, as close as possible to the requested one, and reserve it."""
        base = self._legal(requested)
        name = base
        if self._fold(name) in self._taken:
            k = 2
            while self._fold(name := self._suffixed(base, k)) in self._taken:
                k += 1
        self._taken.add(self._fold(name))
        return name

    def free(self, name: str) -> bool:
        """Return whether the name is valid and unused."""
        return self._legal(name) == name and self._fold(name) not in self._taken

    def _suffixed(self, base: str, k: int) -> str:
        suffix = f"{self._mark}{k}"
        return base[: self._dialect.longest - len(suffix)] + suffix

    def _legal(self, name: str) -> str:
        text = identifier(name)
        if not self._dialect.leading_underscore and text[0] == "_":
            text = "x" + text
        text = text[: self._dialect.longest]
        if not self._dialect.trailing_underscore and text[-1] == "_":
            text = text[: self._dialect.longest - 1] + "x"
        if self._dialect.underscore != "_":
            text = re.sub(r"_([a-z])", lambda m: m.group(1).upper(), text)
            text = text.replace("_", self._dialect.underscore)
        return text[: self._dialect.longest]


def numbered(names: Names, stem: str) -> Iterator[str]:
    """Yield unused names consisting of the stem and a number, such as t1, t2; the caller must claim those it uses."""
    return (name for k in count(1) if names.free(name := f"{stem}{k}"))
