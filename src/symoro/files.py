"""Write output files: completely or not at all, with valid names, without overwriting foreign files. Read JSON files.

Every file that symoro writes begins with a comment that contains `MADE_BY`. Files without it are called
foreign.
"""

from __future__ import annotations

import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from symoro._version import __version__
from symoro.errors import FormatError, Place, WriteError

MADE_BY = f"Made by symoro {__version__}"
LAST_LINE = "(* lines: {} *)"  # of a readable listing: number of lines with text after the header

_HEAD = 65_536  # bytes; a header may list a thousand parameters before the mark
_MARK = re.compile(rb"^[^\w\r\n]{0,8}Made by symoro [0-9][\w.+-]*[^\w\r\n]*\r?$", re.MULTILINE)
_LONGEST = 80
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?\Z", re.IGNORECASE)
_FORCE = "choose another name, or give the option 'force' to overwrite it"


def file_name(wanted: str) -> str:
    """Return a valid file name for a text: without folders, not hidden, of limited length.

    Letters and digits of any script and inner `_ - .` are kept; other characters become underscores. If nothing valid
    remains, the name is 'robot'.
    """
    plain = unicodedata.normalize("NFC", wanted)
    kept = "".join(sign if sign.isalnum() or sign in "_-." else "_" for sign in plain)
    name = re.sub(r"\.{2,}", "_", kept).strip(".")[:_LONGEST].rstrip(".")
    while len(name.encode("utf-8", "replace")) > 2 * _LONGEST:
        name = name[:-1]
    if not name.strip("_"):
        return "robot"
    return f"_{name}" if _RESERVED.match(name) else name


def write_files(files: Mapping[Path, str | bytes], *, force: bool = False) -> None:
    """Write texts or bytes to files; either all files are written or none.

    Symbolic links are followed. Devices and pipes (`/dev/stdout`) are written to directly.

    Args:
        files: contents by path.
        force: overwrite files that symoro did not write.

    Raises:
        WriteError: a file that symoro did not write, or a folder, would be overwritten, or the system rejects the
            operation.
    """
    for path in files:
        _check(path, force)
    staged: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, content in files.items():
            target = Path(os.path.realpath(path))
            if _is_stream(target):
                _write_stream(target, content)
            else:
                staged.append((_staged(target, content), target))
        for beside, target in staged:
            path = target
            beside.replace(target)
    except UnicodeEncodeError:
        message = "the file cannot be written: a name contains characters that UTF-8 cannot represent"
        raise WriteError(message, place=Place(str(path)), hint="change the name") from None
    except (OSError, ValueError) as error:
        raise _failure(path, error) from None
    finally:
        for beside, _ in staged:
            beside.unlink(missing_ok=True)


def check_targets(files: Iterable[Path] = (), folders: Iterable[Path] = (), *, force: bool = False) -> None:
    """Check that files can be written, before their contents are computed.

    Args:
        files: files to write; their folders must exist.
        folders: folders to write into; missing ones are created later.
        force: overwrite files that symoro did not write.

    Raises:
        WriteError: a folder is missing or read-only, or a file that symoro did not write, or a folder, would be
            overwritten.
    """
    for path in files:
        _check(path, force)
        target = Path(os.path.realpath(path))
        if not _is_stream(target):
            _check_folder(path, target.parent)
    for folder in folders:
        inside = Path(os.path.realpath(folder))
        try:
            while not inside.exists() and inside != inside.parent:
                inside = inside.parent
        except (OSError, ValueError) as error:
            raise _failure(folder, error) from None
        if not inside.is_dir():
            raise WriteError(
                "this is a file, not a folder", place=Place(str(inside)), hint="name another folder"
            )
        _check_folder(folder, inside)


def _check_folder(path: Path, folder: Path) -> None:
    """Check that files can be created in a folder.

    Args:
        path: file to be written, for the error.
    """
    reason = ""
    if not folder.is_dir():
        reason = "its folder does not exist" if not folder.exists() else "its folder is a file"
    elif not os.access(folder, os.W_OK | os.X_OK):
        reason = "its folder is read-only"
    if reason:
        raise WriteError(
            f"the file cannot be written: {reason}",
            place=Place(str(path)),
            hint="check that the folder exists, is writable and has free space",
        )


def write_folder(folder: Path, files: Mapping[str, str | bytes], *, force: bool = False) -> list[Path]:
    """Write files to a folder, which is created if necessary, and return their paths.

    Args:
        files: contents by path relative to the folder.
        force: overwrite files that symoro did not write.

    Raises:
        WriteError: as in `write_files`, or a path points outside the folder.
    """
    targets = {folder / _inside(name): text for name, text in files.items()}
    for target in targets:
        _check(target, force)
    for parent in dict.fromkeys([folder, *(target.parent for target in targets)]):
        try:
            parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise WriteError(
                "this is a file, not a folder", place=Place(str(parent)), hint="name another folder"
            ) from None
        except (OSError, ValueError) as error:
            raise _failure(parent, error) from None
    _check_links(folder, targets)
    write_files(targets, force=force)
    return list(targets)


def is_ours(path: Path) -> bool:
    """Return whether symoro wrote a file, according to its first bytes; true for an empty file."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    return not head or _MARK.search(head) is not None


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or any(part == ".." or "\\" in part for part in path.parts):
        raise WriteError(f"the name '{name[:80]}' points outside the folder", hint="rename the robot")
    return path


def _check_links(folder: Path, targets: Iterable[Path]) -> None:
    inside = Path(os.path.realpath(folder))
    for target in targets:
        if not Path(os.path.realpath(target)).is_relative_to(inside):
            message = "a symbolic link that points outside the folder would be overwritten"
            raise WriteError(message, place=Place(str(target)), hint="remove it, or name another folder")


def _check(path: Path, force: bool) -> None:
    """Check that a path may be written: it is not a folder, and not a foreign file unless `force` is true.

    Raises:
        WriteError: the path is a folder or a foreign file.
    """
    place = Place(str(path))
    try:
        if not path.exists():
            if path.is_symlink():
                message = "a broken symbolic link would be overwritten"
                raise WriteError(message, place=place, hint="remove it, or choose another name")
            return
        if path.is_dir():
            raise WriteError("a folder with this name exists", place=place, hint="choose another name")
        if _is_stream(path):
            return
        if not path.is_file():
            raise WriteError("this is not a regular file", place=place, hint="choose another name")
        if not force and not is_ours(path):
            raise WriteError("the file exists, and symoro did not write it", place=place, hint=_FORCE)
    except (OSError, ValueError) as error:
        raise _failure(path, error) from None


def _is_stream(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _write_stream(path: Path, content: str | bytes) -> None:
    with path.open("wb") as stream:
        stream.write(_bytes(content))


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def _staged(target: Path, content: str | bytes) -> Path:
    """Write the content to a temporary file in the folder of the target, and return its path.

    The temporary file gets the permissions of the file that it will replace.
    """
    beside = target.with_name(f".symoro-{os.urandom(8).hex()}.tmp")
    try:
        with beside.open("xb") as stream:
            stream.write(_bytes(content))
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _failure(path: Path, error: Exception) -> WriteError:
    return WriteError(
        f"the file cannot be written: {reason(error)}",
        place=Place(str(path)),
        hint="check that the folder exists, is writable and has free space",
    )


def read_json(path: str | Path, most: int, hint: str) -> Any:
    """Return the contents of a JSON file.

    Args:
        path: the file.
        most: largest size in bytes.
        hint: hint for a file that is not JSON.

    Raises:
        FormatError: the file cannot be read, is too large, or is not JSON.
    """
    place = Place(str(path))
    try:
        if Path(path).stat().st_size > most:
            raise FormatError(f"the file is larger than {most // 2**20} MiB", place=place, hint=hint)
        return json.loads(Path(path).read_bytes())
    except OSError as error:
        raise FormatError(
            f"the file cannot be read: {reason(error)}", place=place, hint="check the path"
        ) from None
    except json.JSONDecodeError as error:
        where = Place(str(path), error.lineno, error.colno)
        raise FormatError(f"invalid JSON: {error.msg}", place=where, hint=hint) from None
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, or nested too deeply
        raise FormatError("the file is not a JSON text", place=place, hint=hint) from None


def reason(error: Exception) -> str:
    """Return the operating system's description of an error, without error numbers and paths."""
    return (getattr(error, "strerror", None) or str(error)).lower()
