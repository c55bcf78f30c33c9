"""Independent joint coordinates of a robot, which may have coupled joints or closed loops."""

from __future__ import annotations

from symoro.models.coordinates.couplings import Coordinates, posture
from symoro.program.builder import Builder
from symoro.robot.description import Robot


def coordinates(builder: Builder, robot: Robot, *, every_loop: bool = False) -> Coordinates:
    """Declare the input q of a model and return the joint coordinates of the robot.

    For a robot with closed loops, q contains the positions of all joints of the tree, and the independent coordinates
    are the active joints.

    Args:
        every_loop: whether parallelograms have constraint equations like other loops; reaction forces require them.

    Raises:
        NotApplicableError: the active joints do not determine the motion of the closed loops.
    """
    tree = posture(builder, robot)
    if not robot.B:
        return tree
    from symoro.models.kinematic.loop.coordinates import (
        loop_coordinates,
    )  # imported here because it loads NumPy

    return loop_coordinates(builder, robot, tree, every_loop=every_loop)
