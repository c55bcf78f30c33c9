"""XML from strangers: a small tree with line numbers, without entities, document types or deep nesting.

Only the elements that a reader asks for are kept; pictures, collision shapes and plugins are skipped unread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from symoro.errors import FormatError, Place

MAX_BYTES = 16_000_000
MAX_DEPTH = 64
MAX_ELEMENTS = 20_000
MAX_KINDS = 100
MAX_TEXT = 2000  # characters of text kept per element: a pose has six numbers

_UNSAFE = "remove the DOCTYPE and its entities: a robot needs none"


@dataclass
class XmlNode:
    """An element: attributes, the kept children, and where it starts (line and column from 1).

    Attributes:
        skipped: the first of every other kind of element in it.
        text: the characters directly inside the element.
    """

    tag: str
    attributes: dict[str, str]
    spot: tuple[int, int]
    children: list[XmlNode] = field(default_factory=list)
    skipped: dict[str, tuple[int, int]] = field(default_factory=dict)
    text: str = ""

    def all(self, tag: str) -> Iterator[XmlNode]:
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> XmlNode | None:
        return next(self.all(tag), None)


def parse(
    text: str, file: str | None, keep: Collection[str], start: str = "a URDF starts with '<?xml' or '<robot'"
) -> XmlNode:
    """The root element of an XML text, with the elements called in `keep` below it.

    Arguments:
        start: how such a file starts, for a text that is no XML.

    Raises:
        FormatError: the text is not well-formed XML, or larger, deeper or less plain than a robot's.
    """
    return _Reader(file, keep, start).run(text)


class _Reader:
    def __init__(self, file: str | None, keep: Collection[str], start: str) -> None:
        self.file, self.keep, self.beginning = file, keep, start
        self.root: XmlNode | None = None
        self.open: list[XmlNode] = []
        self.depth = self.skipped = self.elements = self.lines_before = 0
        # The text is decoded already: whatever encoding its first line names no longer holds.
        self.expat = expat.ParserCreate("utf-8")
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self.start
        self.expat.EndElementHandler = self.end
        self.expat.CharacterDataHandler = self.characters
        self.expat.StartDoctypeDeclHandler = self.doctype
        self.expat.EntityDeclHandler = self.doctype

    def run(self, text: str) -> XmlNode:
        if len(text) > MAX_BYTES:
            raise FormatError(
                f"the file has more than {MAX_BYTES // 1_000_000} million characters", place=Place(self.file)
            )
        body = text.lstrip("\ufeff \t\r\n")
        self.lines_before = text[: len(text) - len(body)].count("\n")
        try:
            self.expat.Parse(body.encode(), True)
        except UnicodeEncodeError as error:
            line = body.count("\n", 0, error.start) + 1 + self.lines_before
            raise FormatError("a character that is no Unicode text", place=Place(self.file, line)) from None
        except expat.ExpatError as error:
            place = Place(self.file, error.lineno + self.lines_before, error.offset + 1)
            message = expat.ErrorString(error.code) or "not well-formed"
            raise FormatError(
                f"not an XML file: {message}", place=place, hint=_advice(body, self.beginning)
            ) from None
        if self.root is None:
            raise FormatError("the file is empty", place=Place(self.file))
        return self.root

    def spot(self) -> tuple[int, int]:
        return (self.expat.CurrentLineNumber + self.lines_before, self.expat.CurrentColumnNumber + 1)

    def fail(self, message: str, hint: str) -> NoReturn:
        raise FormatError(message, place=Place(self.file, *self.spot()), hint=hint)

    def doctype(self, *_: object) -> None:
        self.fail("a document type or entity declaration, which a robot's file may not have", _UNSAFE)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"elements nested deeper than {MAX_DEPTH} levels", "a robot's file is far from that")
        if self.skipped or (self.root is not None and tag not in self.keep):
            if not self.skipped and len(self.open[-1].skipped) < MAX_KINDS:
                self.open[-1].skipped.setdefault(tag, self.spot())
            self.skipped += 1
            return
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            self.fail(f"more than {MAX_ELEMENTS} elements", "split the robot into several files")
        node = XmlNode(tag, attributes, self.spot())
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def characters(self, text: str) -> None:
        if self.open and not self.skipped and len(self.open[-1].text) < MAX_TEXT:
            self.open[-1].text += text

    def end(self, _: str) -> None:
        self.depth -= 1
        if self.skipped:
            self.skipped -= 1
        else:
            self.open.pop()


def _advice(body: str, start: str) -> str:
    if not body:
        return "the file is empty"
    if not body.startswith("<"):
        return start
    return "every element must be closed, and '<' and '&' in texts written as '&lt;' and '&amp;'"
