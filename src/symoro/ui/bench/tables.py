"""A robot as the page shows it: whole tables, cell by cell, and what an edit of cells makes of it.

A cell is named by what it belongs to and by its field: {"part": "frame", "j": 3, "field": "alpha"}. An edit gives a
cell another text, or adds and removes rows; the answer is a new document, so that undoing is going back to an old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from symoro.errors import ArgumentError, ExpressionError, SymoroError
from symoro.expr.formula import ONE, ZERO, Formula, formula
from symoro.robot.consistency import warnings
from symoro.robot.conventions import variable_field
from symoro.robot.coordinates import independent
from symoro.robot.description import (
    DRIVE,
    GEOMETRIC,
    INERTIAL,
    MOTION,
    WRENCH,
    BaseKind,
    Frame,
    JointType,
    Link,
    Robot,
)
from symoro.robot.formats.yaml_write import tree_of
from symoro.robot.topology import describe, loops, structure
from symoro.ui.bench.asked import item, robot_of

LIMITS = ("lower", "upper", "velocity", "effort")
BASE_VECTORS = ("G", "V0", "W0", "VP0", "WP0")
JOINTS = {"R": JointType.REVOLUTE, "P": JointType.PRISMATIC, "F": JointType.FIXED}
SWITCH = {"1": True, "0": False}
LETTERS = {sigma: letter for letter, sigma in JOINTS.items()}


def view_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that the page shows of a robot."""
    return view(robot_of(payload))


def view(robot: Robot) -> dict[str, Any]:
    """The same of a robot at hand; its document is part of it."""
    own = independent(robot)
    return {
        "robot": tree_of(robot),
        "name": robot.name,
        "title": robot.title,
        "reference": robot.reference,
        "structure": structure(robot),
        "description": describe(robot),
        "base": str(robot.base.kind),
        "sizes": {"NL": robot.NL, "NJ": robot.NJ, "NF": robot.NF, "B": robot.B},
        "symbols": list(robot.symbols()),
        "nominal": dict(robot.nominal),
        "postures": {name: list(values) for name, values in robot.postures.items()},
        "notes": list(robot.notes),
        "warnings": warnings(robot),
        "coordinates": own,
        "joints": [_joint(robot, j) for j in range(1, robot.NJ + 1) if robot.frame(j).moving],
        "frames": [
            {"frame": j, "ant": f.ant, "name": f.name, "kind": LETTERS[f.sigma], "active": f.mu}
            for j, f in enumerate(robot.frames, 1)
        ],
        "loops": [{"opened": loop.left, "twin": loop.right, "frames": loop.frames} for loop in loops(robot)],
        "tool": robot.tool.name if robot.tool else None,
        "tables": _tables(robot),
    }


def _joint(robot: Robot, j: int) -> dict[str, Any]:
    frame = robot.frame(j)
    return {
        "frame": j,
        "name": frame.name or f"q{j}",
        "kind": LETTERS[frame.sigma],
        "active": frame.mu,
        "opened": j > robot.NL,
        "coupled": frame.coupling is not None,
        "lower": frame.limits.lower,
        "upper": frame.limits.upper,
    }


# -- tables


def _tables(robot: Robot) -> list[dict[str, Any]]:
    """All tables, those with nothing in them included: cells are there to be filled."""
    links = range(robot.NL + 1)
    return [
        _table("geometry", "frame", _geometry_columns(), [_geometry_row(robot, j) for j in _frames(robot)]),
        _table("inertia", "link", INERTIAL, [_row(j, robot.link(j), INERTIAL) for j in links]),
        _table("drives", "frame", (*DRIVE, *MOTION), [_drive_row(robot, j) for j in range(1, robot.NL + 1)]),
        _table("joints", "frame", ("eta", "k", "rest", *LIMITS), [_joint_row(robot, j) for j in links if j]),
        _table("wrenches", "link", WRENCH, [_row(j, robot.link(j), WRENCH) for j in links]),
        _table("base", "base", ("x", "y", "z"), [_vector_row(robot, name) for name in BASE_VECTORS]),
        _table("location", "location", ("1", "2", "3", "4"), [_location_row(robot, r) for r in range(3)]),
        _table("nominal", "nominal", ("value",), [_nominal_row(robot, name) for name in robot.symbols()]),
    ]


def _table(title: str, part: str, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"title": title, "part": part, "columns": list(columns), "rows": rows}


def _frames(robot: Robot) -> range:
    return range(1, robot.NF + 1)


def _geometry_columns() -> tuple[str, ...]:
    return ("name", "ant", "sigma", "mu", *GEOMETRIC)


def _geometry_row(robot: Robot, j: int) -> dict[str, Any]:
    frame = robot.frame(j)
    cells = [frame.name, str(frame.ant), LETTERS[frame.sigma], "1" if frame.mu else "0"]
    cells += [getattr(frame, name).text for name in GEOMETRIC]
    variable = variable_field(frame.sigma)
    joint = f"q{j}" if variable and frame.coupling is None else None
    return {"j": j, "cells": cells, "variable": variable, "symbol": joint}


def _row(j: int, link: Link, names: tuple[str, ...]) -> dict[str, Any]:
    return {"j": j, "cells": [getattr(link, name).text for name in names]}


def _drive_row(robot: Robot, j: int) -> dict[str, Any]:
    frame = robot.frame(j)
    values = [getattr(frame, name) for name in (*DRIVE, *MOTION)]
    return {"j": j, "cells": ["" if value is None else value.text for value in values]}


def _joint_row(robot: Robot, j: int) -> dict[str, Any]:
    frame = robot.frame(j)
    limits = [getattr(frame.limits, name) for name in LIMITS]
    cells = ["1" if frame.eta else "0", frame.k.text, frame.rest.text]
    return {"j": j, "cells": [*cells, *("" if x is None else f"{x:.12g}" for x in limits)]}


def _vector_row(robot: Robot, name: str) -> dict[str, Any]:
    return {"j": name, "cells": [value.text for value in getattr(robot.base, name)]}


def _location_row(robot: Robot, r: int) -> dict[str, Any]:
    return {"j": r + 1, "cells": [value.text for value in robot.base.Z[4 * r : 4 * r + 4]]}


def _nominal_row(robot: Robot, name: str) -> dict[str, Any]:
    value = dict(robot.nominal).get(name)
    return {"j": name, "cells": ["" if value is None else f"{value:.12g}"]}


# -- edits


def edited(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The robot after some edits, all of them or none.

    Raises:
        SymoroError: of the first edit that cannot be, its cell named in the place.
    """
    robot = robot_of(payload)
    for edit in item(payload, "edits", list):
        if not isinstance(edit, dict):
            raise ArgumentError("'edits': expected a list of objects")
        part = item(edit, "part", str)
        if part not in EDITS:
            raise ArgumentError(f"'part': expected one of {', '.join(EDITS)}, got '{part[:40]}'")
        robot = EDITS[part](robot, edit)
    return view(robot)


def _edit_frame(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    j, field, text = item(edit, "j", int), item(edit, "field", str), item(edit, "text", str).strip()
    frame = robot.frame(j) if 0 < j <= robot.NF else _no_row("frame", j)
    if field == "name":
        return robot.with_frame(j, name=text)
    if field == "ant":
        return robot.with_frame(j, ant=robot.frame_number(int(text) if text.isdigit() else text))
    if field == "sigma":
        return robot.with_frame(j, sigma=_choice(field, text.upper(), JOINTS))
    if field == "mu":
        return robot.with_frame(j, mu=_choice(field, text, SWITCH))
    if field in ("eta", "k"):
        return _with_spring(robot, j, field, text)
    if field in LIMITS:
        value = float(_number(field, text)) if text else None
        return robot.with_frame(j, limits=replace(frame.limits, **{field: value}))
    if field in MOTION:
        return robot.with_frame(j, **{field: _cell(field, text) if text else None})
    if field not in (*GEOMETRIC, *DRIVE, "rest"):
        _no_field(field)
    return robot.with_frame(j, **{field: _offset(robot, j, field, text)})


def _with_spring(robot: Robot, j: int, field: str, text: str) -> Robot:
    """A stiffness makes its joint elastic; a joint that is made rigid has none."""
    if field == "k":
        stiffness = _cell(field, text)
        return robot.with_frame(j, eta=not stiffness.is_zero, k=stiffness)
    eta = _choice(field, text, SWITCH)
    return robot.with_frame(j, eta=True) if eta else robot.with_frame(j, eta=False, k=ZERO, rest=ZERO)


def _offset(robot: Robot, j: int, field: str, text: str) -> Formula:
    """A geometric parameter; that of the joint's own variable may be written with it, as in 'q3 + pi/2'."""
    if field == variable_field(robot.frame(j).sigma) and text.startswith(f"q{j}"):
        text = text.removeprefix(f"q{j}").strip().removeprefix("+") or "0"
    return _cell(field, text)


def _edit_link(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    j, field = item(edit, "j", int), item(edit, "field", str)
    if not 0 <= j <= robot.NL:
        _no_row("link", j)
    if field not in (*INERTIAL, *WRENCH):
        _no_field(field)
    return robot.with_link(j, **{field: _cell(field, item(edit, "text", str))})


def _edit_base(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    field, text = item(edit, "field", str), item(edit, "text", str)
    if field == "kind":
        kind = _choice(field, text, {str(kind): kind for kind in BaseKind})
        return replace(robot, base=replace(robot.base, kind=kind))
    name = item(edit, "j", str)
    if name not in BASE_VECTORS or field not in ("x", "y", "z"):
        _no_field(f"{name} {field}")
    values = list(getattr(robot.base, name))
    values["xyz".index(field)] = _cell(f"{name} {field}", text)
    changes: dict[str, Any] = {name: tuple(values)}
    return replace(robot, base=replace(robot.base, **changes))


def _edit_location(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    r, c = item(edit, "j", int), item(edit, "field", str)
    if r not in (1, 2, 3) or c not in ("1", "2", "3", "4"):
        _no_field(f"row {r}, column {c}")
    entries = list(robot.base.Z)
    entries[4 * (r - 1) + int(c) - 1] = _cell("location", item(edit, "text", str))
    return replace(robot, base=replace(robot.base, Z=tuple(entries)))


def _edit_nominal(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    name, text = item(edit, "j", str), item(edit, "text", str).strip()
    kept = {symbol: value for symbol, value in robot.nominal if symbol != name}
    if text:
        kept[name] = float(_number(name, text))
    return replace(robot, nominal=tuple(kept.items()))


def _edit_robot(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    field = item(edit, "field", str)
    if field not in ("name", "title", "reference"):
        _no_field(field)
    changes: dict[str, Any] = {field: item(edit, "text", str).strip()}
    return replace(robot, **changes)


def _add_frame(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    """A revolute joint and its link at the end of the tree, on the frame `ant`."""
    ant = item(edit, "ant", int, robot.NL)
    at = robot.NL
    frames = [_renumbered(frame, at, 1) for frame in robot.frames]
    frames.insert(at, Frame(ant=ant, d=ONE if at else ZERO))
    return replace(robot, frames=tuple(frames), links=(*robot.links, Link()), postures={})


def _remove_frame(robot: Robot, edit: Mapping[str, Any]) -> Robot:
    """Without a link's frame; what stood on it stands on its antecedent."""
    j = item(edit, "j", int)
    if not 0 < j <= robot.NL:
        _no_row("link", j)
    ant = robot.frame(j).ant
    frames = [
        replace(frame, ant=ant) if frame.ant == j else frame
        for k, frame in enumerate(robot.frames, 1)
        if k != j
    ]
    tool = robot.tool and replace(
        robot.tool, place=replace(robot.tool.place, ant=_after(robot.tool.place.ant, j, ant))
    )
    return replace(
        robot,
        frames=tuple(_renumbered(frame, j, -1) for frame in frames),
        links=tuple(link for k, link in enumerate(robot.links, 1) if k != j),
        tool=tool,
        postures={},
    )


def _after(number: int, removed: int, ant: int) -> int:
    number = ant if number == removed else number
    return number - 1 if number > removed else number


def _renumbered(frame: Frame, after: int, by: int) -> Frame:
    """A frame whose references to frames beyond `after` move by one place."""
    changes: dict[str, Any] = {"ant": frame.ant + by if frame.ant > after else frame.ant}
    if frame.coupling is not None:
        terms = tuple((i + by if i > after else i, ratio) for i, ratio in frame.coupling.terms)
        changes["coupling"] = replace(frame.coupling, terms=terms)
    return replace(frame, **changes)


EDITS: dict[str, Callable[[Robot, Mapping[str, Any]], Robot]] = {
    "frame": _edit_frame,
    "link": _edit_link,
    "base": _edit_base,
    "location": _edit_location,
    "nominal": _edit_nominal,
    "robot": _edit_robot,
    "add_frame": _add_frame,
    "remove_frame": _remove_frame,
}


def _cell(field: str, text: str) -> Formula:
    try:
        found = formula(text.strip() or "0")
    except SymoroError as error:
        error.message = f"{field}: {error.message}"
        raise
    return found


def _number(field: str, text: str) -> float:
    value = _cell(field, text).number
    if value is None:
        raise ExpressionError(f"{field}: expected a number, got '{text[:40]}'", 1)
    return float(value)


def _choice(field: str, text: str, choices: Mapping[str, Any]) -> Any:
    if text not in choices:
        raise ArgumentError(f"{field}: expected one of {', '.join(choices)}, got '{text[:40]}'")
    return choices[text]


def _no_row(what: str, j: int) -> NoReturn:
    raise ArgumentError(f"there is no {what} {j}")


def _no_field(field: str) -> NoReturn:
    raise ArgumentError(f"'{field[:40]}' is no cell of this table")
