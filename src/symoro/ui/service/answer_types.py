"""Define the answers of the workbench's service as dataclasses, and the table of its calls.

The OpenAPI description of the service and the page's TypeScript types are derived from these classes; `to_json`
converts them to JSON. A field with the default None is omitted from the JSON if it is None; a field with the default
ABSENT may also be null.
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
from symoro.ui.bodies import Role, Shape
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
    MechanicsRequest,
    ModelRequest,
    NewRobotRequest,
    OpenRequest,
    ParameterRowsRequest,
    Request,
    RobotRequest,
    SimulationRequest,
    SingularitiesRequest,
    SingularityDistancesRequest,
    SolveRequest,
    TrajectoryRequest,
    VariablesRequest,
    WorkspaceRequest,
    WriteRequest,
)

CellKind = Literal["formula", "number", "count", "choice", "flag", "text"]
Matrix = list[list[float | None]]


class Absent:
    """Type of the marker ABSENT, which means that a key is omitted from the JSON object."""


ABSENT: Any = Absent()


def to_json(item: Any) -> Any:
    """Convert dataclasses, mappings and lists to plain JSON values; nan and infinities become null."""
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
    """Return a dataclass field whose key may be absent from the JSON object."""
    return field(default_factory=lambda: ABSENT)


@dataclass(frozen=True, kw_only=True)
class LanguageData:
    """Programming language of generated code, or export target."""

    id: str
    title: str


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """File format of robots, and whether the page can read and write it."""

    id: str
    suffixes: list[str]
    opened: bool
    written: bool


@dataclass(frozen=True, kw_only=True)
class About:
    """Version and capabilities of this installation of symoro.

    `targets` are the export targets other than languages, `integrators` those of simulations.
    """

    version: str
    python: str
    menus: list[str]
    languages: list[LanguageData]
    targets: list[LanguageData]
    formats: list[FileFormat]
    structures: list[str]
    bases: list[str]
    conventions: list[str]
    integrators: list[str]


@dataclass(frozen=True, kw_only=True)
class GalleryEntry:
    """Bundled robot, as listed in the gallery."""

    id: str
    name: str
    title: str
    family: str
    structure: str
    reference: str


@dataclass(frozen=True, kw_only=True)
class RobotsData:
    """List of the bundled robots for the gallery."""

    robots: list[GalleryEntry]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Row of a table of robot data."""

    j: int | str
    cells: list[str]
    variable: str | None = optional()
    symbol: str | None = optional()
    role: Literal["link", "opened", "twin"] | None = None
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """Table of robot data, whose cells can be edited."""

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
    """Numbers of links (NL), joints (NJ), frames (NF) and loops (B) of a robot."""

    NL: int
    NJ: int
    NF: int
    B: int


@dataclass(frozen=True, kw_only=True)
class JointView:
    """Moving joint of a robot, with its limits."""

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
    """Term of a coupling: a driving joint and its ratio."""

    frame: int
    ratio: str


@dataclass(frozen=True, kw_only=True)
class CouplingView:
    """Coupled joint, whose position is a linear function of the positions of other joints."""

    frame: int
    terms: list[Term]
    offset: str


@dataclass(frozen=True, kw_only=True)
class FrameView:
    """Frame of a robot, its antecedent and its joint."""

    frame: int
    ant: int
    name: str
    kind: JointLetter
    active: bool


@dataclass(frozen=True, kw_only=True)
class LoopView:
    """Closed loop of a robot: the cut joint, its second frame (on the other link), and all frames of the loop."""

    opened: int
    twin: int
    frames: list[int]


@dataclass(frozen=True, kw_only=True)
class WheelView:
    """Wheel of a robot.

    `symbol` is the parameter of its radius, `roller` the angle of the rollers of a Swedish wheel.
    """

    frame: int
    kind: WheelKind
    radius: float | None
    symbol: str | None
    steering: int | None
    roller: float | None


@dataclass(frozen=True, kw_only=True)
class PlatformView:
    """Platform of a parallel robot, the frames that move with it, and its legs."""

    frame: int
    body: list[int]
    legs: list[list[int]]


@dataclass(frozen=True, kw_only=True)
class VisualData:
    """Shape of a link for display, in a frame of the robot."""

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
class BodyView:
    """Solid of a link or joint, placed in a frame; the attributes are those of `symoro.ui.bodies.BodyPart`."""

    link: int
    shape: Shape
    role: Role
    frame: int
    radius: float
    length: float
    point: list[float]
    low: float
    high: float
    corners: list[int]


@dataclass(frozen=True, kw_only=True)
class BodiesView:
    """Solids with which a robot is drawn; `size` of the robot and `unit`, half the width of a link, in metres."""

    size: float
    unit: float
    parts: list[BodyView]


@dataclass(frozen=True, kw_only=True)
class View:
    """All data of a robot that the page displays; `file` is the robot's name as a file name.

    `visuals`, the shapes of a URDF, are present only in the answer of `robot_open`. `legs` is the number of chains on a
    fixed base that has a mass, if there are several: such a robot is usually a legged robot with a floating base.
    `modes` are the names of the modal coordinates of flexible links; the key is absent for other robots.
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
    tool_link: int | None
    bodies: BodiesView
    tables: list[Table]
    visuals: list[VisualData] = optional()
    modes: list[str] = optional()
    legs: int = 0


@dataclass(frozen=True, kw_only=True)
class OptionData:
    """Option of a model: name, type, default and permitted values."""

    name: str
    title: str
    kind: Literal["frame", "frames", "points", "choice", "flag", "text", "number", "posture"]
    default: Any
    choices: list[str]


@dataclass(frozen=True, kw_only=True)
class PortData:
    """Input or output of a model; its shape is given by symbolic dimensions, for example 'n' or 'K,n'."""

    shape: str
    title: str


@dataclass(frozen=True, kw_only=True)
class FormData:
    """Variant of a model for one kind of robot.

    `of` names the kind of robot; it is absent for the general variant.
    """

    of: str = optional()
    inputs: dict[str, PortData]
    outputs: dict[str, PortData]
    options: list[OptionData]
    reference: str
    applies_to: str


@dataclass(frozen=True, kw_only=True)
class Switch:
    """Option value with which another variant of a model is derived.

    `form` is the index of that variant. `value` is null if every value except the default selects it.
    """

    option: str
    value: Any
    form: int


@dataclass(frozen=True, kw_only=True)
class EntryData(FormData):
    """Model of the catalogue with its variants.

    If the request contains a robot, `form` is the index in [general variant, *forms] of the variant for this robot,
    `switches` are the options that select other variants, and `why_not` is the reason if the model does not apply.
    """

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
    """All models of the catalogue, in the order of the menus."""

    models: list[EntryData]


@dataclass(frozen=True, kw_only=True)
class Files:
    """Contents of text files by file name."""

    files: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Project(Files):
    """Files of an exported model, and the name of their folder; `binaries` are encoded in base64."""

    folder: str
    binaries: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class InputData:
    """Shape of an input of a model, and the names of its entries."""

    shape: list[int]
    entries: list[str]


@dataclass(frozen=True, kw_only=True)
class Sources(Files):
    """Source files of a model, and its inputs by name."""

    inputs: dict[str, InputData]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Output arrays of a model by name; values that are not finite are null."""

    outputs: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """Name in the equations of a model, with its LaTeX symbol; the value is null if an input has none."""

    name: str
    latex: str
    kind: Literal["input", "parameter", "variable", "output"]
    meaning: str
    unit: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class Variables:
    """Names in the equations of a model."""

    variables: list[Variable]


@dataclass(frozen=True, kw_only=True)
class Module:
    """Generated JavaScript module, with names and shapes of its inputs and outputs."""

    source: str
    parameters: list[str]
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]


@dataclass(frozen=True, kw_only=True)
class Placements:
    """JavaScript modules for the motion of a robot in the scene.

    `frames` computes the poses of all frames. `loops` computes the passive joints; it is null if there is no closed
    form.
    """

    frames: Module
    loops: Module | None


@dataclass(frozen=True, kw_only=True)
class PostureRow:
    """Solution of the inverse geometric model.

    `q` are the positions of the coordinates and `qc` those of the cut joints; `residual` is the difference between the
    reached pose and the requested one.
    """

    q: list[float]
    qc: list[float]
    status: Literal["valid", "singular"]
    residual: float
    free: list[int]


@dataclass(frozen=True, kw_only=True)
class SolvedPose:
    """Solutions of the inverse geometric model for a pose; `complete` is true if these are all solutions."""

    method: Literal["closed form", "numeric"]
    complete: bool
    coordinates: list[int]
    opened: list[int]
    solutions: list[PostureRow]


@dataclass(frozen=True, kw_only=True)
class InverseModules:
    """JavaScript modules of the inverse geometric model of the end effector, for evaluation in the page.

    `modules` contains one module with all solutions, or, for a platform, one per working mode of its legs; since the
    legs are independent of each other, each column of a leg may be taken from either module. It is empty if the model
    has no closed form; `why_not` is then the reason. `legs` contains the joints of each leg. `pose` is the given part
    of the pose: the position if it determines all joints, as in arms without a wrist.
    """

    modules: list[Module]
    legs: list[list[int]]
    pose: Literal["full", "position"]
    complete: bool
    why_not: str | None


@dataclass(frozen=True, kw_only=True)
class WorkspaceCloud:
    """Positions of the end effector in frame 0 (metres), x, y, z of one posture after the other, and a number each.

    `manipulability` is the product of the singular values of the Jacobian of the position, for closed loops the inverse
    of its condition number; both relative to the largest one of the points.
    """

    points: list[float]
    manipulability: list[float]


@dataclass(frozen=True, kw_only=True)
class ModelPort:
    """Input or output of a model, with its shape, unit and entry names."""

    direction: Literal["in", "out"]
    name: str
    shape: list[int]
    title: str
    unit: str
    entries: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Operation counts of a model; `setup` counts the operations that are evaluated once, before the first call."""

    additions: int
    multiplications: int
    divisions: int
    functions: int
    others: int
    kernels: int
    setup: Counts | None = None


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """Model with its equations, inputs, outputs, operation counts and reference.

    `file` is the YAML file that the Python code and the command read; it is absent for a bundled robot.
    """

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
    file: str | None = None


@dataclass(frozen=True, kw_only=True)
class PassData:
    """Numbers of operations before and after an optimisation pass."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Explanation of a model: formulation, solution steps and optimisation passes."""

    lines: list[str]
    passes: list[PassData]


@dataclass(frozen=True, kw_only=True)
class BaseAnswer:
    """Base inertial parameters of a robot.

    `relations` contains, per base parameter, the factors of the parameters that are grouped with it, and `latex` the
    same relation as an equation.
    """

    robot: str
    names: list[str]
    no_effect: list[str]
    relations: dict[str, dict[str, str]]
    latex: dict[str, str]
    friction: list[str]
    method: str
    conditions: list[str]
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class SingularCondition:
    """Condition of a singularity: factors that are all zero, as formulas and typeset.

    `solution` contains the joint positions as text, or is empty; `joints` are the joints in the factors.
    """

    factors: list[str]
    latex: list[str]
    solution: str
    joints: list[int]


@dataclass(frozen=True, kw_only=True)
class SingularCase:
    """Singularities of one type: the analysed matrix and the conditions under which it loses rank.

    `always` is true if it is singular in every configuration, `complete` if no other conditions exist.
    """

    kind: Literal["serial", "parallel", "constraint"]
    title: str
    matrix: str
    conditions: list[SingularCondition]
    always: bool
    complete: bool
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class SingularAnswer:
    """Conditions under which a robot is singular, as text and by type; `complete` if no other conditions exist."""

    text: str
    complete: bool
    cases: list[SingularCase]


@dataclass(frozen=True, kw_only=True)
class SingularityDistances:
    """Distances of a posture from the singularities of a robot, by type; null if it has none of this type.

    The characteristic length is 1 m; the distances are defined in `symoro.models.kinematic.singularity_distance`.
    """

    serial: float | None
    parallel: float | None
    passive: float | None
    constraint: float | None


@dataclass(frozen=True, kw_only=True)
class BodyMass:
    """Mass (kg) and centre of mass (m, in `frame`) of a link."""

    frame: int
    mass: float
    centre: list[float]


@dataclass(frozen=True, kw_only=True)
class BodyWrench:
    """Force (N) and moment (N m) that a link exerts on its environment, in `frame`."""

    frame: int
    force: list[float]
    moment: list[float]


@dataclass(frozen=True, kw_only=True)
class ContactView:
    """Point of a link in contact with the ground: coordinates (m) in `frame`."""

    name: str
    frame: int
    at: list[float]


@dataclass(frozen=True, kw_only=True)
class Mechanics:
    """Masses and loads of a robot for display; gravity (m/s2) in the world, contacts in the order of the request.

    `ends` contains the ends of all chains of a robot with a floating base, as values of the option `contacts`.
    `unknown` contains the symbols without a nominal value, whose numbers are defaults of the page.
    """

    masses: list[BodyMass]
    gravity: list[float]
    wrenches: list[BodyWrench]
    contacts: list[ContactView]
    ends: list[Any]
    unknown: list[str]


@dataclass(frozen=True, kw_only=True)
class PeakData:
    """Values of largest magnitude of a joint along a motion, with their signs."""

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
    """Joint limit that a motion exceeds; `text` is a sentence that describes it."""

    joint: int
    what: str
    limit: float
    time: float
    worst: float
    worst_time: float
    text: str


@dataclass(frozen=True, kw_only=True)
class MotionAnswer:
    """Motion of a robot: positions `q` of all joints, and torques `tau` of the joints with the numbers `joints`.

    If there are more than 4000 samples, some are omitted; peaks and energy are computed from all samples.
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
    """Torques along a trajectory; `verdict` is the sentence to display if no limit is exceeded."""

    power: Matrix
    peaks: list[PeakData]
    energy: float
    passed: list[PassedLimit]
    verdict: str
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class ExcitationAnswer:
    """Exciting trajectory as the text of a file, with condition number and column names of the regressor."""

    text: str
    condition: float
    columns: list[str]


@dataclass(frozen=True, kw_only=True)
class EventData:
    """Event of a joint in a simulation: stick, slip, contact with a stop, or release from it."""

    time: float
    joint: int
    what: str


@dataclass(frozen=True, kw_only=True)
class SimulationAnswer(MotionAnswer):
    """Simulated motion of a robot.

    `base` contains the pose of frame 0 in the world per sample, 16 numbers by rows; null if the base does not move.
    `modes` contains the modal coordinates of flexible links per sample; null if there are none.
    """

    base: list[list[float]] | None
    modes: list[list[float]] | None
    kinetic: list[float | None] | None
    potential: list[float | None] | None
    events: list[EventData]
    finished: bool
    why: str
    warnings: list[str]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Samples of a running simulation, sent before it has ended."""

    times: list[float]
    q: list[list[float]]
    tau: Matrix
    base: list[list[float]] | None
    modes: list[list[float]] | None


@dataclass(frozen=True, kw_only=True)
class ParameterData:
    """Estimated parameter with its standard deviation; `shown` is its name in the literature, for example ZZR1."""

    name: str
    shown: str
    value: float | None
    deviation: float | None
    unit: str


@dataclass(frozen=True, kw_only=True)
class SectionData:
    """Section of an identification report: sentences and a table."""

    title: str
    text: list[str]
    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, kw_only=True)
class IdentifyAnswer:
    """Result of an identification; residuals are relative to the measurements, null if they are unknown.

    `robot` is the robot's description with the estimated parameters; `files` contains the report as Markdown and HTML.
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
    """Position of an error, in a file or in a cell of a table."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    part: str | None = None
    j: int | str | None = None
    field: str | None = None


@dataclass(frozen=True, kw_only=True)
class ErrorBody:
    """Error with its message and, if known, hint, position and all errors of a robot's description."""

    kind: str
    message: str
    hint: str | None = None
    place: ErrorPlace | None = None
    problems: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Answer of a call that failed, with the error."""

    error: ErrorBody


@dataclass(frozen=True)
class ServiceCall:
    """Call of the service: types of its request and its answer, and whether it is long and therefore runs as a job."""

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
    "inverse": ServiceCall(RobotRequest, InverseModules, long=True),
    "workspace": ServiceCall(WorkspaceRequest, WorkspaceCloud, long=True),
    "mechanics": ServiceCall(MechanicsRequest, Mechanics),
    "model": ServiceCall(ModelRequest, ModelAnswer, long=True),
    "explain": ServiceCall(ModelRequest, Explanation, long=True),
    "code": ServiceCall(CodeRequest, Sources, long=True),
    "export": ServiceCall(ExportRequest, Project, long=True),
    "evaluate": ServiceCall(EvaluateRequest, Outputs, long=True),
    "variables": ServiceCall(VariablesRequest, Variables, long=True),
    "base": ServiceCall(BaseRequest, BaseAnswer, long=True),
    "singularities": ServiceCall(SingularitiesRequest, SingularAnswer, long=True),
    "singularity_distances": ServiceCall(SingularityDistancesRequest, SingularityDistances),
    "trajectory": ServiceCall(TrajectoryRequest, TrajectoryAnswer, long=True),
    "excitation": ServiceCall(ExcitationRequest, ExcitationAnswer, long=True),
    "simulate": ServiceCall(SimulationRequest, SimulationAnswer, long=True),
    "identify": ServiceCall(IdentificationRequest, IdentifyAnswer, long=True),
}
LONG = tuple(name for name, call in SERVICE.items() if call.long)
Result: Any = Union[tuple(dict.fromkeys(SERVICE[name].answer for name in LONG))]  # noqa: UP007


@dataclass(frozen=True, kw_only=True)
class JobData:
    """State of a job (a long call), with its progress and result."""

    id: str
    call: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: dict[str, Any] | None
    result: Result | Failure | None
    pieces: list[Piece] | None = None
    """Partial result since the previous event (in events only), after `before` other pieces."""
    before: int | None = None
