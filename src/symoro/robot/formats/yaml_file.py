"""Reader and writer of the native robot file (YAML).

The writer converts the document of a robot (`robot_tree.tree_of`) to lines: records that fit on one line are written in
YAML's flow style, others as blocks. Texts are quoted only if YAML would otherwise interpret them differently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from symoro.errors import FormatError
from symoro.files import MADE_BY
from symoro.robot.description import Robot
from symoro.robot.formats.document import YamlTree, compose
from symoro.robot.formats.report import Report, unix_lines
from symoro.robot.formats.robot_tree import read_tree, tree_of

_WIDTH = 100
_PLAIN = re.compile(r"(?!- )[\w.(+-](?:[\w.+*/^()', -]*[\w.)'])?\Z")
_PLAIN_IN_FLOW = re.compile(r"(?!- )[\w.(+-](?:[\w.+*/^()' -]*[\w.)'])?\Z")
_SPECIAL = ("true", "false", "null", "yes", "no", "on", "off", "y", "n", "-", ".")


def read_yaml(text: str, file: str | None = None) -> Robot:
    """Read the robot described by a YAML text.

    Raises:
        FormatError: the text has errors; the message contains the position of the first one and lists all others.
    """
    report = Report(file)
    return read_tree(Robot, compose(unix_lines(text), report), report)


def write_yaml(robot: Robot, *, lossy: bool = False) -> str:
    """Return the robot as the text of a YAML file. The format represents all data, so `lossy` has no effect."""
    return "\n".join([f"# {MADE_BY}", *_block(tree_of(robot), 0)]) + "\n"


# -- conversion of the tree to lines


def _block(tree: YamlTree, indent: int) -> list[str]:
    """Return the lines of a mapping or list in YAML's block style, with the given indentation."""
    lines: list[str] = []
    margin = " " * indent
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            head = f"{margin}{_text(key, flow=False)}:"
            lines += _entry(
                head,
                value,
                indent + 2,
                wide=key in ("frames", "loops", "wheels", "motors", "capsules", "link_frames", "location"),
            )
    elif isinstance(tree, list):
        for value in tree:
            lines += _item(margin, value, indent)
    return lines


def _entry(head: str, value: YamlTree, indent: int, *, wide: bool) -> list[str]:
    """Return the lines of a key and its value; there is only one line if both fit on it.

    Args:
        head: the key.
        value: the value.
        indent: number of blanks before the key.
        wide: whether a list is written with one item per line.
    """
    if isinstance(value, str | bool):
        return [f"{head} {_scalar(value, flow=False)}"]
    line = f"{head} {_flow(value)}"
    return [line] if not value or (len(line) <= _WIDTH and not wide) else [head, *_block(value, indent)]


def _item(margin: str, value: YamlTree, indent: int) -> list[str]:
    line = f"{margin}- {_flow(value)}"
    if len(line) <= _WIDTH or isinstance(value, str | bool):
        return [line]
    first, *rest = _block(value, indent + 2)
    return [f"{margin}- {first.lstrip()}", *rest]


def _flow(tree: YamlTree) -> str:
    if isinstance(tree, str | bool):
        return _scalar(tree, flow=True)
    if isinstance(tree, Mapping):
        pairs = [f"{_text(key, flow=True)}: {_flow(value)}" for key, value in tree.items()]
        return "{" + ", ".join(pairs) + "}"
    return "[" + ", ".join(_flow(value) for value in tree) + "]"


def _scalar(value: str | bool, *, flow: bool) -> str:
    return _text(value, flow=flow) if isinstance(value, str) else str(value).lower()


def _text(text: str, *, flow: bool) -> str:
    """Return a scalar as written in YAML; it is quoted if a YAML reader could otherwise read another value.

    Args:
        text: the scalar.
        flow: whether the scalar is inside a list or mapping on one line.
    """
    if (_PLAIN_IN_FLOW if flow else _PLAIN).match(text) and text.lower() not in _SPECIAL:
        return text
    return '"' + "".join(_escaped(sign) for sign in text) + '"'


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    if sign.isprintable():
        return sign
    number = ord(sign)
    if 0xD800 <= number < 0xE000:
        message = f"the name contains the unpaired surrogate {sign!r}, which cannot be encoded in UTF-8"
        raise FormatError(message, hint="change the name")
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
