"""A C compiler, if the machine has one, and a cache of what it made.

Libraries are kept in the user's cache folder under the hash of source, compiler and flags. Each is built under a
private name and then renamed, so that two processes that build the same one at once do not disturb each other.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symoro.cache import cache_folder
from symoro.errors import MissingDependencyError
from symoro.progress import task

HINT = "install gcc or clang, or set the environment variable CC to a C compiler"
WITHOUT = "function(compiled=False) does without"
TICK = 0.25  # seconds between two words on how it goes
RATE = 100_000  # characters of source that a compiler takes a second for, roughly


@dataclass(frozen=True)
class Compiler:
    """A command that compiles C, with what tells it from others in the cache."""

    command: tuple[str, ...]
    identity: str


@cache
def find_compiler() -> Compiler | None:
    """The compiler named by CC, or the first of cc, gcc, clang that is there and answers."""
    named = os.environ.get("CC")
    wanted = [shlex.split(named, posix=os.name != "nt")] if named else [["cc"], ["gcc"], ["clang"]]
    for command in wanted:
        program = shutil.which(command[0]) if command else None
        if program is None:
            continue
        try:
            answer = subprocess.run(
                [program, *command[1:], "--version"], capture_output=True, text=True, timeout=20, check=True
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return Compiler((program, *command[1:]), answer.stdout.splitlines()[0] if answer.stdout else program)
    return None


@cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="symoro-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def library(files: dict[str, str]) -> ctypes.CDLL:
    """The shared library of some C sources (headers included), from the cache or built now.

    Raises:
        MissingDependencyError: there is no compiler, or it cannot make a library that loads.
    """
    compiler = find_compiler()
    if compiler is None:
        raise MissingDependencyError("no C compiler was found", hint=HINT)
    flags = _flags()
    parts = [compiler.identity, *compiler.command, *flags, platform.machine(), platform.node()]
    parts += [f"{name}\n{text}" for name, text in sorted(files.items())]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    target = (cache_folder("libraries") or _temporary_folder()) / f"{key}{_suffix()}"
    if target.exists():
        try:
            return ctypes.CDLL(str(target))
        except OSError:
            target.unlink(missing_ok=True)  # a damaged file is built again
    try:
        _build(compiler, flags, files, target)
        return ctypes.CDLL(str(target))
    except OSError as error:  # no room, no permission to run what lies there ...
        raise MissingDependencyError(f"the compiled library cannot be used: {error}", hint=WITHOUT) from None


def _build(compiler: Compiler, flags: list[str], files: dict[str, str], target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="symoro-") as scratch:
        folder = Path(scratch)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        sources = [name for name in files if name.endswith(".c")]
        made = folder / f"out{_suffix()}"
        command = [*compiler.command, *flags, "-o", str(made), *sources]
        if os.name != "nt":
            command.append("-lm")
        errors = _failure(command, folder, sum(map(len, files.values())))
        if errors is not None:
            message = f"the C compiler failed: {errors.strip()[-800:]}"
            raise MissingDependencyError(message, hint=f"{HINT}; {WITHOUT}")
        descriptor, name = tempfile.mkstemp(suffix=_suffix(), dir=target.parent)
        os.close(descriptor)
        private = Path(name)
        try:
            shutil.copyfile(made, private)
            private.replace(target)
        except BaseException as error:  # an interrupt leaves nothing behind either
            private.unlink(missing_ok=True)
            # on Windows another process may hold the same library open: use that one
            if not isinstance(error, OSError) or not target.exists():
                raise


def _failure(command: list[str], folder: Path, length: int) -> str | None:
    """Run the compiler; what it had to say if it failed, else None."""
    with (
        task("compiling", 0.5 + length / RATE) as work,
        subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as process,
    ):
        started = time.monotonic()
        try:
            while True:
                try:
                    _, errors = process.communicate(timeout=TICK)
                    return errors if process.returncode else None
                except subprocess.TimeoutExpired:
                    work.to(time.monotonic() - started)
        except BaseException:
            process.kill()
            raise


def _flags() -> list[str]:
    flags = ["-std=c99", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-shared"]
    if os.name != "nt":
        flags.append("-fPIC")
    if platform.machine().lower() in ("x86_64", "amd64"):
        flags.append("-march=native")
    return flags


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
