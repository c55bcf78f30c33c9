"""File formats of robots: one module per format, with a reader and a writer.

A new format is one module with a reader `(text, file) -> Robot` and a writer `(robot, **options) -> str`, and one line
in `FORMATS`. The input of every reader is checked here first (size, encoding, emptiness). Every failure is reported as
a `SymoroError`, for any contents of the file.
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
    """File format of robots: the suffixes of its files, its reader and writer, and their options.

    Attributes:
        dynamic: whether the format contains dynamic parameters.
    """

    suffixes: tuple[str, ...]
    read: Callable[..., Robot]
    write: Callable[..., str]
    options: frozenset[str] = frozenset({"lossy"})
    reading: frozenset[str] = frozenset()
    dynamic: bool = True


def _table(convention: Convention, *suffixes: str) -> Format:
    write = partial(write_table, convention=convention)
    return Format(suffixes, read_table, write, frozenset({"lossy", "to"}), dynamic=False)


_WRITING = frozenset({"lossy"})
_URDF = frozenset({"exact", "base", "fixed", "frames", "tool", "actuated"})

FORMATS: dict[str, Format] = {
    "par": Format((".par",), read_par, write_par),
    "yaml": Format((".yaml", ".yml"), read_yaml, write_yaml),
    "khalil-kleinfinger": _table(Convention.KHALIL_KLEINFINGER, ".csv", ".txt"),
    "craig": _table(Convention.CRAIG),
    "denavit-hartenberg": _table(Convention.DENAVIT_HARTENBERG),
    "urdf": Format((".urdf",), read_urdf, write_urdf, _WRITING, _URDF),
    # a URDF without macros is a valid xacro file
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
"""A robot, the name of a bundled robot, or the path of a file."""
_ALIASES = {"table": "khalil-kleinfinger", "yml": "yaml"}


def load(source: str | os.PathLike[str], *, format: str | None = None, **options: Any) -> Robot:
    """Load a robot from a file, in the format of its suffix, or a bundled robot by its name.

    Args:
        source: a path, a name, or '-' for standard input, whose format is recognised from its content.
        format: name of the format; by default that of the suffix or the content.
        options: `base`: "floating" gives any robot a floating base, "fixed" is for URDF, xacro and MJCF files, as are
            `exact`, `fixed`, `frames`, `tool`, `actuated` (see docs/urdf.md). `lossy` omits features that change the
            dynamics but are not supported; it has no effect if a format has no such features.

    Raises:
        FormatError: the file does not contain a valid robot.
        UnknownNameError: there is no bundled robot of this name.
        OptionError: the format of the file has no such option.
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
            robot = library.load(str(source))
            base = options.pop("base", None)
            _check_options("a bundled robot", options, frozenset({"lossy"}))
            return _with_base(robot, base)
        except UnknownNameError:
            if not _exists(path):
                raise
    name = format_named(format) if format else format_of(path)
    return loads(_read_text(path), name, file=str(path), **options)


def as_robot(given: RobotLike) -> Robot:
    """Return the given robot, or load it if a name or a path is given."""
    return given if isinstance(given, Robot) else load(given)


def _check_options(what: str, options: Mapping[str, Any], known: frozenset[str]) -> None:
    for option in options:
        if option not in known:
            urdf = "it applies to URDF, xacro and MJCF files; " if option in _URDF else ""
            accepted = f"options of {what}: {', '.join(sorted(known)) or 'none'}"
            raise OptionError(f"the option '{option}' does not apply to {what}", hint=urdf + accepted)


def _with_base(robot: Robot, base: str | None) -> Robot:
    """Return the robot with the kind of base that the option `base` requests; unchanged if the option is None.

    Raises:
        OptionError: the description does not permit this kind of base.
    """
    if base == "floating":
        return robot.floating()
    if base is not None and base != robot.base.kind:
        raise OptionError(
            f"the base of robot '{robot.name}' is {robot.base.kind}, it cannot be changed to {base!r}",
            hint="the only value of 'base' for this robot is 'floating'",
        )
    return robot


def loads(text: str, fmt: str, *, file: str | None = None, **options: Any) -> Robot:
    """Read a robot from a text in a format.

    Args:
        text: contents of the file.
        fmt: name of the format.
        file: file name for error messages.
        options: the options of `load`.

    Raises:
        FormatError: the text does not contain a valid robot.
    """
    name = format_named(fmt)
    chosen = FORMATS[name]
    if "lossy" not in chosen.reading:  # this format omits nothing
        options = {option: value for option, value in options.items() if option != "lossy"}
    base = None if "base" in chosen.reading else options.pop("base", None)
    _check_options(f"reading {name}", options, chosen.reading)
    _check_text(text, file)
    try:
        return _with_base(chosen.read(text, file, **options), base)
    except (RecursionError, MemoryError):
        raise FormatError(
            "the expressions or structures in the file are nested too deeply",
            place=Place(file),
            hint="check that the file describes a robot",
        ) from None


def dumps(robot: RobotLike, fmt: str, **options: Any) -> str:
    """Return the robot as a text in a format.

    Args:
        robot: robot, name of a bundled robot, or path.
        fmt: name of the format.
        options: `lossy` omits data that the format cannot represent; `to` is the last frame of the chain of a table.

    Raises:
        FormatError, NotApplicableError: the format cannot represent this robot.
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
    """Write a robot to a file, in the given format or that of the suffix.

    The file is replaced atomically: after an error it is unchanged.

    Args:
        robot: robot, name of a bundled robot, or path.
        path: path of the file.
        fmt: name of the format; that of the suffix if None.
        force: overwrite a file that symoro did not write.
        options: those of `dumps`.

    Raises:
        FormatError, NotApplicableError: the format cannot represent this robot.
        WriteError: the file cannot be written, or exists and was not written by symoro.
    """
    target = Path(path)
    text = dumps(robot, fmt or format_of(target), **options)
    write_files({target: text}, force=force)


def format_named(name: str) -> str:
    """Return the full name of the file format with this name or abbreviation (such as 'dh' or 'kk')."""
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
    """Return the name of the file format that belongs to the suffix of a path."""
    suffixes = _by_suffix()
    name = suffixes.get(path.suffix.lower())
    if name is None:
        what = f"the suffix '{path.suffix}'" if path.suffix else "a file without a suffix"
        raise FormatError(
            f"{what} does not identify a format",
            place=Place(str(path)),
            hint=f"supported suffixes: {', '.join(suffixes)}; or give the option 'format'",
        )
    return name


# -- bytes


def _read_text(path: Path) -> str:
    place = Place(str(path))
    try:
        _check_file(path, place)
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)  # the size that the operating system reports may be wrong
    except FileNotFoundError:
        hint = "check the path; bundled robots have names without a suffix"
        raise FormatError("there is no such file", place=place, hint=hint) from None
    except (OSError, ValueError) as error:
        hint = "check the path and its permissions"
        raise FormatError(f"the file cannot be read: {reason(error)}", place=place, hint=hint) from None
    return _decoded(data, place)


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError, AttributeError) as error:  # standard input is closed or missing
        message = f"standard input cannot be read: {reason(error)}"
        raise FormatError(message, hint="give the path of a file") from None


def _check_file(path: Path, place: Place) -> None:
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise FormatError("this is a folder, not a file", place=place, hint="give the path of a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError("this is not a regular file", place=place, hint="save the robot in a file first")
    if status.st_size > MAX_BYTES:
        _too_large(place)


def _too_large(place: Place) -> None:
    limit = MAX_BYTES // 1_000_000
    raise FormatError(
        f"the file is larger than {limit} MB", place=place, hint="check that the file describes a robot"
    )


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
    """Return the name of the text encoding of a file: the one that an XML file declares, otherwise UTF-8."""
    declaration = _DECLARATION.match(data)
    if not declaration:
        return "utf-8-sig"
    name = declaration[1].decode("ascii").lower()
    if name not in _ENCODINGS:
        message = f"the encoding '{name[:40]}' is not supported; expected one of {', '.join(_ENCODINGS)}"
        raise FormatError(message, place=place, hint="save it as UTF-8 text")
    return _ENCODINGS[name]


def _check_text(text: str, file: str | None) -> None:
    place = Place(file)
    if len(text) > MAX_BYTES:
        _too_large(place)
    if "\0" in text:
        raise FormatError("this is binary data, not text", place=place, hint="save it as UTF-8 text")
    if not text.strip():
        raise FormatError("the file is empty", place=place, hint="give a file that contains a robot")


# -- recognition of the format of a text without a suffix


_PAR = re.compile(r"\s*\(\*|^[ \t]*NL[ \t]*=", re.MULTILINE | re.IGNORECASE)
_YAML = re.compile(r"""\s*\{|^["']?(?:symoro|frames)["']?[ \t]*:""", re.MULTILINE)
_TABLE = re.compile(r"^#[ \t]*convention[ \t]*:|^[ \t]*joint[ \t]*[,;]", re.MULTILINE | re.IGNORECASE)
_ROOTS = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf"}
_HEAD = 20_000
_CHOOSE = "give the option 'format': par, yaml, urdf, xacro, mjcf or a table (kk, craig, dh)"


def guessed(text: str, file: str | None) -> str:
    """Return the name of the format of a text, recognised from its content.

    Args:
        text: contents of a robot file.
        file: file name for error messages.

    Raises:
        FormatError: the text has none of the supported formats.
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
    raise FormatError("the format of the text is not recognised", place=Place(file), hint=_CHOOSE)


def _of_xml(text: str, file: str | None) -> str:
    root = parse(text, file, (), "an XML file of a robot starts with '<robot' or '<mujoco'")
    if root.tag == "robot" and any(key.startswith("xmlns:xacro") for key in root.attributes):
        return "xacro"
    if root.tag not in _ROOTS:
        message = f"the root element '{root.tag[:40]}' does not describe a robot"
        raise FormatError(message, place=Place(file, *root.spot), hint=_CHOOSE)
    return _ROOTS[root.tag]
