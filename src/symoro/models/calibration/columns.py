"""Geometric parameters of the path to a frame; each one is a small motion about or along an axis of a frame.

    wTe = Z D0  [ Rz(gamma) Tz(b) Ry(beta) Rx(alpha) Tx(d) Rz(theta) Tz(r) ]  over the frames j of the path  DE

Z is the pose of frame 0 in the world; D0 and DE are small displacements of frame 0 and of the end effector, in their
own axes, because base and tool are less accurately known than the robot. beta is used only between almost parallel
axes, whose common normal is ill-conditioned (Hayati 1983). A gain k scales a joint's reading: q -> (1 + k) q.

    name          motion
    TX0 .. TZ0    translation of frame 0 along its axes          RX0 .. RZ0    rotation about them
    gamma3, b3    about and along z of the antecedent of 3       alpha3, d3    about and along x after that
    beta3         about y there                                  theta3, r3    about and along z of frame 3
    k3            q3 times that of theta3 (r3 if prismatic)      TXE .. RZE    end effector, as for frame 0

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
    """Geometric parameter: its kind, and its frame ('0' is the base, 'E' the end effector)."""

    kind: str
    frame: str

    @property
    def name(self) -> str:
        return self.kind + self.frame

    @property
    def is_length(self) -> bool:
        """Return whether the parameter is in metres; the others are angles or dimensionless."""
        return self.kind in ("b", "d", "r") or self.kind.startswith("T")


@dataclass(frozen=True)
class MeasuredPath:
    """Frames from the base to the measured frame; a tool is a separate frame.

    Attributes:
        robot: the robot, with the tool as its last link if the tool is measured.
        frames: frames of the path, from the base outward.
        own: whether the measured frame is the robot's end effector (its tool or last frame). On another frame a marker
            is measured, whose pose is independent of the tool.
    """

    robot: Robot
    end: int
    frames: tuple[int, ...]
    own: bool


def path_to(robot: Robot, to: int | str | None) -> MeasuredPath:
    """Return the path to a frame.

    Raises:
        NotApplicableError: the path contains a loop or a flexible link, or the base moves.
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
    """Check that a measure is one of MEASURES."""
    if measure not in MEASURES:
        raise OptionError(f"measure: expected one of {', '.join(MEASURES)}, got '{str(measure)[:40]}'")


def no_calibration(robot: Robot) -> str | None:
    """Return the reason why geometric calibration does not apply to a robot, or None."""
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
    """Return all parameters in order of preference: of two with the same effect the first one is kept.

    Marker parameters precede those of the base, because a base error would move the whole robot.
    """
    base = [GeometricColumn(kind, BASE) for kind in DISPLACEMENT if not known_base]
    tip = [GeometricColumn(kind, END) for kind in DISPLACEMENT if not known_tool]
    chosen = [*base, *tip] if path.own else [*tip, *base]
    for j in path.frames:
        chosen += [GeometricColumn(kind, str(j)) for kind in _kinds(path, j, gains=gains)]
    return chosen


def _kinds(path: MeasuredPath, j: int, *, gains: bool) -> list[str]:
    """Return the parameters of one frame; a tool that is the measured frame has only its displacement."""
    frame = path.robot.frame(j)
    if j == path.end and frame.sigma == JointType.FIXED:
        return []
    kinds = ["alpha", "d", *(["beta"] if _almost_parallel(path.robot, j) else []), "theta", "r"]
    kinds += [name for name in ("gamma", "b") if not getattr(frame, name).is_zero]
    return [*kinds, *(["k"] if gains and frame.moving else [])]


def _almost_parallel(robot: Robot, j: int) -> bool:
    """Return whether z of a frame and of its antecedent are almost parallel; false for an angle without a value."""
    alpha, values = robot.frame(j).alpha, dict(robot.nominal)
    if not alpha.symbols <= values.keys():
        return False
    return abs(math.sin(alpha.value(values))) < ALMOST_PARALLEL
