"""Robots as tables: plain text for `print(robot)`, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from symoro.display import aligned
from symoro.robot.coordinates import independent
from symoro.robot.flexibility import MODES, PROPERTIES, flexible_links
from symoro.robot.records import (
    DRIVE,
    GEOMETRIC,
    IDENTITY16,
    INERTIAL,
    MOTOR,
    WRENCH,
    BaseKind,
    Frame,
    JointType,
)
from symoro.robot.topology import describe
from symoro.robot.wheels import WheelKind

if TYPE_CHECKING:
    from symoro.robot.description import Robot

TYPE_NAMES = {JointType.REVOLUTE: "R", JointType.PRISMATIC: "P", JointType.FIXED: "fixed"}


@dataclass(frozen=True)
class Table:
    """Table of texts with title, column names and rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(robot: Robot) -> list[Table]:
    """Return all data of a robot's description as tables; tables without rows are omitted."""
    candidates = [
        geometry(robot),
        inertia(robot),
        _drives(robot),
        _wrenches(robot),
        _flexible(robot),
        _limits(robot),
        _couplings(robot),
    ]
    candidates += [
        _base(robot),
        _wheels(robot),
        _motors(robot),
        _tool(robot),
        _payload(robot),
        _nominal(robot),
        _postures(robot),
    ]
    return [table for table in candidates if table.rows]


def geometry(robot: Robot) -> Table:
    """Return the table of geometric parameters of a robot, with the joint variables in their columns."""
    named = any(frame.name for frame in robot.frames)
    columns = ("j", "ant", "type", "mu", *GEOMETRIC, *(("name",) if named else ()))
    rows = []
    for j, frame in enumerate(robot.frames, 1):
        row = [
            str(j),
            str(frame.ant),
            TYPE_NAMES[frame.sigma] + ("~" if frame.eta else ""),
            str(int(frame.mu)),
        ]
        row += [_geometric(frame, j, name) for name in GEOMETRIC]
        rows.append((*row, frame.name) if named else tuple(row))
    return Table("geometric parameters", columns, tuple(rows))


def _geometric(frame: Frame, j: int, name: str) -> str:
    value = getattr(frame, name)
    variable = {JointType.REVOLUTE: "theta", JointType.PRISMATIC: "r"}.get(frame.sigma)
    if name != variable:
        return str(value)
    if value.is_zero:
        return f"q{j}"
    return (
        f"q{j} - {value.text[1:]}"
        if value.text.startswith("-") and " " not in value.text
        else f"q{j} + {value}"
    )


def inertia(robot: Robot) -> Table:
    """Return the table of the inertial parameters of the links."""
    rows = []
    of_base = any(not getattr(robot.base.link, name).is_zero for name in INERTIAL)
    for j in range(0 if of_base or robot.base.kind != BaseKind.FIXED else 1, robot.NL + 1):
        link = robot.link(j)
        rows.append((str(j), *(str(getattr(link, name)) for name in INERTIAL)))
    if all(entry == "0" for row in rows for entry in row[1:]):
        rows = []
    return Table("inertial parameters", ("j", *INERTIAL), tuple(rows))


def _per_frame(robot: Robot, title: str, names: Sequence[str]) -> Table:
    rows = [
        (str(j), *(str(getattr(f, name)) for name in names))
        for j, f in enumerate(robot.frames[: robot.NL], 1)
    ]
    used = [row for row in rows if any(entry not in ("0", "None") for entry in row[1:])]
    return Table(title, ("j", *names), tuple(used))


def _drives(robot: Robot) -> Table:
    usual = DRIVE[:4]
    further = [name for name in DRIVE[4:] if any(not getattr(f, name).is_zero for f in robot.frames)]
    springs = ("k", "rest") if any(f.eta for f in robot.frames) else ()
    return _per_frame(robot, "drives", (*usual, *further, *springs))


def _motors(robot: Robot) -> Table:
    rows = []
    for motor in robot.motors:
        shares = " + ".join(f"({ratio})*qd{i}" for i, ratio in motor.shares.items())
        rows.append((str(motor.joint), shares, *(str(getattr(motor, name)) for name in MOTOR)))
    return Table("coupled motors", ("j", "velocity", *MOTOR), tuple(rows))


def _wrenches(robot: Robot) -> Table:
    rows = [(str(j), *(str(getattr(robot.link(j), name)) for name in WRENCH)) for j in range(robot.NL + 1)]
    used = [row for row in rows if any(entry != "0" for entry in row[1:])]
    return Table("wrenches on the environment", ("j", *WRENCH), tuple(used))


def _flexible(robot: Robot) -> Table:
    rows = [
        (str(j), *(str(getattr(f, name)) for name in (*PROPERTIES, *MODES)), f.shapes)
        for j, f in flexible_links(robot).items()
    ]
    return Table("flexible links", ("j", *PROPERTIES, *MODES, "shapes"), tuple(rows))


def _limits(robot: Robot) -> Table:
    columns = ("lower", "upper", "velocity", "effort")
    rows = []
    for j, frame in enumerate(robot.frames, 1):
        values = [getattr(frame.limits, name) for name in columns]
        if any(v is not None for v in values):
            rows.append((str(j), *("" if v is None else f"{v:g}" for v in values)))
    return Table("limits", ("j", *columns), tuple(rows))


def _couplings(robot: Robot) -> Table:
    rows = []
    for j, frame in enumerate(robot.frames, 1):
        if frame.coupling:
            terms = " + ".join(f"({ratio})*q{i}" for i, ratio in frame.coupling.terms)
            offset = "" if frame.coupling.offset.is_zero else f" + {frame.coupling.offset}"
            rows.append((str(j), f"q{j} = {terms}{offset}"))
    return Table("coupled joints", ("j", "coupling"), tuple(rows))


def _base(robot: Robot) -> Table:
    base = robot.base
    rows = [("gravity", ", ".join(map(str, base.G)))]
    if base.kind != BaseKind.FIXED:
        rows.insert(0, ("kind", str(base.kind)))
    for name in ("V0", "W0", "VP0", "WP0"):
        values = getattr(base, name)
        if any(not v.is_zero for v in values):
            rows.append((name, ", ".join(map(str, values))))
    if robot.platform is not None:
        rows.append(("platform", f"frame {robot.platform}"))
    if base.Z != IDENTITY16:
        for r in range(3):
            rows.append((f"Z row {r + 1}", ", ".join(map(str, base.Z[4 * r : 4 * r + 4]))))
    return Table("base", ("what", "value"), tuple(rows))


def _wheels(robot: Robot) -> Table:
    columns = ("wheel", "frame", "kind", "radius", "steering", "roller", "follows")
    rows = []
    for k, wheel in enumerate(robot.wheels, 1):
        roller = str(wheel.roller) if wheel.kind == WheelKind.SWEDISH else ""
        joints = (str(wheel.steering or ""), roller, str(wheel.follows or ""))
        rows.append((str(k), str(wheel.frame), str(wheel.kind), str(wheel.radius), *joints))
    return Table("wheels", columns, tuple(rows))


def _tool(robot: Robot) -> Table:
    if robot.tool is None:
        return Table("tool", (), ())
    place = robot.tool.place
    row = (robot.tool.name, str(place.ant), *(str(getattr(place, name)) for name in GEOMETRIC))
    return Table("tool", ("name", "on", *GEOMETRIC), (row,))


def _payload(robot: Robot) -> Table:
    if robot.payload is None:
        return Table("payload", (), ())
    row = tuple(str(getattr(robot.payload, name)) for name in INERTIAL)
    return Table("payload in the tool frame", INERTIAL, (row,))


def _nominal(robot: Robot) -> Table:
    return Table("nominal values", ("symbol", "value"), tuple((n, f"{v:g}") for n, v in robot.nominal))


def _postures(robot: Robot) -> Table:
    columns = ("name", *(f"q{j}" for j in independent(robot)))
    rows = ((name, *(f"{value:g}" for value in values)) for name, values in robot.postures.items())
    return Table("postures", columns, tuple(rows))


def text(robot: Robot) -> str:
    """Return the tables of a robot as plain text."""
    head = [f"{robot.name}: {robot.title}" if robot.title else robot.name, describe(robot)]
    if robot.reference:
        head.append(f"source: {robot.reference}")
    head += [f"note: {note}" for note in robot.notes]
    return "\n".join(head) + "\n\n" + "\n\n".join(_plain(table) for table in tables(robot))


def _plain(table: Table) -> str:
    return "\n".join([table.title, *("  " + line for line in aligned(table.columns, table.rows))])


def html(robot: Robot) -> str:
    """Return the tables of a robot as HTML for a notebook."""
    parts = [f"<h4>{escape(robot.name)}</h4><p>{escape(robot.title)} ({escape(describe(robot))})</p>"]
    for table in tables(robot):
        head = "".join(f"<th>{escape(c)}</th>" for c in table.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
        )
        parts.append(f"<p><b>{table.title}</b></p><table><tr>{head}</tr>{body}</table>")
    return "".join(parts)
