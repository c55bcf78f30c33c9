"""The records of a description: joint frames, links, the base, couplings, coupled motors and limits.

The fields are those of Khalil and Kleinfinger's notation, see `symoro.robot.description`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import IntEnum, StrEnum

from symoro.expr.formula import ONE, ZERO, Formula
from symoro.robot.flexibility import Flexibility
from symoro.robot.wheels import Wheel

GEOMETRIC = ("gamma", "b", "alpha", "d", "theta", "r")
ANGLES = ("gamma", "alpha", "theta")
INERTIAL = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
DRIVE = ("IA", "FV", "FS", "FO", "FB", "VS", "FL")
MOTOR = ("IAM", "FVM", "FSM")
FRICTION = ("FV", "FS", "FO")  # torques that are linear in the parameters, with a regressor of the velocity
FURTHER_FRICTION = {"FB": "Stribeck friction", "FL": "load-dependent friction"}
MOTION = ("QP", "QDP", "GAM")


class JointType(IntEnum):
    """Joint type sigma: revolute, prismatic or fixed."""

    REVOLUTE = 0
    PRISMATIC = 1
    FIXED = 2


class BaseKind(StrEnum):
    """Kind of base: fixed (possibly with prescribed motion), floating, or wheeled."""

    FIXED = "fixed"
    FLOATING = "floating"
    WHEELED = "wheeled"


@dataclass(frozen=True)
class Limits:
    """Limits of a joint.

    Attributes are the lower and upper position (rad, m), the velocity (rad/s, m/s) and the effort (N m, N); None if
    unknown.
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True)
class Coupling:
    """Coupling of a joint j to the joints in `terms`: q_j = sum ratio_i * q_i + offset."""

    terms: tuple[tuple[int, Formula], ...]
    offset: Formula = ZERO


@dataclass(frozen=True)
class CoupledMotor:
    """Motor of a joint that turns with other joints too, because its transmission passes them.

    Its velocity, referred to its own joint, is c' qd with c = 1 for this joint and the ratios `turns_with` of the other
    joints. Rotor inertia and friction add these torques:

        IAM (c c' - diag(c)^2) qdd + FVM (c c' - diag(c)^2) qd + FSM c sign(c' qd)

    The terms on the diagonal are parts of IA and FV of the joints, as in identification.

    Attributes:
        joint: number of the joint that the motor drives.
        turns_with: pairs (other joint, ratio), the motor's velocity per unit velocity of that joint.
        IAM, FVM, FSM: rotor inertia, viscous and Coulomb friction, referred to the joint of the motor.
    """

    joint: int
    turns_with: tuple[tuple[int, Formula], ...] = ()
    IAM: Formula = ZERO
    FVM: Formula = ZERO
    FSM: Formula = ZERO

    @property
    def shares(self) -> dict[int, Formula]:
        """Return the motor's velocity for a unit velocity of each joint, by joint."""
        return {self.joint: ONE, **dict(self.turns_with)}


@dataclass(frozen=True)
class Placement:
    """Pose of a frame that is fixed on frame `ant`, given by the six geometric parameters."""

    ant: int
    gamma: Formula = ZERO
    b: Formula = ZERO
    alpha: Formula = ZERO
    d: Formula = ZERO
    theta: Formula = ZERO
    r: Formula = ZERO


@dataclass(frozen=True)
class Frame:
    """Frame j with its joint: transform from the antecedent, joint type, actuator.

    Attributes:
        ant: number of the antecedent frame; 0 is the base.
        sigma: revolute, prismatic or fixed.
        mu: whether the joint is actuated.
        gamma, b, alpha, d, theta, r: geometric parameters; for a moving joint theta or r is the offset added to q.
        eta: whether the joint is elastic, with stiffness k and zero torque at the position `rest`.
        IA, FV, FS, FO: rotor inertia referred to the joint, viscous and Coulomb friction, torque offset.
        FB, VS: additional dry friction at low speed, FB exp(-(qd/VS)^2), with Stribeck's velocity VS.
        FL: dry friction per unit of the drive torque, FL |tau|; it is smaller than 1.
        QP, QDP, GAM: prescribed velocity, acceleration or torque of the joint; None if not prescribed.
        coupling: relation to the joints that drive this one; None for an independent joint.
    """

    ant: int
    sigma: JointType = JointType.REVOLUTE
    mu: bool = True
    gamma: Formula = ZERO
    b: Formula = ZERO
    alpha: Formula = ZERO
    d: Formula = ZERO
    theta: Formula = ZERO
    r: Formula = ZERO
    eta: bool = False
    k: Formula = ZERO
    rest: Formula = ZERO
    IA: Formula = ZERO
    FV: Formula = ZERO
    FS: Formula = ZERO
    FO: Formula = ZERO
    FB: Formula = ZERO
    VS: Formula = ZERO
    FL: Formula = ZERO
    QP: Formula | None = None
    QDP: Formula | None = None
    GAM: Formula | None = None
    limits: Limits = Limits()
    coupling: Coupling | None = None
    name: str = ""

    @property
    def moving(self) -> bool:
        return self.sigma != JointType.FIXED


@dataclass(frozen=True)
class Link:
    """Ten inertial parameters of a link about the origin of its frame, and the wrench that it exerts.

    XX..ZZ are the entries of the inertia matrix, MX, MY, MZ the first moments (MX = M cx), M is the mass. FX..CZ is the
    wrench exerted BY the link ON the environment, in the link frame about its origin. A flexible link also has the
    properties of a beam (`flexible`).
    """

    XX: Formula = ZERO
    XY: Formula = ZERO
    XZ: Formula = ZERO
    YY: Formula = ZERO
    YZ: Formula = ZERO
    ZZ: Formula = ZERO
    MX: Formula = ZERO
    MY: Formula = ZERO
    MZ: Formula = ZERO
    M: Formula = ZERO
    FX: Formula = ZERO
    FY: Formula = ZERO
    FZ: Formula = ZERO
    CX: Formula = ZERO
    CY: Formula = ZERO
    CZ: Formula = ZERO
    name: str = ""
    flexible: Flexibility | None = None


Triple = tuple[Formula, Formula, Formula]
ZERO3: Triple = (ZERO, ZERO, ZERO)
IDENTITY9: tuple[Formula, ...] = tuple(ONE if i % 4 == 0 else ZERO for i in range(9))
IDENTITY16: tuple[Formula, ...] = tuple(ONE if i % 5 == 0 else ZERO for i in range(16))


@dataclass(frozen=True)
class Base:
    """Base of a robot: kind, link 0 (used for a floating or wheeled base), prescribed motion, gravity and pose.

    Attributes:
        W0, WP0: angular velocity and acceleration in frame 0 (rad/s, rad/s2).
        V0, VP0: linear velocity and acceleration in frame 0 (m/s, m/s2).
        G: gravity in the world frame (m/s2).
        Z: pose of frame 0 in the world, a homogeneous transform, sixteen entries by rows.
    """

    kind: BaseKind = BaseKind.FIXED
    link: Link = Link()
    W0: Triple = ZERO3
    WP0: Triple = ZERO3
    V0: Triple = ZERO3
    VP0: Triple = ZERO3
    G: Triple = (ZERO, ZERO, Formula("G3"))
    Z: tuple[Formula, ...] = IDENTITY16


STANDARD_GRAVITY = -9.81  # m/s2, along z of the world: the nominal value of the symbol G3


def with_nominal_gravity(nominal: tuple[tuple[str, float], ...], base: Base) -> tuple[tuple[str, float], ...]:
    """Return the nominal values, with that of the default gravity symbol G3 added if it is missing.

    Args:
        nominal: pairs (symbol, value).
        base: base of the robot; nothing is added unless its gravity is the default.
    """
    if base.G != Base().G or any(name == "G3" for name, _ in nominal):
        return nominal
    return (("G3", STANDARD_GRAVITY), *nominal)


@dataclass(frozen=True)
class Tool:
    """Tool frame of a robot, fixed on one of its frames."""

    place: Placement
    name: str = "tool"


@dataclass(frozen=True)
class LinkFrame:
    """Frame of a link in the file from which the robot was read, if it is not a frame of the robot.

    The frames of the robot have other axes and origins than those of a URDF or MJCF file, and links on fixed joints are
    merged with the links that carry them.

    Attributes:
        name: name of the link.
        frame: number of the robot's frame to which the link is fixed.
        rotation, position: pose of the link's frame in the robot's frame, the rotation matrix by rows.
    """

    name: str
    frame: int
    rotation: tuple[Formula, ...] = IDENTITY9
    position: tuple[Formula, ...] = ZERO3


@dataclass(frozen=True)
class Capsule:
    """Shape of a link or of a part of it: the points within a radius of a line segment.

    Attributes:
        frame: number of the frame to which the capsule is fixed; 0 is the base.
        start, end: end points of the segment in this frame (m); a sphere has two equal points.
        radius: radius (m), positive.
    """

    frame: int
    start: Triple = ZERO3
    end: Triple = ZERO3
    radius: Formula = ZERO


def scalars(
    item: Capsule | Frame | Link | Placement | Flexibility | Wheel | CoupledMotor,
) -> Iterator[tuple[str, Formula]]:
    """Yield (field name, formula) for each formula of a frame, link or other record, in order."""
    for f in fields(item):
        value = getattr(item, f.name)
        if isinstance(value, Formula):
            yield f.name, value
