"""The geometry from measurements: least squares, the model taken as it is and not as its tangent.

With e the misses of the measurements, W the derivative by the parameters (`models.calibration`), S the variances of
the noise, one for lengths and one for angles:

    dxi = (W' S^-1 W)^-1 W' S^-1 e,   again at the new geometry, until nothing moves        (Gauss and Newton)
    C = (W' S^-1 W)^-1                                                                   deviations of the parameters

The parameters are the identifiable ones; the others stay as they are, and what they are off is in those that they act
with. Positions show more of them where what is measured stands off the axes: that is decided again at the place that is
found for it. Deviations of the noise that are not given are taken from the misses themselves.

W. Khalil, E. Dombre, "Modeling, Identification and Control of Robots", 2002, chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.calibrate.doubts import doubts, likely, odd, reach
from symoro.calibrate.fitting import Fitting, condition
from symoro.calibrate.measurements import Measurements
from symoro.errors import ArgumentError, NotApplicableError, ProgramError
from symoro.models.calibration.chain import NumericChain, end_poses, numeric_chain
from symoro.models.calibration.columns import DISPLACEMENT, END, columns, way_to
from symoro.models.calibration.identifiable import (
    GeometricParameters,
    checked_plane,
    checked_point,
    geometric_parameters,
)
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot, Tool
from symoro.threads import one_thread

OFF = 0.01  # of the robot's size


@dataclass(frozen=True)
class Calibration:
    """The result.

    Attributes:
        names, errors, deviations: of the parameters; errors are to be added to the description's values.
        correlations: between them (P, P).
        before, after: root mean square of the misses, {'length': metres, 'angle': radians}.
        noise: the deviations of the noise that weights were made of.
        condition: of W, its columns of one length.
        parameters: which are identifiable, with their relations.
        robot: the robot that was calibrated; `calibrated` is the new one.
        to: the frame that was measured, as it was given.
        doubts: what makes the result doubtful, in sentences; none where nothing is odd.
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
    doubts: tuple[str, ...] = ()

    @property
    def calibrated(self) -> Robot:
        """The robot with the errors taken out, in numbers; its tool is another where it was measured."""
        from symoro.calibrate.apply import corrected

        return corrected(self.robot, self._by_name(), self.to)

    @property
    def marker(self) -> Tool | None:
        """What was measured, where that is on another frame than the robot's own end: a tool on that frame.

        `calibrated.replace(tool=marker)` is the robot whose tool stands where it was measured.
        """
        from symoro.calibrate.apply import marker

        return marker(self.robot, self._by_name(), self.to)

    def _by_name(self) -> dict[str, float]:
        return dict(zip(self.names, map(float, self.errors), strict=True))

    def __str__(self) -> str:
        from symoro.calibrate.report import text

        return text(self)


@one_thread
def calibrate(
    robot: Robot,
    measured: Measurements,
    *,
    to: int | str | None = None,
    known_base: bool = False,
    known_tool: bool = False,
    gains: bool = False,
    noise: Mapping[str, float] | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    plane: Sequence[float] = (0.0, 0.0, 1.0, 0.0),
) -> Calibration:
    """The geometric parameters that make the robot meet the measurements.

    Arguments:
        to, known_base, known_tool, gains: as in `geometric_parameters`.
        noise: deviations of the measurements, {'length': metres, 'angle': radians}; from the misses unless given.
        point: that distances are taken to, in the world.
        plane: nx, ny, nz, d of the plane n.p = d that is touched, in the world.

    Raises:
        ArgumentError: too few measurements, or arguments that are none.
        ProgramError: the postures do not show some parameters, which are named; or no geometry fits.
    """
    _check_finite(robot, measured)
    known = {"to": to, "known_base": known_base, "known_tool": known_tool, "gains": gains}
    task = _Task(robot, measured, known, checked_point(point), checked_plane(plane))
    given = _noise(noise)
    parameters = task.parameters()
    work = task.fitting(parameters)
    found = _fitted(work, np.zeros(len(work.chosen)), given)
    offset = _offset(work, found)
    if offset is not None and len(more := task.parameters(offset)) > len(parameters):
        start = dict(zip((c.name for c in work.chosen), found.xi, strict=True))
        parameters, work = more, task.fitting(more)
        found = _fitted(work, np.array([start.get(c.name, 0.0) for c in work.chosen]), given)
    return Calibration(
        tuple(column.name for column in work.chosen),
        found.xi,
        found.deviations,
        found.covariance / np.outer(found.deviations, found.deviations),
        work.deviations(work.misses(np.zeros(len(work.chosen))), 0),
        work.deviations(work.misses(found.xi), 0),
        found.scale,
        condition(work.rows(found.xi) / work.weights(found.scale)[:, None])[0],
        len(measured),
        found.rounds,
        parameters,
        robot,
        to,
        tuple(doubts(work, found.xi, found.deviations, noise or {})),
    )


@dataclass(frozen=True)
class _Task:
    """What is asked for: `known` are arguments of `geometric_parameters`."""

    robot: Robot
    measured: Measurements
    known: Mapping[str, Any]
    point: Array
    plane: Array

    def parameters(self, offset: Sequence[float] | None = None) -> GeometricParameters:
        """Those that the measurements show, with what is measured at some place of its frame."""
        places: dict[str, Any] = {"point": list(self.point), "plane": list(self.plane), "offset": offset}
        return geometric_parameters(self.robot, measure=self.measured.measure, **self.known, **places)

    def fitting(self, parameters: GeometricParameters) -> Fitting:
        way = way_to(self.robot, self.known["to"])
        more = {name: value for name, value in self.known.items() if name != "to"}
        chosen = [c for c in columns(way, **more) if c.name in parameters.names]
        return Fitting(numeric_chain(way), chosen, self.measured, self.point, self.plane, self._whole())

    def _whole(self) -> NumericChain | None:
        try:
            return numeric_chain(way_to(self.robot, None))
        except (ArgumentError, NotApplicableError):  # numbers that the measured way does without
            return None


@dataclass(frozen=True)
class _Fitted:
    """Errors, the noise's deviations, the errors' covariance, and how many steps it took."""

    xi: Array
    scale: Mapping[str, float]
    covariance: Array
    rounds: int

    @property
    def deviations(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def _fitted(work: Fitting, start: Array, noise: Mapping[str, float] | None) -> _Fitted:
    work.check(start)
    try:
        xi, scale, rounds = work.best(start, noise)
    except ProgramError as error:
        meant = likely(work)
        raise ProgramError(error.message, hint=meant) if meant else error from None
    return _Fitted(xi, scale, work.covariance(xi, scale), rounds)


def _offset(work: Fitting, found: _Fitted) -> list[float] | None:
    """Where what is measured stands in its frame; None where that tells nothing new, or what was found is odd.

    What is small beside the robot is taken for zero: parameters that such a lever alone would show are not shown well.
    """
    if work.measured.measure == "pose" or odd(work, found.xi, found.deviations):
        return None
    errors = {c.name: float(x) for c, x in zip(work.chosen, found.xi, strict=True)}
    least = OFF * reach(work)
    away = [errors.get(kind + END, 0.0) for kind in DISPLACEMENT[:3]]
    away = [x if abs(x) > least else 0.0 for x in away]
    return away if any(away) else None


def _check_finite(robot: Robot, measured: Measurements) -> None:
    """Refuse measurements that are no numbers, or of another robot."""
    n = len(independent(robot))
    if measured.q.ndim != 2 or measured.q.shape[1] != n:
        raise ArgumentError(
            f"postures of robot '{robot.name}' are rows of {n} numbers, got {measured.q.shape}"
        )
    for what in (measured.q, measured.poses, measured.distances):
        bad = np.flatnonzero(~np.isfinite(what).all(axis=tuple(range(1, what.ndim))))
        if len(bad):
            raise ArgumentError(f"measurement {bad[0] + 1} holds what is no number")


def _noise(given: Mapping[str, float] | None) -> dict[str, float] | None:
    if given is None:
        return None
    if set(given) - {"length", "angle"} or not all(np.isfinite(x) and x > 0 for x in given.values()):
        raise ArgumentError(
            f"noise: expected positive deviations of length and angle, got {dict(given)!r}"[:200]
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
    """Poses of a robot whose geometry is off, measured with noise: to try a calibration before measuring."""
    chain = numeric_chain(way_to(robot, to))
    pose = end_poses(chain, q, errors)
    rng = np.random.default_rng(seed)
    pose[:, :3, 3] += length * rng.standard_normal((len(q), 3))
    pose[:, :3, :3] = exponential(angle * rng.standard_normal((len(q), 3))) @ pose[:, :3, :3]
    return Measurements("pose", q, pose, np.zeros(0))
