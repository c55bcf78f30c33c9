"""Postures that inverse geometry loses: python benchmarks/inverse_geometry_sweep.py [--robots N] [CLASS ...]

Random robots of each class of `tests/oracle/arms.py`, and the same classes with offsets of 1e-3 to 1e-8 added to
lengths and angles ("almost ..."). A pose is the direct geometry of a random posture, computed here with NumPy alone; it
is lost where that posture is not, within 1e-6, among the rows of status 0 or 2 that the emitted C gives.

    --robots N      so many robots of each class (default 1: some minutes); 50 for a judgement
    --method M      another method than auto
    --almost K      so many robots of each almost special class (default: as --robots)
    --languages     1,000 poses of one robot a class also in every other language that runs here, against C
    --seed S        other robots and postures
    --singular S    postures with a smallest singular value below S are not counted (default 0: all are)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from symoro.errors import SymoroError
from symoro.expr.formula import formula
from tests.emit.programs import Case
from tests.emit.run import (
    WRAPPER_NAMES,
    c_library,
    cpp_library,
    fortran_library,
    run_library,
    run_octave,
    run_python,
)
from tests.models.geometric.postures import Solver
from tests.oracle.arms import CLASSES, Arm, Rng

NEAR = 1e-6
SPECIAL = (
    "PUMA-like",
    "wrist, quartic arm",
    "oblique wrist",
    "wrist with a tool",
    "spherical shoulder",
    "spherical 2-3-4",
    "spherical 3-4-5",
    "Stanford-like",
    "RPR and a wrist",
    "UR-like",
    "three axes, a point",
    "elbow arm, a point",
    "five axes",
)


def almost(arm: Arm, rng: Rng) -> Arm:
    """The arm with tiny numbers added to one to four of its lengths and angles, all of one size or each of its own."""
    frames = list(arm.robot.frames)
    places = [(j, name) for j in range(1, len(frames)) for name in ("d", "alpha", "r")]
    size = rng.uniform(-8, -3)
    for k in rng.choice(len(places), int(rng.integers(1, 5)), replace=False):
        j, name = places[k]
        size = size if rng.random() < 0.5 else rng.uniform(-8, -3)
        offset = float(rng.choice([-1, 1]) * 10**size)
        frames[j] = replace(frames[j], **{name: formula(f"({getattr(frames[j], name)}) + ({offset!r})")})
    return replace(arm, robot=replace(arm.robot, name="almost" + arm.robot.name, frames=tuple(frames)))


def robots(count: int, near: int, seed: int) -> Iterator[tuple[str, Iterator[Arm]]]:
    """Each class with its robots."""
    for name in CLASSES:
        yield name, special_robots(name, count, seed)
    for name in SPECIAL:
        yield f"almost {name}", almost_robots(name, near, seed)


def special_robots(name: str, count: int, seed: int) -> Iterator[Arm]:
    for k in range(count):
        yield CLASSES[name](np.random.default_rng([seed, k, *map(ord, name)]))


def almost_robots(name: str, count: int, seed: int) -> Iterator[Arm]:
    for k in range(count):
        rng = np.random.default_rng([seed, k, 7, *map(ord, name)])
        yield almost(CLASSES[name](rng), rng)


def lost(solver: Solver, q: Any, out: dict[str, Any]) -> Any:
    """For each posture whether it is among the rows that are called solutions."""
    turns = solver.chain.turns
    gap = out["q"][:, :, solver.unknown] - q[:, None, solver.unknown]
    gap = np.abs(np.where(turns, (gap + np.pi) % (2 * np.pi) - np.pi, gap)).max(axis=2)
    near = np.isin(out["status"], (0, 2)) & (gap < NEAR)
    return ~near.any(axis=1)


def poses(solver: Solver, q: Any) -> Any:
    """Direct geometry of every posture; entries that are not given are zero."""
    assert not solver.arm.locked
    T = solver.chain.place(q[:, solver.unknown])
    if solver.arm.pose in ("full", "planar"):
        return T
    summary = np.zeros_like(T)
    summary[:, 3, 3] = 1
    summary[:, :3][:, solver.chain.mask] = T[:, :3][:, solver.chain.mask]
    return summary


def sweep(name: str, arms: Iterator[Arm], args: argparse.Namespace) -> tuple[int, int]:
    """Return losses and poses of a class; print robots with losses one by one."""
    missing, total, refused, seconds = 0, 0, 0, 0.0
    methods: dict[str, int] = {}
    for k, arm in enumerate(arms):
        start = time.perf_counter()
        try:
            solver = Solver(arm, args.method, compiled=True)
        except SymoroError as error:
            refused += 1
            print(f"    {arm} {k}: {str(error).splitlines()[0]}", flush=True)
            continue
        seconds += time.perf_counter() - start
        said = solver.model.program.choices[0].removeprefix("method: ").split(" ")[0].strip(",")
        methods[said] = methods.get(said, 0) + 1
        q = solver.postures(np.random.default_rng([args.seed, k, 3]), args.poses)
        with np.errstate(all="ignore"):
            out = solver.function(T=poses(solver, q), q0=q * 0)
        gone = lost(solver, q, out)
        if args.singular:
            gone &= solver.chain.sensitivity(q[:, solver.unknown]) > args.singular
        missing += int(gone.sum())
        total += args.poses
        if gone.any() and args.tell:
            print(f"    {arm} {k} ({said}): {gone.sum()} of {args.poses}", flush=True)
    summary = f"{methods}  refused {refused}  prepared in {seconds:.0f} s"
    print(f"{name:32s} lost {missing:6d} of {total:7d}  {summary}", flush=True)
    return missing, total


def in_languages(name: str, arm: Arm, args: argparse.Namespace) -> int:
    """How many of the poses have other solutions than C's in C++, Fortran, Octave and Python."""
    solver = Solver(arm, args.method)
    q = solver.postures(np.random.default_rng([args.seed, 4]), min(args.poses, 1000))
    case = Case(replace(solver.model.program, name="arm"), {"T": poses(solver, q), "q0": q * 0}, {})
    runs = {
        "C": lambda folder: run_library(c_library(folder, [case], "-O2"), [case]),
        "C++": lambda folder: run_library(cpp_library(folder, [case]), [case], names=WRAPPER_NAMES),
        "Fortran": lambda folder: run_library(
            fortran_library(folder, [case]), [case], names=WRAPPER_NAMES, fortran=True
        ),
        "Python": lambda folder: run_python(folder, [case], batch=True),
        "Octave": lambda folder: run_octave(folder, [case]),
    }
    near = {}
    for language, run in runs.items():
        with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
            near[language] = run(Path(folder))[0]
    other = {language: int((~alike(solver, near["C"], one)).sum()) for language, one in near.items()}
    summary = ", ".join(f"{language} {count}" for language, count in other.items() if language != "C")
    print(f"{name:32s} other than C, of {len(q)} poses: {summary}", flush=True)
    return sum(other.values())


def alike(solver: Solver, some: dict[str, Any], others: dict[str, Any]) -> Any:
    """For each pose whether both have the same solutions, in any rows."""
    gap = some["q"][:, :, None, solver.unknown] - others["q"][:, None][:, :, :, solver.unknown]
    turns = solver.chain.turns
    gap = np.abs(np.where(turns, (gap + np.pi) % (2 * np.pi) - np.pi, gap)).max(axis=3)
    mine, theirs = (np.isin(one["status"], (0, 2)) for one in (some, others))
    same = (gap < NEAR) & mine[:, :, None] & theirs[:, None]
    return (same.any(axis=2) == mine).all(axis=1) & (same.any(axis=1) == theirs).all(axis=1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("classes", nargs="*", metavar="CLASS", help="part of a class's name")
    parser.add_argument("--robots", type=int, default=1)
    parser.add_argument("--almost", type=int)
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--singular", type=float, default=0.0)
    parser.add_argument("--languages", action="store_true", help="the other languages against C")
    parser.add_argument("--tell", action="store_true", help="each robot that loses postures")
    args = parser.parse_args()
    count = 1 if args.languages else args.robots
    near = count if args.almost is None or args.languages else args.almost
    missing = total = 0
    for name, arms in robots(count, near, args.seed):
        if args.classes and not any(word in name for word in args.classes):
            continue
        if args.languages:
            missing += in_languages(name, next(arms), args)
            continue
        some, of = sweep(name, arms, args)
        missing, total = missing + some, total + of
    if not args.languages:
        print(f"{'all':32s} lost {missing:6d} of {total:7d}")
    return int(missing * 10_000 > total)


if __name__ == "__main__":
    sys.exit(main())
