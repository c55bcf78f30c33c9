"""Rough placement of the robot's base and of the measured marker, before a calibration.

A tracker may be anywhere, and Gauss and Newton's method converges to a base that is rotated far only by chance. So the
placements are computed first from many starts, and then fitted with the displacements of frame 0 and of the end alone.

Poses and positions: with x_i and N_i the end's position and rotation in frame 0 as described, p_i and M_i those
measured, G the rotation of the world in frame 0, E that of the marker on the end, m its position there,

    G p_i = x_i + N_i m + s        linear in m and s, which are eliminated; |B g - x|^2 in G's entries g remains
    G M_i = N_i E                  |..|^2 = 6 S - 2 g'K e, bilinear in the entries of G and E (Shah 2013)

Both are minimised in turn over rotations alone, never over reflections. The G that fits E best, and the E that fits G
best, follow from a singular value decomposition (Kabsch 1976); the quadratic form is bounded by the multiple of
|g|^2 = 3 of its largest eigenvalue, so each step reduces the sum. Starts are the 24 rotations of the cube, at most 63
degrees from any rotation, and the solution without the condition that G and E are rotations.

Distances and contacts, with c the point and n, h the plane in frame 0:

    distance    |x_i + N_i m - c| = d_i     Gauss and Newton's method in c and m, from points all around
    plane       n . (x_i + N_i m) = h       in turn m and h, which are linear, and n, the direction of least variance

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
)
from symoro.models.calibration.chain import displacement, end_poses
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, GeometricColumn
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, logarithm

# -- turns


ROTATION_STEPS = 300


@dataclass(frozen=True)
class RotationSolution:
    """Frame 0 in the world (4, 4), what is measured on the end (4, 4), and the mean square that is left."""

    base: Array
    tip: Array
    residual: float


@dataclass(frozen=True)
class RotationProblem:
    """What is measured, seen from frame 0.

    Attributes:
        own: poses of the end in frame 0 by the description (S, 4, 4).
        measured: poses in the world (S, 4, 4).
        levers: axes of the end along which what is measured may stand off, in columns (3, 0..3).
        size: the length that counts as much as a radian; zero where rotations are not measured.
        free: whether what is measured may be turned on the end.
    """

    own: Array
    measured: Array
    levers: Array
    size: float
    free: bool

    def solutions(self, described: Array, steps: int = ROTATION_STEPS) -> list[RotationSolution]:
        """Return the lowest sums of squares over all places of the base, those far apart, best first.

        Of those that are as good, which there are where the end and frame 0 cannot be told apart, that comes first
        which is turned least from the description.
        """
        away, quadratic, linear = self._places()
        cross = self._cross()
        ceiling = float(np.linalg.eigvalsh(quadratic)[-1])
        first = described.T.reshape(1, 9)
        g = np.concatenate([first, _starts(quadratic, linear, cross), CUBE.reshape(-1, 9)])
        for _ in range(steps):
            e = self._tips(g, cross)
            better = rotations((linear + e @ cross.T - g @ quadratic + ceiling * g).reshape(-1, 3, 3))
            moved = np.abs(better.reshape(-1, 9) - g).max()
            g = better.reshape(-1, 9)
            if moved < 1e-10:
                break
        e = self._tips(g, cross)
        cost = np.sum(g * (g @ quadratic - 2 * linear), 1) - 2 * np.sum((g @ cross) * e, 1)
        solutions: list[RotationSolution] = []
        kept: list[Array] = []
        for k in _order(cost, g, first):
            turn = g[k].reshape(3, 3)
            if any(between(turn, other) < DIFFERENT_ROTATION for other in kept):
                continue
            kept.append(turn)
            solutions.append(self._placed(turn, e[k].reshape(3, 3), away))
        return solutions

    def tip(self, base: Array) -> Array:
        """Return what is measured on the end, frame 0 being where it is said to be (4, 4)."""
        inverse = np.linalg.inv(base)
        turn = np.asarray(inverse[:3, :3], float)
        e = self._tips(turn.reshape(1, 9), self._cross())[0].reshape(3, 3)
        seen = self.measured[:, :3, 3] @ turn.T + inverse[:3, 3] - self.own[:, :3, 3]
        lever = (self.own[:, :3, :3] @ self.levers).reshape(seen.size, self.levers.shape[1])
        return pose_of(e, self.levers @ np.linalg.lstsq(lever, seen.reshape(-1), rcond=ROUND_OFF)[0])

    def _places(self) -> tuple[Array, Array, Array]:
        """Return what is taken out, and the quadratic form and linear part of what is left."""
        p = self.measured[:, :3, 3] - self.measured[:, :3, 3].mean(0)
        rows = np.einsum("kl,si->skli", np.eye(3), p).reshape(-1, 9)
        x = self.own[:, :3, 3].reshape(-1)
        levers = self.own[:, :3, :3] @ self.levers
        away = np.concatenate([levers, np.repeat(np.eye(3)[None], len(p), 0)], 2).reshape(len(x), -1)
        basis, values, _ = np.linalg.svd(away, full_matrices=False)
        basis = basis[:, values > ROUND_OFF * values[0]]
        rows, x = rows - basis @ (basis.T @ rows), x - basis @ (basis.T @ x)
        return away, rows.T @ rows, x @ rows

    def _cross(self) -> Array:
        """K: g'K e is the sum of tr(E' N' G M), by the square of the length that counts as a radian (9, 9)."""
        if not self.size:
            return np.zeros((9, 9))
        products = np.einsum("slj,sak->lajk", self.own[:, :3, :3], self.measured[:, :3, :3])
        return np.asarray(self.size**2 * products.reshape(9, 9))

    def _tips(self, g: Array, cross: Array) -> Array:
        """Return the best E for each G, as rows of entries."""
        if not self.free:
            return np.repeat(np.eye(3).reshape(1, 9), len(g), 0)
        return rotations((g @ cross).reshape(-1, 3, 3)).reshape(-1, 9)

    def residual(self, base: Array, tip: Array) -> float:
        """Return the mean square that places leave."""
        said = base @ self.own @ tip
        left = ((said - self.measured)[:, :3, 3] ** 2).sum()
        if self.size:
            left += self.size**2 * ((said - self.measured)[:, :3, :3] ** 2).sum()
        return float(left / len(self.own))

    def _placed(self, turn: Array, e: Array, away: Array) -> RotationSolution:
        middle = self.measured[:, :3, 3].mean(0)
        seen = (self.measured[:, :3, 3] - middle) @ turn.T - self.own[:, :3, 3]
        off = np.linalg.lstsq(away, seen.reshape(-1), rcond=ROUND_OFF)[0]
        base = pose_of(turn.T, middle + turn.T @ off[-3:])
        tip = pose_of(e, self.levers @ off[:-3])
        return RotationSolution(base, tip, self.residual(base, tip))


def _order(cost: Array, g: Array, first: Array) -> list[int]:
    """Lower costs first; of those that are the lowest but for round-off, those nearer to the first."""
    slack = EQUAL_COST * (float(np.ptp(cost)) or 1.0)
    level = np.maximum(cost - cost.min() - slack, 0.0)
    return [int(k) for k in np.lexsort([np.linalg.norm(g - first, axis=1), level])]


def rotations(near: Array) -> Array:
    """Return the rotations that are nearest to matrices (..., 3, 3), never reflections."""
    left, _, right = np.linalg.svd(near)
    sign = np.ones(near.shape[:-1])
    sign[..., 2] = np.sign(np.linalg.det(left @ right))
    return np.asarray((left * sign[..., None, :]) @ right)


def between(a: Array, b: Array) -> float:
    """Return the angle between two rotations."""
    chord = float(np.linalg.norm(a - b)) / np.sqrt(8)
    return 2 * float(np.arcsin(min(chord, 1.0)))


def _starts(quadratic: Array, linear: Array, cross: Array) -> Array:
    """G and E as any matrices: of positions the lowest point, of rotations the strongest pair."""
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
    """Return the rotations that put a cube on itself (24, 3, 3)."""
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
    """A target seen from frame 0: the point, or the normal (3,), the plane's height; what is measured on the end, and
    the mean square that is left."""

    seen: Array
    height: float
    tip: Array
    residual: float


def points(own: Array, distances: Array, levers: Array, described: Array) -> list[Target]:
    """Points at distances of the end, best first; the described one is among the starts.

    Args:
        own: poses of the end in frame 0 (S, 4, 4).
        levers: axes along which what is measured may stand off the end, in columns (3, 0..3).
    """
    x, turned = own[:, :3, 3], own[:, :3, :3] @ levers
    rows = np.concatenate([-2 * x, np.ones((len(x), 1))], 1)
    closed = np.linalg.lstsq(rows, distances**2 - (x**2).sum(1), rcond=1e-9)[0][:3]
    middle = x.mean(0)
    c = np.array([described, closed, *(middle + distances.mean() * DIRECTIONS)])
    u = np.concatenate([c, np.zeros((len(c), levers.shape[1]))], 1)
    for _ in range(TARGET_STEPS):
        away, far = _away(x, turned, u)
        unit = away / np.where(far > 0, far, 1.0)[..., None]
        slope = np.concatenate([-unit, np.einsum("ksi,sij->ksj", unit, turned)], 2)
        u = u + _step(slope, distances - far)
    residual = ((distances - _away(x, turned, u)[1]) ** 2).mean(1)
    size = float(np.linalg.norm(x, axis=1).max() + distances.max())
    targets = [Target(v[:3], 0.0, levers @ v[3:], float(e)) for v, e in zip(u, residual, strict=True)]
    return _distinct(targets, size)


def normals(own: Array, levers: Array, described: Array) -> list[Target]:
    """Planes through the end's places, best first; of n and -n that nearer to the described one."""
    x, turned = own[:, :3, 3], own[:, :3, :3] @ levers
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


def _away(x: Array, turned: Array, u: Array) -> tuple[Array, Array]:
    """From points to the places of what is measured (K, S, 3), and how far."""
    away = x + np.einsum("sij,kj->ksi", turned, u[:, 3:]) - u[:, None, :3]
    return away, np.linalg.norm(away, axis=2)


def _step(slope: Array, residual: Array) -> Array:
    square = slope.transpose(0, 2, 1) @ slope
    damping = ROUND_OFF * np.trace(square, axis1=1, axis2=2)[:, None, None] + 1e-300
    right = slope.transpose(0, 2, 1) @ residual[..., None]
    return np.asarray(np.linalg.solve(square + damping * np.eye(square.shape[-1]), right)[..., 0])


def _distinct(targets: list[Target], size: float) -> list[Target]:
    """Best first, those far apart; of equal ones that which comes first."""
    kept: list[Target] = []
    for target in sorted((s for s in targets if np.isfinite(s.residual)), key=lambda s: s.residual):
        if all(np.linalg.norm(target.seen - other.seen) > SAME_PLACEMENT * size for other in kept):
            kept.append(target)
    return kept


def _directions() -> Array:
    """To the faces, edges and corners of a cube; of two opposite ones, one in each half (26, 3)."""
    ways = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
    return np.asarray(ways / np.linalg.norm(ways, axis=1)[:, None])


DIRECTIONS = _directions()


# -- alignment


PLACED_MEASUREMENTS = 120  # measurements that a rough place needs
TRIED_MEASUREMENTS = 30  # measurements, and steps, that tell what is nowhere near
TRIED_PLACEMENTS = 4  # that are looked at closer


@dataclass(frozen=True)
class Alignment:
    """A rough place: of frame 0 in the world (4, 4), the displacements of the end, and the residuals that it leaves."""

    base: Array
    tip: Mapping[str, float]
    residual: float

    @property
    def turn_of_tip(self) -> float:
        """By how much what is measured is turned on the end."""
        return float(np.linalg.norm([self.tip.get(kind + END, 0.0) for kind in DISPLACEMENT[3:]]))


def alignments(work: Fitting) -> list[Alignment]:
    """Places at which the robot as described meets the measurements best, best first; none where both are known."""
    chosen = _chosen(work)
    if not chosen:
        return []
    few = thinned(work)
    placements: list[Alignment] = []
    for base, tip in _guesses(few):
        place = _settled(few, chosen, base, tip)
        if place is not None and all(_apart(few, place, other) > SAME_PLACEMENT for other in placements):
            placements.append(place)
    return sorted(placements, key=lambda place: place.residual)


def _apart(work: Fitting, one: Alignment, other: Alignment) -> float:
    """By how much two places differ."""
    (first, xi), (second, zeta) = (_standing(work, place) for place in (one, other))
    return difference(first, xi, second, zeta)


def _standing(work: Fitting, place: Alignment) -> tuple[Fitting, Array]:
    chosen = [column for column in work.chosen if column.frame == END]
    return replace(placed(work, place.base), chosen=chosen), np.array([place.tip[c.name] for c in chosen])


def is_far_off(work: Fitting) -> bool:
    """Return whether no location of the robot fits the measurements, by few postures and few steps."""
    few = thinned(work, TRIED_MEASUREMENTS)
    levers, free = _levers(few)
    (_, _, residual), *_ = _turned(few, levers, free, TRIED_MEASUREMENTS)
    return bool(np.sqrt(residual) > LARGE_ANCHOR_MISMATCH * (reach(few) or 1.0))


def near(work: Fitting, place: Alignment) -> bool:
    """Return whether frame 0 and what is measured on the end stand near where they are described."""
    return base_is_near(work, place) and place.turn_of_tip < NEAR_ROTATION


def base_is_near(work: Fitting, place: Alignment) -> bool:
    """Whether frame 0 stands near where it is described: how it is turned counts, and for distances where it is."""
    described = work.chain.start
    shift = float(np.linalg.norm(place.base[:3, 3] - described[:3, 3]))
    moved = work.measured.measure == "distance" and shift > NEAR_POINT * reach(work)
    return not moved and between(place.base[:3, :3], described[:3, :3]) < NEAR_ROTATION


def difference(one: Fitting, first: Array, other: Fitting, second: Array) -> float:
    """Return the difference of two geometries at other postures, in the unit of residuals.

    Where frame 0 and the end cannot be told apart, many places of both say the same.
    """
    rng = np.random.default_rng(0)
    few = thinned(one).measured
    measured = replace(few, q=rng.permuted(few.q, axis=0))
    said = [
        replace(w, measured=measured).residuals(xi).reshape(len(few), -1)
        for w, xi in ((one, first), (other, second))
    ]
    apart = one.deviations((said[0] - said[1]).reshape(-1), 0)
    return float(np.hypot(apart["length"] / (reach(one) or 1.0), apart.get("angle", 0.0)))


def placed(work: Fitting, base: Array) -> Fitting:
    """Return the same measurements of the robot with frame 0 elsewhere."""
    return replace(work, chain=replace(work.chain, start=base))


def start_at(work: Fitting, place: Alignment) -> Array | None:
    """Errors to begin with, told against the description; None where frame 0 is to be put there first."""
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
    """Return some of the measurements, evenly taken, where there are many."""
    count = len(work.measured)
    if count <= most:
        return work
    rows = np.linspace(0, count - 1, most).astype(int)
    m = work.measured
    poses, distances = (part[rows] if len(part) else part for part in (m.poses, m.distances))
    return replace(work, measured=replace(m, q=m.q[rows], poses=poses, distances=distances))


def _chosen(work: Fitting) -> list[GeometricColumn]:
    """Return the displacements that place the robot as a whole; of distances no turn of the base shows."""
    kinds = DISPLACEMENT[:3] if work.measured.measure == "distance" else DISPLACEMENT
    base = [GeometricColumn(kind, BASE) for kind in kinds] if _base_is_free(work) else []
    return [*base, *(column for column in work.chosen if column.frame == END)]


def _base_is_free(work: Fitting) -> bool:
    return any(column.frame == BASE for column in work.chosen)


def _settled(
    work: Fitting, chosen: list[GeometricColumn], base: Array, tip: Mapping[str, float]
) -> Alignment | None:
    """Return the place that steps from a guess end at."""
    here = replace(placed(work, base), chosen=chosen)
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
    """Root mean square of the residuals, lengths in parts of a size."""
    after = work.deviations(work.residuals(xi), 0)
    return float(np.hypot(after["length"] / size, after.get("angle", 0.0)))


def _guesses(work: Fitting) -> Iterator[tuple[Array, Mapping[str, float]]]:
    """Places to begin at, those that are not much worse than the best."""
    levers, free = _levers(work)
    guesses: Sequence[tuple[Array, Array, float]]
    if work.measured.measure in ("pose", "position"):
        guesses = _turned(work, levers, free)
    elif not _base_is_free(work):
        guesses = [(work.chain.start, np.eye(4), 0.0)]
    else:
        guesses = _targeted(work, levers)
    most = (
        SIMILAR_PLACEMENT**2 * min(residual for _, _, residual in guesses)
        + MEAN_SQUARE_ROUND_OFF * reach(work) ** 2
    )
    for base, tip, residual in guesses[:TRIED_PLACEMENTS]:
        if residual <= most:
            yield base, _displacements(tip, END)


def _levers(work: Fitting) -> tuple[Array, bool]:
    """Axes of the end along which what is measured may stand off, in columns, and whether it may be turned there."""
    names = {column.name for column in work.chosen}
    kept = [kind + END in names for kind in DISPLACEMENT]
    return np.eye(3)[:, kept[:3]], all(kept[3:])


def _turned(
    work: Fitting, levers: Array, free: bool, steps: int = ROTATION_STEPS
) -> list[tuple[Array, Array, float]]:
    pose, start = work.measured.measure == "pose", work.chain.start
    size = (reach(work) or 1.0) if pose else 0.0
    problem = RotationProblem(_own(work), work.measured.poses, levers, size, pose and free)
    if not _base_is_free(work):
        tip = problem.tip(start)
        return [(start, tip, problem.residual(start, tip))]
    return [
        (solution.base, solution.tip, solution.residual)
        for solution in problem.solutions(start[:3, :3], steps)
    ]


def _targeted(work: Fitting, levers: Array) -> list[tuple[Array, Array, float]]:
    """Frame 0 turned as described, so that the point is where it is seen; or turned as little as the plane needs."""
    start, own = work.chain.start, _own(work)
    turn, place = start[:3, :3], start[:3, 3]
    if work.measured.measure == "distance":
        targets = points(own, work.measured.distances, levers, turn.T @ (work.point - place))
        bases = [pose_of(turn, work.point - turn @ target.seen) for target in targets]
    else:
        normal = work.plane[:3]
        targets, bases = normals(own, levers, turn.T @ normal), []
        for target in targets:
            facing = _least(turn @ target.seen, normal) @ turn
            bases.append(pose_of(facing, place + (work.plane[3] - target.height - place @ normal) * normal))
    return [(base, pose_of(np.eye(3), s.tip), s.residual) for base, s in zip(bases, targets, strict=True)]


def _least(now: Array, then: Array) -> Array:
    """Return the smallest rotation that takes one direction to another, not opposite to it."""
    axis = np.cross(now, then)
    sine = float(np.linalg.norm(axis))
    vector = axis / sine * np.arctan2(sine, float(now @ then)) if sine > 0 else np.zeros(3)
    return exponential(vector)


def _displacements(pose: Array, frame: str) -> dict[str, float]:
    values = [*pose[:3, 3], *logarithm(pose[:3, :3])]
    return dict(zip((kind + frame for kind in DISPLACEMENT), map(float, values), strict=True))


def _own(work: Fitting) -> Array:
    """Poses of the end in frame 0, by the description."""
    return end_poses(replace(work.chain, start=np.eye(4)), work.measured.q, {})
