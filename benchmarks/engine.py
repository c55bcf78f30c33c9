"""How the engine scales: build, optimise, count and print programs of 1,000 to 100,000 operations.

    python benchmarks/engine.py [operations ...]

The program is the placements of all frames of a long chain of revolute joints, alpha alternating between
pi/2 and -pi/2, with symbolic lengths d and r: written with `Builder` and `linalg` alone. Times are the best of
a few runs, in seconds of processor time (all of it is one thread, and other programs may be running); memory
is the peak that Python allocated while all steps ran once more under tracemalloc.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from symoro.expr.linalg import Matrix, homogeneous, identity, matmul
from symoro.expr.scalar import cos, sin
from symoro.program import Builder, Program, count, optimise

T = TypeVar("T")
SIZES = (1_000, 10_000, 100_000)
OPERATIONS_A_JOINT, LESS_AT_THE_BASE = 32, 53
GOAL = 0.5  # seconds for 10,000 operations, all steps together
AT = 10_000


@dataclass
class Row:
    """One line of the table; `emit` is None when the emitter is not there."""

    operations: int
    build: float
    optimise: float
    count: float
    emit: float | None
    peak: float

    @property
    def total(self) -> float:
        return self.build + self.optimise + self.count + (self.emit or 0.0)


def chain(joints: int) -> Program:
    """The placements of all frames of a chain in its base."""
    builder = Builder("chain")
    q = builder.input("q", (joints,))
    placement = identity(4)
    placements = []
    for j in range(1, joints + 1):
        s, c = builder.named(f"S{j}", sin(q[j - 1])), builder.named(f"C{j}", cos(q[j - 1]))
        d, r = builder.parameter(f"d{j}"), builder.parameter(f"r{j}")
        sign = 1 if j % 2 else -1
        # Rx(alpha) Tx(d) Rz(theta) Tz(r), alpha = sign * pi/2
        rotation: Matrix = [[c, -s, 0], [0, 0, -sign], [sign * s, sign * c, 0]]
        step = homogeneous(rotation, [d, -sign * r, 0])
        placement = matmul(placement, step)
        for row in range(3):
            for column in range(4):
                builder.named(f"T{j}_{row + 1}{column + 1}", placement[row][column])
        placements.append(placement[:3])
    builder.output("T", placements)
    return builder.program()


def emitter() -> Callable[[Program], object] | None:
    try:
        from symoro.emit import emit
    except ImportError:
        return None
    return lambda program: emit(program, "c")


def timed(function: Callable[..., T], *arguments: object) -> tuple[float, T]:
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def measure(operations: int, repeat: int) -> Row:
    """The best time of each step over some runs, and the peak memory of one more."""
    joints = -(-(operations + LESS_AT_THE_BASE) // OPERATIONS_A_JOINT)
    emit = emitter()
    best: Row | None = None
    for _ in range(repeat):
        built, program = timed(chain, joints)
        optimised, better = timed(optimise, program)
        counted, op_count = timed(count, better)
        printed = timed(emit, better)[0] if emit else None
        row = Row(op_count.total, built, optimised, counted, printed, 0.0)
        best = row if best is None or row.total < best.total else best
    assert best is not None
    best.peak = peak_memory(joints, emit)
    return best


def peak_memory(joints: int, emit: Callable[[Program], object] | None) -> float:
    """Megabytes, under tracemalloc, which slows everything down."""
    tracemalloc.start()
    try:
        better = optimise(chain(joints))
        count(better)
        if emit:
            emit(better)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def table(rows: list[Row]) -> str:
    """The rows as text; `per 10k` is the total scaled to 10,000 operations."""
    titles = ("operations", "build", "optimise", "count", "C", "total", "per 10k", "peak MB", "MB/10k")
    head = f"{titles[0]:>10} " + " ".join(f"{title:>8}" for title in titles[1:])
    lines = [head]
    for row in rows:
        printed = "-" if row.emit is None else f"{row.emit:.3f}"
        scale = AT / row.operations
        lines.append(
            f"{row.operations:>10,} {row.build:>8.3f} {row.optimise:>8.3f} {row.count:>8.3f} {printed:>8} "
            f"{row.total:>8.3f} {row.total * scale:>8.3f} {row.peak:>8.1f} {row.peak * scale:>8.1f}"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    sizes = [int(a) for a in arguments] or list(SIZES)
    rows = [measure(size, repeat=3) for size in sizes]
    print(table(rows))
    for row in rows:
        if AT <= row.operations < 1.1 * AT:
            verdict = "met" if row.total < GOAL else "missed"
            print(f"goal, {AT:,} operations in less than {GOAL} s: {verdict}")
    growth = rows[-1].total / rows[-1].operations / (rows[0].total / rows[0].operations)
    print(f"time of an operation, largest program against smallest: x {growth:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
