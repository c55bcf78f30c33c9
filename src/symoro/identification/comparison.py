"""`compare`: two results of identification, or two robots, parameter by parameter.

    z_k = (b_k - a_k) / sqrt(C_a,kk + C_b,kk),       chi^2 = (b - a)' (C_a + C_b)^-1 (b - a)

a, b are the common parameters of both results, C_a, C_b their covariances. If both results describe one robot and come
from independent logs, chi^2 has a chi-square distribution with as many degrees of freedom as there are parameters, and
p is the probability of a larger value. A robot has no covariance: its parameters count as exact. Between two robots
there are differences only.

Robots are compared by their base parameters, because standard parameters are not unique: different values of these give
the same torques. The base parameters of both must be the same sums of standard parameters, which follow from the
geometry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr, aligned
from symoro.errors import ArgumentError, FormatError, Place
from symoro.expr.formula import ZERO, Formula
from symoro.files import read_json
from symoro.identification.dynamic import Identification, symbolic_robot
from symoro.identification.equations import row_name
from symoro.identification.identified_robot import column_base, nominal_columns
from symoro.identification.postures import in_mode_of
from symoro.identification.regression import Residual
from symoro.identification.text import parameter_unit, rounded
from symoro.identification.tolerances import (
    AUTOCORRELATION_RATIO,
    LEAST_EIGENVALUE,
    ROUND_OFF,
    SAME_GROUPING,
    SIGNIFICANT,
)
from symoro.models.identification.base.geometry import value
from symoro.models.identification.base.parameters import BaseParameters, split
from symoro.robot.description import MOTOR, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.records import FURTHER_FRICTION
from symoro.robot.topology import moving_joints

Array = NDArray[np.float64]
ResultLike = Identification | RobotLike
Shares = Mapping[str, float]
"""Relative residuals: 'weighted', and one per equation."""
MAX_BYTES = 64 * 2**20


@dataclass(frozen=True, eq=False)
class ComparedResult:
    """Parameters and residuals of one of two compared results.

    Attributes:
        name: name of the file or robot.
        values: values of the parameters, by name.
        units: unit of each parameter.
        covariance: covariance of the parameters, in their order; None for a robot, whose parameters count as exact.
        sums: for each base parameter, the coefficients of the standard parameters that are grouped with it.
        constants: for each parameter of Stribeck's friction or of a coupled motor, the velocity VS or the ratios of the
            motor, on which its effect depends.
        residuals: relative residuals, by data.
        logs: names of the logs.
        autocorrelation: factor by which correlated residuals widened the deviations, median.
    """

    name: str
    values: Mapping[str, float]
    units: Mapping[str, str]
    covariance: Array | None
    sums: Mapping[str, Mapping[str, float]]
    constants: Mapping[str, Mapping[str, float]]
    residuals: Mapping[str, Shares] = field(default_factory=dict)
    logs: tuple[str, ...] = ()
    autocorrelation: float = 1.0

    def variances(self, names: list[str]) -> Array:
        """Return the covariance of some of the parameters; zeros for a robot."""
        if self.covariance is None:
            return np.zeros((len(names), len(names)))
        place = {name: k for k, name in enumerate(self.values)}
        chosen = [place[name] for name in names]
        return self.covariance[np.ix_(chosen, chosen)]


@dataclass(frozen=True)
class ParameterDifference:
    """Difference of one parameter between two results.

    Attributes:
        name: name of the parameter.
        unit: unit of the values, the difference and the deviation.
        first, second: the values.
        deviation: standard deviation of the difference; 0 if both values are exact.
        normalised: difference divided by its deviation; NaN without deviations.
        significant: whether the difference exceeds 3 deviations; without deviations, whether it exceeds round-off.
    """

    name: str
    unit: str
    first: float
    second: float
    deviation: float
    normalised: float
    significant: bool

    @property
    def difference(self) -> float:
        """Second value minus first value."""
        return self.second - self.first

    @property
    def relative(self) -> float:
        """Difference relative to the larger value; 0 if both are zero."""
        size = max(abs(self.first), abs(self.second))
        return self.difference / size if size else 0.0

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table: name, values, difference, deviation, normalised and relative difference."""
        known = isfinite(self.normalised)
        return (
            self.name,
            *(rounded(x, self.deviation) for x in (self.first, self.second, self.difference)),
            f"{self.deviation:.2g}" if known else "-",
            f"{self.normalised:+.2f}" if known else "-",
            f"{100 * self.relative:+.3g} %",
            self.unit,
            "yes" if self.significant else "no",
        )


COLUMNS = (
    "parameter",
    "first",
    "second",
    "difference",
    "deviation",
    "normalised",
    "relative",
    "unit",
    "differs",
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(OneLineRepr):
    """Comparison of two results of identification or of two robots.

    Attributes:
        first, second: the compared results.
        parameters: differences of the parameters that both results contain.
        only_first, only_second: names of the parameters that only one result contains.
        chi_square, freedom, p_value: statistic of all differences together, its degrees of freedom, and the probability
            of a larger value; NaN, 0 and NaN without covariances.
        notes: assumptions, and properties of the results that restrict the comparison.
    """

    first: ComparedResult
    second: ComparedResult
    parameters: tuple[ParameterDifference, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    chi_square: float
    freedom: int
    p_value: float
    notes: tuple[str, ...]

    @property
    def significant(self) -> list[str]:
        """Names of the parameters that differ significantly."""
        return [one.name for one in self.parameters if one.significant]

    @property
    def line(self) -> str:
        """The comparison in one line."""
        count = f"{len(self.significant)} of {len(self.parameters)} base parameters differ"
        if not isfinite(self.chi_square):
            return f"{self.first.name} and {self.second.name}: {count}"
        return (
            f"{self.first.name} and {self.second.name}: {count} significantly; chi-square {self.chi_square:.4g} with "
            f"{self.freedom} degrees of freedom, p = {self.p_value:.2g}"
        )

    def residual_rows(self) -> list[tuple[str, ...]]:
        """Return rows of a table with the residuals of both results: data, equation, first, second."""
        cases = list(dict.fromkeys([*self.first.residuals, *self.second.residuals]))
        rows = []
        for case in cases:
            pair = [one.residuals.get(case, {}) for one in (self.first, self.second)]
            for equation in dict.fromkeys([*pair[0], *pair[1]]):
                shares = [_percent(one.get(equation, nan)) for one in pair]
                rows.append((CASES.get(case, case), row_name(equation), *shares))
        return rows

    def __str__(self) -> str:
        lines = [self.line, "", *aligned(COLUMNS, [one.row() for one in self.parameters])]
        for one, names in ((self.first, self.only_first), (self.second, self.only_second)):
            lines += ["", f"only in {one.name}: {', '.join(names)}"] if names else []
        rows = self.residual_rows()
        lines += ["", *aligned(RESIDUAL_COLUMNS, rows)] if rows else []
        lines += ["", *self.notes] if self.notes else []
        return "\n".join(lines)


CASES = {
    "kept": "kept rows",
    "all": "all rows",
    "held_out": "last third (kept rows)",
    "held_out_all": "last third (all rows)",
}
RESIDUAL_COLUMNS = ("residual", "equation", "first", "second")


def compare(first: ResultLike, second: ResultLike) -> Comparison:
    """Compare two results of identification, or robots, parameter by parameter.

        symoro.compare(symoro.identify(robot, monday), symoro.identify(robot, friday)).significant
        print(symoro.compare("monday.json", "identified.yaml"))

    Args:
        first, second: result of `identify`, file with its JSON output (.json), robot, name of a bundled robot, or
            robot file.

    Raises:
        FormatError: a file is not the JSON output of an identification.
        ArgumentError: the results have no common parameters, or their base parameters are different sums.
    """
    results = [_compared(one) for one in (first, second)]
    a, b = (_without_unused_terms(result, other) for result, other in (results, results[::-1]))
    changed = [name for name in a.values if name in b.values and _other_constants(a, b, name)]
    names = [name for name in a.values if name in b.values and name not in changed]
    if not names:
        raise ArgumentError(
            f"{a.name} and {b.name} have no parameter in common", hint="compare results of one robot"
        )
    notes = [*_grouping_notes(a, b, names), *_constant_notes(a, b, changed), *_notes(a, b)]
    covariance = a.variances(names) + b.variances(names)
    chi_square, freedom, p = _chi_square(a, b, names, covariance)
    return Comparison(
        a,
        b,
        tuple(_differences(a, b, names, covariance)),
        tuple(name for name in a.values if name not in b.values),
        tuple(name for name in b.values if name not in a.values),
        chi_square,
        freedom,
        p,
        tuple(notes),
    )


def _without_unused_terms(result: ComparedResult, other: ComparedResult) -> ComparedResult:
    """Leave out the further friction and the coupled motors of a robot that are zero in both results."""
    if result.covariance is not None:
        return result
    unused = {
        name for name, x in result.values.items() if _is_further(name) and not (x or other.values.get(name))
    }
    if other.covariance is not None:
        unused -= other.values.keys()
    return replace(result, values={name: x for name, x in result.values.items() if name not in unused})


def _is_further(name: str) -> bool:
    return name.rstrip("0123456789") in (*FURTHER_FRICTION, *MOTOR)


def _other_constants(a: ComparedResult, b: ComparedResult, name: str) -> bool:
    """Return whether the constants on which the effect of a parameter depends are known and differ."""
    first, second = a.constants.get(name), b.constants.get(name)
    if first is None or second is None:  # a result without this friction has no constants
        return False
    return first.keys() != second.keys() or _differ(first, second)


def _differ(first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    """Return whether numbers with the same names differ by more than the digits of a file."""
    return any(abs(first[key] - second[key]) > SAME_GROUPING * abs(first[key]) for key in first)


def _constant_notes(a: ComparedResult, b: ComparedResult, changed: list[str]) -> list[str]:
    """Return notes on parameters whose values have different effects in both results."""
    notes = []
    for name in changed:
        texts = [", ".join(f"{key} = {x:g}" for key, x in one.constants[name].items()) for one in (a, b)]
        notes.append(
            f"{name} is not compared: it refers to {texts[0]} in {a.name}, and to {texts[1]} in {b.name}."
        )
    return notes


def _differences(
    a: ComparedResult, b: ComparedResult, names: list[str], covariance: Array
) -> list[ParameterDifference]:
    """Return the differences of the common parameters.

    Args:
        a, b: the results.
        names: names of the common parameters.
        covariance: covariance of the differences.
    """
    sizes: dict[str, float] = {}  # largest parameter of each unit: cancellations leave round-off of this size
    for name in names:
        largest = max(abs(a.values[name]), abs(b.values[name]))
        sizes[a.units[name]] = max(sizes.get(a.units[name], 0.0), largest)
    differences = []
    for k, name in enumerate(names):
        values, unit = (a.values[name], b.values[name]), a.units[name]
        difference = values[1] - values[0]
        deviation = float(np.sqrt(max(covariance[k, k], 0.0)))
        if deviation > 0:
            normalised = difference / deviation
            significant = abs(normalised) > SIGNIFICANT
        else:
            normalised, significant = nan, abs(difference) > ROUND_OFF * sizes[unit]
        differences.append(ParameterDifference(name, unit, *values, deviation, normalised, significant))
    return differences


def _chi_square(
    a: ComparedResult, b: ComparedResult, names: list[str], covariance: Array
) -> tuple[float, int, float]:
    """Return the chi-square statistic of the differences, its degrees of freedom, and its p-value.

    Directions in which the covariance vanishes to round-off are left out.
    """
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if not deviations.all():
        return nan, 0, nan
    from scipy.special import chdtrc

    d = np.array([b.values[name] - a.values[name] for name in names]) / deviations
    sizes, axes = np.linalg.eigh(covariance / np.outer(deviations, deviations))
    kept = sizes > LEAST_EIGENVALUE * sizes[-1]
    statistic = float(np.sum((axes.T @ d)[kept] ** 2 / sizes[kept]))
    freedom = int(kept.sum())
    return statistic, freedom, float(chdtrc(freedom, statistic))


def _grouping_notes(a: ComparedResult, b: ComparedResult, names: list[str]) -> list[str]:
    """Check that base parameters of the same name are the same sums of standard parameters.

    Returns:
        A note if the coefficients differ, as for robots with calibrated geometry.

    Raises:
        ArgumentError: different parameters are grouped.
    """
    changed = []
    for name in names:
        first, second = a.sums.get(name, {}), b.sums.get(name, {})
        if set(first) != set(second):
            texts = [" + ".join([name, *others]) for others in (first, second)]
            raise ArgumentError(
                f"the base parameter {name} is a sum of {texts[0]} in {a.name}, and of {texts[1]} in {b.name}",
                hint="compare results of robots with the same geometry",
            )
        if _differ(first, second):
            changed.append(name)
    if not changed:
        return []
    return [f"The robots have different geometry: the coefficients of the sums {', '.join(changed)} differ."]


def _notes(a: ComparedResult, b: ComparedResult) -> list[str]:
    notes = []
    robots = [one.name for one in (a, b) if one.covariance is None]
    if robots:
        notes.append(
            f"Base parameters of {' and '.join(robots)} are compared and count as exact; standard parameters are not "
            "unique, because different values of them give the same torques."
        )
    for robot, other in ((a, b), (b, a)):
        missing = [name for name, x in robot.values.items() if x and name not in other.values]
        if robot.covariance is None and other.covariance is not None and missing:
            notes.append(
                f"{', '.join(missing)} of {robot.name} are not zero and are not estimated in {other.name}, whose other "
                "parameters may contain their effect."
            )
    shared = [name for name in a.logs if name in b.logs]
    if shared:
        notes.append(
            f"Both results use a log named {', '.join(shared)}: if it is the same log, their errors are correlated, "
            "and the normalised differences and p are not valid."
        )
    elif not robots:
        notes.append("The logs of the results are assumed to be independent.")
    correlated = [one.name for one in (a, b) if one.autocorrelation > AUTOCORRELATION_RATIO]
    if correlated:
        notes.append(
            f"The residuals of {' and '.join(correlated)} are correlated in time. The deviations account for this, but "
            "not their correlations, so that p is too small."
        )
    return notes


# -- results


def _compared(given: ResultLike) -> ComparedResult:
    if isinstance(given, Identification):
        return _of_identification(given)
    if not isinstance(given, Robot) and Path(given).suffix.lower() == ".json":
        return _of_file(Path(given))
    return _of_robot(as_robot(given), given if isinstance(given, str) else None)


def _of_identification(result: Identification) -> ComparedResult:
    estimate, labels = result.estimate, result.model.labels
    r = result.residuals
    cases = {
        "kept": r.kept,
        "all": r.every,
        "held_out": r.held_out,
        "held_out_all": r.held_out_every,
        **{f"validation {name}": one.kept for name, one in result.validation.items()},
    }

    def shares(residual: Residual) -> Shares:
        return {"weighted": residual.relative} | dict(
            zip(labels, map(float, residual.equations), strict=True)
        )

    return ComparedResult(
        result.original.name,
        estimate.as_dict(),
        {name: parameter_unit(name, result.original) for name in estimate.names},
        estimate.covariance,
        grouped(result.base),
        friction_constants(result.robot),
        {case: shares(residual) for case, residual in cases.items() if residual is not None},
        tuple(result.log_names),
        estimate.autocorrelation,
    )


def grouped(base: BaseParameters) -> dict[str, dict[str, float]]:
    """Return, for each base parameter that is a sum, the coefficients of the other parameters, in numbers."""
    numbers = dict(base.original.nominal)
    return {
        kept: {name: coefficient.value(numbers) for name, coefficient in others.items()}
        for kept, others in base.relations.items()
        if others
    }


def friction_constants(robot: Robot) -> dict[str, dict[str, float]]:
    """Return the constants on which the effect of further friction and of coupled motors depends, by parameter.

    They are Stribeck's velocity VS for FB, and the ratios of the motor by joint for IAM, FVM and FSM.
    """
    numbers = dict(robot.nominal)
    constants = {
        f"FB{j}": {"VS": frame.VS.value(numbers)}
        for j, frame in enumerate(robot.frames, 1)
        if not frame.FB.is_zero
    }
    for motor in robot.motors:
        ratios = {f"ratio to joint {j}": ratio.value(numbers) for j, ratio in motor.turns_with}
        constants |= {f"{kind}{motor.joint}": ratios for kind in MOTOR}
    return constants


def _further_terms(robot: Robot) -> dict[str, Formula]:
    """Return the further friction of all joints and the parameters of all coupled motors, by name."""
    motors = {motor.joint: motor for motor in robot.motors}
    terms: dict[str, Formula] = {}
    for j in moving_joints(robot):
        terms |= {f"{kind}{j}": getattr(robot.frame(j), kind) for kind in FURTHER_FRICTION}
        terms |= {f"{kind}{j}": getattr(motors[j], kind) if j in motors else ZERO for kind in MOTOR}
    return terms


def _of_robot(robot: Robot, name: str | None) -> ComparedResult:
    """Return the base parameters and the friction of a robot.

    Args:
        name: name of its file; by default the name of the robot.

    Raises:
        ArgumentError: a parameter has no number.
    """
    symbolic = symbolic_robot(robot)
    base = column_base(in_mode_of(symbolic, None), symbolic.postures)
    further = _further_terms(robot)
    values = nominal_columns(base)
    missing = _without_numbers(base, [*further.values(), *(frame.VS for frame in robot.frames)])
    if values is None or missing:
        listed = ", ".join(missing[:12]) + (", ..." if len(missing) > 12 else "")
        raise ArgumentError(
            f"robot '{robot.name}' has symbols without numbers: {listed}",
            hint="give them nominal values, or compare robots with numbers",
        )
    numbers = dict(robot.nominal)
    values |= {name: formula.value(numbers) for name, formula in further.items()}
    units = {name: parameter_unit(name, robot) for name in values}
    return ComparedResult(name or robot.name, values, units, None, grouped(base), friction_constants(robot))


def _without_numbers(base: BaseParameters, further: list[Formula]) -> list[str]:
    """Return the symbols of inertial parameters, of their coefficients and of further terms without nominal value."""
    robot = base.original
    formulas = further + [
        formula
        for kept, others in base.relations.items()
        for formula in (*(value(robot, split(name)) for name in (kept, *others)), *others.values())
    ]
    known = dict(robot.nominal)
    return [symbol for symbol in dict.fromkeys(s for f in formulas for s in f.symbols) if symbol not in known]


def _of_file(path: Path) -> ComparedResult:
    """Read the JSON output of an identification.

    Raises:
        FormatError: the file cannot be read, or does not contain an identification.
    """
    hint = "give the JSON output of the command identify, saved in a file"
    data = read_json(path, MAX_BYTES, hint)
    try:
        return _of_data(path.name, data)
    except (KeyError, TypeError, ValueError, AttributeError):
        message = "the file is not the JSON output of an identification by this version"
        raise FormatError(message, place=Place(str(path)), hint=hint) from None


def _of_data(name: str, data: Mapping[str, Any]) -> ComparedResult:
    parameters = data["parameters"]
    values = {key: float(one["value"]) for key, one in parameters.items()}
    units = {key: str(one["unit"]) for key, one in parameters.items()}
    covariance = np.array(data["covariance"], dtype=float)
    finite = np.isfinite(covariance).all() and all(map(isfinite, values.values()))
    if not values or covariance.shape != (len(values), len(values)) or not finite:
        raise ValueError
    labels = [str(label) for label in data["labels"]]

    def shares(residual: Mapping[str, Any]) -> Shares:
        numbers = [nan if x is None else float(x) for x in (residual["relative"], *residual["equations"])]
        return dict(zip(("weighted", *labels), numbers, strict=True))

    cases = dict(data["residuals"])
    cases |= {f"validation {log}": one["kept"] for log, one in data["validation"].items()}
    return ComparedResult(
        name,
        values,
        units,
        covariance,
        {kept: {key: float(c) for key, c in others.items()} for kept, others in data["relations"].items()},
        {key: {c: float(x) for c, x in numbers.items()} for key, numbers in data["constants"].items()},
        {case: shares(residual) for case, residual in cases.items() if residual is not None},
        tuple(str(log) for log in data["logs"]),
        float(data["colour"]),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if isfinite(share) else "-"
