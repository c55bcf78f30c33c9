"""Where the peers live: the running environment when it has them all, else one of our own under build/bench."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "bench"
PEERS = Path(__file__).resolve().parent
WHEELS = ("pin", "casadi", "example-robot-data", "cmeel-eigen")
MODULES = ("pinocchio", "casadi", "numpy", "symoro")


def enter() -> None:
    """Come back when all peers can be imported; otherwise start again in an environment that has them."""
    if _complete():
        return
    python = BUILD / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    if Path(sys.prefix) == python.parents[1]:
        raise SystemExit(f"the peers cannot be imported in {sys.prefix}; remove that folder and try again")
    if not python.exists():
        print(f"making {python.parents[1]}", flush=True)
        venv.create(python.parents[1], with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *WHEELS, "-e", ROOT]
    subprocess.run(install, check=True)
    raise SystemExit(subprocess.run([python, *sys.argv]).returncode)


def _complete() -> bool:
    return all(importlib.util.find_spec(name) for name in MODULES) and (prefix() / "include/eigen3").exists()


def prefix() -> Path:
    """The folder of the wheels of Pinocchio and all it needs: include, lib, share."""
    return Path(sysconfig.get_path("purelib")) / "cmeel.prefix"


def casadi_folder() -> Path:
    return Path(sysconfig.get_path("purelib")) / "casadi"


def robots_folder() -> Path:
    return prefix() / "share" / "example-robot-data" / "robots"


def versions() -> str:
    """The peers and the compiler, in words."""
    found = []
    for name in ("pin", "casadi", "cmeel-eigen"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(name)
    return ", ".join([*found, _answer("g++")])


@cache
def _answer(compiler: str) -> str:
    try:
        told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except OSError:
        raise SystemExit(f"{compiler} is not there: apt-get install g++") from None
    return told.stdout.splitlines()[0]


def built(name: str, files: dict[str, str], command: list[str], after: tuple[str, ...] = ()) -> Path:
    """What a compiler makes of some sources, kept under the hash of all that goes in.

    Arguments:
        files: name -> text; all are written, those ending in .c or .cpp are compiled.
        command, after: what stands before and after the sources.
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
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        sources = [file for file in files if file.endswith((".c", ".cpp"))]
        made = folder / "unfinished"
        subprocess.run([*command, *sources, *after, "-o", made], cwd=folder, check=True)
        made.replace(target)
    return target
