"""Search for the formulation with the fewest operations: descent from several starts, one choice at a time.

The search is deterministic. The best formulation is stored in memory and in the user's cache folder, by robot, model
and version of symoro, so that the same model of the same robot is not searched again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock

from symoro._version import __version__
from symoro.cache import cache_folder, write_whole
from symoro.models.dynamic.formulation import Choice, Formulation, plain, quick
from symoro.program.count import OpCount, count
from symoro.program.pipeline import optimise
from symoro.program.program import Program
from symoro.progress import Task, task
from symoro.robot.description import Robot


def recall(robot: Robot, model: str) -> Formulation | None:
    """Return the formulation that an earlier search stored for a robot and a model, or None.

    A damaged file is ignored.
    """
    path = _path(robot, model)
    if path is None or not path.exists():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        links = tuple(Choice(**choice) for choice in data["links"])
        formulation = Formulation(links, bool(data["parallel_out"]), bool(data["parallel_in"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return formulation if len(links) == robot.NL else None


def remember(robot: Robot, model: str, formulation: Formulation) -> None:
    """Store the formulation that a search selected for a robot and model, if there is a cache folder."""
    path = _path(robot, model)
    if path is not None:
        write_whole(path, json.dumps(asdict(formulation)))


def _path(robot: Robot, model: str) -> Path | None:
    folder = cache_folder("formulations")
    key = hashlib.sha256(f"{__version__}\0{model}\0{robot!r}".encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{key}.json"


Build = Callable[[Formulation], Program]


Cost = tuple[int, int, int]


def cost(c: OpCount) -> Cost:
    """Return the cost of a program from its operation count, for the comparison of programs.

    The cost is a tuple: multiplications, additions and divisions together; functions; multiplications alone.
    """
    return c.multiplications + c.additions + c.divisions, c.functions, c.multiplications


DECISIVE_RATIO = 0.8  # ratio of two operation counts; the optimising passes do not reverse larger ones


def cheaper(one: Program, other: Program) -> Program:
    """Return the one of two programs that has fewer operations."""
    costs = [count(one).total, count(other).total]
    if min(costs) > DECISIVE_RATIO * max(costs):
        costs = [count(optimise(one)).total, count(optimise(other)).total]
    return one if costs[0] <= costs[1] else other


def starts(robot: Robot) -> list[Formulation]:
    """Return the formulations from which the search for the fewest operations starts."""
    first = quick(robot)
    inside = replace(first, links=tuple(replace(c, before=False) for c in first.links))
    tensor = replace(first, links=tuple(replace(c, basis="J") for c in first.links))
    return [first, inside, tensor, plain(robot)]


_FORMULATIONS: dict[tuple[Robot, str], Formulation] = {}
_LOCK = Lock()
CACHE_SIZE = 64  # formulations in memory; the oldest is removed first

PRUNING_MARGIN = 6  # a candidate that costs this much more before the passes is not optimised


def searched(robot: Robot, build: Build, name: str) -> Formulation:
    """Return the formulation with the fewest operations; a stored result of an earlier search is used.

    Args:
        build: returns the program of the model in a given formulation.
        name: name of the model, under which the result is stored.
    """
    key = (robot, name)
    known = _FORMULATIONS.get(key) or recall(robot, name)
    if known is None:
        known = best_formulation(robot, build)
        remember(robot, name, known)
    with _LOCK:
        _FORMULATIONS[key] = known
        if len(_FORMULATIONS) > CACHE_SIZE:
            del _FORMULATIONS[next(iter(_FORMULATIONS))]
    return known


def best_formulation(robot: Robot, build: Build) -> Formulation:
    """Search for the formulation with the fewest operations, by descent from several starts.

    Args:
        build: returns the program of the model in a given formulation.
    """
    costs = _Costs(build)
    first = starts(robot)
    with task("searching for the formulation with the fewest operations", len(first)) as work:
        ends = [_descended(robot, start, costs, work, k) for k, start in enumerate(first)]
    return min(ends, key=lambda f: (costs.final(f), ends.index(f)))


class _Costs:
    """Cache of the operation counts of formulations, as built and after the optimisation passes."""

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


def _descended(robot: Robot, start: Formulation, costs: _Costs, work: Task, before: int) -> Formulation:
    """Change one choice at a time, repeatedly, until no change reduces the operation count.

    Args:
        start: formulation from which the search starts.
        costs: operation counts of formulations.
        work: progress report.
        before: number of finished starts, for the progress report.
    """
    current = start
    moves = start.moves(robot)
    since = at = 0
    while since < len(moves):
        candidate = current.changed(moves[at % len(moves)])
        at, since = at + 1, since + 1
        work.to(before + at / (at + len(moves) - since))  # progress as if no further change helped
        if costs.first(candidate) <= costs.first(current) + PRUNING_MARGIN and costs.final(
            candidate
        ) < costs.final(current):
            current, since = candidate, 0
    return current
