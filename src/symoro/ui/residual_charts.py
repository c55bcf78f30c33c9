"""Draw charts of an identification: measured and predicted torques, and their residuals.

The charts of residuals show whether the model is complete and the noise is white:

    over time            changes during the log, such as warming friction
    over velocity        friction that the model does not contain; the line is the mean within intervals of velocity
    autocorrelation      r(m) = mean of e(k) e(k + m) / mean of e(k)^2, with 95 % bounds for white noise
    normal quantiles     ordered residuals, divided by their deviation, over quantiles of the normal distribution
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.identification.autocorrelation import autocorrelations, white_autocorrelations
from symoro.identification.dynamic import Identification
from symoro.identification.rows import whole
from symoro.identification.signals import row_velocities
from symoro.identification.tolerances import NORMAL_95
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import JointType
from symoro.ui.plot import Series, line_chart, stacked

Array = NDArray[np.float64]
LAGS = 40  # largest lag of the autocorrelation, in rows
POINTS = 1500  # points of a scatter chart; more make files large and hide each other
INTERVALS = 20  # intervals of velocity in which residuals are averaged
LEAST_ROWS = 5  # rows in an interval of velocity: the mean of fewer is noise
LEAST_RESIDUALS = 16  # rows: fewer determine neither an autocorrelation nor quantiles
TIME = "time [s]"
HEIGHT = 230


@dataclass(frozen=True, eq=False)
class _Equation:
    """Residuals of one equation along a log.

    Attributes:
        title: name of the equation.
        unit: unit of the residuals.
        time, residuals, used: time, residual and use by the fit of each row.
        velocity: velocity of the joint; None for an equation that does not belong to one joint.
        velocity_unit: unit of the velocity.
    """

    title: str
    unit: str
    time: Array
    residuals: Array
    used: NDArray[np.bool_]
    velocity: Array | None
    velocity_unit: str


def charts(result: Identification, number: int = 0, *, validation: bool = False) -> dict[str, str]:
    """Return charts of measured and predicted torques and their residual, as SVG text by equation.

    Args:
        result: result of an identification.
        number: index of the log.
        validation: whether the log is one of the validation logs.
    """
    time, measured, predicted = result.predicted(number, validation=validation)
    shares = result.residuals.every.equations
    if validation or len(result.logs) > 1:  # the residuals of the result are those of all logs together
        shares = _shares(measured, predicted)
    results = {}
    for k, label in enumerate(result.model.labels):
        results[label] = line_chart(
            [
                Series("measured", time, measured[:, k]),
                Series("predicted", time, predicted[:, k], "dashed"),
                Series("residual", time, measured[:, k] - predicted[:, k]),
            ],
            f"{_title(label)}: measured and predicted, residual {100 * shares[k]:.1f} % on all rows",
            TIME,
            f"[{_unit(result, label)}]",
        )
    return results


def residual_charts(result: Identification, number: int = 0) -> dict[str, str]:
    """Return charts of the residuals of a log, one SVG text per equation, with several charts below each other.

    Args:
        result: result of an identification.
        number: index of the log.
    """
    kind, decimation = result.model.kind, result.preparation.decimation
    results = {}
    for label, one in zip(result.model.labels, _equations(result, number), strict=True):
        parts = [_over_time(one)]
        if one.velocity is not None:
            parts.append(_over_velocity(one, one.velocity))
        if one.used.sum() >= LEAST_RESIDUALS and one.residuals[one.used].any():
            parts += [_autocorrelation(one, kind, decimation), _quantiles(one)]
        results[label] = stacked(parts)
    return results


def _shares(measured: Array, predicted: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.linalg.norm(measured - predicted, axis=0) / np.linalg.norm(measured, axis=0))


def _title(label: str) -> str:
    return f"Joint {label}" if label.isdigit() else label.capitalize()


def _revolute(result: Identification, label: str) -> bool:
    return result.original.frame(int(label)).sigma == JointType.REVOLUTE


def _unit(result: Identification, label: str) -> str:
    if result.model.kind == "power":
        return "W"
    if result.model.kind == "energy":
        return "J"
    if not label.isdigit():  # an equation of a floating base
        return "N" if "force" in label else "N m"
    return "N m" if _revolute(result, label) else "N"


def _equations(result: Identification, number: int) -> list[_Equation]:
    rows = whole(list(result.rows.of(number)))
    residuals = rows.y - rows.A @ result.estimate.values
    joints = [str(j) for j in coordinate_joints(result.original)]
    velocities = row_velocities(result.logs[number], result.preparation)
    results = []
    for k, label in enumerate(result.model.labels):
        known = label in joints and len(velocities) == len(residuals)
        unit = ("rad/s" if _revolute(result, label) else "m/s") if known else ""
        velocity = velocities[:, joints.index(label)] if known else None
        results.append(
            _Equation(
                _title(label),
                _unit(result, label),
                rows.time,
                residuals[:, k],
                rows.kept[:, k],
                velocity,
                unit,
            )
        )
    return results


def _over_time(one: _Equation) -> str:
    rms = float(np.sqrt(np.mean(one.residuals**2)))
    title = f"{one.title}: residual over time, root mean square {rms:.3g} {one.unit}"
    return line_chart([Series("", one.time, one.residuals)], title, TIME, f"[{one.unit}]", height=HEIGHT)


def _over_velocity(one: _Equation, velocity: Array) -> str:
    series = [
        Series(name, *_thinned(velocity[mask], one.residuals[mask]), "points")
        for name, mask in (("used rows", one.used), ("dropped rows", ~one.used))
        if mask.any()
    ]
    centres, means = _means(velocity[one.used], one.residuals[one.used])
    if len(centres) > 1:
        series.append(Series("mean of the used rows", centres, means))
    title = f"{one.title}: residual over velocity"
    return line_chart(series, title, f"velocity [{one.velocity_unit}]", f"[{one.unit}]", height=HEIGHT + 30)


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Return evenly chosen points, at most `POINTS` of them."""
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), POINTS)).round().astype(int))
    return x[chosen], y[chosen]


def _means(velocity: Array, residuals: Array) -> tuple[Array, Array]:
    """Return the centres of intervals of velocity, and the mean residuals in them.

    Zero is a limit of two intervals, because Coulomb friction changes its sign there.
    """
    if not len(velocity):
        return np.empty(0), np.empty(0)
    largest = float(np.abs(velocity).max()) or 1.0
    limits = np.linspace(-largest, largest, INTERVALS + 1)
    place = np.clip(np.digitize(velocity, limits) - 1, 0, INTERVALS - 1)
    counts = np.bincount(place, minlength=INTERVALS)
    sums = np.bincount(place, weights=residuals, minlength=INTERVALS)
    full = counts >= LEAST_ROWS
    return (limits[:-1] + limits[1:])[full] / 2, sums[full] / counts[full]


def _autocorrelation(one: _Equation, kind: str, decimation: int) -> str:
    lags = min(LAGS, len(one.residuals) // 4)
    values = autocorrelations(one.residuals, one.used, lags)
    white, spread = white_autocorrelations(kind, decimation, lags)
    at = np.arange(1, lags + 1)
    half = NORMAL_95 * spread / np.sqrt(one.used.sum())
    gap = np.full(lags, np.nan)
    stems = np.column_stack([at, at, gap]).ravel(), np.column_stack([0 * at, values, gap]).ravel()
    known = np.isfinite(values)
    outside = float(np.mean(np.abs(values - white)[known] > half)) if known.any() else 0.0
    bounds = np.r_[0, at, 0, at], np.r_[np.nan, white + half, np.nan, white - half]
    return line_chart(
        [
            Series("residuals", *stems),
            Series("95 % bounds for white noise of the samples", *bounds, "dashed"),
        ],
        f"{one.title}: autocorrelation of the residuals, {100 * outside:.0f} % outside the bounds",
        "lag [rows]",
        "correlation",
        height=HEIGHT,
    )


def _quantiles(one: _Equation) -> str:
    from scipy.special import ndtri

    values = np.sort(one.residuals[one.used])
    deviation = float(np.std(values)) or 1.0
    normal = ndtri((np.arange(len(values)) + 0.5) / len(values))
    x, y = _thinned(normal, (values - values.mean()) / deviation)
    ends = np.array([normal[0], normal[-1]])
    return line_chart(
        [Series("residuals", x, y, "points"), Series("normal distribution", ends, ends)],
        f"{one.title}: normal quantiles of the residuals",
        "quantile of the normal distribution",
        "deviations",
        height=HEIGHT,
    )
