"""Forward kinematics of a six-leg platform: all poses for given leg lengths; up to 40 are real (Dietmaier 1998).

The 40 solutions of one generic complex platform are stored (`six_legs_start.txt`, computed by monodromy). A homotopy
follows them to the given platform. Real end points are refined by Newton's method and checked with the equations of
the legs.

The number of poses is confirmed under two conditions. A second run, which starts from another generic platform, gives
the same poses. All paths of both runs either end at regular solutions or diverge to e.e = 0, where no pose exists (as
for symmetric platforms). Without confirmation the poses are correct, but some may be missing.

P. Dietmaier, "The Stewart-Gough platform of general geometry can have 40 real postures", Advances in Robot
Kinematics, 1998; A.J. Sommese, C.W. Wampler, 2005, chapter 7 (coefficient-parameter homotopy).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from symoro.models.numeric.path_tracking import track
from symoro.models.numeric.rotation import exponential
from symoro.models.numeric.six_legs import Array, ComplexArray, pose_of, quadrics
from symoro.models.tolerances import LEG_LENGTH, NO_POSE, REAL_ROOT, REGULAR_SOLUTION, SAME_POSTURE

NEWTON = 50  # iterations
SOLUTIONS = 40  # complex solutions of a generic platform
LATE = 0.999  # a path that fails after this t near e.e = 0 is counted as divergent


@dataclass(frozen=True)
class AssemblyModes:
    """All poses of a six-leg platform that are compatible with given leg lengths.

    Attributes:
        poses: (K, 4, 4) poses of the platform frame in frame 0; each one satisfies the equations of the leg lengths.
        confirmed: whether two independent runs gave the same poses and no homotopy path was lost.
        paths: number of the 40 paths of the first run that ended at a regular solution, real or complex.
        lost: number of paths of both runs that ended neither at a regular solution nor diverged to a point that is not
            a pose.
        seconds: computing time in s.
    """

    poses: Array
    confirmed: bool
    paths: int
    lost: int
    seconds: float


def assembly_modes(a: Array, b: Array, lengths: Array) -> AssemblyModes:
    """Compute all poses of a six-leg platform with given leg lengths, |P + R b_i - a_i| = L_i.

    P and R are the position and rotation matrix of the platform.

    Args:
        a: (6, 3) attachment points of the legs on the base, in the axes of frame 0, in m.
        b: (6, 3) attachment points of the legs on the platform, in the axes of the platform frame, in m.
        lengths: (6,) leg lengths L_i, in m.
    """
    began = time.perf_counter()
    size = float(max(np.abs(a).max(), np.abs(b).max(), np.abs(lengths).max()))
    legs = np.concatenate([a, b, lengths[:, None] * lengths[:, None] / size], 1) / size
    runs = [_ends(*_from_generic(seed), legs.astype(complex)) for seed in (1, 2)]
    (first, paths, at_infinity), (second, others, others_at_infinity) = runs
    poses = _merged(first, second)
    lost = 2 * SOLUTIONS - paths - others - at_infinity - others_at_infinity
    confirmed = len(first) == len(second) == len(poses) and paths == others and not lost
    poses[:, :3, 3] *= size
    return AssemblyModes(poses, confirmed, paths, lost, time.perf_counter() - began)


@cache
def _known() -> tuple[ComplexArray, ComplexArray, ComplexArray]:
    """Read the stored generic platform and refine its 40 solutions to full precision.

    Returns:
        The legs (6, 7) of the platform, the solutions x (40, 8) in Study parameters, and the vector c (8,) of the
        normalisation c.x = 1.
    """
    text = (resources.files(__package__) / "six_legs_start.txt").read_text(encoding="utf-8")
    rows = [np.array(line.split(), float) for line in text.splitlines() if not line.startswith("#")]
    pairs = [row[0::2] + 1j * row[1::2] for row in rows]
    legs, x = np.array(pairs[:6]), np.array(pairs[6:])
    rng = np.random.default_rng(0)
    patch = rng.normal(size=8) + 1j * rng.normal(size=8)
    return legs, track(legs, legs, x, patch).x, patch


@cache
def _from_generic(seed: int) -> tuple[ComplexArray, ComplexArray, ComplexArray]:
    """Compute the solutions of a random generic platform, from which a homotopy starts.

    Args:
        seed: seed of the random platform.

    Returns:
        The legs (6, 7) of the platform, its solutions x (K, 8) in Study parameters, and the vector c (8,) of the
        normalisation c.x = 1.
    """
    start, solutions, patch = _known()
    rng = np.random.default_rng(seed)
    legs = (rng.normal(size=(6, 7)) + 1j * rng.normal(size=(6, 7))) * np.array([0.7] * 6 + [2.0])
    there = track(start, legs, solutions, patch)
    return legs, there.x[there.arrived], patch


def _ends(
    start: ComplexArray, x: ComplexArray, patch: ComplexArray, legs: ComplexArray
) -> tuple[Array, int, int]:
    """Track the solutions x while the legs of the platform change from `start` to `legs`.

    Args:
        start: legs (6, 7) of the generic platform.
        x: solutions (K, 8) of the generic platform, in Study parameters.
        patch: vector c (8,) of the normalisation c.x = 1.
        legs: legs (6, 7) of the given platform.

    Returns:
        The real poses at the ends of the paths, the number of regular end points, and the number of paths that diverge
        to points that are not poses.
    """
    tracked = track(start, legs, x, patch)
    system = quadrics(legs)
    poses, regular = [], 0
    e = tracked.x[:, :4]
    at_infinity = np.abs((e * e).sum(1)) < NO_POSE * (np.abs(e) ** 2).sum(1)
    for end in tracked.x[tracked.arrived & ~at_infinity]:
        jacobian = np.concatenate([2 * system @ end, patch[None]])
        regular += bool(1 / np.linalg.cond(jacobian) > REGULAR_SOLUTION)
        pose = _real_pose(end)
        pose = None if pose is None else _polished(legs.real, pose)
        if pose is not None:
            poses.append(pose)
    left = at_infinity & (tracked.arrived | (tracked.t > LATE))
    return _merged(np.array(poses).reshape(-1, 4, 4), np.zeros((0, 4, 4))), regular, int(left.sum())


def _real_pose(x: ComplexArray) -> Array | None:
    """Return the pose (4, 4) for Study parameters that are real up to a common complex factor.

    Returns:
        The pose, or None if the parameters are complex or if e = 0 (a point at infinity, which is not a pose).
    """
    largest = x[np.argmax(np.abs(x))]
    x = x / largest
    if np.abs(x.imag).max() > REAL_ROOT * np.linalg.norm(x) or np.linalg.norm(x[:4]) < REAL_ROOT:
        return None
    return pose_of(x.real)


def leg_errors(legs: Array, pose: Array) -> tuple[Array, Array]:
    """Return the leg-length errors |P + R b - A|^2 - L^2 (6,) and their Jacobian (6, 6).

    Args:
        legs: (6, 7) with the rows (A, b, L^2): point on the base, point on the platform, squared length.
        pose: (4, 4) pose (P, R) of the platform. The Jacobian refers to a small motion (linear; angular) of the
            platform in the axes of frame 0.
    """
    a, b, square = legs[:, :3], legs[:, 3:6], legs[:, 6]
    rho = b @ pose[:3, :3].T
    reach = pose[:3, 3] + rho - a
    return (reach * reach).sum(1) - square, 2 * np.concatenate([reach, np.cross(rho, reach)], 1)


def moved(pose: Array, twist: Array) -> Array:
    """Return the pose after a small motion `twist` (linear; angular), in the axes of frame 0."""
    moved_pose: Array = pose.copy()
    moved_pose[:3, :3] = exponential(twist[3:]) @ pose[:3, :3]
    moved_pose[:3, 3] = pose[:3, 3] + twist[:3]
    return moved_pose


def _polished(legs: Array, pose: Array) -> Array | None:
    """Refine a platform pose by Newton's method; return None if the leg lengths are not reached.

    Args:
        legs: (6, 7) with the rows (A, b, L^2): point on the base, point on the platform, squared length.
        pose: (4, 4) approximate pose of the platform.
    """
    for _ in range(NEWTON):
        error, jacobian = leg_errors(legs, pose)
        step: Array = np.asarray(np.linalg.lstsq(jacobian, -error, rcond=1e-13)[0], float)
        if not np.all(np.isfinite(step)):
            return None
        pose = moved(pose, step)
        if np.abs(step).max() < 1e-15:
            break
    error, _ = leg_errors(legs, pose)
    return pose if np.abs(error).max() < LEG_LENGTH else None


def _merged(first: Array, second: Array) -> Array:
    """Merge two sets of poses, each of shape (number, 4, 4), and remove duplicates."""
    distinct: list[Array] = []
    for pose in (*first, *second):
        if all(np.abs(pose - other).max() > SAME_POSTURE for other in distinct):
            distinct.append(pose)
    return np.array(distinct).reshape(-1, 4, 4)
