"""Path between two frames as elementary screw motions along z and x, with adjacent motions merged.

From an antecedent to frame j:  Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)       (Khalil and Kleinfinger)
From frame j to its antecedent: the inverse motions, in reverse order.

Motions along the same axis commute and add up, so that consecutive parallel joint axes give one angle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.scalar import Expr, Scalar
from symoro.models.joints import Angle, fixed_transform, joint_transform
from symoro.program.builder import Builder
from symoro.robot.description import BaseKind, Placement, Robot
from symoro.robot.topology import path


@dataclass(frozen=True)
class Screw:
    """Screw motion along the x or z axis: a rotation about the axis and a translation along it.

    Attributes:
        axis: 'x' or 'z'.
        angle: angle of the rotation.
        length: length of the translation.
        frame: number of the frame to which the motion belongs.
        ends_frame: whether the path arrives at that frame with this motion.
    """

    axis: str
    angle: Angle
    length: Expr
    frame: int
    ends_frame: bool = False


def is_special(which: int | str) -> bool:
    return which in ("world", "tool")


def resolve(robot: Robot, which: int | str | None, default: int | str) -> int | str:
    """Return the frame that the user named, as a number, 'world' or 'tool'.

    Args:
        which: frame number, frame name, 'world', 'tool' or the tool's name; None selects `default`.

    Raises:
        ArgumentError: the name is that of a link whose frame in the file is not a frame of the robot.
        NotApplicableError: the robot has no tool frame, or 'world' is given for a robot with a moving base.
    """
    if which is None:
        which = default
    if robot.tool and which == robot.tool.name:
        which = "tool"
    if isinstance(which, str) and is_special(which):
        if which == "tool" and robot.tool is None:
            raise NotApplicableError(
                f"robot '{robot.name}' has no tool frame", hint="give the number or the name of a frame"
            )
        if which == "world" and robot.base.kind != BaseKind.FIXED:
            raise NotApplicableError(
                f"robot '{robot.name}' has a {robot.base.kind} base: the pose of frame 0 in the world is not "
                "constant",
                hint="use frame 0 instead of 'world'",
            )
        return which
    link = robot.link_frame(which)
    if link is not None:
        raise ArgumentError(
            f"the frame of link '{which}' in the file is not a frame of robot '{robot.name}': frame {link.frame} is "
            "fixed to the same link but has other axes or another origin",
            hint=f"read the file with tool='{which}' to make it the tool frame, or give the number {link.frame} for "
            f"frame {link.frame} of the robot",
        )
    return robot.frame_number(which)


def last_frame(robot: Robot) -> int | str:
    """Return the default end frame of a robot: the tool frame, the platform, or the frame of the last link."""
    return "tool" if robot.tool else robot.platform or robot.NL


def attachment_frame(robot: Robot, which: int | str) -> int:
    """Return the number of the link frame to which a frame is fixed: 0 for 'world', the tool's link for 'tool'."""
    if which == "world":
        return 0
    if which == "tool" and robot.tool:
        return robot.tool.place.ant
    return int(which)


def uses_cut_joint(robot: Robot, frm: int | str, to: int | str) -> bool:
    """Return whether the path between two frames contains a cut joint."""
    up, down = path(robot, attachment_frame(robot, frm), attachment_frame(robot, to))
    return any(robot.NL < j <= robot.NJ and robot.frame(j).moving for j in (*up, *down))


def screws_between(
    builder: Builder,
    robot: Robot,
    frm: int | str,
    to: int | str,
    q: Mapping[int, Scalar],
    *,
    merge: bool = True,
) -> list[Screw]:
    """Return the screw motions along the path from frame `frm` to frame `to`.

    The world counts as frame 0; the pose Z of the base in the world is not included.

    Args:
        frm, to: frame numbers, 'world' or 'tool'.
        q: joint positions, by joint number.
        merge: whether adjacent motions along the same axis are combined.
    """
    up, down = path(robot, attachment_frame(robot, frm), attachment_frame(robot, to))
    screws: list[Screw] = []
    if frm == "tool" and robot.tool:
        screws += _inverted(_placed(builder, robot.tool.place), attachment_frame(robot, frm))
    for j in up:
        screws += _inverted(_screws_down(builder, robot, j, q), robot.frame(j).ant)
    for j in down:
        screws += _screws_down(builder, robot, j, q)
    if to == "tool" and robot.tool:
        screws += _placed(builder, robot.tool.place)
    return _merged(screws) if merge else screws


def _screws_down(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> list[Screw]:
    i, place = robot.frame(j).ant, joint_transform(builder, robot, j, q)
    return [
        Screw("z", place.gamma, place.b, i),
        Screw("x", place.alpha, place.d, i),
        Screw("z", place.theta, place.r, j, True),
    ]


def _placed(builder: Builder, place: Placement) -> list[Screw]:
    i, at = place.ant, fixed_transform(builder, place)
    return [Screw("z", at.gamma, at.b, i), Screw("x", at.alpha, at.d, i), Screw("z", at.theta, at.r, i)]


def _inverted(screws: list[Screw], frame: int) -> list[Screw]:
    last = len(screws) - 1
    return [Screw(s.axis, -s.angle, -s.length, frame, at == last) for at, s in enumerate(reversed(screws))]


def _merged(screws: list[Screw]) -> list[Screw]:
    merged: list[Screw] = []
    for screw in screws:
        if screw.angle.value.is_zero and screw.length.is_zero and merged:
            merged[-1] = Screw(merged[-1].axis, merged[-1].angle, merged[-1].length, screw.frame)
        elif merged and merged[-1].axis == screw.axis:
            last = merged.pop()
            merged.append(
                Screw(screw.axis, last.angle + screw.angle, last.length + screw.length, screw.frame)
            )
        else:
            merged.append(screw)
    return merged
