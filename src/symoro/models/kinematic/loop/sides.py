"""The two sides of each loop: contribution of each joint to the velocity of the cut frames.

Let p be the common origin of the cut frames k and k + B, and o_j the origin of frame j, relative to the root of the
loop. Joint j contributes on its side

    revolute   v_j = z_j x (p - o_j),  w_j = z_j          prismatic   v_j = z_j,  w_j = 0

Both sides have the same velocity (1997 paper, eq. 11). Along an axis e, with zk the axis of the cut joint,

    e . sum_left v_j qd_j  +  s e . zk qd_k   =  e . sum_right v_j qd_j
    e . sum_left w_j qd_j  +  sb e . zk qd_k  =  e . sum_right w_j qd_j

with s = sigma_k (1 for a prismatic cut joint, 0 for a revolute one) and sb = 1 - s. In the time derivative, with u_j
the angular velocity after joint j and i the joint before it, the terms due to the velocities alone (classical
acceleration of p, and angular acceleration) are

    a = sum (u_i + u_j) x v_j qd_j,    al = sum u_i x w_j qd_j,    and (1 + s) u_left x zk qd_k for the cut joint.

The motion of the root is arbitrary, because it is the same for both sides. Each side is computed in the axes of a
separate frame; the axis e of an equation is expressed in the axes of the left and of the right side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    identity,
    rotation_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar
from symoro.models.geometric.relative_placement import axes_from, placement_between
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.kinematic.loop.choice import LoopAxes, LoopChoice, LoopRow
from symoro.program.builder import Builder
from symoro.robot.description import JointType, Robot

Rates = Mapping[int, Scalar]
NOTHING: Vector = [0, 0, 0]


@dataclass(frozen=True)
class Motion:
    """Linear and angular motion of a link at the closing point of a loop (the common origin of its two cut frames).

    It is a velocity, or the velocity-dependent part of an acceleration.
    """

    linear: Vector
    angular: Vector


@dataclass(frozen=True)
class LoopSide:
    """One side of a loop: contributions of its joints to the velocity of the closing point, from the root outward.

    The closing point p is the common origin of the two cut frames of the loop. Per unit velocity of joint j, the linear
    velocity of p changes by v_j and the angular velocity by w_j. All vectors are expressed in the axes of one frame.
    """

    columns: Mapping[int, tuple[Vector, Vector]]
    axis: Vector  # of the cut joint

    def velocity(self, rates: Rates) -> Motion:
        linear, angular = list(NOTHING), list(NOTHING)
        for j, (v, w) in self.columns.items():
            linear, angular = add(linear, scale(rates[j], v)), add(angular, scale(rates[j], w))
        return Motion(linear, angular)

    def drift(self, rates: Rates) -> Motion:
        """Return the velocity-dependent part of the acceleration at the closing point of the loop.

        Args:
            rates: joint velocities, by joint number.
        """
        linear, angular, before = list(NOTHING), list(NOTHING), list(NOTHING)
        for j, (v, w) in self.columns.items():
            rotation = scale(rates[j], w)
            behind = add(before, rotation)
            linear = add(linear, cross(add(before, behind), scale(rates[j], v)))
            angular = add(angular, cross(before, rotation))
            before = behind
        return Motion(linear, angular)

    def efforts(self, force: Vector, moment: Vector) -> dict[int, Scalar]:
        """Return the joint efforts that are equivalent to a force and a moment at the closing point, by joint number.

        Args:
            force, moment: force and moment that act on the end of this side of the loop.
        """
        return {j: dot(v, force) + dot(w, moment) for j, (v, w) in self.columns.items()}


@dataclass(frozen=True)
class LoopSides:
    """Loop with its two sides, and the axes of its equations expressed in the axes of each side."""

    axes: LoopAxes
    sigma: JointType  # of the cut joint
    left: LoopSide
    right: LoopSide
    seen: Mapping[str, tuple[Matrix, Matrix]]  # 'v', 'w' -> (left, right)
    frames: tuple[int, int]  # frames of expression of the left and the right side
    shift: Scalar = 0  # coordinate of p along the axis of a prismatic cut joint

    def along(self, row: LoopRow) -> tuple[Vector, Vector]:
        """Return the axis of a velocity equation, expressed in the axes of the left and in those of the right side."""
        left, right = self.seen[row.kind]
        return [line[row.axis] for line in left], [line[row.axis] for line in right]

    def coefficient(self, row: LoopRow, j: int) -> Scalar:
        """Return the coefficient of the velocity of joint j in a velocity equation of the loop."""
        which = 0 if row.kind == "v" else 1
        left, right = self.along(row)
        total: Scalar = 0
        if j in self.left.columns:
            total = dot(left, self.left.columns[j][which])
        if j in self.right.columns:
            total = total - dot(right, self.right.columns[j][which])
        return total

    def residual(self, row: LoopRow, left: Motion, right: Motion) -> Scalar:
        """Return the difference between the motions of the left and the right side along the axis of an equation."""
        one, other = self.along(row)
        if row.kind == "v":
            return dot(one, left.linear) - dot(other, right.linear)
        return dot(one, left.angular) - dot(other, right.angular)

    def cut_drift(self, row: LoopRow, rate: Scalar, left: Motion) -> Scalar:
        """Return the contribution of the cut joint to the velocity-dependent acceleration, (1 + s) e . (u x zk) qd_k.

        Args:
            row: velocity equation, with the axis e.
            rate: velocity qd_k of the cut joint.
            left: velocity of the left side, with the angular velocity u.
        """
        kind = {JointType.REVOLUTE: "w", JointType.PRISMATIC: "v", JointType.FIXED: ""}[self.sigma]
        if row.kind != kind:
            return 0
        twice = 2 if self.sigma == JointType.PRISMATIC else 1
        one, _ = self.along(row)
        return twice * rate * dot(one, cross(left.angular, self.left.axis))


def loop_sides(
    builder: Builder, robot: Robot, q: Mapping[int, Scalar], choice: LoopChoice, trig: Trigonometry
) -> list[LoopSides]:
    """Return the two sides of every loop that has velocity equations.

    Args:
        q: joint positions, by joint number.
        choice: selected velocity equations.
    """
    at = {**q, **{one.loop.left: 0 for one in choice.loops}}
    return [_Sides(builder, robot, at, one, trig).made() for one in choice.loops]


class _Sides:
    """Computation of the two sides of one loop.

    The left side is expressed in the axes of frame m, the right side in those of frame n. If the equations are written
    in the axes of the cut frames k (before the rotation of its joint) and k + B, then m = k and n = k + B, which differ
    by a rotation about the common z axis. If they are written in the axes of another frame of the loop, m or n is that
    frame (depending on its side), and the other one is the root.
    """

    def __init__(
        self, builder: Builder, robot: Robot, q: Mapping[int, Scalar], axes: LoopAxes, trig: Trigonometry
    ) -> None:
        self.builder, self.robot, self.q, self.axes, self.trig = builder, robot, q, axes, trig
        loop = self.loop = axes.loop
        self.sigma = robot.frame(loop.left).sigma
        ends = {loop.left, loop.right}
        inner = [frame for frame in (axes.linear, axes.angular) if frame not in ends]
        self.closed = not inner
        if self.closed:
            self.m, self.n = loop.left, loop.right
        elif inner[0] in loop.right_chain:
            self.m, self.n = loop.root, inner[0]
        else:
            self.m, self.n = inner[0], loop.root

    def made(self) -> LoopSides:
        loop = self.loop
        transform = placement_between(self.builder, self.robot, loop.right, loop.left, self.q, self.trig)
        self.turn = self._closing(transform)
        shift: Scalar = -transform[2][3] if self.sigma == JointType.PRISMATIC else 0
        left = self._side(self.m, loop.left, loop.left_chain[:-1], shift)
        right = self._side(self.n, loop.right, loop.right_chain, 0)
        seen = {
            "v": (self._seen(self.m, self.axes.linear), self._seen(self.n, self.axes.linear)),
            "w": (self._seen(self.m, self.axes.angular), self._seen(self.n, self.axes.angular)),
        }
        return LoopSides(self.axes, self.sigma, left, right, seen, (self.m, self.n), shift)

    def _closing(self, transform: Matrix) -> Matrix:
        """Return the rotation between the two cut frames of the loop (k, before the rotation of its joint, in k + B).

        In a closed loop this is a rotation about z, or the identity if the cut joint is not revolute.

        Args:
            transform: transform (4x4) of frame k in frame k + B, computed along the loop.
        """
        if self.sigma != JointType.REVOLUTE:
            return identity(3)
        c, s = transform[0][0], transform[1][0]
        return [[c, -s, 0], [s, c, 0], [0, 0, 1]]

    def _seen(self, frame: int, other: int) -> Matrix:
        """Return the rotation matrix whose columns are the axes of frame `other` in frame `frame`."""
        loop = self.loop
        if frame == other:
            return identity(3)
        if self.closed:
            return self.turn if other == loop.left else transpose(self.turn)
        return rotation_of(placement_between(self.builder, self.robot, frame, other, self.q, self.trig))

    def _side(self, m: int, end: int, chain: Sequence[int], shift: Scalar) -> LoopSide:
        placed = axes_from(self.builder, self.robot, m, end, self.q, self.trig, self.loop.root)
        axis, p = placed[end]
        if not is_zero(shift):
            p = add(p, scale(shift, axis))
        columns: dict[int, tuple[Vector, Vector]] = {}
        for j in chain:
            z, o = placed[j]
            if self.robot.frame(j).sigma == JointType.REVOLUTE:
                columns[j] = (cross(z, subtract(p, o)), z)
            elif self.robot.frame(j).sigma == JointType.PRISMATIC:
                columns[j] = (z, list(NOTHING))
        return LoopSide(columns, axis)
