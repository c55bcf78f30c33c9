"""The class of a robot on wheels: how it can move at once, and how many wheels steer it.

With C the sliding constraints of the fixed wheels and of the steering wheels on the base's motion xi = (x, y, turn),

    degree of mobility        3 - rank C                        velocities that the base can have at a moment
    degree of steerability    rank of the steering wheels' rows   wheels that turn independently

both at generic steering angles; castors and Swedish wheels bind nothing. Five classes exist: (3,0), (2,0), (2,1), (1,1)
and (1,2) (Campion, Bastin, d'Andrea-Novel 1996). Wheels that a linkage ties to others, or that steer together, count as
one. A trailer's wheels follow, as castors do.
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
    (3, 0): "it can move in any direction, whatever its posture",
    (2, 0): "it moves along one line and turns, like a differential drive",
    (2, 1): "it moves along one line, which a wheel steers, and turns",
    (1, 1): "it turns about a point that one steering angle sets, like a car",
    (1, 2): "it turns about a point that two steering angles set",
}
WHAT = "the axles of the wheels"


class WheeledClass(NamedTuple):
    """The degrees of mobility and of steerability."""

    mobility: int
    steerability: int

    @property
    def words(self) -> str:
        """The class for people."""
        kind = f"class ({self.mobility},{self.steerability})"
        description = CLASSES.get((self.mobility, self.steerability))
        if description is None:
            description = "none of the five: " + (
                "it cannot move" if not self.mobility else "it turns about one point"
            )
        return f"{kind}, {description}"


@dataclass(frozen=True)
class Axles:
    """The sliding constraints on the base of the wheels that bind it.

    Attributes:
        rows: independent ones.
        steering: the coordinates that turn leading wheels, in frame order.
        class_: the degrees of mobility and steerability.
    """

    rows: Matrix
    steering: tuple[int, ...]
    class_: WheeledClass


def mobility(robot: Robot) -> WheeledClass:
    """The degrees of mobility and of steerability of a robot on wheels.

    Raises:
        NotApplicableError: it has no wheels, or they bind it almost but not quite twice.
    """
    reason = on_wheels(robot)
    if reason:
        raise NotApplicableError(
            f"mobility is that of a robot on wheels, and robot '{robot.name}' is none: {reason}"
        )
    builder = Builder(robot.name)
    return axles(builder, robot, posture(builder, robot), Trigonometry(builder, robot)).class_


def axles(builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry) -> Axles:
    """What the fixed and the steering wheels leave to the base."""
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
    """Whether a wheel keeps the base from sliding along its axle: no joint that is free lets it go aside."""
    between = [j for j in chain(robot, wheel.frame) if j not in (wheel.frame, wheel.steering)]
    mounted = not any(robot.frame(j).moving for j in between)
    return mounted and wheel.kind in (WheelKind.FIXED, WheelKind.STEERING)
