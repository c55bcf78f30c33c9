"""The methods of inverse geometry in their order, from the simplest to the most general; verification; refinement.

Verification of the formulas at generation: from the poses of random postures the postures must be recovered.

The formulas are evaluated with the robot's numbers (nominal ones, or random ones where it has none) at poses whose
postures are known: some random, some with joints next to a multiple of a right angle, where closed forms are weakest.
Lengths are divided by the robot's size, and the smallest singular value of a posture's Jacobian is compared with that
of the best-conditioned posture: a robot whose axes are almost parallel is verified as any other. Postures that are
singular except for round-off do not count. Where loops constrain the joints, the postures satisfy them.

    lost     no row of status 0 or 2 contains the posture
    rough    the residual of the row that contains it, if any, exceeds ROUGH_POSTURE: a divisor is small, or the
             formulas hold for a similar robot only

Refinement: where two roots of a quartic are close, or a small divisor amplifies round-off, a true solution may miss the
pose by more than the tolerance, or seem out of reach. The kernel `refine` improves such rows by Newton's method on the
pose. It starts from verified formulas, so that it cannot hide a wrong derivation. The kernel compares lengths with 1:
it works on lengths divided by the robot's size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Expr, Scalar, less_equal, maximum, select
from symoro.models.geometric.inverse.branches import SINGULAR, VALID, Solution, solutions
from symoro.models.geometric.inverse.chain.chain import links
from symoro.models.geometric.inverse.chain.pose import entry_name
from symoro.models.geometric.inverse.chain.problem import NUMERIC, Problem, with_own_joints
from symoro.models.geometric.inverse.explain import derivation
from symoro.models.geometric.inverse.finite import in_units
from symoro.models.geometric.inverse.general.general import general_solutions
from symoro.models.geometric.inverse.paul.equations import Equations
from symoro.models.geometric.inverse.paul.paul import Paul
from symoro.models.geometric.inverse.pieper.pieper import pieper
from symoro.models.geometric.inverse.pieper.swivel import swivel_steps
from symoro.models.geometric.inverse.step import Step
from symoro.models.ports import SWIVEL
from symoro.models.tolerances import EPSILON, INTENDED_POSTURE, ROUGH_POSTURE, SAME_POSTURE, WELL_CONDITIONED
from symoro.program.program import Stage

SEED = 5
RANDOM, SQUARE = 600, 600  # postures at random, postures next to right angles
# Error of a pose; divided by the smallest singular value it is the error of the joints.
AMPLIFIED = 100 * EPSILON
FEW = 0.01  # share of random postures that may be rough, if Newton's method makes them exact


@dataclass(frozen=True)
class TrialResult:
    """Of the regular postures, those that are lost; and the share of the random ones that are rough.

    `exact`: every row that should hold a posture does so to a tenth of the tolerance, nothing is lost.
    """

    postures: int
    lost: int
    rough: float
    exact: bool


class Trial:
    """Postures and their poses, the same for all methods that are tried on a problem."""

    def __init__(self, problem: Problem) -> None:
        import numpy

        from symoro.expr.kernels.refine import refine_chain_

        self.problem = problem
        rng = numpy.random.default_rng(SEED)
        joints, between = links(problem.chain.motions)
        unknown = [joint for joint in joints if not joint.terms]
        self.joints = [joint.joint for joint in unknown]
        self.turns = numpy.array([joint.turns for joint in unknown])
        self.count = RANDOM + SQUARE
        literals = [problem.builder.number(x).lit for matrix in between for row in matrix for x in row]
        self.parameters: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}
        closed = self._closed()
        self._draw(literals, rng)
        flat = evaluate(problem.builder.graph, literals, self.parameters, self.variables)
        spread = [numpy.broadcast_to(x, (self.count,)) for x in flat]
        placements = numpy.stack(spread, -1).reshape(self.count, -1, 4, 4)
        size = abs(placements[:, :, :3, 3]).sum((1, 2))
        size[size == 0] = 1.0
        placements[:, :, :3, 3] /= size[:, None, None]
        self.units = numpy.where(self.turns, 1.0, size[:, None])
        self.q = _postures(rng, self.turns)[: self.count]
        for k, j in enumerate(self.joints):
            if j in closed:
                self.q[:, k] = closed[j] / self.units[:, k]
        kinds = numpy.array([joint.sign * (1 if joint.turns else 2) for joint in joints])
        # All joints from the unknown ones.
        tangents = numpy.array([joint.tangent(self.joints) for joint in joints])
        ends, slopes = refine_chain_(placements, kinds, self.q @ tangents.T)
        slopes = slopes @ tangents
        given = numpy.array(problem.given)
        # Poses come rounded to the size of their largest entries: a formula must not count on more of the small ones.
        ends[:, :3] = ends[:, :3] + EPSILON * rng.uniform(-1, 1, ends[:, :3].shape)
        ends[:, :3, 3] *= size[:, None]
        for r in range(4):
            for c in range(4):
                known = r < 3 and given[r, c]
                self.variables[entry_name(r, c)] = ends[:, r, c] if known else float(r == c)
        least = numpy.linalg.svd(slopes[:, given], compute_uv=False)[:, -1]
        self.regular = least > WELL_CONDITIONED * least.max()
        self.near = numpy.minimum(SAME_POSTURE + AMPLIFIED / least.clip(EPSILON), INTENDED_POSTURE)

    def _closed(self) -> Mapping[int, Any]:
        """Return joints by number, of postures that satisfy the loops where these constrain the joints of the chain."""
        closure = self.problem.closure
        if closure is None or not closure.tied:
            return {}
        sample = closure.postures(self.count, True)
        self.count = len(next(iter(sample.joints.values())))
        self.parameters.update(sample.parameters)
        for j, entry in self.problem.start.items():
            if j in sample.joints:
                self.variables[self.problem.builder.graph.args[entry.lit >> 1][0]] = sample.joints[j]
        return sample.joints

    def _draw(self, literals: Sequence[int], rng: Any) -> None:
        """Numbers for the symbols that have none yet."""
        graph = self.problem.builder.graph
        nominal = dict(self.problem.robot.nominal)
        for i in graph.reachable(literals):
            if graph.op[i] == ops.SYMBOL:
                name, cls = graph.args[i]
                unit = self.problem.probes.unit if name in self.problem.probes.lengths else 1.0
                if cls == ops.PARAMETER and name not in self.parameters:
                    drawn = unit * rng.uniform(0.3, 1.2, self.count)
                    self.parameters[name] = nominal.get(name, drawn)
                elif cls == ops.VARIABLE and name not in self.variables:
                    self.variables[name] = unit * rng.uniform(-3, 3, self.count)

    def of(self, slots: Sequence[Solution], tolerance: float) -> TrialResult:
        """Return how many postures the solutions of a method recover."""
        import numpy

        graph = self.problem.builder.graph
        literals = [
            x.lit for one in slots for x in (*(one.joints[j] for j in self.joints), one.residual, one.status)
        ]
        self._draw(literals, numpy.random.default_rng(SEED))
        with numpy.errstate(all="ignore"):
            values = evaluate(graph, literals, self.parameters, self.variables)
            rows = numpy.stack([numpy.broadcast_to(x, (self.count,)) for x in values], -1)
            rows = rows.reshape(self.count, len(slots), -1)
            apart = rows[:, :, :-2] / self.units[:, None] - self.q[:, None]
            apart = numpy.where(self.turns, numpy.arctan2(numpy.sin(apart), numpy.cos(apart)), apart)
            apart = numpy.nan_to_num(abs(apart).max(2), nan=numpy.inf)
            residual, status = rows[:, :, -2], rows[:, :, -1]
            good = ((status == 0) | (status == 2)) & (apart < self.near[:, None])
            missed = numpy.nanmin(numpy.where(apart < INTENDED_POSTURE, residual, numpy.inf), 1)
        lost = self.regular & ~good.any(1)
        rough = self.regular & ~(missed <= ROUGH_POSTURE)
        share = rough[:RANDOM].sum() / max(1, self.regular[:RANDOM].sum())
        exact = not lost.any() and bool((missed[self.regular] <= tolerance / 10).all())
        return TrialResult(int(self.regular.sum()), int(lost.sum()), float(share), exact)


def _postures(rng: Any, turns: Any) -> Any:
    """Return random joints, lengths in units of the robot's size; half of them have some next to a right angle."""
    import numpy

    shape = (RANDOM + SQUARE, len(turns))
    q = rng.uniform(-1, 1, shape) * numpy.where(turns, numpy.pi, 1)
    beside = rng.choice([-1, 1], shape) * 10 ** rng.uniform(-4.5, -1.5, shape)
    square = numpy.where(turns, rng.integers(-1, 3, shape) * numpy.pi / 2, 0) + beside
    chosen = rng.random(shape) < 0.4
    chosen[:RANDOM] = False
    return numpy.where(chosen, square, q)


TURNS, SLIDES = 1, 2  # as the kernel marks joints


def refined(problem: Problem, solutions_to_refine: Sequence[Solution], tolerance: float) -> list[Solution]:
    """The solutions, each with its joints, residual and status as the kernel leaves them."""
    builder = problem.builder
    joints, between = links(problem.chain.motions)
    size = problem.chain.size
    placements = [x for matrix in between for row in in_units(matrix, size) for x in row]
    pairs = [
        (entry, known)
        for row, mask in zip(in_units(problem.chain.target, size), problem.given, strict=True)
        for entry, known in zip(row, mask, strict=True)
    ]
    marks: list[Scalar] = [
        len(joints),
        builder.number(Tolerance(tolerance)),
        *(int(known) for _, known in pairs),
    ]
    marks += [joint.sign * (TURNS if joint.turns else SLIDES) for joint in joints]
    inverse = 1 / size
    rows = [
        x
        for one in solutions_to_refine
        for x in (
            *(one.joints[j.joint] * (1 if j.turns else inverse) for j in joints),
            one.residual,
            one.status,
        )
    ]
    table = builder.call("refine", placements, [entry if known else 0 for entry, known in pairs], marks, rows)
    width = len(joints) + 2
    made = []
    for k, one in enumerate(solutions_to_refine):
        *q, residual, status = table[width * k : width * (k + 1)]
        values = {
            joint.joint: builder.number(value * (1 if joint.turns else size))
            for joint, value in zip(joints, q, strict=True)
        }
        made.append(replace(one, joints=values, residual=residual, status=_status(problem, one, status)))
    return made


def _status(problem: Problem, one: Solution, status: Expr) -> Expr:
    """Singular where a joint is free, whatever the kernel says of the pose."""
    if not one.free:
        return status
    free: Scalar = problem.builder.number(0)
    for flag in one.free.values():
        free = maximum(free, flag)
    return problem.builder.number(select(free, select(less_equal(status, VALID), SINGULAR, status), status))


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
    solution_rows = solutions(problem.builder, problem.chain, steps, problem.given, tolerance)
    types = ", ".join(f"{' and '.join(map(str, step.unknowns))} type {step.type}" for step in steps)
    return Answer(solution_rows, (f"method: Paul ({types})",), derivation(steps), _delicate(steps))


def by_pieper(problem: Problem, tolerance: float) -> Answer:
    """The joints that carry a point first, or the orientation where three joints are prismatic."""
    structure = pieper(problem)
    own = structure.problem
    solved_for = solutions(own.builder, own.chain, structure.steps, own.given, tolerance)
    words = (f"method: Pieper, {structure.words}",)
    crowded = any(step.repeats for step in structure.steps)
    return Answer(
        solved_for, words, derivation(structure.steps), _delicate(structure.steps) or crowded, crowded
    )


def _delicate(steps: Sequence[Step]) -> bool:
    return any(step.type >= 9 and len(step.choices) > 2 for step in steps)


def by_general(problem: Problem, tolerance: float) -> Answer:
    """All joints at once by elimination and eigenvalues."""
    solution_rows = general_solutions(problem, tolerance)
    return Answer(solution_rows, ("method: general (elimination and eigenvalues, up to 16 solutions)",))


def by_swivel(problem: Problem, tolerance: float) -> Answer:
    """Seven joints, the elbow turned about the line from shoulder to wrist by the input `swivel`."""
    own = with_own_joints(problem)
    (swivel,) = own.builder.input(SWIVEL, (), ["swivel"], default=[0.0])
    steps = swivel_steps(own, swivel)
    solution_rows = solutions(own.builder, own.chain, steps, own.given, tolerance)
    words = "method: spherical shoulder and wrist, elbow by the swivel angle"
    return Answer(solution_rows, (words,), derivation(steps))


METHODS: Mapping[str, Callable[[Problem, float], Answer]] = {
    "paul": by_paul,
    "pieper": by_pieper,
    "general": by_general,
}
