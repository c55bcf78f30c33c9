"""Whether a floating base has mass enough: the inertia matrix A of the whole robot must have an inverse.

A base without mass, which one joint alone stands on, can move against that joint while all that has mass is at rest:

    V0 along the joint's axis, qd_j = -V0:   E = 0, and A is singular in every posture

unless the joint has a rotor, whose inertia counts with qd_j. With more joints on it the base moves some mass, but for
joints on one axis.
"""

from __future__ import annotations

from collections.abc import Callable

from symoro.expr.formula import Formula
from symoro.robot.coordinates import followers
from symoro.robot.description import INERTIAL, BaseKind, JointType, Robot

Test = Callable[[Formula], bool]


def unborne_joint(robot: Robot, is_none: Test) -> int | None:
    """The joint against which a floating base moves freely; None where there is none.

    Arguments:
        is_none: whether a parameter is zero.
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
    """Link 0, and the links that no joint moves against it."""
    found = {0}
    while True:
        more = {
            j
            for j, frame in enumerate(robot.frames[: robot.NL], 1)
            if frame.sigma == JointType.FIXED and frame.ant in found and j not in found
        }
        if not more:
            return found
        found |= more
