"""The motion of the joints of a tree as models read it, from the inputs through couplings or closed loops."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr.scalar import Scalar
from symoro.models.coordinates.couplings import Coordinates, JointEntries, own_entries, posture
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


@dataclass(frozen=True)
class JointMotion:
    """The motion of every joint of the tree, and the coordinates' own velocities."""

    joints: Coordinates
    own: JointEntries
    qd: JointEntries
    qdd: JointEntries

    @property
    def q(self) -> JointEntries:
        return self.joints.positions

    def accelerated(self, qdd: JointEntries) -> dict[int, Scalar]:
        """The tree's accelerations at other ones of the coordinates."""
        return self.joints.accelerations(qdd, self.own)


def joint_motion(builder: Builder, robot: Robot, *given: str, every_loop: bool = False) -> JointMotion:
    """Declare q, and of qd and qdd what is given; the coordinates do not move, or not accelerate, otherwise."""
    joints = coordinates(builder, robot, every_loop=every_loop)
    none: JointEntries = dict.fromkeys(joints.own, 0)
    qd = own_entries(builder, robot, "qd") if "qd" in given else none
    qdd = own_entries(builder, robot, "qdd") if "qdd" in given else none
    return JointMotion(joints, qd, joints.rates(qd), joints.accelerations(qdd, qd))
