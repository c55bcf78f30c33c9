"""Geometric parameters of the path to a measured frame.

Each parameter is a small rotation about, or translation along, an axis of a frame:

    wTe = Z D0  [ Rz(gamma) Tz(b) Ry(beta) Rx(alpha) Tx(d) Rz(theta) Tz(r) ]  over the frames j of the path  DE

Z is the pose of frame 0 in the world. D0 and DE are small displacements of frame 0 and of the end effector, each in the
axes of the displaced frame; they are included because base and tool are less accurately known than the robot. beta is
used only between almost parallel axes, whose common normal is ill-conditioned (Hayati 1983). A gain error k scales a
joint's reading: q -> (1 + k) q.

    name          motion
    TX0 .. TZ0    translation of frame 0 along its axes          RX0 .. RZ0    rotation about them
    gamma3, b3    about and along z of the antecedent of 3       alpha3, d3    about and along x after Rz(gamma)
    beta3         about y after Rz(gamma)                        theta3, r3    about and along z of frame 3
    k3            q3 times the motion of theta3 (r3 if prismatic) TXE .. RZE   end effector, as for frame 0

W. Khalil, M. Gautier, Ch. Enguehard, "Identifiable parameters and optimum configurations for robots calibration",
Robotica 9, 1991. S.A. Hayati, "Robot arm geometric link parameter estimation", IEEE Conference on Decision and Control,
1983.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from symoro.errors import NotApplicableError, OptionError
from symoro.models.kinematic.tool import with_tool
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.topology import chain

MEASURES = ("pose", "position", "distance", "plane")
DISPLACEMENT = ("TX", "TY", "TZ", "RX", "RY", "RZ")
ALMOST_PARALLEL = 0.1  # sine of the angle between two axes
BASE, END = "0", "E"


@dataclass(frozen=True)
class GeometricColumn:
    """Geometric parameter of one frame, a column of the calibration regressor.

    Attributes:
        kind: 'alpha', 'd', 'theta', 'r', 'gamma', 'b', 'beta', 'k' (gain), or 'TX' to 'RZ' (displacement).
        frame: frame number as text; '0' is the base, 'E' the end effector.
    """

    kind: str
    frame: str

    @property
    def name(self) -> str:
        return self.kind + self.frame

    @property
    def is_length(self) -> bool:
        """Whether the unit of the parameter is the metre; other parameters are angles or dimensionless."""
        return self.kind in ("b", "d", "r") or self.kind.startswith("T")


@dataclass(frozen=True)
class MeasuredPath:
    """Frames from the base to the measured frame.

    Attributes:
        robot: the robot; if the tool frame is measured, the tool is added as its last link.
        end: number of the measured frame.
        frames: numbers of the frames of the path, from the base outward.
        own: whether the measured frame is the robot's end effector (its tool or last frame). Otherwise the frame
            carries a marker, whose pose is independent of the tool.
    """

    robot: Robot
    end: int
    frames: tuple[int, ...]
    own: bool


def path_to(robot: Robot, to: int | str | None) -> MeasuredPath:
    """Return the path from the base to a measured frame.

    Args:
        to: number or name of the frame; None selects the tool or the last frame.

    Raises:
        NotApplicableError: the robot has closed loops, flexible links or a moving base, or no joint moves the frame.
    """
    from symoro.models.geometric.screws import last_frame, resolve

    reason = no_calibration(robot)
    if reason:
        raise NotApplicableError(f"robot '{robot.name}' has no geometric parameters to calibrate: {reason}")
    last = last_frame(robot)
    which = resolve(robot, to, last)
    tree, end = with_tool(robot, which)
    frames = tuple(chain(tree, end))
    if not any(tree.frame(j).moving for j in frames):
        raise NotApplicableError(f"no joint of robot '{robot.name}' moves frame {to}")
    return MeasuredPath(tree, end, frames, which == last)


def checked_measure(measure: str) -> None:
    """Check that `measure` is 'pose', 'position', 'distance' or 'plane'; raise OptionError otherwise."""
    if measure not in MEASURES:
        raise OptionError(f"measure: expected one of {', '.join(MEASURES)}, got '{str(measure)[:40]}'")


def no_calibration(robot: Robot) -> str | None:
    """Return the reason why geometric calibration does not apply to a robot; None if it applies."""
    if robot.base.kind != BaseKind.FIXED:
        return "its base moves: joints and geometric parameters alone do not determine the pose of a frame in the world"
    if robot.B:
        return (
            "it has closed loops: geometric parameters also act through the closure equations, "
            "which the regressor does not contain"
        )
    if flexible_links(robot):
        return "it has flexible links"
    return None if independent(robot) else "it has no moving joint"


def columns(
    path: MeasuredPath, *, known_base: bool = False, known_tool: bool = False, gains: bool = False
) -> list[GeometricColumn]:
    """Return all geometric parameters of the path, in order of preference.

    If two parameters have the same effect on the measurement, the first one in this order is estimated. The
    displacement of a marker precedes the displacement of the base, because an error of the base would move the whole
    robot.

    Args:
        known_base, known_tool: whether the displacements of frame 0 and of the end effector are excluded.
        gains: whether gain errors of the joint sensors are included.
    """
    base = [GeometricColumn(kind, BASE) for kind in DISPLACEMENT if not known_base]
    tip = [GeometricColumn(kind, END) for kind in DISPLACEMENT if not known_tool]
    chosen = [*base, *tip] if path.own else [*tip, *base]
    for j in path.frames:
        chosen += [GeometricColumn(kind, str(j)) for kind in _kinds(path, j, gains=gains)]
    return chosen


def _kinds(path: MeasuredPath, j: int, *, gains: bool) -> list[str]:
    """Return the kinds of geometric parameters of frame j, for example 'alpha' and 'd'.

    A fixed measured frame (such as a tool) has no such parameters, because TXE .. RZE describe its displacement.

    Args:
        gains: whether gain errors of the joint sensors are included.
    """
    frame = path.robot.frame(j)
    if j == path.end and frame.sigma == JointType.FIXED:
        return []
    kinds = ["alpha", "d", *(["beta"] if _almost_parallel(path.robot, j) else []), "theta", "r"]
    kinds += [name for name in ("gamma", "b") if not getattr(frame, name).is_zero]
    return [*kinds, *(["k"] if gains and frame.moving else [])]


def _almost_parallel(robot: Robot, j: int) -> bool:
    """Return whether the z axes of frame j and of its antecedent are almost parallel.

    The result is false if the angle alpha has no numerical value.
    """
    alpha, values = robot.frame(j).alpha, dict(robot.nominal)
    if not alpha.symbols <= values.keys():
        return False
    return abs(math.sin(alpha.value(values))) < ALMOST_PARALLEL
