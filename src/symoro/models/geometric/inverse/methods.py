"""Methods of inverse geometry, from the simplest to the most general, with their verification and refinement.

Verification. The formulas are verified when they are generated: the solutions for the poses of sampled configurations
must include these configurations. The formulas are evaluated with the robot's numbers (nominal values, or random values
for symbols without one). Some configurations are random; others have joints close to a multiple of a right angle, where
closed forms are least accurate, or exactly there, where an equation may not determine its unknown although the
configuration is regular. Lengths are divided by the robot's size. The smallest singular value of a
configuration's Jacobian is compared with that of the best-conditioned configuration, so that a robot with almost
parallel axes is verified like any other. Configurations that are singular up to round-off do not count. If loops
constrain the joints, the configurations satisfy them. A configuration is

    lost     if no solution of status 0 or 2 equals it
    rough    if the residual of the solution that equals it exceeds ROUGH_POSTURE: a divisor is small, or the formulas
             are valid only for a similar robot

Refinement. If two roots of a quartic are close, or a small divisor amplifies round-off, the residual of a true solution
may exceed the tolerance, or the pose may seem out of reach. The kernel `refine` improves such solutions by Newton's
method on the pose. It starts from verified formulas, so that it cannot hide a wrong derivation. The kernel compares
lengths with 1 and therefore works on lengths divided by the robot's size.
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
from symoro.models.geometric.inverse.paul.degeneracy import Degeneracy
from symoro.models.geometric.inverse.paul.equations import Equations
from symoro.models.geometric.inverse.paul.paul import Paul
from symoro.models.geometric.inverse.pieper.pieper import pieper
from symoro.models.geometric.inverse.pieper.swivel import swivel_steps
from symoro.models.geometric.inverse.step import Step
from symoro.models.ports import SWIVEL
from symoro.models.tolerances import EPSILON, INTENDED_POSTURE, ROUGH_POSTURE, SAME_POSTURE, WELL_CONDITIONED
from symoro.program.program import Stage

SEED = 5
RANDOM, SQUARE = 600, 600  # number of random configurations, and of those close to right angles
EXACT = 300  # number of configurations with some joints exactly at right angles
# Error of a pose; its quotient by the smallest singular value is the error of the joints.
AMPLIFIED = 100 * EPSILON
FEW = 0.01  # largest share of rough random configurations, if Newton's method makes them exact


@dataclass(frozen=True)
class TrialResult:
    """Result of the verification of a method of inverse geometry at sampled configurations.

    Attributes:
        postures: number of regular configurations among the samples.
        lost: number of regular configurations that are not among the solutions.
        rough: share of the random configurations whose residual exceeds ROUGH_POSTURE.
        exact: whether no configuration is lost and all residuals are below a tenth of the tolerance.
        right_angles: number of regular configurations with joints exactly at right angles; the numbers above do not
            include them.
        lost_right_angles: how many of these are not among the solutions.
    """

    postures: int
    lost: int
    rough: float
    exact: bool
    right_angles: int = 0
    lost_right_angles: int = 0


class Trial:
    """Sampled configurations and their poses, with which all methods for one problem are verified."""

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
        if not closed:
            self.count += EXACT
        self._draw(literals, rng)
        flat = evaluate(problem.builder.graph, literals, self.parameters, self.variables)
        spread = [numpy.broadcast_to(x, (self.count,)) for x in flat]
        placements = numpy.stack(spread, -1).reshape(self.count, -1, 4, 4)
        size = abs(placements[:, :, :3, 3]).sum((1, 2))
        size[size == 0] = 1.0
        placements[:, :, :3, 3] /= size[:, None, None]
        self.units = numpy.where(self.turns, 1.0, size[:, None])
        self.q = _postures(rng, self.turns)
        if not closed:
            self.q = numpy.concatenate([self.q, _right_angles(rng, self.turns)])
        self.q = self.q[: self.count]
        for k, j in enumerate(self.joints):
            if j in closed:
                self.q[:, k] = closed[j] / self.units[:, k]
        kinds = numpy.array([joint.sign * (1 if joint.turns else 2) for joint in joints])
        # derivative of all joints by the unknown ones
        tangents = numpy.array([joint.tangent(self.joints) for joint in joints])
        ends, derivatives = refine_chain_(placements, kinds, self.q @ tangents.T)
        derivatives = derivatives @ tangents
        given = numpy.array(problem.given)
        # Poses are rounded relative to their largest entries: a formula must not rely on more digits of the small ones.
        ends[:, :3] = ends[:, :3] + EPSILON * rng.uniform(-1, 1, ends[:, :3].shape)
        ends[:, :3, 3] *= size[:, None]
        for r in range(4):
            for c in range(4):
                known = r < 3 and given[r, c]
                self.variables[entry_name(r, c)] = ends[:, r, c] if known else float(r == c)
        least = numpy.linalg.svd(derivatives[:, given], compute_uv=False)[:, -1]
        self.regular = least > WELL_CONDITIONED * least.max()
        self.near = numpy.minimum(SAME_POSTURE + AMPLIFIED / least.clip(EPSILON), INTENDED_POSTURE)

    def _closed(self) -> Mapping[int, Any]:
        """Return sampled joint positions that close the loops, by joint number.

        The result is empty if loops do not constrain the joints of the chain.
        """
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
        """Draw random numbers for those symbols in some expressions that do not have a value yet.

        Args:
            literals: node references of the expressions.
            rng: random number generator of NumPy.
        """
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
        """Verify a method: compare its solutions with the sampled configurations.

        Args:
            slots: solutions of the method, as expressions.
            tolerance: largest residual of a valid solution.
        """
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
        every = self.regular & ~good.any(1)
        usual = numpy.arange(self.count) < RANDOM + SQUARE
        regular, lost = self.regular & usual, every & usual
        rough = regular & ~(missed <= ROUGH_POSTURE)
        share = rough[:RANDOM].sum() / max(1, regular[:RANDOM].sum())
        exact = not lost.any() and bool((missed[regular] <= tolerance / 10).all())
        return TrialResult(
            int(regular.sum()),
            int(lost.sum()),
            float(share),
            exact,
            int((self.regular & ~usual).sum()),
            int((every & ~usual).sum()),
        )


def _postures(rng: Any, turns: Any) -> Any:
    """Return random joint positions (samples, joints), in rad or in units of the robot's size.

    In half of the samples, some joints are close to a multiple of a right angle.

    Args:
        rng: random number generator of NumPy.
        turns: for each joint, whether it is revolute.
    """
    import numpy

    shape = (RANDOM + SQUARE, len(turns))
    q = rng.uniform(-1, 1, shape) * numpy.where(turns, numpy.pi, 1)
    beside = rng.choice([-1, 1], shape) * 10 ** rng.uniform(-4.5, -1.5, shape)
    square = numpy.where(turns, rng.integers(-1, 3, shape) * numpy.pi / 2, 0) + beside
    chosen = rng.random(shape) < 0.4
    chosen[:RANDOM] = False
    return numpy.where(chosen, square, q)


def _right_angles(rng: Any, turns: Any) -> Any:
    """Return random joint positions (samples, joints) with some revolute joints at multiples of a right angle.

    Args:
        rng: random number generator of NumPy.
        turns: for each joint, whether it is revolute.
    """
    import numpy

    shape = (EXACT, len(turns))
    q = rng.uniform(-1, 1, shape) * numpy.where(turns, numpy.pi, 1)
    square = rng.integers(-1, 3, shape) * numpy.pi / 2
    return numpy.where(turns & (rng.random(shape) < 0.6), square, q)


TURNS, SLIDES = 1, 2  # codes of revolute and prismatic joints in the kernel


def refined(problem: Problem, solutions_to_refine: Sequence[Solution], tolerance: float) -> list[Solution]:
    """Refine solutions by Newton's method with the kernel `refine`.

    Args:
        solutions_to_refine: solutions of verified formulas.
        tolerance: largest residual of a valid solution.

    Returns:
        The solutions with improved joint positions, residual and status.
    """
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
    """Return the status 'singular' for a valid solution with a free joint, else the given status.

    Args:
        one: the solution, with flags of its free joints.
        status: status that the kernel `refine` computed.
    """
    if not one.free:
        return status
    free: Scalar = problem.builder.number(0)
    for flag in one.free.values():
        free = maximum(free, flag)
    return problem.builder.number(select(free, select(less_equal(status, VALID), SINGULAR, status), status))


LOST = 1e-3  # largest share of regular configurations that a verified method may lose


@dataclass(frozen=True)
class MethodResult:
    """Solutions of one method of inverse geometry.

    Attributes:
        solutions: the solutions.
        choices: sentences about the method and why it was chosen.
        derivation: derivation of the formulas, for the user.
        delicate: whether a step computes a root of a quartic, which is inaccurate if another root is close.
        crowded: whether roots occur in close pairs because a divisor is small or symbolic.
    """

    solutions: list[Solution]
    choices: tuple[str, ...]
    derivation: tuple[Stage, ...] = ()
    delicate: bool = False
    crowded: bool = False


def solved(problem: Problem, method: str, tolerance: float) -> MethodResult:
    """Solve an inverse geometry problem by a named method.

    Args:
        method: 'paul', 'pieper' or 'general'; 'auto' selects the first method that applies and passes the verification.
        tolerance: largest residual of a valid solution.

    Raises:
        NotApplicableError: the method does not apply, with the reason (for 'auto', the reason of each method).
    """
    if method == "general":
        return by_general(problem, tolerance)
    trial = Trial(problem)
    if method != "auto":
        candidate, result = tried(problem, trial, METHODS[method](problem, tolerance), tolerance)
        if not _recovers(result):
            raise NotApplicableError(f"method '{method}' {_loss(result)}", hint="use method='auto'")
        return _with(candidate, *_degenerate(result))
    reasons: dict[str, str] = {}
    inaccurate: dict[str, tuple[TrialResult, MethodResult]] = {}
    for name, attempt in ATTEMPTS.items():
        if name == "general" and any(
            not _objection(trial, one, result) for result, one in inaccurate.values()
        ):
            break  # the formulas of another method are accurate, except at right angles
        if name == IN_PAIRS and "paul" not in inaccurate:
            continue  # Paul's method does not apply, or its formulas are wrong
        try:
            candidate = attempt(problem, tolerance)
        except NotApplicableError as error:
            if name in METHODS:
                reasons[name] = error.message
            continue
        if name != "general":
            candidate, result = tried(problem, trial, candidate, tolerance)
            objection = _objection(trial, candidate, result) or "".join(_degenerate(result))
            if objection:
                reasons[name] = objection
                if _recovers(result):
                    inaccurate[name] = (result, candidate)
                continue
        return _passed(candidate, reasons)
    if inaccurate:
        best = min(inaccurate, key=lambda name: _losses(trial, *inaccurate[name]))
        result, candidate = inaccurate[best]
        others = {name: why for name, why in reasons.items() if name != best}
        return _passed(_with(candidate, *_degenerate(result)), others)
    raise NotApplicableError(
        f"no method solves this chain of robot '{problem.robot.name}'"
        + "".join(f"\n  - {name}: {why}" for name, why in reasons.items()),
        hint=NUMERIC,
    )


def _passed(candidate: MethodResult, reasons: Mapping[str, str]) -> MethodResult:
    """Return the selected result with the reasons why other methods were not selected.

    Args:
        candidate: result of the selected method.
        reasons: reason for each rejected method, by name of the method.
    """
    return _with(candidate, *(f"not {name}: {why}" for name, why in reasons.items()))


def _with(candidate: MethodResult, *more: str) -> MethodResult:
    return replace(candidate, choices=candidate.choices + more)


def _objection(trial: Trial, candidate: MethodResult, result: TrialResult) -> str:
    """Return the reason to try another method; an empty text if the formulas are verified and accurate.

    Args:
        trial: the sampled configurations.
        candidate: solutions of the method.
        result: result of their verification.
    """
    if not _recovers(result):
        return _loss(result)
    if candidate.crowded and not trial.parameters:
        return "inaccurate for this robot: it is close to a special geometry for which these formulas divide by zero"
    if result.rough > FEW:
        share = f"{100 * result.rough:.0f} %"
        return f"inaccurate for this robot: the residual of {share} of random poses exceeds {ROUGH_POSTURE:g}"
    return ""


def _degenerate(result: TrialResult) -> list[str]:
    """Return a list with a remark about regular right-angle configurations that are lost; empty if none is lost."""
    if result.lost_right_angles <= LOST * result.right_angles:
        return []
    return [
        f"does not recover {result.lost_right_angles} of {result.right_angles} configurations with joints exactly at "
        "right angles, where its equations are degenerate"
    ]


def _losses(trial: Trial, result: TrialResult, candidate: MethodResult) -> tuple[bool, int, int]:
    """Return the sort key by which methods that lose configurations are compared; the smallest key is preferred.

    Returns:
        Whether there is an objection to the method, number of lost random configurations, number of lost right-angle
        configurations.
    """
    return bool(_objection(trial, candidate, result)), result.lost, result.lost_right_angles


def _recovers(result: TrialResult) -> bool:
    """Return whether the formulas of a method are verified.

    They are verified if their solutions contain almost all regular sampled configurations.
    """
    return result.postures > 0 and result.lost <= LOST * result.postures


def _loss(result: TrialResult) -> str:
    if not result.postures:
        return "cannot be verified: all configurations of this robot are singular"
    return f"does not recover {result.lost} of {result.postures} random configurations of this robot"


def tried(
    problem: Problem, trial: Trial, candidate: MethodResult, tolerance: float
) -> tuple[MethodResult, TrialResult]:
    """Verify the result of a method, and refine it by Newton's method if it is not exact.

    Args:
        trial: sampled configurations.
        candidate: result of the method.
        tolerance: largest residual of a valid solution.

    Returns:
        The result, refined if necessary, and the result of its verification.
    """
    before = trial.of(candidate.solutions, tolerance)
    # The kernel `refine` changes every joint separately and would violate the relations that loops impose.
    is_constrained = any(motion.terms for motion in problem.chain.motions)
    if is_constrained or (before.exact and not candidate.delicate):
        return candidate, before
    made = refined(problem, candidate.solutions, tolerance)
    after = trial.of(made, tolerance)
    words = ["solutions that are not exact are refined by Newton's method"]
    if after.lost:
        words.append(f"{after.lost} of {after.postures} random configurations are not recovered")
    return _with(replace(candidate, solutions=made), *words), replace(after, rough=before.rough)


def by_paul(problem: Problem, tolerance: float) -> MethodResult:
    """Solve all unknowns by Paul's method, with equations of ten types.

    Raises:
        NotApplicableError: for some unknowns no equation has one of these types.
    """
    return _by_paul(problem, tolerance, pairs_first=False)


def by_paul_with_pairs(problem: Problem, tolerance: float) -> MethodResult:
    """Solve all unknowns by Paul's method, with pairs of unknowns before equations that may be degenerate.

    If an equation in one unknown may be degenerate, equations in two unknowns are solved before it.

    Raises:
        NotApplicableError: the solution would not differ from that of `by_paul`, or an unknown has no equation.
    """
    return _by_paul(problem, tolerance, pairs_first=True)


def _by_paul(problem: Problem, tolerance: float, *, pairs_first: bool) -> MethodResult:
    equations = Equations(problem.chain, problem.probes, problem.given)
    tied = problem.closure is not None and bool(
        problem.closure.tied
    )  # the joints cannot be varied separately
    degeneracy = None if tied else Degeneracy(problem.chain, problem.probes, problem.given)
    search = Paul(
        problem.builder, problem.probes, equations, problem.start, degeneracy, pairs_first=pairs_first
    )
    steps, left = search.steps()
    if pairs_first and not search.used_pairs:
        raise NotApplicableError("no equation in two unknowns can replace a degenerate equation")
    if left:
        unsolved = ", ".join(map(str, left))
        raise NotApplicableError(f"no remaining equation has one of Paul's types for {unsolved}")
    solution_rows = solutions(problem.builder, problem.chain, steps, problem.given, tolerance)
    types = ", ".join(f"{' and '.join(map(str, step.unknowns))} type {step.type}" for step in steps)
    return MethodResult(solution_rows, (f"method: Paul ({types})",), derivation(steps), _delicate(steps))


def by_pieper(problem: Problem, tolerance: float) -> MethodResult:
    """Solve all joints by Pieper's method.

    The position of a wrist point is solved first, or the orientation if three joints are prismatic.

    Raises:
        NotApplicableError: the arm does not have a spherical joint or three prismatic joints.
    """
    structure = pieper(problem)
    own = structure.problem
    solved_for = solutions(own.builder, own.chain, structure.steps, own.given, tolerance)
    words = (f"method: Pieper, {structure.words}",)
    crowded = any(step.repeats for step in structure.steps)
    return MethodResult(
        solved_for, words, derivation(structure.steps), _delicate(structure.steps) or crowded, crowded
    )


def _delicate(steps: Sequence[Step]) -> bool:
    return any(step.type >= 9 and len(step.choices) > 2 for step in steps)


def by_general(problem: Problem, tolerance: float) -> MethodResult:
    """Solve six joints at once by the general method (elimination and eigenvalues).

    Raises:
        NotApplicableError: there are not six independent unknown joints.
    """
    solution_rows = general_solutions(problem, tolerance)
    return MethodResult(solution_rows, ("method: general (elimination and eigenvalues, up to 16 solutions)",))


def by_swivel(problem: Problem, tolerance: float) -> MethodResult:
    """Solve an arm with seven joints, spherical shoulder and spherical wrist.

    The input `swivel` is the angle of the elbow about the line from shoulder to wrist.
    """
    own = with_own_joints(problem)
    (swivel,) = own.builder.input(SWIVEL, (), ["swivel"], default=[0.0])
    steps = swivel_steps(own, swivel)
    solution_rows = solutions(own.builder, own.chain, steps, own.given, tolerance)
    words = "method: spherical shoulder and wrist, elbow by the swivel angle"
    return MethodResult(solution_rows, (words,), derivation(steps))


METHODS: Mapping[str, Callable[[Problem, float], MethodResult]] = {
    "paul": by_paul,
    "pieper": by_pieper,
    "general": by_general,
}
IN_PAIRS = "paul in pairs"
ATTEMPTS = {"paul": by_paul, IN_PAIRS: by_paul_with_pairs, **METHODS}
"""The methods that 'auto' tries, in this order."""
