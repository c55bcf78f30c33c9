"""What a robot is: frozen data, in the notation of Khalil and Kleinfinger.

Frame j is fixed to link j and placed on its antecedent frame by six parameters,

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r),

with theta (sigma 0) or r (sigma 1) equal to q_j + offset: for a moving joint the field holds the offset alone.
Frames 1..NL carry links. A loop, opened at joint k > NL, adds the frames k and k + B (B loops): the same
frame seen from its two sides, without a link of their own.

W. Khalil, J.F. Kleinfinger, "A new geometric notation for open and closed-loop robots", ICRA 1986.
W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from typing import Any, Literal

from symoro.errors import RobotError, UnknownNameError
from symoro.expr.formula import ONE, ZERO, Formula, FormulaLike, formula
from symoro.robot.flexibility import Flexibility
from symoro.robot.postures import Postures
from symoro.robot.wheels import Wheel

GEOMETRIC = ("gamma", "b", "alpha", "d", "theta", "r")
ANGLES = ("gamma", "alpha", "theta")
INERTIAL = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
DRIVE = ("IA", "FV", "FS", "FO")
MOTION = ("QP", "QDP", "GAM")


class JointType(IntEnum):
    """sigma: what the joint does."""

    REVOLUTE = 0
    PRISMATIC = 1
    FIXED = 2


class BaseKind(StrEnum):
    """How the base stands: fixed (or moved in a prescribed way), free in space, or on wheels."""

    FIXED = "fixed"
    FLOATING = "floating"
    WHEELED = "wheeled"


@dataclass(frozen=True)
class Limits:
    """Limits of a joint in radians or metres, per second, newtons or newton metres; None is unknown."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True)
class Coupling:
    """A joint that others drive: q_j = sum ratio_i * q_i + offset over the joints `terms`."""

    terms: tuple[tuple[int, Formula], ...]
    offset: Formula = ZERO


@dataclass(frozen=True)
class Placement:
    """A fixed frame on frame `ant`, by the six geometric parameters."""

    ant: int
    gamma: Formula = ZERO
    b: Formula = ZERO
    alpha: Formula = ZERO
    d: Formula = ZERO
    theta: Formula = ZERO
    r: Formula = ZERO


@dataclass(frozen=True)
class Frame:
    """Frame j with its joint: place on the antecedent, kind of joint, drive.

    Attributes:
        ant: the antecedent frame, 0 is the base.
        sigma: revolute, prismatic or fixed.
        mu: whether the joint is motorised.
        gamma, b, alpha, d, theta, r: the place; for a moving joint theta or r is the offset to q.
        eta: whether the joint is elastic, with stiffness k and the position `rest` without torque.
        IA, FV, FS, FO: rotor inertia on the joint side, viscous and Coulomb friction, torque offset.
        QP, QDP, GAM: a value that the joint's velocity, acceleration or torque always has; None is free.
        coupling: the joints that drive this one, when it has no coordinate of its own.
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
    """The ten inertial parameters of a link about the origin of its frame, and the wrench it exerts.

    XX..ZZ is the inertia matrix, MX = m cx the first moments, M the mass; FX..CZ is the wrench BY the link
    ON the environment, in the link's frame about its origin. A flexible link has a beam besides.
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
IDENTITY16: tuple[Formula, ...] = tuple(ONE if i % 5 == 0 else ZERO for i in range(16))


@dataclass(frozen=True)
class Base:
    """The base: its kind, its link 0 (read where it is free to move), prescribed motion, gravity and place.

    Attributes:
        W0, WP0, V0, VP0: angular velocity and acceleration, linear ones, in frame 0.
        G: gravity in the world frame.
        Z: world T 0, sixteen entries by rows.
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
    """Add the nominal value of G3 where the base has the default gravity and the description gives no value."""
    if base.G != Base().G or any(name == "G3" for name, _ in nominal):
        return nominal
    return (("G3", STANDARD_GRAVITY), *nominal)


@dataclass(frozen=True)
class Tool:
    """A tool frame, fixed on a frame of the robot."""

    place: Placement
    name: str = "tool"


@dataclass(frozen=True)
class Robot:
    """A robot. `frames[0]` is frame 1, `links[0]` is link 1; `frame(j)` and `link(j)` count as the papers do.

    Attributes:
        nominal: numbers for symbols, used where a caller gives none; the symbol G3 of the default gravity is -9.81.
        payload: inertial parameters carried in the tool frame.
        wheels: what a wheeled base rolls on; without any its motion is given.
        postures: postures by name, each with one number a coordinate (radians, metres); a robot made from this one
            keeps those that still have as many.
        notes: what a reader should know of how the description was obtained; no part of equality.
        platform: the frame of a parallel robot's platform, on which its legs meet; None where there is none.
    """

    name: str
    frames: tuple[Frame, ...]
    links: tuple[Link, ...]
    base: Base = Base()
    tool: Tool | None = None
    payload: Link | None = None
    nominal: tuple[tuple[str, float], ...] = ()
    title: str = ""
    reference: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)
    postures: Mapping[str, tuple[float, ...]] = Postures()
    wheels: tuple[Wheel, ...] = ()
    platform: int | None = None

    def __post_init__(self) -> None:
        from symoro.robot.validation import problems, with_length

        if isinstance(self.postures, Postures):  # those of the robot that this one was made from
            kept: Mapping[str, tuple[float, ...]] = with_length(self.postures, self)
        else:
            kept = Postures(self.postures)
        object.__setattr__(self, "postures", kept)
        object.__setattr__(self, "nominal", with_nominal_gravity(self.nominal, self.base))
        found = problems(self)
        if found:
            raise RobotError(self.name, found)

    # -- sizes, in the papers' words

    @property
    def NL(self) -> int:
        """Number of moving links."""
        return len(self.links)

    @property
    def NF(self) -> int:
        """Number of frames."""
        return len(self.frames)

    @property
    def B(self) -> int:
        """Number of closed loops."""
        return (self.NF - self.NL) // 2

    @property
    def NJ(self) -> int:
        """Number of joints, the opened ones included."""
        return self.NL + self.B

    def frame(self, j: int | str) -> Frame:
        """Frame j, from 1, or by the name of its joint or link.

        Raises:
            UnknownNameError: no such frame; frame 0 is the base (`robot.base`), which has no joint.
        """
        number = self.frame_number(j) if isinstance(j, str) else j
        if not 1 <= number <= len(self.frames):
            known = f"1 .. {len(self.frames)}"
            raise UnknownNameError("frame", j, [known], hint=f"known: {known}; 0 is the base")
        return self.frames[number - 1]

    def link(self, j: int | str) -> Link:
        """Link j, also by its name or its joint's; 0 is the base.

        Raises:
            UnknownNameError: no such link; the frames of a cut joint have none.
        """
        number = self.frame_number(j) if isinstance(j, str) else j
        if not 0 <= number <= len(self.links):
            raise UnknownNameError("link", j, [f"0 .. {len(self.links)}"])
        return self.links[number - 1] if number else self.base.link

    # -- robots from Python's own lists

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[Any],
        convention: str,
        name: str = "robot",
        *,
        degrees: bool = False,
        **details: Any,
    ) -> Robot:
        """A robot from rows of Denavit-Hartenberg parameters; numbers, or texts such as "pi/2" and "D3".

        Arguments:
            rows: one a joint. A tuple has the columns of the convention: theta, d, a, alpha (standard);
                alpha, a, theta, d (Craig); alpha, d, theta, r or all six (Khalil and Kleinfinger). The joint's
                own column holds its offset, or "q3" or "q3 + pi/2", and a "q3" in the column of lengths makes the
                joint prismatic; so does a letter R, P or F in front. A dict has the keys of a frame in YAML, and
                `mass`, `com`, `inertia` besides.
            convention: "standard" (or dh), "craig" (or modified, mdh), "khalil-kleinfinger" (or kk).
            degrees: the angles of rows, limits, tool and postures are in degrees.
            details: `joints` ("RRP"), `gravity`, and the other keys of a robot's YAML file: `tool`, `base`,
                `payload`, `nominal`, `postures`, `inertia="symbolic"`, `friction`, `title`, `reference`.

        Raises:
            FormatError: with the row and key of what is wrong.
        """
        from symoro.robot.formats.rows import from_rows

        return from_rows(rows, convention, name, degrees=degrees, **details)

    # -- new robots from this one

    def replace(self, **changes: Any) -> Robot:
        """The robot with some fields changed."""
        return replace(self, **changes)

    def with_frame(self, j: int | str, **changes: Any) -> Robot:
        """The robot with some fields of frame j changed; texts and numbers become formulas."""
        j = self.frame_number(j)
        frame = replace(self.frame(j), **_as_formulas(Frame, changes))
        return replace(self, frames=(*self.frames[: j - 1], frame, *self.frames[j:]))

    def with_link(self, j: int | str, **changes: Any) -> Robot:
        """The robot with some parameters of link j changed; 0 is the base.

        `mass`, with `com` and `inertia` about it, stands for all ten inertial parameters.
        """
        from symoro.robot.centre import without_centre

        j = self.frame_number(j)
        link = replace(self.link(j), **_as_formulas(Link, without_centre(changes)))
        if j == 0:
            return replace(self, base=replace(self.base, link=link))
        return replace(self, links=(*self.links[: j - 1], link, *self.links[j:]))

    def bind(self, values: Mapping[str, FormulaLike]) -> Robot:
        """Numbers (or other expressions) for symbols, folded into the description."""
        from symoro.robot.symbols import bind

        return bind(self, values)

    def symbolic(
        self,
        *,
        inertia: bool | Literal["all"] = False,
        geometry: bool = False,
        friction: bool = False,
        gravity: bool = False,
    ) -> Robot:
        """Symbols for numbers, the numbers kept as nominal values; zeros stay zero, except with inertia='all'."""
        from symoro.robot.symbols import symbolic

        return symbolic(self, inertia=inertia, geometry=geometry, friction=friction, gravity=gravity)

    def tree(self) -> Robot:
        """The robot with its loops cut: frames 1..NL alone."""
        return replace(self, frames=self.frames[: self.NL]) if self.B else self

    def floating(self) -> Robot:
        """The robot on a base that is free in space: link 0, with what inertia it has; its motion is found or given.

        Wheels that it has are off the ground then, and no longer told of.
        """
        base = replace(self.base, kind=BaseKind.FLOATING, V0=ZERO3, W0=ZERO3, VP0=ZERO3, WP0=ZERO3)
        return replace(self, base=base, wheels=())

    def symbols(self) -> tuple[str, ...]:
        """Names of all symbols of the description, in the order of the frames."""
        from symoro.robot.symbols import symbols

        return symbols(self)

    def frame_number(self, which: int | str) -> int:
        """The number of a frame given by number, joint name or link name; 'base' is 0."""
        if isinstance(which, int) and not isinstance(which, bool):
            if 0 <= which <= self.NF:
                return which
            raise UnknownNameError("frame", which, [f"0 .. {self.NF}"])
        names = {"base": 0}
        for j in range(1, self.NF + 1):
            for name in (str(j), self.frame(j).name, self.link(j).name if j <= self.NL else ""):
                if name:
                    names.setdefault(name, j)
        names["0"] = 0
        if which not in names:
            raise UnknownNameError("frame", which, list(names))
        return names[which]

    def __str__(self) -> str:
        from symoro.robot.tables import text

        return text(self)

    def _repr_html_(self) -> str:
        from symoro.ui.notebook import robot_html

        return robot_html(self)


def scalars(item: Frame | Link | Placement | Flexibility | Wheel) -> Iterator[tuple[str, Formula]]:
    """The formulas of a record by field name, in order."""
    for f in fields(item):
        value = getattr(item, f.name)
        if isinstance(value, Formula):
            yield f.name, value


def _as_formulas(record: type, changes: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {f.name: str(f.type) for f in fields(record)}
    for name in changes:
        if name not in kinds:
            raise UnknownNameError(f"field of {record.__name__}", name, list(kinds))
    return {
        name: formula(value) if kinds[name].startswith("Formula") and value is not None else value
        for name, value in changes.items()
    }
