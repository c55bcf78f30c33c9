"""The format of a text, told by what stands in it, for input that has no suffix."""

from __future__ import annotations

import re

from symoro.errors import FormatError, Place
from symoro.robot.formats.urdf.markup import parse

_PAR = re.compile(r"\s*\(\*|^[ \t]*NL[ \t]*=", re.MULTILINE | re.IGNORECASE)
_YAML = re.compile(r"""\s*\{|^["']?(?:symoro|frames)["']?[ \t]*:""", re.MULTILINE)
_TABLE = re.compile(r"^#[ \t]*convention[ \t]*:|^[ \t]*joint[ \t]*[,;]", re.MULTILINE | re.IGNORECASE)
_ROOTS = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf"}
_HEAD = 20_000
_CHOOSE = "give the option 'format': par, yaml, urdf, xacro, mjcf or a table (kk, craig, dh)"


def guessed(text: str, file: str | None) -> str:
    """The name of the format.

    Raises:
        FormatError: the text looks like none of ours.
    """
    head = text.lstrip("\ufeff \t\r\n")[:_HEAD]
    if head.startswith("<"):
        return _of_xml(text, file)
    if _PAR.match(head) or (_PAR.search(head) and not _YAML.search(head)):
        return "par"
    if _TABLE.search(head):
        return "khalil-kleinfinger"
    if _YAML.match(head) or _YAML.search(head):
        return "yaml"
    raise FormatError("the text tells no format", place=Place(file), hint=_CHOOSE)


def _of_xml(text: str, file: str | None) -> str:
    root = parse(text, file, (), "a robot's XML starts with '<robot' or '<mujoco'")
    if root.tag == "robot" and any(key.startswith("xmlns:xacro") for key in root.attributes):
        return "xacro"
    if root.tag not in _ROOTS:
        message = f"the element '{root.tag[:40]}' starts no robot"
        raise FormatError(message, place=Place(file, *root.spot), hint=_CHOOSE)
    return _ROOTS[root.tag]
