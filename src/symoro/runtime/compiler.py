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
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symoro.cache import cache_folder
from symoro.errors import MissingDependencyError
from symoro.progress import task
from symoro.threads import processors

HINT = "install gcc or clang, or set the environment variable CC to a C compiler"
WITHOUT = "function(compiled=False) does without"
TICK = 0.1  # seconds between two words on how it goes
ALONE = 40_000  # characters of a source that is worth a process of its own
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
        made = folder / f"out{_suffix()}"
        stages = _commands(compiler, flags, files, made)
        errors = _failure(stages, folder, sum(map(len, files.values())))
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


def _commands(
    compiler: Compiler, flags: list[str], files: dict[str, str], made: Path
) -> list[list[list[str]]]:
    """What to run, stage by stage; the commands of one stage at the same time.

    Long sources are compiled each by itself and then linked, short ones all at once: a start takes time too.
    """
    sources = [name for name in files if name.endswith(".c")]
    libraries = ["-lm"] if os.name != "nt" else []
    long = [name for name in sources if len(files[name]) > ALONE]
    if len(long) < 2 or processors() < 2:
        return [[[*compiler.command, *flags, "-o", str(made), *sources, *libraries]]]
    compiled = [flag for flag in flags if flag != "-shared"]
    apart = [[*compiler.command, *compiled, "-c", "-o", f"{name}.o", name] for name in long]
    rest = [name for name in sources if name not in long] + [f"{name}.o" for name in long]
    return [apart, [[*compiler.command, *flags, "-o", str(made), *rest, *libraries]]]


def _failure(stages: list[list[list[str]]], folder: Path, length: int) -> str | None:
    """Run the compiler; what it had to say if it failed, else None."""
    with task("compiling", 0.5 + length / RATE) as work:
        started = time.monotonic()
        for stage in stages:
            errors = _run(stage, folder, lambda: work.to(time.monotonic() - started))
            if errors is not None:
                return errors
    return None


def _run(commands: list[list[str]], folder: Path, tell: Callable[[], None]) -> str | None:
    """Run commands side by side, one a processor; what the first one to fail had to say, else None."""
    waiting = list(enumerate(commands))
    running: dict[int, subprocess.Popen[bytes]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processors():
                number, command = waiting.pop(0)
                with (folder / f"{number}.log").open("wb") as log:  # a pipe would have to be read meanwhile
                    running[number] = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
            try:
                next(iter(running.values())).wait(TICK)
            except subprocess.TimeoutExpired:
                tell()
            for number in [number for number, process in running.items() if process.poll() is not None]:
                if running.pop(number).returncode:
                    return (folder / f"{number}.log").read_text(errors="replace")
        return None
    finally:  # a failure or an interrupt leaves no process behind
        for process in running.values():
            process.kill()
            process.wait()


def _flags() -> list[str]:
    flags = ["-std=c99", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-shared"]
    if os.name != "nt":
        flags.append("-fPIC")
    if platform.machine().lower() in ("x86_64", "amd64"):
        flags.append("-march=native")
    return flags


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
