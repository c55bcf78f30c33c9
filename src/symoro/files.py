"""Files on the user's disk: whole or not at all, under clean names, and never over somebody else's work.

A file is ours when its head says so: whatever symoro writes starts with a comment that holds `MADE_BY`.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from symoro._version import __version__
from symoro.errors import Place, WriteError

MADE_BY = f"Made by symoro {__version__}"

_HEAD = 65_536  # bytes: a header may list a thousand parameters before the mark
_MARK = re.compile(rb"^[^\w\r\n]{0,8}Made by symoro [0-9][\w.+-]*[^\w\r\n]*\r?$", re.MULTILINE)
_LONGEST = 80
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?\Z", re.IGNORECASE)
_FORCE = "choose another name, or give the option 'force' to overwrite it"


def file_name(wanted: str, fallback: str = "robot") -> str:
    """A name out of a description as the name of a file: no folders, no hidden or endless names.

    Letters and digits of any script, and `_ - .` within, are kept; whatever else becomes an underscore.
    """
    plain = unicodedata.normalize("NFC", wanted)
    kept = "".join(sign if sign.isalnum() or sign in "_-." else "_" for sign in plain)
    name = re.sub(r"\.{2,}", "_", kept).strip(".")[:_LONGEST].rstrip(".")
    while len(name.encode("utf-8", "replace")) > 2 * _LONGEST:
        name = name[:-1]
    if not name.strip("_"):
        return fallback
    return f"_{name}" if _RESERVED.match(name) else name


def write_files(files: Mapping[Path, str | bytes], *, force: bool = False) -> None:
    """Write texts or bytes to files, all of them or, where something stands in the way, none.

    A path that is a link is followed. Devices and pipes (`/dev/stdout`) are written to as they are.

    Arguments:
        force: overwrite files that symoro did not write.

    Raises:
        WriteError: a foreign file or a folder is in the way, or the system refuses.
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
        message = "the file cannot be written: a name holds signs that UTF-8 cannot write"
        raise WriteError(message, place=Place(str(path)), hint="change the name") from None
    except (OSError, ValueError) as error:
        raise _failure(path, error) from None
    finally:
        for beside, _ in staged:
            beside.unlink(missing_ok=True)


def check_targets(files: Iterable[Path] = (), folders: Iterable[Path] = (), *, force: bool = False) -> None:
    """Reject targets that cannot be written, before the work whose result they are for.

    Arguments:
        files: to be written; their folders must exist.
        folders: to be written into, which are made where they are missing.
        force: as in `write_files`.

    Raises:
        WriteError: a folder is missing or read-only, a foreign file or a folder is in the way.
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
    """Reject a folder in which no file can be made."""
    reason = ""
    if not folder.is_dir():
        reason = "its folder does not exist" if not folder.exists() else "its folder is a file"
    elif not os.access(folder, os.W_OK | os.X_OK):
        reason = "its folder is read-only"
    if reason:
        raise WriteError(
            f"the file cannot be written: {reason}",
            place=Place(str(path)),
            hint="check that the folder exists, may be written to and has room",
        )


def write_folder(folder: Path, files: Mapping[str, str], *, force: bool = False) -> list[Path]:
    """Write texts under a folder, which is made where it is missing; the keys are paths inside it.

    Raises:
        WriteError: as `write_files`; or a path would leave the folder.
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
    """Whether the head of a file says that symoro made it; an empty file is nobody's loss."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    return not head or _MARK.search(head) is not None


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or any(part == ".." or "\\" in part for part in path.parts):
        raise WriteError(f"the name '{name[:80]}' leads out of the folder", hint="rename the robot")
    return path


def _check_links(folder: Path, targets: Iterable[Path]) -> None:
    inside = Path(os.path.realpath(folder))
    for target in targets:
        if not Path(os.path.realpath(target)).is_relative_to(inside):
            message = "a link that leads out of the folder is in the way"
            raise WriteError(message, place=Place(str(target)), hint="remove it, or name another folder")


def _check(path: Path, force: bool) -> None:
    """Refuse what must not be overwritten, before anything is written."""
    place = Place(str(path))
    try:
        if not path.exists():
            if path.is_symlink():
                message = "a link that leads nowhere is in the way"
                raise WriteError(message, place=place, hint="remove it, or choose another name")
            return
        if path.is_dir():
            raise WriteError("a folder is in the way", place=place, hint="choose another name")
        if _is_stream(path):
            return
        if not path.is_file():
            raise WriteError("this is no ordinary file", place=place, hint="choose another name")
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
    """The content in a file beside its place, with the rights of the file that it will replace."""
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
        hint="check that the folder exists, may be written to and has room",
    )


def reason(error: Exception) -> str:
    """What the system says of a failure, without numbers and paths."""
    return (getattr(error, "strerror", None) or str(error)).lower()
