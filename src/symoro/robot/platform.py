"""A parallel robot as its platform and legs, recognised from the tree and its loops.

The platform is one rigid body. Leg 1 carries it through all its joints; each of the others ends before its last joint,
opened at frame k, whose twin k + B stands on the platform. Loops between links of one leg are the leg's own.

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
    """A leg from the base to the platform.

    Attributes:
        number: from 1; leg 1 carries the platform.
        links: frames of the tree from the base to the platform's body (excluded), or to the opened joint.
        members: every link that stands on the leg's first one, those of inner loops included; not the platform.
        loop: where the leg is opened; None for leg 1.
        inner: the leg's own loops.
    """

    number: int
    links: tuple[int, ...]
    members: tuple[int, ...]
    loop: Loop | None
    inner: tuple[Loop, ...]


@dataclass(frozen=True)
class ParallelRobot:
    """A platform with its legs.

    Attributes:
        platform: the frame whose pose is meant.
        body: frames that move with it as one, the first carried by the last joint of leg 1.
    """

    robot: Robot
    platform: int
    body: tuple[int, ...]
    legs: tuple[PlatformLeg, ...]


def platform_frame(robot: Robot, to: int | str | None = None) -> int:
    """The platform: as asked, as the robot names it, or the link that loops join to most other legs.

    Raises:
        NotApplicableError: the robot has none.
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
    """The active joints of the tree, in frame order."""
    return [j for j in moving_joints(robot) if robot.frame(j).mu]


def plain_joint(robot: Robot, j: int) -> bool:
    """Whether a joint moves by itself: not elastic, not coupled, no motion of it fixed."""
    frame = robot.frame(j)
    fixed = [value for value in (frame.QP, frame.QDP, frame.GAM) if value is not None]
    return not (frame.eta or frame.coupling or fixed)


def _link(robot: Robot, j: int) -> int:
    """The link on which a frame of a loop stands."""
    j = robot.frame(j).ant
    while j > robot.NL:
        j = robot.frame(j).ant
    return j


def parallel_robot(robot: Robot, to: int | str | None = None) -> ParallelRobot:
    """The robot as platform and legs.

    Raises:
        NotApplicableError: it is no such robot; the message says why.
    """
    platform = platform_frame(robot, to)
    if robot.base.kind != BaseKind.FIXED:
        raise NotApplicableError(
            f"the legs stand on a {robot.base.kind} base; the platform's models want it fixed"
        )
    if not robot.B:
        raise NotApplicableError(f"robot '{robot.name}' has no loops: it is no platform on legs")
    if not 1 <= platform <= robot.NL:
        raise NotApplicableError(f"frame {platform} carries no link: it is no platform")
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
            closing[right if left == first else left].append(_turned_to(robot, loop, body, first))
        else:
            raise NotApplicableError(f"loop {loop.left}-{loop.right} joins two legs away from the platform")
    for root in roots:
        if root != first and len(closing[root]) != 1:
            message = (
                f"the leg that begins with frame {root} is joined to the platform {len(closing[root])} times"
            )
            raise NotApplicableError(message, hint="each leg but the first is joined to it once")
    others = [root for root in roots if root != first]
    legs = [_leg(robot, 1, first, body, None, inner[first])]
    legs += [_leg(robot, i, root, body, closing[root][0], inner[root]) for i, root in enumerate(others, 2)]
    if len(legs) < 2:
        raise NotApplicableError(f"robot '{robot.name}' has one leg only")
    return ParallelRobot(robot, platform, body, tuple(legs))


def _body(robot: Robot, platform: int) -> tuple[int, ...]:
    """The links that are one with the platform's, outward."""
    top = platform
    while robot.frame(top).ant and not robot.frame(top).moving:
        top = robot.frame(top).ant
    found = [top]
    for j in subtree(robot, top)[1:]:
        if j <= robot.NL and robot.frame(j).ant in found:
            if robot.frame(j).moving:
                message = f"joint {j} moves on the platform, which should be the last body"
                raise NotApplicableError(message, hint="the platform's models end with the platform")
            found.append(j)
    return tuple(found)


def _turned_to(robot: Robot, loop: Loop, body: tuple[int, ...], first: int) -> Loop:
    """The loop, if its twin stands on the platform and its opened joint on another leg."""
    if robot.frame(loop.right).ant not in body:
        raise NotApplicableError(
            f"loop {loop.left}-{loop.right} joins a leg to frame {robot.frame(loop.right).ant}, which is not the "
            "platform",
            hint="the twin of a leg's opened joint stands on the platform",
        )
    return loop


def _leg(
    robot: Robot, number: int, root: int, body: tuple[int, ...], loop: Loop | None, inner: list[Loop]
) -> PlatformLeg:
    members = tuple(j for j in subtree(robot, root) if j <= robot.NL and j not in body)
    end = robot.frame(body[0]).ant if loop is None else robot.frame(loop.left).ant
    return PlatformLeg(number, tuple(chain(robot, end)), members, loop, tuple(inner))
