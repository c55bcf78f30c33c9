"""The point of distances, or the plane of contacts, seen from frame 0: from starts all over, as nothing else is known.

With x_i and N_i the end's position and rotation in frame 0 as described, m what is measured on the end:

    distance    |x_i + N_i m - c| = d_i     steps of Gauss and Newton in c and m, from points all around
    plane       n . (x_i + N_i m) = h       in turn m and h, which are linear, and n, the direction in which the points
                                            spread least
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from symoro.models.numeric.fixed_point import Array

STEPS = 60
DAMPED = 1e-9  # of the largest curvature
APART = 0.02  # of the size of what is looked for, between two that count as two


@dataclass(frozen=True)
class Sight:
    """A target seen from frame 0: the point, or the normal (3,), the plane's height; what is measured on the end, and
    the mean square that is left."""

    seen: Array
    height: float
    tip: Array
    miss: float


def points(own: Array, distances: Array, levers: Array, described: Array) -> list[Sight]:
    """Points at distances of the end, best first; the described one is among the starts.

    Arguments:
        own: poses of the end in frame 0 (S, 4, 4).
        levers: axes along which what is measured may stand off the end, in columns (3, 0..3).
    """
    x, turned = own[:, :3, 3], own[:, :3, :3] @ levers
    rows = np.concatenate([-2 * x, np.ones((len(x), 1))], 1)
    closed = np.linalg.lstsq(rows, distances**2 - (x**2).sum(1), rcond=1e-9)[0][:3]
    middle = x.mean(0)
    c = np.array([described, closed, *(middle + distances.mean() * DIRECTIONS)])
    u = np.concatenate([c, np.zeros((len(c), levers.shape[1]))], 1)
    for _ in range(STEPS):
        away, far = _away(x, turned, u)
        unit = away / np.where(far > 0, far, 1.0)[..., None]
        slope = np.concatenate([-unit, np.einsum("ksi,sij->ksj", unit, turned)], 2)
        u = u + _step(slope, distances - far)
    miss = ((distances - _away(x, turned, u)[1]) ** 2).mean(1)
    size = float(np.linalg.norm(x, axis=1).max() + distances.max())
    found = [Sight(v[:3], 0.0, levers @ v[3:], float(e)) for v, e in zip(u, miss, strict=True)]
    return _distinct(found, size)


def normals(own: Array, levers: Array, described: Array) -> list[Sight]:
    """Planes through the end's places, best first; of n and -n that nearer to the described one."""
    x, turned = own[:, :3, 3], own[:, :3, :3] @ levers
    found = []
    for start in (described, *DIRECTIONS[len(DIRECTIONS) // 2 :]):
        normal, tip = start, np.zeros(levers.shape[1])
        for _ in range(STEPS):
            rows = np.concatenate([turned.transpose(0, 2, 1) @ normal, -np.ones((len(x), 1))], 1)
            tip = np.linalg.lstsq(rows, -x @ normal, rcond=1e-9)[0][:-1]
            at = x + turned @ tip
            last, normal = normal, np.linalg.svd(at - at.mean(0), full_matrices=False)[2][-1]
            if abs(last @ normal) > 1 - 1e-14:
                break
        normal = normal if normal @ described >= 0 else -normal
        heights = (x + turned @ tip) @ normal
        found.append(Sight(normal, float(heights.mean()), levers @ tip, float(heights.var())))
    return _distinct(found, 1.0)


def _away(x: Array, turned: Array, u: Array) -> tuple[Array, Array]:
    """From points to the places of what is measured (K, S, 3), and how far."""
    away = x + np.einsum("sij,kj->ksi", turned, u[:, 3:]) - u[:, None, :3]
    return away, np.linalg.norm(away, axis=2)


def _step(slope: Array, miss: Array) -> Array:
    square = slope.transpose(0, 2, 1) @ slope
    damping = DAMPED * np.trace(square, axis1=1, axis2=2)[:, None, None] + 1e-300
    right = slope.transpose(0, 2, 1) @ miss[..., None]
    return np.asarray(np.linalg.solve(square + damping * np.eye(square.shape[-1]), right)[..., 0])


def _distinct(found: list[Sight], size: float) -> list[Sight]:
    """Best first, those far apart; of equal ones that which comes first."""
    kept: list[Sight] = []
    for sight in sorted((s for s in found if np.isfinite(s.miss)), key=lambda s: s.miss):
        if all(np.linalg.norm(sight.seen - other.seen) > APART * size for other in kept):
            kept.append(sight)
    return kept


def _directions() -> Array:
    """To the faces, edges and corners of a cube; of two opposite ones, one in each half (26, 3)."""
    ways = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
    return np.asarray(ways / np.linalg.norm(ways, axis=1)[:, None])


DIRECTIONS = _directions()
