"""Where the peers live: the running environment when it has them all, else one of our own under build/bench."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "bench"
PEERS = Path(__file__).resolve().parent
WHEELS = ("pin", "casadi", "example-robot-data", "cmeel-eigen")
SECONDS = "seconds"  # beside what was built
MODULES = ("pinocchio", "casadi", "numpy", "symoro")


def enter() -> None:
    """Come back when all peers can be imported; otherwise start again in an environment that has them."""
    if _complete():
        return
    python = _python()
    if Path(sys.prefix) == python.parents[1]:
        raise SystemExit(f"the peers cannot be imported in {sys.prefix}; remove that folder and try again")
    if not all(_has(python, wheel) for wheel in (*WHEELS, "symoro")):
        _install(python, *WHEELS, "-e", str(ROOT)).check_returncode()
    raise SystemExit(subprocess.run([python, *sys.argv]).returncode)


def enter_with(peers: Sequence[str]) -> None:
    """Come back in the environment under build/bench, with those of some peers that can be had there."""
    python = _python()
    if Path(sys.prefix) == python.parents[1]:
        return
    if not _has(python, "symoro"):
        _install(python, "-e", str(ROOT)).check_returncode()
    for peer in peers:
        if not _has(python, peer) and _install(python, peer).returncode:
            print(f"{peer} cannot be installed; it will be missing below", flush=True)
    raise SystemExit(subprocess.run([python, *sys.argv]).returncode)


def _python() -> Path:
    return BUILD / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"


def _has(python: Path, requirement: str) -> bool:
    asked = "import sys; from importlib.metadata import version; version(sys.argv[1])"
    name = requirement.partition("[")[0]
    return python.exists() and not subprocess.run([python, "-c", asked, name], capture_output=True).returncode


def _install(python: Path, *what: str) -> subprocess.CompletedProcess[bytes]:
    if not python.exists():
        print(f"making {python.parents[1]}", flush=True)
        venv.create(python.parents[1], symlinks=os.name != "nt", with_pip=True)
    quiet = ["-qq", "--disable-pip-version-check"]
    return subprocess.run([python, "-m", "pip", "install", *quiet, *what])


def _complete() -> bool:
    return all(importlib.util.find_spec(name) for name in MODULES) and (prefix() / "include/eigen3").exists()


def prefix() -> Path:
    """The folder of the wheels of Pinocchio and all it needs: include, lib, share."""
    return Path(sysconfig.get_path("purelib")) / "cmeel.prefix"


def casadi_folder() -> Path:
    return Path(sysconfig.get_path("purelib")) / "casadi"


def robots_folder() -> Path:
    return prefix() / "share" / "example-robot-data" / "robots"


def versions(names: Sequence[str] = ("pin", "casadi", "cmeel-eigen")) -> str:
    """The peers and the compiler, in words."""
    lines = []
    for name in names:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(name)
    return ", ".join([*lines, _answer("g++")])


@cache
def _answer(compiler: str) -> str:
    try:
        answer = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except OSError:
        raise SystemExit(f"{compiler} is not there: apt-get install g++") from None
    return answer.stdout.splitlines()[0]


def built(
    name: str,
    files: dict[str, str],
    command: list[str],
    after: tuple[str, ...] = (),
    *,
    again: bool = False,
) -> Path:
    """What a compiler makes of some sources, kept under the hash of all that goes in.

    Arguments:
        files: name -> text; all are written, those ending in .c or .cpp are compiled.
        command, after: words of the command before and after the sources.
        again: compile also what is kept, for its time.
    """
    parts = [
        versions(),
        _answer(command[0]),
        *command,
        *after,
        *(f"{n}\n{t}" for n, t in sorted(files.items())),
    ]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    folder = BUILD / f"{name}-{key}"
    target = folder / name
    if again or not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        sources = [file for file in files if file.endswith((".c", ".cpp"))]
        made = folder / "unfinished"
        start = time.perf_counter()
        subprocess.run([*command, *sources, *after, "-o", made], cwd=folder, check=True)
        made.replace(target)
        (folder / SECONDS).write_text(str(time.perf_counter() - start), encoding="utf-8")
    return target


def seconds(target: Path) -> float:
    """How long the compiler took for something built."""
    return float((target.parent / SECONDS).read_text(encoding="utf-8"))


def published(package: str) -> Path:
    """The folder of a package's sources as its authors published them, of the version that is installed."""
    release = f"{package}=={version(package)}"
    folder = BUILD / f"{package.lower()}-{version(package)}"
    if not folder.exists():
        kept = BUILD / "sdist"
        fetch = ["-qq", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "-d", str(kept)]
        subprocess.run([sys.executable, "-m", "pip", "download", *fetch, release], check=True)
        with tarfile.open(kept / f"{folder.name}.tar.gz") as archive:
            archive.extractall(BUILD, filter="data")
    return folder
