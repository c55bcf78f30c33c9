"""What the calls take, for the description of the service (OpenAPI) and for a first check of what comes in.

A robot is the tree of its YAML file (docs/robot-yaml.md); what is in it is checked by the reader of such files.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Document = dict[str, Any]
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
    links: int = 3
    structure: str = Field("serial", max_length=40)
    base: str = Field("fixed", max_length=40)
    inertia: Literal["symbolic", "zero"] = "symbolic"


class Rows(Payload):
    """Denavit-Hartenberg rows."""

    rows: list[list[float | str] | dict[str, Any]] = Field(max_length=500)
    convention: str = Field(max_length=40)
    name: str = Field("robot", max_length=200)
    degrees: bool = False


class Edits(Payload):
    """A robot and the edits of its cells."""

    robot: Document
    edits: list[dict[str, Any]] = Field(max_length=2000)


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
    values: dict[str, float] = {}


class Closing(Payload):
    """Loops to be closed from a posture."""

    robot: Document
    qa: list[float]
    q0: list[float] | None = None
    qc0: list[float] | None = None
    values: dict[str, float] = {}


class BaseOf(OfRobot):
    """A robot, and how its base parameters are found."""

    options: dict[str, Any] = {}


class Singular(Payload):
    """A frame of a robot."""

    robot: Document
    to: Frame | None = None


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
    "frames": OfRobot,
    "close": Closing,
    "model": Asked,
    "explain": Asked,
    "code": Coded,
    "export": Exported,
    "evaluate": Evaluated,
    "base": BaseOf,
    "singularities": Singular,
}
LONG = ("model", "explain", "code", "export", "evaluate", "base", "singularities", "frames")


class Started(Payload):
    """A long call, to be run as a job."""

    call: str = Field(max_length=40)
    payload: dict[str, Any]


class JobData(BaseModel):
    """Where a job stands."""

    id: str
    call: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: dict[str, Any] | None
    result: dict[str, Any] | None


class Failure(BaseModel):
    """What went wrong: kind, message, and where known hint, place and problems."""

    error: dict[str, Any]
