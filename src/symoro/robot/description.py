"""The description of a robot: frozen data in the notation of Khalil and Kleinfinger.

Frame j is fixed to link j. Six parameters define its pose in the antecedent frame i,

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r),

with theta (sigma 0) or r (sigma 1) equal to q_j + offset: for a moving joint the field contains only the offset.
Frames 1..NL have links. A loop that is cut at joint k > NL adds the frames k and k + B (B loops): one frame,
described on both sides of the cut, without a link.

W. Khalil, J.F. Kleinfinger, "A new geometric notation for open and closed-loop robots", ICRA 1986.
W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from symoro.display import html
from symoro.errors import RobotError, UnknownNameError
from symoro.expr.formula import FormulaLike, formula
from symoro.robot import symbols
from symoro.robot.centre import CENTRAL, without_centre
from symoro.robot.postures import Postures
from symoro.robot.records import ANGLES as ANGLES
from symoro.robot.records import DRIVE as DRIVE
from symoro.robot.records import FRICTION as FRICTION
from symoro.robot.records import FURTHER_FRICTION as FURTHER_FRICTION
from symoro.robot.records import GEOMETRIC as GEOMETRIC
from symoro.robot.records import IDENTITY16 as IDENTITY16
from symoro.robot.records import INERTIAL as INERTIAL
from symoro.robot.records import MOTION as MOTION
from symoro.robot.records import MOTOR as MOTOR
from symoro.robot.records import STANDARD_GRAVITY as STANDARD_GRAVITY
from symoro.robot.records import WRENCH as WRENCH
from symoro.robot.records import ZERO3 as ZERO3
from symoro.robot.records import Base as Base
from symoro.robot.records import BaseKind as BaseKind
from symoro.robot.records import Capsule as Capsule
from symoro.robot.records import CoupledMotor as CoupledMotor
from symoro.robot.records import Coupling as Coupling
from symoro.robot.records import Frame as Frame
from symoro.robot.records import JointType as JointType
from symoro.robot.records import Limits as Limits
from symoro.robot.records import Link as Link
from symoro.robot.records import LinkFrame as LinkFrame
from symoro.robot.records import Placement as Placement
from symoro.robot.records import Tool as Tool
from symoro.robot.records import Triple as Triple
from symoro.robot.records import scalars as scalars
from symoro.robot.records import with_nominal_gravity as with_nominal_gravity
from symoro.robot.tables import text
from symoro.robot.validation import problems, with_length
from symoro.robot.wheels import Wheel

MERGED = (
    "the link '{link}' is on a fixed joint and was merged with the link that carries it; read the file with "
    "fixed='keep' to give it a frame, or with tool='{link}' to make it the tool frame"
)


@dataclass(frozen=True, repr=False)
class Robot:
    """A robot: frames with joints, links, base, tool frame and payload.

    `frames[0]` is frame 1 and `links[0]` is link 1; `frame(j)` and `link(j)` take the numbers of the notation.

    Attributes:
        name: name of the robot.
        frames, links: frames 1..NF with their joints, links 1..NL with their inertial parameters.
        base: kind, link 0, prescribed motion, gravity and pose of the base.
        tool: the tool frame, if there is one.
        payload: inertial parameters of a load, about the origin and in the axes of the tool frame (`with_payload`).
        nominal: default numbers for symbols; the symbol G3 of the default gravity is -9.81 m/s2.
        title, reference: one line about the robot, and the publication of its parameters.
        notes: remarks on the origin of the description; they are ignored in comparisons.
        postures: configurations by name, one number per coordinate (radians, metres). A modified robot keeps those
            whose length still fits.
        wheels: the wheels of a wheeled base; without wheels its motion is prescribed.
        platform: the frame of the platform of a parallel robot, which its legs carry; None if there is none.
        motors: motors that turn with several joints; they have rotor inertia and friction in addition to IA, FV, FS.
        link_frames: frames of the links in a URDF or MJCF file that are not frames of the robot; not compared.
        capsules: shapes of the links, to avoid collisions; models do not depend on them, and they are not compared.
    """

    name: str
    frames: tuple[Frame, ...]
    links: tuple[Link, ...]
    base: Base = field(default_factory=Base)
    tool: Tool | None = None
    payload: Link | None = None
    nominal: tuple[tuple[str, float], ...] = ()
    title: str = ""
    reference: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)
    postures: Mapping[str, tuple[float, ...]] = Postures()
    wheels: tuple[Wheel, ...] = ()
    platform: int | None = None
    motors: tuple[CoupledMotor, ...] = ()
    link_frames: tuple[LinkFrame, ...] = field(default=(), compare=False)
    capsules: tuple[Capsule, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.postures, Postures):  # copied from the robot that was modified
            kept: Mapping[str, tuple[float, ...]] = with_length(self.postures, self)
        else:
            kept = Postures(self.postures)
        object.__setattr__(self, "postures", kept)
        object.__setattr__(self, "nominal", with_nominal_gravity(self.nominal, self.base))
        inconsistencies = problems(self)
        if inconsistencies:
            raise RobotError(self.name, inconsistencies)

    # -- sizes, named as in the notation

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
        """Number of joints, including the cut joints."""
        return self.NL + self.B

    def frame(self, j: int | str) -> Frame:
        """Return frame j = 1..NF, by number or by the name of its joint or link.

        Raises:
            UnknownNameError: there is no such frame. Frame 0 is the base (`robot.base`), which has no joint.
        """
        number = self.frame_number(j) if isinstance(j, str) else j
        if not 1 <= number <= len(self.frames):
            known = f"1 .. {len(self.frames)}"
            raise UnknownNameError(
                "frame", j, [known], hint=f"the frames are numbered {known}; frame 0 is the base"
            )
        return self.frames[number - 1]

    def link(self, j: int | str) -> Link:
        """Return link j = 0..NL, by number or by the name of the link or its joint; 0 is the base.

        Raises:
            UnknownNameError: there is no such link; the frames of cut joints have no link.
        """
        number = self.frame_number(j) if isinstance(j, str) else j
        if not 0 <= number <= len(self.links):
            raise UnknownNameError("link", j, [f"0 .. {len(self.links)}"])
        return self.links[number - 1] if number else self.base.link

    # -- robots from tables

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
        """Return a robot from rows of Denavit-Hartenberg parameters.

            symoro.Robot.from_dh([("q1", 0, 0, "pi/2"), ("q2", 0, "L2", 0)], "standard")
            symoro.Robot.from_dh([(q1, 0, 0, sympy.pi / 2), (q2, 0, L2, 0)], "standard")     # SymPy symbols

        Args:
            rows: one row per joint, of numbers, texts such as "pi/2" and "D3", or SymPy expressions. A tuple has the
                columns of the convention: theta, d, a, alpha (standard); alpha, a, theta, d (Craig); alpha, d,
                theta, r or all six (Khalil and Kleinfinger). The column of the joint variable contains the offset,
                or "q3" or "q3 + pi/2". A "q3" in the column of the length makes the joint prismatic; a letter R, P
                or F at the beginning of the row also states the type. A dict has the keys of a frame in YAML, and
                `mass`, `com`, `inertia`.
            convention: "standard" (or dh), "craig" (or modified, mdh), "khalil-kleinfinger" (or kk).
            degrees: the angles of rows, limits, tool and postures are in degrees.
            details: `joints` ("RRP"), `gravity`, and the other keys of a robot's YAML file: `tool`, `base`,
                `payload`, `nominal`, `postures`, `inertia="symbolic"`, `friction`, `title`, `reference`.

        Raises:
            FormatError: a value is wrong; the message contains the row and the key.
        """
        from symoro.robot.formats.rows import from_rows

        return from_rows(cls, rows, convention, name, degrees=degrees, **details)

    # -- modified robots

    def replace(self, **changes: Any) -> Robot:
        """Return the robot with the given fields changed, for example `robot.replace(name="arm")`."""
        return replace(self, **changes)

    def with_frame(self, j: int | str, **changes: Any) -> Robot:
        """Return the robot with some fields of frame j changed.

        Args:
            j: number of the frame, or name of its joint or link.
            changes: new values by field name, as numbers, texts or SymPy expressions.
        """
        j = self.frame_number(j)
        frame = replace(self.frame(j), **_as_formulas(Frame, changes))
        return replace(self, frames=(*self.frames[: j - 1], frame, *self.frames[j:]))

    def with_link(self, j: int | str, **changes: Any) -> Robot:
        """Return the robot with some parameters of link j changed; link 0 is the base.

        Args:
            j: number of the link, or name of the link or its joint.
            changes: new values by field name. `mass`, with `com` (m) and `inertia` (kg m2, about the centre of mass),
                defines all ten inertial parameters.
        """
        j = self.frame_number(j)
        link = replace(self.link(j), **_as_formulas(Link, without_centre(changes)))
        if j == 0:
            return replace(self, base=replace(self.base, link=link))
        return replace(self, links=(*self.links[: j - 1], link, *self.links[j:]))

    def with_payload(
        self,
        mass: FormulaLike,
        com: Sequence[FormulaLike] | None = None,
        inertia: Any = None,
        link: int | str | None = None,
    ) -> Robot:
        """Return a robot that carries a rigid payload in addition to its present payload.

            robot.with_payload(mass=2, com=[0, 0, 0.05])
            robot.with_payload(mass=2, com=[0, 0, 0.05], inertia=[0.01, 0.01, 0.004], link="forearm")

        Args:
            mass: mass in kg; a number, or an expression such as "MP".
            com: centre of mass in metres, in the frame that carries the payload; by default the origin of this frame.
            inertia: inertia about the centre of mass in kg m2, in the axes of the frame that carries the payload: 3
                values (the diagonal), 6 (xx, xy, xz, yy, yz, zz) or 3 rows of 3; by default the payload is a point
                mass.
            link: number or name of the link that carries the payload. The inertial parameters of this link are
                increased, and `com` refers to its frame. By default the end effector carries the payload, and `com`
                refers to the tool frame. If the robot has no tool frame, one is added that coincides with the frame of
                the platform or of the last link.

        Raises:
            ArgumentError: the mass is negative; the link is flexible; or no link is given for a robot that has several
                terminal links and no tool frame.
            OptionError: `com` or `inertia` has a wrong shape.
            UnknownNameError: there is no such link.
        """
        from symoro.robot.payload import with_payload

        return with_payload(self, mass, com, inertia, link)

    def bind(self, values: Mapping[str, FormulaLike]) -> Robot:
        """Return the robot with numbers or expressions in place of symbols, for example `robot.bind({"D3": 0.45})`."""
        return symbols.bind(self, values)

    def symbolic(
        self,
        *,
        inertia: bool | Literal["all"] = False,
        geometry: bool = False,
        friction: bool = False,
        gravity: bool = False,
    ) -> Robot:
        """Return the robot with symbols in place of numbers; the numbers become nominal values of the symbols.

        Args:
            inertia: whether to replace the inertial parameters; 'all' replaces zeros too, which otherwise remain zero.
            geometry: whether to replace the geometric parameters.
            friction: whether to replace the friction and rotor parameters.
            gravity: whether to replace the gravity.
        """
        return symbols.symbolic(self, inertia=inertia, geometry=geometry, friction=friction, gravity=gravity)

    def tree(self) -> Robot:
        """Return the robot with its loops cut: only the frames 1..NL of the spanning tree remain."""
        return replace(self, frames=self.frames[: self.NL]) if self.B else self

    def floating(self) -> Robot:
        """Return the robot on a free-floating base, which has the inertial parameters of link 0.

        Wheels are removed, because a floating base does not touch the ground.
        """
        base = replace(self.base, kind=BaseKind.FLOATING, V0=ZERO3, W0=ZERO3, VP0=ZERO3, WP0=ZERO3)
        return replace(self, base=base, wheels=())

    def symbols(self) -> tuple[str, ...]:
        """Return the names of all symbols of the description, in the order of the frames."""
        return symbols.symbols(self)

    def frame_number(self, which: int | str) -> int:
        """Return the number of a frame given by number, joint name or link name; 'base' is 0."""
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
            hint = MERGED.format(link=which) if self.link_frame(which) else None
            raise UnknownNameError("frame", which, list(names), hint=hint)
        return names[which]

    def link_frame(self, name: int | str) -> LinkFrame | None:
        """Return the frame of a link in the robot's URDF or MJCF file; None if it is one of the robot's frames.

        A joint name denotes a frame of the robot, even if a link has the same name.
        """
        if any(frame.name == name for frame in self.frames):
            return None
        return next((link for link in self.link_frames if link.name == name), None)

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {self.title or f'{self.NL} links'}>"

    def _repr_html_(self) -> str | None:
        return html(self)


def _as_formulas(record: type, changes: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {f.name: str(f.type) for f in fields(record)}
    for name in changes:
        if name not in kinds:
            other, what = (Frame, "joint") if record is Link else (Link, "link")
            elsewhere = name in {f.name for f in fields(other)} or (other is Link and name in CENTRAL)
            hint = f"{name} is a parameter of the {what}: use with_{other.__name__.lower()}"
            raise UnknownNameError(
                f"field of {record.__name__}", name, list(kinds), hint=hint if elsewhere else None
            )
    return {
        name: formula(value) if kinds[name].startswith("Formula") and value is not None else value
        for name, value in changes.items()
    }
