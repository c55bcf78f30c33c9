"""Position ranges of the independent joints, from which random postures are drawn.

A coupled joint has its own limits. If it is driven by one joint, they narrow the limits of that joint. If it is driven
by several joints, they are checked for each posture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import NotApplicableError
from symoro.robot.coordinates import followers, independent
from symoro.robot.description import JointType, Robot
from symoro.robot.size import robot_reach
from symoro.runtime.tolerances import LIMIT_EXCEEDED

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ranges:
    """Position ranges of the independent joints, with one entry per joint in the order of q (rad or m).

    Attributes:
        joints: joint numbers.
        turns: whether each joint is revolute.
        wraps: whether adding 2 pi to a joint has no effect: it has no limit and drives no other joint.
        lower, upper: limits, infinite if there are none.
        home: zero, or the limit nearest to it.
        first, last: bounds of random postures: within the limits and within pi of home.
        sums, sums_lower, sums_upper: limits on sums of joint positions, lower <= C [q; 1] <= upper, C given by `sums`.
        reach: sum of all lengths of the robot; 1 if it has none.
    """

    joints: tuple[int, ...]
    turns: NDArray[np.bool_]
    wraps: NDArray[np.bool_]
    lower: Array
    upper: Array
    home: Array
    first: Array
    last: Array
    sums: Array
    sums_lower: Array
    sums_upper: Array
    reach: float

    def nearest(self, q: Array) -> Array:
        """Return postures q (N, n) clipped to the joint limits; multiples of 2 pi that have no effect are removed."""
        turned = q - 2 * np.pi * np.ceil(q / (2 * np.pi) - 0.5)
        return np.clip(np.where(self.wraps, turned, q), self.lower, self.upper)

    def inside(self, q: Array) -> NDArray[np.bool_]:
        """Return, for each of the postures q (N, n), whether it is within all limits."""
        tolerance = limit_tolerance(self.turns, self.lower, self.upper)
        own = ((q >= self.lower - tolerance) & (q <= self.upper + tolerance)).all(axis=1)
        if not len(self.sums):
            return np.asarray(own)
        sums = q @ self.sums[:, :-1].T + self.sums[:, -1]
        coupled = (sums >= self.sums_lower - LIMIT_EXCEEDED) & (sums <= self.sums_upper + LIMIT_EXCEEDED)
        return np.asarray(own & coupled.all(axis=1))


def limit_tolerance(turns: NDArray[np.bool_], lower: Array, upper: Array) -> Array:
    """Return by how much each joint may exceed its limits: in rad, or in m, relative to the larger limit.

    Args:
        turns: whether each joint is revolute.
        lower, upper: joint limits (n,).
    """
    limits = np.abs(np.stack([lower, upper]))
    largest = np.where(np.isfinite(limits), limits, 0.0).max(axis=0)
    return np.asarray(LIMIT_EXCEEDED * np.where(turns, 1.0, largest))


def pose_size(robot: Robot, values: Mapping[str, float], poses: Array) -> Array:
    """Return, per pose, the reference length (m) by which position errors are divided.

    It is the sum of the robot's lengths. If the robot has prismatic joints, the coordinates of the given position are
    added.

    Args:
        poses: homogeneous transforms (..., 4, 4).
    """
    slides = any(robot.frame(j).sigma == JointType.PRISMATIC for j in independent(robot))
    own = np.abs(np.nan_to_num(poses[..., :3, 3])).sum(-1) if slides else np.zeros(poses.shape[:-2])
    return np.asarray(own + robot_reach(robot, values))


def joint_ranges(robot: Robot, values: Mapping[str, float], *, limits: bool = True) -> Ranges:
    """Return the position ranges of a robot's independent joints.

    Args:
        values: parameter -> number.
        limits: False ignores all limits.

    Raises:
        NotApplicableError: the limits of a joint and of the joints that it drives exclude each other.
    """
    joints = independent(robot)
    turns = np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in joints])
    lower, upper = _limits_of(robot, joints, limits)
    rows, low, high = [], [], []
    driving = set()
    for k, law in followers(robot).items():
        if k > robot.NL:  # cut joints are not part of q
            continue
        ratios = {i: ratio.value(values) for i, ratio in law.terms}
        driving |= set(ratios)
        offset = law.offset.value(values)
        (least,), (most,) = _limits_of(robot, [k], limits)
        if len(ratios) > 1:
            rows.append([*(ratios.get(j, 0.0) for j in joints), offset])
            low.append(least)
            high.append(most)
        elif (ratio := next(iter(ratios.values()))) != 0:
            at = joints.index(next(iter(ratios)))
            ends = sorted(((least - offset) / ratio, (most - offset) / ratio))
            lower[at], upper[at] = max(lower[at], ends[0]), min(upper[at], ends[1])
    for j, least, most in zip(joints, lower, upper, strict=True):
        if least > most:
            raise NotApplicableError(
                f"joint {j} of robot '{robot.name}' has no position within its limits and those of the joints that it "
                f"drives: {least:g} to {most:g}"
            )
    home = np.clip(0.0, lower, upper)
    reach = robot_reach(robot, values)
    half = np.where(turns, np.pi, reach)
    wraps = turns & np.isinf(lower) & np.isinf(upper) & np.array([j not in driving for j in joints])
    return Ranges(
        tuple(joints),
        turns,
        wraps,
        lower,
        upper,
        home,
        np.where(np.isfinite(lower) & ~turns, lower, np.maximum(lower, home - half)),
        np.where(np.isfinite(upper) & ~turns, upper, np.minimum(upper, home + half)),
        np.array(rows).reshape(-1, len(joints) + 1),
        np.array(low),
        np.array(high),
        reach,
    )


def _limits_of(robot: Robot, joints: list[int], limits: bool) -> tuple[Array, Array]:
    known = [robot.frame(j).limits for j in joints]
    lower = [-np.inf if limit.lower is None or not limits else limit.lower for limit in known]
    upper = [np.inf if limit.upper is None or not limits else limit.upper for limit in known]
    return np.array(lower), np.array(upper)
