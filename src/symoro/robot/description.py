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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from symoro.display import html
from symoro.errors import RobotError, UnknownNameError
from symoro.expr.formula import FormulaLike, formula
from symoro.robot import symbols
from symoro.robot.centre import without_centre
from symoro.robot.postures import Postures
from symoro.robot.records import ANGLES as ANGLES
from symoro.robot.records import DRIVE as DRIVE
from symoro.robot.records import GEOMETRIC as GEOMETRIC
from symoro.robot.records import IDENTITY16 as IDENTITY16
from symoro.robot.records import INERTIAL as INERTIAL
from symoro.robot.records import MOTION as MOTION
from symoro.robot.records import STANDARD_GRAVITY as STANDARD_GRAVITY
from symoro.robot.records import WRENCH as WRENCH
from symoro.robot.records import ZERO3 as ZERO3
from symoro.robot.records import Base as Base
from symoro.robot.records import BaseKind as BaseKind
from symoro.robot.records import Coupling as Coupling
from symoro.robot.records import Frame as Frame
from symoro.robot.records import JointType as JointType
from symoro.robot.records import Limits as Limits
from symoro.robot.records import Link as Link
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
        merged_links: names of links of a file that were merged with the links that carry them; not compared.
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
    merged_links: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
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

        return from_rows(cls, rows, convention, name, degrees=degrees, **details)

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
        """Return a robot that carries a rigid payload in addition to what it already carries.

            robot.with_payload(mass=2, com=[0, 0, 0.05])
            robot.with_payload(mass=2, com=[0, 0, 0.05], inertia=[0.01, 0.01, 0.004], link="forearm")

        Args:
            mass: mass in kg; a number, or an expression such as "MP".
            com: centre of mass in metres, in the frame that carries the payload; the frame's origin unless given.
            inertia: inertia about the centre of mass in kg m2, in the axes of that frame: 3 values (the diagonal),
                6 (xx, xy, xz, yy, yz, zz) or 3 rows of 3; a point mass unless given.
            link: number or name of the link that carries the payload: its inertial parameters are increased, and `com`
                refers to the link's frame. Unless given, the end effector carries the payload, and `com` refers to the
                tool frame. If the robot has no tool frame, one is added that coincides with the frame of the platform
                or of the last link.

        Raises:
            ArgumentError: the mass is negative, the link is flexible, or the robot has several terminal links, no tool
                frame, and no link is given.
            OptionError: `com` or `inertia` has a wrong shape.
            UnknownNameError: there is no such link.
        """
        from symoro.robot.payload import with_payload

        return with_payload(self, mass, com, inertia, link)

    def bind(self, values: Mapping[str, FormulaLike]) -> Robot:
        """Numbers (or other expressions) for symbols, folded into the description."""
        return symbols.bind(self, values)

    def symbolic(
        self,
        *,
        inertia: bool | Literal["all"] = False,
        geometry: bool = False,
        friction: bool = False,
        gravity: bool = False,
    ) -> Robot:
        """Symbols for numbers, the numbers kept as nominal values; zeros stay zero, except with inertia='all'."""
        return symbols.symbolic(self, inertia=inertia, geometry=geometry, friction=friction, gravity=gravity)

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
        return symbols.symbols(self)

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
            hint = MERGED.format(link=which) if which in self.merged_links else None
            raise UnknownNameError("frame", which, list(names), hint=hint)
        return names[which]

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str | None:
        return html(self)


def _as_formulas(record: type, changes: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {f.name: str(f.type) for f in fields(record)}
    for name in changes:
        if name not in kinds:
            raise UnknownNameError(f"field of {record.__name__}", name, list(kinds))
    return {
        name: formula(value) if kinds[name].startswith("Formula") and value is not None else value
        for name, value in changes.items()
    }
