"""The geometry from measurements: least squares, the model taken as it is and not as its tangent.

With e the misses of the measurements, W the derivative by the parameters (`models.calibration`), S the variances of
the noise, one for lengths and one for angles:

    dxi = (W' S^-1 W)^-1 W' S^-1 e,   again at the new geometry, until nothing moves        (Gauss and Newton)
    C = (W' S^-1 W)^-1                                                                   deviations of the parameters

The parameters are the identifiable ones; the others stay as they are, and what they are off is in those that they act
with. Where the steps start from, and what else is tried: `task`. Deviations of the noise that are not given are taken
from the misses themselves.

W. Khalil, E. Dombre, "Modeling, Identification and Control of Robots", 2002, chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import ArgumentError
from symoro.identification.geometric_doubts import doubts, elsewhere
from symoro.identification.geometric_fit import condition
from symoro.identification.measurements import Measurements
from symoro.identification.task import CalibrationTask, best_fit
from symoro.models.calibration.chain import end_poses, numeric_chain
from symoro.models.calibration.columns import way_to
from symoro.models.calibration.identifiable import GeometricParameters, checked_plane, checked_point
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot, Tool
from symoro.threads import one_thread


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
        robot: the robot that was calibrated, standing at `base`; `calibrated` is the new one.
        to: the frame that was measured, as it was given.
        doubts: what makes the result doubtful, in sentences; none where nothing is odd.
        base: where frame 0 was found to stand in the world (4, 4), far from the description: errors are told against
            the robot standing there. None where they are told against the description.
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
    base: Array | None = None

    @property
    def calibrated(self) -> Robot:
        """The robot with the errors taken out, in numbers; its tool is another where it was measured."""
        from symoro.identification.calibrated_robot import corrected

        return corrected(self.robot, self._by_name(), self.to)

    @property
    def marker(self) -> Tool | None:
        """What was measured, where that is on another frame than the robot's own end: a tool on that frame.

        `calibrated.replace(tool=marker)` is the robot whose tool stands where it was measured.
        """
        from symoro.identification.calibrated_robot import marker

        return marker(self.robot, self._by_name(), self.to)

    def _by_name(self) -> dict[str, float]:
        return dict(zip(self.names, map(float, self.errors), strict=True))

    def __str__(self) -> str:
        from symoro.identification.geometric_report import text

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
    task = CalibrationTask(robot, measured, known, checked_point(point), checked_plane(plane))
    found = best_fit(task, _noise(noise))
    work = found.work
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
        found.parameters,
        found.task.standing,
        to,
        (*doubts(work, found.xi, found.deviations, noise or {}), *elsewhere(found.rivals)),
        found.task.base,
    )


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
