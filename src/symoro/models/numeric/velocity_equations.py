"""Numerical velocity equations of loops and Jacobian of a frame, without units, at many configurations.

Joint j has the twist (linear; angular) at the origin of frame 0 and in its axes

    revolute joint  (o x z; z)        prismatic joint  (z; 0)

with axis z and origin o of frame j. Rows of the constraint matrix W are the velocity of one cut frame of a loop minus
that of the other, at their common origin; rows of J are the velocity of a frame. Angular rows are multiplied by the
characteristic length L, and columns of revolute joints are divided by it.

Three passive revolute joints with concurrent axes are a spherical joint. Their axes are replaced by three orthogonal
ones through the centre, which span the same rotations also where two of the three axes coincide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.home import shut
from symoro.models.numeric.tree import NumericTree, Placements, joint_positions, placements
from symoro.models.tolerances import PARALLEL_AXES
from symoro.robot.coordinates import followers
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import chain, children


def coordinates_of(tree: NumericTree, own: Sequence[int], q: Array) -> tuple[Array, Array]:
    """Return the coordinates of a tree at joint positions q, and the deviation of q from the relations of the tree.

    Args:
        own: numbers of the joints to which the columns of q belong.

    Returns:
        The coordinates (N, c), with cut joints that close the loops, and the largest deviation (N,) of a coupled joint
        from its relation, in rad or relative to the size of the loops.
    """
    x = np.zeros((len(q), len(tree.coordinates)))
    for k, j in enumerate(tree.coordinates):
        if j in own:
            x[:, k] = q[:, own.index(j)]
    x = shut(tree, x, dict.fromkeys(own, 0.0))
    related = joint_positions(tree, x)
    mismatch = np.zeros(len(q))
    for k, j in enumerate(own):
        if j in tree.coordinates:
            continue
        difference = related[:, j - 1] - q[:, k]
        if tree.robot.frame(j).sigma == JointType.REVOLUTE:
            difference = np.abs(np.exp(1j * difference) - 1)
        else:
            difference = np.abs(difference) / tree.size
        mismatch = np.maximum(mismatch, difference)
    return x, mismatch


def twist_units(length: float) -> Array:
    """Return the factors (6,) that make a twist (linear; angular) homogeneous."""
    return np.array([1.0, 1.0, 1.0, length, length, length])


def joint_units(tree: NumericTree, columns: Iterable[int], length: float) -> Array:
    """Return the factors that make velocities of joints homogeneous: the length for revolute joints, 1 for others.

    Args:
        columns: indices of the coordinates of the tree.
        length: characteristic length in m.
    """
    kinds = [tree.robot.frame(tree.coordinates[k]).sigma for k in columns]
    return np.array([1.0 if kind == JointType.PRISMATIC else length for kind in kinds])


def velocity_matrices(tree: NumericTree, end: int, x: Array, length: float) -> tuple[Array, Array]:
    """Return the constraint matrix W and the Jacobian J of frame `end`, without units.

    Args:
        end: number of the frame.
        x: (N, c) coordinates of the tree, including the cut joints.
        length: characteristic length in m.

    Returns:
        W (N, 6 L, c) for L loops and J (N, 6, c), in the axes of frame 0.
    """
    at = placements(tree, x)
    twists = _joint_twists(tree, at, end)
    rows = twist_units(length)
    columns = joint_units(tree, range(len(tree.coordinates)), length)
    sides = [(loop.left_chain, loop.right_chain, at[loop.right].position) for loop in tree.loops]
    sides.append((tuple(chain(tree.robot, end)), (), at[end].position))
    blocks = []
    for left, right, point in sides:
        sign = np.zeros(tree.robot.NF)
        sign[[j - 1 for j in left]] = 1
        sign[[j - 1 for j in right]] = -1
        linear = twists[:, :3] + np.cross(twists[:, 3:], point[:, :, None], axis=1)
        at_point = np.concatenate([linear, twists[:, 3:]], 1) * sign
        blocks.append((at_point @ tree.ratios) * rows[:, None] / columns)
    w = np.concatenate([np.zeros((len(x), 0, len(columns))), *blocks[:-1]], 1)
    return w, blocks[-1]


def _joint_twists(tree: NumericTree, at: Mapping[int, Placements], end: int) -> Array:
    """Return the twist (N, 6, joints) of each joint at unit velocity, at the origin of frame 0 and in its axes.

    Args:
        at: poses of the frames, by frame number.
        end: number of the frame whose twist is analysed; it is not inside a spherical joint.
    """
    twists = np.zeros((len(at[0].position), 6, tree.robot.NF))
    for j in tree.frames:
        axis, sigma = at[j].rotation[:, :, 2], tree.robot.frame(j).sigma
        if sigma == JointType.PRISMATIC:
            twists[:, :3, j - 1] = axis
        elif sigma == JointType.REVOLUTE:
            twists[:, :3, j - 1] = np.cross(at[j].position, axis)
            twists[:, 3:, j - 1] = axis
    for (i, j, k), along in _spherical_joints(tree, end).items():
        centre = at[j].position + along[:, None] * at[j].rotation[:, :, 2]
        for number, axis in zip((i, j, k), np.eye(3), strict=True):
            twists[:, :3, number - 1] = np.cross(centre, axis)
            twists[:, 3:, number - 1] = axis
    return twists


def _spherical_joints(tree: NumericTree, end: int) -> dict[tuple[int, int, int], Array]:
    """Return the spherical joints: three consecutive passive revolute joints whose axes intersect in one point.

    Returns:
        By the numbers of the three joints, the coordinate (S,) of the point along the axis of the second one.
    """
    robot, groups = tree.robot, dict[tuple[int, int, int], Array]()
    used: set[int] = set()
    for k in tree.frames:
        j = robot.frame(k).ant
        i = robot.frame(j).ant if j else 0
        if not i or used & {i, j, k} or not all(_free_revolute(robot, number) for number in (i, j, k)):
            continue
        if end in (i, j) or children(robot, i) != [j] or children(robot, j) != [k]:
            continue  # a frame or another joint is fixed to a link inside the joint
        first, second = _intersection(tree, j, along_own=True), _intersection(tree, k, along_own=False)
        if first is None or second is None or np.abs(first - second).max() > PARALLEL_AXES * tree.size:
            continue
        groups[i, j, k] = second
        used |= {i, j, k}
    return groups


def _free_revolute(robot: Robot, j: int) -> bool:
    """Return whether joint j is a passive revolute joint that neither follows nor moves other joints."""
    frame, laws = robot.frame(j), followers(robot)
    driver = any(j == i for law in laws.values() for i, _ in law.terms)
    return frame.sigma == JointType.REVOLUTE and not frame.mu and j not in laws and not driver


def _intersection(tree: NumericTree, j: int, *, along_own: bool) -> Array | None:
    """Return the point in which the axis of joint j intersects that of its antecedent, as a coordinate along one axis.

    Args:
        along_own: whether the coordinate is along the axis of joint j, from the origin of frame j, or along the axis of
            the antecedent, from the origin of its frame.

    Returns:
        The coordinate (S,) in m; None if the axes are parallel or do not intersect.
    """
    direction, origin = tree.local[j].rotation[:, :, 2], tree.local[j].position
    sine = np.hypot(direction[:, 0], direction[:, 1])
    if sine.min() < PARALLEL_AXES:
        return None
    apart = np.abs(origin[:, 0] * direction[:, 1] - origin[:, 1] * direction[:, 0]) / sine
    if apart.max() > PARALLEL_AXES * tree.size:
        return None
    along = -(origin[:, :2] * direction[:, :2]).sum(1) / sine**2
    return np.asarray(along if along_own else origin[:, 2] + along * direction[:, 2])
