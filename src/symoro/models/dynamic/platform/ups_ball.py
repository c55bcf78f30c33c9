"""Friction and rotors in the turns of a leg's ball, between links without mass.

With z4, z5, z6 the axes of the turns, z5 across the others, c = z4.z6, and w the platform's angular velocity less the
leg's,

    q4' = d4.w,  q5' = z5.w,  q6' = d6.w,     d4 = (z4 - c z6) / (1 - c^2),   d6 = (z6 - c z4) / (1 - c^2)

A torque t in a turn with direction d loads the platform with the moment t d and, since the leg turns with the velocity
of its ball's centre, the ball with the force of equal power: -t (w_leg by v)' d. All in the leg's own axes.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr.linalg import Vector, add, cross, dot, matvec, rotation_of, scale, subtract
from symoro.expr.scalar import Scalar, cos, less, sin, sqrt
from symoro.models.dynamic.platform.pose import PlatformPose
from symoro.models.dynamic.platform.ups import LEAST, RIGHT, LegAxes, LegPosture
from symoro.models.geometric.places import before_turn
from symoro.models.joints import is_zero
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, Robot


@dataclass(frozen=True)
class BallDrive:
    """The drive of one turn: IA, FV, FS, FO."""

    turn: int
    drive: Vector


def ball_drives(builder: Builder, robot: Robot, joints: tuple[int, ...]) -> list[BallDrive]:
    """The turns of a ball (0, 1, 2) that have friction or a rotor."""
    found = []
    for turn, j in enumerate(joints):
        drive: Vector = [builder.formula(getattr(robot.frame(j), name)) for name in DRIVE]
        if not all(is_zero(x) for x in drive):
            found.append(BallDrive(turn, drive))
    return found


class BallAxes:
    """The axes of a ball's turns in the leg's own axes, and how the turns follow from an angular velocity."""

    def __init__(
        self, builder: Builder, robot: Robot, pose: PlatformPose, at: LegPosture, axes: LegAxes
    ) -> None:
        first, second, third = (robot.frame(j) for j in at.leg.joints[3:])
        own = [row[2] for row in rotation_of(before_turn(builder, first))]
        c, s = cos(at.leg.spin), sin(at.leg.spin)
        self.z4: Vector = [c * own[0] - s * own[1], s * own[0] + c * own[1], own[2]]
        seat = matvec(pose.rotation, [row[2] for row in at.leg.seat])
        self.basis = (axes.ex, axes.ey, at.u)
        self.z6: Vector = [dot(e, seat) for e in self.basis]
        across = cross(self.z4, self.z6)
        square = dot(across, across)
        sign = -RIGHT[second.alpha.text] * RIGHT[third.alpha.text]
        self.z5: Vector = scale(sign / sqrt(square), across)
        along = dot(self.z4, self.z6)
        inverse = 1 / square
        self.directions = (
            scale(inverse, subtract(self.z4, scale(along, self.z6))),
            self.z5,
            scale(inverse, subtract(self.z6, scale(along, self.z4))),
        )
        self.regular = less(LEAST, square)

    def local(self, v: Vector) -> Vector:
        """A vector of frame 0 in the leg's axes."""
        return [dot(e, v) for e in self.basis]

    def world(self, v: Vector) -> Vector:
        """A vector of the leg's axes in frame 0."""
        ex, ey, u = self.basis
        return add(add(scale(v[0], ex), scale(v[1], ey)), scale(v[2], u))

    def rates(self, difference: Vector) -> Vector:
        """The turns' rates from platform less leg."""
        return [dot(d, difference) for d in self.directions]

    def bias(self, leg: Vector, rates: Vector) -> Vector:
        """The angular acceleration of platform less leg at zero acceleration of the turns."""
        w = leg
        total: Vector = [0, 0, 0]
        for axis, rate in zip((self.z4, self.z5, self.z6), rates, strict=True):
            turned = scale(rate, axis)
            total = add(total, cross(w, turned))
            w = add(w, turned)
        return total


def at_tip(direction: Vector, k: Scalar, inverse: Scalar) -> tuple[Scalar, Scalar]:
    """Force (x, y) at the ball per unit torque of a turn with this direction; k, 1 / L as in `ups_load`."""
    x, y, z = direction
    return -y * inverse, (x + k * z) * inverse
