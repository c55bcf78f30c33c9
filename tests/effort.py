"""Count work instead of time: the number of Python and C calls of a function, the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

Result = TypeVar("Result")


class TooMuchWork(AssertionError):
    """More calls than allowed."""


class Effort:
    """Counter of the calls in this thread; after `most` calls the next one raises TooMuchWork."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.calls = 0
        self._previous: Any = None

    def __enter__(self) -> Effort:
        self._previous = sys.getprofile()
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._previous)
        self._check()

    def _count(self, frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            self.calls += 1
            self._check()

    def _check(self) -> None:
        if self.most is not None and self.calls > self.most:
            raise TooMuchWork(f"more than {self.most} calls")


def calls(function: Callable[..., object], *given: object) -> int:
    """Return the number of calls that a function makes."""
    with Effort() as effort:
        function(*given)
    return effort.calls


def growth(function: Callable[..., object], small: object, large: object) -> float:
    """Return the ratio of the calls for the larger to those for the smaller task, without cached work."""
    function(small)
    return calls(function, large) / calls(function, small)
