"""A robot's tree in numbers: where its frames stand, and how they move.

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)

Postures come side by side, one a row. The geometry is one for all of them, or one for each; its numbers and those of
the postures are doubles or scaled integers (`fixed_point`), and so is what follows from them.

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

Valuation = Callable[[Formula], Any]  # a double, a scaled integer, or an array of doubles: one a posture


class Placements(NamedTuple):
    """Where frames stand: rotations (S, 3, 3) and positions (S, 3); S is 1 where all postures have the same."""

    rotation: Numbers
    position: Numbers

    def then(self, local: Placements) -> Placements:
        """Where frames stand that have a placement on these."""
        position = self.position + turned(self.rotation, local.position)
        return Placements(times(self.rotation, local.rotation), position)


class Velocities(NamedTuple):
    """Velocities of frames (S, 3), of the origin and angular, in the axes of frame 0's placement."""

    linear: Numbers
    angular: Numbers


@dataclass(frozen=True)
class NumericTree:
    """A robot's geometry as numbers. What has a first axis has it of length 1, or of one entry a posture.

    Attributes:
        coordinates: joints that have one: of the tree, then opened ones.
        ratios, offsets: joint j (row j - 1) from the coordinates.
        local: frame j on its antecedent, its joint at zero.
        frames: those that `local` has, each after its antecedent.
        loops: those that are to be closed.
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
        """Whether all postures have the same geometry."""
        return len(self.ratios) == 1

    @cached_property
    def size(self) -> float:
        """The largest length in the loops; 1 where there is none."""
        frames = {j for loop in self.loops for j in loop.frames}
        lengths = [np.linalg.norm(doubles(self.local[j].position), axis=1) for j in frames]
        most = [
            x.max(where=np.isfinite(x), initial=0.0) for x in lengths
        ]  # a root of a negative number has none
        return float(max(most, default=0.0)) or 1.0

    @cached_property
    def units(self) -> Array:
        """Of the coordinates: a radian, or the largest length."""
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
    """The tree with numbers for its formulas.

    Arguments:
        value: of a formula.
        exact: whether values are scaled integers.
        postures: how many there are, where each has a geometry of its own.
        frames: those that matter, with the frames between them; all of them unless given.
        closing: the loops that are to be closed; all of them unless given.
    """
    own = tuple(j for j in (*independent(robot), *cut_joints(robot)) if relation(robot, j) is None)
    place = {j: k for k, j in enumerate(own)}
    zero = array([0] * robot.NF, exact=exact)
    offsets = np.repeat(zero[None], postures, 0)
    ratios = np.repeat(offsets[:, :, None], len(own), 2)
    for j, column in place.items():
        ratios[:, j - 1, column] = ONE if exact else 1.0
    for j, law in followers(robot).items():
        offsets[:, j - 1] = value(law.offset)
        for i, ratio in law.terms:
            ratios[:, j - 1, place[i]] += value(ratio)
    wanted = set(range(1, robot.NF + 1) if frames is None else frames)
    order = tuple(j for j in outward(robot) if j in wanted)
    local = {j: local_pose(robot.frame(j), value, exact=exact) for j in order}
    return NumericTree(
        robot, own, ratios, offsets, local, order, tuple(loops(robot) if closing is None else closing)
    )


def formulas(robot: Robot, frames: Iterable[int] | None = None) -> list[Formula]:
    """What a tree of some frames needs numbers for."""
    wanted = set(range(1, robot.NF + 1) if frames is None else frames)
    formulas_of_tree: list[Formula] = []
    for j, frame in enumerate(robot.frames, 1):
        formulas_of_tree += [getattr(frame, name) for name in GEOMETRIC if j in wanted]
    for law in followers(robot).values():
        formulas_of_tree += [law.offset, *(ratio for _, ratio in law.terms)]
    return formulas_of_tree


def local_pose(place: Frame | Placement, value: Valuation, *, exact: bool = False) -> Placements:
    """iTj, the joint at zero."""
    numbers = (value(getattr(place, name)) for name in GEOMETRIC)
    gamma, b, alpha, d, theta, r = (array(x, exact=exact) for x in numbers)
    turn = _turn("z", gamma)
    first = times(turn, _turn("x", alpha))
    across = scaled(turn[:, :, 0], d[:, None]) + scaled(first[:, :, 2], r[:, None])
    up = np.zeros((len(b), 3), dtype=b.dtype)
    up[:, 2] = b
    position = across + up  # one for all postures, or one for each: b may be the only one that varies
    return Placements(times(first, _turn("z", theta)), position)


def _turn(axis: str, angle: Numbers) -> Numbers:
    """Turns about x or z, (S, 3, 3)."""
    s, c = sine_cosine(angle)
    i, j, k = (0, 1, 2) if axis == "z" else (1, 2, 0)
    rotation = np.zeros((len(angle), 3, 3), dtype=angle.dtype)
    rotation[:, i, i], rotation[:, i, j], rotation[:, j, i], rotation[:, j, j] = c, -s, s, c
    rotation[:, k, k] = one_like(angle)
    return rotation


def identity_pose(q: Numbers) -> Placements:
    """The placement that changes nothing, in the numbers of the postures q."""
    eye = np.zeros((len(q), 3, 3), q.dtype)
    eye[:, range(3), range(3)] = one_like(q)
    return Placements(eye, np.zeros((len(q), 3), q.dtype))


def joint_positions(tree: NumericTree, q: Numbers) -> Numbers:
    """The position of every joint (S, NF)."""
    return joint_rates(tree, q) + tree.offsets


def joint_rates(tree: NumericTree, qd: Numbers) -> Numbers:
    """The velocity of every joint (S, NF)."""
    if tree.shared:
        return times(qd, tree.ratios[0].T)
    return turned(tree.ratios, qd)


def placements(
    tree: NumericTree,
    q: Numbers,
    start: Mapping[int, Placements] | None = None,
    frames: Iterable[int] | None = None,
) -> dict[int, Placements]:
    """Where the frames stand.

    Arguments:
        start: frames that are placed already; frame 0 where it stands unless given.
        frames: those to place, each after its antecedent; all that the tree has unless given.
    """
    joints = joint_positions(tree, q)
    poses = dict(start) if start else {0: identity_pose(q)}
    for j in tree.frames if frames is None else frames:
        frame, moved = tree.robot.frame(j), joints[:, j - 1]
        rotation, position = poses[frame.ant].then(tree.local[j])
        if frame.sigma == JointType.REVOLUTE:
            rotation = times(rotation, _turn("z", moved))
        elif frame.sigma == JointType.PRISMATIC:
            position = position + scaled(rotation[:, :, 2], moved[:, None])
        poses[j] = Placements(rotation, position)
    return poses


def velocities(
    tree: NumericTree, at: Mapping[int, Placements], qd: Numbers, base: Velocities
) -> dict[int, Velocities]:
    """How the frames move that are placed, in the axes in which they are; `base`: frame 0."""
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
