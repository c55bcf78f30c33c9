"""Steering joints tied to others so that all axles meet in one point: Ackermann's relation, for any layout.

The fixed wheels and the leading steering wheels leave the base one motion, xi = (x, y, turn), the one that their
sliding constraints C xi = 0 allow: with two independent rows xi = c1 x c2, a polynomial in sines and cosines. The wheel
that follows travels along the velocity of its centre c,

    v = xi_xy + xi_turn k x c,    q_s = atan2(k.(t0 x v), t0.v)

with t0 its way of travel at q_s = 0. For wheels at the front corners of a car this is cot q_l - cot q_r = width / base
(R. N. Jazar, Vehicle Dynamics, 2008, chapter 7).
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Vector, add, cross, dot, scale
from symoro.expr.scalar import Scalar, atan2
from symoro.models.coordinates.couplings import CoupledCoordinates
from symoro.models.geometric.relative_placement import axes_from
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.wheels.samples import WheelSamples, independent_rows, robot_length
from symoro.program.builder import Builder
from symoro.robot.description import Robot
from symoro.robot.wheels import Wheel, WheelKind

UP: Vector = [0, 0, 1]


def tied_positions(
    builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry
) -> dict[int, Scalar]:
    """The positions of the steering joints that follow others.

    Raises:
        NotApplicableError: the leading wheels do not leave the base one motion.
    """
    followers = [wheel for wheel in robot.wheels if wheel.follows]
    if not followers:
        return {}
    motion = _motion(builder, robot, joints, trig)
    return {wheel.steering: _position(builder, robot, wheel, joints, motion, trig) for wheel in followers}


def sliding(
    builder: Builder, robot: Robot, wheel: Wheel, positions: Mapping[int, Scalar], trig: Trigonometry
) -> Vector:
    """The sliding constraint on the base of a wheel whose centre does not move on it: (z_x, z_y, z.(k x c))."""
    axle, centre = axes_from(builder, robot, 0, wheel.frame, positions, trig)[wheel.frame]
    return [builder.number(x) for x in (axle[0], axle[1], dot(axle, cross(UP, centre)))]


def _motion(builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry) -> Vector:
    """The one motion that the leading wheels leave to the base."""
    leading = [
        wheel
        for wheel in robot.wheels
        if wheel.kind == WheelKind.FIXED or (wheel.kind == WheelKind.STEERING and not wheel.follows)
    ]
    rows = [sliding(builder, robot, wheel, joints.positions, trig) for wheel in leading]
    samples = WheelSamples(builder)
    matrices = samples.matrices(rows, robot_length(builder, robot))
    kept = independent_rows(matrices, "the wheels that lead the steering")
    if len(kept) != 2:
        raise NotApplicableError(
            f"steering by Ackermann's relation needs one motion of the base, the leading wheels leave {3 - len(kept)}",
            hint="give 'follows' to all but one steering wheel of a robot with fixed wheels, to all but two without",
        )
    return cross(rows[kept[0]], rows[kept[1]])


def _position(
    builder: Builder,
    robot: Robot,
    wheel: Wheel,
    joints: CoupledCoordinates,
    motion: Vector,
    trig: Trigonometry,
) -> Scalar:
    straight = {**joints.positions, wheel.steering: 0}
    axes = axes_from(builder, robot, 0, wheel.frame, straight, trig)
    axle, centre = axes[wheel.frame]
    up = axes[wheel.steering][0][2]  # 1, or -1 for an axis that points down
    travel = cross(axle, UP)
    velocity = add([motion[0], motion[1], 0], scale(motion[2], cross(UP, centre)))
    ahead, aside = dot(travel, velocity), up * cross(travel, velocity)[2]
    if WheelSamples(builder).at_zero(joints.own, builder.number(ahead)) < 0:  # the other way round
        ahead, aside = -ahead, -aside
    return atan2(aside, ahead)
