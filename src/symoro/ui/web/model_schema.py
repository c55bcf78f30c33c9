"""What the calls answer about models: the catalogue, a model to be read, its code and its numbers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class OptionData(BaseModel):
    """An option of a model, as a form shows it."""

    name: str
    title: str
    kind: Literal["frame", "frames", "points", "choice", "flag", "text", "number", "posture"]
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


class Files(BaseModel):
    """Texts by the names of their files."""

    files: dict[str, str]


class Project(Files):
    """A model as a whole folder, with the folder's name."""

    folder: str


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
