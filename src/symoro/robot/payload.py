"""Add a rigid payload to a robot: at the tool frame, or on a link.

With mass m, centre of mass c and inertia matrix I about c, both in the axes of the frame that carries it, a body adds

    M += m,    MS += m c,    J += I + m (c'c 1 - c c')

to the inertial parameters of its carrier (`centre`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symoro.errors import ArgumentError
from symoro.expr.formula import FormulaLike, formula
from symoro.robot.centre import in_other_frame, without_centre
from symoro.robot.records import INERTIAL, Link, LinkFrame, Placement, Tool
from symoro.robot.topology import leaves

if TYPE_CHECKING:
    from symoro.robot.description import Robot


def with_payload(
    robot: Robot,
    mass: FormulaLike,
    com: Sequence[FormulaLike] | None = None,
    inertia: Any = None,
    link: int | str | None = None,
) -> Robot:
    """Return the robot with a payload added; see `Robot.with_payload`."""
    number = formula(mass).number
    if number is not None and number < 0:
        raise ArgumentError(
            f"the mass of the payload is {number:g} kg: expected a number that is not negative"
        )
    central = {"mass": mass, "com": (0, 0, 0) if com is None else com}
    body = without_centre(central if inertia is None else {**central, "inertia": inertia})
    number, pose = payload_frame(robot, link)
    if link is None:
        tool = robot.tool or Tool(Placement(number))
        carried = robot.payload or Link()
        return replace(robot, tool=tool, payload=replace(carried, **_sum(carried, body)))
    if isinstance(pose, LinkFrame):  # the body is given in the axes of the file
        body = in_other_frame(body, pose.rotation, pose.position)
    return robot.with_link(number, **_sum(robot.link(number), body))


def payload_frame(robot: Robot, link: int | str | None = None) -> tuple[int, Placement | LinkFrame | None]:
    """Return the frame of the robot that carries a payload, and the pose in it of the frame of the payload.

    Args:
        robot: the robot.
        link: number or name of the link that carries the payload; by default the tool frame, or the end effector.

    Returns:
        The number of the frame, and the pose of the frame in which the payload is given; None if both are the same.

    Raises:
        ArgumentError: the frame of the payload is not determined, or the link is flexible.
    """
    if link is not None:
        described = robot.link_frame(link)
        if described is not None:
            link = described.frame
        number = robot.frame_number(link) if isinstance(link, str) else link
        if robot.link(number).flexible is not None:
            raise ArgumentError(
                f"a payload cannot be added to the inertial parameters of link {number}: the link is flexible, and "
                "these parameters belong to a body that does not move with its tip",
                hint="omit the link to add the payload at the tool frame, or add it to the tip of the flexible link",
            )
        return number, described
    if robot.tool is not None:
        return robot.tool.place.ant, robot.tool.place
    end = _end_frame(robot)
    _reject_ambiguous_frame(robot, end)
    return end, None


def _sum(link: Link, body: dict[str, Any]) -> dict[str, Any]:
    """Return the sums of the inertial parameters of a link and of a body."""
    return {name: getattr(link, name) + body[name] for name in INERTIAL}


def _reject_ambiguous_frame(robot: Robot, end: int) -> None:
    """Check that the frame of a payload is unambiguous if no link is given.

    It is ambiguous if the last link has different frames in the robot and in the file from which the robot was read.

    Args:
        robot: the robot.
        end: frame of the end effector.

    Raises:
        ArgumentError: the frame of the payload is ambiguous.
    """
    links = [link.name for link in robot.link_frames if link.frame == end]
    if links:
        raise ArgumentError(
            f"the frame of the payload is not determined: robot '{robot.name}' has no tool frame, and frame {end} of "
            "the robot differs from the frames of its links in the file",
            hint=f"give the link, for example link='{links[-1]}' (links at the end: {', '.join(links[:8])}), or read "
            f"the file with tool='{links[-1]}'",
        )


def _end_frame(robot: Robot) -> int:
    """Return the number of the end-effector frame of a robot without a tool frame.

    Raises:
        ArgumentError: the robot has several terminal links.
    """
    if robot.platform is not None:
        return robot.platform
    ends = leaves(robot)
    if len(ends) == 1:
        return ends[0]
    names = ", ".join(f"{j} ({robot.link(j).name})" if robot.link(j).name else str(j) for j in ends[:8])
    raise ArgumentError(
        f"robot '{robot.name}' has {len(ends)} terminal links and no tool frame",
        hint=f"give the link that carries the payload, link=...; the terminal links are {names}",
    )
