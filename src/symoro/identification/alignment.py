"""Approximate poses of the robot's base and of the measured marker, computed before a calibration.

The world frame of a tracker may have any pose. Gauss-Newton rarely converges from a base that is rotated far from the
true one. So approximate poses are computed first from many starts. They are then refined with the displacements of
frame 0 and of the end effector as the only unknowns.

Poses and positions. x_i and N_i are the position and rotation of the end effector in frame 0, computed from the nominal
geometry; p_i and M_i are those measured; G is the rotation of the world in frame 0; E and m are the rotation and
position of the marker in the end-effector frame:

    G p_i = x_i + N_i m + s        linear in m and s, which are eliminated; |B g - x|^2 in G's entries g remains
    G M_i = N_i E                  |..|^2 = 6 S - 2 g'K e, bilinear in the entries of G and E (Shah 2013)

Both sums are minimised alternately over rotations, not over reflections. The G that fits E best, and the E that fits G
best, follow from a singular value decomposition (Kabsch 1976). The quadratic form is bounded by its largest eigenvalue
times |g|^2 = 3, so each step reduces the sum. The starts are the 24 rotations of the cube, one of which is within 63
degrees of any rotation, and the solution without the condition that G and E are rotations.

Distances and contacts. c is the point, and n and h are the normal and the height of the plane in frame 0:

    distance    |x_i + N_i m - c| = d_i     Gauss-Newton in c and m, from points in all directions
    plane       n . (x_i + N_i m) = h       alternately m and h, which are linear, and n, the direction of least
    variance

M. Shah, "Solving the robot-world/hand-eye calibration problem using the Kronecker product", Journal of Mechanisms and
Robotics 5, 2013. W. Kabsch, "A solution for the best rotation to relate two sets of vectors", Acta Cryst. A32, 1976.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np

from symoro.errors import ProgramError
from symoro.identification.geometric_fit import Fitting, reach
from symoro.identification.tolerances import (
    DIFFERENT_ROTATION,
    EQUAL_COST,
    ITERATIONS,
    LARGE_ANCHOR_MISMATCH,
    MEAN_SQUARE_ROUND_OFF,
    NEAR_POINT,
    NEAR_ROTATION,
    ROUND_OFF,
    SAME_PLACEMENT,
    SIMILAR_PLACEMENT,
    TINY,
)
from symoro.models.calibration.chain import displacement, end_poses
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, GeometricColumn
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, logarithm

# -- rotations


ROTATION_STEPS = 300


@dataclass(frozen=True)
class RotationSolution:
    """Poses of the base and of the marker at a local minimum of the residual.

    Attributes:
        base: pose of frame 0 in the world (4, 4).
        tip: pose of the marker in the end-effector frame (4, 4).
        residual: mean squared residual.
    """

    base: Array
    tip: Array
    residual: float


@dataclass(frozen=True)
class RotationProblem:
    """Least-squares problem for the poses of the base and of the marker.

    Attributes:
        nominal: poses of the end effector in frame 0, from the nominal geometry (S, 4, 4).
        measured: measured poses of the marker in the world (S, 4, 4).
        levers: axes of the end-effector frame along which the marker may be displaced, as columns (3, 0..3).
        size: length in metres that is weighted as one radian; zero if rotations are not measured.
        free: whether the rotation of the marker in the end-effector frame is unknown.
    """

    nominal: Array
    measured: Array
    levers: Array
    size: float
    free: bool

    def solutions(self, described: Array, steps: int = ROTATION_STEPS) -> list[RotationSolution]:
        """Return the local minima of the problem that differ clearly, in order of increasing residual.

        Equally good minima exist if the measurements do not separate the base from the end effector. The one whose base
        is rotated least from the description comes first.

        Args:
            described: rotation of frame 0 in the world by the robot's description (3, 3).
            steps: largest number of iterations.
        """
        away, quadratic, linear = self._eliminate_translations()
        cross = self._rotation_coupling()
        ceiling = float(np.linalg.eigvalsh(quadratic)[-1])
        first = described.T.reshape(1, 9)
        g = np.concatenate([first, _starts(quadratic, linear, cross), CUBE.reshape(-1, 9)])
        for _ in range(steps):
            e = self._best_marker_rotations(g, cross)
            better = rotations((linear + e @ cross.T - g @ quadratic + ceiling * g).reshape(-1, 3, 3))
            moved = np.abs(better.reshape(-1, 9) - g).max()
            g = better.reshape(-1, 9)
            if moved < 1e-10:
                break
        e = self._best_marker_rotations(g, cross)
        cost = np.sum(g * (g @ quadratic - 2 * linear), 1) - 2 * np.sum((g @ cross) * e, 1)
        solutions: list[RotationSolution] = []
        kept: list[Array] = []
        for k in _order(cost, g, first):
            turn = g[k].reshape(3, 3)
            if any(angle_between(turn, other) < DIFFERENT_ROTATION for other in kept):
                continue
            kept.append(turn)
            solutions.append(self._placed(turn, e[k].reshape(3, 3), away))
        return solutions

    def tip(self, base: Array) -> Array:
        """Return the pose of the marker in the end-effector frame that fits best for a given base pose.

        Args:
            base: pose of frame 0 in the world (4, 4).
        """
        inverse = np.linalg.inv(base)
        turn = np.asarray(inverse[:3, :3], float)
        e = self._best_marker_rotations(turn.reshape(1, 9), self._rotation_coupling())[0].reshape(3, 3)
        seen = self.measured[:, :3, 3] @ turn.T + inverse[:3, 3] - self.nominal[:, :3, 3]
        lever = (self.nominal[:, :3, :3] @ self.levers).reshape(seen.size, self.levers.shape[1])
        return pose_of(e, self.levers @ np.linalg.lstsq(lever, seen.reshape(-1), rcond=ROUND_OFF)[0])

    def _eliminate_translations(self) -> tuple[Array, Array, Array]:
        """Eliminate the translations m and s from the least-squares problem of the positions (formulas of the module).

        Returns:
            The matrix of m and s in the position equations, and the quadratic (9, 9) and linear (9,) terms of the
            remaining sum of squares in the entries g of the rotation G.
        """
        p = self.measured[:, :3, 3] - self.measured[:, :3, 3].mean(0)
        rows = np.einsum("kl,si->skli", np.eye(3), p).reshape(-1, 9)
        x = self.nominal[:, :3, 3].reshape(-1)
        levers = self.nominal[:, :3, :3] @ self.levers
        away = np.concatenate([levers, np.repeat(np.eye(3)[None], len(p), 0)], 2).reshape(len(x), -1)
        basis, values, _ = np.linalg.svd(away, full_matrices=False)
        basis = basis[:, values > ROUND_OFF * values[0]]
        rows, x = rows - basis @ (basis.T @ rows), x - basis @ (basis.T @ x)
        return away, rows.T @ rows, x @ rows

    def _rotation_coupling(self) -> Array:
        """Return the matrix K (9, 9) of the bilinear term g'K e of the rotation residual.

        g and e are the entries of the rotations G (world in frame 0) and E (marker in the end-effector frame). g'K e is
        size^2 times the sum of tr(E' N' G M) over the measurements, where N is the nominal and M the measured rotation.
        """
        if not self.size:
            return np.zeros((9, 9))
        products = np.einsum("slj,sak->lajk", self.nominal[:, :3, :3], self.measured[:, :3, :3])
        return np.asarray(self.size**2 * products.reshape(9, 9))

    def _best_marker_rotations(self, g: Array, cross: Array) -> Array:
        """Return the rotation E of the marker that fits the measured rotations best, for each of B rotations G.

        G is the rotation of the world in frame 0, E that of the marker in the end-effector frame.

        Args:
            g: entries of the rotations G, one per row (B, 9).
            cross: the matrix K (9, 9) of the bilinear term g'K e of the rotation residual.

        Returns:
            The entries of the rotations E, one per row (B, 9).
        """
        if not self.free:
            return np.repeat(np.eye(3).reshape(1, 9), len(g), 0)
        return rotations((g @ cross).reshape(-1, 3, 3)).reshape(-1, 9)

    def residual(self, base: Array, tip: Array) -> float:
        """Return the mean squared residual of the measurements for given poses of base and marker.

        Args:
            base: pose of frame 0 in the world (4, 4).
            tip: pose of the marker in the end-effector frame (4, 4).
        """
        predicted = base @ self.nominal @ tip
        left = ((predicted - self.measured)[:, :3, 3] ** 2).sum()
        if self.size:
            left += self.size**2 * ((predicted - self.measured)[:, :3, :3] ** 2).sum()
        return float(left / len(self.nominal))

    def _placed(self, turn: Array, e: Array, away: Array) -> RotationSolution:
        middle = self.measured[:, :3, 3].mean(0)
        seen = (self.measured[:, :3, 3] - middle) @ turn.T - self.nominal[:, :3, 3]
        off = np.linalg.lstsq(away, seen.reshape(-1), rcond=ROUND_OFF)[0]
        base = pose_of(turn.T, middle + turn.T @ off[-3:])
        tip = pose_of(e, self.levers @ off[:-3])
        return RotationSolution(base, tip, self.residual(base, tip))


def _order(cost: Array, g: Array, first: Array) -> list[int]:
    """Return the indices of solutions sorted by cost; nearly equal costs are sorted by distance to a rotation.

    Args:
        cost: cost of each solution (B,).
        g: entries of the rotation matrix of each solution (B, 9).
        first: entries of the preferred rotation matrix (1, 9); of nearly equal solutions the one nearest to it is
            first.
    """
    tolerance = EQUAL_COST * (float(np.ptp(cost)) or 1.0)
    level = np.maximum(cost - cost.min() - tolerance, 0.0)
    return [int(k) for k in np.lexsort([np.linalg.norm(g - first, axis=1), level])]


def rotations(near: Array) -> Array:
    """Return the rotation matrix nearest to each given matrix; reflections are excluded.

    Args:
        near: matrices (..., 3, 3).
    """
    left, _, right = np.linalg.svd(near)
    sign = np.ones(near.shape[:-1])
    sign[..., 2] = np.sign(np.linalg.det(left @ right))
    return np.asarray((left * sign[..., None, :]) @ right)


def angle_between(a: Array, b: Array) -> float:
    """Return the angle between two rotation matrices in radians."""
    chord = float(np.linalg.norm(a - b)) / np.sqrt(8)
    return 2 * float(np.arcsin(min(chord, 1.0)))


def _starts(quadratic: Array, linear: Array, cross: Array) -> Array:
    """Return initial rotations G, computed without the rotation constraint and projected onto rotations.

    G is the rotation of the world in frame 0. If positions were measured, one initial value is the minimum of the
    quadratic form. If rotations were measured, two are plus and minus the first left singular vector of K.

    Args:
        quadratic, linear: terms (9, 9) and (9,) of the sum of squared position residuals in the entries of G.
        cross: the matrix K (9, 9) of the bilinear term of the rotation residual.

    Returns:
        The entries of the rotations, one per row (B, 9).
    """
    starts = [np.linalg.lstsq(quadratic, linear, rcond=ROUND_OFF)[0]]
    if cross.any():
        strongest = np.linalg.svd(cross)[0][:, 0]
        starts += [strongest, -strongest]
    return rotations(np.array(starts).reshape(-1, 3, 3)).reshape(-1, 9)


def pose_of(turn: Array, place: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, place
    return pose


def _cube() -> Array:
    """Return the rotations that map a cube onto itself (24, 3, 3)."""
    signed = [
        np.diag(signs)[list(order)]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]
    return np.array([a for a in signed if np.linalg.det(a) > 0])


CUBE = _cube()


# -- targets


TARGET_STEPS = 60


@dataclass(frozen=True)
class Target:
    """Point to which distances were measured, or touched plane, fitted to the measurements; in frame 0.

    Attributes:
        seen: the point, or the normal of the plane (3,).
        height: distance of the plane from the origin in metres; zero for a point.
        tip: position of the marker in the end-effector frame (3,).
        residual: mean squared residual.
    """

    seen: Array
    height: float
    tip: Array
    residual: float


def fit_points(nominal: Array, distances: Array, levers: Array, described: Array) -> list[Target]:
    """Fit the point whose distances from the marker were measured; return all local minima, best first.

    Args:
        nominal: poses of the end effector in frame 0 (S, 4, 4).
        distances: measured distances in metres (S,).
        levers: axes of the end-effector frame along which the marker may be displaced, as columns (3, 0..3).
        described: nominal point in frame 0, one of the initial values (3,).
    """
    x, turned = nominal[:, :3, 3], nominal[:, :3, :3] @ levers
    rows = np.concatenate([-2 * x, np.ones((len(x), 1))], 1)
    closed = np.linalg.lstsq(rows, distances**2 - (x**2).sum(1), rcond=1e-9)[0][:3]
    middle = x.mean(0)
    c = np.array([described, closed, *(middle + distances.mean() * DIRECTIONS)])
    u = np.concatenate([c, np.zeros((len(c), levers.shape[1]))], 1)
    for _ in range(TARGET_STEPS):
        away, far = _vectors_from_points(x, turned, u)
        unit = away / np.where(far > 0, far, 1.0)[..., None]
        slope = np.concatenate([-unit, np.einsum("ksi,sij->ksj", unit, turned)], 2)
        u = u + _step(slope, distances - far)
    residual = ((distances - _vectors_from_points(x, turned, u)[1]) ** 2).mean(1)
    size = float(np.linalg.norm(x, axis=1).max() + distances.max())
    targets = [Target(v[:3], 0.0, levers @ v[3:], float(e)) for v, e in zip(u, residual, strict=True)]
    return _distinct(targets, size)


def fit_planes(nominal: Array, levers: Array, described: Array) -> list[Target]:
    """Fit the plane that the marker touches; return all local minima, best first.

    Of the normals n and -n the one nearer to the described normal is returned.

    Args:
        nominal: poses of the end effector in frame 0 (S, 4, 4).
        levers: axes of the end-effector frame along which the marker may be displaced, as columns (3, 0..3).
        described: nominal normal of the plane in frame 0, one of the initial values (3,).
    """
    x, turned = nominal[:, :3, 3], nominal[:, :3, :3] @ levers
    targets = []
    for start in (described, *DIRECTIONS[len(DIRECTIONS) // 2 :]):
        normal, tip = start, np.zeros(levers.shape[1])
        for _ in range(TARGET_STEPS):
            rows = np.concatenate([turned.transpose(0, 2, 1) @ normal, -np.ones((len(x), 1))], 1)
            tip = np.linalg.lstsq(rows, -x @ normal, rcond=1e-9)[0][:-1]
            at = x + turned @ tip
            last, normal = normal, np.linalg.svd(at - at.mean(0), full_matrices=False)[2][-1]
            if abs(last @ normal) > 1 - 1e-14:
                break
        normal = normal if normal @ described >= 0 else -normal
        heights = (x + turned @ tip) @ normal
        targets.append(Target(normal, float(heights.mean()), levers @ tip, float(heights.var())))
    return _distinct(targets, 1.0)


def _vectors_from_points(x: Array, turned: Array, u: Array) -> tuple[Array, Array]:
    """Return the vectors from K candidate points to the S marker positions (K, S, 3), and their lengths (K, S).

    Args:
        x: positions of the end effector in frame 0 (S, 3).
        turned: the m axes along which the marker may be displaced, in frame 0, one set per posture (S, 3, m).
        u: per candidate the coordinates of the point, then the m displacements of the marker (K, 3 + m).
    """
    away = x + np.einsum("sij,kj->ksi", turned, u[:, 3:]) - u[:, None, :3]
    return away, np.linalg.norm(away, axis=2)


def _step(slope: Array, residual: Array) -> Array:
    square = slope.transpose(0, 2, 1) @ slope
    damping = ROUND_OFF * np.trace(square, axis1=1, axis2=2)[:, None, None] + TINY
    right = slope.transpose(0, 2, 1) @ residual[..., None]
    return np.asarray(np.linalg.solve(square + damping * np.eye(square.shape[-1]), right)[..., 0])


def _distinct(targets: list[Target], size: float) -> list[Target]:
    """Return fitted points or planes sorted by residual, without those that nearly equal a better one.

    Args:
        targets: the fitted points or planes.
        size: length in metres by which distances are divided before they are compared.
    """
    kept: list[Target] = []
    for target in sorted((s for s in targets if np.isfinite(s.residual)), key=lambda s: s.residual):
        if all(np.linalg.norm(target.seen - other.seen) > SAME_PLACEMENT * size for other in kept):
            kept.append(target)
    return kept


def _directions() -> Array:
    """Return unit vectors to the faces, edges and corners of a cube (26, 3).

    The second half of the rows contains no opposite vectors, so it covers all plane normals.
    """
    directions = np.array([signs for signs in product((-1.0, 0.0, 1.0), repeat=3) if any(signs)])
    return np.asarray(directions / np.linalg.norm(directions, axis=1)[:, None])


DIRECTIONS = _directions()


# -- alignment


PLACED_MEASUREMENTS = 120  # measurements that determine an approximate alignment
TRIED_MEASUREMENTS = 30  # measurements, and steps, after which a poor fit is recognised
TRIED_PLACEMENTS = 4  # guesses that are refined


@dataclass(frozen=True)
class Alignment:
    """Approximate poses of the robot's base and of the measured marker.

    Attributes:
        base: pose of frame 0 in the world (4, 4).
        tip: displacements of the marker in the end-effector frame, by parameter name.
        residual: root mean square of the residuals, lengths divided by the reach of the robot.
    """

    base: Array
    tip: Mapping[str, float]
    residual: float

    @property
    def marker_angle(self) -> float:
        """Rotation angle of the marker with respect to the end-effector frame, in radians."""
        return float(np.linalg.norm([self.tip.get(kind + END, 0.0) for kind in DISPLACEMENT[3:]]))


def alignments(work: Fitting) -> list[Alignment]:
    """Return the poses of base and marker with which the nominal geometry fits the measurements, best first.

    The list is empty if both poses are known.
    """
    chosen = _alignment_columns(work)
    if not chosen:
        return []
    few = thinned(work)
    placements: list[Alignment] = []
    for base, tip in _guesses(few):
        place = _refined(few, chosen, base, tip)
        if place is not None and all(
            _prediction_distance(few, place, other) > SAME_PLACEMENT for other in placements
        ):
            placements.append(place)
    return sorted(placements, key=lambda place: place.residual)


def _prediction_distance(work: Fitting, one: Alignment, other: Alignment) -> float:
    """Return the difference between the measurements that two alignments predict.

    Args:
        work: the calibration problem.
        one, other: the two alignments (poses of base and marker).

    Returns:
        The root mean square difference; lengths are divided by the robot's reach.
    """
    (first, xi), (second, zeta) = (_aligned(work, place) for place in (one, other))
    return difference(first, xi, second, zeta)


def _aligned(work: Fitting, place: Alignment) -> tuple[Fitting, Array]:
    chosen = [column for column in work.chosen if column.frame == END]
    return replace(with_base(work, place.base), chosen=chosen), np.array([place.tip[c.name] for c in chosen])


def is_far_off(work: Fitting) -> bool:
    """Return whether no pose of the base fits the measurements of a calibration even approximately.

    Only a few measurements are used, to save time.
    """
    few = thinned(work, TRIED_MEASUREMENTS)
    levers, free = _levers(few)
    (_, _, residual), *_ = _rotation_guesses(few, levers, free, TRIED_MEASUREMENTS)
    return bool(np.sqrt(residual) > LARGE_ANCHOR_MISMATCH * (reach(few) or 1.0))


def near(work: Fitting, place: Alignment) -> bool:
    """Return whether an alignment is near the robot's description, in the pose of the base and of the marker.

    Args:
        work: the calibration problem, which contains the described poses.
        place: the alignment.
    """
    return base_is_near(work, place) and place.marker_angle < NEAR_ROTATION


def base_is_near(work: Fitting, place: Alignment) -> bool:
    """Return whether the base pose of an alignment is near that of the robot's description.

    The rotations are compared; if distances were measured, the positions are compared too.

    Args:
        work: the calibration problem, which contains the described pose.
        place: the alignment.
    """
    described = work.chain.start
    shift = float(np.linalg.norm(place.base[:3, 3] - described[:3, 3]))
    moved = work.measured.measure == "distance" and shift > NEAR_POINT * reach(work)
    return not moved and angle_between(place.base[:3, :3], described[:3, :3]) < NEAR_ROTATION


def difference(one: Fitting, first: Array, other: Fitting, second: Array) -> float:
    """Return the difference between the measurements that two calibrated geometries predict at other postures.

    Predictions are compared rather than parameters: if the measurements do not separate the base from the end effector,
    different poses of both predict the same measurements.

    Args:
        one, other: the calibration problems.
        first, second: the parameter errors of both.

    Returns:
        The root mean square difference; lengths are divided by the robot's reach, angles are in radians.
    """
    rng = np.random.default_rng(0)
    few = thinned(one).measured
    measured = replace(few, q=rng.permuted(few.q, axis=0))
    predicted = [
        replace(w, measured=measured).residuals(xi).reshape(len(few), -1)
        for w, xi in ((one, first), (other, second))
    ]
    apart = one.deviations((predicted[0] - predicted[1]).reshape(-1), 0)
    return float(np.hypot(apart["length"] / (reach(one) or 1.0), apart.get("angle", 0.0)))


def with_base(work: Fitting, base: Array) -> Fitting:
    """Return the calibration problem with another nominal pose of frame 0 in the world (4, 4)."""
    return replace(work, chain=replace(work.chain, start=base))


def start_at(work: Fitting, place: Alignment) -> Array | None:
    """Return the initial parameter errors of a calibration that correspond to an alignment.

    Args:
        work: the calibration problem.
        place: the alignment (approximate poses of base and marker).

    Returns:
        The parameter errors (P,). None if the base is so far from its described pose that the described pose of frame 0
        must first be replaced by that of the alignment (`with_base`).
    """
    errors = dict(place.tip)
    if _base_is_free(work):
        moved = np.linalg.inv(work.chain.start) @ place.base
        off = _displacements(moved, BASE)
        names = {column.name for column in work.chosen}
        if not base_is_near(work, place) or not off.keys() <= names:
            return None
        errors |= off
    return np.array([errors.get(column.name, 0.0) for column in work.chosen])


def thinned(work: Fitting, most: int = PLACED_MEASUREMENTS) -> Fitting:
    """Return the calibration problem with at most `most` of its measurements, selected at even intervals."""
    count = len(work.measured)
    if count <= most:
        return work
    rows = np.linspace(0, count - 1, most).astype(int)
    m = work.measured
    poses, distances = (part[rows] if len(part) else part for part in (m.poses, m.distances))
    return replace(work, measured=replace(m, q=m.q[rows], poses=poses, distances=distances))


def _alignment_columns(work: Fitting) -> list[GeometricColumn]:
    """Return the displacements of base and end effector that are unknowns of the calibration problem.

    The rotation of the base is excluded if distances were measured, because they do not depend on it.
    """
    kinds = DISPLACEMENT[:3] if work.measured.measure == "distance" else DISPLACEMENT
    base = [GeometricColumn(kind, BASE) for kind in kinds] if _base_is_free(work) else []
    return [*base, *(column for column in work.chosen if column.frame == END)]


def _base_is_free(work: Fitting) -> bool:
    return any(column.frame == BASE for column in work.chosen)


def _refined(
    work: Fitting, chosen: list[GeometricColumn], base: Array, tip: Mapping[str, float]
) -> Alignment | None:
    """Refine an approximate alignment by Gauss-Newton; return None if the iteration does not converge.

    Args:
        work: the calibration problem.
        chosen: the unknown displacements of base and marker.
        base: initial pose of frame 0 in the world (4, 4).
        tip: initial displacements of the marker by parameter name.
    """
    here = replace(with_base(work, base), chosen=chosen)
    size = reach(work) or 1.0
    try:
        xi, _ = here.solved(
            np.array([tip.get(c.name, 0.0) for c in chosen]), {"length": size, "angle": 1.0}, ITERATIONS
        )
    except (ProgramError, np.linalg.LinAlgError):
        return None
    errors = dict(zip((c.name for c in chosen), map(float, xi), strict=True))
    moved = base @ displacement(np.array([errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT]))
    kept = {c.name: errors[c.name] for c in chosen if c.frame == END}
    return Alignment(moved, kept, relative_residual(here, xi, size))


def relative_residual(work: Fitting, xi: Array, size: float) -> float:
    """Return the root mean square of the residuals for parameter errors xi, with lengths divided by `size`."""
    after = work.deviations(work.residuals(xi), 0)
    return float(np.hypot(after["length"] / size, after.get("angle", 0.0)))


def _guesses(work: Fitting) -> Iterator[tuple[Array, Mapping[str, float]]]:
    """Yield initial values of the base pose (4, 4) and of the marker displacements by name.

    Initial values whose residual is much larger than the smallest one are left out.
    """
    levers, free = _levers(work)
    guesses: Sequence[tuple[Array, Array, float]]
    if work.measured.measure in ("pose", "position"):
        guesses = _rotation_guesses(work, levers, free)
    elif not _base_is_free(work):
        guesses = [(work.chain.start, np.eye(4), 0.0)]
    else:
        guesses = _target_guesses(work, levers)
    most = (
        SIMILAR_PLACEMENT**2 * min(residual for _, _, residual in guesses)
        + MEAN_SQUARE_ROUND_OFF * reach(work) ** 2
    )
    for base, tip, residual in guesses[:TRIED_PLACEMENTS]:
        if residual <= most:
            yield base, _displacements(tip, END)


def _levers(work: Fitting) -> tuple[Array, bool]:
    """Return which displacements of the marker in the end-effector frame are unknown.

    Returns:
        The axes along which the marker may be displaced, as columns (3, 0..3), and whether its rotation is unknown.
    """
    names = {column.name for column in work.chosen}
    kept = [kind + END in names for kind in DISPLACEMENT]
    return np.eye(3)[:, kept[:3]], all(kept[3:])


def _rotation_guesses(
    work: Fitting, levers: Array, free: bool, steps: int = ROTATION_STEPS
) -> list[tuple[Array, Array, float]]:
    pose, start = work.measured.measure == "pose", work.chain.start
    size = (reach(work) or 1.0) if pose else 0.0
    problem = RotationProblem(_nominal_poses(work), work.measured.poses, levers, size, pose and free)
    if not _base_is_free(work):
        tip = problem.tip(start)
        return [(start, tip, problem.residual(start, tip))]
    return [
        (solution.base, solution.tip, solution.residual)
        for solution in problem.solutions(start[:3, :3], steps)
    ]


def _target_guesses(work: Fitting, levers: Array) -> list[tuple[Array, Array, float]]:
    """Compute initial base poses from a point or a plane fitted to distances or contacts.

    If distances were measured, the base keeps its described rotation and is translated so that the fitted point
    coincides with the given one. If contacts were measured, the base is rotated by the smallest angle that makes the
    fitted plane parallel to the given one, and translated onto it.

    Args:
        work: the calibration problem.
        levers: axes of the end-effector frame along which the marker may be displaced, as columns (3, 0..3).

    Returns:
        A list of (base pose, marker pose, mean squared residual).
    """
    start, nominal = work.chain.start, _nominal_poses(work)
    turn, place = start[:3, :3], start[:3, 3]
    if work.measured.measure == "distance":
        targets = fit_points(nominal, work.measured.distances, levers, turn.T @ (work.point - place))
        bases = [pose_of(turn, work.point - turn @ target.seen) for target in targets]
    else:
        normal = work.plane[:3]
        targets, bases = fit_planes(nominal, levers, turn.T @ normal), []
        for target in targets:
            facing = _smallest_rotation(turn @ target.seen, normal) @ turn
            bases.append(pose_of(facing, place + (work.plane[3] - target.height - place @ normal) * normal))
    return [(base, pose_of(np.eye(3), s.tip), s.residual) for base, s in zip(bases, targets, strict=True)]


def _smallest_rotation(now: Array, then: Array) -> Array:
    """Return the rotation matrix of smallest angle that maps one unit vector onto another.

    Args:
        now, then: the vectors before and after the rotation (3,); they must not be opposite.
    """
    axis = np.cross(now, then)
    sine = float(np.linalg.norm(axis))
    vector = axis / sine * np.arctan2(sine, float(now @ then)) if sine > 0 else np.zeros(3)
    return exponential(vector)


def _displacements(pose: Array, frame: str) -> dict[str, float]:
    values = [*pose[:3, 3], *logarithm(pose[:3, :3])]
    return dict(zip((kind + frame for kind in DISPLACEMENT), map(float, values), strict=True))


def _nominal_poses(work: Fitting) -> Array:
    """Return the poses of the end effector in frame 0 at all measured postures, from the nominal geometry."""
    return end_poses(replace(work.chain, start=np.eye(4)), work.measured.q, {})
