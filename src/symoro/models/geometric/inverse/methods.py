"""Which method solves a problem, tried from the simplest to the most general, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.errors import NotApplicableError
from symoro.models.geometric.inverse.branches import Solution, solutions
from symoro.models.geometric.inverse.chain.problem import NUMERIC, Problem, with_own_joints
from symoro.models.geometric.inverse.explain import derivation
from symoro.models.geometric.inverse.general.general import general_solutions
from symoro.models.geometric.inverse.paul.equations import Equations
from symoro.models.geometric.inverse.paul.paul import Paul
from symoro.models.geometric.inverse.pieper.pieper import pieper
from symoro.models.geometric.inverse.pieper.swivel import swivel_steps
from symoro.models.geometric.inverse.refine import refined
from symoro.models.geometric.inverse.step import Step
from symoro.models.geometric.inverse.trial import FEW, Trial, TrialResult
from symoro.models.ports import SWIVEL
from symoro.models.tolerances import ROUGH_POSTURE
from symoro.program.derivation import Stage

LOST = 1e-3  # largest share of the regular postures that a verified method may lose


@dataclass(frozen=True)
class Answer:
    """The solutions, what was chosen and why, and the derivation.

    Attributes:
        delicate: a root of a quartic is among the steps; close to another one it is not exact.
        crowded: so are roots that come in pairs, a divisor being small or a symbol.
    """

    solutions: list[Solution]
    choices: tuple[str, ...]
    derivation: tuple[Stage, ...] = ()
    delicate: bool = False
    crowded: bool = False


def solved(problem: Problem, method: str, tolerance: float) -> Answer:
    """The answer of a method; 'auto' takes the first that applies and finds random postures again.

    Raises:
        NotApplicableError: the method does not apply, with the reason (for 'auto': each method's).
    """
    if method == "general":
        return by_general(problem, tolerance)
    trial = Trial(problem)
    if method != "auto":
        answer, result = tried(problem, trial, METHODS[method](problem, tolerance), tolerance)
        if not _recovers(result):
            raise NotApplicableError(f"method '{method}' {_loss(result)}", hint="use method='auto'")
        return answer
    reasons: dict[str, str] = {}
    doubtful: dict[str, tuple[TrialResult, Answer]] = {}
    for name, attempt in METHODS.items():
        try:
            answer = attempt(problem, tolerance)
        except NotApplicableError as error:
            reasons[name] = error.message
            continue
        if name != "general":
            answer, result = tried(problem, trial, answer, tolerance)
            doubt = _doubt(trial, answer, result)
            if doubt:
                reasons[name] = doubt
                if _recovers(result):
                    doubtful[name] = (result, answer)
                continue
        return _passed(answer, reasons)
    if doubtful:
        best = min(doubtful, key=lambda name: doubtful[name][0].lost)
        return _passed(doubtful[best][1], {name: why for name, why in reasons.items() if name != best})
    raise NotApplicableError(
        f"no method solves this chain of robot '{problem.robot.name}'"
        + "".join(f"\n  - {name}: {why}" for name, why in reasons.items()),
        hint=NUMERIC,
    )


def _passed(answer: Answer, reasons: Mapping[str, str]) -> Answer:
    """The answer with what is said about methods that were passed over."""
    return _with(answer, *(f"not {name}: {why}" for name, why in reasons.items()))


def _with(answer: Answer, *more: str) -> Answer:
    return replace(answer, choices=answer.choices + more)


def _doubt(trial: Trial, answer: Answer, result: TrialResult) -> str:
    """Why another method is tried first; empty where the formulas are verified and accurate."""
    if not _recovers(result):
        return _loss(result)
    if answer.crowded and not trial.parameters:
        return "inaccurate for this robot: it is almost a simpler one, whose formulas divide by zero here"
    if result.rough > FEW:
        share = f"{100 * result.rough:.0f} %"
        return f"inaccurate for this robot: misses {share} of random poses by more than {ROUGH_POSTURE:g}"
    return ""


def _recovers(result: TrialResult) -> bool:
    """Return whether formulas are verified: there are regular postures, and almost all of them are recovered."""
    return result.postures > 0 and result.lost <= LOST * result.postures


def _loss(result: TrialResult) -> str:
    if not result.postures:
        return "cannot be verified: this robot has no regular posture"
    return f"loses {result.lost} of {result.postures} random postures of this robot"


def tried(problem: Problem, trial: Trial, answer: Answer, tolerance: float) -> tuple[Answer, TrialResult]:
    """The answer, refined where its formulas alone do not find random postures exactly, and how it does."""
    before = trial.of(answer.solutions, tolerance)
    # The kernel `refine` moves every joint by itself, and would leave the laws by which loops tie some of them.
    lawful = any(motion.terms for motion in problem.chain.motions)
    if lawful or (before.exact and not answer.delicate):
        return answer, before
    made = refined(problem, answer.solutions, tolerance)
    after = trial.of(made, tolerance)
    words = ["refined by Newton's method where a solution is not exact"]
    if after.lost:
        words.append(f"{after.lost} of {after.postures} random postures were not found again")
    return _with(replace(answer, solutions=made), *words), replace(after, rough=before.rough)


def by_paul(problem: Problem, tolerance: float) -> Answer:
    """Every unknown by an equation of one of Paul's types."""
    equations = Equations(problem.chain, problem.probes, problem.given)
    steps, left = Paul(problem.builder, problem.probes, equations, problem.start).steps()
    if left:
        unsolved = ", ".join(map(str, left))
        raise NotApplicableError(f"no equation of Paul's types is left for {unsolved}")
    found = solutions(problem.builder, problem.chain, steps, problem.given, tolerance)
    types = ", ".join(f"{' and '.join(map(str, step.unknowns))} type {step.type}" for step in steps)
    return Answer(found, (f"method: Paul ({types})",), derivation(steps), _delicate(steps))


def by_pieper(problem: Problem, tolerance: float) -> Answer:
    """The joints that carry a point first, or the orientation where three joints are prismatic."""
    found = pieper(problem)
    own = found.problem
    solved_for = solutions(own.builder, own.chain, found.steps, own.given, tolerance)
    words = (f"method: Pieper, {found.words}",)
    crowded = any(step.repeats for step in found.steps)
    return Answer(solved_for, words, derivation(found.steps), _delicate(found.steps) or crowded, crowded)


def _delicate(steps: Sequence[Step]) -> bool:
    return any(step.type >= 9 and len(step.choices) > 2 for step in steps)


def by_general(problem: Problem, tolerance: float) -> Answer:
    """All joints at once by elimination and eigenvalues."""
    found = general_solutions(problem, tolerance)
    return Answer(found, ("method: general (elimination and eigenvalues, up to 16 solutions)",))


def by_swivel(problem: Problem, tolerance: float) -> Answer:
    """Seven joints, the elbow turned about the line from shoulder to wrist by the input `swivel`."""
    own = with_own_joints(problem)
    (swivel,) = own.builder.input(SWIVEL, (), ["swivel"], default=[0.0])
    steps = swivel_steps(own, swivel)
    found = solutions(own.builder, own.chain, steps, own.given, tolerance)
    words = "method: spherical shoulder and wrist, elbow by the swivel angle"
    return Answer(found, (words,), derivation(steps))


METHODS: Mapping[str, Callable[[Problem, float], Answer]] = {
    "paul": by_paul,
    "pieper": by_pieper,
    "general": by_general,
}
