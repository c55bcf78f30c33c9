"""The geometry from measurements: least squares, the model taken as it is and not as its tangent.

With e the misses of the measurements, W the derivative by the parameters (`models.calibration`), S the variances of
the noise, one for lengths and one for angles:

    dxi = (W' S^-1 W)^-1 W' S^-1 e,   again at the new geometry, until nothing moves        (Gauss and Newton)
    C = (W' S^-1 W)^-1                                                                   deviations of the parameters

The parameters are the identifiable ones; the others stay as they are, and what they are off is in those that they act
with. Deviations of the noise that are not given are taken from the misses themselves.

W. Khalil, E. Dombre, "Modeling, Identification and Control of Robots", 2002, chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.calibrate.measurements import Measurements
from symoro.errors import ArgumentError, ProgramError
from symoro.models.calibration.chain import NumericChain, end_poses, error_columns, numeric_chain
from symoro.models.calibration.columns import GeometricColumn, columns, way_to
from symoro.models.calibration.identifiable import GeometricParameters, geometric_parameters, measured_rows
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, logarithm
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

ROUNDS = 50
STILL = 1e-12
WEAKEST = 1e-9  # of the strongest singular value of W with columns of one length
REWEIGHTED = 4  # rounds in which the noise's deviations are taken from the misses


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

    @property
    def calibrated(self) -> Robot:
        """The robot with the errors taken out, in numbers."""
        from symoro.calibrate.apply import corrected

        return corrected(self.robot, dict(zip(self.names, map(float, self.errors), strict=True)))

    def __str__(self) -> str:
        from symoro.calibrate.report import text

        return text(self)


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
    touched = _plane(plane)
    found = geometric_parameters(
        robot,
        to=to,
        measure=measured.measure,
        known_base=known_base,
        known_tool=known_tool,
        gains=gains,
        plane=list(touched),
    )
    way = way_to(robot, to)
    chosen = [
        c
        for c in columns(way, known_base=known_base, known_tool=known_tool, gains=gains)
        if c.name in found.names
    ]
    work = _Fitting(numeric_chain(way), chosen, measured, _checked(point, 3, "point"), touched)
    given = _noise(noise)
    work.check()
    start = work.misses(np.zeros(len(chosen)))
    scale = given or work.deviations(start, 0)
    xi, rounds = np.zeros(len(chosen)), 0
    for _ in each(range(1 if given else REWEIGHTED), "fitting"):
        xi, steps = work.solved(xi, scale)
        rounds += steps
        if not given:
            scale = work.deviations(work.misses(xi), len(chosen))
    rows = work.rows(xi) / work.weights(scale)[:, None]
    covariance = np.linalg.inv(rows.T @ rows)
    deviations = np.sqrt(np.diag(covariance))
    return Calibration(
        tuple(column.name for column in chosen),
        xi,
        deviations,
        covariance / np.outer(deviations, deviations),
        work.deviations(start, 0),
        work.deviations(work.misses(xi), 0),
        scale,
        _condition(rows)[0],
        len(measured),
        rounds,
        found,
        robot,
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


def _checked(values: Sequence[float], size: int, what: str) -> Array:
    found = np.array(values, dtype=float)
    if found.shape != (size,) or not np.isfinite(found).all():
        raise ArgumentError(f"{what}: expected {size} numbers, got {list(values)!r}"[:200])
    return found


def _plane(values: Sequence[float]) -> Array:
    found = _checked(values, 4, "plane")
    size = float(np.linalg.norm(found[:3]))
    if size == 0:
        raise ArgumentError("plane: its normal is zero")
    scaled: Array = found / size
    return scaled


def _noise(given: Mapping[str, float] | None) -> dict[str, float] | None:
    if given is None:
        return None
    if set(given) - {"length", "angle"} or not all(np.isfinite(x) and x > 0 for x in given.values()):
        raise ArgumentError(
            f"noise: expected positive deviations of length and angle, got {dict(given)!r}"[:200]
        )
    return {"length": 1.0, "angle": 1.0, **given}


@dataclass(frozen=True)
class _Fitting:
    chain: NumericChain
    chosen: Sequence[GeometricColumn]
    measured: Measurements
    point: Array
    plane: Array

    def check(self) -> None:
        """Refuse measurements that do not show all parameters."""
        rows = self.rows(np.zeros(len(self.chosen)))
        if len(rows) <= len(self.chosen):
            raise ArgumentError(
                f"{len(self.measured)} measurements give {len(rows)} equations for {len(self.chosen)} parameters",
                hint="measure more postures, or take the base or the tool as known",
            )
        condition, weakest = _condition(rows)
        if condition * WEAKEST > 1:
            shown = [c.name for c, x in zip(self.chosen, np.abs(weakest), strict=True) if x > 0.1]
            raise ProgramError(
                f"the postures do not show {', '.join(shown)}: condition {condition:.1e}",
                hint="measure postures in which all joints take different positions",
            )

    def _errors(self, xi: Array) -> dict[str, float]:
        return dict(zip((column.name for column in self.chosen), map(float, xi), strict=True))

    def misses(self, xi: Array) -> Array:
        """Measured minus modelled, one row after the other."""
        pose = end_poses(self.chain, self.measured.q, self._errors(xi))
        measure, place = self.measured.measure, pose[:, :3, 3]
        if measure == "plane":
            found: Array = self.plane[3] - place @ self.plane[:3]
            return found
        if measure == "distance":
            far: Array = self.measured.distances - np.linalg.norm(place - self.point, axis=1)
            return far
        off = self.measured.poses[:, :3, 3] - place
        if measure == "position":
            return off.reshape(-1)
        turn = logarithm(self.measured.poses[:, :3, :3] @ pose[:, :3, :3].transpose(0, 2, 1))
        return np.concatenate([off, turn], 1).reshape(-1)

    def rows(self, xi: Array) -> Array:
        """The derivative of what is modelled (rows, P)."""
        pose, moved = error_columns(self.chain, self.measured.q, self._errors(xi), self.chosen)
        found = measured_rows(self.measured.measure, pose, moved, self.point, self.plane[:3])
        return found.reshape(-1, len(self.chosen))

    def deviations(self, misses: Array, unknowns: int) -> dict[str, float]:
        """Root mean squares of lengths and angles; with unknowns taken off the count, estimates of the noise."""
        left = max(1 - unknowns / len(misses), 1e-3)
        if self.measured.measure != "pose":
            return {"length": _size(misses, left)}
        both = misses.reshape(-1, 6)
        return {"length": _size(both[:, :3], left), "angle": _size(both[:, 3:], left)}

    def weights(self, scale: Mapping[str, float]) -> Array:
        """The deviation of each row."""
        if self.measured.measure != "pose":
            return np.full(
                len(self.measured) * (3 if self.measured.measure == "position" else 1), scale["length"]
            )
        return np.tile([scale["length"]] * 3 + [scale["angle"]] * 3, len(self.measured))

    def solved(self, xi: Array, scale: Mapping[str, float]) -> tuple[Array, int]:
        """Steps of Gauss and Newton, halved where they do not help, until nothing moves."""
        weights = self.weights(scale)
        miss = self.misses(xi) / weights
        for step in range(1, ROUNDS + 1):
            rows = self.rows(xi) / weights[:, None]
            size = np.linalg.norm(rows, axis=0)
            move = np.linalg.lstsq(rows / size, miss, rcond=None)[0] / size
            for half in range(30):
                trial = xi + move / 2**half
                there = self.misses(trial) / weights
                if there @ there <= miss @ miss * (1 + 1e-12):
                    break
            still = float(np.abs(move * size).max()) <= STILL * max(1.0, float(np.linalg.norm(miss)))
            flat = miss @ miss - there @ there <= 1e-15 * (miss @ miss)
            xi, miss = trial, there
            if still or flat:
                return xi, step
        raise ProgramError(
            f"no geometry near the description fits the measurements after {ROUNDS} steps",
            hint="check the units and the joints' order, and where the base and the end stand",
        )


def _size(misses: Array, left: float) -> float:
    return max(float(np.sqrt(np.mean(misses**2) / left)), 1e-15)


def _condition(rows: Array) -> tuple[float, Array]:
    """The condition of a matrix with columns of one length, and its weakest direction."""
    size = np.linalg.norm(rows, axis=0)
    _, values, directions = np.linalg.svd(rows / np.where(size > 0, size, 1), full_matrices=False)
    return float(values[0] / max(values[-1], 1e-300)), directions[-1]


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
