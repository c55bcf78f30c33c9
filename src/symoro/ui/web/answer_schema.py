"""What the calls answer, for the description of the service (OpenAPI); the page's types are made from it."""

from __future__ import annotations

from pydantic import BaseModel

from symoro.ui.web.model_schema import (
    BaseAnswer,
    CatalogueData,
    Explanation,
    Files,
    ModelAnswer,
    Outputs,
    Placements,
    Project,
    SingularAnswer,
    SolvedPose,
    Sources,
)
from symoro.ui.web.motion_schema import ExcitationAnswer, IdentifyAnswer, SimulationAnswer, TrajectoryAnswer
from symoro.ui.web.robot_schema import OpenedView, RobotsData, View


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
    "export": Project,
    "evaluate": Outputs,
    "base": BaseAnswer,
    "singularities": SingularAnswer,
    "trajectory": TrajectoryAnswer,
    "excitation": ExcitationAnswer,
    "simulate": SimulationAnswer,
    "identify": IdentifyAnswer,
}
