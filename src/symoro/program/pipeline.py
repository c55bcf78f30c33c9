"""Sequence of optimisation passes. Each pass preserves the values; a pass that would add operations is discarded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symoro.program.count import OpCount, count
from symoro.program.passes.linear import multiply_out
from symoro.program.passes.rebuild import compact
from symoro.program.passes.schedule import schedule
from symoro.program.passes.sums import share_sums
from symoro.program.program import Program

Pass = Callable[[Program], Program]

ROUNDS = 3
LARGE = 900  # with more nodes only one round is done: further rounds take long and save almost nothing


@dataclass(frozen=True)
class PassRecord:
    """Operation counts before and after one optimisation pass."""

    name: str
    before: OpCount
    after: OpCount


def optimise(program: Program) -> Program:
    """Return the program with fewer operations and a better order of evaluation."""
    return traced(program)[0]


def traced(program: Program) -> tuple[Program, list[PassRecord]]:
    """Return the optimised program, and for each pass the operation counts before and after it."""
    steps: list[PassRecord] = []

    def run(step: Pass, current: Program, before: OpCount) -> tuple[Program, OpCount]:
        candidate = step(current)
        after = before if candidate is current else count(candidate)
        if cost(after) > cost(before):
            candidate, after = current, before
        steps.append(PassRecord(step.__name__, before, after))
        return candidate, after

    def repeat(step: Pass, current: Program, now: OpCount) -> tuple[Program, OpCount]:
        for _ in range(1 if len(program.nodes) > LARGE else ROUNDS):
            candidate, after = run(step, current, now)
            if cost(after) == cost(now):
                break  # without improvement the sums keep their form and their names
            current, now = candidate, after
        return current, now

    current = compact(program)
    now = count(current)
    steps.append(PassRecord("compact", now, now))  # nodes that no output needs are not counted
    if not program.expanded and not program.as_written:
        current, now = repeat(share_sums, current, now)
        shared = now
        current, now = repeat(multiply_out, current, now)
        if cost(now) != cost(shared):
            current, now = repeat(share_sums, current, now)
        current, now = run(schedule, current, now)
    return current, steps


def cost(c: OpCount) -> tuple[int, int]:
    """Return the quantities that the passes minimise: operations per call, then operations of the setup."""
    return c.total, c.setup.total if c.setup else 0
