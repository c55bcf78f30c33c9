"""Calibration: geometric parameters from measurements of the end effector.

The method is nonlinear least squares. e are the residuals of the measurements, W is their derivative with respect to
the parameters (`models.calibration`), and S contains the variances of the noise, one for lengths and one for angles:

    dxi = (W' S^-1 W)^-1 W' S^-1 e,   repeated at the new geometry until it converges           (Gauss-Newton)
    C = (W' S^-1 W)^-1                                                                   covariance of the parameters

The parameters are the identifiable ones; errors of the other parameters are regrouped into these. Standard deviations
of the noise that are not given are estimated from the residuals.

If the poses of frame 0 and of the end effector are near the description, the fit starts from the description, and
errors refer to it. Otherwise, or if another pose of frame 0 gives a smaller initial residual (`alignment`), the pose of
frame 0 is estimated first, and errors refer to it. All poses with similar initial residuals are tried; a second one
with a similar final residual gives a warning. More parameters are identifiable if the marker is off the joint axes
(positions) or if the base is displaced (distances, contacts): the set is determined again at the estimated poses.

W. Khalil, E. Dombre, "Modeling, Identification and Control of Robots", 2002, chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.deprecation import FormerWarningsName, takes_options
from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, NotApplicableError, ProgramError
from symoro.expr.formula import formula
from symoro.identification.alignment import (
    Alignment,
    alignments,
    difference,
    near,
    relative_residual,
    start_at,
)
from symoro.identification.diagnostics import DiagnosticWarning
from symoro.identification.geometric_diagnostics import (
    base_warnings,
    calibration_warnings,
    fit_warnings,
    misread_data,
)
from symoro.identification.geometric_fit import Fitting, condition, reach
from symoro.identification.measurements import Measurements
from symoro.identification.options import CalibrationOptions
from symoro.identification.tolerances import (
    BETTER_START,
    DIFFERENT_PREDICTION,
    EQUIVALENT_PLACEMENT,
    GOOD_PLACEMENT,
    LEAST_OFFSET,
    PLAUSIBLE_PLACEMENT,
    ROUND_OFF,
    SIMILAR_PLACEMENT,
    STRONG_CORRELATION,
)
from symoro.models.calibration.chain import NumericChain, displacement, end_poses, numeric_chain
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, columns, path_to
from symoro.models.calibration.identifiable import (
    GeometricParameters,
    checked_plane,
    checked_point,
    geometric_parameters,
)
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, logarithm
from symoro.robot.coordinates import independent
from symoro.robot.description import ANGLES, Robot, Tool
from symoro.threads import one_thread

# -- task


@dataclass(frozen=True)
class CalibrationTask:
    """Measurements and options of a calibration.

    Attributes:
        robot: the robot that was measured.
        measured: the measurements.
        known: further arguments of `geometric_parameters`, such as the measured frame `to`.
        point: point to which distances are measured, in the world frame.
        plane: nx, ny, nz, d of the touched plane n.p = d, in the world frame.
        base: estimated pose of frame 0 in the world (4, 4); None if it is near the description.
    """

    robot: Robot
    measured: Measurements
    known: Mapping[str, Any]
    point: Array
    plane: Array
    base: Array | None = None

    def parameters(self, offset: Sequence[float] | None = None) -> GeometricParameters:
        """Return the identifiable parameters for a given position `offset` of the marker in the measured frame."""
        places: dict[str, Any] = {"point": list(self.point), "plane": list(self.plane), "offset": offset}
        return geometric_parameters(self.placed_robot, measure=self.measured.measure, **self.known, **places)

    @property
    def placed_robot(self) -> Robot:
        """Robot whose description contains the estimated pose of frame 0."""
        if self.base is None:
            return self.robot
        z = tuple(formula(float(x)) for x in self.base.reshape(-1))
        return replace(self.robot, base=replace(self.robot.base, Z=z))

    @property
    def depends_on_base(self) -> bool:
        """Whether the set of identifiable parameters depends on the pose of the base."""
        return self.measured.measure in ("distance", "plane")

    def fitting(self, parameters: GeometricParameters) -> Fitting:
        """Return the least-squares problem in which the given parameters are estimated."""
        path = path_to(self.robot, self.known["to"])
        more = {name: value for name, value in self.known.items() if name != "to"}
        chosen = [c for c in columns(path, **more) if c.name in parameters.names]
        chain = numeric_chain(path)
        here = chain if self.base is None else replace(chain, start=self.base)
        return Fitting(
            here, chosen, self.measured, self.point, self.plane, self._whole(), described=chain.start
        )

    def _whole(self) -> NumericChain | None:
        try:
            return numeric_chain(path_to(self.robot, None))
        except (ArgumentError, NotApplicableError):  # symbols without numbers beyond the measured path
            return None


@dataclass(frozen=True)
class GeometricFit:
    """Result of a fit of geometric parameters to measurements.

    Attributes:
        task: measurements and options of the calibration.
        parameters: the estimated parameters.
        work: the least-squares problem.
        xi: estimated errors of the parameters (P,).
        scale: standard deviations of the noise of lengths and angles.
        covariance: covariance matrix of the errors (P, P).
        rounds: number of Gauss-Newton steps.
        rivals: other poses of frame 0 (4, 4) with a similar residual.
    """

    task: CalibrationTask
    parameters: GeometricParameters
    work: Fitting
    xi: Array
    scale: Mapping[str, float]
    covariance: Array
    rounds: int
    rivals: tuple[Array, ...] = ()

    @property
    def deviations(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def errors(self) -> dict[str, float]:
        return {c.name: float(x) for c, x in zip(self.work.chosen, self.xi, strict=True)}

    @property
    def base(self) -> Array:
        """Estimated pose of frame 0 in the world (4, 4)."""
        moved = np.array([self.errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT])
        return np.asarray(self.work.chain.start @ displacement(moved))

    @property
    def relative_residual(self) -> float:
        """Root mean square of the residuals, lengths divided by the size of the robot."""
        return relative_residual(self.work, self.xi, reach(self.work) or 1.0)

    @property
    def is_suspicious(self) -> bool:
        return bool(fit_warnings(self.work, self.xi, self.deviations))


def best_fit(task: CalibrationTask, noise: Mapping[str, float] | None) -> GeometricFit:
    """Fit the parameters from several initial poses of the base, and return the fit with the smallest residual.

    Args:
        task: measurements and options of the calibration.
        noise: standard deviations of the measurements, {'length': metres, 'angle': radians}; None to estimate them.

    Raises:
        ArgumentError, ProgramError: for the same reasons as `calibrate`.
    """
    parameters = task.parameters()
    work = task.fitting(parameters)
    zero = np.zeros(len(work.chosen))
    work.check(zero)
    places = alignments(work)
    fits: list[GeometricFit] = []
    failure: ProgramError | None = None
    if not places or near(work, places[0]):
        try:
            first = _fitted(task, parameters, zero, noise)
            fits.append(_completed(first, _offset(first.errors, work), noise))
        except ProgramError as error:
            failure = error
        if fits and _is_sufficient(fits[0], places):
            return fits[0]
    for place in places:
        factor = SIMILAR_PLACEMENT if places[0].residual < PLAUSIBLE_PLACEMENT else 1.0
        if place.residual > factor * places[0].residual + ROUND_OFF:
            break
        try:
            fits.append(_from_place(task, parameters, place, noise))
        except (ProgramError, np.linalg.LinAlgError) as error:
            failure = failure or (error if isinstance(error, ProgramError) else None)
    if not fits:
        raise _fit_error(work, places, failure) from None
    return best_of(fits)


def _fit_error(work: Fitting, places: Sequence[Alignment], failure: ProgramError | None) -> ProgramError:
    """Return the error for measurements that cannot be fitted from any initial pose of the base.

    Args:
        work: the least-squares problem of the calibration.
        places: initial poses of base and marker that were tried.
        failure: error of the first fit; None if there was no such error.
    """
    error = failure or ProgramError("no geometry near the description fits the measurements")
    if places and places[0].residual < GOOD_PLACEMENT:
        hint = (
            f"the nominal robot fits them up to {100 * places[0].residual:.2g} percent of its size: measure at "
            "configurations that differ more, or keep the base or the tool at its nominal pose"
        )
        return ProgramError(error.message, hint=hint)
    meant = misread_data(work)
    return ProgramError(error.message, hint=meant) if meant else error


def _is_sufficient(first: GeometricFit, places: Sequence[Alignment]) -> bool:
    """Return whether the fit from the described base pose is so good that no other initial pose need be tried.

    Args:
        first: the fit from the described base pose.
        places: approximate poses of base and marker, best first.
    """
    if not places:
        return True
    alone = len(places) == 1 or places[1].residual > SIMILAR_PLACEMENT * places[0].residual + ROUND_OFF
    return (
        alone
        and first.relative_residual <= places[0].residual * (1 + BETTER_START) + ROUND_OFF
        and not first.is_suspicious
    )


def best_of(fits: Sequence[GeometricFit]) -> GeometricFit:
    """Return the fit with the smallest residual; its attribute `rivals` contains base poses of equally good fits.

    The first fit is preferred unless another one is clearly better.
    """
    best = fits[0]
    for other in fits[1:]:
        if other.relative_residual < best.relative_residual * (1 - BETTER_START) - ROUND_OFF:
            best = other
    limit = EQUIVALENT_PLACEMENT * best.relative_residual + ROUND_OFF
    rivals = [fit.base for fit in fits if fit.relative_residual <= limit and _differ(best, fit)]
    return replace(best, rivals=tuple(rivals))


def _differ(best: GeometricFit, other: GeometricFit) -> bool:
    """Return whether two fits predict clearly different measurements at other configurations."""
    apart = difference(best.work, best.xi, other.work, other.xi)
    return apart > DIFFERENT_PREDICTION * other.relative_residual + ROUND_OFF


def _from_place(
    task: CalibrationTask,
    parameters: GeometricParameters,
    place: Alignment,
    noise: Mapping[str, float] | None,
) -> GeometricFit:
    work, there, shown = task.fitting(parameters), task, parameters
    start = start_at(work, place)
    if start is None:
        there = replace(task, base=place.base)
        shown = there.parameters() if there.depends_on_base else parameters
        work = there.fitting(shown)
        start = np.array([place.tip.get(column.name, 0.0) for column in work.chosen])
    work.check(start)
    first = _fitted(there, shown, start, noise)
    if not first.is_suspicious or place.residual > PLAUSIBLE_PLACEMENT:
        return _completed(first, _offset(first.errors, work), noise)
    # Parameters that are not identifiable from the frame's origin may explain the residual.
    more = _completed(first, _offset(place.tip, work), noise, start=start)
    return min(first, more, key=lambda fit: fit.relative_residual)


def _fitted(
    task: CalibrationTask, parameters: GeometricParameters, start: Array, noise: Mapping[str, float] | None
) -> GeometricFit:
    work = task.fitting(parameters)
    xi, scale, rounds = work.best(start, noise)
    turns = np.array([column.kind in (*ANGLES, "beta") for column in work.chosen])
    xi = np.where(turns & (np.abs(xi) > np.pi), xi - 2 * np.pi * np.round(xi / (2 * np.pi)), xi)
    return GeometricFit(task, parameters, work, xi, scale, work.covariance(xi, scale), rounds)


def _completed(
    first: GeometricFit,
    offset: list[float] | None,
    noise: Mapping[str, float] | None,
    start: Array | None = None,
) -> GeometricFit:
    """Repeat a fit with more parameters if the offset of the marker makes more parameters identifiable.

    Args:
        first: the fit with fewer parameters, which is returned if no further parameter is identifiable.
        offset: position of the marker in the measured frame; None if it is the origin.
        noise: standard deviations of the measurements; None to estimate them.
        start: initial parameter errors; by default those of the first fit.
    """
    task, begun = first.task, first.xi if start is None else start
    if task.measured.measure == "pose" or offset is None or (start is None and first.is_suspicious):
        return first
    more = task.parameters(offset)
    if len(more) <= len(first.parameters):
        return first
    work = task.fitting(more)
    errors = {c.name: float(x) for c, x in zip(first.work.chosen, begun, strict=True)}
    again = np.array([errors.get(c.name, 0.0) for c in work.chosen])
    work.check(again)
    return _fitted(task, more, again, noise)


def _offset(errors: Mapping[str, float], work: Fitting) -> list[float] | None:
    """Return the estimated position of the marker in the measured frame; None if it is the origin.

    Offsets that are small compared with the robot are set to zero, because no further parameter can be determined
    accurately from them.

    Args:
        errors: estimated parameter errors by name.
        work: the least-squares problem of the calibration.
    """
    least = LEAST_OFFSET * reach(work)
    away = [errors.get(kind + END, 0.0) for kind in DISPLACEMENT[:3]]
    away = [x if abs(x) > least else 0.0 for x in away]
    return away if any(away) else None


# -- calibration


@dataclass(frozen=True, repr=False)
class Calibration(OneLineRepr, FormerWarningsName):
    """The result of a calibration.

    Attributes:
        names, errors, deviations: names of the estimated parameters, their errors (to be added to the values of the
            description) and the standard deviations of the errors.
        correlations: correlation matrix of the errors (P, P).
        before, after: root mean square of the residuals, {'length': metres, 'angle': radians}.
        noise: standard deviations of the noise that determine the weights, {'length': metres, 'angle': radians}.
        condition: condition number of W with columns of unit norm.
        count: number of measurements.
        rounds: number of Gauss-Newton steps.
        parameters: the identifiable parameters and their relations to the others.
        robot: the robot to which the errors refer, with frame 0 at `base`; `calibrated` is the corrected one.
        to: the measured frame, as it was given.
        warnings: suspicious properties of the measurements (`diagnostics`).
        base: estimated pose of frame 0 in the world (4, 4) if it is far from the description; errors then refer to
            this pose. None if errors refer to the description.
    """

    names: tuple[str, ...]
    errors: Array
    deviations: Array
    correlations: Array
    before: Mapping[str, float]
    after: Mapping[str, float]
    noise: Mapping[str, float]
    condition: float
    count: int
    rounds: int
    parameters: GeometricParameters
    robot: Robot
    to: int | str | None = None
    warnings: tuple[DiagnosticWarning, ...] = ()
    base: Array | None = None

    @property
    def calibrated(self) -> Robot:
        """Robot with the corrected geometry, in numbers.

        The tool frame is corrected too if it was measured.
        """
        from symoro.identification.identified_robot import corrected

        return corrected(self.robot, self._by_name(), self.to)

    @property
    def marker(self) -> Tool | None:
        """Measured marker as a tool frame; None if the marker is on the robot's end effector.

        `calibrated.replace(tool=marker)` is the robot whose tool frame is the marker.
        """
        from symoro.identification.identified_robot import marker

        return marker(self.robot, self._by_name(), self.to)

    def _by_name(self) -> dict[str, float]:
        return dict(zip(self.names, map(float, self.errors), strict=True))

    def __str__(self) -> str:
        return text(self)


@takes_options(CalibrationOptions)
@one_thread
def calibrate(
    robot: Robot,
    measured: Measurements,
    *,
    to: int | str | None = None,
    known_base: bool = False,
    known_tool: bool = False,
    noise: Mapping[str, float] | None = None,
    options: CalibrationOptions | None = None,
) -> Calibration:
    """Estimate the geometric parameters of a robot from measurements of its end effector.

        result = symoro.calibrate(robot, symoro.read_measurements(robot, "poses.csv"))
        print(result)
        result.calibrated                       # the robot with the estimated geometry

    Args:
        measured: joint positions with poses, positions, distances or contacts with a plane (`Measurements`).
        to: number or name of the measured frame; by default the tool or the last link's frame.
        known_base, known_tool: keep frame 0, or the tool frame, at its nominal pose.
        noise: standard deviations of the measurements, {'length': metres, 'angle': radians}; by default they are
            estimated from the residuals.
        options: further options: sensor gains, reference point and plane (`CalibrationOptions`).

    Raises:
        ArgumentError: there are too few measurements, or an argument has a wrong value.
        ProgramError: the configurations do not determine some parameters, which are named; or no geometry fits.
    """
    chosen = options or CalibrationOptions()
    _check_finite(robot, measured)
    known = {"to": to, "known_base": known_base, "known_tool": known_tool, "gains": chosen.gains}
    task = CalibrationTask(robot, measured, known, checked_point(chosen.point), checked_plane(chosen.plane))
    fit = best_fit(task, checked_noise(noise))
    work = fit.work
    return Calibration(
        tuple(column.name for column in work.chosen),
        fit.xi,
        fit.deviations,
        fit.covariance / np.outer(fit.deviations, fit.deviations),
        work.deviations(work.residuals(np.zeros(len(work.chosen))), 0),
        work.deviations(work.residuals(fit.xi), 0),
        fit.scale,
        condition(work.rows(fit.xi) / work.weights(fit.scale)[:, None])[0],
        len(measured),
        fit.rounds,
        fit.parameters,
        fit.task.placed_robot,
        to,
        (
            *calibration_warnings(work, fit.xi, fit.deviations, noise or {}),
            *base_warnings(fit.rivals),
        ),
        fit.task.base,
    )


def _check_finite(robot: Robot, measured: Measurements) -> None:
    """Reject measurements that are not finite numbers, or that have a wrong number of joints."""
    n = len(independent(robot))
    if measured.q.ndim != 2 or measured.q.shape[1] != n:
        raise ArgumentError(
            f"postures: expected {n} joint positions of robot '{robot.name}' per measurement, got "
            f"an array of shape {measured.q.shape}"
        )
    for what in (measured.q, measured.poses, measured.distances):
        bad = np.flatnonzero(~np.isfinite(what).all(axis=tuple(range(1, what.ndim))))
        if len(bad):
            raise ArgumentError(f"measurement {bad[0] + 1} contains a value that is not a finite number")


def checked_noise(given: Mapping[str, float] | None) -> dict[str, float] | None:
    """Check standard deviations of measurements and return them, with 1 for a missing one; None if none are given."""
    if given is None:
        return None
    if set(given) - {"length", "angle"} or not all(np.isfinite(x) and x > 0 for x in given.values()):
        raise ArgumentError(
            (
                "noise: expected positive standard deviations of length (m) and angle (rad), got "
                f"{dict(given)!r}"
            )[:200]
        )
    return {"length": 1.0, "angle": 1.0, **given}


def simulated(
    robot: Robot,
    q: Array,
    errors: Mapping[str, float],
    *,
    to: int | str | None = None,
    length: float = 0.0,
    angle: float = 0.0,
    seed: int = 0,
) -> Measurements:
    """Simulate pose measurements of a robot with geometric errors and noise, to test a calibration.

    Args:
        q: configurations (S, n), in radians or metres.
        errors: errors of geometric parameters by name, in radians or metres.
        to: number or name of the measured frame; by default the tool or the last link's frame.
        length, angle: standard deviations of the noise of positions (m) and rotations (rad).
        seed: seed of the noise.
    """
    chain = numeric_chain(path_to(robot, to))
    pose = end_poses(chain, q, errors)
    rng = np.random.default_rng(seed)
    pose[:, :3, 3] += length * rng.standard_normal((len(q), 3))
    pose[:, :3, :3] = exponential(angle * rng.standard_normal((len(q), 3))) @ pose[:, :3, :3]
    return Measurements("pose", q, pose, np.zeros(0))


# -- report


def text(result: Calibration) -> str:
    """Return a table of the estimated parameters with their standard deviations, and of the residuals, as text."""
    lines = [
        f"{result.robot.name}: {len(result.names)} geometric parameters from {result.count} measurements of the "
        f"{result.parameters.measure}",
        f"residuals before {_sizes(result.before)}, after {_sizes(result.after)}; condition {result.condition:.3g}",
        "",
        f"{'parameter':>10}  {'error':>13}  {'deviation':>11}  {'error/deviation':>15}  includes",
    ]
    for name, error, deviation in zip(result.names, result.errors, result.deviations, strict=True):
        others = result.parameters.relations.get(name, {})
        words = " ".join(
            f"{'' if c.text.startswith('-') else '+'}{c.text}*{other}" for other, c in others.items()
        )
        lines.append(
            f"{name:>10}  {error:>13.6g}  {deviation:>11.3g}  {abs(error) / deviation:>15.1f}  {words}".rstrip()
        )
    close = np.argwhere(np.triu(np.abs(result.correlations) > STRONG_CORRELATION, 1))
    if len(close):
        pairs = [
            f"{result.names[i]}, {result.names[j]} ({result.correlations[i, j]:.3f})" for i, j in close[:8]
        ]
        lines += ["", f"strongly correlated: {'; '.join(pairs)}"]
    if (base_pose := base_place(result)) is not None:
        lines += [
            "",
            f"frame 0 is at {_numbers(base_pose[0])} m, rotated by {_numbers(base_pose[1])} rad, far "
            "from the description: the errors and the residuals before the calibration refer to this "
            "pose",
        ]
    if (tool := result.marker) is not None:
        place, turn = marker_place(result)
        lines += [
            "",
            f"the marker is on frame {tool.place.ant} at {_numbers(place)} m, rotated by {_numbers(turn)} rad; "
            "the robot's tool is left as it is",
        ]
    if result.warnings:
        lines += ["", "Warnings:", *(f"  {line}" for line in result.warnings)]
    return "\n".join(lines)


def base_place(result: Calibration) -> tuple[list[float], list[float]] | None:
    """Return position (m) and rotation vector (rad) of frame 0 in the world, as estimated by a calibration.

    The result is None if the estimated pose is near that of the description.
    """
    if result.base is None:
        return None
    errors = dict(zip(result.names, map(float, result.errors), strict=True))
    moved = displacement(np.array([errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT]))
    base = result.base @ moved
    return [float(x) for x in base[:3, 3]], [float(x) for x in logarithm(base[:3, :3])]


def marker_place(result: Calibration) -> tuple[list[float], list[float]]:
    """Return position (m) and rotation vector (rad) of the marker in the measured frame, from a calibration."""
    errors = dict(zip(result.names, map(float, result.errors), strict=True))
    values = [errors.get(kind + END, 0.0) for kind in DISPLACEMENT]
    return values[:3], values[3:]


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6g}" for value in values)


def _sizes(sizes: Mapping[str, float]) -> str:
    units = {"length": "m", "angle": "rad"}
    return ", ".join(f"{value:.3g} {units[name]}" for name, value in sizes.items())
