"""Strict reader of SYMORO's .par files, as written by OpenSYMORO.

The syntax is given below, with the scanner. Keys are accepted in any case (`Ant`, `B`, `Theta`):

    NL NJ NF Type is_floating is_mobile               words; NF = 2 NJ - NL, B = NJ - NL loops
    platform                                          a word added by symoro: the frame of the platform
    ant sigma b d r gamma alpha mu theta              NF values, frames 1 ..
    XX .. ZZ MX MY MZ M IA FV FS FX .. CZ             NL values, links 1 .. ; NL + 1 values, from link 0, with a
                                                      floating or mobile base, or a base that may become one
    eta k QP QDP GAM                                  NJ values, joints 1 ..
    W0 WP0 V0 VP0 G (3 values)   Z (16 values, by rows)

Type must be 0 (serial), 1 (tree) or 2 (closed loops). theta of a revolute joint j is its variable th<j>, t<j> or
q<j> plus a constant; r of a prismatic joint is r<j> or q<j> plus a constant; the same name elsewhere is a
parameter. A missing array has SYMORO's default: symbolic inertia, rotor inertia and friction, gravity {0,0,G3},
zero wrench, free motion. Free entries of QP, QDP and GAM contain their own name (QP3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from symoro.errors import UnknownNameError
from symoro.expr.formula import ZERO, Formula, exact_angle
from symoro.robot.description import (
    ANGLES,
    GEOMETRIC,
    INERTIAL,
    MOTION,
    WRENCH,
    Base,
    BaseKind,
    Frame,
    JointType,
    Link,
    Robot,
)
from symoro.robot.formats.report import MAX_FRAMES, Report, Spot, name_from, unix_lines
from symoro.robot.formats.variable import find_variable, not_constant, offset_from, variable_names

WORDS = ("NL", "NJ", "NF", "Type", "is_floating", "is_mobile", "platform")
FRAME_KEYS = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
DRIVE_KEYS = ("IA", "FV", "FS")
LINK_KEYS = (*INERTIAL, *DRIVE_KEYS, *WRENCH)
JOINT_KEYS = ("eta", "k", *MOTION)
BASE_KEYS = {"W0": 3, "WP0": 3, "V0": 3, "VP0": 3, "G": 3, "Z": 16}
_KEYS = (*FRAME_KEYS, *LINK_KEYS, *JOINT_KEYS, *BASE_KEYS)
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_INTEGER = re.compile(r"[0-9]{1,9}\Z")


def read_par(text: str, file: str | None = None) -> Robot:
    """Read the robot described by a .par text.

    Raises:
        FormatError: the text has errors; the message contains the position of the first one and lists all others.
    """
    report = Report(file)
    return _Reader(Scan(unix_lines(text), report, _KEYS, WORDS), report).robot()


class _Reader:
    """Conversion of the statements of a .par file to a robot.

    An invalid statement is added to the report of errors and replaced by its default.
    """

    def __init__(self, scan: Scan, report: Report) -> None:
        self.scan, self.report = scan, report
        self.NL, self.NJ = self._sizes()
        self.B = self.NJ - self.NL
        self.NF = self.NJ + self.B
        self.kind = self._base_kind()
        self.sigma = [
            JointType(s) for s in self._integers("sigma", self._default_sigma(), range(3), "0, 1 or 2")
        ]

    def robot(self) -> Robot:
        self._check_type()
        frames = self._frames()
        links, drives = self._links()
        base = Base(kind=self.kind, link=links[0], **self._base_vectors())
        name = self.scan.name or name_from(self.report.file)
        joined = tuple(Frame(**frame, **drive) for frame, drive in zip(frames, drives, strict=True))
        return self.report.finish(
            lambda: Robot(
                name=name,
                frames=joined,
                links=tuple(links[1:]),
                base=base,
                platform=self._word_integer("platform"),
            ),
            self._spot_of_frame,
        )

    # -- words

    def _sizes(self) -> tuple[int, int]:
        NL = self._word_integer("NL")
        if NL is None:
            self.report.fail("the number of links is missing", None, "NL", "for example NL = 6")
        if NL < 1 or NL > MAX_FRAMES:
            hint = f"NL must be a number from 1 to {MAX_FRAMES}"
            self.report.fail(f"{NL} links are not supported", self._spot_of("NL"), "NL", hint)
        NJ = self._word_integer("NJ")
        if NJ is None:
            return NL, NL
        if NJ < NL or NJ > MAX_FRAMES:
            hint = "NJ is NL plus the number of loops"
            self.report.fail(f"{NL} links cannot have {NJ} joints", self._spot_of("NJ"), "NJ", hint)
        NF = self._word_integer("NF")
        if NF is not None and NF != 2 * NJ - NL:
            message = f"NF is {NF}, but with NL = {NL} and NJ = {NJ} it must be {2 * NJ - NL}"
            self.report.add(message, self._spot_of("NF"), "NF", "NF = 2 NJ - NL")
        return NL, NJ

    def _word_integer(self, key: str) -> int | None:
        word = self._word(key)
        if word is None:
            return None
        if not _INTEGER.match(word.text):
            message = f"{key} must be a whole number, got '{word.text[:40]}'"
            self.report.fail(message, self.scan.spot(word.at), key, f"for example {key} = 6")
        return int(word.text)

    def _word(self, key: str) -> Value | None:
        statement = self.scan.statements.get(key)
        return statement.word if statement else None

    def _flag(self, key: str) -> bool:
        word = self._word(key)
        if word is None:
            return False
        if word.text.lower() not in _BOOLEANS:
            message = f"{key} must be True or False, got '{word.text[:40]}'"
            self.report.add(message, self.scan.spot(word.at), key)
        return _BOOLEANS.get(word.text.lower(), False)

    def _base_kind(self) -> BaseKind:
        floating, mobile = self._flag("is_floating"), self._flag("is_mobile")
        if floating and mobile:
            message = "a base cannot be both floating and mobile"
            self.report.add(message, self._spot_of("is_mobile"), "is_mobile", "set one of them to False")
        if floating:
            return BaseKind.FLOATING
        return BaseKind.WHEELED if mobile else BaseKind.FIXED

    def _check_type(self) -> None:
        """Check that the statements Type and NJ and the antecedents of the frames are consistent."""
        kind = self._word_integer("Type")
        spot = self._spot_of("Type")
        if kind is None:
            return
        if kind not in (0, 1, 2):
            hint = "Type must be 0 (serial), 1 (tree) or 2 (closed loops)"
            self.report.add(f"unknown Type {kind}", spot, "Type", hint)
        elif kind == 2 and not self.B:
            message = "Type 2 is a robot with closed loops, but NJ = NL means that there are no loops"
            self.report.add(message, spot, "Type", "NJ is NL plus the number of loops")
        elif kind < 2 and self.B:
            message = f"Type {kind} has no closed loops, but NJ - NL = {self.B}"
            self.report.add(message, spot, "Type", "a robot with closed loops has Type = 2")

    # -- arrays

    def _spot_of(self, key: str) -> Spot | None:
        statement = self.scan.statements.get(key)
        return self.scan.spot(statement.at) if statement else None

    def _spot_of_frame(self, j: int) -> Spot | None:
        statement = self.scan.statements.get("ant")
        if statement and 1 <= j <= len(statement.values):
            return self.scan.spot(statement.values[j - 1].at)
        return self._spot_of("ant")

    def _values(self, key: str, length: int, means: str, *, or_length: int = 0) -> tuple[Value, ...] | None:
        """Return the values of an array of a .par file; None if the array is missing or has a wrong length.

        Args:
            key: name of the array.
            length: expected number of values.
            means: meaning of the values, for messages.
            or_length: another permitted number of values.
        """
        statement = self.scan.statements.get(key)
        if statement is None:
            return None
        count = len(statement.values)
        if count in (length, or_length):
            return statement.values
        at = statement.values[length].at if count > length else statement.at
        message = f"'{key}' requires {length} values ({means}), got {count}"
        self.report.add(message, self.scan.spot(at), key, self._length_hint(key, count))
        return None

    def _length_hint(self, key: str, count: int) -> str | None:
        if key in LINK_KEYS and self.kind == BaseKind.FIXED and count == self.NL + 1:
            return "give a value for link 0 only with a floating or mobile base, or in all arrays XX .. M"
        return None

    def _integers(self, key: str, default: list[int], allowed: range, means: str) -> list[int]:
        length = len(default)
        values = self._values(key, length, "NF" if length == self.NF else "NJ")
        if values is None:
            return default
        numbers = []
        for value, other in zip(values, default, strict=True):
            good = _INTEGER.match(value.text) and int(value.text) in allowed
            if not good:
                message = f"'{key}' must be {means}, got '{value.text[:40]}'"
                self.report.add(message, self.scan.spot(value.at), key)
            numbers.append(int(value.text) if good else other)
        return numbers

    def _formula(self, key: str, value: Value) -> Formula:
        return self.report.expression(value.text, lambda k: self.scan.spot(value.at + k), key)

    # -- frames and joints

    def _default_sigma(self) -> list[int]:
        return [0] * self.NJ + [2] * self.B

    def _frames(self) -> list[dict[str, Any]]:
        ants = self._antecedents()
        frames: list[dict[str, Any]] = [
            {"ant": ant, "sigma": sigma} for ant, sigma in zip(ants, self.sigma, strict=True)
        ]
        for key in GEOMETRIC:
            values = self._values(key, self.NF, "NF")
            for frame, value in zip(frames, values or (), strict=False):
                frame[key] = self._formula(key, value)
        self._joint_variables(frames)
        for frame in frames:
            frame |= {key: exact_angle(frame[key]) for key in ANGLES if key in frame}
        self._mark_active(frames)
        self._joint_arrays(frames)
        return frames

    def _antecedents(self) -> list[int]:
        if "ant" not in self.scan.statements and self.B:
            self.report.add("a robot with closed loops requires the array 'ant'", None, "ant")
        default = list(range(self.NF))
        ants = self._integers("ant", default, range(self.NF + 1), f"a frame, 0 to {self.NF}")
        word = self._word("Type")
        if word and word.text == "0" and ants != default:
            j = next(j for j, ant in enumerate(ants, 1) if ant != j - 1)
            message = f"Type 0 is a serial chain, but the antecedent of frame {j} is {ants[j - 1]}"
            hint = "a robot with branches has Type = 1"
            self.report.add(message, self._spot_of_frame(j), "ant", hint)
        return ants

    def _joint_variables(self, frames: list[dict[str, Any]]) -> None:
        """Replace theta or r of each moving joint, which contains the joint variable, by its constant offset.

        Args:
            frames: fields of each frame.
        """
        variables: dict[str, int] = {}
        for j, frame in enumerate(frames, 1):
            key = "r" if frame["sigma"] == JointType.PRISMATIC else "theta"
            if frame["sigma"] == JointType.FIXED or key not in frame:
                continue
            names = variable_names(frame["sigma"], j)
            name = find_variable(frame[key], names)
            offset = offset_from(frame[key], name) if name else None
            if name is None or offset is None:
                self._wrong_variable(key, j, frame[key], names)
            else:
                variables[name] = j
                frame[key] = offset
        self._check_offsets(frames, variables)

    def _wrong_variable(self, key: str, j: int, value: Formula, names: list[str]) -> None:
        joint = "revolute" if key == "theta" else "prismatic"
        self.report.add(
            f"{key} of the {joint} joint {j} must be its variable plus a constant, got '{value.text[:40]}'",
            self._spot_in(key, j),
            key,
            f"write {names[0]}, or {names[0]} + offset; the variable may be called {', '.join(names)}",
        )

    def _check_offsets(self, frames: list[dict[str, Any]], variables: dict[str, int]) -> None:
        """Check that the constant offset of a joint does not contain the variable of another joint.

        In other columns the name of a joint variable denotes a parameter.

        Args:
            frames: fields of each frame.
            variables: joint number by name of the variable.
        """
        for j, frame in enumerate(frames, 1):
            own = "r" if frame["sigma"] == JointType.PRISMATIC else "theta"
            for key in GEOMETRIC:
                value = frame.get(key, ZERO)
                for name in sorted(value.symbols & variables.keys()):
                    if key == own and frame["sigma"] != JointType.FIXED:
                        message, hint = not_constant(key, j, name, variables[name])
                        self.report.add(message, self._spot_in(key, j), key, hint)
                    else:
                        note = f"{name} in {key} of frame {j} is interpreted as a parameter, not as a joint variable"
                        self.report.notes.append(note)

    def _spot_in(self, key: str, j: int) -> Spot:
        return self.scan.spot(self.scan.statements[key].values[j - 1].at)

    def _mark_active(self, frames: list[dict[str, Any]]) -> None:
        default = [1] * self.NL + [0] * (self.NF - self.NL)
        for j, mu in enumerate(self._integers("mu", default, range(2), "0 or 1"), 1):
            opened = self.NL < j <= self.NJ
            if opened and mu:
                self.report.notes.append(
                    f"joint {j} is the cut joint of a loop and is treated as passive (mu 0)"
                )
            frames[j - 1]["mu"] = bool(mu) and not opened

    def _joint_arrays(self, frames: list[dict[str, Any]]) -> None:
        joints = frames[: self.NJ]
        etas = self._integers("eta", [0] * self.NJ, range(2), "0 or 1")
        for joint, eta in zip(joints, etas, strict=True):
            joint["eta"] = bool(eta)
        for key in ("k", *MOTION):
            values = self._values(key, self.NJ, "NJ")
            for j, (joint, value) in enumerate(zip(joints, values or (), strict=False), 1):
                number = self._formula(key, value)
                fixed = joint["sigma"] == JointType.FIXED
                free = number.text == f"{key}{j}" or (fixed and number.is_zero)
                if key == "k" or not free:
                    joint[key] = number
                if key == "k" and not joint["eta"] and not number.is_zero:
                    message = f"joint {j} has a stiffness but is not elastic"
                    hint = f"give it eta = 1 (value {j} of eta), or k = 0"
                    self.report.add(message, self.scan.spot(value.at), key, hint)

    # -- links and base

    def _links(self) -> tuple[list[Link], list[dict[str, Any]]]:
        """Return the links from link 0, and the actuator data of each joint by field name."""
        links: list[dict[str, Any]] = [{} for _ in range(self.NL + 1)]
        drives: list[dict[str, Any]] = [{} for _ in range(self.NF)]
        for key in LINK_KEYS:
            numbers = self._link_array(key)
            if key not in DRIVE_KEYS:
                for link, value in zip(links, numbers, strict=True):
                    link[key] = value
                continue
            for drive, value in zip(drives, numbers[1:], strict=False):
                drive[key] = value
            if not numbers[0].is_zero:
                self.report.notes.append(f"{key}0 = {numbers[0]} is ignored: the base has no joint")
        return [Link(**link) for link in links], drives

    def _link_array(self, key: str) -> list[Formula]:
        """Return the values of an array, such as XX, for links 0 to NL."""
        with_base = self.kind != BaseKind.FIXED or self._includes_link_0()
        length, means = (self.NL + 1, "NL + 1, from link 0") if with_base else (self.NL, "NL")
        values = self._values(key, length, means, or_length=self.NL)
        if values is None:
            return [self._default(key, j) for j in range(self.NL + 1)]
        numbers = [self._formula(key, value) for value in values]
        if len(numbers) == self.NL + 1:
            return numbers
        if with_base:
            self.report.notes.append(f"{key} has no value for link 0, the base; 0 is used")
        return [ZERO, *numbers]

    def _includes_link_0(self) -> bool:
        """Return whether all arrays of inertial parameters have a value for link 0."""
        statements = [self.scan.statements.get(key) for key in INERTIAL]
        return all(statement and len(statement.values) == self.NL + 1 for statement in statements)

    def _default(self, key: str, j: int) -> Formula:
        """Return SYMORO's symbol for parameter `key` of link j (for example XX1), used if the array is missing."""
        if key in WRENCH:
            return ZERO
        if j == 0:
            has_symbol = self.kind != BaseKind.FIXED and key in INERTIAL
        else:
            has_symbol = key in INERTIAL or self.sigma[j - 1] != JointType.FIXED
        return Formula(f"{key}{j}") if has_symbol else ZERO

    def _base_vectors(self) -> dict[str, Any]:
        vectors = {}
        for key, length in BASE_KEYS.items():
            values = self._values(key, length, "by rows" if key == "Z" else "x, y, z")
            if values is not None:
                vectors[key] = tuple(self._formula(key, value) for value in values)
        return vectors


# -- statements, with the position of every value
#
#     file      = { comment | statement }
#     comment   = "(*" ... "*)"                          may span lines
#     name      = "(*" "Robotname" "=" "'" ... "'" "*)"
#     statement = key "=" ( word | "{" value { "," value } "}" )
#
# A word ends at the end of its line; an array may span lines. Commas inside parentheses are part of the expression.


_STATEMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*")
_NAME = re.compile(r"Robotname\s*=\s*'([^'\n]*)'", re.IGNORECASE)
_ARRAY_END = re.compile(r"[{}=]")
_COMMA = re.compile(r"[(),]")
_SPACE = re.compile(r"\s*")
_MAX_COMMENTS = 10_000
_MAX_DEPTH = 1000


@dataclass(frozen=True)
class Value:
    """Text of a value, and its position `at`: the number of characters before it in the file."""

    text: str
    at: int


@dataclass(frozen=True)
class Statement:
    """Statement `key = value` of a .par file, with one word or the values of an array."""

    at: int
    word: Value | None
    values: tuple[Value, ...]


class Scan:
    """Statements of a .par text by key (in SYMORO's spelling), and the robot's name."""

    def __init__(self, text: str, report: Report, keys: tuple[str, ...], words: tuple[str, ...]) -> None:
        self.report = report
        self.name: str | None = None
        self.statements: dict[str, Statement] = {}
        self._spelling = {key.lower(): key for key in (*keys, *words)}
        self._words = words
        self._text = text  # positions are needed while comments are removed
        self._text = self._without_comments(text)
        self._scan()

    def spot(self, at: int) -> Spot:
        """Return line and column of the character with index `at`."""
        return self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)

    def _without_comments(self, text: str) -> str:
        """Return the text with comments replaced by blanks, so that positions do not change.

        The robot's name is read from one of the comments.
        """
        parts, end = [], 0
        if text.count("(*") > _MAX_COMMENTS:
            self.report.fail(
                "the file has too many comments", None, None, "check that the file describes a robot"
            )
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
        text = self._text[at : self._next_line(at)].strip()[:40]
        self.report.add(
            f"expected 'key = value', got '{text}'",
            self.spot(at),
            None,
            "comments are enclosed in (* and *)",
        )

    def _statement(self, match: re.Match[str]) -> int:
        """Read one statement of a .par text and return the position after it."""
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
        """Return the values of the array that starts at position `start` of the text, and the position after it."""
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
            line = (
                self._text.rfind("\n", 0, end.start()) + 1
            )  # the next statement, before which '}' is missing
            return None, max(line, self._next_line(start))
        values = self._split(key, start + 1, end.start())
        rest = self._text[end.end() : self._next_line(end.end())].strip()
        if rest:
            spot = self.spot(self._skip_space(end.end()))
            self.report.add(
                f"unexpected '{rest[:40]}' after the array", spot, key, "write one statement per line"
            )
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
                del opened[-1:]  # a superfluous ')' is reported by the expression parser
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
            self.report.add(
                f"'{key}' is given twice",
                spot,
                key,
                f"keep one of the two entries; the first is on line {first}",
            )
        elif (statement.word is None) == (key in self._words):
            expected = "one word" if key in self._words else "an array { ... }"
            self.report.add(f"'{key}' requires {expected}", self.spot(match.end()), key)
        else:
            self.statements[key] = statement
