"""Class of a wheeled robot: its degrees of mobility and steerability.

Let C be the matrix of the sliding constraints C xi = 0 that the fixed and the steering wheels impose on the velocity
xi = (x, y, turn) of the base:

    degree of mobility        3 - rank C                          instantaneous degrees of freedom of the base
    degree of steerability    rank of the steering wheels' rows   wheels that are steered independently

both at generic steering angles; castors and Swedish wheels impose no constraint. Five classes exist: (3,0), (2,0),
(2,1), (1,1) and (1,2) (Campion, Bastin, d'Andrea-Novel 1996). Wheels that a linkage connects to others, or that are
steered together, count as one. The wheels of a trailer do not constrain the base, like castors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix
from symoro.models.coordinates.couplings import CoupledCoordinates, posture
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.wheels.ackermann import sliding, tied_positions
from symoro.models.kinematic.wheels.samples import WheelSamples, independent_rows, rank, robot_length
from symoro.models.kinematic.wheels.setting import on_wheels
from symoro.program.builder import Builder
from symoro.robot.description import Robot
from symoro.robot.topology import chain
from symoro.robot.wheels import Wheel, WheelKind

CLASSES = {
    (3, 0): "it can move in any direction in every configuration",
    (2, 0): "it moves along one line and rotates, like a differential drive",
    (2, 1): "it moves along one line, whose direction is steered, and rotates",
    (1, 1): "it rotates about a point determined by one steering angle, like a car",
    (1, 2): "it rotates about a point determined by two steering angles",
}
WHAT = "the axles of the wheels"


class WheeledClass(NamedTuple):
    """Class of a wheeled robot: its degree of mobility and its degree of steerability."""

    mobility: int
    steerability: int

    @property
    def words(self) -> str:
        """Description of the class in words, for example for messages and tables."""
        kind = f"class ({self.mobility},{self.steerability})"
        description = CLASSES.get((self.mobility, self.steerability))
        if description is None:
            description = "none of the five: " + (
                "it cannot move" if not self.mobility else "it rotates about one point"
            )
        return f"{kind}, {description}"


@dataclass(frozen=True)
class Axles:
    """Sliding constraints of the fixed and the steering wheels on the velocity of the base.

    Attributes:
        rows: coefficients of the independent constraints.
        steering: numbers of the joint coordinates that steer leading wheels, in frame order.
        class_: degrees of mobility and steerability.
    """

    rows: Matrix
    steering: tuple[int, ...]
    class_: WheeledClass


def mobility(robot: Robot) -> WheeledClass:
    """Return the degrees of mobility and of steerability of a wheeled robot.

    Raises:
        NotApplicableError: the robot has no wheels, or the rank of their constraints is not clear.
    """
    reason = on_wheels(robot)
    if reason:
        raise NotApplicableError(
            f"the degrees of mobility apply to wheeled robots only; robot '{robot.name}': {reason}"
        )
    builder = Builder(robot.name)
    return axles(builder, robot, posture(builder, robot), Trigonometry(builder, robot)).class_


def axles(builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry) -> Axles:
    """Return the sliding constraints of the fixed and the steering wheels on the velocity of the base."""
    positions = {**joints.positions, **tied_positions(builder, robot, joints, trig)}
    binding = [wheel for wheel in robot.wheels if _binds(robot, wheel)]
    every = [sliding(builder, robot, wheel, positions, trig) for wheel in binding]
    samples = WheelSamples(builder)
    length = robot_length(builder, robot)
    kept = independent_rows(samples.matrices(every, length), WHAT) if every else []
    leading = [k for k, wheel in enumerate(binding) if wheel.kind == WheelKind.STEERING and not wheel.follows]
    turning = {i for k in leading for i, _ in joints.rows[binding[k].steering]}
    steering = rank(samples.matrices([every[k] for k in leading], length), WHAT) if leading else 0
    degrees = WheeledClass(3 - len(kept), min(steering, len(turning)))
    return Axles([every[k] for k in kept], tuple(sorted(turning)), degrees)


def _binds(robot: Robot, wheel: Wheel) -> bool:
    """Return whether a wheel prevents sliding of the base along the wheel's axle.

    This is the case for a fixed or steering wheel, unless a joint other than its steering joint moves it relative to
    the base.
    """
    between = [j for j in chain(robot, wheel.frame) if j not in (wheel.frame, wheel.steering)]
    mounted = not any(robot.frame(j).moving for j in between)
    return mounted and wheel.kind in (WheelKind.FIXED, WheelKind.STEERING)
