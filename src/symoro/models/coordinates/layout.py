"""Choice of the generalised coordinates of a robot: their blocks and the constraints between them."""

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
    """Options of models whose generalised coordinates are the pose of a platform.

    Attributes:
        to: frame of the platform; None selects the platform frame of the description.
        working_mode: working modes of the legs, one digit for all legs or one digit per leg.
        with_positions: whether the joint positions are an output of the model.
    """

    to: int | str | None = None
    working_mode: str = "1"
    with_positions: bool = False


@dataclass(frozen=True)
class Layout:
    """Choice of the generalised coordinates in which the models of a robot are written.

    Attributes:
        robot: the robot.
        actuators: 'elastic' if the motors of elastic joints have coordinates, else None.
        surplus: 'share' if a wheeled robot may have more drives than degrees of freedom, else 'refuse'.
        free: numbers of the joints with given torque and unknown acceleration (hybrid dynamics).
        platform: options of platform coordinates; None if the coordinates are those of joints.
    """

    robot: Robot
    actuators: str | None = None
    surplus: str = "refuse"
    free: tuple[int, ...] = ()
    platform: PlatformSpace | None = None

    @cached_property
    def has_free_base(self) -> bool:
        """Whether the base is floating, with six independent coordinates."""
        return self.robot.base.kind == BaseKind.FLOATING

    @cached_property
    def is_coupled(self) -> bool:
        """Whether joints of the tree depend on other joints (couplings, closed loops or rolling wheels)."""
        return bool(self.robot.wheels) or len(moving_joints(self.robot)) != len(coordinate_joints(self.robot))

    @cached_property
    def modes(self) -> tuple[Coordinate, ...]:
        """Generalised coordinates of all modes of the flexible links."""
        links = flexible_links(self.robot)
        return tuple(Coordinate(Block.MODE, j, k) for j, f in links.items() for k in range(1, f.modes + 1))

    @cached_property
    def motors(self) -> tuple[int, ...]:
        """Numbers of the elastic joints whose motor positions are separate coordinates."""
        return tuple(elastic_joints(self.robot)) if self.actuators else ()

    def is_spring_driven(self, j: int) -> bool:
        """Return whether joint j is moved by its spring alone, without a motor.

        This holds for an elastic joint of a robot without closed loops whose motor has no coordinate.
        """
        return self.robot.frame(j).eta and not self.robot.B and j not in self.motors

    def is_force_driven(self, j: int) -> bool:
        """Return whether the torque (or force) of joint j is known in inverse dynamics.

        The torque is known if it is an input (hybrid dynamics) or if the spring of the joint alone produces it.
        """
        return j in self.free or j in self.motors or self.is_spring_driven(j)


def constraint_provider(builder: Builder, layout: Layout, *, every_loop: bool = False) -> ConstraintProvider:
    """Declare the input q of a model and return the constraints between the coordinates of a robot.

    Args:
        layout: choice of the generalised coordinates, with the robot.
        every_loop: whether parallelograms have constraint equations like other loops; reaction forces require them.

    Raises:
        NotApplicableError: the active joints do not determine the motion of loops or wheels.
    """
    robot = layout.robot
    if not robot.wheels:
        joints = coordinates(builder, robot, every_loop=every_loop)
        return TreeCoordinates(joints, base=layout.has_free_base, modes=layout.modes, motors=layout.motors)
    from symoro.models.coordinates.wheels import WheelCoordinates  # imported here because it loads NumPy

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
    """Return a copy of the robot in which the given passive joints are marked as active.

    It is used if two sets of constraints act on a robot: for one set, these joints are active, because the other set
    determines their motion.
    """
    for j in joints:
        robot = robot.with_frame(j, mu=True)
    return robot
