"""Robots in files: read them, write them, each format in a file of its own.

A new format is one module with a reader `(text, file) -> Robot` and a writer `(robot, **options) -> str`,
and one line in `FORMATS`. Every reader's input is checked here first (size, encoding, emptiness), and nothing
but a `SymoroError` comes out, whatever the file holds.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from symoro.errors import ArgumentError, FormatError, OptionError, Place, UnknownNameError
from symoro.files import reason, write_files
from symoro.robot.conventions import Convention, convention_named
from symoro.robot.description import Robot
from symoro.robot.formats.par import read_par
from symoro.robot.formats.par_write import write_par
from symoro.robot.formats.report import MAX_BYTES
from symoro.robot.formats.table import read_table, write_table
from symoro.robot.formats.urdf import read_mjcf, read_urdf, read_xacro, write_mjcf, write_urdf
from symoro.robot.formats.urdf.markup import parse
from symoro.robot.formats.yaml_file import read_yaml, write_yaml


@dataclass(frozen=True)
class Format:
    """A format: the suffixes of its files, its reader and writer, and the options that each takes."""

    suffixes: tuple[str, ...]
    read: Callable[..., Robot]
    write: Callable[..., str]
    options: frozenset[str] = frozenset({"lossy"})
    reading: frozenset[str] = frozenset()


def _table(convention: Convention, *suffixes: str) -> Format:
    write = partial(write_table, convention=convention)
    return Format(suffixes, read_table, write, frozenset({"lossy", "to"}))


_WRITING = frozenset({"lossy"})
_URDF = frozenset({"exact", "base", "fixed", "frames", "tool", "actuated"})

FORMATS: dict[str, Format] = {
    "par": Format((".par",), read_par, write_par),
    "yaml": Format((".yaml", ".yml"), read_yaml, write_yaml),
    "khalil-kleinfinger": _table(Convention.KHALIL_KLEINFINGER, ".csv", ".txt"),
    "craig": _table(Convention.CRAIG),
    "denavit-hartenberg": _table(Convention.DENAVIT_HARTENBERG),
    "urdf": Format((".urdf",), read_urdf, write_urdf, _WRITING, _URDF),
    # a plain URDF is a xacro without macros
    "xacro": Format((".xacro",), read_xacro, write_urdf, _WRITING, _URDF | {"arguments", "package"}),
    "mjcf": Format((".mjcf", ".xml"), read_mjcf, write_mjcf, _WRITING, _URDF | {"lossy"}),
}
STDIN = "<stdin>"
_DECLARATION = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
_ENCODINGS = {
    "utf-8": "utf-8-sig",
    "us-ascii": "ascii",
    "iso-8859-1": "latin-1",
    "iso-8859-15": "iso-8859-15",
    "windows-1252": "windows-1252",
}
RobotLike = Robot | str | os.PathLike[str]
"""A robot, the name of a bundled one, or the path of a file."""
_ALIASES = {"table": "khalil-kleinfinger", "yml": "yaml"}


def load(source: str | os.PathLike[str], *, format: str | None = None, **options: Any) -> Robot:
    """A robot from a file, by its suffix, or a bundled robot, by its name.

    Arguments:
        source: a path, a name, or '-' for standard input, whose format is told by its content.
        format: the format, whatever the suffix or the content tells.
        options: `base`, "floating" frees the base of any robot, "fixed" is for URDF, xacro and MJCF files, as are
            `exact`, `fixed`, `frames`, `tool`, `actuated` (see docs/urdf.md); `lossy` leaves out what changes the
            dynamics and is not modelled, and makes no difference where a format has no such thing.

    Raises:
        FormatError: the file cannot be read as a robot.
        UnknownNameError: there is no bundled robot of this name.
        OptionError: the file's format takes no such option.
    """
    if source == "-":
        text = _decoded(_standard_input(), Place(STDIN))
        _check_text(text, STDIN)
        return loads(text, format or guessed(text, STDIN), file=STDIN, **options)
    if not isinstance(source, str | os.PathLike):
        hint = "give the name of a bundled robot, as 'rx90', or the path of a file"
        raise ArgumentError(f"expected a robot, its name or a path, got {type(source).__name__}", hint=hint)
    path = Path(source)
    is_name = isinstance(source, str) and path.name == source and not path.suffix
    if is_name and format is None:
        from symoro.robot import library

        try:
            found = library.load(str(source))
            base = options.pop("base", None)
            _check_options("a bundled robot", options, frozenset({"lossy"}))
            return _standing(found, base)
        except UnknownNameError:
            if not _exists(path):
                raise
    name = format_named(format) if format else format_of(path)
    return loads(_read_text(path), name, file=str(path), **options)


def as_robot(given: RobotLike) -> Robot:
    """A robot as it is, or loaded by its name or path."""
    return given if isinstance(given, Robot) else load(given)


def _check_options(what: str, options: Mapping[str, Any], known: frozenset[str]) -> None:
    for option in options:
        if option not in known:
            urdf = "it applies to URDF, xacro and MJCF files; " if option in _URDF else ""
            accepted = f"options of {what}: {', '.join(sorted(known)) or 'none'}"
            raise OptionError(f"the option '{option}' does not apply to {what}", hint=urdf + accepted)


def _standing(robot: Robot, base: str | None) -> Robot:
    """The robot on the base that an option asks for, where its own description says how it stands."""
    if base == "floating":
        return robot.floating()
    if base is not None and base != robot.base.kind:
        raise OptionError(
            f"the base of robot '{robot.name}' is {robot.base.kind}, it cannot be read as {base!r}",
            hint="base can be 'floating'",
        )
    return robot


def loads(text: str, fmt: str, *, file: str | None = None, **options: Any) -> Robot:
    """A robot from a text in a format; `file` is its name in errors, `options` are those of `load`.

    Raises:
        FormatError: the text cannot be read as a robot.
    """
    name = format_named(fmt)
    chosen = FORMATS[name]
    if "lossy" not in chosen.reading:  # nothing is lost
        options = {option: value for option, value in options.items() if option != "lossy"}
    base = None if "base" in chosen.reading else options.pop("base", None)
    _check_options(f"reading {name}", options, chosen.reading)
    _check_text(text, file)
    try:
        return _standing(chosen.read(text, file, **options), base)
    except (RecursionError, MemoryError):
        raise FormatError(
            "the file is too complicated to be read", place=Place(file), hint="is it a robot's file?"
        ) from None


def dumps(robot: RobotLike, fmt: str, **options: Any) -> str:
    """The robot as a text in a format.

    Arguments:
        options: `lossy` writes what fits even where the model changes; `to` ends the chain of a table.

    Raises:
        FormatError, NotApplicableError: the format cannot hold this robot.
    """
    name = format_named(fmt)
    chosen = FORMATS[name]
    _check_options(f"writing {name}", options, chosen.options)
    return chosen.write(as_robot(robot), **options)


def save(
    robot: RobotLike,
    path: str | os.PathLike[str],
    fmt: str | None = None,
    *,
    force: bool = False,
    **options: Any,
) -> None:
    """Write a robot to a file, by its suffix or in the format named; the file is written whole or not at all.

    Arguments:
        force: overwrite a file that symoro did not write.
        options: those of `dumps`.

    Raises:
        FormatError, NotApplicableError: the format cannot hold this robot.
        WriteError: the file cannot be written, or is somebody else's.
    """
    target = Path(path)
    text = dumps(robot, fmt or format_of(target), **options)
    write_files({target: text}, force=force)


def format_named(name: str) -> str:
    """The format called so, also by a short form such as dh or kk."""
    lower = name.strip().lower()
    lower = _ALIASES.get(lower, lower)
    if lower in FORMATS:
        return lower
    try:
        return str(convention_named(lower))
    except UnknownNameError:
        raise UnknownNameError("format", name, list(FORMATS)) from None


def _by_suffix() -> dict[str, str]:
    return {suffix: name for name, chosen in FORMATS.items() for suffix in chosen.suffixes}


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def format_of(path: Path) -> str:
    """The format that a file's suffix tells."""
    suffixes = _by_suffix()
    name = suffixes.get(path.suffix.lower())
    if name is None:
        what = f"the suffix '{path.suffix}'" if path.suffix else "a file without a suffix"
        raise FormatError(
            f"{what} tells no format",
            place=Place(str(path)),
            hint=f"known suffixes: {', '.join(suffixes)}; or give the option 'format'",
        )
    return name


# -- bytes


def _read_text(path: Path) -> str:
    place = Place(str(path))
    try:
        _check_file(path, place)
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)  # the size told by the system need not be true
    except FileNotFoundError:
        hint = "check the path; a bundled robot is named without a suffix"
        raise FormatError("there is no such file", place=place, hint=hint) from None
    except (OSError, ValueError) as error:
        hint = "check the path and its permissions"
        raise FormatError(f"the file cannot be read: {reason(error)}", place=place, hint=hint) from None
    return _decoded(data, place)


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError, AttributeError) as error:  # closed, or none at all
        message = f"standard input cannot be read: {reason(error)}"
        raise FormatError(message, hint="name a file") from None


def _check_file(path: Path, place: Place) -> None:
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise FormatError("this is a folder, not a file", place=place, hint="name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError("this is no ordinary file", place=place, hint="save the robot in a file first")
    if status.st_size > MAX_BYTES:
        _too_large(place)


def _too_large(place: Place) -> None:
    limit = MAX_BYTES // 1_000_000
    raise FormatError(f"the file is larger than {limit} MB", place=place, hint="is it a robot's file?")


def _decoded(data: bytes, place: Place) -> str:
    if len(data) > MAX_BYTES:
        _too_large(place)
    if b"\0" in data:
        raise FormatError("this is a binary file, not text", place=place, hint="save it as UTF-8 text")
    encoding = _declared(data, place)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - before.rfind(b"\n")
        spot = Place(place.file, line, column)
        name = encoding.removesuffix("-sig").upper()
        raise FormatError(f"the text is not {name}", place=spot, hint="save it as UTF-8 text") from None


def _declared(data: bytes, place: Place) -> str:
    """The encoding of a text: that which an XML file declares, and UTF-8 otherwise."""
    found = _DECLARATION.match(data)
    if not found:
        return "utf-8-sig"
    name = found[1].decode("ascii").lower()
    if name not in _ENCODINGS:
        message = f"the encoding '{name[:40]}' is none of {', '.join(_ENCODINGS)}"
        raise FormatError(message, place=place, hint="save it as UTF-8 text")
    return _ENCODINGS[name]


def _check_text(text: str, file: str | None) -> None:
    place = Place(file)
    if len(text) > MAX_BYTES:
        _too_large(place)
    if "\0" in text:
        raise FormatError("this is binary data, not text", place=place, hint="save it as UTF-8 text")
    if not text.strip():
        raise FormatError("the file is empty", place=place, hint="is it the right file?")


# -- the format of a text that has no suffix, from its content


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
