"""The forces of a robot whose base is free: [wrench on the base; joint torques], and the base's acceleration.

    A [Vd0; qdd] + H = [f0; tau]

Two questions are asked. With the motion of the base given, one Newton-Euler recursion that reaches link 0 answers. With
f0 = 0 the acceleration of the base is found first (Khalil 2010, section 7.2), in four steps:

 1  outward and inward, Newton-Euler with the base not accelerated, down to the wrench (f, m) on link 0
 2  inward, the composite inertia (M, MS, J) of what each joint carries    (92) to (95)
 3  M a + al x MS = -f,   J al + MS x a = -m                               (97)
 4  outward, a and al alone                                                (98)
    tau_j += (row of the composite inertia along the axis) . (a, al)       (99), (100)

Gravity is an upward acceleration of the base. In step 1 it is left out: a then holds it, Vd0 = (a + g, al), and the
torques of a free robot do not depend on it. Steps 2 and 4 with ten numbers a link cost less than the paper's vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from symoro.expr.linalg import Vector, add
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.dynamic.composite import column_of, tree_composites
from symoro.models.dynamic.force_elements import drive_torques, spring_torques
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.inertia import effective_inertias, link_inertias
from symoro.models.dynamic.newton_euler import NewtonEuler
from symoro.models.dynamic.setting import wrenches
from symoro.models.dynamic.torques import JointRates
from symoro.models.joints import Trigonometry
from symoro.models.recursion import BaseMotion, Local, local_frames, outward
from symoro.models.spatial import Inertia, Twist, Wrench, turned
from symoro.program.builder import Builder
from symoro.robot.description import Robot

NONE: Vector = [0, 0, 0]


@dataclass(frozen=True)
class Forces:
    """The wrench on the base, and the torques of the coordinates."""

    wrench: Wrench
    tau: list[Scalar]

    def rows(self) -> list[Scalar]:
        """All 6 + n of them."""
        return [*self.wrench.f, *self.wrench.m, *self.tau]


@dataclass(frozen=True)
class Released:
    """The torques with no wrench on the base, and the acceleration that it then has, gravity not in it."""

    tau: list[Scalar]
    base: Twist


class FloatingForces:
    """Forces of any number of motions in one program; geometry, inertia and wrenches are declared once."""

    def __init__(self, builder: Builder, robot: Robot, formulation: Formulation, joints: Coordinates) -> None:
        self.builder, self.robot, self.formulation, self.joints = builder, robot, formulation, joints
        self.trig = Trigonometry(builder, robot)
        self.tree = local_frames(builder, robot, joints.positions, self.trig)
        self.wrenches = wrenches(builder, robot, with_base=True)

    @cached_property
    def inertias(self) -> dict[int, Inertia]:
        return effective_inertias(self.builder, self.robot, self.tree, self.formulation.bases())

    @cached_property
    def composites(self) -> dict[int, Inertia]:
        """The mass that each joint carries, and all of it on link 0."""
        return tree_composites(self.builder, self.robot, self.tree)

    def given(
        self, base: BaseMotion, down: Vector, qd: JointRates, qdd: JointRates, *, friction: bool = True
    ) -> Forces:
        """With the motion of the base; `down` is gravity in frame 0."""
        found = self._recursion(base, down, qd, qdd)
        wrench = Wrench(found.ground.force, found.ground.moment)
        return Forces(wrench, self._projected(found.efforts, qd, qdd, friction))

    def released(self, base: BaseMotion, down: Vector, qd: JointRates, qdd: JointRates) -> Released:
        """With no wrench on the base, whose acceleration is not read."""
        at_rest = BaseMotion(base.v, base.w, NONE, NONE)
        found = self._recursion(at_rest, NONE, qd, qdd)
        wrench = Wrench(found.ground.force, found.ground.moment)
        ground = self.composites[0].solve(-wrench)
        rows = self._rows(ground)
        efforts = {j: effort + rows.get(j, 0) for j, effort in found.efforts.items()}
        return Released(self._projected(efforts, qd, qdd, True), Twist(add(ground.v, down), ground.w))

    def reactions(self, base: BaseMotion, down: Vector, qd: JointRates, qdd: JointRates) -> list[Vector]:
        """The wrench of the antecedent on each link, in its frame: of the links' own mass, not regrouped."""
        own = link_inertias(self.builder, self.robot)
        found = self._recursion(base, down, qd, qdd, own)
        return [body.force + body.moment for _, body in sorted(found.bodies.items())]

    def _recursion(
        self,
        base: BaseMotion,
        down: Vector,
        qd: JointRates,
        qdd: JointRates,
        inertias: Mapping[int, Inertia] | None = None,
    ) -> NewtonEuler:
        inertias = (
            inertias or self.inertias
        )  # before the walks: parameters are listed in the order they are met
        found = NewtonEuler(self.builder, self.formulation, self.tree, self.trig)
        found.move(base, down, qd, qdd)
        found.load(inertias, self.wrenches, with_base=True)
        found.gather()
        return found

    def _rows(self, ground: Twist) -> dict[int, Scalar]:
        """What the acceleration of the base asks of each joint.

        A joint's turn about its own z leaves the product of the column and the acceleration as it is: it is taken
        ahead of that turn, which the inertia has made already.
        """
        found: dict[int, Scalar] = {}

        def step(local: Local, antecedent: Twist) -> Twist:
            ahead = antecedent.ahead(local)
            if local.moving:
                column = turned(local.theta, column_of(local, self.composites[local.j]))
                found[local.j] = column.dot(ahead)
            return ahead.behind(local)

        outward(self.tree, ground, step)
        return found

    def _projected(
        self, efforts: JointRates, qd: JointRates, qdd: JointRates, friction: bool
    ) -> list[Scalar]:
        if friction:
            drives = drive_torques(self.builder, self.robot, qd, qdd)
            springs = spring_torques(self.builder, self.robot, self.joints.positions)
            efforts = {j: efforts[j] + drives[j] + springs.get(j, 0) for j in drives}
        return self.joints.project(efforts)
