"""The layout of a robot's coordinates: which blocks it has, and which constraints lie between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from symoro.models.coordinates.blocks import Block, Coordinate
from symoro.models.coordinates.couplings import coordinate_joints, posture
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.coordinates.provider import ChainedCoordinates, ConstraintProvider, TreeCoordinates
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import Base, BaseKind, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.topology import elastic_joints, loops, moving_joints


@dataclass(frozen=True)
class PlatformSpace:
    """The coordinates of a platform.

    Attributes:
        to: its frame; by default the one that the robot names.
        fold: working modes of the legs, one digit for all or one per leg.
        with_positions: whether the positions of the joints are an output.
    """

    to: int | str | None = None
    fold: str = "1"
    with_positions: bool = False


@dataclass(frozen=True)
class Layout:
    """The coordinates of a robot.

    Attributes:
        actuators: 'elastic' where the motors of elastic joints have coordinates.
        surplus: 'share' where a robot on wheels may have more drives than freedoms.
        free: the joints that are named as force-driven.
        platform: where the coordinates are those of a platform.
    """

    robot: Robot
    actuators: str | None = None
    surplus: str = "refuse"
    free: tuple[int, ...] = ()
    platform: PlatformSpace | None = None

    @cached_property
    def has_free_base(self) -> bool:
        """Whether the base has six coordinates of its own."""
        return self.robot.base.kind == BaseKind.FLOATING

    @cached_property
    def is_coupled(self) -> bool:
        """Whether joints of the tree follow others: G is not 1."""
        return bool(self.robot.wheels) or len(moving_joints(self.robot)) != len(coordinate_joints(self.robot))

    @cached_property
    def modes(self) -> tuple[Coordinate, ...]:
        """The coordinates of the flexible links."""
        links = flexible_links(self.robot)
        return tuple(Coordinate(Block.MODE, j, k) for j, f in links.items() for k in range(1, f.modes + 1))

    @cached_property
    def motors(self) -> tuple[int, ...]:
        """The joints whose motors have coordinates."""
        return tuple(elastic_joints(self.robot)) if self.actuators else ()

    def is_spring_driven(self, j: int) -> bool:
        """Return whether only a spring acts on a joint: it is elastic, without a motor, in no closed loop."""
        return self.robot.frame(j).eta and not self.robot.B and j not in self.motors

    def is_force_driven(self, j: int) -> bool:
        """Return whether a joint of inverse dynamics has a known force: a spring, a motor's spring, or one given."""
        return j in self.free or j in self.motors or self.is_spring_driven(j)


def constraint_provider(builder: Builder, layout: Layout, *, every_loop: bool = False) -> ConstraintProvider:
    """Declare the input q and return the coordinates of a robot.

    Arguments:
        every_loop: whether parallelograms have equations like other loops, as reactions require them.

    Raises:
        NotApplicableError: the active joints do not determine the motion of loops or wheels.
    """
    robot = layout.robot
    if not robot.wheels:
        joints = coordinates(builder, robot, every_loop=every_loop)
        return TreeCoordinates(joints, base=layout.has_free_base, modes=layout.modes, motors=layout.motors)
    from symoro.models.coordinates.wheels import WheelCoordinates  # it loads NumPy

    if not robot.B:
        return WheelCoordinates(builder, robot, surplus=layout.surplus == "share")
    from symoro.models.kinematic.loop.coordinates import loop_coordinates

    joints = posture(builder, robot)
    passive = [j for j in independent(robot) if not robot.frame(j).mu]
    inside = {j for loop in loops(robot) for j in loop.frames}
    closed = _driven(robot.replace(wheels=(), base=Base()), [j for j in passive if j not in inside])
    rolling = _driven(robot.tree(), [j for j in passive if j in inside])
    inner = TreeCoordinates(loop_coordinates(builder, closed, joints, every_loop=every_loop))
    return ChainedCoordinates(inner, WheelCoordinates(builder, rolling, joints=joints))


def _driven(robot: Robot, joints: Sequence[int]) -> Robot:
    """Return the robot with further active joints, whose motion another constraint determines."""
    for j in joints:
        robot = robot.with_frame(j, mu=True)
    return robot
