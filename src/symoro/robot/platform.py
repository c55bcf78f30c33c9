"""Parallel robots as a platform with legs, recognised from the spanning tree and its loops.

The platform is one rigid body. Leg 1 carries it through all its joints. Each of the other legs ends before its last
joint, which is cut at frame k; the other frame of the cut, k + B, is fixed to the platform. Loops between links of the
same leg are inner loops of that leg.

W. Khalil, O. Ibrahim, "General solution for the dynamic modeling of parallel robots", Journal of Intelligent and
Robotic Systems 49, 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import Loop, chain, loops, moving_joints, subtree


@dataclass(frozen=True)
class PlatformLeg:
    """Leg of a parallel robot, from the base to the platform.

    Attributes:
        number: number of the leg, from 1; leg 1 carries the platform.
        links: frames of the tree from the base to the platform (excluded) for leg 1, or to the cut joint for other
            legs.
        members: all links of the leg, including those of inner loops, without the platform.
        loop: loop that connects the leg to the platform; None for leg 1.
        inner: loops between links of this leg.
    """

    number: int
    links: tuple[int, ...]
    members: tuple[int, ...]
    loop: Loop | None
    inner: tuple[Loop, ...]


@dataclass(frozen=True)
class ParallelRobot:
    """Structure of a parallel robot: its platform and its legs.

    Attributes:
        platform: number of the platform frame.
        body: frames that are rigidly connected to the platform; the last joint of leg 1 carries the first of them.
    """

    robot: Robot
    platform: int
    body: tuple[int, ...]
    legs: tuple[PlatformLeg, ...]


def platform_frame(robot: Robot, to: int | str | None = None) -> int:
    """Return the number of the platform frame of a parallel robot.

    It is the frame `to` if given. Otherwise it is the platform frame of the description. If the description has none,
    it is the link with the most loops.

    Raises:
        NotApplicableError: the robot has no platform.
    """
    if to is not None:
        return robot.frame_number(to)
    if robot.platform is not None:
        return robot.platform
    joined: dict[int, set[int]] = {}
    for loop in loops(robot):
        ends = [_link(robot, loop.left), _link(robot, loop.right)]
        for one, other in (ends, ends[::-1]):
            if one and other and chain(robot, one)[0] != chain(robot, other)[0]:
                joined.setdefault(one, set()).add(chain(robot, other)[0])
    if not joined:
        raise NotApplicableError(
            f"robot '{robot.name}' has no platform: none is described, and no link closes loops with several legs",
            hint="write the platform into the robot's description, or give its frame with the option 'to'",
        )
    return max(joined, key=lambda j: (len(joined[j]), j))


def motors(robot: Robot) -> list[int]:
    """Return the numbers of the active joints of the tree, in frame order."""
    return [j for j in moving_joints(robot) if robot.frame(j).mu]


def plain_joint(robot: Robot, j: int) -> bool:
    """Return whether joint j is rigid and not coupled, and has no prescribed velocity, acceleration or torque."""
    frame = robot.frame(j)
    fixed = [value for value in (frame.QP, frame.QDP, frame.GAM) if value is not None]
    return not (frame.eta or frame.coupling or fixed)


def _link(robot: Robot, j: int) -> int:
    """Return the number of the link to which frame j of a cut joint is fixed."""
    j = robot.frame(j).ant
    while j > robot.NL:
        j = robot.frame(j).ant
    return j


def parallel_robot(robot: Robot, to: int | str | None = None) -> ParallelRobot:
    """Return the structure of a parallel robot: its platform and legs.

    Args:
        to: platform frame by number or name; determined by `platform_frame` if None.

    Raises:
        NotApplicableError: the robot does not have this structure; the message contains the reason.
    """
    platform = platform_frame(robot, to)
    if robot.base.kind != BaseKind.FIXED:
        raise NotApplicableError(
            f"the base of the legs is {robot.base.kind}; the platform models require a fixed base"
        )
    if not robot.B:
        raise NotApplicableError(f"robot '{robot.name}' has no closed loops: it is not a parallel robot")
    if not 1 <= platform <= robot.NL:
        raise NotApplicableError(f"frame {platform} carries no link and cannot be the platform")
    body = _body(robot, platform)
    roots = [j for j in range(1, robot.NL + 1) if robot.frame(j).ant == 0]
    first = chain(robot, platform)[0]
    closing: dict[int, list[Loop]] = {root: [] for root in roots}
    inner: dict[int, list[Loop]] = {root: [] for root in roots}
    for loop in loops(robot):
        left, right = (chain(robot, _link(robot, k) or k)[0] for k in (loop.left, loop.right))
        if left == right:
            inner[left].append(loop)
        elif first in (left, right):
            closing[right if left == first else left].append(_on_platform(robot, loop, body))
        else:
            raise NotApplicableError(
                f"loop {loop.left}-{loop.right} connects two legs, and not a leg with the platform"
            )
    for root in roots:
        if root != first and len(closing[root]) != 1:
            message = f"the leg that begins with frame {root} is connected to the platform {len(closing[root])} times"
            raise NotApplicableError(
                message, hint="each leg except the first must be connected to it exactly once"
            )
    others = [root for root in roots if root != first]
    legs = [_leg(robot, 1, first, body, None, inner[first])]
    legs += [_leg(robot, i, root, body, closing[root][0], inner[root]) for i, root in enumerate(others, 2)]
    if len(legs) < 2:
        raise NotApplicableError(f"robot '{robot.name}' has only one leg; a parallel robot has at least two")
    return ParallelRobot(robot, platform, body, tuple(legs))


def _body(robot: Robot, platform: int) -> tuple[int, ...]:
    """Return the numbers of the links that are rigidly connected to the platform, from the base outward."""
    top = platform
    while robot.frame(top).ant and not robot.frame(top).moving:
        top = robot.frame(top).ant
    body = [top]
    for j in subtree(robot, top)[1:]:
        if j <= robot.NL and robot.frame(j).ant in body:
            if robot.frame(j).moving:
                message = f"joint {j} is mounted on the platform, but the platform must be the last body"
                raise NotApplicableError(
                    message, hint="the platform models do not support joints beyond the platform"
                )
            body.append(j)
    return tuple(body)


def _on_platform(robot: Robot, loop: Loop, body: tuple[int, ...]) -> Loop:
    """Return the loop, after a check that the second frame of its cut is fixed to the platform.

    Args:
        robot: the robot.
        loop: the loop.
        body: frames that are rigidly connected to the platform.

    Raises:
        NotApplicableError: the second frame of the cut belongs to another link.
    """
    if robot.frame(loop.right).ant not in body:
        raise NotApplicableError(
            f"loop {loop.left}-{loop.right} connects a leg to frame {robot.frame(loop.right).ant}, which is not the "
            "platform",
            hint="frame k + B of a leg's cut joint k must be fixed to the platform",
        )
    return loop


def _leg(
    robot: Robot, number: int, root: int, body: tuple[int, ...], loop: Loop | None, inner: list[Loop]
) -> PlatformLeg:
    members = tuple(j for j in subtree(robot, root) if j <= robot.NL and j not in body)
    end = robot.frame(body[0]).ant if loop is None else robot.frame(loop.left).ant
    return PlatformLeg(number, tuple(chain(robot, end)), members, loop, tuple(inner))
