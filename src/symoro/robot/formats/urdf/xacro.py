"""xacro: macros expanded by the xacro library (extra `xacro`), with packages found without ROS (xacrodoc).

A xacro file is a program that includes other files: expand only those that you trust.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from symoro.errors import FormatError, MissingDependencyError, Place
from symoro.robot.formats.urdf.markup import parse


def expand(text: str, file: str | None, arguments: Mapping[str, str]) -> str:
    """The URDF text that a xacro text stands for.

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
    try:
        if path:
            xacrodoc.packages.walk_up_from(path)
        xacro.init_stacks(path)
        expanded = xacrodoc.XacroDoc.from_string(text, dict(arguments), resolve_packages=False)
        return str(expanded.to_urdf_string())
    except Exception as error:  # expressions in macros can raise anything
        raise FormatError(
            f"the macros cannot be expanded: {type(error).__name__}: {error}",
            place=Place(file),
            hint="includes are looked up from the file's folder, packages from the folders above it",
        ) from None
    finally:
        xacrodoc.packages.reset()
        xacro.init_stacks(None)
