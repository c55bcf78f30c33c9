"""Twists transformed outward: the motion of the links when one joint moves, each in the link's axes.

    jV = jAi (iV + iW x iPj),   jW = jAi iW                                         (1997 paper, eq. 6)

The joint itself has (linear; angular) = (0; z) if revolute and (z; 0) if prismatic, so that the twist at link j is
column k of the Jacobian of frame j. As in the Newton-Euler recursion, successive rotations about parallel axes are
replaced by one rotation by the sum of the angles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from symoro.expr.linalg import Vector, add, cross
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Coordinate, joint
from symoro.models.dynamic.formulation import Formulation, quick
from symoro.models.dynamic.newton_euler import LinkState, NewtonEuler
from symoro.models.joints import Trigonometry
from symoro.models.recursion import joint_frames, outward, turn_back_z
from symoro.program.builder import Builder
from symoro.robot.description import JointType, Robot

Bodies = Mapping[int, LinkState]


@dataclass(frozen=True)
class Direction:
    """Free vector in the axes of a link.

    Attributes:
        value: the vector in the axes of the link.
        before_run: the vector in the axes before the sequence of parallel joint axes that ends at the link, if it is
            known.
    """

    value: Vector
    before_run: Vector | None = None

    def to(self, body: LinkState, trig: Trigonometry) -> Direction:
        """Return the vector in the axes of the next link `body`."""
        if body.parallel and body.group and self.before_run is not None:
            x, y, _ = turn_back_z(trig.sincos(body.group), self.before_run)
            return Direction([x, y, self.value[2]], self.before_run)
        before_joint = body.before_joint(self.value)
        return Direction(
            turn_back_z(body.joint_rotation, before_joint), None if body.parallel else before_joint
        )


@dataclass(frozen=True)
class RunTwist:
    """Twist: linear velocity of the origin of a link frame, and angular velocity."""

    linear: Vector
    angular: Direction

    def to(self, body: LinkState, trig: Trigonometry) -> RunTwist:
        """Return the twist at the origin of the next link `body` if this link is rigidly connected to it."""
        moved = add(self.linear, cross(self.angular.value, body.position))
        return RunTwist(body.to_body(moved), self.angular.to(body, trig))

    def plus(self, body: LinkState, rate: Scalar) -> RunTwist:
        """Return the twist plus the velocity `rate` of the joint of link `body` along its axis."""
        x, y, z = self.linear
        if body.sigma == JointType.PRISMATIC:
            return replace(self, linear=[x, y, z + rate])
        if body.sigma == JointType.FIXED:
            return self
        wx, wy, wz = self.angular.value
        return replace(self, angular=replace(self.angular, value=[wx, wy, wz + rate]))


Twists = dict[tuple[Coordinate, int], RunTwist]
NONE = RunTwist([0, 0, 0], Direction([0, 0, 0]))


@dataclass(frozen=True)
class FreeBase:
    """Twist of a free base, and the potential (per unit mass) at its origin."""

    twist: RunTwist
    height: Scalar = 0


def own_axes(formulation: Formulation) -> Formulation:
    """Return the formulation in which the vectors of every link are expressed in the axes of its own frame.

    The inertial parameters of the link are given in these axes.
    """
    return replace(formulation, links=tuple(replace(choice, before=False) for choice in formulation.links))


def placed(
    builder: Builder, robot: Robot, q: Mapping[int, Scalar], trig: Trigonometry
) -> dict[int, LinkState]:
    """Return the links of a robot with their poses in the antecedent frames, each after its antecedent."""
    return NewtonEuler(builder, own_axes(quick(robot)), joint_frames(builder, robot, q, trig), trig).bodies


def joint_twists(bodies: Bodies, trig: Trigonometry, *, free_base: bool = False) -> Twists:
    """Return the twist of link j at unit velocity of coordinate c, by (c, j).

    c is the joint of link j or a joint on the path from link j to the base.

    Args:
        free_base: whether the six coordinates of the base (before all joints) and link 0 are included.
    """
    ground = dict(zip(BASE, _units(), strict=True)) if free_base else {}
    return by_joint(bodies, trig, lambda body: NONE.plus(body, 1), ground)


def _units() -> list[RunTwist]:
    """Return the six unit twists of the base: translations along its axes, then rotations about them."""
    axes: list[Vector] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    moving = [RunTwist(axis, Direction([0, 0, 0])) for axis in axes]
    return moving + [RunTwist([0, 0, 0], Direction(axis)) for axis in axes]


def base_shifts(base: RunTwist) -> dict[Coordinate, RunTwist]:
    """Return minus the derivative of the base's twist with respect to each base coordinate, in the axes of the base."""
    v, w = base.linear, base.angular.value
    axes: list[Vector] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    moving = [RunTwist(cross(axis, w), Direction([0, 0, 0])) for axis in axes]
    turning = [RunTwist(cross(axis, v), Direction(cross(axis, w))) for axis in axes]
    return dict(zip(BASE, [*moving, *turning], strict=True))


def by_joint(
    bodies: Bodies,
    trig: Trigonometry,
    start: Callable[[LinkState], RunTwist],
    ground: Mapping[Coordinate, RunTwist],
) -> Twists:
    """Transform a twist per coordinate outward to all links beyond it; return the twists by (coordinate c, link j).

    Args:
        start: function of a link that returns the twist of its joint's coordinate at this link.
        ground: twists at the base, by base coordinate.
    """

    def step(body: LinkState, above: dict[Coordinate, RunTwist]) -> dict[Coordinate, RunTwist]:
        carried = {c: twist.to(body, trig) for c, twist in above.items()}
        return carried if body.sigma == JointType.FIXED else {**carried, joint(body.j): start(body)}

    by_link = outward(bodies, dict(ground), step)
    return {(c, j): twist for j, twists in by_link.items() for c, twist in twists.items()}


def velocities(
    bodies: Bodies, qd: Mapping[int, Scalar], trig: Trigonometry, base: RunTwist = NONE
) -> dict[int, RunTwist]:
    """Return the twist of every link by link number.

    Args:
        qd: velocities by joint.
        base: twist of the base.
    """
    return outward(bodies, base, lambda body, before: before.to(body, trig).plus(body, qd.get(body.j, 0)))


def weights(bodies: Bodies, gravity: Vector, trig: Trigonometry) -> dict[int, Vector]:
    """Return the gravity vector in the axes of every link, by link number."""
    directions = outward(bodies, Direction(gravity), lambda body, before: before.to(body, trig))
    return {j: direction.value for j, direction in directions.items()}


def name_twist(
    builder: Builder, names: tuple[str, str], where: str, twist: RunTwist, section: str = ""
) -> None:
    """Give names to the entries of a twist in the generated code, for example JV1.. and JW1.. of a Jacobian column.

    Args:
        names: letters of the linear and angular entries.
        where: suffix of the names.
        section: heading in the generated code.
    """
    for name, vector in zip(names, (twist.linear, twist.angular.value), strict=True):
        for axis, x in enumerate(vector, 1):
            builder.named(f"{name}{axis}{where}", x, section)
