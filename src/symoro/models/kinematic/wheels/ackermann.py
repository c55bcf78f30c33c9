"""Ackermann steering: dependent steering joints for which the axes of all wheels meet in one point.

The fixed wheels and the leading steering wheels allow one motion of the base, xi = (x, y, turn), which satisfies their
sliding constraints C xi = 0. With two independent rows c1 and c2 of C, xi = c1 x c2, a polynomial in sines and cosines.
The direction of travel of a dependent wheel is that of the velocity v of its centre c,

    v = xi_xy + xi_turn k x c,    q_s = atan2(k.(t0 x v), t0.v)

with k the vertical axis, q_s the steering angle and t0 the direction of travel at q_s = 0. For wheels at the front
corners of a car this is cot q_l - cot q_r = width / base (R. N. Jazar, Vehicle Dynamics, 2008, chapter 7).
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
    """Return the positions of the dependent steering joints, which follow from Ackermann's relation, by joint number.

    Raises:
        NotApplicableError: the fixed and the leading steering wheels do not allow exactly one motion of the base.
    """
    followers = [wheel for wheel in robot.wheels if wheel.follows]
    if not followers:
        return {}
    motion = _motion(builder, robot, joints, trig)
    return {wheel.steering: _position(builder, robot, wheel, joints, motion, trig) for wheel in followers}


def sliding(
    builder: Builder, robot: Robot, wheel: Wheel, positions: Mapping[int, Scalar], trig: Trigonometry
) -> Vector:
    """Return the sliding constraint of a wheel as three coefficients of the base velocity (x, y, turn).

    They are (z_x, z_y, z.(k x c)), with z the axle of the wheel, k the vertical axis and c the centre of the wheel,
    which is fixed on the base.
    """
    axle, centre = axes_from(builder, robot, 0, wheel.frame, positions, trig)[wheel.frame]
    return [builder.number(x) for x in (axle[0], axle[1], dot(axle, cross(UP, centre)))]


def _motion(builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry) -> Vector:
    """Return the velocity (x, y, turn) of the base that the fixed and leading steering wheels allow, up to a factor."""
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
            "Ackermann steering requires that the leading wheels leave the base one degree of "
            f"freedom; they leave {3 - len(kept)}",
            hint="set 'follows' for all steering wheels except one (if there are fixed wheels) or "
            "except two (if there are none)",
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
    up = axes[wheel.steering][0][2]  # 1 for an axis that points up, -1 for one that points down
    travel = cross(axle, UP)
    velocity = add([motion[0], motion[1], 0], scale(motion[2], cross(UP, centre)))
    forward, sideward = dot(travel, velocity), up * cross(travel, velocity)[2]
    if WheelSamples(builder).at_zero(joints.own, builder.number(forward)) < 0:  # opposite direction
        forward, sideward = -forward, -sideward
    return atan2(sideward, forward)
