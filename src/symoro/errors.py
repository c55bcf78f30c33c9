"""Exceptions that invalid input can raise: what is wrong, where, what is expected, what to do.

All of them derive from `SymoroError`: a script can catch the base class, and the command line prints any of them as one
message with exit code 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Position of an error in the user's input: file, line, column and key, each optional."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        numbers = [str(n) for n in (self.line, self.column) if n is not None]
        head = ":".join(([self.file] if self.file else []) + numbers)
        if self.file is None and self.line is not None:
            head = f"line {self.line}" + (f", column {self.column}" if self.column else "")
        return ", ".join(part for part in (head, self.key) if part)


class SymoroError(Exception):
    """Base class of all errors caused by the user's input."""

    def __init__(self, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        self.message = message
        self.place = place
        self.hint = hint
        super().__init__(self.text())

    def text(self) -> str:
        where = str(self.place) if self.place else ""
        lines = [f"{where}: {self.message}" if where else self.message]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def at(self, place: Place) -> SymoroError:
        """Return this error with its position set to `place`; callers that know the file use it."""
        self.place = place
        self.args = (self.text(),)
        return self


class ExpressionError(SymoroError):
    """Error if an expression is not valid in the grammar; `column` counts from 1 inside the expression."""

    def __init__(self, message: str, column: int, *, hint: str | None = None) -> None:
        self.column = column
        super().__init__(message, place=Place(column=column), hint=hint)

    def text(self) -> str:
        if self.place == Place(column=self.column):
            body = f"{self.message} (at character {self.column})"
            return f"{body}\nhint: {self.hint}" if self.hint else body
        return super().text()


class FormatError(SymoroError):
    """Error in the contents of a file, which therefore cannot be read."""


class WriteError(SymoroError):
    """Error if a file cannot be written or must not be overwritten."""


class RobotError(SymoroError):
    """Error if the description of a robot is inconsistent; `problems` lists all inconsistencies."""

    def __init__(self, robot: str, problems: Sequence[str], *, place: Place | None = None) -> None:
        self.problems = tuple(problems)
        head = f"robot '{robot}' is inconsistent"
        if len(self.problems) == 1:
            message = f"{head}: {self.problems[0]}"
        else:
            message = f"{head} in {len(self.problems)} places:" + "".join(f"\n  - {p}" for p in self.problems)
        super().__init__(message, place=place)


class UnknownNameError(SymoroError):
    """Error if a named robot, model, frame, option or language does not exist."""

    def __init__(self, kind: str, name: object, known: Sequence[str], *, hint: str | None = None) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(f"no {kind} called '{name}'", hint=hint or _nearest(str(name), self.known))


class NotApplicableError(SymoroError):
    """Error if a model does not apply to a robot; the message contains the reason."""


class OptionError(SymoroError):
    """Error if an option has an invalid value."""


class ArgumentError(SymoroError):
    """Error in an argument of a function: wrong shape, missing value or unknown name."""


class NotClosedError(ArgumentError):
    """Error if closed loops cannot be closed at the given positions of the active joints."""


class UndecidedError(ArgumentError):
    """Error if a simulation cannot continue, because the next state is not unique (for example stick or slip)."""


class ProgramError(SymoroError):
    """Error if a program (the symbolic form of a model) cannot be built, evaluated or written."""


class MissingDependencyError(SymoroError):
    """Error if an optional package or tool is required but not installed."""


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """Return a question that suggests the known names most similar to `name`; None if no name is similar."""
    import difflib

    by_lower = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=3, cutoff=0.5)
    return "did you mean " + " or ".join(f"'{by_lower[c]}'" for c in close) + "?" if close else None


def _nearest(name: str, known: Sequence[str]) -> str:
    shown = ", ".join(known[:40]) + (" ..." if len(known) > 40 else "")
    return did_you_mean(name, known) or (f"choose one of: {shown}" if known else "there are none")
