"""Named postures of a robot: one number per generalised coordinate, in radians or metres."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symoro.errors import OptionError, SymoroError, UnknownNameError
from symoro.expr.formula import formula

HOME = "home"  # default start of models and motions


class Postures(Mapping[str, tuple[float, ...]]):
    """Immutable mapping from the names of postures to joint positions (rad, m).

    It is hashable and equals a dict with the same contents.
    """

    __slots__ = ("_rows",)

    def __init__(self, given: Mapping[str, Iterable[Any]] | Iterable[tuple[str, Iterable[Any]]] = ()) -> None:
        rows = {str(name): tuple(_number(name, x) for x in values) for name, values in dict(given).items()}
        self._rows = rows

    def __getitem__(self, name: str) -> tuple[float, ...]:
        try:
            return self._rows[name]
        except KeyError:
            raise UnknownNameError("posture", name, list(self._rows)) from None

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def get(self, name: str, default: Any = None) -> Any:
        return self._rows.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return self._rows == (other._rows if isinstance(other, Postures) else other)

    def __hash__(self) -> int:
        return hash(frozenset(self._rows.items()))

    def __repr__(self) -> str:
        return f"Postures({self._rows!r})"


def _number(name: str, value: Any) -> float:
    """Return a joint position of posture `name` as float; texts such as pi/2 are evaluated."""
    try:
        number = formula(value.item() if getattr(value, "shape", None) == () else value).number
    except SymoroError as error:
        raise OptionError(f"posture '{name}': {error.message}") from None
    if number is None:
        raise OptionError(f"posture '{name}': expected a number, got '{value}'")
    return number
