"""Configurations of legs: the joint positions of a leg from the pose of the platform, in closed form.

C is the centre of the end joint, c the same in the axes of the leg's first joint, p the position of the second joint
(or of the centre B of a universal joint) on the first link, l the distance from there to C:

    first joint R   |c - Rot(theta) p|^2 + zeta^2 = l^2:   x cos(theta) + y sin(theta) = half, zeta along the axis
    first joint P   |w - r z| = l
    R, then P       |t + r d| = |c| in the plane

phi and psi are the angles of a universal joint. With w the vector from B to C in the axes before its first rotation,
t = (tx, ty, tz) the same in the axes of its second rotation, and s = sin(alpha) = +-1 between both:

    w = Rz(phi) (x, -s tz, s y),   (x, y) = Rot(psi) (tx, ty):    y = s w_z,   x = sqrt(w_x^2 + w_y^2 - tz^2)

J.-P. Merlet, Parallel robots, Springer, 2006, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    homogeneous,
    identity,
    inverse_transform,
    matmul,
    matvec,
    position_of,
    rotation_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar, atan2, cos, less, maximum, select, sin, sqrt
from symoro.models.geometric.fixed_placements import is_roundoff
from symoro.models.platform.leg import RIGHT_ANGLES, Leg, P, R, about_z
from symoro.models.platform.pose import PlatformPose
from symoro.models.tolerances import LEG_DEVIATION, STRETCHED_LEG, ZERO_SQUARE
from symoro.program.builder import Builder
from symoro.robot.description import Robot


@dataclass(frozen=True)
class ArmJoint:
    """Joint of an arm: its axis z, and the velocity of the end joint's centre C at unit joint rate, in frame 0."""

    axis: Vector
    column: Vector


@dataclass(frozen=True)
class Posture:
    """Configuration of a leg at a pose of the platform, in frame 0.

    Attributes:
        positions: positions of its joints, without offsets.
        joints: axes and velocity columns of the arm's joints.
        end_axes: z axes of the end joint.
        centre: centre C of the end joint.
        normal: normal of the plane in which the leg moves its ball joint; None if the leg is not planar.
        fixed_axis: for a leg U P U, the axis z4 x z5 about which the platform cannot rotate; None for other legs.
        conditions: expressions that equal 1 where the joint positions exist.
        moving: expressions that equal 1 where the rates of the arm's joints are determined too.
        turning: expressions that equal 1 where the rates of the end joint are determined too.
    """

    leg: Leg
    positions: dict[int, Scalar]
    joints: list[ArmJoint]
    end_axes: list[Vector]
    centre: Vector
    normal: Vector | None
    fixed_axis: Vector | None
    conditions: list[Scalar]
    moving: list[Scalar]
    turning: list[Scalar]


def posture_of(builder: Builder, robot: Robot, leg: Leg, pose: PlatformPose, mode: int) -> Posture:
    """Return the configuration of a leg in one of its two working modes.

    Args:
        pose: pose of the platform.
        mode: working mode, 1 or 2.
    """
    return _ClosedForm(builder, robot, leg, pose, 1 if mode == 1 else -1).posture()


class _ClosedForm:
    """Closed-form inverse geometry of one leg; `at` is the pose in frame 0 after the last solved joint."""

    def __init__(self, builder: Builder, robot: Robot, leg: Leg, pose: PlatformPose, sign: int) -> None:
        self.builder, self.robot, self.leg, self.pose, self.sign = builder, robot, leg, pose, sign
        self.centre = add(pose.position, matvec(pose.rotation, position_of(leg.seat)))
        self.at: Matrix = identity(4)
        self.positions: dict[int, Scalar] = {}
        self.joints: list[ArmJoint] = []
        self.conditions: list[Scalar] = []
        self.moving: list[Scalar] = []
        self.turning: list[Scalar] = []

    def posture(self) -> Posture:
        leg = self.leg
        normal = fixed_axis = None
        if leg.parallelogram:
            end = self._parallelogram()
        else:
            if leg.is_planar:
                normal = self._planar()
            elif leg.kinds[2] == P:
                self._universal_joint_and_slide()
            else:
                self._motor()
                self._universal_joint(1, self._rod())
            end = matmul(self.at, leg.tip)
        if leg.is_planar or leg.parallelogram:
            self._check_reached(position_of(end))
        if len(leg.end) == 1:
            axes = self._revolute_end(end)
            normal = None  # a platform with such legs moves in their plane
        elif len(leg.end) == 2:
            axes = self._universal_end(end)
            fixed_axis = cross(*axes)
        else:
            axes = self._ball_end(end)
        return Posture(
            leg,
            self.positions,
            self.joints,
            axes,
            self.centre,
            normal,
            fixed_axis,
            self.conditions,
            self.moving,
            self.turning,
        )

    def _formula(self, j: int, name: str) -> Scalar:
        return self.builder.formula(getattr(self.robot.frame(j), name))

    def _before(self, index: int) -> Matrix:
        """Return the pose of a joint of the arm in frame 0 at zero joint variable.

        Args:
            index: index of the joint in the arm.
        """
        return matmul(self.at, self.leg.places[index])

    def _seen(self, before: Matrix) -> Vector:
        """Return the coordinates of the end joint's centre C in the frame with the pose `before`."""
        return position_of(matmul(inverse_transform(before), homogeneous(identity(3), self.centre)))

    def _turn(self, index: int, before: Matrix, cosine: Scalar, sine: Scalar) -> None:
        """Set the position of a revolute joint of the arm, and advance the current pose by its rotation.

        Args:
            index: index of the joint in the arm.
            before: pose of the joint before its rotation.
            cosine, sine: cosine and sine of the joint angle theta.
        """
        j = self.leg.arm[index]
        self.positions[j] = atan2(sine, cosine) - self._formula(j, "theta")
        self.at = matmul(before, homogeneous(about_z(cosine, sine), [0, 0, 0]))
        axis = [row[2] for row in self.at[:3]]
        self.joints.append(ArmJoint(axis, cross(axis, subtract(self.centre, position_of(self.at)))))

    def _slide(self, index: int, before: Matrix, length: Scalar) -> None:
        """Set the position of a prismatic joint of the arm, and advance the current pose by its translation.

        Args:
            index: index of the joint in the arm.
            before: pose of the joint before its translation.
            length: distance r of the joint.
        """
        j = self.leg.arm[index]
        self.positions[j] = length - self._formula(j, "r")
        self.at = matmul(before, homogeneous(identity(3), [0, 0, length]))
        axis = [row[2] for row in self.at[:3]]
        self.joints.append(ArmJoint(axis, axis))

    def _root(self, x: Scalar, size: Scalar) -> Scalar:
        """Return the square root of a difference x, or 0 where x is round-off of terms of the magnitude `size`.

        The condition that the joint rates are determined (x is larger than round-off) is added to `moving`.
        """
        least = STRETCHED_LEG * size
        self.moving.append(less(least, x))
        return sqrt(select(less(-least, x), maximum(x, 0), x))

    def _check_reached(self, reached: Vector) -> None:
        gap, distance = subtract(reached, self.centre), LEG_DEVIATION * self.leg.length()
        self.conditions.append(less(dot(gap, gap), distance * distance))

    # -- the first joint of an arm

    def _first_turn(self, before: Matrix, c: Vector, p: Vector, zeta: Scalar, square: Scalar) -> None:
        """Solve a revolute joint at the start of an arm so that a point p of its link has the distance l from C.

        C is the centre of the end joint.

        Args:
            before: pose of the joint before its rotation.
            c, p: C and p in the axes of the joint (p at theta = 0).
            zeta: component of the vector from p to C along the axis.
            square: l^2.
        """
        half = (c[0] * c[0] + c[1] * c[1] + p[0] * p[0] + p[1] * p[1] + zeta * zeta - square) / 2
        x, y = p[0] * c[0] + p[1] * c[1], p[0] * c[1] - p[1] * c[0]
        size = x * x + y * y
        h = self.sign * self._root(size - half * half, size)
        self._turn(0, before, (x * half + y * h) / size, (y * half - x * h) / size)

    def _first_slide(self, before: Matrix, w: Vector, square: Scalar) -> None:
        """Solve a prismatic joint at the start of an arm so that a point p of its link has the distance l from C.

        C is the centre of the end joint.

        Args:
            before: pose of the joint before its translation.
            w: vector from p to C at r = 0, in the axes of the joint.
            square: l^2.
        """
        root = self._root(square - w[0] * w[0] - w[1] * w[1], square)
        self._slide(0, before, w[2] + self.sign * root)

    # -- arms with a universal joint

    def _rod(self) -> Vector:
        """Return the vector from the centre of the universal joint to the centre C of the end joint.

        The vector is in the axes of the second rotation of the universal joint.
        """
        x, y, z = position_of(self.leg.tip)
        return [x, y, z + self._formula(self.leg.arm[2], "r")]

    def _motor(self) -> None:
        """Solve the first joint of an arm that ends in a universal joint, from the length l of its rod.

        The centre B of the universal joint, which is on the link of the first joint, must have the distance l from the
        centre C of the end joint: |C - B|^2 = l^2.
        """
        leg, rod = self.leg, self._rod()
        place = leg.places[1]
        p = add(position_of(place), scale(self._formula(leg.arm[2], "b"), [row[2] for row in place[:3]]))
        before = self._before(0)
        c = self._seen(before)
        if leg.kinds[0] == P:
            self._first_slide(before, subtract(c, p), dot(rod, rod))
        else:
            self._first_turn(before, c, p, c[2] - p[2], dot(rod, rod))

    def _universal_joint(self, index: int, t: Vector, sign: int = 1) -> None:
        """Solve both angles of a universal joint so that the vector t of its second link ends at C.

        Args:
            index: index of its first joint in the arm.
            sign: selects one of the two solutions, 1 or -1.
            t: vector from the centre of the universal joint to the centre C of the end joint, in the axes of its second
                rotation.
        """
        second = self.robot.frame(self.leg.arm[index + 1])
        before = self._before(index)
        w = subtract(self._seen(before), [0, 0, self.builder.formula(second.b)])
        s = RIGHT_ANGLES[second.alpha.text]
        square = w[0] * w[0] + w[1] * w[1]
        self.moving.append(less(ZERO_SQUARE * dot(t, t), square))
        y: Scalar = s * w[2]
        x = sign * (sqrt(square) if is_roundoff(t[2]) else self._root(square - t[2] * t[2], square))
        cosine = (x * w[0] - s * t[2] * w[1]) / square
        sine = (x * w[1] + s * t[2] * w[0]) / square
        gamma = self.builder.formula(second.gamma)
        c, d = cos(gamma), sin(gamma)
        self._turn(index, before, cosine * c + sine * d, sine * c - cosine * d)
        flat = t[0] * t[0] + t[1] * t[1]
        self._turn(
            index + 1,
            self._before(index + 1),
            (x * t[0] + y * t[1]) / flat,
            (y * t[0] - x * t[1]) / flat,
        )

    def _universal_joint_and_slide(self) -> None:
        leg, start = self.leg, self._before(0)
        along = self._formula(leg.arm[1], "b")
        reach = subtract(self.centre, add(position_of(start), scale(along, [row[2] for row in start[:3]])))
        length = self.builder.named(f"L{leg.number}", sqrt(dot(reach, reach)))
        self.moving.append(less(ZERO_SQUARE * leg.length() * leg.length(), length * length))
        self._universal_joint(0, scale(length, [row[2] for row in leg.places[2][:3]]), self.sign)
        self._slide(2, self._before(2), length - position_of(leg.tip)[2])

    # -- planar arms

    def _planar(self) -> Vector:
        """Solve both joints of a planar arm and return the normal of its plane."""
        leg, before = self.leg, self._before(0)
        c, place, t = self._seen(before), leg.places[1], position_of(leg.tip)
        p, square = position_of(place), t[0] * t[0] + t[1] * t[1]
        if leg.kinds == (R, P):
            self._turn_and_slide(before, c, add(p, matvec(rotation_of(place), t))[:2])
        elif leg.kinds == (R, R):
            self._first_turn(before, c, p, 0, square)
            self._last_turn()
        else:
            axis, w = [row[2] for row in place[:3]], subtract(c, p)
            self._first_slide(before, subtract(w, scale(dot(w, axis), axis)), square)
            self._last_turn()
            return self.joints[1].axis
        return [row[2] for row in before[:3]]

    def _turn_and_slide(self, before: Matrix, c: Vector, start: Vector) -> None:
        """Solve both joints of a planar arm with a revolute and a prismatic joint (R P).

        Args:
            before: pose of the first joint before its rotation. The equation is |start + r d| = |c|, with the position
                r and direction d of the prismatic joint.
            c: centre C of the end joint in the axes of the first joint.
            start: end of the arm at theta = 0 and r = 0, in the axes of the first joint.
        """
        d = [row[2] for row in self.leg.places[1][:2]]
        along = dot(start, d)
        square = c[0] * c[0] + c[1] * c[1]
        root = self._root(along * along - dot(start, start) + square, square + dot(start, start))
        r = self.sign * root - along
        x, y = add(start, scale(r, d))
        self._turn(0, before, (x * c[0] + y * c[1]) / square, (x * c[1] - y * c[0]) / square)
        self._slide(1, self._before(1), r)

    def _last_turn(self) -> None:
        """Solve the second revolute joint of a planar arm so that the arm ends at the centre C of the end joint."""
        before, t = self._before(1), position_of(self.leg.tip)
        w = self._seen(before)
        sine, cosine = t[0] * w[1] - t[1] * w[0], t[0] * w[0] + t[1] * w[1]
        size = sqrt(sine * sine + cosine * cosine)
        self._turn(1, before, cosine / size, sine / size)

    # -- arms with a parallelogram

    def _parallelogram(self) -> Matrix:
        """Solve the arm and its parallelogram, and return the pose of the end joint in frame 0."""
        leg = self.leg
        rods = leg.parallelogram
        assert rods is not None
        before, place = self._before(0), leg.places[1]
        c, p, square = self._seen(before), position_of(place), rods.length * rods.length
        if leg.kinds[0] == P:
            start = add(p, scale(rods.offset, [row[2] for row in place[:3]]))
            self._first_slide(before, subtract(c, start), square)
        else:  # the second axis is parallel or antiparallel to the first
            self._first_turn(before, c, p, place[2][2] * (c[2] - p[2]) - rods.offset, square)
        before = self._before(1)
        w = self._seen(before)
        flat = sqrt(w[0] * w[0] + w[1] * w[1])
        self._turn(1, before, w[0] / flat, w[1] / flat)
        rise = rods.sign * (w[2] - rods.offset)
        angle = atan2(rise, flat)
        for j, x in ((rods.rod, angle), (rods.second, angle), (rods.coupler, -angle)):
            self.positions[j] = x - self._formula(j, "theta")
        tilt: Matrix = [[1, 0, 0], [0, 0, -rods.sign], [0, rods.sign, 0]]
        link = rotation_of(self.at)
        coupler = matmul(link, tilt)
        rod = matmul(coupler, about_z(flat / rods.length, rise / rods.length))
        x_axis, y_axis, z_axis = ([row[k] for row in rod] for k in range(3))
        self.joints.append(ArmJoint(z_axis, scale(rods.length, y_axis)))
        reached = add(position_of(self.at), scale(rods.length, x_axis))
        reached = add(reached, scale(rods.offset, [row[2] for row in link]))
        return homogeneous(matmul(coupler, rotation_of(leg.tip)), reached)

    # -- the end joint; `start` is the pose of its first joint before its rotation

    def _end_rotation(self, start: Matrix) -> Matrix:
        """Return the rotation matrix of the last frame of the end joint, relative to `start`.

        Args:
            start: pose of the first axis of the end joint before its rotation.
        """
        last = matmul(self.pose.rotation, rotation_of(self.leg.seat))
        return matmul(transpose(rotation_of(start)), last)

    def _set_end(self, angles: list[Scalar]) -> None:
        for j, angle in zip(self.leg.end, angles, strict=True):
            self.positions[j] = angle - self._formula(j, "theta")

    def _revolute_end(self, start: Matrix) -> list[Vector]:
        """Solve a revolute joint at the platform and return its axis in frame 0.

        Args:
            start: pose of the joint before its rotation.
        """
        n = self._end_rotation(start)
        self._set_end([atan2(n[1][0], n[0][0])])
        self.conditions.append(less(n[0][2] * n[0][2] + n[1][2] * n[1][2], LEG_DEVIATION**2))
        self.conditions.append(less(0, n[2][2]))
        return [[row[2] for row in start[:3]]]

    def _universal_end(self, start: Matrix) -> list[Vector]:
        """Solve a universal joint at the platform and return its two axes in frame 0.

        Its last axis must be parallel to the first axis of the leg.

        Args:
            start: pose of the first axis of the joint before its rotation.
        """
        # n = Rz(a) Rx(alpha) Rz(b): its third column is s (sin a, -cos a, 0), its third row s (sin b, cos b, 0).
        n = self._end_rotation(start)
        second = self.robot.frame(self.leg.end[1])
        s = RIGHT_ANGLES[second.alpha.text]
        a, b = atan2(s * n[0][2], -s * n[1][2]), atan2(s * n[2][0], s * n[2][1])
        self._set_end([a - self.builder.formula(second.gamma), b])
        z5 = matvec(self.pose.rotation, [row[2] for row in self.leg.seat[:3]])
        apart = cross(self.joints[0].axis, z5)
        self.conditions.append(less(dot(apart, apart), LEG_DEVIATION**2))
        return [[row[2] for row in start[:3]], z5]

    def _ball_end(self, start: Matrix) -> list[Vector]:
        """Solve a ball joint, with its middle angle between 0 and pi, and return its three axes in frame 0.

        Its rotation is Rz(a) Rx(alpha5) Rz(b) Rx(alpha6) Rz(c) with the three joint angles a, b, c. If the first and
        the third axis are parallel, a is arbitrary and set to zero. The last angle is computed from the first two, so
        that the rotation is accurate also near such a configuration.

        Args:
            start: pose of the first axis of the ball joint before its rotation.
        """
        n = self._end_rotation(start)
        second, third = (self.robot.frame(j) for j in self.leg.end[1:])
        s5, s6 = RIGHT_ANGLES[second.alpha.text], RIGHT_ANGLES[third.alpha.text]
        square = n[0][2] * n[0][2] + n[1][2] * n[1][2]
        apart = less(ZERO_SQUARE, square)
        sine_b = sqrt(square)
        divisor = select(apart, sine_b, 1)
        cosine_a = select(apart, s6 * n[0][2] / divisor, 1)
        sine_a = select(apart, s6 * n[1][2] / divisor, 0)
        cosine_b = -s5 * s6 * n[2][2]
        x = [cosine_a * cosine_b, sine_a * cosine_b, s5 * sine_b]
        y = [s5 * s6 * sine_a, -s5 * s6 * cosine_a, 0]
        first = [row[0] for row in n]
        self._set_end(
            [
                atan2(sine_a, cosine_a) - self.builder.formula(second.gamma),
                atan2(sine_b, cosine_b) - self.builder.formula(third.gamma),
                atan2(dot(y, first), dot(x, first)),
            ]
        )
        self.turning.append(apart)
        z4 = [row[2] for row in start[:3]]
        z5 = matvec(rotation_of(start), [s5 * sine_a, -s5 * cosine_a, 0])
        z6 = matvec(self.pose.rotation, [row[2] for row in self.leg.seat[:3]])
        return [z4, z5, z6]
