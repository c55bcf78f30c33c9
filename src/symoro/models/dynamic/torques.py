"""The torques of a motion by the Newton-Euler recursion: one driver for every model that needs them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from symoro.expr.scalar import Scalar
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.dynamic.force_elements import drive_torques, spring_torques
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.inertia import effective_inertias, link_inertias
from symoro.models.dynamic.newton_euler import NewtonEuler
from symoro.models.dynamic.setting import gravity, wrenches
from symoro.models.joints import Trigonometry
from symoro.models.recursion import base_motion, local_frames
from symoro.models.spatial import Inertia
from symoro.program.builder import Builder
from symoro.robot.description import Robot

JointRates = Mapping[int, Scalar]


class Torques:
    """Torques of any number of motions in one program: geometry, inertia, base and wrenches are declared once.

    Arguments:
        regrouped: whether links may share mass across joints; then the torques are right, the wrenches between
            the links are not.
    """

    def __init__(
        self,
        builder: Builder,
        robot: Robot,
        formulation: Formulation,
        joints: Coordinates,
        trig: Trigonometry | None = None,
        *,
        regrouped: bool = True,
    ) -> None:
        self.builder, self.robot, self.formulation, self.joints = builder, robot, formulation, joints
        self.trig = trig or Trigonometry(builder, robot)
        self.locals_ = local_frames(builder, robot, joints.positions, self.trig)
        self.regrouped = regrouped
        self.base = base_motion(builder, robot)
        self.wrenches = wrenches(builder, robot)

    @cached_property
    def inertias(self) -> dict[int, Inertia]:
        """What the joints feel of the links' mass, or all of it."""
        if self.regrouped:
            return effective_inertias(self.builder, self.robot, self.locals_, self.formulation.bases())
        return link_inertias(self.builder, self.robot)

    def recursion(self, qd: JointRates, qdd: JointRates) -> NewtonEuler:
        """The recursion after all its walks: its bodies hold the wrenches, `efforts` those along the joints."""
        inertias = self.inertias  # before gravity: parameters are listed in the order in which they are met
        found = NewtonEuler(self.builder, self.formulation, self.locals_, self.trig)
        found.move(self.base, gravity(self.builder, self.robot), qd, qdd)
        found.load(inertias, self.wrenches)
        found.gather()
        return found

    def at(self, qd: JointRates, qdd: JointRates, *, friction: bool = True) -> list[Scalar]:
        """Torques of the coordinates, with those of rotors, friction and springs unless these are left out."""
        return self.of(self.recursion(qd, qdd), qd, qdd, friction=friction)

    def of(self, recursion: NewtonEuler, qd: JointRates, qdd: JointRates, *, friction: bool) -> list[Scalar]:
        """The same from a recursion that has run."""
        return self.joints.project(self.efforts(recursion, qd, qdd, friction=friction))

    def efforts(
        self, recursion: NewtonEuler, qd: JointRates, qdd: JointRates, *, friction: bool
    ) -> JointRates:
        """Torques of the tree's joints."""
        efforts: JointRates = recursion.efforts
        if friction:
            drives = drive_torques(self.builder, self.robot, qd, qdd)
            springs = spring_torques(self.builder, self.robot, self.joints.positions)
            efforts = {j: efforts[j] + drives[j] + springs.get(j, 0) for j in drives}
        return efforts
