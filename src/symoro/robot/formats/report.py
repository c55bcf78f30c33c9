"""Common parts of the readers: limits, positions, expressions, and a report of all errors of a file.

A reader has one `Report` per file. It adds every error with its position, continues with a default value, and
ends with `finish`, which raises one `FormatError` for all errors or returns the robot.

Malicious files must be rejected quickly, so a report also limits the cost of the expressions: the time to read one is
quadratic in its length, and the total for a file may not exceed `MAX_WORK`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn, TypeVar

from symoro.errors import ExpressionError, FormatError, Place, RobotError
from symoro.expr.formula import ZERO, Formula, formula

if TYPE_CHECKING:
    from symoro.robot.description import Robot

R = TypeVar("R", bound="Robot")

MAX_BYTES = 4_000_000
MAX_FRAMES = 1000
MAX_WORK = 2500.0  # in units of a short expression; about half a second
MAX_PROBLEMS = 50
_SHOWN = 10
_CACHED = 64
_AT_ODDS = "the parts of the description contradict each other"
_LARGE = "check the number and its unit"
_DECIMAL = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]{1,2})?\Z")
_FRAME = re.compile(r"(?:\b(?:frame|joint|link)s?|cycle:) ([0-9]+)")

Spot = tuple[int, int]
"""Line and column, both from 1."""
NOWHERE: Spot = (0, 0)
"""Position of data that do not come from a file."""


@dataclass(frozen=True)
class Fault:
    """Error in a file: message, position, key and hint."""

    message: str
    spot: Spot | None
    key: str | None
    hint: str | None


class Report:
    """Errors and notes collected while a file is read.

    The errors are raised together; the notes are attached to the robot.
    """

    def __init__(self, file: str | None, what: str = "file") -> None:
        self.file, self.what = file, what
        self.problems: list[Fault] = []
        self.notes: list[str] = []
        self._work = 0.0

    def add(
        self,
        message: str,
        spot: Spot | None = None,
        key: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Add an error; a file with very many errors is rejected at once.

        Args:
            message: what is wrong.
            spot: line and column in the file.
            key: path of the key in the file.
            hint: what the user can do.
        """
        self.problems.append(Fault(message, spot, key, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            self.check()

    def fail(
        self,
        message: str,
        spot: Spot | None = None,
        key: str | None = None,
        hint: str | None = None,
    ) -> NoReturn:
        """Add an error after which the rest of the file cannot be read, and raise all errors."""
        self.problems.append(Fault(message, spot, key, hint))
        self._raise()

    def check(self) -> None:
        """Raise the collected errors, if there are any."""
        if self.problems:
            self._raise()

    def _raise(self) -> NoReturn:
        first, *others = sorted(self.problems, key=lambda p: p.spot or (0, 0))
        message = first.message
        if others:
            shown = [f"\n  - {_where(p)}{p.message}" for p in others[:_SHOWN]]
            rest = len(others) - len(shown)
            more = f"\n  - and {rest} more" if rest else ""
            message += f"\nalso wrong in this {self.what}:{''.join(shown)}{more}"
        line, column = _known(first.spot)
        raise FormatError(message, place=Place(self.file, line, column, first.key), hint=first.hint)

    def expression(self, text: str, locate: Callable[[int], Spot], key: str) -> Formula:
        """Parse the text of an expression and return its formula.

        If the text is invalid, an error is added to the report and zero is returned.

        Args:
            text: the expression.
            locate: function that returns line and column of a character of the text, counted from 0.
            key: path of the key, for the error.
        """
        self._spend(text, locate, key)
        try:
            return _formula(text)
        except ExpressionError as error:
            message = error.message if text.strip() else "a value is missing"
            self.add(message, locate(max(0, min(error.column - 1, len(text)))), key, error.hint)
            return ZERO

    def _spend(self, text: str, locate: Callable[[int], Spot], key: str) -> None:
        """Add the computing cost of parsing an expression to the total of the file.

        Args:
            text: the expression.
            locate: function that returns line and column of a character of the text.
            key: path of the key, for the error.
        """
        if _is_trivial(text):
            return
        size = len(text)
        self.charge(0.2 if _is_decimal(text) else 1 + size / 25 + size**2 / 15_000, locate(0), key)

    def charge(self, work: float, spot: Spot | None, key: str) -> None:
        """Add computing cost to the total of the file; reject the file if the total is too large.

        Args:
            work: the cost, as a multiple of that of a short expression.
            spot: line and column, for the error.
            key: path of the key, for the error.
        """
        self._work += work
        if self._work > MAX_WORK:
            hint = "replace parts of the expressions by symbols with numerical values"
            self.fail(f"the expressions of this {self.what} are too many or too long", spot, key, hint)

    def finish(self, make: Callable[[], R], spot_of: Callable[[int], Spot | None]) -> R:
        """Create the robot and add the notes to it, or raise the collected errors.

        Args:
            make: function that creates the robot; it may raise an error about inconsistent data.
            spot_of: function that returns the position at which a frame is described, by frame number.
        """
        self.check()
        try:
            robot = make()
            return replace(robot, notes=tuple(self.notes)) if self.notes else robot
        except RobotError as error:
            for problem in error.problems:
                number = _FRAME.search(problem)
                spot = spot_of(int(number[1])) if number else None
                self.add(problem, spot, None, _LARGE if "too large" in problem else _AT_ODDS)
            self._raise()


def _known(spot: Spot | None) -> tuple[int, int] | tuple[None, None]:
    return (None, None) if spot in (None, NOWHERE) else spot


def _where(problem: Fault) -> str:
    line, column = _known(problem.spot)
    place = Place(None, line, column, problem.key)
    return f"{place}: " if str(place) else ""


def _is_trivial(text: str) -> bool:
    return text.isdigit() or (len(text) <= _CACHED and text.isidentifier())


def _is_decimal(text: str) -> bool:
    """Return whether a text is a decimal number of ordinary length, which is cheap to parse."""
    return len(text) <= 32 and _DECIMAL.match(text) is not None


def _formula(text: str) -> Formula:
    return _cached(text) if len(text) <= _CACHED else _read(text)


def _read(text: str) -> Formula:
    """Parse the text of an expression and return its formula.

    Raises:
        ExpressionError: the text is not a valid expression, or too large.
    """
    try:
        return formula(text)
    except (ArithmeticError, ValueError, RecursionError):
        raise ExpressionError("the expression is too large to be evaluated", 1) from None


_cached = lru_cache(maxsize=4096)(_read)


def unix_lines(text: str) -> str:
    r"""Return the text with line ends converted to '\n', as every reader expects."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_from(file: str | None) -> str:
    """Return a robot's name from its file name, for files that contain no name."""
    stem = PurePath(file).stem if file and not file.startswith("<") else ""
    return stem or "robot"
