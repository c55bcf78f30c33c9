"""What the calls answer, for the description of the service (OpenAPI); the page's types are made from it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

Kind = Literal["R", "P", "F"]
Matrix = list[list[float | None]]


class Named(BaseModel):
    """A language."""

    id: str
    title: str


class FileFormat(BaseModel):
    """A format of files: whether they can be opened here, and written."""

    id: str
    suffixes: list[str]
    opened: bool
    written: bool


class About(BaseModel):
    """What this symoro can do."""

    version: str
    python: str
    menus: list[str]
    languages: list[Named]
    formats: list[FileFormat]
    structures: list[str]
    bases: list[str]
    conventions: list[str]


class OptionData(BaseModel):
    """An option of a model, as a form shows it."""

    name: str
    title: str
    kind: Literal["frame", "frames", "points", "choice", "flag", "text", "number"]
    default: Any
    choices: list[str]


class PortData(BaseModel):
    """An array that a model takes or gives; its shape in letters, as 'n' or 'K,n'."""

    shape: str
    title: str


class FormData(BaseModel):
    """One form of a model; `of` says of what."""

    of: str
    inputs: dict[str, PortData]
    outputs: dict[str, PortData]
    options: list[OptionData]
    reference: str
    applies_to: str


class Switch(BaseModel):
    """A value of an option that alone leads to another form; null where any does."""

    option: str
    value: Any
    form: int


class EntryData(BaseModel):
    """A model; `form` (its place in [plain, *forms]), `switches` and `why_not` are those for the robot that came."""

    id: str
    menu: str
    title: str
    aliases: list[str]
    inputs: dict[str, PortData]
    outputs: dict[str, PortData]
    options: list[OptionData]
    reference: str
    applies_to: str
    forms: list[FormData]
    form: int | None = None
    switches: list[Switch] = []
    why_not: str | None = None


class CatalogueData(BaseModel):
    """Every model, in the order of the menus."""

    models: list[EntryData]


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
    """Everything that the page shows of a robot."""

    robot: dict[str, Any]
    name: str
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


class Files(BaseModel):
    """Texts by the names of their files."""

    files: dict[str, str]


class InputData(BaseModel):
    """An input's shape and the names of its entries."""

    shape: list[int]
    entries: list[str]


class Sources(Files):
    """Source files of a model, with what it takes."""

    inputs: dict[str, InputData]


class Outputs(BaseModel):
    """Arrays by name; null stands for what is no number."""

    outputs: dict[str, Any]


class Module(BaseModel):
    """JavaScript made by symoro, with the names and shapes of what it takes and gives."""

    source: str
    parameters: list[str]
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]


class Placements(BaseModel):
    """All frames of a robot placed, and its loops closed where there is a closed form."""

    frames: Module
    loops: Module | None


class PostureRow(BaseModel):
    """A posture: coordinates, opened joints, and how far it is from the pose."""

    q: list[float]
    qc: list[float]
    status: Literal["valid", "singular"]
    residual: float
    free: list[int]


class SolvedPose(BaseModel):
    """The postures of a pose; `complete` where these are all."""

    method: Literal["closed form", "numeric"]
    complete: bool
    coordinates: list[int]
    opened: list[int]
    solutions: list[PostureRow]


class ModelPort(BaseModel):
    """An array that a model takes or gives, with its numbers of rows and columns."""

    direction: Literal["in", "out"]
    name: str
    shape: list[int]
    title: str
    unit: str
    entries: list[str] | None = None


class Counts(BaseModel):
    """Operations; `setup` are those done once."""

    additions: int
    multiplications: int
    divisions: int
    functions: int
    others: int
    kernels: int
    setup: Counts | None = None


class ModelAnswer(BaseModel):
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


class PassData(BaseModel):
    """What an optimising pass saved: operations before and after."""

    name: str
    before: int
    after: int


class Explanation(BaseModel):
    """How a model was formulated, solved and optimised."""

    lines: list[str]
    passes: list[PassData]


class BaseAnswer(BaseModel):
    """Base parameters; relations as kept parameter -> {other parameter: factor}."""

    robot: str
    names: list[str]
    no_effect: list[str]
    relations: dict[str, dict[str, str]]
    friction: list[str]
    method: str
    conditions: list[str]
    notes: list[str]


class SingularAnswer(BaseModel):
    """The singular postures as conditions; `complete` where these are all."""

    text: str
    complete: bool


class PeakData(BaseModel):
    """The largest amounts of a joint along a motion, with their signs."""

    joint: int
    torque: float
    torque_time: float
    rms: float
    velocity: float
    acceleration: float
    power: float
    energy: float


class PassedData(BaseModel):
    """A limit that a motion passes; `told` says it in words."""

    joint: int
    what: str
    limit: float
    time: float
    worst: float
    worst_time: float
    told: str


class MotionAnswer(BaseModel):
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


class TrajectoryAnswer(MotionAnswer):
    """A trajectory on a robot, with what it takes; `verdict` is what can be said where no limit is passed."""

    power: Matrix
    peaks: list[PeakData]
    energy: float
    passed: list[PassedData]
    verdict: str
    doubts: list[str]


class ExcitationAnswer(BaseModel):
    """A motion that shows parameters: the text of its file, the condition of the regressor, and its columns."""

    text: str
    condition: float
    columns: list[str]


class EventData(BaseModel):
    """A joint that sticks, slides, meets a stop or leaves it."""

    time: float
    joint: int
    what: str


class SimulationAnswer(MotionAnswer):
    """A simulated motion; `base` is where frame 0 stands in the world, 16 numbers by rows, where that moves."""

    base: list[list[float]] | None
    kinetic: list[float | None] | None
    potential: list[float | None] | None
    events: list[EventData]
    finished: bool
    why: str


class ParameterData(BaseModel):
    """A parameter that was found, with its standard deviation."""

    name: str
    value: float | None
    deviation: float | None
    unit: str


class SectionData(BaseModel):
    """A part of a report: sentences, and a table."""

    title: str
    text: list[str]
    head: list[str]
    rows: list[list[str]]


class IdentifyAnswer(BaseModel):
    """What a log tells of a robot; residuals are shares of what was measured, null where there is none.

    `robot` is the document with the parameters that were found; `files` are the report as Markdown and HTML.
    """

    method: str
    parameters: list[ParameterData]
    residuals: dict[str, float | None]
    doubts: list[str]
    sections: list[SectionData]
    files: dict[str, str]
    labels: list[str]
    times: list[float]
    measured: Matrix
    predicted: Matrix
    robot: dict[str, Any]


class Piece(BaseModel):
    """Samples of a simulation as they come."""

    times: list[float]
    q: list[list[float]]
    tau: Matrix
    base: list[list[float]] | None


ANSWERS: dict[str, type[BaseModel]] = {
    "about": About,
    "catalogue": CatalogueData,
    "robots": RobotsData,
    "robot_open": OpenedView,
    "robot_new": View,
    "robot_dh": View,
    "robot_view": View,
    "robot_edit": View,
    "robot_write": Files,
    "close": Outputs,
    "frames": Placements,
    "solve": SolvedPose,
    "model": ModelAnswer,
    "explain": Explanation,
    "code": Sources,
    "export": Files,
    "evaluate": Outputs,
    "base": BaseAnswer,
    "singularities": SingularAnswer,
    "trajectory": TrajectoryAnswer,
    "excitation": ExcitationAnswer,
    "simulate": SimulationAnswer,
    "identify": IdentifyAnswer,
}
