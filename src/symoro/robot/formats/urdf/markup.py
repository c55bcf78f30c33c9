"""XML parser for untrusted files: a small tree with line numbers, without entities or document types.

Only the elements that a reader requests are stored; pictures and plugins are skipped.
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
MAX_TEXT = 2000  # characters of text stored per element: a pose has six numbers

_UNSAFE = "remove the DOCTYPE and its entities, which are not permitted"


@dataclass
class XmlNode:
    """XML element: attributes, stored children, and its position (line and column from 1).

    Attributes:
        skipped: positions of the child elements that are not stored, by name; for each name, that of the first one.
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
    """Parse an XML text and return its root element, with the descendants whose names are in `keep`.

    Args:
        text: the XML text.
        file: file name for error messages.
        keep: names of the elements that are stored.
        start: expected beginning of the file, for the message about a text that is not XML.

    Raises:
        FormatError: the text is not well-formed XML, exceeds the limits on size and depth, or contains entities.
    """
    return _Reader(file, keep, start).run(text)


class _Reader:
    def __init__(self, file: str | None, keep: Collection[str], start: str) -> None:
        self.file, self.keep, self.beginning = file, keep, start
        self.root: XmlNode | None = None
        self.open: list[XmlNode] = []
        self.depth = self.skipped = self.elements = self.lines_before = 0
        # The text is already decoded, so the encoding in its first line is not valid any more.
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
            raise FormatError("a character that is not valid Unicode", place=Place(self.file, line)) from None
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
        self.fail("document type and entity declarations are not permitted in a robot file", _UNSAFE)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(
                f"elements nested deeper than {MAX_DEPTH} levels", "check that the file describes a robot"
            )
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
