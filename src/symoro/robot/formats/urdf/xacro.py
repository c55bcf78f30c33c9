"""xacro: macros expanded by the xacro library (extra `xacro`), with packages found without ROS (xacrodoc).

A xacro file is a program that includes other files: expand only those that you trust.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from symoro.errors import FormatError, MissingDependencyError, Place
from symoro.robot.formats.urdf.markup import parse
from symoro.robot.formats.urdf.packages import PackageFinder


def expand(
    text: str,
    file: str | None,
    arguments: Mapping[str, str],
    folders: Sequence[str | os.PathLike[str]] = (),
) -> str:
    """The URDF text that a xacro text stands for.

    Arguments:
        folders: packages, or folders that hold packages.

    Raises:
        MissingDependencyError: the library is not installed.
        FormatError: the macros cannot be expanded.
    """
    parse(text, file, ())  # no document types or entities; and places of plain errors
    try:
        xacro, xacrodoc = import_module("xacro"), import_module("xacrodoc")
    except ImportError:
        raise MissingDependencyError(
            "reading xacro needs the package 'xacrodoc'", hint="pip install 'symoro[xacro]'"
        ) from None
    path = file if file and not file.startswith("<") else None
    finder = PackageFinder(path, folders)
    try:
        xacrodoc.packages._finder = finder
        xacro.init_stacks(path)
        with contextlib.redirect_stderr(io.StringIO()):  # its warnings are about style
            expanded = xacrodoc.XacroDoc.from_string(text, dict(arguments), resolve_packages=False)
        return str(expanded.to_urdf_string())
    except Exception as error:  # expressions in macros can raise anything
        if finder.missing is not None:
            message, hint = f"there is no package '{finder.missing[:80]}'", finder.looked()
        else:
            message = f"the macros cannot be expanded: {type(error).__name__}: {str(error)[:500]}"
            folder = Path(path).absolute().parent if path else Path.cwd()
            hint = f"includes are looked up from the file's folder ({folder})"
        raise FormatError(message, place=Place(file), hint=hint) from None
    finally:
        xacrodoc.packages.reset()
        xacro.init_stacks(None)
