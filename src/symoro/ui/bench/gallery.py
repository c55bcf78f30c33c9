"""Robots to begin with: bundled, read from a text, new, from Denavit-Hartenberg rows; and robots written to files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from symoro.errors import ArgumentError, FormatError, Place
from symoro.expr.formula import ONE, ZERO, Formula
from symoro.files import file_name
from symoro.robot import formats, library
from symoro.robot.description import INERTIAL, Base, BaseKind, Frame, JointType, Link, Robot
from symoro.robot.formats.guess import guessed
from symoro.robot.topology import describe
from symoro.ui.bench.asked import item, robot_of
from symoro.ui.bench.view import view

MOST_LINKS = 200
LONGEST_NAME = 100
EXPAND = "expand it on the command line: symoro convert robot.xacro robot.urdf"
_FILES = re.compile(r"<include\b|\b\w*(?:file|dir)\w*\s*=|<!DOCTYPE|<!ENTITY", re.IGNORECASE)
STRUCTURES = ("serial", "tree", "closed-loop")


def robots(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The bundled robots, with a line on each."""
    found = [(name, library.load(name)) for name in library.names()]
    return {
        "robots": [
            {"id": name, "name": robot.name, "title": robot.title, "structure": describe(robot)}
            for name, robot in found
        ]
    }


def opened(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A bundled robot by its id, or the robot of a text."""
    if "id" in payload:
        return view(library.load(item(payload, "id", str)))
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
    return {**read, "visuals": _visuals(text, file) if fmt == "urdf" else []}


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
            hint="convert it on the command line: symoro convert model.xml robot.yaml",
        )


def _visuals(text: str, file: str) -> list[dict[str, Any]]:
    """What a URDF draws, in the robot's frames."""
    from symoro.robot.formats.urdf.visuals import visuals

    return [asdict(one) for one in visuals(text, file)]


def _format(payload: Mapping[str, Any], text: str, file: str) -> str:
    asked = item(payload, "format", str, None)
    if asked:
        return formats.format_named(asked)
    for name, known in formats.FORMATS.items():
        if file.lower().endswith(known.suffixes) and known.suffixes != (".mjcf", ".xml"):
            return name
    return guessed(text, file)


def new(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A robot of so many links to be filled in: revolute joints, symbolic inertias, sensible lengths."""
    name, links = item(payload, "name", str, "robot"), item(payload, "links", int, 3)
    kind, shape = item(payload, "base", str, "fixed"), item(payload, "structure", str, "serial")
    if not 1 <= links <= MOST_LINKS:
        raise ArgumentError(f"'links': expected a number from 1 to {MOST_LINKS}, got {links}")
    if shape not in STRUCTURES:
        raise ArgumentError(f"'structure': expected one of {', '.join(STRUCTURES)}, got '{shape[:40]}'")
    if kind not in tuple(BaseKind):
        raise ArgumentError(f"'base': expected one of {', '.join(BaseKind)}, got '{kind[:40]}'")
    symbolic = item(payload, "inertia", str, "symbolic") == "symbolic"
    frames = [
        Frame(ant=_antecedent(j, shape), d=Formula(f"L{j}") if j > 1 else ZERO) for j in range(1, links + 1)
    ]
    nominal = {f"L{j}": 0.4 for j in range(2, links + 1)}
    if shape == "closed-loop":
        frames, nominal = _ring(links), {}
    carried = tuple(_link(j) if symbolic else Link() for j in range(1, links + 1))
    base = Base(kind=BaseKind(kind), G=(ZERO, ZERO, Formula("-9.81")))
    return view(Robot(name, tuple(frames), carried, base, nominal=tuple(nominal.items())))


def _antecedent(j: int, shape: str) -> int:
    """In a tree every third link begins a branch of its own on the first."""
    return 1 if shape == "tree" and j > 2 and j % 3 == 0 else j - 1


def _ring(links: int) -> list[Frame]:
    """A planar loop of links of length one: a chain, the joint where it is opened, and that joint on the base."""
    if links < 3:
        raise ArgumentError(f"'links': a loop has at least 3 moving links, got {links}")
    chain = [Frame(ant=j - 1, mu=j < links - 1, d=ONE if j > 1 else ZERO) for j in range(1, links + 1)]
    return [
        *chain,
        Frame(ant=links, mu=False, d=ONE),
        Frame(ant=0, sigma=JointType.FIXED, mu=False, d=ONE),
    ]


def _link(j: int) -> Link:
    values: dict[str, Any] = {name: Formula(f"{name}{j}") for name in INERTIAL}
    return Link(**values)


def from_rows(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A robot from rows of Denavit-Hartenberg parameters, in three conventions."""
    rows, convention = item(payload, "rows", list), item(payload, "convention", str)
    name, degrees = item(payload, "name", str, "robot"), item(payload, "degrees", bool, False)
    made = [tuple(row) if isinstance(row, list) else row for row in rows]
    return view(Robot.from_dh(made, convention, name, degrees=degrees))


def written(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The robot as the text of a file, with the name of that file."""
    robot, fmt = robot_of(payload), formats.format_named(item(payload, "format", str))
    options = {"lossy": True} if item(payload, "lossy", bool, False) else {}
    suffixes = formats.FORMATS[fmt].suffixes
    suffix = suffixes[0] if suffixes else ".csv"
    if fmt == "xacro":
        raise FormatError("a robot is not written as xacro", place=Place("format"), hint="write it as urdf")
    return {"files": {file_name(robot.name) + suffix: formats.dumps(robot, fmt, **options)}}
