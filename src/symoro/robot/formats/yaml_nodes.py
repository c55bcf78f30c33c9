"""YAML as a tree of texts with positions, and nothing else.

A robot's file needs scalars, lists and mappings. Anchors, aliases, tags, several documents and keys that are
no scalars are refused as they come, so that neither an object nor a billion laughs can be built; depth and
number of nodes are bounded. The parser's events are read in a loop: nesting costs no stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from symoro.robot.formats.report import Report, Spot

MAX_DEPTH = 20
MAX_NODES = 60_000


@dataclass(frozen=True)
class YamlScalar:
    """A value as text; `plain` without quotes, `literal` when the file holds it letter by letter."""

    text: str
    spot: Spot
    plain: bool
    literal: bool
    what = "a value"

    def locate(self, at: int) -> Spot:
        """The position of a character; that of the value, where escapes or line breaks make it unsure."""
        line, column = self.spot
        return (line, column + at + (not self.plain)) if self.literal else self.spot

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class YamlList:
    """A list of nodes."""

    spot: Spot
    items: list[YamlNode] = field(default_factory=list)
    what = "a list"


@dataclass(frozen=True)
class YamlMapping:
    """A mapping in the order of the file; each key with its position."""

    spot: Spot
    entries: dict[str, YamlNode] = field(default_factory=dict)
    keys: dict[str, Spot] = field(default_factory=dict)
    what = "a mapping"


YamlNode = YamlScalar | YamlList | YamlMapping


def compose(text: str, report: Report, what: str = "robot", head: str = "symoro: 1") -> YamlNode:
    """The tree of a YAML text.

    Arguments:
        what: the text should hold, and `head` how it starts, for messages.

    Raises:
        FormatError: the text is no YAML, or uses more of it than a robot's file may.
    """
    composer = _Composer(report)
    for event in _events(text, report):
        composer.take(event)
    if composer.root is None:
        report.fail(f"the file holds no {what}", None, None, f"a {what}'s file starts with '{head}'")
    return composer.root


def _events(text: str, report: Report) -> Iterator[Any]:
    """The parser's events; libyaml's parser where it is built in, for it is ten times faster."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        spot = (mark.line + 1, mark.column + 1) if mark else None
        parts = [part for part in (error.context, error.problem) if part]
        report.fail(f"this is no YAML: {', '.join(parts)}", spot, None, "see docs/robot-yaml.md")
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        first = str(error).split("\n")[0][:100]
        report.fail(f"this is no YAML: {first}", None, None, "see docs/robot-yaml.md")


class _Composer:
    """Builds the tree; `stack` holds the open lists and mappings with the key that waits for its value."""

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
        """End at what a robot's file may not use."""
        hint = "a robot's file holds values, lists and mappings only"
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.report.fail("the file holds too many values", spot)
        if kind == "AliasEvent" or event.anchor is not None:
            self.report.fail("anchors and aliases are not allowed", spot, None, hint)
        if event.tag is not None:
            self.report.fail("tags are not allowed", spot, None, hint)
        if self.root is not None:
            self.report.fail("a second document starts here", spot, None, "one robot a file")

    def _place(self, node: YamlNode) -> None:
        """Put a finished node where it belongs: in the open list or mapping, or at the top."""
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
            hint = f"it stands on line {first} already"
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
