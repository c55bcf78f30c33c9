"""Where frame 0 and what is measured on the end stand, roughly: the robot as described, moved as a whole.

Trackers stand anywhere, and steps of Gauss and Newton find a base that is turned far only by luck. So the places are
looked for first, from starts all over (`turns`, `targets`), and then fitted with the displacements of frame 0 and of
the end alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symoro.errors import ProgramError
from symoro.identification.geometric_fit import Fitting, reach
from symoro.identification.targets import normals, points
from symoro.identification.turns import STEPS, TurnProblem, between
from symoro.models.calibration.chain import displacement, end_poses
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, GeometricColumn
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, logarithm

MOST = 120  # measurements that a rough place needs
FEW = 30  # measurements, and steps, that tell what is nowhere near
HOPELESS = 0.4  # misses of a robot that is moved as a whole, of its size
MOST_PLACES = 4  # that are looked at closer
RIVAL = 5.0  # misses of a place that may be better in the end, of those of the best
TINY = 1e-20  # mean squares that are round-off, of the robot's size
ROUNDS = 30
NEAR = 1.0  # radians: from there, steps of Gauss and Newton find the place by themselves
SHIFT = 0.3  # of the robot's size: the same of a point that distances are taken to
SAME = 0.02  # radians, of the robot's size: places that are one


@dataclass(frozen=True)
class Alignment:
    """A rough place: of frame 0 in the world (4, 4), the displacements of the end, and the misses that it leaves."""

    base: Array
    tip: Mapping[str, float]
    miss: float

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
    found: list[Alignment] = []
    for base, tip in _guesses(few):
        place = _settled(few, chosen, base, tip)
        if place is not None and all(_apart(few, place, other) > SAME for other in found):
            found.append(place)
    return sorted(found, key=lambda place: place.miss)


def _apart(work: Fitting, one: Alignment, other: Alignment) -> float:
    """By how much two places differ."""
    (first, xi), (second, zeta) = (_standing(work, place) for place in (one, other))
    return difference(first, xi, second, zeta)


def _standing(work: Fitting, place: Alignment) -> tuple[Fitting, Array]:
    chosen = [column for column in work.chosen if column.frame == END]
    return replace(placed(work, place.base), chosen=chosen), np.array([place.tip[c.name] for c in chosen])


def hopeless(work: Fitting) -> bool:
    """Whether the robot is nowhere near the measurements, wherever it stands: by few postures and few steps."""
    few = thinned(work, FEW)
    levers, free = _levers(few)
    (_, _, miss), *_ = _turned(few, levers, free, FEW)
    return bool(np.sqrt(miss) > HOPELESS * (reach(few) or 1.0))


def near(work: Fitting, place: Alignment) -> bool:
    """Whether frame 0 and what is measured on the end stand near where they are described."""
    return base_is_near(work, place) and place.turn_of_tip < NEAR


def base_is_near(work: Fitting, place: Alignment) -> bool:
    """Whether frame 0 stands near where it is described: how it is turned counts, and for distances where it is."""
    described = work.chain.start
    shift = float(np.linalg.norm(place.base[:3, 3] - described[:3, 3]))
    moved = work.measured.measure == "distance" and shift > SHIFT * reach(work)
    return not moved and between(place.base[:3, :3], described[:3, :3]) < NEAR


def difference(one: Fitting, first: Array, other: Fitting, second: Array) -> float:
    """By how much two geometries differ in what they say of other postures, as misses are told.

    Where frame 0 and the end cannot be told apart, many places of both say the same.
    """
    rng = np.random.default_rng(0)
    few = thinned(one).measured
    measured = replace(few, q=rng.permuted(few.q, axis=0))
    said = [
        replace(w, measured=measured).misses(xi).reshape(len(few), -1)
        for w, xi in ((one, first), (other, second))
    ]
    apart = one.deviations((said[0] - said[1]).reshape(-1), 0)
    return float(np.hypot(apart["length"] / (reach(one) or 1.0), apart.get("angle", 0.0)))


def placed(work: Fitting, base: Array) -> Fitting:
    """The same measurements of the robot with frame 0 elsewhere."""
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


def thinned(work: Fitting, most: int = MOST) -> Fitting:
    """Some of the measurements, evenly taken, where there are many."""
    count = len(work.measured)
    if count <= most:
        return work
    rows = np.linspace(0, count - 1, most).astype(int)
    m = work.measured
    poses, distances = (part[rows] if len(part) else part for part in (m.poses, m.distances))
    return replace(work, measured=replace(m, q=m.q[rows], poses=poses, distances=distances))


def _chosen(work: Fitting) -> list[GeometricColumn]:
    """The displacements that place the robot as a whole; of distances no turn of the base shows."""
    kinds = DISPLACEMENT[:3] if work.measured.measure == "distance" else DISPLACEMENT
    base = [GeometricColumn(kind, BASE) for kind in kinds] if _base_is_free(work) else []
    return [*base, *(column for column in work.chosen if column.frame == END)]


def _base_is_free(work: Fitting) -> bool:
    return any(column.frame == BASE for column in work.chosen)


def _settled(
    work: Fitting, chosen: list[GeometricColumn], base: Array, tip: Mapping[str, float]
) -> Alignment | None:
    """The place that steps from a guess end at."""
    here = replace(placed(work, base), chosen=chosen)
    size = reach(work) or 1.0
    try:
        xi, _ = here.solved(
            np.array([tip.get(c.name, 0.0) for c in chosen]), {"length": size, "angle": 1.0}, ROUNDS
        )
    except (ProgramError, np.linalg.LinAlgError):
        return None
    errors = dict(zip((c.name for c in chosen), map(float, xi), strict=True))
    moved = base @ displacement(np.array([errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT]))
    kept = {c.name: errors[c.name] for c in chosen if c.frame == END}
    return Alignment(moved, kept, badness(here, xi, size))


def badness(work: Fitting, xi: Array, size: float) -> float:
    """Root mean square of the misses, lengths in parts of a size."""
    after = work.deviations(work.misses(xi), 0)
    return float(np.hypot(after["length"] / size, after.get("angle", 0.0)))


def _guesses(work: Fitting) -> Iterator[tuple[Array, Mapping[str, float]]]:
    """Places to begin at, those that are not much worse than the best."""
    levers, free = _levers(work)
    found: Sequence[tuple[Array, Array, float]]
    if work.measured.measure in ("pose", "position"):
        found = _turned(work, levers, free)
    elif not _base_is_free(work):
        found = [(work.chain.start, np.eye(4), 0.0)]
    else:
        found = _targeted(work, levers)
    most = RIVAL**2 * min(miss for _, _, miss in found) + TINY * reach(work) ** 2
    for base, tip, miss in found[:MOST_PLACES]:
        if miss <= most:
            yield base, _displacements(tip, END)


def _levers(work: Fitting) -> tuple[Array, bool]:
    """Axes of the end along which what is measured may stand off, in columns, and whether it may be turned there."""
    names = {column.name for column in work.chosen}
    kept = [kind + END in names for kind in DISPLACEMENT]
    return np.eye(3)[:, kept[:3]], all(kept[3:])


def _turned(work: Fitting, levers: Array, free: bool, steps: int = STEPS) -> list[tuple[Array, Array, float]]:
    pose, start = work.measured.measure == "pose", work.chain.start
    size = (reach(work) or 1.0) if pose else 0.0
    problem = TurnProblem(_own(work), work.measured.poses, levers, size, pose and free)
    if not _base_is_free(work):
        tip = problem.tip(start)
        return [(start, tip, problem.miss(start, tip))]
    return [(found.base, found.tip, found.miss) for found in problem.solutions(start[:3, :3], steps)]


def _targeted(work: Fitting, levers: Array) -> list[tuple[Array, Array, float]]:
    """Frame 0 turned as described, so that the point is where it is seen; or turned as little as the plane needs."""
    start, own = work.chain.start, _own(work)
    turn, place = start[:3, :3], start[:3, 3]
    if work.measured.measure == "distance":
        sights = points(own, work.measured.distances, levers, turn.T @ (work.point - place))
        bases = [_pose(turn, work.point - turn @ sight.seen) for sight in sights]
    else:
        normal = work.plane[:3]
        sights, bases = normals(own, levers, turn.T @ normal), []
        for sight in sights:
            facing = _least(turn @ sight.seen, normal) @ turn
            bases.append(_pose(facing, place + (work.plane[3] - sight.height - place @ normal) * normal))
    return [(base, _pose(np.eye(3), s.tip), s.miss) for base, s in zip(bases, sights, strict=True)]


def _least(now: Array, then: Array) -> Array:
    """The smallest rotation that takes one direction to another, not opposite to it."""
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


def _pose(turn: Array, place: Array) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn, place
    return found
