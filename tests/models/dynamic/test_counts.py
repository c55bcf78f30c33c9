"""Operation counts: at most the recorded ones, search not worse than quick, and deterministic."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import symoro
from benchmarks.operations import Case, cases, general
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.search import best_formulation, cost
from symoro.program.count import count
from symoro.program.pipeline import optimise
from symoro.robot.description import Robot
from tests.effort import Effort
from tests.models.dynamic.cases import error, oracle, outputs, seeded_tree, state, torque_program

# (multiplications, additions, divisions, functions) with effort quick. Lower them when they fall.
RECORDED = {
    "SCEMI": (216, 204, 0, 12),
    "SCEMI, rotors": (221, 209, 0, 12),
    "SCEMI simplified": (139, 119, 0, 12),
    "Stanford": (204, 193, 0, 8),
    "Stanford simplified": (129, 112, 0, 8),
    "PUMA560": (229, 215, 0, 12),
    "iiwa": (269, 253, 0, 12),
    "general 6R": (407, 341, 0, 10),
    "general 7R": (493, 415, 0, 12),
    "general 8R": (579, 489, 0, 14),
    "SCEMI inertia matrix": (115, 107, 0, 10),
    "SCEMI direct dynamics": (391, 349, 5, 12),
}
CASES = [case for case in cases() if case.name in RECORDED]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_more_operations_than_recorded(case: Case) -> None:
    model = symoro.generate(case.robot, case.model).count()
    numbers = model.multiplications, model.additions, model.divisions, model.functions
    most = RECORDED[case.name]
    assert sum(numbers[:3]) <= sum(most[:3]), f"{numbers} where {most} are recorded"
    assert numbers[3] <= most[3]
    if case.published:
        assert sum(numbers[:2]) <= sum(case.published)


def test_every_dynamic_case_is_recorded() -> None:
    assert {case.name for case in cases() if case.model != "jacobian"} == set(RECORDED)


def test_a_joint_more_costs_always_the_same() -> None:
    """The count is linear in the number of joints."""
    totals = [symoro.generate(general(n), "inverse-dynamics").count().total for n in (6, 8, 10, 12)]
    steps = {b - a for a, b in pairwise(totals)}
    assert len(steps) == 1


def test_only_the_moving_part_counts_in_a_call() -> None:
    """Numeric parameters cost at most as much per call as symbolic ones."""
    robot = symoro.load("puma560")
    unknown = {name: 5.0 for name in robot.symbols() if name not in dict(robot.nominal)}
    bound = robot.bind({**unknown, **dict(robot.nominal)})
    for model in ("inverse-dynamics", "inertia-matrix", "direct-dynamics"):
        symbols, numbers = (symoro.generate(r, model).count() for r in (robot, bound))
        assert numbers.total <= symbols.total
        assert numbers.setup is not None
        assert numbers.setup.total == 0


@pytest.fixture
def small() -> Robot:
    return seeded_tree(9, 2)


def test_search_is_not_worse_than_quick(
    small: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path))
    at = state(small)
    for model in ("inverse-dynamics", "direct-dynamics"):
        searched, fast = (symoro.generate(small, model, effort=e) for e in ("search", "quick"))
        assert cost(searched.count()) <= cost(fast.count())
        assert searched.program.choices
    torques = outputs(small, "inverse-dynamics", at, effort="search")["tau"]
    assert error(torques, oracle(small, at).torques(at["q"], at["qd"], at["qdd"])) < 1e-11


def test_search_finds_the_same_twice(small: Robot) -> None:
    first, second = (best_formulation(small, lambda f: torque_program(small, f)) for _ in range(2))
    assert first == second
    best = cost(count(optimise(torque_program(small, first))))
    assert best <= cost(count(optimise(torque_program(small, quick(small)))))


@pytest.mark.parametrize(
    "model", ["inverse-dynamics", "direct-dynamics", "inertia-matrix", "lagrange", "energy"]
)
def test_the_same_text_twice(model: str) -> None:
    robot = symoro.load("stanford")
    assert symoro.generate(robot, model).code("c") == symoro.generate(robot, model).code("c")


def test_generation_is_little_work() -> None:
    """About 57,000 calls when this was written."""
    robot = symoro.load("rx90")
    symoro.generate(robot, "inverse-dynamics")
    with Effort(most=150_000):
        symoro.generate(robot, "inverse-dynamics")
