"""The methods of identification by name: an estimate from the rows of logs.

Least squares of one kind or the other from the triangles; those that simulate start from WLS, in steps short enough
(`resolution`). Friction that grows with the load is predicted by the estimate itself (`load_friction`).
"""

from __future__ import annotations

from collections.abc import Callable

from symoro.identification.compress import Triangles, merged
from symoro.identification.description import PdController
from symoro.identification.didim import direct_and_inverse
from symoro.identification.estimate import Estimate
from symoro.identification.instrumental import instrumental
from symoro.identification.least_squares import ordinary, own_deviations, weighted
from symoro.identification.load_friction import LoadPoint, load_point, settled_load, without_load
from symoro.identification.output_error import TIME_LIMIT, output_error
from symoro.identification.passes import Passes
from symoro.identification.residuals import KEPT
from symoro.identification.resolution import resolved
from symoro.identification.robust import robust
from symoro.identification.rows import LogRows
from symoro.identification.sampling import column_errors
from symoro.identification.total import total

SIMULATING = ("iv", "didim", "cloe")
METHODS = ("ols", "wls", "irls", "tls", *SIMULATING)


def estimated_with_load(
    method: str,
    passes: Passes,
    data: Triangles,
    controller: PdController | None,
    begin: Callable[[Estimate], Estimate],
    time_limit: float = TIME_LIMIT,
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
    time_limit: float = TIME_LIMIT,
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
