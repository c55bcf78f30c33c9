"""Where iterations that simulate the robot start: from WLS, the robot's nominal values, or given numbers.

Noise on positions spoils WLS, and a robot with the inertias that it finds may not be one that can be simulated. Nominal
values are those of some body at least. Friction that the robot has no number for is that of WLS, and none where that is
negative.

The methods of identification by name: an estimate from the rows of logs.

Least squares of one kind or the other from the triangles; those that simulate start from WLS, in steps short enough
(`resolution`). Friction that grows with the load is predicted by the estimate itself (`load_friction`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite

import numpy as np

from symoro.errors import ArgumentError, OptionError
from symoro.identification.cluster import Passes
from symoro.identification.didim import direct_and_inverse
from symoro.identification.instrumental import instrumental
from symoro.identification.load_friction import LoadPoint, load_point, settled_load, without_load
from symoro.identification.log_description import PdController
from symoro.identification.output_error import output_error
from symoro.identification.regression import KEPT, Estimate, ordinary, own_deviations, weighted
from symoro.identification.robots import FRICTION, nominal_columns
from symoro.identification.robust import robust
from symoro.identification.rows import LogRows, Triangles, merged
from symoro.identification.sampling import column_errors
from symoro.identification.simulated_rows import resolved
from symoro.identification.tolerances import CLOE_TIME_LIMIT
from symoro.identification.total import total
from symoro.models.identification.base.parameters import BaseParameters

# -- start


STARTS = ("wls", "nominal")


def check_start(start: str | Mapping[str, float], simulating: bool) -> None:
    """Refuse a start that there is not.

    Raises:
        OptionError: another word, or a start of a method that has none.
    """
    if isinstance(start, str) and start not in STARTS:
        raise OptionError(f"start: expected one of {', '.join(STARTS)}, or numbers by name, got '{start}'")
    if start != "wls" and not simulating:
        raise OptionError("start: only iv, didim and cloe start from values", hint="leave it out")


def started(found: Estimate, *, base: BaseParameters, start: str | Mapping[str, float]) -> Estimate:
    """The estimate with the values to start from; its weights and deviations stay those of WLS.

    Raises:
        ArgumentError: the robot has no nominal values, or a name is no column.
    """
    if start == "wls":
        return found
    given = _nominal(found, base) if isinstance(start, str) else dict(start)
    for name, value in given.items():
        if name not in found.names:
            raise ArgumentError(
                f"start: there is no column '{name}'", hint=f"the columns are {', '.join(found.names)}"
            )
        if not isfinite(value):
            raise ArgumentError(f"start: expected a finite number for '{name}', got {value}")
    values = [given.get(name, value) for name, value in found.as_dict().items()]
    return replace(found, values=np.array(values, dtype=float))


def _nominal(found: Estimate, base: BaseParameters) -> dict[str, float]:
    known = nominal_columns(base)
    if known is None:
        raise ArgumentError(
            f"start: robot '{base.original.name}' has no nominal values for all of its inertial parameters",
            hint="give it numbers, or start from wls or from numbers by name",
        )
    told = {}
    for name, value in found.as_dict().items():
        nominal = known.get(name, 0.0)
        if name[:2] not in FRICTION or nominal:
            told[name] = nominal
        elif name[:2] != "FO":
            told[name] = max(value, 0.0)
    return told


# -- methods


SIMULATING = ("iv", "didim", "cloe")
METHODS = ("ols", "wls", "irls", "tls", *SIMULATING)


def estimated_with_load(
    method: str,
    passes: Passes,
    data: Triangles,
    controller: PdController | None,
    begin: Callable[[Estimate], Estimate],
    time_limit: float = CLOE_TIME_LIMIT,
) -> tuple[Estimate, Triangles]:
    """The estimate with friction that grows with the load as it predicts it, and the triangles of its rows."""
    model = passes.model
    simulates = method in SIMULATING

    def fit(point: LoadPoint) -> tuple[Estimate, Triangles]:
        rows, parts = passes(point)
        triangles = merged(parts, model.support, KEPT)
        return _least_squares("wls" if simulates else method, triangles, rows), triangles

    found, triangles = settled_load(without_load(model, data), fit)
    if not simulates:
        return found, triangles
    rows = LogRows(model, passes.logs, passes.work.preparation)
    found = _simulated(method, begin(found), rows, data, controller, time_limit)
    return found, fit(load_point(found))[1]


def estimated(
    method: str,
    data: Triangles,
    rows: LogRows,
    controller: PdController | None,
    begin: Callable[[Estimate], Estimate],
    time_limit: float = CLOE_TIME_LIMIT,
) -> Estimate:
    """The estimate of a method; those that simulate begin at what `begin` makes of that of WLS."""
    found = _least_squares("wls" if method in SIMULATING else method, data, rows)
    return (
        _simulated(method, begin(found), rows, data, controller, time_limit)
        if method in SIMULATING
        else found
    )


def _least_squares(method: str, data: Triangles, rows: LogRows) -> Estimate:
    names = rows.model.names
    if method == "ols":
        return ordinary(names, data)
    if method == "tls":
        errors = column_errors(rows.logs, rows.model, rows.preparation, own_deviations(data))
        return total(names, data, errors)
    found = weighted(names, data)
    return robust(names, rows, found, data) if method == "irls" else found


def _simulated(
    method: str,
    start: Estimate,
    rows: LogRows,
    data: Triangles,
    controller: PdController | None,
    time_limit: float,
) -> Estimate:
    slow = rows.preparation.slow
    if method == "iv":
        return resolved(lambda steps: instrumental(rows, start, data, controller, steps), slow, data)
    if method == "didim":
        return resolved(lambda steps: direct_and_inverse(rows, start, data, controller, steps), slow, data)
    return resolved(output_error(rows, start, controller, time_limit), slow, data)
