"""Expansion of xacro macros with the xacro library (extra `xacro`), without ROS (xacrodoc).

A xacro file is a program that includes other files: expand only files that you trust.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from symoro.errors import FormatError, MissingDependencyError, Place
from symoro.robot.formats.urdf.markup import parse


def expand(
    text: str,
    file: str | None,
    arguments: Mapping[str, str],
    folders: Sequence[str | os.PathLike[str]] = (),
) -> str:
    """Return the URDF text that results from the expansion of a xacro text.

    Args:
        text: the xacro text.
        file: path of the file, for included files and messages.
        arguments: values of the file's `xacro:arg` elements.
        folders: packages, or folders that contain packages.

    Raises:
        MissingDependencyError: the library is not installed.
        FormatError: the macros cannot be expanded.
    """
    parse(text, file, ())  # reject document types and entities, and report XML errors with their position
    try:
        xacro, xacrodoc = import_module("xacro"), import_module("xacrodoc")
    except ImportError:
        raise MissingDependencyError(
            "reading xacro requires the package 'xacrodoc'", hint="pip install 'symoro[xacro]'"
        ) from None
    path = file if file and not file.startswith("<") else None
    finder = PackageFinder(path, folders)
    try:
        xacrodoc.packages._finder = finder
        xacro.init_stacks(path)
        with contextlib.redirect_stderr(io.StringIO()):  # its warnings concern style only
            expanded = xacrodoc.XacroDoc.from_string(text, dict(arguments), resolve_packages=False)
        return str(expanded.to_urdf_string())
    except Exception as error:  # expressions in macros can raise any exception
        if finder.missing is not None:
            message, hint = f"there is no package '{finder.missing[:80]}'", finder.looked()
        else:
            message = f"the macros cannot be expanded: {type(error).__name__}: {str(error)[:500]}"
            folder = Path(path).absolute().parent if path else Path.cwd()
            hint = f"includes are searched in the folder of the file ({folder})"
        raise FormatError(message, place=Place(file), hint=hint) from None
    finally:
        xacrodoc.packages.reset()
        xacro.init_stacks(None)


# -- ROS packages without ROS: the folder of `$(find package)`
#
# It is searched, in this order, in the folders given by the caller, in the parent folders of the file and beside them,
# in ROS_PACKAGE_PATH and in AMENT_PREFIX_PATH. A folder is a package by its name, or by the name in its package.xml.


_NAME = re.compile(r"[\w-]{1,100}\Z", re.ASCII)
_TITLE = re.compile(r"<name>\s*([\w-]+)\s*</name>", re.ASCII)
_DEPTH = 4
_MOST_FOLDERS = 5000


class PackageFinder:
    """Search for ROS packages in folders.

    Attributes:
        missing: name of the first requested package that does not exist.
    """

    def __init__(self, file: str | None, folders: Sequence[str | os.PathLike[str]]) -> None:
        self.missing: str | None = None
        self._given = [Path(folder) for folder in folders]
        start = Path(file) if file else Path("here")
        self._above = list(Path(os.path.realpath(start)).parents)
        self._ros = _paths("ROS_PACKAGE_PATH")
        self._ament = [path / "share" for path in _paths("AMENT_PREFIX_PATH")]
        self._known: dict[str, str] = {}

    def get_path(self, name: str) -> str:
        """Return the folder of the package `name`.

        Raises:
            LookupError: there is no such package; the message lists the searched folders.
        """
        if name not in self._known:
            folder = next(self._candidates(name), None) if _NAME.match(name) else None
            if folder is None:
                self.missing = name
                raise LookupError(f"package '{name}' does not exist")
            self._known[name] = folder.as_posix()
        return self._known[name]

    def looked(self) -> str:
        """Return a sentence that lists the searched folders."""
        folders = ", ".join(map(str, self._given)) or "none given"
        ros = ", ".join(map(str, self._ros)) or "not set"
        return (
            f"searched in the folders of the option ({folders}), in {self._above[0]} and the folders above, "
            f"in ROS_PACKAGE_PATH ({ros}); give its folder with the option 'package'"
        )

    def _candidates(self, name: str) -> Iterator[Path]:
        for folder in self._given:
            yield from _within(folder, name)
        for folder in self._above:
            if _is_package(folder, name):
                yield folder
            if _is_folder(folder / name):
                yield folder / name
        for folder in self._ros:
            yield from _within(folder, name)
        for folder in self._ament:
            if _is_folder(folder / name):
                yield folder / name


def _paths(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _within(folder: Path, name: str) -> Iterator[Path]:
    """Yield the folders of the package `name`: `folder` itself, its subfolder `name`, or deeper folders."""
    if _is_package(folder, name):
        yield folder
    if _is_folder(folder / name):
        yield folder / name
    for count, (path, folders, files) in enumerate(os.walk(folder)):
        below = Path(path)
        if count > _MOST_FOLDERS:
            return
        if "package.xml" in files and _is_package(below, name):
            yield below
        deep = len(below.relative_to(folder).parts) >= _DEPTH
        folders[:] = [] if deep else sorted(each for each in folders if not each.startswith("."))


def _is_package(folder: Path, name: str) -> bool:
    if folder.name == name and _is_folder(folder):
        return True
    try:
        with (folder / "package.xml").open("rb") as stream:
            title = _TITLE.search(stream.read(20_000).decode("utf-8", "replace"))
    except OSError:
        return False
    return title is not None and title[1] == name


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
