"""What the calls answer about a robot: the gallery, its tables, and all that the page shows of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

Kind = Literal["R", "P", "F"]
Matrix = list[list[float | None]]


class Card(BaseModel):
    """A bundled robot in the gallery."""

    id: str
    name: str
    title: str
    family: str
    structure: str
    reference: str


class RobotsData(BaseModel):
    """The gallery."""

    robots: list[Card]


class Row(BaseModel):
    """A row of a table."""

    j: int | str
    cells: list[str]
    variable: str | None = None
    symbol: str | None = None
    role: Literal["link", "opened", "twin"] | None = None
    hint: str | None = None


class Table(BaseModel):
    """A table of a robot."""

    title: str
    part: str
    columns: list[str]
    kinds: list[Literal["formula", "number", "count", "choice", "flag", "text"]]
    choices: dict[str, list[str]]
    hints: list[str]
    rows: list[Row]
    add: str | None
    remove: str | None


class Sizes(BaseModel):
    """Links, joints, frames and loops."""

    NL: int
    NJ: int
    NF: int
    B: int


class JointView(BaseModel):
    """A joint that moves."""

    frame: int
    name: str
    kind: Kind
    active: bool
    opened: bool
    coupled: bool
    elastic: bool
    lower: float | None
    upper: float | None


class Term(BaseModel):
    """A joint that another follows, and by how much."""

    frame: int
    ratio: str


class CouplingView(BaseModel):
    """A joint that follows others."""

    frame: int
    terms: list[Term]
    offset: str


class FrameView(BaseModel):
    """A frame and what it stands on."""

    frame: int
    ant: int
    name: str
    kind: Kind
    active: bool


class LoopView(BaseModel):
    """A loop: the joint where it is opened, its twin, and all frames on the way."""

    opened: int
    twin: int
    frames: list[int]


class WheelView(BaseModel):
    """A wheel; `symbol` is the parameter that its radius is, `roller` the angle of a Swedish wheel's rollers."""

    frame: int
    kind: Literal["fixed", "steering", "castor", "swedish"]
    radius: float | None
    symbol: str | None
    steering: int | None
    roller: float | None


class PlatformView(BaseModel):
    """A platform, the frames that move with it, and its legs."""

    frame: int
    body: list[int]
    legs: list[list[int]]


class VisualData(BaseModel):
    """A shape in a frame of the robot."""

    frame: int
    link: str
    shape: Literal["mesh", "box", "cylinder", "sphere"]
    size: list[float]
    file: str | None
    scale: list[float]
    xyz: list[float]
    rpy: list[float]
    color: list[float] | None


class View(BaseModel):
    """Everything that the page shows of a robot; `file` is its name as the name of a file."""

    robot: dict[str, Any]
    name: str
    file: str
    title: str
    reference: str
    structure: Literal["serial", "tree", "closed-loop"]
    description: str
    base: Literal["fixed", "floating", "wheeled"]
    floating: bool
    location: Matrix
    sizes: Sizes
    symbols: list[str]
    nominal: dict[str, float]
    values: dict[str, float]
    postures: dict[str, list[float]]
    notes: list[str]
    warnings: list[str]
    coordinates: list[int]
    joints: list[JointView]
    couplings: list[CouplingView]
    frames: list[FrameView]
    loops: list[LoopView]
    wheels: list[WheelView]
    platform: PlatformView | None
    tool: str | None
    tables: list[Table]


class OpenedView(View):
    """The same of a robot that was opened, with what a URDF draws."""

    visuals: list[VisualData]
