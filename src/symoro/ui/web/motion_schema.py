"""What the calls answer about motions: trajectories, excitation, simulations, and what a log tells."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from symoro.ui.web.robot_schema import Matrix


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
    doubts: list[str]


class Piece(BaseModel):
    """Samples of a simulation as they come."""

    times: list[float]
    q: list[list[float]]
    tau: Matrix
    base: list[list[float]] | None


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
