"""Rolling constraints of the wheels, at the contact point of each wheel, in the axes of frame 0.

With z the axle, c the centre, k = (0, 0, 1) up and r the radius, the contact point is C = c - r k, and t = z x k is
the direction of travel for a positive spin. The point of the wheel at C has the velocity

    v_C = v0 + w0 x C + sum over the joints on its path of a_i x (C - P_i) qd_i  (revolute),  a_i qd_i  (prismatic)

    t.v_C = 0    rolling        z.v_C = 0    sliding        (cos g t + sin g z).v_C = 0    Swedish

Campion, Bastin, d'Andrea-Novel (1996) write these constraints with the angles alpha, beta and gamma. The constraints
depend only on angles about vertical axes, not on the pose of the base or on the spin. A steering joint that depends on
another by Ackermann's relation q_s = f(q) adds the row qd_s - f'(q) qd = 0 of `ackermann`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.expr.derivatives import jacobian as derivatives
from symoro.expr.linalg import Vector, cross, dot
from symoro.expr.scalar import Expr, Scalar, cos, sin
from symoro.models.coordinates.couplings import CoupledCoordinates
from symoro.models.geometric.relative_placement import axes_from
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.wheels.ackermann import tied_positions
from symoro.models.kinematic.wheels.samples import WheelSamples
from symoro.program.builder import Builder
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import chain
from symoro.robot.wheels import Wheel, WheelKind

BASE = 3
"""Number of columns of the base: V0x V0y W0z."""
UP: Vector = [0, 0, 1]


@dataclass(frozen=True)
class Constraint:
    """One rolling constraint: a linear equation in the base velocities and joint velocities.

    Attributes:
        wheel: number of the wheel, from 1.
        what: 'rolling', 'sliding', 'roller' or 'linkage'.
        entries: coefficients by column; the columns V0x, V0y, W0z come first, then the joint coordinates.
    """

    wheel: int
    what: str
    entries: Mapping[int, Scalar]


@dataclass(frozen=True)
class Contact:
    """Coefficients of the velocity of a wheel's contact point, by column (base velocities, then joint velocities).

    Attributes:
        travel: coefficients of the velocity along the direction of travel.
        axle: coefficients of the velocity along the axle.
    """

    travel: Mapping[int, Scalar]
    axle: Mapping[int, Scalar]

    def along(self, travel: Scalar, axle: Scalar) -> dict[int, Scalar]:
        """Return the coefficients of a linear combination of the two velocities.

        Args:
            travel: factor of the velocity along the direction of travel.
            axle: factor of the velocity along the axle.
        """
        return {k: travel * self.travel[k] + axle * self.axle[k] for k in self.travel}


def contact(
    builder: Builder,
    robot: Robot,
    wheel: Wheel,
    joints: CoupledCoordinates,
    positions: Mapping[int, Scalar],
    trig: Trigonometry,
) -> Contact:
    """Return the coefficients of the velocity of a wheel's contact point at the given joint positions.

    Args:
        joints: joint coordinates of the robot.
        positions: positions of all joints, by joint number.
        trig: sines and cosines of the joint angles.
    """
    axes = axes_from(builder, robot, 0, wheel.frame, positions, trig)
    axle, centre = axes[wheel.frame]
    both = cross(axle, UP), axle
    by_joint: dict[int, Vector] = {}
    turn: Vector | None = None
    for j in chain(robot, wheel.frame):
        if j == wheel.frame:
            by_joint[j] = [-builder.formula(wheel.radius), 0]
        elif robot.frame(j).sigma == JointType.PRISMATIC:
            by_joint[j] = [dot(direction, axes[j][0]) for direction in both]
        elif robot.frame(j).sigma == JointType.REVOLUTE:
            sign, moved = _turned(builder, robot, j, wheel, positions, trig, axes[j][0][2])
            by_joint[j] = moved
            if turn is None:  # rotation of the base: that of the joint, plus the motion of the joint's axis
                about = cross(UP, axes[j][1])
                turn = [sign * x + dot(direction, about) for x, direction in zip(moved, both, strict=True)]
    turn = turn or [dot(direction, cross(UP, centre)) for direction in both]
    column_of = {j: BASE + k for k, j in enumerate(joints.own)}
    components: list[dict[int, Scalar]] = [
        {0: direction[0], 1: direction[1], 2: x} for direction, x in zip(both, turn, strict=True)
    ]
    for j, moved in by_joint.items():
        for i, ratio in joints.rows[j]:
            for entries, x in zip(components, moved, strict=True):
                entries[column_of[i]] = entries.get(column_of[i], 0) + ratio * x
    return Contact(*components)


def _turned(
    builder: Builder,
    robot: Robot,
    j: int,
    wheel: Wheel,
    positions: Mapping[int, Scalar],
    trig: Trigonometry,
    upward: Scalar,
) -> tuple[int, Vector]:
    """Return the velocity of a wheel's contact point due to the vertical revolute joint j.

    The velocity is computed in the frame of the joint and does not depend on its angle.

    Args:
        upward: vertical component of the joint axis.

    Returns:
        Sign of the joint axis (1 upward, -1 downward), and the velocity along the direction of travel and the axle.
    """
    axle, centre = axes_from(builder, robot, j, wheel.frame, positions, trig)[wheel.frame]
    sign = round(WheelSamples(builder).values([upward])[0][0])
    lever = cross([0, 0, 1], centre)
    return sign, [dot(cross(axle, [0, 0, sign]), lever), dot(axle, lever)]


def constraints(
    builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry
) -> list[Constraint]:
    """Return the rolling constraints of all wheels, including redundant ones; sliding constraints are listed first."""
    tied = tied_positions(builder, robot, joints, trig)
    positions = {**joints.positions, **tied}
    rows: list[Constraint] = []
    for number, wheel in enumerate(robot.wheels, 1):
        at = contact(builder, robot, wheel, joints, positions, trig)
        if wheel.kind == WheelKind.SWEDISH:
            g = builder.formula(wheel.roller)
            rows.append(_row(builder, number, "roller", at.along(cos(g), sin(g))))
        else:
            rows.append(_row(builder, number, "rolling", at.travel))
            rows.append(_row(builder, number, "sliding", at.axle))
        if wheel.follows:
            rows.append(_linkage(builder, number, wheel, joints, builder.number(tied[wheel.steering])))
    order = {"sliding": 0, "rolling": 1, "roller": 1, "linkage": 2}
    fixed = {k for k, wheel in enumerate(robot.wheels, 1) if wheel.kind == WheelKind.FIXED}
    return sorted(rows, key=lambda row: (order[row.what], row.wheel not in fixed, row.wheel))


def _row(builder: Builder, wheel: int, what: str, entries: Mapping[int, Scalar]) -> Constraint:
    kept = {k: builder.number(x) for k, x in entries.items()}
    return Constraint(wheel, what, {k: x for k, x in kept.items() if not x.is_zero})


def _linkage(
    builder: Builder, number: int, wheel: Wheel, joints: CoupledCoordinates, position: Expr
) -> Constraint:
    """Return the constraint qd_s - sum of df/dq_i qd_i = 0 of a dependent steering joint s.

    Args:
        number: number of the wheel, from 1.
        position: f(q), the position of the steering joint as a function of the others.
    """
    variables = [builder.number(joints.positions[j]) for j in joints.own]
    partials = derivatives(builder.graph, [position.lit], [x.lit >> 1 for x in variables])[0]
    entries: dict[int, Scalar] = {BASE + k: -Expr(builder.graph, lit) for k, lit in enumerate(partials)}
    own = BASE + joints.own.index(wheel.steering)
    return _row(builder, number, "linkage", {**entries, own: builder.number(1)})
