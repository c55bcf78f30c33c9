"""Intermediate description of a URDF or MJCF robot: named links in a tree, each with a link frame.

The readers of URDF and MJCF return it, and the conversion to Khalil-Kleinfinger frames uses it. Joint positions are
those of the file; a link frame is located at its joint, which moves along or about `axis` in this frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import FormatError, NotApplicableError, Place
from symoro.robot.description import Limits
from symoro.robot.formats.report import Spot
from symoro.robot.formats.urdf.rigid import ORIGIN, Pose, Vector3, from_rpy
from symoro.robot.formats.urdf.shapes import LinkCapsule

MOVING = ("revolute", "continuous", "prismatic")
KINDS = (*MOVING, "fixed", "floating", "planar")

NO_LIMITS = Limits()
GRAVITY: Vector3 = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Origin:
    """Pose of a frame: position, and rotations about the fixed axes x, y, z in this order (roll, pitch, yaw)."""

    xyz: Vector3 = ORIGIN
    rpy: Vector3 = ORIGIN

    def pose(self) -> Pose:
        return Pose(from_rpy(self.rpy), self.xyz)


@dataclass(frozen=True)
class Body:
    """Link of a URDF file with its inertia.

    The inertia (xx, xy, xz, yy, yz, zz) is about the centre of mass. `origin` is the pose of the inertial frame: its
    position is the centre of mass, and the inertia is given in its axes. `capsules` enclose its collision shapes;
    `omitted` contains the reasons why shapes have no capsule.
    """

    name: str
    mass: float = 0.0
    origin: Origin = Origin()
    inertia: tuple[float, ...] = (0.0,) * 6
    spot: Spot | None = None
    capsules: tuple[LinkCapsule, ...] = ()
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """Coupling of a mimic joint: q = ratio * (position of `joint`) + offset."""

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """Joint between two links of a URDF file.

    `origin` is the pose of the child link frame in the parent link frame at joint position 0. A joint with a stiffness
    is
    elastic: its torque is -stiffness (q - rest).
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Origin = Origin()
    axis: Vector3 = (1.0, 0.0, 0.0)
    limits: Limits = NO_LIMITS
    damping: float = 0.0
    friction: float = 0.0
    rotor: float = 0.0
    bias: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    mimic: Mimic | None = None
    spot: Spot | None = None

    @property
    def moving(self) -> bool:
        return self.kind in MOVING


@dataclass(frozen=True)
class LoopJoint:
    """Joint that closes a loop of the tree of links.

    Attributes:
        kind: revolute, continuous, prismatic or fixed.
        axis: joint axis in the joint frame.
        in_child, in_parent: pose of the joint frame at position 0 in each of the two link frames. If `in_parent` is
            None, the two frames coincide when all joint positions are zero.
    """

    name: str
    kind: str
    parent: str
    child: str
    in_child: Origin
    in_parent: Origin | None = None
    axis: Vector3 = (1.0, 0.0, 0.0)
    spot: Spot | None = None


@dataclass(frozen=True)
class ExportedData:
    """Data that symoro adds to an exported URDF, so that the file is read back with the same frames.

    Attributes:
        tool: name of the link whose frame is the tool frame.
        location: pose of frame 0 in the world, a homogeneous transform, sixteen entries by rows.
    """

    tool: str | None = None
    location: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Document:
    """Contents of a URDF or MJCF file: links, joints and global data.

    Attributes:
        gravity: gravity in the world frame (m/s2).
        notes: remarks of the reader.
        kind: format of the file.
        loops: joints that close loops of the tree.
        driven: joints with an actuator in the file; they are the active joints of a robot with loops.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    file: str | None = None
    own: ExportedData | None = None
    gravity: Vector3 = GRAVITY
    notes: tuple[str, ...] = ()
    kind: str = "URDF"
    loops: tuple[LoopJoint, ...] = ()
    driven: tuple[str, ...] = ()

    def error(self, message: str, spot: Spot | None, key: str | None = None, hint: str = "") -> FormatError:
        return FormatError(message, place=self.place(spot, key), hint=hint or None)

    def refusal(self, message: str, spot: Spot | None, hint: str) -> NotApplicableError:
        return NotApplicableError(message, place=self.place(spot, None), hint=hint)

    def place(self, spot: Spot | None, key: str | None) -> Place:
        line, column = spot or (None, None)
        return Place(self.file, line, column, key)
