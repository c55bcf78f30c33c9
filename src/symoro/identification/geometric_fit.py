"""Nonlinear least squares of a calibration: residuals, their derivative, and Gauss-Newton steps.

The formulas are in `geometric`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symoro.errors import ArgumentError, ProgramError
from symoro.identification.measurements import Measurements
from symoro.identification.tolerances import (
    GEOMETRIC_CONVERGED,
    GEOMETRIC_ITERATIONS,
    REWEIGHTING_ITERATIONS,
    ROUND_OFF,
    TINY,
    WEAKEST_SHARE,
)
from symoro.models.calibration.chain import Errors, NumericChain, end_poses, error_columns
from symoro.models.calibration.columns import GeometricColumn
from symoro.models.calibration.identifiable import measured_rows
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import logarithm
from symoro.progress import each


@dataclass(frozen=True)
class Fitting:
    """Least-squares problem of a calibration: measurements, and the parameters to be estimated.

    Attributes:
        chain: kinematic chain to the measured frame, with numerical parameters.
        chosen: the parameters whose errors are estimated.
        measured: the measurements.
        point: reference point of measured distances, in the world frame.
        plane: nx, ny, nz, d of the touched plane n.p = d, in the world frame.
        whole: kinematic chain to the robot's end effector; None if this chain has parameters without numbers.
        described: pose of frame 0 in the robot's description, if `chain.start` has been replaced by an estimated pose.
    """

    chain: NumericChain
    chosen: Sequence[GeometricColumn]
    measured: Measurements
    point: Array
    plane: Array
    whole: NumericChain | None = None
    described: Array | None = None

    @cached_property
    def described_reach(self) -> float:
        return farthest(self.chain, self.measured.q)

    def check(self, xi: Array) -> None:
        """Check that the measurements determine all parameters.

        Args:
            xi: parameter errors at which the derivative of the measurements is evaluated (P,).

        Raises:
            ArgumentError: there are too few measurements.
            ProgramError: the postures do not determine some parameters.
        """
        rows = self.rows(xi)
        if len(rows) <= len(self.chosen):
            raise ArgumentError(
                f"{len(self.measured)} measurements give {len(rows)} equations for {len(self.chosen)} parameters",
                hint="measure more postures, or keep the base or the tool at its nominal pose",
            )
        ratio, weakest = condition(rows)
        if ratio * ROUND_OFF > 1:
            shown = [c.name for c, x in zip(self.chosen, np.abs(weakest), strict=True) if x > WEAKEST_SHARE]
            raise ProgramError(
                f"the postures do not determine {', '.join(shown)}: condition number {ratio:.1e}",
                hint="measure further postures, with several different positions of every joint",
            )

    def errors(self, xi: Array) -> dict[str, float]:
        """Return the parameter errors xi as a mapping by name."""
        return dict(zip((column.name for column in self.chosen), map(float, xi), strict=True))

    def residuals(self, xi: Array) -> Array:
        """Return measured minus modelled values of all measurements as one vector, at parameter errors xi."""
        pose = end_poses(self.chain, self.measured.q, self.errors(xi))
        measure, place = self.measured.measure, pose[:, :3, 3]
        if measure == "plane":
            heights: Array = self.plane[3] - place @ self.plane[:3]
            return heights
        if measure == "distance":
            far: Array = self.measured.distances - np.linalg.norm(place - self.point, axis=1)
            return far
        off = self.measured.poses[:, :3, 3] - place
        if measure == "position":
            return off.reshape(-1)
        turn = logarithm(self.measured.poses[:, :3, :3] @ pose[:, :3, :3].transpose(0, 2, 1))
        return np.concatenate([off, turn], 1).reshape(-1)

    def rows(self, xi: Array) -> Array:
        """Return the derivative W of the modelled measurements with respect to the parameter errors, (rows, P).

        Args:
            xi: parameter errors at which W is evaluated (P,).
        """
        return self.rows_at(self.errors(xi))

    def rows_at(self, errors: Errors) -> Array:
        """Return the derivative W of the modelled measurements with respect to the parameter errors, (rows, P).

        Args:
            errors: parameter errors by name at which W is evaluated; they may include parameters that are not
                estimated.
        """
        pose, moved = error_columns(self.chain, self.measured.q, errors, self.chosen)
        rows = measured_rows(self.measured.measure, pose, moved, self.point, self.plane[:3])
        return rows.reshape(-1, len(self.chosen))

    def deviations(self, residuals: Array, unknowns: int) -> dict[str, float]:
        """Return the root mean squares of the residuals, {'length': metres, 'angle': radians}.

        Args:
            residuals: residuals of all measurements as one vector.
            unknowns: number that is subtracted from the number of rows before the division: the number of estimated
                parameters for an estimate of the noise, 0 for a plain root mean square.
        """
        left = max(1 - unknowns / len(residuals), 1e-3)
        if self.measured.measure != "pose":
            return {"length": _size(residuals, left)}
        both = residuals.reshape(-1, 6)
        return {"length": _size(both[:, :3], left), "angle": _size(both[:, 3:], left)}

    def weights(self, scale: Mapping[str, float]) -> Array:
        """Return the standard deviation of each row of the problem.

        Args:
            scale: standard deviations of the noise, {'length': metres, 'angle': radians}.
        """
        if self.measured.measure != "pose":
            return np.full(
                len(self.measured) * (3 if self.measured.measure == "position" else 1), scale["length"]
            )
        return np.tile([scale["length"]] * 3 + [scale["angle"]] * 3, len(self.measured))

    def solved(
        self, xi: Array, scale: Mapping[str, float], rounds: int = GEOMETRIC_ITERATIONS
    ) -> tuple[Array, int]:
        """Solve the problem by Gauss-Newton; steps that increase the residual are halved.

        Args:
            xi: initial parameter errors.
            scale: standard deviations of the noise, {'length': metres, 'angle': radians}.
            rounds: largest number of steps.

        Returns:
            The parameter errors and the number of steps.

        Raises:
            ProgramError: the iteration does not converge in `rounds` steps.
        """
        weights = self.weights(scale)
        residual = self.residuals(xi) / weights
        for step in range(1, rounds + 1):
            rows = self.rows(xi) / weights[:, None]
            size = np.linalg.norm(rows, axis=0)
            size = np.where(size > 0, size, 1.0)
            move = np.linalg.lstsq(rows / size, residual, rcond=None)[0] / size
            for half in range(30):
                trial = xi + move / 2**half
                there = self.residuals(trial) / weights
                if there @ there <= residual @ residual * (1 + 1e-12):
                    break
            still = float(np.abs(move * size).max()) <= GEOMETRIC_CONVERGED * max(
                1.0, float(np.linalg.norm(residual))
            )
            flat = residual @ residual - there @ there <= 1e-15 * (residual @ residual)
            xi, residual = trial, there
            if still or flat:
                return xi, step
        raise ProgramError(
            f"the fit to the measurements did not converge in {rounds} steps",
            hint="check the units, the order of the joints, and the described poses of base and tool",
        )

    def best(self, xi: Array, noise: Mapping[str, float] | None) -> tuple[Array, dict[str, float], int]:
        """Estimate the parameter errors, and the noise too if it is not given.

        Args:
            xi: initial parameter errors.
            noise: standard deviations of the noise, {'length': metres, 'angle': radians}; None to estimate them from
                the residuals.

        Returns:
            The parameter errors, the standard deviations of the noise, and the number of Gauss-Newton steps.
        """
        rounds = 0
        scale = dict(noise) if noise else self.deviations(self.residuals(xi), 0)
        for _ in each(range(1 if noise else REWEIGHTING_ITERATIONS), "fitting"):
            xi, steps = self.solved(xi, scale)
            rounds += steps
            if not noise:
                scale = self.deviations(self.residuals(xi), len(self.chosen))
        return xi, scale, rounds

    def covariance(self, xi: Array, scale: Mapping[str, float]) -> Array:
        """Return the covariance (W' S^-1 W)^-1 of the parameter errors at xi.

        It is computed without squaring the condition number of W, which is large if the weights differ much in size.

        Args:
            xi: parameter errors at which the derivative W is evaluated (P,).
            scale: standard deviations of the noise, {'length': metres, 'angle': radians}; their squares are in S.
        """
        rows = self.rows(xi) / self.weights(scale)[:, None]
        size = np.linalg.norm(rows, axis=0)
        _, values, directions = np.linalg.svd(rows / size, full_matrices=False)
        root = directions.T / values / size[:, None]
        return np.asarray(root @ root.T)


def reach(work: Fitting) -> float:
    """Return the largest distance of the measured frame from frame 0 over all measured postures, in metres."""
    return work.described_reach


def farthest(chain: NumericChain, q: Array) -> float:
    """Return the largest distance of the end of a kinematic chain from frame 0 over the postures q, in metres."""
    return float(np.linalg.norm(end_poses(chain, q, {})[:, :3, 3] - chain.start[:3, 3], axis=1).max())


def _size(residuals: Array, left: float) -> float:
    return max(float(np.sqrt(np.mean(residuals**2) / left)), 1e-15)


def condition(rows: Array) -> tuple[float, Array]:
    """Return the condition number of a matrix after its columns are scaled to unit norm.

    Returns:
        The condition number, and the right singular vector of the smallest singular value.
    """
    size = np.linalg.norm(rows, axis=0)
    _, values, directions = np.linalg.svd(rows / np.where(size > 0, size, 1), full_matrices=False)
    return float(values[0] / max(values[-1], TINY)), directions[-1]
