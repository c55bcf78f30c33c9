"""Robots to begin with: bundled, read from a text, new, from Denavit-Hartenberg rows; and robots written to files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from symoro.errors import ArgumentError, FormatError, Place
from symoro.expr.formula import ONE, ZERO, Formula, formula
from symoro.files import file_name
from symoro.robot import formats, library
from symoro.robot.description import INERTIAL, Base, BaseKind, Frame, JointType, Link, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import guessed
from symoro.robot.topology import describe, elastic_joints, structure
from symoro.robot.wheels import Wheel, WheelKind
from symoro.ui.service.answer_types import Files, GalleryEntry, RobotsData, View, VisualData
from symoro.ui.service.payload import item, robot_of
from symoro.ui.service.view import view

MOST_LINKS = 200
LONGEST_NAME = 100
EXPAND = "convert it to URDF first, on the command line"
_BODY = Link(
    XX=Formula("0.1"), YY=Formula("0.1"), ZZ=Formula("0.1"), M=ONE
)  # a base that is free has some mass
_FILES = re.compile(r"<include\b|\b\w*(?:file|dir)\w*\s*=|<!DOCTYPE|<!ENTITY", re.IGNORECASE)
READ_ONLY = ("xacro", "mjcf")
STRUCTURES = ("serial", "tree", "closed-loop")


def robots(payload: Mapping[str, Any]) -> RobotsData:
    """The bundled robots, with a line on each; their pictures come with the page."""
    return RobotsData(robots=[_card(name) for name in library.names()])


@cache
def _card(name: str) -> GalleryEntry:
    robot = library.load(name)
    return GalleryEntry(
        id=name,
        name=robot.name,
        title=robot.title,
        family=_family(robot),
        structure=describe(robot),
        reference=robot.reference,
    )


def _family(robot: Robot) -> str:
    """Under which heading a robot stands in the gallery."""
    if flexible_links(robot):
        return "flexible"
    if robot.wheels or robot.base.kind == BaseKind.WHEELED:
        return "wheeled"
    if robot.base.kind == BaseKind.FLOATING:
        return "floating"
    if robot.platform is not None:
        return "parallel"
    if elastic_joints(robot):
        return "elastic"
    return structure(robot)


def opened(payload: Mapping[str, Any]) -> View:
    """A bundled robot by its id, or the robot of a text."""
    if "id" in payload:
        return replace(view(library.load(item(payload, "id", str))), visuals=[])
    text, file = item(payload, "text", str), _shown(item(payload, "file", str, "file"))
    fmt = _format(payload, text, file)
    if fmt == "xacro":
        raise FormatError(
            "a xacro file is a program, and the workbench runs none", place=Place(file), hint=EXPAND
        )
    if fmt == "mjcf":
        _alone(text, file)
        file = f"<{file}>"  # a name that is no path: MuJoCo would look it up
    read = view(formats.loads(text, fmt, file=file))
    return replace(read, visuals=_visuals(text, file) if fmt == "urdf" else [])


def _shown(file: str) -> str:
    """The name of a file as it is told in messages; never a path."""
    return file.replace("\\", "/").rpartition("/")[2][:LONGEST_NAME].strip("<>") or "file"


def _alone(text: str, file: str) -> None:
    """MuJoCo reads the files that a model names, from wherever they are."""
    if found := _FILES.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise FormatError(
            "the model names other files, and the workbench reads one file alone",
            place=Place(file, line),
            hint="convert it to YAML first, on the command line",
        )


def _visuals(text: str, file: str) -> list[VisualData]:
    """What a URDF draws, in the robot's frames."""
    from symoro.robot.formats.urdf.visuals import visuals

    return [VisualData(**asdict(one)) for one in visuals(text, file)]


def _format(payload: Mapping[str, Any], text: str, file: str) -> str:
    asked = item(payload, "format", str, None)
    if asked:
        return formats.format_named(asked)
    for name, known in formats.FORMATS.items():
        if file.lower().endswith(known.suffixes) and known.suffixes != (".mjcf", ".xml"):
            return name
    return guessed(text, file)


def new(payload: Mapping[str, Any]) -> View:
    """A robot of so many links to be filled in: revolute joints, symbolic inertias, sensible lengths.

    A base on wheels brings two of them, frames 1 and 2; the links asked for stand on it.
    """
    name, links = item(payload, "name", str, "robot"), item(payload, "links", int, 3)
    kind, shape = item(payload, "base", str, "fixed"), item(payload, "structure", str, "serial")
    inertia = item(payload, "inertia", str, "symbolic")
    if not 1 <= links <= MOST_LINKS:
        raise ArgumentError(f"'links': expected a number from 1 to {MOST_LINKS}, got {links}")
    for field, given, known in (
        ("structure", shape, STRUCTURES),
        ("base", kind, tuple(BaseKind)),
        ("inertia", inertia, ("symbolic", "zero")),
    ):
        if given not in known:
            raise ArgumentError(f"'{field}': expected one of {', '.join(known)}, got '{given[:40]}'")
    rolling = kind == BaseKind.WHEELED
    below = 2 if rolling else 0
    frames = _ring(links, below) if shape == "closed-loop" else _open(links, shape, below)
    nominal = {text: 0.4 for frame in frames if (text := frame.d.text).startswith("L")}
    nominal |= {"R": 0.1, "W": 0.2} if rolling else {}
    NL = links + below
    carried = tuple(_link(j) if inertia == "symbolic" else Link() for j in range(1, NL + 1))
    under = Link() if kind == BaseKind.FIXED else _link(0) if inertia == "symbolic" else _BODY
    base = Base(kind=BaseKind(kind), link=under, G=(ZERO, ZERO, Formula("-9.81")))
    wheels = tuple(Wheel(j, WheelKind.FIXED, Formula("R")) for j in (1, 2)[:below])
    everything = (*([_axle("-W"), _axle("W")] if rolling else []), *frames)
    home = {"home": (*[0.0] * below, *_polygon(links))} if shape == "closed-loop" else {}
    return view(
        Robot(name, everything, carried, base, nominal=tuple(nominal.items()), wheels=wheels, postures=home)
    )


def _axle(at: str) -> Frame:
    """A wheel beside frame 0, which lies on the ground with x forward."""
    return Frame(0, b=Formula("R"), alpha=formula("-pi/2"), r=Formula(at))


def _open(links: int, shape: str, below: int) -> list[Frame]:
    """A chain, or a tree in which every third link begins a branch of its own on the first."""
    found = []
    for j in range(1, links + 1):
        ant = 1 if shape == "tree" and j > 2 and j % 3 == 0 else j - 1
        found.append(Frame(ant + below if ant else 0, d=Formula(f"L{j + below}") if j > 1 else ZERO))
    return found


def _ring(links: int, below: int) -> list[Frame]:
    """A planar loop of links of length one: a chain, the joint where it is opened, and that joint on the base."""
    if links < 3:
        raise ArgumentError(f"'links': a loop has at least 3 moving links, got {links}")
    ants = [j - 1 + below if j > 1 else 0 for j in range(1, links + 1)]
    chain = [Frame(ant, mu=j < links - 1, d=ONE if ant else ZERO) for j, ant in enumerate(ants, 1)]
    return [
        *chain,
        Frame(links + below, mu=False, d=ONE),
        Frame(0, sigma=JointType.FIXED, mu=False, d=ONE),
    ]


def _polygon(links: int) -> list[float]:
    """The joints of such a loop where it is a regular polygon, one side of which is the base."""
    turn = 2 * math.pi / (links + 1)
    return [math.pi - turn, *[-turn] * (links - 1)]


def _link(j: int) -> Link:
    values: dict[str, Any] = {name: Formula(f"{name}{j}") for name in INERTIAL}
    return Link(**values)


def from_rows(payload: Mapping[str, Any]) -> View:
    """A robot from rows of Denavit-Hartenberg parameters, in three conventions."""
    rows, convention = item(payload, "rows", list), item(payload, "convention", str)
    name, degrees = item(payload, "name", str, "robot"), item(payload, "degrees", bool, False)
    made = [tuple(row) if isinstance(row, list) else row for row in rows]
    return view(Robot.from_dh(made, convention, name, degrees=degrees))


def written(payload: Mapping[str, Any]) -> Files:
    """The robot as the text of a file, with the name of that file."""
    robot, fmt = robot_of(payload), formats.format_named(item(payload, "format", str))
    if fmt in READ_ONLY:
        raise FormatError(f"a robot is not written as {fmt}", hint="write it as urdf")
    options = {"lossy": True} if item(payload, "lossy", bool, False) else {}
    suffixes = formats.FORMATS[fmt].suffixes
    suffix = suffixes[0] if suffixes else ".csv"
    return Files(files={file_name(robot.name) + suffix: formats.dumps(robot, fmt, **options)})
