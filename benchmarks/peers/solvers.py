"""Who solves the inverse geometry of an arm: EAIK's C++, the C of roboticstoolbox, and symoro's C."""

from __future__ import annotations

import ctypes
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from peers.arms import Arm, axes, standard
from peers.environment import BUILD, PEERS, built, prefix, published, seconds

FLAGS = ["-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
SHARED = ["-shared", "-fPIC"]
ROOM = 128  # solutions of a pose that fit
BLOCK = 8  # poses between two looks at the clock: shorter than a slice of a busy machine
BUDGET = 2e7  # ns of a turn
PATIENCE = 600  # seconds for a derivation
DOUBLES = ctypes.POINTER(ctypes.c_double)


class Missing(Exception):
    """A peer that is not here, or does not take the arm; the text says why."""


@dataclass(frozen=True)
class Solver:
    """One line of the table.

    Attributes:
        solve: placements (N, 4, 4) -> the solutions of each that the solver calls valid, (k, joints).
        lap: placements -> us a pose in one turn, for each part of them that is timed apart.
        generate, compile: seconds of preparation; None where there is nothing of that kind.
        how: a word on the method.
    """

    who: str
    solve: Callable[[Any], list[Any]]
    lap: Callable[[Any], Any]
    generate: float | None = None
    compile: float | None = None
    how: str = ""


def doubles(array: Any) -> Any:
    return array.ctypes.data_as(DOUBLES)


@cache
def timer() -> ctypes.CDLL:
    source = {"timer.c": (PEERS / "timer.c").read_text()}
    return ctypes.CDLL(str(built("timer", source, ["gcc", "-O2", "-march=native", *SHARED], ("-lm",))))


def collected(solve: Any, joints: int, poses: Any) -> list[Any]:
    """The solutions that a C function finds."""
    given = np.ascontiguousarray(poses)
    results = np.zeros((len(poses), ROOM, joints))
    counts = np.zeros(len(poses), np.int32)
    counted = counts.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
    timer().collect(solve, len(poses), ROOM * joints, doubles(given), doubles(results), counted)
    return [rows[:count] for rows, count in zip(results, counts, strict=True)]


def lap(call: Any, joints: int, poses: Any) -> Any:
    """us a pose of a C function, for each block of poses."""
    given, room = np.ascontiguousarray(poses), np.zeros((ROOM, joints))
    least = np.empty(len(poses) // BLOCK)
    numbers = (ctypes.c_double(BUDGET), len(least), BLOCK)
    timer().time_solver(call, *numbers, doubles(given), doubles(room), doubles(least))
    return least / 1000


def call_time(call: Callable[[Any], Any], poses: Any) -> Any:
    """us a pose of a Python function that takes all of them."""
    least = np.inf
    begun = time.perf_counter_ns()
    while time.perf_counter_ns() - begun < BUDGET:
        start = time.perf_counter_ns()
        call(poses)
        least = min(least, time.perf_counter_ns() - start)
    return np.array([least]) / len(poses) / 1000


def eaik(arm: Arm) -> list[Solver]:
    """EAIK: its C++ compiled here from the published sources, and its wheel as Python calls it."""
    if not arm.revolute.all():
        raise Missing("EAIK: no prismatic joints")
    at = axes(arm)
    offsets = np.diff(np.vstack([np.zeros(3), at.points, at.home[:3, 3]]), axis=0)
    rotation = np.ascontiguousarray(at.home[:3, :3])
    library = ctypes.CDLL(str(_eaik_library()))
    library.setup.restype = ctypes.c_double
    taken = library.setup(arm.joints, doubles(at.directions), doubles(offsets), doubles(rotation))
    text = ctypes.create_string_buffer(80)
    library.family(text, len(text))
    family = text.value.decode()
    if taken < 0:
        raise Missing(f"EAIK: refuses the arm ({family})")
    n = arm.joints
    source = Solver(
        "EAIK C++",
        lambda poses: collected(library.solve, n, poses),
        lambda poses: lap(library.timed, n, poses),
        taken,
        None,
        family,
    )
    return [source, _eaik_wheel(at.directions, offsets, rotation)]


@cache
def _eaik_library() -> Path:
    try:
        folder = published("EAIK")
    except PackageNotFoundError:
        raise Missing("EAIK: not installed") from None
    except subprocess.CalledProcessError:
        raise Missing("EAIK: its sources cannot be fetched") from None
    eigen = prefix() / "include" / "eigen3"
    if not eigen.exists():
        raise Missing("EAIK: cmeel-eigen, which it is compiled with, is not installed")
    root = folder / "CPP"
    subproblems = root / "external" / "ik-geo" / "cpp" / "subproblems"
    searched = [root / "src", root / "src" / "utils", root / "src" / "IK", root / "src" / "IK" / "utils"]
    parts = sorted([*(root / "src").rglob("*.cpp"), *subproblems.rglob("*.cpp")])
    include = [f"-I{path}" for path in (*searched, subproblems)]
    command = ["g++", "-std=c++17", "-w", "-DNDEBUG", f"-isystem{eigen}", *include, *FLAGS, *SHARED]
    files = {"eaik.cpp": (PEERS / "eaik.cpp").read_text()}
    return built("eaik", files, command, (*(str(path) for path in parts), "-pthread"))


def _eaik_wheel(directions: Any, offsets: Any, rotation: Any) -> Solver:
    from eaik.pybindings import EAIK

    robot = EAIK.Robot(directions.T, offsets.T, rotation, [], True)

    def solve(poses: Any) -> list[Any]:
        results = robot.calculate_IK_batched(list(poses), 1)
        return [np.asarray(each.Q)[~np.asarray(each.is_LS, bool)] for each in results]

    def turn(poses: Any) -> Any:
        return call_time(lambda given: robot.calculate_IK_batched(given, 1), list(poses))

    return Solver("EAIK wheel, batch", solve, turn, how="one thread, conversions to Python included")


def toolbox(arm: Arm) -> list[Solver]:
    """roboticstoolbox: the C that its analytic_ik generates; the derivation is kept in build/bench."""
    table = standard(axes(arm))
    code, report = _derived(arm, table)
    if code is None:
        raise Missing(f"roboticstoolbox: {report.get('refused')} ({report['seconds']:.0f} s)")
    files = {"ikine.c": code, "calls.c": _toolbox_calls(arm.joints)}
    path = built(f"{arm.name}_toolbox", files, ["gcc", "-std=gnu11", "-w", *FLAGS, *SHARED], ("-lm",))
    library = ctypes.CDLL(str(path))
    before, after = np.linalg.inv(table.base), np.linalg.inv(table.tool)
    n = arm.joints
    solver = Solver(
        "roboticstoolbox C",
        lambda poses: collected(library.solve, n, before @ poses @ after),
        lambda poses: lap(library.solve, n, before @ poses @ after),
        report["seconds"],
        seconds(path),
        report["method"],
    )
    return [solver]


def _derived(arm: Arm, table: Any) -> tuple[str | None, dict[str, Any]]:
    """(C or None, report of the derivation)."""
    try:
        release = version("roboticstoolbox-python")
    except PackageNotFoundError:
        raise Missing("roboticstoolbox: not installed") from None
    given = {name: getattr(table, name) for name in ("theta", "d", "a", "alpha")}
    given["revolute"] = [bool(turns) for turns in arm.revolute]
    text = json.dumps(given, sort_keys=True)
    key = hashlib.sha256(f"{release}\0{text}".encode()).hexdigest()[:16]
    folder = BUILD / f"{arm.name}_toolbox_c-{key}"
    report = folder / "report.json"
    if not report.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "table.json").write_text(text, encoding="utf-8")
        print(f"roboticstoolbox derives {arm.title}, which takes minutes", flush=True)
        _derive(folder)
    code = folder / "ikine.c"
    return (code.read_text() if code.exists() else None), json.loads(report.read_text())


def _derive(folder: Path) -> None:
    run = [sys.executable, PEERS / "toolbox.py", folder / "table.json", folder]
    report = folder / "report.json"
    try:
        done = subprocess.run(run, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        report.write_text(json.dumps({"refused": "unfinished", "seconds": PATIENCE}))
        return
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise Missing(f"roboticstoolbox: {' '.join(last)}")


def _toolbox_calls(joints: int) -> str:
    return f"""int ikine(const double *T, double tol, double solutions[][{joints}], int *count);
int solve(const double *T, double *q)
{{
    int count = 0;
    ikine(T, 1e-6, (double (*)[{joints}])q, &count);
    return count;
}}
"""
