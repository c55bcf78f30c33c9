"""Which method solves a problem, tried from the simplest to the most general, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.models.geometric.inverse.branches import Solution, solutions
from symoro.models.geometric.inverse.equations import Equations
from symoro.models.geometric.inverse.explain import derivation
from symoro.models.geometric.inverse.general import general_solutions
from symoro.models.geometric.inverse.paul import Paul
from symoro.models.geometric.inverse.pieper import pieper
from symoro.models.geometric.inverse.problem import NUMERIC, Problem, with_own_joints
from symoro.models.geometric.inverse.swivel import swivel_steps
from symoro.program.derivation import Stage


@dataclass(frozen=True)
class Answer:
    """The solutions, what was chosen and why, and the derivation."""

    solutions: list[Solution]
    choices: tuple[str, ...]
    derivation: tuple[Stage, ...] = ()


def solved(problem: Problem, method: str, tolerance: float) -> Answer:
    """The answer of a method; 'auto' takes the first that applies.

    Raises:
        NotApplicableError: the method does not apply, with the reason (for 'auto': each method's).
    """
    if method != "auto":
        return METHODS[method](problem, tolerance)
    reasons = []
    for name, attempt in METHODS.items():
        try:
            answer = attempt(problem, tolerance)
        except NotApplicableError as error:
            reasons.append(f"{name}: {error.message}")
            continue
        passed = tuple(f"not {reason}" for reason in reasons)
        return Answer(answer.solutions, answer.choices + passed, answer.derivation)
    raise NotApplicableError(
        f"no method solves this chain of robot '{problem.robot.name}'"
        + "".join(f"\n  - {r}" for r in reasons),
        hint=NUMERIC,
    )


def by_paul(problem: Problem, tolerance: float) -> Answer:
    """Every unknown by an equation of one of Paul's types."""
    equations = Equations(problem.chain, problem.probes, problem.given)
    steps, left = Paul(problem.builder, problem.probes, equations, problem.start).steps()
    if left:
        unsolved = ", ".join(map(str, left))
        raise NotApplicableError(f"no equation of Paul's types is left for {unsolved}")
    found = solutions(problem.builder, problem.chain, steps, problem.given, tolerance)
    types = ", ".join(f"{' and '.join(map(str, step.unknowns))} type {step.type}" for step in steps)
    return Answer(found, (f"method: Paul ({types})",), derivation(steps))


def by_pieper(problem: Problem, tolerance: float) -> Answer:
    """The joints that carry a point first, or the orientation where three joints are prismatic."""
    found = pieper(problem)
    own = found.problem
    solved_for = solutions(own.builder, own.chain, found.steps, own.given, tolerance)
    return Answer(solved_for, (f"method: Pieper, {found.words}",), derivation(found.steps))


def by_general(problem: Problem, tolerance: float) -> Answer:
    """All joints at once by elimination and eigenvalues."""
    found = general_solutions(problem, tolerance)
    return Answer(found, ("method: general (elimination and eigenvalues, up to 16 solutions)",))


def by_swivel(problem: Problem, tolerance: float) -> Answer:
    """Seven joints, the elbow turned about the line from shoulder to wrist by the input `swivel`."""
    own = with_own_joints(problem)
    title = "angle of the elbow about the line from shoulder to wrist"
    (swivel,) = own.builder.input("swivel", (), ["swivel"], title, default=[0.0])
    steps = swivel_steps(own, swivel)
    found = solutions(own.builder, own.chain, steps, own.given, tolerance)
    words = "method: spherical shoulder and wrist, elbow by the swivel angle"
    return Answer(found, (words,), derivation(steps))


METHODS: Mapping[str, Callable[[Problem, float], Answer]] = {
    "paul": by_paul,
    "pieper": by_pieper,
    "general": by_general,
}
