"""C compiler of the machine, if there is one, and a cache of compiled libraries.

Libraries are stored in the user's cache folder under the hash of source, compiler and flags. Each is built under a
private name and then renamed, so that processes that build the same library at the same time do not interfere.
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
WITHOUT = "function(compiled=False) does not need a compiler"
TICK = 0.1  # seconds between two progress messages
ALONE = 40_000  # minimum length (characters) of a source that is compiled in a separate process
RATE = 100_000  # approximate number of characters that a compiler processes per second


@dataclass(frozen=True)
class Compiler:
    """Command that compiles C, with its identification in the cache."""

    command: tuple[str, ...]
    identity: str


@cache
def find_compiler() -> Compiler | None:
    """Return the compiler in CC, or the first working one of cc, gcc, clang."""
    named = os.environ.get("CC")
    candidates = [shlex.split(named, posix=os.name != "nt")] if named else [["cc"], ["gcc"], ["clang"]]
    for command in candidates:
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


def library(files: dict[str, str], *, straight: bool = False) -> ctypes.CDLL:
    """Return the shared library of C sources (with headers), from the cache or compiled now.

    Args:
        straight: whether the sources contain straight-line code alone, without loops over samples. Compilers then must
            not combine its statements into vectors: gcc's code for derivatives of a general arm is a quarter slower.

    Raises:
        MissingDependencyError: there is no compiler, or it cannot create a loadable library.
    """
    compiler = find_compiler()
    if compiler is None:
        raise MissingDependencyError("there is no C compiler", hint=HINT)
    flags = [*_flags(), *(STRAIGHT if straight else ())]
    parts = [compiler.identity, *compiler.command, *flags, platform.machine(), platform.node()]
    parts += [f"{name}\n{text}" for name, text in sorted(files.items())]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    target = (cache_folder("libraries") or _temporary_folder()) / f"{key}{_suffix()}"
    if target.exists():
        try:
            return ctypes.CDLL(str(target))
        except OSError:
            target.unlink(missing_ok=True)  # a damaged file is compiled again
    try:
        _build(compiler, flags, files, target)
        return ctypes.CDLL(str(target))
    except OSError as error:  # no disk space, no permission to load libraries from there ...
        raise MissingDependencyError(f"the compiled library cannot be used: {error}", hint=WITHOUT) from None


PORTABLE = ("-std=c99", "-O2", "-fno-math-errno", "-fvisibility=hidden", "-shared")


def portable_library(files: dict[str, str]) -> bytes:
    """Return the contents of a shared library of C sources that other machines of the same kind can load.

    Raises:
        MissingDependencyError: there is no compiler, or it cannot create a library.
    """
    compiler = find_compiler()
    if compiler is None:
        raise MissingDependencyError("there is no C compiler", hint=HINT)
    flags = [*PORTABLE, *(["-fPIC"] if os.name != "nt" else [])]
    with tempfile.TemporaryDirectory(prefix="symoro-") as folder:
        target = Path(folder) / f"library{_suffix()}"
        try:
            _build(compiler, flags, files, target)
            return target.read_bytes()
        except OSError as error:
            raise MissingDependencyError(f"the library cannot be compiled: {error}", hint=HINT) from None


def _build(compiler: Compiler, flags: list[str], files: dict[str, str], target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="symoro-") as scratch:
        folder = Path(scratch)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        output = folder / f"out{_suffix()}"
        stages = _commands(compiler, flags, files, output)
        errors = _failure(stages, folder, sum(map(len, files.values())))
        if errors is not None:
            message = f"the C compiler failed: {errors.strip()[-800:]}"
            raise MissingDependencyError(message, hint=f"{HINT}; {WITHOUT}")
        descriptor, name = tempfile.mkstemp(suffix=_suffix(), dir=target.parent)
        os.close(descriptor)
        private = Path(name)
        try:
            shutil.copyfile(output, private)
            private.replace(target)
        except BaseException as error:  # an interrupt leaves no files either
            private.unlink(missing_ok=True)
            # on Windows another process may have opened the same library: use that one
            if not isinstance(error, OSError) or not target.exists():
                raise


def _commands(
    compiler: Compiler, flags: list[str], files: dict[str, str], output: Path
) -> list[list[list[str]]]:
    """Return the commands, stage by stage; the commands of one stage run in parallel.

    Long sources are compiled separately and then linked, short ones together, because each start takes time.
    """
    sources = [name for name in files if name.endswith(".c")]
    libraries = ["-lm"] if os.name != "nt" else []
    long = [name for name in sources if len(files[name]) > ALONE]
    if len(long) < 2 or processors() < 2:
        return [[[*compiler.command, *flags, "-o", str(output), *sources, *libraries]]]
    compiled = [flag for flag in flags if flag != "-shared"]
    apart = [[*compiler.command, *compiled, "-c", "-o", f"{name}.o", name] for name in long]
    rest = [name for name in sources if name not in long] + [f"{name}.o" for name in long]
    return [apart, [[*compiler.command, *flags, "-o", str(output), *rest, *libraries]]]


def _failure(stages: list[list[list[str]]], folder: Path, length: int) -> str | None:
    """Run the compiler; return its error output if it failed, else None."""
    with task("compiling", 0.5 + length / RATE) as work:
        started = time.monotonic()
        for stage in stages:
            errors = _run(stage, folder, lambda: work.to(time.monotonic() - started))
            if errors is not None:
                return errors
    return None


def _run(commands: list[list[str]], folder: Path, tell: Callable[[], None]) -> str | None:
    """Run commands in parallel, one per processor; return the output of the first one that failed, else None."""
    waiting = list(enumerate(commands))
    running: dict[int, subprocess.Popen[bytes]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processors():
                number, command = waiting.pop(0)
                # a pipe would have to be read while the process runs
                with (folder / f"{number}.log").open("wb") as log:
                    running[number] = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
            try:
                next(iter(running.values())).wait(TICK)
            except subprocess.TimeoutExpired:
                tell()
            for number in [number for number, process in running.items() if process.poll() is not None]:
                if running.pop(number).returncode:
                    return (folder / f"{number}.log").read_text(errors="replace")
        return None
    finally:  # no process continues after a failure or an interrupt
        for process in running.values():
            process.kill()
            process.wait()


# For gcc and clang. A long straight function that starts in the middle of a cache line is slower by up to a fifth.
STRAIGHT = ("-fno-tree-slp-vectorize", "-falign-functions=64")


def _flags() -> list[str]:
    flags = ["-std=c99", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-shared"]
    if os.name != "nt":
        flags.append("-fPIC")
    if platform.machine().lower() in ("x86_64", "amd64"):
        flags.append("-march=native")
    return flags


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
