"""The statements of a .par text, with the position of every value.

    file      = { comment | statement }
    comment   = "(*" ... "*)"                          may span lines
    name      = "(*" "Robotname" "=" "'" ... "'" "*)"
    statement = key "=" ( word | "{" value { "," value } "}" )

A word ends with its line; an array may span lines. Commas inside parentheses belong to the expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from symoro.errors import UnknownNameError
from symoro.robot.formats.report import MAX_FRAMES, Report, Spot

_STATEMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*")
_NAME = re.compile(r"Robotname\s*=\s*'([^'\n]*)'", re.IGNORECASE)
_ARRAY_END = re.compile(r"[{}=]")
_COMMA = re.compile(r"[(),]")
_SPACE = re.compile(r"\s*")
_MAX_COMMENTS = 10_000
_MAX_DEPTH = 1000


@dataclass(frozen=True)
class Value:
    """A value as it is written, and where: `at` counts characters from the start of the file."""

    text: str
    at: int


@dataclass(frozen=True)
class Statement:
    """A key with one word, or with the values of an array."""

    at: int
    word: Value | None
    values: tuple[Value, ...]


class Scan:
    """The statements of a text by key, in SYMORO's spelling, and the robot's name."""

    def __init__(self, text: str, report: Report, keys: tuple[str, ...], words: tuple[str, ...]) -> None:
        self.report = report
        self.name: str | None = None
        self.statements: dict[str, Statement] = {}
        self._spelling = {key.lower(): key for key in (*keys, *words)}
        self._words = words
        self._text = text  # positions are asked for while the comments are taken out
        self._text = self._without_comments(text)
        self._scan()

    def spot(self, at: int) -> Spot:
        """Line and column of a character."""
        return self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)

    def _without_comments(self, text: str) -> str:
        """The text with blanks for comments, so that positions stay; takes the robot's name from one."""
        parts, end = [], 0
        if text.count("(*") > _MAX_COMMENTS:
            self.report.fail("the file has too many comments", None, None, "is it a robot's file?")
        while (start := text.find("(*", end)) >= 0:
            close = text.find("*)", start + 2)
            if close < 0:
                self.report.fail("this comment is not closed", self.spot(start), None, "end it with '*)'")
            comment = text[start : close + 2]
            if self.name is None and (match := _NAME.search(comment)):
                self.name = match[1].strip()
            blank = re.sub(r"[^\n]", " ", comment) if "\n" in comment else " " * len(comment)
            parts += [text[end:start], blank]
            end = close + 2
        return "".join([*parts, text[end:]])

    def _scan(self) -> None:
        at = self._skip_space(0)
        while at < len(self._text):
            match = _STATEMENT.match(self._text, at)
            if match is None:
                self._junk(at)
                at = self._next_line(at)
            else:
                at = self._statement(match)
            at = self._skip_space(at)

    def _skip_space(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def _next_line(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end + 1

    def _junk(self, at: int) -> None:
        found = self._text[at : self._next_line(at)].strip()[:40]
        self.report.add(
            f"expected 'key = value', found '{found}'",
            self.spot(at),
            None,
            "comments stand between (* and *)",
        )

    def _statement(self, match: re.Match[str]) -> int:
        """Take one statement down; returns where the next may start."""
        at = match.end()
        values: tuple[Value, ...] = ()
        word = None
        if self._text.startswith("{", at):
            closed, at = self._array(match[1], at)
            if closed is None:
                return at
            values = closed
        else:
            end = self._next_line(at)
            word = Value(self._text[at:end].strip(), at)
            at = end
        self._keep(match, Statement(match.start(), word, values))
        return at

    def _array(self, key: str, start: int) -> tuple[tuple[Value, ...] | None, int]:
        """The values of the array that opens at `start`, and where its line goes on."""
        end = _ARRAY_END.search(self._text, start + 1)
        if end is None or end[0] != "}":
            self.report.add(
                f"the array of '{key}' is not closed",
                self.spot(start),
                key,
                "write '}' after its last value",
            )
            if end is None:
                return None, len(self._text)
            if end[0] == "{":
                return None, self._next_line(end.start())
            line = self._text.rfind("\n", 0, end.start()) + 1  # the statement that was run into
            return None, max(line, self._next_line(start))
        values = self._split(key, start + 1, end.start())
        rest = self._text[end.end() : self._next_line(end.end())].strip()
        if rest:
            spot = self.spot(self._skip_space(end.end()))
            self.report.add(f"unexpected '{rest[:40]}' after the array", spot, key, "one statement a line")
        return values, self._next_line(end.end())

    def _split(self, key: str, start: int, end: int) -> tuple[Value, ...] | None:
        if self._text.count(",", start, end) > 8 * MAX_FRAMES:
            self.report.fail("this array is too long", self.spot(start), key, f"at most {MAX_FRAMES} frames")
        cuts = [start - 1]
        opened: list[int] = []
        for match in _COMMA.finditer(self._text, start, end):
            if match[0] == "(":
                opened.append(match.start())
                if len(opened) > _MAX_DEPTH:
                    break
            elif match[0] == ")":
                del opened[-1:]  # one too many is for the expression's own reader to tell
            elif not opened:
                cuts.append(match.start())
        if opened:
            deep = len(opened) > _MAX_DEPTH
            message = "parentheses are nested too deep" if deep else "this parenthesis is not closed"
            self.report.add(message, self.spot(opened[-1]), key, None if deep else "')' is missing")
            return None
        cuts.append(end)
        return tuple(self._value(a + 1, b) for a, b in pairwise(cuts))

    def _value(self, start: int, end: int) -> Value:
        text = self._text[start:end]
        stripped = text.lstrip()
        return Value(stripped.rstrip(), start + (len(text) - len(stripped) if stripped else 0))

    def _keep(self, match: re.Match[str], statement: Statement) -> None:
        spot, written = self.spot(statement.at), match[1]
        key = self._spelling.get(written.lower())
        if key is None:
            hint = UnknownNameError("key", written, list(self._spelling.values())).hint
            self.report.add(f"unknown key '{written}'", spot, written, hint)
        elif key in self.statements:
            first = self.spot(self.statements[key].at)[0]
            self.report.add(f"'{key}' is given twice", spot, key, f"it stands on line {first} already")
        elif (statement.word is None) == (key in self._words):
            expected = "one word" if key in self._words else "an array { ... }"
            self.report.add(f"'{key}' needs {expected}", self.spot(match.end()), key)
        else:
            self.statements[key] = statement
