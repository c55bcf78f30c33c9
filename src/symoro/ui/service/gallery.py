"""Open robots: bundled, from a text, new, or from Denavit-Hartenberg rows; and write robots to files."""

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
_BODY = Link(XX=Formula("0.1"), YY=Formula("0.1"), ZZ=Formula("0.1"), M=ONE)  # a floating base needs a mass
_FILES = re.compile(r"<include\b|\b\w*(?:file|dir)\w*\s*=|<!DOCTYPE|<!ENTITY", re.IGNORECASE)
READ_ONLY = ("xacro", "mjcf")
STRUCTURES = ("serial", "tree", "closed-loop")


def robots(payload: Mapping[str, Any]) -> RobotsData:
    """Return the list of the bundled robots with one line of text on each."""
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
    """Return the heading under which the gallery lists a robot."""
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
    """Return the data of a bundled robot, or of the robot in the text of a file, for display."""
    if "id" in payload:
        return replace(view(library.load(item(payload, "id", str))), visuals=[])
    text, file = item(payload, "text", str), _shown(item(payload, "file", str, "file"))
    fmt = _format(payload, text, file)
    if fmt == "xacro":
        raise FormatError(
            "xacro files are programs and are not executed in the workbench", place=Place(file), hint=EXPAND
        )
    if fmt == "mjcf":
        _alone(text, file)
        file = f"<{file}>"  # a name without a path, because MuJoCo would open it
    read = view(formats.loads(text, fmt, file=file, lossy=item(payload, "lossy", bool, False)))
    return replace(read, visuals=_visuals(text, file) if fmt == "urdf" else [])


def _shown(file: str) -> str:
    """Return a file name without its path, for messages."""
    return file.replace("\\", "/").rpartition("/")[2][:LONGEST_NAME].strip("<>") or "file"


def _alone(text: str, file: str) -> None:
    """Reject an MJCF text that includes other files, because MuJoCo would read these files from any folder.

    Args:
        file: name of the file, for the error.
    """
    if match := _FILES.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise FormatError(
            "the model includes other files, but the workbench reads a single file",
            place=Place(file, line),
            hint="convert it to YAML first, on the command line",
        )


def _visuals(text: str, file: str) -> list[VisualData]:
    """Return the visual shapes of a URDF text, in the robot's frames."""
    from symoro.robot.formats.urdf.visuals import visuals

    return [VisualData(**asdict(one)) for one in visuals(text, file)]


def _format(payload: Mapping[str, Any], text: str, file: str) -> str:
    chosen = item(payload, "format", str, None)
    if chosen:
        return formats.format_named(chosen)
    for name, known in formats.FORMATS.items():
        if file.lower().endswith(known.suffixes) and known.suffixes != (".mjcf", ".xml"):
            return name
    return guessed(text, file)


def new(payload: Mapping[str, Any]) -> View:
    """Return a new robot with revolute joints, symbolic inertias and default lengths.

    A wheeled base has two wheels, frames 1 and 2; the requested links are mounted on the base.
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
    """Return the frame of a wheel whose centre is at the lateral position `at` on the base.

    Frame 0 of the base is on the ground, with x forward.

    Args:
        at: formula of the lateral position, for example '-W'.
    """
    return Frame(0, b=Formula("R"), alpha=formula("-pi/2"), r=Formula(at))


def _open(links: int, shape: str, below: int) -> list[Frame]:
    """Return the frames of a new serial chain or tree.

    In a tree every third link starts a new branch, which is attached to the first link.

    Args:
        links: number of links.
        shape: 'serial' or 'tree'.
        below: number of the frame that carries the first link.
    """
    entries = []
    for j in range(1, links + 1):
        ant = 1 if shape == "tree" and j > 2 and j % 3 == 0 else j - 1
        entries.append(Frame(ant + below if ant else 0, d=Formula(f"L{j + below}") if j > 1 else ZERO))
    return entries


def _ring(links: int, below: int) -> list[Frame]:
    """Return the frames of a new planar closed loop, whose links have length one.

    The last two frames belong to the cut joint: its frame on the last link, and its second frame on the base.

    Args:
        links: number of links.
        below: number of the frame that carries the loop.
    """
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
    """Return the joint positions at which a planar loop of equal links is a regular polygon.

    The base is one side of the polygon.
    """
    turn = 2 * math.pi / (links + 1)
    return [math.pi - turn, *[-turn] * (links - 1)]


def _link(j: int) -> Link:
    values: dict[str, Any] = {name: Formula(f"{name}{j}") for name in INERTIAL}
    return Link(**values)


def from_rows(payload: Mapping[str, Any]) -> View:
    """Return the data of a robot that is described by rows of Denavit-Hartenberg parameters.

    The request names one of three conventions for the parameters.
    """
    rows, convention = item(payload, "rows", list), item(payload, "convention", str)
    name, degrees = item(payload, "name", str, "robot"), item(payload, "degrees", bool, False)
    made = [tuple(row) if isinstance(row, list) else row for row in rows]
    return view(Robot.from_dh(made, convention, name, degrees=degrees))


def written(payload: Mapping[str, Any]) -> Files:
    """Return the text of a robot file in the requested format, with its file name."""
    robot, fmt = robot_of(payload), formats.format_named(item(payload, "format", str))
    if fmt in READ_ONLY:
        raise FormatError(f"robots cannot be written as {fmt}", hint="write it as urdf")
    options = {"lossy": True} if item(payload, "lossy", bool, False) else {}
    suffixes = formats.FORMATS[fmt].suffixes
    suffix = suffixes[0] if suffixes else ".csv"
    return Files(files={file_name(robot.name) + suffix: formats.dumps(robot, fmt, **options)})
