"""Numerical kinematics of a robot's tree: poses and velocities of its frames.

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)

Arrays have one row per configuration. All configurations share one geometry, or each has a separate geometry. Geometry
and configurations are doubles or scaled integers (`fixed_point`), and the results are of the same kind.

W. Khalil, J.F. Kleinfinger, "A new geometric notation for open and closed-loop robots", ICRA 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from symoro.expr.formula import Formula
from symoro.models.numeric.fixed_point import (
    ONE,
    Array,
    Numbers,
    array,
    cross,
    doubles,
    one_like,
    scaled,
    sine_cosine,
    times,
    turned,
)
from symoro.robot.coordinates import followers, independent, relation
from symoro.robot.description import GEOMETRIC, Frame, JointType, Placement, Robot
from symoro.robot.topology import Loop, cut_joints, loops, outward

Valuation = Callable[
    [Formula], Any
]  # returns a double, a scaled integer, or an array with one double per configuration


class Placements(NamedTuple):
    """Poses of one frame at S configurations; S is 1 if the pose is the same at all configurations.

    Attributes:
        rotation: (S, 3, 3) rotation matrices.
        position: (S, 3) positions of the origin.
    """

    rotation: Numbers
    position: Numbers

    def then(self, local: Placements) -> Placements:
        """Return the product of poses: `self` (iTj) followed by `local` (jTk) gives iTk."""
        position = self.position + turned(self.rotation, local.position)
        return Placements(times(self.rotation, local.rotation), position)


class Velocities(NamedTuple):
    """Velocities of one frame at S configurations, in the axes in which the frame poses are given.

    Attributes:
        linear: (S, 3) velocity of the origin.
        angular: (S, 3) angular velocity.
    """

    linear: Numbers
    angular: Numbers


@dataclass(frozen=True)
class NumericTree:
    """Numerical geometry of a robot with a tree structure and loop closure conditions.

    The first axis of each array has length 1 (same geometry at all configurations) or one entry per configuration.

    Attributes:
        robot: the robot.
        coordinates: numbers of the joints with an independent coordinate: first the joints of the tree, then the cut
            joints.
        ratios, offsets: all joint positions as linear function `ratios q + offsets` of the coordinates q; joint j has
            the index j - 1.
        local: pose of frame j in its antecedent frame with joint j at zero, by frame number.
        frames: numbers of the frames in `local`, each after its antecedent.
        loops: the loops whose closure equations are used.
    """

    robot: Robot
    coordinates: tuple[int, ...]
    ratios: Numbers
    offsets: Numbers
    local: Mapping[int, Placements]
    frames: tuple[int, ...]
    loops: tuple[Loop, ...]

    @property
    def shared(self) -> bool:
        """Whether all configurations have the same geometry."""
        return len(self.ratios) == 1

    @cached_property
    def size(self) -> float:
        """Largest distance between consecutive frames in the loops (m); 1 if all distances are zero."""
        frames = {j for loop in self.loops for j in loop.frames}
        lengths = [np.linalg.norm(doubles(self.local[j].position), axis=1) for j in frames]
        most = [
            x.max(where=np.isfinite(x), initial=0.0) for x in lengths
        ]  # the square root of a negative number is NaN
        return float(max(most, default=0.0)) or 1.0

    @cached_property
    def units(self) -> Array:
        """Unit of each coordinate: 1 (rad) for revolute joints, the length `size` for prismatic joints."""
        kinds = [self.robot.frame(j).sigma for j in self.coordinates]
        return np.array([self.size if kind == JointType.PRISMATIC else 1.0 for kind in kinds])


def numeric_tree(
    robot: Robot,
    value: Valuation,
    *,
    exact: bool = False,
    postures: int = 1,
    frames: Iterable[int] | None = None,
    closing: Sequence[Loop] | None = None,
) -> NumericTree:
    """Return the numerical geometry of a robot, with its geometric formulas evaluated.

    Args:
        value: function that returns the value of a formula.
        exact: whether the values are fixed-point numbers (scaled integers) instead of doubles.
        postures: number of configurations if each configuration has a separate geometry; 1 if all share one.
        frames: numbers of the frames to evaluate, including all frames between them; by default all frames.
        closing: the loops whose closure equations are used; by default all loops.
    """
    own = tuple(j for j in (*independent(robot), *cut_joints(robot)) if relation(robot, j) is None)
    column_of = {j: k for k, j in enumerate(own)}
    zero = array([0] * robot.NF, exact=exact)
    offsets = np.repeat(zero[None], postures, 0)
    ratios = np.repeat(offsets[:, :, None], len(own), 2)
    for j, column in column_of.items():
        ratios[:, j - 1, column] = ONE if exact else 1.0
    for j, law in followers(robot).items():
        offsets[:, j - 1] = value(law.offset)
        for i, ratio in law.terms:
            ratios[:, j - 1, column_of[i]] += value(ratio)
    wanted = set(range(1, robot.NF + 1) if frames is None else frames)
    order = tuple(j for j in outward(robot) if j in wanted)
    local = {j: local_pose(robot.frame(j), value, exact=exact) for j in order}
    return NumericTree(
        robot, own, ratios, offsets, local, order, tuple(loops(robot) if closing is None else closing)
    )


def formulas(robot: Robot, frames: Iterable[int] | None = None) -> list[Formula]:
    """Return the formulas that determine the poses of the given frames.

    They are the geometric parameters of the frames and the ratios and offsets of all coupled joints.

    Args:
        frames: frame numbers; by default all frames.
    """
    wanted = set(range(1, robot.NF + 1) if frames is None else frames)
    formulas_of_tree: list[Formula] = []
    for j, frame in enumerate(robot.frames, 1):
        formulas_of_tree += [getattr(frame, name) for name in GEOMETRIC if j in wanted]
    for law in followers(robot).values():
        formulas_of_tree += [law.offset, *(ratio for _, ratio in law.terms)]
    return formulas_of_tree


def local_pose(place: Frame | Placement, value: Valuation, *, exact: bool = False) -> Placements:
    """Return the pose iTj of a frame j in its antecedent i, with joint j at zero.

    Args:
        place: description of frame j with its geometric parameters.
        value: function that returns the value of a formula.
        exact: whether the values are fixed-point numbers (scaled integers) instead of doubles.
    """
    numbers = (value(getattr(place, name)) for name in GEOMETRIC)
    gamma, b, alpha, d, theta, r = (array(x, exact=exact) for x in numbers)
    about_z = _rotation("z", gamma)
    first = times(about_z, _rotation("x", alpha))
    across = scaled(about_z[:, :, 0], d[:, None]) + scaled(first[:, :, 2], r[:, None])
    up = np.zeros((len(b), 3), dtype=b.dtype)
    up[:, 2] = b
    position = across + up  # the sum has one row per configuration even if only b varies
    return Placements(times(first, _rotation("z", theta)), position)


def _rotation(axis: str, angle: Numbers) -> Numbers:
    """Return the rotation matrices (S, 3, 3) about the axis 'x' or 'z' by angles (S,) in rad."""
    s, c = sine_cosine(angle)
    i, j, k = (0, 1, 2) if axis == "z" else (1, 2, 0)
    rotation = np.zeros((len(angle), 3, 3), dtype=angle.dtype)
    rotation[:, i, i], rotation[:, i, j], rotation[:, j, i], rotation[:, j, j] = c, -s, s, c
    rotation[:, k, k] = one_like(angle)
    return rotation


def identity_pose(q: Numbers) -> Placements:
    """Return S identity poses for S configurations q, with the number type of q."""
    eye = np.zeros((len(q), 3, 3), q.dtype)
    eye[:, range(3), range(3)] = one_like(q)
    return Placements(eye, np.zeros((len(q), 3), q.dtype))


def joint_positions(tree: NumericTree, q: Numbers) -> Numbers:
    """Return the positions (S, number of joints) of all joints from the coordinates q (S, n)."""
    return joint_rates(tree, q) + tree.offsets


def joint_rates(tree: NumericTree, qd: Numbers) -> Numbers:
    """Return the velocities (S, number of joints) of all joints from the coordinate velocities qd (S, n)."""
    if tree.shared:
        return times(qd, tree.ratios[0].T)
    return turned(tree.ratios, qd)


def placements(
    tree: NumericTree,
    q: Numbers,
    start: Mapping[int, Placements] | None = None,
    frames: Iterable[int] | None = None,
) -> dict[int, Placements]:
    """Return the poses of frames of the tree at the configurations q, by frame number.

    Args:
        q: (S, n) coordinates, in the order of `tree.coordinates`.
        start: known poses by frame number, from which the poses of the other frames are computed; by default the
            identity for frame 0.
        frames: numbers of the frames to compute, each after its antecedent; by default all frames of the tree.
    """
    joints = joint_positions(tree, q)
    poses = dict(start) if start else {0: identity_pose(q)}
    for j in tree.frames if frames is None else frames:
        frame, moved = tree.robot.frame(j), joints[:, j - 1]
        rotation, position = poses[frame.ant].then(tree.local[j])
        if frame.sigma == JointType.REVOLUTE:
            rotation = times(rotation, _rotation("z", moved))
        elif frame.sigma == JointType.PRISMATIC:
            position = position + scaled(rotation[:, :, 2], moved[:, None])
        poses[j] = Placements(rotation, position)
    return poses


def velocities(
    tree: NumericTree, at: Mapping[int, Placements], qd: Numbers, base: Velocities
) -> dict[int, Velocities]:
    """Return the velocities of all frames of the tree, by frame number.

    Args:
        at: poses of the frames, by frame number; the velocities are expressed in the same axes.
        qd: (S, n) velocities of the coordinates.
        base: velocity of frame 0.
    """
    rates = joint_rates(tree, qd)
    velocities_of_frames = {0: base}
    for j in tree.frames:
        frame = tree.robot.frame(j)
        before, arm = velocities_of_frames[frame.ant], at[j].position - at[frame.ant].position
        along = scaled(at[j].rotation[:, :, 2], rates[:, j - 1, None])
        linear, angular = before.linear + cross(before.angular, arm), before.angular
        if frame.sigma == JointType.REVOLUTE:
            angular = angular + along
        elif frame.sigma == JointType.PRISMATIC:
            linear = linear + along
        velocities_of_frames[j] = Velocities(linear, angular)
    return velocities_of_frames
