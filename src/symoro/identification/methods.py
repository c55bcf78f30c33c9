"""Identification methods by name, and the parameters from which their iterations start.

Methods that simulate the robot start from WLS, from the robot's nominal parameters, or from given values, with a
sufficiently short integration step (`simulated_rows`). Noise on positions biases WLS, and a robot with the inertias of
WLS may not be one that can be simulated; nominal parameters are physically consistent. Friction without a nominal value
starts from WLS, or from zero if that is negative. Load-dependent friction is predicted by the estimate itself
(`load_friction`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite

import numpy as np

from symoro.errors import ArgumentError, OptionError
from symoro.identification.cluster import Passes
from symoro.identification.didim import direct_and_inverse
from symoro.identification.identified_robot import nominal_columns
from symoro.identification.instrumental_variables import instrumental
from symoro.identification.load_friction import LoadPoint, converged_load, load_point, without_load
from symoro.identification.log_description import PdController
from symoro.identification.output_error import output_error
from symoro.identification.regression import KEPT, Estimate, ordinary, own_deviations, weighted
from symoro.identification.robust import robust
from symoro.identification.rows import LogRows, RFactors, merged
from symoro.identification.sampling import column_errors
from symoro.identification.simulated_rows import resolved
from symoro.identification.tolerances import CLOE_TIME_LIMIT
from symoro.identification.total_least_squares import total
from symoro.models.identification.base.parameters import BaseParameters
from symoro.robot.description import FRICTION

# -- start


STARTS = ("wls", "nominal")


def check_start(start: str | Mapping[str, float], simulating: bool) -> None:
    """Check that initial parameter values are given only for a method that simulates the robot.

    Args:
        start: option `start`: 'wls', 'nominal', or values by parameter name.
        simulating: whether the method simulates the robot.

    Raises:
        OptionError: initial values are given for a method that does not use any.
    """
    if start != "wls" and not simulating:
        raise OptionError(
            "start: only the methods iv, didim and cloe have initial values", hint="remove this option"
        )


def started(estimate: Estimate, *, base: BaseParameters, start: str | Mapping[str, float]) -> Estimate:
    """Return the estimate from which the iteration of a method with simulation starts.

    Its values are selected by `start`; weights and standard deviations remain those of WLS.

    Args:
        estimate: the WLS estimate.
        base: the base parameters.
        start: 'wls', 'nominal', or values by parameter name.

    Raises:
        ArgumentError: the robot has no nominal values, or a name is not an estimated parameter.
    """
    if start == "wls":
        return estimate
    given = _nominal(estimate, base) if isinstance(start, str) else dict(start)
    for name, value in given.items():
        if name not in estimate.names:
            raise ArgumentError(
                f"start: there is no column '{name}'", hint=f"the columns are {', '.join(estimate.names)}"
            )
        if not isfinite(value):
            raise ArgumentError(f"start: expected a finite number for '{name}', got {value}")
    values = [given.get(name, value) for name, value in estimate.as_dict().items()]
    return replace(estimate, values=np.array(values, dtype=float))


def _nominal(estimate: Estimate, base: BaseParameters) -> dict[str, float]:
    known = nominal_columns(base)
    if known is None:
        raise ArgumentError(
            f"start: robot '{base.original.name}' has no nominal values for all of its inertial parameters",
            hint="give the robot nominal values, or start from wls or from values by parameter name",
        )
    start = {}
    for name, value in estimate.as_dict().items():
        nominal = known.get(name, 0.0)
        if name[:2] not in FRICTION or nominal:
            start[name] = nominal
        elif name[:2] != "FO":
            start[name] = max(value, 0.0)
    return start


# -- methods


SIMULATING = ("iv", "didim", "cloe")
METHODS = ("ols", "wls", "irls", "tls", *SIMULATING)


def estimated_with_load(
    method: str,
    passes: Passes,
    data: RFactors,
    controller: PdController | None,
    begin: Callable[[Estimate], Estimate],
    time_limit: float = CLOE_TIME_LIMIT,
) -> tuple[Estimate, RFactors]:
    """Estimate the parameters of a model with load-dependent friction, by iteration.

    The load-dependent friction is predicted from the estimate of the previous iteration.

    Args:
        method: name of the method.
        passes: function that computes the rows of the logs for a given estimate.
        data: R factors of the rows without load-dependent friction.
        controller, begin, time_limit: see `estimated`.

    Returns:
        The estimate, and the R factors of its rows.
    """
    model = passes.model
    simulates = method in SIMULATING

    def fit(point: LoadPoint) -> tuple[Estimate, RFactors]:
        rows, parts = passes(point)
        r_factors = merged(parts, model.support, KEPT)
        return _least_squares("wls" if simulates else method, r_factors, rows), r_factors

    estimate, r_factors = converged_load(without_load(model, data), fit)
    if not simulates:
        return estimate, r_factors
    rows = LogRows(model, passes.logs, passes.work.preparation)
    estimate = _simulated(method, begin(estimate), rows, data, controller, time_limit)
    return estimate, fit(load_point(estimate))[1]


def estimated(
    method: str,
    data: RFactors,
    rows: LogRows,
    controller: PdController | None,
    begin: Callable[[Estimate], Estimate],
    time_limit: float = CLOE_TIME_LIMIT,
) -> Estimate:
    """Estimate the parameters by the named method.

    Args:
        method: 'ols', 'wls', 'irls', 'tls', 'iv', 'didim' or 'cloe'.
        data: R factors of the regression rows.
        rows: the regression rows.
        controller: gains of the joint controllers, for methods that simulate the robot.
        begin: function that returns the initial estimate of these methods for a given WLS estimate.
        time_limit: largest computing time of 'cloe' in seconds.
    """
    estimate = _least_squares("wls" if method in SIMULATING else method, data, rows)
    return (
        _simulated(method, begin(estimate), rows, data, controller, time_limit)
        if method in SIMULATING
        else estimate
    )


def _least_squares(method: str, data: RFactors, rows: LogRows) -> Estimate:
    names = rows.model.names
    if method == "ols":
        return ordinary(names, data)
    if method == "tls":
        errors = column_errors(rows.logs, rows.model, rows.preparation, own_deviations(data))
        return total(names, data, errors)
    estimate = weighted(names, data)
    return robust(names, rows, estimate, data) if method == "irls" else estimate


def _simulated(
    method: str,
    start: Estimate,
    rows: LogRows,
    data: RFactors,
    controller: PdController | None,
    time_limit: float,
) -> Estimate:
    slow = rows.preparation.slow
    if method == "iv":
        return resolved(lambda steps: instrumental(rows, start, data, controller, steps), slow, data)
    if method == "didim":
        return resolved(lambda steps: direct_and_inverse(rows, start, data, controller, steps), slow, data)
    return resolved(output_error(rows, start, controller, time_limit), slow, data)
