"""What the joints of a robot may do along a motion, those that follow others included.

Of coordinates q all joints of the tree follow, q_tree = G q + c (`models.coordinates`), so that

    positions, velocities, accelerations    of every joint keep its own limits
    effort of a coordinate's joint          (G' tau_tree)_i, what its motor gives
    effort of a joint that follows          (tau_tree)_j, what is passed on to it
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.models.coordinates.couplings import coordinates_at
from symoro.robot.description import JointType, Robot

Array = NDArray[np.float64]
WIDEST = math.pi  # half the range of a joint that turns without a limit
ROOM = 1e-9  # of the range of a joint: less is none


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Limits of all moving joints, a row each: positions from lower to upper, and the largest of the rest (inf: any).

    Attributes:
        joints: of the rows; `own` those with a coordinate, of the columns of `ratios`.
        ratios, offsets: G and c.
    """

    joints: tuple[int, ...]
    own: tuple[int, ...]
    ratios: Array
    offsets: Array
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array

    def tree(self, x: Array) -> Array:
        """The series of all joints (m, 1 + plane) from those of the coordinates (n, 1 + plane), offsets first."""
        found: Array = self.ratios @ x
        found[:, 0] += self.offsets
        return found

    @cached_property
    def own_rows(self) -> list[int]:
        return [self.joints.index(j) for j in self.own]

    @cached_property
    def loads(self) -> Array:
        """The efforts that are limited, from the torques of the tree's joints."""
        found = np.eye(len(self.joints))
        found[self.own_rows] = self.ratios.T
        return found

    @cached_property
    def _linked(self) -> NDArray[np.bool_]:
        """(n, m): whether a joint moves with a coordinate, or with one that moves a joint of it, and so on."""
        moves = (self.ratios != 0).astype(int)
        near = np.sign(moves.T @ moves + np.eye(len(self.own), dtype=int))
        for _ in self.own:
            near = np.sign(near @ near)
        return np.asarray(near @ moves.T > 0)

    def by_coordinate(self, shares: Array) -> Array:
        """The largest shares of the joints that each coordinate is linked with."""
        return np.asarray(np.where(self._linked, shares, 0.0).max(axis=1))

    @cached_property
    def centre(self) -> Array:
        """Coordinates at which all joints are far from their limits.

        Raises:
            ArgumentError: no position keeps the limits of joints that follow others.
        """
        middle = ((self.lower + self.upper) / 2)[self.own_rows]
        if len(self.own) == len(self.joints):
            return middle
        half = ((self.upper - self.lower) / 2)[:, None]
        above, below = self.upper - self.offsets, self.offsets - self.lower
        from scipy.optimize import linprog

        found = linprog(
            np.r_[np.zeros(len(self.own)), -1.0],
            A_ub=np.block([[self.ratios, half], [-self.ratios, half]]),
            b_ub=np.r_[above, below],
            bounds=[*[(None, None)] * len(self.own), (None, 1.0)],
        )
        if found.status != 0 or not found.x[-1] > ROOM:
            names = ", ".join(f"q{j}" for j in self.joints if j not in self.own)
            raise ArgumentError(
                f"no position keeps the limits of the joints that follow others, {names}",
                hint="compare their limits with those of the joints that they follow",
            )
        return np.asarray(found.x[:-1])


def motion_limits(
    robot: Robot, acceleration: Any, margin: float, torque: bool, known: Mapping[str, float]
) -> MotionLimits:
    """The limits of a description, times the margin.

    Arguments:
        acceleration: one for all joints, one a coordinate, or one a moving joint; None for none.
        torque: whether efforts are limits.

    Raises:
        ArgumentError: a joint has no range, or a limit that keeps it from moving.
    """
    tree = coordinates_at(robot, dict.fromkeys(range(1, robot.NF + 1), 0.0), lambda x: x.value(known))
    ratios = np.array(tree.matrix(), dtype=float).reshape(len(tree.joints), len(tree.own))
    offsets = np.array([tree.positions[j] for j in tree.joints], dtype=float)
    frames = [robot.frame(j) for j in tree.joints]
    _check_moving(robot, tree.joints, torque)
    low, high = _ranges(robot, tree.joints, tree.own, ratios, offsets)
    middle, half = (low + high) / 2, margin * (high - low) / 2
    fastest = [math.inf if f.limits.velocity is None else margin * f.limits.velocity for f in frames]
    efforts = [
        math.inf if f.limits.effort is None or not torque else margin * f.limits.effort for f in frames
    ]
    return MotionLimits(
        tree.joints,
        tree.own,
        ratios,
        offsets,
        middle - half,
        middle + half,
        np.array(fastest),
        margin * _accelerations(acceleration, tree.joints, tree.own),
        np.array(efforts),
    )


def _check_moving(robot: Robot, joints: tuple[int, ...], torque: bool) -> None:
    for j in joints:
        limits = robot.frame(j).limits
        if limits.velocity == 0:
            raise ArgumentError(
                f"q{j} has a velocity limit of 0: it does not move, and shows nothing",
                hint="give it a velocity, none where it is unknown, or make the joint fixed",
            )
        if torque and limits.effort == 0:
            raise ArgumentError(
                f"q{j} has an effort limit of 0: nothing moves it",
                hint="give it an effort, none where it is unknown, or do not limit torques (option 'torque')",
            )


def _ranges(
    robot: Robot, joints: tuple[int, ...], own: tuple[int, ...], ratios: Array, offsets: Array
) -> tuple[Array, Array]:
    """From where to where each joint goes; without limits, one that follows goes as far as those it follows."""
    low, high = np.full(len(joints), np.nan), np.full(len(joints), np.nan)
    for k, j in enumerate(joints):
        frame = robot.frame(j)
        wide = WIDEST if frame.sigma == JointType.REVOLUTE and j in own else math.nan
        low[k] = -wide if frame.limits.lower is None else frame.limits.lower
        high[k] = wide if frame.limits.upper is None else frame.limits.upper
    rows = [joints.index(j) for j in own]
    ends = [np.where(ratios != 0, ratios * end[rows], 0.0) for end in (low, high)]
    follows = np.array([j not in own for j in joints])
    reach = np.minimum(*ends).sum(axis=1) + offsets, np.maximum(*ends).sum(axis=1) + offsets
    low = np.where(follows & np.isnan(low), reach[0], low)
    high = np.where(follows & np.isnan(high), reach[1], high)
    if unknown := [f"q{j}" for j, a, b in zip(joints, low, high, strict=True) if np.isnan(a + b)]:
        raise ArgumentError(
            f"no range is known for {', '.join(unknown)}", hint="give these joints limits: lower and upper"
        )
    if bad := [f"q{j} (from {a:g} to {b:g})" for j, a, b in zip(joints, low, high, strict=True) if not a < b]:
        raise ArgumentError(
            f"there is no room to move for {', '.join(bad)}",
            hint="give these joints limits, lower below upper; make a joint that stands fixed",
        )
    return low, high


def _accelerations(given: Any, joints: tuple[int, ...], own: tuple[int, ...]) -> Array:
    most = np.array(math.inf if given is None else given, float)
    sizes = sorted({len(own), len(joints)})
    if most.shape not in ((), (1,), *((size,) for size in sizes)) or not (most > 0).all():
        raise ArgumentError(
            f"acceleration: expected positive numbers, one or {' or '.join(map(str, sizes))}, got {given!r}"[
                :200
            ],
            hint="one for all joints, or one a joint",
        )
    if most.shape == (len(own),) != (len(joints),):
        found = np.full(len(joints), math.inf)
        found[[joints.index(j) for j in own]] = most
        return found
    return np.broadcast_to(most, len(joints))
