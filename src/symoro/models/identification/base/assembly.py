"""Numerical assembly of closed loops: configurations in which the loops are closed.

The unknowns are the positions of cut and passive joints; Newton's method (`numeric.closure`) computes them from
a nearby configuration. `compare.branch` reaches further configurations of the same assembly branch from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicableError
from symoro.models.numeric.closure import balanced_closure, closed, least_squares
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.home import shut
from symoro.models.numeric.tree import NumericTree
from symoro.models.rank import independent_rows
from symoro.models.tolerances import SINGULAR_ASSEMBLY

Posture = Mapping[int, float]  # by joint
_STARTS = 48
_START_DISTANCES = (
    0.01,
    0.05,
    0.2,
)  # distances of further starts from the given configuration, which may be singular


@dataclass(frozen=True)
class Assembly:
    """Configuration with closed loops, and the division of its coordinates into independent and dependent ones.

    Attributes:
        q: positions of all coordinates, (n,).
        free, bound: indices in q of the independent and of the dependent coordinates.
        condition: smallest divided by largest singular value of the constraint Jacobian; zero at a singularity.
    """

    q: Array
    free: list[int]
    bound: list[int]
    condition: float


def assembled(geometry: NumericTree, posture: Posture | None) -> list[Assembly]:
    """Return configurations in which the loops are closed; the list is empty if no such configuration was computed.

    With a given posture the configurations are ordered by their distance from it; without a posture, those farthest
    from a singularity come first. Active joints keep their positions if possible.

    Args:
        geometry: the robot in numbers, with the loops to close.
        posture: positions by joint number near the wanted assembly mode, or None.
    """
    begun = starts(geometry, posture)
    robot = geometry.robot
    passive = [k for k, j in enumerate(geometry.coordinates) if not robot.frame(j).mu]
    q, good = closed(geometry, begun, passive, rounds=40)
    if not good[0] if posture is not None else not good.any():
        q, good = closed(geometry, begun, range(len(geometry.coordinates)), rounds=150)
    if not good.any():
        return []
    q = q[good]
    splits = [split(geometry, x) for x in q]
    most = max(len(at.bound) for at in splits)  # fewer only in singular configurations of the loops
    usual = [at for at in splits if len(at.bound) == most]
    if posture is None:
        return sorted(usual, key=lambda at: -at.condition)
    return sorted(usual, key=lambda at: float(np.linalg.norm(at.q - q[0])))


def split(geometry: NumericTree, q: Array) -> Assembly:
    """Divide the coordinates of a closed configuration q into independent and dependent ones.

    Cut joints and passive joints are chosen as dependent coordinates before active joints.
    """
    robot = geometry.robot
    _, (jacobian,) = balanced_closure(geometry, q[None])
    order = sorted(
        range(len(q)),
        key=lambda k: (robot.frame(geometry.coordinates[k]).mu, -geometry.coordinates[k]),
    )
    bound = [order[k] for k in independent_rows(jacobian.T[None, order], SINGULAR_ASSEMBLY)]
    free = [k for k in range(len(q)) if k not in bound]
    values = np.linalg.svd(jacobian, compute_uv=False)
    condition = float(values[len(bound) - 1] / values[0]) if bound else 1.0
    return Assembly(q, free, sorted(bound), condition)


def loop_coordinates(geometry: NumericTree) -> list[int]:
    """Return the indices in q of the coordinates that move frames of the loops."""
    frames = [j - 1 for loop in geometry.loops for j in loop.frames]
    moved = np.any(np.asarray(geometry.ratios[:, frames] != 0), axis=(0, 1))
    return [int(k) for k in np.flatnonzero(moved)]


def rates(geometry: NumericTree, q: Array, at: Assembly) -> Array:
    """Return the velocity matrices G (N, n, n_free) at N closed configurations q (N, n).

    G maps the velocities of the independent coordinates to those of all coordinates.

    Args:
        at: division into independent and dependent coordinates.
    """
    _, jacobian = balanced_closure(geometry, q)
    unit = geometry.units
    g = np.zeros((len(q), q.shape[1], len(at.free)))
    g[:, at.free, range(len(at.free))] = 1
    g[:, at.bound] = -least_squares(jacobian[:, :, at.bound], jacobian[:, :, at.free])
    return g * unit[:, None] / unit[at.free]


def starts(geometry: NumericTree, posture: Posture | None) -> Array:
    """Return configurations (N, n) from which Newton's method starts to close the loops.

    These are the given posture and random configurations around it; without a posture, mid-range and random
    positions.

    Args:
        posture: positions by joint number, or None.
    """
    n = len(geometry.coordinates)
    rng, unit = np.random.default_rng(0), geometry.units
    if posture is None:
        return shut(geometry, np.concatenate([np.zeros((1, n)), rng.uniform(-2, 2, (_STARTS - 1, n)) * unit]))
    first = np.array([[posture.get(j, 0.0) for j in geometry.coordinates]])
    around = [first + away * rng.uniform(-1, 1, (5, n)) * unit for away in _START_DISTANCES]
    return shut(geometry, np.concatenate([first, *around]), posture)


def no_assembly(geometry: NumericTree) -> NotApplicableError:
    return NotApplicableError(
        f"the loops of robot '{geometry.robot.name}' do not close at its nominal values",
        hint="give a configuration near an assembled one (the option 'posture'), or nominal values of its lengths",
    )
