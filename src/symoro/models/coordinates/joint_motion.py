"""The coordinates of the joints as models read them, from the input q through couplings or closed loops."""

from __future__ import annotations

from symoro.models.coordinates.couplings import Coordinates, posture
from symoro.program.builder import Builder
from symoro.robot.description import Robot


def coordinates(builder: Builder, robot: Robot, *, every_loop: bool = False) -> Coordinates:
    """Declare the input q, and take it for the coordinates, or for the posture of a robot with loops.

    Arguments:
        every_loop: whether parallelograms have equations like other loops, as their reactions need them.

    Raises:
        NotApplicableError: the active joints of a robot with loops do not fit them.
    """
    tree = posture(builder, robot)
    if not robot.B:
        return tree
    from symoro.models.kinematic.loop.coordinates import loop_coordinates  # it loads NumPy

    return loop_coordinates(builder, robot, tree, every_loop=every_loop)
