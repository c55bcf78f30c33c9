"""Define the requests of the workbench's service as dataclasses.

The OpenAPI description of the service, the page's TypeScript types and the first validation of a request are derived
from these classes. A robot is the tree of its YAML file (docs/robot-yaml.md); the YAML reader validates its contents.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from typing import Any, ClassVar, Literal

Document = dict[str, Any]
Numbers = dict[str, float]


def bounded(default: Any = MISSING, **limits: float) -> Any:
    """Return a dataclass field with limits: max_length for texts and lists; ge, le, gt for numbers."""
    return field(default=default, metadata=limits)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Base class of requests; keys that are not fields are rejected."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}  # used by the OpenAPI description in ui/web


@dataclass(frozen=True, kw_only=True)
class EmptyRequest(Request):
    """Request without arguments."""


@dataclass(frozen=True, kw_only=True)
class RobotRequest(Request):
    """Request whose only argument is a robot."""

    robot: Document


@dataclass(frozen=True, kw_only=True)
class FramesRequest(Request):
    """Request for the poses of a robot's frames; if `loops` is true, also for the closure of its loops."""

    robot: Document
    loops: bool = True


@dataclass(frozen=True, kw_only=True)
class CatalogueRequest(Request):
    """Request for the catalogue of models; if it contains a robot, for the variants that apply to this robot."""

    robot: Document | None = None


@dataclass(frozen=True, kw_only=True)
class OpenRequest(Request):
    """Request for a bundled robot by its id, or for the robot in the text of a file.

    With `lossy`, features of an MJCF file that change the dynamics but are not supported are left out.
    """

    id: str | None = bounded(None, max_length=200)
    text: str | None = None
    file: str | None = bounded(None, max_length=1000)
    format: str | None = bounded(None, max_length=40)
    lossy: bool = False


@dataclass(frozen=True, kw_only=True)
class NewRobotRequest(Request):
    """Request for a new robot with a given number of links and kind of structure."""

    name: str = bounded("robot", max_length=200)
    links: int = bounded(3, ge=1, le=200)
    structure: str = bounded("serial", max_length=40)
    base: str = bounded("fixed", max_length=40)
    inertia: Literal["symbolic", "zero"] = "symbolic"


@dataclass(frozen=True, kw_only=True)
class ParameterRowsRequest(Request):
    """Request for a robot from Denavit-Hartenberg rows."""

    rows: list[list[float | str] | dict[str, Any]] = bounded(max_length=500)
    convention: str = bounded(max_length=40)
    name: str = bounded("robot", max_length=200)
    degrees: bool = False


@dataclass(frozen=True, kw_only=True)
class CellEdit:
    """Edit of a table of robot data: new text of a cell, or a row to add or remove.

    `part` identifies the table and determines the other fields.
    """

    __pydantic_config__: ClassVar = {"extra": "allow"}

    part: str = bounded(max_length=40)
    j: int | str | None = None
    field: str | None = bounded(None, max_length=40)
    text: str | None = bounded(None, max_length=10_000)


@dataclass(frozen=True, kw_only=True)
class EditRequest(Request):
    """Request to edit cells in the tables of robot data."""

    robot: Document
    edits: list[CellEdit] = bounded(max_length=5000)


@dataclass(frozen=True, kw_only=True)
class WriteRequest(Request):
    """Request for the text of a robot file in a format."""

    robot: Document
    format: str = bounded(max_length=40)
    lossy: bool = False


@dataclass(frozen=True, kw_only=True)
class ModelRequest(Request):
    """Request for a model of a robot."""

    robot: Document
    model: str = bounded(max_length=100)
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CodeRequest(ModelRequest):
    """Request for a model as source code in a programming language."""

    language: str = bounded(max_length=40)
    language_options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ExportRequest(ModelRequest):
    """Request for a folder with a model as source code, build file and demo."""

    languages: list[str] = bounded(max_length=20)


@dataclass(frozen=True, kw_only=True)
class EvaluateRequest(ModelRequest):
    """Request for the outputs of a model at given inputs."""

    inputs: dict[str, Any]
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class VariablesRequest(ModelRequest):
    """Request for the names in the equations of a model, with their values at given inputs."""

    inputs: dict[str, Any] = field(default_factory=dict)
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CloseRequest(Request):
    """Request to close the loops of a robot for given positions of its active joints, starting from a posture."""

    robot: Document
    qa: list[float]
    q0: list[float] | None = None
    qc0: list[float] | None = None
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SolveRequest(Request):
    """Request for the configurations that reach a pose of the end effector in frame 0."""

    robot: Document
    pose: list[list[float]] = bounded(max_length=4)
    q0: list[float] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class WorkspaceRequest(Request):
    """Request for positions of the end effector at sampled postures."""

    robot: Document
    count: int = bounded(4000, ge=1, le=20_000)
    q: list[float] | None = None
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class MechanicsRequest(RobotRequest):
    """Request for the masses and loads of a robot, at given numbers of its symbols.

    `contacts` is the option of `contact-dynamics`; an empty list selects its default, None no contacts.
    """

    values: Numbers = field(default_factory=dict)
    contacts: list[Any] | None = None


@dataclass(frozen=True, kw_only=True)
class BaseRequest(RobotRequest):
    """Request for the base inertial parameters of a robot, with options of the model `base-parameters`."""

    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SingularitiesRequest(Request):
    """Request for the conditions under which the Jacobian of a frame is singular."""

    robot: Document
    to: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class SingularityDistancesRequest(Request):
    """Request for the distances of a posture from the singularities of a robot."""

    robot: Document
    q: list[float]
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TrajectoryRequest(Request):
    """Request for the torques along a trajectory.

    The trajectory is the text of its file (YAML or CSV), or the tree of the YAML file. If a table contains only the
    active joints of a robot with closed loops, `posture` selects the assembly mode: it contains the positions of all
    joints, or the name of a posture.
    """

    robot: Document
    text: str | None = None
    document: dict[str, Any] | None = None
    posture: str | list[float] | None = None
    step: float = bounded(0.01, gt=0)
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ExcitationRequest(Request):
    """Request for an exciting trajectory of a robot."""

    robot: Document
    harmonics: int = bounded(5, ge=1, le=50)
    frequency: float = bounded(0.1, gt=0)
    starts: int = bounded(1, ge=1, le=20)
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SimulationRequest(Request):
    """Request for a simulation: initial state, constant torques or a trajectory to track, and integrator options."""

    robot: Document
    duration: float = bounded(5, gt=0)
    q: list[float] | None = None
    qd: list[float] | None = None
    start: dict[str, list[float]] = field(default_factory=dict)
    tau: list[float] | None = None
    track: str | None = None
    kp: float = 400
    kd: float = 40
    step: float = bounded(0.01, gt=0)
    method: str = bounded("DOP853", max_length=20)
    friction: str = bounded("events", max_length=20)
    stops: Literal["end"] | float | None = None
    values: Numbers = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class IdentificationRequest(Request):
    """Request for an identification: files of a log by name, description of their columns (YAML), and options."""

    robot: Document
    files: dict[str, str] = bounded(min_length=1, max_length=8)
    description: str = bounded("", max_length=100_000)
    method: str = bounded("wls", max_length=20)
    model: str = bounded("dynamic", max_length=20)
    cutoff: float = bounded(0, ge=0)
    decimation: int = bounded(1, ge=1)
    slow: float = bounded(0, ge=0)
    delay: str = bounded("", max_length=40)
    friction: list[str] | None = bounded(None, max_length=10)
    posture: str = bounded("", max_length=2000)
    essential: bool = False
    consistent: bool = False
    values: Numbers = field(default_factory=dict)
