"""What the calls take, for the description of the service (OpenAPI) and for a first check of what comes in.

A robot is the tree of its YAML file (docs/robot-yaml.md); what is in it is checked by the reader of such files.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from symoro.ui.web.answer_schema import ANSWERS
from symoro.ui.web.motion_schema import Piece

__all__ = ["ANSWERS", "LONG", "PAYLOADS", "Failure", "JobData", "Payload", "Started"]

Document = dict[str, Any]
Numbers = dict[str, float]
Frame = int | str
Text = str


class Payload(BaseModel):
    """The base of all of them: nothing unknown."""

    model_config = ConfigDict(extra="forbid")


class Nothing(Payload):
    """No payload."""


class OfRobot(Payload):
    """A robot alone."""

    robot: Document


class Placed(Payload):
    """A robot whose frames are to be placed; with `loops`, closed too."""

    robot: Document
    loops: bool = True


class Listed(Payload):
    """The catalogue, for a robot or for none."""

    robot: Document | None = None


class Opened(Payload):
    """A bundled robot by its id, or the text of a file."""

    id: str | None = Field(None, max_length=200)
    text: str | None = None
    file: str | None = Field(None, max_length=1000)
    format: str | None = Field(None, max_length=40)


class New(Payload):
    """A robot to be filled in."""

    name: str = Field("robot", max_length=200)
    links: int = Field(3, ge=1, le=200)
    structure: str = Field("serial", max_length=40)
    base: str = Field("fixed", max_length=40)
    inertia: Literal["symbolic", "zero"] = "symbolic"


class Rows(Payload):
    """Denavit-Hartenberg rows."""

    rows: list[list[float | str] | dict[str, Any]] = Field(max_length=500)
    convention: str = Field(max_length=40)
    name: str = Field("robot", max_length=200)
    degrees: bool = False


class Edit(BaseModel):
    """A cell that gets another text, or a row that comes or goes; what else it takes is told by its part."""

    model_config = ConfigDict(extra="allow")

    part: str = Field(max_length=40)
    j: int | str | None = None
    field: str | None = Field(None, max_length=40)
    text: str | None = Field(None, max_length=10_000)


class Edits(Payload):
    """A robot and the edits of its cells."""

    robot: Document
    edits: list[Edit] = Field(max_length=5000)


class Written(Payload):
    """A robot and the format of its file."""

    robot: Document
    format: str = Field(max_length=40)
    lossy: bool = False


class Asked(Payload):
    """A model of a robot."""

    robot: Document
    model: str = Field(max_length=100)
    options: dict[str, Any] = {}


class Coded(Asked):
    """A model in a language."""

    language: str = Field(max_length=40)
    language_options: dict[str, Any] = {}


class Exported(Asked):
    """A model as a folder."""

    languages: list[str] = Field(max_length=20)


class Evaluated(Asked):
    """A model at numbers."""

    inputs: dict[str, Any]
    values: Numbers = {}


class Closing(Payload):
    """Loops to be closed from a posture."""

    robot: Document
    qa: list[float]
    q0: list[float] | None = None
    qc0: list[float] | None = None
    values: Numbers = {}


class Solved(Payload):
    """A pose of the end frame in frame 0, options of inverse-geometry, and positions for joints left free."""

    robot: Document
    pose: list[list[float]] = Field(max_length=4)
    q0: list[float] | None = None
    options: dict[str, Any] = {}
    values: Numbers = {}


class BaseOf(OfRobot):
    """A robot, and how its base parameters are found."""

    options: dict[str, Any] = {}


class Singular(Payload):
    """A frame of a robot."""

    robot: Document
    to: Frame | None = None


class Moved(Payload):
    """A trajectory: the text of its file (YAML or CSV), or the tree of the YAML file.

    `posture` tells the assembly of closed loops where a table has the active joints alone: all joints, or a name.
    """

    robot: Document
    text: str | None = None
    document: dict[str, Any] | None = None
    posture: str | list[float] | None = None
    step: float = Field(0.01, gt=0)
    values: Numbers = {}


class Excited(Payload):
    """A robot whose parameters a motion is to show."""

    robot: Document
    harmonics: int = Field(5, ge=1, le=50)
    frequency: float = Field(0.1, gt=0)
    starts: int = Field(1, ge=1, le=20)
    values: Numbers = {}


class Simulated(Payload):
    """A start, what moves the robot (constant torques, or a trajectory to be tracked), and how it is integrated."""

    robot: Document
    duration: float = Field(5, gt=0)
    q: list[float] | None = None
    qd: list[float] | None = None
    start: dict[str, list[float]] = {}
    tau: list[float] | None = None
    track: str | None = None
    kp: float = 400
    kd: float = 40
    step: float = Field(0.01, gt=0)
    method: str = Field("DOP853", max_length=20)
    friction: str = Field("events", max_length=20)
    stops: Literal["end"] | float | None = None
    values: Numbers = {}


class Logged(Payload):
    """The files of a log by their names, what their columns mean (YAML), and how parameters are found."""

    robot: Document
    files: dict[str, str] = Field(min_length=1, max_length=8)
    description: str = Field("", max_length=100_000)
    method: str = Field("wls", max_length=20)
    model: str = Field("dynamic", max_length=20)
    cutoff: float = Field(0, ge=0)
    decimation: int = Field(1, ge=1)
    slow: float = Field(0, ge=0)
    delay: str = Field("", max_length=40)
    friction: list[str] | None = Field(None, max_length=10)
    posture: str = Field("", max_length=2000)
    essential: bool = False
    consistent: bool = False
    values: Numbers = {}


PAYLOADS: dict[str, type[Payload]] = {
    "about": Nothing,
    "catalogue": Listed,
    "robots": Nothing,
    "robot_open": Opened,
    "robot_new": New,
    "robot_dh": Rows,
    "robot_view": OfRobot,
    "robot_edit": Edits,
    "robot_write": Written,
    "frames": Placed,
    "close": Closing,
    "solve": Solved,
    "model": Asked,
    "explain": Asked,
    "code": Coded,
    "export": Exported,
    "evaluate": Evaluated,
    "base": BaseOf,
    "singularities": Singular,
    "trajectory": Moved,
    "excitation": Excited,
    "simulate": Simulated,
    "identify": Logged,
}
LONG = (
    "model",
    "explain",
    "code",
    "export",
    "evaluate",
    "base",
    "singularities",
    "frames",
    "solve",
    "trajectory",
    "excitation",
    "simulate",
    "identify",
)


def _start(name: str) -> type[Payload]:
    """A long call, to be run as a job."""
    call: Any = Literal[name]
    return create_model(f"Start_{name}", __base__=Payload, call=(call, ...), payload=(PAYLOADS[name], ...))


Started: Any = Annotated[Union[tuple(_start(name) for name in LONG)], Field(discriminator="call")]  # noqa: UP007
Result: Any = Union[tuple(dict.fromkeys(ANSWERS[name] for name in LONG))]  # noqa: UP007


class Where(BaseModel):
    """Where something is wrong: in a file, or in a cell of a table."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    part: str | None = None
    j: int | str | None = None
    field: str | None = None


class Trouble(BaseModel):
    """What is wrong, and where known what to do, where it is, and all problems of a robot."""

    kind: str
    message: str
    hint: str | None = None
    place: Where | None = None
    problems: list[str] | None = None


class Failure(BaseModel):
    """The answer to what cannot be."""

    error: Trouble


class JobData(BaseModel):
    """Where a job stands."""

    id: str
    call: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: dict[str, Any] | None
    result: Result | Failure | None
    pieces: list[Piece] | None = None
    """Of a result that grows, in the events alone: what came since the event before, after `before` other pieces."""
    before: int | None = None
