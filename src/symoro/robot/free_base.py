"""Check that the inertia matrix A of a robot with a floating base is regular.

A massless base with only one joint can move against this joint while all bodies with mass are at rest:

    V0 along the axis of the joint, qd_j = -V0:   kinetic energy E = 0, so that A is singular in every configuration,

unless the joint has a rotor inertia, which contributes to E with qd_j. If several joints are attached to the base, a
motion of the base moves some mass, except if all the joints have the same axis.
"""

from __future__ import annotations

from collections.abc import Callable

from symoro.expr.formula import Formula
from symoro.robot.coordinates import followers
from symoro.robot.description import INERTIAL, BaseKind, JointType, Robot

Test = Callable[[Formula], bool]


def inertia_free_base_joint(robot: Robot, is_none: Test) -> int | None:
    """Return the joint that makes the inertia matrix of a robot with a massless floating base singular, or None.

    The base can move against this joint without moving any mass.

    Args:
        robot: the robot.
        is_none: function that returns whether a formula (an inertial parameter) is zero.
    """
    if robot.base.kind != BaseKind.FLOATING:
        return None
    fixed = _fixed_on_base(robot)
    links = [robot.link(j) for j in fixed]
    if robot.payload and robot.tool and robot.tool.place.ant in fixed:
        links.append(robot.payload)
    if not all(is_none(getattr(link, name)) for link in links for name in INERTIAL):
        return None
    standing = [j for j, frame in enumerate(robot.frames, 1) if frame.ant in fixed and j not in fixed]
    if len(standing) != 1 or standing[0] > robot.NL or not is_none(robot.frame(standing[0]).IA):
        return None
    (j,) = standing
    relations = followers(robot)
    coupled = {j for j, law in relations.items()} | {i for law in relations.values() for i, _ in law.terms}
    return None if j in coupled else j


def _fixed_on_base(robot: Robot) -> set[int]:
    """Return the numbers of the links that are rigidly connected to the base, including link 0."""
    fixed = {0}
    while True:
        more = {
            j
            for j, frame in enumerate(robot.frames[: robot.NL], 1)
            if frame.sigma == JointType.FIXED and frame.ant in fixed and j not in fixed
        }
        if not more:
            return fixed
        fixed |= more
