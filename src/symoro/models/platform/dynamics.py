"""The platform of a robot in its own coordinates: kinematics and dynamics at a pose.

Six UPS legs with light balls have a special form (`leg_dynamics`). All other legs are solved joint by joint, and their
tree has the dynamics (`tree_dynamics`).
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.models.platform.coordinates import PlatformCoordinates
from symoro.models.platform.leg import legs_of
from symoro.models.platform.leg_dynamics import LegCoordinates, LegDynamics, light_ups_legs
from symoro.models.platform.pose import PlatformPose, pose_input, working_modes
from symoro.models.platform.tree_dynamics import PlatformDynamics, has_light_ends
from symoro.program.builder import Builder
from symoro.robot.description import Robot
from symoro.robot.platform import ParallelRobot, parallel_robot


def platform_coordinates(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, modes: Sequence[int]
) -> PlatformCoordinates | LegCoordinates:
    """Return the coordinates of a platform at a pose.

    Arguments:
        modes: working mode of each leg, 1 or 2.

    Raises:
        NotApplicableError: a leg has no closed form, or the number of motors is wrong.
    """
    ups = light_ups_legs(builder, parallel)
    if ups is not None:
        return LegCoordinates(builder, parallel, ups, pose, modes)
    legs = legs_of(builder, parallel)
    return PlatformCoordinates(
        builder, parallel, legs, pose, modes, end_joints=not has_light_ends(parallel, legs)
    )


def platform_input(
    builder: Builder, robot: Robot, to: int | str | None, fold: str
) -> PlatformCoordinates | LegCoordinates:
    """Declare the input T and return the coordinates of the platform.

    Raises:
        NotApplicableError: the robot is not a platform on legs with closed forms.
        OptionError: `fold` is not a working mode for all legs, or one per leg.
    """
    parallel = parallel_robot(robot, to)
    pose = pose_input(builder)
    return platform_coordinates(builder, parallel, pose, working_modes(fold, len(parallel.legs)))


def platform_dynamics(
    coordinates: PlatformCoordinates | LegCoordinates,
) -> PlatformDynamics | LegDynamics:
    """Return the equations of motion of a platform."""
    if isinstance(coordinates, LegCoordinates):
        return LegDynamics(coordinates)
    return PlatformDynamics(coordinates)
