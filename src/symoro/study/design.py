"""Design studies: variables of a robot that optimise measures over postures, under constraints.

    minimise or maximise  statistic over all rows of a measure,  or an expression of the variables
    subject to            least <= statistic of a measure or expression <= most,   low <= variable <= high

One objective: differential evolution (R. Storn, K. Price, Journal of Global Optimization 11, 1997) with Lampinen's
treatment of constraints, as implemented by SciPy. Several objectives: NSGA-II (K. Deb et al., IEEE Transactions on
Evolutionary Computation 6(2), 2002) of pymoo, which approximates the Pareto front: designs of which no objective can be
improved without worsening another. Both evaluate a whole generation at once: its designs and the rows of a criterion
form one batch of compiled models, because the variables are inputs of the models (module `evaluation`).

A design whose measure is undefined or infinite in a row (the pose is out of reach, a loop does not close) is not
feasible; the share of such rows is its constraint violation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from symoro.display import OneLineRepr, aligned
from symoro.errors import OptionError, Place, ProgramError, SymoroError
from symoro.expr.formula import Formula
from symoro.optional_packages import needed
from symoro.progress import task
from symoro.robot.description import Robot
from symoro.study.evaluation import WHOLE_POSE, Evaluation, SweepRequest
from symoro.study.measures import planned
from symoro.study.ranges import Array
from symoro.threads import one_thread

STATISTICS: dict[str, Callable[[Array], Array]] = {
    "mean": lambda rows: np.asarray(rows.mean(1)),
    "min": lambda rows: np.asarray(rows.min(1)),
    "max": lambda rows: np.asarray(rows.max(1)),
}
SINGLE, SEVERAL = "differential-evolution", "nsga2"
ALGORITHMS = (SINGLE, SEVERAL)
BATCH_ROWS = 100_000  # largest number of rows that are evaluated at once
CONVERGED = 1e-6  # spread of the objective in a generation, relative to its mean, at which the search ends
NO_COST = 1e30  # objective of a design that is not feasible
FEASIBLE = 1e-9  # largest violation of a constraint, relative to its bound or, if that is smaller, to 1


@dataclass(frozen=True)
class Criterion:
    """Objective or constraint of a design study.

    Attributes:
        name: label.
        measure: name of a measure; None for an expression.
        expression: formula of the variables and symbols of the robot, instead of a measure.
        model: model of the measure, with `options`.
        over, at: grids and fixed values of the measure, as in a sweep.
        column: column of the measure; None uses all its columns.
        statistic: 'mean', 'min' or 'max' over all rows and columns.
        maximise: direction of an objective.
        least, most: bounds of a constraint.
        settings: further fields of the sweep: degrees, length, task, mode, stiffness, trajectory, step.
        place: position in the file, for errors.
    """

    name: str
    measure: str | None = None
    expression: Formula | None = None
    model: str = "jacobian"
    options: Mapping[str, Any] = field(default_factory=dict)
    over: Mapping[str, Any] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    column: str | None = None
    statistic: str = "mean"
    maximise: bool = False
    least: float | None = None
    most: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    place: Place | None = None


@dataclass(frozen=True)
class DesignStudy:
    """Design study: robot, variables, objectives, constraints and algorithm.

    Attributes:
        robot: the robot, in which the variables are symbols.
        variables: (low, high) by name.
        objectives, constraints: the criteria.
        algorithm: 'differential-evolution' or 'nsga2'; None selects by the number of objectives.
        population: designs per generation; None selects 15 per variable, at least 40.
        generations: largest number of generations.
        seed: seed of the search.
        name: name of the study.
    """

    robot: Robot
    variables: Mapping[str, tuple[float, float]]
    objectives: tuple[Criterion, ...]
    constraints: tuple[Criterion, ...] = ()
    algorithm: str | None = None
    population: int | None = None
    generations: int = 100
    seed: int = 0
    name: str = "study"

    def __post_init__(self) -> None:
        if not self.variables or not self.objectives:
            raise OptionError("a design study requires at least one variable and one objective")
        if self.algorithm not in (None, *ALGORITHMS):
            raise OptionError(
                f"algorithm: '{self.algorithm}' is not known", hint=f"choose one of {', '.join(ALGORITHMS)}"
            )
        if self.algorithm == SINGLE and len(self.objectives) > 1:
            raise OptionError(f"algorithm: '{SINGLE}' has one objective", hint=f"use '{SEVERAL}'")

    @property
    def size(self) -> int:
        """Number of designs per generation."""
        return self.population or max(15 * len(self.variables), 40)


@dataclass(frozen=True, eq=False, repr=False)
class DesignResult(OneLineRepr):
    """Result of a design study: the best design, or the designs of the Pareto front, sorted by the first objective.

    Attributes:
        study: the study.
        designs: values of the variables (N, variables).
        objectives: values of the objectives (N, objectives).
        constraints: values of the constraints (N, constraints).
        evaluations: number of designs that were evaluated.
        history: best objective after each generation; empty for several objectives.
        converged: whether the search ended before the largest number of generations; None for several objectives.
    """

    study: DesignStudy
    designs: Array
    objectives: Array
    constraints: Array
    evaluations: int
    history: tuple[float, ...] = ()
    converged: bool | None = None

    @property
    def columns(self) -> dict[str, Array]:
        """Variables, objectives and constraints of all designs by name."""
        study = self.study
        labels = [*study.variables, *(one.name for one in (*study.objectives, *study.constraints))]
        table = np.concatenate([self.designs, self.objectives, self.constraints], axis=1)
        return {name: table[:, k] for k, name in enumerate(labels)}

    def robot(self, index: int = 0) -> Robot:
        """Return the robot with the values of one design; by default of the first."""
        values = zip(self.study.variables, self.designs[index].tolist(), strict=True)
        return self.study.robot.bind(dict(values))

    def __str__(self) -> str:
        head = f"{self.study.name}: {self.evaluations} designs evaluated, {len(self.designs)} in the result"
        rows = zip(*(array.tolist() for array in self.columns.values()), strict=True)
        return "\n".join([head, *aligned(list(self.columns), [[f"{x:.6g}" for x in row] for row in rows])])


class PlannedCriterion:
    """Criterion with compiled models: a function of several designs at once."""

    def __init__(self, criterion: Criterion, study: DesignStudy) -> None:
        self.criterion, self.study = criterion, study
        self._evaluation: Evaluation | None = None
        try:
            if criterion.expression is not None:
                self._check_symbols(criterion.expression)
            else:
                self._evaluation = planned(self._request())
                self._columns = self._selected(self._evaluation)
        except SymoroError as error:
            raise (error.at(criterion.place) if criterion.place and not error.place else error) from None

    def _request(self) -> SweepRequest:
        one = self.criterion
        assert one.measure is not None
        request = SweepRequest(
            robot=self.study.robot,
            model=one.model,
            options=one.options,
            over=one.over,
            at=one.at,
            sample=dict(self.study.variables),
            count=1,
            measures=(one.measure,),
            task=WHOLE_POSE,
        )
        return replace(request, **one.settings)

    def _check_symbols(self, formula: Formula) -> None:
        known = {*self.study.variables, *dict(self.study.robot.nominal)}
        missing = sorted(formula.symbols - known)
        if missing:
            raise OptionError(
                f"the expression '{formula}' contains '{missing[0]}', which is neither a variable nor a symbol with a "
                "nominal value"
            )

    def _selected(self, evaluation: Evaluation) -> list[int]:
        names = [column.name for column in evaluation.columns]
        wanted = self.criterion.column
        if wanted is None:
            return list(range(len(names)))
        if wanted not in names:
            raise OptionError(f"no column '{wanted}'", hint=f"columns of the measure: {', '.join(names)}")
        return [names.index(wanted)]

    def values(self, designs: Array) -> tuple[Array, Array]:
        """Return the values of several designs, and the share of rows in which the measure is not finite.

        Args:
            designs: values of the variables (K, variables).
        """
        if self._evaluation is None or not len(designs):
            return self._expression(designs), np.zeros(len(designs))
        grids = replace(self._evaluation.rows, intervals=(), count=1)
        block = grids.block(0, grids.total) if grids.grids else {}
        at_once = max(1, BATCH_ROWS // grids.total)
        parts = [designs[k : k + at_once] for k in range(0, len(designs), at_once)]
        rows = np.concatenate([self._rows(part, block, grids.total) for part in parts])
        good = np.isfinite(rows)
        worst = -np.inf if self.criterion.maximise else np.inf
        reduced = STATISTICS[self.criterion.statistic](np.where(good, rows, 0.0))
        return np.where(good.all(1), reduced, worst), 1 - good.mean(1)

    def _rows(self, designs: Array, block: Mapping[str, Array], total: int) -> Array:
        """Return the numbers of all rows and selected columns of several designs, (K, rows times columns)."""
        assert self._evaluation is not None
        swept = {name: np.tile(values, len(designs)) for name, values in block.items()}
        for k, name in enumerate(self.study.variables):
            swept[name] = np.repeat(designs[:, k], total)
        numbers = self._evaluation.outputs(swept)[:, self._columns]
        return numbers.reshape(len(designs), -1)

    def _expression(self, designs: Array) -> Array:
        formula, names = self.criterion.expression, list(self.study.variables)
        if formula is None:
            return np.zeros(0)
        known = dict(self.study.robot.nominal)
        values = []
        for row in designs.tolist():
            try:
                values.append(formula.value({**known, **dict(zip(names, row, strict=True))}))
            except ProgramError:  # not defined for this design, for example a division by zero
                values.append(np.nan)
        return np.array(values)

    def violation(self, values: Array) -> Array:
        """Return by how much values exceed the bounds of a constraint, relative to the bound; negative inside."""
        one = self.criterion
        parts = []
        if one.least is not None:
            parts.append((one.least - values) / max(abs(one.least), 1.0))
        if one.most is not None:
            parts.append((values - one.most) / max(abs(one.most), 1.0))
        return np.asarray(np.max(parts, axis=0))


class DesignProblem:
    """Objectives and constraint violations of a study as functions of several designs at once."""

    def __init__(self, study: DesignStudy) -> None:
        self.study = study
        self.objectives = [PlannedCriterion(one, study) for one in study.objectives]
        self.constraints = [PlannedCriterion(one, study) for one in study.constraints]
        self.evaluations = 0
        self._last: tuple[bytes, tuple[Array, Array]] | None = None

    @cached_property
    def low(self) -> Array:
        return np.array([low for low, _ in self.study.variables.values()])

    @cached_property
    def high(self) -> Array:
        return np.array([high for _, high in self.study.variables.values()])

    def evaluate(self, designs: Array) -> tuple[Array, Array]:
        """Return the objectives to be minimised (K, objectives) and the violations (K, constraints + 1).

        The last violation is the largest share of undefined rows of a criterion. Violations are positive.
        """
        key = designs.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, self._evaluated(designs))
            self.evaluations += len(designs)
        return self._last[1]

    def _evaluated(self, designs: Array) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            objectives = [one.values(designs) for one in self.objectives]
            constraints = [one.values(designs) for one in self.constraints]
            signs = [-1.0 if one.maximise else 1.0 for one in self.study.objectives]
            costs = np.stack([s * values for s, (values, _) in zip(signs, objectives, strict=True)], axis=1)
            undefined = np.max([share for _, share in (*objectives, *constraints)], axis=0)
            violations = [
                np.where(np.isfinite(values), one.violation(values), 1.0)
                for one, (values, _) in zip(self.constraints, constraints, strict=True)
            ]
        table = np.stack([*violations, undefined], axis=1)
        table = np.where(table <= FEASIBLE, 0.0, table)
        # The algorithms compare designs that are not feasible by their violations; they reject infinite costs.
        return np.where(np.isfinite(costs), costs, NO_COST), table

    def constraint_values(self, designs: Array) -> Array:
        """Return the values of the constraints (K, constraints)."""
        columns = [one.values(designs)[0] for one in self.constraints]
        return np.stack(columns, axis=1) if columns else np.zeros((len(designs), 0))

    def objective_values(self, designs: Array) -> Array:
        """Return the values of the objectives (K, objectives), with their own signs."""
        return np.stack([one.values(designs)[0] for one in self.objectives], axis=1)


@one_thread
def optimise(study: DesignStudy) -> DesignResult:
    """Search the designs that optimise the objectives of a study.

    Raises:
        OptionError: no design satisfies the constraints.
        MissingDependencyError: there are several objectives, and pymoo is not installed.
    """
    with task("deriving the models"):
        problem = DesignProblem(study)
    algorithm = study.algorithm or (SINGLE if len(study.objectives) == 1 else SEVERAL)
    search = _differential_evolution if algorithm == SINGLE else _nsga2
    designs, history, converged = search(problem)
    violations = problem.evaluate(designs)[1]
    if not len(designs) or (violations > 0).any():
        names = [*(one.name for one in study.constraints), "rows in which a measure is undefined"]
        worst = names[int(violations.max(0).argmax())] if len(designs) else names[-1]
        raise OptionError(
            f"no design that satisfies all constraints was reached; the most violated one is '{worst}'",
            hint="widen the ranges of the variables, relax the constraint, or give more generations",
        )
    values = problem.objective_values(designs)
    order = np.lexsort(values.T[::-1])
    return DesignResult(
        study,
        designs[order],
        values[order],
        problem.constraint_values(designs)[order],
        problem.evaluations,
        tuple(history),
        converged,
    )


def _differential_evolution(problem: DesignProblem) -> tuple[Array, Sequence[float], bool | None]:
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    study = problem.study
    history: list[float] = []

    def cost(x: Array) -> Array:
        costs = problem.evaluate(np.atleast_2d(x.T))[0][:, 0]
        return costs if x.ndim > 1 else costs[0]

    def violations(x: Array) -> Array:
        table = problem.evaluate(np.atleast_2d(x.T))[1].T
        return table if x.ndim > 1 else table[:, 0]

    with task("optimising", study.generations) as work:

        def report(intermediate_result: Any) -> None:
            history.append(float(intermediate_result.fun))
            work.to(len(history))

        # popsize is a factor of the number of variables; an initial population of the wanted size replaces it.
        generator = np.random.default_rng(study.seed)
        result = differential_evolution(
            cost,
            Bounds(problem.low, problem.high),
            constraints=NonlinearConstraint(violations, -np.inf, 0.0),
            init=_initial(problem, generator),
            maxiter=study.generations,
            tol=CONVERGED,
            atol=0,
            seed=generator,
            polish=False,
            vectorized=True,
            updating="deferred",
            callback=report,
        )
    sign = -1.0 if study.objectives[0].maximise else 1.0
    return np.atleast_2d(result.x), [sign * value for value in history], bool(result.success)


def _initial(problem: DesignProblem, generator: np.random.Generator) -> Array:
    """Return the first generation: a Latin hypercube of the ranges of the variables."""
    from scipy.stats import qmc

    points: Array = qmc.LatinHypercube(len(problem.low), seed=generator).random(max(problem.study.size, 5))
    return problem.low + points * (problem.high - problem.low)


def _nsga2(problem: DesignProblem) -> tuple[Array, Sequence[float], bool | None]:
    base = needed("pymoo.core.problem", "a study with several objectives").Problem
    algorithm = needed("pymoo.algorithms.moo.nsga2", "a study with several objectives").NSGA2
    minimise = needed("pymoo.optimize", "a study with several objectives").minimize
    callback = needed("pymoo.core.callback", "a study with several objectives").Callback
    study = problem.study

    def evaluate(self: Any, x: Array, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"], out["G"] = problem.evaluate(np.atleast_2d(x))

    described = type("Design", (base,), {"_evaluate": evaluate})(
        n_var=len(study.variables),
        n_obj=len(study.objectives),
        n_ieq_constr=len(study.constraints) + 1,
        xl=problem.low,
        xu=problem.high,
    )
    with task("optimising", study.generations) as work:

        def notify(self: Any, running: Any) -> None:
            work.to(running.n_gen)

        result = minimise(
            described,
            algorithm(pop_size=study.size),
            ("n_gen", study.generations),
            seed=study.seed,
            callback=type("Report", (callback,), {"notify": notify})(),
            verbose=False,
        )
    return np.zeros((0, len(problem.low))) if result.X is None else np.atleast_2d(result.X), (), None
