"""Documents read from YAML: trees of texts with positions, and typed access to their mappings.

A robot file requires scalars, lists and mappings only. Anchors, aliases, tags, several documents and keys that are
not scalars are rejected as soon as they are read, so that neither Python objects nor exponentially large structures
can be created; depth and number of nodes are limited. The parser's events are processed in a loop, so that nested data
require no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symoro.errors import UnknownNameError
from symoro.expr.formula import ZERO, Formula, exact_angle
from symoro.robot.formats.report import Report, Spot
from symoro.robot.records import ANGLES

MAX_DEPTH = 20
MAX_NODES = 60_000
_INTEGER = re.compile(r"[0-9]{1,9}\Z")


@dataclass(frozen=True)
class YamlScalar:
    """Scalar value of a YAML file, as text.

    Attributes:
        spot: line and column in the file.
        plain: whether the value is written without quotes.
        literal: whether the characters of the value are exactly those of the file, without escapes or line breaks.
    """

    text: str
    spot: Spot
    plain: bool
    literal: bool
    what = "a value"

    def locate(self, at: int) -> Spot:
        """Return line and column of the character with index `at` in the value.

        If the value contains escapes or line breaks, the position of its beginning is returned.
        """
        line, column = self.spot
        return (line, column + at + (not self.plain)) if self.literal else self.spot

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class YamlList:
    """List in a YAML file, with its position."""

    spot: Spot
    items: list[YamlNode] = field(default_factory=list)
    what = "a list"


@dataclass(frozen=True)
class YamlMapping:
    """Mapping in a YAML file: entries in the order of the file, with the position of each key."""

    spot: Spot
    entries: dict[str, YamlNode] = field(default_factory=dict)
    keys: dict[str, Spot] = field(default_factory=dict)
    what = "a mapping"


YamlNode = YamlScalar | YamlList | YamlMapping
YamlTree = str | bool | Mapping[str, "YamlTree"] | Sequence["YamlTree"]
"""Document without positions."""
SYNTAX = "check indentation, brackets and colons of this line and of the line above"


def compose(text: str, report: Report, what: str = "robot", head: str = "symoro: 1") -> YamlNode:
    """Parse a YAML text into a tree of nodes.

    Args:
        text: the YAML text.
        report: collects errors.
        what: noun for the contents, for messages.
        head: expected first line, for messages.

    Raises:
        FormatError: the text is not valid YAML, or uses features that are not permitted in a robot file.
    """
    composer = _Composer(report)
    for event in _events(text, report):
        composer.take(event)
    if composer.root is None:
        report.fail(
            f"the file contains no {what}", None, None, f"the first line of a {what} file is '{head}'"
        )
    return composer.root


def _events(text: str, report: Report) -> Iterator[Any]:
    """Yield the events of the YAML parser.

    The parser of libyaml is used if it is available, because it is ten times faster.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        spot = (mark.line + 1, mark.column + 1) if mark else None
        parts = [part for part in (error.context, error.problem) if part]
        report.fail(f"not valid YAML: {', '.join(parts)}", spot, None, SYNTAX)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        first = str(error).split("\n")[0][:100]
        report.fail(f"not valid YAML: {first}", None, None, SYNTAX)


class _Composer:
    """Builder of the tree of nodes from the parser's events.

    `stack` contains the lists and mappings that are not complete yet, with the key of the next value.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self.root: YamlNode | None = None
        self.stack: list[tuple[YamlList | YamlMapping, YamlScalar | None]] = []
        self.nodes = 0

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind in ("SequenceEndEvent", "MappingEndEvent"):
            node, _ = self.stack.pop()
            self._place(node)
        elif kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent", "AliasEvent"):
            self._node(kind, event)

    def _node(self, kind: str, event: Any) -> None:
        spot = (event.start_mark.line + 1, event.start_mark.column + 1)
        self._refuse(kind, event, spot)
        if kind == "ScalarEvent":
            self._place(_scalar(event, spot))
            return
        if len(self.stack) >= MAX_DEPTH:
            self.report.fail(f"nested deeper than {MAX_DEPTH} levels", spot)
        self.stack.append((YamlList(spot) if kind == "SequenceStartEvent" else YamlMapping(spot), None))

    def _refuse(self, kind: str, event: Any, spot: Spot) -> None:
        """Reject YAML features that are not permitted in a robot file.

        Args:
            kind: kind of the parser's event.
            event: the event.
            spot: its position in the file.
        """
        hint = "a robot file may contain only values, lists and mappings"
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.report.fail("the file contains too many values", spot)
        if kind == "AliasEvent" or event.anchor is not None:
            self.report.fail("anchors and aliases are not allowed", spot, None, hint)
        if event.tag is not None:
            self.report.fail("tags are not allowed", spot, None, hint)
        if self.root is not None:
            self.report.fail("a second document starts here", spot, None, "write one robot per file")

    def _place(self, node: YamlNode) -> None:
        """Add a completed node to the list or mapping that contains it, or make it the root."""
        if not self.stack:
            self.root = node
            return
        parent, key = self.stack[-1]
        if isinstance(parent, YamlList):
            parent.items.append(node)
        elif key is None:
            if not isinstance(node, YamlScalar):
                self.report.fail(f"a key cannot be {node.what}", node.spot)
            self.stack[-1] = (parent, node)
        else:
            self._enter(parent, key, node)
            self.stack[-1] = (parent, None)

    def _enter(self, parent: YamlMapping, key: YamlScalar, node: YamlNode) -> None:
        if key.text in parent.entries:
            first = parent.keys[key.text][0]
            hint = f"keep one of the two entries; the first is on line {first}"
            self.report.add(f"'{key.text}' is given twice", key.spot, key.text, hint)
            return
        parent.entries[key.text] = node
        parent.keys[key.text] = key.spot


def _scalar(event: Any, spot: Spot) -> YamlScalar:
    plain = not event.style
    width = len(event.value) + (0 if plain else 2)
    start, end = event.start_mark, event.end_mark
    literal = start.line == end.line and end.column - start.column == width
    return YamlScalar(event.value, spot, plain, literal)


# -- typed access


class Record:
    """Reader of a YAML mapping with a set of permitted keys.

    `path` is the name of the mapping in error messages. Each getter returns the value of a key; if the value is
    invalid, the error is added to the report and a default is returned.
    """

    def __init__(self, report: Report, node: YamlNode, path: str, allowed: Iterable[str]) -> None:
        self.report, self.path = report, path
        self.spot = node.spot
        self.node = node if isinstance(node, YamlMapping) else YamlMapping(node.spot)
        if not isinstance(node, YamlMapping):
            actual = "nothing" if isinstance(node, YamlScalar) and node.is_null else node.what
            hint = "write its keys and values, as in {key: value, key: value}"
            report.add(f"expected a mapping, got {actual}", node.spot, path or None, hint)
        self._check_keys(list(allowed))

    def _check_keys(self, allowed: list[str]) -> None:
        for key, spot in self.node.keys.items():
            if key not in allowed:
                hint = UnknownNameError("key", key, allowed).hint
                self.report.add(f"unknown key '{key[:40]}'", spot, self.full(key), hint)

    def __contains__(self, key: str) -> bool:
        return key in self.node.entries

    def full(self, key: str) -> str:
        """Return a key preceded by the path of the mapping, for example 'frames[2].alpha'."""
        return f"{self.path}.{key}" if self.path else key

    def spot_of(self, key: str) -> Spot:
        return self.node.keys.get(key, self.spot)

    def problem(self, key: str, message: str, hint: str | None = None) -> None:
        """Add an error in the value of a key to the report."""
        node = self.node.entries.get(key)
        self.report.add(message, node.spot if node else self.spot, self.full(key), hint)

    # -- values

    def scalar(self, key: str) -> YamlScalar | None:
        node = self.node.entries.get(key)
        if node is None:
            return None
        if not isinstance(node, YamlScalar):
            self.problem(key, f"expected one value, got {node.what}")
            return None
        if node.is_null:
            self.problem(key, "a value is missing", "omit the key to use its default")
            return None
        return node

    def text(self, key: str) -> str:
        node = self.scalar(key)
        return node.text if node else ""

    def choice(self, key: str, options: Sequence[str], default: str) -> str:
        node = self.scalar(key)
        if node is None:
            return default
        if node.text not in options:
            error = UnknownNameError(key, node.text, options)
            self.problem(key, f"'{node.text[:40]}' is not one of {', '.join(options)}", error.hint)
            return default
        return node.text

    def boolean(self, key: str, default: bool) -> bool:
        node = self.scalar(key)
        if node is None:
            return default
        if not node.plain or node.text.lower() not in ("true", "false"):
            self.problem(key, f"expected true or false, got '{node.text[:40]}'")
        return node.text.lower() == "true"

    def frame(self, key: str, default: int, highest: int, names: dict[str, int]) -> int:
        """Return the number of a frame that is given by number or by the name of its joint or link.

        Args:
            key: key of the value.
            default: number if the key is absent.
            highest: largest permitted number.
            names: frame numbers by name.
        """
        node = self.scalar(key)
        if node is None:
            return default
        number = names.get(node.text)
        if _INTEGER.match(node.text):
            number = int(node.text)
        if number is None or number > highest:
            hint = UnknownNameError("frame", node.text, list(names)).hint if len(names) > 1 else None
            self.problem(key, f"expected a frame, 0 to {highest}, got '{node.text[:40]}'", hint)
            return default
        return number

    def formula(self, key: str, default: Formula = ZERO) -> Formula:
        node = self.scalar(key)
        return default if node is None else self.expression(node, key)

    def number(self, key: str) -> float | None:
        """Return the number at a key, which may be written as a constant expression; None if the key is absent."""
        node = self.scalar(key)
        if node is None:
            return None
        value = self.expression(node, key)
        if value.number is None:
            self.problem(key, f"expected a number, got '{node.text[:40]}'")
        return value.number

    def count(self, key: str, most: int) -> int:
        """Return the whole number at a key, from 0 to `most`; 0 if the key is absent."""
        node = self.scalar(key)
        if node is None:
            return 0
        if not _INTEGER.match(node.text) or int(node.text) > most:
            self.problem(key, f"expected a whole number, 0 to {most}, got '{node.text[:40]}'")
            return 0
        return int(node.text)

    def angle(self, key: str) -> Formula:
        """Return the angle at a key (rad); a rounded multiple of pi such as 1.5708 becomes exact."""
        return exact_angle(self.formula(key))

    def formulas(self, keys: Iterable[str]) -> dict[str, Formula]:
        """Return the expressions at those of the given keys that are present, by key."""
        present = [key for key in keys if key in self]
        return {key: self.angle(key) if key in ANGLES else self.formula(key) for key in present}

    def expression(self, node: YamlScalar, key: str) -> Formula:
        if node.plain and node.text in ("true", "false", "True", "False"):
            self.report.add(f"expected a value, got {node.text}", node.spot, self.full(key))
            return ZERO
        return self.report.expression(node.text, node.locate, self.full(key))

    # -- nested records

    def keys_of(self, key: str) -> list[str]:
        """Return the keys of the mapping at `key`, which may have any keys."""
        node = self.node.entries.get(key)
        return list(node.entries) if isinstance(node, YamlMapping) else []

    def record(self, key: str, allowed: Iterable[str]) -> Record:
        """Return the mapping at `key`, with the permitted keys `allowed`; an empty one if the key is absent."""
        node = self.node.entries.get(key, YamlMapping(self.spot))
        return Record(self.report, node, self.full(key), allowed)

    def items(self, key: str) -> list[YamlNode]:
        """Return the items of the list at `key`; an empty list if the key is absent."""
        node = self.node.entries.get(key)
        if node is None:
            return []
        if not isinstance(node, YamlList):
            self.problem(key, f"expected a list, got {node.what}")
            return []
        return node.items

    def vector(self, key: str, length: int, default: tuple[Formula, ...]) -> tuple[Formula, ...]:
        """Return the list of expressions at `key`; `default` if the key is absent.

        Args:
            key: the key.
            length: required number of expressions.
            default: value for an absent key.
        """
        if key not in self:
            return default
        items = self.items(key)
        if len(items) != length:
            self.problem(key, f"expected {length} values, got {len(items)}")
            return default
        return tuple(self._entry(item, key) for item in items)

    def entries(self, key: str) -> list[Formula]:
        """Return the expressions of the list at `key` as one flat list; nested lists are read row by row."""
        rows = [item.items if isinstance(item, YamlList) else [item] for item in self.items(key)]
        return [self._entry(item, key) for row in rows for item in row]

    def _entry(self, item: YamlNode, key: str) -> Formula:
        if not isinstance(item, YamlScalar) or item.is_null:
            self.report.add("expected one value", item.spot, self.full(key))
            return ZERO
        return self.expression(item, key)

    def matrix(self, key: str, size: int, default: tuple[Formula, ...]) -> tuple[Formula, ...]:
        """Return the square matrix at `key`, which is written as a list of rows, as a flat tuple by rows.

        Args:
            key: the key.
            size: number of rows and columns.
            default: value for an absent key.
        """
        if key not in self:
            return default
        rows = self.items(key)
        if len(rows) != size or not all(isinstance(row, YamlList) and len(row.items) == size for row in rows):
            self.problem(key, f"expected {size} rows of {size} values", "[[1, 0, 0, 0], [0, 1, 0, 0], ...]")
            return default
        return tuple(self._entry(x, key) for row in rows if isinstance(row, YamlList) for x in row.items)
