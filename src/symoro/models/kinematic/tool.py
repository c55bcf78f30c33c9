"""Frames of kinematic models: the tool frame is added to the robot as a fixed link."""

from __future__ import annotations

from dataclasses import replace

from symoro.errors import NotApplicableError
from symoro.models.geometric.screws import last_frame, resolve
from symoro.robot.description import GEOMETRIC, Frame, JointType, Link, Placement, Robot, Tool


def moving_frame(robot: Robot, to: int | str | None, frame: int | str = 0) -> tuple[Robot, int, int | str]:
    """Return the robot with its tool as a link if required, the number of frame `to`, and the frame of expression.

    Args:
        to: frame whose motion is computed; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the motion is expressed.
    """
    which, expressed = resolve(robot, to, last_frame(robot)), resolve(robot, frame, 0)
    tree, end = with_tool(robot, which)
    if isinstance(expressed, int):
        _check_link(tree, expressed)
    return tree, end, end if expressed == which == "tool" else expressed


def with_tool(robot: Robot, which: int | str) -> tuple[Robot, int]:
    """Return the number of frame `which`; for the tool, also add the tool to the robot as link NL + 1.

    Args:
        which: frame number, 'tool' or 'world'.

    Returns:
        The robot (with the additional link, if any), and the number of the frame in it.

    Raises:
        NotApplicableError: the frame is the world, or a frame that only closes a loop and has no link.
    """
    tree = robot
    if which == "world":
        raise NotApplicableError(
            "the world does not move with the joints", hint="choose a frame of the robot"
        )
    if which != "tool" or tree.tool is None:
        number = int(which)
        _check_link(tree, number)
        return tree, number
    number, place = tree.NL + 1, tree.tool.place
    geometry = {name: getattr(place, name) for name in GEOMETRIC}
    frame = Frame(place.ant, JointType.FIXED, **geometry)
    tool = Tool(Placement(number), tree.tool.name)  # the tool keeps its name
    closing = tuple(_moved_up(f, tree.NL) for f in tree.frames[tree.NL :])
    frames = (*tree.frames[: tree.NL], frame, *closing)
    return replace(tree, frames=frames, links=(*tree.links, Link()), tool=tool), number


def _moved_up(frame: Frame, last: int) -> Frame:
    """Return a loop frame with its antecedent renumbered, for a robot with a new link after link `last`."""
    return replace(frame, ant=frame.ant + (frame.ant > last))


def _check_link(tree: Robot, number: int) -> None:
    if number > tree.NL:
        raise NotApplicableError(
            f"frame {number} only closes a loop; motion is computed for the frames of links (1 .. {tree.NL})"
        )
