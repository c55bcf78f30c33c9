"""Answers of the workbench's service, as plain dataclasses, and the table of its calls.

The description of the service (OpenAPI) and the page's TypeScript types are derived from these classes; `to_json` makes
JSON of them. A field with the default None is left out of the JSON where it is None; one with the default ABSENT may
also be null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, Literal, Union

from symoro.robot.records import BaseKind
from symoro.robot.topology import JointLetter, Structure
from symoro.robot.wheels import WheelKind
from symoro.ui.service.requests import (
    BaseRequest,
    CatalogueRequest,
    CloseRequest,
    CodeRequest,
    EditRequest,
    EmptyRequest,
    EvaluateRequest,
    ExcitationRequest,
    ExportRequest,
    FramesRequest,
    IdentificationRequest,
    ModelRequest,
    NewRobotRequest,
    OpenRequest,
    ParameterRowsRequest,
    Request,
    RobotRequest,
    SimulationRequest,
    SingularitiesRequest,
    SolveRequest,
    TrajectoryRequest,
    WriteRequest,
)

CellKind = Literal["formula", "number", "count", "choice", "flag", "text"]
Matrix = list[list[float | None]]


class Absent:
    """The type of ABSENT: a key that is left out."""


ABSENT: Any = Absent()


def to_json(item: Any) -> Any:
    """Return plain JSON values; numbers that JSON does not have (nan, inf) are null."""
    if is_dataclass(item):
        pairs = [(f, getattr(item, f.name)) for f in fields(item)]
        return {
            f.name: to_json(value)
            for f, value in pairs
            if value is not ABSENT and (value is not None or f.default is not None)
        }
    if isinstance(item, Mapping):
        return {str(key): to_json(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [to_json(value) for value in item]
    if isinstance(item, Enum):
        return item.value
    return None if isinstance(item, float) and not math.isfinite(item) else item


def optional() -> Any:
    """Return a field whose key may be absent, or null where its type allows it."""
    return field(default_factory=lambda: ABSENT)


@dataclass(frozen=True, kw_only=True)
class LanguageData:
    """A language."""

    id: str
    title: str


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """A format of files: whether they can be opened here, and written."""

    id: str
    suffixes: list[str]
    opened: bool
    written: bool


@dataclass(frozen=True, kw_only=True)
class About:
    """What this symoro can do."""

    version: str
    python: str
    menus: list[str]
    languages: list[LanguageData]
    formats: list[FileFormat]
    structures: list[str]
    bases: list[str]
    conventions: list[str]


@dataclass(frozen=True, kw_only=True)
class GalleryEntry:
    """A bundled robot in the gallery."""

    id: str
    name: str
    title: str
    family: str
    structure: str
    reference: str


@dataclass(frozen=True, kw_only=True)
class RobotsData:
    """The gallery."""

    robots: list[GalleryEntry]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a table."""

    j: int | str
    cells: list[str]
    variable: str | None = optional()
    symbol: str | None = optional()
    role: Literal["link", "opened", "twin"] | None = None
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a robot."""

    title: str
    part: str
    columns: list[str]
    kinds: list[CellKind]
    choices: dict[str, list[str]]
    hints: list[str]
    rows: list[Row]
    add: str | None
    remove: str | None


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Links, joints, frames and loops."""

    NL: int
    NJ: int
    NF: int
    B: int


@dataclass(frozen=True, kw_only=True)
class JointView:
    """A joint that moves."""

    frame: int
    name: str
    kind: JointLetter
    active: bool
    opened: bool
    coupled: bool
    elastic: bool
    lower: float | None
    upper: float | None


@dataclass(frozen=True, kw_only=True)
class Term:
    """A joint that another follows, and by how much."""

    frame: int
    ratio: str


@dataclass(frozen=True, kw_only=True)
class CouplingView:
    """A joint that follows others."""

    frame: int
    terms: list[Term]
    offset: str


@dataclass(frozen=True, kw_only=True)
class FrameView:
    """A frame and its antecedent."""

    frame: int
    ant: int
    name: str
    kind: JointLetter
    active: bool


@dataclass(frozen=True, kw_only=True)
class LoopView:
    """A loop: the joint where it is opened, its twin, and all frames on the way."""

    opened: int
    twin: int
    frames: list[int]


@dataclass(frozen=True, kw_only=True)
class WheelView:
    """A wheel; `symbol` is the parameter that its radius is, `roller` the angle of a Swedish wheel's rollers."""

    frame: int
    kind: WheelKind
    radius: float | None
    symbol: str | None
    steering: int | None
    roller: float | None


@dataclass(frozen=True, kw_only=True)
class PlatformView:
    """A platform, the frames that move with it, and its legs."""

    frame: int
    body: list[int]
    legs: list[list[int]]


@dataclass(frozen=True, kw_only=True)
class VisualData:
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


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything that the page shows of a robot; `file` is its name as the name of a file.

    `visuals`, the shapes of a URDF, are in the answer of `robot_open` only.
    """

    robot: dict[str, Any]
    name: str
    file: str
    title: str
    reference: str
    structure: Structure
    description: str
    base: BaseKind
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
    visuals: list[VisualData] = optional()


@dataclass(frozen=True, kw_only=True)
class OptionData:
    """An option of a model, as a form shows it."""

    name: str
    title: str
    kind: Literal["frame", "frames", "points", "choice", "flag", "text", "number", "posture"]
    default: Any
    choices: list[str]


@dataclass(frozen=True, kw_only=True)
class PortData:
    """An array that a model takes or gives; its shape in letters, as 'n' or 'K,n'."""

    shape: str
    title: str


@dataclass(frozen=True, kw_only=True)
class FormData:
    """One form of a model; `of` names the structure, and is absent in the plain form."""

    of: str = optional()
    inputs: dict[str, PortData]
    outputs: dict[str, PortData]
    options: list[OptionData]
    reference: str
    applies_to: str


@dataclass(frozen=True, kw_only=True)
class Switch:
    """A value of an option that alone leads to another form; null where any does."""

    option: str
    value: Any
    form: int


@dataclass(frozen=True, kw_only=True)
class EntryData(FormData):
    """A model; `form` (its place in [plain, *forms]), `switches` and `why_not` are those for the robot that came."""

    id: str
    menu: str
    title: str
    aliases: list[str]
    forms: list[FormData]
    form: int = optional()
    switches: list[Switch] = optional()
    why_not: str | None = optional()


@dataclass(frozen=True, kw_only=True)
class CatalogueData:
    """Every model, in the order of the menus."""

    models: list[EntryData]


@dataclass(frozen=True, kw_only=True)
class Files:
    """Texts by the names of their files."""

    files: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Project(Files):
    """A model as a whole folder, with the folder's name."""

    folder: str


@dataclass(frozen=True, kw_only=True)
class InputData:
    """An input's shape and the names of its entries."""

    shape: list[int]
    entries: list[str]


@dataclass(frozen=True, kw_only=True)
class Sources(Files):
    """Source files of a model, with what it takes."""

    inputs: dict[str, InputData]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Arrays by name; null is a value that is not a number."""

    outputs: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Module:
    """JavaScript made by symoro, with the names and shapes of what it takes and gives."""

    source: str
    parameters: list[str]
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]


@dataclass(frozen=True, kw_only=True)
class Placements:
    """All frames of a robot placed, and its loops closed where there is a closed form."""

    frames: Module
    loops: Module | None


@dataclass(frozen=True, kw_only=True)
class PostureRow:
    """A posture: coordinates, opened joints, and how far it is from the pose."""

    q: list[float]
    qc: list[float]
    status: Literal["valid", "singular"]
    residual: float
    free: list[int]


@dataclass(frozen=True, kw_only=True)
class SolvedPose:
    """The postures of a pose; `complete` where these are all."""

    method: Literal["closed form", "numeric"]
    complete: bool
    coordinates: list[int]
    opened: list[int]
    solutions: list[PostureRow]


@dataclass(frozen=True, kw_only=True)
class ModelPort:
    """An array that a model takes or gives, with its numbers of rows and columns."""

    direction: Literal["in", "out"]
    name: str
    shape: list[int]
    title: str
    unit: str
    entries: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Operations; `setup` are those done once."""

    additions: int
    multiplications: int
    divisions: int
    functions: int
    others: int
    kernels: int
    setup: Counts | None = None


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """A model to be read."""

    model: str
    form: str
    robot: str
    options: dict[str, Any]
    title: str
    reference: str
    inputs: dict[str, InputData]
    outputs: dict[str, list[int]]
    parameters: list[str]
    units: dict[str, str]
    count: Counts
    text: str
    latex: str
    ports: list[ModelPort]
    columns: list[str]
    conditions: list[str]
    choices: list[str]
    derivation: list[str]
    python: str
    command: str


@dataclass(frozen=True, kw_only=True)
class PassData:
    """What an optimising pass saved: operations before and after."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """How a model was formulated, solved and optimised."""

    lines: list[str]
    passes: list[PassData]


@dataclass(frozen=True, kw_only=True)
class BaseAnswer:
    """Base parameters; relations as kept parameter -> {other parameter: factor}."""

    robot: str
    names: list[str]
    no_effect: list[str]
    relations: dict[str, dict[str, str]]
    friction: list[str]
    method: str
    conditions: list[str]
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class SingularAnswer:
    """The singular postures as conditions; `complete` where these are all."""

    text: str
    complete: bool


@dataclass(frozen=True, kw_only=True)
class PeakData:
    """The largest amounts of a joint along a motion, with their signs."""

    joint: int
    torque: float
    torque_time: float
    rms: float
    velocity: float
    acceleration: float
    power: float
    energy: float


@dataclass(frozen=True, kw_only=True)
class PassedLimit:
    """A limit that a motion passes; `told` describes it in words."""

    joint: int
    what: str
    limit: float
    time: float
    worst: float
    worst_time: float
    told: str


@dataclass(frozen=True, kw_only=True)
class MotionAnswer:
    """A motion: rows of all joints of the view; torques are those of `joints`, with their units and limits.

    Of more than 4000 samples some are left out; peaks and energy are those of all.
    """

    times: list[float]
    q: list[list[float]]
    samples: int
    frame: int
    joints: list[int]
    units: list[str]
    tau: Matrix
    efforts: list[float | None]


@dataclass(frozen=True, kw_only=True)
class TrajectoryAnswer(MotionAnswer):
    """A trajectory on a robot, with what it takes; `verdict` is what can be said where no limit is passed."""

    power: Matrix
    peaks: list[PeakData]
    energy: float
    passed: list[PassedLimit]
    verdict: str
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class ExcitationAnswer:
    """A motion that shows parameters: the text of its file, the condition of the regressor, and its columns."""

    text: str
    condition: float
    columns: list[str]


@dataclass(frozen=True, kw_only=True)
class EventData:
    """A joint that sticks, slides, meets a stop or leaves it."""

    time: float
    joint: int
    what: str


@dataclass(frozen=True, kw_only=True)
class SimulationAnswer(MotionAnswer):
    """A simulated motion; `base` is the location of frame 0 in the world, 16 numbers by rows, if it moves."""

    base: list[list[float]] | None
    kinetic: list[float | None] | None
    potential: list[float | None] | None
    events: list[EventData]
    finished: bool
    why: str
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Samples of a simulation as they come."""

    times: list[float]
    q: list[list[float]]
    tau: Matrix
    base: list[list[float]] | None


@dataclass(frozen=True, kw_only=True)
class ParameterData:
    """An estimated parameter with its standard deviation; `shown` is its name in the papers, as ZZR1."""

    name: str
    shown: str
    value: float | None
    deviation: float | None
    unit: str


@dataclass(frozen=True, kw_only=True)
class SectionData:
    """A part of a report: sentences, and a table."""

    title: str
    text: list[str]
    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, kw_only=True)
class IdentifyAnswer:
    """The result of an identification; residuals are relative to the measurements, null where there is none.

    `robot` is the document with the parameters that were found; `files` are the report as Markdown and HTML.
    """

    method: str
    parameters: list[ParameterData]
    residuals: dict[str, float | None]
    warnings: list[str]
    sections: list[SectionData]
    files: dict[str, str]
    labels: list[str]
    times: list[float]
    measured: Matrix
    predicted: Matrix
    robot: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ErrorPlace:
    """Where something is wrong: in a file, or in a cell of a table."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    part: str | None = None
    j: int | str | None = None
    field: str | None = None


@dataclass(frozen=True, kw_only=True)
class ErrorBody:
    """What is wrong, and where known what to do, where it is, and all problems of a robot."""

    kind: str
    message: str
    hint: str | None = None
    place: ErrorPlace | None = None
    problems: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Failure:
    """The answer to what cannot be."""

    error: ErrorBody


@dataclass(frozen=True)
class ServiceCall:
    """The types of a call; a long one runs as a job."""

    request: type[Request]
    answer: type
    long: bool = False


SERVICE = {
    "about": ServiceCall(EmptyRequest, About),
    "catalogue": ServiceCall(CatalogueRequest, CatalogueData),
    "robots": ServiceCall(EmptyRequest, RobotsData),
    "robot_open": ServiceCall(OpenRequest, View),
    "robot_new": ServiceCall(NewRobotRequest, View),
    "robot_dh": ServiceCall(ParameterRowsRequest, View),
    "robot_view": ServiceCall(RobotRequest, View),
    "robot_edit": ServiceCall(EditRequest, View),
    "robot_write": ServiceCall(WriteRequest, Files),
    "frames": ServiceCall(FramesRequest, Placements, long=True),
    "close": ServiceCall(CloseRequest, Outputs),
    "solve": ServiceCall(SolveRequest, SolvedPose, long=True),
    "model": ServiceCall(ModelRequest, ModelAnswer, long=True),
    "explain": ServiceCall(ModelRequest, Explanation, long=True),
    "code": ServiceCall(CodeRequest, Sources, long=True),
    "export": ServiceCall(ExportRequest, Project, long=True),
    "evaluate": ServiceCall(EvaluateRequest, Outputs, long=True),
    "base": ServiceCall(BaseRequest, BaseAnswer, long=True),
    "singularities": ServiceCall(SingularitiesRequest, SingularAnswer, long=True),
    "trajectory": ServiceCall(TrajectoryRequest, TrajectoryAnswer, long=True),
    "excitation": ServiceCall(ExcitationRequest, ExcitationAnswer, long=True),
    "simulate": ServiceCall(SimulationRequest, SimulationAnswer, long=True),
    "identify": ServiceCall(IdentificationRequest, IdentifyAnswer, long=True),
}
LONG = tuple(name for name, call in SERVICE.items() if call.long)
Result: Any = Union[tuple(dict.fromkeys(SERVICE[name].answer for name in LONG))]  # noqa: UP007


@dataclass(frozen=True, kw_only=True)
class JobData:
    """The state of a job."""

    id: str
    call: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: dict[str, Any] | None
    result: Result | Failure | None
    pieces: list[Piece] | None = None
    """Of a result that grows, in the events alone: what came since the event before, after `before` other pieces."""
    before: int | None = None
