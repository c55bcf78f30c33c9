"""Search for the formulation with the fewest operations: descent from several starts, one choice at a time.

Deterministic. The best formulation found is remembered, in memory and in the user's cache folder: the same model of the
same robot is not searched again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from symoro.models.dynamic.formulation import Formulation, plain, quick
from symoro.models.dynamic.memory import recall, remember
from symoro.program.count import OpCount, count
from symoro.program.pipeline import optimise
from symoro.program.program import Program
from symoro.progress import Task, task
from symoro.robot.description import Robot

Build = Callable[[Formulation], Program]


Cost = tuple[int, int, int]


def cost(c: OpCount) -> Cost:
    """Multiplications and additions first, then functions, then multiplications alone."""
    return c.multiplications + c.additions + c.divisions, c.functions, c.multiplications


def starts(robot: Robot) -> list[Formulation]:
    """Formulations from which to descend."""
    first = quick(robot)
    inside = replace(first, links=tuple(replace(c, before=False) for c in first.links))
    tensor = replace(first, links=tuple(replace(c, basis="J") for c in first.links))
    return [first, inside, tensor, plain(robot)]


_FOUND: dict[tuple[Robot, str], Formulation] = {}
_KEEPING = Lock()
MOST = 64  # formulations kept in memory, the oldest goes first

SLACK = 6  # a candidate that is this much worse before the passes is not worth optimising


def searched(robot: Robot, build: Build, name: str) -> Formulation:
    """The best formulation found, from memory when the same robot was searched before."""
    key = (robot, name)
    known = _FOUND.get(key) or recall(robot, name)
    if known is None:
        known = best_formulation(robot, build)
        remember(robot, name, known)
    with _KEEPING:
        _FOUND[key] = known
        if len(_FOUND) > MOST:
            del _FOUND[next(iter(_FOUND))]
    return known


def best_formulation(robot: Robot, build: Build) -> Formulation:
    """Multi-start descent."""
    prices = _Prices(build)
    first = starts(robot)
    with task("searching a formulation", len(first)) as work:
        ends = [_descended(robot, start, prices, work, k) for k, start in enumerate(first)]
    return min(ends, key=lambda f: (prices.final(f), ends.index(f)))


class _Prices:
    """Costs of formulations, each computed once: as built, and after the passes."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.built: dict[Formulation, tuple[Program, int]] = {}
        self.optimised: dict[Formulation, Cost] = {}

    def first(self, formulation: Formulation) -> int:
        if formulation not in self.built:
            program = self.build(formulation)
            self.built[formulation] = (program, cost(count(program))[0])
        return self.built[formulation][1]

    def final(self, formulation: Formulation) -> Cost:
        if formulation not in self.optimised:
            self.first(formulation)
            self.optimised[formulation] = cost(count(optimise(self.built[formulation][0])))
        return self.optimised[formulation]


def _descended(robot: Robot, start: Formulation, prices: _Prices, work: Task, before: int) -> Formulation:
    """Change one choice after the other, round and round, until none helps; `before` starts are done with."""
    current = start
    moves = start.moves(robot)
    since = at = 0
    while since < len(moves):
        candidate = current.changed(moves[at % len(moves)])
        at, since = at + 1, since + 1
        work.to(before + at / (at + len(moves) - since))  # as if nothing more were to help
        if prices.first(candidate) <= prices.first(current) + SLACK and prices.final(
            candidate
        ) < prices.final(current):
            current, since = candidate, 0
    return current
